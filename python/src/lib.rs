//! The native part of the Python package `doisift`, a thin layer over the crate.
//!
//! `text` reads single texts, `batch` columns of texts, `cleaning` columns of tables. `scan` and `rows` run a pipeline, `tasks`
//! runs all other tasks, `running` waits for them; `options` sets options from Python's arguments, and `source` reads Python's
//! files. `explaining` explains decisions, `command` is the whole command, and `known` asks an index. `arrow` and `capsule` are
//! the Arrow PyCapsule interface; `sequence` turns Python lists into arrays, and arrays into lists. The Python files of the
//! package have the signatures that users see.
//!
//! It uses the default allocator, not mimalloc as the command does. mimalloc takes 12 % less CPU time in `extract_batch`, but its
//! huge pages count as used in full, and a module cannot disable them for the whole process: `iter_records` over 1 GiB of dense
//! text (`scripts/bench python`) takes 282 MiB with mimalloc and 198 MiB without.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod array;
mod arrow;
mod batch;
mod capsule;
mod cleaning;
mod command;
mod doi;
mod error;
mod explaining;
mod known;
mod logging;
mod options;
mod report;
mod rows;
mod running;
mod scan;
mod sequence;
mod source;
mod table;
mod tasks;
mod text;

use pyo3::prelude::*;

/// The native part of doisift.
#[pymodule]
mod _doisift {
    #[pymodule_export]
    use crate::array::{Array, ArrayStream};
    #[pymodule_export]
    use crate::batch::{extract_batch, normalize_batch};
    #[pymodule_export]
    use crate::cleaning::clean_cells;
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::doi::Doi;
    #[pymodule_export]
    use crate::explaining::explain;
    #[pymodule_export]
    use crate::known::{IndexSource, Known, Notice};
    #[pymodule_export]
    use crate::options::options;
    #[pymodule_export]
    use crate::report::{Loss, Progress, Report};
    #[pymodule_export]
    use crate::rows::{RowStream, iter_rows};
    #[pymodule_export]
    use crate::running::_end_runs;
    #[pymodule_export]
    use crate::scan::scan;
    #[pymodule_export]
    use crate::tasks::{check_rows, resolve_names, run_task};
    #[pymodule_export]
    use crate::text::{Mention, extract, normalize};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let end = module.getattr("_end_runs")?;
        module
            .py()
            .import("atexit")?
            .call_method1("register", (end,))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
