//! Joins mentions with the structure of their document. A row is held until it is decided: until the identifier of its record is
//! known. Rows of a reference are held until the reference ends: a name that it states in a field and repeats in its text keeps
//! one row.
//!
//! All held rows are of one record: when a record starts in another, the rows of the outer one are decided with the identifier
//! known at that point. If the fields of records or the parts of items are wanted, rows are held until these are known too. Knows
//! only the name of a mention.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use doisift_documents::printable::shortened_name;

use super::paths::{Paths, StoredPath};
use doisift_structure::{
    BytePlace, Event, ItemPart, MAX_CAPTURED_BYTES, RecordFields, RecordType, RecordValue, Role,
    Structure, StructureRequest, Syntax, ValueSyntax,
};

/// Max rows that are held. Few records have more rows before their identifier; their first rows get no identifier.
pub(super) const MAX_HELD_ROWS: usize = 1 << 18;
/// Max bytes of texts and paths of held rows. Rows of usual lengths reach both limits at about the same time.
pub(super) const MAX_HELD_BYTES: usize = 16 << 20;

/// The place of a mention in the structure of its document.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edge<'e> {
    /// The identifier of the record.
    pub(crate) record: Option<&'e Arc<str>>,
    pub(crate) path: Option<&'e str>,
    /// The index of the reference in the record.
    pub(crate) reference: Option<u64>,
    pub(crate) role: Role,
    pub(crate) asserted: bool,
    /// The details of its item, if items are wanted.
    pub(crate) item: Option<&'e Arc<ItemDetails>>,
    /// The fields of the record, if any are wanted.
    pub(crate) fields: Option<&'e Arc<RecordFields>>,
}

/// Details of an item that apply to all names in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemDetails {
    pub(crate) key: Option<Box<str>>,
    pub(crate) asserted_by: Option<Box<str>>,
    pub(crate) relation: Option<Box<str>>,
    pub(crate) update_type: Option<Box<str>>,
}

/// The details of a row's item and the fields of its record, if these are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EdgeDetails {
    pub(crate) item: Option<Arc<ItemDetails>>,
    pub(crate) fields: Option<Arc<RecordFields>>,
}

/// A reference without a name.
#[derive(Debug)]
pub(crate) struct BareReference {
    pub(crate) offset: u64,
    /// Length in bytes in the document.
    pub(crate) length: u64,
    pub(crate) text: String,
}

/// A row of a reference without a name.
pub(crate) trait UnnamedRow {
    fn of(reference: BareReference) -> Self;
}

/// A record that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'n> {
    /// Its identifier.
    pub(crate) record: Option<&'n Arc<str>>,
    /// The identifier as it is written.
    pub(crate) value: Option<&'n str>,
    pub(crate) fields: Option<&'n Arc<RecordFields>>,
    pub(crate) references: u64,
    /// References with a name.
    pub(crate) named: u64,
}

/// An output of a join.
pub(crate) enum JoinedRow<'j, R> {
    /// A row with its edge, or without one if another row of its reference has its name.
    Row(R, Option<Edge<'j>>),
    /// A record, if records are wanted.
    Node(Node<'j>),
}

/// Faults in the structure of a document, and limits that its rows exceeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StructureFaults {
    /// The offset of the first fault.
    pub(crate) broken: Option<u64>,
    /// The number of faults.
    pub(crate) count: u64,
    /// The number of times that rows were decided before the identifier of their record was known, since too many were held.
    pub(crate) undecided: u64,
    /// The number of identifiers, paths of rows, and fields of records that were longer than 4,096 bytes and were cut.
    pub(crate) cut: u64,
    /// Values that are not of the types of their columns, with at most one entry for each field of records.
    pub(crate) mistyped: Vec<Mistyped>,
}

/// Values of a field of records that are not of the type of its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistyped {
    /// The number of the field.
    pub(crate) field: usize,
    pub(crate) count: u64,
    /// The first such value, and its offset. The value is `None` for an object or a list of JSON.
    pub(crate) first: Option<Box<str>>,
    pub(crate) offset: u64,
}

impl StructureFaults {
    /// Counts a value that is not of the type of the column of its field.
    fn add_mistyped(&mut self, field: usize, text: Option<&str>, offset: u64) {
        let mut known = self.mistyped.iter_mut();
        match known.find(|known| known.field == field) {
            Some(known) => known.count += 1,
            None => self.mistyped.push(Mistyped {
                field,
                count: 1,
                first: text.map(|text| shortened_name(text).map_or(text.into(), String::into)),
                offset,
            }),
        }
    }
}

