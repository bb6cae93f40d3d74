//! Reads the content of one record, and checks that it ends where the header says.

use super::header;
use super::segments::SegmentedRecord;
use super::window::{RecordWindow, is_line_end};
use crate::fault::InputError;
use crate::read::{ReadBuffer, ReadBytes, read_held};

/// Maximum size of content that is completely in memory before any of it is returned.
pub(super) const MAX_BUFFERED_BYTES: u64 = 8 << 20;
/// Bytes of longer content that are checked at once.
const STEP_BYTES: usize = 256 << 10;
/// Number of last bytes that may be the start of an empty line and a record's first word.
const RECORD_START_BYTES: usize = b"\r\n\r\nWARC/".len() - 1;

/// Reads the content of the record at the start of the window, and of the segments that continue it.
///
/// An error says why the content does not match its header. Then the end is returned.
pub(super) struct RecordContent<'c, 'r> {
    window: &'c mut RecordWindow<'r>,
    length: u64,
    /// Remaining bytes according to the header.
    left: u64,
    /// Held bytes that certainly belong to the record.
    sure: usize,
    state: ContentState,
    lost: bool,
    /// The segments of the record so far; `None` if no more can follow.
    segments: Option<SegmentedRecord>,
    /// Records that were read after the first one.
    records: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentState {
    /// All of it certainly belongs to the record. This many bytes are between it and the next record.
    Whole(usize),
    /// It ends early, after the certain bytes.
    Cut,
    /// It is too long for its end to be checked.
    Long,
    /// There are no more bytes.
    Ended,
}

impl<'c, 'r> RecordContent<'c, 'r> {
    /// Reads content of `length` bytes, as the header states, and the segments that follow it.
    ///
    /// # Errors
    /// If the record certainly does not end there. Then all of the content is still held.
    pub(super) fn new(
        window: &'c mut RecordWindow<'r>,
        length: u64,
        segments: Option<SegmentedRecord>,
    ) -> Result<Self, InputError> {
        let mut content = RecordContent {
            window,
            length,
            left: length,
            sure: 0,
            state: ContentState::Long,
            lost: false,
            segments,
            records: 0,
        };
        content.start()?;
        Ok(content)
    }

    /// Starts the content of a record or segment.
    fn start(&mut self) -> Result<(), InputError> {
        let length = self.length as usize;
        self.left = self.length;
        (self.sure, self.state) = if self.length > MAX_BUFFERED_BYTES {
            (0, ContentState::Long)
        } else if self.window.hold(length) {
            let gap = self.window.distance_to_record(length);
            let gap = gap.ok_or(InputError::RecordEnd(self.length))?;
            (length, ContentState::Whole(gap))
        } else if self.window.holds_record() {
            return Err(InputError::RecordEnd(self.length));
        } else {
            (self.window.held().len(), ContentState::Cut)
        };
        Ok(())
    }

    /// Skips the rest. Returns the errors that were not reported yet.
    pub(super) fn finish(mut self) -> ContentOutcome {
        let mut error = None;
        loop {
            match self.fill_buf() {
                Ok([]) => break,
                Ok(held) => {
                    let count = held.len();
                    self.consume(count);
                }
                // There is at most one.
                Err(failure) => error = Some(failure),
            }
        }
        ContentOutcome {
            lost: self.lost,
            error,
            records: self.records,
        }
    }

    /// Finds more bytes that certainly belong to the record, if any are left.
    fn advance(&mut self) -> Result<(), InputError> {
        match self.state {
            ContentState::Whole(gap) => self.end(Some(gap)),
            ContentState::Cut => Err(self.early_end()),
            ContentState::Long if self.left == 0 => {
                let gap = self.window.distance_to_record(0);
                self.end(gap)
            }
            ContentState::Long => self.check_next_bytes(),
            ContentState::Ended => Ok(()),
        }
    }

    /// Ends the content; `gap` bytes are between it and the next record.
    fn end(&mut self, gap: Option<usize>) -> Result<(), InputError> {
        let gap = gap.ok_or_else(|| self.end_with(InputError::RecordEnd(self.length)))?;
        self.window.skip(gap);
        self.state = ContentState::Ended;
        self.segments
            .take()
            .map_or(Ok(()), |segments| self.continue_in_segment(segments))
    }

    /// Continues with the next segment of the record.
    fn continue_in_segment(&mut self, mut segments: SegmentedRecord) -> Result<(), InputError> {
        let Some(next) = segments.next_segment(self.window) else {
            return segments.missing_segment().map_or(Ok(()), Err);
        };
        self.window.skip(next.skipped);
        self.records += next.records;
        self.length = next.length;
        self.segments = (!next.is_last).then_some(segments);
        self.start().map_err(|error| self.end_with(error))
    }

    /// Checks the next bytes of a long record. If another record starts there, the length is wrong.
    fn check_next_bytes(&mut self) -> Result<(), InputError> {
        self.window.hold(STEP_BYTES);
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let held = self.window.held();
        let own = &held[..held.len().min(left)];
        let all = own.len() == left || self.window.is_stopped();
        match header::find_after_empty_line(own, self.left == self.length) {
            Some(at) => return self.check(at),
            None if all => self.sure = own.len(),
            None => self.sure = own.len() - RECORD_START_BYTES,
        }
        match self.sure {
            0 => Err(self.early_end()),
            _ => Ok(()),
        }
    }

    /// Checks a possible start of another record.
    fn check(&mut self, at: usize) -> Result<(), InputError> {
        let before = &self.window.held()[..at];
        let text = before.iter().rposition(|byte| !is_line_end(byte));
        if let Some(last) = text {
            self.sure = last + 1;
        } else if self.window.starts_record(at) {
            self.window.skip(at);
            return Err(self.end_with(InputError::RecordEnd(self.length)));
        } else {
            self.sure = at + b"WARC/".len();
        }
        Ok(())
    }

    /// Returns the error for a window that ends before the content.
    fn early_end(&mut self) -> InputError {
        match self.window.take_error() {
            Some(error) => self.end_with(error),
            None => self.end_with(InputError::RecordCut(self.left)),
        }
    }

    fn end_with(&mut self, error: InputError) -> InputError {
        self.state = ContentState::Ended;
        self.lost = true;
        error
    }
}

/// The result of reading a record's content.
pub(super) struct ContentOutcome {
    /// Whether the content does not match its header, so that the start of the next record is not known.
    pub(super) lost: bool,
    /// The error, if no read has returned it.
    pub(super) error: Option<InputError>,
    /// Records that were read after the first one.
    pub(super) records: u64,
}

impl ReadBuffer for RecordContent<'_, '_> {
    fn fill_buf(&mut self) -> Result<&[u8], InputError> {
        while self.sure == 0 && self.state != ContentState::Ended {
            self.advance()?;
        }
        Ok(&self.window.held()[..self.sure])
    }

    fn consume(&mut self, count: usize) {
        let count = count.min(self.sure);
        self.window.skip(count);
        self.sure -= count;
        self.left -= count as u64;
    }
}

impl ReadBytes for RecordContent<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        read_held(self, into)
    }
}
