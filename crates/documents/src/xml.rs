//! Reads the XML of office documents piece by piece, in memory that does not depend on its size.
//!
//! Reads the constructs that office programs write: elements, attributes, texts, CDATA and the five entities of XML. XML
//! that is not well-formed is reported once, and reading continues after it.

use memchr::{memchr, memchr2, memmem, memrchr};

use crate::fault::InputError;
use crate::read::ReadBytes;

/// Bytes of a read.
const READ_BYTES: usize = 32 << 10;
/// Bytes of the longest tag that is read.
const MAX_TAG_BYTES: usize = 1 << 20;
/// Bytes of the longest entity.
const MAX_ENTITY_BYTES: usize = 12;
/// Open elements whose names are compared with those of the end tags.
const MAX_OPEN_ELEMENTS: usize = 4 << 10;

/// A part of the XML.
pub(crate) enum XmlPiece<'x> {
    /// A start tag. An empty element has an end as well.
    Start(StartTag<'x>),
    /// The local name of an end tag.
    End(&'x [u8]),
    /// Text with its entities undone. A long text comes in several pieces.
    Text(&'x [u8]),
}

/// A start tag.
#[derive(Clone, Copy)]
pub(crate) struct StartTag<'x> {
    /// The local name.
    pub(crate) name: &'x [u8],
    attributes: &'x [u8],
}

impl<'x> StartTag<'x> {
    /// Returns the local names of the attributes, and their values.
    pub(crate) fn attributes(self) -> impl Iterator<Item = (&'x [u8], Vec<u8>)> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            let equals = memchr(b'=', rest)?;
            let name = local(rest[..equals].trim_ascii());
            let value = rest[equals + 1..].trim_ascii_start();
            let quote = *value
                .first()
                .filter(|quote| matches!(quote, b'"' | b'\''))?;
            let end = memchr(quote, &value[1..])?;
            rest = &value[end + 2..];
            let mut text = Vec::new();
            decode(&value[1..end + 1], &mut text);
            Some((name, text))
        })
    }

    /// Returns the value of the attribute with the local name `name`.
    pub(crate) fn attribute(self, name: &str) -> Option<Vec<u8>> {
        let mut attributes = self.attributes();
        attributes.find_map(|(own, value)| (own == name.as_bytes()).then_some(value))
    }
}

/// Reads XML.
pub(crate) struct XmlReader<'r> {
    bytes: &'r mut dyn ReadBytes,
    buffer: Vec<u8>,
    /// The first byte of the buffer that was not read yet, and its offset.
    at: usize,
    offset: u64,
    has_ended: bool,
    /// Whether the last read failed.
    has_failed: bool,
    /// Hashes of the names of open elements, the outer ones first.
    open: Vec<u64>,
    depth: u64,
    in_cdata: bool,
    /// Text whose entities are undone, or the name of an empty element whose end comes next.
    scratch: Vec<u8>,
    is_empty: bool,
    /// The fault that was not reported yet.
    fault: Option<&'static str>,
    has_fault: bool,
}

impl<'r> XmlReader<'r> {
    pub(crate) fn new(bytes: &'r mut dyn ReadBytes) -> Self {
        XmlReader {
            bytes,
            buffer: Vec::with_capacity(READ_BYTES),
            at: 0,
            offset: 0,
            has_ended: false,
            has_failed: false,
            open: Vec::new(),
            depth: 0,
            in_cdata: false,
            scratch: Vec::new(),
            is_empty: false,
            fault: None,
            has_fault: false,
        }
    }

    /// Returns the offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of open elements. The element of an end tag counts before the tag.
    pub(crate) fn depth(&self) -> u64 {
        self.depth
    }