/// The join for one document. Each held row is passed on once, in the order of rows: with its edge, or without one if another row
/// of its reference has its name.
pub(crate) struct EdgeJoin<R> {
    structure: Option<Structure>,
    /// The offset up to which the structure was read.
    read: u64,
    rows: JoinRows<R>,
}

/// Takes the decided rows.
pub(crate) type RowSink<'o, R> = dyn FnMut(JoinedRow<'_, R>) + 'o;

struct JoinRows<R> {
    request: Arc<StructureRequest>,
    records: Vec<OpenRecord>,
    held_edges: Vec<HeldEdge<R>>,
    /// The paths of the held rows.
    paths: Paths,
    /// The names of the held rows that are in references.
    names: String,
    /// Bytes of the texts and paths of the held rows.
    bytes: usize,
    /// Number of the first held row whose role a related item still has to decide.
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
    /// The best identifier, with its rank.
    id: Option<(u8, Arc<str>)>,
    /// The identifier as it is written.
    value: Option<Box<str>>,
    fields: Option<Arc<RecordFields>>,
    references: u64,
    named: u64,
    /// Index of the last reference with a name that was not reported as an item.
    last_named: Option<u64>,
    has_records: bool,
}

/// An item whose end was not read yet.
struct OpenItem {
    /// `None` if the item is not a reference.
    reference: Option<u64>,
    offset: u64,
    path: String,
    details: ItemDetails,
    /// The whole text, and the pieces that replace it if it is empty.
    text: String,
    pieces: String,
    is_named: bool,
    /// Number of the first held row in the item.
    first: usize,
}

struct HeldEdge<R> {
    path: StoredPath,
    place: BytePlace,
    name: Range<usize>,
    item: Option<Arc<ItemDetails>>,
    row: R,
}

impl<R: UnnamedRow> EdgeJoin<R> {
    /// Creates a join at the start of a document. `syntax` is `None` if the document is not structured.
    pub(crate) fn new(syntax: Option<Syntax>, request: &Arc<StructureRequest>) -> Self {
        EdgeJoin {
            structure: syntax.map(|syntax| Structure::new(syntax, request)),
            read: 0,
            rows: JoinRows::new(request),
        }
    }

    /// Reads the structure up to the offset `to`. `bytes` starts at `offset` of the document, and has all bytes that were not
    /// read yet, at least up to `to`.
    pub(crate) fn read(&mut self, bytes: &[u8], offset: u64, to: u64, out: &mut RowSink<'_, R>) {
        let from = self.read.max(offset);
        if let Some(structure) = &mut self.structure
            && from < to
        {
            let rows = &mut self.rows;
            let new = &bytes[(from - offset) as usize..];
            structure.read(new, (to - from) as usize, &mut |event| {
                rows.take(event, out)
            });
            self.read = to;
        }
    }

    /// Finds the place of a mention at the offset up to which the structure was read. The mention is at `at` in `bytes`. If it is
    /// in a field for identifiers, returns the syntax and the range in `bytes` of the field's value. Returns `None` if the ends
    /// of the value are not found.
    pub(crate) fn look(&mut self, bytes: &[u8], at: usize) -> Option<(ValueSyntax, Range<usize>)> {
        let rows = &mut self.rows;
        rows.path.clear();
        let structure = self.structure.as_ref()?;
        rows.place = structure.place();
        if rows.request.paths {
            structure.path(&mut rows.path);
        }
        let syntax = structure.value().filter(|_| rows.place.asserted)?;
        Some((syntax, syntax.around(bytes, at)?))
    }

    /// Sets the value, as written, of the field that [`look`](Self::look) found.
    pub(crate) fn take_value(&mut self, value: &[u8], syntax: ValueSyntax) {
        let rows = &mut self.rows;
        if rows.request.nodes && rows.place.id.is_some() {
            rows.value = Some(bounded(&syntax.decoded(value), &mut rows.faults));
        }
    }

