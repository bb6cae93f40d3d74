//! Gives benchmarks access to the table, which is private to the crate. Not part of the public interface.

use std::path::Path;
use std::sync::Arc;

use doisift_core::{Form, Mention};

use super::{
    Batch, Budget, CountedUnit, Document, DocumentId, NameTable, SpillError, StoredFields,
    TablePart,
};

/// The number of records of a table, and their sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Records.
    pub names: u64,
    /// Sum of their mentions.
    pub mentions: u64,
    /// Sum of their documents.
    pub documents: u64,
    /// Sum of their sources.
    pub sources: u64,
    /// Runs that were written to disk.
    pub runs: u64,
}

/// Mentions in a document.
const DOCUMENT_MENTIONS: usize = 100;

/// Fills a table with the keys in `mentions` on `threads` threads. Each thread takes a part of the list, in documents of 100
/// mentions. With `drain`, sorts the records and returns their totals; otherwise the totals are 0.
pub fn fill_table(mentions: &[&str], threads: usize, drain: bool) -> Totals {
    let table = NameTable::new(StoredFields::All);
    let filled = fill_all(&table, mentions, threads);
    if drain {
        filled.and_then(|()| totals(table)).unwrap_or_default()
    } else {
        Totals::default()
    }
}

/// Like [`fill_table`], but always drains the table, with a memory budget of `bytes` and a `folder` for runs. All totals are 0 if
/// that fails.
pub fn fill_table_within(mentions: &[&str], threads: usize, bytes: usize, folder: &Path) -> Totals {
    let table = NameTable::within(StoredFields::All, Budget::new(bytes, folder, threads));
    let filled = fill_all(&table, mentions, threads);
    filled.and_then(|()| totals(table)).unwrap_or_default()
}

fn fill_all(table: &NameTable, mentions: &[&str], threads: usize) -> Result<(), SpillError> {
    let part = mentions.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts = (0..).zip(mentions.chunks(part));
        let filling: Vec<_> = parts
            .map(|(number, keys)| scope.spawn(move || fill(table, number, keys)))
            .collect();
        let mut filled = filling.into_iter().map(|filling| {
            let joined = filling.join();
            joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        filled.try_for_each(|filled| filled)
    })
}

fn fill(table: &NameTable, source: u32, keys: &[&str]) -> Result<(), SpillError> {
    let mut batch = table.batch();
    let name = Arc::from("bench");
    let of_source = CountedUnit::source(source);
    for (document, keys) in (0..).zip(keys.chunks(DOCUMENT_MENTIONS)) {
        let document = Document {
            id: DocumentId { source, document },
            source: Arc::clone(&name),
            of_source: of_source.clone(),
            of_whole: None,
            name: None,
            capture: None,
            column: None,
        };
        fill_document(table, &mut batch, &document, keys)?;
    }
    table.absorb(&mut batch)
}

fn fill_document(
    table: &NameTable,
    batch: &mut Batch,
    document: &Document,
    keys: &[&str],
) -> Result<(), SpillError> {
    for (offset, key) in (0..).zip(keys) {
        let mut mention = Mention::new(key, key, Form::Bare, key.as_bytes());
        mention.offset = offset;
        batch.push(document, &mention);
        if batch.is_full() {
            table.absorb(batch)?;
        }
    }
    batch.close(&document.id);
    Ok(())
}

fn totals(table: NameTable) -> Result<Totals, SpillError> {
    let mut totals = Totals::default();
    let add = |part: &TablePart<'_>| {
        Ok::<_, SpillError>(part.records().fold(
            [0; 3],
            |[mentions, documents, sources], record| {
                [
                    mentions + record.mentions,
                    documents + record.documents,
                    sources + record.sources,
                ]
            },
        ))
    };
    let drained = table.into_rows(add, |[mentions, documents, sources]| {
        totals.mentions += mentions;
        totals.documents += documents;
        totals.sources += sources;
        Ok(())
    })?;
    totals.names = drained.records;
    totals.runs = drained.spilled.runs;
    Ok(totals)
}
