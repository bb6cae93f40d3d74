//! The bytes of a WARC file, with as long a look ahead as a record needs.

use std::io::{self, Read};

use super::header::{self, Found, Parsed};

/// Bytes that are read at once, at most.
const READ: usize = 256 << 10;
/// Bytes that are first looked at for a header; few are longer.
const HEADER: usize = 4 << 10;

/// A buffer that slides over a stream. Where the stream reports damage, the window ends until that is taken.
pub(super) struct Window<'r> {
    stream: &'r mut dyn Read,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The offset of `start` in the stream.
    offset: u64,
    stop: Option<Stop>,
}

/// Why nothing follows what is held.
enum Stop {
    End,
    Damage(io::Error),
}

impl<'r> Window<'r> {
    pub(super) fn new(stream: &'r mut dyn Read) -> Self {
        Window {
            stream,
            buffer: vec![0; 2 * READ],
            start: 0,
            end: 0,
            offset: 0,
            stop: None,
        }
    }

    /// What was read and not yet skipped.
    pub(super) fn held(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Where what is held starts in the stream.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether nothing follows what is held.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Passes over `count` of the bytes held.
    pub(super) fn skip(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads until `count` bytes are held. False if the window ends before.
    pub(super) fn need(&mut self, count: usize) -> bool {
        while self.end - self.start < count && self.stop.is_none() {
            self.make_room(count);
            self.fill();
        }
        self.end - self.start >= count
    }

    /// The damage the window ends at, once all it held was skipped; after it the stream goes on. None where the stream
    /// ends.
    pub(super) fn take_damage(&mut self) -> Option<io::Error> {
        match self.stop.take() {
            Some(Stop::Damage(error)) => Some(error),
            other => {
                self.stop = other;
                None
            }
        }
    }

    /// The header of a record that starts at `at` of what is held.
    pub(super) fn header(&mut self, at: usize) -> Parsed {
        let mut count = HEADER;
        loop {
            self.need(at + count);
            let parsed = header::parse(&self.held()[at..], self.is_stopped());
            if !matches!(parsed, Parsed::More) {
                return parsed;
            }
            count = 2 * (self.held().len() - at);
        }
    }

    /// Whether a record surely starts at `at` of what is held.
    pub(super) fn starts_record(&mut self, at: usize) -> bool {
        matches!(self.header(at), Parsed::Header(header) if header.is_plausible())
    }

    /// Whether a record surely starts anywhere in what is held, which nothing follows.
    pub(super) fn holds_record(&self) -> bool {
        matches!(header::find(self.held(), true), Found::At(_))
    }

    /// Skips to the next sure start of a record. False if the window ends before; then it is empty.
    pub(super) fn find_record(&mut self) -> bool {
        self.need(HEADER);
        loop {
            match header::find(self.held(), self.is_stopped()) {
                Found::At(at) => {
                    self.skip(at);
                    return true;
                }
                Found::NotBefore(at) => self.skip(at),
            }
            if self.held().is_empty() && self.is_stopped() {
                return false;
            }
            // Twice as much each time, so that a long header is not looked through once for each read.
            self.need((2 * self.held().len()).max(HEADER));
        }
    }

    /// Passes over line ends. False if the window ends there.
    pub(super) fn skip_line_ends(&mut self) -> bool {
        while self.need(1) {
            let held = self.held();
            let ends = held.iter().take_while(|byte| is_line_end(byte)).count();
            let only = ends == held.len();
            self.skip(ends);
            if !only {
                return true;
            }
        }
        false
    }

    /// How far after `at` of what is held, where a record's content ends, the next record starts or the window ends. None
    /// if neither is there.
    ///
    /// Two line ends belong there (ISO 28500, 4); real files have from none to several. Where they are as they should be and
    /// something like a header follows, it is that header that is damaged.
    pub(super) fn gap(&mut self, at: usize) -> Option<usize> {
        const BETWEEN: [u8; 4] = *b"\r\n\r\n";
        const MOST: usize = 1 << 10;
        self.need(at + MOST);
        let after = &self.held()[at..];
        let ends = after.iter().take_while(|byte| is_line_end(byte)).count();
        if ends >= MOST || ends == after.len() {
            return Some(ends);
        }
        match self.header(at + ends) {
            Parsed::Cut => return Some(ends),
            Parsed::Header(header) if header.is_plausible() => return Some(ends),
            _ => {}
        }
        let after = &self.held()[at..];
        let lines = after[..ends].iter().filter(|byte| **byte == b'\n').count();
        if lines >= 2 && header::resembles(&after[ends..]) {
            return Some(ends);
        }
        // One of the four bytes is damaged, which costs nothing.
        let like = BETWEEN.iter().zip(after).filter(|(a, b)| a == b).count();
        (like == 3 && self.starts_record(at + BETWEEN.len())).then_some(BETWEEN.len())
    }

    /// Moves what is held to the front if less than `count` bytes fit from where it starts, and if they do not fit at all
    /// and the buffer is full, makes it larger: what is read makes it grow, not what a header claims.
    fn make_room(&mut self, count: usize) {
        let held = self.end - self.start;
        // What is little moves at once, so that the bytes in use stay in a core's cache.
        if self.start + count > self.buffer.len() || self.start > READ && held < self.start / 8 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, held);
        }
        if held == self.buffer.len() {
            // Half as much again as is needed, so that what is held is not moved for each record.
            let size = (2 * held).min(count + count / 2);
            self.buffer.resize(size, 0);
        }
    }

    fn fill(&mut self) {
        let free = self.buffer.len().min(self.end + READ);
        match self.stream.read(&mut self.buffer[self.end..free]) {
            Ok(0) => self.stop = Some(Stop::End),
            Ok(read) => self.end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.stop = Some(Stop::Damage(error)),
        }
    }
}

pub(super) fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
