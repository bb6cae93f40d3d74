//! Reads JSON token by token.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::scalars::{is_scalar, plain_end};
use super::{Event, Json, JsonLines, JsonState, ValueMeaning};
use crate::json_text::string_bytes;
use crate::place::{MAX_NAME_BYTES, keep_within};
use crate::wanted::MAX_CAPTURED_BYTES;

impl Json {
    /// Reads some bytes from `at`. Returns the offset after them.
    pub(super) fn step(
        &mut self,
        bytes: &[u8],
        at: usize,
        report: &mut dyn FnMut(Event<'_>),
    ) -> usize {
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

    /// Opens the object or list at `at`. Returns the offset after its bracket.
    pub(super) fn entered(
        &mut self,
        bytes: &[u8],
        at: usize,
        report: &mut dyn FnMut(Event<'_>),
    ) -> usize {
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
            self.value = self.tables.member(&frame.value, &bytes[name.clone()]);
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
    pub(super) fn comma(&mut self, bytes: &[u8], at: usize) -> usize {
        match bytes.get(at) {
            Some(b',') if self.state == JsonState::Comma && self.levels.count == 0 => {
                self.pass(1);
                at + 1
            }
            _ => at,
        }
    }

    /// Copies the name of the current member if it was not copied yet.
    pub(super) fn keep_name(&mut self, bytes: &[u8]) {
        let name = std::mem::take(&mut self.fresh);
        if name.is_empty() || !(self.request.paths || self.request.has_items()) {
            return;
        }
        if let Some(frame) = self.frames.last() {
            self.names.cut(frame.name);
            self.names.add(frame.name, &bytes[name]);
        }
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
    pub(super) fn reset(&mut self, at: usize, report: &mut dyn FnMut(Event<'_>)) {
        self.here = self.offset + at as u64;
        report(Event::Broken(self.offset + at as u64));
        self.close_all(report);
        self.start_value();
    }

    pub(super) fn fault(
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
            self.value = ValueMeaning::NONE;
        }
    }

    fn end_name(&mut self) {
        self.state = JsonState::Colon;
        if let Some(frame) = self.frames.last().filter(|_| self.levels.count == 0) {
            let name = &string_bytes(self.names.last(frame.name));
            self.value = self.tables.member(&frame.value, name);
        }
    }

    fn start_text(&mut self, state: JsonState, report: &mut dyn FnMut(Event<'_>)) {
        self.state = state;
        self.captured.clear();
        if self.value.is_text_item() && self.levels.count == 0 && self.is_in_list() {
            self.is_text_item = true;
            self.open_item(report);
        }
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
            let max = match self.is_captured() {
                true => MAX_CAPTURED_BYTES,
                false => MAX_NAME_BYTES,
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
}

/// Whether the byte after `before` in a string is escaped. The first byte of `before` must not be escaped.
fn is_escaped(before: &[u8]) -> bool {
    let escapes = before.iter().rev().take_while(|byte| **byte == b'\\');
    escapes.count() % 2 == 1
}
