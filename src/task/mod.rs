//! The engine that all tasks of this crate run on: the scan of sources (`pipeline`), the merge of records (`merge`), the
//! cleaning of tables (`column`), and the check of references (`check`). A task says what a piece of work is and where its rows go.
//!
//! It has the steps of a run, its threads, the monitor, the output files, the check that no output is an input, and the defaults
//! of options.

mod backlog;
mod clash;
mod crew;
mod defaults;
mod ending;
mod files;
mod gate;
mod lifecycle;
mod memory;
mod monitor;
mod named;
mod order;
mod pending_report;
mod ticket;
mod traffic;
mod utc;

pub use monitor::{Monitor, Progress};

pub(crate) use backlog::Backlog;
pub(crate) use clash::{Destinations, in_checkpoint, no_stdin, same_name, stdin_twice};
pub(crate) use crew::{Crew, Jobs, with_threads};
pub(crate) use defaults::{
    chosen_format, chosen_memory, chosen_rows, chosen_threads, chosen_tmp_dir, named_output,
    part_about,
};
pub use ending::{Ending, TaskReport};
pub(crate) use files::{RowOutputs, RowTarget, TaskFiles};
pub(crate) use gate::{GateRole, Gates, SourceGate};
pub(crate) use lifecycle::not_cancelled;
pub(crate) use named::{check_named, is_stdin, named_source, warn_of_sheets};
pub(crate) use order::{Delivery, PiecePlace, write_in_order};
pub use pending_report::REPORT_SCHEMA_VERSION;
pub(crate) use ticket::{Ticket, Tickets};
pub(crate) use utc::utc;
