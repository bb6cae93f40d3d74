//! Joins rows with the structure of their document. A row is undecided until the identifier of its record is known. Rows of a
//! reference are undecided until the reference ends: a name that it states in a field and repeats in its text keeps one row.
//!
//! All undecided rows are of one record: when a record starts in another, the rows of the outer one are decided with the identifier
//! known at that point. If the fields of records or the parts of items are wanted, rows wait until these are known too. Knows only
//! the name of a mention.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use doisift_documents::printable::shortened_name;

use super::open_item::OpenItem;
use crate::dedup::Document;
use crate::pipeline::ledger::StructureFaults;
use crate::pipeline::rows::{
    CleanedValue, EdgePlace, HeldName, HeldRecord, HeldRow, HeldRows, RowOrigin,
};
use crate::records::NodeRow;
use doisift_structure::{
    BytePlace, Event, RecordType, RecordValue, Role, Structure, StructureRequest, ValueSyntax,
};

/// Max rows that are undecided. Few records have more rows before their identifier; their first rows get no identifier.
pub(super) const MAX_UNDECIDED_ROWS: usize = 1 << 18;
/// Max bytes of texts and paths of undecided rows. Rows of usual lengths reach both limits at about the same time.
const MAX_UNDECIDED_BYTES: usize = 16 << 20;

/// The join for one document, or for a part of it that starts and ends between records.
pub(crate) struct EdgeJoin {
    structure: Option<Structure>,
    /// The offset up to which the structure was read.
    read: u64,
    state: JoinState,
}

struct JoinState {
    request: Arc<StructureRequest>,
    document: Document,
    records: Vec<OpenRecord>,
    /// Bytes of the texts and paths of the undecided rows.
    bytes: usize,
    /// Number of the first undecided row whose role a related item still has to decide.
    related: Option<usize>,
    /// The open item, and the number of items that are open in it.
    item: Option<OpenItem>,
    inner_items: usize,
    faults: StructureFaults,
    /// The place of the last mention, its path, and the value of its field.
    place: BytePlace,
    path: String,
    value: Option<Box<str>>,
}

#[derive(Default)]
struct OpenRecord {
    /// The rank of the best identifier.
    rank: Option<u8>,
    /// The best identifier, and the fields.
    known: HeldRecord,
    /// The identifier as it is written.
    value: Option<Box<str>>,
    references: u64,
    named: u64,
    /// Index of the last reference with a name that was not reported as an item.
    last_named: Option<u64>,
    has_records: bool,
}

impl EdgeJoin {
    /// Creates a join that starts at `offset` of a document, of which `structure` reads the rest. `structure` is `None` if the
    /// document is not structured.
    pub(crate) fn new(
        structure: Option<Structure>,
        offset: u64,
        document: &Document,
        request: &Arc<StructureRequest>,
    ) -> Self {
        EdgeJoin {
            structure,
            read: offset,
            state: JoinState {
                request: Arc::clone(request),
                document: document.clone(),
                records: Vec::new(),
                bytes: 0,
                related: None,
                item: None,
                inner_items: 0,
                faults: StructureFaults::default(),
                place: BytePlace::default(),
                path: String::new(),
                value: None,
            },
        }
    }

    /// Returns the document.
    pub(super) fn document(&self) -> &Document {
        &self.state.document
    }

    /// Reads the structure up to the offset `to`. `bytes` starts at `offset` of the document, and has all bytes that were not
    /// read yet, at least up to `to`.
    pub(crate) fn read(&mut self, bytes: &[u8], offset: u64, to: u64, rows: &mut HeldRows) {
        let from = self.read.max(offset);
        if let Some(structure) = &mut self.structure
            && from < to
        {
            let state = &mut self.state;
            let new = &bytes[(from - offset) as usize..];
            structure.read(new, (to - from) as usize, &mut |event| {
                state.take(event, rows)
            });
            self.read = to;
        }
    }

    /// Finds the place of a mention at the offset up to which the structure was read. The mention is at `at` in `bytes`. If it is
    /// in a field for identifiers, returns the syntax and the range in `bytes` of the field's value. Returns `None` if the ends
    /// of the value are not found.
    pub(crate) fn look(&mut self, bytes: &[u8], at: usize) -> Option<(ValueSyntax, Range<usize>)> {
        let state = &mut self.state;
        state.path.clear();
        let structure = self.structure.as_ref()?;
        state.place = structure.place();
        if state.request.paths {
            structure.path(&mut state.path);
        }
        let syntax = structure.value().filter(|_| state.place.asserted)?;
        Some((syntax, syntax.around(bytes, at)?))
    }

