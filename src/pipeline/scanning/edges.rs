//! Finds the places of mentions in the structure of their documents.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use doisift_core::internal::around;
use doisift_core::{Form, TextKind};
use doisift_documents::{Chunk, printable::shortened_name};

use crate::dedup::Document;
use crate::edges::{BareReference, Edge, EdgeJoin, JoinedRow, RowSink, UnnamedRow};
use crate::pipeline::ledger::ScanLedger;
use crate::pipeline::plan::ScanOptions;
use crate::pipeline::rows::{
    HeldEdges, HeldMentions, StatedName, StatedRow, StatedValue, UnplacedAnchor, ValueReader,
    stated_name,
};
use crate::pipeline::shared_scan::SharedScan;
use crate::records::NodeRow;
use crate::report::{RoleCounts, ScanCounts};
use doisift_structure::{Role, Syntax, ValueSyntax};

/// Endings of packings after the ending of a format.
const PACKINGS: [&str; 5] = [".gz", ".zst", ".bz2", ".xz", ".lz4"];

/// Finds the places of mentions, and the names that fields state. Takes one document after another, and their chunks in order.
pub(crate) struct EdgeFinder<'r> {
    options: &'r ScanOptions,
    ledger: &'r ScanLedger<'r>,
    /// `None` between documents.
    join: Option<EdgeJoin<RowOrigin>>,
    /// The current document; `None` between documents.
    document: Option<Document>,
    /// End of the last value that is a name as a whole. Mentions before it belong to this value.
    stated: u64,
    /// `None` if rows have no values.
    values: Option<ValueReader>,
    /// Counts since [`take_counts`](Self::take_counts).
    counts: ScanCounts,
}

/// The origin of a row.
enum RowOrigin {
    /// The mention, and the value of its field if rows have values.
    Mention(Option<Box<StatedValue>>),
    /// A value, which takes the place of a mention if there is one.
    Stated {
        row: Box<StatedRow>,
        is_mention: bool,
    },
    /// A mention in a value that has its row.
    Within,
    /// A reference without a name.
    Bare(Box<BareReference>),
}

impl UnnamedRow for RowOrigin {
    fn of(reference: BareReference) -> Self {
        RowOrigin::Bare(Box::new(reference))
    }
}

/// Takes the decided rows of a document.
struct EdgeWriter<'o> {
    edges: &'o mut HeldEdges,
    counts: &'o mut RoleCounts,
    roles: &'o [Role],
    /// The number of the document, for rows that have no mention.
    document: usize,
    source: &'o Arc<str>,
}

impl<'r> EdgeFinder<'r> {
    /// Creates a finder. Returns `None` if rows have no places.
    pub(crate) fn new(scan: &'r SharedScan<'r>) -> Option<Self> {
        let options = scan.plan.options;
        let selection = &options.selection;
        selection.writes_edges().then(|| EdgeFinder {
            options,
            ledger: &scan.ledger,
            join: None,
            document: None,
            stated: 0,
            values: selection.writes_values().then(ValueReader::new),
            counts: ScanCounts::default(),
        })
    }

    /// Starts a document if this is its first chunk. That must have the head of the document, or all of it.
    pub(crate) fn start(&mut self, chunk: &Chunk<'_>, kind: TextKind, document: &Document) {
        if chunk.offset + chunk.range.start as u64 == 0 {
            let syntax = syntax(self.options, chunk.bytes, kind);
            if syntax != Some(Syntax::Json) && says_json(document) && !is_blank(chunk) {
                self.ledger.report_no_json(document);
            }
            self.stated = 0;
            self.document = Some(document.clone());
            self.join = Some(EdgeJoin::new(syntax, &self.options.selection.structure));
        }
    }

    /// Reads a chunk, whose mentions are the rows from number `from` on. Each row is added when it is decided.
    pub(crate) fn chunk(&mut self, chunk: &Chunk<'_>, rows: &mut HeldMentions, from: usize) {
        let (Some(mut join), Some(document)) = (self.join.take(), self.document.take()) else {
            return;
        };
        let number = rows.number(&document);
        let (anchors, edges) = rows.unplaced(from);
        let mut counts = std::mem::take(&mut self.counts);
        let mut to = EdgeWriter {
            edges,
            counts: &mut counts.roles,
            roles: &self.options.selection.roles,
            document: number,
            source: &document.source,
        };
        let mut out = |row: JoinedRow<'_, _>| to.add(row);
        for anchor in anchors {
            if anchor.offset < self.stated {
                join.within(anchor.row.map(|_| RowOrigin::Within), &mut out);
                continue;
            }
            join.read(chunk.bytes, chunk.offset, anchor.offset, &mut out);
            let at = (anchor.offset - chunk.offset) as usize;
            let value = join.look(chunk.bytes, at);
            self.place(&mut join, chunk, anchor, value, &mut out);
        }
        let end = chunk.offset + chunk.range.end as u64;
        join.read(chunk.bytes, chunk.offset, end, &mut out);
        self.counts = counts;
        (self.join, self.document) = (Some(join), Some(document));
    }

