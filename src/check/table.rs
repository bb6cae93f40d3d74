//! Reads the references in a column of a table.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::reference::TakenReferences;
use super::reference::{Escape, NameField, Reference, ReferenceName};
use crate::error::TableError;
use doisift_tables::{
    Dialect, HeaderChoice, RowSplitter, TableFault, TableHead, TableReading, named_column,
};

/// Bytes that decide the layout of a table.
const LAYOUT_HEAD_BYTES: usize = 64 << 10;

/// Reads the cells of a column of a table that is held in part. A row without a name gives an empty reference.
pub(super) struct TableReader {
    column: String,
    rows: TableCursor,
}

enum TableCursor {
    /// Delimited rows. `column_index`, the number of the column, is known after the header.
    Delimited {
        table: TableHead,
        /// Bytes above the header that are still to pass.
        above: usize,
        dialect: Dialect,
        splitter: RowSplitter,
        column_index: Option<usize>,
    },
    /// JSON Lines. `is_there` says whether a line had the member.
    Objects { is_there: bool },
}

impl TableReader {
    /// Creates a reader of the table that starts with `head`; `is_whole` says that the table ends with it.
    ///
    /// # Errors
    /// If it is not a table, or its header lacks the column.
    pub(super) fn new(
        head: &[u8],
        is_whole: bool,
        column: &str,
        header: HeaderChoice,
    ) -> Result<Self, TableError> {
        // The header may be longer than `LAYOUT_HEAD_BYTES`.
        let line = memchr::memchr2(b'\n', b'\r', head).unwrap_or(head.len());
        let start = &head[..head.len().min(LAYOUT_HEAD_BYTES.max(line + 1))];
        let is_whole = is_whole && start.len() == head.len();
        let columns = [column.to_owned()];
        let table = TableHead::of((start, is_whole), None, &columns, header)?;
        let rows = match table.reading {
            TableReading::Delimited(dialect) => TableCursor::Delimited {
                above: table.skipped(head),
                table,
                dialect,
                splitter: RowSplitter::new(dialect),
                column_index: None,
            },
            _ => TableCursor::Objects { is_there: false },
        };
        Ok(TableReader {
            column: column.to_owned(),
            rows,
        })
    }

    /// Returns the references of the rows in `held`, which starts at the first byte that was not passed.
    ///
    /// # Errors
    /// If the table lacks the column.
    pub(super) fn take(
        &mut self,
        held: &[u8],
        is_last: bool,
    ) -> Result<TakenReferences, TableError> {
        match &mut self.rows {
            TableCursor::Delimited {
                table,
                above,
                dialect,
                splitter,
                column_index,
            } => {
                let whole = splitter.advance(held, is_last);
                let passed = if is_last { held.len() } else { whole };
                splitter.cut();
                let at = (*above).min(passed);
                *above -= at;
                let read = delimited((&held[..passed], at), *dialect, &self.column, column_index);
                let references = read.map_err(|error| table.explain(error))?;
                Ok(TakenReferences { references, passed })
            }
            TableCursor::Objects { is_there } => {
                let lines = memchr::memrchr(b'\n', held).map_or(0, |line| line + 1);
                let passed = if is_last { held.len() } else { lines };
                let references = objects(&held[..passed], &self.column, is_there);
                if is_last && !*is_there {
                    return Err(TableError::NoMember {
                        column: self.column.clone(),
                        members: String::new(),
                    });
                }
                Ok(TakenReferences { references, passed })
            }
        }
    }
}

/// Returns the references of the rows of `bytes` from `at` on.
fn delimited(
    (bytes, mut at): (&[u8], usize),
    dialect: Dialect,
    column: &str,
    column_index: &mut Option<usize>,
) -> Result<Vec<Reference>, TableFault> {
    let mut references = Vec::new();
    while at < bytes.len() {
        let (cells, length) = dialect.first_row(&bytes[at..]);
        let is_blank = matches!(cells[..], [cell] if cell.is_empty());
        match *column_index {
            _ if is_blank => {}
            None => {
                let header: Vec<_> = cells.iter().map(|cell| dialect.text(cell)).collect();
                *column_index = Some(named_column(&header, column)?);
            }
            Some(column_index) => {
                let cell = cells.get(column_index).map_or(&bytes[at..at], |cell| *cell);
                references.push(cell_reference(bytes, cell));
            }
        }
        at += length;
    }
    Ok(references)
}

/// Returns the reference of a cell. Quotes around the cell are not part of its text.
fn cell_reference(bytes: &[u8], cell: &[u8]) -> Reference {
    let inside = cell
        .strip_prefix(b"\"")
        .and_then(|cell| cell.strip_suffix(b"\""));
    reference(bytes, inside.unwrap_or(cell), Escape::Cell)
}

fn objects(bytes: &[u8], column: &str, is_there: &mut bool) -> Vec<Reference> {
    let mut references = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let object = serde_json::from_slice::<HashMap<String, &RawValue>>(line);
        let value = object
            .ok()
            .and_then(|object| Some(object.get(column)?.get()));
        *is_there |= value.is_some();
        let text = value.and_then(|value| value.strip_prefix('"')?.strip_suffix('"'));
        let text = text.map_or(&line[..0], str::as_bytes);
        references.push(reference(bytes, text, Escape::Json));
    }
    references
}

/// Returns the reference of a row. `text` must be a slice of `bytes`.
fn reference(bytes: &[u8], text: &[u8], escape: Escape) -> Reference {
    let start = text.as_ptr() as usize - bytes.as_ptr() as usize;
    Reference {
        start,
        record: 0,
        place: start..start + text.len(),
        key: None,
        name: match text.is_empty() {
            true => ReferenceName::Nothing,
            false => ReferenceName::Field(NameField::any(escape)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_reference() {
        let rows = |text: &str| -> Vec<String> {
            let mut table =
                TableReader::new(text.as_bytes(), true, "doi", HeaderChoice::Shown).unwrap();
            let rows = table.take(text.as_bytes(), true).unwrap();
            rows.references
                .into_iter()
                .map(|one| text[one.place].to_owned())
                .collect()
        };
        let csv = "id,DOI\n1,10.5555/a\n\n2,\"10.5555/b\"\n3\n";
        assert_eq!(rows(csv), ["10.5555/a", "10.5555/b", ""]);
        let objects = "{\"doi\":\"10.5555/a\"}\n{\"doi\":null}\n";
        assert_eq!(rows(objects), ["10.5555/a", ""]);
        let mut table =
            TableReader::new(b"id,name\n1,2\n", true, "doi", HeaderChoice::Shown).unwrap();
        assert!(table.take(b"id,name\n1,2\n", true).is_err());
    }
}