    /// Sets the value, as written, of the field that [`look`](Self::look) found.
    pub(crate) fn take_value(&mut self, value: &[u8], syntax: ValueSyntax) {
        let state = &mut self.state;
        if state.request.nodes && state.place.id.is_some() {
            state.value = Some(state.faults.bounded(&syntax.decoded(value)));
        }
    }

    /// Takes a name at the place that [`look`](Self::look) found, which has no row but may identify the record.
    pub(crate) fn name(&mut self, name: &HeldName, rows: &mut HeldRows) {
        self.state.take_name(rows.key(name));
        self.state.settle_final(rows);
        self.state.settle_if_full(rows);
    }

    /// Takes a name at the place that [`look`](Self::look) found, with the value of its field if rows have values, and adds its
    /// row.
    pub(crate) fn row(
        &mut self,
        name: HeldName,
        origin: RowOrigin,
        value: Option<(&str, Option<Box<CleanedValue>>)>,
        rows: &mut HeldRows,
    ) {
        let state = &mut self.state;
        state.take_name(rows.key(&name));
        state.hold(name, origin, value, rows);
        state.settle_final(rows);
        state.settle_if_full(rows);
    }

    /// Ends the document, or the part of it, and decides all rows. Returns the faults.
    pub(crate) fn end(mut self, rows: &mut HeldRows) -> StructureFaults {
        let state = &mut self.state;
        if let Some(structure) = &mut self.structure {
            structure.end(&mut |event| state.take(event, rows));
        }
        state.settle(rows);
        self.state.faults
    }
}

impl JoinState {
    /// Takes a name at the current place: it may identify the record or name a reference.
    fn take_name(&mut self, key: &str) {
        let value = self.value.take();
        if let Some(rank) = self.place.id {
            self.identify(rank, key, value);
        }
        self.note_name();
    }

    /// Holds a row at the current place.
    fn hold(
        &mut self,
        name: HeldName,
        origin: RowOrigin,
        value: Option<(&str, Option<Box<CleanedValue>>)>,
        rows: &mut HeldRows,
    ) {
        let place = self.place;
        let is_next = |last: &HeldRow| last.reference != place.reference;
        if rows.undecided().last().is_some_and(is_next) && self.is_final() {
            self.settle(rows);
        }
        if place.is_related {
            self.related.get_or_insert(rows.undecided().len());
        }
        if let Some(path) = shortened_name(&self.path) {
            self.path = path;
            self.faults.cut += 1;
        }
        let place = EdgePlace {
            role: place.role,
            asserted: place.asserted,
            is_related: place.is_related,
            reference: place.reference,
            path: &self.path,
        };
        self.bytes += rows.hold(name, origin, place, value);
    }

    fn take(&mut self, event: Event<'_>, rows: &mut HeldRows) {
        match event {
            Event::Open => self.open_record(rows),
            Event::Close => self.close_record(rows),
            Event::Id { rank, text } => {
                self.identify(rank, text, None);
                self.keep_value(rank, text);
                self.settle_final(rows);
            }
            Event::Related { cites } => {
                self.decide(cites, rows);
                self.settle_final(rows);
            }
            Event::Broken(offset) => self.faults.add_broken(offset),
            Event::Field {
                number,
                text,
                offset,
            } => {
                self.set_field(number, text, offset);
                self.settle_final(rows);
            }
            Event::References(more) => {
                if let Some(record) = self.records.last_mut() {
                    record.references += more;
                }
            }
            Event::Item { .. } | Event::Part { .. } | Event::EndItem(_) => {
                self.take_item(event, rows);
            }
        }
    }

    fn open_record(&mut self, rows: &mut HeldRows) {
        self.settle(rows);
        if let Some(outer) = self.records.last_mut() {
            outer.has_records = true;
        }
        self.records.push(OpenRecord::default());
    }

