//! Reads several parts of a table at the same time, on threads of their own, and gives their rows in order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::part::{ColumnarFile, PartStart, TableItem};
use crate::fault::InputError;
use crate::lock::lock;
use crate::unpackers::{Lease, Unpackers};

/// Bytes of a batch, about.
const BATCH: usize = 512 << 10;
/// Fewest and most batches of a part that are read ahead.
const AHEAD: (usize, usize) = (2, 128);

/// The memory for reading a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableLimits {
    /// Bytes that what a part unpacks may take.
    pub(crate) memory: usize,
}

/// Gives what is in the parts of a file, in order.
pub(crate) enum TableParts<'u, 'f, F: ColumnarFile> {
    /// This thread reads.
    Here(Box<HereParts<'f, F>>),
    Crew(PartCrew<'u>),
}

/// The parts of a file that this thread reads.
pub(crate) struct HereParts<'f, F: ColumnarFile> {
    file: &'f F,
    limits: TableLimits,
    next: PartStart,
    part: Option<F::Part<'f>>,
}

/// A part to read, and where its rows go.
struct PartJob {
    part: usize,
    to: SyncSender<TableItem>,
}

/// Threads that read parts.
pub(crate) struct PartCrew<'u> {
    /// None once no more jobs come.
    jobs: Option<Sender<PartJob>>,
    threads: Vec<JoinHandle<()>>,
    /// The parts that are being read, in order.
    pending: VecDeque<Receiver<TableItem>>,
    next: usize,
    parts: usize,
    ahead: usize,
    _lease: Lease<'u>,
}

impl<'u, 'f, F: ColumnarFile> TableParts<'u, 'f, F> {
    /// Reads with the free threads of `unpackers`, if there are any and several parts.
    pub(crate) fn new(
        file: &'f Arc<F>,
        limits: TableLimits,
        unpackers: Option<&'u Unpackers>,
    ) -> Self {
        let several = unpackers.filter(|_| file.part_count() > 1);
        match several.and_then(|unpackers| PartCrew::start(file, limits, unpackers)) {
            Some(crew) => TableParts::Crew(crew),
            None => TableParts::here(file, limits, PartStart::default()),
        }
    }

    /// Reads on this thread, from `next` on.
    pub(crate) fn here(file: &'f F, limits: TableLimits, next: PartStart) -> Self {
        TableParts::Here(Box::new(HereParts {
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
            TableParts::Crew(crew) => crew.next.saturating_sub(crew.pending.len()),
        }
    }
}

impl<F: ColumnarFile> Iterator for TableParts<'_, '_, F> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        match self {
            TableParts::Here(parts) => parts.next(),
            TableParts::Crew(crew) => crew.next(),
        }
    }
}

impl<F: ColumnarFile> Iterator for HereParts<'_, F> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        loop {
            if let Some(item) = self.part.as_mut().and_then(Iterator::next) {
                return Some(item);
            }
            let buffers = self.part.take().map(F::into_buffers);
            let memory = self.limits.memory;
            let buffers = buffers.unwrap_or_default();
            self.part = Some(self.file.part(self.next, memory, buffers)?);
            self.next = PartStart {
                part: self.next.part + 1,
                row: 0,
            };
        }
    }
}

impl<'u> PartCrew<'u> {
    fn start<F: ColumnarFile>(
        file: &Arc<F>,
        limits: TableLimits,
        unpackers: &'u Unpackers,
    ) -> Option<Self> {
        let lease = unpackers.take()?;
        let (sender, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let start = |_| {
            let (jobs, file) = (Arc::clone(&jobs), Arc::clone(file));
            let thread = thread::Builder::new().name("columns".into());
            thread.spawn(move || work(&*file, limits, &jobs)).ok()
        };
        let count = lease.threads.min(file.part_count());
        let threads: Vec<_> = (0..count).map_while(start).collect();
        (!threads.is_empty()).then(|| PartCrew {
            jobs: Some(sender),
            threads,
            pending: VecDeque::new(),
            next: 0,
            parts: file.part_count(),
            ahead: (limits.memory / BATCH).clamp(AHEAD.0, AHEAD.1),
            _lease: lease,
        })
    }

    fn give(&mut self) {
        while self.pending.len() <= self.threads.len() && self.next < self.parts {
            let (to, from) = mpsc::sync_channel(self.ahead);
            let part = self.next;
            if let Some(jobs) = &self.jobs {
                // This cannot fail: the threads receive until the sender is dropped.
                let _ = jobs.send(PartJob { part, to });
            }
            self.pending.push_back(from);
            self.next += 1;
        }
    }

    fn next(&mut self) -> Option<TableItem> {
        loop {
            self.give();
            match self.pending.front()?.recv() {
                Ok(item) => return Some(item),
                Err(_) => drop(self.pending.pop_front()),
            }
        }
    }
}

impl Drop for PartCrew<'_> {
    fn drop(&mut self) {
        self.jobs = None;
        // Threads that wait for room end.
        self.pending.clear();
        for thread in self.threads.drain(..) {
            // A panic was reported by the job.
            let _ = thread.join();
        }
    }
}

fn work<F: ColumnarFile>(file: &F, limits: TableLimits, jobs: &Mutex<Receiver<PartJob>>) {
    let mut buffers = F::Buffers::default();
    loop {
        // The thread that holds the lock waits for the next job, the other threads for the lock.
        let job = lock(jobs).recv();
        let Ok(PartJob { part, to }) = job else {
            return;
        };
        let old = std::mem::take(&mut buffers);
        let read = catch_unwind(AssertUnwindSafe(|| {
            let start = PartStart { part, row: 0 };
            let mut reader = file.part(start, limits.memory, old)?;
            for item in &mut reader {
                if to.send(item).is_err() {
                    // Nobody waits for the rows, since the run was halted.
                    break;
                }
            }
            Some(F::into_buffers(reader))
        }));
        match read {
            Ok(used) => buffers = used.unwrap_or_default(),
            Err(_) => {
                let packing = F::PACKING;
                let fault = "has a part that cannot be read";
                let _ = to.send(TableItem::Lost(0, InputError::Table { packing, fault }));
            }
        }
    }
}
