//! A file, and the columns of it that are read.

use std::sync::Arc;

use super::footer::{self, ColumnChunk, GroupEntry, ParquetFooter};
use super::schema::{self, ParquetLeaf};
use crate::columnar::path::ColumnPath;
use crate::fault::{InputError, LocatedError, Packing};
use crate::file::ReadAt;

/// The ending of a file: the length of the footer, and the magic number.
pub(super) const ENDING_BYTES: usize = 8;

/// How a file starts.
const MAGIC: [u8; 4] = *b"PAR1";

/// A file, and where the columns of its row groups are.
pub(super) struct StoredColumns {
    pub(super) file: Arc<dyn ReadAt>,
    pub(super) length: u64,
    pub(super) footer: Vec<u8>,
    pub(super) groups: Vec<GroupEntry>,
}

/// A file whose texts are read.
pub(crate) struct ParquetFile {
    pub(super) stored: StoredColumns,
    /// The columns whose texts are read, in the order of the file.
    pub(super) texts: Vec<ParquetLeaf>,
    pub(super) paths: Arc<[ColumnPath]>,
    /// The column that names rows.
    pub(super) id: Option<ParquetLeaf>,
}

impl StoredColumns {
    /// Reads the metadata of a file of `length` bytes, of which `max` bytes may be held in memory. Also returns all columns, and
    /// what is wrong with the metadata.
    ///
    /// # Errors
    /// If the metadata is damaged, encrypted or too large, or cannot be read.
    pub(super) fn open(
        file: Arc<dyn ReadAt>,
        length: u64,
        max: usize,
    ) -> Result<(Self, Vec<ParquetLeaf>, Vec<LocatedError>), InputError> {
        let bytes = read_footer(&*file, length, max)?;
        let damaged = || file_error("has damaged metadata");
        let footer = ParquetFooter::parse(&bytes).ok_or_else(damaged)?;
        if footer.is_encrypted {
            return Err(InputError::Encrypted(Packing::Parquet));
        }
        let leaves = schema::leaves(&footer.elements).ok_or_else(damaged)?;
        let groups = footer::groups(&bytes).ok_or_else(damaged)?;
        let mut faults = contradictions(&bytes, &footer, &leaves, &groups);
        let mut start = [0; MAGIC.len()];
        read_exact(&*file, &mut start, 0)?;
        let stored = StoredColumns {
            file,
            length,
            footer: bytes,
            groups,
        };
        let at = stored.footer_start();
        faults.iter_mut().for_each(|(offset, _)| *offset = at);
        if start != MAGIC {
            faults.push((0, file_error("has a damaged start")));
        }
        Ok((stored, leaves, faults))
    }

    /// The offset of the metadata in the file.
    pub(super) fn footer_start(&self) -> u64 {
        self.length
            .saturating_sub((self.footer.len() + ENDING_BYTES) as u64)
    }
}

/// The number of rows in all row groups.
pub(super) fn rows_of(groups: &[GroupEntry]) -> u64 {
    let last = groups.last();
    last.map_or(0, |last| last.first_row + last.rows)
}

/// Returns contradictions between parts of the metadata, by which rows or columns may be lost. Reading continues in spite of them.
fn contradictions(
    bytes: &[u8],
    footer: &ParquetFooter,
    leaves: &[ParquetLeaf],
    groups: &[GroupEntry],
) -> Vec<LocatedError> {
    let mut faults = Vec::new();
    if footer.left > 0 {
        faults.push(file_error("has bytes after its metadata, which is damaged"));
    }
    // Some writers state no rows at all.
    if ![Some(0), Some(rows_of(groups))].contains(&footer.rows) {
        faults.push(file_error("does not have as many rows in its row groups as its metadata says, so rows are lost or damaged"));
    }
    if let Some(group) = groups.first()
        && !has_columns(bytes, *group, leaves)
    {
        faults.push(file_error(
            "has other columns in its schema than in its row groups, so texts may be lost",
        ));
    }
    faults.into_iter().map(|error| (0, error)).collect()
}

/// Whether a row group has a column for each of the schema, of the same type, and no more. True if it cannot be read, which is
/// reported with its rows.
fn has_columns(bytes: &[u8], group: GroupEntry, leaves: &[ParquetLeaf]) -> bool {
    let numbers: Vec<_> = (0..=leaves.len()).collect();
    let Some(chunks) = footer::chunks(bytes, group, &numbers) else {
        return true;
    };
    let more = chunks.last().is_some_and(Option::is_some);
    let mut pairs = leaves.iter().zip(chunks);
    let is_same = |(leaf, chunk): (&ParquetLeaf, Option<ColumnChunk>)| {
        let physical = chunk.map(|chunk| chunk.physical.unwrap_or(leaf.physical));
        physical == Some(leaf.physical)
    };
    !more && pairs.all(is_same)
}

pub(super) fn file_error(fault: &'static str) -> InputError {
    InputError::Table {
        packing: Packing::Parquet,
        fault,
    }
}

fn read_footer(file: &dyn ReadAt, length: u64, max: usize) -> Result<Vec<u8>, InputError> {
    let no_end = || file_error("has no metadata at its end, so it is cut or damaged");
    let end = length.checked_sub(ENDING_BYTES as u64).ok_or_else(no_end)?;
    let mut ending = [0; ENDING_BYTES];
    read_exact(file, &mut ending, end)?;
    let [a, b, c, d, magic @ ..] = ending;
    let length = u32::from_le_bytes([a, b, c, d]);
    match &magic {
        b"PAR1" => {}
        b"PARE" => return Err(InputError::Encrypted(Packing::Parquet)),
        _ => return Err(no_end()),
    }
    let start = end.checked_sub(length.into()).filter(|&start| start >= 4);
    let start = start.ok_or_else(|| file_error("has metadata of a wrong length"))?;
    if length as usize > max {
        return Err(InputError::TooLarge {
            packing: Packing::Parquet,
            limit: max as u64,
        });
    }
    let mut bytes = vec![0; length as usize];
    read_exact(file, &mut bytes, start)?;
    Ok(bytes)
}

fn read_exact(file: &dyn ReadAt, mut into: &mut [u8], mut at: u64) -> Result<(), InputError> {
    while !into.is_empty() {
        match file.read_at(into, at) {
            Ok(0) => return Err(InputError::Shrunk),
            Ok(read) => {
                into = &mut into[read..];
                at += read as u64;
            }
            Err(error) => return Err(InputError::Io(error)),
        }
    }
    Ok(())
}
