//! Reads formats with a tag at the start of each line: RIS, PubMed's, EndNote's and Web of Science's. A line without a tag continues
//! the one before.

use std::sync::Arc;

use super::place::{BytePlace, Event, MAX_NAME_BYTES, identify, keep_within};
use super::stack;
use super::table::{ENDNOTE, ItemPart, Meaning, PUBMED, RIS, WEB_OF_SCIENCE};
use super::wanted::{MAX_CAPTURED_BYTES, StructureRequest};

/// How the tags of a format are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagSyntax {
    /// RIS: `DO  - 10.5555/a`, from `TY` to `ER`.
    Ris,
    /// PubMed: `LID - 10.5555/a [doi]`, from `PMID`.
    Pubmed,
    /// EndNote: `%R 10.5555/a`, from `%0`.
    Endnote,
    /// Web of Science: `DI 10.5555/a`, from `PT` to `ER`.
    WebOfScience,
}

/// Max bytes of a tag and the mark after it.
const MAX_MARK_BYTES: usize = 5;

impl TagSyntax {
    /// Returns the syntax of a text that starts with `head`, without white space before it. RIS is known by a line of its own.
    pub(super) fn of(head: &[u8]) -> Option<TagSyntax> {
        let starts = |start: &[u8]| head.starts_with(start);
        if starts(b"PMID- ") {
            return Some(TagSyntax::Pubmed);
        }
        if starts(b"%0 ") {
            return Some(TagSyntax::Endnote);
        }
        let is_export = starts(b"FN ") && memchr::memmem::find(head, b"\nVR ").is_some();
        is_export.then_some(TagSyntax::WebOfScience)
    }

    /// Bytes of a tag and the mark after it. After the mark, a blank may follow.
    fn mark_bytes(self) -> usize {
        match self {
            TagSyntax::Ris | TagSyntax::Pubmed => 5,
            TagSyntax::Endnote | TagSyntax::WebOfScience => 3,
        }
    }

    /// Whether a tag and its mark, or the mark of a line that continues one, may have this byte at an index. The end of the line may
    /// follow a tag of Web of Science.
    #[inline]
    fn fits(self, at: usize, byte: u8) -> bool {
        let is_of_tag = byte.is_ascii_uppercase() || byte.is_ascii_digit();
        match (self, at) {
            (TagSyntax::Endnote, 0) => byte == b'%',
            (TagSyntax::Endnote, 1) => byte.is_ascii_graphic(),
            (TagSyntax::WebOfScience, 0 | 1) => is_of_tag || byte == b' ',
            (TagSyntax::WebOfScience, _) => matches!(byte, b' ' | b'\n' | b'\r'),
            (_, 0) => byte.is_ascii_uppercase(),
            (_, 1) => is_of_tag,
            (TagSyntax::Pubmed, 2 | 3) => is_of_tag || byte == b' ',
            (TagSyntax::Endnote, _) | (TagSyntax::Ris, 2 | 3) => byte == b' ',
            _ => byte == b'-',
        }
    }

    /// Returns the tag at the start of a line, and the number of bytes of the tag and the mark after it.
    #[inline]
    pub fn tag(self, line: &[u8]) -> Option<(&[u8], usize)> {
        let mark = line.get(..self.mark_bytes())?;
        let is_tag = mark
            .iter()
            .enumerate()
            .all(|(at, byte)| self.fits(at, *byte));
        let is_named = !mark[0].is_ascii_digit() && mark[0] != b' ' && mark[1] != b' ';
        (is_tag && is_named).then(|| (self.name(mark), without_end(mark).len()))
    }

    /// Returns the name of the tag in a tag with its mark.
    fn name(self, mark: &[u8]) -> &[u8] {
        match self {
            TagSyntax::Ris | TagSyntax::WebOfScience => &mark[..2],
            TagSyntax::Pubmed => mark[..4].trim_ascii_end(),
            TagSyntax::Endnote => &mark[1..2],
        }
    }

    fn starts_record(self, tag: &[u8]) -> bool {
        match self {
            TagSyntax::Ris => tag == b"TY",
            TagSyntax::Pubmed => tag == b"PMID",
            TagSyntax::Endnote => tag == b"0",
            TagSyntax::WebOfScience => tag == b"PT",
        }
    }

    fn ends_record(self, tag: &[u8]) -> bool {
        matches!(self, TagSyntax::Ris | TagSyntax::WebOfScience) && tag == b"ER"
    }