    /// Takes the mention that [`look`](Self::look) found, with its row and the number of bytes of the row's texts. A mention
    /// without a row gets no edge, but may identify the record.
    pub(crate) fn mention(
        &mut self,
        name: &str,
        row: Option<(R, usize)>,
        out: &mut RowSink<'_, R>,
    ) {
        let rows = &mut self.rows;
        let value = rows.value.take();
        if let Some(rank) = rows.place.id {
            rows.identify(rank, name, value);
        }
        rows.note_name();
        if let Some((row, bytes)) = row {
            rows.hold(row, name, bytes, out);
        }
        rows.settle_final(out);
        rows.settle_if_full(out);
    }

    /// Takes another mention in the value of the last one, with its row if it has one.
    pub(crate) fn within(&mut self, row: Option<R>, out: &mut RowSink<'_, R>) {
        if let Some(row) = row {
            self.rows.hold(row, "", 0, out);
            self.rows.settle_final(out);
        }
    }

    /// Ends the document and decides all held rows. Returns the faults.
    pub(crate) fn end(mut self, out: &mut RowSink<'_, R>) -> StructureFaults {
        let rows = &mut self.rows;
        if let Some(structure) = &mut self.structure {
            structure.end(&mut |event| rows.take(event, out));
        }
        rows.settle(out);
        std::mem::take(&mut rows.faults)
    }
}

impl<R: UnnamedRow> JoinRows<R> {
    fn new(request: &Arc<StructureRequest>) -> Self {
        JoinRows {
            request: Arc::clone(request),
            records: Vec::new(),
            held_edges: Vec::new(),
            paths: Paths::default(),
            names: String::new(),
            bytes: 0,
            related: None,
            item: None,
            inner_items: 0,
            faults: StructureFaults::default(),
            place: BytePlace::default(),
            path: String::new(),
            value: None,
        }
    }

    /// Holds a row whose texts have `bytes` bytes.
    fn hold(&mut self, row: R, name: &str, bytes: usize, out: &mut RowSink<'_, R>) {
        let place = self.place;
        let is_next = |last: &HeldEdge<R>| last.place.reference != place.reference;
        if self.held_edges.last().is_some_and(is_next) && self.is_final() {
            self.settle(out);
        }
        if place.is_related {
            self.related.get_or_insert(self.held_edges.len());
        }
        if let Some(path) = shortened_name(&self.path) {
            self.path = path;
            self.faults.cut += 1;
        }
        let path = self.paths.push(&self.path);
        let start = self.names.len();
        if place.reference.is_some() {
            self.names.push_str(name);
        }
        self.bytes += bytes + path.stored();
        self.held_edges.push(HeldEdge {
            path,
            place,
            name: start..self.names.len(),
            item: None,
            row,
        });
    }

    fn take(&mut self, event: Event<'_>, out: &mut RowSink<'_, R>) {
        match event {
            Event::Open => self.open_record(out),
            Event::Close => self.close_record(out),
            Event::Id { rank, text } => {
                self.identify(rank, text, None);
                self.keep_value(rank, text);
                self.settle_final(out);
            }
            Event::Related { cites } => {
                self.decide(cites);
                self.settle_final(out);
            }
            Event::Broken(offset) => {
                self.faults.broken.get_or_insert(offset);
                self.faults.count += 1;
            }
            Event::Field {
                number,
                text,
                offset,
            } => {
                self.set_field(number, text, offset);
                self.settle_final(out);
            }
            Event::References(more) => {
                if let Some(record) = self.records.last_mut() {
                    record.references += more;
                }
            }
            Event::Item { .. } | Event::Part { .. } | Event::EndItem(_) => {
                self.take_item(event, out);
            }
        }
    }

    fn open_record(&mut self, out: &mut RowSink<'_, R>) {
        self.settle(out);
        if let Some(outer) = self.records.last_mut() {
            outer.has_records = true;
        }
        self.records.push(OpenRecord::default());
    }

    fn close_record(&mut self, out: &mut RowSink<'_, R>) {
        self.settle(out);
        let Some(record) = self.records.pop().filter(|_| self.request.nodes) else {
            return;
        };
        // An object that only holds records is left out.
        if record.id.is_some() || !record.has_records {
            out(JoinedRow::Node(Node {
                record: record.id.as_ref().map(|(_, id)| id),
                value: record.value.as_deref(),
                fields: record.fields.as_ref(),
                references: record.references,
                named: record.named,
            }));
        }
    }

    fn identify(&mut self, rank: u8, text: &str, value: Option<Box<str>>) {
        if let Some(record) = self.records.last_mut()
            && record.id.as_ref().is_none_or(|(known, _)| rank < *known)
        {
            record.id = Some((rank, bounded(text, &mut self.faults)));
            record.value = value;
        }
    }

