//! The messages of a mail file, one after the other.

use memchr::memmem;

use crate::fault::InputError;
use crate::mail_start;
use crate::read::ReadBytes;

/// Bytes of a read.
const READ_BYTES: usize = 64 << 10;
/// Bytes that are held to recognise the start of a message: the line of an mbox, and a field.
const LOOKAHEAD_BYTES: usize = 4 << 10;
/// The start of the line of an mbox before a message.
const FROM: &[u8] = b"From ";

/// Reads one message of a mail file up to its end, and the next one after [`next_message`](Self::next_message).
pub(super) struct Mailbox<'r> {
    inner: &'r mut dyn ReadBytes,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that were read.
    at: usize,
    /// The offset of these bytes' end.
    offset: u64,
    ended: bool,
    /// The error after the held bytes.
    error: Option<InputError>,
    is_mbox: bool,
    at_line_start: bool,
    /// Number of held bytes that belong to the message.
    known: usize,
}

impl<'r> Mailbox<'r> {
    pub(super) fn new(inner: &'r mut dyn ReadBytes) -> Self {
        let mut mailbox = Mailbox {
            inner,
            buffer: Vec::new(),
            at: 0,
            offset: 0,
            ended: false,
            error: None,
            is_mbox: false,
            at_line_start: true,
            known: 0,
        };
        mailbox.fill();
        let head = &mailbox.buffer[..mailbox.buffer.len().min(LOOKAHEAD_BYTES)];
        let prelude = &head[..mail_start::prelude(head)];
        mailbox.is_mbox = mail_start::lines_of(prelude).any(mail_start::is_quoted_from_line);
        mailbox.known = prelude.len();
        mailbox
    }

    /// Whether there may be several messages: the first one has the line of an mbox.
    pub(super) fn is_mbox(&self) -> bool {
        self.is_mbox
    }

    /// Returns the offset of the next byte in the file.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the whole file was read.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.fill();
        self.at == self.buffer.len() && self.error.is_none()
    }

    /// Starts the next message. Returns false at the end of the file.
    pub(super) fn next_message(&mut self) -> bool {
        self.known = FROM.len();
        !self.is_at_end()
    }

    /// Holds enough bytes to recognise the start of a message, if there are as many.
    fn fill(&mut self) {
        if self.buffer.len() - self.at >= LOOKAHEAD_BYTES || self.ended || self.error.is_some() {
            return;
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        match self.inner.read_up_to(READ_BYTES, &mut self.buffer) {
            Ok(read) => self.ended = read < READ_BYTES,
            Err(error) => self.error = Some(error),
        }
    }

    /// Returns the number of held bytes before the next message.
    fn bytes_of_message(&self) -> usize {
        let held = &self.buffer[self.at..];
        if !self.is_mbox || held.is_empty() {
            return held.len();
        }
        if self.at_line_start && starts_message(held) {
            return 0;
        }
        let next = memmem::find_iter(held, FROM).find(|at| *at > 0 && is_line_end(held[at - 1]));
        match next {
            Some(at) => at,
            None if self.ended || self.error.is_some() => held.len(),
            // The last bytes may start the line of an mbox.
            None => held.len() - FROM.len(),
        }
    }
}

impl Mailbox<'_> {
    /// Returns the next bytes of the message, at most `max`; none at its end.
    fn next_bytes(&mut self, max: usize) -> Result<&[u8], InputError> {
        self.fill();
        if self.known == 0 {
            self.known = self.bytes_of_message();
        }
        let held = self.buffer.len() - self.at;
        if held == 0
            && let Some(error) = self.error.take()
        {
            self.at_line_start = true;
            return Err(error);
        }
        let start = self.at;
        let count = self.known.min(max).min(held);
        self.at += count;
        self.offset += count as u64;
        self.known -= count;
        let bytes = &self.buffer[start..self.at];
        self.at_line_start = bytes
            .last()
            .map_or(self.at_line_start, |last| is_line_end(*last));
        Ok(bytes)
    }
}

impl ReadBytes for Mailbox<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let bytes = self.next_bytes(into.len())?;
        into[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Appends without filling `into` with zeros first, which would take longer than reading short messages.
    fn read_up_to(&mut self, max: usize, into: &mut Vec<u8>) -> Result<usize, InputError> {
        let start = into.len();
        loop {
            let bytes = self.next_bytes(max - (into.len() - start))?;
            if bytes.is_empty() {
                return Ok(into.len() - start);
            }
            into.extend_from_slice(bytes);
        }
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether `text` starts with the line of an mbox before a message: with a time or an address, and a field after it.
fn starts_message(text: &[u8]) -> bool {
    if !text.starts_with(FROM) {
        return false;
    }
    let text = &text[..text.len().min(LOOKAHEAD_BYTES)];
    let first = mail_start::lines_of(text).next().unwrap_or_default();
    mail_start::is_from_line(first) && mail_start::is_field(&text[first.len()..])
}
