//! Reads RIS: records from `TY` to `ER`, and their tags. A line without a tag continues the one before.

use std::sync::Arc;

use super::place::{BytePlace, Event, MAX_NAME_BYTES, identify, keep_within};
use super::stack;
use super::table::{Meaning, RIS};
use super::wanted::{MAX_CAPTURED_BYTES, StructureRequest};

/// The reader of a document.
pub(crate) struct Ris {
    /// The start of the line, as long as it may be a tag and its mark: `TY  - `.
    line: Vec<u8>,
    is_line_start: bool,
    tag: [u8; 2],
    meaning: Meaning,
    is_record: bool,
    captured: Vec<u8>,
    /// The tag that holds the identifier; by the table if `None`.
    id: Option<Vec<u8>>,
    request: Arc<StructureRequest>,
    /// Whether the field of the current tag is wanted.
    is_field: bool,
    /// Offset of the current value in the document.
    value: u64,
    offset: u64,
}

/// Bytes of a tag and the mark after it. The last blank may be missing.
const TAG_BYTES: usize = 5;

impl Ris {
    pub(super) fn new(request: &Arc<StructureRequest>) -> Ris {
        let tag = request.id.as_ref().and_then(|id| id.steps().next_back());
        Ris {
            line: Vec::with_capacity(TAG_BYTES),
            is_line_start: true,
            tag: *b"  ",
            meaning: Meaning::Plain,
            is_record: false,
            captured: Vec::new(),
            id: tag.map(|tag| tag.to_ascii_uppercase().into()),
            request: Arc::clone(request),
            is_field: false,
            value: 0,
            offset: 0,
        }
    }

    pub(super) fn read(&mut self, bytes: &[u8], report: &mut dyn FnMut(Event<'_>)) {
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if let Some([tag, other, b' ', b' ', b'-']) = bytes[at..].first_chunk()
                && self.is_line_start
                && self.line.is_empty()
                && tag.is_ascii_uppercase()
                && (other.is_ascii_uppercase() || other.is_ascii_digit())
            {
                self.is_line_start = false;
                self.start_tag([*tag, *other], report);
                at += TAG_BYTES;
                self.value = self.offset + at as u64;
                continue;
            }
            if self.is_line_start && self.may_be_tag(byte) {
                self.line.push(byte);
                at += 1;
                if self.line.len() == TAG_BYTES {
                    self.is_line_start = false;
                    self.start_tag([self.line[0], self.line[1]], report);
                    self.value = self.offset + at as u64;
                }
                continue;
            }
            self.is_line_start = false;
            let end = memchr::memchr2(b'\n', b'\r', &bytes[at..])
                .map_or(bytes.len(), |length| at + length);
            self.keep_value(&bytes[at..end]);
            if end < bytes.len() {
                self.end_line(report);
            }
            at = end + 1;
        }
        self.offset += bytes.len() as u64;
    }

    /// Keeps a part of the value, if the value is captured or identifies the record.
    fn keep_value(&mut self, part: &[u8]) {
        let max = match self.meaning {
            _ if self.is_field => MAX_CAPTURED_BYTES,
            Meaning::Id(_) => MAX_NAME_BYTES,
            _ => return,
        };
        keep_within(&mut self.captured, max, part);
    }

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.end_line(report);
        self.close(report);
    }

    /// Whether the line may still start with a tag if `byte` is next.
    fn may_be_tag(&self, byte: u8) -> bool {
        match self.line.len() {
            0 => byte.is_ascii_uppercase(),
            1 => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            2 | 3 => byte == b' ',
            _ => byte == b'-',
        }
    }

    fn start_tag(&mut self, tag: [u8; 2], report: &mut dyn FnMut(Event<'_>)) {
        self.tag = tag;
        match &self.tag {
            b"TY" => {
                self.close(report);
                self.is_record = true;
                report(Event::Open);
            }
            b"ER" => self.close(report),
            _ => {}
        }
        self.captured.clear();
        let mut listed = RIS.iter();
        let listed = listed.find(|(tag, _)| tag.as_bytes() == self.tag);
        let listed = listed.map_or(Meaning::Plain, |(_, meaning)| *meaning);
        self.meaning = match &self.id {
            Some(id) if **id == self.tag => Meaning::Id(0),
            Some(_) => listed.without_id(),
            None => listed,
        };
        self.is_field = self.request.fields_named(&self.tag).next().is_some();
    }

    fn end_line(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if let Meaning::Id(rank) = self.meaning
            && self.captured.len() < MAX_NAME_BYTES
        {
            identify(rank, &self.captured, report);
        }
        if std::mem::take(&mut self.is_field) {
            let value = (&*self.captured, self.value);
            self.request.report_named(&self.tag, value, report);
        }
        self.captured.clear();
        self.line.clear();
        self.is_line_start = true;
    }

    fn close(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if self.is_record {
            report(Event::Close);
        }
        self.is_record = false;
        self.meaning = Meaning::Plain;
    }

    /// Returns the place of the next byte.
    pub(super) fn place(&self) -> BytePlace {
        match self.is_record {
            true => stack::place(self.meaning, None, false),
            false => BytePlace::default(),
        }
    }

    /// Appends the path of the next byte.
    pub(super) fn path(&self, path: &mut String) {
        if self.is_record {
            stack::push(&self.tag, path);
        }
    }
}
