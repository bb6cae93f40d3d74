//! Reads the block style of YAML, as CITATION.cff has it: mappings and sequences by indentation, and scalars on one or more lines.
//! Paths have the meanings that they have in JSON. Flow style (`[a, b]`) is text of its value. No fault is reported: each line
//! shows its level.

use std::fmt::Write;
use std::sync::Arc;

use super::json_text::unescaped;
use super::place::{BytePlace, Event, MAX_LEVELS, MAX_NAME_BYTES, identify, keep_within};
use super::pointers::{PathNode, Pointers};
use super::stack::{self, LevelNames};
use super::table::{Detail, ItemPart, Meaning};
use super::value::ValueSyntax;
use super::wanted::{FieldNode, FieldTree, MAX_CAPTURED_BYTES, StructureRequest};

/// The reader of a document.
pub(crate) struct Yaml {
    table: Arc<Pointers>,
    request: Arc<StructureRequest>,
    fields: Option<Arc<FieldTree>>,
    levels: Vec<YamlLevel>,
    names: LevelNames,
    is_record: bool,
    state: LineState,
    /// Column of the byte that is read.
    column: usize,
    /// A key, or a scalar without one, and its column.
    word: Vec<u8>,
    word_column: usize,
    /// The place of the current or next value.
    value: ValueNode,
    text: Vec<u8>,
    /// Offsets of the start and the end of the text in the document.
    range: (u64, u64),
    /// Lines that start after this column continue the value that is open.
    continued: Option<usize>,
    /// The quote around the value, until its end, and whether the byte before escapes the next.
    quote: Option<u8>,
    is_escaped: bool,
    offset: u64,
}

/// The paths of a value.
#[derive(Clone, Copy)]
struct ValueNode {
    path: PathNode,
    field: FieldNode,
}

impl ValueNode {
    const NONE: ValueNode = ValueNode {
        path: PathNode::NONE,
        field: FieldNode::NONE,
    };
}

/// An open mapping or sequence.
struct YamlLevel {
    column: usize,
    /// The index of the current item; `None` in a mapping.
    index: Option<u64>,
    /// Start of the current key in `Yaml::names`.
    name: usize,
    node: ValueNode,
    /// Whether the current item of the sequence was reported.
    is_item: bool,
}

/// The part of a line that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineState {
    /// Before the content.
    Indent,
    /// After a `-` that may start an item.
    Dash,
    /// In a key, or in a scalar without one.
    Word,
    /// After the colon of a key.
    Colon,
    /// In the text of a value.
    Text,
    /// After the value, where only a comment may be.
    Rest,
}

impl Yaml {
    /// Whether a document that starts with `head` is a CITATION.cff.
    pub(super) fn is_citation_file(head: &[u8]) -> bool {
        let mut lines = head.split(|byte| *byte == b'\n');
        lines.any(|line| line.starts_with(b"cff-version:"))
    }

    pub(super) fn new(request: &Arc<StructureRequest>) -> Yaml {
        Yaml {
            table: request.json(),
            request: Arc::clone(request),
            fields: request.field_tree(),
            levels: Vec::new(),
            names: LevelNames::default(),
            is_record: false,
            state: LineState::Indent,
            column: 0,
            word: Vec::new(),
            word_column: 0,
            value: ValueNode::NONE,
            text: Vec::new(),
            range: (0, 0),
            continued: None,
            quote: None,
            is_escaped: false,
            offset: 0,
        }
    }

    pub(super) fn read(&mut self, bytes: &[u8], report: &mut dyn FnMut(Event<'_>)) {
        for &byte in bytes {
            match byte {
                b'\n' => self.end_line(report),
                byte => self.byte(byte, report),
            }
            self.offset += 1;
        }
    }

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.end_line(report);
        self.end_record(report);
    }

    /// Reads a byte of a line.
    fn byte(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        match self.state {
            LineState::Indent if matches!(byte, b' ' | b'\r') => {}
            LineState::Indent => self.content(byte, report),
            LineState::Dash if matches!(byte, b' ' | b'\r') => {
                self.start_item(report);
                self.state = LineState::Indent;
            }
            LineState::Dash if self.column == 1 && byte == b'-' => {
                self.end_record(report);
                self.state = LineState::Rest;
            }
            LineState::Dash => {
                self.start_word(self.column - 1, report);
                self.word.push(b'-');
                self.word(byte);
            }
            LineState::Word if matches!(byte, b' ' | b'\r') && self.word.ends_with(b":") => {
                self.end_key(report);
            }
            LineState::Word => self.word(byte),
            LineState::Colon => self.start_text(byte),
            LineState::Text => self.text(byte),
            LineState::Rest => {}
        }
        self.column += 1;
    }

