//! Messages of e-mail (RFC 5322, MIME), one in a file or many in an mbox (RFC 4155).
//!
//! `lines` finds the end of a body: a boundary, the next message, or the end of the file. `header` reads the fields of a
//! part, `coding` the one that states its encoding, and `field` and `words` their values. `body` decodes the part with `base64` and `uu`, and
//! converts it to text with `charset` and `flow`. `mail_start` recognises a mail. This module follows the structure.
//!
//! A text may only look like a message. So all bytes except those of encoded parts are passed on unchanged, and an encoded
//! part ends at the first bytes that are not in its coding. No library is used: maintained ones hold a whole message in
//! memory, and drop bytes that they do not understand.
//!
//! Holds at most 512 KiB for each message within another, and takes time linear in the bytes.

mod base64;
mod body;
mod charset;
mod coding;
mod field;
mod flow;
mod header;
mod lines;
mod uu;
mod words;

#[cfg(test)]
mod tests;

use std::io;

use self::body::MailBody;
use self::coding::MailCoding;
use self::header::{BodyContent, PartHeader};
use self::lines::{LinesEnd, MailLines};
use super::codec::{damaged, early_end};
use super::container::{MemberSink, StreamLevel};
use super::documents::TextOrigin;
use super::fault::{InputError, Packing};
use super::mail_start;
use super::read::{ChainedReader, ReadBytes};

/// Maximum depth of parts and messages within one another. Deeper ones are text.
const MAX_DEPTH: usize = 64;
/// Maximum bytes of a header in one text. A longer header is passed on in several texts.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// Maximum bytes of a header before a field is cut.
const MAX_FIELD_BYTES: usize = 2 * MAX_HEADER_BYTES;

/// Passes on the messages of `bytes`: a text for each part, with its header, and attachments as members.
///
/// In an mbox, the N-th message is `#message=N`, and its parts are `#message=N/part=1.2`. The header of a single message is
/// the text of `level` itself, and its parts are `#part=1.2`. An attachment with a file name has that name instead of the
/// number.
pub(super) fn read_messages(
    sink: &mut dyn MemberSink,
    level: &StreamLevel<'_>,
    bytes: &mut dyn ReadBytes,
) {
    let mut reader = MailReader {
        sink,
        level,
        lines: MailLines::new(bytes),
        message: None,
        part: Vec::new(),
        nested: 0,
        is_endless: false,
        number: 0,
        prelude: Vec::new(),
    };
    reader.prelude = reader.lines.prelude();
    while reader.message() {}
    reader.after_limit();
}

struct MailReader<'a, 'r> {
    sink: &'a mut dyn MemberSink,
    level: &'a StreamLevel<'a>,
    lines: MailLines<'r>,
    /// The number of the message, from 1, if there may be several.
    message: Option<u64>,
    /// The numbers of the part in its message, from the outermost part to the part itself.
    part: Vec<u64>,
    /// Number of messages and parts that enclose it.
    nested: usize,
    /// Whether a missing end was reported.
    is_endless: bool,
    /// Number of attachments so far.
    number: u64,
    /// The bytes before the first field.
    prelude: Vec<u8>,
}

impl MailReader<'_, '_> {
    /// Reads the next message. Returns false at the end, or if the source should not be read further.
    fn message(&mut self) -> bool {
        if self.lines.is_mbox() {
            self.message = Some(self.message.unwrap_or(0) + 1);
        }
        self.part.clear();
        self.nested = 0;
        let mut header = PartHeader::default();
        header.text = std::mem::take(&mut self.prelude);
        if header.text.is_empty() {
            self.read_from_line(&mut header);
        }
        self.read_header(&mut header);
        let is_over = !self.entity(header) || !self.rest();
        !is_over && self.lines.stop() == Some(LinesEnd::Message)
    }

    /// Passes on the bytes after a message whose length the file states, such as the property list of an emlx.
    fn after_limit(&mut self) {
        self.part.clear();
        match self.lines.pass_limit() {
            None => {}
            Some(true) => {
                self.rest();
            }
            Some(false) => self.report_loss(damaged(Packing::Mail, early_end())),
        }
    }

    /// Reads the line of an mbox before a message. Attached messages may have it too.
    fn read_from_line(&mut self, header: &mut PartHeader) {
        if mail_start::is_quoted_from_line(self.lines.line()) {
            header.text.extend_from_slice(self.lines.line());
            self.lines.skip_line();
        }
    }

    fn header(&mut self) -> PartHeader {
        let mut header = PartHeader::default();
        self.read_header(&mut header);
        header
    }

