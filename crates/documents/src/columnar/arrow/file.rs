//! A file or stream, the columns of it that are read, and where its batches are.

use std::fs::File;
use std::sync::Arc;

use super::batch::{BatchReader, MessageMetadata};
use super::dictionary::{ArrowDictionaries, DictionaryLocation};
use super::message::{
    ArrowFooter, ArrowMessage, ArrowMessageHeader, MessageLocation, MessagePrefix, starts_stream,
};
use super::schema::{ArrowLeaf, ArrowSchema};
use crate::column_choice::ColumnSelection;
use crate::columnar::choice::SelectedColumns;
use crate::columnar::part::{ColumnarFile, PartStart};
use crate::columnar::path::ColumnPath;
use crate::fault::{InputError, LocatedError, Packing};
use crate::file::read_at;
use crate::numbers;

/// The start of a file, with its padding; and its ending: the length of the metadata before it, and the magic number.
const FILE_START: &[u8] = b"ARROW1\0\0";
const MAGIC: &[u8] = b"ARROW1";
const ENDING_BYTES: usize = 10;
/// Max rows of a table.
const MAX_TABLE_ROWS: u64 = 1 << 48;

const DAMAGED_METADATA: &str = "has damaged metadata";

/// A file or stream whose texts are read.
#[derive(Debug)]
pub(crate) struct ArrowFile {
    pub(super) file: Arc<File>,
    pub(super) length: u64,
    /// The columns whose texts are read, in the order of the schema.
    pub(super) texts: Vec<ArrowLeaf>,
    pub(super) paths: Arc<[ColumnPath]>,
    /// The column that names rows.
    pub(super) id: Option<ArrowLeaf>,
    pub(super) dictionaries: ArrowDictionaries,
    batches: Vec<BatchLocation>,
    rows: u64,
    metadata: u64,
}

/// The place of a batch of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchLocation {
    pub(super) block: MessageLocation,
    /// The number of its first row in the table, from 0.
    pub(super) first_row: u64,
    pub(super) rows: u64,
}

pub(super) fn file_error(fault: &'static str) -> InputError {
    InputError::Table {
        packing: Packing::Arrow,
        fault,
    }
}

/// The places of the batches of a table, and its schema.
struct BatchIndex<'f> {
    source: ArrowSource<'f>,
    is_file: bool,
    schema: Option<ArrowSchema>,
    dictionaries: Vec<DictionaryLocation>,
    batches: Vec<BatchLocation>,
    rows: u64,
    faults: Vec<LocatedError>,
}

/// The file, and how many bytes of it were read.
struct ArrowSource<'f> {
    file: &'f File,
    length: u64,
    read: u64,
    /// Bytes that may be read together.
    max: usize,
}

impl ArrowFile {
    /// Reads the metadata of a message, if it has at most `max` bytes.
    pub(super) fn metadata(
        &self,
        block: &MessageLocation,
        max: usize,
    ) -> Result<MessageMetadata, InputError> {
        let mut source = ArrowSource {
            file: &self.file,
            length: self.length,
            read: 0,
            max,
        };
        let bytes = source.bytes(block.offset, block.metadata as u64)?;
        Ok(MessageMetadata::new(bytes))
    }
}

/// The error for a column that cannot be read in any batch.
fn unreadable(leaf: &ArrowLeaf, rows: u64) -> Option<InputError> {
    let fault = leaf.unsupported?;
    Some(InputError::Column {
        column: leaf.name.path.dotted().into(),
        first_row: 1,
        last_row: rows,
        fault,
    })
}

