//! The schemas of records and mentions, and a module for each format that writes them and reads records.
//!
//! Rows are written to any writer, usually an [`Output`].

mod csv;
mod fault;
mod format;
mod jsonl;
mod names;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod record;
mod rows;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

pub use fault::ReadError;
pub use format::{Format, UnknownFormat};
pub(crate) use output::{Destination, FileId, Output, WholeOutput};
pub(crate) use reader::{file_reader, reader};
pub(crate) use record::{Forms, MOST, MentionRow, OwnedRecord, Record};
pub(crate) use rows::{RecordBlock, RowReader, RowWriter};

/// A writer of records, or with `mentions` of mentions.
///
/// # Errors
/// If the format writes a header at once, and that fails.
pub(crate) fn writer<W: Write + Send + 'static>(
    format: Format,
    mentions: bool,
    out: W,
) -> io::Result<Box<dyn RowWriter<W>>> {
    Ok(match format {
        Format::Csv => Box::new(csv::Csv::new(mentions, out)),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(out)),
        Format::Names => Box::new(names::Names::new(out)),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(parquet::Parquet::new(mentions, out)?),
    })
}

impl RecordBlock {
    /// The records as a block for an output of `format`.
    pub(crate) fn new(
        format: Format,
        records: &mut dyn Iterator<Item = Record<'_>>,
    ) -> io::Result<RecordBlock> {
        let mut rows: Box<dyn RowWriter<Vec<u8>>> = match format {
            Format::Csv => Box::new(csv::Csv::appending(Vec::new())),
            Format::Jsonl | Format::Names => writer(format, false, Vec::new())?,
            #[cfg(feature = "parquet")]
            Format::Parquet => return Ok(RecordBlock::Columns(records.collect())),
        };
        for record in records {
            rows.record(&record)?;
        }
        rows.finish().map(RecordBlock::Bytes)
    }
}
