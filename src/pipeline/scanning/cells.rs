//! Scans the cells of tables. Each cell is a text of its own, and each row is a document.
//!
//! The texts of a batch are searched for anchors together. Only cells with an anchor are scanned, each separately: a name never
//! continues in another cell, and no cell affects how another one is read. The texts of a dictionary are scanned once.

use std::ops::Range;
use std::sync::{Arc, OnceLock, Weak};

use doisift_core::{Form, Mention, Scanner, Tally};
use doisift_documents::{CellBatch, CellDictionary, CellText, write_row_name};

use super::kind;
use crate::dedup::Document;
use crate::pipeline::plan::{NamedSource, ScanOptions};
use doisift_documents::WarcRecord;

/// Some rows of a table, each of which is a document.
pub(crate) struct TableRows {
    pub(crate) batch: CellBatch,
    pub(crate) dictionaries: Vec<Arc<ScannedDictionary>>,
    pub(crate) source: NamedSource,
    /// The name of the table; `None` if the source is the table.
    pub(crate) table: Option<Arc<str>>,
    /// The ordinal of the table's first row as a document.
    pub(crate) ordinal: u64,
    pub(crate) capture: Option<Arc<WarcRecord>>,
}

/// The dictionaries of a source that are in use, with the names found in them.
#[derive(Default)]
pub(crate) struct SourceDictionaries(Vec<(Weak<CellDictionary>, Arc<ScannedDictionary>)>);

/// The cells of a batch that may have names.
#[derive(Default)]
pub(crate) struct CandidateCells {
    /// The number of each cell, and its range of `starts`.
    pub(crate) cells: Vec<(usize, Range<usize>)>,
    /// Offsets within the texts of plain cells at which candidates may start.
    pub(crate) starts: Vec<usize>,
}

/// The names in the texts of a dictionary; scanned by the thread that needs them first.
#[derive(Default)]
pub(crate) struct ScannedDictionary(OnceLock<DictionaryNames>);

#[derive(Default)]
pub(crate) struct DictionaryNames {
    /// For each text, its number in `found`, from 1; 0 if it has no candidates.
    numbers: Vec<u32>,
    found: Vec<TextNames>,
}

/// The names found in a text.
pub(crate) struct TextNames {
    pub(crate) tally: Tally,
    names: Vec<FoundName>,
}

/// A mention that owns its name.
struct FoundName {
    name: Box<str>,
    key: Box<str>,
    form: Form,
    start: usize,
    end: usize,
    guessed: bool,
}

impl SourceDictionaries {
    /// Returns the names in the dictionaries of a batch, which may not be scanned yet.
    pub(crate) fn of(&mut self, batch: &CellBatch) -> Vec<Arc<ScannedDictionary>> {
        self.0.retain(|(known, _)| known.strong_count() > 0);
        let all = batch.dictionaries().iter();
        all.map(|dictionary| self.scanned(dictionary)).collect()
    }

    fn scanned(&mut self, dictionary: &Arc<CellDictionary>) -> Arc<ScannedDictionary> {
        let is_same = |known: &Weak<CellDictionary>| known.as_ptr() == Arc::as_ptr(dictionary);
        if let Some((_, scanned)) = self.0.iter().find(|(known, _)| is_same(known)) {
            return Arc::clone(scanned);
        }
        let scanned = Arc::<ScannedDictionary>::default();
        let known = Arc::downgrade(dictionary);
        self.0.push((known, Arc::clone(&scanned)));
        scanned
    }
}

