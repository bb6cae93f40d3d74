//! How many more files this process can open.

use doisift_system::open_files;

/// File descriptors that are left for other uses in the process.
const KEPT: usize = 4;
/// Number of open file descriptors that is assumed if the system does not list them.
const UNKNOWN: usize = 16;

/// How many more files this process can open, less a few that are left for other uses.
pub(crate) fn spare() -> usize {
    let (limit, open) = open_files();
    limit.saturating_sub(open.unwrap_or(UNKNOWN) + KEPT)
}
