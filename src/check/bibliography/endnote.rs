//! Reads the XML that EndNote and Zotero write.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::{EntryDraft, FieldText};
use crate::check::reference::{Escape, Reference, text, trimmed};

/// Whether a head of XML has the elements of EndNote's format.
pub(super) fn is_endnote(head: &[u8]) -> bool {
    let holds = |tag: &[u8]| memmem::find(head, tag).is_some();
    holds(b"<records>") && holds(b"<record>")
}

/// Returns the references of a document.
pub(super) fn references(bytes: &[u8]) -> Vec<Reference> {
    let mut references = Vec::new();
    let mut reader = EndnoteReader {
        bytes,
        record: None,
        field: None,
    };
    let pieces = Pieces { bytes, at: 0 };
    for piece in pieces {
        references.extend(reader.take(piece));
    }
    references.extend(reader.end_record());
    references
}

/// A document that is being read.
struct EndnoteReader<'b> {
    bytes: &'b [u8],
    record: Option<EndnoteRecord>,
    /// The name of the element that is open, and its text so far.
    field: Option<(&'b [u8], ElementText)>,
}

/// The record that is open.
struct EndnoteRecord {
    draft: EntryDraft,
    label: Option<String>,
    number: Option<String>,
}

impl<'b> EndnoteReader<'b> {
    /// Takes a piece of the document. Returns the reference if the piece ends one.
    fn take(&mut self, piece: XmlPiece<'b>) -> Option<Reference> {
        match (piece, &mut self.field) {
            (XmlPiece::Open(b"record", start), _) => {
                let ended = self.end_record();
                self.record = Some(EndnoteRecord {
                    draft: EntryDraft::new(start),
                    label: None,
                    number: None,
                });
                return ended;
            }
            (XmlPiece::Close(b"record"), _) => return self.end_record(),
            (XmlPiece::Open(name, _), None) if is_field(name) => {
                self.field = Some((name, ElementText::default()));
            }
            (XmlPiece::Close(name), Some((open, _))) if name == *open => self.end_field(),
            (XmlPiece::Text(place), Some((_, field))) => field.add(self.bytes, place, true),
            (XmlPiece::Characters(place), Some((_, field))) => field.add(self.bytes, place, false),
            (XmlPiece::Passed, Some((_, field))) => field.is_whole = false,
            _ => {}
        }
        None
    }

    fn end_field(&mut self) {
        let (Some((name, field)), Some(record)) = (self.field.take(), &mut self.record) else {
            return;
        };
        let value = field.value(self.bytes);
        let key = |value: FieldText| value.decoded_text(self.bytes, Escape::Xml);
        match name {
            b"label" => record.label = Some(key(value)),
            b"rec-number" => record.number = Some(key(value)),
            b"electronic-resource-num" => record.draft.add_doi(self.bytes, value),
            b"url" => record.draft.add_address(self.bytes, value),
            _ => record.draft.notes.push(value),
        }
    }

    fn end_record(&mut self) -> Option<Reference> {
        self.end_field();
        let mut record = self.record.take()?;
        record.draft.key = record.label.or(record.number);
        Some(record.draft.reference(self.bytes, Escape::Xml))
    }
}

/// Whether the text of an element is read.
fn is_field(name: &[u8]) -> bool {
    matches!(
        name,
        b"label"
            | b"rec-number"
            | b"electronic-resource-num"
            | b"url"
            | b"notes"
            | b"research-notes"
            | b"accession-num"
    )
}

/// The text of an element, which other elements may divide into pieces.
struct ElementText {
    /// The pieces, except white space with a line end, and whether their entities must be decoded.
    pieces: Vec<(Range<usize>, bool)>,
    /// Whether nothing else was between the pieces.
    is_whole: bool,
}

impl Default for ElementText {
    fn default() -> Self {
        ElementText {
            pieces: Vec::new(),
            is_whole: true,
        }
    }
}

impl ElementText {
    fn add(&mut self, bytes: &[u8], place: Range<usize>, has_entities: bool) {
        self.is_whole &= has_entities;
        // White space with a line end between elements is layout.
        let is_layout = bytes[place.clone()].trim_ascii().is_empty();
        if !(is_layout && bytes[place.clone()].contains(&b'\n')) {
            self.pieces.push((place, has_entities));
        }
    }

    fn value(self, bytes: &[u8]) -> FieldText {
        if let ([(place, _)], true) = (&self.pieces[..], self.is_whole) {
            return trimmed(bytes, place.clone()).into();
        }
        let start = self.pieces.first().map_or(0, |(place, _)| place.start);
        let end = self.pieces.last().map_or(start, |(place, _)| place.end);
        let decoded = |(place, has_entities): &(Range<usize>, bool)| {
            let written = text(&bytes[place.clone()]);
            match has_entities {
                true => htmlize::unescape(&*written).into_owned(),
                false => written.into_owned(),
            }
        };
        FieldText {
            place: start..end,
            joined: Some(self.pieces.iter().map(decoded).collect::<String>().into()),
        }
    }
}

