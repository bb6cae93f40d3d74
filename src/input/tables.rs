//! Tables in columns among the documents of a source.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[cfg(feature = "parquet")]
use super::columnar::ParquetFile;
use super::columnar::{ArrowFile, ColumnarFile, TableFaults, TableItem, TableLimits, TableParts};
use super::container::{Level, Members};
use super::fault::{InputError, Packing};
use super::raw::Raw;
use super::walk::Walk;

/// A file that was opened as a table, and what is wrong with it.
type OpenedTable<F> = Result<(F, TableFaults), InputError>;

impl Walk<'_> {
    /// Passes on the rows of a table. It is read at any offset, so one that is not a file is copied to a file first.
    pub(super) fn table(
        &mut self,
        level: &Level<'_>,
        packing: Packing,
        mut raw: Raw<&mut dyn Read>,
    ) {
        let copy = match level.file {
            Some(file) => file.try_clone(),
            None => self.spool(level, &mut raw).map(|(file, _)| file),
        };
        if let Err(error) = copy.and_then(|file| self.table_file(level, packing, file, &raw)) {
            self.lose(level, 0, error.into());
        }
    }

    fn table_file(
        &mut self,
        level: &Level<'_>,
        packing: Packing,
        file: File,
        raw: &Raw<&mut dyn Read>,
    ) -> io::Result<()> {
        let (length, counted) = (file.metadata()?.len(), raw.held() as u64);
        let (columns, memory) = (self.opening.columns, self.opening.whole / 2);
        match packing {
            #[cfg(feature = "parquet")]
            Packing::Parquet => {
                let opened = ParquetFile::open(file, length, columns, memory);
                self.rows_of(level, opened, length, counted);
            }
            _ => {
                let opened = ArrowFile::open(file, length, columns, memory);
                self.rows_of(level, opened, length, counted);
            }
        }
        Ok(())
    }

    /// Reads a file of `length` bytes, of which `counted` were already counted.
    fn rows_of<F: ColumnarFile>(
        &mut self,
        level: &Level<'_>,
        opened: OpenedTable<F>,
        length: u64,
        counted: u64,
    ) {
        let opening = self.opening;
        let (file, faults) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.lose(level, 0, error),
        };
        for (offset, error) in faults {
            self.lose(level, offset, error);
        }
        let mut read = counted + file.metadata_length();
        self.count_read(level, file.metadata_length());
        if file.has_texts() {
            read += self.rows(level, &Arc::new(file));
        } else if opening.columns.columns.is_none() {
            let kind = match F::PACKING {
                Packing::Parquet => "parquet without text",
                _ => "arrow without text",
            };
            self.to().skip(level.name.clone(), kind);
        }
        if level.file.is_some() {
            let rest = length.saturating_sub(read);
            opening.passed.fetch_add(rest, Ordering::Relaxed);
        }
    }

    /// Passes on all rows. Returns how many bytes were read.
    fn rows<F: ColumnarFile>(&mut self, level: &Level<'_>, file: &Arc<F>) -> u64 {
        let opening = self.opening;
        let limits = TableLimits {
            memory: opening.whole / 2,
        };
        if let Some(record) = &level.record {
            self.to().in_record(record);
        }
        let mut all = 0;
        for item in TableParts::new(file, limits, opening.unpackers) {
            match item {
                TableItem::Lost(offset, error) => self.lose(level, offset, error),
                TableItem::Batch { batch, cost, read } => {
                    all += read;
                    self.count_read(level, read);
                    let name =
                        batch.longest_name() + level.name.as_ref().map_or(0, |name| name.len());
                    if let Err(error) = self.expansion.take(cost, name) {
                        error
                            .into_iter()
                            .for_each(|error| self.lose(level, 0, error));
                        break;
                    }
                    self.to().cells(level.name.as_ref(), batch);
                }
            }
            if self.is_over() {
                break;
            }
        }
        self.to().end_table(file.rows());
        all
    }

    /// Counts bytes of a source that is a file. Those of a copy were counted when it was copied.
    fn count_read(&self, level: &Level<'_>, bytes: u64) {
        if level.file.is_some() {
            self.opening.bytes.fetch_add(bytes, Ordering::Relaxed);
            self.expansion.add_read(bytes);
        }
    }
}
