//! The mentions in a text that comes in pieces.

use doisift_core::{CheckDigit, Mention, Scanner, TextKind, clean};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::digit_name;
use crate::units::{Counter, count};

/// A mention as JavaScript gets it: a list that is short to parse, of which `js/api.ts` makes an object.
#[derive(Serialize)]
struct Row<'m>(
    /// Where it starts and ends, in units.
    usize,
    usize,
    /// Its form.
    &'static str,
    /// Whether its end is a guess.
    u8,
    /// What its check digit says.
    Option<&'static str>,
    /// The key.
    &'m str,
    /// The name, if it is another text than the key.
    Option<&'m str>,
    /// The name as found, if it is another text than the name.
    Option<&'m str>,
);

/// Finds the names in a text that comes in pieces, with the same answer as from the whole.
///
/// Holds back what can still bear on a decision, so its memory does not grow with the text.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Extractor {
    scanner: Scanner,
    /// Whether the head of the text shall say of what kind it is.
    is_kind_open: bool,
    cleans: bool,
    held: Vec<u8>,
    /// How many of the held bytes are anchors decided about.
    decided: usize,
    counter: Counter,
}

#[wasm_bindgen]
impl Extractor {
    /// An extractor for texts of `kind`, which may be `auto`.
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

    /// Takes the next piece, which is UTF-8. Returns the mentions that can be decided by now: a list of rows as JSON.
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

    /// The text ends here. Returns the other mentions.
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

/// Adds the mention that starts at a unit, as JSON.
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
    // What is written here are numbers, strings and lists, which JSON can always hold, and memory takes all.
    let _ = serde_json::to_writer(rows, &row);
}
