//! The kinds of rows that are merged, with their order and the union of rows of one key.

use std::cmp::Ordering;

use crate::error::{Cause, Error};
use crate::records::{
    ComparedKind, Field, IDENTITY, INDEX_STATUS_FIELDS, MAX_NUMBER, OwnedPair, OwnedRecord,
    OwnedRow, RECORD_FACTS, RowIdentity,
};

/// A row that can be merged.
pub(crate) trait MergeRow: OwnedRow + 'static {
    /// The texts by which rows are compared, in this order.
    const KEY: &'static [Field];
    /// The other fields that are kept while rows are sorted.
    const REST: &'static [&'static [Field]];

    /// Compares by key. Rows with equal keys are united.
    fn by_key(&self, other: &Self) -> Ordering;

    /// Adds `other`, a row of the same key. The result does not depend on the order in which rows are united.
    ///
    /// # Errors
    /// If a sum exceeds the max of a row.
    fn unite(&mut self, other: &Self) -> Result<(), Error>;

    /// Returns the number of mentions.
    fn mentions(&self) -> u64;
}

impl MergeRow for OwnedRecord {
    const KEY: &'static [Field] = &[Field::Doi];
    const REST: &'static [&'static [Field]] = &[RECORD_FACTS, &INDEX_STATUS_FIELDS];

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
}

impl MergeRow for OwnedPair {
    const KEY: &'static [Field] = &[Field::Source, Field::Document, Field::Doi];
    const REST: &'static [&'static [Field]] = &[&[Field::Mentions]];

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
}

impl<K: ComparedKind> MergeRow for RowIdentity<K> {
    const KEY: &'static [Field] = &IDENTITY;
    const REST: &'static [&'static [Field]] = &[];

    fn by_key(&self, other: &Self) -> Ordering {
        self.values.cmp(&other.values)
    }

    fn unite(&mut self, _other: &Self) -> Result<(), Error> {
        Ok(())
    }

    fn mentions(&self) -> u64 {
        1
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
