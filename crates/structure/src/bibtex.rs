//! Reads BibTeX: entries, their keys and fields.
//!
//! Braces are counted as BibTeX counts them, escaped ones too. An entry at the start of a line ends an earlier one that was not
//! closed.

use std::sync::Arc;

use memchr::memchr2;

use super::place::{BytePlace, Event, MAX_NAME_BYTES, identify, keep, keep_within};
use super::references::ReferenceList;
use super::stack;
use super::table::{BIBTEX, ItemPart, Meaning};
use super::wanted::{MAX_CAPTURED_BYTES, StructureRequest};
use doisift_core::internal::{Block, positions};

/// The reader of a document.
pub(crate) struct Bibtex {
    state: EntryState,
    /// The type of the entry, its key, or the name of the field: in lower case, except the key.
    word: Vec<u8>,
    /// The byte that closes the entry.
    close: u8,
    is_record: bool,
    /// Whether it has fields: a record does, and a definition of strings if entries are wanted. Otherwise it is a text.
    has_fields: bool,
    /// Braces that are open in a value, without those of the entry.
    depth: usize,
    /// Whether the value is between quotes.
    is_quoted: bool,
    meaning: Meaning,
    captured: Vec<u8>,
    /// How much of `@type{` was read at the start of a line, and that type.
    start: StartState,
    start_word: Vec<u8>,
    /// Offset of the entry in the document.
    entry: u64,
    /// The field that holds the identifier; the key does if `None`.
    id: Option<Vec<u8>>,
    request: Arc<StructureRequest>,
    /// Whether the current field is wanted.
    is_field: bool,
    /// The list of references that is read.
    list: ReferenceList,
    /// Offset of the current value in the document.
    value: u64,
    /// Offset in the document of the byte or run that is being read.
    here: u64,
    offset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryState {
    Outside,
    /// After `@`.
    Type,
    /// After the opening brace.
    Key,
    /// Before or in the name of a field.
    Field,
    /// After the `=`, before or in the value.
    Value,
}

/// How much of `@type{` was read at the start of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartState {
    No,
    /// Only blanks since the line started.
    Line,
    /// `@`, then letters.
    Word(u64),
}

impl Bibtex {
    pub(super) fn new(request: &Arc<StructureRequest>) -> Bibtex {
        let field = request.id.as_ref().and_then(|id| id.steps().next_back());
        Bibtex {
            state: EntryState::Outside,
            word: Vec::new(),
            close: b'}',
            is_record: false,
            has_fields: false,
            depth: 0,
            is_quoted: false,
            meaning: Meaning::Plain,
            captured: Vec::new(),
            start: StartState::Line,
            start_word: Vec::new(),
            entry: 0,
            id: field.map(|field| field.to_ascii_lowercase().into()),
            request: Arc::clone(request),
            is_field: false,
            list: ReferenceList::default(),
            value: 0,
            here: 0,
            offset: 0,
        }
    }

