//! Reads the documents of a source and gives a row for each reference.

use std::sync::Arc;

use doisift_documents::{
    CellBatch, DocumentHead, DocumentSink, InputError, ReadBytes, Source, TextOrigin, printable,
};

use super::document::{Compared, DocumentReader};
use super::fix::FileRepairs;
use super::held::HeldDocument;
use super::ignore::IgnoreComments;
use super::judge::Judge;
use super::options::CheckSettings;
use super::piece::{CheckPiece, DocumentRows, TakePieces};
use super::row::{LineCount, RowPlace, document_name};
use super::rows::{self, HeldReferences};
use crate::error::{Cause, CheckError, Error, KnownError, TableError};
use crate::task::{Monitor, warn_of_sheets};

/// Reads the documents of one source.
pub(super) struct CheckReading<'a> {
    settings: &'a CheckSettings,
    file: &'a Source,
    source: Arc<str>,
    judge: &'a mut Judge,
    pieces: &'a mut dyn TakePieces,
    /// The first error, which ends the reading.
    failure: Option<Error>,
}

/// A document that is held as a whole, and its reader.
struct WholeDocument {
    reader: DocumentReader,
    bytes: Vec<u8>,
    source: Arc<str>,
    name: Option<Arc<str>>,
}

impl<'a> CheckReading<'a> {
    pub(super) fn new(
        settings: &'a CheckSettings,
        file: &'a Source,
        source: &Arc<str>,
        judge: &'a mut Judge,
        pieces: &'a mut dyn TakePieces,
    ) -> Self {
        CheckReading {
            settings,
            file,
            source: Arc::clone(source),
            judge,
            pieces,
            failure: None,
        }
    }

    /// # Errors
    /// Returns the error that ended the reading.
    pub(super) fn end(self) -> Result<(), Error> {
        self.failure.map_or(Ok(()), Err)
    }

    fn fail(&mut self, kind: Cause, document: Option<Arc<str>>, offset: Option<u64>) {
        let error = Error::new(kind).in_source(Arc::clone(&self.source));
        let error = match (document, offset) {
            (document, Some(offset)) => error.at(document, offset),
            (Some(document), None) => error.in_document(document),
            (None, None) => error,
        };
        self.failure.get_or_insert(error);
    }

    /// Whether files are repaired, or their repairs are shown.
    fn has_repairs(&self) -> bool {
        self.settings.fix || self.settings.diff
    }

    /// Reads the head of a document, which decides how the document is read. Reads the rest too if that must be held as a whole.
    fn start(
        &mut self,
        held: &mut HeldDocument<'_>,
        head: &DocumentHead,
    ) -> Result<DocumentReader, Error> {
        let name = head.name.as_ref();
        self.whole_or_part(held.fill(), name)?;
        let column = self.settings.column.as_deref();
        let column = column.map(|column| (column, self.settings.header));
        if column.is_some() {
            self.whole_or_part(held.fill_line(), name)?;
        }
        let reader = DocumentReader::of(&held.bytes, held.has_ended, column, head.origin);
        let reader = reader.map_err(bad_table)?;
        let sizes = self.settings.held;
        let max = match self.has_repairs() {
            true => Some(sizes.max_repaired),
            false => reader.is_whole().then_some(sizes.max),
        };
        if let Some(max) = max.filter(|_| !held.has_ended) {
            self.whole_or_part(held.fill_whole(max), name)?;
        }
        Ok(reader)
    }

    /// Checks a document: a short one as a whole, on any thread, and a longer one part by part.
    fn check(&mut self, head: &DocumentHead, from: &mut dyn ReadBytes) -> Result<(), Error> {
        let mut held = HeldDocument::new(from, self.settings.held);
        let reader = self.start(&mut held, head)?;
        if held.is_short() && !self.has_repairs() {
            let document = WholeDocument {
                reader,
                bytes: held.bytes,
                source: Arc::clone(&self.source),
                name: head.name.clone(),
            };
            let (monitor, is_named) = (self.settings.monitor.clone(), self.file.is_named);
            let rows = move |judge: &mut Judge| match document.rows((judge, &monitor)) {
                Ok(rows) => CheckPiece::Rows(rows),
                Err(error) => CheckPiece::Failed { error, is_named },
            };
            self.pieces.take_work(self.judge, Box::new(rows));
            return Ok(());
        }
        self.check_parts(reader, &mut held, head.name.as_ref())
    }

    /// Checks a document part by part: reads, judges the references, and gives their rows.
    fn check_parts(
        &mut self,
        mut reader: DocumentReader,
        held: &mut HeldDocument<'_>,
        name: Option<&Arc<str>>,
    ) -> Result<(), Error> {
        let mut repairs = match self.has_repairs() {
            true => self.repairs(name.is_none(), &held.bytes)?,
            false => None,
        };
        let source = Arc::clone(&self.source);
        let mut place = RowPlace::of(&source, name.map(|name| &**name), &reader);
        let document: Arc<str> = document_name(&source, name.map(|name| &**name)).into();
        let mut comments = IgnoreComments::default();
        let compared = reader.compared();
        let rows = |rows, comments| {
            CheckPiece::Rows(DocumentRows {
                document: Arc::clone(&document),
                compared,
                rows,
                comments,
            })
        };
        loop {
            let taken = reader
                .take(&held.bytes, held.has_ended)
                .map_err(bad_table)?;
            if let Some(lines) = &place.lines {
                comments.read(&held.bytes, held.offset(), held.has_ended, lines);
            }
            let part = HeldReferences {
                held: &held.bytes,
                offset: held.offset(),
                references: &taken.references,
                comments: &comments,
            };
            let pieces = &mut self.pieces;
            rows::each_batch(
                (self.judge, &self.settings.monitor),
                &part,
                &mut place,
                repairs.as_mut(),
                |batch| pieces.take(rows(batch, Vec::new())),
            )?;
            if held.has_ended || self.pieces.is_over() {
                break;
            }
            if let Some(lines) = &mut place.lines {
                lines.pass(&held.bytes, taken.passed);
            }
            held.pass(taken.passed);
            self.whole_or_part(held.fill(), name)?;
        }
        self.pieces.take(rows(Vec::new(), comments.all()));
        if let Some(repairs) = repairs {
            let source = Arc::clone(&self.source);
            let repairs = Box::new(repairs);
            self.pieces.take(CheckPiece::Repairs { repairs, source });
        }
        Ok(())
    }

