//! Bare names: one key per line and nothing else.

use std::io::{self, Write};

use super::record::{MentionRow, Record};
use super::rows::{LineBuffer, RowWriter};

/// Writes keys.
pub(super) struct Names<W>(LineBuffer<W>);

impl<W: Write> Names<W> {
    pub(super) fn new(out: W) -> Self {
        Names(LineBuffer::new(out))
    }

    fn line(&mut self, key: &str) -> io::Result<()> {
        self.0.buffer.extend_from_slice(key.as_bytes());
        self.0.end()
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for Names<W> {
    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.line(record.doi)
    }

    fn mention(&mut self, mention: &MentionRow<'_>) -> io::Result<()> {
        self.line(mention.doi)
    }

    fn finish(self: Box<Self>) -> io::Result<W> {
        self.0.finish()
    }
}
