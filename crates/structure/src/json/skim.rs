//! Reads objects and lists of which only mentions are wanted, 64 bytes at once.
//!
//! Only brackets and the commas of lists are read until the place of a mention is needed. The state machine then reads the bytes
//! after the last of them, up to the mention. It also reads line ends, where a fault may be.

use std::ops::Range;

use memchr::memchr;

use super::marks::{BracketMarks, SkippedBytes};
use super::{Event, FrameMode, Json, JsonLines, JsonState};

impl Json {
    /// Whether only brackets and commas must be read from here on.
    #[inline]
    pub(super) fn is_skimmed(&self) -> bool {
        self.mode() == FrameMode::Skim
            && self.state != JsonState::Lost
            && !self.is_escaped
            && !self.is_line_start
    }

    /// Reads some bytes of `part`. Returns the offset after them.
    pub(super) fn skim(
        &mut self,
        bytes: &[u8],
        part: Range<usize>,
        report: &mut dyn FnMut(Event<'_>),
    ) -> usize {
        let end = self.line_end(bytes, part.start).min(part.end);
        let is_in_string = matches!(self.state, JsonState::InString | JsonState::InName);
        let has_lines = self.lines == JsonLines::No;
        let mut marks = BracketMarks::new(bytes, part.start..end, is_in_string, has_lines);
        let mut counts = self.counts_commas();
        while let Some(here) = marks.next(counts) {
            if marks.is_start(here) {
                self.catch_up(&bytes[..=here], marks.passed(), report);
                return here + 1;
            }
            self.bracket(bytes, here, marks.passed(), report);
            if self.levels.count == 0 && !self.is_skimmed() {
                return self.comma(&bytes[..part.end], here + 1);
            }
            marks.go_on(here);
            counts = self.counts_commas();
        }
        let end = part.end.min(end + 1);
        self.catch_up(&bytes[..end], marks.last(counts), report);
        end
    }

    /// Whether the items of the list that is read must be counted.
    #[inline(always)]
    fn counts_commas(&self) -> bool {
        self.levels.count == 0 && self.is_in_list()
    }

    /// Returns the end of the next line, or of `bytes`; always that of `bytes` if each value has several lines.
    fn line_end(&mut self, bytes: &[u8], at: usize) -> usize {
        if self.lines == JsonLines::No {
            return bytes.len();
        }
        if self.line_end <= self.offset + at as u64 {
            let length = memchr(b'\n', &bytes[at..]);
            let end = length.map_or(bytes.len(), |length| at + length);
            self.line_end = self.offset + end as u64;
        }
        (self.line_end - self.offset) as usize
    }

    /// Takes the bracket at `at`, before which `passed` was skipped.
    #[inline(always)]
    fn bracket(
        &mut self,
        bytes: &[u8],
        at: usize,
        passed: SkippedBytes,
        report: &mut dyn FnMut(Event<'_>),
    ) {
        let byte = bytes[at];
        self.is_escaped = false;
        if self.levels.count == 0 {
            self.framed(bytes, at, passed, report);
        } else if matches!(byte, b'{' | b'[') {
            self.count(byte == b'[');
        } else if !self.close(byte, report) {
            self.fault(byte, at, false, report);
        }
    }

    /// Takes a bracket that closes a frame or may open one.
    fn framed(
        &mut self,
        bytes: &[u8],
        at: usize,
        passed: SkippedBytes,
        report: &mut dyn FnMut(Event<'_>),
    ) {
        let byte = bytes[at];
        let is_opening = matches!(byte, b'{' | b'[');
        match is_opening && !self.is_in_list() {
            true => self.catch_up(&bytes[..at], passed, report),
            false => self.pass(passed.commas),
        }
        self.is_escaped = false;
        if is_opening {
            self.entered(bytes, at, report);
            return;
        }
        self.here = self.offset + at as u64 + 1;
        if !self.close(byte, report) {
            self.fault(byte, at, false, report);
        }
    }

    /// Counts the commas of `passed`, and reads the rest of `bytes` after the last of them.
    fn catch_up(&mut self, bytes: &[u8], passed: SkippedBytes, report: &mut dyn FnMut(Event<'_>)) {
        self.pass(passed.commas);
        let mut at = passed.end;
        while at < bytes.len() {
            at = self.step(bytes, at, report);
        }
    }
}
