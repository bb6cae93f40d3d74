//! Undoes layers of escapes, one after the other, on a list of bytes with their places in the candidate.

use crate::scan::escape::{Layer, Writing, layers};
use crate::scan::rules::{Decoded, Escape};

/// A decoded byte, and the bytes of the candidate that write it.
#[derive(Clone, Copy)]
struct Byte {
    value: u8,
    start: usize,
    end: usize,
    escape: Escape,
}

/// A candidate with its layers undone.
pub(super) struct UndoneText {
    bytes: Vec<Byte>,
    values: Vec<u8>,
    /// The length of the candidate as written.
    written: usize,
}

impl UndoneText {
    fn new(bytes: Vec<Byte>, written: usize) -> UndoneText {
        UndoneText {
            values: bytes.iter().map(|byte| byte.value).collect(),
            bytes,
            written,
        }
    }

    /// Returns the first byte that is written at `raw` of the candidate or later.
    pub(super) fn position(&self, raw: usize) -> usize {
        let found = self.bytes.iter().position(|byte| byte.start >= raw);
        found.unwrap_or(self.bytes.len())
    }

    /// Returns where the writing of byte `at` starts, or where the candidate ends.
    pub(super) fn start(&self, at: usize) -> usize {
        self.bytes.get(at).map_or(self.written, |byte| byte.start)
    }

    /// Returns where the writing of the byte before `at` ends.
    pub(super) fn end(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |last| self.bytes[last].end)
    }
}

impl Decoded for UndoneText {
    fn bytes(&self) -> &[u8] {
        &self.values
    }

    fn escape(&self, at: usize) -> Escape {
        self.bytes[at].escape
    }

    fn is_single(&self, at: usize) -> bool {
        self.bytes[at].end - self.bytes[at].start == 1
    }
}

/// Undoes all layers of `raw`.
pub(super) fn undone(raw: &[u8], writing: Writing) -> UndoneText {
    let itself = |(at, value): (usize, &u8)| Byte {
        value: *value,
        start: at,
        end: at + 1,
        escape: Escape::Plain,
    };
    let bytes = raw.iter().enumerate().map(itself).collect();
    let mut text = UndoneText::new(bytes, raw.len());
    for layer in layers(writing) {
        for _ in 0..layer.rounds {
            text = once(&text, &layer);
        }
    }
    text
}

/// Undoes one layer once, from left to right. An escape that is shorter than its meaning stays.
fn once(text: &UndoneText, layer: &Layer) -> UndoneText {
    let mut undone = Vec::new();
    let mut at = 0;
    while at < text.bytes.len() {
        let read = layer.may_start(text.values[at]);
        let meaning = read.then(|| (layer.read)(&text.values[at..])).flatten();
        match meaning.filter(|meaning| meaning.bytes().len() <= meaning.consumed) {
            Some(meaning) => {
                let (start, end) = (text.start(at), text.end(at + meaning.consumed));
                undone.extend(meaning.bytes().iter().map(|value| Byte {
                    value: *value,
                    start,
                    end,
                    escape: layer.escape,
                }));
                at += meaning.consumed;
            }
            None => {
                undone.push(text.bytes[at]);
                at += 1;
            }
        }
    }
    UndoneText::new(undone, text.written)
}
