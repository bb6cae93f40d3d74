//! Sorts keys with payloads in bounded memory: full arenas become sorted runs in a temporary file, which are merged. If the memory
//! cannot hold a buffer for each run, some are merged to longer runs first.
//!
//! While one arena is filled, a thread sorts and writes the one before. All runs are in one file, which is read at offsets.

mod arena;
mod merge;
mod run;

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread::{self, JoinHandle};

use arena::PairArena;
pub use merge::SortedPairs;
pub(crate) use run::Run;

/// Takes keys with payloads in any order, and delivers them sorted bytewise by key, then payload: each distinct pair once, unless
/// equal pairs are [kept](Self::keep_equal).
pub struct Sorter {
    filling: PairArena,
    file: File,
    runs: Vec<Run>,
    /// The thread that writes a run, and gives its arena back.
    writing: Option<JoinHandle<io::Result<(PairArena, Run)>>>,
    budget: usize,
    keeps_equal: bool,
}

impl Sorter {
    /// Makes a sorter that holds at most `budget` bytes, in two arenas or in the buffers of a merge. Other pairs are in a temporary
    /// file in `folder`, or in that of the system, which has no name and so outlasts no process. If there are more runs than buffers
    /// of 4 KiB in a quarter of the budget, the file grows by the runs that are merged first.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn new(budget: usize, folder: Option<&Path>) -> io::Result<Self> {
        let file = match folder {
            Some(folder) => tempfile::tempfile_in(folder)?,
            None => tempfile::tempfile()?,
        };
        Sorter::in_file(budget, file, Vec::new())
    }

    /// Makes a sorter that continues in a file with `runs`. Bytes after the last run are cut off.
    pub(crate) fn in_file(budget: usize, file: File, runs: Vec<Run>) -> io::Result<Self> {
        let end = runs.last().map_or(0, |run| run.end);
        if file.metadata()?.len() < end {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.set_len(end)?;
        Ok(Sorter {
            filling: PairArena::new(budget / 2),
            file,
            runs,
            writing: None,
            budget,
            keeps_equal: false,
        })
    }

    /// Makes it deliver equal pairs as often as they were pushed.
    pub fn keep_equal(self) -> Self {
        Sorter {
            keeps_equal: true,
            ..self
        }
    }

    /// Writes all pushed pairs to the file and to disk. Returns the runs that hold them.
    pub(crate) fn save(&mut self) -> io::Result<&[Run]> {
        if !self.filling.is_empty() {
            self.spill()?;
        }
        let empty = self.written()?;
        self.filling =
            empty.unwrap_or_else(|| std::mem::replace(&mut self.filling, PairArena::new(0)));
        self.file.sync_all()?;
        Ok(&self.runs)
    }

    /// Adds a pair. Both parts together must be shorter than 4 GiB.
    ///
    /// # Errors
    ///
    /// If the temporary file cannot be written.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) -> io::Result<()> {
        if !self.filling.has_room(key.len() + payload.len()) {
            self.spill()?;
        }
        self.filling.push(key, payload);
        Ok(())
    }

    /// Gives the full arena to a thread, after the one before it is written.
    fn spill(&mut self) -> io::Result<()> {
        let empty = match self.written()? {
            Some(arena) => arena,
            None => PairArena::new(self.budget / 2),
        };
        let full = std::mem::replace(&mut self.filling, empty);
        let file = self.file.try_clone()?;
        let start = self.runs.last().map_or(0, |run| run.end);
        let keeps_equal = self.keeps_equal;
        let writing = thread::Builder::new().spawn(move || {
            let mut arena = full;
            let run = Run::write(&mut arena, keeps_equal, &file, start)?;
            arena.clear();
            Ok((arena, run))
        });
        self.writing = Some(writing?);
        Ok(())
    }

    /// Waits for the run that is being written, and returns its arena.
    fn written(&mut self) -> io::Result<Option<PairArena>> {
        let Some(writing) = self.writing.take() else {
            return Ok(None);
        };
        let joined = writing.join();
        let (arena, run) = joined.map_err(|_| io::Error::other("a thread that sorts failed"))??;
        self.runs.push(run);
        Ok(Some(arena))
    }

    /// Merges all pushed pairs.
    ///
    /// # Errors
    ///
    /// If the temporary file cannot be written or read.
    pub fn finish(mut self) -> io::Result<SortedPairs> {
        if !self.filling.is_empty() {
            self.spill()?;
        }
        self.written()?;
        SortedPairs::new(self.file, self.runs, self.budget, self.keeps_equal)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    type Pair = (Vec<u8>, Vec<u8>);

    fn sorted(pairs: &[Pair], budget: usize) -> Vec<Pair> {
        let mut sorter = Sorter::new(budget, None).unwrap();
        for (key, payload) in pairs {
            sorter.push(key, payload).unwrap();
        }
        merged(sorter).0
    }

    /// Returns the merged pairs, and the number of runs that were written.
    fn merged(sorter: Sorter) -> (Vec<Pair>, u64) {
        let mut merge = sorter.finish().unwrap();
        let mut out = Vec::new();
        while let Some((key, payload)) = merge.next_pair().unwrap() {
            out.push((key.to_vec(), payload.to_vec()));
        }
        (out, merge.spilled().0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pairs_come_sorted_and_once(
            pairs in proptest::collection::vec(("[ab]{0,6}", "[xy]{0,2}"), 0..200),
            budget in 0usize..4000,
        ) {
            let pairs: Vec<Pair> = pairs.into_iter().map(|(k, p)| (k.into(), p.into())).collect();
            let model: BTreeSet<Pair> = pairs.iter().cloned().collect();
            prop_assert_eq!(sorted(&pairs, budget), Vec::from_iter(model));
        }
    }

    #[test]
    fn equal_pairs_are_kept_if_wanted() {
        for budget in [0, 4000] {
            let mut sorter = Sorter::new(budget, None).unwrap().keep_equal();
            for number in 0..90 {
                sorter.push(&[b'a' + number % 3], b"p").unwrap();
            }
            let mut merge = sorter.finish().unwrap();
            let mut keys = Vec::new();
            while let Some((key, b"p")) = merge.next_pair().unwrap() {
                keys.extend_from_slice(key);
            }
            assert_eq!(keys, [[b'a'; 30], [b'b'; 30], [b'c'; 30]].concat());
        }
    }

    #[test]
    fn more_runs_than_the_budget_has_buffers_for_are_merged_in_rounds() {
        let pair = |number: u8| (vec![number.wrapping_mul(37) % 40], vec![b'p'; 300]);
        let pairs: Vec<Pair> = (0..60).map(pair).collect();
        let model = Vec::from_iter(BTreeSet::from_iter(pairs.clone()));
        // Each pair is a run of its own, of which two, five or all are merged at once.
        for (budget, written) in [(0, 60 + 58), (5 << 14, 60 + 14), (1 << 20, 60)] {
            let mut sorter = Sorter::new(budget, None).unwrap();
            for (key, payload) in &pairs {
                sorter.push(key, payload).unwrap();
                sorter.save().unwrap();
            }
            let (seen, spilled) = merged(sorter);
            assert_eq!(spilled, written, "{budget}");
            assert_eq!(seen, model, "{budget}");
        }
    }

    #[test]
    fn a_pair_larger_than_the_budget_is_kept() {
        let large = (vec![b'a'; 100_000], vec![b'p'; 70_000]);
        let pairs = [large.clone(), (b"b".to_vec(), vec![]), large.clone()];
        assert_eq!(sorted(&pairs, 1000), [large, (b"b".to_vec(), vec![])]);
    }
}
