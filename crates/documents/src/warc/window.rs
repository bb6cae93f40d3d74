//! A buffer over the bytes of a WARC file that can hold a record.

use super::header::{self, FoundRecord, ParsedHeader};
use crate::fault::InputError;
use crate::read::ReadBytes;

/// Maximum size of a read, in bytes.
const MAX_READ_BYTES: usize = 256 << 10;
/// Bytes that are first read for a header; few headers are longer.
const HEADER_READ_BYTES: usize = 4 << 10;

/// A sliding buffer over a stream. At damage to the stream, the window ends until the damage is taken.
pub(super) struct RecordWindow<'r> {
    stream: &'r mut dyn ReadBytes,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The offset of `start` in the stream.
    offset: u64,
    stop: Option<WindowStop>,
}

/// Why the window ends after the held bytes.
enum WindowStop {
    End,
    Damage(InputError),
}

impl<'r> RecordWindow<'r> {
    pub(super) fn new(stream: &'r mut dyn ReadBytes) -> Self {
        RecordWindow {
            stream,
            buffer: vec![0; 2 * MAX_READ_BYTES],
            start: 0,
            end: 0,
            offset: 0,
            stop: None,
        }
    }

    /// Returns the bytes that were read and not yet skipped.
    pub(super) fn held(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Returns the offset of the held bytes in the stream.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the window ends after the held bytes.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Skips `count` of the held bytes.
    pub(super) fn skip(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads until `count` bytes are held. Returns false if the window ends before.
    pub(super) fn hold(&mut self, count: usize) -> bool {
        while self.end - self.start < count && self.stop.is_none() {
            self.make_room(count);
            self.fill();
        }
        self.end - self.start >= count
    }

    /// Takes the damage at the end of the window, after all held bytes were skipped. Then the stream continues. Returns
    /// `None` if the stream has ended.
    pub(super) fn take_damage(&mut self) -> Option<InputError> {
        match self.stop.take() {
            Some(WindowStop::Damage(error)) => Some(error),
            other => {
                self.stop = other;
                None
            }
        }
    }

    /// Parses the header of a record at `at` of the held bytes.
    pub(super) fn header(&mut self, at: usize) -> ParsedHeader {
        let mut count = HEADER_READ_BYTES;
        loop {
            self.hold(at + count);
            let parsed = header::parse(&self.held()[at..], self.is_stopped());
            if !matches!(parsed, ParsedHeader::More) {
                return parsed;
            }
            count = 2 * (self.held().len() - at);
        }
    }

    /// Whether a record certainly starts at `at` of the held bytes.
    pub(super) fn starts_record(&mut self, at: usize) -> bool {
        matches!(self.header(at), ParsedHeader::Header(header) if header.is_plausible())
    }

    /// Whether a record certainly starts anywhere in the held bytes, after which the window ends.
    pub(super) fn holds_record(&self) -> bool {
        matches!(header::find(self.held(), true), FoundRecord::At(_))
    }

    /// Skips to the next certain start of a record. Returns false if the window ends before; then it is empty.
    pub(super) fn find_record(&mut self) -> bool {
        self.hold(HEADER_READ_BYTES);
        loop {
            match header::find(self.held(), self.is_stopped()) {
                FoundRecord::At(at) => {
                    self.skip(at);
                    return true;
                }
                FoundRecord::NotBefore(at) => self.skip(at),
            }
            if self.held().is_empty() && self.is_stopped() {
                return false;
            }
            // Doubled each time, so that a long header is not parsed once for each read.
            self.hold((2 * self.held().len()).max(HEADER_READ_BYTES));
        }
    }

    /// Skips line ends. Returns false if the window ends there.
    pub(super) fn skip_line_ends(&mut self) -> bool {
        while self.hold(1) {
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

    /// Returns the distance from `at` of the held bytes, where a record's content ends, to the next record or the end of
    /// the window; `None` if other bytes follow.
    ///
    /// Two line ends should be between (ISO 28500, 4), but files have from none to several. If they are right and the next
    /// bytes resemble a header, that header is damaged, not this record.
    pub(super) fn distance_to_record(&mut self, at: usize) -> Option<usize> {
        const BETWEEN: [u8; 4] = *b"\r\n\r\n";
        const MAX: usize = 1 << 10;
        self.hold(at + MAX);
        let after = &self.held()[at..];
        let ends = after.iter().take_while(|byte| is_line_end(byte)).count();
        if ends >= MAX || ends == after.len() {
            return Some(ends);
        }
        match self.header(at + ends) {
            ParsedHeader::Cut => return Some(ends),
            ParsedHeader::Header(header) if header.is_plausible() => return Some(ends),
            _ => {}
        }
        let after = &self.held()[at..];
        let lines = after[..ends].iter().filter(|byte| **byte == b'\n').count();
        if lines >= 2 && header::resembles(&after[ends..]) {
            return Some(ends);
        }
        // One of the four bytes may be damaged without a loss.
        let like = BETWEEN.iter().zip(after).filter(|(a, b)| a == b).count();
        (like == 3 && self.starts_record(at + BETWEEN.len())).then_some(BETWEEN.len())
    }

    /// Moves the held bytes to the front if `count` bytes do not fit after their start. Enlarges the buffer if they do not fit
    /// at all and the buffer is full, so it grows with the bytes read, not with the length that a header claims.
    fn make_room(&mut self, count: usize) {
        let held = self.end - self.start;
        // Few bytes are moved at once, so that the bytes in use stay in the cache.
        if self.start + count > self.buffer.len()
            || self.start > MAX_READ_BYTES && held < self.start / 8
        {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, held);
        }
        if held == self.buffer.len() {
            // Half more than needed, so that bytes are not moved for each record.
            let size = (2 * held).min(count + count / 2);
            self.buffer.resize(size, 0);
        }
    }

    fn fill(&mut self) {
        let free = self.buffer.len().min(self.end + MAX_READ_BYTES);
        match self.stream.read(&mut self.buffer[self.end..free]) {
            Ok(0) => self.stop = Some(WindowStop::End),
            Ok(read) => self.end += read,
            Err(error) => self.stop = Some(WindowStop::Damage(error)),
        }
    }
}

pub(super) fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
