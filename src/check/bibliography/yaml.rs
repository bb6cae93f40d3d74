//! Reads bibliographies in YAML: CITATION.cff, Hayagriva, and CSL as pandoc writes it.

use std::ops::Range;

use doisift_core::TextKind;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use doisift_structure::ItemPart;

use super::starts_with_name;
use crate::check::reference::TakenReferences;
use crate::check::reference::{CitedWork, FieldRole, NameField, Reference, ReferenceName};
use crate::check::text as prose;

/// Format of a bibliography in YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum YamlLayout {
    /// `cff-version`, a work and its references.
    Cff,
    /// A mapping of keys to entries with a `type`.
    Hayagriva,
    /// A list of entries with an `id`, alone or as `references`.
    Csl,
}

/// Max depth of nested lists and mappings. Reading as YAML ends at a deeper one.
const MAX_DEPTH: usize = 64;

impl YamlLayout {
    /// Returns the layout of a document that starts with `head`, or `None` if it is not a bibliography.
    pub(in crate::check) fn of(head: &[u8]) -> Option<YamlLayout> {
        let head = String::from_utf8_lossy(head);
        let lines = content_lines(&head);
        // A document marker means front matter of a text, or several documents.
        if lines.iter().any(|line| matches!(*line, "---" | "...")) {
            return None;
        }
        if lines.iter().any(|line| line.starts_with("cff-version:")) {
            return Some(YamlLayout::Cff);
        }
        let is_item = |line: &str| line.trim_start().starts_with("- ");
        let has_id = |lines: &[&str]| {
            let mut fields = lines
                .iter()
                .map(|line| line.trim_start_matches([' ', '-', '"', '\'']));
            fields.any(|field| field.starts_with("id:") || field.starts_with("id\":"))
        };
        let list = match lines.iter().position(|line| *line == "references:") {
            Some(at) => &lines[at + 1..],
            None => &lines[..],
        };
        if list.first().is_some_and(|line| is_item(line)) && has_id(list) {
            return Some(YamlLayout::Csl);
        }
        let is_key = |line: &str| line.ends_with(':') && !line.starts_with([' ', '-', '\t']);
        let mut entry = lines
            .iter()
            .skip(1)
            .take_while(|line| line.starts_with(' '));
        let is_entry = entry.any(|line| line.trim_start().starts_with("type:"));
        (is_key(lines.first()?) && is_entry).then_some(YamlLayout::Hayagriva)
    }

    /// Returns the references of a document, which is held as a whole.
    pub(in crate::check) fn take(self, held: &[u8]) -> TakenReferences {
        let passed = held.len();
        let Ok(text) = str::from_utf8(held) else {
            let references = prose::found(held, TextKind::Unknown);
            return TakenReferences { references, passed };
        };
        let mut reader = YamlReader::new(self, text);
        let read = reader.read();
        let mut references = reader.references;
        if read < text.len() {
            let rest = prose::found(&held[read..], TextKind::Unknown).into_iter();
            references.extend(rest.map(|one| Reference {
                start: one.start + read,
                place: one.place.start + read..one.place.end + read,
                ..one
            }));
        }
        references.sort_by_key(|reference| reference.start);
        TakenReferences { references, passed }
    }
}

/// Returns the lines of a document without comments, directives and blank ones, and without a marker at the start.
fn content_lines(text: &str) -> Vec<&str> {
    let lines = text.trim_start_matches('\u{feff}').lines();
    let is_content = |line: &&str| {
        let start = line.trim_start();
        !start.is_empty() && !start.starts_with('#') && !line.starts_with('%')
    };
    let lines = lines.map(str::trim_end).filter(is_content);
    let mut lines = lines.peekable();
    lines.next_if(|line| *line == "---");
    lines.collect()
}

/// A mapping or list that is open.
struct YamlFrame {
    is_list: bool,
    /// The key whose value comes next, in a mapping.
    key: Option<String>,
    /// The entry that this mapping is, complete when the frame ends.
    entry: Option<YamlEntry>,
    /// The family and the given name of the author that this mapping is.
    author: [Option<String>; 2],
}

/// An entry that is being read.
struct YamlEntry {
    start: usize,
    key: Option<String>,
    /// Whether it is a reference, which is reported even without a name. Otherwise it is the work itself or its container.
    is_reference: bool,
    /// The values of fields for names, of fields for addresses, and of all others, with their ranges in the text.
    names: Vec<(String, Range<usize>)>,
    addresses: Vec<(String, Range<usize>)>,
    others: Vec<(String, Range<usize>)>,
    work: CitedWork,
}

