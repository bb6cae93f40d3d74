//! How the chunks of a document depend on each other, if several threads read them.
//!
//! A chunk that starts at a cut of the document is read independently. Any other chunk is read with the state after the chunk before
//! it, which the thread that reads that one sends. That thread took its chunk earlier, so some thread always proceeds.

use std::sync::mpsc::{self, Receiver, Sender};

use doisift_core::TextKind;
use doisift_documents::Chunk;

use super::document_edges::{DocumentCuts, DocumentEdges};
use crate::dedup::Document;
use crate::pipeline::ledger::{ScanLedger, StructureFaults};
use crate::pipeline::plan::ScanOptions;
use crate::pipeline::rows::{HeldRows, ValueReader};

/// The state of a document between two chunks, and the rows that are not decided.
type EdgeState = (DocumentEdges, HeldRows);

/// Links the chunks of a document in their order.
pub(crate) struct ChunkChain {
    cuts: DocumentCuts,
    next: ChunkStart,
}

/// The start of a chunk.
enum ChunkStart {
    /// The start of the document.
    Document,
    Cut(DocumentCuts),
    After(Receiver<EdgeState>),
}

/// The links of a chunk to the chunks before and after it.
pub(crate) struct ChunkLinks {
    start: ChunkStart,
    /// `None` if the chunk ends at a cut.
    next: Option<Sender<EdgeState>>,
}

/// What a thread needs to read the edges of chunks.
pub(crate) struct EdgeReader<'r> {
    options: &'r ScanOptions,
    ledger: &'r ScanLedger<'r>,
    /// `None` if rows have no values.
    values: Option<ValueReader>,
    /// The document that the thread reads alone; `None` between documents.
    document: Option<DocumentEdges>,
}

impl ChunkChain {
    /// Starts a document with its first chunk.
    pub(crate) fn new(options: &ScanOptions, chunk: &Chunk<'_>, kind: TextKind) -> Self {
        ChunkChain {
            cuts: DocumentCuts::of(options, chunk, kind),
            next: ChunkStart::Document,
        }
    }

    /// Returns the end of the longest part of a chunk's range that ends at a cut. `None` if there is no cut in it.
    pub(crate) fn last_cut(&self, chunk: &Chunk<'_>) -> Option<usize> {
        self.cuts.last_in(chunk.bytes, chunk.range.clone())
    }

    /// Links the next chunk.
    pub(crate) fn link(&mut self, chunk: &Chunk<'_>) -> ChunkLinks {
        let is_cut = self.last_cut(chunk) == Some(chunk.range.end);
        let (next, after) = match is_cut {
            true => (None, ChunkStart::Cut(self.cuts)),
            false => {
                let (sender, receiver) = mpsc::channel();
                (Some(sender), ChunkStart::After(receiver))
            }
        };
        let start = std::mem::replace(&mut self.next, after);
        ChunkLinks { start, next }
    }

    /// Returns the links of the end of the document. `None` if its last chunk ended at a cut.
    pub(crate) fn end(self) -> Option<ChunkLinks> {
        let start = self.next;
        matches!(start, ChunkStart::After(_)).then_some(ChunkLinks { start, next: None })
    }
}

impl<'r> EdgeReader<'r> {
    /// Creates a reader. Returns `None` if rows have no places.
    pub(crate) fn new(options: &'r ScanOptions, ledger: &'r ScanLedger<'r>) -> Option<Self> {
        let selection = &options.selection;
        selection.writes_edges().then(|| EdgeReader {
            options,
            ledger,
            values: selection.writes_values().then(ValueReader::new),
            document: None,
        })
    }

    /// Reads the next chunk of a document of which this thread reads all chunks, and makes rows of its anchors. A chunk at the
    /// start of a document starts it.
    pub(crate) fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        kind: TextKind,
        document: &Document,
        rows: &mut HeldRows,
    ) {
        if chunk.offset + chunk.range.start as u64 == 0 {
            self.document = Some(self.start(chunk, kind, document));
        }
        if let Some(edges) = &mut self.document {
            edges.chunk(chunk, self.options, &mut self.values, rows);
        }
    }

    /// Ends the document, and reports the faults of its structure.
    pub(crate) fn end(&mut self, document: &Document, rows: &mut HeldRows) {
        if let Some(edges) = self.document.take() {
            self.ledger.report_structure(document, edges.end(rows));
        }
    }

    fn start(&self, chunk: &Chunk<'_>, kind: TextKind, document: &Document) -> DocumentEdges {
        let edges = DocumentEdges::start(self.options, chunk, kind, document);
        if edges.is_misnamed(chunk) {
            self.ledger.report_no_json(document);
        }
        edges
    }

    /// Reads a chunk of a document that other threads read too, or its end. Waits for the thread that reads the chunk before, unless
    /// the chunk starts at a cut. Returns the faults of the part of the document that ends here.
    pub(crate) fn linked(
        &mut self,
        links: ChunkLinks,
        chunk: Option<&Chunk<'_>>,
        (kind, document): (TextKind, &Document),
        rows: &mut HeldRows,
    ) -> StructureFaults {
        let at = |chunk: &Chunk<'_>| chunk.offset + chunk.range.start as u64;
        let started = match (links.start, chunk) {
            (ChunkStart::After(before), _) => before.recv().ok(),
            (_, None) => None,
            (ChunkStart::Document, Some(chunk)) => {
                Some((self.start(chunk, kind, document), HeldRows::default()))
            }
            (ChunkStart::Cut(cuts), Some(chunk)) => {
                let edges = DocumentEdges::resume(self.options, cuts, at(chunk), document);
                Some((edges, HeldRows::default()))
            }
        };
        // There is no state after a chunk that was not read, since the run ends.
        let Some((mut edges, mut undecided)) = started else {
            rows.clear();
            return StructureFaults::default();
        };
        undecided.append_found(rows);
        std::mem::swap(rows, &mut undecided);
        if let Some(chunk) = chunk {
            edges.chunk(chunk, self.options, &mut self.values, rows);
        }
        let Some(next) = links.next else {
            return edges.end(rows);
        };
        // If the next chunk is not read, the run ends.
        let _ = next.send((edges, rows.split_off_undecided()));
        StructureFaults::default()
    }
}
