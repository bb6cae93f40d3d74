//! Distributes sources among threads.
//!
//! The caller's thread takes the sources in order. Small files go to scanners in groups, and large plain files in ranges. Packed
//! sources, and those whose reads may block, go to feeders, which are started as they are needed.

use std::fs::File;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use doisift_documents::{InputError, Source, SourceFile, SourceKind, ends_archive, text_start};
use doisift_system::FileStatus;

use super::crew::ScanCrew;
use super::feeder::Feeder;
use super::piece::{PieceBuffers, PieceTicket};
use super::ranged_file::RangedFile;
use super::source_scanner::SourceScanner;
use crate::pipeline::checkpoint::{Mark, ReadDocument, ReadPlace};
use crate::pipeline::plan::ScanPlan;
use crate::pipeline::shared_scan::SharedScan;
use crate::report::ScanCounts;
use crate::task::{Crew, PiecePlace, Tickets};

/// Pieces of work per thread that are started at the same time: one that runs, one that waits, and two in reserve.
const PIECES_AHEAD_PER_THREAD: usize = 4;
/// Max files in a group. With this many, the cost of passing the group to another thread does not matter.
const MAX_GROUP_FILES: usize = 256;
/// Chunks that a scanner takes at once. Passing them one by one costs a tenth of the time to scan sparse text.
const MAX_CHUNKS_AT_ONCE: usize = 8;
/// Min number of ranges of a file per thread, unless they would be smaller than a chunk.
const MIN_RANGES_PER_THREAD: u64 = 16;

/// Takes the sources in order and distributes them.
pub(crate) struct Dispatcher<'s, 'e, 'r> {
    crew: &'s ScanCrew<'r>,
    scan: &'r SharedScan<'r>,
    plan: &'r ScanPlan<'r>,
    scanners: Crew<'s, 'e, &'s Mutex<SourceScanner<'r>>>,
    feeders: Crew<'s, 'e, ()>,
    /// Number of feeders that were started.
    started: usize,
    /// Tickets of sources that feeders read.
    feeding: Arc<Tickets<()>>,
    /// Tickets of the feeders' chunks.
    chunks: Arc<Tickets<PieceBuffers>>,
    /// Tickets of groups and ranges.
    tickets: Arc<Tickets<PieceBuffers>>,
    slot: u64,
    group: FileGroup,
}

/// Small files that one scanner reads as one piece of work.
#[derive(Default)]
struct FileGroup {
    ordinals: Vec<u32>,
    bytes: u64,
}

impl<'s, 'e, 'r> Dispatcher<'s, 'e, 'r> {
    pub(crate) fn new(
        crew: &'s ScanCrew<'r>,
        scanners: Crew<'s, 'e, &'s Mutex<SourceScanner<'r>>>,
        feeders: Crew<'s, 'e, ()>,
    ) -> Self {
        let plan = &crew.scan.plan;
        let ahead = PIECES_AHEAD_PER_THREAD * plan.shares.threads;
        Dispatcher {
            crew,
            scan: crew.scan,
            plan,
            scanners,
            feeders,
            started: 0,
            feeding: Tickets::new(plan.shares.threads),
            chunks: Tickets::new(ahead),
            tickets: Tickets::new(ahead),
            slot: 0,
            group: FileGroup::default(),
        }
    }

    pub(crate) fn run(mut self) {
        for (ordinal, source) in self.scan.each_source() {
            if self.scan.is_checkpoint_due() {
                self.checkpoint();
            }
            self.scan.start(&source);
            match source.kind {
                // A command may take long, so only feeders wait for it.
                SourceKind::File if self.plan.is_preprocessed(&source) => {
                    self.give_to_feeder(ordinal)
                }
                SourceKind::File => self.dispatch_file(ordinal, &source),
                SourceKind::Remote if self.is_small_object(&source) => {
                    self.add_to_group(ordinal, 0);
                }
                SourceKind::Remote
                | SourceKind::Stream
                | SourceKind::Stdin
                | SourceKind::Reader => {
                    self.give_to_feeder(ordinal);
                }
            }
        }
        self.give_group();
        if self.scan.checkpoints_table() {
            self.checkpoint();
        }
    }

