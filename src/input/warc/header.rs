//! Headers of WARC records: read at a known offset, or searched for.
//!
//! As ISO 28500 has them, for all versions from 0.17: names in any case, lines folded, and LF as good as CRLF.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};

use crate::input::name::escaped;

/// What a record starts with.
const MAGIC: &[u8] = b"WARC/";
/// The field that a segment of a record has.
const SEGMENT: &[u8] = b"WARC-Segment-Number";
/// Bytes that a header's first line may have.
const VERSION: usize = 32;
/// Bytes that a header may have; a web address in it may be a whole `data:` URL.
const MOST: usize = 256 << 10;
/// Bytes that are looked through for what resembles a header.
const RESEMBLING: usize = 4 << 10;

/// What concerns us of a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// Its bytes, the empty line after it included.
    pub(super) size: usize,
    pub(super) kind: Option<Kind>,
    /// None if it is missing or no number.
    pub(super) length: Option<u64>,
    /// Whether the Content-Type is that of HTTP messages.
    http: Option<bool>,
    /// The range of the WARC-Target-URI, folds included.
    target: Range<usize>,
    /// It names a Content-Length or a WARC-Record-ID.
    marked: bool,
    /// Where the WARC-Record-ID is.
    id: Range<usize>,
    /// Where the WARC-Segment-Origin-ID is.
    origin: Range<usize>,
    /// The WARC-Segment-Number.
    pub(super) segment: Option<u64>,
    /// It has a WARC-Segment-Total-Length: no segment follows.
    pub(super) is_last: bool,
}

/// What a record's type makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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

/// What the bytes are where a header may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    Header(Header),
    /// More bytes are needed to decide.
    More,
    /// A header that breaks off where the bytes end.
    Cut,
    /// No header. The bytes so far were looked through: none of them starts one.
    Not(usize),
}

/// Where a record surely starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    At(usize),
    /// Not before this place, as far as the bytes show.
    NotBefore(usize),
}

/// Reads the header that `bytes` start with; nothing follows them if they are `last`. Takes time linear in the header.
pub(super) fn parse(bytes: &[u8], last: bool) -> Parsed {
    let mut lines = Lines { bytes, at: 0 };
    if let Err(parsed) = version(&mut lines, last) {
        return parsed;
    }
    let mut header = Header::default();
    let mut field = 0..0;
    while let Some(line) = lines.next() {
        match bytes[line.clone()].first() {
            Some(_) if lines.at > MOST => return Parsed::Not(line.start),
            Some(b' ' | b'\t') => field.end = line.end,
            Some(_) if !is_field(&bytes[line.clone()]) => return Parsed::Not(line.start),
            first => {
                header.take(bytes, field);
                field = line;
                if first.is_none() {
                    header.size = lines.at;
                    return Parsed::Header(header);
                }
            }
        }
    }
    match last {
        true => Parsed::Cut,
        false if bytes.len() > MOST => Parsed::Not(lines.at),
        false => Parsed::More,
    }
}

/// Reads the first line; else what to make of the bytes.
fn version(lines: &mut Lines<'_>, last: bool) -> Result<(), Parsed> {
    let bytes = lines.bytes;
    let magic = MAGIC.len().min(bytes.len());
    // Not further, so that a line of many starts is not looked through for each.
    lines.bytes = &bytes[..bytes.len().min(VERSION)];
    let line = lines.next();
    lines.bytes = bytes;
    match line {
        Some(line) if is_version(&bytes[line.clone()]) => Ok(()),
        None if bytes.len() < VERSION && bytes[..magic] == MAGIC[..magic] => Err(match last {
            true => Parsed::Cut,
            false => Parsed::More,
        }),
        _ => Err(Parsed::Not(magic)),
    }
}

/// The first sure start of a record; nothing follows `bytes` if they are `last`.
///
/// Takes time linear in the bytes, whatever they are: where a header fails at a line or has not what it needs, neither has
/// any that starts between its start and that line.
pub(super) fn find(bytes: &[u8], last: bool) -> Found {
    let magic = memmem::Finder::new(MAGIC);
    let mut from = 0;
    while let Some(at) = magic.find(&bytes[from..]) {
        from += at;
        from += match parse(&bytes[from..], last) {
            Parsed::Header(header) if header.is_plausible() => return Found::At(from),
            Parsed::Header(header) => header.size,
            Parsed::Not(length) => length,
            Parsed::More => return Found::NotBefore(from),
            Parsed::Cut => break,
        };
    }
    let partial = if last { 0 } else { MAGIC.len() - 1 };
    Found::NotBefore(
        from.max(bytes.len().saturating_sub(partial))
            .min(bytes.len()),
    )
}

