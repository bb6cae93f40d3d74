//! Errors of files of records.

use std::borrow::Cow;
use std::fmt;
use std::io;

use doisift_documents::printable;
#[cfg(feature = "columnar")]
use doisift_documents::{InputError, LocatedError};

use super::field::{Field, RowKind};

/// Error for a file that cannot be read, is not a file of records, or has an invalid row. The message names the row.
#[derive(Debug)]
pub struct ReadError {
    place: Option<FaultPlace>,
    fault: RecordFault,
}

/// Place of the row that an error concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultPlace {
    /// A line of text, from 1.
    Line(u64),
    /// A row of a table, from 1.
    #[cfg(feature = "columnar")]
    Row(u64),
}

/// Remedy for an invalid row.
const REMEDY: &str = "; correct or remove the row, or write the file again";

/// Kind of fault of a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordFault {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Rows of another kind.
    #[error("{}{}", missing_column(*.found, *.wanted), kind_remedy(*.found, *.wanted))]
    Kind { found: RowKind, wanted: RowKind },
    /// Rows of another kind than those of another input.
    #[error(
        "{}; {} has {}, and rows of different kinds cannot be merged or compared",
        missing_column(*.found, *.wanted),
        printable::name(.other),
        .wanted.name()
    )]
    OtherKind {
        found: RowKind,
        wanted: RowKind,
        other: Box<str>,
    },
    /// A column of another input.
    #[error(
        "column `{}` is missing, which {} has; scan all with the same options, or choose common fields with --fields",
        printable::name(.column),
        printable::name(.other)
    )]
    OtherColumn { column: Box<str>, other: Box<str> },
    /// A column that identifies rows.
    #[error("column `{column}` is missing, by which {} are compared; scan again with it, for example without --fields", .rows.name())]
    NoIdentity { column: &'static str, rows: RowKind },
    #[error(
        "its column {} has another type than that of {}; scan both with the same --record-fields",
        printable::name(.column),
        printable::name(.other)
    )]
    OtherType { column: Box<str>, other: Box<str> },
    /// A column that was chosen for the output.
    #[error(
        "column `{0}` is missing, which --fields names; choose other fields, or scan again with it"
    )]
    Unchosen(&'static str),
    #[error(
        "its rows are not sorted by the column source: {} comes after {}; sort it by source, bytewise, or merge the files that it was made from",
        printable::name(.next),
        printable::name(.last)
    )]
    SourceOrder { next: Box<str>, last: Box<str> },
    #[error("{} are read from files and folders, not from a stream; save it to a file first", .0.name())]
    StreamOf(RowKind),
    #[error(
        "the fields known, agency and retracted are missing, which the output has; scan it with --known like the others, or leave them out with --fields"
    )]
    IndexStatus,
    #[error(
        "the field sources is missing, which the output has; scan it again, or leave the field out with --fields"
    )]
    Sources,
    #[error(
        "this folder has no _SUCCESS, so the run that writes it has not ended; wait for it, or resume it with its --checkpoint"
    )]
    NotComplete,
    #[error(
        "this folder has no _manifest.json of doisift; name its files, or scan again with an output that ends with /"
    )]
    NoManifest,
    #[error(
        "{0} is missing, or its size or checksum has changed; write the folder again, or use another copy"
    )]
    Part(String),
    #[error(
        "{0} has the name of a part, but its manifest does not list it; move it out of the folder"
    )]
    ForeignPart(String),
    #[error(
        "these are bare names, without the column mentions and the other columns of records; write records in another format"
    )]
    Names,
    #[error("not {}: it starts neither with {{ nor with the header {}; merge reads outputs of doisift scan", .0.file(), .0.listed().replace(", ", ","))]
    NoRows(RowKind),
    #[error("{found} fields, but a {} has {wanted}", .rows.one())]
    Fields {
        found: u64,
        wanted: u64,
        rows: RowKind,
    },
    #[error("{} is {value:?}, but must be {wanted}", printable::name(.field))]
    Value {
        field: Cow<'static, str>,
        value: Box<str>,
        wanted: &'static str,
    },
    #[error("invalid {}: {}", .0.one(), printable::name(&without_line(.1)))]
    Json(RowKind, #[source] serde_json::Error),
    #[error("the last row has no line end, so it may be cut short")]
    Cut,
    #[error("it is not UTF-8")]
    Utf8,
    #[error("a row is longer than {0} bytes")]
    Long(u64),
    #[error(
        "it is empty, but a complete output with this ending is not; write it again, or leave it out"
    )]
    Empty,
    #[error(
        "Parquet can be read only from a plain file, not from a stream or inside gzip or zstd; save or unpack it first"
    )]
    Stream,
    #[cfg(not(feature = "columnar"))]
    #[error("this build reads no parquet: build doisift with its feature `columnar`")]
    LeftOut,
    #[cfg(feature = "columnar")]
    #[error("{0} is null, but must not be")]
    Null(&'static str),
    #[error("not {}: column `{field}` is missing; {} have {}; scan without --fields", .wanted.file(), .wanted.name(), .wanted.listed())]
    Missing {
        wanted: RowKind,
        field: &'static str,
    },
    #[cfg(feature = "columnar")]
    #[error(
        "column {field} is {found}, but must be {wanted}; write the file again with the column converted"
    )]
    Column {
        field: &'static str,
        found: Box<str>,
        wanted: &'static str,
    },
    #[cfg(feature = "columnar")]
    #[error("it is damaged: its checksum is wrong; write it again, or use another copy")]
    Checksum,
    #[cfg(feature = "columnar")]
    #[error("it is damaged, or has a form that is not supported, at byte {offset}: {}", printable::name(&.error.to_string()))]
    Parquet { offset: u64, error: Box<InputError> },
}

