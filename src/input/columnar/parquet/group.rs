//! The columns of a row group.

use std::cell::Cell;
use std::rc::Rc;

use super::codec::{PageCodec, SharedDecoders};
use super::column::{ColumnBuffers, ColumnReader, MemoryRoom};
use super::file::{ParquetFile, fault};
use super::footer::{self, ColumnChunk, GroupEntry};
use super::schema::Leaf;
use crate::input::columnar::part::{ColumnFault, PartRows, TableItem};

/// Reads a row group, some rows at a time.
pub(in crate::input) struct GroupReader<'f> {
    file: &'f ParquetFile,
    rows: PartRows<ColumnReader>,
    memory: usize,
    /// Buffers for columns.
    buffers: Vec<ColumnBuffers>,
}

impl<'f> GroupReader<'f> {
    /// Reads a row group from the row `start` on, with `memory` bytes for pages. `buffers` are those of a group that was read before.
    pub(super) fn new(
        file: &'f ParquetFile,
        group: GroupEntry,
        start: u64,
        memory: usize,
        buffers: Vec<ColumnBuffers>,
    ) -> Self {
        let mut reader = GroupReader {
            file,
            rows: PartRows::new(&file.paths, group.first_row, group.rows, start, memory),
            memory,
            buffers,
        };
        let room: MemoryRoom = Rc::new(Cell::new(memory));
        let decoders = SharedDecoders::default();
        let mut columns = Vec::new();
        match footer::chunks(&file.footer, group, &file.numbers) {
            Some(chunks) => {
                let texts = file.texts.iter();
                columns = texts
                    .map(|leaf| reader.column(leaf, &chunks, &room, &decoders))
                    .collect();
                if let Some(leaf) = &file.id
                    && let Some(id) = reader.column(leaf, &chunks, &room, &decoders)
                {
                    reader.rows.set_id(&leaf.name.path, id);
                }
            }
            None => {
                let error = fault("has damaged metadata of a row group");
                reader.rows.lose(0, error);
            }
        }
        reader.rows.set_columns(columns);
        reader
    }

    fn column(
        &mut self,
        leaf: &Leaf,
        chunks: &[Option<ColumnChunk>],
        room: &MemoryRoom,
        decoders: &SharedDecoders,
    ) -> Option<ColumnReader> {
        let slot = self.file.numbers.binary_search(&leaf.number).ok()?;
        let chunk = chunks[slot];
        let opened = match chunk {
            None => Err("it is missing in a row group"),
            Some(chunk) if chunk.is_encrypted => Err("it is encrypted"),
            Some(chunk) if chunk.is_elsewhere => Err("it is in another file, which is not read"),
            Some(chunk) if chunk.physical != Some(leaf.physical) => {
                Err("its metadata in a row group is damaged")
            }
            Some(chunk) if !self.is_held(chunk) => {
                Err("it is not in the file, which is cut or damaged")
            }
            Some(chunk) => match PageCodec::new(chunk.codec, decoders) {
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
                let fault = ColumnFault::Damaged(what);
                self.rows.fail(&leaf.name.path, at, fault);
                None
            }
        }
    }

    fn is_held(&self, chunk: ColumnChunk) -> bool {
        let end = chunk.start.checked_add(chunk.length);
        end.is_some_and(|end| end <= self.file.length)
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

impl Iterator for GroupReader<'_> {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        self.rows.next()
    }
}
