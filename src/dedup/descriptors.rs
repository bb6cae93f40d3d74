//! How many more files this process can open.

use std::fs;

/// File descriptors that are left for other uses in the process.
const KEPT: usize = 4;
/// Number of open file descriptors that is assumed if the system does not list them.
const UNKNOWN: usize = 16;

/// How many more files this process can open, less a few that are left for other uses.
pub(crate) fn spare() -> usize {
    limit().saturating_sub(open() + KEPT)
}

fn limit() -> usize {
    use rustix::process::{Resource, getrlimit};
    match getrlimit(Resource::Nofile).current {
        Some(limit) => limit.try_into().unwrap_or(usize::MAX),
        None => usize::MAX,
    }
}

/// Number of open file descriptors.
fn open() -> usize {
    // One of them is the descriptor that reads the folder.
    fs::read_dir("/dev/fd").map_or(UNKNOWN, |all| all.count().saturating_sub(1))
}