impl ArrowSource<'_> {
    /// Reads bytes of the file.
    fn bytes(&mut self, at: u64, count: u64) -> Result<Vec<u8>, InputError> {
        let end = at.checked_add(count).filter(|&end| end <= self.length);
        end.ok_or_else(|| file_error("is cut within its metadata, or damaged"))?;
        let count = usize::try_from(count).ok().filter(|&n| n <= self.max);
        let mut bytes = vec![
            0;
            count.ok_or(InputError::TooLarge {
                packing: Packing::Arrow,
                limit: self.max as u64,
            })?
        ];
        let mut filled = 0;
        while filled < bytes.len() {
            match read_at(self.file, &mut bytes[filled..], at + filled as u64) {
                Ok(0) => return Err(InputError::Shrunk),
                Ok(read) => filled += read,
                Err(error) => return Err(InputError::Io(error)),
            }
        }
        self.read += filled as u64;
        Ok(bytes)
    }
}

impl<'f> BatchIndex<'f> {
    fn read(source: ArrowSource<'f>) -> Result<Self, InputError> {
        let mut index = BatchIndex {
            source,
            is_file: false,
            schema: None,
            dictionaries: Vec::new(),
            batches: Vec::new(),
            rows: 0,
            faults: Vec::new(),
        };
        let start = FILE_START.len() as u64;
        index.is_file = index.is_file()?;
        if !index.is_file {
            index.messages(0)?;
            return Ok(index);
        }
        if let Err(error) = index.footer() {
            // The messages are the same as those of a stream, if the writer has framed its schema like them.
            let at = index.source.length;
            index.messages(start).ok();
            if index.schema.is_none() {
                return Err(error);
            }
            index.faults.insert(0, (at, error));
        }
        Ok(index)
    }

    /// Whether it is a file rather than a stream. One that shows so only at its end has a damaged start.
    fn is_file(&mut self) -> Result<bool, InputError> {
        let length = self.source.length;
        let start = self
            .source
            .bytes(0, length.min(numbers::HEAD_BYTES as u64))?;
        if start.starts_with(FILE_START) || starts_stream(&start) {
            return Ok(start.starts_with(FILE_START));
        }
        let end = self.source.bytes(
            length.saturating_sub(MAGIC.len() as u64),
            length.min(MAGIC.len() as u64),
        )?;
        if end == MAGIC {
            let error = file_error("has a damaged start");
            self.faults.push((0, error));
        }
        Ok(end == MAGIC)
    }

    /// The metadata at the end of a file, and its offset.
    fn footer_bytes(&mut self) -> Result<(u64, Vec<u8>), InputError> {
        let no_end = || file_error("has no metadata at its end, so it is cut or damaged");
        let end = self.source.length.checked_sub(ENDING_BYTES as u64);
        let end = end.ok_or_else(no_end)?;
        let ending = self.source.bytes(end, ENDING_BYTES as u64)?;
        let length = ending
            .first_chunk()
            .map(|&length| i32::from_le_bytes(length));
        if !ending.ends_with(MAGIC) {
            return Err(no_end());
        }
        let length = length.and_then(|length| u64::try_from(length).ok());
        let start = length.and_then(|length| end.checked_sub(length));
        let start = start.ok_or_else(|| file_error("has metadata of a wrong length"))?;
        Ok((start, self.source.bytes(start, end - start)?))
    }

    /// Reads what the end of a file says.
    fn footer(&mut self) -> Result<(), InputError> {
        let (start, bytes) = self.footer_bytes()?;
        let footer = ArrowFooter::parse(&bytes).ok_or_else(|| file_error(DAMAGED_METADATA))?;
        let schema = ArrowSchema::parse(footer.schema, footer.version).map_err(file_error)?;
        let first = self.first_schema();
        // An unframed schema at the start is not longer than the metadata at the end.
        let unframed = footer.first_block().unwrap_or(start);
        let unframed = unframed.min((FILE_START.len() + bytes.len()) as u64);
        let after = first.as_ref().map_or(unframed, |(_, after)| *after);
        if !footer.fills(after, start) {
            return Err(file_error(
                "has metadata at its end that does not list all of its batches, so it is damaged",
            ));
        }
        if first.is_some_and(|(first, _)| first.as_ref() != Ok(&schema)) {
            let error = file_error(
                "has another schema at its start than at its end, so texts may be lost or damaged",
            );
            self.faults.push((FILE_START.len() as u64, error));
        }
        self.schema = Some(schema);
        // Dictionaries may come after the rows that use them.
        for block in footer.dictionaries {
            self.of_footer(block, |header| {
                matches!(header, ArrowMessageHeader::Dictionary(_))
            });
        }
        for block in footer.batches {
            self.of_footer(block, |header| {
                matches!(header, ArrowMessageHeader::Batch(_))
            });
        }
        Ok(())
    }

