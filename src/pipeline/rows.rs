//! Mentions that are held until they are written.

use std::borrow::Cow;
use std::sync::Arc;

use doisift_core::{Form, Mention, around};

use crate::dedup::Document;
use crate::error::Error;
use crate::lookup::RecentStandings;
use crate::records::{HeldStanding, MentionRow, RowEdge, Standing};
use crate::structure::{Edge, PathReader, Paths, Role, StoredPath};

/// Rows, and bytes of their texts, for which memory is kept when they are written.
const KEPT: (usize, usize) = (1 << 15, 2 << 20);

/// The mentions that one piece of work found, in order.
#[derive(Default)]
pub(super) struct HeldMentions {
    rows: Vec<HeldMention>,
    documents: Vec<Document>,
    text: String,
    /// The places of the first rows. If rows have places, those without are not decided.
    edges: Option<HeldEdges>,
    /// What an index says of the names of the first rows, if it is asked.
    standings: Vec<HeldStanding>,
    /// The offsets and keys of mentions that have no row, but may identify a record.
    rowless: Vec<(u64, Box<str>)>,
}

#[derive(Default)]
pub(super) struct HeldEdges {
    rows: Vec<EdgePlace>,
    paths: Paths,
}

/// A mention whose place is not known.
pub(super) struct Unplaced<'h> {
    pub(super) offset: u64,
    pub(super) key: Cow<'h, str>,
    /// Bytes of the texts in its row, if it has one.
    pub(super) row: Option<usize>,
}

/// The place of a mention.
struct EdgePlace {
    record: Option<Arc<str>>,
    path: Option<StoredPath>,
    ref_index: Option<u64>,
    role: Role,
    asserted: bool,
}

/// A mention. Its key, its text, and the texts before and after it are the next bytes in the text of all rows.
struct HeldMention {
    document: usize,
    form: Form,
    offset: u64,
    length: u64,
    texts: [usize; 4],
    guessed: bool,
}

/// The bytes before and after a mention, as far as its row has them.
#[derive(Clone, Copy, Default)]
pub(super) struct MentionContext<'b> {
    pub(super) before: &'b [u8],
    pub(super) after: &'b [u8],
    /// The most bytes of each whose text the row has.
    pub(super) max: usize,
}

impl<'b> MentionContext<'b> {
    /// The bytes of a chunk around a mention. The chunk starts at `offset` of the document.
    pub(super) fn new(chunk: &'b [u8], offset: u64, mention: &Mention<'_>, max: usize) -> Self {
        if max == 0 {
            return MentionContext::default();
        }
        let start = (mention.offset - offset) as usize;
        MentionContext {
            before: &chunk[..start],
            after: &chunk[start + mention.text.len()..],
            max,
        }
    }
}

impl HeldMentions {
    pub(super) fn push(
        &mut self,
        document: &Document,
        mention: &Mention<'_>,
        around: MentionContext<'_>,
    ) {
        if self
            .documents
            .last()
            .is_none_or(|last| last.id != document.id || last.column != document.column)
        {
            self.documents.push(document.clone());
        }
        let mut end = self.text.len();
        let mut length = |text: &String| text.len() - std::mem::replace(&mut end, text.len());
        let text = &mut self.text;
        text.push_str(mention.key);
        let key = length(text);
        text.push_str(&mention.text_lossy());
        let found = length(text);
        around::before(around.before, around.max, text);
        let before = length(text);
        around::after(around.after, around.max, text);
        let after = length(text);
        self.rows.push(HeldMention {
            document: self.documents.len() - 1,
            form: mention.form,
            offset: mention.offset,
            length: mention.text.len() as u64,
            texts: [key, found, before, after],
            guessed: mention.guessed,
        });
    }

    /// Holds rows that have places, which are added separately.
    pub(super) fn with_edges() -> Self {
        HeldMentions {
            edges: Some(HeldEdges::default()),
            ..HeldMentions::default()
        }
    }

    /// Holds a mention that has no row.
    pub(super) fn push_rowless(&mut self, mention: &Mention<'_>) {
        self.rowless.push((mention.offset, mention.key.into()));
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The mentions from the row number `from` on, in order, and where the places of rows are added. Forgets those without a row.
    pub(super) fn unplaced(&mut self, from: usize) -> (Vec<Unplaced<'_>>, &mut HeldEdges) {
        let before = self.rows[..from].iter().flat_map(|row| row.texts);
        let mut rest = &self.text[before.sum()..];
        let rows = self.rows[from..].iter().map(|row| {
            let [key, ..] = row.texts.map(|length| cut_off(&mut rest, length));
            Unplaced {
                offset: row.offset,
                key: key.into(),
                row: Some(row.texts.iter().sum()),
            }
        });
        let rowless = self.rowless.drain(..).map(|(offset, key)| Unplaced {
            offset,
            key: String::from(key).into(),
            row: None,
        });
        let mut mentions: Vec<_> = rows.chain(rowless).collect();
        mentions.sort_by_key(|mention| mention.offset);
        (mentions, self.edges.get_or_insert_default())
    }

    /// Appends rows without places, which are removed from `other`.
    pub(super) fn append(&mut self, other: &mut HeldMentions) {
        let documents = self.documents.len();
        self.documents.append(&mut other.documents);
        self.text.push_str(&other.text);
        let rows = other.rows.drain(..);
        self.rows.extend(rows.map(|row| HeldMention {
            document: row.document + documents,
            ..row
        }));
        self.standings.append(&mut other.standings);
        self.rowless.append(&mut other.rowless);
        other.clear();
    }

    /// Adds what an index says of the names of the rows that do not have that yet.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(super) fn ask(&mut self, index: &mut RecentStandings<'_>) -> Result<(), Error> {
        let (asked, rest) = self.rows.split_at(self.standings.len());
        let before: usize = asked.iter().flat_map(|row| row.texts).sum();
        let mut texts = &self.text[before..];
        let keys = rest.iter().map(|row| {
            let [key, ..] = row.texts.map(|length| cut_off(&mut texts, length));
            key
        });
        index.ask(&keys.collect::<Vec<_>>(), &mut self.standings)
    }