    /// Takes an anchor: the value of its field if that is a name as a whole, otherwise its mention.
    fn place(
        &mut self,
        join: &mut EdgeJoin<RowOrigin>,
        chunk: &Chunk<'_>,
        anchor: UnplacedAnchor<'_>,
        value: Option<(ValueSyntax, Range<usize>)>,
        out: &mut RowSink<'_, RowOrigin>,
    ) {
        let at = (anchor.offset - chunk.offset) as usize;
        let Some((syntax, value)) = value.filter(|_| !anchor.is_filtered()) else {
            return mention(join, anchor, None, out);
        };
        let raw = &chunk.bytes[value.clone()];
        if self.options.nodes_to.is_some() {
            join.take_value(raw, syntax);
        }
        let end = chunk.offset + value.end as u64;
        // A mention of the whole value may still be another name than the value itself, for example if that has a blank or an
        // entity.
        let is_whole = value == (at..at + anchor.length as usize)
            && (anchor.key.as_deref()).is_some_and(|key| syntax.shows(raw, key));
        if is_whole && self.values.is_none() {
            self.stated = end;
            return mention(join, anchor, None, out);
        }
        let text = syntax.decoded(raw);
        let values = self.values.as_mut();
        let stated = values.map(|values| Box::new(values.read(&text)));
        let Some(name) = stated_name(&text) else {
            return mention(join, anchor, stated, out);
        };
        self.stated = end;
        if anchor.key.as_deref() == Some(&name.key) {
            return mention(join, anchor, stated, out);
        }
        let row = self.stated_row(chunk, &anchor, value, name, stated);
        stated_mention(join, Box::new(row), anchor.row.is_some(), out);
    }

    /// Returns the row of a value that is a name as a whole. The row's text starts at the anchor.
    fn stated_row(
        &self,
        chunk: &Chunk<'_>,
        anchor: &UnplacedAnchor<'_>,
        value: Range<usize>,
        mut name: StatedName,
        stated: Option<Box<StatedValue>>,
    ) -> StatedRow {
        let at = (anchor.offset - chunk.offset) as usize;
        let text = chunk.bytes[at..value.end].trim_ascii_end();
        if anchor.key.is_some() {
            name.form = anchor.form;
        }
        let (mut before, mut after) = (String::new(), String::new());
        let max = self.options.selection.context;
        around::before(&chunk.bytes[..at], max, &mut before);
        around::after(&chunk.bytes[at + text.len()..], max, &mut after);
        StatedRow {
            document: anchor.document,
            name,
            offset: anchor.offset,
            length: text.len() as u64,
            text: String::from_utf8_lossy(text).into_owned(),
            around: [before, after],
            value: stated,
        }
    }

    /// Ends a document, and reports the faults of its structure.
    pub(crate) fn end(&mut self, document: &Document, rows: &mut HeldMentions) {
        let Some(join) = self.join.take() else { return };
        let number = rows.number(document);
        let (_, edges) = rows.unplaced(rows.len());
        let mut to = EdgeWriter {
            edges,
            counts: &mut self.counts.roles,
            roles: &self.options.selection.roles,
            document: number,
            source: &document.source,
        };
        let faults = join.end(&mut |row| to.add(row));
        self.counts.broken += u64::from(faults.broken.is_some());
        let mistyped = faults.mistyped.iter().map(|values| values.count);
        self.counts.mistyped += mistyped.sum::<u64>();
        self.ledger.report_structure(document, faults);
    }

    /// Sets the place of the rows from number `from` on, which are the mentions of a cell, to that of the cell.
    pub(crate) fn cell(
        &mut self,
        rows: &mut HeldMentions,
        from: usize,
        record: Option<Cow<'_, str>>,
        path: &str,
    ) {
        let [record, path] = [record, Some(path.into())].map(|text| text.map(bounded));
        let record = record.map(Arc::from);
        let (anchors, edges) = rows.unplaced(from);
        let mut to = EdgeWriter {
            edges,
            counts: &mut self.counts.roles,
            roles: &self.options.selection.roles,
            document: 0,
            source: &Arc::default(),
        };
        for _ in anchors.iter().filter(|anchor| anchor.row.is_some()) {
            let edge = Edge {
                record: record.as_ref(),
                path: path.as_deref(),
                ..Edge::default()
            };
            to.add(JoinedRow::Row(RowOrigin::Mention(None), Some(edge)));
        }
    }

