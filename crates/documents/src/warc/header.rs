//! Parses headers of WARC records at a known offset, and searches for them.
//!
//! Follows ISO 28500, for all versions from 0.17. Names are read in any case, lines may be folded, and LF is accepted instead
//! of CRLF.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};

use crate::documents::WarcRecord;
use crate::name::escaped;

/// The first bytes of a record.
const MAGIC: &[u8] = b"WARC/";
/// The field of a segment of a record.
const SEGMENT_FIELD: &[u8] = b"WARC-Segment-Number";
/// Maximum length of a header's first line, in bytes.
const MAX_VERSION_BYTES: usize = 32;
/// Maximum length of a header, in bytes. The target in it may be a long `data:` URL.
const MAX_HEADER_BYTES: usize = 256 << 10;
/// Maximum length in bytes of an ID or a date that is reported, since each mention repeats it.
const MAX_REPORTED_BYTES: usize = 256;
/// Bytes in which something like a header is searched for.
const SEARCHED_BYTES: usize = 4 << 10;

/// The fields of a header that are needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WarcHeader {
    /// Its length in bytes, including the empty line after it.
    pub(super) size: usize,
    pub(super) kind: Option<RecordKind>,
    /// `None` if it is missing or not a number.
    pub(super) length: Option<u64>,
    /// Whether the Content-Type is that of HTTP messages.
    http: Option<bool>,
    /// The range of the WARC-Target-URI, including folds.
    target: Range<usize>,
    /// Whether it has a Content-Length or a WARC-Record-ID.
    marked: bool,
    /// The range of the WARC-Record-ID.
    id: Range<usize>,
    /// The range of the WARC-Date.
    date: Range<usize>,
    /// The range of the WARC-Segment-Origin-ID.
    origin: Range<usize>,
    /// The WARC-Segment-Number.
    pub(super) segment: Option<u64>,
    /// Whether it has a WARC-Segment-Total-Length, so that no segment follows.
    pub(super) is_last: bool,
}

/// The type of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// `response`.
    Response,
    /// `resource`, `conversion` or `metadata`.
    Other,
    /// `continuation`.
    Continuation,
    /// `warcinfo`.
    Info,
    /// Any other.
    Passed,
}

/// The result of parsing a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParsedHeader {
    Header(WarcHeader),
    /// More bytes are needed to decide.
    More,
    /// A header that is cut off at the end of the bytes.
    Cut,
    /// Not a header. No header starts in this many bytes.
    Not(usize),
}

/// The result of a search for a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FoundRecord {
    At(usize),
    /// No record starts before this position.
    NotBefore(usize),
}

/// Parses the header at the start of `bytes`. `last` says that the file ends with them. Takes time linear in the header.
pub(super) fn parse(bytes: &[u8], last: bool) -> ParsedHeader {
    let mut lines = HeaderLines { bytes, at: 0 };
    if let Err(parsed) = version(&mut lines, last) {
        return parsed;
    }
    let mut header = WarcHeader::default();
    let mut field = 0..0;
    while let Some(line) = lines.next() {
        match bytes[line.clone()].first() {
            Some(_) if lines.at > MAX_HEADER_BYTES => return ParsedHeader::Not(line.start),
            Some(b' ' | b'\t') => field.end = line.end,
            Some(_) if !is_field(&bytes[line.clone()]) => return ParsedHeader::Not(line.start),
            first => {
                header.take(bytes, field);
                field = line;
                if first.is_none() {
                    header.size = lines.at;
                    return ParsedHeader::Header(header);
                }
            }
        }
    }
    if last {
        ParsedHeader::Cut
    } else if bytes.len() > MAX_HEADER_BYTES {
        ParsedHeader::Not(lines.at)
    } else {
        ParsedHeader::More
    }
}

/// Parses the first line. Returns the result as the error if it is not a version line.
fn version(lines: &mut HeaderLines<'_>, last: bool) -> Result<(), ParsedHeader> {
    let bytes = lines.bytes;
    let magic = MAGIC.len().min(bytes.len());
    // Limited, so that a line with many starts is not read completely for each of them.
    lines.bytes = &bytes[..bytes.len().min(MAX_VERSION_BYTES)];
    let line = lines.next();
    lines.bytes = bytes;
    match line {
        Some(line) if is_version(&bytes[line.clone()]) => Ok(()),
        None if bytes.len() < MAX_VERSION_BYTES && bytes[..magic] == MAGIC[..magic] => {
            Err(if last {
                ParsedHeader::Cut
            } else {
                ParsedHeader::More
            })
        }
        _ => Err(ParsedHeader::Not(magic)),
    }
}

