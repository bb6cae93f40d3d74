//! The header of a message or a part: the fields that say what its body is.

use encoding_rs::Encoding;

use super::body::Coding;

/// Fields with which messages start, in lower case. Of the first ones, a message has at least one.
const KNOWN: [&[u8]; 38] = [
    b"from",
    b"to",
    b"subject",
    b"message-id",
    b"received",
    b"return-path",
    b"delivered-to",
    b"mime-version",
    b"newsgroups",
    b"date",
    b"cc",
    b"bcc",
    b"sender",
    b"reply-to",
    b"in-reply-to",
    b"references",
    b"content-type",
    b"content-transfer-encoding",
    b"content-disposition",
    b"content-language",
    b"snapshot-content-location",
    b"user-agent",
    b"path",
    b"organization",
    b"xref",
    b"lines",
    b"status",
    b"importance",
    b"thread-topic",
    b"thread-index",
    b"dkim-signature",
    b"domainkey-signature",
    b"authentication-results",
    b"received-spf",
    b"envelope-to",
    b"errors-to",
    b"precedence",
    b"list-id",
];
/// Number of fields at the start of [`KNOWN`] that show a message.
const STRONG: usize = 9;
/// Known fields, or fields that start with `X-`, `ARC-` or `List-`, that a message has.
const LEAST: usize = 3;

/// What a body is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Content {
    #[default]
    Text,
    /// A web page.
    Web,
    /// Parts with this boundary between them.
    Parts(Vec<u8>),
    /// Another message.
    Message,
    /// A file of any kind.
    Attached,
}

/// A header, and what its fields say.
#[derive(Default)]
pub(super) struct PartHeader {
    /// All bytes, with the empty line after it.
    pub(super) text: Vec<u8>,
    pub(super) content: Content,
    pub(super) coding: Coding,
    /// The encoding of a text, if it must be converted.
    pub(super) charset: Option<&'static Encoding>,
    pub(super) file_name: Option<String>,
}

impl PartHeader {
    /// Whether a line belongs to the header after the lines so far.
    pub(super) fn continues_with(&self, line: &[u8]) -> bool {
        let is_folded = matches!(line, [b' ' | b'\t', ..]) && !self.text.is_empty();
        is_folded || is_field(line)
    }

    /// The header of a part, followed by that of the message in it.
    pub(super) fn followed_by(self, within: PartHeader) -> PartHeader {
        PartHeader {
            text: [self.text, within.text].concat(),
            ..within
        }
    }

    /// Reads the fields.
    pub(super) fn read_fields(&mut self) {
        let (mut kind, mut disposition) = (FieldValue::default(), FieldValue::default());
        for (name, value) in fields(&self.text) {
            match &name[..] {
                b"content-type" => kind = FieldValue::of(&value),
                b"content-disposition" => disposition = FieldValue::of(&value),
                b"content-transfer-encoding" => self.coding = Coding::of(&value),
                _ => {}
            }
        }
        self.file_name = disposition
            .text("filename")
            .or_else(|| kind.text("name"))
            .filter(|name| !name.is_empty());
        self.content = self.content_of(&kind, &disposition);
        let charset = kind.text("charset");
        let charset = charset.and_then(|label| Encoding::for_label(label.as_bytes()));
        self.charset = charset.filter(|charset| {
            // Decoders of unknown encodings give no text.
            *charset != encoding_rs::UTF_8 && *charset != encoding_rs::REPLACEMENT
        });
    }

    fn content_of(&self, kind: &FieldValue, disposition: &FieldValue) -> Content {
        let is_file = self.file_name.is_some() || disposition.main == "attachment";
        match &kind.main[..] {
            main if main.starts_with("multipart/") => match kind.parameter("boundary") {
                Some(boundary) if !boundary.is_empty() => Content::Parts(boundary.to_owned()),
                _ => Content::Text,
            },
            "message/rfc822" | "message/global" | "message/news" => Content::Message,
            _ if is_file => Content::Attached,
            "text/html" | "application/xhtml+xml" => Content::Web,
            "" => Content::Text,
            main if main.starts_with("text/") || main.starts_with("message/") => Content::Text,
            // A type without a slash is wrong.
            main if !main.contains('/') => Content::Text,
            _ => Content::Attached,
        }
    }
}

/// The fields of a header: names in lower case, and values as one line.
fn fields(header: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut fields: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for line in header.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match fields.last_mut() {
            Some((_, value)) if matches!(line, [b' ' | b'\t', ..]) => value.extend_from_slice(line),
            _ => {
                if is_field(line)
                    && let Some(colon) = memchr::memchr(b':', line)
                {
                    let name = line[..colon].trim_ascii().to_ascii_lowercase();
                    fields.push((name, line[colon + 1..].to_owned()));
                }
            }
        }
    }
    fields
}

/// The value of a field with parameters.
#[derive(Default)]
struct FieldValue {
    /// What comes before the parameters, in lower case.
    main: String,
    /// Names in lower case, and values.
    parameters: Vec<(String, Vec<u8>)>,
}

