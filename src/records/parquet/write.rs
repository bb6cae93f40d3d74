//! Writes a file: its row groups, and the metadata at its end.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::Result;
use ::parquet::file::metadata::SortingColumn;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::ColumnDescPtr;

use super::ahead::{ColumnJob, GroupQueue};
use super::columns::{ColumnValues, RowColumns};
use super::encode::{Encoded, encode};
use super::seal::{SealedFile, WRITER, unsealed};
use super::{into_io, schema_of};
use crate::records::field::{Field, FieldKind};
use crate::records::format::GROUP_BYTES;
use crate::records::layout::Layout;
use crate::records::row::Row;
use crate::records::rows::{BlockRows, BlockWriter, Encoders, RowBlock, RowWriter};

/// Rows of a group. DuckDB distributes a file to threads by groups and recommends at least 122,880 rows; other readers work well
/// with this size too. Larger groups gain little.
const GROUP_ROWS: usize = 1 << 17;
/// Number of single rows in a block.
const BLOCK_ROWS: usize = 1024;
/// Compression level. Level 3 takes twice the time; its files are 1.5 % smaller with edges, and up to 8 % larger with names.
const ZSTD_LEVEL: i32 = 1;

/// Writes Parquet.
///
/// The output depends only on the rows, not on their division into blocks. A group is held in memory until it is full, and then a
/// second time as encoded pages: at most twice [`GROUP_BYTES`] and one row, and one more group for each that encoders may have
/// ahead.
pub(crate) struct Parquet<W: Write + Send> {
    file: SerializedFileWriter<SealedFile<W>>,
    layout: Layout,
    /// Single rows that were collected.
    block: RowColumns,
    /// Groups that are full.
    encoding: GroupQueue,
    /// Rows of the next group.
    group: Vec<RowColumns>,
    rows: usize,
    bytes: usize,
    /// Size of all appended rows.
    size: u64,
    max_rows: usize,
    max_bytes: usize,
}

impl<W: Write + Send> Parquet<W> {
    pub(crate) fn new(layout: &Layout, out: W) -> io::Result<Self> {
        Parquet::start(layout, out).map_err(into_io)
    }

    fn start(layout: &Layout, out: W) -> Result<Self> {
        Parquet::with(properties(layout)?, layout, out)
    }

    /// Creates a writer with other properties, for tests.
    pub(super) fn with(properties: WriterProperties, layout: &Layout, out: W) -> Result<Self> {
        let schema = schema_of(layout)?;
        let max_rows = properties.max_row_group_row_count();
        let max_bytes = properties.max_row_group_bytes();
        let out = SealedFile::new(out);
        let mut file = SerializedFileWriter::new(out, schema.into(), properties.into())?;
        file.append_key_value_metadata(unsealed());
        Ok(Parquet {
            file,
            layout: layout.clone(),
            block: RowColumns::new(layout, 0),
            encoding: GroupQueue::default(),
            group: Vec::new(),
            rows: 0,
            bytes: 0,
            size: 0,
            max_rows: max_rows.unwrap_or(GROUP_ROWS),
            max_bytes: max_bytes.unwrap_or(GROUP_BYTES),
        })
    }

    /// Lets `encoders` encode the groups.
    pub(crate) fn encoded_by(mut self, encoders: Encoders) -> Self {
        self.encoding.set_encoders(encoders);
        self
    }

    /// Appends rows.
    pub(crate) fn append(&mut self, mut rows: RowColumns) -> io::Result<()> {
        self.size += rows.bytes() as u64;
        while rows.rows() > 0 {
            let fitting = rows.rows_with(self.max_bytes - self.bytes);
            let rest = rows.split_off(fitting.min(self.max_rows - self.rows));
            self.rows += rows.rows();
            self.bytes += rows.bytes();
            self.group.push(rows);
            if self.rows == self.max_rows || self.bytes >= self.max_bytes {
                self.end_group().map_err(into_io)?;
            }
            rows = rest;
        }
        Ok(())
    }

