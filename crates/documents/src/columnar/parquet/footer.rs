//! The metadata at the end of a file: its schema, and where its columns are.

use super::schema::SchemaElement;
use super::thrift::{BINARY, LIST, STRUCT, ThriftReader};

/// The metadata of a file.
#[derive(Debug, Default)]
pub(super) struct ParquetFooter {
    pub(super) elements: Vec<SchemaElement>,
    /// The number of rows; `None` if it is missing.
    pub(super) rows: Option<u64>,
    /// Whether columns are encrypted.
    pub(super) is_encrypted: bool,
    /// Bytes after the metadata.
    pub(super) left: usize,
}

/// The place of the metadata of a row group.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupEntry {
    /// The number of bytes of the footer from its metadata on.
    left: usize,
    /// The number of its first row in the file, from 0.
    pub(super) first_row: u64,
    pub(super) rows: u64,
}

/// The part of a column in a row group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ColumnChunk {
    /// The physical type; `None` if its metadata is missing.
    pub(super) physical: Option<i64>,
    pub(super) codec: i64,
    /// Values and nulls.
    pub(super) values: u64,
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) is_encrypted: bool,
    /// Whether it is in another file.
    pub(super) is_elsewhere: bool,
}

/// Max rows of a file.
const MAX_FILE_ROWS: u64 = 1 << 48;

impl ParquetFooter {
    /// Reads the schema. Returns `None` if it is damaged.
    pub(super) fn parse(bytes: &[u8]) -> Option<ParquetFooter> {
        let mut footer = ParquetFooter::default();
        let mut thrift = ThriftReader::new(bytes);
        thrift.structure(|thrift, head| {
            match (head.id, head.kind) {
                (2, LIST) => {
                    for _ in 0..thrift.list(STRUCT)? {
                        footer.elements.push(SchemaElement::parse(thrift)?);
                    }
                }
                (3, _) => footer.rows = thrift.integer()?.try_into().ok(),
                (8, _) => {
                    footer.is_encrypted = true;
                    return Some(false);
                }
                _ => return Some(false),
            }
            Some(true)
        })?;
        footer.left = thrift.bytes_left();
        Some(footer)
    }
}

/// The name of the program that wrote the file, if it is given and the metadata is sound.
pub(super) fn writer(bytes: &[u8]) -> Option<&str> {
    let mut writer = None;
    ThriftReader::new(bytes).structure(|thrift, head| {
        let is_writer = (head.id, head.kind) == (6, BINARY);
        if is_writer {
            writer = Some(thrift.text()?);
        }
        Some(is_writer)
    })?;
    writer
}

/// The value of the first entry with this key that the program added, if there is one and the metadata is sound.
pub(super) fn entry<'b>(bytes: &'b [u8], key: &str) -> Option<&'b str> {
    let mut found = None;
    ThriftReader::new(bytes).structure(|thrift, head| {
        if (head.id, head.kind) != (5, LIST) {
            return Some(false);
        }
        for _ in 0..thrift.list(STRUCT)? {
            let (name, value) = key_and_value(thrift)?;
            if name == key.as_bytes() && found.is_none() {
                found = Some(value);
            }
        }
        Some(true)
    })?;
    str::from_utf8(found?).ok()
}

fn key_and_value<'b>(thrift: &mut ThriftReader<'b>) -> Option<(&'b [u8], &'b [u8])> {
    let mut pair: [&[u8]; 2] = [&[]; 2];
    thrift.structure(|thrift, head| {
        let slot = match (head.id, head.kind) {
            (1, BINARY) => &mut pair[0],
            (2, BINARY) => &mut pair[1],
            _ => return Some(false),
        };
        *slot = thrift.binary()?;
        Some(true)
    })?;
    Some(pair.into())
}

/// Returns the row groups that have rows; `None` if they are damaged.
pub(super) fn groups(bytes: &[u8]) -> Option<Vec<GroupEntry>> {
    let mut groups = Vec::new();
    let mut first_row = 0_u64;
    ThriftReader::new(bytes).structure(|thrift, head| {
        if (head.id, head.kind) != (4, LIST) {
            return Some(false);
        }
        for _ in 0..thrift.list(STRUCT)? {
            let left = thrift.bytes_left();
            let rows = rows(thrift)?;
            if rows > 0 {
                groups.push(GroupEntry {
                    left,
                    first_row,
                    rows,
                });
            }
            first_row = first_row
                .checked_add(rows)
                .filter(|&rows| rows <= MAX_FILE_ROWS)?;
        }
        Some(true)
    })?;
    Some(groups)
}

/// The number of rows of the next row group.
fn rows(thrift: &mut ThriftReader<'_>) -> Option<u64> {
    let mut rows = 0;
    thrift.structure(|thrift, head| {
        if head.id != 3 {
            return Some(false);
        }
        rows = thrift.integer()?.try_into().ok()?;
        Some(true)
    })?;
    Some(rows)
}

/// Returns the chunks of the columns with these numbers, which ascend, in a row group; `None` for one that it lacks.
pub(super) fn chunks(
    bytes: &[u8],
    group: GroupEntry,
    columns: &[usize],
) -> Option<Vec<Option<ColumnChunk>>> {
    let mut chunks = vec![None; columns.len()];
    let start = bytes.len().checked_sub(group.left)?;
    ThriftReader::new(&bytes[start..]).structure(|thrift, head| {
        if (head.id, head.kind) != (1, LIST) {
            return Some(false);
        }
        for number in 0..thrift.list(STRUCT)? {
            let chunk = ColumnChunk::parse(thrift)?;
            if let Ok(slot) = columns.binary_search(&number) {
                chunks[slot] = Some(chunk);
            }
        }
        Some(true)
    })?;
    Some(chunks)
}

impl ColumnChunk {
    fn parse(thrift: &mut ThriftReader<'_>) -> Option<ColumnChunk> {
        let mut chunk = ColumnChunk::default();
        thrift.structure(|thrift, head| {
            match (head.id, head.kind) {
                (1, BINARY) => chunk.is_elsewhere = !thrift.binary()?.is_empty(),
                (3, STRUCT) => chunk.metadata(thrift)?,
                (8, _) => {
                    chunk.is_encrypted = true;
                    return Some(false);
                }
                _ => return Some(false),
            }
            Some(true)
        })?;
        Some(chunk)
    }

    fn metadata(&mut self, thrift: &mut ThriftReader<'_>) -> Option<()> {
        let (mut data, mut dictionary) = (0, None);
        thrift.structure(|thrift, head| {
            match head.id {
                1 => self.physical = Some(thrift.integer()?),
                5 => self.values = thrift.integer()?.try_into().ok()?,
                4 => self.codec = thrift.integer()?,
                7 => self.length = thrift.integer()?.try_into().ok()?,
                9 => data = thrift.integer()?.try_into().ok()?,
                11 => dictionary = Some(thrift.integer()?).and_then(|at| u64::try_from(at).ok()),
                _ => return Some(false),
            }
            Some(true)
        })?;
        // Some writers state 0 for a dictionary that they do not write.
        let dictionary = dictionary.filter(|&at| at > 0);
        self.start = dictionary.map_or(data, |at| at.min(data));
        Some(())
    }
}
