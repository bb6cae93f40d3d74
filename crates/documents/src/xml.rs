//! The XML of office documents: events of the crate `quick-xml`, whose memory does not depend on the size of the XML.
//!
//! XML that is not well-formed ends at the error.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use quick_xml::Reader;
use quick_xml::errors::Error;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesEnd, BytesRef, BytesStart, Event};

use crate::fault::InputError;
use crate::peek::PeekReader;
use crate::read::{ReadBuffer, ReadBytes};

/// Bytes of a read.
const READ_BYTES: usize = 32 << 10;
/// Maximum bytes of a tag, a comment, or a text between tags: the crate holds it as a whole. Flat OpenDocument has pictures in
/// such texts.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// Maximum number of open elements, and maximum bytes of the name of one. The crate holds the names of all.
const MAX_OPEN_ELEMENTS: u64 = 10_000;
const MAX_NAME_BYTES: usize = 1 << 10;

/// A part of the XML.
pub(crate) enum XmlPiece<'x> {
    /// A start tag. An empty element has an end as well.
    Start(BytesStart<'x>),
    /// An end tag.
    End(BytesEnd<'x>),
    /// Text with its entities undone. The text between two tags may come in several pieces.
    Text(Cow<'x, str>),
    /// A comment, a declaration or an instruction.
    Other,
}

/// Reads XML.
pub(crate) struct XmlReader<'r> {
    xml: Reader<EventBytes<'r>>,
    held: Vec<u8>,
    depth: u64,
    has_ended: bool,
}

impl<'r> XmlReader<'r> {
    pub(crate) fn new(bytes: &'r mut dyn ReadBytes) -> Self {
        let mut xml = Reader::from_reader(EventBytes {
            bytes: PeekReader::with_capacity(bytes, READ_BYTES),
            room: 0,
            fault: None,
        });
        xml.config_mut().expand_empty_elements = true;
        XmlReader {
            xml,
            held: Vec::new(),
            depth: 0,
            has_ended: false,
        }
    }

    /// Returns the offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.xml.buffer_position()
    }

    /// Returns the number of open elements. The element of an end tag counts before the tag.
    pub(crate) fn depth(&self) -> u64 {
        self.depth
    }

    /// Returns the next piece; `None` at the end.
    ///
    /// # Errors
    /// The loss in the bytes, or the fault of the XML. No further piece follows an error.
    pub(crate) fn next_piece(&mut self) -> Result<Option<XmlPiece<'_>>, InputError> {
        if self.has_ended {
            return Ok(None);
        }
        self.held.clear();
        self.xml.get_mut().room = MAX_EVENT_BYTES;
        // Set first, since an event keeps the reader borrowed.
        self.has_ended = true;
        let piece = match self.xml.read_event_into(&mut self.held) {
            Ok(Event::Eof) if self.depth == 0 => return Ok(None),
            Ok(Event::Eof) => return Err(InputError::Xml("ends within an element".into())),
            Ok(event) => piece(event)?,
            Err(error) => return Err(self.xml.get_mut().fault_of(&error)),
        };
        match &piece {
            XmlPiece::Start(tag) => {
                let is_long = tag.name().into_inner().len() > MAX_NAME_BYTES;
                if is_long || self.depth == MAX_OPEN_ELEMENTS {
                    let fault = "has elements in each other, or names of them, beyond what is read";
                    return Err(InputError::Office(fault));
                }
                self.depth += 1;
            }
            XmlPiece::End(_) => self.depth -= 1,
            XmlPiece::Text(_) | XmlPiece::Other => {}
        }
        self.has_ended = false;
        Ok(Some(piece))
    }
}

fn piece(event: Event<'_>) -> Result<XmlPiece<'_>, InputError> {
    Ok(match event {
        Event::Start(tag) => XmlPiece::Start(tag),
        Event::End(tag) => XmlPiece::End(tag),
        Event::Text(text) => XmlPiece::Text(text.into_inner()),
        Event::CData(text) => XmlPiece::Text(text.into_inner()),
        Event::GeneralRef(name) => XmlPiece::Text(meaning(&name)?),
        _ => XmlPiece::Other,
    })
}

/// Returns the text of a reference to a character or an entity.
fn meaning(name: &BytesRef<'_>) -> Result<Cow<'static, str>, InputError> {
    match name.resolve_char_ref() {
        Ok(Some(character)) => Ok(character.to_string().into()),
        Ok(None) => match resolve_predefined_entity(name) {
            Some(text) => Ok(text.into()),
            None => Err(InputError::Xml("has an entity that is not known".into())),
        },
        Err(error) => Err(InputError::Xml(error.to_string().into())),
    }
}

/// Returns the local names of the attributes, and their values.
pub(crate) fn attributes<'t>(
    tag: &'t BytesStart<'_>,
) -> impl Iterator<Item = (&'t str, Cow<'t, str>)> {
    let mut attributes = tag.attributes();
    attributes.with_checks(false);
    attributes.flatten().map(|attribute| {
        let value = match attribute.value {
            Cow::Borrowed(raw) => unescape(raw).unwrap_or(Cow::Borrowed(raw)),
            Cow::Owned(text) => Cow::Owned(text),
        };
        (attribute.key.local_name().into_inner(), value)
    })
}

/// Returns the value of the attribute with the local name `name`.
pub(crate) fn attribute<'t>(tag: &'t BytesStart<'_>, name: &str) -> Option<Cow<'t, str>> {
    attributes(tag).find_map(|(own, value)| (own == name).then_some(value))
}

/// Gives bytes to the crate, up to a limit for each event.
struct EventBytes<'r> {
    bytes: PeekReader<&'r mut dyn ReadBytes>,
    /// Bytes that the event may still take.
    room: usize,
    /// The loss that the last read returned.
    fault: Option<InputError>,
}

