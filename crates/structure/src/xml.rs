//! Reads XML: elements, attributes and text. Comments, declarations and the document type are skipped.
//!
//! An end tag closes all elements up to the innermost one of its name, and is ignored if none is open.

use std::sync::Arc;

use memchr::memchr;

use super::elements::{ElementRule, Elements, RELATION, TextUse, local};
use super::gather::{GatheredText, TextOf, plain};
use super::place::{BytePlace, Event, MAX_LEVELS, MAX_NAME_BYTES, keep};
use super::stack;
use super::table::{Detail, ItemPart, Meaning, RELATIONS};
use super::tags::{TagName, TagNames};
use super::value::ValueSyntax;
use super::wanted::StructureRequest;
use super::wikitext::Wikitext;
use super::xml_name::short_name;
use doisift_core::internal::{Block, parity, positions};

/// The reader of a document.
pub(crate) struct Xml {
    table: Arc<Elements>,
    request: Arc<StructureRequest>,
    elements: Vec<Element>,
    /// The open elements that are records.
    records: Vec<RecordElement>,
    names: TagNames,
    /// Number of open elements beyond the kept depth.
    deeper: usize,
    state: XmlState,
    /// The name of an element or an attribute, as far as it was read, or the bytes after `<!`.
    word: Vec<u8>,
    /// The value of an attribute that is needed.
    value: Vec<u8>,
    /// The attributes of the start tag that the table asks for.
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether the table may need attributes of the current start tag.
    is_listed: bool,
    /// The meaning of the attribute whose value is read.
    attribute: Meaning,
    /// The text of an identifier.
    captured: Vec<u8>,
    /// The texts that are gathered.
    gathered: Vec<GatheredText>,
    /// Offsets of the start of the last start tag, and of the end of the last end tag.
    tag_start: u64,
    tag_end: u64,
    /// The text of a page of MediaWiki.
    wikitext: Wikitext,
    offset: u64,
}

struct Element {
    name: TagName,
    meaning: Meaning,
    /// The index of the reference around the element.
    reference: Option<u64>,
    is_record: bool,
    is_item: bool,
}

struct RecordElement {
    /// The number of elements that are open outside of the record.
    depth: usize,
    references: u64,
}