#[cfg(feature = "columnar")]
impl From<LocatedError> for RecordFault {
    fn from((offset, error): LocatedError) -> Self {
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

    /// Returns the error for a file whose rows lack the answers of an index.
    pub(crate) fn without_standing() -> Self {
        ReadError::new(RecordFault::IndexStatus)
    }

    /// Returns the error for a file whose rows lack the number of sources.
    pub(crate) fn without_sources() -> Self {
        ReadError::new(RecordFault::Sources)
    }

    /// Returns the error for rows of kind `found`, if the file `other` has rows of another kind.
    pub(crate) fn other_kind(found: RowKind, wanted: RowKind, other: &str) -> Self {
        let other = other.into();
        ReadError::new(RecordFault::OtherKind {
            found,
            wanted,
            other,
        })
    }

    /// Returns the error for rows of kind `found` if rows of kind `wanted` are read.
    pub(crate) fn kind(found: RowKind, wanted: RowKind) -> Self {
        ReadError::new(RecordFault::Kind { found, wanted })
    }

    /// Returns the error for rows without a column of the file `other`.
    pub(crate) fn other_column(column: &str, other: &str) -> Self {
        let (column, other) = (column.into(), other.into());
        ReadError::new(RecordFault::OtherColumn { column, other })
    }

    /// Returns the error for rows with a column of another type than in the file `other`.
    pub(crate) fn other_type(column: &str, other: &str) -> Self {
        let (column, other) = (column.into(), other.into());
        ReadError::new(RecordFault::OtherType { column, other })
    }

    /// Returns the error for rows without a field that was chosen.
    pub(crate) fn without_chosen(field: Field) -> Self {
        ReadError::new(RecordFault::Unchosen(field.name()))
    }

    /// Returns the error for rows without a column that identifies them.
    pub(crate) fn without_identity(field: Field, rows: RowKind) -> Self {
        let column = field.name();
        ReadError::new(RecordFault::NoIdentity { column, rows })
    }

    /// Returns the error for rows of the source `next` after those of `last`.
    pub(crate) fn source_order(next: &str, last: &str) -> Self {
        let (next, last) = (next.into(), last.into());
        ReadError::new(RecordFault::SourceOrder { next, last })
    }

    /// Returns the error for a stream, which cannot be read for rows of this kind.
    pub(crate) fn stream_of(rows: RowKind) -> Self {
        ReadError::new(RecordFault::StreamOf(rows))
    }

    /// Returns the error for an empty file whose ending names a format with a header.
    pub(crate) fn empty() -> Self {
        ReadError::new(RecordFault::Empty)
    }
}

impl RecordFault {
    pub(super) fn value(
        field: impl Into<Cow<'static, str>>,
        value: &str,
        wanted: &'static str,
    ) -> RecordFault {
        // Shortened, but long enough to find the value in the file.
        let value = value.chars().take(64).collect::<String>().into();
        RecordFault::Value {
            field: field.into(),
            value,
            wanted,
        }
    }

    /// Returns the remedy for a row with this fault.
    fn remedy(&self) -> &'static str {
        match self {
            RecordFault::Fields { .. }
            | RecordFault::Value { .. }
            | RecordFault::Json(..)
            | RecordFault::Utf8 => REMEDY,
            #[cfg(feature = "columnar")]
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
            #[cfg(feature = "columnar")]
            Some(FaultPlace::Row(row)) => write!(f, "row {row}: ")?,
            None => return write!(f, "{}", self.fault),
        }
        write!(f, "{}{}", self.fault, self.fault.remedy())
    }
}

/// The message includes that of the source.
impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            RecordFault::Io(error) => Some(error),
            RecordFault::Json(_, error) => Some(error),
            _ => None,
        }
    }
}

/// Returns the kind of rows, and the first column that rows of the `wanted` kind have and these lack.
fn missing_column(found: RowKind, wanted: RowKind) -> String {
    let lacked = wanted.fields().iter().find(|&&field| {
        let mut own = found.all_fields();
        own.all(|own| own != field)
    });
    let rows = match found {
        RowKind::Nodes => "nodes, the records of documents",
        RowKind::Counts | RowKind::Prefixes => "counts",
        RowKind::Answers => "answers of a registry",
        RowKind::References => "references that were checked",
        found => found.name(),
    };
    match lacked {
        Some(field) => format!("these are {rows}, without the column {}", field.name()),
        None => format!("these are {rows}"),
    }
}

/// Returns the remedy for rows of another kind than wanted.
fn kind_remedy(found: RowKind, wanted: RowKind) -> &'static str {
    match (found, wanted) {
        (RowKind::Records, RowKind::Pairs) => "; merge records without --pairs",
        (RowKind::Pairs, _) => "; merge them with --pairs",
        (RowKind::Mentions | RowKind::Edges | RowKind::Nodes, RowKind::Pairs) => {
            "; merge them without --pairs"
        }
        (RowKind::Mentions | RowKind::Edges | RowKind::Nodes, _) => {
            "; they are read from files and folders, not from a stream"
        }
        (RowKind::Counts | RowKind::Prefixes, _) => {
            "; scan without --count and --top-prefixes for rows that merge and compare"
        }
        _ => ", which cannot be merged or compared",
    }
}

/// Returns the message with the column but without the line, which counts within the row.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line ") {
        Some((text, _)) => format!("{text}, at byte {}", error.column()),
        None => text,
    }
}
