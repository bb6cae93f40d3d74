//! Errors of files of records.

use std::fmt;
use std::io;

use doisift_documents::printable;
#[cfg(feature = "parquet")]
use doisift_documents::{InputError, TableFault};

use super::field::RowKind;

/// A file cannot be read, is no file of records, or has a wrong row. The text names the row.
#[derive(Debug)]
pub struct ReadError {
    place: Option<FaultPlace>,
    fault: RecordFault,
}

/// The row of a file that an error concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultPlace {
    /// A line of text, from 1.
    Line(u64),
    /// A row of a table, from 1.
    #[cfg(feature = "parquet")]
    Row(u64),
}

/// What to do about a wrong row.
const REMEDY: &str = "; correct or remove the row, or write the file again";

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordFault {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Rows of another kind.
    #[error("{}", other_kind(*.0))]
    Kind(RowKind),
    #[error(
        "it has no fields known, agency and retracted, which the output would have; scan it with --known as the others, or choose fields without these with --fields"
    )]
    Standing,
    #[error(
        "it has no field sources, which the output would have; scan it again, or choose fields without this one with --fields"
    )]
    Sources,
    #[error(
        "this folder has no _SUCCESS, so the run that writes it has not ended; let it end, or run it again with its --checkpoint, which goes on"
    )]
    NotComplete,
    #[error(
        "this folder has no _manifest.json of doisift; name its files, or scan again with an output that ends with /"
    )]
    NoManifest,
    #[error(
        "its part {0} is missing, or its size or checksum is not as it was written; write the folder again, or use another copy"
    )]
    Part(String),
    #[error(
        "{0} has the name of a part, but its manifest does not list it; move it out of the folder"
    )]
    ForeignPart(String),
    #[error(
        "folders of mentions, edges or nodes merge only with others of the same rows and columns; scan all with the same options"
    )]
    OtherRows,
    #[error("these are bare names, which do not merge; write records in another format")]
    Names,
    #[error("this is no file of {}: it starts neither with {{ nor with the header {}; merge takes outputs of doisift scan", .0.name(), .0.listed().replace(", ", ","))]
    NoRows(RowKind),
    #[error("{found} fields where a {} has {wanted}", .rows.one())]
    Fields {
        found: u64,
        wanted: u64,
        rows: RowKind,
    },
    #[error("{field} is {value:?}, and must be {wanted}")]
    Value {
        field: &'static str,
        value: Box<str>,
        wanted: &'static str,
    },
    #[error("it is no {}: {}", .0.one(), printable::name(&without_line(.1)))]
    Json(RowKind, #[source] serde_json::Error),
    #[error("the last row has no line end, so it may be cut")]
    Cut,
    #[error("it is not UTF-8")]
    Utf8,
    #[error("a row of more than {0} bytes")]
    Long(u64),
    #[error(
        "it is empty, but a complete output with this ending is not; write it again, or leave it out"
    )]
    Empty,
    #[error(
        "Parquet can be read only from a plain file, not from a stream or inside gzip or zstd; save or unpack it first"
    )]
    Stream,
    #[cfg(not(feature = "parquet"))]
    #[error("this build reads no parquet: build doisift with its feature `parquet`")]
    LeftOut,
    #[cfg(feature = "parquet")]
    #[error("{0} is null, and must not be")]
    Null(&'static str),
    #[error("this is no file of {}: it has no column {field}; {} have {}; scan without --fields", .wanted.name(), .wanted.name(), .wanted.listed())]
    Missing {
        wanted: RowKind,
        field: &'static str,
    },
    #[cfg(feature = "parquet")]
    #[error(
        "column {field} is {found}, and must be {wanted}; write the file again with the column converted"
    )]
    Column {
        field: &'static str,
        found: Box<str>,
        wanted: &'static str,
    },
    #[cfg(feature = "parquet")]
    #[error("it is damaged: its checksum is wrong; write it again, or use another copy")]
    Checksum,
    #[cfg(feature = "parquet")]
    #[error("it is damaged, or has a form that is not supported, at byte {offset}: {}", printable::name(&.error.to_string()))]
    Parquet { offset: u64, error: Box<InputError> },
}

#[cfg(feature = "parquet")]
impl From<TableFault> for RecordFault {
    fn from((offset, error): TableFault) -> Self {
        match error {
            InputError::Io(error) => RecordFault::Io(error),
            error => RecordFault::Parquet {
                offset,
                error: error.into(),
            },
        }
    }
}

impl ReadError {
    pub(super) fn new(fault: impl Into<RecordFault>) -> Self {
        ReadError {
            place: None,
            fault: fault.into(),
        }
    }

    pub(super) fn at(place: FaultPlace, fault: impl Into<RecordFault>) -> Self {
        ReadError {
            place: Some(place),
            fault: fault.into(),
        }
    }

    /// The error for a file whose rows lack what an index says of their names.
    pub(crate) fn without_standing() -> Self {
        ReadError::new(RecordFault::Standing)
    }

    /// The error for a file whose rows lack the number of sources.
    pub(crate) fn without_sources() -> Self {
        ReadError::new(RecordFault::Sources)
    }

    /// The error for an input whose rows do not go with those of the others.
    pub(crate) fn other_rows() -> Self {
        ReadError::new(RecordFault::OtherRows)
    }

    /// The error for an empty file with an ending whose outputs are never empty.
    pub(crate) fn empty() -> Self {
        ReadError::new(RecordFault::Empty)
    }
}

impl RecordFault {
    pub(super) fn value(field: &'static str, value: &str, wanted: &'static str) -> RecordFault {
        // Cut, but long enough to find the value in the file.
        let value = value.chars().take(64).collect::<String>().into();
        RecordFault::Value {
            field,
            value,
            wanted,
        }
    }

    /// What to do about a row with this fault.
    fn remedy(&self) -> &'static str {
        match self {
            RecordFault::Fields { .. }
            | RecordFault::Value { .. }
            | RecordFault::Json(..)
            | RecordFault::Utf8 => REMEDY,
            #[cfg(feature = "parquet")]
            RecordFault::Null(_) => REMEDY,
            _ => "",
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::new(error)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(FaultPlace::Line(line)) => write!(f, "line {line}: ")?,
            #[cfg(feature = "parquet")]
            Some(FaultPlace::Row(row)) => write!(f, "row {row}: ")?,
            None => return write!(f, "{}", self.fault),
        }
        write!(f, "{}{}", self.fault, self.fault.remedy())
    }
}

/// Has no `source`: the text includes the cause.
impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            RecordFault::Io(error) => Some(error),
            RecordFault::Json(_, error) => Some(error),
            _ => None,
        }
    }
}

/// Why rows of this kind are not merged here, and what to do.
fn other_kind(rows: RowKind) -> &'static str {
    match rows {
        RowKind::Records => "these are records; merge them without --pairs",
        RowKind::Mentions => "these are mentions, which do not merge; scan without --mentions",
        RowKind::Edges => "these are edges, which do not merge; scan without --edges",
        RowKind::Nodes => "these are records of documents, which do not merge",
        RowKind::Pairs => "these are pairs; merge them with --pairs",
        RowKind::Counts | RowKind::Prefixes => {
            "these are counts, which do not merge; scan without --count and --top-prefixes"
        }
        RowKind::Changes => "these are changes, which do not merge",
        RowKind::Answers => "these are answers of a registry, which do not merge",
    }
}

/// The text of the error with the column but without the line, since the line counts within the row.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line ") {
        Some((text, _)) => format!("{text}, at byte {}", error.column()),
        None => text,
    }
}