/// The end of a CDATA section.
const CDATA_END: &[u8] = b"]]>";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum XmlState {
    Text,
    /// After `<`.
    Less,
    /// In the name of a start tag.
    Name,
    /// In a start tag, between attributes. True if the byte before was `/`.
    Tag(bool),
    AttributeName,
    /// After the name of an attribute.
    Equals,
    /// In the value of an attribute, with its quote.
    Value(u8),
    EndName,
    /// After `<!`.
    Mark,
    /// In a comment, a CDATA section or a declaration: its end mark, and how many bytes of that were read.
    Until(&'static [u8], usize),
    /// In a document type: the number of open brackets.
    Doctype(usize),
}

impl Xml {
    pub(super) fn new(request: &Arc<StructureRequest>) -> Xml {
        Xml {
            table: request.xml(),
            request: Arc::clone(request),
            elements: Vec::new(),
            records: Vec::new(),
            names: TagNames::new(),
            deeper: 0,
            state: XmlState::Text,
            word: Vec::new(),
            value: Vec::new(),
            attributes: Vec::new(),
            is_listed: false,
            attribute: Meaning::Plain,
            captured: Vec::new(),
            gathered: Vec::new(),
            tag_start: 0,
            tag_end: 0,
            wikitext: Wikitext::default(),
            offset: 0,
        }
    }

    pub(super) fn read(&mut self, bytes: &[u8], report: &mut dyn FnMut(Event<'_>)) {
        let mut at = 0;
        while at < bytes.len() {
            at = match self.state {
                XmlState::Text => self.text(bytes, at, report),
                XmlState::Less => self.less(bytes, at),
                XmlState::Name => self.name(bytes, at, report),
                XmlState::Tag(was_slash) => self.tag(bytes, at, was_slash, report),
                XmlState::AttributeName => self.attribute_name(bytes, at),
                XmlState::Equals => self.equals(bytes, at),
                XmlState::Value(quote) => self.attribute_value(bytes, at, quote),
                XmlState::EndName => self.end_name(bytes, at, report),
                XmlState::Mark => self.mark(bytes, at),
                XmlState::Until(end, read) => self.until(bytes, at, end, read),
                XmlState::Doctype(depth) => self.doctype(bytes, at, depth),
            };
        }
        self.offset += bytes.len() as u64;
    }

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if !self.elements.is_empty() {
            report(Event::Broken(self.offset));
        }
        self.tag_end = self.offset;
        while self.close(report) {}
    }

    /// Reads text and complete tags. Returns the offset after them. This loop takes most of the time.
    fn text(&mut self, bytes: &[u8], from: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        let mut at = from;
        for start in (from..bytes.len()).step_by(Block::SIZE) {
            for tag in positions(Block::new(bytes, start).find(b'<')) {
                let tag = start + tag;
                if tag < at {
                    continue;
                }
                self.keep(&bytes[at..tag], at);
                at = match self.whole_tag(bytes, tag + 1, report) {
                    Ok(end) => end,
                    Err(end) => return end,
                };
            }
        }
        let at = at.min(bytes.len());
        self.keep(&bytes[at..], at);
        bytes.len()
    }

    /// Reads a tag from `at`, after its `<`. Returns the offset after it. If the tag is not complete, or needs the state machine,
    /// the error is the offset at which that continues.
    fn whole_tag(
        &mut self,
        bytes: &[u8],
        at: usize,
        report: &mut dyn FnMut(Event<'_>),
    ) -> Result<usize, usize> {
        let end = match bytes.get(at) {
            Some(b'/') => self.whole_end(bytes, at + 1, report),
            Some(&byte) if is_name_start(byte) => return self.whole_start(bytes, at, report),
            _ => None,
        };
        end.ok_or_else(|| {
            self.state = XmlState::Less;
            at
        })
    }

    /// Reads an end tag whose name is at `at`, if it is complete and ends the innermost element. Returns the offset after it;
    /// otherwise `None`.
    fn whole_end(
        &mut self,
        bytes: &[u8],
        at: usize,
        report: &mut dyn FnMut(Event<'_>),
    ) -> Option<usize> {
        let last = self.elements.last().filter(|_| self.deeper == 0)?;
        if !self.names.ends(last.name, &bytes[at..]) {
            return None;
        }
        let end = at + self.names.text(last.name).len() + 1;
        self.tag_end = self.offset + end as u64;
        self.close(report);
        Some(end)
    }

    /// Reads a start tag whose name is at `at`. Returns the offset after it. If the tag is not complete, or its attributes are
    /// needed, the error is the offset at which the state machine continues.
    fn whole_start(
        &mut self,
        bytes: &[u8],
        at: usize,
        report: &mut dyn FnMut(Event<'_>),
    ) -> Result<usize, usize> {
        let length = name_length(&bytes[at..]);
        let after = at + length;
        self.tag_start = self.offset + at as u64 - 1;
        if after == bytes.len() || length > MAX_NAME_BYTES {
            self.state = XmlState::Name;
            self.word.clear();
            return Err(at);
        }
        self.open(&bytes[at..], length, report);
        let end = match bytes[after] {
            b'>' => Some((after + 1, false)),
            _ if self.is_listed => None,
            _ => tag_end(bytes, after),
        };
        let Some((end, is_closed)) = end else {
            self.state = XmlState::Tag(false);
            return Err(after);
        };
        if self.is_listed {
            self.end_tag(report);
        }
        if is_closed {
            self.tag_end = self.offset + end as u64;
            self.close(report);
        }
        Ok(end)
    }

    /// Takes a piece of text at `from` in the current bytes: gathers it, keeps it if it is of an identifier, and reads it if it
    /// is wikitext.
    fn keep(&mut self, piece: &[u8], from: usize) {
        let at = self.offset + from as u64;
        self.gathered
            .iter_mut()
            .for_each(|text| text.text(piece, at));
        let last = self.elements.last().filter(|_| self.deeper == 0);
        match last.map(|element| element.meaning) {
            Some(Meaning::Id(_)) => keep(&mut self.captured, 0, piece),
            Some(Meaning::Wikitext) => self.wikitext.read(piece),
            _ => {}
        }
    }

    fn less(&mut self, bytes: &[u8], at: usize) -> usize {
        self.word.clear();
        match bytes[at] {
            b'/' => self.state = XmlState::EndName,
            b'!' => self.state = XmlState::Mark,
            b'?' => self.state = XmlState::Until(b"?>", 0),
            byte if is_name_start(byte) => {
                self.state = XmlState::Name;
                self.tag_start = self.offset + at as u64 - 1;
                return at;
            }
            // Not a tag.
            _ => {
                self.state = XmlState::Text;
                return at;
            }
        }
        at + 1
    }

    fn name(&mut self, bytes: &[u8], at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        let end = at + name_length(&bytes[at..]);
        keep(&mut self.word, 0, &bytes[at..end]);
        if end < bytes.len() {
            self.state = XmlState::Tag(false);
            let name = std::mem::take(&mut self.word);
            self.open(&name, name.len(), report);
            self.word = name;
        }
        end
    }

    /// Returns the names of the open elements, from the innermost outwards, without prefixes.
    fn innermost_first(&self) -> impl Iterator<Item = &[u8]> {
        let elements = self.elements.iter().rev();
        elements.map(|element| self.names.local(element.name))
    }

    /// Returns the rules for elements with the name of the innermost one.
    fn rules(&self) -> impl Iterator<Item = &ElementRule> {
        let last = self.elements.last();
        self.table
            .rules(last.and_then(|last| self.names.rules(last.name)))
    }

    /// Returns the depth of the innermost element below the innermost record; 0 for the record itself. `None` outside of records.
    fn in_record(&self) -> Option<usize> {
        self.records
            .last()
            .map(|record| self.elements.len() - record.depth - 1)
    }

    /// Opens an element whose name is the first `length` of `bytes`. Its attributes are not known yet.
    fn open(&mut self, bytes: &[u8], length: usize, report: &mut dyn FnMut(Event<'_>)) {
        self.attributes.clear();
        self.is_listed = false;
        self.gathered.iter_mut().for_each(GatheredText::tag);
        if self.elements.len() >= MAX_LEVELS {
            self.deeper += 1;
            return;
        }
        if self.names.is_full() {
            self.forget_names();
        }
        let name = self
            .names
            .find(bytes, length, |local| self.table.named(local));
        self.elements.push(Element {
            name,
            meaning: Meaning::Plain,
            reference: self.elements.last().and_then(|outer| outer.reference),
            is_record: false,
            is_item: false,
        });
        let is_child = self.elements.len() == 2 && self.table.are_children_records;
        let has_rules = self.names.rules(name).is_some() || self.table.has_any();
        if !has_rules && !is_child && !self.table.takes() {
            return;
        }
        let (is_listed, mut meaning) = self.look_up();
        self.is_listed = is_listed;
        if meaning == Meaning::Plain && is_child {
            meaning = Meaning::Record;
        }
        self.enter(meaning, report);
        if meaning.is_item() && self.request.has_items() {
            self.open_item(report);
        }
        self.is_listed = self.is_listed || self.is_taken();
    }

    /// Whether any text is taken of the innermost element or its attributes.
    fn is_taken(&self) -> bool {
        let fits = |rule: &ElementRule| rule.fits(self.innermost_first(), self.in_record());
        let name = self.innermost_first().next().unwrap_or_default();
        self.table.text_uses(name, fits).next().is_some()
    }

    /// Starts an item with the innermost element.
    fn open_item(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        let mut path = String::new();
        if self.request.paths {
            self.push_elements(&mut path);
        }
        let depth = self.elements.len();
        let Some(element) = self.elements.last_mut().filter(|last| !last.is_item) else {
            return;
        };
        element.is_item = true;
        report(Event::Item {
            reference: element.reference,
            offset: self.tag_start,
            path: &path,
        });
        if self.request.texts && element.reference.is_some() {
            let text = GatheredText::new(depth, TextOf::Part(ItemPart::Text));
            self.gathered.push(text);
        }
    }

    /// Called after a start tag: opens its item, reports its wanted attributes, and starts to gather its text, as far as rules
    /// ask for these.
    fn take(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        let table = Arc::clone(&self.table);
        let (names, in_record) = (|| self.innermost_first(), self.in_record());
        let fits = |rule: &ElementRule| rule.fits(names(), in_record) && self.has_condition(rule);
        let name = names().next().unwrap_or_default();
        let taken: Vec<_> = table.text_uses(name, fits).collect();
        let depth = self.elements.len();
        for (rule, what) in taken {
            match (what, rule.attribute()) {
                (TextUse::Detail(Detail::Item | Detail::Relation), _) => self.open_item(report),
                (what, Some(name)) => {
                    let found = self.attributes.iter().find(|(own, _)| own == name);
                    if let Some((_, value)) = found {
                        report_text(what, (&plain(value), self.tag_start), report);
                    }
                }
                (what, None) => {
                    if let Some(of) = text_of(what) {
                        self.gathered.push(GatheredText::new(depth, of));
                    }
                }
            }
        }
    }

    /// Whether the attributes of the start tag meet the condition of a rule.
    fn has_condition(&self, rule: &ElementRule) -> bool {
        let has = |(name, value): (&[u8], &[u8])| {
            let mut all = self.attributes.iter();
            all.any(|(own, given)| *own == name && given.eq_ignore_ascii_case(value))
        };
        rule.condition().is_none_or(has)
    }

    /// Removes all names except those of open elements.
    #[cold]
    fn forget_names(&mut self) {
        let names = std::mem::replace(&mut self.names, TagNames::new());
        for element in &mut self.elements {
            let text = names.text(element.name);
            element.name = self
                .names
                .find(text, text.len(), |local| self.table.named(local));
        }
    }

    /// Returns whether the table has rules for the innermost element, and its meaning by rules without conditions.
    fn look_up(&self) -> (bool, Meaning) {
        let mut is_listed = false;
        for rule in self.rules() {
            if rule.fits(self.innermost_first(), self.in_record()) {
                is_listed = true;
                if rule.is_for_element() && rule.condition().is_none() {
                    return (true, rule.meaning);
                }
            }
        }
        (is_listed, Meaning::Plain)
    }

    fn enter(&mut self, meaning: Meaning, report: &mut dyn FnMut(Event<'_>)) {
        let depth = self.elements.len() - 1;
        let Some(element) = self.elements.last_mut() else {
            return;
        };
        element.meaning = meaning;
        match meaning {
            Meaning::Id(_) => self.captured.clear(),
            Meaning::Record => {
                (element.is_record, element.reference) = (true, None);
                self.records.push(RecordElement {
                    depth,
                    references: 0,
                });
                report(Event::Open);
                if self.request.entries {
                    element.is_item = true;
                    report(Event::Item {
                        reference: None,
                        offset: self.tag_start,
                        path: "",
                    });
                }
            }
            Meaning::Reference | Meaning::Related => {
                if let Some(record) = self.records.last_mut() {
                    element.reference = Some(record.references);
                    record.references += 1;
                }
            }
            Meaning::Wikitext => {
                let record = self.records.last();
                self.wikitext = Wikitext::new(record.map_or(0, |record| record.references));
            }
            _ => {}
        }
    }

    fn tag(
        &mut self,
        bytes: &[u8],
        at: usize,
        was_slash: bool,
        report: &mut dyn FnMut(Event<'_>),
    ) -> usize {
        match bytes[at] {
            b'>' => {
                self.state = XmlState::Text;
                if self.is_listed {
                    self.end_tag(report);
                }
                if was_slash {
                    self.tag_end = self.offset + at as u64 + 1;
                    self.close(report);
                }
            }
            b'/' => self.state = XmlState::Tag(true),
            // The tag was not ended.
            b'<' => {
                report(Event::Broken(self.offset + at as u64));
                self.state = XmlState::Less;
            }
            byte if byte.is_ascii_whitespace() => {
                let rest = &bytes[at..];
                let blank = rest
                    .iter()
                    .take_while(|byte| byte.is_ascii_whitespace())
                    .count();
                self.state = XmlState::Tag(false);
                return at + blank;
            }
            _ => return self.attribute(bytes, at),
        }
        at + 1
    }

    /// Reads an attribute, or starts to read it if it is not complete. Returns the offset after the bytes read.
    fn attribute(&mut self, bytes: &[u8], at: usize) -> usize {
        self.whole_attribute(bytes, at).unwrap_or_else(|| {
            self.word.clear();
            self.state = XmlState::AttributeName;
            at
        })
    }

    /// Reads an attribute if it is complete. Returns the offset after it; otherwise `None`.
    fn whole_attribute(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let equals = at + name_length(&bytes[at..]);
        let [b'=', quote @ (b'"' | b'\''), value @ ..] = bytes.get(equals..)? else {
            return None;
        };
        let length = memchr(*quote, value)?;
        let (name, value) = (&bytes[at..equals], &value[..length]);
        if name.len().max(length) > MAX_NAME_BYTES {
            return None;
        }
        self.state = XmlState::Tag(false);
        if self.is_listed && self.table.is_wanted(local(name)) {
            self.attributes.push((local(name).into(), value.into()));
        }
        Some(equals + length + 3)
    }

    fn attribute_name(&mut self, bytes: &[u8], at: usize) -> usize {
        let end = at + name_length(&bytes[at..]);
        keep(&mut self.word, 0, &bytes[at..end]);
        if end < bytes.len() {
            self.state = XmlState::Equals;
        }
        end
    }

    fn equals(&mut self, bytes: &[u8], at: usize) -> usize {
        match bytes[at] {
            b'=' => at + 1,
            quote @ (b'"' | b'\'') => {
                self.state = XmlState::Value(quote);
                self.start_attribute();
                at + 1
            }
            byte if byte.is_ascii_whitespace() => at + 1,
            b'>' | b'/' | b'<' => {
                self.state = XmlState::Tag(false);
                at
            }
            // The attribute before has no value, or one without quotes.
            _ => {
                self.word.clear();
                self.state = XmlState::AttributeName;
                // At least one byte is read, so that the loop ends.
                keep(&mut self.word, 0, &bytes[at..=at]);
                at + 1
            }
        }
    }

    fn start_attribute(&mut self) {
        self.value.clear();
        self.attribute = Meaning::Plain;
        if self.is_listed {
            self.attribute = self
                .listed(&|rule| rule.is_for(local(&self.word)))
                .unwrap_or_default();
        }
    }

    /// Returns the meaning of the first rule for the innermost element for which `fits` is true.
    fn listed(&self, fits: &dyn Fn(&ElementRule) -> bool) -> Option<Meaning> {
        let mut rules = self.rules();
        let rule =
            rules.find(|rule| fits(rule) && rule.fits(self.innermost_first(), self.in_record()));
        rule.map(|rule| rule.meaning)
    }

    fn attribute_value(&mut self, bytes: &[u8], at: usize, quote: u8) -> usize {
        let end = memchr(quote, &bytes[at..]).map_or(bytes.len(), |length| at + length);
        if self.is_listed {
            keep(&mut self.value, 0, &bytes[at..end]);
        }
        if end < bytes.len() {
            self.state = XmlState::Tag(false);
            if self.is_listed && self.table.is_wanted(local(&self.word)) {
                let name = local(&self.word).to_owned();
                self.attributes.push((name, self.value.clone()));
            }
        }
        end + 1
    }

    /// Called after a start tag for which the table has rules: applies its attributes.
    fn end_tag(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        for (name, value) in &self.attributes {
            if let Some(Meaning::Id(rank)) = self.listed(&|rule| rule.is_for(name)) {
                identify(rank, value, report);
            }
        }
        if self.table.takes() {
            self.take(report);
        }
        let meaning = self.listed(&|rule| rule.is_for_element() && self.has_condition(rule));
        let mut attributes = self.attributes.iter();
        let cites = attributes.any(|(name, relation)| {
            RELATION.contains(&&**name) && RELATIONS.contains(&&**relation)
        });
        let Some(element) = self.elements.last_mut() else {
            return;
        };
        match meaning {
            Some(Meaning::Related) => {
                report(Event::Related { cites });
                if !cites {
                    element.reference = None;
                }
                element.meaning = Meaning::Cited;
            }
            Some(meaning) => {
                element.meaning = meaning;
                if let Meaning::Id(_) = meaning {
                    self.captured.clear();
                }
            }
            None => {}
        }
    }

    fn end_name(&mut self, bytes: &[u8], at: usize, report: &mut dyn FnMut(Event<'_>)) -> usize {
        let end = memchr(b'>', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        keep(&mut self.word, 0, &bytes[at..end]);
        if end < bytes.len() {
            self.state = XmlState::Text;
            self.tag_end = self.offset + end as u64 + 1;
            self.leave(end, report);
        }
        end + 1
    }

    /// Closes the elements up to the innermost one with the name in `word`. `at` is the end of that name.
    fn leave(&mut self, at: usize, report: &mut dyn FnMut(Event<'_>)) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let is_last = self
            .elements
            .last()
            .is_some_and(|last| *self.names.text(last.name) == *self.word);
        if is_last {
            self.close(report);
            return;
        }
        let name = self.word.trim_ascii();
        let mut inwards = self.elements.iter().rev();
        let open = inwards.position(|element| self.names.text(element.name) == name);
        if open != Some(0) {
            report(Event::Broken(self.offset + at as u64));
        }
        for _ in 0..open.map_or(0, |outer| outer + 1) {
            self.close(report);
        }
    }

    /// Closes the innermost element. Returns false if none was open.
    fn close(&mut self, report: &mut dyn FnMut(Event<'_>)) -> bool {
        if self.deeper > 0 {
            self.deeper -= 1;
            return true;
        }
        self.report_gathered(report);
        let Some(element) = self.elements.pop() else {
            return false;
        };
        match (element.meaning, self.records.last_mut()) {
            (Meaning::Id(rank), _) => identify(rank, &self.captured, report),
            (Meaning::Wikitext, Some(record)) => {
                let before = std::mem::replace(&mut record.references, self.wikitext.references);
                report(Event::References(record.references - before));
            }
            _ => {}
        }
        if element.is_item {
            report(Event::EndItem(self.tag_end));
        }
        if element.is_record {
            self.records.pop();
            report(Event::Close);
        }
        true
    }

    /// Reports the gathered texts of the innermost element.
    fn report_gathered(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        self.gathered.iter_mut().for_each(GatheredText::tag);
        let depth = self.elements.len();
        while let Some(text) = self.gathered.pop_if(|text| text.depth == depth) {
            let (of, place) = (text.of, text.place);
            let text = match (of, self.elements.last()) {
                (TextOf::Part(ItemPart::Value), Some(element)) => {
                    String::from_utf8_lossy(self.names.local(element.name)).into_owned()
                }
                _ => text.finish(),
            };
            match of {
                TextOf::Field(number) => report(Event::Field {
                    number,
                    text: Some(&text),
                    offset: place.0,
                }),
                TextOf::Part(part) => report(Event::Part {
                    part,
                    text: &text,
                    place,
                }),
            }
        }
    }

    /// Decides after `<!` whether it is a comment, a CDATA section or a document type.
    fn mark(&mut self, bytes: &[u8], at: usize) -> usize {
        self.word.push(bytes[at]);
        self.state = match &*self.word {
            b"--" => XmlState::Until(b"-->", 0),
            b"[CDATA[" => XmlState::Until(CDATA_END, 0),
            word if b"[CDATA[".starts_with(word) || b"--".starts_with(word) => XmlState::Mark,
            _ => {
                self.state = XmlState::Doctype(0);
                return at;
            }
        };
        at + 1
    }

    fn until(&mut self, bytes: &[u8], at: usize, end: &'static [u8], read: usize) -> usize {
        if read == 0 {
            let length = memchr(end[0], &bytes[at..]);
            let found = length.map_or(bytes.len(), |length| at + length);
            if end == CDATA_END {
                self.keep(&bytes[at..found], at);
            }
            self.state = XmlState::Until(end, usize::from(length.is_some()));
            return found + 1;
        }
        let byte = bytes[at];
        self.state = if byte == end[read] {
            if read + 1 == end.len() {
                XmlState::Text
            } else {
                XmlState::Until(end, read + 1)
            }
        } else if byte == end[read - 1] {
            // Another hyphen or bracket before the end.
            XmlState::Until(end, read)
        } else {
            XmlState::Until(end, 0)
        };
        at + 1
    }

    fn doctype(&mut self, bytes: &[u8], at: usize, depth: usize) -> usize {
        let Some(length) = memchr::memchr3(b'[', b']', b'>', &bytes[at..]) else {
            return bytes.len();
        };
        let at = at + length;
        self.state = match bytes[at] {
            b'[' => XmlState::Doctype(depth + 1),
            b']' => XmlState::Doctype(depth.saturating_sub(1)),
            _ if depth > 0 => XmlState::Doctype(depth),
            _ => XmlState::Text,
        };
        at + 1
    }

    /// Returns the syntax of the value that has the next byte. Wikitext is not a value, since it has fields of its own.
    pub(super) fn value(&self) -> Option<ValueSyntax> {
        let element = self.elements.last()?;
        match self.state {
            XmlState::Text if element.meaning == Meaning::Wikitext => None,
            XmlState::Text => Some(ValueSyntax::Element),
            XmlState::Until(CDATA_END, _) => Some(ValueSyntax::Characters),
            XmlState::Value(quote) => Some(ValueSyntax::Attribute(quote)),
            _ => None,
        }
    }

    /// Returns the place of the next byte.
    pub(super) fn place(&self) -> BytePlace {
        let Some(element) = self.elements.last().filter(|_| self.deeper == 0) else {
            return BytePlace::default();
        };
        let is_related = element.meaning == Meaning::Related;
        match self.state {
            XmlState::Text if element.meaning == Meaning::Wikitext => self.wikitext.place(),
            XmlState::Text | XmlState::Until(CDATA_END, _) => {
                stack::place(element.meaning, element.reference, is_related)
            }
            XmlState::Value(_) => stack::place(self.attribute, element.reference, is_related),
            _ => BytePlace {
                reference: element.reference,
                ..BytePlace::default()
            },
        }
    }

    /// Appends the path of the innermost element.
    fn push_elements(&self, path: &mut String) {
        for element in &self.elements {
            path.push('/');
            stack::push(self.names.text(element.name), path);
        }
    }

    /// Appends the path of the next byte.
    pub(super) fn path(&self, path: &mut String) {
        self.push_elements(path);
        let Some(element) = self.elements.last().filter(|_| self.deeper == 0) else {
            return;
        };
        match self.state {
            XmlState::Text if element.meaning == Meaning::Wikitext => self.wikitext.path(path),
            XmlState::Value(_) => {
                path.push_str("/@");
                stack::push(&self.word, path);
            }
            _ => {}
        }
    }
}

/// Returns the use of an element's text that is taken. `None` for items, whose text is gathered separately.
fn text_of(what: TextUse) -> Option<TextOf> {
    match what {
        TextUse::Field(number) => Some(TextOf::Field(number)),
        TextUse::Detail(Detail::Part(part)) => Some(TextOf::Part(part)),
        TextUse::Detail(Detail::Item | Detail::Relation) => None,
    }
}

/// Reports the text of an attribute, with the offset of its tag.
fn report_text(what: TextUse, (text, at): (&str, u64), report: &mut dyn FnMut(Event<'_>)) {
    match text_of(what) {
        Some(TextOf::Field(number)) => report(Event::Field {
            number,
            text: Some(text),
            offset: at,
        }),
        Some(TextOf::Part(part)) => report(Event::Part {
            part,
            text,
            place: (at, at),
        }),
        None => {}
    }
}

fn identify(rank: u8, text: &[u8], report: &mut dyn FnMut(Event<'_>)) {
    let text = String::from_utf8_lossy(text);
    let text = htmlize::unescape(text.trim());
    if !text.is_empty() {
        report(Event::Id { rank, text: &text });
    }
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b':' || byte >= 0x80
}

/// Finds the end of a start tag. `at` is after its name. Returns the offset after `>`, and whether the tag closes the element
/// too. `None` if the tag is not complete.
fn tag_end(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    let block = Block::new(bytes, at);
    let outside = !parity(block.find(b'"'));
    let marks = (block.find_any([b'<', b'>']) | block.find(b'\'')) & outside;
    let mark = at + marks.trailing_zeros() as usize;
    match bytes.get(mark).filter(|_| marks != 0) {
        Some(b'>') => Some((mark + 1, bytes[mark - 1] == b'/')),
        Some(b'<') => None,
        _ => far_tag_end(bytes, at),
    }
}

fn far_tag_end(bytes: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut before = 0;
    loop {
        let byte = *bytes.get(at)?;
        match byte {
            b'>' => return Some((at + 1, before == b'/')),
            b'<' => return None,
            b'"' | b'\'' => at += memchr(byte, &bytes[at + 1..])? + 1,
            _ => {}
        }
        before = byte;
        at += 1;
    }
}

/// The bytes that end a name.
const NAME_ENDS: [bool; 256] = {
    let (mut ends, mut byte) = ([false; 256], 0);
    while byte < 256 {
        ends[byte] =
            byte <= b' ' as usize || matches!(byte as u8, b'/' | b'<' | b'=' | b'>' | b'"' | b'\'');
        byte += 1;
    }
    ends
};

fn name_length(bytes: &[u8]) -> usize {
    short_name(bytes).unwrap_or_else(|| {
        let end = bytes.iter().position(|byte| NAME_ENDS[usize::from(*byte)]);
        end.unwrap_or(bytes.len())
    })
}