impl TableRows {
    /// Returns the cells that may have names, in the order of rows, then of columns. `scanner` scans dictionaries that were not
    /// scanned before; their bytes are added to `bytes`.
    pub(crate) fn candidate_cells(
        &self,
        scanner: &mut Scanner,
        options: &ScanOptions,
        bytes: &mut u64,
    ) -> CandidateCells {
        let scanned = self.scanned(scanner, options, bytes);
        let mut left = scanner.starts(self.batch.bytes()).peekable();
        let mut found = CandidateCells::default();
        let cells = self.batch.cells();
        for (number, cell) in cells.iter().enumerate() {
            let first = found.starts.len();
            let has_candidates = match cell.text() {
                CellText::Plain(range) => {
                    while left.next_if(|&at| at < range.start).is_some() {}
                    while let Some(at) = left.next_if(|&at| at < range.end) {
                        found.starts.push(at - range.start);
                    }
                    found.starts.len() > first
                }
                CellText::Entry(dictionary, entry) => scanned[dictionary].of(entry).is_some(),
            };
            if has_candidates {
                found.cells.push((number, first..found.starts.len()));
            }
        }
        if !self.batch.is_by_row() {
            found
                .cells
                .sort_by_key(|&(number, _)| (cells[number].row, cells[number].column));
        }
        found
    }

    /// Returns the names in all dictionaries. Scans those that were not scanned before.
    fn scanned(
        &self,
        scanner: &mut Scanner,
        options: &ScanOptions,
        bytes: &mut u64,
    ) -> Vec<&DictionaryNames> {
        let dictionaries = self.batch.dictionaries().iter().zip(&self.dictionaries);
        let scanned = dictionaries.map(|(texts, scanned)| {
            scanned.0.get_or_init(|| {
                *bytes += texts.bytes() as u64;
                DictionaryNames::scan(texts, scanner, options)
            })
        });
        scanned.collect()
    }

    /// Returns the names found in an entry of a dictionary. `None` if it has no candidates.
    pub(crate) fn entry(&self, dictionary: usize, entry: usize) -> Option<&TextNames> {
        self.dictionaries.get(dictionary)?.0.get()?.of(entry)
    }

    /// Returns a row as a document. `name` is a buffer for reuse.
    pub(crate) fn document(&self, row: u32, name: &mut String) -> Document {
        name.clear();
        write_row_name(self.table.as_ref(), &self.batch, row, name);
        let ordinal = self.ordinal + self.batch.first_row + u64::from(row);
        Document {
            capture: self.capture.clone(),
            ..self.source.document(ordinal, Some(name.as_str().into()))
        }
    }
}

impl DictionaryNames {
    fn scan(texts: &CellDictionary, scanner: &mut Scanner, options: &ScanOptions) -> Self {
        let mut names = DictionaryNames {
            numbers: vec![0; texts.len()],
            found: Vec::new(),
        };
        for (number, slot) in names.numbers.iter_mut().enumerate() {
            let text = texts.entry(number);
            if scanner.starts(text).next().is_none() {
                continue;
            }
            let found = TextNames::scan(text, scanner, options);
            if found.tally.candidates > 0 {
                names.found.push(found);
                *slot = names.found.len() as u32;
            }
        }
        names
    }

    fn of(&self, entry: usize) -> Option<&TextNames> {
        let number = *self.numbers.get(entry)? as usize;
        self.found.get(number.checked_sub(1)?)
    }
}

impl TextNames {
    fn scan(text: &[u8], scanner: &mut Scanner, options: &ScanOptions) -> Self {
        let mut names = Vec::new();
        scanner.set_kind(kind::of_cell(options, text));
        let tally = scanner.scan(text, |mention| {
            let start = mention.offset as usize;
            names.push(FoundName {
                name: mention.name.into(),
                key: mention.key.into(),
                form: mention.form,
                start,
                end: start + mention.text.len(),
                guessed: mention.guessed,
            });
        });
        TextNames { tally, names }
    }

    /// Calls `with` for each mention. `text` is the text that was scanned.
    pub(crate) fn each(&self, text: &[u8], mut with: impl FnMut(&Mention<'_>)) {
        for found in &self.names {
            let text = text.get(found.start..found.end).unwrap_or_default();
            let mut mention = Mention::new(&found.name, &found.key, found.form, text);
            mention.offset = found.start as u64;
            mention.guessed = found.guessed;
            with(&mention);
        }
    }
}
