//! The memory budget of a table, and the runs that are written when it is used up.
//!
//! The budget counts real capacities: of the table's blocks and indexes, of batches, of the array that is sorted, and of the
//! names of sources. A table past its budget is written as one run and filled again, in the same blocks. The table reports
//! its memory; `run` reads and writes the files.
//!
//! A thread that absorbs a batch holds a read lock on the state, and a thread that spills holds the write lock while a rayon pool
//! sorts and packs. A thread of any pool that waits for another runs other work meanwhile, which may need the same lock: a
//! deadlock. So only plain threads lock the state.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rayon::ThreadPool;

use super::descriptors::spare;
use super::in_order::in_order;
use super::merge::{Range, RangeMerge, Ranges};
use super::order::{self, Item};
use super::page::EntryPage;
use super::rows::SourceNames;
use super::run::{Entry, NameFrame, OpenRun, Packer, Run, RunFault, RunFile, SpillError, Writer};
use super::shard::TableShard;
use super::{DocumentId, StoredFields};
use crate::temporary::LazyRunFolder;

/// Min and max number of runs that are merged at once.
const MIN_MERGED_RUNS: usize = 8;
const MAX_MERGED_RUNS: usize = 64;
/// Min and max unpacked size of a frame.
const MIN_FRAME_BYTES: usize = 4 << 10;
const MAX_FRAME_BYTES: usize = 64 << 10;
/// Entries of a table that a thread packs as one part.
const PART_ENTRIES: usize = 1 << 12;
/// Parts per thread that are packed at the same time.
const PARTS_AHEAD_PER_THREAD: usize = 2;
/// Entries on a page of a merge. This many fit the cache of a core.
const PAGE_BYTES: usize = 1024;

/// The memory that a table may use, and the folder to which it writes runs beyond that.
///
/// An eighth of the memory plus 8 MiB per thread, but at most half, is left for write buffers and the overhead of the allocator.
/// Merging at the end takes less memory than the table.
pub(crate) struct Budget {
    /// The budget in bytes.
    pub(crate) bytes: usize,
    /// The folder for runs.
    pub(crate) folder: PathBuf,
    /// The folder inside `folder` for runs that are removed with the process.
    pub(crate) passing: LazyRunFolder,
    /// Threads that sort and pack.
    pub(crate) threads: usize,
    /// Called with the path of every run file that is created, and with that of their folder.
    pub(crate) note: Box<dyn Fn(&Path) + Send + Sync>,
    /// Number of runs that are merged at once, for tests; otherwise it follows from the budget.
    pub(crate) fan: Option<usize>,
    /// Called regularly during work. If it returns true, the work stops with an error.
    pub(crate) stop: Box<dyn Fn() -> bool + Send + Sync>,
    /// Makes runs outlast the process; without it they are removed with the table.
    pub(crate) lasting: Option<Lasting>,
}

/// Records the runs that outlast the process.
pub(crate) type Keep = dyn Fn(&[RunFile], Spilled) -> Result<(), SpillError> + Send + Sync;

/// Runs that outlast the process.
///
/// A run lasts once it was passed to `keep`. Until then its file is removed with the table.
pub(crate) struct Lasting {
    /// Runs of an earlier process that belong to the table.
    pub(crate) runs: Vec<RunFile>,
    /// The number and size of all runs that the earlier process wrote.
    pub(crate) written: Spilled,
    /// Called with the runs that together hold all names, after they were synced to disk, and with the count of all runs written
    /// so far. After it returns, other runs may be removed.
    pub(crate) keep: Box<Keep>,
}

impl Budget {
    /// Creates a budget whose runs are removed with the table.
    pub(crate) fn new(bytes: usize, folder: &Path, threads: usize) -> Self {
        Budget {
            bytes,
            folder: folder.to_owned(),
            passing: LazyRunFolder::default(),
            threads,
            note: Box::new(|_| {}),
            fan: None,
            stop: Box::new(|| false),
            lasting: None,
        }
    }

    fn writer(&self, stored_fields: StoredFields) -> Result<Writer, SpillError> {
        if self.lasting.is_some() {
            return Writer::create(&self.folder, None, stored_fields, &*self.note);
        }
        let passing = self.passing.get(&self.folder, &*self.note);
        let passing = passing.map_err(|error| SpillError::new(&self.folder, error))?;
        let path = passing.path().to_owned();
        Writer::create(&path, Some(passing), stored_fields, &*self.note)
    }

