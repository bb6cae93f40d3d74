//! The metadata of messages, and of a whole file.

use super::flatbuffer::{FlatbufferTable, FlatbufferVector};

/// Before the length of a message's metadata, since version 0.15 of Arrow.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Bytes of a description of a node or a buffer, and of a block.
const PAIR_BYTES: usize = 16;
const BLOCK_BYTES: usize = 24;
/// Max rows of a batch.
const MAX_BATCH_ROWS: i64 = 1 << 48;
/// The newest version of the metadata, and the one after which unions have no validity.
const NEWEST_VERSION: i16 = 4;
pub(super) const LAST_VERSION_WITH_UNION_VALIDITY: i16 = 3;
/// The kinds of messages.
const SCHEMA_MESSAGE: u8 = 1;
const DICTIONARY_MESSAGE: u8 = 2;
const BATCH_MESSAGE: u8 = 3;

/// The bytes before a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessagePrefix {
    /// The number of bytes before the metadata, and of the metadata.
    Message(usize, usize),
    /// The stream ends after this many bytes.
    End(usize),
    Damaged,
}

impl MessagePrefix {
    /// Bytes that it may have.
    pub(super) const MAX_BYTES: usize = 8;

    /// Reads what is before a message.
    pub(super) fn parse(bytes: &[u8]) -> MessagePrefix {
        let (start, length) = match bytes.strip_prefix(&CONTINUATION) {
            Some(rest) => (MessagePrefix::MAX_BYTES, rest),
            None => (4, bytes),
        };
        let length = length.first_chunk::<4>().map(|&n| i32::from_le_bytes(n));
        match length.and_then(|length| usize::try_from(length).ok()) {
            Some(0) => MessagePrefix::End(start),
            Some(length) => MessagePrefix::Message(start, length),
            None => MessagePrefix::Damaged,
        }
    }
}

/// A message without its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrowMessage<'b> {
    pub(super) version: i16,
    pub(super) header: ArrowMessageHeader<'b>,
    /// Bytes of its body.
    pub(super) body: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ArrowMessageHeader<'b> {
    Schema(FlatbufferTable<'b>),
    Dictionary(DictionaryBatch<'b>),
    Batch(RecordBatch<'b>),
    /// Not of a table.
    Other,
}

/// Values of a dictionary.
#[derive(Clone, Copy, Debug)]
pub(super) struct DictionaryBatch<'b> {
    pub(super) id: i64,
    pub(super) data: RecordBatch<'b>,
    /// Whether they come after those that the dictionary has.
    pub(super) is_delta: bool,
}

/// Rows, and where their columns are in the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordBatch<'b> {
    pub(super) rows: u64,
    nodes: FlatbufferVector<'b>,
    buffers: FlatbufferVector<'b>,
    variadic: FlatbufferVector<'b>,
    pub(super) packing: BodyCompression,
}

/// How the buffers of a body are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyCompression {
    Plain,
    Lz4,
    Zstd,
    Unknown,
}

impl<'b> ArrowMessage<'b> {
    /// Reads the metadata of a message. Returns `None` if it is damaged.
    pub(super) fn parse(bytes: &'b [u8]) -> Option<Self> {
        let root = FlatbufferTable::root(bytes)?;
        let version = root
            .short(0)
            .filter(|version| (0..=NEWEST_VERSION).contains(version))?;
        let header = root.table(2)?;
        let header = match root.byte(1)? {
            SCHEMA_MESSAGE => ArrowMessageHeader::Schema(header?),
            DICTIONARY_MESSAGE => ArrowMessageHeader::Dictionary(DictionaryBatch::parse(header?)?),
            BATCH_MESSAGE => ArrowMessageHeader::Batch(RecordBatch::parse(header?)?),
            _ => ArrowMessageHeader::Other,
        };
        let body = root.long(3)?.try_into().ok()?;
        Some(ArrowMessage {
            version,
            header,
            body,
        })
    }
}

impl<'b> DictionaryBatch<'b> {
    fn parse(table: FlatbufferTable<'b>) -> Option<Self> {
        Some(DictionaryBatch {
            id: table.long(0)?,
            data: RecordBatch::parse(table.table(1)??)?,
            is_delta: table.byte(2)? != 0,
        })
    }
}

impl<'b> RecordBatch<'b> {
    fn parse(table: FlatbufferTable<'b>) -> Option<Self> {
        let packing = match table.table(3)? {
            None => BodyCompression::Plain,
            Some(packing) => match (packing.byte(0)?, packing.byte(1)?) {
                (0, 0) => BodyCompression::Lz4,
                (1, 0) => BodyCompression::Zstd,
                _ => BodyCompression::Unknown,
            },
        };
        let rows = table
            .long(0)
            .filter(|rows| (0..=MAX_BATCH_ROWS).contains(rows))?;
        Some(RecordBatch {
            rows: rows.try_into().ok()?,
            nodes: table.vector(1, PAIR_BYTES)?,
            buffers: table.vector(2, PAIR_BYTES)?,
            variadic: table.vector(4, 8)?,
            packing,
        })
    }

    /// The length of the array with this number, and whether it has nulls.
    pub(super) fn node(&self, number: usize) -> Option<(u64, bool)> {
        let length = self.nodes.long(number, PAIR_BYTES, 0)?.try_into().ok()?;
        let nulls = self.nodes.long(number, PAIR_BYTES, 8)?;
        Some((length, nulls != 0))
    }

