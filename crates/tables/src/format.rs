//! Formats of tables, and their detection from the head of a document.

use std::str::FromStr;

use doisift_core::{ParseError, TextKind};
use doisift_documents::TextOrigin;

use super::dialect::Dialect;
use super::fault::TableFault;

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFormat {
    /// Rows of cells that this byte separates.
    Delimited(u8),
    /// A JSON object on each line.
    JsonLines,
}

impl TableFormat {
    /// Formats that have a name: `csv`, `ssv` (semicolons), `tsv`, `psv` (pipes) and `jsonl`.
    const NAMED: [(&'static str, TableFormat); 5] = [
        ("csv", TableFormat::Delimited(b',')),
        ("ssv", TableFormat::Delimited(b';')),
        ("tsv", TableFormat::Delimited(b'\t')),
        ("psv", TableFormat::Delimited(b'|')),
        ("jsonl", TableFormat::JsonLines),
    ];

    /// Returns the names of formats.
    #[doc(hidden)]
    pub fn names() -> impl Iterator<Item = &'static str> {
        TableFormat::NAMED.iter().map(|(name, _)| *name)
    }

    /// Returns the format of a document that is a sheet of a workbook; `None` for others.
    #[doc(hidden)]
    pub fn of_origin(origin: Option<TextOrigin>) -> Option<Self> {
        matches!(origin, Some(TextOrigin::Sheet(_))).then_some(TableFormat::Delimited(b','))
    }

    /// Returns the name, or the delimiter if it has no name.
    pub fn name(self) -> String {
        let named = TableFormat::NAMED.iter().find(|(_, known)| *known == self);
        match (named, self) {
            (Some((name, _)), _) => (*name).to_owned(),
            (None, TableFormat::Delimited(byte)) => char::from(byte).to_string(),
            (None, TableFormat::JsonLines) => String::new(),
        }
    }
}

/// Parses a name: `csv`, `ssv`, `tsv`, `psv` or `jsonl`.
impl FromStr for TableFormat {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        const EXPECTED: &str = "one of csv, ssv (semicolons), tsv, psv (pipes), jsonl";
        let found = TableFormat::NAMED.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, format)| *format)
            .ok_or_else(|| ParseError::new("format of tables", name, EXPECTED))
    }
}

/// Format in which a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableReading {
    /// Rows of cells.
    Delimited(Dialect),
    /// A JSON object on each line.
    JsonLines,
    /// An array of JSON objects.
    JsonArray,
    /// Each line is a text. A line ends with this byte.
    Lines(u8),
}

impl TableReading {
    /// Returns the dialect that cuts rows. Rows of JSON Lines and texts are lines.
    pub fn dialect(self) -> Dialect {
        match self {
            TableReading::Delimited(dialect) => dialect,
            TableReading::JsonLines | TableReading::JsonArray => Self::LINES.dialect(),
            TableReading::Lines(row_end) => Dialect {
                delimiter: row_end,
                quotes: false,
                row_end,
            },
        }
    }

    /// Lines that end with a line feed.
    pub const LINES: Self = TableReading::Lines(b'\n');

    /// Returns the reading of a document of lines that starts with `head`.
    pub fn lines(head: &[u8]) -> Self {
        TableReading::Lines(row_end(head))
    }
}

/// Detects the format of a table that starts with `head`; `whole` says that the table ends with it.
///
/// # Errors
/// If no `format` is given, and the head shows none.
pub(super) fn reading(
    head: &[u8],
    whole: bool,
    format: Option<TableFormat>,
    columns: &[String],
    header: bool,
) -> Result<TableReading, TableFault> {
    let delimiter = match format {
        Some(TableFormat::JsonLines) => return Ok(TableReading::JsonLines),
        Some(TableFormat::Delimited(delimiter)) => delimiter,
        None if head.trim_ascii_start().first() == Some(&b'{') => {
            return Ok(TableReading::JsonLines);
        }
        None => {
            delimiter(head, whole, columns, header).ok_or(TableFault::Unknown { proposed: None })?
        }
    };
    Ok(TableReading::Delimited(dialect(head, whole, delimiter)))
}

/// The delimiters that are detected.
pub(super) const DELIMITERS: [u8; 4] = *b",;\t|";

/// Detects the delimiter of a table: the one of the text kind, unless the first row has all wanted columns only with another one.
fn delimiter(head: &[u8], whole: bool, columns: &[String], header: bool) -> Option<u8> {
    let kind = match head.get(..TextKind::HEAD_BYTES) {
        Some(start) => TextKind::of(start, false),
        None => TextKind::of(head, whole),
    };
    let has_all = |delimiter: u8| header && holds(head, delimiter, columns);
    let shown = kind.delimiter();
    if let Some(shown) = shown.filter(|shown| has_all(*shown)) {
        return Some(shown);
    }
    let fitting = DELIMITERS.into_iter().filter(|byte| has_all(*byte));
    let width = |delimiter: &u8| first_row(with_quotes(*delimiter, head), head).0.len();
    // The first of equals.
    match fitting.rev().max_by_key(width) {
        // `doi,url` is the name of a column only where the comma does not divide a table.
        Some(fitting) if width(&fitting) == 1 => dividing_delimiter(head, shown).or(Some(fitting)),
        Some(fitting) => Some(fitting),
        None => shown.or_else(|| {
            // A list is a table of one column.
            let is_first = columns.iter().all(|column| column == "1");
            is_first.then_some(b',')
        }),
    }
}

