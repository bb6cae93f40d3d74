//! Undoes the layers of escapes that a candidate shows, outermost first, and remembers where each byte came from.
//!
//! Reads only the candidate, and keeps its buffers for the next one.

use super::escape::{EscapeLayer, LayerLimits, kinds, layers, starters};
use super::origin::Origins;
use super::rules::{DecodedBytes, Escape, Rule};

/// A candidate's bytes with its layers undone.
#[derive(Clone, Copy)]
pub(super) struct DecodedText<'a> {
    pub(super) bytes: &'a [u8],
    /// `None` if nothing was escaped.
    origins: Option<&'a Origins>,
    /// Length of the candidate as found, in bytes.
    written_len: usize,
}

impl<'a> DecodedText<'a> {
    /// Makes the text of a candidate in which nothing is escaped.
    fn plain(bytes: &'a [u8]) -> DecodedText<'a> {
        DecodedText {
            bytes,
            origins: None,
            written_len: bytes.len(),
        }
    }

    /// Returns the position in the text after the first `raw_bytes` bytes of the candidate as found.
    pub(super) fn position(&self, raw_len: usize) -> usize {
        self.origins
            .map_or(raw_len, |origins| origins.position(raw_len))
    }

    /// Returns where byte `at` starts in the candidate as found; the candidate's end for the end of the text.
    #[inline]
    pub(super) fn start(&self, at: usize) -> usize {
        match self.origins {
            _ if at >= self.bytes.len() => self.written_len,
            Some(origins) => origins.start(at),
            None => at,
        }
    }

    /// Returns where the bytes before `at` end in the candidate as found.
    #[inline]
    pub(super) fn end(&self, at: usize) -> usize {
        match (at.checked_sub(1), self.origins) {
            (Some(last), Some(origins)) => origins.end(last),
            _ => at,
        }
    }
}

impl DecodedBytes for DecodedText<'_> {
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    fn escape(&self, at: usize) -> Escape {
        self.origins
            .map_or(Escape::Plain, |origins| origins.escape(at))
    }

    fn is_single(&self, at: usize) -> bool {
        self.end(at + 1) == self.start(at) + 1
    }
}

/// Buffers for the decoded text of one candidate at a time.
#[derive(Clone, Default)]
pub(super) struct Decoder {
    bytes: Vec<u8>,
    origins: Origins,
    /// Origins after the layer that is being undone.
    next: Origins,
}

