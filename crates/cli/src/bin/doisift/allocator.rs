//! The command's allocator, and how it shares memory with the system.

use std::ffi::{c_int, c_long};

// Deduplication allocates from many threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Milliseconds after which the allocator returns free memory to the system. Its default is 1,000: with that, a scan of archives
/// of PDF, Parquet and workbooks in 64 MiB peaked at 216 MiB on eight threads, and with this at 105 MiB, for at most 2 % more
/// CPU time (`scripts/torture memory`).
const RETURN_AFTER: c_long = 10;

/// Sets up the allocator. Must be called before other threads start.
pub(crate) fn set_up() {
    // Huge pages count as used whole: with them a scan of dense text took 20 to 50 MiB more, and 50 million names 70 MiB, in the
    // same CPU time.
    doisift_system::keep_small_pages();
    return_early();
}

/// Sets [`RETURN_AFTER`], unless the environment sets MIMALLOC_PURGE_DELAY.
#[allow(unsafe_code)]
fn return_early() {
    /// `mi_option_purge_delay` of the C interface.
    const PURGE_DELAY: c_int = 15;
    // SAFETY: the function stores a number for an option that exists, and no other thread runs.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY, RETURN_AFTER) };
}
