//! The native part of the npm package `doisift`, a thin layer over `doisift-core`.
//!
//! Texts come as strings, and answers go as JSON, of which `js/api.ts` makes the objects that users see. `extractor` finds the names
//! in a text that comes in pieces, `single` reads texts that are one name, and `explanation` explains. `units` counts positions
//! as JavaScript does.
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

/// What kind of text starts with `head`; `whole` says that the text ends with it.
#[wasm_bindgen(js_name = textKind)]
pub fn text_kind(head: &str, whole: bool) -> String {
    TextKind::of(head.as_bytes(), whole).name().to_owned()
}

/// The name that `text` is, in a presentation form or as it is, written in the form `to`; or the reason why it is not one:
/// `single::Answer` as JSON.
#[wasm_bindgen]
pub fn normalize(text: &str, is_name: bool, to: &str, encode: &str) -> String {
    json(&single::normalized(text, is_name, to, encode))
}

/// The name that the dirty `text` was meant to be, or the reason why there is not one: `single::Answer` as JSON.
#[wasm_bindgen]
pub fn clean(text: &str) -> String {
    json(&single::cleaned(text))
}

/// `good`, `bad`, or nothing if the name that `text` is has no check digit.
#[wasm_bindgen(js_name = checkDigit)]
pub fn check_digit(text: &str) -> Option<String> {
    let digit = single::read(text).ok()?.check_digit()?;
    Some(digit.name().to_owned())
}

/// What is decided about each position of `text` between the units `from` and `to` that may start a name: a list of
/// `explanation::Position` as JSON.
#[wasm_bindgen]
pub fn explain(text: &str, kind: &str, from: usize, to: usize) -> String {
    json(&explanation::positions(text, kind_named(kind), from..to))
}

/// The kind with this name; unknown if there is not one.
fn kind_named(name: &str) -> TextKind {
    name.parse().unwrap_or_default()
}

fn digit_name(digit: Option<CheckDigit>) -> Option<&'static str> {
    digit.map(CheckDigit::name)
}

/// `value` as JSON. What is written here are numbers, strings and lists, which JSON can always hold.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
