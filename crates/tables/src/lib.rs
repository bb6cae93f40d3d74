//! Rows and cells of tables that are text: delimited text of any dialect and encoding, JSON Lines and arrays of JSON objects.
//!
//! `header` recognises from the head of a document its format (`format`, `dialect`) and the row that is the header. `column`
//! finds a column in it, `charset` has the encodings. `split` and `elements` find the ends of rows in a buffer to which bytes are
//! appended, `blocks` passes a document on in blocks of whole rows, and `rows` cuts these into rows and cells. `json` finds members of
//! objects, and `objects` the objects of an array. The bytes come from `doisift-documents`, which also turns the sheets of workbooks into delimited text. Does not know what the
//! cells are about.
//!
//! # Errors
//!
//! A [`TableFault`] says why the layout of a document is not known or lacks a column. Some messages name options of the command
//! `doisift`, such as `--header-row`; each is an argument of a function here.
//!
//! # Cost
//!
//! Each byte is read once to find the ends of rows, and once more by the caller that wants cells. Memory is bounded by the longest
//! row.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod blocks;
mod charset;
mod column;
mod dialect;
mod elements;
mod fault;
mod format;
mod header;
mod json;
mod objects;
mod rows;
mod split;

pub use blocks::{BlockSizes, HeldText, RawText, RowBlocks, RowPiece};
pub use charset::{Charset, Utf8Text, shown_at};
pub use column::{named_column, numbered};
pub use dialect::Dialect;
pub use elements::{ElementSplitter, element, is_array};
pub use fault::{CellFault, RowLoss, TableFault};
pub use format::{TableFormat, TableReading, sep_line};
pub use header::{HeaderChoice, TableHead, pass_mark, table_bytes};
pub use json::{JsonArray, JsonObject, MemberPath, member_names, place, string, utf8};
pub use objects::{ObjectFinder, items};
pub use rows::{CellPlace, Row, RowCell, RowCutter, TableItem, TableRows};
pub use split::{RowSplitter, TableSplitter};

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
