//! Recognises what kind of text a document is, once, from its head.
//!
//! A caller can also set the kind. If the head shows none, the rules for text of unknown kind apply.

use std::str::FromStr;

use super::rules::enclosure::ends_entity;
use super::rules::sici;
use crate::parse_error::ParseError;

/// The kind of text of a document. It decides which rules apply to the ends of names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextKind {
    /// The kind is not known: the bytes around each name decide.
    #[default]
    Unknown,
    /// A table delimited by commas (RFC 4180): a cell bounds the names in it, as in the other tables.
    Csv,
    /// A table delimited by semicolons.
    Ssv,
    /// A table delimited by tabs.
    Tsv,
    /// A table delimited by `|`.
    Psv,
    /// A web page.
    Html,
    /// A printed page, whose layout broke its lines: a paragraph goes on after a line end, and ends with an empty line.
    /// [`of`](Self::of) never returns this kind.
    Printed,
}

/// The kinds of tables, in the order in which a head is tried.
const TABLES: [TextKind; 4] = [TextKind::Tsv, TextKind::Ssv, TextKind::Csv, TextKind::Psv];

/// Bytes within which a table has its first delimiter.
const MAX_FIRST_RECORD_BYTES: usize = 4 << 10;

impl TextKind {
    /// Bytes of a document's head that [`of`](Self::of) reads.
    pub const HEAD_BYTES: usize = 16 << 10;

    /// Returns the kind of a document that starts with `head`; bytes after the first [`HEAD_BYTES`](Self::HEAD_BYTES) are ignored. `whole`
    /// says that the document ends with `head`. Costs a few passes over `head`.
    pub fn of(head: &[u8], whole: bool) -> TextKind {
        let whole = whole && head.len() <= Self::HEAD_BYTES;
        let head = &head[..head.len().min(Self::HEAD_BYTES)];
        let head = head.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(head);
        if is_html(head) {
            return TextKind::Html;
        }
        if !may_be_table(head) {
            return TextKind::Unknown;
        }
        let columns = |kind: TextKind| {
            let delimiter = kind.delimiter()?;
            Some((kind, TableCounts::read(head, whole, delimiter)))
        };
        // One pass instead of three, since many texts have none of these.
        let first = &head[..head.len().min(MAX_FIRST_RECORD_BYTES)];
        let has_rare = memchr::memchr3(b'\t', b';', b'|', first).is_some();
        if !has_rare && memchr::memchr(b',', head).is_none() {
            return TextKind::Unknown;
        }
        let tables = TABLES.into_iter();
        let shown = tables.filter(|kind| has_rare || *kind == TextKind::Csv);
        let tables = shown
            .filter_map(columns)
            .filter(|(_, columns)| columns.is_table());
        // A delimiter with blanks after it may separate parts of one cell.
        let best = tables.min_by_key(|(_, columns)| columns.is_spaced());
        best.map_or(TextKind::Unknown, |(kind, _)| kind)
    }

    /// Returns the byte between the cells. `None` if it is not a table.
    #[doc(hidden)]
    #[inline]
    pub fn delimiter(self) -> Option<u8> {
        match self {
            TextKind::Csv => Some(b','),
            TextKind::Ssv => Some(b';'),
            TextKind::Tsv => Some(b'\t'),
            TextKind::Psv => Some(b'|'),
            TextKind::Unknown | TextKind::Html | TextKind::Printed => None,
        }
    }
}

impl TextKind {
    /// Every kind.
    pub const ALL: &'static [TextKind] = &[
        TextKind::Unknown,
        TextKind::Csv,
        TextKind::Ssv,
        TextKind::Tsv,
        TextKind::Psv,
        TextKind::Html,
        TextKind::Printed,
    ];

    /// Returns the word for the kind on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TextKind::Unknown => "unknown",
            TextKind::Csv => "csv",
            TextKind::Ssv => "ssv",
            TextKind::Tsv => "tsv",
            TextKind::Psv => "psv",
            TextKind::Html => "html",
            TextKind::Printed => "printed",
        }
    }
}

/// Reads the [name](TextKind::name) of a kind.
impl FromStr for TextKind {
    type Err = ParseError;

    fn from_str(word: &str) -> Result<Self, ParseError> {
        let mut kinds = TextKind::ALL.iter().copied();
        let named = kinds.find(|kind| kind.name() == word);
        let expected = "one of unknown, csv, ssv (semicolons), tsv, psv (pipes), html, printed";
        named.ok_or_else(|| ParseError::new("kind of text", word, expected))
    }
}

/// Whether `head` starts as a page: with a document type or an element that only pages have, perhaps after an XML declaration or
/// a comment.
fn is_html(head: &[u8]) -> bool {
    const MAX_PREAMBLE_BYTES: usize = 1024;
    let head = head.trim_ascii_start();
    if head.first() != Some(&b'<') {
        return false;
    }
    let near = head[..head.len().min(MAX_PREAMBLE_BYTES)].to_ascii_lowercase();
    let starts = |tags: &[&str]| tags.iter().any(|tag| near.starts_with(tag.as_bytes()));
    starts(&["<!doctype html", "<html", "<head>"])
        || starts(&["<?xml", "<!--"]) && memchr::memmem::find(&near, b"<html").is_some()
}

/// Whether `head` may be a table. Markup, JSON, BibTeX, SQL and wikitext have delimiters of their own.
fn may_be_table(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    match head {
        [b'[', rest @ ..] => rest.starts_with(b"\"") || rest.starts_with(b"'"),
        [first, ..] => !matches!(first, b'<' | b'{' | b'@' | b'%' | b'(' | b'\\'),
        [] => false,
    }
}

