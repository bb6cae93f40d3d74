//! The header of a message or a part: the fields that say what its body is.

use encoding_rs::Encoding;

use super::body::Coding;
use super::field::FieldValue;
use super::start::{UTF8_BOM, is_field, lines_of};
use super::words;

/// What a body is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Content {
    #[default]
    Text,
    /// A web page.
    Web,
    /// Parts with this boundary between them. If it is empty, the body shows it.
    Parts(Vec<u8>),
    /// Another message.
    Message,
    /// A file of any kind.
    Attached,
}

/// A header, and what its fields say.
#[derive(Default)]
pub(super) struct PartHeader {
    /// All bytes, with the empty line after it.
    pub(super) text: Vec<u8>,
    pub(super) content: Content,
    pub(super) coding: Coding,
    /// The encoding of a text, if it must be converted.
    pub(super) charset: Option<&'static Encoding>,
    pub(super) file_name: Option<String>,
    /// Whether text before these bytes was passed on, since the header is long.
    pub(super) is_long: bool,
    kind: FieldValue,
    disposition: FieldValue,
}

impl PartHeader {
    /// Whether a line belongs to the header after the lines so far.
    pub(super) fn continues_with(&self, line: &[u8]) -> bool {
        let is_folded =
            matches!(line, [b' ' | b'\t', ..]) && (self.is_long || !self.text.is_empty());
        is_folded || is_field(line)
    }

    /// The header of a part, followed by that of the message in it.
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
                b"content-type" => self.kind = FieldValue::of(&value),
                b"content-disposition" => self.disposition = FieldValue::of(&value),
                b"content-transfer-encoding" => self.coding = Coding::of(&value),
                _ => {}
            }
        }
        let (kind, disposition) = (&self.kind, &self.disposition);
        self.file_name = disposition
            .text("filename")
            .or_else(|| kind.text("name"))
            .filter(|name| !name.is_empty());
        let charset = kind.text("charset");
        self.content = self.content_of(kind, disposition);
        self.text = words::decoded(std::mem::take(&mut self.text));
        let charset = charset.and_then(|label| Encoding::for_label(label.as_bytes()));
        self.charset = charset.filter(|charset| {
            // Decoders of unknown encodings give no text.
            *charset != encoding_rs::UTF_8 && *charset != encoding_rs::REPLACEMENT
        });
    }

    fn content_of(&self, kind: &FieldValue, disposition: &FieldValue) -> Content {
        let is_file = self.file_name.is_some() || disposition.main == "attachment";
        match &kind.main[..] {
            main if main.starts_with("multipart/") => {
                let boundary = kind.bytes("boundary").unwrap_or_default().0;
                let comment = memchr::memmem::find(&boundary, b" (").unwrap_or(boundary.len());
                Content::Parts(boundary[..comment].trim_ascii_end().to_owned())
            }
            "message/rfc822" | "message/global" | "message/news" => Content::Message,
            _ if is_file => Content::Attached,
            "text/html" | "application/xhtml+xml" => Content::Web,
            "" => Content::Text,
            main if main.starts_with("text/") || main.starts_with("message/") => Content::Text,
            // A type without a slash is wrong.
            main if !main.contains('/') => Content::Text,
            _ => Content::Attached,
        }
    }
}

/// The fields of a header: names in lower case, and values as one line.
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
