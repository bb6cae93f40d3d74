//! Finds the mentions in a text that comes in pieces.

use doisift_core::{CheckDigit, Mention, Scanner, TextKind, clean};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::digit_name;
use crate::units::{Counter, count};

/// A mention in the form for JavaScript: a list, which is fast to parse. `js/api.ts` turns it into an object.
#[derive(Serialize)]
struct Row<'m>(
    /// Start and end, in units.
    usize,
    usize,
    /// Its form.
    &'static str,
    /// Whether its end is a guess.
    u8,
    /// Result of its check digit.
    Option<&'static str>,
    /// The key.
    &'m str,
    /// The name, if it differs from the key.
    Option<&'m str>,
    /// The name as found, if it differs from the name.
    Option<&'m str>,
);

/// Finds the names in a text that comes in pieces. The result is the same as for the whole text.
///
/// Holds only the bytes that a later decision may read, so its memory does not grow with the text.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Extractor {
    scanner: Scanner,
    /// Whether the kind is still to be detected from the head of the text.
    is_kind_open: bool,
    cleans: bool,
    held: Vec<u8>,
    /// Number of held bytes whose anchors are decided.
    decided: usize,
    counter: Counter,
}

#[wasm_bindgen]
impl Extractor {
    /// Creates an extractor for texts of `kind`, which may be `auto`.
    #[wasm_bindgen(constructor)]
    pub fn new(kind: &str, arxiv: bool, cleans: bool) -> Extractor {
        Extractor {
            scanner: Scanner::new().arxiv(arxiv).kind(crate::kind_named(kind)),
            is_kind_open: kind == "auto",
            cleans,
            held: Vec::new(),
            decided: 0,
            counter: Counter::default(),
        }
    }

    /// Takes the next piece, which is UTF-8. Returns the mentions that are decided: a list of rows as JSON.
    pub fn push(&mut self, piece: &[u8]) -> String {
        self.held.extend_from_slice(piece);
        let (before, after) = self.scanner.window();
        if self.held.len() < self.decided + 2 * (before + after) {
            return "[]".to_owned();
        }
        let rows = self.decide(self.held.len() - after, false);
        let spent = self.decided.saturating_sub(before);
        self.counter.forget(spent);
        self.held.drain(..spent);
        self.decided -= spent;
        rows
    }

    /// Ends the text. Returns the remaining mentions.
    pub fn finish(&mut self) -> String {
        self.decide(self.held.len(), true)
    }
}

impl Extractor {
    fn decide(&mut self, end: usize, is_whole: bool) -> String {
        let bytes = &self.held;
        if std::mem::take(&mut self.is_kind_open) {
            self.scanner.set_kind(TextKind::of(bytes, is_whole));
        }
        let mut rows = b"[".to_vec();
        let mut sink = |mention: Mention<'_>| {
            let start = self.counter.at(bytes, mention.offset as usize);
            if rows.len() > 1 {
                rows.push(b',');
            }
            write_row(&mut rows, &mention, start, self.cleans);
        };
        self.scanner
            .scan_range(bytes, self.decided..end, 0, &mut sink);
        self.counter.at(bytes, end);
        self.decided = end;
        rows.push(b']');
        // JSON is UTF-8.
        String::from_utf8(rows).unwrap_or_default()
    }
}

/// Appends a mention as JSON. `start` is in units.
fn write_row(rows: &mut Vec<u8>, mention: &Mention<'_>, start: usize, cleans: bool) {
    let cleaned = cleans.then(|| clean(mention.name).ok()).flatten();
    let cleaned = cleaned.filter(|cleaned| cleaned.changed);
    let (name, key) = match &cleaned {
        Some(cleaned) => (cleaned.doi.as_str(), cleaned.doi.key()),
        None => (mention.name, mention.key.into()),
    };
    let text = mention.text_lossy();
    let row = Row(
        start,
        start + count(mention.text),
        mention.form.name(),
        u8::from(mention.guessed),
        digit_name(CheckDigit::of_key(&key)),
        &key,
        (name != key).then_some(name),
        (text != name).then_some(&text),
    );
    // Cannot fail: numbers, strings and lists are always valid JSON, and memory takes all bytes.
    let _ = serde_json::to_writer(rows, &row);
}