    /// Fails if the work must stop.
    fn not_stopped(&self) -> Result<(), SpillError> {
        if (self.stop)() {
            Err(SpillError::new(&self.folder, RunFault::Stopped))
        } else {
            Ok(())
        }
    }

    /// Returns the max bytes of counted memory. The rest is for buffers that pack and write runs, and for the unused parts of the
    /// allocator's pages, which each thread has. Both were measured.
    fn counted(&self) -> usize {
        let rest = self.bytes / 8 + self.threads * (8 << 20);
        self.bytes - rest.min(self.bytes / 2)
    }

    /// Returns the unpacked size of a frame in bytes. It is small, so that a merge can hold a frame of every run in memory.
    fn frame(&self) -> usize {
        (self.bytes >> 13).clamp(MIN_FRAME_BYTES, MAX_FRAME_BYTES)
    }

    /// Returns the number of runs that are merged at once. Each thread holds a packed and an unpacked frame of each run. Each run
    /// is an open file, and so is the merged run.
    fn max_merged_runs(&self) -> usize {
        let fitting = self.bytes / (8 * self.frame() * self.threads.max(1));
        let fitting = self
            .fan
            .unwrap_or(fitting.clamp(MIN_MERGED_RUNS, MAX_MERGED_RUNS));
        fitting.min(spare().saturating_sub(1)).max(2)
    }

    /// Returns the unpacked size of a range in bytes: many times that of the frames at its ends, and small enough for its rows to
    /// fit in memory.
    fn range(&self, runs: usize) -> u64 {
        let fitting = self.bytes / (64 * self.threads.max(1));
        (16 * runs * self.frame()).min(fitting).max(self.frame()) as u64
    }
}

/// A table's budget, its used memory, and its runs.
pub(super) struct Spill {
    stored_fields: StoredFields,
    pub(super) budget: Budget,
    /// Max bytes of counted memory.
    max: usize,
    /// Bytes that shards hold.
    shards: AtomicUsize,
    /// Bytes that batches and the ledger hold.
    others: AtomicUsize,
    /// Keys in the table.
    keys: AtomicUsize,
    /// Bytes of the array that is sorted.
    sorting: AtomicUsize,
    /// Whether the index of a shard is full.
    full: AtomicBool,
    /// Whether a run could not be written. Then the scan fails, and further batches are dropped.
    failed: AtomicBool,
    state: RwLock<SpillState>,
}

/// The runs written so far, and the buffers and threads for the next one.
#[derive(Default)]
pub(super) struct SpillState {
    runs: Vec<Run>,
    written: Spilled,
    items: Vec<Item>,
    pool: Option<ThreadPool>,
}

/// The number and size of all runs written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spilled {
    /// Number of files.
    pub(crate) runs: u64,
    /// Bytes of all files.
    pub(crate) bytes: u64,
}

/// The content of a table, to be written as a run.
pub(super) struct Contents<'t> {
    pub(super) shards: &'t [&'t TableShard],
    pub(super) open: &'t [DocumentId],
    pub(super) sources: &'t SourceNames,
}

impl Spill {
    pub(super) fn new(stored_fields: StoredFields, mut budget: Budget) -> Self {
        let state = budget.lasting.as_mut().map(SpillState::resumed);
        Spill {
            stored_fields,
            max: budget.counted(),
            budget,
            shards: AtomicUsize::new(0),
            others: AtomicUsize::new(0),
            keys: AtomicUsize::new(0),
            sorting: AtomicUsize::new(0),
            full: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            state: RwLock::new(state.unwrap_or_default()),
        }
    }

    /// Locks the state for reading, so that the table is not spilled meanwhile.
    pub(super) fn lock_state(&self) -> RwLockReadGuard<'_, SpillState> {
        assert_plain_thread();
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state for writing, so that no thread fills the table meanwhile.
    pub(super) fn close(&self) -> RwLockWriteGuard<'_, SpillState> {
        assert_plain_thread();
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn into_state(self) -> (Budget, SpillState) {
        let state = self.state.into_inner();
        (self.budget, state.unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a run could not be written.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Adds the growth of shards.
    pub(super) fn grow(&self, bytes: usize, keys: usize, full: bool) {
        self.shards.fetch_add(bytes, Ordering::Relaxed);
        self.keys.fetch_add(keys, Ordering::Relaxed);
        if full {
            self.full.store(true, Ordering::Relaxed);
        }
    }

    /// Adds `more` and subtracts `less` bytes of memory outside of shards.
    pub(super) fn hold(&self, more: usize, less: usize) {
        self.others
            .fetch_add(more.wrapping_sub(less), Ordering::Relaxed);
    }

    /// Recounts the memory and keys of all shards.
    pub(super) fn measure<'s>(&self, shards: impl Iterator<Item = &'s TableShard> + Clone) {
        let sum = |of: fn(&TableShard) -> usize| shards.clone().map(of).sum();
        self.shards
            .store(sum(TableShard::held_bytes), Ordering::Relaxed);
        self.keys.store(sum(TableShard::len), Ordering::Relaxed);
        let full = shards.clone().any(TableShard::is_full);
        self.full.store(full, Ordering::Relaxed);
    }

    /// Whether the table must be spilled: the budget is used up, and the table itself takes at least half of it.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.full.load(Ordering::Relaxed)
            || (self.held_bytes() > self.max && self.table() > self.max / 2)
    }

