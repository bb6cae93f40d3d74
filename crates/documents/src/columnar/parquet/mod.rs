//! Apache Parquet.
//!
//! `footer` and `schema` read the metadata at the end of the file, in the protocol of `thrift`. `group` opens the columns of a
//! row group; `column` reads values from pages, which `page` finds and `codec` unpacks; `levels`, `plain` and `delta` decode
//! them. `file` has the columns that are read. `texts` gives the texts of a source; `table` gives the values of columns that are all
//! needed.

mod codec;
mod column;
mod delta;
mod file;
mod footer;
mod group;
mod levels;
mod page;
mod plain;
mod schema;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod thrift;

pub(crate) use self::file::ParquetFile;
pub use self::table::{ColumnType, ParquetTable, TableColumn};
