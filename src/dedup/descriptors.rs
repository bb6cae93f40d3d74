//! Counts how many more files this process can open.

use doisift_system::open_files;

/// File descriptors that are reserved for other uses in the process.
const RESERVED_DESCRIPTORS: usize = 4;
/// Number of open file descriptors that is assumed if the system does not list them.
const ASSUMED_OPEN_DESCRIPTORS: usize = 16;

/// Returns how many more files this process can open, minus [`RESERVED_DESCRIPTORS`].
pub(crate) fn spare() -> usize {
    let (limit, open) = open_files();
    limit.saturating_sub(open.unwrap_or(ASSUMED_OPEN_DESCRIPTORS) + RESERVED_DESCRIPTORS)
}