/// Returns the first certain start of a record. `last` says that the file ends with `bytes`.
///
/// Takes time linear in the bytes: if a header is invalid at a line or lacks a field, so does every header that starts
/// between its start and that line.
pub(super) fn find(bytes: &[u8], last: bool) -> FoundRecord {
    let magic = memmem::Finder::new(MAGIC);
    let mut from = 0;
    while let Some(at) = magic.find(&bytes[from..]) {
        from += at;
        from += match parse(&bytes[from..], last) {
            ParsedHeader::Header(header) if header.is_plausible() => return FoundRecord::At(from),
            ParsedHeader::Header(header) => header.size,
            ParsedHeader::Not(length) => length,
            ParsedHeader::More => return FoundRecord::NotBefore(from),
            ParsedHeader::Cut => break,
        };
    }
    let partial = if last { 0 } else { MAGIC.len() - 1 };
    FoundRecord::NotBefore(
        from.max(bytes.len().saturating_sub(partial))
            .min(bytes.len()),
    )
}

/// Returns the first position after an empty line where a record may start. `first` says that `bytes` follow an empty line.
pub(super) fn find_after_empty_line(bytes: &[u8], first: bool) -> Option<usize> {
    memmem::find_iter(bytes, MAGIC).find(|at| match &bytes[..*at] {
        [] => first,
        before => before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n"),
    })
}

/// Whether `bytes` start with something that resembles a header.
pub(super) fn resembles(bytes: &[u8]) -> bool {
    let seen = &bytes[..bytes.len().min(SEARCHED_BYTES)];
    let mut lines = seen
        .split(|byte| *byte == b'\n')
        .take_while(|line| !line.is_empty() && *line != b"\r");
    MAGIC.starts_with(seen)
        || lines.any(|line| {
            line.starts_with(MAGIC)
                || line.len() > MAGIC.len() && line[..5].eq_ignore_ascii_case(b"WARC-")
        })
}

impl WarcHeader {
    /// Whether it has the fields that every record needs.
    pub(super) fn is_plausible(&self) -> bool {
        self.kind.is_some() && self.marked
    }

    /// Whether the record's type makes its content a document.
    pub(super) fn is_document(&self) -> bool {
        matches!(self.kind, Some(RecordKind::Response | RecordKind::Other))
    }

    /// Whether the content may be an HTTP message. A response without a type may be one.
    pub(super) fn is_http(&self) -> bool {
        self.http.unwrap_or(self.kind == Some(RecordKind::Response))
    }

    /// Returns the record's WARC-Target-URI, from `bytes` that start with the header; empty if it has none.
    pub(super) fn target<'b>(&self, bytes: &'b [u8]) -> Cow<'b, str> {
        text(unbracketed(bytes, &self.target))
    }

    /// Returns the ID and date that are reported of the record, from `bytes` that start with the header.
    pub(super) fn record(&self, bytes: &[u8]) -> WarcRecord {
        let value = |range| {
            let value = unbracketed(bytes, range);
            let fits = (1..=MAX_REPORTED_BYTES).contains(&value.len());
            fits.then(|| text(value).into_owned())
        };
        WarcRecord {
            id: value(&self.id),
            date: value(&self.date),
        }
    }

    /// Returns the WARC-Record-ID, from `bytes` that start with the header; empty if it has none.
    pub(super) fn id<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        unbracketed(bytes, &self.id)
    }

    /// Returns the WARC-Record-ID of the first segment, from `bytes` that start with the header; empty if it has none.
    pub(super) fn origin<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        unbracketed(bytes, &self.origin)
    }

    /// Stores the value of a field. If a name is repeated, the first value is kept.
    fn take(&mut self, bytes: &[u8], field: Range<usize>) {
        let Some(colon) = memchr(b':', &bytes[field.clone()]) else {
            return;
        };
        let name = bytes[field.start..field.start + colon].trim_ascii_end();
        let value = trimmed(bytes, field.start + colon + 1..field.end);
        let text = &bytes[value.clone()];
        match name.len() {
            9 if name.eq_ignore_ascii_case(b"WARC-Type") && self.kind.is_none() => {
                self.kind = kind(text);
            }
            9 if name.eq_ignore_ascii_case(b"WARC-Date") && self.date.is_empty() => {
                self.date = value;
            }
            12 if name.eq_ignore_ascii_case(b"Content-Type") => {
                self.http = self.http.or_else(|| Some(is_http(text)));
            }
            14 if name.eq_ignore_ascii_case(b"Content-Length") => {
                self.length = self.length.or_else(|| number(text));
                self.marked = true;
            }
            14 if name.eq_ignore_ascii_case(b"WARC-Record-ID") && self.id.is_empty() => {
                self.id = value;
                self.marked = true;
            }
            15 if name.eq_ignore_ascii_case(b"WARC-Target-URI") && self.target.is_empty() => {
                self.target = value;
            }
            _ if name.len() >= SEGMENT_FIELD.len() => self.take_segment(name, text, &value),
            _ => {}
        }
    }

    /// Stores a field of a record that was cut into segments.
    fn take_segment(&mut self, name: &[u8], text: &[u8], value: &Range<usize>) {
        match name.len() {
            19 if name.eq_ignore_ascii_case(SEGMENT_FIELD) && self.segment.is_none() => {
                self.segment = number(text);
            }
            22 if name.eq_ignore_ascii_case(b"WARC-Segment-Origin-ID")
                && self.origin.is_empty() =>
            {
                self.origin = value.clone();
            }
            25 if name.eq_ignore_ascii_case(b"WARC-Segment-Total-Length") => self.is_last = true,
            _ => {}
        }
    }
}