/// A piece of a document.
enum XmlPiece<'b> {
    /// A start tag: the name of the element, and the offset of its content.
    Open(&'b [u8], usize),
    /// An end tag.
    Close(&'b [u8]),
    Text(Range<usize>),
    /// The content of a CDATA section.
    Characters(Range<usize>),
    /// A comment, an instruction or an element without content.
    Passed,
}

/// Iterates over the pieces of a document.
struct Pieces<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Pieces<'b> {
    /// Moves behind the next `end`. Returns the range between the opener, which is `opener` bytes long, and that `end`.
    fn pass_until(&mut self, opener: usize, end: &[u8]) -> Range<usize> {
        let start = self.bytes.len().min(self.at + opener);
        let length = memmem::find(&self.bytes[start..], end);
        let inside = start..length.map_or(self.bytes.len(), |length| start + length);
        self.at = self.bytes.len().min(inside.end + end.len());
        inside
    }
}

impl<'b> Iterator for Pieces<'b> {
    type Item = XmlPiece<'b>;

    fn next(&mut self) -> Option<XmlPiece<'b>> {
        let rest = &self.bytes[self.at..];
        if rest.first()? != &b'<' {
            let length = memchr(b'<', rest).unwrap_or(rest.len());
            self.at += length;
            return Some(XmlPiece::Text(self.at - length..self.at));
        }
        if rest.starts_with(b"<![CDATA[") {
            return Some(XmlPiece::Characters(self.pass_until(9, b"]]>")));
        }
        if rest.starts_with(b"<!--") {
            self.pass_until(4, b"-->");
            return Some(XmlPiece::Passed);
        }
        if matches!(rest.get(1), Some(b'!' | b'?')) {
            self.pass_until(2, b">");
            return Some(XmlPiece::Passed);
        }
        let tag = self.pass_until(1, b">");
        let inside = &self.bytes[tag];
        let name = |tag: &'b [u8]| {
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
            tag.split(is_end).next().unwrap_or_default()
        };
        Some(match inside.strip_prefix(b"/") {
            Some(closed) => XmlPiece::Close(name(closed)),
            None if inside.ends_with(b"/") => XmlPiece::Passed,
            None => XmlPiece::Open(name(inside), self.at),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::reference::ReferenceName;

    /// Returns the text of the first record's name, and whether a repair can replace it.
    fn read(field: &str) -> (String, bool) {
        let document = format!("<xml><records><record><x/>{field}</record></records></xml>");
        let references = references(document.as_bytes());
        assert_eq!(references.len(), 1, "{field}");
        let written = &document[references[0].place.clone()];
        match &references[0].name {
            ReferenceName::Field(field) => (
                field.decoded_text(written).into_owned(),
                field.joined.is_none(),
            ),
            ReferenceName::Found { doi, .. } => (doi.as_str().to_owned(), false),
            ReferenceName::Nothing => (String::new(), false),
        }
    }

    #[test]
    fn the_text_of_an_element_is_all_of_its_runs() {
        let runs = "<style face=\"a\">10.5555/</style><style>a1.</style>";
        for (inside, text, is_exact) in [
            ("10.5555/a1.", "10.5555/a1.", true),
            (
                "\n  <style face=\"a\" size=\"1\">10.5555/a&lt;1.</style>\n",
                "10.5555/a<1.",
                true,
            ),
            (runs, "10.5555/a1.", false),
            (
                "<style>10.5555/a</style><!-- or 10.5555/b --><style>1</style>",
                "10.5555/a1",
                false,
            ),
            ("10.5555/a<!-- x -->", "10.5555/a", false),
            ("<![CDATA[10.5555/a&amp;1]]>", "10.5555/a&amp;1", false),
            ("<style>10.5555/a</style><![CDATA[1]]>", "10.5555/a1", false),
        ] {
            let field = format!("<electronic-resource-num>{inside}</electronic-resource-num>");
            assert_eq!(read(&field), (text.to_owned(), is_exact), "{field}");
        }
    }

    #[test]
    fn comments_are_no_fields_and_notes_are_read() {
        let commented = "<!-- <electronic-resource-num>10.5555/b</electronic-resource-num> -->";
        for (field, text) in [
            (
                format!("{commented}<electronic-resource-num>10.5555/a1</electronic-resource-num>"),
                "10.5555/a1",
            ),
            (
                format!("{commented}<notes><style>DOI: 10.5555/</style><style>a1</style></notes>"),
                "10.5555/a1",
            ),
            (
                "<accession-num>10.5555/a1</accession-num>".to_owned(),
                "10.5555/a1",
            ),
            (commented.to_owned(), ""),
        ] {
            assert_eq!(read(&field).0, text, "{field}");
        }
    }
}
