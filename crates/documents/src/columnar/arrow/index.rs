//! The messages of a file or stream.

use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::{Endianness, Message, root_as_footer_with_opts, root_as_message_with_opts};
use arrow_schema::Schema;
use flatbuffers::VerifierOptions;

use super::file_error;
use crate::fault::{InputError, LocatedError, Packing};
use crate::file::SourceFile;
use crate::read::ReadAt;

/// The start of a file, with its padding; and its ending: the length of the metadata before it, and the magic number.
const FILE_START: &[u8] = b"ARROW1\0\0";
const MAGIC: &[u8] = b"ARROW1";
const ENDING_BYTES: u64 = 10;
/// Before the length of a message's metadata, since version 0.15 of Arrow.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Bytes of the length of a message's metadata, alone and with the continuation.
const LENGTH_BYTES: u64 = 4;
const PREFIX_BYTES: u64 = 8;
/// Bytes between the start of a file and its first message.
const MAX_PADDING_BYTES: u64 = 64;
/// Max rows of a table.
const MAX_TABLE_ROWS: u64 = 1 << 48;

const DAMAGED_MESSAGE: &str = "has a damaged message; all after it is lost";
const NO_END: &str = "has no metadata at its end, so it is cut or damaged";
const OTHER_END: &str = "has other batches or another schema in the metadata at its end, so texts may be lost or damaged";

/// A message with rows, or with values of a dictionary.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrowBlock {
    /// The offset of the message in the file.
    pub(super) offset: u64,
    /// The offset of its metadata, and its length.
    metadata: (u64, u64),
    /// Bytes of its body, which follows.
    pub(super) body: u64,
    pub(super) is_dictionary: bool,
    /// The number of its first row in the table, from 0.
    pub(super) first_row: u64,
    rows: u64,
}

/// All messages, and what is wrong with them.
pub(super) struct ArrowIndex {
    pub(super) schema: Schema,
    pub(super) blocks: Vec<ArrowBlock>,
    pub(super) rows: u64,
    pub(super) faults: Vec<LocatedError>,
    /// Bytes that were read.
    pub(super) read: u64,
}

/// The metadata at the end of a file.
struct ArrowFooter {
    schema: Schema,
    /// The offsets of the messages.
    blocks: Vec<u64>,
    start: u64,
}

impl ArrowBlock {
    pub(super) fn metadata(&self, file: &SourceFile) -> Result<Vec<u8>, InputError> {
        let mut bytes = vec![0; self.metadata.1 as usize];
        read_exact(file, &mut bytes, self.metadata.0)?;
        Ok(bytes)
    }

    pub(super) fn body_start(&self) -> u64 {
        self.metadata.0 + self.metadata.1
    }

    fn end(&self) -> Option<u64> {
        self.body_start().checked_add(self.body)
    }

    /// The error for a batch that cannot be read.
    pub(super) fn fault(&self, fault: &str) -> InputError {
        InputError::Batch {
            first_row: self.first_row + 1,
            last_row: self.first_row + self.rows,
            fault: fault.into(),
        }
    }
}

/// Reads the metadata of a message. Returns `None` if it is damaged, or would take more than `max` bytes.
pub(super) fn message(metadata: &[u8], max: usize) -> Option<Message<'_>> {
    root_as_message_with_opts(&limits(max), metadata).ok()
}

/// Parts of metadata that are named several times count several times.
fn limits(max: usize) -> VerifierOptions {
    VerifierOptions {
        max_apparent_size: max,
        ..VerifierOptions::default()
    }
}