    fn close_record(&mut self, rows: &mut HeldRows) {
        self.settle(rows);
        let Some(record) = self.records.pop().filter(|_| self.request.nodes) else {
            return;
        };
        // An object that only holds records is left out.
        if record.known.id.is_some() || !record.has_records {
            rows.push_node(NodeRow {
                record: record.known.id,
                value: record.value,
                fields: record.known.fields,
                references: record.references,
                named: record.named,
                source: Arc::clone(&self.document.source),
            });
        }
    }

    fn identify(&mut self, rank: u8, text: &str, value: Option<Box<str>>) {
        if let Some(record) = self.records.last_mut()
            && record.rank.is_none_or(|known| rank < known)
        {
            record.rank = Some(rank);
            record.known.id = Some(self.faults.bounded(text));
            record.value = value;
        }
    }

    /// Keeps the text of an identifier as it is written, if no mention gave its value.
    fn keep_value(&mut self, rank: u8, text: &str) {
        if let Some(record) = self.records.last_mut()
            && self.request.nodes
            && record.value.is_none()
            && record.rank == Some(rank)
        {
            record.value = Some(self.faults.bounded(text));
        }
    }

    /// Sets a field of the record, unless it has a value. A value that is not of the type of its column becomes null.
    fn set_field(&mut self, number: usize, text: Option<&str>, offset: u64) {
        let wanted = &self.request.fields;
        let kind = wanted[number].column.kind;
        let Some(record) = self.records.last_mut().filter(|_| text != Some("")) else {
            return;
        };
        let fields = record
            .known
            .fields
            .get_or_insert_with(|| vec![None; wanted.len()].into());
        if fields[number].is_some() {
            return;
        }
        let value = match text {
            Some(text) if kind == RecordType::Text => {
                Some(RecordValue::Text(self.faults.bounded(text)))
            }
            Some(text) => kind.read(text),
            None if kind == RecordType::Text => return,
            None => None,
        };
        if value.is_none() {
            self.faults.add_mistyped(number, text, offset);
        }
        // An object or a list does not count as a value, and a value may follow.
        if text.is_some() {
            Arc::make_mut(fields)[number] = Some(value.unwrap_or_default());
        }
    }

    /// Marks the reference of the last mention, if it is in one, as having a name.
    fn note_name(&mut self) {
        let is_in_reference = self.place.role == Role::Reference && self.place.reference.is_some();
        match (&mut self.item, self.records.last_mut()) {
            _ if !is_in_reference => {}
            (Some(item), _) => item.is_named = true,
            (None, Some(record)) if record.last_named != self.place.reference => {
                record.last_named = self.place.reference;
                record.named += 1;
            }
            _ => {}
        }
    }

    fn take_item(&mut self, event: Event<'_>, rows: &mut HeldRows) {
        match (event, &mut self.item) {
            (Event::Item { .. }, Some(_)) => self.inner_items += 1,
            (
                Event::Item {
                    reference,
                    offset,
                    path,
                },
                None,
            ) => {
                self.settle_before_item(rows);
                let item = OpenItem::new((reference, offset, path), rows.undecided().len());
                self.item = Some(item);
            }
            (Event::EndItem(_), Some(_)) if self.inner_items > 0 => self.inner_items -= 1,
            (Event::EndItem(end), Some(_)) => self.end_item(end, rows),
            (Event::Part { part, text, .. }, Some(item)) => item.take(part, text),
            _ => {}
        }
    }

    /// Decides the rows before an item, if they are final.
    fn settle_before_item(&mut self, rows: &mut HeldRows) {
        if self.is_final() {
            self.settle(rows);
        }
    }

    /// Ends an item: its rows get its details, and a reference without a name gets a row.
    fn end_item(&mut self, end: u64, rows: &mut HeldRows) {
        let Some(mut item) = self.item.take() else {
            return;
        };
        let is_bare = item.reference.is_some() && !item.is_named;
        if let (Some(record), Some(_)) = (self.records.last_mut(), item.reference) {
            record.references += 1;
            record.named += u64::from(item.is_named);
        }
        if is_bare && self.request.texts {
            self.place = BytePlace {
                role: Role::Reference,
                reference: item.reference,
                ..BytePlace::default()
            };
            self.path = std::mem::take(&mut item.path);
            let place = (item.offset, end.saturating_sub(item.offset));
            let name = rows.reference_text(&self.document, place, item.whole_text());
            // The rows of the item wait for its details.
            self.item = Some(item);
            self.hold(name, RowOrigin::ReferenceText, None, rows);
        } else {
            self.item = Some(item);
        }
        self.leave_item(rows);
    }

