//! How many more files this process can have open.

use std::fs;

/// Descriptors that are left for what else a process opens meanwhile.
const KEPT: usize = 4;
/// Descriptors that count as open where the system does not list them.
const UNKNOWN: usize = 16;
/// The limit on systems that are not asked for theirs.
#[cfg(not(unix))]
const LIMIT: usize = 256;

/// How many more files can be open at once. A few descriptors are kept back for what else is opened meanwhile.
pub(crate) fn spare() -> usize {
    limit().saturating_sub(open() + KEPT)
}

#[cfg(unix)]
fn limit() -> usize {
    use rustix::process::{Resource, getrlimit};
    match getrlimit(Resource::Nofile).current {
        Some(limit) => limit.try_into().unwrap_or(usize::MAX),
        None => usize::MAX,
    }
}

#[cfg(not(unix))]
fn limit() -> usize {
    LIMIT
}

/// Descriptors that are open.
fn open() -> usize {
    // What lists them is among them.
    fs::read_dir("/dev/fd").map_or(UNKNOWN, |all| all.count().saturating_sub(1))
}
