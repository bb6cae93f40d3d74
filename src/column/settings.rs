//! The options of a run.

use std::path::PathBuf;
use std::sync::Arc;

use doisift_documents::{ReadLimits, SheetChoice};
use doisift_tables::{BlockSizes, HeaderChoice, TableFormat};

use super::options::{ColumnOptions, NameOptions, TableOptions};
use crate::lookup::{Index, KnownNames};
use crate::normalize::Presentation;
use crate::objects::Services;
use crate::options::{GivenOptions, LookupOptions, ReportedOptions, reported_paths};
use crate::task::Monitor;

/// The options of a run with all defaults filled in.
pub(crate) struct CleanSettings {
    /// All options as they were set.
    pub(super) given: GivenOptions,
    /// Without a column, each line is a text.
    pub(super) columns: ColumnOptions,
    pub(super) table: TableOptions,
    pub(super) names: NameOptions,
    /// Whether identifiers of arXiv are names.
    pub(super) arxiv: bool,
    pub(super) lookup: LookupOptions,
    /// The index of known names to ask.
    pub(super) known: Option<Arc<KnownNames>>,
    /// The index in the form that scanners ask.
    pub(super) ends: Option<Arc<Index>>,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) services: Services,
    pub(super) format: Option<TableFormat>,
    pub(super) header: HeaderChoice,
    /// `None` if each line is a text.
    pub(super) sheet: Option<SheetChoice>,
    pub(super) presentation: Presentation,
    pub(super) output: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) threads: usize,
    /// Bytes of a batch of rows, and max bytes of a row.
    pub(super) sizes: BlockSizes,
    pub(super) limits: ReadLimits,
    pub(super) tmp: PathBuf,
    pub(super) monitor: Monitor,
}

impl CleanSettings {
    /// Whether tables have a header.
    pub(super) fn has_header(&self) -> bool {
        self.header != HeaderChoice::Missing
    }

    pub(super) fn for_report(&self) -> ReportedOptions {
        ReportedOptions::new(&self.given)
            .with("inputs", &reported_paths(&self.inputs))
            .with("output", &self.output)
            .with("threads", &self.threads)
    }
}
