//! Records that were cut into segments (ISO 28500, 8).
//!
//! The segments of a record are read as one document if they follow one another. Only `warcinfo` records, which start files,
//! may be between two of them, as in concatenated files.

use super::header::{ParsedHeader, RecordKind, WarcHeader};
use super::window::RecordWindow;
use crate::fault::InputError;

/// Maximum size of `warcinfo` records between two segments, in bytes.
const MAX_WARCINFO_BYTES: usize = 1 << 20;

/// A record that continues in more segments.
pub(super) struct SegmentedRecord {
    /// The WARC-Record-ID of the first segment.
    origin: Vec<u8>,
    /// Number of segments read.
    count: u64,
    is_document: bool,
}

/// The next segment.
pub(super) struct NextSegment {
    /// Bytes before its content.
    pub(super) skipped: usize,
    pub(super) length: u64,
    /// Number of headers in these bytes.
    pub(super) records: u64,
    pub(super) is_last: bool,
}

impl SegmentedRecord {
    /// Returns the state after the first segment, if `header` says that segments follow. `bytes` start with the header.
    pub(super) fn of(header: &WarcHeader, bytes: &[u8]) -> Option<Self> {
        let is_first = header.segment == Some(1) && header.kind != Some(RecordKind::Continuation);
        (is_first && !header.is_last).then(|| SegmentedRecord {
            origin: header.id(bytes).to_vec(),
            count: 1,
            is_document: header.is_document(),
        })
    }

    /// Finds the next segment at the start of the window, without moving the window.
    pub(super) fn next_segment(&mut self, window: &mut RecordWindow<'_>) -> Option<NextSegment> {
        let (mut at, mut records) = (0, 0);
        while at < MAX_WARCINFO_BYTES {
            let ParsedHeader::Header(header) = window.header(at) else {
                return None;
            };
            let length = header.length?;
            let start = at + header.size;
            records += 1;
            if self.goes_on_in(&header, &window.held()[at..]) {
                self.count += 1;
                return Some(NextSegment {
                    skipped: start,
                    length,
                    records,
                    is_last: header.is_last,
                });
            }
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            if header.kind != Some(RecordKind::Info)
                || end > MAX_WARCINFO_BYTES
                || !window.hold(end)
            {
                return None;
            }
            at = end + window.distance_to_record(end)?;
        }
        None
    }

    /// Returns the error for a missing segment, unless the record may be complete.
    pub(super) fn missing_segment(&self) -> Option<InputError> {
        self.is_document.then_some(InputError::Continued)
    }

    /// Whether the record whose `header` is at the start of `bytes` is the next segment.
    fn goes_on_in(&self, header: &WarcHeader, bytes: &[u8]) -> bool {
        header.kind == Some(RecordKind::Continuation)
            && header.segment == Some(self.count + 1)
            && !self.origin.is_empty()
            && header.origin(bytes) == self.origin
    }
}
