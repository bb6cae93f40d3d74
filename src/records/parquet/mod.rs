//! Apache Parquet: columns in row groups, packed with zstd, with statistics and, for records, the order they are sorted in.
//!
//! Any thread may collect rows as columns in blocks. The blocks are written to the file one row group at a time, and records
//! are read some rows at a time. The crate `parquet` handles the file format, this module the schemas.

mod columns;
mod delta;
mod encode;
mod pages;
mod read;
mod schema;
mod seal;
#[cfg(test)]
mod tests;
mod write;

use std::io;

use ::parquet::errors::ParquetError;

use super::fault::RecordFault;

pub(super) use columns::RowColumns;
pub(super) use read::ParquetReader;
pub(super) use write::{HELD, Parquet};

/// The schema of records.
const RECORD: &str = "
    message record {
        required binary doi (STRING);
        required int64 mentions;
        required int64 documents;
        required group forms (LIST) { repeated group list { required binary element (STRING); } }
        required binary first_source (STRING);
        optional binary first_document (STRING);
        required int64 first_offset;
        required binary first_text (STRING);
        required boolean guessed;
    }";

/// The schema of mentions.
const MENTION: &str = "
    message mention {
        required binary doi (STRING);
        required binary form (STRING);
        required binary source (STRING);
        optional binary document (STRING);
        required int64 offset;
        required int64 length;
        required binary text (STRING);
        required boolean guessed;
    }";

/// The I/O error inside `error`, if there is one, otherwise `error` as an I/O error.
fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

impl From<ParquetError> for RecordFault {
    fn from(error: ParquetError) -> RecordFault {
        match error {
            ParquetError::External(_) => RecordFault::Io(into_io(error)),
            error => RecordFault::Parquet(error),
        }
    }
}
