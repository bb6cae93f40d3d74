//! Reads sources and checks their documents: with one thread in turn, otherwise with two crews.
//!
//! *Readers* read sources, and check long documents. *Checkers* check short documents, which readers give to them as a whole. One more
//! thread counts, compares and writes the rows, in the order of the sources. The rows that wait for those of earlier sources are
//! bounded.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use doisift_documents::{HaltSignal, MemoryGate, ReadOptions, Source, display_name};

use super::judge::Judge;
use super::options::CheckSettings;
use super::piece::{CheckPiece, PieceWork, TakePieces};
use super::reading::CheckReading;
use super::row_sink::ReferenceSink;
use super::sources::{FoundSource, SourceFinder, unread};
use crate::error::Error;
use crate::lookup::KnownNames;
use crate::objects::remote_sources;
use crate::records::FileId;
use crate::registry::{self, RegistryLookup};
use crate::task::{
    Backlog, Crew, Delivery, Destinations, GateRole, Gates, Jobs, PiecePlace, SourceGate, Ticket,
    Tickets, not_cancelled, with_threads, write_in_order,
};

/// Max bytes of a file that must be held as a whole, such as a PDF.
const MAX_WHOLE_BYTES: usize = 256 << 20;
/// Max bytes that a reader holds, whatever the format.
const MAX_READER_BYTES: usize = 64 << 20;

/// What all threads of a check share.
struct SharedCheck<'c> {
    settings: &'c CheckSettings,
    notices: Option<Arc<KnownNames>>,
    /// The files that the run writes, and those that they replace.
    own: Vec<FileId>,
    outputs: Vec<FileId>,
    gates: Gates,
    backlog: Backlog,
    /// Whether the run has failed.
    is_over: AtomicBool,
}

/// Reads all sources, and gives what they hold to `sink`.
pub(super) fn read(
    (settings, notices): (&CheckSettings, Option<Arc<KnownNames>>),
    paths: &[PathBuf],
    destinations: &Destinations,
    sink: &mut ReferenceSink<'_>,
) -> Result<(), Error> {
    let shared = SharedCheck {
        settings,
        notices,
        own: destinations.own(),
        outputs: destinations.filled(),
        gates: Gates::default(),
        backlog: Backlog::new(settings.memory / 4),
        is_over: AtomicBool::new(false),
    };
    let find = |give: &mut dyn FnMut(FoundSource) -> bool| {
        let mut finder = SourceFinder {
            settings,
            destinations,
            give,
        };
        finder.find(paths);
    };
    match settings.threads {
        1 => shared.in_turn(sink, find),
        _ => shared.with_crews(sink, find),
    }
}

impl HaltSignal for SharedCheck<'_> {
    fn is_halted(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.settings.monitor.is_cancelled()
    }
}

impl SharedCheck<'_> {
    fn judge(&self, registry: Option<Box<dyn RegistryLookup>>) -> Judge {
        Judge::new(self.settings.known.clone(), self.notices.clone(), registry)
    }

    /// Does all work on this thread. A registry is asked for the names of one batch after the other.
    fn in_turn(
        &self,
        sink: &mut ReferenceSink<'_>,
        find: impl FnOnce(&mut dyn FnMut(FoundSource) -> bool),
    ) -> Result<(), Error> {
        let registry = self.settings.registry.as_ref();
        let mut judge = self.judge(registry.map(registry::open).transpose()?);
        let mut pieces = InTurn {
            shared: self,
            sink,
            failure: None,
        };
        find(&mut |found| {
            match found {
                FoundSource::Source(source) => self.source(&source, None, &mut judge, &mut pieces),
                other => pieces.take(other.piece()),
            }
            pieces.sink.end_source();
            pieces.failure.is_none()
        });
        pieces.failure.map_or(Ok(()), Err)?;
        sink.counts.registry = judge.asked();
        Ok(())
    }

    /// Reads sources with one crew, and checks short documents with another. Writes on a thread of its own.
    fn with_crews(
        &self,
        sink: &mut ReferenceSink<'_>,
        find: impl FnOnce(&mut dyn FnMut(FoundSource) -> bool),
    ) -> Result<(), Error> {
        let mut failure = None;
        let stop = || self.is_over.store(true, Ordering::Relaxed);
        let write = |place, piece| self.write((&mut *sink, &mut failure), place, piece);
        write_in_order(write, &stop, |delivery| {
            let delivery = &delivery;
            with_threads(&stop, |threads| {
                let count = self.settings.threads;
                let checkers = Crew::new(threads, "check");
                (0..count).try_for_each(|_| checkers.start(self.judge(None)))?;
                let readers = Crew::new(threads, "read");
                (0..count).try_for_each(|_| readers.start(self.judge(None)))?;
                let (sources, documents) = (Tickets::<()>::new(count), Tickets::new(4 * count));
                let mut slot = 0..;
                find(&mut |found| {
                    let place = PiecePlace::of(slot.next().unwrap_or_default());
                    let mut pieces = CrewPieces {
                        shared: self,
                        place,
                        delivery,
                        checkers: checkers.jobs().clone(),
                        documents: Arc::clone(&documents),
                    };
                    match found {
                        FoundSource::Source(source) => {
                            pieces.give_source(source, readers.jobs(), sources.take());
                        }
                        other => {
                            pieces.take(other.piece());
                            pieces.end();
                        }
                    }
                    !self.is_halted()
                });
                Ok(())
            })
        })?;
        failure.map_or(Ok(()), Err)?;
        not_cancelled(&self.settings.monitor)
    }

    /// Writes a piece, unless the run has failed. `None` ends a source.
    fn write(
        &self,
        (sink, failure): (&mut ReferenceSink<'_>, &mut Option<Error>),
        place: PiecePlace,
        piece: Option<CheckPiece>,
    ) {
        let after = place.after(piece.is_none());
        let bytes = piece.as_ref().map_or(0, CheckPiece::bytes);
        match piece {
            None => sink.end_source(),
            Some(piece) if failure.is_none() => *failure = sink.piece(piece).err(),
            Some(_) => {}
        }
        self.is_over.fetch_or(failure.is_some(), Ordering::Relaxed);
        self.backlog.remove(bytes);
        self.backlog.note_written(after);
    }

    fn gate(&self, slot: u64) -> SourceGate<'_> {
        let role = GateRole::OrderedFeeder(slot);
        SourceGate::new(&self.gates, &self.backlog, self, role)
    }

    fn read_options<'o>(&'o self, gate: Option<&'o dyn MemoryGate>) -> ReadOptions<'o> {
        let settings = self.settings;
        ReadOptions {
            own_files: &self.own,
            output_files: &self.outputs,
            halt: Some(self),
            limits: settings.limits,
            columns: &settings.columns,
            sheet: settings.sheet.as_ref(),
            temp_folder: &settings.tmp,
            remote: remote_sources(&settings.services),
            max_file_bytes: (settings.memory / 4).min(MAX_WHOLE_BYTES),
            thread_bytes: (settings.memory / (4 * settings.threads)).min(MAX_READER_BYTES),
            gate,
            ..settings.monitor.read_options()
        }
    }

    /// Reads a source, and gives its pieces.
    fn source(
        &self,
        source: &Source,
        gate: Option<&dyn MemoryGate>,
        judge: &mut Judge,
        pieces: &mut dyn TakePieces,
    ) {
        let (settings, name) = (self.settings, Arc::from(display_name(&source.path)));
        let monitor = &settings.monitor;
        let mut reading = CheckReading::new(settings, source, &name, judge, pieces);
        let read = self.read_options(gate).read_source(source, &mut reading);
        let ended = reading.end();
        if source.is_pipe() {
            monitor.note_stream_end();
        }
        let read = read.map_err(|error| unread(&source.path, error));
        let read = read.and_then(|is_read| {
            not_cancelled(monitor)?;
            ended.map(|()| is_read)
        });
        match read {
            Ok(true) => pieces.take(CheckPiece::Read(name)),
            Ok(false) => {}
            Err(error) => {
                let is_named = source.is_named;
                pieces.take(CheckPiece::Failed { error, is_named });
            }
        }
    }
}

