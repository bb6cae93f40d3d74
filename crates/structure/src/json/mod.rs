//! Reads JSON: one value, JSON Lines, or values one after another.
//!
//! A state machine reads it token by token. `skim` reads the objects and lists of which only mentions are wanted.
//!
//! A fault makes the nesting unknown: a bracket of the wrong kind, a line that starts with a brace where no value may follow, a
//! line of JSON Lines that ends too early, and, except in lenient objects and lists, a value after a value. After a fault the
//! reader continues at the next line that starts with `{`.

mod levels;
mod marks;
mod scalars;
mod skim;

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr2, memchr3};

use levels::OpenBrackets;
use scalars::{is_scalar, plain_end};

use super::json_text::{string_bytes, unescaped};
use super::place::{BytePlace, Event, MAX_LEVELS, MAX_NAME_BYTES, keep_within};
use super::pointers::{PathNode, Pointers};
use super::stack::{self, LevelNames};
use super::table::{Detail, ItemPart, Meaning, RELATIONS};
use super::value::ValueSyntax;
use super::wanted::{FieldNode, FieldTree, MAX_CAPTURED_BYTES, StructureRequest};

/// The reader of a document.
pub(crate) struct Json {
    table: Arc<Pointers>,
    request: Arc<StructureRequest>,
    /// The fields of records, if any are wanted.
    fields: Option<Arc<FieldTree>>,
    frames: Vec<OpenValue>,
    names: LevelNames,
    /// Whether the names of open objects and lists are needed, for paths or items.
    keeps_names: bool,
    /// Open objects and lists without a frame: those beyond the kept depth, or of which only mentions are wanted.
    levels: OpenBrackets,
    state: JsonState,
    /// Whether the byte before was a backslash that was not escaped itself.
    is_escaped: bool,
    /// The name of the current member in the bytes that are read, if it was not copied yet.
    fresh: Range<usize>,
    /// The path in the table of the current or next value.
    node: PathNode,
    meaning: Meaning,
    field: FieldNode,
    detail: Option<Detail>,
    /// Whether the value is a field or a part of an item, so that its text is kept.
    is_captured: bool,
    /// Whether the item that is open is a reference whose text is wanted.
    gathers: bool,
    /// Whether the text that is read is an item.
    is_text_item: bool,
    /// The offset of the last bracket, or of the start or end of the last text.
    here: u64,
    /// The text of an identifier, a relation, or a captured value.
    captured: Vec<u8>,
    /// Whether the related item that is open is a reference.
    cites: bool,
    lines: JsonLines,
    /// Whether the byte before was a line end.
    is_line_start: bool,
    /// The offset before which no other line ends.
    line_end: u64,
    offset: u64,
}

/// An open object or list.
struct OpenValue {
    /// The index of the current item; `None` in an object.
    index: Option<u64>,
    /// Start of the current member's name in `Json::names`.
    name: usize,
    node: PathNode,
    meaning: Meaning,
    field: FieldNode,
    is_record: bool,
    is_item: bool,
    /// Whether only mentions are wanted of it.
    is_lazy: bool,
    /// Whether it holds neither records nor identifiers, so that only few faults count.
    is_lenient: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonState {
    /// A value comes next, or the end of a list.
    Value,
    /// A name comes next, or the end of an object.
    Name,
    Colon,
    /// A comma or an end comes next.
    Comma,
    InName,
    InString,
    InScalar,
    /// After a fault.
    Lost,
}

/// Whether each line is a value, according to the document so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonLines {
    /// No value has ended yet, and no line before its end.
    Unknown,
    /// A value has ended on the line on which it started.
    Maybe,
    Yes,
    No,
}

