//! Cuts the bytes of a delimited table into rows and cells, and writes cells.
//!
//! As in RFC 4180, and as Python's csv reads it: a quote at the start of a cell opens it, a doubled quote is one quote, and
//! bytes after the closing quote belong to the cell. A quote at any other place is an ordinary byte.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

/// Syntax of a delimited table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The byte between cells.
    pub delimiter: u8,
    /// Whether a quote opens a cell.
    pub quotes: bool,
    /// The byte that ends a row: `\n`, or `\r` in tables without any `\n`.
    pub row_end: u8,
}

const QUOTE: u8 = b'"';

impl Dialect {
    /// Returns the end of the cell that starts at `at`: a delimiter, the end of its row, or the end of `bytes`.
    pub fn cell_end(self, bytes: &[u8], mut at: usize) -> usize {
        if self.quotes && bytes.get(at) == Some(&QUOTE) {
            at = closing_quote(bytes, at + 1);
        }
        let length = memchr2(self.delimiter, self.row_end, &bytes[at..]);
        length.map_or(bytes.len(), |length| at + length)
    }

    /// Whether the quote at `at` opens a cell. `bytes` must start with a row, and `at` must be outside of quotes.
    pub fn opens(self, bytes: &[u8], at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        before.is_none_or(|byte| byte == self.delimiter || byte == self.row_end)
    }

    /// Returns the text of a cell, with quotes undone.
    pub fn text(self, cell: &[u8]) -> Cow<'_, [u8]> {
        let Some(inner) = cell.strip_prefix(b"\"").filter(|_| self.quotes) else {
            return cell.into();
        };
        if let Some(last) = memchr(QUOTE, inner).filter(|at| at + 1 == inner.len()) {
            return inner[..last].into();
        }
        let end = closing_quote(inner, 0);
        let (quoted, after) = inner.split_at(end);
        let quoted = quoted.strip_suffix(b"\"").unwrap_or(quoted);
        let mut text = Vec::with_capacity(inner.len());
        let mut rest = quoted;
        while let Some(quote) = memchr(QUOTE, rest) {
            text.extend_from_slice(&rest[..=quote]);
            rest = rest.get(quote + 2..).unwrap_or_default();
        }
        text.extend_from_slice(rest);
        text.extend_from_slice(after);
        text.into()
    }

    /// Appends a cell with this text. Quotes it if `quoted`, or if it would not be read as one cell otherwise.
    pub fn write(self, text: &[u8], quoted: bool, out: &mut Vec<u8>) {
        let breaks = |byte: u8| byte == self.delimiter || matches!(byte, b'\n' | b'\r');
        // Tools that read tab-separated text seldom undo quotes, so a quote inside a cell stays as it is there.
        let marks = self.delimiter != b'\t' && memchr(QUOTE, text).is_some();
        let opens = text.first() == Some(&QUOTE);
        let needed = marks || opens || text.iter().any(|byte| breaks(*byte));
        if !self.quotes || !(quoted || needed) {
            return out.extend_from_slice(text);
        }
        out.push(QUOTE);
        let mut rest = text;
        while let Some(quote) = memchr(QUOTE, rest) {
            out.extend_from_slice(&rest[..=quote]);
            out.push(QUOTE);
            rest = &rest[quote + 1..];
        }
        out.extend_from_slice(rest);
        out.push(QUOTE);
    }

    /// Whether a cell is quoted.
    pub fn is_quoted(self, cell: &[u8]) -> bool {
        self.quotes && cell.first() == Some(&QUOTE)
    }

    /// Returns the end of a row without the `\r` of its line end. `end` is the offset of the byte that ends the row.
    pub fn content_end(self, bytes: &[u8], start: usize, end: usize) -> usize {
        let has_return =
            self.row_end == b'\n' && end > start && end < bytes.len() && bytes[end - 1] == b'\r';
        end - usize::from(has_return)
    }

    /// Finds the cells of the row at `at`. Returns the end of the last cell, and the start of the next row.
    pub fn row(self, bytes: &[u8], mut at: usize, cells: &mut Vec<Range<usize>>) -> (usize, usize) {
        cells.clear();
        loop {
            let end = self.cell_end(bytes, at);
            if bytes.get(end) == Some(&self.delimiter) {
                cells.push(at..end);
                at = end + 1;
                continue;
            }
            let content = self.content_end(bytes, at, end);
            cells.push(at..content);
            return (content, bytes.len().min(end + 1));
        }
    }

    /// Returns the cells of the row at the start of `bytes`, and the length of the row with its line end.
    pub fn first_row(self, bytes: &[u8]) -> (Vec<&[u8]>, usize) {
        let mut cells = Vec::new();
        let (_, length) = self.row(bytes, 0, &mut cells);
        let cells = cells.into_iter().map(|cell| &bytes[cell]);
        (cells.collect(), length)
    }
}

/// Returns the offset after the quote that closes the text at `at`, or the end of `bytes`.
fn closing_quote(bytes: &[u8], mut at: usize) -> usize {
    while let Some(quote) = memchr(QUOTE, &bytes[at..]) {
        at += quote + 1;
        if bytes.get(at) != Some(&QUOTE) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: Dialect = Dialect {
        delimiter: b',',
        quotes: true,
        row_end: b'\n',
    };

    #[test]
    fn cells_are_cut_as_pythons_csv_cuts_them() {
        for (row, cells) in [
            ("a,b\r\nc", &["a", "b"][..]),
            ("\"a,\"\"b\"\"\nc\",d\n", &["a,\"b\"\nc", "d"]),
            ("\"a\"b\"c,d", &["ab\"c", "d"]),
            ("a\"b,c\"\n", &["a\"b", "c\""]),
            (",\n", &["", ""]),
            ("\"\",\"\"\n", &["", ""]),
            ("\"open,\n", &["open,\n"]),
            ("a\r", &["a\r"]),
            ("\r\n", &[""]),
        ] {
            let (found, _) = CSV.first_row(row.as_bytes());
            let texts = found.iter().map(|cell| CSV.text(cell).into_owned());
            let texts: Vec<_> = texts.map(|text| String::from_utf8(text).unwrap()).collect();
            assert_eq!(texts, cells, "{row:?}");
        }
    }

    #[test]
    fn a_written_cell_is_read_as_its_text() {
        let texts = [
            "a", "", "a,b", "a\"b", "\"", "\"\"", "a\nb", "a\rb", "a\tb", ";",
        ];
        for delimiter in [b',', b';', b'\t', b'|'] {
            let dialect = Dialect { delimiter, ..CSV };
            for (text, quoted) in texts.iter().flat_map(|text| [(text, false), (text, true)]) {
                let mut out = Vec::new();
                dialect.write(text.as_bytes(), quoted, &mut out);
                out.extend_from_slice(&[delimiter, b'x', b'\n']);
                let (cells, length) = dialect.first_row(&out);
                assert_eq!((cells.len(), length), (2, out.len()), "{text:?}");
                assert_eq!(&*dialect.text(cells[0]), text.as_bytes());
            }
        }
    }
}
