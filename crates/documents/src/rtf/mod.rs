//! RTF: the text that a document shows, in UTF-8, with its escapes undone.
//!
//! A paragraph is a line with an empty line after it. Its runs are joined, since a name may have several formats. Codes of
//! fields, which hold the targets of links, follow their paragraph, each as a paragraph. Fonts, styles, pictures and
//! destinations that are marked as ignorable have no text. `lexer` cuts bytes into words and text, `word` has the meaning
//! of words, and `writer` keeps the groups and writes. Only the state of groups and the codes of a paragraph are held, both
//! bounded.

mod charset;
mod lexer;
mod word;
mod writer;

use self::lexer::RtfLexer;
use self::writer::TextWriter;
use super::fault::InputError;
use super::peek::PeekReader;
use super::read::{ReadBuffer, ReadBytes};

/// Some writers put the byte order mark of UTF-8 before the first group.
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// The text of `raw` as UTF-8.
///
/// An error of `raw` is returned after all text before it. A group that is not closed is an error at the end.
pub(super) struct RtfText<R> {
    raw: PeekReader<R>,
    lexer: RtfLexer,
    writer: TextWriter,
    /// Bytes of the writer's text that were read.
    at: usize,
    has_ended: bool,
    failed: Option<InputError>,
}

/// Whether `head` is the start of RTF: its first group, with the version or the next word.
pub(super) fn starts_rtf(head: &[u8]) -> bool {
    let unmarked = head.strip_prefix(UTF8_BOM).unwrap_or(head);
    let rest = unmarked.strip_prefix(b"{\\rtf");
    rest.is_some_and(|rest| {
        matches!(
            rest,
            [b'0'..=b'9' | b'\\' | b'{' | b' ' | b'\r' | b'\n', ..]
        )
    })
}

impl<R: ReadBytes> RtfText<R> {
    pub(super) fn new(mut raw: PeekReader<R>) -> Self {
        if raw.peek(UTF8_BOM.len()) == UTF8_BOM {
            raw.consume(UTF8_BOM.len());
        }
        RtfText {
            raw,
            lexer: RtfLexer::default(),
            writer: TextWriter::new(),
            at: 0,
            has_ended: false,
            failed: None,
        }
    }

    /// Reads more of the document, at most the bytes in its buffer.
    fn fill(&mut self) {
        self.writer.text.clear();
        self.at = 0;
        match self.raw.fill_buf() {
            Ok([]) => {
                self.has_ended = true;
                self.lexer.end_document(&mut self.writer);
                let is_whole = self.writer.end_document();
                let fault = "ends within a group, so it may be cut short; get it again";
                self.failed = (!is_whole).then_some(InputError::Rtf(fault));
            }
            Ok(bytes) => {
                self.lexer.read_bytes(bytes, &mut self.writer);
                let count = bytes.len();
                self.raw.consume(count);
            }
            Err(error) => self.failed = Some(error),
        }
    }
}

impl<R: ReadBytes> ReadBytes for RtfText<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while self.at == self.writer.text.len() {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            if self.has_ended || into.is_empty() {
                return Ok(0);
            }
            self.fill();
        }
        let read = (&self.writer.text[self.at..]).read(into)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
