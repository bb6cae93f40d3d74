//! The one module that knows all stages: sources in, records out.
//!
//! With one thread, everything is done in turn. With more, one plain thread (the caller's) goes through the sources in
//! order and shares them out; plain threads unpack what is packed, or read what may wait; chunks are scanned on a rayon
//! pool, where nothing waits for another thread; one plain thread writes mentions in order. Tickets bound what is under
//! way between them.

mod builder;
mod checkpoint;
mod crew;
mod feed;
mod kind;
mod notice;
mod options;
mod order;
mod reading;
mod rows;
mod run;
mod seek;
mod shares;
mod sink;
mod state;
mod ticket;
mod turn;
mod worker;

pub use builder::PipelineBuilder;
pub use options::OnError;

use std::path::Path;

use options::Options;

use crate::error::Error;
use crate::report::{Report, ReportOptions};

/// A run over sources: finds the DOI names in them and writes them out.
///
/// ```
/// use doisift::{Format, Pipeline};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("references.txt");
/// let output = folder.path().join("names.jsonl");
/// std::fs::write(&input, "See 10.5555/ABC, and https://doi.org/10.5555/abc again.")?;
///
/// let report = Pipeline::builder().source(&input).output(&output).format(Format::Names).build()?.run()?;
///
/// assert_eq!(report.mentions, 2);
/// assert_eq!(std::fs::read_to_string(&output)?, "10.5555/abc\n");
/// # Ok(())
/// # }
/// ```
///
/// Another thread can watch a run and end it:
///
/// ```
/// use doisift::{ErrorKind, Monitor, Pipeline};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let monitor = Monitor::new();
/// let pipeline = Pipeline::builder().source("Cargo.toml").monitor(&monitor).build()?;
/// monitor.cancel();
/// let stopped = pipeline.run();
/// assert!(stopped.is_err_and(|error| matches!(error.kind(), ErrorKind::Cancelled)));
/// assert_eq!(monitor.progress().mentions, 0);
/// # Ok(())
/// # }
/// ```
pub struct Pipeline {
    options: Options,
}

impl Pipeline {
    /// Starts with no source, and standard output.
    pub fn builder() -> PipelineBuilder {
        PipelineBuilder::default()
    }

    /// What it is asked to do, with all defaults in place.
    pub fn options(&self) -> ReportOptions {
        self.options.for_report()
    }

    /// The folder for temporary files.
    pub fn tmp_dir(&self) -> &Path {
        &self.options.tmp
    }

    /// Runs to the end, and writes the output.
    ///
    /// Time is that of reading and unpacking, or of scanning, whichever is slower; memory that of the records, but at most
    /// what the run [may use](PipelineBuilder::memory), plus some 16 MiB and an output's buffers, however large the sources
    /// are. With [`mentions`](PipelineBuilder::mentions), memory is that of the chunks alone.
    ///
    /// A source or document that cannot be read is counted in [`Report::errors`] and written to the [`log`] as a warning, and
    /// what came before its damage is kept, all but a name that the damage cuts through.
    ///
    /// With a [checkpoint](PipelineBuilder::checkpoint) it goes on from where an earlier run ended.
    ///
    /// # Errors
    /// If the output, or a temporary file, cannot be written, if the run is [cancelled](crate::Monitor::cancel), or, with [`OnError::Fail`], if any
    /// input is lost. Then a file at the path of an output is the one that was there before.
    pub fn run(self) -> Result<Report, Error> {
        run::run(&self.options)
    }
}
