//! Bodies of HTTP messages: parted from the headers, their codings undone.
//!
//! Crawlers often undo a coding and leave the header that states it. So a body that does not look like what a header says
//! is taken as it is.

use std::io::{self, BufRead, Read};

use memchr::memchr;

use super::chunked::{self, Chunked};
use super::coding::{Coding, Decoded, Engine};
use crate::input::raw::Raw;

/// Codings over one another that are undone.
const MOST: usize = 4;
/// Bytes between two codings.
const BUFFER: usize = 16 << 10;

/// Hands the body of the message in `content` to `take`: what follows the headers, with its codings undone. What is no
/// message, or has no end of its headers, is handed over whole.
///
/// An error of `content`, or of a coding, comes from the body once, behind all that could be decoded; then its end. A
/// coding that wants more than `window` bytes of history at hand is such an error.
pub(super) fn body(content: &mut dyn BufRead, window: u64, take: &mut dyn FnMut(&mut dyn Read)) {
    let (size, codings) = match content.fill_buf() {
        Ok(head) => headers(head).unwrap_or_default(),
        Err(error) => return take(&mut Broken(Some(error))),
    };
    content.consume(size);
    undo(content, &codings, window, take);
}

/// Bytes of the status line and headers that `message` starts with, and the codings they state, the last applied first.
fn headers(message: &[u8]) -> Option<(usize, Vec<Coding>)> {
    if !message.get(..5)?.eq_ignore_ascii_case(b"HTTP/") {
        return None;
    }
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
    Some((at, content.into_iter().rev().take(MOST).collect()))
}

/// Adds the codings of a header's value, in the order they were applied. Those we do not know are left out.
fn add(codings: &mut Vec<Coding>, value: &[u8]) {
    let parts = value.split(|byte| matches!(byte, b',' | b':'));
    codings.extend(parts.filter_map(|part| Coding::named(part.trim_ascii())));
}

/// Undoes the codings in turn.
fn undo(
    content: &mut dyn BufRead,
    codings: &[Coding],
    window: u64,
    take: &mut dyn FnMut(&mut dyn Read),
) {
    let Some((&coding, rest)) = codings.split_first() else {
        return take(content);
    };
    let head = match content.fill_buf() {
        Ok(head) => head,
        Err(error) => return take(&mut Broken(Some(error))),
    };
    if coding == Coding::Chunked && chunked::starts(head) {
        return undo(&mut Chunked::new(content), rest, window, take);
    }
    match Engine::new(coding, head, window) {
        None => undo(content, rest, window, take),
        Some(engine) if rest.is_empty() => take(&mut Decoded::new(content, engine)),
        Some(engine) => {
            let decoded = Decoded::new(content, engine);
            undo(&mut Raw::with_capacity(decoded, BUFFER), rest, window, take);
        }
    }
}

/// An error and the end.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
