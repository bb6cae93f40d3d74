//! The schemas of records and mentions, and a file per format that writes them.

use std::io::Write;

use crate::scan::Form;

/// One output row: a name with all that was aggregated over its mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    pub(crate) doi: &'a str,
    pub(crate) mentions: u64,
    pub(crate) documents: u64,
    pub(crate) forms: Forms,
    pub(crate) first_source: &'a str,
    pub(crate) first_document: Option<&'a str>,
    pub(crate) first_offset: u64,
    pub(crate) first_text: &'a str,
    pub(crate) guessed: bool,
}

/// A row of `--mentions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MentionRow<'a> {
    pub(crate) doi: &'a str,
    pub(crate) form: Form,
    pub(crate) source: &'a str,
    pub(crate) document: Option<&'a str>,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) text: &'a str,
    pub(crate) guessed: bool,
}

/// The set of forms a name was seen in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forms(u8);

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// One key a line and nothing else.
    Names,
}

/// Writes rows of one format; `finish` must be called for the output to be whole.
pub(crate) trait RowWriter: Send {
    fn record(&mut self, record: &Record<'_>) -> std::io::Result<()>;
    fn mention(&mut self, mention: &MentionRow<'_>) -> std::io::Result<()>;
    fn finish(self: Box<Self>) -> std::io::Result<Box<dyn Write + Send>>;
}

/// A writer of records or of mentions (`mentions` decides the header).
pub(crate) fn writer(
    _format: Format,
    _mentions: bool,
    _out: Box<dyn Write + Send>,
) -> Box<dyn RowWriter> {
    unimplemented!()
}
