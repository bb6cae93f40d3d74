//! The kinds of rows that are merged, with their order and the union of rows of one key.

use std::cmp::Ordering;

use crate::error::{Cause, Error};
use crate::records::{
    ComparedKind, Field, Format, IDENTITY, Layout, MAX_NUMBER, OwnedPair, OwnedRecord, OwnedRow,
    RowIdentity,
};

/// Approximate overhead of the allocator for a string, in bytes.
const ALLOCATION_BYTES: usize = 16;

/// A row that can be merged.
pub(crate) trait MergeRow: OwnedRow + 'static {
    /// Compares by key. Rows with equal keys are united.
    fn by_key(&self, other: &Self) -> Ordering;

    /// Adds `other`, a row of the same key. The result does not depend on the order in which rows are united.
    ///
    /// # Errors
    /// If a sum exceeds the max of a row.
    fn unite(&mut self, other: &Self) -> Result<(), Error>;

    /// Returns the number of mentions.
    fn mentions(&self) -> u64;

    /// Returns the bytes of the strings, with their overhead.
    fn held_bytes(&self) -> usize;

    /// Returns the layout in runs. Answers of an index are null if the inputs lack them.
    fn run_layout() -> Layout {
        Layout::new(Format::Jsonl, Self::KIND).and_index_status()
    }
}

impl MergeRow for OwnedRecord {
    fn by_key(&self, other: &Self) -> Ordering {
        self.doi.cmp(&other.doi)
    }

    /// Adds counts and forms, and keeps the earlier of both first mentions.
    fn unite(&mut self, other: &Self) -> Result<(), Error> {
        self.mentions = sum("mentions", &self.doi, self.mentions, other.mentions)?;
        self.documents = sum("documents", &self.doi, self.documents, other.documents)?;
        self.sources = sum("sources", &self.doi, self.sources, other.sources)?;
        self.forms |= other.forms;
        self.guessed &= other.guessed;
        self.index_status.unite(&other.index_status);
        if first(other) < first(self) {
            self.first_source.clone_from(&other.first_source);
            self.first_document.clone_from(&other.first_document);
            self.first_offset = other.first_offset;
            self.first_text.clone_from(&other.first_text);
        }
        Ok(())
    }

    fn mentions(&self) -> u64 {
        self.mentions
    }

    fn held_bytes(&self) -> usize {
        held_bytes([
            &self.doi,
            &self.first_source,
            &self.first_document,
            &self.first_text,
        ])
    }
}

impl MergeRow for OwnedPair {
    fn by_key(&self, other: &Self) -> Ordering {
        let sources = self.source.cmp(&other.source);
        let documents = || self.document.cmp(&other.document);
        sources
            .then_with(documents)
            .then_with(|| self.doi.cmp(&other.doi))
    }

    fn unite(&mut self, other: &Self) -> Result<(), Error> {
        self.mentions = sum("mentions", &self.doi, self.mentions, other.mentions)?;
        Ok(())
    }

    fn mentions(&self) -> u64 {
        self.mentions
    }

    fn held_bytes(&self) -> usize {
        held_bytes([&self.source, &self.document, &self.doi])
    }
}

impl<K: ComparedKind> MergeRow for RowIdentity<K> {
    fn by_key(&self, other: &Self) -> Ordering {
        self.values.cmp(&other.values)
    }

    fn unite(&mut self, _other: &Self) -> Result<(), Error> {
        Ok(())
    }

    fn mentions(&self) -> u64 {
        1
    }

    fn held_bytes(&self) -> usize {
        let held = self
            .values
            .iter()
            .map(|text| text.capacity() + ALLOCATION_BYTES);
        held.sum()
    }

    fn run_layout() -> Layout {
        let layout = Layout::new(Format::Jsonl, Self::KIND);
        let has = |field: &&Field| Self::KIND.further_fields().contains(field);
        let side_outputs: Vec<Field> = IDENTITY.iter().filter(has).copied().collect();
        layout.and(&side_outputs)
    }
}

fn sum(field: &'static str, doi: &str, a: u64, b: u64) -> Result<u64, Error> {
    let sum = a.checked_add(b).filter(|&sum| sum <= MAX_NUMBER);
    let overflow = || Cause::Overflow {
        field,
        doi: doi.into(),
    };
    sum.ok_or_else(|| Error::new(overflow()))
}

/// Returns the sort key of first mentions. It has all their fields, so different first mentions are never equal.
fn first(record: &OwnedRecord) -> (&str, u64, &str, &str) {
    (
        &record.first_source,
        record.first_offset,
        &record.first_document,
        &record.first_text,
    )
}

fn held_bytes<const N: usize>(strings: [&String; N]) -> usize {
    strings
        .iter()
        .map(|text| text.capacity() + ALLOCATION_BYTES)
        .sum()
}
