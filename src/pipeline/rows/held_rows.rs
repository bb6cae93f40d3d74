//! Rows that are held until they are written, and the anchors of a chunk that have no row yet.
//!
//! A row is one value from the moment that it is made: the name, and its place, of which the record is filled in when it is known.
//! Texts are in one buffer, and rows have their ranges. Rows are decided in their order, so the undecided ones are the last.

use std::sync::Arc;

use doisift_core::{Form, Mention};

use super::held_texts::{HeldText, HeldTexts, MentionContext, NameTexts};
use super::paths::{Paths, StoredPath};
use super::stated::CleanedValue;
use crate::dedup::Document;
use crate::error::Error;
use crate::lookup::RecentIndexStatuses;
use crate::records::{ItemDetails, MentionRow, NodeRow, RowEdge, StoredIndexStatus};
use crate::report::RoleCounts;
use doisift_structure::{RecordFields, Role};

/// Max rows whose memory is kept for reuse.
const RETAINED_ROWS: usize = 1 << 15;

/// The rows and anchors of one piece of work, in order.
#[derive(Default)]
pub(crate) struct HeldRows {
    rows: Vec<HeldRow>,
    /// The number of rows that are decided.
    decided: usize,
    /// Anchors that have no row yet. Their texts are in the same buffer.
    found: Vec<FoundAnchor>,
    documents: Vec<Document>,
    /// The records and items of the rows, each once for the rows that it has one after another.
    records: Vec<HeldRecord>,
    items: Vec<ItemDetails>,
    texts: HeldTexts,
    paths: Paths,
    /// Records that have ended, if these have rows of their own.
    nodes: Vec<NodeRow>,
}

/// The origin of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowOrigin {
    /// A mention that the scanner found.
    Scanned,
    /// The value of a field for identifiers, which is a name as a whole.
    Stated,
    /// The text of a reference without a name.
    ReferenceText,
}

/// A row. Numbers of its document, record and item are indices of the lists of [`HeldRows`].
pub(crate) struct HeldRow {
    pub(crate) name: HeldName,
    pub(crate) origin: RowOrigin,
    pub(crate) role: Role,
    pub(crate) asserted: bool,
    /// Whether a later event of the structure decides if the row is in a reference.
    pub(crate) is_related: bool,
    /// Whether the row is written.
    is_written: bool,
    pub(crate) reference: Option<u64>,
    path: StoredPath,
    record: Option<u32>,
    item: Option<u32>,
    value: Option<HeldText>,
    /// The name that cleaning makes of the value, if that changes anything.
    cleaned: Option<Box<CleanedValue>>,
    index_status: Option<StoredIndexStatus>,
}

/// A name, its place in the document, and its texts.
#[derive(Clone, Copy)]
pub(crate) struct HeldName {
    document: u32,
    pub(crate) form: Form,
    guessed: bool,
    pub(crate) offset: u64,
    /// Length in bytes of the name as written.
    pub(crate) length: u64,
    texts: NameTexts,
}

/// An anchor that has no row yet.
#[derive(Clone, Copy)]
pub(crate) struct FoundAnchor {
    pub(crate) name: HeldName,
    pub(crate) kind: AnchorKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnchorKind {
    Mention,
    /// A mention that a filter left out. It may identify the record.
    Filtered,
    /// No mention starts there, but the anchor may be in a field for identifiers.
    Refused,
}

/// The record of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldRecord {
    pub(crate) id: Option<Arc<str>>,
    pub(crate) fields: Option<Arc<RecordFields>>,
}

/// The place of a row, without its record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EdgePlace<'p> {
    pub(crate) role: Role,
    pub(crate) asserted: bool,
    pub(crate) is_related: bool,
    pub(crate) reference: Option<u64>,
    /// Empty if rows have no paths.
    pub(crate) path: &'p str,
}

impl HeldRows {
    /// Adds the row of a mention that has no place, which is decided.
    pub(crate) fn push(
        &mut self,
        document: &Document,
        mention: &Mention<'_>,
        around: MentionContext<'_>,
    ) {
        let name = self.name_of(document, mention, around);
        self.rows.push(HeldRow::new(name, RowOrigin::Scanned));
        self.decided = self.rows.len();
    }