    /// Waits for all work that was started, and writes a checkpoint.
    fn checkpoint(&mut self) {
        let since = Instant::now();
        self.give_group();
        self.feeding.wait();
        self.chunks.wait();
        self.tickets.wait();
        self.crew.settle();
        self.scan.checkpoint(since);
    }

    fn dispatch_file(&mut self, ordinal: u32, source: &Source) {
        let looked = FileStatus::at(&source.path).map_err(InputError::from);
        let read_options = self.plan.read_options(&self.scan.ledger, None, None);
        let looked = looked.and_then(|at| Ok((read_options.is_own(&at)?, at.length())));
        let size = match looked {
            Ok((true, _)) => return self.skip_source(ordinal),
            Ok((false, size)) => size,
            Err(error) => return self.report_loss(ordinal, error),
        };
        let options = self.plan.options;
        let small = options.sources.range.is_none() && size <= self.plan.shares.chunk as u64 / 4;
        if small && !options.selection.writes_mentions() {
            return self.add_to_group(ordinal, size);
        }
        // If mentions are written, the rows of a group are held until it ends, and a packed file may have many.
        match open_plain(source, size, small && self.scan.marks.is_none()) {
            Ok(Some(_)) if small => self.add_to_group(ordinal, size),
            Ok(Some((file, start))) if options.is_read_in_ranges() => {
                if !options.skips_whole_sources() {
                    let named = self.plan.named(ordinal);
                    self.scan.ledger.note_text(&named, source, &start);
                }
                self.give_ranges(ordinal, file, size);
            }
            Ok(_) => self.give_to_feeder(ordinal),
            Err(error) => self.report_loss(ordinal, error),
        }
    }

    /// Whether a scanner can read an object as one of a group. Without a listing its size is not known.
    fn is_small_object(&self, source: &Source) -> bool {
        let options = self.plan.options;
        let size = self.plan.sources.object_size(source);
        let is_small = size.is_some_and(|size| size <= self.plan.shares.chunk as u64 / 4);
        is_small && !options.selection.writes_mentions()
    }

    fn report_loss(&mut self, ordinal: u32, error: InputError) {
        let source = self.plan.named(ordinal).name;
        let place = ReadPlace {
            source: ordinal,
            document: ReadDocument::Begun(0),
        };
        self.scan.ledger.report_loss(place, source, None, error);
        self.skip_source(ordinal);
    }

    /// Skips a source. Its end may be a mark.
    fn skip_source(&mut self, ordinal: u32) {
        self.plan.options.monitor.add_sources(1);
        if self.scan.marks.is_some() {
            self.give_group();
            let mut place = self.next_slot();
            self.crew
                .end_source(ordinal, ScanCounts::default(), &mut place);
            self.crew.end(place);
        }
    }

    /// Adds a small file to the group.
    fn add_to_group(&mut self, ordinal: u32, size: u64) {
        self.group.ordinals.push(ordinal);
        self.group.bytes += size;
        let is_fixed = || self.scan.marks.is_some() && Mark::after(ordinal, Some(size)).is_fixed;
        if self.group.ordinals.len() >= MAX_GROUP_FILES
            || self.group.bytes >= self.max_bytes_at_once()
            || is_fixed()
        {
            self.give_group();
        }
    }

    /// Returns the bytes that a scanner takes at once. They are fewer if mentions are written, since the rows of all of them are
    /// held.
    fn max_bytes_at_once(&self) -> u64 {
        let chunks = match self.plan.options.selection.writes_mentions() {
            true => 1,
            false => MAX_CHUNKS_AT_ONCE,
        };
        self.plan.shares.chunk.saturating_mul(chunks) as u64
    }

