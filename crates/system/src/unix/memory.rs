//! The memory that is available to this process.

use std::fs;
use std::path::{Path, PathBuf};

/// Address space of a process without data, in bytes: its code and stacks, and the reserves of allocators.
const RESERVED_BYTES: u64 = 64 << 20;

/// Returns the memory of the machine, or the limit of a control group or of this process's address space if that is less.
///
/// A quarter of the address space counts, since allocators reserve more for each thread than they use. Reads
/// `/proc/meminfo`, and the limits of this process's control groups and those above them (version 2: `memory.max`; version
/// 1: `memory.limit_in_bytes`).
pub(crate) fn memory() -> Option<u64> {
    let groups = read("/proc/self/cgroup");
    let limits = files(&groups).filter_map(|path| limit(&read(path)));
    let limits = limits
        .chain(total(&read("/proc/meminfo")))
        .chain(address_space());
    limits.min()
}

/// Returns the memory for which the address space suffices, if it is limited (`ulimit -v`).
fn address_space() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As);
    limit
        .current
        .map(|bytes| bytes.saturating_sub(RESERVED_BYTES) / 4)
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Returns the machine's memory, from `MemTotal:  123 kB`.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Parses a group's limit: a number, or `max` for no limit.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|&bytes| bytes > 0)
}

/// Returns the files that may hold limits of the groups, from lines of `number:controllers:path`.
fn files(groups: &str) -> impl Iterator<Item = PathBuf> {
    let fields = groups.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        rest.split_once(':')
    });
    fields.flat_map(|(controllers, group)| {
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        };
        let bears = controllers.is_empty() || controllers.split(',').any(|name| name == "memory");
        let ancestors = Path::new(group).ancestors().filter(move |_| bears);
        ancestors.map(move |group| {
            // A path that starts with / would replace the root.
            let group = group.strip_prefix("/").unwrap_or(group);
            Path::new(root).join(group).join(file)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_of_the_group_and_those_above_it() {
        let listed = |groups| {
            files(groups)
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            listed("0::/a/b\n"),
            [
                "/sys/fs/cgroup/a/b/memory.max",
                "/sys/fs/cgroup/a/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        assert_eq!(
            listed("7:cpu,cpuacct:/c\n4:memory:/docker/x\n"),
            [
                "/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes"
            ]
        );
        assert_eq!(listed("broken"), Vec::<String>::new());
    }

    #[test]
    fn files_of_the_system_are_parsed() {
        let meminfo = "MemFree: 5 kB\nMemTotal:       24684140 kB\n";
        assert_eq!(total(meminfo), Some(24_684_140 * 1024));
        assert_eq!(total("MemTotal: many kB"), None);
        assert_eq!(limit("536870912\n"), Some(512 << 20));
        assert_eq!((limit("max\n"), limit("")), (None, None));
    }
}
