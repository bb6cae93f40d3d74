//! Reads the documents of a source.

use std::sync::Arc;

use doisift_core::TextKind;
use doisift_documents::{
    CellBatch, DocumentHead, DocumentSink, InputError, PeekReader, ReadBuffer, ReadBytes, Source,
    SourceKind, printable,
};
use rayon::ThreadPool;

use super::collect::{Collector, DocumentPlace};
use super::kind::{self, DocumentKind};
use super::names::Names;
use super::objects::ObjectBlocks;
use super::options::IndexContent;
use super::{table, works};
use crate::error::{Cause, KnownError};
use crate::task::warn_of_sheets;
use doisift_tables::{
    BlockSizes, RawText, RowBlocks, TableFormat, TableReading, TableRows, pass_mark, table_bytes,
};

/// Reads the documents of one source.
pub(super) struct NamesReading<'a, 's> {
    names: Names<'a, 's>,
    sizes: BlockSizes,
    /// Pieces of the source that are still to be skipped, since the interrupted run has read them. `None` after them.
    passing: Option<u64>,
    /// Whether the source has batches of cells. Their sizes depend on the memory, so that no checkpoint is written in the rest of
    /// it.
    has_cells: bool,
}

impl<'a, 's> NamesReading<'a, 's> {
    pub(super) fn new(
        collector: &'a mut Collector<'s>,
        pool: &'a ThreadPool,
        source: Arc<str>,
        listed: String,
    ) -> Self {
        NamesReading {
            passing: Some(collector.last_settled.0.pieces).filter(|pieces| *pieces > 0),
            has_cells: false,
            sizes: BlockSizes::within(collector.settings.memory),
            names: Names {
                collector,
                pool,
                place: DocumentPlace {
                    source,
                    document: None,
                },
                listed,
                ids: Vec::new(),
            },
        }
    }

    /// Counts the bytes of skipped pieces as read by the interrupted run.
    pub(super) fn end_passing(&mut self) {
        let collector = &self.names.collector;
        if self.passing.take().is_some() {
            let monitor = &collector.settings.monitor;
            monitor.pass_resumed(collector.bytes_before);
        }
    }

    /// Refuses a Parquet file of mentions, unless they are trusted.
    pub(super) fn check_columns(&mut self, source: &Source) {
        let is_trusted = self.names.collector.settings.known.trust;
        if !is_trusted && source.kind == SourceKind::File && holds_mentions(source) {
            self.refuse_document(Cause::Known(KnownError::Mentions));
        }
    }

    fn refuse_document(&mut self, error: Cause) {
        let Names {
            collector, place, ..
        } = &mut self.names;
        collector.refuse_document(error, place);
    }

    fn read(&mut self, kind: DocumentKind, mut raw: RawText<'_>, offset: usize) {
        let (sizes, names) = (self.sizes, &mut self.names);
        match kind {
            DocumentKind::Table(head, layout) => {
                table::read(TableRows::new(raw, offset, &head, sizes), &layout, names);
            }
            DocumentKind::Objects(member) => {
                let blocks = RowBlocks::new(raw, offset as u64, TableReading::JsonLines, sizes);
                works::read_lines(blocks, member.as_ref(), names);
            }
            DocumentKind::Array(start, member) => {
                raw.consume(start);
                let blocks = ObjectBlocks::new(raw, (offset + start) as u64, sizes);
                works::read_array(blocks, member.as_ref(), names);
            }
        }
    }
}

/// Without this feature no Parquet file is read.
#[cfg(not(feature = "columnar"))]
fn holds_mentions(_source: &Source) -> bool {
    false
}

#[cfg(feature = "columnar")]
fn holds_mentions(source: &Source) -> bool {
    let open = || {
        let file = std::fs::File::open(&source.path).ok()?;
        let length = file.metadata().ok()?.len();
        doisift_documents::ParquetTable::open(Arc::new(file), length).ok()
    };
    let is_mentions = |table: doisift_documents::ParquetTable| {
        let columns: Vec<_> = table.columns().collect();
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        kind::is_mentions(&names)
    };
    open().is_some_and(is_mentions)
}

impl NamesReading<'_, '_> {
    /// Does `work` with a piece of the source, unless the interrupted run has done it or this run ends. Pieces have the same
    /// order in each run.
    fn piece(&mut self, work: impl FnOnce(&mut Self)) {
        if let Some(left @ 1..) = &mut self.passing {
            *left -= 1;
            return;
        }
        self.end_passing();
        if self.is_halted() {
            return;
        }
        work(self);
        if !self.is_halted() {
            let mut read = self.names.collector.last_settled.0;
            read.pieces += 1;
            if !self.has_cells {
                self.names.collector.settle(read);
            }
        }
    }

    fn read_document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        let sheet = self.names.collector.settings.sheet.as_ref();
        warn_of_sheets(&self.names.place.source, &head, sheet);
        let format = TableFormat::of_origin(head.origin);
        self.names.place.document = head.name;
        self.names.collector.counts.documents += 1;
        let mut raw = PeekReader::with_capacity(bytes, TextKind::HEAD_BYTES);
        let offset = pass_mark(&mut raw);
        let settings = self.names.collector.settings;
        let head = table_bytes(&mut raw, self.sizes.max);
        match kind::of(head, &settings.known, settings.header, format) {
            Ok(kind) => self.read(kind, raw, offset),
            Err(error) => self.refuse_document(error),
        }
    }

    fn read_cells(&mut self, table: &DocumentHead, batch: &CellBatch) {
        self.names.place.document.clone_from(&table.name);
        let settings = self.names.collector.settings;
        if settings.content == IndexContent::Notices {
            return;
        }
        if settings.known.column.is_none() {
            return self.refuse_document(Cause::Known(KnownError::NoColumn));
        }
        for cell in batch.cells() {
            let row = batch.first_row + u64::from(cell.row) + 1;
            self.names.text(batch.text(cell), row);
        }
    }
}

impl DocumentSink for NamesReading<'_, '_> {
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        self.piece(|reading| reading.read_document(head, bytes));
    }

    fn cells(&mut self, table: &DocumentHead, batch: CellBatch) {
        self.has_cells = true;
        if !self.is_halted() {
            self.read_cells(table, &batch);
        }
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        self.piece(|reading| {
            reading.names.place.document = name;
            reading.names.report_loss(Cause::Input(error), offset);
        });
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        let names = [Some(&*self.names.place.source), name.as_deref()];
        let names: String = names
            .into_iter()
            .flatten()
            .map(|name| printable::name(name) + ": ")
            .collect();
        match name {
            Some(_) => log::debug!("{names}skipped: {kind}"),
            None => log::warn!("{names}skipped: {kind}, which holds no names"),
        }
    }

    fn is_halted(&self) -> bool {
        self.names.is_halted()
    }
}
