//! The columns of a row group.

use std::cell::Cell;
use std::rc::Rc;

use super::codec::{PageCodec, SharedDecoders};
use super::column::{ColumnBuffers, ColumnReader};
use super::file::{ParquetFile, StoredColumns, file_error};
use super::footer::{self, ColumnChunk, GroupEntry};
use super::page::{PageStream, READ_BYTES};
use super::schema::ParquetLeaf;
use crate::columnar::part::{ColumnFault, RowReader, TableItem};

/// Reads the texts of a row group, some rows at a time.
pub(crate) struct GroupReader {
    rows: RowReader<ColumnReader>,
    memory: usize,
    /// Buffers for columns.
    buffers: Vec<ColumnBuffers>,
}

impl GroupReader {
    /// Reads a row group from the row `start` on, with `memory` bytes for pages. `buffers` are those of a group that was read before.
    pub(super) fn new(
        file: &ParquetFile,
        group: GroupEntry,
        start: u64,
        memory: usize,
        buffers: Vec<ColumnBuffers>,
    ) -> Self {
        let mut reader = GroupReader {
            rows: RowReader::new(&file.paths, group.first_row, group.rows, start, memory),
            memory,
            buffers,
        };
        reader.open(file, group);
        reader
    }

    fn open(&mut self, file: &ParquetFile, group: GroupEntry) {
        let leaves: Vec<&ParquetLeaf> = file.texts.iter().chain(&file.id).collect();
        let opener = ColumnOpener::new(&file.stored, self.memory, READ_BYTES);
        let Some(opened) = opener.open(group, &leaves, &mut self.buffers) else {
            let error = file_error("has damaged metadata of a row group");
            self.rows.report_loss(0, error);
            return self.rows.set_columns(Vec::new());
        };
        let each = leaves.iter().zip(opened);
        let mut columns: Vec<Option<ColumnReader>> = each
            .map(|(leaf, opened)| {
                let report_loss =
                    |(at, fault)| self.rows.report_column_loss(&leaf.name.path, at, fault);
                opened.map_err(report_loss).ok()
            })
            .collect();
        let id = columns.split_off(file.texts.len()).pop().flatten();
        if let (Some(leaf), Some(id)) = (&file.id, id) {
            self.rows.set_id(&leaf.name.path, id);
        }
        self.rows.set_columns(columns);
    }

    /// Ends the group, and returns the buffers, as far as they fit the memory for pages.
    pub(super) fn into_buffers(self) -> Vec<ColumnBuffers> {
        let columns = self.rows.into_columns();
        let all = columns.map(ColumnReader::into_buffers).chain(self.buffers);
        let mut room = self.memory;
        let mut buffers: Vec<_> = all
            .map_while(|buffers: ColumnBuffers| {
                let size = buffers.iter().map(Vec::capacity).sum();
                room = room.checked_sub(size)?;
                Some(buffers)
            })
            .collect();
        // The first column takes the last of them.
        buffers.reverse();
        buffers
    }
}

impl Iterator for GroupReader {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        self.rows.next()
    }
}

/// Opens the columns of a row group, which share memory and decoders.
pub(super) struct ColumnOpener<'f> {
    file: &'f StoredColumns,
    room: Rc<Cell<usize>>,
    decoders: SharedDecoders,
    /// Bytes of a read.
    read: usize,
}

/// A column, or why it cannot be read, with the offset of its pages in the file.
pub(super) type OpenedColumn = Result<ColumnReader, (u64, ColumnFault)>;

impl<'f> ColumnOpener<'f> {
    /// The columns may take `memory` bytes for pages.
    pub(super) fn new(file: &'f StoredColumns, memory: usize, read: usize) -> Self {
        ColumnOpener {
            file,
            room: Rc::new(Cell::new(memory)),
            decoders: SharedDecoders::default(),
            read,
        }
    }

    /// Opens the columns of `leaves`. Returns `None` if the metadata of the group is damaged.
    pub(super) fn open(
        &self,
        group: GroupEntry,
        leaves: &[&ParquetLeaf],
        buffers: &mut Vec<ColumnBuffers>,
    ) -> Option<Vec<OpenedColumn>> {
        let mut numbers: Vec<usize> = leaves.iter().map(|leaf| leaf.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let chunks = footer::chunks(&self.file.footer, group, &numbers)?;
        let column = |leaf: &&ParquetLeaf| {
            let slot = numbers.binary_search(&leaf.number).ok()?;
            Some(self.column(leaf, chunks[slot], buffers))
        };
        leaves.iter().map(column).collect()
    }

    fn column(
        &self,
        leaf: &ParquetLeaf,
        chunk: Option<ColumnChunk>,
        buffers: &mut Vec<ColumnBuffers>,
    ) -> OpenedColumn {
        let codec = self.codec(leaf, chunk).map_err(|what| {
            let at = chunk.map_or(0, |chunk| chunk.start);
            (at, ColumnFault::Damaged(what))
        });
        let (chunk, codec) = codec?;
        let [window, bytes] = buffers.pop().unwrap_or_default();
        let pages = PageStream::new(&self.file.file, chunk, window, self.read);
        let values = chunk.values;
        Ok(ColumnReader::new(
            pages, leaf, values, codec, &self.room, bytes,
        ))
    }

    /// The chunk of a column, if it can be read, and its codec.
    fn codec(
        &self,
        leaf: &ParquetLeaf,
        chunk: Option<ColumnChunk>,
    ) -> Result<(ColumnChunk, PageCodec), &'static str> {
        let chunk = chunk.ok_or("it is missing in a row group")?;
        let end = chunk.start.checked_add(chunk.length);
        if chunk.is_encrypted {
            Err("it is encrypted")
        } else if chunk.is_elsewhere {
            Err("it is in another file, which is not read")
        } else if chunk.physical != Some(leaf.physical) {
            Err("its metadata in a row group is damaged")
        } else if end.is_none_or(|end| end > self.file.length) {
            Err("it is not in the file, which is cut or damaged")
        } else {
            let codec = PageCodec::new(chunk.codec, &self.decoders);
            let codec =
                codec.ok_or("it is packed with a codec that is not supported, LZO for example")?;
            Ok((chunk, codec))
        }
    }
}
