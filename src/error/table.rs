//! Reasons why a table cannot be read or written.

use std::path::PathBuf;

use doisift_documents::{Packing, printable};
use doisift_tables::{TableFault, TableHead};

use super::ErrorKind;

/// Reason why a column of a table cannot be read or cleaned.
///
/// Rows count from 1, without the header, the rows above it, and blank rows. The numbers of rows that may be the header count all
/// rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TableError {
    /// The layout of a document is not known, or lacks a column.
    #[error(transparent)]
    Layout(#[from] TableFault),
    /// It is not text, but of this kind.
    #[error("this is {0}, not text; save the table as CSV")]
    NotText(&'static str),
    /// It looks like text in this encoding without a byte order mark.
    #[error(
        "it looks like {0} without a byte order mark; give --input-encoding, or convert it: iconv -f {0} -t UTF-8"
    )]
    Unmarked(&'static str),
    /// A member of an office document, which is an archive of XML.
    #[error("this is an office document without sheets; save its table as CSV")]
    Office,
    /// A table in columns, such as Parquet, is not written back.
    #[error(
        "this is a {0} file, which is not written back; save it as CSV first: duckdb -c \"COPY 'table.{ending}' TO 'table.csv'\"; or clean a \
         data frame in Python: doisift.clean_table",
        ending = .0.to_string().to_lowercase()
    )]
    Columnar(Packing),
    /// A workbook cannot be changed in place.
    #[error(
        "this is a workbook, which cannot be changed in place; leave out --in-place: the sheet comes back as CSV with new columns"
    )]
    InPlace,
    /// The ending of the output names another format than the table's, in which it is written.
    #[error("the table is written as {format}, but {output} has the ending of another format; choose another ending",
        output = printable::path(.output))]
    Ending {
        /// The output.
        output: PathBuf,
        /// The format of the table.
        format: &'static str,
    },
    /// It has no row to take the header from.
    #[error("the table has no rows, so it has no header")]
    NoHeader,
    /// A table has no header, and the column is not a number from 1 to the number of cells of the first row.
    #[error("{column} is not the number of a column, from 1 to {width}", column = printable::name(.column), width = .width)]
    NoNumber {
        /// The column as asked for.
        column: String,
        /// Cells of the first row.
        width: usize,
    },
    /// No object of JSON Lines has the member.
    #[error("no object has the member {column}; the first has {members}", column = printable::name(.column), members = .members)]
    NoMember {
        /// The member as asked for.
        column: String,
        /// The members of the first object.
        members: String,
    },
    /// The table already has a column or member with the name of an added one.
    #[error("{row}: a column {name} exists; name the new one with --new-column, or use --in-place", row = row_name(*.row), name = printable::name(.name))]
    Taken {
        /// The name.
        name: String,
        /// The row that has it. `None` if it is in the header.
        row: Option<u64>,
    },
    /// A table differs from the first one in its header, delimiter or format, so that they cannot be written as one table.
    #[error(
        "its header, delimiter or format differs from that of the first table; clean each table by itself"
    )]
    Different,
    /// A row has a character that the encoding of the output lacks.
    #[error("{row}: {encoding} has no {character}; choose another --output-encoding", row = row_name(*.row))]
    CannotHold {
        /// The number of the row. `None` for the header and rows above it.
        row: Option<u64>,
        /// The character, as `U+2010`.
        character: String,
        /// The encoding of the output.
        encoding: &'static str,
    },
    /// A row is longer than the limit.
    #[error(
        "row {row} is longer than {max} bytes; a quote may be missing in it (or --max-row allows more)"
    )]
    LongRow {
        /// The number of the row.
        row: u64,
        /// The limit.
        max: usize,
    },
    /// Options contradict each other.
    #[error("{0}")]
    Options(&'static str),
}

impl TableError {
    /// Adds the row that may be the header to the error for a missing column.
    pub(crate) fn explained(self, head: &TableHead) -> Self {
        match self {
            TableError::Layout(fault) => head.explain(fault).into(),
            other => other,
        }
    }

    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            TableError::Options(_) | TableError::Ending { .. } => ErrorKind::Options,
            _ => ErrorKind::Content,
        }
    }
}

/// Formats the number of a row.
fn row_name(row: Option<u64>) -> String {
    row.map_or("header".to_owned(), |row| format!("row {row}"))
}
