//! Tables in columns among the documents of a source.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::columnar::{CellBatch, ColumnarFile, PartStart, TableItem, TableLimits, TableParts};
use super::container::{MemberSink, StreamLevel};
use super::documents::DocumentHead;
use super::fault::{InputError, LocatedError};
use super::file::SourceFile;
use super::gate::MemoryPermit;
use super::guard::guard;
use super::peek::PeekReader;
use super::read::ReadBytes;
use super::read_options::ReadOptions;
use super::source_reader::SourceReader;

type OpenedTable<F> = Result<(F, Vec<LocatedError>), InputError>;

/// Whether the metadata of a file needs more memory.
fn is_too_large<F>(opened: &OpenedTable<F>) -> bool {
    let is_large = |error: &InputError| matches!(error, InputError::TooLarge { .. });
    match opened {
        Ok((_, faults)) => faults.iter().any(|(_, error)| is_large(error)),
        Err(error) => is_large(error),
    }
}

/// Reads the metadata of a file. Takes more than a thread's share of the memory if it must.
fn open_table<'o, F: ColumnarFile>(
    options: &ReadOptions<'o>,
    file: &SourceFile,
    length: u64,
) -> (OpenedTable<F>, Option<MemoryPermit<'o>>) {
    let open = |max| {
        let file = file.clone();
        guard(F::PACKING, || F::open(file, length, options.columns, max))?
    };
    let [share, whole] = options.held_bytes();
    let opened = open(share);
    if share >= whole || !is_too_large(&opened) {
        return (opened, None);
    }
    drop(opened);
    let admitted = options.admit();
    (open(whole), Some(admitted))
}

impl<'w> SourceReader<'w> {
    /// Passes on the rows of a table. A table is read at any offset, so one that is not a file is copied to a file first.
    pub(super) fn table<F: ColumnarFile>(
        &mut self,
        level: &StreamLevel<'_>,
        mut raw: PeekReader<&mut dyn ReadBytes>,
    ) {
        let copy = match level.file {
            Some(file) => Ok(file.clone()),
            None => self.spool(level, &mut raw).map(|(file, _)| file),
        };
        let counted = raw.held() as u64;
        match copy.and_then(|file| Ok((file.length()?, file))) {
            Ok((length, file)) => self.table_file::<F>(level, file, length, counted),
            Err(error) => self.report_loss(level, 0, error),
        }
    }

    /// Reads a file of `length` bytes, of which `counted` were already counted.
    fn table_file<F: ColumnarFile>(
        &mut self,
        level: &StreamLevel<'_>,
        file: SourceFile,
        length: u64,
        counted: u64,
    ) {
        let options = self.options;
        let (opened, admitted) = open_table::<F>(options, &file, length);
        let (file, faults) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.report_loss(level, 0, error),
        };
        for (offset, error) in faults {
            self.report_loss(level, offset, error);
        }
        let mut read = counted + file.metadata_length();
        self.count_read(level, file.metadata_length());
        if file.has_texts() {
            read += self.rows(level, &Arc::new(file), admitted);
        } else if options.columns.columns.is_none() {
            self.flush_pages();
            self.sink.skip(level.name.clone(), F::WITHOUT_TEXT);
        }
        if level.file.is_some() {
            let rest = length.saturating_sub(read);
            options.bytes_skipped.fetch_add(rest, Ordering::Relaxed);
        }
    }

    /// Passes on all rows. When they need more than a thread's share of the memory, waits until no other thread has more.
    /// Returns how many bytes were read.
    fn rows<F: ColumnarFile>(
        &mut self,
        level: &StreamLevel<'_>,
        file: &Arc<F>,
        mut admitted: Option<MemoryPermit<'w>>,
    ) -> u64 {
        let options = self.options;
        let [share, whole] = options.held_bytes().map(|memory| TableLimits { memory });
        let mut parts = match admitted {
            Some(_) => TableParts::here(&**file, whole, PartStart::default()),
            None => TableParts::new(file, share, options.unpackers),
        };
        self.flush_pages();
        let head = level.head();
        let mut all = 0;
        let mut go_on = true;
        while go_on && let Some(item) = parts.next() {
            match item {
                TableItem::Large(row) if admitted.is_none() && share.memory < whole.memory => {
                    let part = parts.current();
                    // Its threads end before this one waits.
                    parts = TableParts::here(&**file, whole, PartStart { part, row });
                    admitted = Some(options.admit());
                }
                TableItem::Large(_) => {}
                TableItem::Lost(offset, error) => self.report_loss(level, offset, error),
                TableItem::Batch { batch, cost, read } => {
                    all += read;
                    self.count_read(level, read);
                    go_on = self.cells(level, &head, batch, cost);
                }
            }
            go_on &= !self.is_over();
        }
        self.sink.end_table(file.rows());
        all
    }

    /// Passes on cells, which count as `cost` unpacked bytes. Returns false if a limit is exceeded.
    fn cells(
        &mut self,
        level: &StreamLevel<'_>,
        head: &DocumentHead,
        batch: CellBatch,
        cost: u64,
    ) -> bool {
        let name = batch.longest_name() + head.name.as_ref().map_or(0, |name| name.len());
        if let Err(error) = self.expansion.add_rows(cost, name) {
            let errors = error.into_iter();
            errors.for_each(|error| self.report_loss(level, 0, error));
            return false;
        }
        self.sink.cells(head, batch);
        true
    }

    /// Counts bytes of a source that is a file. Those of a copy were counted when it was copied.
    fn count_read(&self, level: &StreamLevel<'_>, bytes: u64) {
        if level.file.is_some() {
            self.options.bytes_read.fetch_add(bytes, Ordering::Relaxed);
            self.expansion.add_read(bytes);
        }
    }
}
