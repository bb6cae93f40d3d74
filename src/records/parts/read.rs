//! Reads the manifest of a folder of parts.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use doisift_documents::{InputError, InputFiles};
use serde::Deserialize;

use super::{MANIFEST, PartEntry, SUCCESS, is_part, may_be_of_folder};
use crate::records::columns::{FileColumns, FoundColumn};
use crate::records::fault::{ReadError, RecordFault};
use crate::records::field::RowKind;
use crate::temporary::is_temporary;
use doisift_structure::RecordType;

/// The content of a complete folder of parts.
pub(crate) struct FolderContent {
    pub(crate) columns: FileColumns,
    /// Whether rows may have no name.
    pub(crate) lacks_names: bool,
    /// The parts in order.
    pub(crate) parts: Vec<PartEntry>,
}

#[derive(Deserialize)]
struct ReadManifest {
    rows: String,
    fields: Vec<String>,
    #[serde(default)]
    types: BTreeMap<String, String>,
    #[serde(default)]
    lacks_names: bool,
    parts: Vec<PartEntry>,
}

impl FolderContent {
    /// Reads the manifest of the folder at `path`, which may be a prefix of objects.
    ///
    /// # Errors
    /// If it cannot be listed, there is no `_SUCCESS` or no manifest of this program, or a part is missing or has another size.
    pub(crate) fn read(path: &Path, files: InputFiles<'_>) -> Result<Self, ReadError> {
        read(path, files).map_err(ReadError::new)
    }
}

impl PartEntry {
    /// Reads the part in `folder` to verify it. Returns its path.
    ///
    /// # Errors
    /// If it is missing, or has another size or checksum.
    pub(crate) fn verified(
        &self,
        folder: &Path,
        files: InputFiles<'_>,
    ) -> Result<PathBuf, ReadError> {
        let path = folder.join(&self.name);
        let file = files
            .open(&path)
            .map_err(|error| ReadError::new(io_error(error)))?;
        match self.has_bytes_of(&file)? {
            true => Ok(path),
            false => Err(ReadError::new(RecordFault::Part(self.name.clone()))),
        }
    }
}

/// Returns the name of a file that programs treat as a part, but that is not in `parts`.
pub(super) fn foreign_part<'p>(
    names: Vec<OsString>,
    parts: impl Iterator<Item = &'p PartEntry>,
) -> Option<OsString> {
    let parts: BTreeSet<_> = parts.map(|part| OsStr::new(&*part.name)).collect();
    let mut names = names.into_iter();
    names.find(|name| is_part(name) && !parts.contains(&**name))
}

/// Whether a run has begun to write parts.
fn has_parts(listed: &BTreeMap<String, u64>) -> bool {
    let mut names = listed.keys().map(OsStr::new);
    names.any(|name| may_be_of_folder(name) || is_temporary(name))
}

/// Reads the manifest.
fn manifest(path: &Path, files: InputFiles<'_>) -> Result<ReadManifest, RecordFault> {
    let file = files.open(&path.join(MANIFEST)).map_err(io_error)?;
    let mut bytes = Vec::new();
    file.reader().read_to_end(&mut bytes)?;
    serde_json::from_slice(&bytes).map_err(|_| RecordFault::NoManifest)
}

fn io_error(error: InputError) -> RecordFault {
    RecordFault::Io(match error {
        InputError::Io(error) => error,
        error => io::Error::other(error),
    })
}

fn read(path: &Path, files: InputFiles<'_>) -> Result<FolderContent, RecordFault> {
    let listed = files.list(path).map_err(io_error)?;
    if !listed.contains_key(SUCCESS) {
        return Err(match has_parts(&listed) {
            true => RecordFault::NotComplete,
            false => RecordFault::NoManifest,
        });
    }
    if !listed.contains_key(MANIFEST) {
        return Err(RecordFault::NoManifest);
    }
    let manifest = manifest(path, files)?;
    let names = listed.keys().map(OsString::from).collect();
    if let Some(foreign) = foreign_part(names, manifest.parts.iter()) {
        return Err(RecordFault::ForeignPart(
            foreign.to_string_lossy().into_owned(),
        ));
    }
    let rows = RowKind::ALL
        .into_iter()
        .find(|rows| rows.name() == manifest.rows)
        .ok_or(RecordFault::NoManifest)?;
    let has_size = |part: &PartEntry| listed.get(&part.name) == Some(&part.bytes);
    if let Some(other) = manifest.parts.iter().find(|part| !has_size(part)) {
        return Err(RecordFault::Part(other.name.clone()));
    }
    let column = |name: String| {
        let word = manifest.types.get(&name);
        let kind = word.map_or(Some(RecordType::Text), |word| RecordType::named(word));
        let kind = Some(kind.ok_or(RecordFault::NoManifest)?);
        Ok(FoundColumn { name, kind })
    };
    let columns = manifest.fields.into_iter().map(column);
    let columns = columns.collect::<Result<_, RecordFault>>()?;
    Ok(FolderContent {
        columns: FileColumns::new(rows, columns),
        lacks_names: manifest.lacks_names,
        parts: manifest.parts,
    })
}
