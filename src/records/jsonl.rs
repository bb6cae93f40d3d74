//! JSON Lines: one object a line, numbers, booleans, lists and null as such.

use std::io::{self, Write};

use serde::Serialize;

use super::{Lines, MentionRow, Record, RowWriter};

/// Writes JSON Lines.
pub(super) struct Jsonl<W>(Lines<W>);

impl<W: Write> Jsonl<W> {
    pub(super) fn new(out: W) -> Self {
        Jsonl(Lines::new(out))
    }

    fn object(&mut self, row: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.0.buffer, row)?;
        self.0.end()
    }
}

impl<W: Write + Send> RowWriter<W> for Jsonl<W> {
    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.object(record)
    }

    fn mention(&mut self, mention: &MentionRow<'_>) -> io::Result<()> {
        self.object(mention)
    }

    fn finish(self: Box<Self>) -> io::Result<W> {
        self.0.finish()
    }
}
