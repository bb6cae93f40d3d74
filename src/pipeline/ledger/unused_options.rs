//! Warns of options that have no effect on a run, since it read nothing that they concern. The declaration of an option names the
//! input that it concerns.
//!
//! Limits are left out, since it is fine if a limit is not reached.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use doisift_documents::Sources;

use crate::options::Subject;
use crate::pipeline::plan::ScanOptions;

/// The kinds of input that a run has read, as far as options concern them.
#[derive(Debug, Default)]
pub(crate) struct SeenInputs {
    /// A table whose columns can be chosen.
    pub(crate) table: AtomicBool,
    /// Any other text.
    pub(crate) text: AtomicBool,
    /// A text whose kind is not determined by its origin.
    pub(crate) kind: AtomicBool,
    /// Number of texts that are not tables, if columns are chosen.
    whole: AtomicU64,
}

/// The options of a run, and the input that they are compared with.
struct UnusedOptions<'r> {
    options: &'r ScanOptions,
    seen: SeenInputs,
    sources: &'r Sources,
    /// Whether a source is a folder.
    has_folder: bool,
}

impl UnusedOptions<'_> {
    fn has_seen(&self, subject: Subject) -> bool {
        match subject {
            Subject::All => true,
            Subject::Tables => is(&self.seen.table),
            Subject::Folders => self.has_folder,
            Subject::Commands => self
                .options
                .preprocessor
                .as_ref()
                .is_some_and(|command| self.sources.iter().any(|source| command.takes(&source))),
            Subject::OpenKinds => is(&self.seen.kind) || is(&self.seen.table),
            Subject::Texts => is(&self.seen.text),
        }
    }
}

/// Returns the reason why an option has no effect if the run has read nothing of its subject.
fn reason(subject: Subject) -> &'static str {
    match subject {
        Subject::All => "",
        Subject::Tables => {
            "no source is a table (Parquet, Arrow, delimited text or JSON Lines), and other files are read whole"
        }
        Subject::Folders => "it is for files below folders, and no source is a folder",
        Subject::Commands => {
            "it is for files, and no source is one that --pre-glob, if given, matches"
        }
        Subject::OpenKinds => {
            "the kinds of all texts are known, as those of PDF and office documents are"
        }
        Subject::Texts => {
            "all sources are tables, whose rows are documents; --id-column names them"
        }
    }
}

fn is(seen: &AtomicBool) -> bool {
    seen.load(Ordering::Relaxed)
}

impl SeenInputs {
    /// Records a text that is read whole. `has_open_kind` is set if its origin does not determine its kind.
    pub(crate) fn add_text(&self, options: &ScanOptions, has_open_kind: bool) {
        self.text.store(true, Ordering::Relaxed);
        self.kind.fetch_or(has_open_kind, Ordering::Relaxed);
        if options.columns.is_given() {
            self.whole.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Warns of options without effect on a run that has ended. A run that read nothing has other errors.
    pub(crate) fn warn(self, options: &ScanOptions, sources: &Sources, has_folder: bool) {
        let (table, whole) = (is(&self.table), self.whole.load(Ordering::Relaxed));
        if !table && !is(&self.text) {
            return;
        }
        if table && whole > 0 {
            log::warn!(
                "--columns and --id-column are for tables; other texts were read whole: {whole}"
            );
        }
        let effects = UnusedOptions {
            options,
            seen: self,
            sources,
            has_folder,
        };
        for (spec, value) in &options.given {
            if value.is_given() && !effects.has_seen(spec.concerns) {
                let reason = reason(spec.concerns);
                log::warn!("--{} has no effect: {reason}", spec.long());
            }
        }
    }
}
