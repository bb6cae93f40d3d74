//! Whether standard output was closed when the program was started. Only the program can tell.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use doisift_system::NULL_DEVICE;

static CLOSED: AtomicBool = AtomicBool::new(false);

/// An error if standard output was closed and takes the rows, as it does without `output`, or the report.
pub(crate) fn check(output: Option<&Path>, report: Option<&Path>) -> anyhow::Result<()> {
    let is_needed = output.is_none_or(is_stdout) || report.is_some_and(is_stdout);
    if is_needed && CLOSED.load(Ordering::Relaxed) {
        anyhow::bail!(
            "standard output is closed; name a file with -o, or {NULL_DEVICE} if nothing is to be written"
        );
    }
    Ok(())
}

fn is_stdout(output: &Path) -> bool {
    const NAMES: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    NAMES.iter().any(|name| output == Path::new(name))
}

/// Says whether it was closed.
pub(super) fn set(is_closed: bool) {
    CLOSED.store(is_closed, Ordering::Relaxed);
}
