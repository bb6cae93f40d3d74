//! Separates bodies of HTTP messages from their headers, and decodes their codings.
//!
//! Crawlers often decode a body and leave the header that states its coding. So a body that does not look like the stated
//! coding is not decoded.

use memchr::memchr;

use super::ahead::PeekBody;
use super::chunked::{self, ChunkedBody};
use super::coding::{self, BodyDecoder, DecodedBody};
use crate::fault::{HttpCoding, InputError};
use crate::peek::PeekReader;
use crate::read::{ReadBuffer, ReadBytes};

/// Maximum number of codings of a body.
const MAX_CODINGS: usize = 4;
/// Maximum size of headers whose end is searched for, in bytes.
const MAX_HEADERS_BYTES: usize = 1 << 20;
/// Size of the buffer between two codings, in bytes.
const BUFFER_BYTES: usize = 16 << 10;

/// Passes the decoded body of the message in `content` to `take`. Content that is not a message, or whose headers do not
/// end, is passed on completely.
///
/// Interim responses (RFC 9110, 15.2) before the response are skipped.
///
/// The body returns an error of `content`, or of a coding, once, after all decoded bytes; then its end. A coding that needs
/// a window of more than `window` bytes is such an error.
///
/// # Errors
/// An error of `content` that was found ahead, if the body was not read so far.
pub(super) fn body(
    content: &mut dyn ReadBuffer,
    window: u64,
    take: &mut dyn FnMut(&mut dyn ReadBytes),
) -> Result<(), InputError> {
    let mut content = PeekBody::new(content);
    let (size, codings) = message(&mut content).unwrap_or_default();
    content.consume(size);
    undo(&mut content, &codings, window, take);
    content.take_error().map_or(Ok(()), Err)
}

/// Returns the size of the headers at the start of `content`, including those of interim responses, and the codings that
/// the last of them state, the last applied first.
fn message(content: &mut PeekBody<'_>) -> Option<(usize, Vec<HttpCoding>)> {
    let mut count = 1;
    loop {
        let head = content.peek(count);
        let is_all = head.len() < count;
        match headers(head, is_all) {
            ParsedHeaders::Headers(size, codings) => return Some((size, codings)),
            ParsedHeaders::More if !is_all && head.len() < MAX_HEADERS_BYTES => {
                count = 2 * head.len()
            }
            ParsedHeaders::More | ParsedHeaders::Not => return None,
        }
    }
}

/// The result of parsing the headers of a message.
enum ParsedHeaders {
    /// The number of bytes of the headers, and the codings that they state.
    Headers(usize, Vec<HttpCoding>),
    /// The headers do not end in these bytes.
    More,
    /// Not a message.
    Not,
}

/// Parses the headers at the start of `message`. `is_all` says that the content ends with it.
fn headers(message: &[u8], is_all: bool) -> ParsedHeaders {
    let mut found = (0, Vec::new());
    loop {
        let rest = &message[found.0..];
        match starts_message(rest) {
            None if !is_all => return ParsedHeaders::More,
            Some(true) => {}
            // If no message follows an interim response, the bytes after it are taken for its body.
            _ if found.0 > 0 => return ParsedHeaders::Headers(found.0, found.1),
            _ => return ParsedHeaders::Not,
        }
        let Some((size, codings)) = one_message(rest) else {
            return ParsedHeaders::More;
        };
        found = (found.0 + size, codings);
        if !is_interim(rest) {
            return ParsedHeaders::Headers(found.0, found.1);
        }
    }
}

/// Whether `bytes` start a message; `None` if they are too few to decide.
fn starts_message(bytes: &[u8]) -> Option<bool> {
    const START: &[u8] = b"HTTP/";
    let seen = bytes.len().min(START.len());
    let is_message = bytes[..seen].eq_ignore_ascii_case(&START[..seen]);
    (!is_message || seen == START.len()).then_some(is_message)
}

/// Whether the status of the response is 1xx.
fn is_interim(message: &[u8]) -> bool {
    let line = message
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let mut words = line.trim_ascii_end().split(|byte| *byte == b' ').skip(1);
    matches!(words.find(|word| !word.is_empty()), Some([b'1', a, b]) if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Returns the size of the status line and headers at the start of `message`, and the codings they state, the last applied
/// first.
fn one_message(message: &[u8]) -> Option<(usize, Vec<HttpCoding>)> {
    let (mut transfer, mut content) = (Vec::new(), Vec::new());
    let mut at = 0;
    loop {
        let length = memchr(b'\n', &message[at..])?;
        let line = message[at..at + length].trim_ascii_end();
        at += length + 1;
        if line.is_empty() {
            break;
        }
        let colon = memchr(b':', line).unwrap_or(0);
        let (name, value) = line.split_at(colon);
        match name.len() {
            16 if name.eq_ignore_ascii_case(b"Content-Encoding") => add(&mut content, value),
            17 if name.eq_ignore_ascii_case(b"Transfer-Encoding") => add(&mut transfer, value),
            _ => {}
        }
    }
    content.append(&mut transfer);
    Some((at, content.into_iter().rev().take(MAX_CODINGS).collect()))
}

/// Adds the codings of a header's value, in the order they were applied. Unknown codings are ignored.
fn add(codings: &mut Vec<HttpCoding>, value: &[u8]) {
    let parts = value.split(|byte| matches!(byte, b',' | b':'));
    codings.extend(parts.filter_map(|part| HttpCoding::named(part.trim_ascii())));
}

/// Decodes the codings one after the other.
///
/// The first bytes of a body decide whether it is in a coding, even if the outer coding returns few bytes at once.
fn undo(
    content: &mut PeekBody<'_>,
    codings: &[HttpCoding],
    window: u64,
    take: &mut dyn FnMut(&mut dyn ReadBytes),
) {
    let Some((&coding, rest)) = codings.split_first() else {
        return take(content);
    };
    let untold = if coding == HttpCoding::Chunked {
        if !chunked::starts(content.peek(chunked::MAX_SIZE_LINE_BYTES)) {
            return undo(content, rest, window, take);
        }
        undo_in(&mut ChunkedBody::new(content), rest, window, take)
    } else {
        match BodyDecoder::new(coding, content.peek(coding::HEAD_BYTES), window) {
            None => return undo(content, rest, window, take),
            Some(engine) if rest.is_empty() => return take(&mut DecodedBody::new(content, engine)),
            Some(engine) => {
                let decoded = DecodedBody::new(content, engine);
                undo_in(
                    &mut PeekReader::with_capacity(decoded, BUFFER_BYTES),
                    rest,
                    window,
                    take,
                )
            }
        }
    };
    content.put_back(untold);
}

/// Decodes `codings` inside another coding. Returns an error of the record's content that was found ahead and not read.
fn undo_in(
    decoded: &mut dyn ReadBuffer,
    codings: &[HttpCoding],
    window: u64,
    take: &mut dyn FnMut(&mut dyn ReadBytes),
) -> Option<InputError> {
    let mut ahead = PeekBody::new(decoded);
    undo(&mut ahead, codings, window, take);
    // Bytes after the end of a coding are ignored, so an error in decoding them is dropped.
    let is_coding = |error: &InputError| matches!(error, InputError::Body(_));
    ahead.take_error().filter(|error| !is_coding(error))
}
