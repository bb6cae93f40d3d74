//! The plan of a scan, which is fixed before it starts: what is asked for, which sources are read, and how memory and threads are
//! divided among the work.
//!
//! Uses no other room of the pipeline; all of them use it. Runs on the caller's thread.

mod options;
mod prefixes;
mod scan_plan;
mod search;
mod selection;
mod shares;

pub(super) use options::{OnError, ScanOptions, SideOutput};
pub(super) use prefixes::prefix;
pub(super) use scan_plan::{NamedSource, ScanPlan};
pub(super) use search::{UnreadPaths, add_named_sources};
pub(super) use selection::{PrefixFilter, RowChoice, Selection, record_fields};
pub(super) use shares::Shares;
