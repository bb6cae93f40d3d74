//! No rows: the command shows them, the caller takes them, or a diff is written instead.

use std::io;

use super::{LevelledRow, RowFormat};
use crate::records::Output;

struct Nowhere(Output);

pub(super) fn start(out: Output) -> Box<dyn RowFormat> {
    Box::new(Nowhere(out))
}

impl RowFormat for Nowhere {
    fn write(&mut self, _: &LevelledRow<'_>) -> io::Result<()> {
        Ok(())
    }

    fn end(self: Box<Self>) -> io::Result<Output> {
        Ok(self.0)
    }

    fn unused_output(&mut self) -> Option<&mut Output> {
        Some(&mut self.0)
    }
}
