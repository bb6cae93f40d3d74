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
mod reader;
mod record;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

pub use fault::ReadError;
pub use format::{Format, UnknownFormat};
pub(crate) use output::{Output, Whole};
pub(crate) use reader::{RowReader, reader};
pub(crate) use record::{Forms, MentionRow, OwnedRecord, Record};

/// Bytes that a format gathers before it writes them.
const BUFFER: usize = 64 << 10;

/// Writes rows of one format to a `W`; `finish` must be called for the output to be whole.
pub(crate) trait RowWriter<W = Box<dyn Write + Send>>: Send {
    /// Writes a record; in an output of mentions this is never called.
    fn record(&mut self, record: &Record<'_>) -> io::Result<()>;
    /// Writes a mention; in an output of records this is never called.
    fn mention(&mut self, mention: &MentionRow<'_>) -> io::Result<()>;
    /// Writes what is left, and gives back what was written to.
    fn finish(self: Box<Self>) -> io::Result<W>;
}

/// A writer of records or of mentions (`mentions` decides the header).
pub(crate) fn writer<W: Write + Send + 'static>(
    format: Format,
    mentions: bool,
    out: W,
) -> Box<dyn RowWriter<W>> {
    match format {
        Format::Csv => Box::new(csv::Csv::new(mentions, out)),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(out)),
        Format::Names => Box::new(names::Names::new(out)),
    }
}

/// A writer of records without a header: what it gives back may follow what [`writer`] or another of these wrote.
pub(crate) fn appender(format: Format) -> Box<dyn RowWriter<Vec<u8>>> {
    match format {
        Format::Csv => Box::new(csv::Csv::appending(Vec::new())),
        Format::Jsonl | Format::Names => writer(format, false, Vec::new()),
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