    fn end_row(&mut self) -> io::Result<()> {
        match self.block.rows() {
            BLOCK_ROWS => self.flush_block(),
            _ => Ok(()),
        }
    }

    fn flush_block(&mut self) -> io::Result<()> {
        let next = RowColumns::new(&self.layout, BLOCK_ROWS);
        let block = std::mem::replace(&mut self.block, next);
        self.append(block)
    }

    /// Starts to encode the group, and writes earlier groups that need not wait.
    fn end_group(&mut self) -> Result<()> {
        let columns = self.take_group();
        if columns.is_empty() {
            return Ok(());
        }
        let properties = self.file.properties();
        self.encoding
            .push(columns.into_iter().map(|(column, parts)| {
                let properties = Arc::clone(properties);
                Box::new(move || encode(&column, &properties, parts)) as ColumnJob
            }));
        self.write_groups(false)
    }

    /// Writes encoded groups: `all`, or only those that exceed the number that may wait.
    fn write_groups(&mut self, all: bool) -> Result<()> {
        while let Some(columns) = self.encoding.pop(all) {
            let mut group = self.file.next_row_group()?;
            for Encoded { pages, closed } in columns? {
                group.append_column(&pages, closed)?;
            }
            group.close()?;
        }
        Ok(())
    }

    /// Takes the columns of the group with their values.
    fn take_group(&mut self) -> Vec<(ColumnDescPtr, Vec<ColumnValues>)> {
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
        self.end_group()?;
        self.write_groups(true)?;
        self.file.inner_mut().hold_back();
        let out = self.file.into_inner()?;
        Ok(out.seal()?)
    }
}

impl<W: Write + Send + 'static> BlockWriter<W> for Parquet<W> {
    fn block(&mut self, block: RowBlock) -> io::Result<()> {
        match block.content {
            BlockRows::Columns(columns) => self.append(columns),
            BlockRows::Lines(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn end(self: Box<Self>) -> io::Result<W> {
        self.finish()
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for Parquet<W> {
    fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        self.block.push(row, &self.layout);
        self.end_row()
    }

    fn size(&self) -> u64 {
        self.size + self.block.bytes() as u64
    }

    fn into_blocks(self: Box<Self>) -> io::Result<Box<dyn BlockWriter<W>>> {
        Ok(self)
    }

    fn finish(mut self: Box<Self>) -> io::Result<W> {
        self.flush_block()?;
        self.close().map_err(into_io)
    }
}

/// Returns the properties, which must be the same in every run.
fn properties(layout: &Layout) -> Result<WriterProperties> {
    let mut builder = WriterProperties::builder()
        .set_created_by(format!("{WRITER}{}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let fields = layout.fields.iter();
    for field in fields.filter(|&&field| layout.rows.is_distinct(field)) {
        builder = builder.set_column_dictionary_enabled(field.name().into(), false);
    }
    Ok(sorted(layout, builder).build())
}

/// Adds the properties of sorted rows, as far as the output has the fields that they are sorted by.
fn sorted(layout: &Layout, builder: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
    let column = |field: &Field| layout.fields.iter().position(|other| other == field);
    let by = layout.rows.sorted_by().iter();
    let columns: Vec<usize> = by.map_while(column).collect();
    let Some(&first) = columns.first() else {
        return builder;
    };
    let order = |&column: &usize| SortingColumn {
        // Each field has one column.
        column_idx: column as i32,
        descending: false,
        nulls_first: layout.fields[column].kind() == FieldKind::TextOrNull,
    };
    let name = layout.fields[first].name();
    builder
        .set_sorting_columns(Some(columns.iter().map(order).collect()))
        // Bounds of pages help a search only in a sorted column.
        .set_column_statistics_enabled(name.into(), EnabledStatistics::Page)
}