impl Decoder {
    /// Returns the text of `raw_bytes` with the layers of `layer_limits` undone; unchanged if `layer_limits` is `None`.
    pub(super) fn text<'a>(
        &'a mut self,
        raw_bytes: &'a [u8],
        layer_limits: Option<LayerLimits>,
    ) -> DecodedText<'a> {
        match layer_limits {
            Some(layer_limits) => self.decode(raw_bytes, layer_limits),
            None => DecodedText::plain(raw_bytes),
        }
    }

    /// Undoes the layers of `raw_bytes`.
    fn decode(&mut self, raw_bytes: &[u8], layer_limits: LayerLimits) -> DecodedText<'_> {
        self.load(raw_bytes);
        let mut present = starters(raw_bytes);
        for kind in kinds() {
            if kind.may_be_in(present) {
                for layer in kind.nested(layer_limits) {
                    if self.undo_all(&layer) {
                        present = starters(&self.bytes);
                    }
                }
            }
        }
        DecodedText {
            bytes: &self.bytes,
            origins: Some(&self.origins),
            written_len: raw_bytes.len(),
        }
    }

    /// Returns the text after each layer of `raw_bytes` that undoes something, with the layer's rule.
    pub(super) fn layers_of(
        &mut self,
        raw_bytes: &[u8],
        layer_limits: LayerLimits,
    ) -> Vec<(Rule, Vec<u8>)> {
        self.load(raw_bytes);
        let left = |layer: EscapeLayer| {
            self.undo_all(&layer)
                .then(|| (layer.rule, self.bytes.clone()))
        };
        layers(layer_limits).filter_map(left).collect()
    }

    /// Undoes a layer as often as it may be escaped itself. Returns whether there was anything to undo.
    fn undo_all(&mut self, layer: &EscapeLayer) -> bool {
        let mut rounds = 0..layer.rounds;
        let undone = rounds.find(|_| !self.undo(layer));
        undone != Some(0)
    }

    fn load(&mut self, raw_bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(raw_bytes);
        self.origins.clear();
    }

    /// Replaces each escape of one layer by its meaning, in place. An escape that is shorter than its meaning stays. Returns
    /// whether any was replaced.
    fn undo(&mut self, layer: &EscapeLayer) -> bool {
        let may_start = |byte: &u8| layer.may_start(*byte);
        let Some(mut read) = self.bytes.iter().position(may_start) else {
            return false;
        };
        let mut write = read;
        let mut changed = false;
        let mut origins = self.origins.rewrite(&mut self.next);
        origins.keep(0, read, 0);
        while read < self.bytes.len() {
            let rest = &self.bytes[read..];
            let meaning = may_start(&rest[0]).then(|| (layer.read)(rest)).flatten();
            match meaning.filter(|meaning| meaning.bytes().len() <= meaning.consumed) {
                Some(meaning) => {
                    let (end, bytes) = (read + meaning.consumed, meaning.bytes());
                    origins.replace(read, end, write, bytes.len(), layer.escape);
                    self.bytes[write..write + bytes.len()].copy_from_slice(bytes);
                    (read, write) = (end, write + bytes.len());
                    changed = true;
                }
                None => {
                    let next = rest[1..].iter().position(may_start);
                    let end = next.map_or(self.bytes.len(), |next| read + 1 + next);
                    origins.keep(read, end, write);
                    self.bytes.copy_within(read..end, write);
                    (read, write) = (end, write + end - read);
                }
            }
        }
        self.bytes.truncate(write);
        std::mem::swap(&mut self.origins, &mut self.next);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer_limits(percent: usize) -> LayerLimits {
        LayerLimits {
            percent,
            in_badge: false,
            in_page: false,
            is_defended: false,
        }
    }

    fn decoded(raw_bytes: &str, percent: usize) -> String {
        let mut decoder = Decoder::default();
        let text = decoder.decode(raw_bytes.as_bytes(), layer_limits(percent));
        String::from_utf8(text.bytes.to_vec()).unwrap()
    }

    #[test]
    fn layers() {
        for (raw_bytes, percent, expected) in [
            (r"10.5555\/a\u003cb", 1, "10.5555/a<b"),
            (r"a\ud83d\ude00b", 1, "a😀b"),
            ("a&lt;b&amp;lt;c&#x2F;&copy=1", 1, "a<b<c/&copy=1"),
            ("a&copy=1;b&ltx;c&d&lt;&semi;", 1, "a&copy=1;b&ltx;c&d<;"),
            (r"a\_b{\_}c{[}d\%2Fe", 1, "a_b_c[d/e"),
            (r"a{\textless}b\textgreater{}c", 1, "a<b>c"),
            ("10.5555%2Fa%252Fb", 1, "10.5555/a%2Fb"),
            ("10.5555%2Fa%252Fb", 2, "10.5555/a/b"),
            ("100%25", 1, "100%"),
            ("a\u{ad}b\u{200b}c\u{feff}", 1, "abc"),
            ("1995\u{2010}4190", 1, "1995\u{2010}4190"),
            ("50%", 1, "50%"),
        ] {
            assert_eq!(decoded(raw_bytes, percent), expected, "{raw_bytes}");
        }
    }

    #[test]
    fn positions() {
        let mut decoder = Decoder::default();
        let text = decoder.decode(b"a&lt;b%2F", layer_limits(1));
        assert_eq!(text.bytes, b"a<b/");
        assert_eq!(
            (
                text.start(1),
                text.end(2),
                text.start(3),
                text.end(4),
                text.start(4)
            ),
            (1, 5, 6, 9, 9)
        );
        assert_eq!(
            (text.escape(1), text.escape(2), text.escape(3)),
            (Escape::Entity, Escape::Plain, Escape::Percent)
        );
        let text = decoder.decode("a\u{200b}".as_bytes(), layer_limits(1));
        assert_eq!((text.end(1), text.start(1)), (1, 4));
    }
}
