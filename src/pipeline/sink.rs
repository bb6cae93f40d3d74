//! Writes the rows of a run.

use std::io;

use rayon::ThreadPool;

use super::options::ScanOptions;
use crate::dedup::{Drained, Table};
use crate::error::Error;
use crate::records::{MentionRow, Output, Record, RowBlock, RowWriter, writer};
use crate::task::not_cancelled;

/// The writer of rows, and the number of rows written.
pub(super) struct Sink {
    rows: Box<dyn RowWriter<Output>>,
    written: u64,
}

impl Sink {
    /// Writes to `output`.
    pub(super) fn new(options: &ScanOptions, output: Output) -> Result<Self, Error> {
        let rows = writer(&options.selection.layout, output).map_err(Error::output)?;
        Ok(Sink { rows, written: 0 })
    }

    pub(super) fn mention(&mut self, row: &MentionRow<'_>) -> io::Result<()> {
        self.written += 1;
        self.rows.row(row)
    }

    /// Writes the records of `table`, unless mentions were written, and ends the output.
    pub(super) fn finish(
        self,
        table: Table,
        pool: Option<&ThreadPool>,
        options: &ScanOptions,
    ) -> Result<(Drained, Output), Error> {
        if options.selection.writes_mentions() {
            let drained = Drained {
                records: self.written,
                ..Drained::default()
            };
            return Ok((drained, self.rows.finish().map_err(Error::output)?));
        }
        let mut rows = self.rows.into_blocks().map_err(Error::output)?;
        let format = |records: &mut dyn Iterator<Item = Record<'_>>| {
            RowBlock::new(&options.selection.layout, records).map_err(Error::output)
        };
        let write = |block: RowBlock| {
            not_cancelled(&options.monitor)?;
            rows.block(block).map_err(Error::output)
        };
        // All chunks are scanned, so a blocking write on the pool delays no scan.
        let drained = match pool {
            Some(pool) => pool.install(|| table.into_rows(format, write)),
            None => table.into_rows(format, write),
        }?;
        Ok((drained, rows.end().map_err(Error::output)?))
    }
}