    /// Adds an anchor with a mention, which gets its place later.
    pub(crate) fn push_found(
        &mut self,
        document: &Document,
        mention: &Mention<'_>,
        kind: AnchorKind,
        around: MentionContext<'_>,
    ) {
        let name = self.name_of(document, mention, around);
        self.found.push(FoundAnchor { name, kind });
    }

    /// Adds an anchor without a mention.
    pub(crate) fn push_refused(&mut self, document: &Document, offset: u64) {
        let name = HeldName {
            document: self.number(document),
            form: Form::Bare,
            guessed: false,
            offset,
            length: 0,
            texts: NameTexts::default(),
        };
        let kind = AnchorKind::Refused;
        self.found.push(FoundAnchor { name, kind });
    }

    fn name_of(
        &mut self,
        document: &Document,
        mention: &Mention<'_>,
        around: MentionContext<'_>,
    ) -> HeldName {
        let text = |into: &mut String| {
            if around.has_text {
                into.push_str(&mention.text_lossy());
            }
        };
        HeldName {
            document: self.number(document),
            form: mention.form,
            guessed: mention.guessed,
            offset: mention.offset,
            length: mention.text.len() as u64,
            texts: self.texts.add_name(mention.key, text, around),
        }
    }

    /// Returns the name of a row that has no mention. It is in the document of `anchor`.
    pub(crate) fn stated_name(
        &mut self,
        anchor: &HeldName,
        (key, form): (&str, Form),
        text: &[u8],
        around: MentionContext<'_>,
    ) -> HeldName {
        let written = |into: &mut String| into.push_str(&String::from_utf8_lossy(text));
        HeldName {
            document: anchor.document,
            form,
            guessed: false,
            offset: anchor.offset,
            length: text.len() as u64,
            texts: self.texts.add_name(key, written, around),
        }
    }

    /// Returns the name of a row of a reference without a name: its text, at `offset`, of `length` bytes.
    pub(crate) fn reference_text(
        &mut self,
        document: &Document,
        (offset, length): (u64, u64),
        text: &str,
    ) -> HeldName {
        HeldName {
            document: self.number(document),
            form: Form::Bare,
            guessed: false,
            offset,
            length,
            texts: self
                .texts
                .add_name("", |into| into.push_str(text), MentionContext::default()),
        }
    }

    /// Returns the number of a document, which is added if it is not the last one.
    fn number(&mut self, document: &Document) -> u32 {
        let is_other = |last: &Document| last.id != document.id || last.column != document.column;
        if self.documents.last().is_none_or(is_other) {
            self.documents.push(document.clone());
        }
        (self.documents.len() - 1) as u32
    }

    /// Takes the anchors that have no row yet.
    pub(crate) fn take_found(&mut self) -> Vec<FoundAnchor> {
        std::mem::take(&mut self.found)
    }

    /// Gives back the memory of anchors for reuse.
    pub(crate) fn reuse_found(&mut self, mut found: Vec<FoundAnchor>) {
        found.clear();
        found.shrink_to(RETAINED_ROWS);
        self.found = found;
    }

    /// Moves the anchors of `other` to the end of these.
    pub(crate) fn append_found(&mut self, other: &mut HeldRows) {
        if self.rows.is_empty() {
            return std::mem::swap(self, other);
        }
        let documents = self.documents.len() as u32;
        let distance = self.texts.append(&other.texts);
        self.documents.append(&mut other.documents);
        let found = other.found.drain(..).map(|mut anchor| {
            anchor.name.texts = anchor.name.texts.moved(distance);
            anchor.name.document += documents;
            anchor
        });
        self.found.extend(found);
        other.clear();
    }

    /// Returns the key of a name.
    pub(crate) fn key(&self, name: &HeldName) -> &str {
        self.texts.key(name.texts)
    }

