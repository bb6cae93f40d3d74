//! A file, and the columns of it that are read.

use std::fs::File;
use std::sync::Arc;

use super::column::ColumnBuffers;
use super::footer::{self, Footer, GroupEntry};
use super::group::GroupReader;
use super::schema::{self, Leaf};
use crate::input::columnar::choice::{ChosenColumns, ColumnChoice};
use crate::input::columnar::part::{ColumnarFile, TableFaults};
use crate::input::columnar::path::ColumnPath;
use crate::input::fault::{InputError, Packing};
use crate::input::file::read_at;

/// The ending of a file: the length of the footer, and the magic number.
const ENDING: usize = 8;

/// A file whose texts are read.
#[derive(Debug)]
pub(in crate::input) struct ParquetFile {
    pub(super) file: Arc<File>,
    pub(super) length: u64,
    pub(super) footer: Vec<u8>,
    pub(super) groups: Vec<GroupEntry>,
    /// The columns whose texts are read, in the order of the file.
    pub(super) texts: Vec<Leaf>,
    pub(super) paths: Arc<[ColumnPath]>,
    /// The column that names rows.
    pub(super) id: Option<Leaf>,
    /// The numbers of all of these columns, ascending.
    pub(super) numbers: Vec<usize>,
}

impl ColumnarFile for ParquetFile {
    const PACKING: Packing = Packing::Parquet;
    const WITHOUT_TEXT: &'static str = "parquet without text";
    type Buffers = Vec<ColumnBuffers>;
    type Part<'f> = GroupReader<'f>;

    fn open(
        file: File,
        length: u64,
        choice: &ColumnChoice,
        most: usize,
    ) -> Result<(Self, TableFaults), InputError> {
        let bytes = read_footer(&file, length, most)?;
        let damaged = || fault("has damaged metadata");
        let footer = Footer::read(&bytes).ok_or_else(damaged)?;
        if footer.is_encrypted {
            return Err(InputError::Encrypted(Packing::Parquet));
        }
        let leaves = schema::leaves(&footer.elements).ok_or_else(damaged)?;
        let groups = footer::groups(&bytes).ok_or_else(damaged)?;
        let mut faults = Vec::new();
        let chosen = choice.select(&leaves, Packing::Parquet, |_| None, &mut faults)?;
        let ChosenColumns { texts, paths, id } = chosen;
        let mut numbers: Vec<usize> = texts.iter().chain(&id).map(|leaf| leaf.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let file = ParquetFile {
            file: Arc::new(file),
            length,
            footer: bytes,
            groups,
            texts,
            paths,
            id,
            numbers,
        };
        Ok((file, faults))
    }

    fn rows(&self) -> u64 {
        let last = self.groups.last();
        last.map_or(0, |last| last.first_row + last.rows)
    }

    fn part_count(&self) -> usize {
        self.groups.len()
    }

    fn has_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    fn metadata_length(&self) -> u64 {
        (self.footer.len() + ENDING) as u64
    }

    fn part(
        &self,
        number: usize,
        memory: usize,
        buffers: Vec<ColumnBuffers>,
    ) -> Option<GroupReader<'_>> {
        let group = self.groups.get(number)?;
        Some(GroupReader::new(self, *group, memory, buffers))
    }

    fn into_buffers(part: GroupReader<'_>) -> Vec<ColumnBuffers> {
        part.into_buffers()
    }
}

pub(super) fn fault(fault: &'static str) -> InputError {
    InputError::Table {
        packing: Packing::Parquet,
        fault,
    }
}

fn read_footer(file: &File, length: u64, most: usize) -> Result<Vec<u8>, InputError> {
    let no_end = || fault("has no metadata at its end, so it is cut or damaged");
    let end = length.checked_sub(ENDING as u64).ok_or_else(no_end)?;
    let mut ending = [0; ENDING];
    read_exact(file, &mut ending, end)?;
    let [a, b, c, d, magic @ ..] = ending;
    let length = u32::from_le_bytes([a, b, c, d]);
    match &magic {
        b"PAR1" => {}
        b"PARE" => return Err(InputError::Encrypted(Packing::Parquet)),
        _ => return Err(no_end()),
    }
    let start = end.checked_sub(length.into()).filter(|&start| start >= 4);
    let start = start.ok_or_else(|| fault("has metadata of a wrong length"))?;
    if length as usize > most {
        return Err(fault(
            "has more metadata than fits a thread's share of the memory; --memory allows more",
        ));
    }
    let mut bytes = vec![0; length as usize];
    read_exact(file, &mut bytes, start)?;
    Ok(bytes)
}

fn read_exact(file: &File, mut into: &mut [u8], mut at: u64) -> Result<(), InputError> {
    while !into.is_empty() {
        match read_at(file, into, at) {
            Ok(0) => return Err(InputError::Shrunk),
            Ok(read) => {
                into = &mut into[read..];
                at += read as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(InputError::Io(error)),
        }
    }
    Ok(())
}
