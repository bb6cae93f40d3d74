//! The program doisift: its allocator, and whether standard output was closed when it started. All else is in the library of
//! this crate.

mod allocator;

use std::env;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use doisift_cli::Process;
use doisift_system::is_stdout_closed;

/// Whether standard output was closed.
///
/// The standard library opens `/dev/null` in place of a closed standard descriptor before `main`, and output to it is lost.
/// Later, it cannot be distinguished from a `/dev/null` that another program opened for reading and writing. So this is set
/// before `main`.
static CLOSED: AtomicBool = AtomicBool::new(false);

ctor::declarative::ctor! {
    #[ctor(unsafe)]
    fn look() {
        CLOSED.store(is_stdout_closed(), Ordering::Relaxed);
    }
}

fn main() -> ExitCode {
    allocator::set_up();
    let process = Process {
        is_stdout_closed: CLOSED.load(Ordering::Relaxed),
        allocator: "mimalloc",
    };
    ExitCode::from(doisift_cli::main(env::args_os(), process))
}
