//! The rows of a row group.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::codec::PageCodec;
use super::column::{ColumnBuffers, ColumnFault, ColumnReader, MemoryRoom};
use super::file::{ParquetFile, fault};
use super::footer::{self, ColumnChunk, GroupEntry};
use super::schema::Leaf;
use crate::input::columnar::cells::{CellBatch, CellBuilder};
use crate::input::fault::InputError;

/// Rows of the first batch, and most rows of one.
const FIRST: u32 = 64;
const MOST: u32 = 8192;
/// Bytes of texts that a batch should have.
const BYTES: u64 = 256 << 10;
/// Rows that cost as much as a byte.
const ROWS_PER_BYTE: u64 = 8;

/// What a row group gives.
pub(in crate::input) enum TableItem {
    Batch {
        batch: CellBatch,
        /// Its bytes of texts, and what else counts as unpacked.
        cost: u64,
        /// Bytes of the file that were read for it.
        read: u64,
    },
    /// A loss at an offset of the file.
    Lost(u64, InputError),
}

/// Reads a row group, some rows at a time.
pub(in crate::input::columnar) struct GroupReader<'f> {
    file: &'f ParquetFile,
    group: GroupEntry,
    /// The columns with texts; none for one that cannot be read.
    columns: Vec<Option<ColumnReader>>,
    id: Option<ColumnReader>,
    /// The number of rows that each column has read ahead, which are in the builder.
    ahead: Vec<u32>,
    builder: CellBuilder,
    /// The next row in the group.
    row: u64,
    /// Rows of the next batch.
    wanted: u32,
    lost: VecDeque<TableItem>,
    memory: usize,
    /// Buffers for columns.
    buffers: Vec<ColumnBuffers>,
}

impl<'f> GroupReader<'f> {
    /// Reads a row group with `memory` bytes for pages. `buffers` are those of a group that was read before.
    fn new(
        file: &'f ParquetFile,
        group: GroupEntry,
        memory: usize,
        buffers: Vec<ColumnBuffers>,
    ) -> Self {
        let mut reader = GroupReader {
            file,
            group,
            columns: Vec::new(),
            id: None,
            ahead: vec![0; file.texts.len()],
            builder: CellBuilder::new(&file.paths, group.first_row),
            row: 0,
            wanted: FIRST,
            lost: VecDeque::new(),
            memory,
            buffers,
        };
        let room: MemoryRoom = Rc::new(Cell::new(memory));
        match footer::chunks(&file.footer, group, &file.numbers) {
            Some(chunks) => {
                let texts = file.texts.iter();
                reader.columns = texts
                    .map(|leaf| reader.column(leaf, &chunks, &room))
                    .collect();
                let id = file.id.as_ref();
                reader.id = id.and_then(|leaf| reader.column(leaf, &chunks, &room));
            }
            None => reader.lose(0, fault("has damaged metadata of a row group")),
        }
        if reader.columns.iter().all(Option::is_none) {
            reader.row = group.rows;
        }
        reader
    }

    fn column(
        &mut self,
        leaf: &Leaf,
        chunks: &[Option<ColumnChunk>],
        room: &MemoryRoom,
    ) -> Option<ColumnReader> {
        let slot = self.file.numbers.binary_search(&leaf.number).ok()?;
        let chunk = chunks[slot];
        let opened = match chunk {
            None => Err("it is missing in a row group"),
            Some(chunk) if chunk.is_encrypted => Err("it is encrypted"),
            Some(chunk) if chunk.is_elsewhere => Err("it is in another file, which is not read"),
            Some(chunk) if !self.is_held(chunk) => {
                Err("it is not in the file, which is cut or damaged")
            }
            Some(chunk) => match PageCodec::new(chunk.codec) {
                Some(codec) => Ok((chunk, codec)),
                None => Err("it is packed with a codec that is not supported, LZO for example"),
            },
        };
        match opened {
            Ok((chunk, codec)) => {
                let file = &self.file.file;
                let buffers = self.buffers.pop().unwrap_or_default();
                Some(ColumnReader::new(file, leaf, chunk, codec, room, buffers))
            }
            Err(what) => {
                let at = chunk.map_or(0, |chunk| chunk.start);
                let error = self.error(leaf, ColumnFault::Damaged(what));
                self.lose(at, error);
                None
            }
        }
    }

