//! Mentions to records: one table of keys, shared by all threads.
//!
//! Threads fill a [`Batch`] each and hand it over whole; the [`Table`] aggregates by key and gives the records out in
//! order. Within a [`Budget`], a table that has used it up is written to disk as a sorted run of partial records, and filled
//! again; at the end all runs are merged. Neighbours: the scanner's mentions come in, [`Record`](crate::records::Record)s go
//! out. Knows nothing of formats, or of any file but its own runs.

mod arena;
mod batch;
pub(crate) mod bench_support;
mod blocks;
mod counted;
mod descriptors;
mod facts;
mod in_order;
mod index;
mod ledger;
mod merge;
mod order;
mod page;
mod rows;
mod run;
mod shard;
mod spill;
mod table;
#[cfg(test)]
mod tests;
mod tournament;

use std::sync::Arc;

pub(crate) use batch::Batch;
pub(crate) use descriptors::spare as spare_descriptors;
pub(crate) use run::RunFile;
pub use run::SpillError;
pub(crate) use spill::{Budget, Lasting, Spilled};
pub(crate) use table::{Drained, Table};
pub(crate) use tournament::Tournament;

/// What a table keeps of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All that a record tells.
    All,
    /// Its key alone.
    Key,
}

/// Where a document stands in a run: compares in (source order, document order).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DocumentId {
    /// Ordinal of the source in source order.
    pub(crate) source: u32,
    /// Ordinal of the document within its source, from 0.
    pub(crate) document: u64,
}

/// One document that mentions are reported for. Chunks of one document that are scanned by several threads each make
/// their own batch with an equal `Document`; the table still counts it once for each name.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) id: DocumentId,
    /// The source's name, shared by all its documents.
    pub(crate) source: Arc<str>,
    /// The document's name; a plain file has none.
    pub(crate) name: Option<Arc<str>>,
}
