//! The identifier: what a DOI name is, every way to write it, and when two are the same.
//!
//! Knows nothing of text, documents or files. Rule numbers are those of the source documents' list in `tests/cases/README.md`.

use std::borrow::Cow;

/// A DOI name.
#[derive(Clone, Debug)]
pub struct Doi(Box<str>);

/// Why a text is no DOI name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no DOI name")]
pub struct DoiError;

/// How much a URL presentation encodes (H1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlEncoding {
    /// Only what must be.
    Mandatory,
    /// What is recommended as well.
    Recommended,
}

/// ASCII-lowercased copy: the representative of a name's equivalence class (U5).
pub(crate) fn key(name: &str) -> Cow<'_, str> {
    Cow::Owned(name.to_ascii_lowercase())
}

pub(crate) fn hex_pair(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}
