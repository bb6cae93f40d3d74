//! The state that all threads of a run share: the plan, the findings and the checkpoint.

use std::sync::Arc;
use std::time::Instant;

use doisift_documents::{Source, SourceKind, UnpackThreads};
use doisift_system::FileStatus;

use super::checkpoint::{FinishedRows, FinishedWork, Mark, ScanCheckpoint, mark_step};
use super::ledger::{ScanLedger, report_passed_over};
use super::plan::{NamedSource, ScanOptions, ScanPlan, Shares, UnreadPaths};
use super::rows::RowMaker;
use crate::checkpoint::CheckpointFolder;
use crate::dedup::{Budget, Lasting, NameTable};
use crate::error::Error;
use crate::lookup;
use crate::report::ResumedWork;
use crate::task::{Backlog, Gates};

/// The state that all threads of a run share.
pub(super) struct SharedScan<'p> {
    pub(super) plan: ScanPlan<'p>,
    pub(super) ledger: ScanLedger<'p>,
    pub(super) table: NameTable,
    pub(super) unpackers: UnpackThreads,
    pub(super) gates: Gates,
    pub(super) backlog: Backlog,
    pub(super) maker: RowMaker<'p>,
    pub(super) checkpoint: Option<Arc<ScanCheckpoint>>,
    /// Bytes of text between two marks in a source. `None` if the run makes no marks.
    pub(super) marks: Option<u64>,
    /// The rows of an earlier run.
    resumed: Option<FinishedRows>,
    /// The number of sources whose names an earlier run has saved.
    named: usize,
    /// The work of an earlier run, if there was one.
    pub(super) earlier: Option<ResumedWork>,
}

impl<'p> SharedScan<'p> {
    /// Starts a run, or resumes one from the checkpoint in `folder`. `has_caller` is set if a caller takes the rows.
    pub(super) fn new(
        plan: ScanPlan<'p>,
        has_caller: bool,
        unfound: &UnreadPaths,
        folder: Option<CheckpointFolder>,
    ) -> Result<Self, Error> {
        let ScanPlan {
            options, shares, ..
        } = plan;
        let begun = folder.map(|folder| ScanCheckpoint::begin(folder, options, &plan.sources));
        let (checkpoint, mut earlier) = begun.transpose()?.unzip();
        let resumed = (earlier.as_mut()).and_then(|earlier| earlier.saved.rows.take());
        let checkpoint = checkpoint.map(Arc::new);
        let named = (earlier.as_ref()).and_then(|earlier| earlier.saved.named);
        let done = earlier.as_ref().map(|earlier| &earlier.saved.done);
        let work = done.and_then(|done| resumed_work(done, resumed.as_ref()));
        let by_marks = checkpoint.is_some() && options.selection.writes_mentions();
        let ledger = ScanLedger::new(options, done, unfound, by_marks);
        let is_resumable = checkpoint.is_some() && options.fills_table();
        options.monitor.set_resumable(is_resumable);
        let lasting = checkpoint.as_ref().zip(earlier);
        let lasting = lasting.map(|(checkpoint, earlier)| checkpoint.lasting(earlier));
        let scan = SharedScan {
            ledger,
            table: table(options, shares, lasting),
            unpackers: UnpackThreads::new(shares.threads, shares.unpacked),
            gates: Gates::default(),
            backlog: Backlog::new(shares.backlog),
            maker: RowMaker::new(options, has_caller),
            checkpoint,
            marks: mark_step(options),
            resumed,
            named: named.unwrap_or(0),
            earlier: work,
            plan,
        };
        scan.announce();
        Ok(scan)
    }

    /// Logs the number of sources, warns of paths that are not read, and gives the monitor the total size if that was asked for.
    fn announce(&self) {
        let ScanPlan {
            options, sources, ..
        } = &self.plan;
        report_passed_over(&self.plan.passed_over, options.search.has_globs());
        log::info!("sources: {}", sources.len());
        options.monitor.set_all_sources(sources.len() as u64);
        if let Some(known) = &options.known {
            log::info!("known names: {}", lookup::identity(known));
        }
        let done = self.started();
        options.monitor.add_sources(done as u64);
        if done > 0 {
            log::info!("sources finished by the interrupted run: {done}");
        }
        if options.measure
            && let Some((all, done)) = self.plan.sizes(done)
        {
            let monitor = &options.monitor;
            monitor.add_passed(done.saturating_sub(monitor.progress().bytes));
            monitor.set_total(all);
        }
    }

    /// Returns the number of sources that were started, with those of an earlier run; 0 without checkpoints.
    fn started(&self) -> usize {
        self.checkpoint.as_ref().map_or(0, |at| at.started())
    }

