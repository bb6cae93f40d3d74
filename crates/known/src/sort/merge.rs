//! Merges sorted runs.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io;
use std::sync::Arc;

use super::run::{Run, RunReader, RunWriter};

/// The pairs of all runs in order.
pub struct SortedPairs {
    /// The runs that are not at their end, ordered by their current pair.
    runs: BinaryHeap<Reverse<Box<RunHead>>>,
    key: Vec<u8>,
    payload: Vec<u8>,
    /// Whether `key` and `payload` are a pair that was delivered.
    started: bool,
    keeps_equal: bool,
    spilled: (u64, u64),
}

/// Smaller reads would cost more time than their memory is worth.
const MIN_READ_BYTES: usize = 4 << 10;
const MAX_READ_BYTES: usize = 256 << 10;

/// Returns the number of runs whose buffers take at most a quarter of the budget.
fn max_merged_runs(budget: usize) -> usize {
    (budget / 4 / MIN_READ_BYTES).max(2)
}

impl SortedPairs {
    /// Merges all runs of a file. If they are too many to be read at once, some are first merged to one, which is written after the
    /// last.
    pub(super) fn new(
        file: File,
        mut runs: Vec<Run>,
        budget: usize,
        keeps_equal: bool,
    ) -> io::Result<Self> {
        let (file, mut written) = (Arc::new(file), runs.len() as u64);
        let max = max_merged_runs(budget);
        while runs.len() > max {
            let end = runs.last().map_or(0, |run| run.end);
            let some = max.min(runs.len() - max + 1);
            let first: Vec<Run> = runs.drain(..some).collect();
            let merged = SortedPairs::of_runs(&file, &first, budget, keeps_equal)?;
            runs.push(merged.write(&file, end)?);
            written += 1;
        }
        let mut pairs = SortedPairs::of_runs(&file, &runs, budget, keeps_equal)?;
        pairs.spilled.0 = written;
        Ok(pairs)
    }

    /// Writes all pairs as a run that starts at an offset of `file`.
    fn write(mut self, file: &File, start: u64) -> io::Result<Run> {
        let mut out = RunWriter::new(file, start);
        let mut last = Vec::new();
        while let Some((key, payload)) = self.next_pair()? {
            out.push(&last, key, payload)?;
            last.clear();
            last.extend_from_slice(key);
        }
        out.finish()
    }

    fn of_runs(
        file: &Arc<File>,
        runs: &[Run],
        budget: usize,
        keeps_equal: bool,
    ) -> io::Result<Self> {
        let buffer = (budget / 4 / runs.len().max(1)).clamp(MIN_READ_BYTES, MAX_READ_BYTES);
        let mut heads = BinaryHeap::with_capacity(runs.len());
        for run in runs {
            let mut reader = RunReader::new(Arc::clone(file), run, buffer);
            if reader.advance()? {
                heads.push(Reverse(Box::new(RunHead(reader))));
            }
        }
        Ok(SortedPairs {
            runs: heads,
            key: Vec::new(),
            payload: Vec::new(),
            started: false,
            keeps_equal,
            spilled: (runs.len() as u64, runs.last().map_or(0, |run| run.end)),
        })
    }

    /// Returns the number of sorted runs that were written to the temporary file, and its size in bytes.
    pub fn spilled(&self) -> (u64, u64) {
        self.spilled
    }

    /// Returns the next pair, or `None` at the end.
    ///
    /// # Errors
    ///
    /// If the temporary file cannot be read, or is damaged.
    pub fn next_pair(&mut self) -> io::Result<Option<(&[u8], &[u8])>> {
        while let Some(mut head) = self.runs.peek_mut() {
            let reader = &mut head.0.0;
            let is_new = self.keeps_equal
                || !self.started
                || self.key != reader.key
                || self.payload != reader.payload;
            if is_new {
                self.key.clone_from(&reader.key);
                self.payload.clone_from(&reader.payload);
                self.started = true;
            }
            if !reader.advance()? {
                PeekMut::pop(head);
            }
            if is_new {
                return Ok(Some((&self.key, &self.payload)));
            }
        }
        Ok(None)
    }
}

/// A run, ordered by its current pair.
struct RunHead(RunReader);

impl RunHead {
    fn pair(&self) -> (&[u8], &[u8]) {
        (&self.0.key, &self.0.payload)
    }
}

impl Ord for RunHead {
    fn cmp(&self, other: &Self) -> Ordering {
        self.pair().cmp(&other.pair())
    }
}

impl PartialOrd for RunHead {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RunHead {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for RunHead {}