    /// Returns the schema in the first message of a file, and the offset after it; `None` if the file has no such message.
    fn first_schema(&mut self) -> Option<(Result<ArrowSchema, &'static str>, u64)> {
        let start = FILE_START.len() as u64;
        let prefix = self
            .source
            .bytes(start, MessagePrefix::MAX_BYTES as u64)
            .ok()?;
        let MessagePrefix::Message(before, length) = MessagePrefix::parse(&prefix) else {
            return None;
        };
        let length = before.checked_add(length)? as u64;
        let metadata = MessageMetadata::new(self.source.bytes(start, length).ok()?);
        let message = metadata.message()?;
        match message.header {
            ArrowMessageHeader::Schema(schema) => {
                Some((ArrowSchema::parse(schema, message.version), start + length))
            }
            _ => None,
        }
    }

    /// Reads a message that the metadata names, and reports if it is damaged, or not `wanted`.
    fn of_footer(
        &mut self,
        block: MessageLocation,
        wanted: impl FnOnce(&ArrowMessageHeader<'_>) -> bool,
    ) {
        let bytes = self.source.bytes(block.offset, block.metadata as u64);
        let added = bytes.and_then(|bytes| {
            let metadata = MessageMetadata::new(bytes);
            let message = metadata.message();
            let is_same =
                |message: &ArrowMessage<'_>| metadata.is_whole() && message.body == block.body;
            let message = message.filter(|message| is_same(message) && wanted(&message.header));
            let added = message.is_some_and(|message| self.add(block, 0, &message));
            added
                .then_some(())
                .ok_or_else(|| file_error("has damaged metadata of a batch of rows"))
        });
        if let Err(error) = added {
            self.faults.push((block.offset, error));
        }
    }

    /// Adds a batch, or values of a dictionary that come after `after` batches. Returns false if it is damaged.
    fn add(&mut self, block: MessageLocation, after: usize, message: &ArrowMessage<'_>) -> bool {
        let block = MessageLocation {
            body: message.body,
            ..block
        };
        match message.header {
            ArrowMessageHeader::Batch(batch)
                if self
                    .schema
                    .as_ref()
                    .is_some_and(|schema| schema.fits(&batch)) =>
            {
                let end = self.rows.checked_add(batch.rows);
                let Some(end) = end.filter(|&rows| rows <= MAX_TABLE_ROWS) else {
                    return false;
                };
                self.batches.push(BatchLocation {
                    block,
                    first_row: self.rows,
                    rows: batch.rows,
                });
                self.rows = end;
            }
            ArrowMessageHeader::Dictionary(dictionary) => {
                self.dictionaries.push(DictionaryLocation {
                    id: dictionary.id,
                    is_delta: dictionary.is_delta,
                    block,
                    after,
                })
            }
            ArrowMessageHeader::Batch(_)
            | ArrowMessageHeader::Schema(_)
            | ArrowMessageHeader::Other => {
                return false;
            }
        }
        true
    }

    /// Reads the messages of a stream from `at` on. Damage ends it, and is reported, unless there is no schema.
    fn messages(&mut self, mut at: u64) -> Result<(), InputError> {
        loop {
            match self.message(at) {
                Ok(Some(next)) => at = next,
                Ok(None) => return Ok(()),
                Err(error) if self.schema.is_none() => return Err(error),
                Err(error) => {
                    self.faults.push((at, error));
                    return Ok(());
                }
            }
        }
    }

    /// Ends the stream. After that of a file comes its own metadata.
    fn end(&mut self, at: u64) -> Result<Option<u64>, InputError> {
        if self.is_file || at >= self.source.length {
            Ok(None)
        } else {
            Err(InputError::Trailing(Packing::Arrow))
        }
    }

    /// Reads the message at `at`. Returns the offset of the next one; `None` at the end of the stream.
    fn message(&mut self, at: u64) -> Result<Option<u64>, InputError> {
        const LOST_ROWS: &str = "has a damaged message; all after it is lost";
        let left = self.source.length - at;
        if left == 0 {
            return Ok(None);
        }
        let prefix = self
            .source
            .bytes(at, left.min(MessagePrefix::MAX_BYTES as u64))?;
        let (start, length) = match MessagePrefix::parse(&prefix) {
            MessagePrefix::Message(start, length) => (start, length),
            MessagePrefix::End(length) => return self.end(at + length as u64),
            MessagePrefix::Damaged => return Err(file_error(LOST_ROWS)),
        };
        let size = start
            .checked_add(length)
            .ok_or_else(|| file_error(LOST_ROWS))?;
        let metadata = MessageMetadata::new(self.source.bytes(at, size as u64)?);
        let message = metadata.message().ok_or_else(|| file_error(LOST_ROWS))?;
        let block = MessageLocation {
            offset: at,
            metadata: size,
            body: message.body,
        };
        let end = block.end().filter(|&end| end <= self.source.length);
        let after = self.batches.len();
        if end.is_none() {
            return Err(file_error("is cut within a batch of rows"));
        }
        match message.header {
            ArrowMessageHeader::Schema(schema) if self.schema.is_none() => {
                self.schema =
                    Some(ArrowSchema::parse(schema, message.version).map_err(file_error)?);
            }
            _ if self.add(block, after, &message) => {}
            _ => self
                .faults
                .push((at, file_error("has a message that was not read"))),
        }
        end.map(Some).ok_or_else(|| file_error(LOST_ROWS))
    }
}

impl ColumnarFile for ArrowFile {
    const PACKING: Packing = Packing::Arrow;
    const WITHOUT_TEXT: &'static str = "arrow without text";
    type Buffers = Vec<Vec<u8>>;
    type Part<'f> = BatchReader;

