//! Gathers the text of an element and of all elements in it, with single blanks between words.

use super::table::ItemPart;
use super::wanted::MAX_CAPTURED_BYTES;

/// The text of an element that is open.
pub(super) struct GatheredText {
    /// The depth of the element: the number of open elements, including itself.
    pub(super) depth: usize,
    pub(super) of: TextOf,
    text: Vec<u8>,
    /// Offsets of the start and the end of the text in the document, without white space around it.
    pub(super) place: (u64, u64),
    /// Whether a tag was read last.
    is_after_tag: bool,
}

/// The use of the text of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextOf {
    /// A field of the record, by its number.
    Field(usize),
    Part(ItemPart),
}

impl GatheredText {
    pub(super) fn new(depth: usize, of: TextOf) -> GatheredText {
        GatheredText {
            depth,
            of,
            text: Vec::new(),
            place: (0, 0),
            is_after_tag: false,
        }
    }

    /// Notes a tag. Two tags without a text between them divide words.
    pub(super) fn tag(&mut self) {
        if std::mem::replace(&mut self.is_after_tag, true) {
            self.push(b" ");
        }
    }

    /// Adds a piece of text at an offset of the document.
    pub(super) fn text(&mut self, piece: &[u8], at: u64) {
        if !piece.is_empty() {
            self.is_after_tag = false;
            self.push(piece);
        }
        let end = piece.trim_ascii_end().len() as u64;
        if end > 0 {
            let start = at + (piece.len() - piece.trim_ascii_start().len()) as u64;
            let is_first = self.place == (0, 0);
            self.place = (if is_first { start } else { self.place.0 }, at + end);
        }
    }

    fn push(&mut self, piece: &[u8]) {
        let free = MAX_CAPTURED_BYTES.saturating_sub(self.text.len());
        self.text.extend_from_slice(&piece[..piece.len().min(free)]);
    }

    pub(super) fn finish(self) -> String {
        plain(&self.text)
    }
}

/// Returns a text of XML with its entities decoded, and with single blanks. Bytes that are not UTF-8 are replaced.
pub(super) fn plain(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let text = htmlize::unescape(&*text);
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ")
}