/// Returns a value as text, in one line.
fn text(value: &[u8]) -> Cow<'_, str> {
    let text = match str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(escaped(value)),
    };
    match memchr(b'\n', value) {
        None => text,
        Some(_) => unfolded(&text).into(),
    }
}

/// Returns the value at `range` of `bytes`, without angle brackets around it.
fn unbracketed<'b>(bytes: &'b [u8], range: &Range<usize>) -> &'b [u8] {
    let value = bytes.get(range.clone()).unwrap_or_default();
    value
        .strip_prefix(b"<")
        .and_then(|value| value.strip_suffix(b">"))
        .unwrap_or(value)
}

/// Iterates over complete lines, as ranges without their ends.
struct HeaderLines<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl HeaderLines<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let length = memchr(b'\n', &self.bytes[start..])?;
        self.at = start + length + 1;
        let line = &self.bytes[start..start + length];
        let length = line.strip_suffix(b"\r").unwrap_or(line).len();
        Some(start..start + length)
    }
}

/// Whether a line is `WARC/`, digits, a dot and digits.
fn is_version(line: &[u8]) -> bool {
    let Some(version) = line.strip_prefix(MAGIC) else {
        return false;
    };
    let mut parts = version.trim_ascii_end().split(|byte| *byte == b'.');
    let digits = |part: Option<&[u8]>| {
        part.is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
    };
    digits(parts.next()) && digits(parts.next()) && parts.next().is_none()
}

/// Whether a line is a printable name and a colon. A name has no slash, so the first line of a record is not a field.
fn is_field(line: &[u8]) -> bool {
    let name = line
        .iter()
        .position(|byte| !matches!(byte, b' '..=b'.' | b'0'..=b'9' | b';'..=b'~'));
    name.is_some_and(|end| end > 0 && line[end] == b':')
}

/// Parses the type of a record. Returns `None` if the value differs in one byte from a known type, so that it is probably
/// damaged. Other unknown types are ignored, as ISO 28500 requires.
fn kind(value: &[u8]) -> Option<RecordKind> {
    use RecordKind::{Continuation, Info, Other, Passed, Response};
    const TYPES: [(&str, RecordKind); 8] = [
        ("response", Response),
        ("resource", Other),
        ("conversion", Other),
        ("metadata", Other),
        ("request", Passed),
        ("warcinfo", Info),
        ("revisit", Passed),
        ("continuation", Continuation),
    ];
    let near = TYPES
        .iter()
        .map(|(known, kind)| (wrong(value, known), *kind));
    match near.min_by_key(|near| near.0) {
        Some((0, kind)) => Some(kind),
        Some((1, _)) => None,
        _ => Some(Passed),
    }
}

/// Whether `value` is the media type of HTTP messages. One byte may be damaged.
fn is_http(value: &[u8]) -> bool {
    let kind = value.split(|byte| *byte == b';').next().unwrap_or_default();
    wrong(kind.trim_ascii(), "application/http") <= 1
}

/// Returns the number of bytes in which `value` differs from `known`, ignoring case.
fn wrong(value: &[u8], known: &str) -> usize {
    let pairs = value.iter().zip(known.as_bytes());
    let wrong = pairs.filter(|(a, b)| !a.eq_ignore_ascii_case(b)).count();
    wrong + value.len().abs_diff(known.len())
}

/// Parses a decimal number that fits a u64.
fn number(value: &[u8]) -> Option<u64> {
    let digits = str::from_utf8(value).ok()?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let value = bytes[range.clone()].trim_ascii_start();
    let start = range.end - value.len();
    start..start + value.trim_ascii_end().len()
}

/// Replaces each line end, with the blanks around it, by one blank.
fn unfolded(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join(" ")
}