    /// Returns the meaning of a tag.
    fn meaning(self, tag: &[u8]) -> Meaning {
        let tags = match self {
            TagSyntax::Ris => RIS,
            TagSyntax::Pubmed => PUBMED,
            TagSyntax::Endnote => ENDNOTE,
            TagSyntax::WebOfScience => WEB_OF_SCIENCE,
        };
        let mut listed = tags.iter();
        let listed = listed.find(|(name, _)| name.bytes().eq(tag.iter().copied()));
        listed.map_or(Meaning::Plain, |(_, meaning)| *meaning)
    }
}

/// The reader of a document.
pub(crate) struct Tagged {
    syntax: TagSyntax,
    /// The start of the line, as long as it may be a tag and its mark: `TY  -`.
    line: Vec<u8>,
    is_line_start: bool,
    tag: Vec<u8>,
    meaning: Meaning,
    is_record: bool,
    /// Number of references of the record so far. Each line of a list of references is one.
    references: u64,
    /// Whether the line is a reference.
    is_reference: bool,
    captured: Vec<u8>,
    /// The tag that holds the identifier; by the table if `None`.
    id: Option<Vec<u8>>,
    request: Arc<StructureRequest>,
    /// Whether the field of the current tag is wanted.
    is_field: bool,
    /// Whether the line has no tag, so that it continues a value.
    is_continued: bool,
    /// Offsets of the current line and the current value in the document.
    here: u64,
    value: u64,
    offset: u64,
}

impl Tagged {
    pub(super) fn new(syntax: TagSyntax, request: &Arc<StructureRequest>) -> Tagged {
        let tag = request.id.as_ref().and_then(|id| id.steps().next_back());
        Tagged {
            syntax,
            line: Vec::with_capacity(MAX_MARK_BYTES),
            is_line_start: true,
            tag: Vec::new(),
            meaning: Meaning::Plain,
            is_record: false,
            references: 0,
            is_reference: false,
            captured: Vec::new(),
            id: tag.map(|tag| tag.to_ascii_uppercase().into()),
            request: Arc::clone(request),
            is_field: false,
            is_continued: false,
            here: 0,
            value: 0,
            offset: 0,
        }
    }

