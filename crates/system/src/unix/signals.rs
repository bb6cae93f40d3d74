//! Signal handlers that set flags.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::flag::{register, register_usize};

use crate::signals::{EndingSignals, HANGUP, INTERRUPT, TERMINATE};

pub(crate) fn watch(signals: &EndingSignals, flag: Arc<AtomicBool>) -> io::Result<()> {
    let hangup = Some(HANGUP).filter(|_| hangup_ends());
    for signal in [INTERRUPT, TERMINATE].into_iter().chain(hangup) {
        register_usize(signal, Arc::clone(&signals.last), signal as usize)?;
        register(signal, Arc::clone(&signals.new))?;
        register(signal, Arc::clone(&flag))?;
    }
    Ok(())
}

/// Whether SIGHUP ends this process. It does not if the process was started with SIGHUP ignored, as by nohup(1).
fn hangup_ends() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (HANGUP - 1) & 1 == 0)
}
