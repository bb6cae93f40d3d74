//! The edges of structured documents: rows with their records, paths and references.
//!
//! `document_edges` reads a document chunk by chunk and finds the place of each anchor; `join` fills in the record of rows when it
//! is known, with the details of an `open_item`; `chunk_edges` says how chunks of a document depend on each other. Uses `plan`, `ledger` and `rows`.

mod chunk_edges;
mod document_edges;
mod join;
mod open_item;

pub(super) use chunk_edges::{ChunkChain, ChunkLinks, EdgeReader};
pub(super) use document_edges::place_in_cell;

#[cfg(test)]
mod source_tests;
#[cfg(test)]
mod tests;
