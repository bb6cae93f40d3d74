//! Reads BibTeX: entries, their keys and fields.
//!
//! Braces are counted as BibTeX counts them, escaped ones too. An entry that starts at the start of a line ends one that was never
//! closed.

use super::place::{Event, Place, keep};
use super::stack;
use super::table::{BIBTEX, Meaning, RecordId};

/// The reader of a document.
pub(crate) struct Bibtex {
    state: EntryState,
    /// The type of the entry, its key, or the name of the field: in lower case, but for the key.
    word: Vec<u8>,
    /// The byte that closes the entry.
    close: u8,
    is_record: bool,
    /// Braces that are open in a value, without those of the entry.
    depth: usize,
    /// Whether the value is between quotes.
    is_quoted: bool,
    meaning: Meaning,
    kept: Vec<u8>,
    /// The start of an entry at the start of a line, as far as it was read.
    start: StartState,
    /// The field that holds the identifier, instead of the key.
    id: Option<Vec<u8>>,
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
    pub(super) fn new(id: Option<&RecordId>) -> Bibtex {
        let field = id.and_then(|id| id.steps().next_back());
        Bibtex {
            state: EntryState::Outside,
            word: Vec::new(),
            close: b'}',
            is_record: false,
            depth: 0,
            is_quoted: false,
            meaning: Meaning::Plain,
            kept: Vec::new(),
            start: StartState::Line,
            id: field.map(|field| field.to_ascii_lowercase().into()),
            offset: 0,
        }
    }

    pub(super) fn read(&mut self, bytes: &[u8], report: &mut dyn FnMut(Event<'_>)) {
        let mut at = 0;
        while at < bytes.len() {
            at = self.skip(bytes, at);
            let Some(&byte) = bytes.get(at) else { break };
            if self.is_resumed(byte, at, report) {
                at += 1;
                continue;
            }
            match self.state {
                EntryState::Outside => self.outside(byte),
                EntryState::Type => self.entry_type(byte, report),
                EntryState::Key => self.key(byte, report),
                EntryState::Field => self.field(byte, report),
                EntryState::Value => self.value(byte, report),
            }
            at += 1;
        }
        self.offset += bytes.len() as u64;
    }

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if !matches!(self.state, EntryState::Outside | EntryState::Type) {
            report(Event::Broken(self.offset));
        }
        self.end_entry(report);
    }

    /// Skips the bytes of a value, or between entries, that change nothing.
    fn skip(&mut self, bytes: &[u8], at: usize) -> usize {
        let is_value = self.state == EntryState::Value && (self.depth > 0 || self.is_quoted);
        if self.start != StartState::No || !is_value {
            return at;
        }
        let rest = &bytes[at..];
        let ends = |byte: &u8| matches!(byte, b'{' | b'}' | b'"' | b'\n');
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        if let Meaning::Id(_) = self.meaning {
            keep(&mut self.kept, 0, &rest[..length]);
        }
        at + length
    }

    /// Follows `@type{` at the start of a line. Within an entry it shows that the entry was never closed: then returns true.
    fn is_resumed(&mut self, byte: u8, at: usize, report: &mut dyn FnMut(Event<'_>)) -> bool {
        let here = self.offset + at as u64;
        self.start = match (self.start, byte) {
            (_, b'\n') => StartState::Line,
            (StartState::Line, b' ' | b'\t' | b'\r') => StartState::Line,
            (StartState::Line, b'@') if self.state != EntryState::Outside => StartState::Word(here),
            (StartState::Word(start), byte) if is_type(byte) => StartState::Word(start),
            (StartState::Word(start), b'{')
                if here > start + 1 && self.state != EntryState::Type =>
            {
                report(Event::Broken(start));
                self.end_entry(report);
                self.start = StartState::No;
                // Its type was not kept; all but records are rare within a broken entry.
                self.open(byte, b"", report);
                return true;
            }
            _ => StartState::No,
        };
        false
    }

    fn outside(&mut self, byte: u8) {
        if byte == b'@' {
            self.state = EntryState::Type;
            self.word.clear();
        }
    }

    fn entry_type(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        match byte {
            b'{' | b'(' => {
                let word = std::mem::take(&mut self.word);
                self.open(byte, &word, report);
            }
            b'@' => self.word.clear(),
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
        self.is_record = !matches!(word.trim_ascii(), b"comment" | b"string" | b"preamble");
        self.word.clear();
        (self.depth, self.is_quoted, self.meaning) = (0, false, Meaning::Plain);
        if self.is_record {
            self.state = EntryState::Key;
            report(Event::Open);
        } else {
            // A text whose braces are counted.
            (self.state, self.depth) = (EntryState::Value, 0);
        }
    }

    fn key(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        match byte {
            b',' => {
                if self.id.is_none() {
                    identify(0, &self.word, report);
                }
                self.start_field();
            }
            byte if byte == self.close => self.end_entry(report),
            // An entry without a key.
            b'=' => self.start_value(),
            byte => keep(&mut self.word, 0, &[byte]),
        }
    }

    fn start_field(&mut self) {
        self.state = EntryState::Field;
        self.meaning = Meaning::Plain;
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
        (self.depth, self.is_quoted) = (0, false);
        self.kept.clear();
        let listed = BIBTEX.iter().find(|(name, _)| name.as_bytes() == self.word);
        self.meaning = match &self.id {
            Some(id) if *id == self.word => Meaning::Id(0),
            _ => listed.map_or(Meaning::Plain, |(_, meaning)| *meaning),
        };
    }

    fn value(&mut self, byte: u8, report: &mut dyn FnMut(Event<'_>)) {
        match byte {
            b'{' => self.depth += 1,
            b'}' if self.depth > 0 => self.depth -= 1,
            b'"' if self.depth == 0 && self.is_record => self.is_quoted = !self.is_quoted,
            _ if self.is_quoted || self.depth > 0 => self.keep(byte),
            b',' if self.is_record => self.end_value(report),
            byte if byte == self.close => {
                self.end_value(report);
                self.end_entry(report);
            }
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if let Meaning::Id(_) = self.meaning {
            keep(&mut self.kept, 0, &[byte]);
        }
    }

    fn end_value(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if let Meaning::Id(rank) = self.meaning {
            identify(rank, &self.kept, report);
        }
        self.start_field();
    }

    fn end_entry(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if self.is_record {
            report(Event::Close);
        }
        self.is_record = false;
        self.state = EntryState::Outside;
        self.meaning = Meaning::Plain;
    }

    /// Where the next byte is.
    pub(super) fn place(&self, path: &mut String) -> Place {
        if self.state != EntryState::Value || !self.is_record {
            return Place::default();
        }
        path.push_str(&String::from_utf8_lossy(&self.word));
        stack::place(self.meaning, None, false)
    }
}

/// Whether the type of an entry may have this byte. BibTeX takes letters; programs write others.
pub(super) fn is_type(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn identify(rank: u8, text: &[u8], report: &mut dyn FnMut(Event<'_>)) {
    let text = String::from_utf8_lossy(text);
    if !text.trim().is_empty() {
        report(Event::Id {
            rank,
            text: text.trim(),
        });
    }
}