impl FieldValue {
    fn of(value: &[u8]) -> Self {
        let mut pieces = pieces(value).into_iter();
        let main = pieces.next().unwrap_or_default();
        let parameter = |piece: Vec<u8>| {
            let equals = memchr::memchr(b'=', &piece)?;
            let name = String::from_utf8_lossy(piece[..equals].trim_ascii());
            Some((name.to_ascii_lowercase(), unquoted(&piece[equals + 1..])))
        };
        FieldValue {
            main: String::from_utf8_lossy(main.trim_ascii()).to_ascii_lowercase(),
            parameters: pieces.filter_map(parameter).collect(),
        }
    }

    fn parameter(&self, name: &str) -> Option<&[u8]> {
        let found = self.parameters.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| &value[..])
    }

    /// A parameter as text, which may be encoded as RFC 2231 says.
    fn text(&self, name: &str) -> Option<String> {
        if let Some(plain) = self.parameter(name) {
            return Some(String::from_utf8_lossy(plain).into_owned());
        }
        let encoded = self.parameter(&format!("{name}*"))?;
        let value = encoded.splitn(3, |byte| *byte == b'\'').last()?;
        Some(String::from_utf8_lossy(&without_percents(value)).into_owned())
    }
}

/// The pieces of a value between semicolons that are not in quotes.
fn pieces(value: &[u8]) -> Vec<Vec<u8>> {
    let mut pieces = vec![Vec::new()];
    let (mut is_quoted, mut is_escaped) = (false, false);
    for byte in value {
        match byte {
            b';' if !is_quoted => {
                pieces.push(Vec::new());
                continue;
            }
            b'"' if !is_escaped => is_quoted = !is_quoted,
            _ => {}
        }
        is_escaped = is_quoted && *byte == b'\\' && !is_escaped;
        if let Some(piece) = pieces.last_mut() {
            piece.push(*byte);
        }
    }
    pieces
}

/// A value without its quotes.
fn unquoted(value: &[u8]) -> Vec<u8> {
    let value = value.trim_ascii();
    let Some(quoted) = value.strip_prefix(b"\"") else {
        return value.to_owned();
    };
    let mut out = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => out.extend(bytes.next()),
            other => out.push(*other),
        }
    }
    out
}

fn without_percents(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        match escaped.and_then(hex) {
            Some(byte) => {
                out.push(byte);
                rest = &after[2..];
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

/// The value of two hexadecimal digits.
pub(super) fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match digits {
        [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
        _ => None,
    }
}

pub(super) fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Whether `line` starts with the name of a field.
pub(super) fn is_field(line: &[u8]) -> bool {
    /// Length of a name; none is longer.
    const NAME: usize = 100;
    let name = line.iter().position(|byte| !is_of_name(*byte));
    name.is_some_and(|end| (1..NAME).contains(&end) && line[end] == b':')
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Whether this is the line of an mbox before a message: `From `, and an address or a time.
pub(super) fn is_from_line(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else {
        return false;
    };
    let is_time = |part: &[u8]| match part {
        [a, b, b':', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    let mut parts = rest.split(|byte| byte.is_ascii_whitespace());
    parts
        .next()
        .is_some_and(|sender| sender.contains(&b'@') || !sender.is_empty())
        && (rest.contains(&b'@') || rest.windows(5).any(is_time))
}

/// Whether a stream that starts with `start` is a message, or an mbox: all lines are fields, as far as the header goes, and
/// enough of them are such as messages have.
pub(in crate::input) fn starts_mail(start: &[u8]) -> bool {
    let first = memchr::memchr(b'\n', start).map_or(start, |end| &start[..=end]);
    let is_mbox = is_from_line(first);
    let header = if is_mbox {
        &start[first.len()..]
    } else {
        start
    };
    // Nearly all texts end here.
    if !is_known(&header[..header.len().min(LONGEST_NAME)]).0 {
        return false;
    }
    let (mut known, mut strong) = (0, 0);
    let mut lines = header.split_inclusive(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        if is_blank(line) {
            break;
        }
        let is_cut = lines.peek().is_none() && !line.ends_with(b"\n");
        let is_folded = matches!(line, [b' ' | b'\t', ..]) && known > 0;
        if !is_field(line) && !is_folded {
            if is_cut {
                break;
            }
            return false;
        }
        let (is_known, is_strong) = is_known(line);
        known += usize::from(is_known && !is_folded);
        strong += usize::from(is_strong && !is_folded);
        if known == 0 {
            return false;
        }
    }
    known >= LEAST - usize::from(is_mbox) && strong > 0
}

/// More bytes than the longest name of a field that messages have.
const LONGEST_NAME: usize = 64;

/// Whether a field is one of messages, and whether it is one that shows a message.
fn is_known(line: &[u8]) -> (bool, bool) {
    let end = memchr::memchr(b':', line).unwrap_or(0);
    let name = &line[..end];
    let listed = KNOWN
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name));
    let starts = |with: &[u8]| {
        name.get(..with.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(with))
    };
    let is_own = starts(b"X-") || starts(b"ARC-") || starts(b"List-");
    (
        listed.is_some() || is_own,
        listed.is_some_and(|at| at < STRONG),
    )
}
