//! Handles a closed standard output. It was closed when the program was started, which only the program can find out, or by its
//! reader.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use doisift_system::{NULL_DEVICE, kind_of};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Fails if standard output was closed and the rows or the report go there. Rows do without `output`.
pub(crate) fn check(output: Option<&Path>, report: Option<&Path>) -> anyhow::Result<()> {
    let is_needed = output.is_none_or(is_stdout) || report.is_some_and(is_stdout);
    if is_needed && CLOSED.load(Ordering::Relaxed) {
        anyhow::bail!(
            "standard output is closed; name a file with -o, or {NULL_DEVICE} to discard the rows"
        );
    }
    Ok(())
}

/// Converts the result of a write to standard output. A pipe that its reader closed is not a failure.
pub(crate) fn written(result: io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if kind_of(&error) != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output")
        }
        _ => Ok(()),
    }
}

fn is_stdout(output: &Path) -> bool {
    const NAMES: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    NAMES.iter().any(|name| output == Path::new(name))
}

/// Records whether standard output was closed when the program was started.
pub(super) fn set(is_closed: bool) {
    CLOSED.store(is_closed, Ordering::Relaxed);
}
