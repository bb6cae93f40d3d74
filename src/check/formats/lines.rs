//! JSON Lines: an object for each row.

use std::io::{self, Write};

use super::{LevelledRow, RowFormat};
use crate::records::Output;

struct JsonLines(Output);

pub(super) fn start(out: Output) -> Box<dyn RowFormat> {
    Box::new(JsonLines(out))
}

impl RowFormat for JsonLines {
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, row.row)?;
        self.0.write_all(b"\n")
    }

    fn end(self: Box<Self>) -> io::Result<Output> {
        Ok(self.0)
    }
}