    /// Gives the rows of the item its details, and decides them if they are final.
    fn leave_item(&mut self, rows: &mut HeldRows) {
        if let Some(item) = self.item.take() {
            self.give_details(&item, rows);
        }
        match self.is_final() {
            true => self.settle(rows),
            false => self.settle_if_full(rows),
        }
    }

    /// Decides all rows if too many are undecided.
    fn settle_if_full(&mut self, rows: &mut HeldRows) {
        if rows.undecided().len() >= MAX_UNDECIDED_ROWS || self.bytes >= MAX_UNDECIDED_BYTES {
            self.faults.undecided += u64::from(!self.is_final());
            self.settle(rows);
        }
    }

    /// Gives the undecided rows of an item its details.
    fn give_details(&self, item: &OpenItem, rows: &mut HeldRows) {
        if self.request.items {
            rows.give_item(item.first, &item.details);
        }
    }

    /// Decides whether the places in the related item are in a reference.
    fn decide(&mut self, cites: bool, rows: &mut HeldRows) {
        if let Some(item) = self.item.as_mut().filter(|_| !cites) {
            item.reference = None;
        }
        self.decide_related(cites, rows);
    }

    /// Decides whether the undecided rows in related places are in a reference.
    fn decide_related(&mut self, cites: bool, rows: &mut HeldRows) {
        let Some(from) = self.related.take() else {
            return;
        };
        let rows = rows.undecided_mut()[from..].iter_mut();
        for row in rows.filter(|row| row.is_related) {
            row.is_related = false;
            if !cites {
                (row.role, row.reference) = (Role::Other, None);
            }
        }
    }

    /// Whether no later event can change the record or the reference of the undecided rows.
    fn is_final(&self) -> bool {
        let is_known = match self.records.last() {
            None => true,
            Some(record) => {
                let is_best = record.rank == Some(0);
                is_best && (self.request.fields.is_empty() || record.has_all_fields())
            }
        };
        is_known && self.related.is_none() && self.item.is_none()
    }

    /// Decides all rows if they are final and the last one is not in a reference, which may continue.
    fn settle_final(&mut self, rows: &mut HeldRows) {
        let in_reference = |last: &HeldRow| last.reference.is_some();
        if self.is_final() && !rows.undecided().last().is_some_and(in_reference) {
            self.settle(rows);
        }
    }

    /// Decides all rows by the present knowledge.
    fn settle(&mut self, rows: &mut HeldRows) {
        if rows.undecided().is_empty() {
            return;
        }
        self.decide_related(false, rows);
        if let Some(mut item) = self.item.take() {
            self.give_details(&item, rows);
            item.first = 0;
            self.item = Some(item);
        }
        let repeated = repeated(rows);
        let record = self.records.last().map(|record| &record.known);
        rows.decide(record, &repeated);
        self.bytes = 0;
    }
}

/// Returns the numbers of the undecided rows, in order, whose name is in the text of a reference that states the same name in a
/// field.
fn repeated(rows: &HeldRows) -> Vec<usize> {
    let mut repeated = Vec::new();
    let mut start = 0;
    let is_same = |one: &HeldRow, next: &HeldRow| one.reference == next.reference;
    for of_one in rows.undecided().chunk_by(is_same) {
        if of_one.len() > 1 && of_one[0].reference.is_some() {
            let name = |row: &HeldRow| rows.key(&row.name);
            let stated = of_one.iter().filter(|row| row.asserted).map(name);
            let stated: HashSet<_> = stated.collect();
            let mined = of_one.iter().enumerate().filter(|(_, row)| !row.asserted);
            let mined = mined.filter(|(_, row)| stated.contains(name(row)));
            repeated.extend(mined.map(|(number, _)| start + number));
        }
        start += of_one.len();
    }
    repeated
}

impl OpenRecord {
    fn has_all_fields(&self) -> bool {
        let fields = self.known.fields.as_ref();
        fields.is_some_and(|fields| fields.iter().all(Option::is_some))
    }
}
