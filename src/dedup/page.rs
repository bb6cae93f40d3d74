//! A page: some united entries in order, which a merge returns together.

use super::DocumentId;
use super::run::{Cursor, Entry, Fields, Span};

/// Entries with distinct keys, in order; reused.
#[derive(Default)]
pub(super) struct EntryPage {
    /// Keys, and the strings of `fields`.
    bytes: Vec<u8>,
    keys: Vec<Span>,
    /// The facts about each key; empty if only keys are kept.
    fields: Vec<Fields>,
    /// Open documents and sources of all entries, and the start of each entry's part.
    open: Vec<DocumentId>,
    starts: Vec<usize>,
}

impl EntryPage {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.keys.clear();
        self.fields.clear();
        self.open.clear();
        self.starts.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the largest key, which is the last one.
    #[inline]
    pub(super) fn last(&self) -> Option<&[u8]> {
        self.keys.last().map(|key| key.of(&self.bytes))
    }

    /// Adds the current entry of `cursor`. Its key must be greater than all keys of the page.
    #[inline]
    pub(super) fn push(&mut self, cursor: &Cursor<'_>) {
        self.keys.push(Span::push(&mut self.bytes, cursor.key()));
        if let Some((fields, strings, open)) = cursor.known() {
            self.fields.push(fields.moved(strings, &mut self.bytes));
            self.starts.push(self.open.len());
            self.open.extend_from_slice(open);
        }
    }

    /// Unites the current entry of `cursor` with the last entry, which must have the same key.
    pub(super) fn unite(&mut self, cursor: &Cursor<'_>) {
        let (Some(last), Some((fields, strings, open))) = (self.fields.last_mut(), cursor.known())
        else {
            return;
        };
        last.unite(fields, strings, &mut self.bytes);
        let start = self.starts.last().copied().unwrap_or_default();
        if !open.is_empty() && self.open[start..] != *open {
            let mut united = self.open.split_off(start);
            united.extend_from_slice(open);
            united.sort_unstable();
            united.dedup();
            self.open.append(&mut united);
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.keys.iter().map(|key| key.of(&self.bytes))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.keys.iter().enumerate().map(|(number, key)| {
            let open = self.open(number);
            let fields = self.fields.get(number);
            Entry {
                key: key.of(&self.bytes),
                known: fields.map(|fields| fields.known(&self.bytes, open)),
                open,
            }
        })
    }

    fn open(&self, number: usize) -> &[DocumentId] {
        let start = self.starts.get(number).copied().unwrap_or_default();
        let end = self.starts.get(number + 1).copied();
        &self.open[start..end.unwrap_or(self.open.len())]
    }
}