impl EventBytes<'_> {
    /// Returns the error of a read that failed, or the fault of the XML.
    fn fault_of(&mut self, error: &Error) -> InputError {
        let fault = self.fault.take();
        fault.unwrap_or_else(|| InputError::Xml(error.to_string().into()))
    }
}

impl BufRead for EventBytes<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.room == 0 {
            let fault = "has a tag or a text of more than 16 MiB";
            self.fault = Some(InputError::Office(fault));
            return Err(io::ErrorKind::InvalidData.into());
        }
        match self.bytes.fill_buf() {
            Ok(held) => Ok(&held[..held.len().min(self.room)]),
            Err(fault) => {
                self.fault = Some(fault);
                Err(io::ErrorKind::InvalidData.into())
            }
        }
    }

    fn consume(&mut self, count: usize) {
        self.room -= count.min(self.room);
        self.bytes.consume(count);
    }
}

/// Required by [`BufRead`].
impl Read for EventBytes<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = Read::read(&mut self.fill_buf()?, into)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pieces and the error, if there is one. Texts that follow each other are one.
    fn pieces(xml: &str) -> String {
        let mut bytes = xml.as_bytes();
        let mut reader = XmlReader::new(&mut bytes);
        let mut out = String::new();
        loop {
            match reader.next_piece() {
                Ok(None) => return out,
                Ok(Some(XmlPiece::Start(tag))) => {
                    out += &format!("<{}", tag.local_name().into_inner());
                    for (name, value) in attributes(&tag) {
                        out += &format!(" {name}={value}");
                    }
                    out += ">";
                }
                Ok(Some(XmlPiece::End(tag))) => {
                    out += &format!("</{}>", tag.local_name().into_inner())
                }
                Ok(Some(XmlPiece::Text(text))) => out += &text,
                Ok(Some(XmlPiece::Other)) => {}
                Err(error) => out += &format!("[{error}]"),
            }
        }
    }

    #[test]
    fn pieces_have_local_names_and_no_entities() {
        let xml = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY x \"y\">]><n:a b='1 &lt; 2' c:d=\"e&quot;>\">\
            t&amp;u&#65;&#x42;<!-- <x> --><![CDATA[<&amp;]]]]><e/><n:f g = \"h\" />v</n:a>";
        let expected = "<a b=1 < 2 d=e\">>t&uAB<&amp;]]<e></e><f g=h></f>v</a>";
        assert_eq!(pieces(xml), expected);
    }

    #[test]
    fn xml_that_is_not_well_formed_ends_with_one_error() {
        for xml in [
            "<a>x</b>y",
            "<a>x&nbsp;y</a>",
            "<a>x<d>",
            "<a>x<d",
            "<a>x<![CDATA[",
            "<a>x<!--",
        ] {
            let out = pieces(xml);
            assert!(out.starts_with("<a>x"), "{xml}: {out}");
            assert_eq!(out.matches("[the XML").count(), 1, "{xml}: {out}");
            assert!(out.ends_with(']') && !out.contains("y</a>"), "{xml}: {out}");
        }
    }

    #[test]
    fn what_is_held_has_limits() {
        let depth = MAX_OPEN_ELEMENTS as usize;
        let nested = |depth| "<a>".repeat(depth) + &"</a>".repeat(depth);
        assert!(!pieces(&nested(depth)).contains('['));
        assert!(pieces(&nested(depth + 1)).ends_with("beyond what is read]"));
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        assert!(pieces(&format!("<{long}/>")).ends_with("beyond what is read]"));
        let text = "x".repeat(MAX_EVENT_BYTES + 1);
        let out = pieces(&format!("<a>{text}</a>"));
        assert_eq!(
            out,
            "<a>[the office document has a tag or a text of more than 16 MiB]"
        );
    }
}
