//! The schemas of records and mentions, and a file per format that writes them, and reads records back.
//!
//! Rows come from dedup, straight from the scanner or from files of records; bytes go to any writer, an [`Output`] as a rule.
//! Knows nothing of how rows came about, or of what is read from.

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
#[cfg(test)]
mod tests;

use std::io::{self, Write};

pub use fault::ReadError;
pub use format::{Format, UnknownFormat};
pub(crate) use output::{Destination, FileId, Output, Whole};
pub(crate) use reader::{RowReader, file_reader, reader};
pub(crate) use record::{Forms, MOST, MentionRow, OwnedRecord, Record};

/// Bytes that a format gathers before it writes them.
const BUFFER: usize = 64 << 10;

/// Writes rows of one format to a `W`; `finish` must be called for the output to be whole.
pub(crate) trait RowWriter<W: Write + Send = Box<dyn Write + Send>>: Send {
    /// Writes a record; in an output of mentions this is never called.
    fn record(&mut self, record: &Record<'_>) -> io::Result<()>;
    /// Writes a mention; in an output of records this is never called.
    fn mention(&mut self, mention: &MentionRow<'_>) -> io::Result<()>;
    /// Writes what is left, and gives back what was written to.
    fn finish(self: Box<Self>) -> io::Result<W>;
    /// Goes on with blocks of records. By default they are bytes that follow one another.
    fn into_blocks(self: Box<Self>) -> io::Result<BlockWriter<W>> {
        Ok(BlockWriter::Bytes(self.finish()?))
    }
}

/// A writer of records or of mentions (`mentions` decides the header).
///
/// # Errors
/// If a format writes something at once, and that fails.
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

/// Records made ready for a [`BlockWriter`] apart from those before and behind them, on any thread.
pub(crate) enum Block {
    /// Rows as they will stand in the output.
    Bytes(Vec<u8>),
    /// Rows as columns, of which the writer makes groups.
    #[cfg(feature = "parquet")]
    Columns(parquet::Columns),
}

impl Block {
    /// The records as a block for an output of `format`.
    pub(crate) fn new(
        format: Format,
        records: &mut dyn Iterator<Item = Record<'_>>,
    ) -> io::Result<Block> {
        let mut rows: Box<dyn RowWriter<Vec<u8>>> = match format {
            Format::Csv => Box::new(csv::Csv::appending(Vec::new())),
            Format::Jsonl | Format::Names => writer(format, false, Vec::new())?,
            #[cfg(feature = "parquet")]
            Format::Parquet => return Ok(Block::Columns(records.collect())),
        };
        for record in records {
            rows.record(&record)?;
        }
        rows.finish().map(Block::Bytes)
    }
}

/// Writes blocks of records to a `W`, in any division into blocks the same bytes; `finish` must be called for the output to
/// be whole.
pub(crate) enum BlockWriter<W: Write + Send> {
    /// To where bytes go.
    Bytes(W),
    /// To where columns go.
    #[cfg(feature = "parquet")]
    Columns(Box<parquet::Parquet<W>>),
}

impl<W: Write + Send> BlockWriter<W> {
    /// Writes a block of the same format.
    pub(crate) fn write(&mut self, block: Block) -> io::Result<()> {
        match (self, block) {
            (BlockWriter::Bytes(out), Block::Bytes(rows)) => out.write_all(&rows),
            #[cfg(feature = "parquet")]
            (BlockWriter::Columns(rows), Block::Columns(columns)) => rows.append(columns),
            #[cfg(feature = "parquet")]
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Writes what is left, and gives back what was written to.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self {
            BlockWriter::Bytes(out) => Ok(out),
            #[cfg(feature = "parquet")]
            BlockWriter::Columns(rows) => rows.finish(),
        }
    }
}

/// Lines that are gathered and written by the buffer.
struct Lines<W> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> Lines<W> {
    fn new(out: W) -> Self {
        Lines {
            out,
            buffer: Vec::with_capacity(2 * BUFFER),
        }
    }

    /// Ends the line that was added to the buffer.
    fn end(&mut self) -> io::Result<()> {
        self.buffer.push(b'\n');
        if self.buffer.len() >= BUFFER {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<W> {
        self.write()?;
        Ok(self.out)
    }
}
