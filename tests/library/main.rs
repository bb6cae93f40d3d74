//! Tests of the library: its rules, its tasks and its public interface. `tests/cli` tests the command.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    dead_code
)]

#[cfg(feature = "pipeline")]
mod checkpoint;
#[path = "../common/mod.rs"]
mod common;
mod corpora;
mod doi_cases;
mod evaluate;
#[cfg(feature = "pipeline")]
mod examples;
#[cfg(feature = "pipeline")]
mod flips;
mod folders;
mod interface;
#[cfg(feature = "pipeline")]
mod options;
mod regressions;
mod scan_cases;
mod scan_twin;
#[cfg(feature = "pipeline")]
mod streams;
#[cfg(feature = "pipeline")]
mod table_cells;
#[cfg(feature = "pipeline")]
mod table_flips;
mod text_kinds;