    /// Reads the next piece; `None` at the end.
    ///
    /// # Errors
    /// If reading fails, or the XML is not well-formed, which is reported once. The next call continues after the fault.
    pub(crate) fn next_piece(&mut self) -> Result<Option<XmlPiece<'_>>, InputError> {
        loop {
            if let Some(fault) = self.fault.take() {
                return Err(InputError::Office(fault));
            }
            if std::mem::take(&mut self.is_empty) {
                self.depth -= 1;
                self.open.truncate(self.depth as usize);
                return Ok(Some(XmlPiece::End(&self.scratch)));
            }
            if !self.fill(1)? {
                if self.depth == 0 {
                    return Ok(None);
                }
                self.depth = 0;
                let fault = if std::mem::take(&mut self.in_cdata) {
                    "ends within a CDATA section"
                } else {
                    "ends within an element"
                };
                self.break_off(fault);
                continue;
            }
            match (self.in_cdata, self.held()[0]) {
                (false, b'<') => {
                    if let Some(token) = self.markup()? {
                        return Ok(Some(self.piece(token)));
                    }
                }
                _ => {
                    if let Some(length) = self.text()? {
                        return Ok(Some(self.text_piece(length)));
                    }
                }
            }
        }
    }

    fn held(&self) -> &[u8] {
        &self.buffer[self.at..]
    }

    /// Reads until `count` bytes are held. Returns false if there are fewer.
    fn fill(&mut self, count: usize) -> Result<bool, InputError> {
        while self.buffer.len() - self.at < count && !self.has_ended {
            self.buffer.drain(..self.at);
            self.at = 0;
            let held = self.buffer.len();
            self.buffer.resize(held + READ_BYTES, 0);
            let read = self.bytes.read(&mut self.buffer[held..]);
            self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(read) => {
                    self.has_ended = read == 0;
                    self.has_failed = false;
                }
                Err(error) => {
                    // A reader that fails twice in a row without a byte has ended.
                    self.has_ended = std::mem::replace(&mut self.has_failed, true);
                    return Err(error);
                }
            }
        }
        Ok(self.buffer.len() - self.at >= count)
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
        self.offset += count as u64;
    }

    fn break_off(&mut self, fault: &'static str) {
        if !std::mem::replace(&mut self.has_fault, true) {
            self.fault = Some(fault);
        }
    }

    /// Returns the length of the text that can be passed on; `None` if markup comes first.
    fn text(&mut self) -> Result<Option<usize>, InputError> {
        if self.in_cdata {
            return self.cdata();
        }
        let held = self.held();
        if let Some(end) = memchr(b'<', held) {
            return Ok(Some(end));
        }
        // An entity may continue after the bytes that are held.
        let tail = held.len().saturating_sub(MAX_ENTITY_BYTES);
        let cut = memrchr(b'&', &held[tail..]).map(|at| tail + at);
        let cut = cut.filter(|at| memchr(b';', &held[*at..]).is_none());
        match cut {
            Some(at) if !self.has_ended && at > 0 => Ok(Some(at)),
            Some(_) if !self.has_ended => {
                let more = held.len() + 1;
                self.fill(more)?;
                Ok(None)
            }
            _ => Ok(Some(held.len())),
        }
    }

    /// Returns the length of the text that can be passed on in a CDATA section. Removes the end of the section.
    fn cdata(&mut self) -> Result<Option<usize>, InputError> {
        let held = self.held();
        match memmem::find(held, b"]]>") {
            Some(0) => {
                self.consume(3);
                self.in_cdata = false;
                Ok(None)
            }
            Some(end) => Ok(Some(end)),
            None if held.len() > 2 => Ok(Some(held.len() - 2)),
            None if self.fill(3)? => Ok(None),
            None => {
                self.in_cdata = false;
                self.break_off("ends within a CDATA section");
                Ok(None)
            }
        }
    }

    fn text_piece(&mut self, length: usize) -> XmlPiece<'_> {
        let start = self.at;
        self.consume(length);
        let text = &self.buffer[start..start + length];
        if self.in_cdata || memchr(b'&', text).is_none() {
            return XmlPiece::Text(&self.buffer[start..start + length]);
        }
        self.scratch.clear();
        if !decode(text, &mut self.scratch) {
            self.break_off("has an entity that is not known");
        }
        XmlPiece::Text(&self.scratch)
    }

    /// Reads the markup after `<`. Returns `None` if it is not a tag, or not well-formed.
    fn markup(&mut self) -> Result<Option<TagToken>, InputError> {
        self.fill(9)?;
        let held = self.held();
        match held {
            [b'<', b'!', b'-', b'-', ..] => self.skip(4, b"-->")?,
            _ if held.starts_with(b"<![CDATA[") => {
                self.consume(9);
                self.in_cdata = true;
            }
            [b'<', b'!', ..] => self.skip_doctype()?,
            [b'<', b'?', ..] => self.skip(2, b"?>")?,
            _ => return self.tag(),
        }
        Ok(None)
    }

    /// Skips `start` bytes, then all bytes up to and including `end`.
    fn skip(&mut self, start: usize, end: &[u8]) -> Result<(), InputError> {
        self.consume(start);
        loop {
            if let Some(at) = memmem::find(self.held(), end) {
                self.consume(at + end.len());
                return Ok(());
            }
            let passed = self.held().len().saturating_sub(end.len() - 1);
            self.consume(passed);
            if !self.fill(end.len())? {
                let rest = self.held().len();
                self.consume(rest);
                self.break_off("ends within a comment");
                return Ok(());
            }
        }
    }

    /// Skips a document type. If it has declarations, it ends with `]>`.
    fn skip_doctype(&mut self) -> Result<(), InputError> {
        loop {
            if let Some(at) = memchr2(b'>', b'[', self.held()) {
                let has_own = self.held()[at] == b'[';
                return if has_own {
                    self.skip(at, b"]>")
                } else {
                    self.consume(at + 1);
                    Ok(())
                };
            }
            let passed = self.held().len();
            self.consume(passed);
            if !self.fill(1)? {
                self.break_off("ends within its document type");
                return Ok(());
            }
        }
    }

    /// Reads a tag. A tag that is not well-formed is passed over.
    fn tag(&mut self) -> Result<Option<TagToken>, InputError> {
        let (mut at, mut quote) = (1, None);
        loop {
            while let Some(byte) = self.held().get(at) {
                match (byte, quote) {
                    (b'<', _) => return Ok(self.skip_tag(at, "has a tag without an end")),
                    (b'>', None) => return Ok(self.whole_tag(at)),
                    (b'"' | b'\'', None) => quote = Some(*byte),
                    (byte, Some(open)) if *byte == open => quote = None,
                    _ => {}
                }
                at += 1;
            }
            if at > MAX_TAG_BYTES {
                self.skip_tag(at, "has a tag of more than 1 MiB");
                self.skip(0, b">")?;
                return Ok(None);
            }
            if !self.fill(at + 1)? {
                self.depth = 0;
                return Ok(self.skip_tag(at, "ends within a tag"));
            }
        }
    }

    fn skip_tag(&mut self, count: usize, fault: &'static str) -> Option<TagToken> {
        self.consume(count);
        self.break_off(fault);
        None
    }

    /// Reads the tag that ends at `end` of the bytes that are held.
    fn whole_tag(&mut self, end: usize) -> Option<TagToken> {
        let start = self.at;
        self.consume(end + 1);
        let inner = &self.buffer[start + 1..start + end];
        if let Some(name) = inner.strip_prefix(b"/") {
            let name = hash(name.trim_ascii_end());
            self.close(name);
            return Some(TagToken::End(start + 2, start + end));
        }
        self.is_empty = inner.ends_with(b"/");
        let end = start + end - usize::from(self.is_empty);
        let inner = &self.buffer[start + 1..end];
        let length = inner.iter().position(u8::is_ascii_whitespace);
        let name_end = start + 1 + length.unwrap_or(inner.len());
        let name = &self.buffer[start + 1..name_end];
        let hashed = hash(name);
        if self.is_empty {
            self.scratch.clear();
            self.scratch.extend_from_slice(local(name));
        }
        self.enter(hashed);
        Some(TagToken::Start(start + 1, name_end, end))
    }

    fn enter(&mut self, name: u64) {
        if self.open.len() as u64 == self.depth && self.open.len() < MAX_OPEN_ELEMENTS {
            self.open.push(name);
        }
        self.depth += 1;
    }

    fn close(&mut self, name: u64) {
        let is_known = self.depth <= MAX_OPEN_ELEMENTS as u64;
        if self.depth == 0 || is_known && self.open.last() != Some(&name) {
            self.break_off("closes an element that is not open");
        }
        self.depth = self.depth.saturating_sub(1);
        self.open.truncate(self.depth as usize);
    }

    fn piece(&self, token: TagToken) -> XmlPiece<'_> {
        match token {
            TagToken::Start(start, name, end) => XmlPiece::Start(StartTag {
                name: local(&self.buffer[start..name]),
                attributes: &self.buffer[name..end],
            }),
            TagToken::End(start, end) => {
                XmlPiece::End(local(self.buffer[start..end].trim_ascii_end()))
            }
        }
    }
}

