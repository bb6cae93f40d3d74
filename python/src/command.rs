//! The command `doisift`, in the same library as the functions.

use std::ffi::OsString;

use doisift_cli::Process;
use pyo3::prelude::*;

/// Run the command as the only work of this process. Returns the exit code. The first of `args` is the name of the program.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, args: Vec<OsString>, is_stdout_closed: bool) -> u8 {
    let process = Process {
        is_stdout_closed,
        allocator: "that of Python",
    };
    py.detach(|| doisift_cli::main(args, process))
}
