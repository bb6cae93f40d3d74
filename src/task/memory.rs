//! The memory that is available to this process.

/// The memory that is assumed if the system does not report it.
const ASSUMED_MEMORY_BYTES: u64 = 4 << 30;

/// Returns the memory of the machine in bytes, or a limit of this process if that is less; 4 GiB if neither is known.
pub(super) fn available_memory() -> u64 {
    doisift_system::memory().unwrap_or(ASSUMED_MEMORY_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_memory() {
        assert!(available_memory() > 1 << 20);
    }
}
