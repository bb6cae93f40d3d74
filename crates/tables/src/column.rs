//! Finds a column in the header of a table.

use doisift_documents::printable;

use super::fault::TableFault;
use super::format::{DELIMITERS, is_name};

/// Returns the index of the column with this name, or else this number, among the texts of a header.
///
/// # Errors
/// If no column has the name, or several have it.
pub fn named_column(
    header: &[impl std::ops::Deref<Target = [u8]>],
    column: &str,
) -> Result<usize, TableFault> {
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
        (None, _) => numbered(column, header.len()).ok_or_else(|| TableFault::NoColumn {
            column: column.to_owned(),
            header: listed(header),
            is_list: is_list(header, column),
            proposed: None,
        }),
        (Some(_), _) => Err(TableFault::SameName {
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
            .all(|part| named_column(header, part).is_ok())
}

/// Returns the index of the column with this number, from 1, in a table of `width` columns.
pub fn numbered(column: &str, width: usize) -> Option<usize> {
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
