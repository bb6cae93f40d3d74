//! The budget of a table, what counts towards it, and the runs that were written when it was used up.
//!
//! Counted are real capacities: of the table's blocks and indexes, of batches, of the array that sorts, and of the names of
//! sources. A table that is past its budget is written as one run and filled again, in the same blocks. Neighbours: the table
//! says what it holds; `run` knows the files.
//!
//! Threads that take in batches hold the state for reading, the one that spills holds it for writing. What they wait for must
//! never be work on the pool they run on, since a thread that waits for such work takes up other work meanwhile, which may
//! want the same lock. So sorting and packing is done on a pool of its own, which knows no other work, and is waited for by
//! joining a plain thread.

use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

use rayon::ThreadPool;

use super::descriptors::spare;
use super::in_order::in_order;
use super::merge::{Merge, Range, Ranges};
use super::order::{self, Item};
use super::page::Page;
use super::rows::Sources;
use super::run::{Entry, Fault, Frame, Packer, Reading, Run, RunFile, SpillError, Writer};
use super::shard::Shard;
use super::{DocumentId, Kept};
use crate::temporary::LazyRunFolder;

/// Runs that are merged at once, at most and at least.
const FAN: (usize, usize) = (64, 8);
/// Bytes of a frame, unpacked, at least and at most.
const FRAME: (usize, usize) = (4 << 10, 64 << 10);
/// Entries of a table that a thread packs at once.
const PART: usize = 1 << 12;
/// Parts of a table under way for each thread.
const AHEAD: usize = 2;
/// Entries that a merge unites at a time: they stay in a core's cache.
const PAGE: usize = 1024;

/// How much memory a table may use, and where it puts what is more.
///
/// An eighth of it, and 8 MiB a thread, but at most half, is kept free for buffers on the way to disk and for what an
/// allocator loses; merging at the end takes less than the table did.
pub(crate) struct Budget {
    /// Bytes of all that grows.
    pub(crate) bytes: usize,
    /// Folder of runs.
    pub(crate) folder: PathBuf,
    /// The folder in it of runs that are gone with the process.
    pub(crate) passing: LazyRunFolder,
    /// Threads that sort and pack.
    pub(crate) threads: usize,
    /// Is told the path of every run when its file was made, and that of their folder.
    pub(crate) note: Box<dyn Fn(&Path) + Send + Sync>,
    /// Runs that are merged at once, unless the budget says so: for tests.
    pub(crate) fan: Option<usize>,
    /// Is asked now and then whether to stop; then what is under way ends with an error.
    pub(crate) stop: Box<dyn Fn() -> bool + Send + Sync>,
    /// What is needed for runs to outlast the process; without it they are gone with the table.
    pub(crate) lasting: Option<Lasting>,
}

/// Takes note of runs that are to outlast the process.
pub(crate) type Keep = dyn Fn(&[RunFile], Spilled) -> Result<(), SpillError> + Send + Sync;

/// Runs that outlast the process.
///
/// A run lasts once it was named to `keep`; until then its file is removed with the table.
pub(crate) struct Lasting {
    /// Runs of an earlier process that belong to the table.
    pub(crate) runs: Vec<RunFile>,
    /// What that process wrote.
    pub(crate) written: Spilled,
    /// Is told the runs that hold all that is known, which are on the disk, and what was written so far. When it returns,
    /// other runs are not needed any more.
    pub(crate) keep: Box<Keep>,
}

impl Budget {
    /// A budget for runs that are gone with the table.
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

    fn writer(&self, kept: Kept) -> Result<Writer, SpillError> {
        if self.lasting.is_some() {
            return Writer::create(&self.folder, None, kept, &*self.note);
        }
        let passing = self.passing.get(&self.folder, &*self.note);
        let passing = passing.map_err(|error| SpillError::new(&self.folder, error))?;
        let path = passing.path().to_owned();
        Writer::create(&path, Some(passing), kept, &*self.note)
    }

    /// An error if the work is to stop.
    fn go_on(&self) -> Result<(), SpillError> {
        match (self.stop)() {
            true => Err(SpillError::new(&self.folder, Fault::Stopped)),
            false => Ok(()),
        }
    }

    /// Bytes for what is counted. The rest is for what is not: buffers that pack and write runs, and what an allocator
    /// loses to its pages, of which each thread has its own; both were measured.
    fn counted(&self) -> usize {
        let rest = self.bytes / 8 + self.threads * (8 << 20);
        self.bytes - rest.min(self.bytes / 2)
    }

    /// Bytes of a frame, unpacked: small enough for some of every run to be in memory when these are merged.
    fn frame(&self) -> usize {
        (self.bytes >> 13).clamp(FRAME.0, FRAME.1)
    }

    /// Runs that are merged at once: each thread has a frame of each, packed and unpacked, and each is an open file, as is
    /// the run they become.
    fn fan(&self) -> usize {
        let fitting = self.bytes / (8 * self.frame() * self.threads.max(1));
        let fitting = self.fan.unwrap_or(fitting.clamp(FAN.1, FAN.0));
        fitting.min(spare().saturating_sub(1)).max(2)
    }

