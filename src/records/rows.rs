//! The traits of formats, and code that formats share.

use std::io::{self, Write};
use std::sync::Arc;

use super::fault::ReadError;
use super::field::Field;
#[cfg(feature = "columnar")]
use super::layout::Layout;
#[cfg(feature = "columnar")]
use super::parquet::RowColumns;
use super::parts::{PartsDone, SourceRows};
use super::row::{Row, Value};
use crate::pool::LazyPool;

/// Bytes that a format buffers before a write.
pub(super) const BUFFER_BYTES: usize = 64 << 10;
/// Max bytes of a row. This program does not write longer rows, and readers do not hold them in memory.
pub(super) const MAX_ROW_BYTES: u64 = 16 << 20;

/// Reads the rows of one format in order.
pub(crate) trait RowReader<R> {
    /// Reads the next row into `into`. Returns false at the end. Must not be called again after an error.
    fn next(&mut self, into: &mut R) -> Result<bool, ReadError>;
    /// Whether rows have this field. `None` until a row has shown it.
    fn has(&self, field: Field) -> Option<bool>;
}

/// Writes rows of one format to a `W`. The output is complete only after `finish`.
pub(crate) trait RowWriter<W: Write + Send + 'static = Box<dyn Write + Send>>: Send {
    /// Writes a row. It must be of the output's kind.
    fn row(&mut self, row: &dyn Row) -> io::Result<()>;
    /// Returns the size of all rows so far, as the format counts them: text before compression, or values before encoding. It
    /// depends only on the rows.
    fn size(&self) -> u64;
    /// Writes the rest and returns the `W`.
    fn finish(self: Box<Self>) -> io::Result<W>;
    /// Continues with blocks of rows. By default, blocks are bytes that are appended.
    fn into_blocks(self: Box<Self>) -> io::Result<Box<dyn BlockWriter<W>>> {
        Ok(Box::new(ByteBlocks(self.finish()?)))
    }
}

/// Rows prepared for an output. Any thread can prepare a block, independently of other rows.
pub(crate) struct RowBlock {
    pub(super) content: BlockRows,
    /// The sources of the rows, if rows have sources.
    pub(super) sources: Vec<SourceRows>,
}

/// The rows of a block.
pub(super) enum BlockRows {
    /// Rows as in the output.
    Lines(Lines),
    /// Rows as columns, which the writer puts into groups.
    #[cfg(feature = "columnar")]
    Columns(RowColumns),
}

/// Rows as concatenated bytes.
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
    pub(crate) fn rows(&self) -> usize {
        self.content.rows()
    }

    /// Returns the size of its rows, as [`RowWriter::size`] does.
    pub(crate) fn size(&self) -> u64 {
        match &self.content {
            BlockRows::Lines(lines) => lines.bytes.len() as u64,
            #[cfg(feature = "columnar")]
            BlockRows::Columns(columns) => columns.bytes() as u64,
        }
    }

    /// Returns the min number of first rows with at least this size, or all rows if they have less.
    pub(super) fn rows_with(&self, size: u64) -> usize {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        match &self.content {
            BlockRows::Lines(lines) => {
                let fewer = lines.ends.partition_point(|&end| end < size);
                lines.ends.len().min(fewer + 1)
            }
            #[cfg(feature = "columnar")]
            BlockRows::Columns(columns) => columns.rows_with(size),
        }
    }

    /// Keeps the first `rows` rows and returns the others.
    pub(super) fn split_off(&mut self, rows: usize) -> RowBlock {
        let rows = rows.min(self.rows());
        RowBlock {
            sources: split_sources(&mut self.sources, rows as u64),
            content: match &mut self.content {
                BlockRows::Lines(lines) => BlockRows::Lines(lines.split_off(rows)),
                #[cfg(feature = "columnar")]
                BlockRows::Columns(columns) => BlockRows::Columns(columns.split_off(rows)),
            },
        }
    }
}

impl BlockRows {
    fn rows(&self) -> usize {
        match self {
            BlockRows::Lines(lines) => lines.ends.len(),
            #[cfg(feature = "columnar")]
            BlockRows::Columns(columns) => columns.rows(),
        }
    }
}

/// Keeps the sources of the first `rows` rows and returns the sources of the others.
fn split_sources(sources: &mut Vec<SourceRows>, rows: u64) -> Vec<SourceRows> {
    let (mut kept, mut rest) = (rows, Vec::new());
    for mut source in std::mem::take(sources) {
        let of_rest = source.rows.saturating_sub(kept);
        source.rows -= of_rest;
        kept -= source.rows;
        if of_rest > 0 {
            rest.push(SourceRows {
                name: source.name.clone(),
                rows: of_rest,
            });
        }
        if source.rows > 0 {
            sources.push(source);
        }
    }
    rest
}

