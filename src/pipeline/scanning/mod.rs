//! Scans chunks of text and cells of tables: bytes in, held mentions and counts out.
//!
//! Uses `plan`, `ledger`, `rows` and `edges`, and knows neither sources nor other threads. A scanner belongs to one thread.

mod cells;
mod chunk_scanner;
pub(super) mod kind;
mod text;

pub(super) use cells::TableRows;
pub(super) use chunk_scanner::ChunkScanner;
pub(super) use text::{SharedDocument, SharedLines, SourceText, TextLine};
