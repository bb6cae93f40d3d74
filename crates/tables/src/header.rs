//! Finds the header of a table. Titles and remarks may be above it.

use std::num::NonZeroU32;

use doisift_core::TextKind;
use doisift_documents::{PeekReader, ReadBytes};

use super::column::numbered;
use super::dialect::Dialect;
use super::fault::TableFault;
use super::format::{self, DELIMITERS, TableFormat, TableReading};

/// Choice of the header row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderChoice {
    /// The first row that is not blank, or a later row if only that has a wanted column.
    Shown,
    /// This row, from 1, counting blank ones.
    Row(u64),
    /// No header: the first row has cells.
    Missing,
}

/// The format of a table, and the place of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableHead {
    /// How rows are read.
    pub reading: TableReading,
    /// Number of rows above the header, counting blank ones.
    pub above: u64,
    /// Another row that may be the header, if the chosen one has no wanted column.
    proposed: Option<NonZeroU32>,
}

/// Max rows above a header.
const MAX_ABOVE: usize = 64;

/// Number of rows below a header whose width is compared with the header's.
const COMPARED_ROWS: usize = 5;

/// Max bytes of a header.
const MAX_HEADER_BYTES: usize = 16 << 20;

/// Returns the head of a document that decides the layout of a table, and whether it is the whole document. Reads about `max`
/// bytes to find a line end.
pub fn table_bytes<R: ReadBytes>(raw: &mut PeekReader<R>, max: usize) -> (&[u8], bool) {
    let mut size = TextKind::HEAD_BYTES;
    loop {
        let head = raw.peek(size);
        let is_row = head.iter().any(|byte| b"\r\n".contains(byte));
        let is_json = head.trim_ascii_start().starts_with(b"{") || head.starts_with(b"[");
        if is_row || is_json || head.len() < size || size >= max.min(MAX_HEADER_BYTES) {
            break;
        }
        size *= 4;
        raw.reserve(size);
    }
    let head = raw.peek(size);
    (head, head.len() < size)
}

impl From<Option<u64>> for HeaderChoice {
    fn from(row: Option<u64>) -> Self {
        row.map_or(HeaderChoice::Shown, HeaderChoice::Row)
    }
}

impl TableHead {
    /// Detects the format and the header of a table that starts with `head`, of which `columns` are wanted; `whole` says that it
    /// ends with `head`.
    ///
    /// # Errors
    /// If no `format` is given and none is detected, or the head lacks the chosen row.
    pub fn of(
        (head, whole): (&[u8], bool),
        format: Option<TableFormat>,
        columns: &[String],
        choice: HeaderChoice,
    ) -> Result<Self, TableFault> {
        let rows = HeadRows {
            head,
            whole,
            format,
        };
        let above = match choice {
            _ if rows.are_objects() => 0,
            HeaderChoice::Missing => 0,
            HeaderChoice::Row(row) => row.saturating_sub(1),
            HeaderChoice::Shown => rows.above(columns).unwrap_or(0),
        };
        let start = rows.start(above)?;
        let has_header = choice != HeaderChoice::Missing;
        let reading = format::reading(&head[start..], whole, format, columns, has_header);
        let is_found = choice != HeaderChoice::Shown || above > 0 || rows.has_any(columns);
        let proposed = match is_found {
            true => None,
            false => rows.proposed(),
        };
        Ok(TableHead {
            reading: reading.map_err(|error| propose(error, proposed))?,
            above,
            proposed,
        })
    }

    /// Returns the head of a document whose lines are texts.
    pub fn of_lines() -> Self {
        TableHead::at_once(TableReading::LINES)
    }

    /// Returns the head of a document without a header.
    pub fn at_once(reading: TableReading) -> Self {
        TableHead {
            reading,
            above: 0,
            proposed: None,
        }
    }

    /// Returns the number of bytes above the header. `bytes` must start with the table.
    pub fn skipped(&self, bytes: &[u8]) -> usize {
        rows_end(self.reading.dialect(), bytes, self.above)
    }

    /// Adds the row that may be the header to the error for a missing column.
    pub fn explain(&self, error: TableFault) -> TableFault {
        propose(error, self.proposed)
    }
}

fn propose(error: TableFault, proposed: Option<NonZeroU32>) -> TableFault {
    match error {
        TableFault::NoColumn {
            column,
            header,
            is_list,
            ..
        } => TableFault::NoColumn {
            column,
            header,
            is_list,
            proposed,
        },
        TableFault::Unknown { .. } => TableFault::Unknown { proposed },
        other => other,
    }
}

/// Returns the offset of the end of the first `count` rows.
fn rows_end(dialect: Dialect, bytes: &[u8], count: u64) -> usize {
    (0..count).fold(0, |at, _| at + dialect.first_row(&bytes[at..]).1)
}

/// The first rows of a table.
struct HeadRows<'h> {
    head: &'h [u8],
    whole: bool,
    format: Option<TableFormat>,
}

impl<'h> HeadRows<'h> {
    fn are_objects(&self) -> bool {
        let starts = |bytes: &[u8]| bytes.starts_with(b"{") || bytes.starts_with(b"[");
        self.format == Some(TableFormat::JsonLines)
            || self.format.is_none() && starts(self.head.trim_ascii_start())
    }

    fn dialects(&self) -> impl Iterator<Item = Dialect> {
        let delimiters = match self.format {
            Some(TableFormat::Delimited(delimiter)) => vec![delimiter],
            _ => DELIMITERS.to_vec(),
        };
        let dialect = |delimiter| format::with_quotes(delimiter, self.head);
        delimiters.into_iter().map(dialect)
    }

