//! Records in a window over the bytes of a WARC file.

use super::header::{self, FoundRecord, ParsedHeader};
use crate::read::ReadBytes;
use crate::window::SlidingWindow;

/// Bytes that are first read for a header; few headers are longer.
const HEADER_READ_BYTES: usize = 4 << 10;

/// A window that holds a record.
pub(super) type RecordWindow<'r> = SlidingWindow<&'r mut dyn ReadBytes>;

impl RecordWindow<'_> {
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
}

pub(super) fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