    /// Keeps the text of an identifier as it is written, if no mention gave its value.
    fn keep_value(&mut self, rank: u8, text: &str) {
        if let Some(record) = self.records.last_mut()
            && self.request.nodes
            && record.value.is_none()
            && record.id.as_ref().is_some_and(|(known, _)| rank == *known)
        {
            record.value = Some(bounded(text, &mut self.faults));
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
            .fields
            .get_or_insert_with(|| vec![None; wanted.len()].into());
        if fields[number].is_some() {
            return;
        }
        let value = match text {
            Some(text) if kind == RecordType::Text => {
                Some(RecordValue::Text(bounded(text, &mut self.faults)))
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

    fn take_item(&mut self, event: Event<'_>, out: &mut RowSink<'_, R>) {
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
                self.settle_before_item(out);
                let item = OpenItem::new((reference, offset, path), self.held_edges.len());
                self.item = Some(item);
            }
            (Event::EndItem(_), Some(_)) if self.inner_items > 0 => self.inner_items -= 1,
            (Event::EndItem(end), Some(_)) => self.end_item(end, out),
            (Event::Part { part, text, .. }, Some(item)) => item.take(part, text),
            _ => {}
        }
    }

    /// Decides the rows before an item, if they are final.
    fn settle_before_item(&mut self, out: &mut RowSink<'_, R>) {
        if self.is_final() {
            self.settle(out);
        }
    }

    /// Ends an item: its rows get its details, and a reference without a name gets a row.
    fn end_item(&mut self, end: u64, out: &mut RowSink<'_, R>) {
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
            let text = std::mem::take(item.whole_text());
            let bytes = text.len();
            let row = R::of(BareReference {
                offset: item.offset,
                length: end.saturating_sub(item.offset),
                text,
            });
            // The rows of the item wait for its details.
            self.item = Some(item);
            self.hold(row, "", bytes, out);
        } else {
            self.item = Some(item);
        }
        self.leave_item(out);
    }

    /// Gives the rows of the item its details, and decides them if they are final.
    fn leave_item(&mut self, out: &mut RowSink<'_, R>) {
        if let Some(item) = self.item.take() {
            self.give_details(&item);
        }
        match self.is_final() {
            true => self.settle(out),
            false => self.settle_if_full(out),
        }
    }

    /// Decides all rows if too many are held.
    fn settle_if_full(&mut self, out: &mut RowSink<'_, R>) {
        if self.held_edges.len() >= MAX_HELD_ROWS || self.bytes >= MAX_HELD_BYTES {
            self.faults.undecided += u64::from(!self.is_final());
            self.settle(out);
        }
    }

    /// Gives the held rows of an item its details.
    fn give_details(&mut self, item: &OpenItem) {
        let rows = &mut self.held_edges[item.first..];
        if self.request.items && !rows.is_empty() {
            let details = Arc::new(item.details.clone());
            for row in rows {
                row.item = Some(Arc::clone(&details));
            }
        }
    }

    /// Decides whether the places in the related item are in a reference.
    fn decide(&mut self, cites: bool) {
        if let Some(item) = self.item.as_mut().filter(|_| !cites) {
            item.reference = None;
        }
        self.decide_rows(cites);
    }

    /// Decides whether the held rows in related places are in a reference.
    fn decide_rows(&mut self, cites: bool) {
        let from = self.related.take().unwrap_or(self.held_edges.len());
        let rows = self.held_edges[from..].iter_mut();
        for row in rows.filter(|row| row.place.is_related) {
            row.place.is_related = false;
            if !cites {
                (row.place.role, row.place.reference) = (Role::Other, None);
            }
        }
    }

    /// Whether no later event can change the record or the reference of the held rows.
    fn is_final(&self) -> bool {
        let is_known = match self.records.last() {
            None => true,
            Some(record) => {
                let is_best = matches!(record.id, Some((0, _)));
                is_best && (self.request.fields.is_empty() || record.has_all_fields())
            }
        };
        is_known && self.related.is_none() && self.item.is_none()
    }

    /// Decides all rows if they are final and the last one is not in a reference, which may continue.
    fn settle_final(&mut self, out: &mut RowSink<'_, R>) {
        let in_reference = |last: &HeldEdge<R>| last.place.reference.is_some();
        if self.is_final() && !self.held_edges.last().is_some_and(in_reference) {
            self.settle(out);
        }
    }

    /// Decides all rows by the present knowledge: passes them on with their edges.
    fn settle(&mut self, out: &mut RowSink<'_, R>) {
        if self.held_edges.is_empty() {
            return;
        }
        self.decide_rows(false);
        if let Some(mut item) = self.item.take() {
            self.give_details(&item);
            item.first = 0;
            self.item = Some(item);
        }
        let repeated = self.repeated();
        let record = self.records.last();
        let (id, fields) = (
            record.and_then(|record| record.id.as_ref()),
            record.and_then(|record| record.fields.as_ref()),
        );
        let mut paths = self.paths.reader();
        for (number, held) in self.held_edges.drain(..).enumerate() {
            let path = paths.next(held.path);
            let edge = Edge {
                record: id.map(|(_, id)| id),
                path: (!path.is_empty()).then_some(path),
                reference: held.place.reference,
                role: held.place.role,
                asserted: held.place.asserted,
                item: held.item.as_ref(),
                fields,
            };
            let is_repeated = repeated.binary_search(&number).is_ok();
            out(JoinedRow::Row(held.row, (!is_repeated).then_some(edge)));
        }
        self.paths.clear();
        self.names.clear();
        self.bytes = 0;
    }

    /// Returns the numbers of the held rows, in order, whose name is in the text of a reference that states the same name in a
    /// field.
    fn repeated(&self) -> Vec<usize> {
        let mut repeated = Vec::new();
        let mut start = 0;
        let is_same =
            |one: &HeldEdge<R>, next: &HeldEdge<R>| one.place.reference == next.place.reference;
        for rows in self.held_edges.chunk_by(is_same) {
            if rows.len() > 1 && rows[0].place.reference.is_some() {
                let name = |row: &HeldEdge<R>| &self.names[row.name.clone()];
                let stated = rows.iter().filter(|row| row.place.asserted).map(name);
                let stated: HashSet<_> = stated.collect();
                let mined = rows
                    .iter()
                    .enumerate()
                    .filter(|(_, row)| !row.place.asserted);
                let mined = mined.filter(|(_, row)| stated.contains(name(row)));
                repeated.extend(mined.map(|(number, _)| start + number));
            }
            start += rows.len();
        }
        repeated
    }
}

impl OpenRecord {
    fn has_all_fields(&self) -> bool {
        let fields = self.fields.as_ref();
        fields.is_some_and(|fields| fields.iter().all(Option::is_some))
    }
}

impl OpenItem {
    /// Creates an item with its reference, offset and path. `first` is the number of rows held before it.
    fn new((reference, offset, path): (Option<u64>, u64, &str), first: usize) -> Self {
        OpenItem {
            reference,
            offset,
            path: path.to_owned(),
            details: ItemDetails::default(),
            text: String::new(),
            pieces: String::new(),
            is_named: false,
            first,
        }
    }

