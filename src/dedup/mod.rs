//! Aggregates mentions to records in one table of keys, which all threads share.
//!
//! Each thread fills a [`Batch`] and passes it to the [`NameTable`], which aggregates by key and returns the records in order. A
//! table with a [`Budget`] that is used up is written to disk as a sorted run of partial records and filled again; at the end
//! all runs are merged. Input are the scanner's mentions, output are [`Record`](crate::records::Record)s. This module knows
//! no output formats, and no files except its runs.

mod arena;
mod batch;
#[cfg(feature = "testing")]
pub(crate) mod bench_support;
mod blocks;
mod count;
mod counted;
mod descriptors;
mod facts;
mod in_order;
mod index;
mod ledger;
mod merge;
mod order;
mod page;
mod part;
mod rows;
mod run;
mod shard;
mod spill;
mod table;
#[cfg(test)]
mod tests;
mod tournament;
mod unit;

use std::sync::Arc;

pub(crate) use batch::Batch;
pub(crate) use descriptors::spare as spare_descriptors;
pub(crate) use part::TablePart;
pub(crate) use run::RunFile;
pub use run::SpillError;
pub(crate) use spill::{Budget, Lasting, Spilled};
pub(crate) use table::{Drained, NameTable};
pub(crate) use tournament::Tournament;
pub(crate) use unit::CountedUnit;

use doisift_documents::WarcRecord;

/// The fields that a table stores for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredFields {
    /// All fields of a record.
    All,
    /// Its key, and the number of its mentions. The key may be any bytes.
    Count,
    /// Only its key.
    Key,
}

impl StoredFields {
    /// Returns the length of the prefix that all keys share and that need not be compared: keys of names start with `10.`.
    fn shared(self) -> usize {
        match self {
            StoredFields::All | StoredFields::Key => 3,
            StoredFields::Count => 0,
        }
    }
}

/// Identifies a document within a scan. The order is (source order, document order).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DocumentId {
    /// Ordinal of the source in source order.
    pub(crate) source: u32,
    /// Ordinal of the document within its source, from 0.
    pub(crate) document: u64,
}

/// The document of some mentions. Threads that scan chunks of the same document push to different batches with equal
/// `Document`s; the table counts the document once for each name.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) id: DocumentId,
    /// The source's name, shared by all its documents.
    pub(crate) source: Arc<str>,
    /// Counts the source once for each name. All documents of the source share it.
    pub(crate) of_source: CountedUnit,
    /// Counts the document once for each name, if it has several texts. All of them share this unit.
    pub(crate) of_whole: Option<CountedUnit>,
    /// The document's name; a plain file has none.
    pub(crate) name: Option<Arc<str>>,
    /// Its capture, if it is in a WARC file and rows of mentions have captures.
    pub(crate) capture: Option<Arc<WarcRecord>>,
    /// The cell of the text in its row, if it is in a table and rows of mentions have columns.
    pub(crate) column: Option<Arc<str>>,
}

impl Document {
    /// Returns the number of the document within its source. A document in several parts has the number of its first text.
    pub(crate) fn index(&self) -> u64 {
        let whole = self.of_whole.as_ref();
        whole.map_or(self.id.document, CountedUnit::first_text)
    }
}
