//! The value of a field with parameters (RFC 2045, RFC 2231).

use super::charset::MailCharset;
use super::words;
use crate::mail_start::hex;

/// Maximum number of pieces of a parameter that are joined.
const MAX_PIECES: usize = 1000;

/// The value of a field with parameters.
#[derive(Default)]
pub(super) struct FieldParameters {
    /// The part before the parameters, in lower case.
    pub(super) main: String,
    /// Names in lower case, and values.
    parameters: Vec<(String, Vec<u8>)>,
}

impl FieldParameters {
    pub(super) fn of(value: &[u8]) -> Self {
        let mut pieces = pieces(value).into_iter();
        let main = without_comments(&pieces.next().unwrap_or_default());
        let main = unquoted(&main);
        let parameter = |piece: Vec<u8>| {
            let equals = memchr::memchr(b'=', &piece)?;
            let name = String::from_utf8_lossy(piece[..equals].trim_ascii());
            Some((name.to_ascii_lowercase(), unquoted(&piece[equals + 1..])))
        };
        FieldParameters {
            main: String::from_utf8_lossy(main.trim_ascii()).to_ascii_lowercase(),
            parameters: pieces.filter_map(parameter).collect(),
        }
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&[u8]> {
        let found = self.parameters.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| &value[..])
    }

    /// Returns a parameter that may be in pieces, without its percent escapes, and its charset.
    pub(super) fn bytes(&self, name: &str) -> Option<(Vec<u8>, Option<MailCharset>)> {
        if let Some(plain) = self.parameter(name) {
            return Some((plain.to_owned(), None));
        }
        if let Some(encoded) = self.parameter(&format!("{name}*")) {
            let (value, charset) = with_charset(encoded);
            return Some((without_percents(value), charset));
        }
        self.joined(name)
    }

    fn joined(&self, name: &str) -> Option<(Vec<u8>, Option<MailCharset>)> {
        let (mut out, mut charset) = (Vec::new(), None);
        for number in 0..MAX_PIECES {
            if let Some(plain) = self.parameter(&format!("{name}*{number}")) {
                out.extend_from_slice(plain);
            } else if let Some(mut encoded) = self.parameter(&format!("{name}*{number}*")) {
                if number == 0 {
                    (encoded, charset) = with_charset(encoded);
                }
                out.extend(without_percents(encoded));
            } else {
                break;
            }
        }
        (!out.is_empty()).then_some((out, charset))
    }

    /// Returns a parameter as text. Encoded words in it are decoded, which RFC 2047 forbids but many programs write.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let (bytes, charset) = self.bytes(name)?;
        let text = match charset {
            Some(charset) => charset.decode(bytes),
            None => words::decoded(bytes).0,
        };
        Some(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Splits a value into its text and the charset before it: `utf-8'en'value`.
fn with_charset(value: &[u8]) -> (&[u8], Option<MailCharset>) {
    let mut parts = value.splitn(3, |byte| *byte == b'\'');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(label), Some(_), Some(rest)) => (rest, Some(MailCharset::of(label))),
        _ => (value, None),
    }
}

/// Returns a value without the comments in parentheses that are outside quotes.
pub(super) fn without_comments(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let (mut depth, mut is_quoted) = (0_u32, false);
    let mut bytes = value.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if is_quoted || depth > 0 => {
                let escaped = bytes.next();
                if depth == 0 {
                    out.push(b'\\');
                    out.extend(escaped);
                }
                continue;
            }
            b'"' if depth == 0 => is_quoted = !is_quoted,
            b'(' if !is_quoted => depth += 1,
            b')' if depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            out.push(*byte);
        }
    }
    out
}

/// Returns the pieces of a value between semicolons that are not in quotes.
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

/// Returns a value without its quotes.
pub(super) fn unquoted(value: &[u8]) -> Vec<u8> {
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
