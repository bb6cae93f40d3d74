//! Recognises a mail by its header: all lines are fields, with names and values that messages have.

use memchr::memchr;

pub(crate) const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// Fields of messages, in lower case. Some of them occur in other texts too.
const KNOWN_FIELDS: [&[u8]; 47] = [
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
    b"content-length",
    b"content-description",
    b"content-id",
    b"snapshot-content-location",
    b"user-agent",
    b"path",
    b"organization",
    b"xref",
    b"lines",
    b"status",
    b"importance",
    b"priority",
    b"comments",
    b"keywords",
    b"thread-topic",
    b"thread-index",
    b"dkim-signature",
    b"domainkey-signature",
    b"authentication-results",
    b"received-spf",
    b"envelope-to",
    b"delivery-date",
    b"errors-to",
    b"precedence",
    b"auto-submitted",
    b"mailing-list",
    b"nntp-posting-host",
];
/// Starts of names that only fields of messages have.
const FIELD_PREFIXES: [&[u8]; 5] = [
    b"x-",
    b"arc-",
    b"list-",
    b"resent-",
    b"disposition-notification",
];
/// Number of fields at the start of [`KNOWN_FIELDS`] that show a message.
const STRONG_FIELDS: usize = 9;
/// Minimum number of known fields of a message whose values are not checked.
const MIN_KNOWN_FIELDS: usize = 3;
/// Minimum number of fields with values that show a message.
const MIN_PROOFS: usize = 2;
/// Fields that show a message and that HTTP has too: Date, MIME-Version, Content-Transfer-Encoding.
const HTTP_PROOF_FIELDS: usize = 3;
/// Fields that HTTP has and messages do not.
const HTTP_FIELDS: [&[u8]; 10] = [
    b"accept",
    b"accept-ranges",
    b"cache-control",
    b"connection",
    b"etag",
    b"host",
    b"server",
    b"set-cookie",
    b"transfer-encoding",
    b"vary",
];

/// Returns the lines of a text, with their ends. They end in CR if there is no LF.
pub(crate) fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mark = line_mark(text);
    text.split_inclusive(move |byte| *byte == mark)
}

/// Returns the last byte of the lines of `text`.
pub(crate) fn line_mark(text: &[u8]) -> u8 {
    if memchr(b'\n', text).is_none() && memchr(b'\r', text).is_some() {
        b'\r'
    } else {
        b'\n'
    }
}

/// Returns the number of bytes before the first field: a byte order mark, empty lines, the byte count of an emlx, and the
/// line of an mbox.
pub(crate) fn prelude(start: &[u8]) -> usize {
    let mut at = if start.starts_with(UTF8_BOM) {
        UTF8_BOM.len()
    } else {
        0
    };
    let mark = line_mark(start);
    let mut has_first = false;
    while let Some(end) = memchr(mark, &start[at..]) {
        let line = &start[at..=at + end];
        let is_first = !has_first && (is_byte_count(line) || is_quoted_from_line(line));
        if !is_blank(line) && !is_first {
            break;
        }
        has_first |= is_first;
        at += end + 1;
    }
    at
}

