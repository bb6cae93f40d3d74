//! Finds the places of mentions in the structure of a document, and the names that its fields state.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use doisift_core::TextKind;
use doisift_documents::{Chunk, printable::shortened_name};
use doisift_structure::{Structure, Syntax, ValueSyntax};

use super::join::EdgeJoin;
use crate::dedup::Document;
use crate::pipeline::ledger::StructureFaults;
use crate::pipeline::plan::ScanOptions;
use crate::pipeline::rows::{
    AnchorKind, CleanedValue, EdgePlace, FoundAnchor, HeldRecord, HeldRows, MentionContext,
    RowOrigin, StatedName, ValueReader, stated_name,
};

/// Endings of packings after the ending of a format.
const PACKINGS: [&str; 5] = [".gz", ".zst", ".bz2", ".xz", ".lz4"];

/// The state of a document between two chunks. Takes its chunks in order, or those from the start of a line on if each line is a
/// value of JSON.
pub(crate) struct DocumentEdges {
    join: EdgeJoin,
    syntax: Option<Syntax>,
    /// End of the last value that is a name as a whole. Mentions before it belong to this value.
    stated: u64,
}

/// Places at which a document may be cut, so that the parts can be read independently of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentCuts {
    /// Anywhere, since it has no structure.
    Anywhere,
    /// After each line, since each is a value of JSON.
    Lines,
    Nowhere,
}

impl DocumentCuts {
    /// Returns the cuts of a document by its first chunk. If the first line does not end in it, lines are not cut.
    pub(crate) fn of(options: &ScanOptions, chunk: &Chunk<'_>, kind: TextKind) -> Self {
        match syntax(options, chunk.bytes, kind) {
            None => DocumentCuts::Anywhere,
            Some(Syntax::Json) if Structure::starts_json_lines(chunk.bytes) => DocumentCuts::Lines,
            Some(_) => DocumentCuts::Nowhere,
        }
    }

    /// Returns the end of the longest part of `range` that can be read independently of the bytes after it. `None` if there is no
    /// such part.
    pub(crate) fn last_in(self, bytes: &[u8], range: Range<usize>) -> Option<usize> {
        match self {
            DocumentCuts::Anywhere => Some(range.end),
            DocumentCuts::Lines => {
                let line = memchr::memrchr(b'\n', &bytes[range.clone()]);
                line.map(|line| range.start + line + 1)
            }
            DocumentCuts::Nowhere => None,
        }
    }
}

impl DocumentEdges {
    /// Starts a document. `chunk` must have its head, or all of it.
    pub(crate) fn start(
        options: &ScanOptions,
        chunk: &Chunk<'_>,
        kind: TextKind,
        document: &Document,
    ) -> Self {
        let request = &options.selection.structure;
        let syntax = syntax(options, chunk.bytes, kind);
        let structure = syntax.map(|syntax| Structure::new(syntax, request));
        DocumentEdges {
            join: EdgeJoin::new(structure, 0, document, request),
            syntax,
            stated: 0,
        }
    }

    /// Starts at a cut of a document.
    pub(crate) fn resume(
        options: &ScanOptions,
        cuts: DocumentCuts,
        offset: u64,
        document: &Document,
    ) -> Self {
        let request = &options.selection.structure;
        let syntax = (cuts == DocumentCuts::Lines).then_some(Syntax::Json);
        let structure = syntax.map(|_| Structure::json_line(request, offset));
        DocumentEdges {
            join: EdgeJoin::new(structure, offset, document, request),
            syntax,
            stated: 0,
        }
    }

    /// Whether the document should be JSON by its name and is not. `chunk` must be its first one.
    pub(crate) fn is_misnamed(&self, chunk: &Chunk<'_>) -> bool {
        let is_json = self.syntax == Some(Syntax::Json);
        !is_json && says_json(self.join.document()) && !chunk.bytes.trim_ascii().is_empty()
    }

    /// Reads a chunk, and makes rows of the anchors that were found in it. `values` is `None` if rows have no values.
    pub(crate) fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        options: &ScanOptions,
        values: &mut Option<ValueReader>,
        rows: &mut HeldRows,
    ) {
        let anchors = rows.take_found();
        let mut reading = ChunkReading {
            chunk,
            options,
            values,
            edges: self,
            rows,
        };
        for anchor in &anchors {
            reading.anchor(anchor);
        }
        reading.read(chunk.offset + chunk.range.end as u64);
        rows.reuse_found(anchors);
    }

    /// Ends the document, or a part of it that ends at a cut. Returns the faults of its structure.
    pub(crate) fn end(self, rows: &mut HeldRows) -> StructureFaults {
        self.join.end(rows)
    }
}

/// A chunk that is read.
struct ChunkReading<'c> {
    chunk: &'c Chunk<'c>,
    options: &'c ScanOptions,
    values: &'c mut Option<ValueReader>,
    edges: &'c mut DocumentEdges,
    rows: &'c mut HeldRows,
}