impl Json {
    pub(super) fn new(request: &Arc<StructureRequest>) -> Json {
        let mut json = Json {
            table: request.json(),
            request: Arc::clone(request),
            fields: request.field_tree(),
            frames: Vec::new(),
            names: LevelNames::default(),
            keeps_names: request.paths || request.has_items(),
            levels: OpenBrackets::default(),
            state: JsonState::Value,
            is_escaped: false,
            fresh: 0..0,
            node: PathNode::NONE,
            meaning: Meaning::Plain,
            field: FieldNode::NONE,
            detail: None,
            is_captured: false,
            gathers: false,
            is_text_item: false,
            here: 0,
            captured: Vec::new(),
            cites: false,
            lines: JsonLines::Unknown,
            is_line_start: true,
            line_end: 0,
            offset: 0,
        };
        json.start_value();
        json
    }

    /// Creates a reader of JSON Lines at the start of a line, at `offset` of the document.
    pub(super) fn at_line(request: &Arc<StructureRequest>, offset: u64) -> Json {
        Json {
            lines: JsonLines::Yes,
            offset,
            ..Json::new(request)
        }
    }

    /// Whether the next byte is the first of a line of JSON Lines. What was read before then does not matter.
    pub(super) fn is_at_line(&self) -> bool {
        self.lines == JsonLines::Yes && self.is_line_start
    }

    /// Expects a value at the start of a document, or after the end of a value.
    fn start_value(&mut self) {
        self.state = JsonState::Value;
        (self.field, self.gathers) = (FieldNode::NONE, false);
        self.set_node(PathNode::VALUE);
    }

    /// Reads the bytes up to `to`. Those after it are only looked at.
    pub(super) fn read(&mut self, bytes: &[u8], to: usize, report: &mut dyn FnMut(Event<'_>)) {
        let mut at = 0;
        while at < to {
            at = match self.is_skimmed() {
                true => self.skim(bytes, at..to, report),
                false => self.step(&bytes[..to], at, report),
            };
        }
        self.keep_name(bytes);
        self.offset += to as u64;
    }

    /// Reads some bytes from `at`. Returns the offset after them.
    fn step(&mut self, bytes: &[u8], at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        match self.state {
            JsonState::InString | JsonState::InName => self.string(bytes, at, report),
            JsonState::InScalar => self.scalar(bytes, at, report),
            JsonState::Lost => self.skip_to_object(bytes, at),
            _ => self.tokens(bytes, at, report),
        }
    }

    /// Reads tokens and whole plain strings. Stops, and returns the offset, before a string that another function must read, or
    /// after an opening bracket.
    fn tokens(&mut self, bytes: &[u8], mut at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        while let Some(&byte) = bytes.get(at) {
            at = match (self.state, byte) {
                _ if self.is_escaped => self.token(bytes, at, report),
                (JsonState::Name, b'"') if self.levels.count == 0 => match plain_end(bytes, at + 1)
                {
                    Some(end) => self.whole_name(bytes, at + 1..end),
                    None => return self.token(bytes, at, report),
                },
                (JsonState::Value, b'"') if !self.is_kept() => match plain_end(bytes, at + 1) {
                    Some(end) => self.after_value(bytes, end + 1),
                    None => return self.token(bytes, at, report),
                },
                (JsonState::Value, b'{' | b'[') => return self.entered(bytes, at, report),
                (JsonState::Colon | JsonState::Comma | JsonState::Name | JsonState::Value, _) => {
                    self.token(bytes, at, report)
                }
                _ => return at,
            };
        }
        at
    }

    /// Whether more than mentions is wanted of the next value.
    fn is_eager(&self) -> bool {
        self.table.is_eager(self.node) || self.field != FieldNode::NONE || self.gathers
    }

    /// Whether the next object or list is only counted and gets no frame.
    fn is_counted(&self) -> bool {
        self.levels.count > 0
            || self.frames.len() >= MAX_LEVELS
            || !self.request.paths && self.node == PathNode::NONE && !self.is_eager()
    }

    /// Whether only mentions are wanted of the current object or list.
    #[inline]
    fn is_lazy(&self) -> bool {
        self.levels.count > 0 || self.frames.last().is_some_and(|frame| frame.is_lazy)
    }

    /// Whether only few kinds of faults count in the current object or list. It does not depend on the wanted fields, so that all
    /// runs report equal faults.
    fn is_lenient(&self) -> bool {
        self.levels.count > 0 || self.frames.last().is_some_and(|frame| frame.is_lenient)
    }

    /// Opens the object or list at `at`. Returns the offset after its bracket.
    fn entered(&mut self, bytes: &[u8], at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        self.is_line_start = false;
        self.keep_name(bytes);
        self.here = self.offset + at as u64;
        self.open(bytes[at], report);
        at + 1
    }

    /// Takes a complete name, and the colon if it is next. Returns the offset after them.
    fn whole_name(&mut self, bytes: &[u8], name: Range<usize>) -> usize {
        self.is_line_start = false;
        let after = name.end + 1;
        if let Some(frame) = self.frames.last() {
            if frame.node != PathNode::NONE || frame.field != FieldNode::NONE {
                let name = &bytes[name.clone()];
                let (node, field) = (frame.node, frame.field);
                self.set_node(self.table.member(node, name));
                self.set_field(self.member_field(field, name));
            }
            self.fresh = name;
        }
        if let Some(frame) = self.frames.last().filter(|_| self.fresh.is_empty()) {
            self.names.cut(frame.name);
        }
        match bytes.get(after) {
            Some(b':') => {
                self.state = JsonState::Value;
                after + 1
            }
            _ => {
                self.state = JsonState::Colon;
                after
            }
        }
    }

    /// Ends a string before `at`, and takes the comma if it is next. Returns the offset after it.
    fn after_value(&mut self, bytes: &[u8], at: usize) -> usize {
        self.is_line_start = false;
        match self.levels.count {
            0 => self.end_value(),
            _ => self.state = JsonState::Comma,
        }
        self.comma(bytes, at)
    }

    /// Takes the comma at `at` if it follows a value. Returns the offset of the next token.
    fn comma(&mut self, bytes: &[u8], at: usize) -> usize {
        match bytes.get(at) {
            Some(b',') if self.state == JsonState::Comma && self.levels.count == 0 => {
                self.pass(1);
                at + 1
            }
            _ => at,
        }
    }

    /// Copies the name of the current member if it was not copied yet.
    fn keep_name(&mut self, bytes: &[u8]) {
        let name = std::mem::take(&mut self.fresh);
        if name.is_empty() || !self.keeps_names {
            return;
        }
        if let Some(frame) = self.frames.last() {
            self.names.cut(frame.name);
            self.names.add(frame.name, &bytes[name]);
        }
    }

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        let is_open = !self.frames.is_empty()
            || matches!(self.state, JsonState::InString | JsonState::InName);
        if is_open && self.state != JsonState::Lost {
            report(Event::Broken(self.offset));
            self.here = self.offset;
        }
        self.close_all(report);
    }

