//! Messages of e-mail (RFC 5322, MIME), one in a file or many in an mbox (RFC 4155).
//!
//! `mailbox` cuts a file into its messages. A message is held in memory while its parts are passed on. `header` reads the fields
//! of a part with the crate `mail-parser`, and `words` their encoded words; `boundary` finds the end of a part; `coding`,
//! `charset` and `flow` make a text of its body. `mail_start` recognises a mail.
//!
//! A text may only look like a message. So all bytes except those of encoded parts are passed on unchanged, and an encoded
//! part ends at the first bytes that are not in its coding. The crate's own walk through the parts drops bytes, takes time
//! quadratic in their number, and decodes nothing of a part that is damaged.
//!
//! Takes time linear in the bytes of a message, for each of at most 64 levels of parts.

mod boundary;
mod charset;
mod coding;
mod flow;
mod header;
mod mailbox;
mod words;

#[cfg(test)]
mod tests;

use std::io;

use self::boundary::BoundaryLine;
use self::coding::{MailCoding, without_end};
use self::header::{BodyContent, PartHeader};
use self::mailbox::Mailbox;
use super::codec::damaged;
use super::container::{MemberSink, StreamLevel};
use super::documents::TextOrigin;
use super::fault::{InputError, Packing};
use super::gate::MemoryPermit;
use super::mail_start;
use super::read::{ChainedReader, ReadBytes};
use super::read_options::ReadOptions;

/// Maximum depth of parts and messages within one another. Deeper ones are text.
const MAX_DEPTH: usize = 64;
/// Size of a message that is held whatever the memory of the task.
const MIN_HELD_BYTES: usize = 1 << 20;

/// Passes on the messages of `bytes`: a text for each part, with its header, and attachments as members.
///
/// In an mbox, the N-th message is `#message=N`, and its parts are `#message=N/part=1.2`. The header of a single message is
/// the text of `level` itself, and its parts are `#part=1.2`. An attachment with a file name has that name instead of the
/// number. A message that does not fit in memory is a text as it is, with an error.
pub(super) fn read_messages(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'_>,
    level: &StreamLevel<'_>,
    bytes: &mut dyn ReadBytes,
) {
    let mut mailbox = Mailbox::new(bytes);
    let mut number = 0;
    loop {
        number += 1;
        let mut message = MailMessage {
            sink: &mut *sink,
            level,
            bytes: Vec::new(),
            offset: mailbox.offset(),
            number: mailbox.is_mbox().then_some(number),
            part: Vec::new(),
            nested: 0,
            boundaries: Vec::new(),
            stop: None,
            may_be_cut: false,
        };
        let go_on = match message.hold(options, &mut mailbox) {
            Ok(_permit) => message.pass_on(&mut mailbox),
            Err(limit) => message.pass_unheld(&mut mailbox, limit),
        };
        if !go_on || !mailbox.next_message() {
            return;
        }
    }
}

struct MailMessage<'a> {
    sink: &'a mut dyn MemberSink,
    level: &'a StreamLevel<'a>,
    bytes: Vec<u8>,
    /// The offset of the message in the file.
    offset: u64,
    /// The number of the message, from 1, if there may be several.
    number: Option<u64>,
    /// The numbers of the part in its message, from the outermost part to the part itself.
    part: Vec<u64>,
    /// Number of messages and parts that enclose it.
    nested: usize,
    /// The boundaries of the parts that enclose it, from the outermost one.
    boundaries: Vec<Vec<u8>>,
    /// The boundary after the part that was passed on.
    stop: Option<BoundaryLine>,
    /// Whether the file ends with the message, so that parts may be missing. That is reported once.
    may_be_cut: bool,
}

