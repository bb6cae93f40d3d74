//! Comma-separated values with a header.

use std::io;

use super::{LevelledRow, RowFormat};
use crate::records::Output;

struct Csv(csv::Writer<Output>);

pub(super) fn start(out: Output) -> Box<dyn RowFormat> {
    Box::new(Csv(csv::Writer::from_writer(out)))
}

impl RowFormat for Csv {
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()> {
        self.0.serialize(row.row).map_err(io::Error::from)
    }

    fn end(self: Box<Self>) -> io::Result<Output> {
        self.0.into_inner().map_err(|error| error.into_error())
    }
}
