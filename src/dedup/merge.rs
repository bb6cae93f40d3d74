//! Merges runs: the keys are divided into ranges, and each range of all runs is merged separately.
//!
//! Ranges start at first keys of frames. So ranges have about the same size, and only frames at a boundary are read twice.

use super::page::EntryPage;
use super::run::{Cursor, FrameAhead, Heads, OpenRun, SpillError};
use super::tournament::Tournament;

/// A range of keys, from `lower` (included) to `upper` (excluded).
pub(super) struct Range {
    lower: Vec<u8>,
    upper: Option<Vec<u8>>,
    /// For each run, the offset of the frame that may hold its first key of the range. `None` if the run has no such key.
    starts: Vec<Option<u64>>,
}

/// Iterates over the ranges of some runs, in order.
pub(super) struct Ranges<'r> {
    heads: Vec<Heads<'r>>,
    /// For each run, the first frame whose first key is in the next range or after it.
    ahead: Vec<Option<FrameAhead>>,
    /// For each run, the offset of the frame before the one in `ahead`.
    starts: Vec<Option<u64>>,
    lower: Vec<u8>,
    /// Unpacked bytes of frames at which a range is large enough.
    size: u64,
    ended: bool,
}

impl<'r> Ranges<'r> {
    /// Cuts `runs` into ranges of about `size` bytes.
    pub(super) fn new(runs: &'r [OpenRun], size: u64) -> Result<Self, SpillError> {
        let mut ranges = Ranges {
            heads: runs.iter().map(OpenRun::heads).collect(),
            ahead: runs.iter().map(|_| None).collect(),
            starts: vec![None; runs.len()],
            lower: Vec::new(),
            size,
            ended: false,
        };
        (0..runs.len()).try_for_each(|run| ranges.look_ahead(run))?;
        Ok(ranges)
    }

    fn look_ahead(&mut self, run: usize) -> Result<(), SpillError> {
        self.ahead[run] = self.heads[run].next()?;
        Ok(())
    }

    /// Returns the run whose next frame has the smallest first key. `None` if all runs have ended.
    fn first(&self) -> Option<usize> {
        let ahead = self.ahead.iter().enumerate();
        let ahead = ahead.filter_map(|(run, ahead)| Some((&ahead.as_ref()?.first, run)));
        ahead.min().map(|(_, run)| run)
    }

    /// Reads frame heads until the range is large enough or all runs end. Returns the upper bound, and sets the starts of runs
    /// that had none.
    fn next_bound(&mut self, starts: &mut [Option<u64>]) -> Result<Option<Vec<u8>>, SpillError> {
        let mut size = 0;
        while let Some(run) = self.first() {
            let Some(ahead) = &self.ahead[run] else { break };
            if size >= self.size {
                return Ok(Some(ahead.first.clone()));
            }
            size += ahead.bytes.max(1);
            self.starts[run] = Some(ahead.at);
            starts[run].get_or_insert(ahead.at);
            self.look_ahead(run)?;
        }
        self.ended = true;
        Ok(None)
    }
}

impl Iterator for Ranges<'_> {
    type Item = Result<Range, SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let mut starts = self.starts.clone();
        let upper = match self.next_bound(&mut starts) {
            Ok(upper) => upper,
            Err(error) => {
                self.ended = true;
                return Some(Err(error));
            }
        };
        let lower = std::mem::replace(&mut self.lower, upper.clone().unwrap_or_default());
        Some(Ok(Range {
            lower,
            upper,
            starts,
        }))
    }
}

/// Merges the entries of all runs in one range.
pub(super) struct RangeMerge<'r> {
    cursors: Vec<Cursor<'r>>,
    tournament: Tournament,
}

impl<'r> RangeMerge<'r> {
    pub(super) fn new(runs: &'r [OpenRun], range: &'r Range) -> Result<Self, SpillError> {
        let upper = range.upper.as_deref();
        let parts = runs.iter().zip(&range.starts);
        let cursors: Vec<_> = parts
            .filter_map(|(run, start)| Some(Cursor::new(run, (*start)?, &range.lower, upper)))
            .collect::<Result<_, _>>()?;
        let tournament = Tournament::new(cursors.len(), |a, b| precedes(&cursors, a, b));
        Ok(RangeMerge {
            cursors,
            tournament,
        })
    }

    /// Replaces the content of `page` by the next entries, at most `max`. Returns false if there were no more entries.
    pub(super) fn fill(&mut self, page: &mut EntryPage, max: usize) -> Result<bool, SpillError> {
        page.clear();
        while let Some(first) = self.first() {
            let cursor = &mut self.cursors[first];
            if page.last() == Some(cursor.key()) {
                page.unite(cursor);
            } else if page.len() < max {
                page.push(cursor);
            } else {
                break;
            }
            cursor.advance()?;
            let cursors = &self.cursors;
            self.tournament.play(first, |a, b| precedes(cursors, a, b));
        }
        Ok(page.len() > 0)
    }

    /// Returns the cursor with the smallest key. `None` if all have ended.
    #[inline]
    fn first(&self) -> Option<usize> {
        let first = self.tournament.first()?;
        (!self.cursors[first].is_ended()).then_some(first)
    }
}

#[inline]
fn precedes(cursors: &[Cursor<'_>], a: usize, b: usize) -> bool {
    let (left, right) = (&cursors[a], &cursors[b]);
    if left.rank() != right.rank() {
        return left.rank() < right.rank();
    }
    (left.is_ended(), left.key(), a) < (right.is_ended(), right.key(), b)
}