    /// Reads a byte between strings and numbers.
    fn token(&mut self, bytes: &[u8], at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        let (byte, was_line_start) = (bytes[at], self.is_line_start);
        let was_escaped = std::mem::take(&mut self.is_escaped);
        self.is_line_start = byte == b'\n';
        match (byte, self.state) {
            (b' ' | b'\t' | b'\r', _) => {}
            (b'\n', _) => self.newline(at, report),
            (b'"' | b'\\', _) if was_escaped => {}
            (b'\\', _) if self.is_lenient() => self.is_escaped = true,
            (b'{', JsonState::Name) if was_line_start => {
                return self.fault(byte, at, was_line_start, report);
            }
            (b',', _) => self.pass(1),
            (b':', _) => self.state = JsonState::Value,
            (b'}' | b']', _) => {
                self.here = self.offset + at as u64 + 1;
                if !self.close(byte, report) {
                    return self.fault(byte, at, was_line_start, report);
                }
            }
            (_, JsonState::Colon | JsonState::Comma)
                if !self.is_lenient() || was_line_start && byte == b'{' =>
            {
                return self.fault(byte, at, was_line_start, report);
            }
            (b'"', JsonState::Name) => self.start_name(),
            (b'"', _) => {
                self.here = self.offset + at as u64;
                self.start_text(JsonState::InString, report);
            }
            (b'{' | b'[', _) => {
                self.forget_name();
                self.here = self.offset + at as u64;
                self.open(byte, report);
            }
            (byte, _) if is_scalar(byte) => {
                self.forget_name();
                self.here = self.offset + at as u64;
                self.start_text(JsonState::InScalar, report);
                return at;
            }
            _ if self.is_lenient() => {}
            _ => return self.fault(byte, at, was_line_start, report),
        }
        at + 1
    }

