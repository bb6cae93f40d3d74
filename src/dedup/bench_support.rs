//! The table as benchmarks drive it: it is private to the crate, and this is no part of the public interface.

use std::convert::Infallible;
use std::sync::Arc;

use super::{Document, DocumentId, Kept, Table};
use crate::records::Record;
use crate::scan::{Form, Mention};

/// Counts of what came out of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Records.
    pub names: u64,
    /// Sum of their mentions.
    pub mentions: u64,
    /// Sum of their documents.
    pub documents: u64,
}

/// Fills a table with `mentions` of the keys on `threads` threads, each a part of the list and one document, and, if
/// `drain`, sorts it and adds it up; otherwise the totals are 0.
pub fn fill_table(mentions: &[&str], threads: usize, drain: bool) -> Totals {
    let table = Table::new(Kept::All);
    let part = mentions.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for (number, keys) in mentions.chunks(part).enumerate() {
            let table = &table;
            scope.spawn(move || fill(table, number as u64, keys));
        }
    });
    if drain {
        totals(table)
    } else {
        Totals {
            names: 0,
            mentions: 0,
            documents: 0,
        }
    }
}

fn fill(table: &Table, number: u64, keys: &[&str]) {
    let id = DocumentId {
        source: 0,
        document: number,
    };
    let document = Document {
        id,
        source: Arc::from("bench"),
        name: None,
    };
    let mut batch = table.batch();
    for (offset, key) in (0..).zip(keys) {
        let text = key.as_bytes();
        batch.push(
            &document,
            &Mention {
                name: key,
                key,
                form: Form::Bare,
                offset,
                text,
                guessed: false,
            },
        );
        if batch.is_full() {
            table.absorb(&mut batch);
        }
    }
    batch.close(&id);
    table.absorb(&mut batch);
}

fn totals(table: Table) -> Totals {
    let mut totals = Totals {
        names: 0,
        mentions: 0,
        documents: 0,
    };
    let add = |records: &mut dyn Iterator<Item = Record<'_>>| {
        Ok::<_, Infallible>(records.fold((0, 0), |(mentions, documents), record| {
            (mentions + record.mentions, documents + record.documents)
        }))
    };
    let names = table.into_rows(add, |(mentions, documents)| {
        totals.mentions += mentions;
        totals.documents += documents;
        Ok(())
    });
    totals.names = names.unwrap_or_default();
    totals
}