    /// Reads a header, including the empty line after it.
    fn read_header(&mut self, header: &mut PartHeader) {
        while self.lines.stop().is_none() {
            if let Some(error) = self.lines.take_error() {
                self.report_loss(error);
                continue;
            }
            let line = self.lines.line();
            let (is_end, is_field) = (mail_start::is_blank(line), header.continues_with(line));
            if !is_end && !is_field {
                break;
            }
            let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
            header.text.extend_from_slice(line);
            let length = line.len();
            self.lines.consume(length);
            if is_end {
                break;
            }
            let max = if is_folded {
                MAX_FIELD_BYTES
            } else {
                MAX_HEADER_BYTES
            };
            if header.text.len() >= max && !self.pass_on(header) {
                break;
            }
        }
        self.read_fields(header);
    }

    /// Reads the fields, and reports an encoded word that could not be decoded.
    fn read_fields(&mut self, header: &mut PartHeader) {
        header.read_fields();
        if let Some(label) = header.unknown.take() {
            self.report_loss(InputError::Charset(label));
        }
    }

    /// Passes on the start of a long header. Returns false if the source should not be read further.
    fn pass_on(&mut self, header: &mut PartHeader) -> bool {
        self.read_fields(header);
        header.is_long = true;
        let name = self.name(Some("header"));
        let text = std::mem::take(&mut header.text);
        self.sink
            .text(self.level, name.as_deref(), None, &mut &text[..])
    }

    /// Passes on a message or a part. Returns false if the source should not be read further.
    fn entity(&mut self, header: PartHeader) -> bool {
        self.nested += 1;
        let is_deep = self.nested > MAX_DEPTH;
        if let Some(number) = header.fragment() {
            self.report_loss(InputError::Fragment(number));
        }
        let go_on = match &header.content {
            BodyContent::Parts(_) | BodyContent::Message if is_deep => {
                self.report_loss(InputError::Depth(Packing::Mail));
                self.text(header)
            }
            BodyContent::Parts(_) => self.parts(header),
            BodyContent::Message if header.coding == MailCoding::Plain => {
                let mut within = PartHeader::default();
                if self.lines.stop().is_none() {
                    self.read_from_line(&mut within);
                }
                self.read_header(&mut within);
                self.entity(header.followed_by(within))
            }
            BodyContent::Text | BodyContent::Web => self.text(header),
            BodyContent::Message | BodyContent::Attached => self.attachment(header),
        };
        self.nested -= 1;
        go_on
    }

    /// Passes on the text before the first part, and then the parts.
    fn parts(&mut self, mut header: PartHeader) -> bool {
        let BodyContent::Parts(boundary) = std::mem::take(&mut header.content) else {
            return true;
        };
        let own = self.lines.enter(boundary);
        header.coding = MailCoding::Plain;
        let is_digest = header.is_digest();
        let mut go_on = self.text(header);
        let mut number = 0;
        while go_on {
            match self.lines.stop() {
                Some(LinesEnd::Boundary { of, is_last }) if of == own => {
                    if self.lines.is_damaged() {
                        self.report_loss(wrong_boundary());
                    }
                    self.lines.skip_line();
                    if is_last {
                        break;
                    }
                    number += 1;
                    go_on = self.part(number, is_digest);
                }
                Some(LinesEnd::End) => {
                    // Parts that enclose it have no end mark either.
                    if self.lines.knows(own) && !std::mem::replace(&mut self.is_endless, true) {
                        self.report_loss(InputError::Endless(Packing::Mail));
                    }
                    break;
                }
                Some(LinesEnd::Boundary { .. } | LinesEnd::Message) => break,
                Some(LinesEnd::File) | None => go_on = self.rest(),
            }
        }
        self.lines.leave(own);
        go_on && self.rest()
    }

    fn part(&mut self, number: u64, is_digest: bool) -> bool {
        self.part.push(number);
        let mut header = self.header();
        let is_empty = self.lines.stop().is_some();
        if is_digest && !is_empty && mail_start::is_field(self.lines.line()) {
            header.default_to_message();
        }
        let go_on = self.entity(header) && self.rest();
        self.part.pop();
        go_on
    }

    /// Passes on a header and the text after it as one text.
    fn text(&mut self, mut header: PartHeader) -> bool {
        self.skip_start(&mut header);
        let (name, at) = (self.name(None), self.lines.offset());
        let origin = (header.content == BodyContent::Web).then_some(TextOrigin::Web);
        let mut body = MailBody::text(&mut self.lines, &header);
        let mut bytes = ChainedReader::new(&header.text[..], None, &mut body);
        let go_on = self
            .sink
            .text(self.level, name.as_deref(), origin, &mut bytes);
        if go_on {
            finish(self.sink, self.level, &mut body);
        }
        if let Some(label) = body.unknown() {
            self.report_loss_at(at, InputError::Charset(label));
        }
        go_on
    }