pub(super) fn read_exact(
    file: &SourceFile,
    mut into: &mut [u8],
    mut at: u64,
) -> Result<(), InputError> {
    while !into.is_empty() {
        match file.read_at(into, at)? {
            0 => return Err(InputError::Shrunk),
            read => {
                into = &mut into[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}

impl ArrowIndex {
    /// Reads the metadata of all messages of a file of `length` bytes. That of one may have `max` bytes.
    ///
    /// # Errors
    /// If there is no schema.
    pub(super) fn read(file: &SourceFile, length: u64, max: usize) -> Result<Self, InputError> {
        let mut walk = MessageWalk {
            file,
            is_file: false,
            end: length,
            max,
            read: 0,
            schema: None,
            blocks: Vec::new(),
            rows: 0,
            faults: Vec::new(),
        };
        walk.is_file = walk.shows_file()?;
        if !walk.is_file {
            walk.messages(0)?;
            return walk.index();
        }
        let start = walk.first_message()?;
        match walk.footer() {
            Ok(footer) => walk.file_messages(start, footer)?,
            Err(error) => {
                // The messages are the same without it.
                walk.messages(start).ok();
                if walk.schema.is_none() {
                    return Err(error);
                }
                walk.faults.insert(0, (length, error));
            }
        }
        walk.index()
    }
}

/// Reads messages one after the other.
struct MessageWalk<'f> {
    file: &'f SourceFile,
    is_file: bool,
    /// The offset at which messages end.
    end: u64,
    max: usize,
    read: u64,
    schema: Option<Schema>,
    blocks: Vec<ArrowBlock>,
    rows: u64,
    faults: Vec<LocatedError>,
}

impl MessageWalk<'_> {
    fn index(self) -> Result<ArrowIndex, InputError> {
        Ok(ArrowIndex {
            schema: self.schema.ok_or_else(|| file_error("has no schema"))?,
            blocks: self.blocks,
            rows: self.rows,
            faults: self.faults,
            read: self.read,
        })
    }

    fn bytes(&mut self, at: u64, count: u64) -> Result<Vec<u8>, InputError> {
        let end = at.checked_add(count).filter(|&end| end <= self.end);
        end.ok_or_else(|| file_error("is cut within its metadata, or damaged"))?;
        let count = usize::try_from(count).ok().filter(|&n| n <= self.max);
        let count = count.ok_or(InputError::TooLarge {
            packing: Packing::Arrow,
            limit: self.max as u64,
        })?;
        let mut bytes = vec![0; count];
        read_exact(self.file, &mut bytes, at)?;
        self.read += count as u64;
        Ok(bytes)
    }

    /// Whether it is a file rather than a stream. One that shows so only at its end has a damaged start.
    fn shows_file(&mut self) -> Result<bool, InputError> {
        let magic = MAGIC.len() as u64;
        let length = self.end;
        let start = self.bytes(0, length.min(FILE_START.len() as u64))?;
        if start == FILE_START {
            return Ok(true);
        }
        let is_file = self.bytes(length.saturating_sub(magic), length.min(magic))? == MAGIC;
        if is_file && !start.starts_with(&CONTINUATION) {
            self.faults.push((0, file_error("has a damaged start")));
        }
        Ok(is_file)
    }

    /// The offset of the first message of a file. Some writers align it with zeros.
    fn first_message(&mut self) -> Result<u64, InputError> {
        let start = FILE_START.len() as u64;
        let padding = self.bytes(start, MAX_PADDING_BYTES.min(self.end.saturating_sub(start)))?;
        let words = padding.chunks(FILE_START.len());
        let zeros = words.take_while(|word| word.iter().all(|&byte| byte == 0));
        Ok(start + zeros.flatten().count() as u64)
    }

    fn footer(&mut self) -> Result<ArrowFooter, InputError> {
        let end = self.end.checked_sub(ENDING_BYTES);
        let end = end.ok_or_else(|| file_error(NO_END))?;
        let ending = self.bytes(end, ENDING_BYTES)?;
        let (length, magic) = ending.split_at(LENGTH_BYTES as usize);
        if magic != MAGIC {
            return Err(file_error(NO_END));
        }
        let length = length.try_into().map(u32::from_le_bytes);
        let length = length.map_or(0, u64::from);
        let start = end.checked_sub(length);
        let start = start.ok_or_else(|| file_error("has metadata of a wrong length"))?;
        let bytes = self.bytes(start, length)?;
        let damaged = || file_error("has damaged metadata");
        let footer = root_as_footer_with_opts(&limits(self.max), &bytes).map_err(|_| damaged())?;
        let schema = read_schema(footer.schema().ok_or_else(damaged)?)?;
        let lists = [footer.dictionaries(), footer.recordBatches()];
        let blocks = lists.iter().flatten().flatten();
        Ok(ArrowFooter {
            schema,
            blocks: blocks.map(|block| block.offset() as u64).collect(),
            start,
        })
    }

    /// Reads the messages of a file from `start` on, and compares them with those that its end lists.
    fn file_messages(&mut self, start: u64, mut footer: ArrowFooter) -> Result<(), InputError> {
        self.end = footer.start;
        footer.blocks.sort_unstable();
        let faults = self.faults.len();
        let walked = self.messages(start);
        if self.schema.is_none() {
            // Old writers have a schema of another form at the start.
            self.schema = Some(footer.schema.clone());
            self.faults.truncate(faults);
            match footer.blocks.first() {
                Some(&first) => self.messages(first)?,
                None => return walked,
            }
        }
        let blocks = self.blocks.iter().map(|block| block.offset);
        if self.schema.as_ref() != Some(&footer.schema) || !blocks.eq(footer.blocks) {
            self.faults.push((footer.start, file_error(OTHER_END)));
        }
        // The dictionaries of a file may follow the rows that use them.
        self.blocks.sort_by_key(|block| !block.is_dictionary);
        Ok(())
    }

    /// Reads the messages from `at` on. Damage ends them, and is reported, unless there is no schema.
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

    /// Reads the message at `at`. Returns the offset of the next one; `None` at the end of the stream.
    fn message(&mut self, at: u64) -> Result<Option<u64>, InputError> {
        if at >= self.end {
            return Ok(None);
        }
        let prefix = self.bytes(at, PREFIX_BYTES.min(self.end - at))?;
        let rest = prefix.strip_prefix(&CONTINUATION);
        let start = rest.map_or(LENGTH_BYTES, |_| PREFIX_BYTES);
        let length = rest.unwrap_or(&prefix).first_chunk();
        let length = length.map(|length| i32::from_le_bytes(*length));
        let length = length.and_then(|length| u64::try_from(length).ok());
        let length = length.ok_or_else(|| file_error(DAMAGED_MESSAGE))?;
        if length == 0 {
            return self.end_at(at + start);
        }
        let metadata = self.bytes(at + start, length)?;
        let damaged = || file_error(DAMAGED_MESSAGE);
        let message = message(&metadata, self.max).ok_or_else(damaged)?;
        let mut block = ArrowBlock {
            offset: at,
            metadata: (at + start, length),
            body: u64::try_from(message.bodyLength()).map_err(|_| damaged())?,
            is_dictionary: message.header_as_dictionary_batch().is_some(),
            first_row: self.rows,
            rows: 0,
        };
        let end = block.end().filter(|&end| end <= self.end);
        let end = end.ok_or_else(|| file_error("is cut within a batch of rows"))?;
        if let Some(schema) = message.header_as_schema().filter(|_| self.schema.is_none()) {
            self.schema = Some(read_schema(schema)?);
        } else if let Some(batch) = message.header_as_record_batch() {
            let rows = u64::try_from(batch.length()).map_err(|_| damaged())?;
            let all = self.rows.checked_add(rows);
            self.rows = all
                .filter(|&rows| rows <= MAX_TABLE_ROWS)
                .ok_or_else(damaged)?;
            block.rows = rows;
            self.blocks.push(block);
        } else if block.is_dictionary {
            self.blocks.push(block);
        } else {
            let error = file_error("has a message that was not read");
            self.faults.push((at, error));
        }
        Ok(Some(end))
    }

    /// Ends the stream at this offset. In a file, its own metadata follows.
    fn end_at(&mut self, at: u64) -> Result<Option<u64>, InputError> {
        match self.is_file || at >= self.end {
            true => Ok(None),
            false => Err(InputError::Trailing(Packing::Arrow)),
        }
    }
}

fn read_schema(schema: arrow_ipc::Schema<'_>) -> Result<Schema, InputError> {
    if schema.endianness() != Endianness::Little {
        return Err(file_error(
            "has big-endian numbers, which are not supported; write it with little-endian numbers",
        ));
    }
    try_fb_to_schema(schema).map_err(|_| file_error("has a damaged schema"))
}

#[cfg(test)]
mod tests {
    use arrow_ipc::{MessageBuilder, MessageHeader, SchemaBuilder};
    use flatbuffers::FlatBufferBuilder;

    use super::*;

    #[test]
    fn numbers_with_their_highest_byte_first_are_refused() {
        let mut buffer = FlatBufferBuilder::new();
        let fields =
            buffer.create_vector::<flatbuffers::ForwardsUOffset<arrow_ipc::Field<'_>>>(&[]);
        let mut schema = SchemaBuilder::new(&mut buffer);
        schema.add_endianness(Endianness::Big);
        schema.add_fields(fields);
        let schema = schema.finish().as_union_value();
        let mut root = MessageBuilder::new(&mut buffer);
        root.add_header_type(MessageHeader::Schema);
        root.add_header(schema);
        let root = root.finish();
        buffer.finish(root, None);
        let message = message(buffer.finished_data(), 1 << 20).unwrap();
        let read = read_schema(message.header_as_schema().unwrap());
        assert!(read.unwrap_err().to_string().contains("big-endian"));
    }
}
