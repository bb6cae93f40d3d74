//! Takes the rows of all documents: compares, counts and delivers them, and keeps repaired files until the end of the run.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::baseline::Baseline;
use doisift_documents::printable;

use super::document::Compared;
use super::fingerprint::Fingerprints;
use super::fix::{FileRepairs, FixedFile};
use super::formats::{LevelledRow, RowFormat, RowLevel};
use super::ignore::IgnoreComment;
use super::options::CheckSettings;
use super::piece::{CheckPiece, DocumentRows, JudgedRow};
use super::reference::Reference;
use super::report::CheckCounts;
use super::row::CheckedReference;
use super::seen::SeenNames;
use crate::error::{Cause, CheckError, Error, KnownError};

/// Takes a row and decides whether the run continues.
pub(super) type TakeRow<'t> = &'t mut (dyn FnMut(&CheckedReference) -> ControlFlow<()> + Send);

/// Counter of files below folders that lack the column.
const NO_COLUMN: &str = "no_column";

/// Counts and compares rows and delivers them to the output or the caller.
pub(super) struct ReferenceSink<'s> {
    settings: &'s CheckSettings,
    pub(super) out: Box<dyn RowFormat>,
    fingerprints: Fingerprints,
    pub(super) baseline: Baseline,
    caller: Option<TakeRow<'s>>,
    pub(super) counts: CheckCounts,
    /// The names of the entries of all sources.
    pub(super) seen: SeenNames,
    /// The names of the references of the current record, and its number.
    in_record: (SeenNames, u64),
    has_failed: bool,
    /// Repaired files under temporary names, each with its source.
    pub(super) fixed: Vec<(Arc<str>, FixedFile)>,
}

impl<'s> ReferenceSink<'s> {
    pub(super) fn new(
        settings: &'s CheckSettings,
        out: Box<dyn RowFormat>,
        baseline: Baseline,
        caller: Option<TakeRow<'s>>,
    ) -> Self {
        ReferenceSink {
            settings,
            out,
            fingerprints: Fingerprints::default(),
            baseline,
            caller,
            counts: CheckCounts::default(),
            seen: SeenNames::default(),
            in_record: (SeenNames::default(), 0),
            has_failed: false,
            fixed: Vec::new(),
        }
    }

    /// Writes the repairs of a file under a temporary name, or as a diff. A file with two names in the run is fixed once.
    ///
    /// # Errors
    /// If they cannot be written.
    fn repair(&mut self, repairs: FileRepairs, source: &Arc<str>) -> Result<(), Error> {
        if self.settings.diff {
            let out = self.out.unused_output().map(|out| repairs.write_diff(out));
            return out.unwrap_or(Ok(())).map_err(Error::output);
        }
        if let Some(file) = repairs.write(&self.settings.monitor)? {
            let mut others = self.fixed.iter();
            let is_new = !others.any(|(_, other)| other.replaces_same(&file));
            self.fixed
                .extend(is_new.then(|| (Arc::clone(source), file)));
        }
        Ok(())
    }

    /// Counts, compares and delivers a piece of a source.
    ///
    /// # Errors
    /// If a row cannot be written, the caller ends the run, or a source that was named failed.
    pub(super) fn piece(&mut self, piece: CheckPiece) -> Result<(), Error> {
        if self.has_failed {
            return Ok(());
        }
        match piece {
            CheckPiece::Document => {
                self.counts.documents += 1;
                // Its records are numbered anew.
                self.in_record.1 = 0;
            }
            CheckPiece::Rows(rows) => return self.rows(rows),
            CheckPiece::Skipped(kind) => {
                *self.counts.skipped.entry(kind.into()).or_default() += 1;
            }
            CheckPiece::Repairs { repairs, source } => return self.repair(*repairs, &source),
            CheckPiece::Read(source) => {
                self.counts.sources += 1;
                self.baseline.note_read(&source);
            }
            CheckPiece::Lost(error) => self.report_loss(&error),
            CheckPiece::Failed { error, is_named } => {
                self.has_failed = true;
                return match is_named {
                    true => Err(error),
                    false => self.pass_over(error),
                };
            }
        }
        Ok(())
    }

