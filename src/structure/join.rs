//! Joins mentions with the structure of their document. Rows are held until the identifier of their record is known, and those of
//! a reference until the reference is whole: of a name that it states and repeats in its text, one row is left.
//!
//! All held rows are of one record: when a record starts in another, the rows of the outer one are decided with the identifier
//! that is known by then. Knows nothing of a mention but its name.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use doisift_documents::printable::cut;

use super::paths::{Paths, StoredPath};
use super::place::{Event, Place, Role};
use super::{RecordId, Structure, Syntax, ValueSyntax};

/// Rows that are held. A record with more before its identifier is rare; its first rows get none.
pub(super) const HELD: usize = 1 << 18;
/// Bytes of texts and paths of rows that are held, which is about the same for rows of usual lengths.
pub(super) const HELD_BYTES: usize = 16 << 20;

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
}

/// What was found wrong with the structure of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StructureFaults {
    /// The offset of the first fault.
    pub(crate) broken: Option<u64>,
    /// The number of faults.
    pub(crate) count: u64,
    /// The number of times that rows were decided before the identifier of their record was known, since they were too many.
    pub(crate) undecided: u64,
    /// The number of identifiers, and of paths of rows, that were longer than 4,096 bytes and were cut.
    pub(crate) cut: u64,
}

/// The join for one document. Each row that is held comes out once, in the order of rows: with its edge, or without one if another
/// row of its reference has its name.
pub(crate) struct EdgeJoin<R> {
    structure: Option<Structure>,
    /// The offset up to which the structure was read.
    read: u64,
    has_paths: bool,
    rows: JoinRows<R>,
}

/// Takes the rows that are decided.
pub(crate) type RowSink<'o, R> = dyn FnMut(R, Option<Edge<'_>>) + 'o;

struct JoinRows<R> {
    /// The best identifier of each open record, with its rank.
    records: Vec<Option<(u8, Arc<str>)>>,
    held: Vec<HeldEdge<R>>,
    /// The paths of the held rows.
    paths: Paths,
    /// The names of the held rows that are in references.
    names: String,
    /// Bytes of the texts and paths of the held rows.
    bytes: usize,
    /// The first row of which it is not decided whether it is in a reference.
    related: Option<usize>,
    faults: StructureFaults,
    /// The place of the last mention, and its path.
    place: Place,
    path: String,
}

struct HeldEdge<R> {
    path: StoredPath,
    place: Place,
    name: Range<usize>,
    row: R,
}

impl<R> Default for JoinRows<R> {
    fn default() -> Self {
        JoinRows {
            records: Vec::new(),
            held: Vec::new(),
            paths: Paths::default(),
            names: String::new(),
            bytes: 0,
            related: None,
            faults: StructureFaults::default(),
            place: Place::default(),
            path: String::new(),
        }
    }
}

impl<R> EdgeJoin<R> {
    /// A join at the start of a document, with its syntax if it is structured.
    pub(crate) fn new(syntax: Option<Syntax>, id: Option<&RecordId>) -> Self {
        EdgeJoin {
            structure: syntax.map(|syntax| Structure::new(syntax, id)),
            read: 0,
            has_paths: true,
            rows: JoinRows::default(),
        }
    }

    /// Leaves the paths of edges out. To make and hold them takes much of the time of a join.
    pub(crate) fn without_paths(self) -> Self {
        EdgeJoin {
            has_paths: false,
            ..self
        }
    }

    /// Reads the structure up to the offset `to`. `bytes` starts at `offset` of the document, and has all bytes that were not read
    /// yet.
    pub(crate) fn read(&mut self, bytes: &[u8], offset: u64, to: u64, out: &mut RowSink<'_, R>) {
        let from = self.read.max(offset);
        if let Some(structure) = &mut self.structure
            && from < to
        {
            let rows = &mut self.rows;
            let new = &bytes[(from - offset) as usize..(to - offset) as usize];
            structure.read(new, &mut |event| rows.take(event, out));
            self.read = to;
        }
    }

    /// Finds the place of a mention at the offset up to which the structure was read. If it is in a field for identifiers, returns
    /// where in `bytes`, which have the mention at `at`, the value of the field is, as far as that can be seen.
    pub(crate) fn look(&mut self, bytes: &[u8], at: usize) -> Option<(ValueSyntax, Range<usize>)> {
        let rows = &mut self.rows;
        rows.path.clear();
        let structure = self.structure.as_ref()?;
        rows.place = structure.place();
        if self.has_paths {
            structure.path(&mut rows.path);
        }
        let syntax = structure.value().filter(|_| rows.place.asserted)?;
        Some((syntax, syntax.around(bytes, at)?))
    }

