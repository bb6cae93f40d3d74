//! Tables in columns: the texts of Apache Parquet files, a document for each row.
//!
//! `parquet` reads the format and gives batches of `cells`: the texts of some rows, each with its column. `choice` selects the
//! columns, and `crew` reads several row groups at the same time. Columns that are not selected are not read.
//!
//! A page is held in memory, and so are the dictionary and some rows of each column. All sizes and counts in a file are
//! checked before memory is taken for them. What is unpacked in total counts towards the limit on expansion. No other crate
//! reads these files here: those that do take memory for sizes that a file only claims, and panic on some damaged pages.

#[cfg(feature = "parquet")]
mod cells;
mod choice;
#[cfg(feature = "parquet")]
mod crew;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod path;

#[cfg(feature = "parquet")]
pub(crate) use self::cells::{Cell, CellBatch, CellDictionary, CellText};
pub(crate) use self::choice::ColumnChoice;
#[cfg(feature = "parquet")]
pub(super) use self::crew::{RowGroups, TableLimits};
#[cfg(feature = "parquet")]
pub(super) use self::parquet::{ParquetFile, TableItem};