    /// Returns the sources in order, without those that an earlier run finished. Stops early if the run must end.
    pub(super) fn each_source(&self) -> impl Iterator<Item = (u32, Source)> {
        let sources = (0..).zip(self.plan.sources.iter()).skip(self.started());
        let monitor = &self.plan.options.monitor;
        sources.take_while(|_| !self.ledger.is_halted() && !monitor.is_cancelled())
    }

    /// Records that the next source will be read.
    pub(super) fn start(&self, source: &Source) {
        if let Some(checkpoint) = &self.checkpoint {
            checkpoint.start(source);
        }
    }

    /// Returns the rows of an earlier run.
    pub(super) fn resumed(&self) -> Option<&FinishedRows> {
        self.resumed.as_ref()
    }

    /// Returns the mark of an earlier run, if it is within this source.
    pub(super) fn resumed_in(&self, source: u32) -> Option<Mark> {
        let mark = self.resumed.as_ref().map(|resumed| resumed.at.mark);
        mark.filter(|mark| mark.source == source && mark.is_within())
    }

    /// Returns the first source whose names go into the table. `None` if no names do.
    pub(super) fn first_unnamed(&self) -> Option<usize> {
        self.plan.options.fills_table().then_some(self.named)
    }

    /// Whether checkpoints are made of the table, for which all started work must be finished.
    pub(super) fn checkpoints_table(&self) -> bool {
        self.checkpoint.is_some() && self.plan.options.fills_table()
    }

    /// Whether checkpoints are made of the parts that have rows.
    pub(super) fn checkpoints_rows(&self) -> bool {
        self.checkpoint.is_some() && self.plan.options.selection.writes_mentions()
    }

    /// Whether marks are made within texts. They are not if the result at a byte depends on bytes far before it.
    pub(super) fn marks_texts(&self) -> bool {
        self.marks.is_some() && self.plan.options.is_read_in_ranges()
    }

    /// Ends the run because reading did not reach the mark of an earlier run in a source.
    pub(super) fn refuse_mark(&self, source: &NamedSource) {
        if let Some(checkpoint) = self
            .checkpoint
            .as_ref()
            .filter(|_| !self.ledger.is_halted())
        {
            self.ledger.fail(checkpoint.changed(&source.name));
        }
    }

    /// Whether a mark should be made in a source after `text` bytes of text since the last one.
    pub(super) fn is_mark_due(&self, text: u64) -> bool {
        self.marks.is_some_and(|step| text >= step)
    }

    /// Returns the mark after a source.
    pub(super) fn mark_after(&self, ordinal: u32) -> Mark {
        let source = self.plan.sources.get(ordinal as usize);
        let file = source.filter(|source| source.kind == SourceKind::File && self.marks.is_some());
        let size = |file: Source| FileStatus::at(&file.path).map_or(0, |at| at.length());
        Mark::after(ordinal, file.map(size))
    }

    /// Whether it is time to wait for all started work and write a checkpoint.
    pub(super) fn is_checkpoint_due(&self) -> bool {
        self.checkpoints_table() && self.checkpoint.as_ref().is_some_and(|at| at.is_due())
    }

    /// Writes a checkpoint if the run has any. All started sources must be finished, unless the run was halted. `since` is the
    /// time at which the wait for them began.
    pub(super) fn checkpoint(&self, since: Instant) {
        let Some(checkpoint) = self
            .checkpoint
            .as_ref()
            .filter(|_| self.checkpoints_table() && !self.ledger.is_halted())
        else {
            return;
        };
        let done = self.ledger.done(checkpoint.started());
        if let Err(error) = checkpoint.make(since, done, || self.table.checkpoint()) {
            self.ledger.fail(error.into());
        }
    }
}

/// Returns the work of an earlier run. `None` if it made no checkpoint.
fn resumed_work(done: &FinishedWork, rows: Option<&FinishedRows>) -> Option<ResumedWork> {
    let nodes = rows.and_then(|rows| rows.nodes);
    let outputs = rows.map(|rows| rows.rows).into_iter().chain(nodes);
    let work = ResumedWork {
        parts: outputs.map(|output| output.parts as u64).sum(),
        sources: done.sources as u64,
    };
    (rows.is_some() || done.sources > 0).then_some(work)
}

/// Creates the table of a run. It stays empty if only mentions are written.
fn table(options: &ScanOptions, shares: Shares, lasting: Option<Lasting>) -> NameTable {
    let (noting, ending) = (options.monitor.clone(), options.monitor.clone());
    // Runs of a checkpoint must not be removed if this process exits; the next process uses or removes them.
    let note = lasting.is_none();
    let folder = options
        .resources
        .checkpoint
        .as_ref()
        .unwrap_or(&options.tmp);
    let budget = Budget {
        note: Box::new(move |path| noting.note_temporary(Some(path).filter(|_| note))),
        stop: Box::new(move || ending.is_ending()),
        lasting,
        ..Budget::new(shares.table, folder, shares.threads)
    };
    NameTable::within(options.stored_fields(), budget)
}
