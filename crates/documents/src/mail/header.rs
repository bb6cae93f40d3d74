//! The header of a message or a part: the fields that describe its body.

use std::borrow::Cow;
use std::ops::Range;

use mail_parser::ContentType;
use mail_parser::parsers::MessageStream;

use super::charset::{MailCharset, has_foreign};
use super::coding::{MailCoding, lines};
use super::flow;
use crate::fault::{InputError, Packing};
use crate::guard::guard;
use crate::mail_start::{is_blank, is_field};

/// Maximum bytes of a field that are read. The parser takes time quadratic in the number of parameters.
const MAX_FIELD_BYTES: usize = 8 << 10;

/// Kind of body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum BodyContent {
    #[default]
    Text,
    /// A web page.
    Web,
    /// Parts with this boundary between them.
    Parts(Vec<u8>),
    /// Another message.
    Message,
    /// A file of any kind.
    Attached,
}

/// The meaning of the fields of a header.
#[derive(Default)]
pub(super) struct PartHeader {
    pub(super) content: BodyContent,
    pub(super) coding: MailCoding,
    pub(super) file_name: Option<String>,
    /// Why a field could not be read.
    pub(super) fault: Option<InputError>,
    /// The type of content in lower case.
    kind: String,
    parameters: Option<ContentType<'static>>,
}

impl PartHeader {
    /// Reads the header at the start of `text`. Returns it, and its length with the empty line after it. `is_of_digest` says
    /// that it is the header of a part of a digest, which is a message unless the header says otherwise.
    pub(super) fn read(text: &[u8], is_of_digest: bool) -> (Self, usize) {
        let (fields, length) = fields(text);
        let mut header = PartHeader::default();
        let mut disposition = None;
        for field in fields {
            let field = &text[field];
            let colon = memchr::memchr(b':', field).unwrap_or(0);
            let value = &field[colon + 1..field.len().min(colon + 1 + MAX_FIELD_BYTES)];
            match &field[..colon].to_ascii_lowercase()[..] {
                b"content-type" => header.parameters = parsed(value, &mut header.fault),
                b"content-disposition" => disposition = parsed(value, &mut header.fault),
                b"content-transfer-encoding" => header.coding = MailCoding::of(value),
                _ => {}
            }
        }
        header.kind = header.parameters.as_ref().map_or_else(String::new, kind_of);
        header.file_name = disposition
            .as_ref()
            .and_then(|value| value.attribute("filename"))
            .or_else(|| header.parameter("name"))
            .map(str::to_owned);
        let is_file = header.file_name.is_some()
            || disposition.is_some_and(|value| value.ctype() == "attachment");
        header.content = header.content(is_file);
        if is_of_digest && header.kind.is_empty() && is_field(&text[length..]) {
            header.content = BodyContent::Message;
        }
        (header, length)
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.as_ref()?.attribute(name)
    }

    /// Returns the number of this part of a message that was cut into several; `None` for a whole message.
    pub(super) fn fragment(&self) -> Option<u64> {
        let number = |name| self.parameter(name)?.parse::<u64>().ok();
        let is_cut = self.kind == "message/partial" && number("total") != Some(1);
        is_cut.then(|| number("number").unwrap_or(0))
    }

    /// Whether parts without a type of content are messages.
    pub(super) fn is_digest(&self) -> bool {
        self.kind == "multipart/digest"
    }

    fn content(&self, is_file: bool) -> BodyContent {
        match &self.kind[..] {
            kind if kind.starts_with("multipart/") => {
                let boundary = self.parameter("boundary").unwrap_or_default();
                BodyContent::Parts(boundary.trim_end().into())
            }
            "message/rfc822" | "message/global" | "message/news" => BodyContent::Message,
            // The first part starts with the header of the message.
            "message/partial" if self.fragment().is_none_or(|number| number == 1) => {
                BodyContent::Message
            }
            _ if is_file => BodyContent::Attached,
            "text/html" | "application/xhtml+xml" => BodyContent::Web,
            kind if kind.starts_with("text/") || kind.starts_with("message/") => BodyContent::Text,
            // A type without a slash is wrong.
            kind if !kind.contains('/') => BodyContent::Text,
            _ => BodyContent::Attached,
        }
    }

    /// Converts the decoded bytes of a text to UTF-8, and joins its lines if they are flowed. The second value is the label of
    /// the charset, if it is not known and the bytes need it.
    pub(super) fn text_of<'b>(&self, bytes: Cow<'b, [u8]>) -> (Cow<'b, [u8]>, Option<Box<str>>) {
        let label = self.parameter("charset").unwrap_or_default();
        let mut charset = MailCharset::of(label.as_bytes());
        let is_unknown = charset == MailCharset::Unknown && has_foreign(&bytes);
        // Of charsets that do not contain ASCII, only the coding keeps the bytes.
        if !charset.has_ascii() && self.coding != MailCoding::Base64 {
            charset = MailCharset::default();
        }
        let text = charset.decode(bytes);
        let is = |name, value: &str| {
            let own = self.parameter(name);
            own.is_some_and(|own| own.eq_ignore_ascii_case(value))
        };
        let text = if self.kind == "text/plain" && is("format", "flowed") {
            flow::joined(&text, is("delsp", "yes")).into()
        } else {
            text
        };
        (text, is_unknown.then(|| label.into()))
    }
}

/// Returns the fields of the header at the start of `text`, with their folded lines, and the length of the header with the
/// empty line after it.
fn fields(text: &[u8]) -> (Vec<Range<usize>>, usize) {
    let mut fields: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in lines(text) {
        let end = at + line.len();
        match fields.last_mut() {
            _ if is_blank(line) => return (fields, end),
            Some(field) if matches!(line, [b' ' | b'\t', ..]) => field.end = end,
            _ if is_field(line) => fields.push(at..end),
            _ => break,
        }
        at = end;
    }
    (fields, at)
}

/// Returns a value and its parameters.
fn parsed(value: &[u8], fault: &mut Option<InputError>) -> Option<ContentType<'static>> {
    // The parser takes a value without a line end for an empty one.
    let line = [value, b"\n"].concat();
    let parse = || MessageStream::new(&line).parse_content_type().into_owned();
    let value = guard(Packing::Mail, parse).map_err(|error| *fault = Some(error));
    value.ok()?.into_content_type()
}

/// Returns the type and the subtype of a value. The parser returns them in lower case.
fn kind_of(value: &ContentType<'_>) -> String {
    match value.subtype() {
        Some(subtype) => format!("{}/{subtype}", value.ctype()),
        None => value.ctype().to_owned(),
    }
}
