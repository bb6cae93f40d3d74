//! A JSON array whose values are written one after another.

use std::io::{self, Write};

use serde_json::Value;

use crate::records::Output;

/// An array, each value in a line of its own. Its brackets are written by [`new`](Self::new) and [`end`](Self::end).
pub(super) struct JsonArray {
    out: Output,
    /// The text before the first value. It is written with that value, or at the end if there is no value, and is empty after that.
    start: String,
}

impl JsonArray {
    /// Creates an array. `before` is written before its opening bracket.
    pub(super) fn new(out: Output, before: String) -> JsonArray {
        JsonArray {
            out,
            start: before + "[",
        }
    }

    pub(super) fn add(&mut self, value: &Value) -> io::Result<()> {
        let before = match self.start.is_empty() {
            true => ",".to_owned(),
            false => std::mem::take(&mut self.start),
        };
        write!(self.out, "{before}\n{value}")
    }

    /// Writes the closing bracket, then `after`.
    pub(super) fn end(mut self, after: &str) -> io::Result<Output> {
        write!(self.out, "{}\n]{after}\n", self.start)?;
        Ok(self.out)
    }
}
