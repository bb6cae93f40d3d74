//! The lines of a mail, and where a part of it ends.

use std::io::{self, Read};

use memchr::memchr;

use super::{header, start};

/// Length of a line that is held whole. A longer one is read in pieces of this length.
const LONGEST: usize = 64 << 10;
/// Bytes of a read.
const READ: usize = 64 << 10;
/// Bytes that the line after a line `From ` must be recognised by.
const FIELD: usize = 256;
/// Length of a boundary that is recognised. RFC 2046 allows 70.
const BOUNDARY: usize = 200;

/// Where a part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A boundary of the parts that were entered as the `of`-th, from 0. The last one has no part after it.
    Boundary {
        of: usize,
        is_last: bool,
    },
    /// Another message starts.
    Message,
    End,
}

/// A buffer over the bytes of a mail.
pub(super) struct MailLines<'r> {
    inner: &'r mut dyn Read,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// The offset of `start`.
    offset: u64,
    ended: bool,
    /// The error after the held bytes.
    error: Option<io::Error>,
    at_line_start: bool,
    is_mbox: bool,
    boundaries: Vec<Vec<u8>>,
}

impl<'r> MailLines<'r> {
    pub(super) fn new(inner: &'r mut dyn Read) -> Self {
        MailLines {
            inner,
            buffer: vec![0; LONGEST + READ].into_boxed_slice(),
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            error: None,
            at_line_start: true,
            is_mbox: false,
            boundaries: Vec::new(),
        }
    }

    /// Finds out whether there may be several messages: the first one starts with its line of an mbox.
    pub(super) fn find_kind(&mut self) {
        self.is_mbox = true;
        self.is_mbox = self.starts_message();
    }

    pub(super) fn is_mbox(&self) -> bool {
        self.is_mbox
    }

    /// Offset of the next line.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Recognises a boundary until it is [left](Self::leave). Returns its number.
    pub(super) fn enter(&mut self, mut boundary: Vec<u8>) -> usize {
        boundary.truncate(BOUNDARY);
        self.boundaries.push(boundary);
        self.boundaries.len() - 1
    }

    /// Forgets the boundary with this number.
    pub(super) fn leave(&mut self, number: usize) {
        self.boundaries.truncate(number);
    }

    /// The next line with its end, or a piece of a long one. Empty at the end, and before an error.
    pub(super) fn line(&mut self) -> &[u8] {
        let length = self.line_length();
        &self.buffer[self.start..self.start + length]
    }

    fn line_length(&mut self) -> usize {
        let mut searched = 0;
        loop {
            let held = &self.buffer[self.start..self.end];
            if let Some(at) = memchr(b'\n', &held[searched..]) {
                return LONGEST.min(searched + at + 1);
            }
            searched = held.len();
            if searched >= LONGEST {
                return LONGEST;
            }
            if !self.read_more() {
                return searched;
            }
        }
    }

    /// Whether the line is a piece of a long line that goes on.
    pub(super) fn is_piece(line: &[u8]) -> bool {
        line.len() == LONGEST && !line.ends_with(b"\n")
    }

    /// Moves on by so many bytes of the line.
    pub(super) fn consume(&mut self, count: usize) {
        let last = self.start + count;
        if count > 0 {
            self.at_line_start = self.buffer[last - 1] == b'\n';
        }
        self.start = last;
        self.offset += count as u64;
    }

    pub(super) fn skip_line(&mut self) {
        let length = self.line_length();
        self.consume(length);
    }

    /// The error before the next line, if there is one. Reading may go on after it.
    pub(super) fn take_error(&mut self) -> Option<io::Error> {
        if self.line_length() > 0 {
            return None;
        }
        let error = self.error.take();
        self.at_line_start |= error.is_some();
        error
    }

    /// What ends a part at the next line, if that does.
    pub(super) fn stop(&mut self) -> Option<Stop> {
        if self.line_length() == 0 {
            return self.error.is_none().then_some(Stop::End);
        }
        if !self.at_line_start {
            return None;
        }
        match self.buffer[self.start] {
            b'-' => self.boundary(),
            b'F' => self.starts_message().then_some(Stop::Message),
            _ => None,
        }
    }

    fn boundary(&mut self) -> Option<Stop> {
        if self.boundaries.is_empty() {
            return None;
        }
        let length = self.line_length();
        let line = &self.buffer[self.start..self.start + length];
        let line = line.strip_prefix(b"--")?.trim_ascii_end();
        let numbered = self.boundaries.iter().enumerate().rev();
        let mut found =
            numbered.filter_map(|(of, boundary)| match line.strip_prefix(&boundary[..])? {
                b"" => Some(Stop::Boundary { of, is_last: false }),
                b"--" => Some(Stop::Boundary { of, is_last: true }),
                _ => None,
            });
        found.next()
    }

    /// Whether the next line is that of an mbox before a message: with a time or an address, and a field after it.
    fn starts_message(&mut self) -> bool {
        if !self.is_mbox || !self.at_line_start {
            return false;
        }
        let length = self.line_length();
        if !start::is_from_line(&self.buffer[self.start..self.start + length]) {
            return false;
        }
        loop {
            let after = &self.buffer[self.start + length..self.end];
            let is_whole = after.contains(&b'\n') || after.len() >= FIELD;
            if is_whole || !self.read_more() {
                return header::is_field(&self.buffer[self.start + length..self.end]);
            }
        }
    }

    /// Reads more bytes after the held ones. False if there are none, or no room.
    fn read_more(&mut self) -> bool {
        if self.ended || self.error.is_some() {
            return false;
        }
        if self.buffer.len() - self.end < READ / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let free = &mut self.buffer[self.end..];
        if free.is_empty() {
            return false;
        }
        match self.inner.read(free) {
            Ok(0) => self.ended = true,
            Ok(read) => self.end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.error = Some(error),
        }
        !self.ended && self.error.is_none()
    }
}
