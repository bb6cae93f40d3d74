//! The lines of a mail, and the lines that end its parts.

use memchr::memchr;

use super::uu;
use crate::fault::InputError;
use crate::mail_start;
use crate::read::ReadBytes;

/// Length of a line that is held whole. A longer one is read in pieces of this length.
const MAX_LINE_BYTES: usize = 64 << 10;
/// Bytes of a read.
const READ_BYTES: usize = 64 << 10;
/// Maximum bytes of the line after a line `From ` that are checked.
const MAX_FIELD_BYTES: usize = 256;
/// Bytes of the start of a mail that are read to recognise its first lines.
const HEAD_BYTES: usize = 4 << 10;
/// Minimum length of a boundary that is recognised with one damaged byte.
const MIN_DAMAGED_BOUNDARY_BYTES: usize = 8;
/// Maximum length of a boundary that is compared. RFC 2046 allows 70.
const MAX_BOUNDARY_BYTES: usize = 200;

/// Why a part ends before a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinesEnd {
    /// A boundary with the number `of`, from 0, in the order they were entered. After the last one no part follows.
    Boundary {
        of: usize,
        is_last: bool,
    },
    /// Another message starts.
    Message,
    /// A file in uuencode starts.
    File,
    End,
}

/// A buffer over the bytes of a mail.
pub(super) struct MailLines<'r> {
    inner: &'r mut dyn ReadBytes,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// The offset of `start`.
    offset: u64,
    ended: bool,
    /// The error after the held bytes.
    error: Option<InputError>,
    at_line_start: bool,
    is_mbox: bool,
    /// The last byte of a line.
    mark: u8,
    /// The offset at which the message ends, if the file says so.
    limit: Option<u64>,
    boundaries: Vec<Vec<u8>>,
}

