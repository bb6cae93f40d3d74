//! Apache Parquet.
//!
//! `footer` and `schema` read the metadata at the end of the file, in the protocol of `thrift`. `group` opens the columns of a
//! row group; `column` reads cells from pages, which `page` finds and `codec` unpacks; `levels` and
//! `plain` decode them.

mod codec;
mod column;
mod file;
mod footer;
mod group;
mod levels;
mod page;
mod plain;
mod schema;
#[cfg(test)]
mod tests;
mod thrift;

pub(in crate::input) use self::file::ParquetFile;
