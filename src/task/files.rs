//! The files that a task writes.

use std::path::Path;

use super::monitor::Monitor;
use crate::objects::Services;
use crate::records::{Output, PartPlan};

/// The files that a task writes, and the monitor that observes it.
#[derive(Clone, Copy)]
pub(crate) struct TaskFiles<'o> {
    pub(crate) rows: RowTarget<'o>,
    /// Outputs of other rows that are made in the same pass.
    pub(crate) side_outputs: &'o [RowTarget<'o>],
    /// Whether the caller takes the rows, so that they have no output.
    pub(crate) has_caller: bool,
    pub(crate) report: Option<&'o Path>,
    /// The services of outputs that are objects.
    pub(crate) services: &'o Services,
    pub(crate) monitor: &'o Monitor,
}

/// The destination of rows.
#[derive(Clone, Copy, Default)]
pub(crate) struct RowTarget<'o> {
    /// `None` for standard output.
    pub(crate) path: Option<&'o Path>,
    /// How the output is divided, if it is a folder of parts.
    pub(crate) parts: Option<&'o PartPlan>,
}

/// The outputs of rows.
pub(crate) struct RowOutputs {
    pub(crate) rows: Output,
    /// Outputs in the order of [`TaskFiles::side_outputs`].
    pub(crate) side_outputs: Vec<Output>,
}

impl<'o> RowTarget<'o> {
    /// Creates the target of a file, or of standard output.
    pub(crate) fn file(path: Option<&'o Path>) -> Self {
        RowTarget { path, parts: None }
    }
}

impl From<Output> for RowOutputs {
    fn from(rows: Output) -> Self {
        RowOutputs {
            rows,
            side_outputs: Vec::new(),
        }
    }
}