    /// Returns the offset of the row after `above` others.
    fn start(&self, above: u64) -> Result<usize, TableFault> {
        let Some(dialect) = self.dialects().next().filter(|_| above > 0) else {
            return Ok(0);
        };
        let start = rows_end(dialect, self.head, above);
        match start < self.head.len() {
            true => Ok(start),
            false => Err(TableFault::NoRow { row: above + 1 }),
        }
    }

    /// Returns the rows, without a last row that is cut off. Blank ones have no cells.
    fn rows(&self, dialect: Dialect) -> Vec<Vec<&'h [u8]>> {
        let (mut rows, mut at) = (Vec::new(), 0);
        while at < self.head.len() && rows.len() < MAX_ABOVE + COMPARED_ROWS {
            let (cells, length) = dialect.first_row(&self.head[at..]);
            at += length;
            if at == self.head.len() && !self.whole {
                break;
            }
            let is_blank = cells.iter().all(|cell| cell.is_empty());
            rows.push(if is_blank { Vec::new() } else { cells });
        }
        rows
    }

    /// Whether the first row that is not blank has one of the columns.
    fn has_any(&self, columns: &[String]) -> bool {
        let has = |dialect: Dialect| {
            let (cells, _) = format::first_row(dialect, self.head);
            has_one(dialect, &cells, columns)
        };
        columns.is_empty() || self.dialects().any(has)
    }

    /// Returns the number of rows above the first row that has one of the columns and as many cells as the rows below it. Returns
    /// `None` if that is the first row, or if there is none.
    fn above(&self, columns: &[String]) -> Option<u64> {
        if self.has_any(columns) {
            return None;
        }
        // A row of one cell is not a header, unless the format is given.
        let min_width = if self.format.is_some() { 1 } else { 2 };
        self.find_header(|dialect, rows, at| {
            rows[at].len() >= min_width
                && has_one(dialect, &rows[at], columns)
                && fits(&rows[at..]) != Some(false)
        })
    }

    /// Returns the row, from 1, that has more cells than those above it and as many as those below it.
    fn proposed(&self) -> Option<NonZeroU32> {
        let above = self.find_header(|_, rows, at| {
            let width = filled(&rows[at]);
            let are_narrower = rows[..at].iter().all(|row| filled(row) < width);
            width > 1 && are_narrower && fits(&rows[at..]) == Some(true)
        });
        let above = above.filter(|above| *above > 0)?;
        NonZeroU32::new(u32::try_from(above).ok()? + 1)
    }

    /// Returns the number, from 0, of the first row for which `is_header` is true with any delimiter. Of several delimiters for
    /// one row, the one with the most cells counts.
    fn find_header(
        &self,
        is_header: impl Fn(Dialect, &[Vec<&[u8]>], usize) -> bool,
    ) -> Option<u64> {
        let found = self.dialects().filter_map(|dialect| {
            let rows = self.rows(dialect);
            let at = (0..rows.len().min(MAX_ABOVE)).find(|at| is_header(dialect, &rows, *at))?;
            Some((at, std::cmp::Reverse(rows[at].len())))
        });
        found.min().map(|(at, _)| at as u64)
    }
}

/// Returns the number of cells up to the last that is not empty.
fn filled(row: &[&[u8]]) -> usize {
    let last = row.iter().rposition(|cell| !cell.is_empty());
    last.map_or(0, |last| last + 1)
}

/// Whether one of the first rows below the header has as many cells as the header, which is the first of `rows`. `None` if there
/// is no row.
fn fits(rows: &[Vec<&[u8]>]) -> Option<bool> {
    let below = rows[1..].iter().filter(|row| !row.is_empty());
    let widths: Vec<_> = below.take(COMPARED_ROWS).map(Vec::len).collect();
    (!widths.is_empty()).then(|| widths.contains(&rows[0].len()))
}

/// Whether a row has a cell for one of the columns: by its name, or by its number.
fn has_one(dialect: Dialect, cells: &[&[u8]], columns: &[String]) -> bool {
    columns.iter().any(|column| {
        let is_named = |cell: &&[u8]| format::is_name(&dialect.text(cell), column);
        numbered(column, cells.len()).is_some() || cells.iter().any(is_named)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(head: &str, column: &str) -> Result<u64, String> {
        let columns = [column.to_owned()];
        let head = TableHead::of((head.as_bytes(), true), None, &columns, HeaderChoice::Shown);
        head.map(|head| head.above)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_header_is_the_first_row_or_a_later_one_with_the_column() {
        for (head, column, wanted) in [
            ("id,doi\n1,doi\n", "doi", 0),
            ("Exported on Jan 1, 2020\nid,doi\n1,10.5555/a\n", "doi", 1),
            ("\"About, the data\"\nid,doi\n1,10.5555/a\n", "DOI", 1),
            ("A title\n\n\nid;doi;x\n1;10.5555/a;2\n", "doi", 3),
            ("A title\r\nid\tdoi\r\n1\t10.5555/a\r\n", "doi", 1),
            ("A title\nid,doi\n1,10.5555/a\n", "2", 1),
            ("A title\nid,doi\n", "doi", 1),
            ("id,name\n1,2\ndoi,3\n4,5\n", "name", 0),
            // A cell of a row is not a header, since the rows above are as wide.
            ("id,name\n1,2\n", "2", 0),
        ] {
            assert_eq!(above(head, column), Ok(wanted), "{head:?} {column}");
        }
    }

    #[test]
    fn a_row_that_may_be_the_header_is_proposed() {
        let error = above("A title\n\nid,doi\n1,10.5555/a\n", "name").unwrap_err();
        assert!(error.contains("--header-row 3"), "{error}");
        let error = above("id,doi\n1,10.5555/a\n", "name").map(|above| above == 0);
        assert_eq!(error, Ok(true));
    }
}