    /// The offset in the body and the length of the buffer with this number.
    pub(super) fn buffer(&self, number: usize) -> Option<(u64, u64)> {
        let start = self.buffers.long(number, PAIR_BYTES, 0)?.try_into().ok()?;
        let length = self.buffers.long(number, PAIR_BYTES, 8)?.try_into().ok()?;
        Some((start, length))
    }

    /// The numbers of its arrays, of its buffers, and of those buffers that are texts of arrays of views.
    pub(super) fn counts(&self) -> (usize, usize, usize) {
        let views = (0..).map_while(|number| self.variadic(number));
        (self.nodes.len(), self.buffers.len(), views.sum())
    }

    /// The number of buffers of texts of the array of views with this number.
    pub(super) fn variadic(&self, number: usize) -> Option<usize> {
        let count = usize::try_from(self.variadic.long(number, 8, 0)?).ok()?;
        (count <= self.buffers.len()).then_some(count)
    }
}

/// The place of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MessageLocation {
    pub(super) offset: u64,
    /// Bytes of its metadata, with what is before it.
    pub(super) metadata: usize,
    pub(super) body: u64,
}

impl MessageLocation {
    /// The offset of its body.
    pub(super) fn body_start(&self) -> Option<u64> {
        self.offset.checked_add(self.metadata as u64)
    }

    /// The offset after its body.
    pub(super) fn end(&self) -> Option<u64> {
        self.body_start()?.checked_add(self.body)
    }
}

/// The metadata at the end of a file.
#[derive(Debug)]
pub(super) struct ArrowFooter<'b> {
    pub(super) version: i16,
    pub(super) schema: FlatbufferTable<'b>,
    pub(super) dictionaries: Vec<MessageLocation>,
    pub(super) batches: Vec<MessageLocation>,
}

impl<'b> ArrowFooter<'b> {
    /// Reads the metadata. Returns `None` if it is damaged.
    pub(super) fn parse(bytes: &'b [u8]) -> Option<Self> {
        let root = FlatbufferTable::root(bytes)?;
        let version = root
            .short(0)
            .filter(|version| (0..=NEWEST_VERSION).contains(version))?;
        Some(ArrowFooter {
            version,
            schema: root.table(1)??,
            dictionaries: blocks(&root, 2)?,
            batches: blocks(&root, 3)?,
        })
    }
}

impl ArrowFooter<'_> {
    /// The offset of the first of its blocks.
    pub(super) fn first_block(&self) -> Option<u64> {
        let blocks = self.dictionaries.iter().chain(&self.batches);
        blocks.map(|block| block.offset).min()
    }

    /// Whether its blocks fill the bytes from `start` to `end`, except for what aligns them and ends a stream.
    pub(super) fn fills(&self, start: u64, end: u64) -> bool {
        /// No message is shorter.
        const MIN_MESSAGE_BYTES: u64 = 64;
        let mut blocks: Vec<_> = self.dictionaries.iter().chain(&self.batches).collect();
        blocks.sort_unstable_by_key(|block| block.offset);
        let mut at = Some(start);
        let mut follows = |from: u64, to: Option<u64>| {
            let gap = at.and_then(|at| from.checked_sub(at));
            at = to;
            gap.is_some_and(|gap| gap < MIN_MESSAGE_BYTES)
        };
        blocks
            .iter()
            .all(|block| follows(block.offset, block.end()))
            && follows(end, None)
    }
}

fn blocks(footer: &FlatbufferTable<'_>, number: usize) -> Option<Vec<MessageLocation>> {
    let all = footer.vector(number, BLOCK_BYTES)?;
    let block = |number| {
        Some(MessageLocation {
            offset: all.long(number, BLOCK_BYTES, 0)?.try_into().ok()?,
            metadata: all.int(number, BLOCK_BYTES, 8)?.try_into().ok()?,
            body: all.long(number, BLOCK_BYTES, 16)?.try_into().ok()?,
        })
    };
    (0..all.len()).map(block).collect()
}

/// Whether `head` is the start of a stream: a message with a schema, of which the first bytes are checked, after a continuation
/// or, before version 0.15 of Arrow, only its length, which has a byte 0.
pub(crate) fn starts_stream(head: &[u8]) -> bool {
    /// Metadata has a length that is a multiple of this, and fits the memory of any machine. Old streams align it to 8
    /// bytes with the 4 bytes of its length.
    const LENGTH_UNIT: usize = 4;
    const MAX_METADATA_BYTES: usize = 1 << 28;
    if !head.starts_with(&CONTINUATION) && head.get(3) != Some(&0) {
        return false;
    }
    let MessagePrefix::Message(start, length) = MessagePrefix::parse(head) else {
        return false;
    };
    let root = head.get(start..).and_then(FlatbufferTable::root);
    let is_schema = root.is_some_and(|root| {
        let version = root.short(0).unwrap_or(-1);
        (0..=NEWEST_VERSION).contains(&version)
            && root.byte(1) == Some(SCHEMA_MESSAGE)
            && root.has(2)
    });
    is_schema && length.is_multiple_of(LENGTH_UNIT) && length <= MAX_METADATA_BYTES
}
