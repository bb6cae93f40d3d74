//! Finds the header of a table. Titles and remarks may be above it.

use std::borrow::Cow;
use std::num::NonZeroU32;

use doisift_core::TextKind;
use doisift_documents::{PeekReader, ReadBuffer, ReadBytes};

use super::column::numbered;
use super::dialect::Dialect;
use super::elements::is_array;
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
    /// Bytes before the rows.
    preamble: usize,
    /// Whether the first row of delimited text is the header.
    pub(super) has_header: bool,
    /// Another row that may be the header, if the chosen one has no wanted column.
    proposed: Option<NonZeroU32>,
}

/// Max rows above a header.
const MAX_ABOVE: usize = 64;

/// Number of rows below a header whose width is compared with the header's.
const COMPARED_ROWS: usize = 5;

const UTF8_BOM: &[u8] = "\u{feff}".as_bytes();

/// Max bytes of a header.
const MAX_HEADER_BYTES: usize = 16 << 20;

/// Returns the head of a document that decides the layout of a table, and whether it is the whole document. Reads about `max`
/// bytes to find a line end.
pub fn table_bytes<R: ReadBytes>(raw: &mut PeekReader<R>, max: usize) -> (&[u8], bool) {
    let mut size = TextKind::HEAD_BYTES;
    loop {
        let head = raw.peek(size);
        let rows = &head[preamble(head).0..];
        let is_row = rows.iter().any(|byte| b"\r\n".contains(byte));
        let is_json = rows.trim_ascii_start().starts_with(b"{") || rows.starts_with(b"[");
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
    /// ends with `head`. A byte order mark and a line such as `sep=;` may precede the rows.
    ///
    /// # Errors
    /// If no `format` is given and none is detected, or the head lacks the chosen row.
    pub fn of(
        (head, whole): (&[u8], bool),
        format: Option<TableFormat>,
        columns: &[String],
        choice: HeaderChoice,
    ) -> Result<Self, TableFault> {
        let (preamble, shown) = preamble(head);
        let (head, format) = (&head[preamble..], format.or(shown));
        if format.is_none() && is_array(head) {
            return Ok(TableHead {
                preamble,
                ..TableHead::at_once(TableReading::JsonArray)
            });
        }
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
        let proposed = if is_found { None } else { rows.proposed() };
        Ok(TableHead {
            reading: reading.map_err(|error| propose(error, proposed))?,
            above,
            preamble,
            has_header,
            proposed,
        })
    }

    /// Returns the head of a document that starts with `head` and whose lines are texts.
    pub fn of_lines(head: &[u8]) -> Self {
        TableHead {
            preamble: mark_length(head),
            ..TableHead::at_once(TableReading::lines(head))
        }
    }

    /// Returns the head of a document without a header.
    pub fn at_once(reading: TableReading) -> Self {
        TableHead {
            reading,
            above: 0,
            preamble: 0,
            has_header: false,
            proposed: None,
        }
    }

    /// Passes on the header as a row like others.
    pub fn with_header_as_row(self) -> Self {
        TableHead {
            has_header: false,
            ..self
        }
    }

    /// Returns the number of bytes above the header. `bytes` must start with the document.
    pub fn skipped(&self, bytes: &[u8]) -> usize {
        let rows = &bytes[self.preamble..];
        self.preamble + rows_end(self.reading.dialect(), rows, self.above)
    }

    /// Returns the texts of the cells of the header. `bytes` must start with the document.
    pub fn header<'b>(&self, bytes: &'b [u8]) -> Vec<Cow<'b, [u8]>> {
        let dialect = self.reading.dialect();
        let (cells, _) = format::first_row(dialect, &bytes[self.skipped(bytes)..]);
        cells.into_iter().map(|cell| dialect.text(cell)).collect()
    }

    /// Adds the row that may be the header to the error for a missing column.
    pub fn explain(&self, error: TableFault) -> TableFault {
        propose(error, self.proposed)
    }
}

/// Passes a byte order mark of UTF-8. Returns its length.
pub fn pass_mark<R: ReadBytes>(raw: &mut PeekReader<R>) -> usize {
    let length = mark_length(raw.peek(UTF8_BOM.len()));
    raw.consume(length);
    length
}

fn mark_length(head: &[u8]) -> usize {
    match head.starts_with(UTF8_BOM) {
        true => UTF8_BOM.len(),
        false => 0,
    }
}

/// Returns the length of the byte order mark and the line for spreadsheets before the rows, and the format that the line names.
fn preamble(head: &[u8]) -> (usize, Option<TableFormat>) {
    let mark = mark_length(head);
    match format::sep_line(&head[mark..]) {
        Some((delimiter, length)) => (mark + length, Some(TableFormat::Delimited(delimiter))),
        None => (mark, None),
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
            ("\u{feff}sep=;\nA title\nid;doi\n1;10.5555/a\n", "doi", 1),
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