    /// Takes a part. The first of several parts of a kind counts; texts and pieces are joined.
    fn take(&mut self, part: ItemPart, text: &str) {
        if text.is_empty() {
            return;
        }
        let details = &mut self.details;
        let kept = match part {
            ItemPart::Key => &mut details.key,
            ItemPart::AssertedBy => &mut details.asserted_by,
            ItemPart::Relation => &mut details.relation,
            ItemPart::UpdateType => &mut details.update_type,
            ItemPart::Text => return self.text.push_str(text),
            ItemPart::Piece => return self.add_piece(text),
            ItemPart::Name | ItemPart::Identifier => return,
        };
        kept.get_or_insert_with(|| text.into());
    }

    fn add_piece(&mut self, text: &str) {
        if !self.pieces.is_empty() {
            self.pieces.push(' ');
        }
        if self.pieces.len() + text.len() <= MAX_CAPTURED_BYTES {
            self.pieces.push_str(text);
        }
    }

    /// Returns the text of the reference, or its pieces joined with blanks.
    fn whole_text(&mut self) -> &mut String {
        match self.text.is_empty() {
            true => &mut self.pieces,
            false => &mut self.text,
        }
    }
}

/// Returns the text, cut and counted as a fault if it is longer than rows may repeat.
fn bounded<T: for<'t> From<&'t str> + From<String>>(text: &str, faults: &mut StructureFaults) -> T {
    match shortened_name(text) {
        Some(cut) => {
            faults.cut += 1;
            cut.into()
        }
        None => text.into(),
    }
}
