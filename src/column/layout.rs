//! The wanted and the new columns of a table.

use doisift_documents::printable;

use super::dialect::Dialect;
#[cfg(feature = "resolve")]
use super::format::first_row;
use super::format::{DELIMITERS, is_name};
use crate::error::TableError;

/// Names of the new columns for one column: clean name, status, reason.
pub(super) type NewNames = [String; 3];

/// The columns of a delimited table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableLayout {
    pub(super) dialect: Dialect,
    /// Indices of the wanted columns, in the order of the options.
    pub(super) columns: Vec<usize>,
    /// Names of the wanted columns, for messages.
    pub(super) names: Vec<String>,
    /// Number of cells of the header, or of the first row if there is no header.
    pub(super) width: usize,
    /// Whether every cell of the first row is quoted.
    pub(super) quoted: bool,
}

impl TableLayout {
    /// Returns the layout of a table whose first row has these cells.
    ///
    /// # Errors
    /// If a column is missing, or several columns have its name.
    pub(super) fn new(
        dialect: Dialect,
        first: &[&[u8]],
        columns: &[String],
        header: bool,
    ) -> Result<Self, TableError> {
        let texts: Vec<_> = first.iter().map(|cell| dialect.text(cell)).collect();
        let find = |column: &String| {
            if header {
                named(&texts, column)
            } else {
                numbered(column, first.len()).ok_or_else(|| TableError::NoNumber {
                    column: column.clone(),
                    width: first.len(),
                })
            }
        };
        let columns: Vec<usize> = columns.iter().map(find).collect::<Result<_, _>>()?;
        let twice = |at: usize| columns[..at].contains(&columns[at]);
        if (0..columns.len()).any(twice) {
            return Err(TableError::Options("a column is named twice"));
        }
        let name = |index: &usize| {
            if header {
                String::from_utf8_lossy(texts[*index].trim_ascii()).into_owned()
            } else {
                (index + 1).to_string()
            }
        };
        Ok(TableLayout {
            dialect,
            names: columns.iter().map(name).collect(),
            columns,
            width: first.len(),
            quoted: first.iter().all(|cell| dialect.is_quoted(cell)),
        })
    }

    /// Returns the names of new columns for the columns `names`. They start with the given names, or with `doi` for one column,
    /// or with the column's own name.
    pub(super) fn new_names(given: &[String], names: &[String]) -> Vec<NewNames> {
        let stems = names.iter().enumerate().map(|(at, name)| {
            let default = if names.len() == 1 { "doi" } else { name };
            let clean = given
                .get(at)
                .map_or_else(|| format!("{default}_clean"), Clone::clone);
            let stem = given.get(at).map_or(default, String::as_str);
            [clean, format!("{stem}_status"), format!("{stem}_reason")]
        });
        stems.collect()
    }

    /// Appends the names of new columns to a header.
    pub(super) fn write_new(&self, new: &[NewNames], out: &mut Vec<u8>) {
        for name in new.iter().flatten() {
            out.push(self.dialect.delimiter);
            self.dialect.write(name.as_bytes(), self.quoted, out);
        }
    }

    /// # Errors
    /// If a cell of the header has the name of a new column, or two new columns have the same name.
    pub(super) fn check_new(&self, header: &[&[u8]], new: &[NewNames]) -> Result<(), TableError> {
        let texts = header.iter().map(|cell| self.dialect.text(cell));
        let mut taken: Vec<Vec<u8>> = texts.map(|text| text.trim_ascii().to_vec()).collect();
        for name in new.iter().flatten() {
            if taken.iter().any(|text| text == name.as_bytes()) {
                let name = name.clone();
                return Err(TableError::Taken { name, row: None });
            }
            taken.push(name.clone().into_bytes());
        }
        Ok(())
    }
}

/// Returns the index of a column, by its name or number, in the header at the start of `head`.
#[cfg(feature = "resolve")]
pub(crate) fn header_column(
    dialect: Dialect,
    head: &[u8],
    column: &str,
) -> Result<usize, TableError> {
    let (cells, _) = first_row(dialect, head);
    let texts: Vec<_> = cells.iter().map(|cell| dialect.text(cell)).collect();
    named(&texts, column)
}

/// Returns the index of the column with this name, or else this number.
pub(crate) fn named(
    header: &[impl std::ops::Deref<Target = [u8]>],
    column: &str,
) -> Result<usize, TableError> {
    let at = |is: &dyn Fn(&[u8]) -> bool| -> Vec<usize> {
        (0..header.len())
            .filter(|&index| is(&header[index]))
            .collect()
    };
    let exact = at(&|cell| cell.trim_ascii() == column.as_bytes().trim_ascii());
    let found = if exact.is_empty() {
        at(&|cell| is_name(cell, column))
    } else {
        exact
    };
    match (found[..].first(), found.len()) {
        (Some(index), 1) => Ok(*index),
        (None, _) => numbered(column, header.len()).ok_or_else(|| TableError::NoColumn {
            column: column.to_owned(),
            header: listed(header),
            is_list: is_list(header, column),
            proposed: None,
        }),
        (Some(_), _) => Err(TableError::SameName {
            column: column.to_owned(),
            numbers: found
                .iter()
                .map(|index| (index + 1).to_string())
                .collect::<Vec<_>>()
                .join(" and "),
        }),
    }
}

/// Whether `column` is several columns of the header, joined by a delimiter.
fn is_list(header: &[impl std::ops::Deref<Target = [u8]>], column: &str) -> bool {
    let delimiters = DELIMITERS.map(char::from);
    column.contains(delimiters)
        && column
            .split(delimiters)
            .all(|part| named(header, part).is_ok())
}

pub(super) fn numbered(column: &str, width: usize) -> Option<usize> {
    let number: usize = column.trim().parse().ok()?;
    (1..=width).contains(&number).then(|| number - 1)
}

/// Lists the columns of a header with their numbers, for a message. Only the first of many are shown.
fn listed(header: &[impl std::ops::Deref<Target = [u8]>]) -> String {
    const MAX_SHOWN_COLUMNS: usize = 50;
    let name = |(at, cell): (usize, &_)| {
        let cell: &[u8] = std::ops::Deref::deref(cell);
        let text = printable::name(&printable::bytes_as_name(cell.trim_ascii()));
        format!("{} {text}", at + 1)
    };
    let names: Vec<_> = header
        .iter()
        .enumerate()
        .take(MAX_SHOWN_COLUMNS)
        .map(|(at, cell)| name((at, cell)))
        .collect();
    let more = header.len().saturating_sub(MAX_SHOWN_COLUMNS);
    match more {
        0 => names.join(", "),
        more => format!("{}, and {more} more", names.join(", ")),
    }
}