    /// Adds a row whose record is not known yet. `value` is the value of its field, if rows have values. Returns the number of
    /// bytes that its texts and its path take.
    #[inline]
    pub(crate) fn hold(
        &mut self,
        name: HeldName,
        origin: RowOrigin,
        place: EdgePlace<'_>,
        value: Option<(&str, Option<Box<CleanedValue>>)>,
    ) -> usize {
        let path = self.paths.push(place.path);
        let (value, cleaned) = value.unzip();
        let value = value.map(|value| self.texts.add(value));
        self.rows.push(HeldRow {
            role: place.role,
            asserted: place.asserted,
            is_related: place.is_related,
            is_written: false,
            reference: place.reference,
            path,
            value,
            cleaned: cleaned.flatten(),
            ..HeldRow::new(name, origin)
        });
        name.texts.bytes() + path.stored()
    }

    /// Returns the rows that are not decided.
    pub(crate) fn undecided(&self) -> &[HeldRow] {
        &self.rows[self.decided..]
    }

    /// Returns the rows that are not decided.
    pub(crate) fn undecided_mut(&mut self) -> &mut [HeldRow] {
        &mut self.rows[self.decided..]
    }

    /// Gives the undecided rows from number `from` on the details of their item.
    pub(crate) fn give_item(&mut self, from: usize, item: &ItemDetails) {
        let rows = &mut self.rows[self.decided + from..];
        if rows.is_empty() {
            return;
        }
        let number = self.items.len() as u32;
        self.items.push(item.clone());
        for row in rows {
            row.item = Some(number);
        }
    }

    /// Decides all rows: they are of `record`. Rows whose numbers are in `left_out`, in order, are not written.
    pub(crate) fn decide(&mut self, record: Option<&HeldRecord>, left_out: &[usize]) {
        let number = record.map(|record| {
            self.records.push(record.clone());
            (self.records.len() - 1) as u32
        });
        let mut left_out = left_out.iter().peekable();
        for (at, row) in self.rows[self.decided..].iter_mut().enumerate() {
            row.record = number;
            row.is_written = left_out.next_if(|left| **left == at).is_none();
        }
        self.decided = self.rows.len();
    }

    /// Adds a record.
    pub(crate) fn push_node(&mut self, node: NodeRow) {
        self.nodes.push(node);
    }

    /// Returns the records that have ended.
    pub(crate) fn nodes(&self) -> &[NodeRow] {
        &self.nodes
    }

