//! Bare names: one key per line and nothing else.

use std::io::{self, Write};

use super::field::Field;
use super::row::{Row, Value};
use super::rows::{BlockRows, LineBuffer, Lines, RowBlock, RowWriter};

/// Writes keys.
pub(super) struct NamesWriter<W>(LineBuffer<W>);

impl<W: Write> NamesWriter<W> {
    pub(super) fn new(out: W) -> Self {
        NamesWriter(LineBuffer::new(out))
    }
}

impl RowBlock {
    /// Makes a block of bare names from the keys that `each` passes on.
    pub(crate) fn names(each: impl FnOnce(&mut dyn FnMut(&[u8]))) -> RowBlock {
        let mut lines = Lines::default();
        each(&mut |key| {
            lines.bytes.extend_from_slice(key);
            lines.bytes.push(b'\n');
            lines.end();
        });
        RowBlock {
            content: BlockRows::Lines(lines),
            sources: Vec::new(),
        }
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for NamesWriter<W> {
    fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        if let Value::Text(key) = row.value(Field::Doi) {
            self.0.buffer.extend_from_slice(key.as_bytes());
        }
        self.0.end()
    }

    fn size(&self) -> u64 {
        self.0.size()
    }

    fn finish(self: Box<Self>) -> io::Result<W> {
        self.0.finish()
    }
}