    fn is_held(&self, chunk: ColumnChunk) -> bool {
        let end = chunk.start.checked_add(chunk.length);
        end.is_some_and(|end| end <= self.file.length)
    }

    fn lose(&mut self, offset: u64, error: InputError) {
        self.lost.push_back(TableItem::Lost(offset, error));
    }

    fn error(&self, leaf: &Leaf, fault: ColumnFault) -> InputError {
        let column = leaf.path.plain().into();
        match fault {
            ColumnFault::Io(error) => InputError::Io(error),
            ColumnFault::Large => InputError::LargePage {
                column,
                limit: self.memory as u64,
            },
            ColumnFault::Damaged(fault) => InputError::Column {
                column,
                first_row: self.group.first_row + 1,
                last_row: self.group.first_row + self.group.rows,
                fault,
            },
        }
    }

    /// Ends the group, and returns the buffers, as far as they fit the memory for pages.
    pub(in crate::input::columnar) fn into_buffers(self) -> Vec<ColumnBuffers> {
        let columns = self.columns.into_iter().chain([self.id]).flatten();
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

    /// Reads the next rows.
    fn batch(&mut self) -> TableItem {
        let left = self.group.rows - self.row;
        let mut done = u32::try_from(left).unwrap_or(u32::MAX).min(self.wanted);
        let mut read = 0;
        for (number, column) in self.columns.iter_mut().enumerate() {
            let Some(column) = column else { continue };
            let ahead = &mut self.ahead[number];
            self.builder.column(number as u16);
            if *ahead < done {
                *ahead = column.rows(*ahead, done, &mut self.builder);
                read += column.take_read();
            }
            done = done.min(*ahead);
        }
        if let Some(id) = &mut self.id {
            id.each_text(done, |name| self.builder.name(name));
            read += id.take_read();
        }
        self.ahead
            .iter_mut()
            .for_each(|ahead| *ahead = ahead.saturating_sub(done));
        let first_row = self.group.first_row + self.row + u64::from(done);
        let empty = CellBuilder::new(&self.file.paths, first_row);
        let (batch, bytes, later) = std::mem::replace(&mut self.builder, empty).finish(done);
        self.builder = later;
        self.row += u64::from(done);
        self.plan(done, batch.bytes().len() as u64);
        let cost = bytes + u64::from(done).div_ceil(ROWS_PER_BYTE);
        TableItem::Batch { batch, cost, read }
    }

    /// Sets how many rows the next batch has, by the size of the last one.
    fn plan(&mut self, rows: u32, bytes: u64) {
        let fitting = u64::from(rows).saturating_mul(BYTES) / bytes.max(1);
        let most = u64::from(rows).saturating_mul(4).min(MOST.into());
        self.wanted = fitting.clamp(1, most.max(1)) as u32;
    }

    /// Collects what the columns have lost, and ends the group after its last row.
    fn settle(&mut self) {
        let has_ended = self.row == self.group.rows;
        let readers = self.columns.iter_mut().zip(&self.file.texts);
        let all = readers.chain(std::iter::once(&mut self.id).zip(&self.file.id));
        let mut lost = Vec::new();
        let mut goes_on = false;
        for (column, leaf) in all {
            let Some(reader) = column else { continue };
            if has_ended {
                reader.check_end();
            }
            lost.extend(reader.faults.drain(..).map(|fault| (leaf, fault)));
            goes_on |= !reader.has_ended();
        }
        for (leaf, (offset, fault)) in lost {
            let error = self.error(leaf, fault);
            self.lose(offset, error);
        }
        if !goes_on {
            self.row = self.group.rows;
        }
    }
}

impl Iterator for GroupReader<'_> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        if let Some(lost) = self.lost.pop_front() {
            return Some(lost);
        }
        if self.row >= self.group.rows {
            return None;
        }
        let batch = self.batch();
        self.settle();
        Some(batch)
    }
}

impl ParquetFile {
    /// Reads the row group with this number. `buffers` are those of a group that was read before.
    pub(in crate::input::columnar) fn group(
        &self,
        number: usize,
        memory: usize,
        buffers: Vec<ColumnBuffers>,
    ) -> Option<GroupReader<'_>> {
        let group = self.groups.get(number)?;
        Some(GroupReader::new(self, *group, memory, buffers))
    }
}
