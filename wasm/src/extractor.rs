//! The mentions in a text that comes in pieces.

use doisift_core::{Mention, Scanner, TextKind, clean};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::units::{Counter, count};
use crate::{digit_name, json};

/// A mention as JavaScript gets it.
#[derive(Serialize)]
struct Row<'m> {
    doi: &'m str,
    name: &'m str,
    form: &'static str,
    start: usize,
    end: usize,
    text: &'m str,
    guessed: bool,
    #[serde(rename = "checkDigit")]
    check_digit: Option<&'static str>,
}

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
    held: String,
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
            held: String::new(),
            decided: 0,
            counter: Counter::default(),
        }
    }

    /// Takes the next piece. Returns the mentions that can be decided by now: a list of rows as JSON.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let (before, after) = self.scanner.window();
        if self.held.len() < self.decided + 2 * (before + after) {
            return "[]".to_owned();
        }
        let rows = self.decide(self.held.len() - after, false);
        let mut spent = self.decided.saturating_sub(before);
        while !self.held.is_char_boundary(spent) {
            spent -= 1;
        }
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
        let bytes = self.held.as_bytes();
        if std::mem::take(&mut self.is_kind_open) {
            self.scanner.set_kind(TextKind::of(bytes, is_whole));
        }
        let mut rows = Vec::new();
        let mut sink = |mention: Mention<'_>| {
            let start = self.counter.at(bytes, mention.offset as usize);
            rows.push(row(&mention, start, self.cleans));
        };
        self.scanner
            .scan_range(bytes, self.decided..end, 0, &mut sink);
        self.counter.at(bytes, end);
        self.decided = end;
        format!("[{}]", rows.join(","))
    }
}

/// The mention that starts at a unit, as JSON.
fn row(mention: &Mention<'_>, start: usize, cleans: bool) -> String {
    let cleaned = cleans.then(|| clean(mention.name).ok()).flatten();
    let cleaned = cleaned.filter(|cleaned| cleaned.changed);
    let (name, key) = match &cleaned {
        Some(cleaned) => (cleaned.doi.as_str(), cleaned.doi.key()),
        None => (mention.name, mention.key.into()),
    };
    json(&Row {
        doi: &key,
        name,
        form: mention.form.name(),
        start,
        end: start + count(mention.text),
        text: &mention.text_lossy(),
        guessed: mention.guessed,
        check_digit: digit_name(doisift_core::CheckDigit::of_key(&key)),
    })
}