/// Returns a delimiter with which the header has several cells: `shown`, or one with which the row after it has several too.
fn dividing_delimiter(head: &[u8], shown: Option<u8>) -> Option<u8> {
    let divides = |delimiter: &u8| {
        let dialect = with_quotes(*delimiter, head);
        let (header, rest) = first_row(dialect, head);
        let is_table = || {
            let is_end = rest.trim_ascii().is_empty();
            is_end || first_row(dialect, rest).0.len() > 1
        };
        header.len() > 1 && (shown == Some(*delimiter) || is_table())
    };
    shown.into_iter().chain(DELIMITERS).find(divides)
}

/// Whether the first row has a cell for each of `columns`.
fn holds(head: &[u8], delimiter: u8, columns: &[String]) -> bool {
    let dialect = with_quotes(delimiter, head);
    let (cells, _) = first_row(dialect, head);
    columns.iter().all(|column| {
        let is_named = |cell: &&[u8]| is_name(&dialect.text(cell), column);
        cells.iter().any(is_named)
    })
}

/// Whether a cell of a header is `column`, ignoring white space around it and the case of ASCII letters.
pub(super) fn is_name(cell: &[u8], column: &str) -> bool {
    let column = column.as_bytes().trim_ascii();
    cell.trim_ascii().eq_ignore_ascii_case(column)
}

/// Returns the cells of the first row that is not blank, and the bytes after the row.
pub(super) fn first_row(dialect: Dialect, bytes: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let start = bytes.iter().position(|byte| !b"\r\n".contains(byte));
    let bytes = &bytes[start.unwrap_or(bytes.len())..];
    let (cells, length) = dialect.first_row(bytes);
    (cells, &bytes[length..])
}

/// Returns the dialect with this delimiter, in which quotes open cells, of a table that starts with `head`.
pub(super) fn with_quotes(delimiter: u8, head: &[u8]) -> Dialect {
    Dialect {
        delimiter,
        quotes: true,
        row_end: row_end(head),
    }
}

/// Returns the byte that ends rows: a carriage return if the head has one and no line feed, else a line feed.
fn row_end(head: &[u8]) -> u8 {
    let has = |end| memchr::memchr(end, head).is_some();
    match !has(b'\n') && has(b'\r') {
        true => b'\r',
        false => b'\n',
    }
}

/// Returns the dialect of a table. Many programs write tab-separated text without quoting, so a quote may start a cell without
/// being closed.
fn dialect(head: &[u8], whole: bool, delimiter: u8) -> Dialect {
    let dialect = with_quotes(delimiter, head);
    let quotes = delimiter != b'\t' || closes_quotes(dialect, head, whole);
    Dialect { quotes, ..dialect }
}

/// Whether each quoted cell of the head ends with its quote.
fn closes_quotes(dialect: Dialect, head: &[u8], whole: bool) -> bool {
    let mut at = 0;
    while at < head.len() {
        let end = dialect.cell_end(head, at);
        let is_cut = end == head.len() && !whole;
        let cell = &head[at..dialect.content_end(head, at, end)];
        let ends = cell.len() > 1 && cell.ends_with(b"\"");
        if dialect.is_quoted(cell) && !ends && !is_cut {
            return false;
        }
        at = end + 1;
    }
    true
}

/// Returns the delimiter that a first line such as `sep=;` names, and the length of the line. Spreadsheets write such lines.
pub fn sep_line(head: &[u8]) -> Option<(u8, usize)> {
    let delimiter = *head.strip_prefix(b"sep=")?.first()?;
    let length = memchr::memchr(b'\n', head)? + 1;
    let is_line = matches!(&head[5..length], b"\n" | b"\r\n");
    is_line.then_some((delimiter, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(head: &str, column: &str, header: bool) -> Option<(u8, bool)> {
        let columns = [column.to_owned()];
        match reading(head.as_bytes(), true, None, &columns, header) {
            Ok(TableReading::Delimited(dialect)) => Some((dialect.delimiter, dialect.quotes)),
            Ok(TableReading::JsonLines) => Some((b'{', false)),
            _ => None,
        }
    }

    #[test]
    fn the_head_shows_the_format() {
        for (head, column, wanted) in [
            ("id,doi\n1,10.5555/a\n", "doi", Some((b',', true))),
            ("id;DOI\n1;a,b,c\n", "doi", Some((b';', true))),
            ("id\tdoi\n1\t\"a\"\n", "doi", Some((b'\t', true))),
            ("id\tdoi\n1\t\"a\" b\n", "doi", Some((b'\t', false))),
            ("id|doi\n1|2\n", "2", Some((b'|', true))),
            ("doi\n10.5555/a\n", "doi", Some((b',', true))),
            ("10.5555/a\n10.5555/b\n", "1", Some((b',', true))),
            ("a b, doi\nx\n", "doi", Some((b',', true))),
            ("doi,url\n1,2\n", "doi,url", Some((b',', true))),
            ("doi|url\n", "doi|url", Some((b'|', true))),
            ("\"doi,url\"\n10.5555/a\n", "doi,url", Some((b',', true))),
            (
                "doi, or url\n10.5555/a\n",
                "doi, or url",
                Some((b';', true)),
            ),
            ("\n {\"doi\": 1}\n", "doi", Some((b'{', false))),
            ("some text\nmore\n", "doi", None),
            ("<html><body>doi", "doi", None),
        ] {
            assert_eq!(shown(head, column, true), wanted, "{head:?}");
        }
    }

    #[test]
    fn a_line_for_spreadsheets_names_the_delimiter() {
        assert_eq!(sep_line(b"sep=;\r\na;b\n"), Some((b';', 7)));
        assert_eq!(sep_line(b"sep=;a\n"), None);
        assert_eq!(sep_line(b"sep\n"), None);
    }
}
