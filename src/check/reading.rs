//! Reads the documents of a source and delivers a row for each reference.

use std::sync::Arc;

use doisift_documents::{
    CellBatch, DocumentHead, DocumentSink, InputError, ReadBytes, Source, TextOrigin, printable,
};
use doisift_known::IndexError;

use super::document::DocumentReader;
use super::fix::FileRepairs;
use super::held::HeldDocument;
use super::judge::{Judge, Judgement};
use super::options::CheckSettings;
use super::reference::{Escape, Reference, ReferenceName, text};
use super::row::{CheckedReference, LineCount, RowPlace, document_name};
use super::row_sink::{CheckedDocument, ReferenceSink};
use super::verdict::CheckVerdict;
use crate::error::{Cause, CheckError, Error, KnownError, TableError};
use crate::task::{not_cancelled, warn_of_sheets};

/// References that are judged together, so that the registry is asked about their names at once.
const BATCH_REFERENCES: usize = 1024;

/// A reference, and the bytes that hold it.
type HeldReference<'r> = (&'r [u8], &'r Reference);

/// Reads the documents of one source.
pub(super) struct CheckReading<'a, 's> {
    settings: &'a CheckSettings,
    file: &'a Source,
    source: Arc<str>,
    judge: &'a mut Judge,
    sink: &'a mut ReferenceSink<'s>,
    /// The first error, which ends the run.
    failure: Option<Error>,
}

