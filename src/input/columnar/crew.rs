//! Reads several row groups of a file at the same time, on threads of their own, and gives their rows in order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::parquet::{GroupReader, ParquetFile, TableItem};
use crate::input::codec::{Lease, Unpackers};
use crate::input::fault::{InputError, Packing};
use crate::lock::lock;

/// Bytes of a batch, about.
const BATCH: usize = 512 << 10;
/// Fewest and most batches of a row group that are read ahead.
const AHEAD: (usize, usize) = (2, 128);

/// The memory for reading a file.
#[derive(Clone, Copy, Debug)]
pub(in crate::input) struct TableLimits {
    /// Bytes that the pages of a row group may take.
    pub(in crate::input) memory: usize,
}

/// Gives what is in the row groups of a file, in order.
pub(in crate::input) enum RowGroups<'u, 'f> {
    /// This thread reads.
    Here(Box<HereGroups<'f>>),
    Crew(GroupCrew<'u>),
}

/// The row groups of a file that this thread reads.
pub(in crate::input) struct HereGroups<'f> {
    file: &'f ParquetFile,
    limits: TableLimits,
    next: usize,
    group: Option<GroupReader<'f>>,
}

/// A row group to read, and where its rows go.
struct Job {
    group: usize,
    to: SyncSender<TableItem>,
}

/// Threads that read row groups.
pub(in crate::input) struct GroupCrew<'u> {
    /// None once no more jobs come.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    /// The row groups that are being read, in order.
    pending: VecDeque<Receiver<TableItem>>,
    next: usize,
    groups: usize,
    ahead: usize,
    _lease: Lease<'u>,
}

impl<'u, 'f> RowGroups<'u, 'f> {
    /// Reads with the free threads of `unpackers`, if there are any and several row groups.
    pub(in crate::input) fn new(
        file: &'f Arc<ParquetFile>,
        limits: TableLimits,
        unpackers: Option<&'u Unpackers>,
    ) -> Self {
        let several = unpackers.filter(|_| file.group_count() > 1);
        match several.and_then(|unpackers| GroupCrew::start(file, limits, unpackers)) {
            Some(crew) => RowGroups::Crew(crew),
            None => RowGroups::Here(Box::new(HereGroups {
                file,
                limits,
                next: 0,
                group: None,
            })),
        }
    }
}

impl Iterator for RowGroups<'_, '_> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        match self {
            RowGroups::Here(groups) => groups.next(),
            RowGroups::Crew(crew) => crew.next(),
        }
    }
}

impl Iterator for HereGroups<'_> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        loop {
            if let Some(item) = self.group.as_mut().and_then(Iterator::next) {
                return Some(item);
            }
            let buffers = self.group.take().map(GroupReader::into_buffers);
            let memory = self.limits.memory;
            self.group = Some(
                self.file
                    .group(self.next, memory, buffers.unwrap_or_default())?,
            );
            self.next += 1;
        }
    }
}

impl<'u> GroupCrew<'u> {
    fn start(
        file: &Arc<ParquetFile>,
        limits: TableLimits,
        unpackers: &'u Unpackers,
    ) -> Option<Self> {
        let lease = unpackers.take()?;
        let (sender, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let start = |_| {
            let (jobs, file) = (Arc::clone(&jobs), Arc::clone(file));
            let thread = thread::Builder::new().name("columns".into());
            thread.spawn(move || work(&file, limits, &jobs)).ok()
        };
        let count = lease.threads.min(file.group_count());
        let threads: Vec<_> = (0..count).map_while(start).collect();
        (!threads.is_empty()).then(|| GroupCrew {
            jobs: Some(sender),
            threads,
            pending: VecDeque::new(),
            next: 0,
            groups: file.group_count(),
            ahead: (limits.memory / BATCH).clamp(AHEAD.0, AHEAD.1),
            _lease: lease,
        })
    }

    fn give(&mut self) {
        while self.pending.len() <= self.threads.len() && self.next < self.groups {
            let (to, from) = mpsc::sync_channel(self.ahead);
            let group = self.next;
            if let Some(jobs) = &self.jobs {
                // This cannot fail: the threads receive until the sender is dropped.
                let _ = jobs.send(Job { group, to });
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

impl Drop for GroupCrew<'_> {
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

fn work(file: &ParquetFile, limits: TableLimits, jobs: &Mutex<Receiver<Job>>) {
    let mut buffers = Vec::new();
    loop {
        // The thread that holds the lock waits for the next job, the other threads for the lock.
        let job = lock(jobs).recv();
        let Ok(Job { group, to }) = job else { return };
        let old = std::mem::take(&mut buffers);
        let read = catch_unwind(AssertUnwindSafe(|| {
            let mut reader = file.group(group, limits.memory, old)?;
            for item in &mut reader {
                if to.send(item).is_err() {
                    // Nobody waits for the rows, since the run was halted.
                    break;
                }
            }
            Some(reader.into_buffers())
        }));
        match read {
            Ok(used) => buffers = used.unwrap_or_default(),
            Err(_) => {
                let packing = Packing::Parquet;
                let fault = "has a row group that cannot be read";
                let _ = to.send(TableItem::Lost(0, InputError::Table { packing, fault }));
            }
        }
    }
}
