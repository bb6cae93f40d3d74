//! Reads several parts of a table at the same time, on threads of their own, and gives their rows in order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::part::{ColumnarFile, PartStart, TableItem};
use crate::fault::{InputError, Packing};
use crate::guard::guard;
use crate::unpackers::UnpackThreads;
use crate::workers::{ResultSender, WorkerThreads};

/// Bytes of a batch, about.
const BATCH_BYTES: usize = 512 << 10;
/// Min and max batches of a part that are read ahead.
const BATCHES_AHEAD: (usize, usize) = (2, 128);

/// The memory for reading a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableLimits {
    /// Bytes that what a part unpacks may take.
    pub(crate) memory: usize,
}

/// Gives what is in the parts of a file, in order.
pub(crate) enum TableParts<'u, 'f, F: ColumnarFile> {
    /// This thread reads.
    Here(Box<LocalParts<'f, F>>),
    Crew(PartThreads<'u>),
}

/// The parts of a file that this thread reads.
pub(crate) struct LocalParts<'f, F: ColumnarFile> {
    file: &'f F,
    limits: TableLimits,
    next: PartStart,
    part: Option<Box<dyn Iterator<Item = TableItem> + 'f>>,
}

/// Threads that read parts.
pub(crate) struct PartThreads<'u> {
    /// The parts that are being read, in order.
    pending: VecDeque<Receiver<TableItem>>,
    workers: WorkerThreads<'u, usize, TableItem>,
    packing: Packing,
    next: usize,
    parts: usize,
    ahead: usize,
}

impl<'u, 'f, F: ColumnarFile> TableParts<'u, 'f, F> {
    /// Reads with the free threads of `unpackers`, if there are any and several parts.
    pub(crate) fn new(
        file: &'f Arc<F>,
        limits: TableLimits,
        unpackers: Option<&'u UnpackThreads>,
    ) -> Self {
        let several = unpackers.filter(|_| file.part_count() > 1);
        match several.and_then(|unpackers| PartThreads::start(file, limits, unpackers)) {
            Some(workers) => TableParts::Crew(workers),
            None => TableParts::here(file, limits, PartStart::default()),
        }
    }

    /// Reads on this thread, from `next` on.
    pub(crate) fn here(file: &'f F, limits: TableLimits, next: PartStart) -> Self {
        TableParts::Here(Box::new(LocalParts {
            file,
            limits,
            next,
            part: None,
        }))
    }

    /// The number of the part that gave the last item.
    pub(crate) fn current(&self) -> usize {
        match self {
            TableParts::Here(parts) => parts.next.part.saturating_sub(1),
            TableParts::Crew(workers) => workers.next.saturating_sub(workers.pending.len()),
        }
    }
}

impl<F: ColumnarFile> Iterator for TableParts<'_, '_, F> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        match self {
            TableParts::Here(parts) => parts.next(),
            TableParts::Crew(workers) => workers.next_item(),
        }
    }
}

impl<F: ColumnarFile> Iterator for LocalParts<'_, F> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        loop {
            if let Some(item) = self.part.as_mut().and_then(Iterator::next) {
                return Some(item);
            }
            if self.next.part >= self.file.part_count() {
                return None;
            }
            self.part = Some(Box::new(guarded_part(self.file, self.next, self.limits)));
            self.next = PartStart {
                part: self.next.part + 1,
                row: 0,
            };
        }
    }
}

impl<'u> PartThreads<'u> {
    fn start<F: ColumnarFile>(
        file: &Arc<F>,
        limits: TableLimits,
        unpackers: &'u UnpackThreads,
    ) -> Option<Self> {
        let parts = file.part_count();
        let file = Arc::clone(file);
        let worker = move || {
            let file = Arc::clone(&file);
            Some(move |part, answers: &ResultSender<'_, TableItem>| {
                read_part(&*file, limits, part, answers);
            })
        };
        Some(PartThreads {
            pending: VecDeque::new(),
            workers: WorkerThreads::start(unpackers, parts, "columns", worker)?,
            packing: F::PACKING,
            next: 0,
            parts,
            ahead: (limits.memory / BATCH_BYTES).clamp(BATCHES_AHEAD.0, BATCHES_AHEAD.1),
        })
    }

    fn start_part(&mut self) {
        while self.pending.len() <= self.workers.threads() && self.next < self.parts {
            let fault = "has a part that cannot be read".into();
            let packing = self.packing;
            let lost = TableItem::Lost(0, InputError::Table { packing, fault });
            let items = self.workers.start_job(self.next, self.ahead, lost);
            self.pending.push_back(items);
            self.next += 1;
        }
    }

    fn next_item(&mut self) -> Option<TableItem> {
        loop {
            self.start_part();
            match self.pending.front()?.recv() {
                Ok(item) => return Some(item),
                Err(_) => drop(self.pending.pop_front()),
            }
        }
    }
}

/// Passes on what is in a part.
fn read_part<F: ColumnarFile>(
    file: &F,
    limits: TableLimits,
    part: usize,
    answers: &ResultSender<'_, TableItem>,
) {
    let start = PartStart { part, row: 0 };
    // Nobody waits for the rows if the task was halted.
    let _ = guarded_part(file, start, limits).all(|item| answers.send(item));
}

/// Reads a part. If its reader panics, what is left of the part is lost.
fn guarded_part<F: ColumnarFile>(
    file: &F,
    start: PartStart,
    limits: TableLimits,
) -> impl Iterator<Item = TableItem> {
    let mut part = Some(None);
    std::iter::from_fn(move || {
        let opened = part.as_mut()?;
        let next = guard(F::PACKING, || {
            let part = match opened {
                Some(part) => part,
                None => opened.insert(file.part(start, limits.memory)?),
            };
            part.next()
        });
        next.unwrap_or_else(|error| {
            part = None;
            Some(TableItem::Lost(0, error))
        })
    })
}
