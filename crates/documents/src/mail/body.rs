//! The body of a part, decoded and in UTF-8.

use std::io;

use memchr::memchr;

use super::base64::{Base64Decoder, Base64Line};
use super::charset::{CharsetDecoder, MailCharset, has_foreign};
use super::coding::MailCoding;
use super::flow::FlowedText;
use super::header::PartHeader;
use super::lines::{LinesEnd, MailLines};
use super::uu::{self, UuLine};
use crate::codec::{damaged, early_end};
use crate::fault::{InputError, Packing};
use crate::mail_start::hex;
use crate::read::ReadBytes;

/// Bytes that are decoded before they are passed on.
const STEP_BYTES: usize = 16 << 10;

/// Reads a body up to the line that [stops](MailLines::stop) it, or the first bytes that are not in its coding.
pub(super) struct MailBody<'l, 'r> {
    lines: &'l mut MailLines<'r>,
    coding: MailCoding,
    base64: Base64Decoder,
    /// The conversion of a text, which has no control characters; `None` for a file.
    text: Option<BodyText>,
    /// The end of the last line. It belongs to a boundary if one follows.
    line_end: &'static [u8],
    /// Decoded bytes, and how many of them were read.
    out: Vec<u8>,
    at: usize,
    /// The error after these bytes.
    failed: Option<InputError>,
    ended: bool,
    /// Whether the end mark of its coding was read.
    is_whole: bool,
}

impl<'l, 'r> MailBody<'l, 'r> {
    /// Reads the text after a header.
    pub(super) fn text(lines: &'l mut MailLines<'r>, header: &PartHeader) -> Self {
        MailBody {
            text: Some(BodyText::after(header)),
            ..MailBody::file(lines, header.coding)
        }
    }

    /// Reads a file, or a text that is not converted.
    pub(super) fn file(lines: &'l mut MailLines<'r>, coding: MailCoding) -> Self {
        MailBody {
            lines,
            coding,
            base64: Base64Decoder::default(),
            text: None,
            line_end: b"",
            out: Vec::new(),
            at: 0,
            failed: None,
            ended: false,
            is_whole: false,
        }
    }

    /// Decodes some lines.
    fn fill(&mut self) {
        self.out.clear();
        self.at = 0;
        while self.out.len() < STEP_BYTES && !self.ended && self.failed.is_none() {
            if let Some(stop) = self.lines.stop() {
                self.end_body(Some(stop));
            } else if let Some(error) = self.lines.take_error() {
                self.put_line_end();
                self.base64 = Base64Decoder::default();
                self.failed = Some(error);
            } else {
                self.line();
            }
        }
        if let Some(text) = &mut self.text {
            self.out = text.converted(std::mem::take(&mut self.out), self.ended);
        }
    }

    fn line(&mut self) {
        let mark = self.lines.mark();
        let mut line = self.lines.line();
        match self.coding {
            MailCoding::Base64 => match self.base64.line(line, &mut self.out) {
                Base64Line::Data => {}
                Base64Line::Damaged => self.failed = Some(wrong()),
                Base64Line::Text => return self.end_body(None),
            },
            MailCoding::Uu => match uu::decode(line, &mut self.out) {
                UuLine::Data => {}
                UuLine::Damaged => self.failed = Some(wrong()),
                UuLine::End => self.is_whole = true,
                UuLine::Text => return self.end_body(None),
            },
            MailCoding::Plain => {
                self.out.extend_from_slice(self.line_end);
                let text = without_end(line);
                self.out.extend_from_slice(text);
                self.line_end = end_of(&line[text.len()..]);
            }
            MailCoding::Quoted => {
                if MailLines::is_piece(line, mark) {
                    // An escape at the end of the piece is read with the next one.
                    let tail = &line[line.len() - 2..];
                    let cut = memchr(b'=', tail).map_or(0, |at| tail.len() - at);
                    line = &line[..line.len() - cut];
                }
                self.out.extend_from_slice(self.line_end);
                self.line_end = unquote(line, self.text.is_some(), &mut self.out);
            }
        }
        let length = line.len();
        self.lines.consume(length);
        if self.is_whole {
            self.ended = true;
        }
    }

