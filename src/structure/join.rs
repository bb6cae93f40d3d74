//! Joins mentions with the structure of their document. Rows are held until the identifier of their record is known.
//!
//! All held rows are of one record: when a record starts in another, the rows of the outer one are decided with the identifier
//! that is known by then. Knows nothing of a mention but its name.

use std::sync::Arc;

use doisift_documents::printable::cut;

use super::paths::{Paths, StoredPath};
use super::place::{Event, Place, Role};
use super::{RecordId, Structure, Syntax};

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

/// The join for one document. Each mention that is kept gets one edge, in the order of mentions.
pub(crate) struct EdgeJoin {
    structure: Option<Structure>,
    /// The offset up to which the structure was read.
    read: u64,
    rows: JoinRows,
}

#[derive(Default)]
struct JoinRows {
    /// The best identifier of each open record, with its rank.
    records: Vec<Option<(u8, Arc<str>)>>,
    held: Vec<HeldEdge>,
    /// The paths of the held rows.
    paths: Paths,
    /// Bytes of the texts and paths of the held rows.
    bytes: usize,
    /// The first row of which it is not decided whether it is in a reference.
    related: Option<usize>,
    faults: StructureFaults,
    /// The path of the last mention.
    path: String,
}

struct HeldEdge {
    path: StoredPath,
    place: Place,
}

impl EdgeJoin {
    /// A join at the start of a document, with its syntax if it is structured.
    pub(crate) fn new(syntax: Option<Syntax>, id: Option<&RecordId>) -> Self {
        EdgeJoin {
            structure: syntax.map(|syntax| Structure::new(syntax, id)),
            read: 0,
            rows: JoinRows::default(),
        }
    }

    /// Reads the structure up to the offset `to`. `bytes` starts at `offset` of the document, and has all bytes that were not read
    /// yet.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        offset: u64,
        to: u64,
        out: &mut dyn FnMut(Edge<'_>),
    ) {
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

    /// Takes a mention at the offset up to which the structure was read. `row` is the number of bytes of the texts in its row. One
    /// without a row gets no edge, but may identify the record.
    pub(crate) fn mention(
        &mut self,
        name: &str,
        row: Option<usize>,
        out: &mut dyn FnMut(Edge<'_>),
    ) {
        let rows = &mut self.rows;
        rows.path.clear();
        let structure = self.structure.as_ref();
        let place = structure.map(|structure| structure.place(&mut rows.path));
        let place = place.unwrap_or_default();
        if let Some(rank) = place.id {
            rows.identify(rank, name);
        }
        if let Some(bytes) = row {
            rows.hold(place, bytes);
        }
        rows.settle_final(out);
        if rows.held.len() >= HELD || rows.bytes >= HELD_BYTES {
            rows.faults.undecided += 1;
            rows.settle(out);
        }
    }

    /// Ends the document.
    pub(crate) fn end(mut self, out: &mut dyn FnMut(Edge<'_>)) -> StructureFaults {
        let rows = &mut self.rows;
        if let Some(structure) = &mut self.structure {
            structure.end(&mut |event| rows.take(event, out));
        }
        rows.settle(out);
        rows.faults
    }
}

impl JoinRows {
    /// Holds a row with this many bytes of texts.
    fn hold(&mut self, place: Place, bytes: usize) {
        if place.is_related {
            self.related.get_or_insert(self.held.len());
        }
        if let Some(path) = cut(&self.path) {
            self.path = path;
            self.faults.cut += 1;
        }
        let path = self.paths.push(&self.path);
        self.bytes += bytes + path.stored();
        self.held.push(HeldEdge { path, place });
    }

    fn take(&mut self, event: Event<'_>, out: &mut dyn FnMut(Edge<'_>)) {
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

    /// Decides all rows if nothing that follows can change them.
    fn settle_final(&mut self, out: &mut dyn FnMut(Edge<'_>)) {
        let is_final = match self.records.last() {
            None | Some(Some((0, _))) => self.related.is_none(),
            _ => false,
        };
        if is_final {
            self.settle(out);
        }
    }

    /// Decides all rows with what is known.
    fn settle(&mut self, out: &mut dyn FnMut(Edge<'_>)) {
        if self.held.is_empty() {
            return;
        }
        self.decide(false);
        let record = self.records.last().and_then(|id| id.as_ref());
        let mut paths = self.paths.reader();
        for row in &self.held {
            let path = paths.next(row.path);
            out(Edge {
                record: record.map(|(_, id)| id),
                path: (!path.is_empty()).then_some(path),
                reference: row.place.reference,
                role: row.place.role,
                asserted: row.place.asserted,
            });
        }
        self.held.clear();
        self.paths.clear();
        self.bytes = 0;
    }
}
