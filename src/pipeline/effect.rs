//! Warnings of options that have no effect on a run, since it read nothing that they concern.
//!
//! Limits are not here: one that is not reached has done its work.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use doisift_documents::Sources;

use super::options::ScanOptions;

/// What a run has read, as far as options concern it.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// A table whose columns can be chosen.
    pub(super) table: AtomicBool,
    /// Any other text.
    pub(super) text: AtomicBool,
    /// A text whose kind its origin does not give.
    pub(super) kind: AtomicBool,
    /// Texts that are no tables, where columns are chosen.
    whole: AtomicU64,
}

/// What the options of a run are compared with.
struct Effects<'r> {
    options: &'r ScanOptions,
    met: Met,
    sources: &'r Sources,
    /// Whether a source is a folder.
    has_folder: bool,
}

/// An option that concerns only a part of what a run may read.
struct Concern {
    option: &'static str,
    is_given: fn(&ScanOptions) -> bool,
    has_effect: fn(&Effects<'_>) -> bool,
    /// Why it has none otherwise.
    reason: &'static str,
}

const NO_TABLE: &str = "no source is a table (Parquet, Arrow, delimited text or JSON Lines), and other files are read whole";
const NO_FOLDER: &str = "it is for files below folders, and no source is a folder";

/// All such options.
const CONCERNS: [Concern; 9] = [
    Concern {
        option: "--columns",
        is_given: |options| options.columns.columns.is_some(),
        has_effect: |effects| is(&effects.met.table),
        reason: NO_TABLE,
    },
    Concern {
        option: "--id-column",
        is_given: |options| options.columns.id.is_some(),
        has_effect: |effects| is(&effects.met.table),
        reason: NO_TABLE,
    },
    Concern {
        option: "--include",
        is_given: |options| !options.include.is_empty(),
        has_effect: |effects| effects.has_folder,
        reason: NO_FOLDER,
    },
    Concern {
        option: "--exclude",
        is_given: |options| !options.exclude.is_empty(),
        has_effect: |effects| effects.has_folder,
        reason: NO_FOLDER,
    },
    Concern {
        option: "--follow",
        is_given: |options| options.follow_links,
        has_effect: |effects| effects.has_folder,
        reason: NO_FOLDER,
    },
    Concern {
        option: "--pre",
        is_given: |options| options.pre.is_some(),
        has_effect: |effects| {
            let by = effects.options.preprocessor.as_ref();
            by.is_some_and(|by| effects.sources.iter().any(|source| by.takes(&source)))
        },
        reason: "it is for files, and no source is one that --pre-glob, if given, matches",
    },
    Concern {
        option: "--input-kind",
        is_given: |options| options.kind.is_some(),
        has_effect: |effects| is(&effects.met.kind) || is(&effects.met.table),
        reason: "no source has a text whose kind is open; those of PDF and office documents are known",
    },
    Concern {
        option: "--lines",
        is_given: |options| options.lines,
        has_effect: |effects| is(&effects.met.text),
        reason: "all sources are tables, whose rows are documents",
    },
    Concern {
        option: "--record-id",
        is_given: |options| options.selection.record_id.is_some(),
        has_effect: |effects| is(&effects.met.text),
        reason: "all sources are tables; --id-column names their records",
    },
];

fn is(met: &AtomicBool) -> bool {
    met.load(Ordering::Relaxed)
}

impl Met {
    /// Notes a text that is read whole, whose kind is open or not.
    pub(super) fn add_text(&self, options: &ScanOptions, has_open_kind: bool) {
        self.text.store(true, Ordering::Relaxed);
        self.kind.fetch_or(has_open_kind, Ordering::Relaxed);
        if options.columns.is_given() {
            self.whole.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Warns of options without effect on a run that has ended. A run that read nothing has other errors.
    pub(super) fn warn(self, options: &ScanOptions, sources: &Sources, has_folder: bool) {
        let (table, whole) = (is(&self.table), self.whole.load(Ordering::Relaxed));
        if !table && !is(&self.text) {
            return;
        }
        if table && whole > 0 {
            log::warn!(
                "--columns and --id-column are for tables; other texts were read whole: {whole}"
            );
        }
        let effects = Effects {
            options,
            met: self,
            sources,
            has_folder,
        };
        for concern in CONCERNS {
            if (concern.is_given)(options) && !(concern.has_effect)(&effects) {
                log::warn!("{} has no effect: {}", concern.option, concern.reason);
            }
        }
    }
}