    /// Passes on a header as a text, and the bytes after it as a member.
    fn attachment(&mut self, mut header: PartHeader) -> bool {
        self.skip_start(&mut header);
        let name = self.name(Some("header"));
        let text = &mut &header.text[..];
        if !self.sink.text(self.level, name.as_deref(), None, text) {
            return false;
        }
        self.number += 1;
        if self.part.is_empty() {
            self.part.push(1);
        }
        let name = match &header.file_name {
            Some(file) => self
                .message
                .map_or(file.clone(), |at| format!("#message={at}/{file}")),
            None => self.name(None).unwrap_or_default(),
        };
        let mut body = MailBody::file(&mut self.lines, header.coding);
        let go_on = self.sink.member(self.level, self.number, &name, &mut body);
        if go_on {
            finish(self.sink, self.level, &mut body);
        }
        go_on
    }

    /// Reports a loss in the current part at the next line.
    fn report_loss(&mut self, error: InputError) {
        self.report_loss_at(self.lines.offset(), error);
    }

    fn report_loss_at(&mut self, at: u64, error: InputError) {
        let level = self.level;
        match self.name(None) {
            Some(name) => self.sink.report_member_loss(level, 0, &name, at, error),
            None => self.sink.report_loss(level, at, error),
        }
    }

    /// Moves the first line of a file in uuencode to the header.
    fn skip_start(&mut self, header: &mut PartHeader) {
        if header.coding != MailCoding::Uu {
            return;
        }
        self.skip_blank_lines();
        match self.lines.stop() {
            Some(LinesEnd::File) => {
                header.text.extend_from_slice(self.lines.line());
                self.lines.skip_line();
            }
            // Its first line may follow some text.
            _ => header.coding = MailCoding::Plain,
        }
    }

    /// Passes on a file in uuencode that is part of a text, and the text after it.
    fn file(&mut self) -> bool {
        let name = uu::name(self.lines.line()).unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        let name = self
            .message
            .map_or(name.clone(), |at| format!("#message={at}/{name}"));
        self.lines.skip_line();
        self.number += 1;
        let mut body = MailBody::file(&mut self.lines, MailCoding::Uu);
        let go_on = self.sink.member(self.level, self.number, &name, &mut body);
        if go_on {
            finish(self.sink, self.level, &mut body);
        }
        go_on
    }

    /// Passes on the text after a part that does not belong to another one, if it has any.
    fn rest(&mut self) -> bool {
        loop {
            self.skip_blank_lines();
            let go_on = match self.lines.stop() {
                Some(LinesEnd::File) => self.file(),
                Some(_) => return true,
                None => {
                    let name = self.name(Some("rest"));
                    let mut body = MailBody::file(&mut self.lines, MailCoding::Plain);
                    self.sink.text(self.level, name.as_deref(), None, &mut body)
                }
            };
            if !go_on {
                return false;
            }
        }
    }

    fn skip_blank_lines(&mut self) {
        while self.lines.stop().is_none() && mail_start::is_blank(self.lines.line()) {
            if let Some(error) = self.lines.take_error() {
                self.report_loss(error);
            }
            self.lines.skip_line();
        }
    }

    /// Returns the name of the part, or of something that belongs to it; `None` for the header of a single message.
    fn name(&self, of: Option<&str>) -> Option<String> {
        let message = self.message.map(|number| format!("message={number}"));
        let numbers: Vec<String> = self.part.iter().map(u64::to_string).collect();
        let part = (!numbers.is_empty()).then(|| format!("part={}", numbers.join(".")));
        let names: Vec<String> = [message, part, of.map(str::to_owned)]
            .into_iter()
            .flatten()
            .collect();
        (!names.is_empty()).then(|| format!("#{}", names.join("/")))
    }
}

fn wrong_boundary() -> InputError {
    let what = "one character of a boundary is wrong";
    damaged(
        Packing::Mail,
        io::Error::new(io::ErrorKind::InvalidData, what),
    )
}

/// Reads the rest of a member's body.
fn finish(sink: &mut dyn MemberSink, level: &StreamLevel<'_>, body: &mut MailBody<'_, '_>) {
    let mut step = [0; 4 << 10];
    loop {
        match body.read(&mut step) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => sink.report_loss(level, body.offset(), error),
        }
    }
}
