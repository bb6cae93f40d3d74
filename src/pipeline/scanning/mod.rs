//! Scans chunks of text and cells of tables: bytes in, held mentions and counts out.
//!
//! Uses `plan`, `ledger` and `rows`, and knows neither sources nor other threads. A scanner belongs to one thread, and never waits.

mod cells;
mod chunk_scanner;
mod edges;
pub(super) mod kind;
mod text;

pub(super) use cells::TableRows;
pub(super) use chunk_scanner::ChunkScanner;
pub(super) use edges::EdgeFinder;
pub(super) use text::{SharedDocument, SharedLines, SourceText, TextLine};