    /// The number of rows that are decided.
    pub(super) fn decided(&self) -> usize {
        match &self.edges {
            Some(edges) => edges.rows.len(),
            None => self.rows.len(),
        }
    }

    /// Moves the rows that are decided to `to`, which is empty. The others may be many and stay where they are.
    pub(super) fn move_decided(&mut self, to: &mut HeldMentions) {
        let decided = self.decided();
        if decided == self.rows.len() {
            std::mem::swap(self, to);
            self.edges = to.edges.as_ref().map(|_| HeldEdges::default());
            return;
        }
        let texts = self.rows[..decided].iter().flat_map(|row| row.texts);
        let texts = texts.sum();
        to.text.push_str(&self.text[..texts]);
        self.text.drain(..texts);
        to.rows.extend(self.rows.drain(..decided));
        let asked = decided.min(self.standings.len());
        to.standings.extend(self.standings.drain(..asked));
        to.documents.clone_from(&self.documents);
        to.edges = self.edges.as_mut().map(std::mem::take);
    }

    /// The memory that the rows take, in bytes, without what they share.
    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() + self.rows.len() * (size_of::<HeldMention>() + size_of::<EdgePlace>())
    }

    /// Calls `take` with each row, all of which are decided, and what the index says of its name if that was asked.
    pub(super) fn each(
        &self,
        mut take: impl FnMut(MentionRow<'_>, Option<HeldStanding>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut rest = self.text.as_str();
        let mut places = self.edges.iter().flat_map(|edges| &edges.rows);
        let mut paths = self.edges.as_ref().map(|edges| edges.paths.reader());
        let mut standings = self.standings.iter();
        for row in &self.rows {
            let texts = row.texts.map(|length| cut_off(&mut rest, length));
            let edge = places.next().zip(paths.as_mut());
            let edge = edge
                .map(|(edge, paths)| edge.row(paths))
                .unwrap_or_default();
            let row = row.mention(&self.documents[row.document], texts, edge);
            take(row, standings.next().copied())?;
        }
        Ok(())
    }

    /// Removes all rows, and keeps a part of the memory for others.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.rows.shrink_to(KEPT.0);
        self.standings.clear();
        self.standings.shrink_to(KEPT.0);
        self.documents.clear();
        self.text.clear();
        self.text.shrink_to(KEPT.1);
        self.rowless.clear();
        if let Some(edges) = &mut self.edges {
            edges.rows.clear();
            edges.rows.shrink_to(KEPT.0);
            edges.paths.clear();
        }
    }
}

impl HeldEdges {
    /// Adds the place of the first row that has none.
    pub(super) fn push(&mut self, edge: &Edge<'_>) {
        self.rows.push(EdgePlace {
            record: edge.record.cloned(),
            path: edge.path.map(|path| self.paths.push(path)),
            ref_index: edge.reference,
            role: edge.role,
            asserted: edge.asserted,
        });
    }
}

impl EdgePlace {
    /// The fields of a row. `paths` rebuilds its path.
    fn row<'e>(&'e self, paths: &'e mut PathReader<'_>) -> RowEdge<'e> {
        RowEdge {
            record: self.record.as_deref(),
            path: self.path.map(|path| paths.next(path)),
            ref_index: self.ref_index,
            role: self.role.name(),
            asserted: self.asserted,
        }
    }
}

/// Cuts the first `length` bytes off.
fn cut_off<'t>(rest: &mut &'t str, length: usize) -> &'t str {
    let (text, after) = rest.split_at(length);
    *rest = after;
    text
}

impl HeldMention {
    fn mention<'a>(
        &self,
        document: &'a Document,
        texts: [&'a str; 4],
        edge: RowEdge<'a>,
    ) -> MentionRow<'a> {
        let [key, text, before, after] = texts;
        MentionRow {
            doi: key,
            form: self.form,
            source: &document.source,
            document: document.name.as_deref(),
            offset: self.offset,
            length: self.length,
            text,
            guessed: self.guessed,
            around: [before, after],
            document_index: document.id.document,
            capture: document.capture.as_deref(),
            column: document.column.as_deref(),
            edge,
            standing: Standing::default(),
        }
    }
}
