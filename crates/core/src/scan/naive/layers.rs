//! Undoes layers of escapes, one after the other, on a list of bytes with their places in the candidate.

use crate::scan::escape::{EscapeLayer, LayerLimits, layers};
use crate::scan::rules::{DecodedBytes, Escape};

/// A decoded byte, and the bytes of the candidate that write it.
#[derive(Clone, Copy)]
struct UndoneByte {
    value: u8,
    start: usize,
    end: usize,
    escape: Escape,
}

/// A candidate with its layers undone.
pub(super) struct UndoneText {
    bytes: Vec<UndoneByte>,
    values: Vec<u8>,
    /// The length of the candidate as written.
    written: usize,
}

impl UndoneText {
    fn new(bytes: Vec<UndoneByte>, written: usize) -> UndoneText {
        UndoneText {
            values: bytes.iter().map(|byte| byte.value).collect(),
            bytes,
            written,
        }
    }

    /// Returns the first byte that is written at `raw_bytes` of the candidate or later.
    pub(super) fn position(&self, raw_bytes: usize) -> usize {
        let found = self.bytes.iter().position(|byte| byte.start >= raw_bytes);
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

impl DecodedBytes for UndoneText {
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

/// Undoes all layers of `raw_bytes`.
pub(super) fn undone(raw_bytes: &[u8], layer_limits: LayerLimits) -> UndoneText {
    let itself = |(at, value): (usize, &u8)| UndoneByte {
        value: *value,
        start: at,
        end: at + 1,
        escape: Escape::Plain,
    };
    let bytes = raw_bytes.iter().enumerate().map(itself).collect();
    let mut text = UndoneText::new(bytes, raw_bytes.len());
    for layer in layers(layer_limits) {
        for _ in 0..layer.rounds {
            text = once(&text, &layer);
        }
    }
    text
}

/// Undoes one layer once, from left to right. An escape that is shorter than its meaning stays.
fn once(text: &UndoneText, layer: &EscapeLayer) -> UndoneText {
    let mut undone = Vec::new();
    let mut at = 0;
    while at < text.bytes.len() {
        let read = layer.may_start(text.values[at]);
        let meaning = read.then(|| (layer.read)(&text.values[at..])).flatten();
        match meaning.filter(|meaning| meaning.bytes().len() <= meaning.consumed) {
            Some(meaning) => {
                let (start, end) = (text.start(at), text.end(at + meaning.consumed));
                undone.extend(meaning.bytes().iter().map(|value| UndoneByte {
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