    pub(super) fn read(&mut self, bytes: &[u8], report: &mut dyn FnMut(Event<'_>)) {
        let mut at = 0;
        while at < bytes.len() {
            let after = match self.start {
                StartState::No => self.run(bytes, at, report),
                StartState::Line => self.indent(bytes, at),
                StartState::Word(_) => at,
            };
            at = if after > at {
                after
            } else {
                self.byte(bytes[at], at, report);
                at + 1
            };
        }
        self.offset += bytes.len() as u64;
    }

    /// Reads one byte.
    fn byte(&mut self, byte: u8, at: usize, report: &mut dyn FnMut(Event<'_>)) {
        self.here = self.offset + at as u64;
        if self.is_resumed(byte, at, report) {
            return;
        }
        match self.state {
            EntryState::Outside => self.outside(byte),
            EntryState::Type => self.entry_type(byte, report),
            EntryState::Key => self.key(byte, report),
            EntryState::Field => self.field(byte, report),
            EntryState::Value if self.meaning == Meaning::Reference => self.cited(byte, report),
            EntryState::Value => self.value(byte, report),
        }
    }

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.here = self.offset;
        if !matches!(self.state, EntryState::Outside | EntryState::Type) {
            self.break_off(self.offset, report);
        }
        self.end_entry(report);
    }

    /// Reports that the entry does not end before an offset, and the rest of it as a value.
    fn break_off(&mut self, end: u64, report: &mut dyn FnMut(Event<'_>)) {
        if self.state == EntryState::Value {
            self.report_value(ItemPart::Unclosed, end, report);
        }
        report(Event::Broken(end));
    }

    /// Skips the blanks at the start of a line, unless an entry may start there. Returns the offset after them.
    fn indent(&mut self, bytes: &[u8], at: usize) -> usize {
        let line = &bytes[at..];
        let blanks = blanks(line);
        let is_plain = match self.state {
            EntryState::Outside | EntryState::Field => true,
            EntryState::Value => self.meaning != Meaning::Reference,
            EntryState::Type | EntryState::Key => false,
        };
        if !is_plain || line.get(blanks).is_none_or(|byte| b"@\n".contains(byte)) {
            return at;
        }
        self.start = StartState::No;
        if self.state == EntryState::Value {
            self.keep(&line[..blanks]);
        }
        at + blanks
    }

    /// Reads bytes up to the next one that may change the state. Returns the offset after them.
    fn run(&mut self, bytes: &[u8], at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        let rest = &bytes[at..];
        let before = |is_end: fn(&u8) -> bool| {
            let end = rest.iter().position(is_end);
            &rest[..end.unwrap_or(rest.len())]
        };
        match self.state {
            EntryState::Outside => {
                memchr2(b'@', b'\n', rest).map_or(bytes.len(), |length| at + length)
            }
            EntryState::Field => self.field_name(bytes, at),
            EntryState::Key => {
                let key = before(|byte| matches!(byte, b',' | b'=' | b'}' | b')' | b'\n'));
                keep(&mut self.word, 0, key);
                at + key.len()
            }
            EntryState::Value if self.meaning == Meaning::Reference => at,
            EntryState::Value if self.depth > 0 || self.is_quoted => self.nested(bytes, at, report),
            EntryState::Value => {
                let word = before(|byte| matches!(byte, b'{' | b'}' | b'"' | b',' | b')' | b'\n'));
                self.keep(word);
                at + word.len()
            }
            EntryState::Type => at,
        }
    }

    /// Reads the name of a field up to the brace of its value, or to the end of `bytes`. Returns the offset after it.
    fn field_name(&mut self, bytes: &[u8], mut at: usize) -> usize {
        if bytes[at] == b'\n' && !may_start_entry(&bytes[at + 1..]) {
            at += 1;
        }
        at += blanks(&bytes[at..]);
        let ends = |&byte: &u8| byte <= b' ' || matches!(byte, b'=' | b',' | b'}' | b')');
        let rest = &bytes[at..];
        let name = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        let start = self.word.len();
        keep(&mut self.word, 0, name);
        self.word[start..].make_ascii_lowercase();
        at += name.len();
        at += blanks(&bytes[at..]);
        if bytes.get(at) == Some(&b'=') {
            self.here = self.offset + at as u64;
            self.start_value();
            at += 1;
            at += blanks(&bytes[at..]);
            if bytes.get(at) == Some(&b'{') && self.meaning != Meaning::Reference {
                self.depth = 1;
                at += 1;
            }
        }
        at
    }

    /// Counts braces in a value and keeps its text, up to the byte that may end it or to a line that may start an entry. This
    /// loop takes most of the time.
    fn nested(&mut self, bytes: &[u8], from: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        let mut text = from;
        for start in (from..bytes.len()).step_by(Block::SIZE) {
            let block = Block::new(bytes, start);
            let marks = block.find_any([b'{', b'}']) | block.find_any([b'"', b'\n']);
            for at in positions(marks).map(|mark| start + mark) {
                match bytes[at] {
                    b'"' if self.depth > 0 => continue,
                    b'}' if self.depth == 0 => continue,
                    b'\n' if !may_start_entry(&bytes[at + 1..]) => continue,
                    _ => self.keep(&bytes[text..at]),
                }
                match bytes[at] {
                    b'{' => self.depth += 1,
                    b'}' => self.depth -= 1,
                    _ => return at,
                }
                text = at + 1;
                if self.depth == 0 && !self.is_quoted {
                    return self.after_brace(bytes, at, report);
                }
            }
        }
        self.keep(&bytes[text..]);
        bytes.len()
    }

    /// Called at the brace at `at` that ends a value. Returns the offset after it and a comma.
    fn after_brace(&mut self, bytes: &[u8], at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        if self.has_fields && bytes.get(at + 1) == Some(&b',') {
            self.here = self.offset + at as u64 + 1;
            self.end_value(report);
            return at + 2;
        }
        at + 1
    }

    /// Tracks `@type{`, or in an entry in parentheses `@type(` too, at the start of a line. Within an entry, it shows that the entry was not closed: then this starts the new
    /// entry and returns true.
    fn is_resumed(&mut self, byte: u8, at: usize, report: &mut dyn FnMut(Event<'_>)) -> bool {
        let here = self.offset + at as u64;
        self.start = match (self.start, byte) {
            (_, b'\n') => StartState::Line,
            (StartState::Line, b' ' | b'\t' | b'\r') => StartState::Line,
            (StartState::Line, b'@') if self.state != EntryState::Outside => {
                self.start_word.clear();
                StartState::Word(here)
            }
            (StartState::Word(start), byte) if is_type(byte) => {
                keep(&mut self.start_word, 0, &[byte.to_ascii_lowercase()]);
                StartState::Word(start)
            }
            (StartState::Word(start), b'{' | b'(')
                if here > start + 1
                    && self.state != EntryState::Type
                    && (byte == b'{' || self.close == b')') =>
            {
                self.break_off(start, report);
                self.end_entry(report);
                (self.start, self.entry) = (StartState::No, start);
                let word = std::mem::take(&mut self.start_word);
                self.open(byte, &word, report);
                return true;
            }
            _ => StartState::No,
        };
        false
    }

    fn outside(&mut self, byte: u8) {
        if byte == b'@' {
            (self.state, self.entry) = (EntryState::Type, self.here);
            self.word.clear();
        }
    }

    fn entry_type(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        match byte {
            b'{' | b'(' => {
                let word = std::mem::take(&mut self.word);
                self.open(byte, &word, report);
            }
            b'@' => self.outside(byte),
            byte if byte.is_ascii_whitespace() && self.word.last() == Some(&b' ') => {}
            byte if byte.is_ascii_whitespace() => keep(&mut self.word, 0, b" "),
            byte if is_type(byte) && self.word.last() != Some(&b' ') => {
                keep(&mut self.word, 0, &[byte.to_ascii_lowercase()]);
            }
            // An address, or a comment without braces.
            _ => self.state = EntryState::Outside,
        }
    }

    fn open(&mut self, byte: u8, word: &[u8], report: &mut dyn FnMut(Event<'_>)) {
        self.close = if byte == b'{' { b'}' } else { b')' };
        let word = word.trim_ascii();
        self.is_record = !matches!(word, b"comment" | b"string" | b"preamble");
        self.has_fields = self.is_record || self.request.entries && word == b"string";
        self.word.clear();
        (self.depth, self.is_quoted, self.meaning) = (0, false, Meaning::Plain);
        self.is_field = false;
        self.list = ReferenceList::default();
        self.state = match (self.is_record, self.has_fields) {
            (true, _) => EntryState::Key,
            (false, true) => EntryState::Field,
            // A text whose braces are counted.
            (false, false) => EntryState::Value,
        };
        if self.is_record {
            report(Event::Open);
        }
        if self.has_values() {
            report(Event::Item {
                reference: None,
                offset: self.entry,
                path: &String::from_utf8_lossy(word),
            });
        }
    }

    fn key(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        match byte {
            b',' => {
                if self.id.is_none() {
                    identify(0, &self.word, report);
                }
                self.report_key(report);
                self.start_field();
            }
            byte if byte == self.close => {
                self.report_key(report);
                self.end_entry(report);
            }
            // An entry without a key.
            b'=' => self.start_value(),
            byte => keep(&mut self.word, 0, &[byte]),
        }
    }

    fn start_field(&mut self) {
        self.state = EntryState::Field;
        self.meaning = Meaning::Plain;
        self.is_field = false;
        self.word.clear();
    }

    fn field(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        match byte {
            b'=' => self.start_value(),
            b',' => self.word.clear(),
            byte if byte == self.close => self.end_entry(report),
            byte if byte.is_ascii_whitespace() => {}
            byte => keep(&mut self.word, 0, &[byte.to_ascii_lowercase()]),
        }
    }

    fn start_value(&mut self) {
        self.state = EntryState::Value;
        self.value = self.here + 1;
        (self.depth, self.is_quoted) = (0, false);
        self.captured.clear();
        let listed = BIBTEX.iter().find(|(name, _)| name.as_bytes() == self.word);
        self.meaning = match &self.id {
            Some(id) if *id == self.word => Meaning::Id(0),
            _ => listed.map_or(Meaning::Plain, |(_, meaning)| *meaning),
        };
        self.is_field = self.request.fields_named(&self.word).next().is_some();
    }

    /// Whether the values of the entry are reported.
    fn has_values(&self) -> bool {
        self.has_fields && self.request.entries
    }

    fn report_key(&self, report: &mut dyn FnMut(Event<'_>)) {
        if self.has_values() {
            report(Event::Part {
                part: ItemPart::Key,
                text: String::from_utf8_lossy(&self.word).trim(),
                place: (self.here - self.word.len() as u64, self.here),
            });
        }
    }

    /// Reports the value that is read, and ends before an offset.
    fn report_value(&self, part: ItemPart, end: u64, report: &mut dyn FnMut(Event<'_>)) {
        if self.has_values() {
            report(Event::Part {
                part,
                text: &String::from_utf8_lossy(&self.word),
                place: (self.value, end),
            });
        }
    }

    /// Reads a byte of a list of references: a reference starts after the opener of the value, and after a separator.
    fn cited(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        let after = self.here + 1;
        let was_inside = self.depth > 0 || self.is_quoted;
        let is_end = match &*self.word {
            b"references" => self.list.ends_at_semicolon(byte),
            _ => byte == b'\n',
        };
        if was_inside && is_end {
            self.list.end(self.here, &self.request, report);
        }
        self.list.take(byte, &self.request);
        self.value(byte, report);
        let is_inside = self.depth > 0 || self.is_quoted;
        if was_inside && !is_inside {
            self.list.end(self.here, &self.request, report);
        }
        if self.meaning == Meaning::Reference && is_inside && !self.list.is_open() {
            let path = String::from_utf8_lossy(&self.word);
            self.list.start(after, &path, &self.request, report);
        }
    }

    fn value(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        match byte {
            b'{' => self.depth += 1,
            b'}' if self.depth > 0 => self.depth -= 1,
            b'"' if self.depth == 0 && self.has_fields => self.is_quoted = !self.is_quoted,
            _ if self.is_quoted || self.depth > 0 => self.keep(&[byte]),
            b',' if self.has_fields => self.end_value(report),
            byte if byte == self.close => {
                self.end_value(report);
                self.end_entry(report);
            }
            byte => self.keep(&[byte]),
        }
    }

    /// Keeps a part of the value, if the value is captured or identifies the record.
    fn keep(&mut self, part: &[u8]) {
        let max = match self.meaning {
            _ if self.is_field => MAX_CAPTURED_BYTES,
            Meaning::Id(_) => MAX_NAME_BYTES,
            _ => return,
        };
        keep_within(&mut self.captured, max, part);
    }

    fn end_value(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if let Meaning::Id(rank) = self.meaning {
            let end = self.captured.len().min(MAX_NAME_BYTES);
            identify(rank, &self.captured[..end], report);
        }
        self.list.end(self.here, &self.request, report);
        self.report_value(ItemPart::Value, self.here, report);
        if self.is_field {
            let value = (&*self.captured, self.value);
            self.request.report_named(&self.word, value, report);
        }
        self.start_field();
    }

    fn end_entry(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.list.end(self.here, &self.request, report);
        if self.has_values() {
            report(Event::EndItem(self.here));
        }
        if self.is_record {
            report(Event::Close);
        }
        (self.is_record, self.has_fields) = (false, false);
        self.state = EntryState::Outside;
        self.meaning = Meaning::Plain;
    }

    /// Returns the place of the next byte.
    pub(super) fn place(&self) -> BytePlace {
        match self.is_in_field() {
            true => stack::place(self.meaning, self.list.index(), false),
            false => BytePlace::default(),
        }
    }

    /// Appends the path of the next byte.
    pub(super) fn path(&self, path: &mut String) {
        if self.is_in_field() {
            stack::push(&self.word, path);
        }
    }

    fn is_in_field(&self) -> bool {
        self.state == EntryState::Value && self.is_record
    }
}

/// Whether the type of an entry may have this byte. BibTeX has letters only; programs also write digits, `_` and `-`.
pub(super) fn is_type(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Returns false if the first byte of the line that is not blank is not `@`. Returns true if the line has only blanks so far.
fn may_start_entry(line: &[u8]) -> bool {
    line.get(blanks(line)).is_none_or(|first| *first == b'@')
}

/// Returns the number of blanks at the start of `text`.
fn blanks(text: &[u8]) -> usize {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
    text.iter().take_while(is_blank).count()
}