impl MailMessage<'_> {
    /// Reads the bytes of the message. Takes more than a thread's share of the memory if it must.
    ///
    /// # Errors
    /// The maximum number of bytes that may be held, if the message has more.
    fn hold<'o>(
        &mut self,
        options: &ReadOptions<'o>,
        mailbox: &mut Mailbox<'_>,
    ) -> Result<Option<MemoryPermit<'o>>, u64> {
        let [share, whole] = options.held_bytes().map(|room| room.max(MIN_HELD_BYTES));
        if self.fill(mailbox, share) {
            return Ok(None);
        }
        let permit = options.admit();
        if whole > share && self.fill(mailbox, whole) {
            return Ok(Some(permit));
        }
        Err(whole.max(share) as u64)
    }

    /// Reads up to `max` bytes of the message, and one more. Returns false if it has more than `max` bytes.
    fn fill(&mut self, mailbox: &mut Mailbox<'_>, max: usize) -> bool {
        while self.bytes.len() <= max {
            match mailbox.read_up_to(max + 1 - self.bytes.len(), &mut self.bytes) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => self.report_loss(self.bytes.len(), error),
            }
        }
        false
    }

    /// Passes on a message that is not held whole as a text. Returns false if the source should not be read further.
    fn pass_unheld(&mut self, mailbox: &mut Mailbox<'_>, limit: u64) -> bool {
        let packing = Packing::Mail;
        self.report_loss(0, InputError::TooLarge { packing, limit });
        let name = self.name(None);
        let mut bytes = ChainedReader::new(&self.bytes[..], None, mailbox);
        self.sink
            .text(self.level, name.as_deref(), None, &mut bytes)
    }

    /// Passes on the parts of the message. Returns false if the source should not be read further.
    fn pass_on(&mut self, mailbox: &mut Mailbox<'_>) -> bool {
        self.may_be_cut = mailbox.is_at_end();
        let mut bytes = std::mem::take(&mut self.bytes);
        if mail_start::line_mark(&bytes) == b'\r' {
            bytes
                .iter_mut()
                .filter(|byte| **byte == b'\r')
                .for_each(|byte| *byte = b'\n');
        }
        let start = mail_start::prelude(&bytes);
        self.entity(&bytes, 0, start, false)
    }

    /// Passes on the message or part whose header starts at `at`, up to the next boundary. The text from offset `start` to its
    /// body is the start of its text. Returns false if the source should not be read further.
    fn entity(&mut self, bytes: &[u8], start: usize, at: usize, is_of_digest: bool) -> bool {
        let part = self.find_stop(bytes, at);
        let (mut header, length) = PartHeader::read(&part[at..], is_of_digest);
        let place = BodyPlace {
            start,
            body: at + length,
        };
        let fragment = header.fragment().map(InputError::Fragment);
        for error in header.fault.take().into_iter().chain(fragment) {
            self.report_loss(place.body, error);
        }
        self.nested += 1;
        let is_deep = self.nested > MAX_DEPTH;
        let go_on = match &header.content {
            BodyContent::Parts(_) | BodyContent::Message if is_deep => {
                self.report_loss(place.body, InputError::Depth(Packing::Mail));
                self.text(part, place, &header)
            }
            BodyContent::Parts(boundary) if boundary.is_empty() => {
                self.report_loss(place.body, damaged_part("a header has no boundary"));
                self.text(part, place, &header)
            }
            BodyContent::Parts(boundary) => {
                let own = self.boundaries.len();
                self.boundaries.push(boundary.clone());
                let go_on = self.parts(bytes, place, own, header.is_digest());
                self.boundaries.truncate(own);
                go_on
            }
            BodyContent::Message if header.coding == MailCoding::Plain => {
                let prelude = mail_start::prelude(&part[place.body..]);
                self.entity(bytes, start, place.body + prelude, false)
            }
            BodyContent::Text | BodyContent::Web => self.text(part, place, &header),
            BodyContent::Message | BodyContent::Attached => self.attachment(part, place, &header),
        };
        self.nested -= 1;
        go_on
    }

    /// Finds the next boundary after offset `from`. Returns the bytes before it, without the line end that belongs to it.
    fn find_stop<'b>(&mut self, bytes: &'b [u8], from: usize) -> &'b [u8] {
        self.stop = BoundaryLine::find(bytes, from, &self.boundaries);
        match &self.stop {
            Some(line) => &bytes[..from + without_end(&bytes[from..line.start]).len()],
            None => bytes,
        }
    }

    /// Passes on the text before the first part, the parts between lines of the boundary with the number `own`, and the text
    /// after them.
    fn parts(&mut self, bytes: &[u8], place: BodyPlace, own: usize, is_digest: bool) -> bool {
        let preamble = self.find_stop(bytes, place.body);
        let mut go_on = self.text(preamble, place, &PartHeader::default());
        let mut number = 0;
        while let Some(line) = self.stop.take_if(|line| go_on && line.of == own) {
            if line.is_damaged {
                let what = "one character of a boundary is wrong";
                self.report_loss(line.start, damaged_part(what));
            }
            if line.is_last {
                self.boundaries.truncate(own);
                let rest = self.find_stop(bytes, line.end);
                return self.rest(rest, line.end);
            }
            number += 1;
            self.part.push(number);
            go_on = self.entity(bytes, line.end, line.end, is_digest);
            self.part.pop();
        }
        if self.stop.is_none() && go_on && std::mem::take(&mut self.may_be_cut) {
            self.report_loss(bytes.len(), InputError::Endless(Packing::Mail));
        }
        go_on
    }

    /// Passes on a header and the text after it as one text.
    fn text(&mut self, bytes: &[u8], place: BodyPlace, header: &PartHeader) -> bool {
        let start = self.header_text(bytes, place);
        let is_web = header.content == BodyContent::Web;
        let decoded = header.coding.decode(&bytes[place.body..], true);
        let (text, unknown) = header.text_of(decoded.bytes);
        let name = self.name(None);
        let origin = is_web.then_some(TextOrigin::Web);
        let mut whole = ChainedReader::new(&start[..], None, &text[..]);
        let go_on = self
            .sink
            .text(self.level, name.as_deref(), origin, &mut whole);
        let unknown = unknown.map(|label| (0, InputError::Charset(label)));
        for (at, error) in decoded.losses.into_iter().chain(unknown) {
            self.report_loss(place.body + at, error);
        }
        go_on && self.rest(bytes, place.body + decoded.used)
    }

    /// Passes on a header as a text, and the bytes after it as a member.
    fn attachment(&mut self, bytes: &[u8], place: BodyPlace, header: &PartHeader) -> bool {
        let start = self.header_text(bytes, place);
        let name = self.name(Some("header"));
        if !self
            .sink
            .text(self.level, name.as_deref(), None, &mut &start[..])
        {
            return false;
        }
        let is_part = !self.part.is_empty();
        if !is_part {
            self.part.push(1);
        }
        let number = self.part.last().copied().unwrap_or(1);
        let name = match &header.file_name {
            Some(file) => self
                .number
                .map_or(file.clone(), |at| format!("#message={at}/{file}")),
            None => self.name(None).unwrap_or_default(),
        };
        let decoded = header.coding.decode(&bytes[place.body..], false);
        let go_on = self
            .sink
            .member(self.level, number, &name, &mut &decoded.bytes[..]);
        for (at, error) in decoded.losses {
            let at = self.offset + (place.body + at) as u64;
            self.sink
                .report_member_loss(self.level, number, &name, at, error);
        }
        go_on && self.rest(bytes, place.body + decoded.used)
    }

    /// Returns the text before a body, without encoded words.
    fn header_text(&mut self, bytes: &[u8], place: BodyPlace) -> Vec<u8> {
        let (text, unknown) = words::decoded(&bytes[place.start..place.body]);
        if let Some(label) = unknown {
            self.report_loss(place.body, InputError::Charset(label));
        }
        text
    }

    /// Passes on the text from offset `start` on, which does not belong to a part, if there is any.
    fn rest(&mut self, bytes: &[u8], start: usize) -> bool {
        let rest = &bytes[start..];
        let blank = coding::lines(rest)
            .take_while(|line| mail_start::is_blank(line))
            .map(<[u8]>::len);
        let text = &rest[blank.sum()..];
        if text.is_empty() {
            return true;
        }
        let name = self.name(Some("rest"));
        self.sink
            .text(self.level, name.as_deref(), None, &mut &text[..])
    }

    /// Reports a loss in the current part at an offset of the message.
    fn report_loss(&mut self, at: usize, error: InputError) {
        let (level, at) = (self.level, self.offset + at as u64);
        match self.name(None) {
            Some(name) => self.sink.report_member_loss(level, 0, &name, at, error),
            None => self.sink.report_loss(level, at, error),
        }
    }

    /// Returns the name of the part, or of something that belongs to it; `None` for the header of a single message.
    fn name(&self, of: Option<&str>) -> Option<String> {
        let message = self.number.map(|number| format!("message={number}"));
        let numbers: Vec<String> = self.part.iter().map(u64::to_string).collect();
        let part = (!numbers.is_empty()).then(|| format!("part={}", numbers.join(".")));
        let names: Vec<String> = [message, part, of.map(str::to_owned)]
            .into_iter()
            .flatten()
            .collect();
        (!names.is_empty()).then(|| format!("#{}", names.join("/")))
    }
}

/// Offsets of a part in its message.
#[derive(Clone, Copy)]
struct BodyPlace {
    /// The start of its text: its header, or that of the message around it.
    start: usize,
    body: usize,
}

fn damaged_part(what: &'static str) -> InputError {
    damaged(
        Packing::Mail,
        io::Error::new(io::ErrorKind::InvalidData, what),
    )
}