    fn end_line(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        match self.state {
            LineState::Dash => self.start_item(report),
            LineState::Word if self.word.ends_with(b":") => self.end_key(report),
            LineState::Word => {
                // A scalar without a key is the value of an item.
                self.text = std::mem::take(&mut self.word);
                self.continued = self.levels.last().map(|last| last.column);
            }
            _ => {}
        }
        self.state = LineState::Indent;
        self.column = 0;
    }

    /// Takes the first byte of the content of a line or an item.
    fn content(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        let is_deeper = self.continued.is_some_and(|owner| self.column > owner);
        if self.quote.is_some() || is_deeper {
            self.state = LineState::Text;
            if !self.text.is_empty() {
                self.text.push(b' ');
            }
            return self.text(byte);
        }
        self.end_value(report);
        match byte {
            b'#' => self.state = LineState::Rest,
            b'-' => self.state = LineState::Dash,
            byte => {
                self.start_word(self.column, report);
                self.word(byte);
            }
        }
    }

    /// Starts a key or a scalar at a column, and ends the levels that are deeper.
    fn start_word(&mut self, column: usize, report: &mut dyn FnMut(Event<'_>)) {
        self.close(report, |level| level.column > column);
        // A sequence may be at the column of its key.
        self.close(report, |level| {
            level.column == column && level.index.is_some()
        });
        if self.levels.last().is_some_and(|last| last.column == column) {
            self.value = ValueNode::NONE;
        }
        self.word.clear();
        self.word_column = column;
        self.range = (self.offset, self.offset);
        self.state = LineState::Word;
    }

    fn word(&mut self, byte: u8) {
        keep_within(&mut self.word, MAX_NAME_BYTES, &[byte]);
        self.range.1 = self.offset + 1;
    }

    /// Ends a key whose colon was read.
    fn end_key(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.state = LineState::Colon;
        let column = self.word_column;
        if self.levels.is_empty() {
            self.start_record(report);
        }
        if self.levels.last().is_none_or(|last| last.column != column) {
            self.push(column, None);
        }
        let Some(last) = self.levels.last() else {
            return;
        };
        let name = match &self.word[..self.word.len() - 1] {
            [open @ (b'"' | b'\''), name @ .., end] if open == end => name,
            name => name,
        };
        self.names.cut(last.name);
        self.names.add(last.name, name);
        self.value = ValueNode {
            path: self.table.member(last.node.path, name),
            field: self.field(|fields| fields.member(last.node.field, name)),
        };
    }

    /// Takes a byte after the colon of a key.
    fn start_text(&mut self, byte: u8) {
        match byte {
            b' ' | b'\r' => return,
            b'#' => {
                self.state = LineState::Rest;
                return;
            }
            // The text is on deeper lines.
            b'|' | b'>' => self.state = LineState::Rest,
            b'"' | b'\'' => {
                self.quote = Some(byte);
                self.state = LineState::Text;
            }
            byte => {
                self.state = LineState::Text;
                self.text(byte);
            }
        }
        self.continued = Some(self.word_column);
    }

    /// Keeps a byte of the value, and finds its end.
    fn text(&mut self, byte: u8) {
        let is_comment = byte == b'#' && self.quote.is_none() && self.text.last() == Some(&b' ');
        if is_comment || self.quote == Some(byte) && !self.is_escaped {
            self.quote = None;
            self.state = LineState::Rest;
            return;
        }
        self.is_escaped = byte == b'\\' && self.quote == Some(b'"') && !self.is_escaped;
        if self.text.is_empty() {
            self.range.0 = self.offset;
        }
        if !byte.is_ascii_whitespace() {
            self.range.1 = self.offset + 1;
        }
        keep_within(&mut self.text, MAX_CAPTURED_BYTES, &[byte]);
    }

    /// Starts an item of a sequence, whose dash is before the byte that is read.
    fn start_item(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        let column = self.column - 1;
        self.close(report, |level| level.column > column);
        match self.levels.last_mut() {
            Some(YamlLevel {
                column: last,
                index: Some(index),
                is_item,
                ..
            }) if *last == column => {
                *index += 1;
                if std::mem::take(is_item) {
                    report(Event::EndItem(self.range.1));
                }
            }
            _ => self.push(column, Some(0)),
        }
        let Some(last) = self.levels.last() else {
            return;
        };
        let index = last.index.unwrap_or_default();
        self.value = ValueNode {
            path: self.table.item(last.node.path),
            field: self.field(|fields| fields.item(last.node.field, index)),
        };
        if self.table.meaning(self.value.path) == Meaning::Reference && self.request.has_items() {
            self.start_reference(index, report);
        }
    }

    fn start_reference(&mut self, index: u64, report: &mut dyn FnMut(Event<'_>)) {
        let mut path = String::new();
        if self.request.paths {
            self.path(&mut path);
        }
        self.range = (self.offset, self.offset);
        report(Event::Item {
            reference: Some(index),
            offset: self.offset - 1,
            path: &path,
        });
        if let Some(last) = self.levels.last_mut() {
            last.is_item = true;
        }
    }

    fn start_record(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.is_record = true;
        report(Event::Open);
        self.value = ValueNode {
            path: self.table.record(PathNode::VALUE).unwrap_or(PathNode::NONE),
            field: self.field(|_| FieldNode::RECORD),
        };
    }

    fn end_record(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.end_value(report);
        self.close(report, |_| true);
        if std::mem::take(&mut self.is_record) {
            report(Event::Close);
        }
    }

    fn field(&self, next: impl Fn(&FieldTree) -> FieldNode) -> FieldNode {
        self.fields.as_deref().map_or(FieldNode::NONE, next)
    }

    /// Opens a level for the current value.
    fn push(&mut self, column: usize, index: Option<u64>) {
        if self.levels.len() < MAX_LEVELS {
            self.levels.push(YamlLevel {
                column,
                index,
                name: self.names.end(),
                node: self.value,
                is_item: false,
            });
        }
    }

    /// Closes the innermost levels as long as they are such.
    fn close(&mut self, report: &mut dyn FnMut(Event<'_>), is_such: impl Fn(&YamlLevel) -> bool) {
        while let Some(last) = self.levels.pop_if(|last| is_such(last)) {
            self.names.cut(last.name);
            if last.is_item {
                report(Event::EndItem(self.range.1));
            }
        }
    }

    /// Ends the value that is open, and reports it.
    fn end_value(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.continued = None;
        let written = std::mem::take(&mut self.text);
        let text = unescaped(written.trim_ascii());
        if text.is_empty() {
            return;
        }
        if let Meaning::Id(rank) = self.table.meaning(self.value.path) {
            identify(rank, text.as_bytes(), report);
        }
        let fields = self.fields.as_deref();
        for &number in fields.map_or(&[][..], |fields| fields.numbers(self.value.field)) {
            report(Event::Field {
                number,
                text: Some(&text),
                offset: self.range.0,
            });
        }
        let is_in_item = self.levels.iter().any(|level| level.is_item);
        let part = match self.table.detail(self.value.path) {
            Some(Detail::Part(part)) => Some(part),
            _ => (is_in_item && self.request.texts).then_some(ItemPart::Piece),
        };
        if let Some(part) = part {
            report(Event::Part {
                part,
                text: &text,
                place: self.range,
            });
        }
    }

    /// Returns the syntax of the value that has the next byte.
    pub(super) fn value(&self) -> Option<ValueSyntax> {
        matches!(self.state, LineState::Colon | LineState::Text).then_some(ValueSyntax::Yaml)
    }

    /// Returns the place of the next byte.
    pub(super) fn place(&self) -> BytePlace {
        if self.state == LineState::Rest {
            return BytePlace::default();
        }
        let inner = self.levels.iter().skip(1).map(|level| level.node.path);
        let nodes = inner.chain([self.value.path]);
        let references = self.levels.iter().zip(nodes);
        let references = references
            .filter(|(_, node)| self.table.meaning(*node) == Meaning::Reference)
            .filter_map(|(level, _)| level.index);
        let meaning = self.table.meaning(self.value.path);
        stack::place(meaning, references.last(), false)
    }

    /// Appends the path of the next byte.
    pub(super) fn path(&self, path: &mut String) {
        if self.state == LineState::Rest {
            return;
        }
        for (at, level) in self.levels.iter().enumerate() {
            path.push('/');
            let next = self.levels.get(at + 1);
            let end = next.map_or(self.names.end(), |next| next.name);
            match level.index {
                // Writing to a string cannot fail.
                Some(index) => drop(write!(path, "{index}")),
                None => stack::push(self.names.name(level.name, end), path),
            }
        }
    }
}
