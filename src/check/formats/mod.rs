//! The formats of the rows of a check: a file for each, and its row in `CheckFormat::spec`.
//!
//! `table` has every row, in a format of records; `sarif`, `github`, `gitlab`, `junit` and `markdown` what people are to look at. No format
//! keeps rows until the end, except those that `markdown` shows, which are bounded.

mod github;
mod gitlab;
mod json_array;
mod junit;
mod markdown;
mod nowhere;
mod sarif;
mod table;

use std::io;
use std::str::FromStr;

use doisift_core::ParseError;

use super::fingerprint::{Fingerprint, path_in_repository};
use super::row::CheckedReference;
use super::verdict::CheckVerdict;
use crate::records::{Format, Output};

/// A format of the rows of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckFormat {
    /// A table for people. Only the command writes it; [`Check::run`](crate::Check::run) returns an error.
    Text,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
    /// Apache Parquet. Only with the feature `columnar`.
    #[cfg(feature = "columnar")]
    Parquet,
    /// SARIF 2.1.0, which code hosts and editors show beside the lines.
    Sarif,
    /// Workflow commands of GitHub Actions, which annotate the lines of a change.
    Github,
    /// The code quality report of GitLab, a JSON array.
    Gitlab,
    /// JUnit's XML: a test suite for each document, a test case for each reference, and a failure for each finding.
    Junit,
    /// Markdown for people: counts, and a table of the findings and repairs, at most 512 KiB of it.
    Markdown,
}

impl CheckFormat {
    /// Every format.
    pub const ALL: &'static [CheckFormat] = &[
        CheckFormat::Text,
        CheckFormat::Jsonl,
        CheckFormat::Csv,
        #[cfg(feature = "columnar")]
        CheckFormat::Parquet,
        CheckFormat::Sarif,
        CheckFormat::Github,
        CheckFormat::Gitlab,
        CheckFormat::Junit,
        CheckFormat::Markdown,
    ];

    /// The default format of parts.
    #[cfg(feature = "columnar")]
    pub(super) const OF_PARTS: CheckFormat = CheckFormat::Parquet;
    /// The default format of parts.
    #[cfg(not(feature = "columnar"))]
    pub(super) const OF_PARTS: CheckFormat = CheckFormat::Jsonl;

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Returns the format of files with this ending, without its full stop.
    pub(super) fn of_ending(ending: &str) -> Option<CheckFormat> {
        let mut all = CheckFormat::ALL.iter().copied();
        all.find(|format| format.spec().ending == Some(ending))
    }

    /// Returns the format of records, if it is one.
    pub(super) fn of_records(self) -> Option<Format> {
        match self.spec().start {
            FormatStart::Records(format) => Some(format),
            FormatStart::Shown(_) => None,
        }
    }

    /// Starts to write rows to `out`.
    ///
    /// # Errors
    /// If the format writes a header at once and this fails.
    pub(super) fn start(self, out: Output) -> io::Result<Box<dyn RowFormat>> {
        match self.spec().start {
            FormatStart::Records(format) => table::start(format, out),
            FormatStart::Shown(start) => Ok(start(out)),
        }
    }

    fn spec(self) -> FormatSpec {
        let spec = |name, ending, start| FormatSpec {
            name,
            ending,
            start,
        };
        let records = |format: Format| {
            let name = format.name();
            spec(name, Some(name), FormatStart::Records(format))
        };
        let shown = |name, ending, start| spec(name, ending, FormatStart::Shown(start));
        match self {
            CheckFormat::Text => shown("text", None, nowhere::start),
            CheckFormat::Jsonl => records(Format::Jsonl),
            CheckFormat::Csv => records(Format::Csv),
            #[cfg(feature = "columnar")]
            CheckFormat::Parquet => records(Format::Parquet),
            CheckFormat::Sarif => shown("sarif", Some("sarif"), sarif::start),
            CheckFormat::Github => shown("github", None, github::start),
            CheckFormat::Gitlab => shown("gitlab", None, gitlab::start),
            CheckFormat::Junit => shown("junit", None, junit::start),
            CheckFormat::Markdown => shown("markdown", Some("md"), markdown::start),
        }
    }
}

