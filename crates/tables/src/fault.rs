//! Reasons why a table cannot be read.

use std::num::NonZeroU32;

use doisift_documents::{InputError, printable};

/// Reason why the layout of a table is not known, or lacks a column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableFault {
    /// The head of a document shows neither a delimited table nor JSON Lines.
    #[error("neither a table nor JSON Lines was recognised{}; give --input-format or --delimiter", header_row(*.proposed))]
    Unknown {
        /// The row, from 1, that may be the header.
        proposed: Option<NonZeroU32>,
    },
    /// The header lacks a column.
    #[error("the header has no column {column}; it has {header}{each}{row}", column = printable::name(.column), header = .header,
        each = if *.is_list { "; give --column once for each" } else { "" }, row = header_row(*.proposed))]
    NoColumn {
        /// The column as asked for.
        column: String,
        /// The columns of the header with their numbers.
        header: String,
        /// Whether `column` is several columns of the header, with a delimiter between them.
        is_list: bool,
        /// Another row, from 1, that may be the header.
        proposed: Option<NonZeroU32>,
    },
    /// The head of the table has no row with the number that was given for the header.
    #[error("the first 16 KiB have no row {row}; give --header-row a smaller number", row = .row)]
    NoRow {
        /// The number of the row, from 1.
        row: u64,
    },
    /// Several columns of the header have this name.
    #[error("the header has several columns {column}, at {numbers}; give the number", column = printable::name(.column), numbers = .numbers)]
    SameName {
        /// The column as asked for.
        column: String,
        /// The numbers of the columns, from 1.
        numbers: String,
    },
}

/// Reason why some rows of a document were not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowLoss {
    /// The document is damaged.
    #[error("{0}")]
    Input(InputError),
    /// A row or object is longer than this number of bytes.
    #[error("a row or an object of more than {0} bytes, which was not read; give more --memory")]
    TooLong(usize),
    /// A quote is not closed.
    #[error(
        "the quote that opens here is never closed, so the rest of the table is one cell; close it"
    )]
    OpenQuote,
}

/// Reason why a row has no cell in a column.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CellFault {
    /// It is not a valid object of JSON.
    #[error(transparent)]
    NoObject(#[from] serde_json::Error),
    /// The object lacks the member.
    #[error("the object has no such member")]
    NoMember,
}

/// Returns the advice for a message if a later row may be the header.
fn header_row(proposed: Option<NonZeroU32>) -> String {
    proposed.map_or(String::new(), |row| {
        format!("; row {row} has as many cells as the rows below it, and --header-row {row} takes it as the header")
    })
}