impl<'a, 's> CheckReading<'a, 's> {
    pub(super) fn new(
        settings: &'a CheckSettings,
        file: &'a Source,
        source: &Arc<str>,
        judge: &'a mut Judge,
        sink: &'a mut ReferenceSink<'s>,
    ) -> Self {
        CheckReading {
            settings,
            file,
            source: Arc::clone(source),
            judge,
            sink,
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

    /// Checks a document part by part: reads, judges the references, delivers their rows.
    fn check(&mut self, head: &DocumentHead, from: &mut dyn ReadBytes) -> Result<(), Error> {
        let name = head.name.as_ref();
        let mut held = HeldDocument::new(from, self.settings.held);
        let mut reader = self.start(&mut held, head)?;
        let mut repairs = match self.has_repairs() {
            true => self.repairs(name.is_none(), &held.bytes)?,
            false => None,
        };
        let document = document_name(&self.source, name.map(|name| &**name)).into();
        let source = Arc::clone(&self.source);
        let mut rows = CheckedDocument {
            place: RowPlace {
                source: &source,
                document: name.map(|name| &**name),
                lines: Some(LineCount::new()),
                row: reader.is_table().then_some(0),
            },
            document,
            compared: reader.compared(),
        };
        loop {
            let taken = reader
                .take(&held.bytes, held.has_ended)
                .map_err(bad_table)?;
            self.deliver(&held.bytes, &taken.references, &mut rows, repairs.as_mut())?;
            if held.has_ended {
                break;
            }
            if let Some(lines) = &mut rows.place.lines {
                lines.pass(&held.bytes, taken.passed);
            }
            held.pass(taken.passed);
            self.whole_or_part(held.fill(), name)?;
        }
        if let Some(repairs) = repairs {
            self.sink.repair(repairs, &self.source)?;
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

    /// Judges references in the `held` bytes of a document, and delivers their rows.
    fn deliver(
        &mut self,
        held: &[u8],
        references: &[Reference],
        rows: &mut CheckedDocument<'_>,
        mut repairs: Option<&mut FileRepairs>,
    ) -> Result<(), Error> {
        for references in references.chunks(BATCH_REFERENCES) {
            let cited = references.iter().map(|reference| (held, reference));
            let judgements = self.judge_all(&cited.collect::<Vec<_>>())?;
            for (judged, reference) in judgements.into_iter().zip(references) {
                let repairs = repairs.as_mut();
                let fixed = repairs.is_some_and(|repairs| repairs.add(held, reference, &judged));
                let mut row = CheckedReference {
                    fixed: fixed && self.settings.fix,
                    ..rows.place.row(held, reference, judged)
                };
                self.sink.compare(&mut row, reference.record, rows);
                self.sink.take(&row)?;
            }
        }
        Ok(())
    }

    /// Judges references. If a registry is asked, judges those with unknown names again with its answers.
    fn judge_all(&mut self, references: &[HeldReference<'_>]) -> Result<Vec<Judgement>, Error> {
        let monitor = &self.settings.monitor;
        not_cancelled(monitor)?;
        let mut all = Vec::with_capacity(references.len());
        for cited in references {
            all.push(judge_reference(self.judge, cited).map_err(unreadable)?);
        }
        if self.judge.ask(&all, monitor)? {
            for (judgement, cited) in all.iter_mut().zip(references) {
                if judgement.unknown_name().is_some() {
                    *judgement = judge_reference(self.judge, cited).map_err(unreadable)?;
                }
            }
        }
        Ok(all)
    }

    fn check_cells(&mut self, table: Option<&Arc<str>>, batch: &CellBatch) -> Result<(), Error> {
        let reference = |bytes: &[u8]| Reference::of_cell(0..bytes.len(), Escape::None);
        let texts = row_texts(batch);
        let references: Vec<Reference> = texts.iter().map(|(_, text)| reference(text)).collect();
        let cited = texts.iter().map(|(_, text)| *text).zip(&references);
        let cited: Vec<HeldReference<'_>> = cited.collect();
        let judgements = self.judge_all(&cited)?;
        for (((row, _), (bytes, reference)), judged) in texts.iter().zip(cited).zip(judgements) {
            let mut place = RowPlace {
                source: &self.source,
                document: table.map(|table| &**table),
                lines: None,
                row: Some(batch.first_row + u64::from(*row)),
            };
            self.sink.take(&place.row(bytes, reference, judged))?;
        }
        Ok(())
    }

    /// Keeps the first error, with its source and document.
    fn keep(&mut self, checked: Result<(), Error>, document: Option<Arc<str>>) {
        if let Err(error) = checked {
            let error = match error.source_name() {
                Some(_) => error,
                None => error.in_source(Arc::clone(&self.source)),
            };
            let error = match document {
                Some(document) => error.in_document(document),
                None => error,
            };
            self.failure.get_or_insert(error);
        }
    }
}

/// Returns the texts of the cells, each with the number of its row in the batch. A row without cells has an empty text.
fn row_texts(batch: &CellBatch) -> Vec<(u32, &[u8])> {
    let mut cells = batch.cells().iter().peekable();
    let mut texts: Vec<(u32, &[u8])> = Vec::new();
    for row in 0..batch.rows {
        let before = texts.len();
        while let Some(cell) = cells.next_if(|cell| cell.row == row) {
            texts.push((row, batch.text(cell)));
        }
        if texts.len() == before {
            texts.push((row, b""));
        }
    }
    texts
}

/// Judges one reference.
fn judge_reference(
    judge: &mut Judge,
    (bytes, reference): &HeldReference<'_>,
) -> Result<Judgement, IndexError> {
    match &reference.name {
        ReferenceName::Nothing => Ok(Judgement::new(None, CheckVerdict::NoDoi)),
        ReferenceName::Field(field) => {
            let written = text(&bytes[reference.place.clone()]);
            judge.text(&field.decoded_text(&written), field.role)
        }
        ReferenceName::Found { doi, guessed } => judge.found(doi, *guessed),
    }
}

fn unreadable(error: IndexError) -> Error {
    Error::new(Cause::Known(KnownError::Unreadable(error)))
}

fn bad_table(error: TableError) -> Error {
    Error::new(Cause::Table(error))
}

impl DocumentSink for CheckReading<'_, '_> {
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        // A name in the metadata is the file's own, not a reference.
        if self.is_halted() || head.origin == Some(TextOrigin::Metadata) {
            return;
        }
        warn_of_sheets(&self.source, &head, self.settings.sheet.as_ref());
        self.sink.counts.documents += 1;
        self.sink.enter();
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
        *self.sink.counts.skipped.entry(kind.into()).or_default() += 1;
        let source = printable::name(&self.source);
        match name {
            Some(name) => log::debug!("{source}: {}: skipped: {kind}", printable::name(&name)),
            None if !self.file.is_named => log::debug!("{source}: skipped: {kind}"),
            None => log::warn!("{source}: skipped: {kind}, which holds no references"),
        }
    }

    fn is_halted(&self) -> bool {
        self.failure.is_some() || self.settings.monitor.is_cancelled()
    }
}
