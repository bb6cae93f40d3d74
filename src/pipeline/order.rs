//! Mentions in order: what a piece of work found waits until all before it was written.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::Receiver;

use super::run::{Run, Sink};
use super::ticket::Ticket;
use crate::dedup::Document;
use crate::error::Error;
use crate::records::MentionRow;
use crate::scan::{Form, Mention};

/// Mentions that one piece of work found, in order.
#[derive(Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    documents: Vec<Document>,
    text: String,
}

/// A mention whose key and text stand next in the text of all rows.
struct Row {
    document: usize,
    form: Form,
    offset: u64,
    length: u64,
    key: usize,
    text: usize,
    guessed: bool,
}

/// Where a piece of work stands in the output: pieces of a slot come in turn, slots too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) slot: u64,
    pub(super) piece: u64,
}

/// What comes to a place.
pub(super) enum Arrival {
    /// A ticket with rows; it goes back when they are written.
    Rows(Ticket),
    /// The slot has no more pieces.
    End,
}

impl Rows {
    pub(super) fn push(&mut self, document: &Document, mention: &Mention<'_>) {
        if self
            .documents
            .last()
            .is_none_or(|last| last.id != document.id)
        {
            self.documents.push(document.clone());
        }
        let text = String::from_utf8_lossy(mention.text);
        self.text.push_str(mention.key);
        self.text.push_str(&text);
        self.rows.push(Row {
            document: self.documents.len() - 1,
            form: mention.form,
            offset: mention.offset,
            length: mention.text.len() as u64,
            key: mention.key.len(),
            text: text.len(),
            guessed: mention.guessed,
        });
    }

    /// Writes all rows and leaves none.
    pub(super) fn write(&mut self, sink: &mut Sink) -> io::Result<()> {
        let mut rest = self.text.as_str();
        for row in &self.rows {
            let (key, behind) = rest.split_at(row.key);
            let (text, behind) = behind.split_at(row.text);
            rest = behind;
            sink.mention(&row.mention(&self.documents[row.document], key, text))?;
        }
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.documents.clear();
        self.text.clear();
    }
}

impl Row {
    fn mention<'a>(&self, document: &'a Document, key: &'a str, text: &'a str) -> MentionRow<'a> {
        MentionRow {
            doi: key,
            form: self.form,
            source: &document.source,
            document: document.name.as_deref(),
            offset: self.offset,
            length: self.length,
            text,
            guessed: self.guessed,
        }
    }
}

/// Writes what arrives in the order of places, until nothing more can arrive. After a failure it only gives tickets back.
pub(super) fn write_in_order(
    run: &Run<'_>,
    arrivals: &Receiver<(Place, Arrival)>,
    sink: &mut Sink,
) {
    let mut early = BTreeMap::new();
    let mut next = Place { slot: 0, piece: 0 };
    for (place, arrival) in arrivals {
        early.insert(place, arrival);
        while let Some(arrival) = early.remove(&next) {
            next = match arrival {
                Arrival::End => Place {
                    slot: next.slot + 1,
                    piece: 0,
                },
                Arrival::Rows(mut ticket) => {
                    write_rows(run, &mut ticket.load.rows, sink);
                    Place {
                        piece: next.piece + 1,
                        ..next
                    }
                }
            };
        }
    }
}

fn write_rows(run: &Run<'_>, rows: &mut Rows, sink: &mut Sink) {
    if run.is_halted() {
        rows.clear();
    } else if let Err(error) = rows.write(sink) {
        run.fail(Error::output(error));
    }
}