    /// Whether the current source has failed, so that its further pieces do not count.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed
    }

    pub(super) fn end_source(&mut self) {
        self.has_failed = false;
    }

    fn rows(&mut self, rows: DocumentRows) -> Result<(), Error> {
        for JudgedRow {
            mut row,
            record,
            comment,
        } in rows.rows
        {
            row.fixed &= self.settings.fix;
            self.compare(&mut row, record, (&rows.document, rows.compared));
            self.take(row, comment.as_deref())?;
        }
        let comments = rows.comments.iter();
        comments.for_each(|comment| self.report_unused(&rows.document, comment));
        Ok(())
    }

    /// Reports a comment that accepts nothing, or has a word that is no verdict.
    fn report_unused(&mut self, document: &str, comment: &IgnoreComment) {
        let at = format!("{}:{}", printable::name(document), comment.line);
        for word in &comment.unknown {
            let word = printable::name(word);
            log::warn!("{at}: this comment has {word}, which is no verdict");
        }
        if !comment.is_used() {
            log::warn!("{at}: this comment accepts nothing on the next line");
            self.counts.unused_comments += 1;
        }
    }

    /// Counts a file below a folder that could not be read.
    ///
    /// # Errors
    /// Returns an error that does not concern the file alone.
    fn pass_over(&mut self, error: Error) -> Result<(), Error> {
        match error.cause() {
            Cause::Table(_) | Cause::Known(KnownError::NoColumn) => {
                log::debug!("skipped: {error}");
                *self.counts.skipped.entry(NO_COLUMN.into()).or_default() += 1;
            }
            Cause::Input(input) if !input.is_fatal() => self.report_loss(&error),
            Cause::Check(CheckError::TooLong(_) | CheckError::LongEntry(_)) => {
                self.report_loss(&error);
            }
            _ => return Err(error),
        }
        Ok(())
    }

    fn report_loss(&mut self, error: &Error) {
        log::warn!("{error}");
        self.counts.errors.add(error);
    }

    /// Adds to a row the place of an earlier one with the same name, if such names are compared.
    fn compare(
        &mut self,
        row: &mut CheckedReference,
        record: u64,
        (document, compared): (&Arc<str>, Compared),
    ) {
        let seen = match compared {
            Compared::Nothing => return,
            _ if record == Reference::UNCOMPARED => return,
            Compared::All => &mut self.seen,
            Compared::InRecord if record == 0 => return,
            Compared::InRecord => {
                let (seen, last) = &mut self.in_record;
                if std::mem::replace(last, record) != record {
                    seen.clear();
                }
                seen
            }
        };
        let line = row.line.unwrap_or_default();
        let key = row.doi.as_deref();
        let first = key.and_then(|key| seen.note(key, document, line));
        if let Some(first) = first {
            row.add_first(&first);
        }
    }

    /// Counts and delivers a row.
    ///
    /// # Errors
    /// If it cannot be written, or the caller ends the run.
    fn take(
        &mut self,
        mut row: CheckedReference,
        comment: Option<&IgnoreComment>,
    ) -> Result<(), Error> {
        let is_finding = self.settings.is_finding(&row);
        let level = RowLevel::of(&row, is_finding);
        let level = level.map(|level| (level, self.fingerprints.next(&row)));
        let by_comment = comment.is_some_and(|comment| comment.accepts(row.verdict)) && is_finding;
        let baseline = &mut self.baseline;
        let accepted = level
            .filter(|_| !by_comment)
            .map(|(_, print)| baseline.accepts(&row, print, is_finding));
        row.accepted = by_comment || accepted.transpose()?.unwrap_or(false) && is_finding;
        self.counts.references += 1;
        *self.counts.verdicts.entry(row.verdict).or_default() += 1;
        self.counts.findings += u64::from(is_finding && !row.accepted);
        self.counts.accepted += u64::from(row.accepted);
        self.counts.fixed += u64::from(row.fixed);
        match self.caller.as_mut().map(|take| take(&row)) {
            Some(ControlFlow::Break(())) => Err(Error::new(Cause::Cancelled)),
            Some(ControlFlow::Continue(())) => Ok(()),
            None => {
                let row = LevelledRow {
                    row: &row,
                    level,
                    by_comment,
                };
                self.out.write(&row).map_err(Error::output)
            }
        }
    }
}

impl CheckSettings {
    /// Whether a row is a finding: its verdict is one of those chosen, and it was not fixed.
    fn is_finding(&self, row: &CheckedReference) -> bool {
        row.is_open() && self.findings.contains(&row.verdict)
    }
}