impl<'r> MailLines<'r> {
    pub(super) fn new(inner: &'r mut dyn ReadBytes) -> Self {
        MailLines {
            inner,
            buffer: vec![0; MAX_LINE_BYTES + READ_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            error: None,
            at_line_start: true,
            is_mbox: false,
            mark: b'\n',
            limit: None,
            boundaries: Vec::new(),
        }
    }

    /// Reads the bytes before the first field: a byte order mark, empty lines, the byte count of an emlx, and the line of
    /// an mbox. After the line of an mbox there may be several messages.
    pub(super) fn prelude(&mut self) -> Vec<u8> {
        while self.end - self.start < HEAD_BYTES && self.read_more() {}
        let head = &self.buffer[self.start..self.end.min(self.start + HEAD_BYTES)];
        self.mark = mail_start::line_mark(head);
        let prelude = head[..mail_start::prelude(head)].to_vec();
        self.is_mbox = mail_start::lines_of(&prelude).any(mail_start::is_quoted_from_line);
        self.consume(prelude.len());
        self.at_line_start = true;
        let count = mail_start::lines_of(&prelude).find_map(mail_start::byte_count);
        self.limit = count.map(|count| self.offset.saturating_add(count));
        prelude
    }

    /// Continues after the end of a message whose length the file states. Returns whether all its bytes were there; `None`
    /// if the file does not state the length.
    pub(super) fn pass_limit(&mut self) -> Option<bool> {
        let limit = self.limit.take()?;
        self.at_line_start = true;
        Some(self.offset >= limit)
    }

    /// Returns the last byte of a line.
    pub(super) fn mark(&self) -> u8 {
        self.mark
    }

    pub(super) fn is_mbox(&self) -> bool {
        self.is_mbox
    }

    /// Returns the offset of the next line.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Recognises a boundary until it is [left](Self::leave). Returns its number.
    pub(super) fn enter(&mut self, mut boundary: Vec<u8>) -> usize {
        boundary.truncate(MAX_BOUNDARY_BYTES);
        self.boundaries.push(boundary);
        self.boundaries.len() - 1
    }

    /// Forgets the boundary with this number.
    pub(super) fn leave(&mut self, number: usize) {
        self.boundaries.truncate(number);
    }

    /// Returns the next line with its end, or a piece of a long one. Empty at the end, and before an error.
    pub(super) fn line(&mut self) -> &[u8] {
        let length = self.line_length();
        &self.buffer[self.start..self.start + length]
    }

    fn line_length(&mut self) -> usize {
        let room = self
            .limit
            .map_or(u64::MAX, |limit| limit.saturating_sub(self.offset));
        let max = MAX_LINE_BYTES.min(usize::try_from(room).unwrap_or(MAX_LINE_BYTES));
        let mut searched = 0;
        loop {
            let held = &self.buffer[self.start..self.end];
            if let Some(at) = memchr(self.mark, &held[searched..]) {
                return max.min(searched + at + 1);
            }
            searched = held.len();
            if searched >= max {
                return max;
            }
            if !self.read_more() {
                return searched;
            }
        }
    }

    /// Whether `line`, which should end with `mark`, is a piece of a long line that continues.
    pub(super) fn is_piece(line: &[u8], mark: u8) -> bool {
        line.len() == MAX_LINE_BYTES && !line.ends_with(&[mark])
    }

    /// Moves on by this many bytes of the line.
    pub(super) fn consume(&mut self, count: usize) {
        let last = self.start + count;
        if count > 0 {
            self.at_line_start = self.buffer[last - 1] == self.mark;
        }
        self.start = last;
        self.offset += count as u64;
    }

    pub(super) fn skip_line(&mut self) {
        let length = self.line_length();
        self.consume(length);
    }

    /// Returns the error before the next line, if there is one. Reading may continue after it.
    pub(super) fn take_error(&mut self) -> Option<InputError> {
        if self.line_length() > 0 {
            return None;
        }
        let error = self.error.take();
        self.at_line_start |= error.is_some();
        error
    }

    /// Returns why a part ends before the next line; `None` if it continues.
    pub(super) fn stop(&mut self) -> Option<LinesEnd> {
        if self.line_length() == 0 {
            return self.error.is_none().then_some(LinesEnd::End);
        }
        if !self.at_line_start {
            return None;
        }
        match self.buffer[self.start] {
            b'-' => self.boundary().or_else(|| self.damaged_boundary()),
            b'b' => self.starts_file().then_some(LinesEnd::File),
            b'F' => self.starts_message().then_some(LinesEnd::Message),
            _ => self.damaged_boundary(),
        }
    }

    fn boundary(&mut self) -> Option<LinesEnd> {
        if self.boundaries.is_empty() {
            return None;
        }
        let length = self.line_length();
        let line = &self.buffer[self.start..self.start + length];
        let line = line.strip_prefix(b"--")?.trim_ascii_end();
        let known = |(_, boundary): &(usize, &Vec<u8>)| !boundary.is_empty();
        let numbered = self.boundaries.iter().enumerate().rev().filter(known);
        let mut found =
            numbered.filter_map(|(of, boundary)| match line.strip_prefix(&boundary[..])? {
                b"" => Some(LinesEnd::Boundary { of, is_last: false }),
                b"--" => Some(LinesEnd::Boundary { of, is_last: true }),
                _ => None,
            });
        let found = found.next();
        found.or_else(|| self.shown_boundary(length))
    }

    /// Recognises a boundary that the header does not state, in a line of this length: a header or an empty line follows.
    fn shown_boundary(&mut self, length: usize) -> Option<LinesEnd> {
        let of = self.boundaries.len().checked_sub(1)?;
        let line = &self.buffer[self.start..self.start + length];
        let boundary = line.strip_prefix(b"--")?.trim_ascii_end().to_vec();
        let is_word = boundary.iter().all(u8::is_ascii_graphic)
            && boundary.iter().any(u8::is_ascii_alphanumeric);
        if !self.boundaries[of].is_empty() || !is_word || boundary.len() > MAX_BOUNDARY_BYTES {
            return None;
        }
        let after = self.after(length);
        if !after.get(..8)?.eq_ignore_ascii_case(b"content-")
            && !matches!(after, [b'\r' | b'\n', ..])
        {
            return None;
        }
        self.boundaries[of] = boundary;
        Some(LinesEnd::Boundary { of, is_last: false })
    }

    /// Whether the boundary with this number is known.
    pub(super) fn knows(&self, number: usize) -> bool {
        self.boundaries
            .get(number)
            .is_some_and(|boundary| !boundary.is_empty())
    }

    /// Recognises a boundary with one wrong byte.
    fn damaged_boundary(&mut self) -> Option<LinesEnd> {
        if self.boundaries.is_empty() {
            return None;
        }
        let length = self.line_length();
        let line = self.buffer[self.start..self.start + length].trim_ascii_end();
        if !line[..line.len().min(2)].contains(&b'-') {
            return None;
        }
        let numbered = self.boundaries.iter().enumerate().rev();
        let mut found = numbered.filter_map(|(of, boundary)| {
            let is = |ending| {
                boundary.len() >= MIN_DAMAGED_BOUNDARY_BYTES
                    && is_damaged(line, [b"--", boundary, ending])
            };
            let is_last = is(&b"--"[..]);
            (is_last || is(b"")).then_some(LinesEnd::Boundary { of, is_last })
        });
        found.next()
    }

    /// Whether the next line, which must stop a part, is a boundary with one wrong byte.
    pub(super) fn is_damaged(&mut self) -> bool {
        self.boundary().is_none()
    }

    /// Whether a file in uuencode starts: its first line, and a line of data.
    fn starts_file(&mut self) -> bool {
        let length = self.line_length();
        let line = &self.buffer[self.start..self.start + length];
        uu::is_start(line) && uu::is_data(self.after(length))
    }

    /// Returns the bytes after a line of this length: the next line, or its start.
    fn after(&mut self, length: usize) -> &[u8] {
        loop {
            let after = &self.buffer[self.start + length..self.end];
            let is_whole = after.contains(&self.mark) || after.len() >= MAX_FIELD_BYTES;
            if is_whole || !self.read_more() {
                return &self.buffer[self.start + length..self.end];
            }
        }
    }

    /// Whether the next line is the line of an mbox before a message: with a time or an address, and a field after it.
    fn starts_message(&mut self) -> bool {
        if !self.is_mbox || !self.at_line_start {
            return false;
        }
        let length = self.line_length();
        if !mail_start::is_from_line(&self.buffer[self.start..self.start + length]) {
            return false;
        }
        mail_start::is_field(self.after(length))
    }

    /// Reads more bytes after the held ones. Returns false if there are none, or no room.
    fn read_more(&mut self) -> bool {
        if self.ended || self.error.is_some() {
            return false;
        }
        if self.buffer.len() - self.end < READ_BYTES / 2 {
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
            Err(error) => self.error = Some(error),
        }
        !self.ended && self.error.is_none()
    }
}

/// Whether `line` differs from the joined `parts` in exactly one byte.
fn is_damaged(line: &[u8], parts: [&[u8]; 3]) -> bool {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let wanted = parts.iter().copied().flatten();
    line.len() == length
        && line
            .iter()
            .zip(wanted)
            .filter(|(own, other)| own != other)
            .count()
            == 1
}
