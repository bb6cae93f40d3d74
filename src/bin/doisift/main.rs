//! The program doisift: its allocator, and what it finds at its start. All else is the library's `command`.

mod allocator;

use std::env;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use doisift::command::{self, Process};
use doisift_system::is_stdout_closed;

/// Whether standard output was closed.
///
/// The standard library opens `/dev/null` in place of a closed standard descriptor before `main`, and what is written there is
/// lost. It cannot be told from a `/dev/null` that another program opened for reading and writing, so this looks before.
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
    ExitCode::from(command::main(env::args_os(), process))
}
