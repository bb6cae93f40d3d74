//! The command `doisift`, so that one library has it and the functions.

use std::ffi::OsString;

use doisift::command::{self, Process};
use pyo3::prelude::*;

/// Runs the command as the whole work of this process, and returns the exit code. The first of `args` is the name of the program.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, args: Vec<OsString>, is_stdout_closed: bool) -> u8 {
    let process = Process {
        is_stdout_closed,
        allocator: "that of Python",
    };
    py.detach(|| command::main(args, process))
}
