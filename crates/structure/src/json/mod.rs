//! Reads JSON: one value, JSON Lines, or values one after another.
//!
//! `tokens` is a state machine that reads it token by token, and `skim` reads the objects and lists of which only mentions are wanted.
//! `meaning` looks up what a value means.
//!
//! A fault makes the nesting unknown: a bracket of the wrong kind, a line that starts with a brace where no value may follow, a
//! line of JSON Lines that ends too early, and, except in lenient objects and lists, a value after a value. After a fault the
//! reader continues at the next line that starts with `{`.

mod levels;
mod marks;
mod meaning;
mod scalars;
mod skim;
mod tokens;

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr3;

use levels::OpenBrackets;
use meaning::{FrameMode, JsonTables, ValueMeaning};

use super::json_text::{string_bytes, unescaped};
use super::place::{BytePlace, Event, MAX_LEVELS, MAX_NAME_BYTES};
use super::pointers::PathNode;
use super::stack::{self, LevelNames};
use super::table::{Detail, ItemPart, Meaning, RELATIONS};
use super::value::ValueSyntax;
use super::wanted::StructureRequest;

/// The reader of a document.
pub(crate) struct Json {
    tables: JsonTables,
    request: Arc<StructureRequest>,
    frames: Vec<OpenValue>,
    names: LevelNames,
    /// Open objects and lists without a frame: those beyond the kept depth, or of which only mentions are wanted.
    levels: OpenBrackets,
    state: JsonState,
    /// Whether the byte before was a backslash that was not escaped itself.
    is_escaped: bool,
    /// The name of the current member in the bytes that are read, if it was not copied yet.
    fresh: Range<usize>,
    /// The current or next value.
    value: ValueMeaning,
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
    value: ValueMeaning,
    is_record: bool,
    is_item: bool,
    mode: FrameMode,
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
            tables: JsonTables::new(request),
            request: Arc::clone(request),
            frames: Vec::new(),
            names: LevelNames::default(),
            levels: OpenBrackets::default(),
            state: JsonState::Value,
            is_escaped: false,
            fresh: 0..0,
            value: ValueMeaning::NONE,
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
        self.gathers = false;
        self.value = self.tables.outermost();
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

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        let is_open = !self.frames.is_empty()
            || matches!(self.state, JsonState::InString | JsonState::InName);
        if is_open && self.state != JsonState::Lost {
            report(Event::Broken(self.offset));
            self.here = self.offset;
        }
        self.close_all(report);
    }

    /// Returns how the current object or list is read.
    #[inline]
    fn mode(&self) -> FrameMode {
        match self.frames.last() {
            _ if self.levels.count > 0 => FrameMode::Skim,
            Some(frame) => frame.mode,
            None => FrameMode::Record,
        }
    }

    /// Whether only few kinds of faults count in the current object or list.
    fn is_lenient(&self) -> bool {
        self.mode() != FrameMode::Record
    }

    /// Whether the next object or list is only counted and gets no frame.
    fn is_counted(&self) -> bool {
        self.levels.count > 0
            || self.frames.len() >= MAX_LEVELS
            || !self.request.paths
                && self.value.node == PathNode::NONE
                && self.tables.mode(&self.value, self.gathers) == FrameMode::Skim
    }

    fn open(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        let is_list = byte == b'[';
        if self.is_counted() {
            return self.count(is_list);
        }
        self.report_nested(report);
        let record = self.tables.record(&self.value).filter(|_| !is_list);
        if let Some(record) = record {
            report(Event::Open);
            self.value = record;
        }
        let is_item = self.is_item(is_list);
        if is_item {
            self.open_item(report);
        }
        if self.value.meaning == Meaning::Related {
            self.cites = false;
        }
        self.frames.push(OpenValue {
            index: is_list.then_some(0),
            name: self.names.end(),
            value: self.value,
            is_record: record.is_some(),
            is_item,
            mode: self.tables.mode(&self.value, self.gathers),
        });
        match is_list {
            true => self.item(),
            false => self.state = JsonState::Name,
        }
    }

    /// Reports an object or a list where a field of the record should have a value.
    fn report_nested(&self, report: &mut dyn FnMut(Event<'_>)) {
        for &number in self.tables.fields_of(&self.value) {
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
        self.value = frame.value;
        self.end_value();
        true
    }

    fn close_frame(&mut self, frame: &OpenValue, report: &mut dyn FnMut(Event<'_>)) {
        if frame.value.meaning == Meaning::Related {
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
            self.value = self.tables.item(&frame.value, frame.index.unwrap_or(0));
        }
    }

    /// Whether the object or list that comes next is an item.
    fn is_item(&self, is_list: bool) -> bool {
        match self.value.detail {
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
            reference: index.filter(|_| self.value.meaning.is_item()),
            offset: self.here,
            path: &path,
        });
        self.gathers = self.request.texts && self.value.meaning.is_item();
        if let (Some(Detail::Relation), Some(frame)) = (self.value.detail, self.frames.last()) {
            let text = &unescaped(self.names.last(frame.name));
            let part = ItemPart::Relation;
            let place = (self.here, self.here);
            report(Event::Part { part, text, place });
        }
    }

    fn is_kept(&self) -> bool {
        self.levels.count == 0 && (self.value.is_kept() || self.gathers)
    }

    /// Whether the text of the value is reported.
    fn is_captured(&self) -> bool {
        self.value.is_captured || self.gathers
    }

    fn end_text(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if self.is_kept() {
            match self.value.meaning {
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
            if self.is_captured() {
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
        let fields = self.tables.fields_of(&self.value).iter();
        for &number in fields.filter(|_| !is_null) {
            let (text, offset) = (Some(&**text), place.0);
            report(Event::Field {
                number,
                text,
                offset,
            });
        }
        let part = match self.value.detail {
            Some(Detail::Part(part)) => Some(part),
            _ => self.gathers.then_some(ItemPart::Piece),
        };
        if let Some(part) = part.filter(|_| !is_null) {
            report(Event::Part { part, text, place });
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
            self.value.meaning
        };
        let (reference, is_related) = self.reference();
        stack::place(meaning, reference, is_related)
    }

    /// Returns the index of the innermost open reference or related item, and whether it is a related item.
    fn reference(&self) -> (Option<u64>, bool) {
        let inner = self.frames.iter().skip(1).map(|frame| frame.value.meaning);
        let meanings = inner.chain([self.value.meaning]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_after_a_missing_comma_is_an_item() {
        let wanted = Arc::new(StructureRequest {
            items: true,
            ..StructureRequest::default()
        });
        let text = br#"{"reference":[{"DOI":"a"}{"title":"b"}"c",{"key":"d"}]}"#;
        let (mut json, mut items) = (Json::new(&wanted), 0);
        json.read(text, text.len(), &mut |event| {
            items += usize::from(matches!(event, Event::Item { .. }));
        });
        assert_eq!(items, 4);
    }
}
