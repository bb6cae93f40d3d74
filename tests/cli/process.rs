//! Reads the state of a running process from the kernel. Linux only.

use std::fs;
use std::process::Child;
use std::sync::{Arc, Once};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Returns a field of the process's status, such as `VmHWM`.
pub fn shown(id: u32, field: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let value = status
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

/// Whether a set of signals, such as `SigCgt`, contains the signal.
pub fn holds(id: u32, set: &str, signal: u32) -> Option<bool> {
    let mask = u64::from_str_radix(&shown(id, set)?, 16).ok()?;
    Some(mask >> (signal - 1) & 1 == 1)
}

/// Returns the peak of the process's memory so far, in MiB.
#[cfg(target_os = "linux")]
pub fn peak_so_far(id: u32) -> Option<u64> {
    let kibibytes = shown(id, "VmHWM")?;
    kibibytes
        .strip_suffix(" kB")?
        .parse()
        .map(|kibibytes: u64| kibibytes >> 10)
        .ok()
}

/// Lets the runs that this process starts begin with the default action of each signal that a test sends.
///
/// A shell starts jobs in the background with SIGINT ignored, nohup(1) programs with SIGHUP ignored, and runs would inherit that.
/// They do not inherit handlers, so this process handles what it ignored. Where the system does not show that, nothing changes.
pub fn reset_ignored_signals() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            if holds(std::process::id(), "SigIgn", signal as u32) == Some(true) {
                signal_hook::flag::register(signal, Arc::default()).unwrap();
            }
        }
    });
}

/// Waits for the end of a run. Returns its exit code and the peak of its memory in MiB.
///
/// Reads the peak repeatedly: the value that the kernel reports at the end includes the memory of the process that started the
/// run, which runs all tests.
#[cfg(target_os = "linux")]
pub fn code_and_peak(run: &mut Child) -> (Option<i32>, u64) {
    let mut peak = 0;
    loop {
        peak = peak_so_far(run.id()).unwrap_or(peak);
        if let Some(status) = run.try_wait().unwrap() {
            return (status.code(), peak);
        }
        thread::sleep(Duration::from_millis(2));
    }
}
