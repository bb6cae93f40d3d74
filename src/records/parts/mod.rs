//! Outputs in parts: a folder of `part-00000.parquet`, `part-00001.parquet` and so on, with a manifest and, at the end,
//! `_SUCCESS`.
//!
//! A part is complete when it has its name. The sizes of rows, as their format counts them, and the bytes of text read before
//! reported places decide where parts end. So the parts are the same for every number of threads and every division into blocks,
//! if these places are. Programs that read such folders ignore names that start with `_` or `.`.

mod folder;
mod log;
mod manifest;
mod place;
mod read;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use doisift_documents::printable;
use serde::{Deserialize, Serialize};

use super::format::{Compression, Format};

pub(super) use folder::PartFolder;
pub(crate) use folder::PartKeep;
pub(crate) use manifest::PartEntry;
pub(super) use manifest::{SourceRows, write as write_manifest};
pub(crate) use place::PartPlace;
pub(crate) use read::FolderContent;

/// The file that lists the parts. Complete when it has its name, like each part.
pub(super) const MANIFEST: &str = "_manifest.json";
/// The empty file that marks the output as complete.
pub(crate) const SUCCESS: &str = "_SUCCESS";
/// The start of the name of a part, and the min number of digits after it.
const PART_START: &str = "part-";
const MIN_PART_DIGITS: usize = 5;
/// Bytes of text after which a part ends, as a multiple of its size. So a resumed run does not read much text again if rows are
/// few.
const TEXT_BYTES_PER_PART_BYTE: u64 = 8;

/// Size of the parts of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartSize {
    /// A part ends when its rows have this many bytes, as their format counts them; or, if rows are in the order of sources,
    /// after the document with which eight times as many bytes of text were read.
    Bytes(u64),
    /// A part ends before the first row of the next source.
    Source,
}

/// Progress of a folder of parts, with the state that decides where the next part ends.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PartsDone {
    /// The number of complete parts.
    pub(crate) parts: usize,
    /// The number of rows in them.
    pub(crate) rows: u64,
    /// Bytes of text that were read before the first place that was [reported](super::BlockWriter::report_place) after these parts.
    /// `None` before that.
    pub(crate) text: Option<u64>,
}

/// Inputs and options of the run, for the manifest.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct PartAbout {
    pub(crate) paths: Vec<String>,
    pub(crate) options: serde_json::Value,
}

/// Plan for the division of an output into parts.
#[derive(Clone, Debug)]
pub(crate) struct PartPlan {
    pub(crate) size: PartSize,
    /// The ending of the parts, such as `.jsonl.zst`.
    ending: String,
    /// The inputs as typed, and the options that affect the rows, for the manifest.
    pub(crate) about: PartAbout,
}

impl PartSize {
    /// Returns the bytes of text after which a part ends. `None` if text does not end parts.
    pub(crate) fn text(self) -> Option<u64> {
        match self {
            PartSize::Bytes(full) => Some(full.saturating_mul(TEXT_BYTES_PER_PART_BYTE)),
            PartSize::Source => None,
        }
    }
}

impl PartPlan {
    /// Creates the plan for a folder at `path`, whose ending determines the compression.
    pub(crate) fn new(path: &Path, format: Format, size: PartSize) -> Self {
        let packing = match Compression::from_path(path) {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        };
        PartPlan {
            size,
            ending: format!(".{}{packing}", format.name()),
            about: PartAbout::default(),
        }
    }

    /// Returns the name of a part, by its number from 0.
    pub(super) fn name(&self, number: usize) -> String {
        let (digits, ending) = (MIN_PART_DIGITS, &self.ending);
        format!("{PART_START}{number:0digits$}{ending}")
    }
}

/// Whether an output at `path` is a folder of parts: `path` ends with a separator.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Whether a file of this name may belong to a folder of parts.
pub(crate) fn may_be_of_folder(name: &OsStr) -> bool {
    name == MANIFEST || name == SUCCESS || is_part(name)
}

/// Whether programs that read a folder treat a file of this name as a part.
fn is_part(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PART_START.as_bytes())
}

/// Returns the folder to propose, if the last name of `path` is a pattern for the names of several files, as in other programs.
pub(crate) fn folder_of_pattern(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let has_number = || {
        let digits = name.split('%').skip(1);
        digits
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
            .any(|rest| rest.starts_with(['s', 'd']))
    };
    let is_pattern = name.contains(['*', '{']) || has_number();
    is_pattern.then(|| {
        path.parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("parts"))
            .join("")
    })
}

/// Returns the message for an output that is a pattern.
pub(crate) fn pattern_remedy(path: &Path) -> String {
    let folder = folder_of_pattern(path).unwrap_or_default();
    format!(
        "an output is one file, or a folder of parts that are named part-00000 and so on; for a folder write -o {}",
        printable::path(&folder)
    )
}