    /// Bytes of a range, unpacked: many times the frames at its ends, and so few that what becomes of it fits in memory.
    fn range(&self, runs: usize) -> u64 {
        let fitting = self.bytes / (64 * self.threads.max(1));
        (16 * runs * self.frame()).min(fitting).max(self.frame()) as u64
    }
}

/// A table's budget, how much of it is used, and its runs.
pub(super) struct Spill {
    kept: Kept,
    pub(super) budget: Budget,
    /// Bytes that may be held.
    most: usize,
    /// Bytes that shards hold.
    shards: AtomicUsize,
    /// Bytes that batches and the ledger hold.
    others: AtomicUsize,
    /// Keys in the table.
    keys: AtomicUsize,
    /// Bytes of the array that sorts.
    sorting: AtomicUsize,
    /// Whether an index is as large as it should be.
    full: AtomicBool,
    /// Whether a run could not be written: what comes now is lost, as all is.
    failed: AtomicBool,
    state: RwLock<State>,
}

/// What came of spilling so far.
#[derive(Default)]
pub(super) struct State {
    runs: Vec<Run>,
    written: Spilled,
    items: Vec<Item>,
    pool: Option<ThreadPool>,
}

/// What was written to runs, in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spilled {
    /// Files.
    pub(crate) runs: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// What a table holds, to be written as a run.
pub(super) struct Contents<'t> {
    pub(super) shards: &'t [&'t Shard],
    pub(super) open: &'t [DocumentId],
    pub(super) sources: &'t Sources,
}

