//! Reads the manifest of a folder of parts.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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
    /// Reads the manifest of the folder at `path`.
    ///
    /// # Errors
    /// If there is no `_SUCCESS` or no manifest of this program, or a part is missing or has another size.
    pub(crate) fn read(path: &Path) -> Result<Self, ReadError> {
        read(path).map_err(ReadError::new)
    }
}

impl PartEntry {
    /// Reads the part in `folder` to verify it. Returns its path.
    ///
    /// # Errors
    /// If it is missing, or has another size or checksum.
    pub(crate) fn verified(&self, folder: &Path) -> Result<PathBuf, ReadError> {
        let path = folder.join(&self.name);
        match self.has_bytes_of(&path) {
            Ok(true) => Ok(path),
            Ok(false) => Err(ReadError::new(RecordFault::Part(self.name.clone()))),
            Err(error) => Err(ReadError::new(error)),
        }
    }
}

/// Whether a run has begun to write parts.
fn has_parts(path: &Path) -> bool {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name());
    names.any(|name| may_be_of_folder(&name) || is_temporary(&name))
}

/// Returns the name of a file that programs treat as a part, but that is not in `parts`.
pub(super) fn foreign_part<'p>(
    path: &Path,
    parts: impl Iterator<Item = &'p PartEntry>,
) -> io::Result<Option<OsString>> {
    let parts: BTreeSet<_> = parts.map(|part| OsStr::new(&*part.name)).collect();
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if is_part(&name) && !parts.contains(&*name) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn read(path: &Path) -> Result<FolderContent, RecordFault> {
    if !path.join(SUCCESS).is_file() {
        return Err(match has_parts(path) {
            true => RecordFault::NotComplete,
            false => RecordFault::NoManifest,
        });
    }
    let bytes = fs::read(path.join(MANIFEST)).map_err(|_| RecordFault::NoManifest)?;
    let manifest: ReadManifest =
        serde_json::from_slice(&bytes).map_err(|_| RecordFault::NoManifest)?;
    if let Ok(Some(foreign)) = foreign_part(path, manifest.parts.iter()) {
        return Err(RecordFault::ForeignPart(
            foreign.to_string_lossy().into_owned(),
        ));
    }
    let rows = RowKind::ALL
        .into_iter()
        .find(|rows| rows.name() == manifest.rows)
        .ok_or(RecordFault::NoManifest)?;
    let has_size = |part: &PartEntry| {
        let found = fs::metadata(path.join(&part.name));
        found.is_ok_and(|found| found.len() == part.bytes)
    };
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