    fn open(
        file: File,
        length: u64,
        choice: &ColumnSelection,
        max: usize,
    ) -> Result<(Self, Vec<LocatedError>), InputError> {
        let source = ArrowSource {
            file: &file,
            length,
            read: 0,
            max,
        };
        let index = BatchIndex::read(source)?;
        let (rows, metadata, mut faults) = (index.rows, index.source.read, index.faults);
        let schema = index.schema.ok_or_else(|| file_error("has no schema"))?;
        let unreadable = |leaf: &ArrowLeaf| unreadable(leaf, rows);
        let chosen = choice.select(&schema.leaves, file_error, unreadable, &mut faults)?;
        let SelectedColumns { texts, paths, id } = chosen;
        let dictionaries = ArrowDictionaries::new(&schema.dictionaries, &index.dictionaries);
        let batches = index.batches;
        let file = ArrowFile {
            file: Arc::new(file),
            length,
            texts,
            paths,
            id,
            dictionaries,
            batches,
            rows,
            metadata,
        };
        Ok((file, faults))
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn part_count(&self) -> usize {
        self.batches.len()
    }

    fn has_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    fn metadata_length(&self) -> u64 {
        self.metadata
    }

    fn part(&self, from: PartStart, memory: usize, buffers: Vec<Vec<u8>>) -> Option<BatchReader> {
        let entry = self.batches.get(from.part)?;
        Some(BatchReader::new(self, from, entry, memory, buffers))
    }

    fn into_buffers(part: BatchReader) -> Vec<Vec<u8>> {
        part.into_pool()
    }
}