impl FoundSource {
    /// Returns the piece of a path without a source.
    fn piece(self) -> CheckPiece {
        match self {
            FoundSource::Lost(error) => CheckPiece::Lost(error),
            FoundSource::Failed(error) => CheckPiece::Failed {
                error,
                is_named: true,
            },
            FoundSource::Source(source) => CheckPiece::Read(display_name(&source.path).into()),
        }
    }
}

/// Gives pieces to the sink at once.
struct InTurn<'c, 's> {
    shared: &'c SharedCheck<'c>,
    sink: &'c mut ReferenceSink<'s>,
    failure: Option<Error>,
}

impl TakePieces for InTurn<'_, '_> {
    fn take(&mut self, piece: CheckPiece) {
        if self.failure.is_none() {
            self.failure = self.sink.piece(piece).err();
        }
    }

    fn take_work(&mut self, judge: &mut Judge, work: PieceWork) {
        self.take(work(judge));
    }

    fn is_over(&self) -> bool {
        self.failure.is_some() || self.sink.has_failed() || self.shared.is_halted()
    }
}

/// Sends the pieces of a source to the thread that writes, and work on them to checkers.
struct CrewPieces<'c> {
    shared: &'c SharedCheck<'c>,
    place: PiecePlace,
    delivery: &'c Delivery<CheckPiece>,
    checkers: Jobs<'c, Judge>,
    /// Bounds the documents that wait for checkers.
    documents: Arc<Tickets<()>>,
}

impl<'c> CrewPieces<'c> {
    fn wait_for_room(&self) {
        self.shared.backlog.wait_for_room(self.place, self.shared);
    }

    /// Lets a reader read the source.
    fn give_source(mut self, source: Source, readers: &Jobs<'c, Judge>, ticket: Ticket<()>) {
        readers.give(move |judge: &mut Judge, panics| {
            let shared = self.shared;
            let gate = shared.gate(self.place.slot);
            panics.guard(|| shared.source(&source, Some(&gate), judge, &mut self));
            self.end();
            drop(ticket);
        });
    }

    /// Ends the source.
    fn end(self) {
        self.delivery.send(self.place, None);
    }
}

impl TakePieces for CrewPieces<'_> {
    fn take(&mut self, piece: CheckPiece) {
        self.wait_for_room();
        self.shared.backlog.add(piece.bytes());
        self.delivery.send(self.place.step(), Some(piece));
    }

    fn take_work(&mut self, _: &mut Judge, work: PieceWork) {
        self.wait_for_room();
        let (ticket, place) = (self.documents.take(), self.place.step());
        let (shared, delivery) = (self.shared, self.delivery);
        self.checkers.give(move |judge: &mut Judge, panics| {
            panics.guard(|| {
                if !shared.is_halted() {
                    let piece = work(judge);
                    shared.backlog.add(piece.bytes());
                    delivery.send(place, Some(piece));
                }
            });
            drop(ticket);
        });
    }

    fn is_over(&self) -> bool {
        self.shared.is_halted()
    }
}