    pub(super) fn read(&mut self, bytes: &[u8], report: &mut dyn FnMut(Event<'_>)) {
        let mut at = 0;
        while at < bytes.len() {
            at = match self.is_line_start {
                true => self.line_start(bytes, at, report),
                false => self.rest_of_line(bytes, at, report),
            };
        }
        self.offset += bytes.len() as u64;
    }

    /// Reads the tag at the start of a line, or a byte of it. Returns the offset of the next byte.
    fn line_start(&mut self, bytes: &[u8], at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        if self.line.is_empty() {
            self.here = self.offset + at as u64;
            if let Some((tag, length)) = self.syntax.tag(&bytes[at..]) {
                self.start_tag(tag, at + length, report);
                return at + length;
            }
        }
        let byte = bytes[at];
        if !self.syntax.fits(self.line.len(), byte) {
            let start = std::mem::take(&mut self.line);
            self.start_text(&start, at, !is_line_end(byte), report);
            return at;
        }
        self.line.push(byte);
        if self.line.len() < self.syntax.mark_bytes() {
            return at + 1;
        }
        let mark = std::mem::take(&mut self.line);
        let after = at + usize::from(!is_line_end(byte));
        match self.syntax.tag(&mark) {
            Some((tag, _)) => self.start_tag(tag, after, report),
            None => self.start_text(without_end(&mark), after, !is_line_end(byte), report),
        }
        after
    }

    /// Reads text up to the end of the line. Returns the offset of the next byte.
    fn rest_of_line(
        &mut self,
        bytes: &[u8],
        at: usize,
        report: &mut dyn FnMut(Event<'_>),
    ) -> usize {
        let length = memchr::memchr2(b'\n', b'\r', &bytes[at..]);
        let end = length.map_or(bytes.len(), |length| at + length);
        self.keep_value(&bytes[at..end]);
        if end < bytes.len() {
            self.end_line(self.offset + end as u64, report);
        }
        end + 1 + usize::from(bytes[end..].starts_with(b"\r\n"))
    }

    /// Starts the text of a line without a tag, which begins with `start` before `at`.
    fn start_text(
        &mut self,
        start: &[u8],
        at: usize,
        has_more: bool,
        report: &mut dyn FnMut(Event<'_>),
    ) {
        (self.is_line_start, self.is_continued) = (false, true);
        let here = self.offset + at as u64;
        let is_mark = start.trim_ascii().is_empty();
        self.value = if is_mark {
            here
        } else {
            here - start.len() as u64
        };
        if self.meaning == Meaning::Reference && (has_more || !is_mark) {
            self.start_reference(report);
        }
        self.keep_value(start);
    }

    /// Keeps a part of the value, if the value is captured, identifies the record, or is a reference.
    fn keep_value(&mut self, part: &[u8]) {
        let max = match self.meaning {
            _ if self.is_field => MAX_CAPTURED_BYTES,
            Meaning::Reference => MAX_CAPTURED_BYTES,
            Meaning::Id(_) => MAX_NAME_BYTES,
            _ => return,
        };
        keep_within(&mut self.captured, max, part);
    }

    /// Starts a reference with the value.
    fn start_reference(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.is_reference = true;
        self.references += 1;
        if self.request.has_items() {
            let path = String::from_utf8_lossy(&self.tag);
            report(Event::Item {
                reference: Some(self.references - 1),
                offset: self.value,
                path: if self.request.paths { &path } else { "" },
            });
        }
    }

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.end_line(self.offset, report);
        self.close(report);
    }

    fn start_tag(&mut self, tag: &[u8], after: usize, report: &mut dyn FnMut(Event<'_>)) {
        (self.is_line_start, self.is_continued) = (false, false);
        self.value = self.offset + after as u64;
        self.tag.clear();
        self.tag.extend_from_slice(tag);
        let is_start = self.syntax.starts_record(tag);
        if is_start || self.syntax.ends_record(tag) {
            self.close(report);
        }
        if is_start {
            (self.is_record, self.references) = (true, 0);
            report(Event::Open);
            if self.request.entries {
                report(Event::Item {
                    reference: None,
                    offset: self.here,
                    path: "",
                });
            }
        }
        self.captured.clear();
        let listed = self.syntax.meaning(tag);
        self.meaning = match &self.id {
            Some(id) if *id == self.tag => Meaning::Id(0),
            Some(_) => listed.without_id(),
            None => listed,
        };
        self.is_field = self.request.fields_named(&self.tag).next().is_some();
        if self.meaning == Meaning::Reference {
            self.start_reference(report);
        }
    }

    fn end_line(&mut self, end: u64, report: &mut dyn FnMut(Event<'_>)) {
        if let Meaning::Id(rank) = self.meaning
            && self.captured.len() < MAX_NAME_BYTES
        {
            identify(rank, &self.captured, report);
        }
        if std::mem::take(&mut self.is_field) {
            let value = (&*self.captured, self.value);
            self.request.report_named(&self.tag, value, report);
        }
        if self.request.entries && self.is_record {
            // A tag is ASCII.
            let tag = str::from_utf8(&self.tag).unwrap_or_default();
            report(Event::Part {
                part: ItemPart::Value,
                text: if self.is_continued { "" } else { tag },
                place: (self.value, end),
            });
        }
        if std::mem::take(&mut self.is_reference) && self.request.has_items() {
            let text = String::from_utf8_lossy(&self.captured);
            report(Event::Part {
                part: ItemPart::Text,
                text: text.trim(),
                place: (self.value, end),
            });
            report(Event::EndItem(end));
        }
        self.captured.clear();
        self.line.clear();
        self.is_line_start = true;
    }

    fn close(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if self.is_record {
            if self.request.entries {
                report(Event::EndItem(self.here));
            }
            report(Event::Close);
        }
        self.is_record = false;
        self.meaning = Meaning::Plain;
    }

    /// Returns the place of the next byte.
    pub(super) fn place(&self) -> BytePlace {
        let reference = self.is_reference.then(|| self.references - 1);
        match self.is_record {
            true => stack::place(self.meaning, reference, false),
            false => BytePlace::default(),
        }
    }

    /// Appends the path of the next byte.
    pub(super) fn path(&self, path: &mut String) {
        if self.is_record {
            stack::push(&self.tag, path);
        }
    }

    pub(super) fn syntax(&self) -> TagSyntax {
        self.syntax
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns a tag and its mark without the end of the line.
fn without_end(mark: &[u8]) -> &[u8] {
    match mark {
        [mark @ .., b'\n' | b'\r'] => mark,
        mark => mark,
    }
}