struct YamlReader<'t> {
    layout: YamlLayout,
    text: &'t str,
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    frames: Vec<YamlFrame>,
    /// The last offset that was looked up, in characters and in bytes.
    last: (usize, usize),
    references: Vec<Reference>,
}

impl<'t> YamlReader<'t> {
    fn new(layout: YamlLayout, text: &'t str) -> Self {
        YamlReader {
            layout,
            text,
            parser: Parser::new_from_str(text),
            frames: Vec::new(),
            last: (0, 0),
            references: Vec::new(),
        }
    }

    /// Reads to the end, or to the first error of syntax. Returns the offset.
    fn read(&mut self) -> usize {
        loop {
            let Some(next) = self.parser.next_event() else {
                break self.text.len();
            };
            let at = match next {
                Ok((event, span)) => {
                    let at = self.place(span.start.index());
                    self.take(event, span, at);
                    at
                }
                Err(error) => {
                    let at = self.place(error.marker().index());
                    self.end_all();
                    break at;
                }
            };
            if self.frames.len() > MAX_DEPTH {
                self.end_all();
                break at;
            }
        }
    }

    fn end_all(&mut self) {
        while !self.frames.is_empty() {
            self.end();
        }
    }

    /// Converts an offset in characters to bytes. Offsets must not decrease from call to call.
    fn place(&mut self, character: usize) -> usize {
        let (characters, bytes) = self.last;
        let more = character.saturating_sub(characters);
        let rest = &self.text[bytes..];
        let length = rest
            .char_indices()
            .nth(more)
            .map_or(rest.len(), |(at, _)| at);
        self.last = (characters.max(character), bytes + length);
        self.last.1
    }

    fn take(&mut self, event: Event<'_>, span: Span, at: usize) {
        match event {
            Event::MappingStart(..) => {
                let entry = self.entry(at);
                self.open(false, entry);
            }
            Event::SequenceStart(..) => self.open(true, None),
            Event::MappingEnd | Event::SequenceEnd => self.end(),
            Event::Scalar(value, style, ..) => self.scalar(&value, style, span, at),
            Event::Alias(_) => self.end_value(),
            _ => {}
        }
    }

    fn open(&mut self, is_list: bool, entry: Option<YamlEntry>) {
        self.frames.push(YamlFrame {
            is_list,
            key: None,
            entry,
            author: [None, None],
        });
    }

    /// Returns the keys of the open mappings, innermost first.
    fn keys(&self) -> impl Iterator<Item = &str> {
        let frames = self.frames.iter().rev().filter(|frame| !frame.is_list);
        frames.map(|frame| frame.key.as_deref().unwrap_or_default())
    }

    /// Returns the entry of a mapping that starts at `start`, or `None` if the mapping is not an entry.
    fn entry(&self, start: usize) -> Option<YamlEntry> {
        let keys: Vec<&str> = self.keys().collect();
        let (is_reference, key) = match (self.layout, &keys[..]) {
            (YamlLayout::Cff, []) => (false, None),
            (YamlLayout::Cff, ["preferred-citation" | "references"]) => (true, None),
            (YamlLayout::Csl, [] | ["references"])
                if self.frames.last().is_some_and(|frame| frame.is_list) =>
            {
                (true, None)
            }
            (YamlLayout::Hayagriva, [key]) => (true, Some((*key).to_owned())),
            (YamlLayout::Hayagriva, ["parent", ..]) => (false, None),
            _ => return None,
        };
        Some(YamlEntry {
            start,
            key,
            is_reference,
            names: Vec::new(),
            addresses: Vec::new(),
            others: Vec::new(),
            work: CitedWork::default(),
        })
    }

    /// Keeps a part of the name of an author, whose mapping is the innermost.
    fn note_author(&mut self, path: &str, value: &str) {
        let part = match path.split_once('<') {
            Some(("family-names" | "family" | "name" | "literal", "authors" | "author")) => 0,
            Some(("given-names" | "given" | "given-name", "authors" | "author")) => 1,
            _ => return,
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.author[part] = Some(value.to_owned());
        }
    }

    /// Adds the author that the innermost mapping was to the entry around it.
    fn end_author(&mut self, author: [Option<String>; 2]) {
        let names: Vec<String> = author.into_iter().flatten().collect();
        let mut entries = self.frames.iter_mut().rev().map(|frame| &mut frame.entry);
        if let Some(entry) = entries.find_map(Option::as_mut) {
            entry.work.add(ItemPart::Author, &names.join(", "));
        }
    }