    /// Ends a line between strings.
    fn newline(&mut self, at: usize, report: &mut dyn FnMut(Event<'_>)) {
        let is_open = !self.frames.is_empty();
        self.lines = match self.lines {
            JsonLines::Yes if is_open => return self.reset(at, report),
            JsonLines::Unknown | JsonLines::Maybe if is_open => JsonLines::No,
            JsonLines::Maybe => JsonLines::Yes,
            lines => lines,
        };
    }

    /// Reports a fault, closes everything, and expects a new value.
    fn reset(&mut self, at: usize, report: &mut dyn FnMut(Event<'_>)) {
        self.here = self.offset + at as u64;
        report(Event::Broken(self.offset + at as u64));
        self.close_all(report);
        self.start_value();
    }

    fn fault(
        &mut self,
        byte: u8,
        at: usize,
        is_line_start: bool,
        report: &mut dyn FnMut(Event<'_>),
    ) -> usize {
        self.reset(at, report);
        if is_line_start && byte == b'{' {
            self.is_line_start = true;
            return at;
        }
        self.state = JsonState::Lost;
        self.is_line_start = byte == b'\n';
        at + 1
    }

    /// Skips to the next line that starts with an object.
    fn skip_to_object(&mut self, bytes: &[u8], at: usize) -> usize {
        if self.is_line_start && (bytes[at] == b'{' || self.lines == JsonLines::Yes) {
            self.start_value();
            return at;
        }
        self.is_line_start = false;
        match memchr(b'\n', &bytes[at..]) {
            Some(length) => {
                self.is_line_start = true;
                at + length + 1
            }
            None => bytes.len(),
        }
    }

    /// Closes all open objects, lists and items.
    fn close_all(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.levels = OpenBrackets::default();
        self.is_escaped = false;
        if std::mem::take(&mut self.is_text_item) {
            report(Event::EndItem(self.here));
        }
        self.gathers = false;
        while let Some(frame) = self.frames.pop() {
            self.close_frame(&frame, report);
        }
        self.names.cut(0);
        self.fresh = 0..0;
    }

    fn close_frame(&mut self, frame: &OpenValue, report: &mut dyn FnMut(Event<'_>)) {
        if frame.meaning == Meaning::Related {
            report(Event::Related { cites: self.cites });
        }
        if frame.is_item {
            self.gathers = false;
            report(Event::EndItem(self.here));
        }
        if frame.is_record {
            report(Event::Close);
        }
    }

    fn open(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        let is_list = byte == b'[';
        if self.is_counted() {
            return self.count(is_list);
        }
        self.report_nested(report);
        let record = self.table.record(self.node).filter(|_| !is_list);
        if let Some(record) = record {
            report(Event::Open);
            self.node = record;
            self.field = match self.fields {
                Some(_) => FieldNode::RECORD,
                None => FieldNode::NONE,
            };
        }
        let is_item = self.is_item(is_list);
        if is_item {
            self.open_item(report);
        }
        if self.meaning == Meaning::Related {
            self.cites = false;
        }
        self.frames.push(OpenValue {
            index: is_list.then_some(0),
            name: self.names.end(),
            node: self.node,
            meaning: self.meaning,
            field: self.field,
            is_record: record.is_some(),
            is_item,
            is_lazy: !self.is_eager(),
            is_lenient: !self.table.is_strict(self.node),
        });
        if is_list {
            self.item()
        } else {
            self.state = JsonState::Name
        }
    }

    /// Reports an object or a list where a field of the record should have a value.
    fn report_nested(&self, report: &mut dyn FnMut(Event<'_>)) {
        let fields = self.fields.as_ref();
        for &number in fields.map_or(&[][..], |fields| fields.numbers(self.field)) {
            report(Event::Field {
                number,
                text: None,
                offset: self.here,
            });
        }
    }

    /// Opens an object or a list that has no frame.
    #[inline]
    fn count(&mut self, is_list: bool) {
        self.levels.open(is_list);
        self.state = match is_list {
            true => JsonState::Value,
            false => JsonState::Name,
        };
    }

    /// Closes an object or a list. Returns false if the innermost one is of another kind than `byte`.
    fn close(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) -> bool {
        if self.levels.count > 0 {
            self.state = JsonState::Comma;
            return self.levels.close(byte == b']');
        }
        let Some(frame) = self
            .frames
            .pop_if(|frame| frame.index.is_some() == (byte == b']'))
        else {
            return self.frames.is_empty();
        };
        self.names.cut(frame.name);
        self.fresh = 0..0;
        self.close_frame(&frame, report);
        (self.node, self.meaning) = (frame.node, frame.meaning);
        self.field = frame.field;
        self.end_value();
        true
    }

    /// Expects the end of the object or list, or a comma; after an outermost value, the next value.
    fn end_value(&mut self) {
        if !self.frames.is_empty() {
            self.state = JsonState::Comma;
            return;
        }
        self.start_value();
        if self.lines == JsonLines::Unknown {
            self.lines = JsonLines::Maybe;
        }
    }

    /// Passes commas: expects the next item, member or value.
    fn pass(&mut self, commas: u64) {
        match self.frames.last_mut() {
            _ if commas == 0 => {}
            Some(OpenValue {
                index: Some(index), ..
            }) if self.levels.count == 0 => {
                *index += commas;
                self.item();
            }
            Some(_) if self.levels.count == 0 => self.state = JsonState::Name,
            _ => self.state = JsonState::Value,
        }
    }

    /// Expects an item of a list, and looks up its path.
    fn item(&mut self) {
        self.state = JsonState::Value;
        if let Some(frame) = self.frames.last() {
            let (field, index) = (frame.field, frame.index.unwrap_or(0));
            self.set_node(self.table.item(frame.node));
            let fields = self.fields.as_ref();
            self.set_field(fields.map_or(FieldNode::NONE, |fields| fields.item(field, index)));
        }
    }

    fn set_node(&mut self, node: PathNode) {
        self.node = node;
        self.meaning = self.table.meaning(node);
        self.detail = self.table.detail(node);
        self.is_captured = self.detail.is_some() || self.gathers;
    }

    fn set_field(&mut self, field: FieldNode) {
        if let Some(fields) = &self.fields {
            self.field = field;
            self.is_captured |= !fields.numbers(field).is_empty();
        }
    }

    /// Returns the field of the member `name` of the object at `node`.
    fn member_field(&self, node: FieldNode, name: &[u8]) -> FieldNode {
        let fields = self.fields.as_ref();
        fields.map_or(FieldNode::NONE, |fields| fields.member(node, name))
    }

    /// Whether the object or list that comes next is an item.
    fn is_item(&self, is_list: bool) -> bool {
        match self.detail {
            Some(Detail::Item) => !is_list && self.is_in_list(),
            Some(Detail::Relation) => true,
            _ => false,
        }
    }

    fn is_in_list(&self) -> bool {
        self.frames
            .last()
            .is_some_and(|frame| frame.index.is_some())
    }

    /// Starts an item at the value that comes next.
    fn open_item(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        let mut path = String::new();
        if self.request.paths {
            self.path(&mut path);
        }
        let index = self.frames.last().and_then(|frame| frame.index);
        report(Event::Item {
            reference: index.filter(|_| self.meaning.is_item()),
            offset: self.here,
            path: &path,
        });
        self.gathers = self.request.texts && self.meaning.is_item();
        if let (Some(Detail::Relation), Some(frame)) = (self.detail, self.frames.last()) {
            let text = &unescaped(self.names.last(frame.name));
            let part = ItemPart::Relation;
            let place = (self.here, self.here);
            report(Event::Part { part, text, place });
        }
    }

    fn start_name(&mut self) {
        self.state = JsonState::InName;
        self.fresh = 0..0;
        if let Some(frame) = self.frames.last().filter(|_| self.levels.count == 0) {
            self.names.cut(frame.name);
        }
    }

    /// Removes the current name and path if a value follows where a name is expected.
    fn forget_name(&mut self) {
        if self.state == JsonState::Name {
            self.start_name();
            self.set_node(PathNode::NONE);
            self.set_field(FieldNode::NONE);
        }
    }

    fn end_name(&mut self) {
        self.state = JsonState::Colon;
        if let Some(frame) = self.frames.last().filter(|_| self.levels.count == 0) {
            let name = &string_bytes(self.names.last(frame.name));
            let node = self.table.member(frame.node, name);
            let field = self.member_field(frame.field, name);
            self.set_node(node);
            self.set_field(field);
        }
    }

    fn start_text(&mut self, state: JsonState, report: &mut dyn FnMut(Event<'_>)) {
        self.state = state;
        self.captured.clear();
        let is_item = self.detail == Some(Detail::Item) && self.meaning.is_item();
        if is_item && self.levels.count == 0 && self.is_in_list() {
            self.is_text_item = true;
            self.open_item(report);
        }
    }

    fn is_kept(&self) -> bool {
        self.levels.count == 0
            && (self.is_captured || matches!(self.meaning, Meaning::Id(_) | Meaning::Relation))
    }

    /// Reads a string, or a name, up to its end.
    fn string(&mut self, bytes: &[u8], from: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        let ends_line = self.lines == JsonLines::Yes && bytes[from] == b'\n';
        let escapes = from + usize::from(std::mem::take(&mut self.is_escaped) && !ends_line);
        let mut at = from;
        let end = loop {
            if std::mem::take(&mut self.is_line_start) && bytes[at] == b'{' {
                return self.fault(bytes[at], at, true, report);
            }
            at = at.max(escapes);
            match memchr2(b'"', b'\n', &bytes[at..]) {
                None => break bytes.len(),
                Some(length) => at += length,
            }
            match bytes[at] {
                b'\n' if self.lines == JsonLines::Yes => {
                    self.reset(at, report);
                    self.is_line_start = true;
                    return at + 1;
                }
                _ if is_escaped(&bytes[escapes..at]) => {}
                b'"' => break at,
                _ => self.is_line_start = true,
            }
            at += 1;
            if at == bytes.len() {
                break at;
            }
        };
        self.keep(&bytes[from..end]);
        if end == bytes.len() {
            self.is_escaped = is_escaped(&bytes[escapes..]);
        } else {
            self.here = self.offset + end as u64 + 1;
            match self.state {
                JsonState::InName => self.end_name(),
                _ => self.end_text(report),
            }
        }
        end + 1
    }

    /// Keeps a piece of a name, or of a text that is needed.
    fn keep(&mut self, piece: &[u8]) {
        if self.state == JsonState::InName {
            if let Some(frame) = self.frames.last().filter(|_| self.levels.count == 0) {
                self.names.add(frame.name, piece);
            }
        } else if self.is_kept() {
            let max = if self.is_captured {
                MAX_CAPTURED_BYTES
            } else {
                MAX_NAME_BYTES
            };
            keep_within(&mut self.captured, max, piece);
        }
    }

    /// Reads a number or a word up to its end.
    fn scalar(&mut self, bytes: &[u8], from: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        let length = bytes[from..].iter().position(|&byte| !is_scalar(byte));
        let end = length.map_or(bytes.len(), |length| from + length);
        self.keep(&bytes[from..end]);
        if end < bytes.len() {
            self.here = self.offset + end as u64;
            self.end_text(report);
        }
        end
    }

    fn end_text(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if self.is_kept() {
            match self.meaning {
                Meaning::Relation => {
                    self.cites |= RELATIONS.contains(&&*string_bytes(&self.captured))
                }
                Meaning::Id(rank) => {
                    let text = unescaped(&self.captured[..self.captured.len().min(MAX_NAME_BYTES)]);
                    if !matches!(text.trim(), "" | "null") {
                        report(Event::Id {
                            rank,
                            text: text.trim(),
                        });
                    }
                }
                _ => {}
            }
            if self.is_captured {
                self.report_captured(report);
            }
        }
        match self.levels.count {
            0 => self.end_value(),
            _ => self.state = JsonState::Comma,
        }
    }

    /// Reports a text that is a field, a part of an item, or an item.
    fn report_captured(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        let text = &unescaped(&self.captured);
        let is_null = self.state == JsonState::InScalar && text == "null";
        let end = self.here - u64::from(self.state != JsonState::InScalar);
        let place = (end.saturating_sub(self.captured.len() as u64), end);
        if let Some(fields) = self.fields.as_ref().filter(|_| !is_null) {
            let offset = place.0;
            for &number in fields.numbers(self.field) {
                report(Event::Field {
                    number,
                    text: Some(text),
                    offset,
                });
            }
        }
        match self.detail {
            _ if is_null => {}
            Some(Detail::Part(part)) => report(Event::Part { part, text, place }),
            _ if self.gathers => report(Event::Part {
                part: ItemPart::Piece,
                text,
                place,
            }),
            _ => {}
        }
        if std::mem::take(&mut self.is_text_item) {
            self.gathers = false;
            report(Event::EndItem(self.here));
        }
    }

    /// Returns the syntax of the value that has the next byte, if that is in a string.
    pub(super) fn value(&self) -> Option<ValueSyntax> {
        (self.state == JsonState::InString).then_some(ValueSyntax::Json)
    }

    /// Returns the place of the next byte.
    #[inline]
    pub(super) fn place(&self) -> BytePlace {
        if self.state == JsonState::Lost {
            return BytePlace::default();
        }
        let is_plain = self.is_in_name() || self.levels.count > 0;
        let meaning = if is_plain {
            Meaning::Plain
        } else {
            self.meaning
        };
        let (reference, is_related) = self.reference();
        stack::place(meaning, reference, is_related)
    }

    /// Returns the index of the innermost open reference or related item, and whether it is a related item.
    fn reference(&self) -> (Option<u64>, bool) {
        let inner = self.frames.iter().skip(1).map(|frame| frame.meaning);
        let meanings = inner.chain([self.meaning]);
        let items = self.frames.iter().zip(meanings);
        let is_item = |meaning| matches!(meaning, Meaning::Reference | Meaning::Related);
        let items = items.filter(|(frame, meaning)| frame.index.is_some() && is_item(*meaning));
        items.last().map_or((None, false), |(frame, meaning)| {
            (frame.index, meaning == Meaning::Related)
        })
    }

    /// Appends the path of the next byte.
    pub(super) fn path(&self, path: &mut String) {
        if self.state == JsonState::Lost {
            return;
        }
        for (level, frame) in self.frames.iter().enumerate() {
            let next = self.frames.get(level + 1);
            if self.is_in_name() && next.is_none() && frame.index.is_none() {
                break;
            }
            path.push('/');
            match frame.index {
                // Writing to a string cannot fail.
                Some(index) => drop(write!(path, "{index}")),
                None => push_name(
                    self.names
                        .name(frame.name, next.map_or(self.names.end(), |next| next.name)),
                    path,
                ),
            }
        }
    }

    fn is_in_name(&self) -> bool {
        matches!(self.state, JsonState::Name | JsonState::InName)
    }
}

/// Whether the byte after `before` in a string is escaped. The first byte of `before` must not be escaped.
fn is_escaped(before: &[u8]) -> bool {
    let escapes = before.iter().rev().take_while(|byte| **byte == b'\\');
    escapes.count() % 2 == 1
}

/// Appends a name, as written in JSON, as a step of a JSON pointer.
fn push_name(name: &[u8], path: &mut String) {
    if memchr3(b'~', b'/', b'\\', name).is_none() {
        return stack::push(name, path);
    }
    for char in unescaped(name).chars() {
        match char {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            char => path.push(char),
        }
    }
}
