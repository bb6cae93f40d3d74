//! What a folder says of its parts.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::{PartAbout, PartPlan};
use crate::records::layout::Layout;

/// A part that is complete.
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

/// The rows of a part that are of one source. The first part that has the source has its first rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceRows {
    pub(crate) name: String,
    pub(crate) rows: u64,
}

/// The manifest, with what the options of the run say before the parts.
#[derive(Serialize)]
struct FolderManifest<'a> {
    doisift: &'static str,
    rows: &'static str,
    format: &'static str,
    fields: Vec<&'a str>,
    /// Whether rows may have no name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lacks_names: bool,
    #[serde(flatten)]
    about: &'a PartAbout,
    total: Total,
    parts: &'a [PartEntry],
}

#[derive(Serialize)]
struct Total {
    parts: usize,
    rows: u64,
    bytes: u64,
}

/// Writes the manifest of all parts.
pub(super) fn write(
    out: &mut dyn Write,
    layout: &Layout,
    plan: &PartPlan,
    parts: &[PartEntry],
) -> io::Result<()> {
    let manifest = FolderManifest {
        doisift: env!("CARGO_PKG_VERSION"),
        rows: layout.rows.name(),
        format: layout.format.name(),
        fields: layout.columns(),
        lacks_names: layout.lacks_names(),
        about: &plan.about,
        total: Total {
            parts: parts.len(),
            rows: parts.iter().map(|part| part.rows).sum(),
            bytes: parts.iter().map(|part| part.bytes).sum(),
        },
        parts,
    };
    serde_json::to_writer_pretty(&mut *out, &manifest)?;
    out.write_all(b"\n")
}