    /// Ends the body before the next line. `stop` is `None` if that line is not in its coding.
    fn end_body(&mut self, stop: Option<LinesEnd>) {
        self.ended = true;
        if !matches!(stop, Some(LinesEnd::Boundary { .. })) {
            self.put_line_end();
        }
        let is_cut = match self.coding {
            MailCoding::Base64 => !self.base64.finish(&mut self.out),
            MailCoding::Uu => true,
            _ => false,
        };
        if is_cut {
            self.failed = Some(damaged(Packing::Mail, early_end()));
        }
    }

    fn put_line_end(&mut self) {
        self.out.extend_from_slice(self.line_end);
        self.line_end = b"";
    }

    /// Returns the label of its charset, if it is not known and characters of it were read.
    pub(super) fn unknown(self) -> Option<Box<str>> {
        let text = self.text.filter(|text| text.has_unknown)?;
        text.unknown.map(String::into_boxed_str)
    }

    /// Returns the offset of the next line in the mail.
    pub(super) fn offset(&self) -> u64 {
        self.lines.offset()
    }
}

/// The conversion of the decoded bytes of a text.
struct BodyText {
    converter: CharsetDecoder,
    flow: Option<FlowedText>,
    /// The label of a charset that is not known.
    unknown: Option<String>,
    /// Whether characters of it were read.
    has_unknown: bool,
}

impl BodyText {
    fn after(header: &PartHeader) -> Self {
        // Of charsets that do not contain ASCII, only the coding keeps the bytes.
        let (charset, label) = header.charset();
        let charset = if charset.has_ascii() || header.coding == MailCoding::Base64 {
            charset
        } else {
            MailCharset::default()
        };
        BodyText {
            converter: CharsetDecoder::of(charset),
            flow: header.flow(),
            unknown: (charset == MailCharset::Unknown).then_some(label),
            has_unknown: false,
        }
    }

    fn converted(&mut self, bytes: Vec<u8>, is_last: bool) -> Vec<u8> {
        self.has_unknown |= self.unknown.is_some() && has_foreign(&bytes);
        let text = self.converter.decode_piece(bytes, is_last);
        match &mut self.flow {
            Some(flow) => flow.join_piece(&text, is_last),
            None => text,
        }
    }
}

impl ReadBytes for MailBody<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if into.is_empty() {
            return Ok(0);
        }
        while self.at == self.out.len() {
            match self.failed.take() {
                Some(error) => return Err(error),
                None if self.ended => return Ok(0),
                None => self.fill(),
            }
        }
        let count = into.len().min(self.out.len() - self.at);
        into[..count].copy_from_slice(&self.out[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn wrong() -> InputError {
    let what = "a line has wrong characters, or a wrong number of them, for its encoding";
    damaged(
        Packing::Mail,
        io::Error::new(io::ErrorKind::InvalidData, what),
    )
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn end_of(end: &[u8]) -> &'static [u8] {
    match end {
        b"\r\n" => b"\r\n",
        b"\n" => b"\n",
        b"\r" => b"\r",
        _ => b"",
    }
}

/// Decodes a line of quoted-printable into `out`. Returns its end, which is empty if the line continues in the next one.
/// Bytes that are not a valid escape are kept. In a text, the escape of a control character is kept too, since it was not
/// meant as one: `doi=10.5555/a`.
fn unquote(line: &[u8], is_text: bool, out: &mut Vec<u8>) -> &'static [u8] {
    let text = without_end(line);
    let end = end_of(&line[text.len()..]);
    let mut rest = match end {
        b"" => text,
        _ => text.trim_ascii_end(),
    };
    let mut goes_on = false;
    if !end.is_empty()
        && let Some(before) = rest.strip_suffix(b"=")
    {
        (rest, goes_on) = (before, true);
    }
    while let Some(at) = memchr(b'=', rest) {
        out.extend_from_slice(&rest[..at]);
        let digits = rest.get(at + 1..at + 3);
        let byte = digits
            .and_then(hex)
            .filter(|byte| !is_text || is_of_text(*byte));
        match byte {
            Some(byte) => out.push(byte),
            None => out.push(b'='),
        }
        rest = &rest[at + if byte.is_some() { 3 } else { 1 }..];
    }
    out.extend_from_slice(rest);
    if goes_on { b"" } else { end }
}

fn is_of_text(byte: u8) -> bool {
    !byte.is_ascii_control() || matches!(byte, b'\t' | b'\r' | b'\n')
}
