//! The manifest of a folder of parts.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use doisift_documents::SourceFile;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::{PartAbout, PartPlan};
use crate::records::layout::Layout;

/// Bytes of one read of a part.
const READ_BYTES: usize = 256 << 10;

/// A complete part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartEntry {
    /// The name of the file.
    pub(crate) name: String,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    /// The xxh3-64 of the file, in hexadecimal digits.
    pub(crate) xxh3: String,
    /// The sources of its rows in order, if rows are in the order of sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<SourceRows>,
}

impl PartEntry {
    /// Whether the file in `folder` is not a link and has the size and checksum of this part. Reads it.
    pub(super) fn is_whole(&self, folder: &Path) -> io::Result<bool> {
        let path = folder.join(&self.name);
        let is_file = path.symlink_metadata().is_ok_and(|at| at.is_file());
        Ok(is_file && self.has_bytes_of(&File::open(path)?.into())?)
    }

    /// Whether a file has the size and checksum of this part. Reads it.
    pub(super) fn has_bytes_of(&self, file: &SourceFile) -> io::Result<bool> {
        if file.length()? != self.bytes {
            return Ok(false);
        }
        let (mut file, mut sum) = (file.reader(), Xxh3::new());
        let mut buffer = vec![0; READ_BYTES.min(self.bytes as usize + 1)];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(format!("{:016x}", sum.digest()) == self.xxh3),
                read => sum.update(&buffer[..read]),
            }
        }
    }
}

/// Number of rows of one source in a part. Parts have the rows of a source in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceRows {
    pub(crate) name: String,
    pub(crate) rows: u64,
}

/// The manifest: the layout and options of the run, then the parts.
#[derive(Serialize)]
struct FolderManifest<'a> {
    doisift: &'static str,
    rows: &'static str,
    format: &'static str,
    fields: Vec<&'a str>,
    /// The types of columns with fields of records, except texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    types: BTreeMap<&'a str, &'static str>,
    /// Whether rows may have no name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lacks_names: bool,
    #[serde(flatten)]
    about: &'a PartAbout,
    total: FolderTotals,
    parts: &'a [&'a PartEntry],
}

#[derive(Serialize)]
struct FolderTotals {
    parts: usize,
    rows: u64,
    bytes: u64,
}

/// Writes the manifest of all parts.
pub(in crate::records) fn write(
    out: &mut dyn Write,
    layout: &Layout,
    plan: &PartPlan,
    parts: &[&PartEntry],
) -> io::Result<()> {
    let manifest = FolderManifest {
        doisift: env!("CARGO_PKG_VERSION"),
        rows: layout.rows.name(),
        format: layout.format.name(),
        fields: layout.columns(),
        types: layout.types(),
        lacks_names: layout.lacks_names(),
        about: &plan.about,
        total: FolderTotals {
            parts: parts.len(),
            rows: parts.iter().map(|part| part.rows).sum(),
            bytes: parts.iter().map(|part| part.bytes).sum(),
        },
        parts,
    };
    serde_json::to_writer_pretty(&mut *out, &manifest)?;
    out.write_all(b"\n")
}
