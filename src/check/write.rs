//! Writes the rows of a check.

use std::io::{self, Write};
use std::str::FromStr;

use doisift_core::ParseError;

use super::row::CheckedReference;
use super::sarif;
use crate::records::Output;

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
    /// SARIF 2.1.0, which code hosts and editors show beside the lines.
    Sarif,
}

impl CheckFormat {
    /// Every format.
    pub const ALL: &'static [CheckFormat] = &[
        CheckFormat::Text,
        CheckFormat::Jsonl,
        CheckFormat::Csv,
        CheckFormat::Sarif,
    ];

    /// Returns the name, which is also the usual ending of files.
    pub fn name(self) -> &'static str {
        match self {
            CheckFormat::Text => "text",
            CheckFormat::Jsonl => "jsonl",
            CheckFormat::Csv => "csv",
            CheckFormat::Sarif => "sarif",
        }
    }
}

/// Parses a [`name`](CheckFormat::name).
impl FromStr for CheckFormat {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        let named = CheckFormat::ALL
            .iter()
            .copied()
            .find(|one| one.name() == name);
        named.ok_or_else(|| {
            ParseError::new("format of check", name, "one of text, jsonl, csv, sarif")
        })
    }
}

/// Writes rows in a format.
pub(super) enum RowsOut {
    /// Writes no rows: the caller takes them, or a diff is written instead.
    Nowhere(Output),
    Jsonl(Output),
    Csv(Box<csv::Writer<Output>>),
    /// SARIF, with the number of results written so far.
    Sarif(Output, u64),
}

impl RowsOut {
    pub(super) fn new(format: CheckFormat, out: Output) -> Self {
        match format {
            CheckFormat::Text => RowsOut::Nowhere(out),
            CheckFormat::Jsonl => RowsOut::Jsonl(out),
            CheckFormat::Csv => RowsOut::Csv(Box::new(csv::Writer::from_writer(out))),
            CheckFormat::Sarif => RowsOut::Sarif(out, 0),
        }
    }

    /// Writes a row. `is_finding` says whether its verdict counts as a finding.
    pub(super) fn write(&mut self, row: &CheckedReference, is_finding: bool) -> io::Result<()> {
        match self {
            RowsOut::Nowhere(_) => Ok(()),
            RowsOut::Jsonl(out) => {
                serde_json::to_writer(&mut *out, row)?;
                out.write_all(b"\n")
            }
            RowsOut::Csv(out) => out.serialize(row).map_err(io::Error::from),
            RowsOut::Sarif(out, written) => {
                let Some(result) = sarif::result(row, is_finding) else {
                    return Ok(());
                };
                if *written == 0 {
                    sarif::start(out)?;
                }
                *written += 1;
                sarif::add(out, &result, *written == 1)
            }
        }
    }

    /// Returns the output for a diff, if no rows are written.
    pub(super) fn output(&mut self) -> Option<&mut Output> {
        match self {
            RowsOut::Nowhere(out) => Some(out),
            _ => None,
        }
    }

    /// Writes the rest and returns the output.
    pub(super) fn end(self) -> io::Result<Output> {
        match self {
            RowsOut::Nowhere(out) | RowsOut::Jsonl(out) => Ok(out),
            RowsOut::Csv(out) => out.into_inner().map_err(|error| error.into_error()),
            RowsOut::Sarif(mut out, written) => {
                if written == 0 {
                    sarif::start(&mut out)?;
                }
                sarif::end(&mut out)?;
                Ok(out)
            }
        }
    }
}