/// Whether the semicolon of a SICI name, `3.0.CO;2-O`, is at `at`.
fn is_in_sici(text: &[u8], at: usize) -> bool {
    let code = &text[at.saturating_sub(6)..at];
    text.get(at) == Some(&b';') && sici::is_code(code)
}

/// Counts of the records in a head, read as a table with some delimiter.
#[derive(Clone, Copy, Default)]
struct TableCounts {
    /// Records that were read.
    records: usize,
    /// Cells of the first record.
    first: usize,
    /// Records with as many cells as the first.
    alike: usize,
    /// Delimiters outside quotes, and those of them with a blank after them, as in prose.
    delimiters: usize,
    spaced: usize,
    /// Records whose first cell is empty, and records whose last cell is empty.
    empty_first: usize,
    empty_last: usize,
    /// Records that start as lists of SQL do.
    sql: usize,
    /// Delimiters between two digits, as in numbers and in names, but not before a name, and semicolons of SICI names.
    numeric: usize,
    broken: bool,
}

impl TableCounts {
    fn read(head: &[u8], whole: bool, delimiter: u8) -> TableCounts {
        let mut columns = TableCounts::default();
        let mut rest = head;
        while !rest.is_empty() && columns.may_be_table() {
            let mut more = columns;
            let Some((cells, next)) = more.record(rest, whole, delimiter) else {
                break;
            };
            let line = &rest[..rest.len() - next.len()];
            if cells > 1 || !line.trim_ascii().is_empty() {
                columns = more;
            }
            rest = next;
        }
        columns
    }

    /// Reads the record that `text` starts with. Returns the number of its cells and the text after its line end; `None` if it is
    /// cut off.
    fn record<'t>(
        &mut self,
        text: &'t [u8],
        whole: bool,
        delimiter: u8,
    ) -> Option<(usize, &'t [u8])> {
        let (mut at, mut cells) = (0, 0);
        loop {
            let start = at;
            at = self.cell(text, at, delimiter)?;
            if is_in_sici(text, at) {
                self.numeric += 1;
                at += 1;
                continue;
            }
            cells += 1;
            let is_empty = usize::from(at == start);
            if cells == 1 {
                self.empty_first += is_empty;
            }
            if text.get(at) != Some(&delimiter) {
                self.empty_last += is_empty;
                break;
            }
            self.delimiter(text, at);
            at += 1;
        }
        if self.records == 0 {
            self.first = cells;
        }
        self.records += 1;
        self.alike += usize::from(cells == self.first);
        self.sql += usize::from(text.starts_with(b"(") || text.starts_with(b"INSERT"));
        let next = text.get(at + 1..);
        (next.is_some() || whole).then_some((cells, next.unwrap_or_default()))
    }

    /// Whether the head can still turn out to be a table. The first records decide, so that documents of other kinds cost little.
    fn may_be_table(&self) -> bool {
        const FIRST_RECORDS: usize = 4;
        let may = self.records < FIRST_RECORDS || self.alike * 2 > self.records;
        !self.broken && may && (self.records == 0 || self.first > 1)
    }

    /// Whether most delimiters have a blank after them.
    fn is_spaced(&self) -> bool {
        self.spaced * 2 > self.delimiters
    }

    /// Whether there are at least two records of at least two cells each, nearly all with the same number of cells, and nothing
    /// that only prose, code or a list of fields has. A single record needs more cells. If blanks follow most delimiters, more
    /// records are needed.
    fn is_table(&self) -> bool {
        if self.records == 0 {
            return false;
        }
        let min = if self.records > 1 { 2 } else { 3 };
        let without_first = usize::from(self.empty_first == self.records);
        let without_last = usize::from(self.empty_last == self.records);
        let trivial = without_first + without_last > 0;
        let filled = self.first.saturating_sub(without_first + without_last);
        let blanks = !self.is_spaced() || self.records >= 5;
        self.first >= min
            && (!trivial || filled >= 3)
            && self.alike * 10 > self.records * 9
            && blanks
            && self.sql * 2 <= self.records
            && !self.broken
            && (self.records > 1 || self.numeric == 0)
    }

    /// Reads the cell at `at`. Returns its end, which is at a delimiter, a line end or the end of the text; `None` if a quoted
    /// cell does not end.
    fn cell(&mut self, text: &[u8], at: usize, delimiter: u8) -> Option<usize> {
        let ends = |byte: u8| byte == delimiter || byte == b'\n';
        let end = |at: usize| {
            let found = memchr::memchr2(delimiter, b'\n', &text[at..]);
            found.map_or(text.len(), |len| at + len)
        };
        if text.get(at) != Some(&b'"') {
            return Some(end(at));
        }
        let mut at = at + 1;
        loop {
            at += memchr::memchr(b'"', &text[at..])? + 1;
            match text.get(at) {
                Some(b'"') => at += 1,
                Some(b'\r') if text.get(at + 1) == Some(&b'\n') => return Some(at + 1),
                Some(byte) if !ends(*byte) => {
                    self.broken = true;
                    return Some(end(at));
                }
                _ => return Some(at),
            }
        }
    }

    fn delimiter(&mut self, text: &[u8], at: usize) {
        let after = text.get(at + 1);
        self.delimiters += 1;
        self.spaced += usize::from(after == Some(&b' '));
        self.broken |= text[at] == b';' && ends_entity(&text[..=at]);
        let before = at.checked_sub(1).map(|before| &text[before]);
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        let starts_name = text[at + 1..].starts_with(b"10.");
        self.numeric += usize::from(is_digit(before) && is_digit(after) && !starts_name);
    }
}