/// Prepares a block, row by row.
pub(crate) struct BlockBuilder {
    content: BuiltRows,
    sources: Vec<SourceRows>,
}

enum BuiltRows {
    /// The writer of lines, and the ends of the lines.
    Lines(Box<dyn RowWriter<Vec<u8>>>, Vec<usize>),
    #[cfg(feature = "columnar")]
    Columns(RowColumns, Layout),
}

impl BlockBuilder {
    /// Creates a builder of lines, which `writer` writes.
    pub(super) fn of_lines(writer: Box<dyn RowWriter<Vec<u8>>>) -> Self {
        BlockBuilder {
            content: BuiltRows::Lines(writer, Vec::new()),
            sources: Vec::new(),
        }
    }

    /// Creates a builder of the columns of a layout, with memory for `rows` rows.
    #[cfg(feature = "columnar")]
    pub(super) fn of_columns(layout: Layout, rows: usize) -> Self {
        BlockBuilder {
            content: BuiltRows::Columns(RowColumns::new(&layout, rows), layout),
            sources: Vec::new(),
        }
    }

    /// Adds a row. It must be of the output's kind.
    pub(crate) fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        if let Value::Text(source) = row.value(Field::Source) {
            self.count(source);
        }
        match &mut self.content {
            BuiltRows::Lines(rows, ends) => {
                rows.row(row)?;
                ends.push(rows.size() as usize);
            }
            #[cfg(feature = "columnar")]
            BuiltRows::Columns(columns, layout) => columns.push(row, layout),
        }
        Ok(())
    }

    fn count(&mut self, source: &str) {
        match self.sources.last_mut() {
            Some(last) if last.name == source => last.rows += 1,
            _ => self.sources.push(SourceRows {
                name: source.to_owned(),
                rows: 1,
            }),
        }
    }

    pub(crate) fn end(self) -> io::Result<RowBlock> {
        let content = match self.content {
            BuiltRows::Lines(rows, ends) => {
                let bytes = rows.finish()?;
                BlockRows::Lines(Lines { bytes, ends })
            }
            #[cfg(feature = "columnar")]
            BuiltRows::Columns(columns, _) => BlockRows::Columns(columns),
        };
        let sources = self.sources;
        Ok(RowBlock { content, sources })
    }
}

/// Threads that encode rows for a writer of blocks, if the format uses them.
#[derive(Clone)]
// Only Parquet is encoded in groups of rows.
#[cfg_attr(not(feature = "columnar"), expect(dead_code))]
pub(crate) struct Encoders {
    pub(crate) pool: Arc<LazyPool>,
    /// Max groups of rows that they have at the same time, besides the one that is being collected.
    pub(crate) ahead: usize,
}

/// Writes blocks of rows. The division into blocks has no effect on the output, which is complete only after `end`.
pub(crate) trait BlockWriter<W>: Send {
    /// Writes a block of the same layout.
    fn block(&mut self, block: RowBlock) -> io::Result<()>;
    /// Reports a place in the sources before which all rows were written, and `text` bytes of text read. A part may end there.
    /// Returns whether all these rows are then in complete parts.
    fn report_place(&mut self, _text: u64) -> io::Result<bool> {
        Ok(false)
    }
    /// Returns the progress, if the rows are in parts.
    fn parts(&self) -> Option<&PartsDone> {
        None
    }
    /// Syncs all complete parts to disk, if a later run can resume from them.
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Writes the rest and returns the `W`.
    fn end(self: Box<Self>) -> io::Result<W>;
}

/// Blocks that are bytes.
struct ByteBlocks<W>(W);

impl<W: Write + Send> BlockWriter<W> for ByteBlocks<W> {
    fn block(&mut self, block: RowBlock) -> io::Result<()> {
        match block.content {
            BlockRows::Lines(lines) => self.0.write_all(&lines.bytes),
            #[cfg(feature = "columnar")]
            BlockRows::Columns(_) => Err(io::ErrorKind::InvalidInput.into()),
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
    /// Number of bytes that left the buffer.
    written: u64,
}

impl<W: Write> LineBuffer<W> {
    pub(super) fn new(out: W) -> Self {
        LineBuffer {
            out,
            buffer: Vec::with_capacity(2 * BUFFER_BYTES),
            written: 0,
        }
    }

    /// Returns the bytes of all lines so far.
    pub(super) fn size(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Ends the line at the end of the buffer.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.buffer.push(b'\n');
        self.write_if_full()
    }

    fn write_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BUFFER_BYTES {
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

/// Formats a number for JSON and CSV as the shortest text that is read back as it: `7.0`, `1e-7`.
pub(super) fn float(number: f64) -> String {
    format!("{number:?}")
}
