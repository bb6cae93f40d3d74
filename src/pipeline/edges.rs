//! The places of mentions in the structure of their documents.

use std::borrow::Cow;
use std::sync::Arc;

use doisift_core::TextKind;
use doisift_documents::{Chunk, printable::cut};

use super::ledger::ScanLedger;
use super::options::ScanOptions;
use super::rows::HeldMentions;
use super::state::SharedScan;
use crate::dedup::Document;
use crate::report::Counts;
use crate::structure::Role;
use crate::structure::{Edge, EdgeJoin, RecordId, Syntax};

/// Endings of packings after the ending of a format.
const PACKINGS: [&str; 5] = [".gz", ".zst", ".bz2", ".xz", ".lz4"];

/// Finds the places of the mentions of one document after the other, whose chunks come in order.
pub(super) struct EdgeFinder<'r> {
    options: &'r ScanOptions,
    ledger: &'r ScanLedger<'r>,
    /// None between documents.
    join: Option<EdgeJoin>,
    /// Since they were taken.
    counts: Counts,
}

impl<'r> EdgeFinder<'r> {
    /// None if rows have no places.
    pub(super) fn new(run: &'r SharedScan<'r>) -> Option<Self> {
        let options = run.plan.options;
        options.selection.writes_edges().then(|| EdgeFinder {
            options,
            ledger: &run.ledger,
            join: None,
            counts: Counts::default(),
        })
    }

    /// Starts a document if this is its first chunk, which has the head of the document, or all of it.
    pub(super) fn start(&mut self, chunk: &Chunk<'_>, kind: TextKind, document: &Document) {
        if chunk.offset + chunk.range.start as u64 == 0 {
            let syntax = syntax(self.options, chunk.bytes, kind);
            if syntax != Some(Syntax::Json) && says_json(document) && !is_blank(chunk) {
                self.ledger.report_no_json(document);
            }
            self.join = Some(EdgeJoin::new(syntax, self.id()));
        }
    }

    fn id(&self) -> Option<&'r RecordId> {
        self.options.selection.record_id.as_ref()
    }

    /// Reads a chunk, whose mentions are the rows from the number `from` on. Each place is added to the rows when it is decided.
    pub(super) fn chunk(&mut self, chunk: &Chunk<'_>, rows: &mut HeldMentions, from: usize) {
        let Some(join) = &mut self.join else { return };
        let counts = &mut self.counts;
        let (mentions, edges) = rows.unplaced(from);
        let mut out = |edge: Edge<'_>| {
            edges.push(&edge);
            counts.roles.add(edge.role, edge.asserted);
        };
        for mention in mentions {
            join.read(chunk.bytes, chunk.offset, mention.offset, &mut out);
            join.mention(&mention.key, mention.row, &mut out);
        }
        let end = chunk.offset + chunk.range.end as u64;
        join.read(chunk.bytes, chunk.offset, end, &mut out);
    }

    /// Ends a document, and reports what was wrong with its structure.
    pub(super) fn end(&mut self, document: &Document, rows: &mut HeldMentions) {
        let Some(join) = self.join.take() else { return };
        let counts = &mut self.counts;
        let (_, edges) = rows.unplaced(rows.len());
        let faults = join.end(&mut |edge| {
            edges.push(&edge);
            counts.roles.add(edge.role, edge.asserted);
        });
        self.ledger.report_structure(document, faults);
        self.counts.broken += u64::from(faults.broken.is_some());
    }

    /// Gives the rows from the number `from` on, which are the mentions of a cell, the place of the cell.
    pub(super) fn cell(
        &mut self,
        rows: &mut HeldMentions,
        from: usize,
        record: Option<Cow<'_, str>>,
        path: &str,
    ) {
        let [record, path] = [record, Some(path.into())].map(|text| text.map(bounded));
        let record = record.map(Arc::from);
        let (mentions, edges) = rows.unplaced(from);
        for _ in mentions.iter().filter(|mention| mention.row.is_some()) {
            let edge = Edge {
                record: record.as_ref(),
                path: path.as_deref(),
                reference: None,
                role: Role::Other,
                asserted: false,
            };
            edges.push(&edge);
            self.counts.roles.add(edge.role, edge.asserted);
        }
    }

    /// Takes the counts so far.
    pub(super) fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }
}

/// The text, cut if it is longer than rows may repeat.
fn bounded(text: Cow<'_, str>) -> Cow<'_, str> {
    cut(&text).map_or(text, Cow::Owned)
}

/// Whether the name of a document says that it is JSON, also before an ending of a packing.
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

/// The syntax of a document, if it is structured and neither a table nor a web page.
fn syntax(options: &ScanOptions, head: &[u8], kind: TextKind) -> Option<Syntax> {
    debug_assert!(!options.reading.lines);
    match kind {
        TextKind::Unknown => Syntax::of(head),
        _ => None,
    }
}