    /// Gives the group to a scanner.
    fn give_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        if group.ordinals.is_empty() {
            return;
        }
        let mut place = self.next_slot();
        let mut ticket = self.ticket(place);
        ticket.mark = group
            .ordinals
            .last()
            .map(|&last| self.scan.mark_after(last));
        let sources = &self.plan.sources;
        let read = move |scanner: &mut SourceScanner<'_>, _: &_| {
            for ordinal in group.ordinals {
                if let Some(source) = sources.get(ordinal as usize) {
                    scanner.source(ordinal, &source, None, &mut |_, _| {});
                }
            }
        };
        self.crew
            .give(self.scanners.jobs(), place.step(), ticket, read);
        self.crew.end(place);
    }

    /// Gives a plain file to the scanners in ranges.
    fn give_ranges(&mut self, ordinal: u32, file: SourceFile, size: u64) {
        let named = self.plan.named(ordinal);
        let part = match RangedFile::new(self.scan, named, file, size) {
            Ok(part) => Arc::new(part),
            Err(error) => return self.report_loss(ordinal, error),
        };
        self.give_group();
        let (wanted, shares) = (part.range_to_scan(), self.plan.shares);
        let mut place = self.next_slot();
        let even = wanted.end.saturating_sub(wanted.start)
            / (MIN_RANGES_PER_THREAD * shares.threads as u64);
        let range = even.clamp(shares.chunk as u64, self.max_bytes_at_once());
        let step = usize::try_from(range).unwrap_or(usize::MAX);
        for start in wanted.clone().step_by(step) {
            if self.scan.ledger.is_halted() {
                break;
            }
            let (part, mut ticket) = (Arc::clone(&part), self.ticket(place));
            let anchors = start..wanted.end.min(start.saturating_add(range));
            ticket.mark = Some(part.mark_at(anchors.end));
            let scan = move |scanner: &mut SourceScanner<'_>, _: &_| part.scan(scanner, anchors);
            self.crew
                .give(self.scanners.jobs(), place.step(), ticket, scan);
        }
        self.crew.end_source(ordinal, part.counts(), &mut place);
        self.crew.end(place);
    }

    /// Gives a source that cannot be divided to a feeder, unless another run reads it. Starts another feeder if none is free.
    /// Waits while there are as many busy feeders as threads.
    fn give_to_feeder(&mut self, ordinal: u32) {
        if self.plan.options.skips_whole_sources() {
            return;
        }
        self.give_group();
        let (place, ticket) = (self.next_slot(), self.feeding.take());
        if self.feeding.out() > self.started {
            if let Err(error) = self.feeders.start(()) {
                return self.scan.ledger.fail(error);
            }
            self.started += 1;
        }
        let (crew, jobs) = (self.crew, self.scanners.jobs().clone());
        let chunks = Arc::clone(&self.chunks);
        self.feeders.jobs().give(move |(), panics| {
            let mut feeder = Feeder::new(crew, jobs, &chunks, place);
            panics.guard(|| feeder.source(ordinal));
            feeder.end();
            drop(ticket);
        });
    }

    /// Takes a ticket for a group or range. Waits while too many rows wait for those of earlier sources.
    fn ticket(&self, place: PiecePlace) -> PieceTicket {
        self.scan.backlog.wait_for_room(place, &self.scan.ledger);
        self.tickets.take()
    }

    /// Returns the first place of the next slot.
    fn next_slot(&mut self) -> PiecePlace {
        self.slot += 1;
        PiecePlace::of(self.slot - 1)
    }
}

/// Opens a file of `size` bytes. Returns it with its first bytes if it is plain text, otherwise `None`. The text may be followed
/// by an archive only if `may_follow`.
fn open_plain(
    source: &Source,
    size: u64,
    may_follow: bool,
) -> Result<Option<(SourceFile, Vec<u8>)>, InputError> {
    let file = SourceFile::from(File::open(&source.path)?);
    let start = text_start(&file, size, &source.path)?;
    let start = start.filter(|_| may_follow || !ends_archive(&file, size));
    Ok(start.map(|start| (file, start)))
}
