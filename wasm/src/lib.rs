//! The native part of the npm package `doisift`, a thin layer over `doisift-core`.
//!
//! Takes strings and returns JSON, which `js/api.ts` turns into the objects that users see. `extractor` finds the names in a text
//! that comes in pieces, `single` reads texts that are one name, and `explanation` explains decisions. `units` converts positions
//! to those of JavaScript.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod explanation;
mod extractor;
mod single;
mod units;

use doisift_core::{CheckDigit, TextKind};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

pub use extractor::Extractor;

/// Returns the kind of a text that starts with `head`; `whole` says that the text ends with it.
#[wasm_bindgen(js_name = textKind)]
pub fn text_kind(head: &str, whole: bool) -> String {
    TextKind::of(head.as_bytes(), whole).name().to_owned()
}

/// Reads `text` as a name, bare or in any presentation form, and writes it in the form `to`. Returns that or the error:
/// `single::Answer` as JSON.
#[wasm_bindgen]
pub fn normalize(text: &str, is_name: bool, to: &str, encode: &str) -> String {
    json(&single::normalized(text, is_name, to, encode))
}

/// Reads `text` as dirty data. Returns the name or the error: `single::Answer` as JSON.
#[wasm_bindgen]
pub fn clean(text: &str) -> String {
    json(&single::cleaned(text))
}

/// Checks the check digit of the name `text`. Returns `good`, `bad`, or `undefined` if there is no name or no check digit.
#[wasm_bindgen(js_name = checkDigit)]
pub fn check_digit(text: &str) -> Option<String> {
    let digit = single::read(text).ok()?.check_digit()?;
    Some(digit.name().to_owned())
}

/// Explains each position of `text` between the units `from` and `to` that may start a name. Returns a list of
/// `explanation::Position` as JSON.
#[wasm_bindgen]
pub fn explain(text: &str, kind: &str, from: usize, to: usize) -> String {
    json(&explanation::positions(text, kind_named(kind), from..to))
}

/// Returns the kind with this name, or the kind unknown.
fn kind_named(name: &str) -> TextKind {
    name.parse().unwrap_or_default()
}

fn digit_name(digit: Option<CheckDigit>) -> Option<&'static str> {
    digit.map(CheckDigit::name)
}

/// Serialises `value`. Cannot fail: numbers, strings and lists are always valid JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