/// Parses a [`name`](CheckFormat::name).
impl FromStr for CheckFormat {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        let mut all = CheckFormat::ALL.iter().copied();
        let named = all.find(|one| one.name() == name);
        named.ok_or_else(|| ParseError::new("format of check", name, format!("one of {}", names())))
    }
}

fn names() -> String {
    let names: Vec<_> = CheckFormat::ALL.iter().map(|one| one.name()).collect();
    names.join(", ")
}

/// A format: its name, the ending of outputs that implies it, and its start.
struct FormatSpec {
    name: &'static str,
    ending: Option<&'static str>,
    start: FormatStart,
}

/// How a format starts.
enum FormatStart {
    /// It writes rows as records are written.
    Records(Format),
    /// It writes what people or other programs are to see.
    Shown(fn(Output) -> Box<dyn RowFormat>),
}

/// Writes rows in a format.
pub(super) trait RowFormat: Send {
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()>;

    /// Writes the rest and returns the output.
    fn end(self: Box<Self>) -> io::Result<Output>;

    /// Returns the output for a diff, if no rows are written.
    fn unused_output(&mut self) -> Option<&mut Output> {
        None
    }
}

/// How much a row matters. Good names have no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowLevel {
    /// It is a finding, or an accepted one.
    Error,
    /// Its verdict would be a finding by default.
    Warning,
    /// It says nothing against the name, or the fault was fixed.
    Note,
}

/// A row, its level, and its fingerprint, which rows without a level do not have.
pub(super) struct LevelledRow<'r> {
    pub(super) row: &'r CheckedReference,
    pub(super) level: Option<(RowLevel, Fingerprint)>,
    /// Whether a comment in the document accepts it.
    pub(super) by_comment: bool,
}

impl RowLevel {
    /// Returns the level of a row, or `None` for a good name that is no finding.
    pub(super) fn of(row: &CheckedReference, is_finding: bool) -> Option<RowLevel> {
        match row.verdict {
            _ if is_finding => Some(RowLevel::Error),
            CheckVerdict::Known | CheckVerdict::WellFormed => None,
            verdict if verdict.is_finding() && row.is_open() => Some(RowLevel::Warning),
            _ => Some(RowLevel::Note),
        }
    }
}

impl LevelledRow<'_> {
    fn is_finding(&self) -> bool {
        matches!(self.open_level(), Some((RowLevel::Error, _)))
    }

    /// Returns level and fingerprint unless the row is accepted.
    fn open_level(&self) -> Option<(RowLevel, Fingerprint)> {
        self.level.filter(|_| !self.row.accepted)
    }

    /// Returns the path of the source as code hosts write it, or `None` for standard input.
    fn path(&self) -> Option<String> {
        let source = self.row.source.as_str();
        (source != "-").then(|| path_in_repository(source))
    }

    /// Returns the line and the column of the text, and the column after its end if it ends in this line. `None` if the text is
    /// not in a line of the source itself.
    fn region(&self) -> Option<(u64, u64, Option<u64>)> {
        let row = self.row;
        let (line, column) = row.line.zip(row.column)?;
        if row.document.is_some() {
            return None;
        }
        let text = row.text.as_deref().unwrap_or_default();
        let is_one_line = !text.contains(['\n', '\r']);
        let end = is_one_line.then(|| column + text.chars().count() as u64);
        Some((line, column, end))
    }

    /// Returns the reference, the verdict and the detail in one text. A place that is not a line of the source comes first.
    fn message(&self) -> String {
        let row = self.row;
        let number = row.row.map(|number| format!("row {number}"));
        let place = [row.document.clone(), number];
        let named = [&row.key, &row.doi, &row.text].into_iter().flatten();
        let named: Vec<&str> = named.take(2).map(String::as_str).collect();
        let named = (!named.is_empty()).then(|| named.join(" "));
        let rest = [
            named,
            Some(row.verdict.name().to_owned()),
            row.detail.clone(),
        ];
        let parts: Vec<String> = place.into_iter().chain(rest).flatten().collect();
        parts.join(": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_and_an_ending_of_its_own() {
        for &format in CheckFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            if let Some(ending) = format.spec().ending {
                assert_eq!(CheckFormat::of_ending(ending), Some(format));
            }
        }
        assert!("invented".parse::<CheckFormat>().is_err());
    }
}