    /// Takes the mention that was looked at, with its row and the number of bytes of the texts in that. One without a row gets no
    /// edge, but may identify the record.
    pub(crate) fn mention(
        &mut self,
        name: &str,
        row: Option<(R, usize)>,
        out: &mut RowSink<'_, R>,
    ) {
        let rows = &mut self.rows;
        if let Some(rank) = rows.place.id {
            rows.identify(rank, name);
        }
        if let Some((row, bytes)) = row {
            rows.hold(row, name, bytes, out);
        }
        rows.settle_final(out);
        if rows.held.len() >= HELD || rows.bytes >= HELD_BYTES {
            rows.faults.undecided += u64::from(!rows.is_final());
            rows.settle(out);
        }
    }

    /// Takes a mention in the value of the last one, with its row if it has any.
    pub(crate) fn within(&mut self, row: Option<R>, out: &mut RowSink<'_, R>) {
        if let Some(row) = row {
            self.rows.hold(row, "", 0, out);
            self.rows.settle_final(out);
        }
    }

    /// Ends the document.
    pub(crate) fn end(mut self, out: &mut RowSink<'_, R>) -> StructureFaults {
        let rows = &mut self.rows;
        if let Some(structure) = &mut self.structure {
            structure.end(&mut |event| rows.take(event, out));
        }
        rows.settle(out);
        rows.faults
    }
}

impl<R> JoinRows<R> {
    /// Holds a row with this many bytes of texts.
    fn hold(&mut self, row: R, name: &str, bytes: usize, out: &mut RowSink<'_, R>) {
        let place = self.place;
        let is_next = |last: &HeldEdge<R>| last.place.reference != place.reference;
        if self.held.last().is_some_and(is_next) && self.is_final() {
            self.settle(out);
        }
        if place.is_related {
            self.related.get_or_insert(self.held.len());
        }
        if let Some(path) = cut(&self.path) {
            self.path = path;
            self.faults.cut += 1;
        }
        let path = self.paths.push(&self.path);
        let start = self.names.len();
        if place.reference.is_some() {
            self.names.push_str(name);
        }
        self.bytes += bytes + path.stored();
        self.held.push(HeldEdge {
            path,
            place,
            name: start..self.names.len(),
            row,
        });
    }

    fn take(&mut self, event: Event<'_>, out: &mut RowSink<'_, R>) {
        match event {
            Event::Open => {
                self.settle(out);
                self.records.push(None);
            }
            Event::Close => {
                self.settle(out);
                self.records.pop();
            }
            Event::Id { rank, text } => {
                self.identify(rank, text);
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
        }
    }

    fn identify(&mut self, rank: u8, text: &str) {
        if let Some(id) = self.records.last_mut()
            && id.as_ref().is_none_or(|(known, _)| rank < *known)
        {
            let cut = cut(text);
            self.faults.cut += u64::from(cut.is_some());
            *id = Some((rank, cut.map_or_else(|| text.into(), Arc::from)));
        }
    }

    /// Decides about related places.
    fn decide(&mut self, cites: bool) {
        let from = self.related.take().unwrap_or(self.held.len());
        let rows = self.held[from..].iter_mut();
        for row in rows.filter(|row| row.place.is_related) {
            row.place.is_related = false;
            if !cites {
                (row.place.role, row.place.reference) = (Role::Other, None);
            }
        }
    }

    /// Whether nothing that follows can change the record or the reference of the held rows.
    fn is_final(&self) -> bool {
        match self.records.last() {
            None | Some(Some((0, _))) => self.related.is_none(),
            _ => false,
        }
    }

    /// Decides all rows if nothing that follows can change them. The last reference may go on.
    fn settle_final(&mut self, out: &mut RowSink<'_, R>) {
        let in_reference = |last: &HeldEdge<R>| last.place.reference.is_some();
        if self.is_final() && !self.held.last().is_some_and(in_reference) {
            self.settle(out);
        }
    }

    /// Decides all rows with what is known.
    fn settle(&mut self, out: &mut RowSink<'_, R>) {
        if self.held.is_empty() {
            return;
        }
        self.decide(false);
        let repeated = self.repeated();
        let record = self.records.last().and_then(|id| id.as_ref());
        let mut paths = self.paths.reader();
        for (number, held) in self.held.drain(..).enumerate() {
            let path = paths.next(held.path);
            let edge = Edge {
                record: record.map(|(_, id)| id),
                path: (!path.is_empty()).then_some(path),
                reference: held.place.reference,
                role: held.place.role,
                asserted: held.place.asserted,
            };
            let is_repeated = repeated.binary_search(&number).is_ok();
            out(held.row, (!is_repeated).then_some(edge));
        }
        self.paths.clear();
        self.names.clear();
        self.bytes = 0;
    }

    /// The numbers of the held rows with a name in the text of a reference that states the same name in a field, in order.
    fn repeated(&self) -> Vec<usize> {
        let mut repeated = Vec::new();
        let mut start = 0;
        let is_same =
            |one: &HeldEdge<R>, next: &HeldEdge<R>| one.place.reference == next.place.reference;
        for rows in self.held.chunk_by(is_same) {
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