    /// Ends the innermost mapping or list.
    fn end(&mut self) {
        let ended = self.frames.pop();
        let (entry, author) =
            ended.map_or((None, [None, None]), |frame| (frame.entry, frame.author));
        self.end_author(author);
        if let Some(entry) = entry {
            let is_compared =
                entry.is_reference && !(self.layout == YamlLayout::Cff && self.frames.len() == 1);
            entry.add_to(&mut self.references, self.text, is_compared);
        }
        self.end_value();
    }

    /// Ends the value of a key, so that the next scalar is a key.
    fn end_value(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.key = None;
        }
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, span: Span, at: usize) {
        match self.frames.last_mut() {
            Some(frame) if !frame.is_list && frame.key.is_none() => {
                frame.key = Some(value.to_owned());
                return;
            }
            Some(_) => {}
            None => return,
        }
        let inner = self.frames.iter().rposition(|frame| frame.entry.is_some());
        let outside = |index: usize| {
            self.frames[..index]
                .iter()
                .filter(|frame| !frame.is_list)
                .count()
        };
        if let Some(index) = inner {
            let count = self.keys().count() - outside(index);
            let path = self
                .keys()
                .take(count)
                .collect::<Vec<_>>()
                .join("<")
                .to_ascii_lowercase();
            let place = self.scalar_place(style, span, at);
            self.note_author(&path, value);
            if let Some(entry) = &mut self.frames[index].entry {
                entry.take(&path, value, place);
            }
        }
        self.end_value();
    }

    /// Returns the byte range of a scalar, without its quotes.
    fn scalar_place(&mut self, style: ScalarStyle, span: Span, at: usize) -> Range<usize> {
        let length = span.end.index().saturating_sub(span.start.index());
        let rest = &self.text[at..];
        let length = rest
            .char_indices()
            .nth(length)
            .map_or(rest.len(), |(end, _)| end);
        let written = &rest[..length];
        let quote = usize::from(
            matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) && length > 1,
        );
        let end = at + written.trim_end().len() - quote;
        at + quote..end.max(at + quote)
    }
}

impl YamlEntry {
    /// Adds a scalar. `path` has the keys from its own outwards.
    fn take(&mut self, path: &str, value: &str, place: Range<usize>) {
        let value = value.trim();
        if value.is_empty() {
            return;
        }
        let part = match path {
            "title" => ItemPart::Title,
            "author" | "authors" => ItemPart::Author,
            "year" | "date" | "date-released" | "date-published" | "date-parts<issued"
            | "year<issued" => ItemPart::Year,
            _ => ItemPart::Text,
        };
        self.work.add(part, value);
        let value = (value.to_owned(), place);
        match path {
            "doi" | "doi<serial-number" => self.names.push(value),
            "id" => self.key = Some(value.0),
            "url" | "value<url" | "value<identifiers" | "serial-number" => {
                self.addresses.push(value)
            }
            _ => self.others.push(value),
        }
    }

    /// Adds the references: one for each field for names, or else the first address that is a name, or else a name in any field.
    fn add_to(self, references: &mut Vec<Reference>, text: &str, is_compared: bool) {
        let is_name = |(value, _): &&(String, Range<usize>)| starts_with_name(value);
        let (mut names, mut role) = (self.names, FieldRole::Name);
        if names.is_empty() {
            names.extend(self.addresses.iter().find(is_name).cloned());
            role = FieldRole::Any;
        }
        let record = match is_compared {
            true => 0,
            false => Reference::UNCOMPARED,
        };
        let reference = |place, written| Reference {
            record,
            key: self.key.clone(),
            work: self.work.clone(),
            ..Reference::new(place, written)
        };
        if !names.is_empty() {
            let names = names.into_iter();
            references.extend(names.map(|(value, place)| {
                reference(place, ReferenceName::Field(NameField::joined(value, role)))
            }));
            return;
        }
        let mut values = self.addresses.iter().chain(&self.others);
        let found = values.find_map(|(_, place)| {
            let found = prose::found(&text.as_bytes()[place.clone()], TextKind::Unknown);
            let first = found.into_iter().next()?;
            let place = place.start + first.place.start..place.start + first.place.end;
            Some(reference(place, first.name))
        });
        let missed = self
            .is_reference
            .then(|| reference(self.start..self.start, ReferenceName::Nothing));
        references.extend(found.or(missed));
    }
}
