//! What can be wrong with a file of records.

use std::fmt;
use std::io;

use super::Record;
use crate::printable;

/// A file of records cannot be read, is none, or one of its rows is wrong. Its text names the row.
#[derive(Debug)]
pub struct ReadError {
    place: Option<Place>,
    fault: Fault,
}

/// Where in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A line of text, from 1.
    Line(u64),
    /// A row of a table, from 1.
    #[cfg(feature = "parquet")]
    Row(u64),
}

/// What can be done about a row that is wrong.
const REMEDY: &str = "; correct or remove the row, or make the file again";

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("these are mentions, which do not merge; scan without --mentions")]
    Mentions,
    #[error("these are bare names, which do not merge; write records in another format")]
    Names,
    #[error("this is no file of records: it starts neither with {{ nor with the header {}; merge takes outputs of doisift scan", Record::FIELDS.join(","))]
    NoRecords,
    #[error("{found} fields where a record has {}", Record::FIELDS.len())]
    Fields { found: u64 },
    #[error("{field} is {value:?}, and must be {wanted}")]
    Value {
        field: &'static str,
        value: Box<str>,
        wanted: &'static str,
    },
    #[error("it is no record: {}", printable::name(&without_line(.0)))]
    Json(serde_json::Error),
    #[error("it is not UTF-8")]
    Utf8,
    #[error("a row of more than {0} bytes")]
    Long(u64),
    #[error("it is empty, as no whole output of this name is; make it again, or leave it out")]
    Empty,
    #[error(
        "Parquet is read only from a plain file, by name: not from a stream, nor packed once more"
    )]
    Stream,
    #[cfg(not(feature = "parquet"))]
    #[error("this build reads no parquet: build doisift with its feature `parquet`")]
    LeftOut,
    #[cfg(feature = "parquet")]
    #[error("{0} is null, and must not be")]
    Null(&'static str),
    #[cfg(feature = "parquet")]
    #[error("this is no file of records: it has no column {field}; records have {}", Record::FIELDS.join(", "))]
    Missing { field: &'static str },
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
    #[error("it is damaged: its checksum differs; make it again, or use another copy")]
    Checksum,
    #[cfg(feature = "parquet")]
    #[error("it is damaged, or not read in this form: {}", printable::name(&.0.to_string()))]
    Parquet(::parquet::errors::ParquetError),
}

impl ReadError {
    pub(super) fn new(fault: impl Into<Fault>) -> Self {
        ReadError {
            place: None,
            fault: fault.into(),
        }
    }

    pub(super) fn at(place: Place, fault: impl Into<Fault>) -> Self {
        ReadError {
            place: Some(place),
            fault: fault.into(),
        }
    }

    /// The error of a file that is empty, and was not so when it was written.
    pub(crate) fn empty() -> Self {
        ReadError::new(Fault::Empty)
    }
}

impl Fault {
    pub(super) fn value(field: &'static str, value: &str, wanted: &'static str) -> Fault {
        // Enough to find it by.
        let value = value.chars().take(64).collect::<String>().into();
        Fault::Value {
            field,
            value,
            wanted,
        }
    }

    /// What can be done about a row with this fault.
    fn remedy(&self) -> &'static str {
        match self {
            Fault::Fields { .. } | Fault::Value { .. } | Fault::Json(_) | Fault::Utf8 => REMEDY,
            #[cfg(feature = "parquet")]
            Fault::Null(_) => REMEDY,
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
            Some(Place::Line(line)) => write!(f, "line {line}: ")?,
            #[cfg(feature = "parquet")]
            Some(Place::Row(row)) => write!(f, "row {row}: ")?,
            None => return write!(f, "{}", self.fault),
        }
        write!(f, "{}{}", self.fault, self.fault.remedy())
    }
}

/// Its text names the cause.
impl std::error::Error for ReadError {}

/// Without the line, which is that of the row and not of the file.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line ") {
        Some((text, _)) => format!("{text}, at byte {}", error.column()),
        None => text,
    }
}
