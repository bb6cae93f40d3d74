//! The file: row groups one after the other, and the metadata at its end.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::Result;
use ::parquet::file::metadata::SortingColumn;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use ::parquet::schema::types::ColumnDescPtr;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::columns::{Columns, Values};
use super::encode::{Encoded, encode};
use super::seal::{Sealed, WRITER, unsealed};
use super::{MENTION, RECORD, into_io};
use crate::records::rows::{Block, BlockWriter, RowWriter};
use crate::records::{MentionRow, Record};

/// Rows of a group. DuckDB shares a file out to threads by groups of at least 122,880 rows, other readers want as many or
/// more; what is gained by still more is small.
const GROUP_ROWS: usize = 1 << 17;
/// Bytes of a group, before it is encoded, past which it takes no more rows: so many rows have fewer as a rule.
const GROUP_BYTES: usize = 32 << 20;
/// Bytes that a group takes, as rows and as pages.
pub(crate) const HELD: usize = 2 * GROUP_BYTES;
/// Rows that come one by one are gathered in blocks of so many.
const BLOCK: usize = 1024;
/// As other outputs have it.
const LEVEL: i32 = 3;
/// Columns of which hardly two values are the same, so that a dictionary would be in vain: of records, and of mentions.
const DISTINCT: [&[&str]; 2] = [&["doi", "first_offset", "first_text"], &["offset"]];

/// Writes Parquet.
///
/// What is written depends on the rows alone, not on how they came. A group is held in memory until it is full, and then
/// once more, packed, as it is encoded: at most [`HELD`] bytes, and the row that is past them. On a rayon pool its columns are
/// encoded on all threads.
pub(crate) struct Parquet<W: Write + Send> {
    file: SerializedFileWriter<Sealed<W>>,
    /// Rows that came one by one.
    block: Columns,
    /// Rows of the next group.
    group: Vec<Columns>,
    rows: usize,
    bytes: usize,
    most_rows: usize,
    most_bytes: usize,
}

impl<W: Write + Send> Parquet<W> {
    pub(crate) fn new(mentions: bool, out: W) -> io::Result<Self> {
        Parquet::start(mentions, out).map_err(into_io)
    }

    fn start(mentions: bool, out: W) -> Result<Self> {
        Parquet::with(properties(mentions)?, mentions, out)
    }

    /// With other properties: for tests.
    pub(super) fn with(properties: WriterProperties, mentions: bool, out: W) -> Result<Self> {
        let schema = parse_message_type(if mentions { MENTION } else { RECORD })?;
        let most_rows = properties.max_row_group_row_count();
        let most_bytes = properties.max_row_group_bytes();
        let out = Sealed::new(out);
        let mut file = SerializedFileWriter::new(out, schema.into(), properties.into())?;
        file.append_key_value_metadata(unsealed());
        Ok(Parquet {
            file,
            block: Columns::default(),
            group: Vec::new(),
            rows: 0,
            bytes: 0,
            most_rows: most_rows.unwrap_or(GROUP_ROWS),
            most_bytes: most_bytes.unwrap_or(GROUP_BYTES),
        })
    }

    /// Writes these rows after all others.
    pub(crate) fn append(&mut self, mut rows: Columns) -> io::Result<()> {
        while rows.rows() > 0 {
            let fitting = rows.rows_with(self.most_bytes - self.bytes);
            let rest = rows.split_off(fitting.min(self.most_rows - self.rows));
            self.rows += rows.rows();
            self.bytes += rows.bytes();
            self.group.push(rows);
            if self.rows == self.most_rows || self.bytes >= self.most_bytes {
                self.write_group().map_err(into_io)?;
            }
            rows = rest;
        }
        Ok(())
    }

    fn end_row(&mut self) -> io::Result<()> {
        match self.block.rows() {
            BLOCK => self.flush_block(),
            _ => Ok(()),
        }
    }

    fn flush_block(&mut self) -> io::Result<()> {
        let block = std::mem::take(&mut self.block);
        self.append(block)
    }

    fn write_group(&mut self) -> Result<()> {
        let columns = self.take_group();
        if columns.is_empty() {
            return Ok(());
        }
        let properties = Arc::clone(self.file.properties());
        let encode = |(column, parts): (ColumnDescPtr, _)| encode(&column, &properties, parts);
        let columns = match rayon::current_thread_index() {
            Some(_) => columns.into_par_iter().map(encode).collect::<Result<_>>()?,
            None => columns
                .into_iter()
                .map(encode)
                .collect::<Result<Vec<_>>>()?,
        };
        let mut group = self.file.next_row_group()?;
        for Encoded { pages, closed } in columns {
            group.append_column(&pages, closed)?;
        }
        group.close()?;
        Ok(())
    }

    /// The columns of the group, each with its values.
    fn take_group(&mut self) -> Vec<(ColumnDescPtr, Vec<Values>)> {
        self.rows = 0;
        self.bytes = 0;
        let mut blocks: Vec<_> = std::mem::take(&mut self.group)
            .into_iter()
            .map(|block| block.into_values().into_iter())
            .collect();
        let columns = self.file.schema_descr().columns().iter();
        let parts = columns.map(|column| {
            let parts = blocks.iter_mut().filter_map(Iterator::next);
            (Arc::clone(column), parts.collect())
        });
        parts
            .filter(|(_, parts): &(_, Vec<_>)| !parts.is_empty())
            .collect()
    }

    fn close(mut self) -> Result<W> {
        self.write_group()?;
        self.file.inner_mut().hold_back();
        let out = self.file.into_inner()?;
        Ok(out.seal()?)
    }
}

impl<W: Write + Send + 'static> BlockWriter<W> for Parquet<W> {
    fn block(&mut self, block: Block) -> io::Result<()> {
        match block {
            Block::Columns(columns) => self.append(columns),
            Block::Bytes(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn end(self: Box<Self>) -> io::Result<W> {
        self.finish()
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for Parquet<W> {
    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.block.record(record);
        self.end_row()
    }

    fn mention(&mut self, mention: &MentionRow<'_>) -> io::Result<()> {
        self.block.mention(mention);
        self.end_row()
    }

    fn into_blocks(self: Box<Self>) -> io::Result<Box<dyn BlockWriter<W>>> {
        Ok(self)
    }

    fn finish(mut self: Box<Self>) -> io::Result<W> {
        self.flush_block()?;
        self.close().map_err(into_io)
    }
}

/// Nothing here may differ from run to run.
fn properties(mentions: bool) -> Result<WriterProperties> {
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("{WRITER}{}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_statistics_enabled(EnabledStatistics::Chunk);
    for &column in DISTINCT[usize::from(mentions)] {
        builder = builder.set_column_dictionary_enabled(column.into(), false);
    }
    Ok(match mentions {
        true => builder.build(),
        false => sorted(builder).build(),
    })
}

/// What holds for records, which are sorted.
fn sorted(builder: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
    let by_doi = SortingColumn {
        column_idx: 0,
        descending: false,
        nulls_first: false,
    };
    builder
        .set_sorting_columns(Some(vec![by_doi]))
        // Only of what is sorted do the bounds of a page show where to look.
        .set_column_statistics_enabled("doi".into(), EnabledStatistics::Page)
}