/// Whether this is the first line of an emlx: the length in bytes of the message after it.
fn is_byte_count(line: &[u8]) -> bool {
    let digits = line.trim_ascii();
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Whether this is the line of an mbox before a message, with or without the `>` that programs put before it.
pub(crate) fn is_quoted_from_line(line: &[u8]) -> bool {
    is_from_line(line.strip_prefix(b">").unwrap_or(line))
}

/// Whether this is the line of an mbox before a message: `From `, and an address or a time.
pub(crate) fn is_from_line(line: &[u8]) -> bool {
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

/// Whether a stream that starts with `start` can be read as a message if its name says so: a field comes first.
pub(crate) fn may_be_mail(start: &[u8]) -> bool {
    is_field(&start[prelude(start)..])
}

/// Whether a stream that starts with `start` is a message, or an mbox: all lines of the header are fields, and enough of
/// them are fields that messages have.
pub(crate) fn starts_mail(start: &[u8]) -> bool {
    let at = prelude(start);
    let header = &start[at..];
    // Nearly all texts end here.
    if !is_field(header) {
        return false;
    }
    let is_mbox = lines_of(&start[..at]).any(is_quoted_from_line);
    let is_counted = lines_of(&start[..at]).any(is_byte_count);
    let shown = HeaderSigns::of_header(header);
    shown.is_some_and(|shown| shown.is_mail(usize::from(is_mbox || is_counted)))
}

/// Signs of a message in the fields of a header.
#[derive(Default)]
struct HeaderSigns {
    /// Whether the first field is known.
    starts_known: bool,
    known: usize,
    strong: usize,
    proofs: usize,
    /// Whether it has the fields of MIME that say how a body is encoded.
    version: bool,
    content_type: bool,
    coding: bool,
    http: bool,
}

impl HeaderSigns {
    /// Reads the header at the start of a text. Returns `None` if a line is not a field.
    fn of_header(text: &[u8]) -> Option<HeaderSigns> {
        let mut shown = HeaderSigns::default();
        let mark = line_mark(text);
        for (at, line) in lines_of(text).enumerate() {
            let is_folded = matches!(line, [b' ' | b'\t', ..]);
            match line {
                _ if is_blank(line) => break,
                _ if is_field(line) => shown.add(line, at == 0),
                _ if is_folded && at > 0 => {}
                // Only the start of the text is known.
                _ if !line.ends_with(&[mark]) => break,
                _ => return None,
            }
        }
        Some(shown)
    }

    fn add(&mut self, line: &[u8], is_first: bool) {
        let colon = memchr(b':', line).unwrap_or(0);
        let name = line[..colon].to_ascii_lowercase();
        let value = line[colon + 1..].trim_ascii();
        let listed = KNOWN_FIELDS.iter().position(|known| *known == name);
        let is_known =
            listed.is_some() || FIELD_PREFIXES.iter().any(|start| name.starts_with(start));
        self.starts_known |= is_first && is_known;
        self.known += usize::from(is_known);
        self.strong += usize::from(listed.is_some_and(|at| at < STRONG_FIELDS));
        self.proofs += usize::from(is_proof(&name, value));
        self.version |= name == b"mime-version" && value.starts_with(b"1.");
        self.content_type |= name == b"content-type" && value.contains(&b'/');
        self.coding |= name == b"content-transfer-encoding" && is_coding(value);
        self.http |= HTTP_FIELDS.contains(&&name[..]);
    }

    /// Whether it is the header of a message. `led` counts lines before it that show a message.
    fn is_mail(&self, led: usize) -> bool {
        let is_usual = self.starts_known && self.known + led >= MIN_KNOWN_FIELDS && self.strong > 0;
        let is_mime =
            self.version && (self.content_type || self.coding) || self.content_type && self.coding;
        let is_shown =
            self.proofs + led >= MIN_PROOFS || self.proofs > 0 && self.known >= MIN_KNOWN_FIELDS;
        if self.http {
            is_usual && self.proofs > HTTP_PROOF_FIELDS
        } else {
            is_usual || is_mime || is_shown
        }
    }
}

/// Whether a field has a value that shows a message.
fn is_proof(name: &[u8], value: &[u8]) -> bool {
    let is_address = || value.contains(&b'@');
    let name = name.strip_prefix(b"resent-").unwrap_or(name);
    match name {
        b"from" | b"to" | b"cc" | b"sender" | b"reply-to" | b"delivered-to" | b"envelope-to" => {
            is_address()
        }
        b"message-id" | b"in-reply-to" | b"return-path" => value.starts_with(b"<"),
        b"received" => {
            value.starts_with(b"from ") || value.starts_with(b"by ") || value.starts_with(b"(")
        }
        b"date" | b"delivery-date" => is_mail_date(value),
        b"dkim-signature" | b"arc-seal" | b"arc-message-signature" => {
            value.windows(2).any(|two| two == b"a=")
        }
        b"mime-version" => value.starts_with(b"1."),
        b"content-transfer-encoding" => is_coding(value),
        _ => false,
    }
}

/// Whether a value starts as dates of messages do: `Mon, 1 Jan 2024`, or without the day of the week.
fn is_mail_date(value: &[u8]) -> bool {
    let mut parts = value
        .split(|byte| matches!(byte, b' ' | b','))
        .filter(|part| !part.is_empty())
        .take(4)
        .skip_while(|part| !part[0].is_ascii_digit());
    let is_day = parts
        .next()
        .is_some_and(|day| day.len() <= 2 && day.iter().all(u8::is_ascii_digit));
    is_day
        && parts
            .next()
            .is_some_and(|month| month.len() == 3 && month.iter().all(u8::is_ascii_alphabetic))
}

/// Whether a value names a coding that only mails have.
fn is_coding(value: &[u8]) -> bool {
    let value = value.to_ascii_lowercase();
    let has = |coding: &[u8]| value.windows(coding.len()).any(|part| part == coding);
    has(b"base64") || has(b"quoted-printable") || has(b"uue") || has(b"bit")
}

pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Whether `line` starts with the name of a field.
pub(crate) fn is_field(line: &[u8]) -> bool {
    /// Upper limit on the length of a name, in bytes.
    const NAME: usize = 100;
    let name = line.iter().position(|byte| !is_of_name(*byte));
    name.is_some_and(|end| (1..NAME).contains(&end) && line[end] == b':')
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}
