//! Apache Parquet, by the crate `parquet`.
//!
//! `file` reads the metadata and selects columns, `group` reads those of a row group as batches of rows, each column by itself,
//! so that damage loses only the rest of its column. `pages` checks the sizes that a file states before the crate takes memory
//! for them, with `thrift`, `levels` and `delta`. `texts` gives the texts of a source; `table` gives the values of columns that are all
//! needed.

mod delta;
mod file;
mod group;
mod levels;
mod pages;
mod schema;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod thrift;

pub use self::table::{ColumnType, ParquetTable, TableColumn};
pub(crate) use self::texts::ParquetFile;