    /// Returns the bytes that count towards the budget.
    pub(super) fn held_bytes(&self) -> usize {
        self.table() + self.others.load(Ordering::Relaxed)
    }

    /// Returns the bytes that the table takes now, or will take while it is sorted.
    fn table(&self) -> usize {
        let items = self.keys.load(Ordering::Relaxed) * size_of::<Item>();
        self.shards.load(Ordering::Relaxed) + items.max(self.sorting.load(Ordering::Relaxed))
    }

    /// Writes the content of the table as a run. The caller holds the write lock of `state`.
    pub(super) fn spill(
        &self,
        state: &mut SpillState,
        contents: &Contents<'_>,
    ) -> Result<(), SpillError> {
        let SpillState { items, pool, .. } = state;
        if pool.is_none() && self.budget.threads > 1 {
            // If the threads cannot be started, the work is done on this one.
            *pool = spill_pool(self.budget.threads).ok();
        }
        let ahead = pool
            .is_some()
            .then_some(PARTS_AHEAD_PER_THREAD * self.budget.threads);
        let mut write = || write_table(&self.budget, self.stored_fields, contents, items, ahead);
        let run = match pool {
            None => write(),
            Some(pool) => pool.install(write),
        };
        let run = run.inspect_err(|_| self.failed.store(true, Ordering::Relaxed))?;
        let sorting = state.items.capacity() * size_of::<Item>();
        self.sorting.store(sorting, Ordering::Relaxed);
        state.add(run);
        Ok(())
    }
}

fn spill_pool(threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|n| format!("spill-{n}"))
        .build()
}

/// Asserts that this thread is not in a rayon pool, so that it may hold a lock while it waits for a pool.
fn assert_plain_thread() {
    debug_assert!(
        rayon::current_thread_index().is_none(),
        "a thread of a pool locks the table"
    );
}

impl SpillState {
    /// Creates a state with the runs of an earlier process.
    fn resumed(lasting: &mut Lasting) -> SpillState {
        SpillState {
            runs: std::mem::take(&mut lasting.runs)
                .into_iter()
                .map(Run::of_file)
                .collect(),
            written: lasting.written,
            ..SpillState::default()
        }
    }

    /// Makes all runs outlast the process, if the budget asks for it.
    pub(super) fn keep(&mut self, budget: &Budget) -> Result<(), SpillError> {
        let Some(lasting) = &budget.lasting else {
            return Ok(());
        };
        self.runs.iter().try_for_each(Run::sync)?;
        let files: Vec<RunFile> = self.runs.iter().map(Run::file).collect();
        (lasting.keep)(&files, self.written)?;
        self.runs.iter_mut().for_each(Run::last);
        Ok(())
    }

    fn add(&mut self, run: Run) {
        self.written.runs += 1;
        self.written.bytes += run.bytes;
        self.runs.push(run);
    }

    pub(super) fn has_runs(&self) -> bool {
        !self.runs.is_empty()
    }

    pub(super) fn written(&self) -> Spilled {
        self.written
    }

    /// Writes the last content of the table. With `parallel`, uses the rayon pool that the caller runs in.
    pub(super) fn spill_last(
        &mut self,
        budget: &Budget,
        stored_fields: StoredFields,
        contents: &Contents<'_>,
        parallel: bool,
    ) -> Result<(), SpillError> {
        let mut items = std::mem::take(&mut self.items);
        let run = write_table(
            budget,
            stored_fields,
            contents,
            &mut items,
            ranges_ahead(parallel),
        )?;
        self.add(run);
        Ok(())
    }