impl Spill {
    pub(super) fn new(kept: Kept, mut budget: Budget) -> Self {
        let state = budget.lasting.as_mut().map(State::resumed);
        Spill {
            kept,
            most: budget.counted(),
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

    /// Keeps the table from being spilled.
    pub(super) fn enter(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody fills the table, and keeps all from it.
    pub(super) fn close(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn into_state(self) -> (Budget, State) {
        let state = self.state.into_inner();
        (self.budget, state.unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a run could not be written.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Takes note of what shards grew by.
    pub(super) fn grow(&self, bytes: usize, keys: usize, full: bool) {
        self.shards.fetch_add(bytes, Ordering::Relaxed);
        self.keys.fetch_add(keys, Ordering::Relaxed);
        if full {
            self.full.store(true, Ordering::Relaxed);
        }
    }

    /// Takes note of memory beside the shards: so much more, so much less.
    pub(super) fn hold(&self, more: usize, less: usize) {
        self.others
            .fetch_add(more.wrapping_sub(less), Ordering::Relaxed);
    }

    /// Counts what the shards hold anew.
    pub(super) fn measure<'s>(&self, shards: impl Iterator<Item = &'s Shard> + Clone) {
        let sum = |of: fn(&Shard) -> usize| shards.clone().map(of).sum();
        self.shards.store(sum(Shard::held), Ordering::Relaxed);
        self.keys.store(sum(Shard::len), Ordering::Relaxed);
        let full = shards.clone().any(Shard::is_full);
        self.full.store(full, Ordering::Relaxed);
    }

    /// Whether the table is to be spilled: it is past its budget, and it is not that others leave it next to nothing.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.full.load(Ordering::Relaxed)
            || (self.held() > self.most && self.table() > self.most / 2)
    }

    /// Bytes that count towards the budget.
    pub(super) fn held(&self) -> usize {
        self.table() + self.others.load(Ordering::Relaxed)
    }

    /// Those that the table holds, or will hold when it is sorted.
    fn table(&self) -> usize {
        let items = self.keys.load(Ordering::Relaxed) * size_of::<Item>();
        self.shards.load(Ordering::Relaxed) + items.max(self.sorting.load(Ordering::Relaxed))
    }

    /// Writes what the table holds as a run. The caller keeps all others from the table by `state`.
    pub(super) fn spill(
        &self,
        state: &mut State,
        contents: &Contents<'_>,
    ) -> Result<(), SpillError> {
        let State { items, pool, .. } = state;
        if pool.is_none() && self.budget.threads > 1 {
            // Without the threads it takes longer, no more.
            *pool = spill_pool(self.budget.threads).ok();
        }
        let ahead = pool.is_some().then_some(AHEAD * self.budget.threads);
        let mut write = || write_table(&self.budget, self.kept, contents, items, ahead);
        let run = match pool {
            None => write(),
            Some(pool) => on_its_threads(pool, write)
                .unwrap_or_else(|error| Err(SpillError::new(&self.budget.folder, error))),
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

/// Has `work` done on `pool`, and takes up no other work meanwhile, as a thread of another pool would by itself.
fn on_its_threads<R: Send>(pool: &ThreadPool, work: impl FnOnce() -> R + Send) -> io::Result<R> {
    thread::scope(|scope| {
        let waiting = thread::Builder::new().name("spill".into());
        let waiting = waiting.spawn_scoped(scope, || pool.install(work))?;
        Ok(waiting.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

impl State {
    /// With the runs of an earlier process.
    fn resumed(lasting: &mut Lasting) -> State {
        State {
            runs: std::mem::take(&mut lasting.runs)
                .into_iter()
                .map(Run::lasting)
                .collect(),
            written: lasting.written,
            ..State::default()
        }
    }

    /// Has all runs outlast the process, if they are to.
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

    /// Writes what the table still holds; it is filled no more. With `parallel`, on the rayon pool that the caller runs in.
    pub(super) fn spill_last(
        &mut self,
        budget: &Budget,
        kept: Kept,
        contents: &Contents<'_>,
        parallel: bool,
    ) -> Result<(), SpillError> {
        let mut items = std::mem::take(&mut self.items);
        let run = write_table(budget, kept, contents, &mut items, ahead(parallel))?;
        self.add(run);
        Ok(())
    }

    /// Unites all runs, gives what `make` makes of each page of entries to `write`, in order, and returns how many entries
    /// there are. Merges some runs to one beforehand if there are too many to have them open at once.
    pub(super) fn unite<B: Send, E: Send + From<SpillError>>(
        &mut self,
        budget: &Budget,
        kept: Kept,
        parallel: bool,
        make: impl Fn(&Page, &Sources) -> Result<B, E> + Sync,
        mut write: impl FnMut(B) -> Result<(), E> + Send,
    ) -> Result<u64, E> {
        let fan = budget.fan();
        while self.runs.len() > fan {
            let some = fan.min(self.runs.len() - fan + 1);
            let runs: Vec<Run> = self.runs.drain(..some).collect();
            let run = merge_to_one(budget, kept, &runs, parallel)?;
            self.add(run);
            self.keep(budget)?;
            runs.into_iter().for_each(Run::remove);
        }
        let (runs, sources) = open(&self.runs, kept)?;
        let mut entries = 0;
        let ranges = ranges(budget, &runs)?.map(|range| range.map_err(E::from));
        let make = |range: Range| -> Result<(u64, Vec<B>), E> {
            let mut made = Vec::new();
            let mut entries = 0;
            let mut merge = Merge::new(&runs, &range)?;
            let mut page = Page::default();
            while merge.fill(&mut page, PAGE)? {
                budget.go_on()?;
                entries += page.len() as u64;
                made.push(make(&page, &sources)?);
            }
            Ok((entries, made))
        };
        in_order(ranges, ahead(parallel), make, |(count, made)| {
            entries += count;
            made.into_iter().try_for_each(&mut write)
        })?;
        Ok(entries)
    }
}

/// How many ranges are under way: one for each thread, since each becomes many rows.
fn ahead(parallel: bool) -> Option<usize> {
    parallel.then(rayon::current_num_threads)
}

fn ranges<'r>(budget: &Budget, runs: &'r [Reading]) -> Result<Ranges<'r>, SpillError> {
    Ranges::new(runs, budget.range(runs.len()))
}

fn open(runs: &[Run], kept: Kept) -> Result<(Vec<Reading>, Sources), SpillError> {
    let mut sources = Sources::new();
    let mut readings = Vec::with_capacity(runs.len());
    for run in runs {
        let reading = run.open(kept)?;
        reading.sources(&mut sources)?;
        readings.push(reading);
    }
    Ok((readings, sources))
}

fn write_table(
    budget: &Budget,
    kept: Kept,
    contents: &Contents<'_>,
    items: &mut Vec<Item>,
    ahead: Option<usize>,
) -> Result<Run, SpillError> {
    let shards = contents.shards;
    order::by_key(shards, items, ahead.is_some());
    let mut writer = budget.writer(kept)?;
    let pack = |items: &[Item]| {
        budget.go_on()?;
        let mut packer = Packer::new(&budget.folder, budget.frame())?;
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
    let write = |frames: Vec<Frame>| writer.frames(&frames);
    in_order(items.chunks(PART).map(Ok), ahead, pack, write)?;
    writer.finish(contents.sources)
}

fn merge_to_one(
    budget: &Budget,
    kept: Kept,
    runs: &[Run],
    parallel: bool,
) -> Result<Run, SpillError> {
    let (runs, sources) = open(runs, kept)?;
    let mut writer = budget.writer(kept)?;
    let merge = |range: Range| {
        let mut packer = Packer::new(&budget.folder, budget.frame())?;
        let mut merge = Merge::new(&runs, &range)?;
        let mut page = Page::default();
        while merge.fill(&mut page, PAGE)? {
            budget.go_on()?;
            page.entries().try_for_each(|entry| packer.push(&entry))?;
        }
        packer.finish()
    };
    let write = |frames: Vec<Frame>| writer.frames(&frames);
    in_order(ranges(budget, &runs)?, ahead(parallel), merge, write)?;
    writer.finish(&sources)
}