    /// Whether there are neither rows nor records.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.nodes.is_empty()
    }

    /// Whether there are decided rows or records.
    pub(crate) fn has_decided(&self) -> bool {
        self.decided > 0 || !self.nodes.is_empty()
    }

    /// Replaces everything by rows that were split off. Keeps the memory of these rows for reuse.
    pub(crate) fn refill(&mut self, mut rest: HeldRows) {
        self.clear();
        self.rows.append(&mut rest.rows);
        self.documents.append(&mut rest.documents);
        self.items.append(&mut rest.items);
        self.texts.append(&rest.texts);
        self.paths = rest.paths;
    }

    /// Removes the undecided rows and returns them. They are copied only if there are decided ones: then all of them are of the
    /// last chunk, and few.
    pub(crate) fn split_off_undecided(&mut self) -> HeldRows {
        let mut rest = HeldRows::default();
        if self.decided == self.rows.len() {
            return rest;
        }
        if !self.has_decided() {
            return std::mem::take(self);
        }
        rest.documents.clone_from(&self.documents);
        rest.items.clone_from(&self.items);
        let mut paths = self.paths.reader();
        for row in &self.rows[..self.decided] {
            paths.next(row.path);
        }
        for mut row in self.rows.drain(self.decided..) {
            row.path = rest.paths.push(paths.next(row.path));
            row.name.texts = rest.texts.copy_name(&self.texts, row.name.texts);
            row.value = row.value.map(|value| rest.texts.copy(&self.texts, value));
            rest.rows.push(row);
        }
        rest
    }

    /// Leaves out the rows whose role is not one of `roles`, if there are any. Returns the number of the others, and counts of
    /// their roles. `roles` is `None` if rows have no places. All rows must be decided.
    pub(crate) fn select(&mut self, roles: Option<&[Role]>) -> (u64, RoleCounts) {
        let mut counts = RoleCounts::default();
        let Some(roles) = roles else {
            return (self.rows.len() as u64, counts);
        };
        let mut written = 0;
        for row in &mut self.rows {
            row.is_written &= roles.is_empty() || roles.contains(&row.role);
            written += u64::from(row.is_written);
            if row.is_written && row.origin != RowOrigin::ReferenceText {
                counts.add(row.role, row.asserted);
            }
        }
        (written, counts)
    }

    /// Asks an index about the names of the decided rows that have no answer yet.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(crate) fn ask(&mut self, index: &mut RecentIndexStatuses<'_>) -> Result<(), Error> {
        let mut answers = Vec::new();
        let rows = &self.rows[..self.decided];
        let keys: Vec<_> = rows.iter().map(|row| self.key(&row.name)).collect();
        index.ask(&keys, &mut answers)?;
        for (row, answer) in self.rows.iter_mut().zip(answers) {
            row.index_status = Some(answer);
        }
        Ok(())
    }

    /// Returns the memory of the rows in bytes, without data that they share.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.memory() + self.rows.len() * size_of::<HeldRow>()
    }

    /// Calls `take` with each row that is written and the index's answer about its name, if that was asked.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(MentionRow<'_>, Option<StoredIndexStatus>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut paths = self.paths.reader();
        for row in &self.rows {
            let path = paths.next(row.path);
            if row.is_written {
                take(self.row(row, path), row.index_status)?;
            }
        }
        Ok(())
    }

    fn row<'a>(&'a self, row: &'a HeldRow, path: &'a str) -> MentionRow<'a> {
        let name = &row.name;
        let document = &self.documents[name.document as usize];
        let document_index = document.index();
        let capture = document.capture.as_deref();
        let [doi, text, before, after] = self.texts.name(name.texts);
        MentionRow {
            doi,
            form: name.form,
            source: &document.source,
            document: document.name.as_deref(),
            offset: name.offset,
            length: name.length,
            text,
            guessed: name.guessed,
            before,
            after,
            document_index,
            part_index: document.id.document - document_index,
            warc_record_id: capture.and_then(|capture| capture.id.as_deref()),
            date: capture.and_then(|capture| capture.date.as_deref()),
            column: document.column.as_deref(),
            known: None,
            agency: None,
            retracted: None,
            edge: self.edge(row, path),
        }
    }

    fn edge<'a>(&'a self, row: &'a HeldRow, path: &'a str) -> RowEdge<'a> {
        let record = row.record.map(|number| &self.records[number as usize]);
        let cleaned = row.cleaned.as_ref();
        RowEdge {
            record: record.and_then(|record| record.id.as_deref()),
            path: (!path.is_empty()).then_some(path),
            ref_index: row.reference,
            role: row.role.name(),
            asserted: row.asserted,
            value: row.value.map(|value| self.texts.get(value)),
            doi_clean: cleaned.map(|cleaned| &*cleaned.doi),
            changed: cleaned.map(|cleaned| &*cleaned.changed),
            item: row.item.map(|number| &self.items[number as usize]),
            fields: record.and_then(|record| record.fields.as_deref()),
        }
    }

    /// Removes everything, and keeps a part of the memory for reuse.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.rows.shrink_to(RETAINED_ROWS);
        self.decided = 0;
        self.found.clear();
        self.documents.clear();
        self.records.clear();
        self.items.clear();
        self.texts.clear();
        self.paths.clear();
        self.nodes.clear();
    }
}

impl HeldRow {
    /// Creates a row without a place.
    fn new(name: HeldName, origin: RowOrigin) -> HeldRow {
        HeldRow {
            name,
            origin,
            role: Role::Other,
            asserted: false,
            is_related: false,
            is_written: true,
            reference: None,
            path: StoredPath::default(),
            record: None,
            item: None,
            value: None,
            cleaned: None,
            index_status: None,
        }
    }
}
