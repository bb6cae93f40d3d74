//! Scans large plain files in ranges, on several threads.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use doisift_documents::{ChunkCutter, FileSection, InputError, SourceFile};

use super::source_scanner::SourceScanner;
use crate::lock::lock;
use crate::pipeline::checkpoint::{Mark, ReadDocument, ReadPlace};
use crate::pipeline::plan::NamedSource;
use crate::pipeline::scanning::{SharedDocument, kind};
use crate::pipeline::shared_scan::SharedScan;
use crate::report::ScanCounts;

/// A large plain file that is scanned in ranges.
pub(crate) struct RangedFile<'r> {
    scan: &'r SharedScan<'r>,
    named: NamedSource,
    file: SourceFile,
    size: u64,
    shared: Arc<SharedDocument<'r>>,
    /// The smallest offset at which the file could not be read, and the error.
    lost: Mutex<Option<(u64, InputError)>>,
}

impl<'r> RangedFile<'r> {
    /// Creates the reader of a file of `size` bytes, which counts as one source and document.
    pub(crate) fn new(
        scan: &'r SharedScan<'r>,
        named: NamedSource,
        file: SourceFile,
        size: u64,
    ) -> Result<Self, InputError> {
        let options = scan.plan.options;
        let kind = kind::of_file(options, &file, size)?;
        scan.ledger.seen_inputs.add_text(options, true);
        Ok(RangedFile {
            scan,
            shared: SharedDocument::new(named.document(0, None), kind, scan),
            named,
            file,
            size,
            lost: Mutex::default(),
        })
    }

    /// Returns the range of the file that this run scans: the chosen range, without the bytes that an earlier run has scanned.
    pub(crate) fn range_to_scan(&self) -> Range<u64> {
        let options = self.scan.plan.options;
        let wanted = options.sources.range.clone().unwrap_or(0..self.size);
        let done = self.scan.resumed_in(self.named.ordinal);
        let done = done.map_or(0, |mark| mark.offset);
        options
            .monitor
            .add_resumed(done.saturating_sub(wanted.start));
        wanted.start.max(done)..wanted.end.min(self.size)
    }

    /// Returns the mark after all anchors before an offset.
    pub(crate) fn mark_at(&self, offset: u64) -> Mark {
        Mark::before(self.named.ordinal, 0, 0).within(offset)
    }

    /// Returns the counts of one source and document; of none if another run counts them.
    pub(crate) fn counts(&self) -> ScanCounts {
        ScanCounts::of_text(!self.scan.plan.options.skips_whole_sources())
    }

    /// Scans the candidates whose anchors are in a range.
    pub(crate) fn scan(&self, scanner: &mut SourceScanner<'_>, anchors: Range<u64>) {
        let plan = &self.scan.plan;
        let start = anchors.start.saturating_sub(plan.reach.before as u64);
        let end = anchors.end.saturating_add(plan.reach.after as u64);
        let mut section = FileSection::new(&self.file, start, self.size.min(end));
        let mut cutter = ChunkCutter::of_anchors(plan.reach, anchors, start);
        scanner.sliding.start(start);
        while let Some(chunk) = scanner.sliding.next_chunk(&mut cutter, &mut section) {
            scanner
                .chunk_scanner
                .scan_shared(&chunk, &self.shared, None);
            plan.options.monitor.add_bytes(chunk.range.len() as u64);
        }
        if let Some((offset, error)) = cutter.take_damage() {
            let mut lost = lock(&self.lost);
            if lost.as_ref().is_none_or(|(first, _)| offset < *first) {
                *lost = Some((offset, error));
            }
        }
    }
}

impl Drop for RangedFile<'_> {
    /// Reports one error for the file, after all of its ranges were scanned. A file that became shorter fails in each range
    /// after its new end.
    fn drop(&mut self) {
        self.scan.plan.options.monitor.add_sources(1);
        if let Some((offset, error)) = lock(&self.lost).take() {
            let name = Arc::clone(&self.named.name);
            let place = ReadPlace {
                source: self.named.ordinal,
                document: ReadDocument::Begun(u64::MAX),
            };
            self.scan
                .ledger
                .report_loss(place, name, Some((None, offset)), error);
        }
    }
}