    /// Takes the counts so far.
    pub(crate) fn take_counts(&mut self) -> ScanCounts {
        std::mem::take(&mut self.counts)
    }
}

/// Passes a mention to `join`, with the value of its field if rows have values.
fn mention(
    join: &mut EdgeJoin<RowOrigin>,
    anchor: UnplacedAnchor<'_>,
    value: Option<Box<StatedValue>>,
    out: &mut RowSink<'_, RowOrigin>,
) {
    if let Some(key) = &anchor.key {
        let row = anchor.row.map(|bytes| (RowOrigin::Mention(value), bytes));
        join.mention(key, row, out);
    }
}

/// Passes a value that is a name as a whole to `join`. `is_mention` is set if its row replaces that of a mention.
fn stated_mention(
    join: &mut EdgeJoin<RowOrigin>,
    row: Box<StatedRow>,
    is_mention: bool,
    out: &mut RowSink<'_, RowOrigin>,
) {
    let key = row.name.key.clone();
    let bytes = row.text.len() + key.len();
    let source = RowOrigin::Stated { row, is_mention };
    join.mention(&key, Some((source, bytes)), out);
}

impl EdgeWriter<'_> {
    /// Adds a decided row. A row without an edge, or with a role that is not selected, is not written.
    #[inline]
    fn add(&mut self, row: JoinedRow<'_, RowOrigin>) {
        match row {
            JoinedRow::Row(source, edge) => self.add_edge(source, self.selected(edge)),
            JoinedRow::Node(node) => self.edges.push_node(NodeRow::new(&node, self.source)),
        }
    }

    /// Returns the edge if its role is selected. Without roles, all are selected.
    fn selected<'e>(&self, edge: Option<Edge<'e>>) -> Option<Edge<'e>> {
        edge.filter(|edge| self.roles.is_empty() || self.roles.contains(&edge.role))
    }

    #[inline]
    fn add_edge(&mut self, source: RowOrigin, edge: Option<Edge<'_>>) {
        if let (Some(edge), RowOrigin::Mention(_) | RowOrigin::Stated { .. }) = (&edge, &source) {
            self.counts.add(edge.role, edge.asserted);
        }
        let edges = &mut *self.edges;
        match (source, edge) {
            (RowOrigin::Mention(value), Some(edge)) => edges.push_mention(&edge, value),
            (RowOrigin::Mention(_), None) | (RowOrigin::Within, _) => edges.leave_out(),
            (
                RowOrigin::Stated {
                    mut row,
                    is_mention,
                },
                edge,
            ) => {
                row.document = self.document;
                if is_mention {
                    edges.leave_out();
                }
                if let Some(edge) = edge {
                    edges.push_stated(&edge, row);
                }
            }
            (RowOrigin::Bare(reference), Some(edge)) => {
                edges.push_stated(&edge, bare_row(self.document, *reference));
            }
            (RowOrigin::Bare(_), None) => {}
        }
    }
}

/// Returns the row of a reference without a name.
fn bare_row(document: usize, reference: BareReference) -> Box<StatedRow> {
    let name = StatedName {
        key: String::new(),
        form: Form::Bare,
    };
    Box::new(StatedRow {
        document,
        name,
        offset: reference.offset,
        length: reference.length,
        text: reference.text,
        around: Default::default(),
        value: None,
    })
}

/// Returns the text, cut if it is longer than rows may repeat.
fn bounded(text: Cow<'_, str>) -> Cow<'_, str> {
    shortened_name(&text).map_or(text, Cow::Owned)
}

/// Whether the name of a document has an ending of JSON, or one before the ending of a packing.
fn says_json(document: &Document) -> bool {
    let name = document.name.as_deref().unwrap_or(&document.source);
    let plain = PACKINGS
        .iter()
        .find_map(|packing| name.strip_suffix(packing));
    let ending = plain.unwrap_or(name).rsplit('.').next();
    matches!(ending, Some("json" | "jsonl" | "ndjson"))
}

fn is_blank(chunk: &Chunk<'_>) -> bool {
    chunk.bytes.trim_ascii().is_empty()
}

/// Returns the syntax of a document. `None` if it is not structured, or its kind of text is known, as for tables and web pages.
fn syntax(options: &ScanOptions, head: &[u8], kind: TextKind) -> Option<Syntax> {
    debug_assert!(!options.reading.lines);
    match kind {
        TextKind::Unknown => Syntax::of(head),
        _ => None,
    }
}
