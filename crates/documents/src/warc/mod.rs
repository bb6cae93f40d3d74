//! Records of WARC files (ISO 28500, versions 0.17 to 1.1).
//!
//! Works on unpacked bytes and knows no gzip: after damage to the stream, it looks for the next record. All damage is
//! handled in the same way: the record is reported, and the search for a certain start of a record ([`header`]) continues
//! from the start of its content. [`mod@content`] checks whether a record ends where its header says, [`http`] separates a body
//! from its headers.

mod ahead;
mod chunked;
mod coding;
mod content;
mod header;
mod http;
mod segments;
mod window;

#[cfg(test)]
mod tests;

use self::content::{ContentOutcome, RecordContent};
use self::header::{ParsedHeader, RecordKind, WarcHeader};
use self::segments::SegmentedRecord;
use self::window::RecordWindow;
use super::container::{MemberSink, StreamLevel};
use super::expansion::ExpansionReader;
use super::fault::InputError;
use super::read::ReadBytes;

/// Bytes of the window at first, so that the records in it are seldom moved.
const WINDOW_BYTES: usize = 512 << 10;

/// Passes on the documents of a WARC file: the bodies of its `response`, `resource`, `conversion` and `metadata` records.
/// A `continuation` is read as part of the record that it continues, and reported if it does not follow that record. Other
/// types are skipped.
///
/// A record whose content does not end where its header says is lost. If its bytes end early, the part before is
/// passed on. A record of more than 8 MiB is passed on before its end is known, and ends where another record starts.
/// Holds at most 12 MiB, and takes time linear in the bytes.
///
/// `history` is the limit on windows of packed bodies, in bytes. With `reports_records`, each document's record is reported.
pub(super) fn read_records(
    sink: &mut dyn MemberSink,
    level: &StreamLevel<'_>,
    history: u64,
    reports_records: bool,
    bytes: &mut dyn ReadBytes,
) {
    let mut window = RecordWindow::new(bytes, 0);
    window.reserve(WINDOW_BYTES);
    let mut records = WarcReader {
        sink,
        history,
        reports_records,
        level,
        window,
        number: 0,
        name: String::new(),
        end: 0,
    };
    while records.read_record() {}
}

struct WarcReader<'w, 'l, 'r> {
    sink: &'w mut dyn MemberSink,
    history: u64,
    reports_records: bool,
    level: &'l StreamLevel<'l>,
    window: RecordWindow<'r>,
    /// Number of headers so far.
    number: u64,
    /// The name of the current record.
    name: String,
    /// The end of the last undamaged record, including line ends.
    end: u64,
}

/// A loss, and its offset in the stream.
struct RecordLoss {
    /// Whether it is in the current record.
    record: bool,
    offset: u64,
    error: InputError,
}

impl WarcReader<'_, '_, '_> {
    /// Reads the next record. Returns false at the end of the file, or if it should not be read further.
    fn read_record(&mut self) -> bool {
        if !self.window.skip_line_ends() {
            return self.search(None);
        }
        let offset = self.window.position();
        match self.window.header(0) {
            ParsedHeader::Header(header) => self.record(&header, offset),
            _ => self.search(Some(RecordLoss {
                record: false,
                offset,
                error: InputError::RecordStart,
            })),
        }
    }

    /// Reads the record whose header is at `offset`, the start of the window.
    fn record(&mut self, header: &WarcHeader, offset: u64) -> bool {
        self.number += 1;
        self.name.clear();
        self.name.push_str(&header.target(self.window.held()));
        let segments = SegmentedRecord::of(header, self.window.held());
        let reported = self.reports_records && header.is_document();
        let reported = reported.then(|| self.level.with_record(header.record(self.window.held())));
        self.window.skip(header.size);
        let loss = |error| RecordLoss {
            record: true,
            offset,
            error,
        };
        let mut content = match content(header, &mut self.window, segments) {
            Ok(content) => content,
            Err(error) => return self.search(Some(loss(error))),
        };
        let mut untold = Ok(());
        if header.is_document() {
            let named = (self.number, self.name.as_str());
            match hand_out(
                self.sink,
                (reported.as_ref().unwrap_or(self.level), self.history),
                named,
                header,
                &mut content,
            ) {
                Some(result) => untold = result,
                None => return false,
            }
        }
        let finished = content.finish();
        let is_alone = header.kind == Some(RecordKind::Continuation);
        let alone = is_alone.then_some(InputError::Continuation);
        let ContentOutcome { lost, records, .. } = finished;
        if let Some(error) = untold.err().or(finished.error).or(alone) {
            self.report(loss(error));
        }
        self.skip_gap(records, lost)
    }

    /// Moves past a record and the records that were read with it. If its end is lost, moves to the next certain start.
    /// Returns false at the end of the file.
    fn skip_gap(&mut self, further: u64, lost: bool) -> bool {
        self.number += further;
        self.end = if lost { 0 } else { self.window.position() };
        !lost || self.search(None)
    }

    /// Moves to the next certain start of a record, and reports the loss before it, once. Returns false at the end of the
    /// file.
    fn search(&mut self, mut loss: Option<RecordLoss>) -> bool {
        loop {
            let found = self.window.find_record();
            let damage = if found {
                None
            } else {
                self.window.take_error()
            };
            let Some(damage) = damage else {
                if let Some(loss) = loss {
                    self.report(loss);
                }
                return found;
            };
            let offset = self.window.position();
            // The packing of a record may report damage only after all of its bytes.
            let after = self.number > 0 && offset == self.end && hits_what_came(&damage);
            let lost = loss
                .take()
                .map_or((after, offset), |loss| (loss.record, loss.offset));
            // The damage is the cause of the invalid record.
            self.report(RecordLoss {
                record: lost.0,
                offset: lost.1,
                error: damage,
            });
        }
    }

    fn report(&mut self, loss: RecordLoss) {
        let RecordLoss { offset, error, .. } = loss;
        if loss.record {
            self.sink
                .report_member_loss(self.level, self.number, &self.name, offset, error)
        } else {
            // The next header that can be read belongs to another record.
            self.sink
                .report_member_loss(self.level, self.number + 1, "", offset, error)
        }
    }
}

/// Whether `error` means damage to the bytes before it, not to the bytes after them.
fn hits_what_came(error: &InputError) -> bool {
    matches!(error, InputError::DamagedMember { given: true, .. })
}

/// Passes on the content of a record as a document. Returns `None` if the source should not be read further.
///
/// Returns an error that no read of the document has reached.
fn hand_out(
    sink: &mut dyn MemberSink,
    (level, history): (&StreamLevel<'_>, u64),
    (number, name): (u64, &str),
    header: &WarcHeader,
    content: &mut RecordContent<'_, '_>,
) -> Option<Result<(), InputError>> {
    let mut going = true;
    let mut take = |body: &mut dyn ReadBytes| {
        let mut body = ExpansionReader::of_unpacked(body, sink.expansion());
        going = sink.member(level, number, name, &mut body);
    };
    let result = if header.is_http() {
        http::body(content, history, &mut take)
    } else {
        take(content);
        Ok(())
    };
    going.then_some(result)
}

/// Reads the content after a record's header, which is at the start of the window.
fn content<'c, 'r>(
    header: &WarcHeader,
    window: &'c mut RecordWindow<'r>,
    segments: Option<SegmentedRecord>,
) -> Result<RecordContent<'c, 'r>, InputError> {
    match (header.kind, header.length) {
        (Some(_), Some(length)) => RecordContent::new(window, length, segments),
        _ => Err(InputError::RecordHeader),
    }
}
