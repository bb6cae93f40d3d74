//! Reads a source document by document, and passes texts and rows of tables to an implementation of [`DocumentScanner`].
//!
//! Uses `plan`, `ledger`, `rows` and `scanning`; the room `dispatch` implements [`DocumentScanner`]. Reading may block, so it is done by
//! feeders, or by the thread that also scans.

mod source_reading;
mod text_table;

pub(super) use source_reading::{DocumentScanner, read_source};