    /// Merges all runs, calls `make` on each page of entries and `write` on each result in order, and returns the number of
    /// entries. If there are too many runs to open them all, some are first merged to one.
    pub(super) fn unite<B: Send, E: Send + From<SpillError>>(
        &mut self,
        budget: &Budget,
        stored_fields: StoredFields,
        parallel: bool,
        make: impl Fn(&EntryPage, &SourceNames) -> Result<B, E> + Sync,
        mut write: impl FnMut(B) -> Result<(), E> + Send,
    ) -> Result<u64, E> {
        let fan = budget.max_merged_runs();
        while self.runs.len() > fan {
            let some = fan.min(self.runs.len() - fan + 1);
            let runs: Vec<Run> = self.runs.drain(..some).collect();
            let run = merge_to_one(budget, stored_fields, &runs, parallel)?;
            self.add(run);
            self.keep(budget)?;
            runs.into_iter().for_each(Run::remove);
        }
        let (runs, sources) = open(&self.runs, stored_fields)?;
        let mut entries = 0;
        let ranges = ranges(budget, &runs)?.map(|range| range.map_err(E::from));
        let make = |range: Range| -> Result<(u64, Vec<B>), E> {
            let mut made = Vec::new();
            let mut entries = 0;
            let mut merge = RangeMerge::new(&runs, &range)?;
            let mut page = EntryPage::default();
            while merge.fill(&mut page, PAGE_BYTES)? {
                budget.not_stopped()?;
                entries += page.len() as u64;
                made.push(make(&page, &sources)?);
            }
            Ok((entries, made))
        };
        in_order(ranges, ranges_ahead(parallel), make, |(count, made)| {
            entries += count;
            made.into_iter().try_for_each(&mut write)
        })?;
        Ok(entries)
    }
}

/// Returns the number of ranges that are merged at the same time: one per thread, since each gives many rows. `None` without a
/// pool.
fn ranges_ahead(parallel: bool) -> Option<usize> {
    parallel.then(rayon::current_num_threads)
}

fn ranges<'r>(budget: &Budget, runs: &'r [OpenRun]) -> Result<Ranges<'r>, SpillError> {
    Ranges::new(runs, budget.range(runs.len()))
}

fn open(
    runs: &[Run],
    stored_fields: StoredFields,
) -> Result<(Vec<OpenRun>, SourceNames), SpillError> {
    let mut sources = SourceNames::new();
    let mut readings = Vec::with_capacity(runs.len());
    for run in runs {
        let reading = run.open(stored_fields)?;
        reading.sources(&mut sources)?;
        readings.push(reading);
    }
    Ok((readings, sources))
}

fn write_table(
    budget: &Budget,
    stored_fields: StoredFields,
    contents: &Contents<'_>,
    items: &mut Vec<Item>,
    ahead: Option<usize>,
) -> Result<Run, SpillError> {
    let shards = contents.shards;
    order::by_key(shards, items, ahead.is_some());
    let mut writer = budget.writer(stored_fields)?;
    let pack = |items: &[Item]| {
        budget.not_stopped()?;
        let mut packer = Packer::new(&budget.folder, stored_fields, budget.frame())?;
        let mut open = Vec::new();
        order::each(shards, items, |shard, at| {
            shard.open_documents(at, contents.open, &mut open);
            packer.push(&Entry {
                key: shard.key(at),
                known: shard.known(at),
                open: &open,
            })
        })?;
        packer.finish()
    };
    let write = |frames: Vec<NameFrame>| writer.frames(&frames);
    in_order(items.chunks(PART_ENTRIES).map(Ok), ahead, pack, write)?;
    writer.finish(contents.sources)
}

fn merge_to_one(
    budget: &Budget,
    stored_fields: StoredFields,
    runs: &[Run],
    parallel: bool,
) -> Result<Run, SpillError> {
    let (runs, sources) = open(runs, stored_fields)?;
    let mut writer = budget.writer(stored_fields)?;
    let merge = |range: Range| {
        let mut packer = Packer::new(&budget.folder, stored_fields, budget.frame())?;
        let mut merge = RangeMerge::new(&runs, &range)?;
        let mut page = EntryPage::default();
        while merge.fill(&mut page, PAGE_BYTES)? {
            budget.not_stopped()?;
            page.entries().try_for_each(|entry| packer.push(&entry))?;
        }
        packer.finish()
    };
    let write = |frames: Vec<NameFrame>| writer.frames(&frames);
    in_order(ranges(budget, &runs)?, ranges_ahead(parallel), merge, write)?;
    writer.finish(&sources)
}
