//! The header of a message or a part: the fields that describe its body.

use super::charset::MailCharset;
use super::coding::MailCoding;
use super::field::FieldParameters;
use super::flow::FlowedText;
use super::words;
use crate::mail_start::{UTF8_BOM, is_field, lines_of};

/// Kind of body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum BodyContent {
    #[default]
    Text,
    /// A web page.
    Web,
    /// Parts with this boundary between them. If the boundary is empty, the body shows it.
    Parts(Vec<u8>),
    /// Another message.
    Message,
    /// A file of any kind.
    Attached,
}

/// A header, and the meaning of its fields.
#[derive(Default)]
pub(super) struct PartHeader {
    /// All bytes, including the empty line after it.
    pub(super) text: Vec<u8>,
    pub(super) content: BodyContent,
    pub(super) coding: MailCoding,
    /// The label of the charset of an encoded word, if it is not known.
    pub(super) unknown: Option<Box<str>>,
    pub(super) file_name: Option<String>,
    /// Whether a first part of the header was passed on, since it is long.
    pub(super) is_long: bool,
    kind: FieldParameters,
    disposition: FieldParameters,
}

impl PartHeader {
    /// Whether a line belongs to the header after the lines so far.
    pub(super) fn continues_with(&self, line: &[u8]) -> bool {
        let is_folded =
            matches!(line, [b' ' | b'\t', ..]) && (self.is_long || !self.text.is_empty());
        is_folded || is_field(line)
    }

    /// Joins the header of a part with the header of the message in it.
    pub(super) fn followed_by(self, within: PartHeader) -> PartHeader {
        PartHeader {
            text: [self.text, within.text].concat(),
            ..within
        }
    }

    /// Reads the fields, and decodes their encoded words.
    pub(super) fn read_fields(&mut self) {
        for (name, value) in fields(&self.text) {
            match &name[..] {
                b"content-type" => self.kind = FieldParameters::of(&value),
                b"content-disposition" => self.disposition = FieldParameters::of(&value),
                b"content-transfer-encoding" => self.coding = MailCoding::of(&value),
                _ => {}
            }
        }
        let (kind, disposition) = (&self.kind, &self.disposition);
        self.file_name = disposition
            .text("filename")
            .or_else(|| kind.text("name"))
            .filter(|name| !name.is_empty());
        self.content = self.content_of(kind, disposition);
        (self.text, self.unknown) = words::decoded(std::mem::take(&mut self.text));
    }

    /// Returns the charset of a text, and its label.
    pub(super) fn charset(&self) -> (MailCharset, String) {
        let label = self.kind.text("charset");
        let charset = label
            .as_ref()
            .map(|label| MailCharset::of(label.as_bytes()));
        (charset.unwrap_or_default(), label.unwrap_or_default())
    }

    /// Returns how the lines of a text are joined, if they are.
    pub(super) fn flow(&self) -> Option<FlowedText> {
        let says = |name, value: &str| {
            let own = self.kind.text(name);
            own.is_some_and(|own| own.trim_ascii().eq_ignore_ascii_case(value))
        };
        let is_flowed = self.kind.main == "text/plain" && says("format", "flowed");
        is_flowed.then(|| FlowedText::new(says("delsp", "yes")))
    }

    /// Returns the number of this part of a message that was cut into several; `None` for a whole message.
    pub(super) fn fragment(&self) -> Option<u64> {
        let number = |name| self.kind.text(name)?.trim_ascii().parse::<u64>().ok();
        let is_cut = self.kind.main == "message/partial" && number("total") != Some(1);
        is_cut.then(|| number("number").unwrap_or(0))
    }

    /// Whether parts without a type of content are messages.
    pub(super) fn is_digest(&self) -> bool {
        self.kind.main == "multipart/digest"
    }

    /// Takes the body for a message if the header does not state its type.
    pub(super) fn default_to_message(&mut self) {
        if self.kind.main.is_empty() {
            self.content = BodyContent::Message;
        }
    }

    fn content_of(&self, kind: &FieldParameters, disposition: &FieldParameters) -> BodyContent {
        let is_file = self.file_name.is_some() || disposition.main == "attachment";
        match &kind.main[..] {
            main if main.starts_with("multipart/") => {
                let boundary = kind.bytes("boundary").unwrap_or_default().0;
                let comment = memchr::memmem::find(&boundary, b" (").unwrap_or(boundary.len());
                BodyContent::Parts(boundary[..comment].trim_ascii_end().to_owned())
            }
            "message/rfc822" | "message/global" | "message/news" => BodyContent::Message,
            // The first part starts with the header of the message.
            "message/partial" if self.fragment().is_none_or(|number| number == 1) => {
                BodyContent::Message
            }
            _ if is_file => BodyContent::Attached,
            "text/html" | "application/xhtml+xml" => BodyContent::Web,
            "" => BodyContent::Text,
            main if main.starts_with("text/") || main.starts_with("message/") => BodyContent::Text,
            // A type without a slash is wrong.
            main if !main.contains('/') => BodyContent::Text,
            _ => BodyContent::Attached,
        }
    }
}

/// Returns the fields of a header: names in lower case, and values as one line.
fn fields(header: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut fields: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let header = header.strip_prefix(UTF8_BOM).unwrap_or(header);
    for line in lines_of(header) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match fields.last_mut() {
            Some((_, value)) if matches!(line, [b' ' | b'\t', ..]) => value.extend_from_slice(line),
            _ => {
                if is_field(line)
                    && let Some(colon) = memchr::memchr(b':', line)
                {
                    let name = line[..colon].trim_ascii().to_ascii_lowercase();
                    fields.push((name, line[colon + 1..].to_owned()));
                }
            }
        }
    }
    fields
}
