//! The traits that each format implements, and code that formats share.

use std::io::{self, Write};

use super::fault::ReadError;
#[cfg(feature = "parquet")]
use super::parquet::RowColumns;
use super::parts::PartEntry;
use super::row::Row;

/// Bytes that a format buffers before a write.
pub(super) const BUFFER: usize = 64 << 10;
/// Greatest length of a row in bytes. This program writes no longer rows, and a reader holds none in memory.
pub(super) const ROW: u64 = 16 << 20;

/// Reads the rows of one format in order.
pub(crate) trait RowReader<R> {
    /// Reads the next row into `into`; false at the end. Must not be called again after an error.
    fn next(&mut self, into: &mut R) -> Result<bool, ReadError>;
    /// Whether rows have what an index says of their names; none as long as no row has shown it.
    fn has_standing(&self) -> Option<bool>;
}

/// Writes rows of one format to a `W`. The output is complete only after `finish`.
pub(crate) trait RowWriter<W: Write + Send + 'static = Box<dyn Write + Send>>: Send {
    /// Writes a row, of the kind that the output has.
    fn row(&mut self, row: &dyn Row) -> io::Result<()>;
    /// The size of all rows so far, as the format counts them: text before compression, or values before encoding. It depends on
    /// the rows alone.
    fn size(&self) -> u64;
    /// The parts that are complete, if the rows are in parts.
    fn parts(&self) -> &[PartEntry] {
        &[]
    }
    /// Writes the rest and returns the `W`.
    fn finish(self: Box<Self>) -> io::Result<W>;
    /// Continues with blocks of rows. By default a block is bytes, which are appended.
    fn into_blocks(self: Box<Self>) -> io::Result<Box<dyn BlockWriter<W>>> {
        Ok(Box::new(ByteBlocks(self.finish()?)))
    }
}

/// Rows prepared for an output. Any thread can prepare a block, independently of other rows.
pub(crate) enum RowBlock {
    /// Rows as they are in the output.
    Lines(Lines),
    /// Rows as columns, which the writer puts into groups.
    #[cfg(feature = "parquet")]
    Columns(RowColumns),
}

/// Rows as bytes, one after the other.
#[derive(Default)]
pub(crate) struct Lines {
    pub(super) bytes: Vec<u8>,
    /// The end of each row.
    pub(super) ends: Vec<usize>,
}

impl Lines {
    /// Ends the row at the end of the bytes.
    pub(super) fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Keeps the first `rows` rows and returns the others.
    fn split_off(&mut self, rows: usize) -> Lines {
        let mut ends = self.ends.split_off(rows);
        let kept = self.ends.last().copied().unwrap_or(0);
        ends.iter_mut().for_each(|end| *end -= kept);
        Lines {
            bytes: self.bytes.split_off(kept),
            ends,
        }
    }
}

impl RowBlock {
    pub(super) fn rows(&self) -> usize {
        match self {
            RowBlock::Lines(lines) => lines.ends.len(),
            #[cfg(feature = "parquet")]
            RowBlock::Columns(columns) => columns.rows(),
        }
    }

    /// The size of its rows, as [`RowWriter::size`] has it.
    pub(super) fn size(&self) -> u64 {
        match self {
            RowBlock::Lines(lines) => lines.bytes.len() as u64,
            #[cfg(feature = "parquet")]
            RowBlock::Columns(columns) => columns.bytes() as u64,
        }
    }

    /// Keeps the least number of rows whose size is at least `size`, or all, and returns the others.
    pub(super) fn split_off(&mut self, size: u64) -> RowBlock {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        match self {
            RowBlock::Lines(lines) => {
                let fewer = lines.ends.partition_point(|&end| end < size);
                RowBlock::Lines(lines.split_off(lines.ends.len().min(fewer + 1)))
            }
            #[cfg(feature = "parquet")]
            RowBlock::Columns(columns) => {
                RowBlock::Columns(columns.split_off(columns.rows_with(size)))
            }
        }
    }
}

/// Writes blocks of rows. The division into blocks has no effect on the output, which is complete only after `end`.
pub(crate) trait BlockWriter<W>: Send {
    /// Writes a block of the same layout.
    fn block(&mut self, block: RowBlock) -> io::Result<()>;
    /// Writes the rest and returns the `W`.
    fn end(self: Box<Self>) -> io::Result<W>;
}

/// Blocks that are bytes.
struct ByteBlocks<W>(W);

impl<W: Write + Send> BlockWriter<W> for ByteBlocks<W> {
    fn block(&mut self, block: RowBlock) -> io::Result<()> {
        match block {
            RowBlock::Lines(lines) => self.0.write_all(&lines.bytes),
            #[cfg(feature = "parquet")]
            RowBlock::Columns(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn end(self: Box<Self>) -> io::Result<W> {
        Ok(self.0)
    }
}

/// Writes lines of text through a buffer.
pub(super) struct LineBuffer<W> {
    out: W,
    pub(super) buffer: Vec<u8>,
    /// Bytes that were written from the buffer.
    written: u64,
}

impl<W: Write> LineBuffer<W> {
    pub(super) fn new(out: W) -> Self {
        LineBuffer {
            out,
            buffer: Vec::with_capacity(2 * BUFFER),
            written: 0,
        }
    }

    /// Bytes of all lines so far.
    pub(super) fn size(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Adds bytes, with their line ends.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        self.write_if_full()
    }

    /// Ends the line at the end of the buffer.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.buffer.push(b'\n');
        self.write_if_full()
    }

    fn write_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BUFFER {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        self.write()?;
        Ok(self.out)
    }
}
