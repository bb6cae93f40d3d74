//! A file, and the columns of it that are read.

use std::fs::File;
use std::sync::Arc;

use super::footer::{self, Footer, GroupEntry};
use super::schema::{self, Leaf, LeafKind};
use crate::input::columnar::choice::ColumnChoice;
use crate::input::columnar::path::ColumnPath;
use crate::input::fault::{InputError, Packing};
use crate::input::file::read_at;

/// The ending of a file: the length of the footer, and the magic number.
const ENDING: usize = 8;
/// Most columns that are read.
const COLUMNS: usize = 1 << 15;
/// Most names of columns in a message.
const NAMED: usize = 20;

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

/// What is wrong with a choice of columns.
pub(in crate::input) type ChoiceFaults = Vec<InputError>;

impl ParquetFile {
    /// Reads the metadata of a file of `length` bytes, which may take `most` bytes of memory. Also returns an error for each
    /// wanted column that cannot be read.
    ///
    /// # Errors
    /// If the metadata is damaged, encrypted, too large, or cannot be read.
    pub(in crate::input) fn open(
        file: File,
        length: u64,
        choice: &ColumnChoice,
        most: usize,
    ) -> Result<(Self, ChoiceFaults), InputError> {
        let bytes = read_footer(&file, length, most)?;
        let damaged = || fault("has damaged metadata");
        let footer = Footer::read(&bytes).ok_or_else(damaged)?;
        if footer.is_encrypted {
            return Err(InputError::Encrypted(Packing::Parquet));
        }
        let leaves = schema::leaves(&footer.elements).ok_or_else(damaged)?;
        let groups = footer::groups(&bytes).ok_or_else(damaged)?;
        let mut faults = Vec::new();
        let texts = texts(&leaves, choice, &mut faults);
        if texts.len() > COLUMNS {
            return Err(fault("has too many columns; --columns selects some"));
        }
        let id = choice.id.as_ref().and_then(|id| {
            let found = id_column(&leaves, id);
            found.map_err(|error| faults.push(error)).ok()
        });
        let mut numbers: Vec<usize> = texts.iter().chain(&id).map(|leaf| leaf.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let file = ParquetFile {
            file: Arc::new(file),
            length,
            footer: bytes,
            groups,
            paths: texts.iter().map(|leaf| leaf.path.clone()).collect(),
            texts,
            id,
            numbers,
        };
        Ok((file, faults))
    }

    /// The number of rows.
    pub(in crate::input) fn rows(&self) -> u64 {
        let last = self.groups.last();
        last.map_or(0, |last| last.first_row + last.rows)
    }

    /// The number of row groups that have rows.
    pub(in crate::input) fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Whether it has a column that is read.
    pub(in crate::input) fn has_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Bytes of metadata that were read.
    pub(in crate::input) fn footer_length(&self) -> u64 {
        (self.footer.len() + ENDING) as u64
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

/// The names by which a column can be chosen.
fn names(leaf: &Leaf) -> [String; 2] {
    [leaf.path.plain(), leaf.schema_path.clone()]
}

/// The columns with texts that are chosen, and an error for each name that selects none.
fn texts(leaves: &[Leaf], choice: &ColumnChoice, faults: &mut ChoiceFaults) -> Vec<Leaf> {
    let is_text = |leaf: &&Leaf| leaf.kind == LeafKind::Text;
    let all = leaves.iter().filter(is_text);
    if choice.columns.is_none() {
        return all.cloned().collect();
    }
    let chosen: Vec<Leaf> = all
        .filter(|leaf| choice.selects(&names(leaf)))
        .cloned()
        .collect();
    for column in choice.columns.iter().flatten() {
        let found = chosen
            .iter()
            .any(|leaf| ColumnChoice::is_in(column, &names(leaf)));
        if !found {
            faults.push(InputError::NoColumn {
                column: column.as_str().into(),
                known: listed(leaves.iter().filter(is_text)),
            });
        }
    }
    chosen
}

/// The column that names rows: texts or integers, one for each row.
fn id_column(leaves: &[Leaf], id: &str) -> Result<Leaf, InputError> {
    let is_id = |leaf: &&Leaf| leaf.kind != LeafKind::Other && leaf.repetition == 0;
    let found = leaves
        .iter()
        .filter(is_id)
        .find(|leaf| names(leaf).iter().any(|name| name == id));
    found.cloned().ok_or_else(|| InputError::NoColumn {
        column: id.into(),
        known: listed(leaves.iter().filter(is_id)),
    })
}

/// The names of columns, for messages.
fn listed<'l>(leaves: impl Iterator<Item = &'l Leaf>) -> Box<str> {
    let mut names: Vec<_> = leaves
        .take(NAMED + 1)
        .map(|leaf| leaf.path.plain())
        .collect();
    if names.len() > NAMED {
        names[NAMED] = "...".into();
    }
    match names.is_empty() {
        true => "none".into(),
        false => names.join(", ").into(),
    }
}
