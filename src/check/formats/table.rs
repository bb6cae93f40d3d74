//! The formats of records: a row has all fields.

use std::io;

use super::{LevelledRow, RowFormat};
use crate::records::{Format, Layout, Output, RowKind, RowWriter, output_writer};

struct Rows(Box<dyn RowWriter<Output>>);

/// Starts to write rows to a file or a folder of parts.
///
/// # Errors
/// If the format writes a header at once and this fails.
pub(super) fn start(format: Format, out: Output) -> io::Result<Box<dyn RowFormat>> {
    let layout = Layout::new(format, RowKind::References);
    Ok(Box::new(Rows(output_writer(&layout, out)?)))
}

impl RowFormat for Rows {
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()> {
        self.0.row(row.row)
    }

    fn end(self: Box<Self>) -> io::Result<Output> {
        self.0.finish()
    }
}
