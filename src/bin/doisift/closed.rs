//! Whether standard output was closed when the program was started.
//!
//! The standard library opens `/dev/null` in place of a closed standard descriptor before `main`, and what is written there is
//! lost. It cannot be told from a `/dev/null` that another program opened for reading and writing, so this looks before.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use doisift_system::{NULL_DEVICE, is_stdout_closed};

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

ctor::declarative::ctor! {
    #[ctor(unsafe)]
    fn look() {
        CLOSED.store(is_stdout_closed(), Ordering::Relaxed);
    }
}