/// Places of a tag in the buffer.
enum TagToken {
    /// The start of the name, its end, and the end of the attributes.
    Start(usize, usize, usize),
    /// The start and the end of the name.
    End(usize, usize),
}

/// Returns the part of a name after its prefix.
fn local(name: &[u8]) -> &[u8] {
    memchr(b':', name).map_or(name, |at| &name[at + 1..])
}

/// Hashes with FNV-1a: names are short, and a collision only hides a fault of the same file.
fn hash(name: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    name.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Appends `text` with its entities undone. Returns false if it has other entities than those of XML, which are kept.
pub(crate) fn decode(mut text: &[u8], into: &mut Vec<u8>) -> bool {
    let mut all_known = true;
    while let Some(at) = memchr(b'&', text) {
        into.extend_from_slice(&text[..at]);
        text = &text[at..];
        let end = memchr(b';', &text[..text.len().min(MAX_ENTITY_BYTES)]);
        match end.and_then(|end| Some((meaning(&text[1..end])?, end))) {
            Some((meaning, end)) => {
                into.extend_from_slice(meaning.encode_utf8(&mut [0; 4]).as_bytes());
                text = &text[end + 1..];
            }
            None => {
                all_known = false;
                into.push(b'&');
                text = &text[1..];
            }
        }
    }
    into.extend_from_slice(text);
    all_known
}

fn meaning(entity: &[u8]) -> Option<char> {
    let number = |digits: &[u8], radix| {
        let digits = std::str::from_utf8(digits).ok()?;
        char::from_u32(u32::from_str_radix(digits, radix).ok()?)
    };
    match entity {
        b"amp" => Some('&'),
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16),
        [b'#', digits @ ..] => number(digits, 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns its bytes in reads of at most this many bytes.
    struct Steps<'b>(&'b [u8], usize);

    impl ReadBytes for Steps<'_> {
        fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
            let length = into.len().min(self.1);
            self.0.read(&mut into[..length])
        }
    }

    /// Returns the pieces, one a word. Texts that follow each other are one.
    fn pieces(xml: &str, step: usize) -> String {
        let mut bytes = Steps(xml.as_bytes(), step);
        let mut reader = XmlReader::new(&mut bytes);
        let mut out = String::new();
        loop {
            match reader.next_piece() {
                Ok(None) => return out,
                Ok(Some(XmlPiece::Start(tag))) => {
                    out += &format!("<{}", String::from_utf8_lossy(tag.name));
                    for (name, value) in tag.attributes() {
                        let (name, value) = (
                            String::from_utf8_lossy(name),
                            String::from_utf8_lossy(&value),
                        );
                        out += &format!(" {name}={value}");
                    }
                    out += ">";
                }
                Ok(Some(XmlPiece::End(name))) => {
                    out += &format!("</{}>", String::from_utf8_lossy(name))
                }
                Ok(Some(XmlPiece::Text(text))) => out += &String::from_utf8_lossy(text),
                Err(error) => out += &format!("[{error}]"),
            }
        }
    }

    #[test]
    fn the_pieces_are_the_same_by_every_step() {
        let xml = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY x \"y\">]><n:a b='1 &lt; 2' c:d=\"e&quot;>\">\
            t&amp;u&#65;&#x42;<!-- <x> --><![CDATA[<&amp;]]]]><e/><n:f g = \"h\" />v</n:a>";
        let expected = "<a b=1 < 2 d=e\">>t&uAB<&amp;]]<e></e><f g=h></f>v</a>";
        for step in [1, 2, 3, 7, 1000] {
            assert_eq!(pieces(xml, step), expected, "{step}");
        }
    }

    #[test]
    fn a_fault_is_reported_once_and_the_rest_is_read() {
        let faults = [
            ("<a>x<b c=\"1<d>y</d></a>z", "has a tag without an end"),
            ("<a>x</b>y<c>z", "closes an element that is not open"),
            ("<a>x&nbsp;y</a>z", "has an entity that is not known"),
            ("<a>x<d>yz", "ends within an element"),
            ("<a>xyz<d", "ends within a tag"),
            ("<a>xyz<![CDATA[", "ends within a CDATA section"),
            ("<a>xyz<!--", "ends within a comment"),
        ];
        for (xml, fault) in faults {
            for step in [1, 1000] {
                let out = pieces(xml, step);
                assert_eq!(out.matches(fault).count(), 1, "{xml}: {out}");
                assert_eq!(out.matches('[').count(), 1, "{xml}: {out}");
                for text in ["x", "y", "z"] {
                    assert!(out.contains(text), "{xml}: {out}");
                }
            }
        }
    }

    #[test]
    fn elements_deeper_than_the_names_that_are_kept_are_closed() {
        let depth = 3 * MAX_OPEN_ELEMENTS;
        let xml = "<a>".repeat(depth) + &"</a>".repeat(depth);
        assert!(!pieces(&xml, 1000).contains('['));
    }
}
