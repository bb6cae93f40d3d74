//! Ranks prefixes by their number of names.
//!
//! Names of one prefix follow each other in the order of records, so only the leading prefixes are held.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::pipeline::plan::prefix;
use crate::records::{PrefixRow, Record};

/// The names and mentions of a prefix. The order is that of the output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PrefixCount {
    names: Reverse<u64>,
    prefix: Box<str>,
    mentions: u64,
}

/// Keeps the prefixes with the largest numbers of names so far.
pub(crate) struct PrefixRanking {
    max: usize,
    /// The last prefix in order is at the top of the heap.
    leading: BinaryHeap<PrefixCount>,
    /// The prefix whose names are being counted.
    current: Option<PrefixCount>,
}

/// Counts names and mentions by prefix. The records must be in order.
pub(crate) fn count_prefixes<'r>(records: impl Iterator<Item = Record<'r>>) -> Vec<PrefixCount> {
    let mut counts: Vec<PrefixCount> = Vec::new();
    for record in records {
        let prefix = prefix(record.doi);
        match counts.last_mut().filter(|last| *last.prefix == *prefix) {
            Some(last) => last.add(1, record.mentions),
            None => counts.push(PrefixCount {
                names: Reverse(1),
                prefix: prefix.into(),
                mentions: record.mentions,
            }),
        }
    }
    counts
}

impl PrefixCount {
    fn add(&mut self, names: u64, mentions: u64) {
        self.names.0 += names;
        self.mentions += mentions;
    }

    /// Returns its row.
    pub(crate) fn row(&self) -> PrefixRow<'_> {
        PrefixRow {
            prefix: &self.prefix,
            names: self.names.0,
            mentions: self.mentions,
        }
    }
}

impl PrefixRanking {
    /// Creates a ranking of at most `max` prefixes.
    pub(crate) fn new(max: usize) -> Self {
        PrefixRanking {
            max,
            leading: BinaryHeap::new(),
            current: None,
        }
    }

    /// Adds counts of the records that follow those added before.
    pub(crate) fn add(&mut self, counts: Vec<PrefixCount>) {
        for count in counts {
            match self.current.as_mut().filter(|at| at.prefix == count.prefix) {
                Some(current) => current.add(count.names.0, count.mentions),
                None => {
                    let ended = self.current.replace(count);
                    self.rank(ended);
                }
            }
        }
    }

    fn rank(&mut self, ended: Option<PrefixCount>) {
        self.leading.extend(ended);
        if self.leading.len() > self.max {
            self.leading.pop();
        }
    }

    /// Returns the prefixes, in descending order of names, then by prefix.
    pub(crate) fn finish(mut self) -> Vec<PrefixCount> {
        let ended = self.current.take();
        self.rank(ended);
        self.leading.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leading_prefixes_do_not_depend_on_how_records_are_divided() {
        let names: Vec<String> = [(1000, 3), (1001, 9), (1002, 3), (1003, 1), (1004, 9)]
            .iter()
            .flat_map(|&(prefix, count)| (0..count).map(move |at| format!("10.{prefix}/{at}")))
            .collect();
        let records = names.iter().map(|doi| Record {
            doi,
            mentions: 2,
            ..Record::default()
        });
        let records: Vec<_> = records.collect();
        let wanted = [("10.1001", 9, 18), ("10.1004", 9, 18), ("10.1000", 3, 6)];
        for size in 1..records.len() {
            let mut ranking = PrefixRanking::new(3);
            for some in records.chunks(size) {
                ranking.add(count_prefixes(&mut some.iter().cloned()));
            }
            let ranked = ranking.finish();
            let rows = ranked.iter().map(PrefixCount::row);
            let rows: Vec<_> = rows
                .map(|row| (row.prefix, row.names, row.mentions))
                .collect();
            assert_eq!(rows, wanted, "{size}");
        }
    }
}