    /// Prepares to repair the file. Returns `None` for a file below a folder that cannot be repaired.
    fn repairs(&self, is_source: bool, document: &[u8]) -> Result<Option<FileRepairs>, Error> {
        match FileRepairs::of(&self.file.path, is_source, document) {
            Err(error)
                if !self.file.is_named
                    && matches!(error.cause(), Cause::Check(CheckError::Fix(_))) =>
            {
                log::debug!("{}: {error}", printable::name(&self.source));
                Ok(None)
            }
            repairs => repairs.map(Some),
        }
    }

    /// Adds source, document and offset to an error of reading.
    fn whole_or_part(
        &self,
        read: Result<(), (Cause, u64)>,
        name: Option<&Arc<str>>,
    ) -> Result<(), Error> {
        read.map_err(|(kind, offset)| {
            let error = Error::new(kind).in_source(Arc::clone(&self.source));
            error.at(name.cloned(), offset)
        })
    }

    fn check_cells(&mut self, table: Option<&Arc<str>>, batch: &CellBatch) -> Result<(), Error> {
        let name = table.map(|table| &**table);
        let mut place = RowPlace {
            source: &self.source,
            document: name,
            lines: None,
            row: None,
        };
        let rows = rows::of_cells((self.judge, &self.settings.monitor), batch, &mut place)?;
        self.pieces.take(CheckPiece::Rows(DocumentRows {
            document: document_name(&self.source, name).into(),
            compared: Compared::Nothing,
            rows,
            comments: Vec::new(),
        }));
        Ok(())
    }

    /// Keeps the first error, with its source and document.
    fn keep(&mut self, checked: Result<(), Error>, document: Option<Arc<str>>) {
        if let Err(error) = checked {
            self.failure
                .get_or_insert_with(|| placed(error, &self.source, document));
        }
    }
}

impl WholeDocument {
    /// Returns the rows of its references.
    fn rows(self, judging: (&mut Judge, &Monitor)) -> Result<DocumentRows, Error> {
        let WholeDocument {
            mut reader,
            bytes,
            source,
            name,
        } = self;
        let mut place = RowPlace::of(&source, name.as_deref(), &reader);
        let mut all = Vec::new();
        let compared = reader.compared();
        let taken = reader.take(&bytes, true).map_err(bad_table);
        let mut comments = IgnoreComments::default();
        comments.read(&bytes, 0, true, &LineCount::new());
        let checked = taken.and_then(|taken| {
            let part = HeldReferences {
                held: &bytes,
                offset: 0,
                references: &taken.references,
                comments: &comments,
            };
            rows::each_batch(judging, &part, &mut place, None, |rows| all.extend(rows))
        });
        checked.map_err(|error| placed(error, &source, name.clone()))?;
        Ok(DocumentRows {
            document: document_name(&source, name.as_deref()).into(),
            compared,
            rows: all,
            comments: comments.all(),
        })
    }
}

/// Adds source and document to an error, unless it has them.
fn placed(error: Error, source: &Arc<str>, document: Option<Arc<str>>) -> Error {
    let error = match error.source_name() {
        Some(_) => error,
        None => error.in_source(Arc::clone(source)),
    };
    match document {
        Some(document) => error.in_document(document),
        None => error,
    }
}

fn bad_table(error: TableError) -> Error {
    Error::new(Cause::Table(error))
}

impl DocumentSink for CheckReading<'_> {
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        // A name in the metadata is the file's own, not a reference.
        if self.is_halted() || head.origin == Some(TextOrigin::Metadata) {
            return;
        }
        warn_of_sheets(&self.source, &head, self.settings.sheet.as_ref());
        self.pieces.take(CheckPiece::Document);
        let checked = self.check(&head, bytes);
        self.keep(checked, head.name);
    }

    fn cells(&mut self, table: &DocumentHead, batch: CellBatch) {
        let name = table.name.clone();
        if self.settings.column.is_none() {
            return self.fail(Cause::Known(KnownError::NoColumn), name, None);
        }
        let checked = self.check_cells(name.as_ref(), &batch);
        self.keep(checked, name);
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        self.fail(Cause::Input(error), name, Some(offset));
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        self.pieces.take(CheckPiece::Skipped(kind));
        let source = printable::name(&self.source);
        match name {
            Some(name) => log::debug!("{source}: {}: skipped: {kind}", printable::name(&name)),
            None if !self.file.is_named => log::debug!("{source}: skipped: {kind}"),
            None => log::warn!("{source}: skipped: {kind}, which holds no references"),
        }
    }

    fn is_halted(&self) -> bool {
        self.failure.is_some() || self.pieces.is_over()
    }
}