impl ChunkReading<'_> {
    /// Reads the structure up to an offset.
    fn read(&mut self, to: u64) {
        let Chunk { bytes, offset, .. } = *self.chunk;
        self.edges.join.read(bytes, offset, to, self.rows);
    }

    /// Makes a row of an anchor: of the value of its field if that is a name as a whole, otherwise of its mention. Other mentions
    /// in the value have no rows.
    fn anchor(&mut self, anchor: &FoundAnchor) {
        if anchor.name.offset < self.edges.stated {
            return;
        }
        self.read(anchor.name.offset);
        let at = (anchor.name.offset - self.chunk.offset) as usize;
        let value = self.edges.join.look(self.chunk.bytes, at);
        match value.filter(|_| anchor.kind != AnchorKind::Filtered) {
            Some((syntax, value)) => self.value(anchor, syntax, value),
            None => self.mention(anchor, None),
        }
    }

    /// Takes an anchor in a field for identifiers.
    fn value(&mut self, anchor: &FoundAnchor, syntax: ValueSyntax, value: Range<usize>) {
        let at = (anchor.name.offset - self.chunk.offset) as usize;
        let is_mention = anchor.kind == AnchorKind::Mention;
        let raw = &self.chunk.bytes[value.clone()];
        if self.options.nodes_to.is_some() {
            self.edges.join.take_value(raw, syntax);
        }
        let end = self.chunk.offset + value.end as u64;
        // A mention of the whole value may still be another name than the value itself, for example if that has a blank or an
        // entity.
        let is_whole = value == (at..at + anchor.name.length as usize)
            && is_mention
            && syntax.shows(raw, self.rows.key(&anchor.name));
        if is_whole && self.values.is_none() {
            self.edges.stated = end;
            return self.mention(anchor, None);
        }
        let text = syntax.decoded(raw);
        let Some(name) = stated_name(&text) else {
            return self.mention(anchor, Some(&text));
        };
        self.edges.stated = end;
        if is_mention && self.rows.key(&anchor.name) == name.key {
            return self.mention(anchor, Some(&text));
        }
        self.stated(anchor, value.end, name, &text);
    }

    /// Makes the row of a mention, with the value of its field if that is given and rows have values.
    fn mention(&mut self, anchor: &FoundAnchor, value: Option<&str>) {
        let join = &mut self.edges.join;
        match anchor.kind {
            AnchorKind::Refused => {}
            AnchorKind::Filtered => join.name(&anchor.name, self.rows),
            AnchorKind::Mention => {
                let value = cleaned(self.values, value);
                join.row(anchor.name, RowOrigin::Scanned, value, self.rows);
            }
        }
    }

    /// Makes the row of a value that is a name as a whole. The row's text reaches from the anchor to `end`.
    fn stated(&mut self, anchor: &FoundAnchor, end: usize, name: StatedName, value: &str) {
        let at = (anchor.name.offset - self.chunk.offset) as usize;
        let text = self.chunk.bytes[at..end].trim_ascii_end();
        let form = match anchor.kind {
            AnchorKind::Mention => anchor.name.form,
            _ => name.form,
        };
        let context = self.options.selection.context;
        let around = MentionContext::default().around(self.chunk.bytes, at, text.len(), context);
        let name = (self.rows).stated_name(&anchor.name, (&name.key, form), text, around);
        let value = cleaned(self.values, Some(value));
        let join = &mut self.edges.join;
        join.row(name, RowOrigin::Stated, value, self.rows);
    }
}

/// A value, and the name that cleaning makes of it.
type ReadValue<'t> = Option<(&'t str, Option<Box<CleanedValue>>)>;

fn cleaned<'t>(values: &mut Option<ValueReader>, value: Option<&'t str>) -> ReadValue<'t> {
    let (values, value) = values.as_mut().zip(value)?;
    Some((value, values.cleaned(value)))
}

/// Gives the mentions of a cell, which are the anchors that have no row yet, the place of the cell.
pub(crate) fn place_in_cell(rows: &mut HeldRows, record: Option<Cow<'_, str>>, path: &str) {
    let [record, path] = [record, Some(path.into())].map(|text| text.map(bounded));
    let id = record.map(Arc::from);
    let place = EdgePlace {
        path: path.as_deref().unwrap_or_default(),
        ..EdgePlace::default()
    };
    let anchors = rows.take_found();
    for anchor in anchors
        .iter()
        .filter(|anchor| anchor.kind == AnchorKind::Mention)
    {
        rows.hold(anchor.name, RowOrigin::Scanned, place, None);
    }
    rows.decide(Some(&HeldRecord { id, fields: None }), &[]);
    rows.reuse_found(anchors);
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

/// Returns the syntax of a document. `None` if it is not structured, or its kind of text is known, as for web pages, and for tables
/// whose rows are not records.
fn syntax(options: &ScanOptions, head: &[u8], kind: TextKind) -> Option<Syntax> {
    debug_assert!(!options.reading.lines);
    match kind {
        TextKind::Unknown => Syntax::of(head),
        _ if kind.delimiter().is_some() => Syntax::of_table(head),
        _ => None,
    }
}
