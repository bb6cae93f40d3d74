//! Joins mentions with the structure of their document. Rows are held until the identifier of their record is known.
//!
//! All held rows are of one record: when a record starts in another, the rows of the outer one are decided with the identifier
//! that is known by then. Knows nothing of a mention but its name.

use std::sync::Arc;

use super::place::{Event, Place, Role};
use super::{RecordId, Structure, Syntax};

/// Rows that are held. A record with more before its identifier is rare; its first rows get none.
pub(super) const HELD: usize = 1 << 18;

/// The place of a mention in the structure of its document.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edge<'e> {
    /// The identifier of the record.
    pub(crate) record: Option<&'e str>,
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
    paths: String,
    /// Whether it is not decided if some rows are in a reference.
    is_related: bool,
    faults: StructureFaults,
}

struct HeldEdge {
    path: usize,
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

    /// Takes a mention at the offset up to which the structure was read. One that is not kept gets no edge, but may identify the
    /// record.
    pub(crate) fn mention(&mut self, name: &str, is_kept: bool, out: &mut dyn FnMut(Edge<'_>)) {
        let rows = &mut self.rows;
        let start = rows.paths.len();
        let place = self
            .structure
            .as_ref()
            .map(|structure| structure.place(&mut rows.paths));
        let place = place.unwrap_or_default();
        if let Some(rank) = place.id {
            rows.identify(rank, name);
        }
        match is_kept {
            true => rows.hold(place, start),
            false => rows.paths.truncate(start),
        }
        rows.settle_final(out);
        if rows.held.len() >= HELD {
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
    fn hold(&mut self, place: Place, path: usize) {
        self.is_related |= place.is_related;
        self.held.push(HeldEdge {
            path: self.paths.len() - path,
            place,
        });
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
            *id = Some((rank, text.into()));
        }
    }

    /// Decides about related places.
    fn decide(&mut self, cites: bool) {
        let related = self.held.iter_mut().filter(|row| row.place.is_related);
        for row in related {
            row.place.is_related = false;
            if !cites {
                (row.place.role, row.place.reference) = (Role::Other, None);
            }
        }
        self.is_related = false;
    }

    /// Decides all rows if nothing that follows can change them.
    fn settle_final(&mut self, out: &mut dyn FnMut(Edge<'_>)) {
        let is_final = match self.records.last() {
            None | Some(Some((0, _))) => !self.is_related,
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
        if self.is_related {
            self.decide(false);
        }
        let record = self.records.last().and_then(|id| id.as_ref());
        let mut rest = self.paths.as_str();
        for row in &self.held {
            let (path, after) = rest.split_at(row.path);
            rest = after;
            out(Edge {
                record: record.map(|(_, id)| &**id),
                path: (!path.is_empty()).then_some(path),
                reference: row.place.reference,
                role: row.place.role,
                asserted: row.place.asserted,
            });
        }
        self.held.clear();
        self.paths.clear();
    }
}