/// The first place after an empty line where a record may start; with `first`, `bytes` follow one.
pub(super) fn find_after_empty_line(bytes: &[u8], first: bool) -> Option<usize> {
    memmem::find_iter(bytes, MAGIC).find(|at| match &bytes[..*at] {
        [] => first,
        before => before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n"),
    })
}

/// Whether what `bytes` start with has something of a header, whatever else is wrong with it.
pub(super) fn resembles(bytes: &[u8]) -> bool {
    let seen = &bytes[..bytes.len().min(RESEMBLING)];
    let mut lines = seen
        .split(|byte| *byte == b'\n')
        .take_while(|line| !line.is_empty() && *line != b"\r");
    MAGIC.starts_with(seen)
        || lines.any(|line| {
            line.starts_with(MAGIC)
                || line.len() > MAGIC.len() && line[..5].eq_ignore_ascii_case(b"WARC-")
        })
}

impl Header {
    /// Whether it has what a record's header cannot be without.
    pub(super) fn is_plausible(&self) -> bool {
        self.kind.is_some() && self.marked
    }

    /// Whether the record's type makes its content a document.
    pub(super) fn is_document(&self) -> bool {
        matches!(self.kind, Some(Kind::Response | Kind::Other))
    }

    /// Whether the content is an HTTP message, if it is one: a response of no stated type may well be.
    pub(super) fn is_http(&self) -> bool {
        self.http.unwrap_or(self.kind == Some(Kind::Response))
    }

    /// The record's WARC-Target-URI, from `bytes` that start with the header; empty if it has none.
    pub(super) fn target<'b>(&self, bytes: &'b [u8]) -> Cow<'b, str> {
        let value = unbracketed(bytes, &self.target);
        let text = match str::from_utf8(value) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(escaped(value)),
        };
        match memchr(b'\n', value) {
            None => text,
            Some(_) => unfolded(&text).into(),
        }
    }

    /// The WARC-Record-ID, from `bytes` that start with the header; empty if it has none.
    pub(super) fn id<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        unbracketed(bytes, &self.id)
    }

    /// The WARC-Record-ID of the first segment, from `bytes` that start with the header; empty if it has none.
    pub(super) fn origin<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        unbracketed(bytes, &self.origin)
    }

    /// Takes the value of a field; of two with the same name, the first.
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
            _ if name.len() >= SEGMENT.len() => self.take_segment(name, text, &value),
            _ => {}
        }
    }

    /// Takes a field of a record that was cut into segments.
    fn take_segment(&mut self, name: &[u8], text: &[u8], value: &Range<usize>) {
        match name.len() {
            19 if name.eq_ignore_ascii_case(SEGMENT) && self.segment.is_none() => {
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

/// The value at `range` of `bytes`, without angle brackets around it.
fn unbracketed<'b>(bytes: &'b [u8], range: &Range<usize>) -> &'b [u8] {
    let value = bytes.get(range.clone()).unwrap_or_default();
    value
        .strip_prefix(b"<")
        .and_then(|value| value.strip_suffix(b">"))
        .unwrap_or(value)
}

/// Lines that have an end, as ranges without it.
struct Lines<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let length = memchr(b'\n', &self.bytes[start..])?;
        self.at = start + length + 1;
        let line = &self.bytes[start..start + length];
        let length = line.strip_suffix(b"\r").unwrap_or(line).len();
        Some(start..start + length)
    }
}

/// `WARC/`, digits, a dot and digits.
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

/// A printable name and a colon. No name has a slash, so no record's first line is a field of another.
fn is_field(line: &[u8]) -> bool {
    let name = line
        .iter()
        .position(|byte| !matches!(byte, b' '..=b'.' | b'0'..=b'9' | b';'..=b'~'));
    name.is_some_and(|end| end > 0 && line[end] == b':')
}

/// What a type makes of its record. None for one that is none, but with another byte would be: it is damaged. All else that
/// ISO 28500 does not name is passed over, as it asks for.
fn kind(value: &[u8]) -> Option<Kind> {
    use Kind::{Continuation, Info, Other, Passed, Response};
    const TYPES: [(&str, Kind); 8] = [
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

/// Whether that is the media type, but for one byte: a field that says so cannot be that of another type.
fn is_http(value: &[u8]) -> bool {
    let kind = value.split(|byte| *byte == b';').next().unwrap_or_default();
    wrong(kind.trim_ascii(), "application/http") <= 1
}

/// How many bytes of `value` are others than those of `known`, in any case.
fn wrong(value: &[u8], known: &str) -> usize {
    let pairs = value.iter().zip(known.as_bytes());
    let wrong = pairs.filter(|(a, b)| !a.eq_ignore_ascii_case(b)).count();
    wrong + value.len().abs_diff(known.len())
}

/// Decimal digits that fit.
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

/// Each line end with the blanks around it is one blank.
fn unfolded(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join(" ")
}
