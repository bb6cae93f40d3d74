//! Mentions that are held until they are written. If rows have places, a mention is decided when its place is known.

use std::borrow::Cow;
use std::sync::Arc;

use doisift_core::internal::around;
use doisift_core::{Form, Mention};

use super::stated::{StatedName, StatedValue};
use crate::dedup::Document;
use crate::edges::{Edge, EdgeDetails, PathReader, Paths, StoredPath};
use crate::error::Error;
use crate::lookup::RecentIndexStatuses;
use crate::records::{MentionRow, NodeRow, RowEdge, StoredIndexStatus};
use doisift_structure::Role;

/// Max rows whose memory is kept for reuse.
const RETAINED_ROWS: usize = 1 << 15;
/// Max bytes of texts whose memory is kept for reuse.
const RETAINED_TEXT_BYTES: usize = 2 << 20;

/// The mentions that one piece of work found, in order.
#[derive(Default)]
pub(crate) struct HeldMentions {
    rows: Vec<HeldMention>,
    documents: Vec<Document>,
    text: String,
    /// The decided rows, if rows have places. Later mentions have no place yet.
    edges: Option<HeldEdges>,
    /// Answers of an index about the names of the first rows, if it is asked.
    index_statuses: Vec<StoredIndexStatus>,
    /// Anchors that have no row.
    rowless: Vec<RowlessAnchor>,
}

/// An anchor that has no row of its own, but may be in a field for identifiers.
struct RowlessAnchor {
    document: usize,
    offset: u64,
    /// The name of a mention that a filter left out. `None` if no mention starts there.
    key: Option<Box<str>>,
}

/// The rows of mentions that have places, and of values that documents state.
#[derive(Default)]
pub(crate) struct HeldEdges {
    rows: Vec<EdgeRow>,
    paths: Paths,
    /// The number of mentions that were placed.
    mentions: usize,
    /// The number of rows, without those that are left out.
    ready: u64,
    /// Records, if these have rows of their own.
    nodes: Vec<NodeRow>,
}

enum EdgeRow {
    /// The row of the next mention, with its place, and its value if rows have values.
    WithMention(EdgePlace, Option<Box<StatedValue>>),
    /// The next mention is left out.
    LeftOut,
    /// A row that has no mention.
    Stated(EdgePlace, Box<StatedRow>),
}

/// The row of a value that is a name as a whole.
pub(crate) struct StatedRow {
    pub(crate) document: usize,
    pub(crate) name: StatedName,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) text: String,
    pub(crate) around: [String; 2],
    /// `None` unless rows have values.
    pub(crate) value: Option<Box<StatedValue>>,
}

/// An anchor whose place is not known.
pub(crate) struct UnplacedAnchor<'h> {
    pub(crate) document: usize,
    pub(crate) offset: u64,
    /// Length in bytes of its name as written; 0 if it has none.
    pub(crate) length: u64,
    /// Its name. `None` if no mention starts there.
    pub(crate) key: Option<Cow<'h, str>>,
    pub(crate) form: Form,
    /// Bytes of the texts in its row, if it has one.
    pub(crate) row: Option<usize>,
}

impl UnplacedAnchor<'_> {
    /// Whether a filter left its name out.
    pub(crate) fn is_filtered(&self) -> bool {
        self.key.is_some() && self.row.is_none()
    }
}

/// The place of a mention.
struct EdgePlace {
    record: Option<Arc<str>>,
    path: Option<StoredPath>,
    ref_index: Option<u64>,
    role: Role,
    asserted: bool,
    /// The details of its item and its record, if these are wanted.
    details: Option<Box<EdgeDetails>>,
}

/// A mention. Its key, its text, and the texts before and after it follow those of earlier mentions in the text of all rows.
struct HeldMention {
    document: usize,
    form: Form,
    offset: u64,
    length: u64,
    texts: [usize; 4],
    guessed: bool,
}

/// The bytes before and after a mention, of which its row has a part.
#[derive(Clone, Copy, Default)]
pub(crate) struct MentionContext<'b> {
    /// Whether the row has the mention itself as it is written.
    pub(crate) has_text: bool,
    pub(crate) before: &'b [u8],
    pub(crate) after: &'b [u8],
    /// Max bytes on each side whose text the row has.
    pub(crate) max: usize,
}

impl<'b> MentionContext<'b> {
    /// Creates a context without bytes around the mention.
    pub(crate) fn none(has_text: bool) -> Self {
        MentionContext {
            has_text,
            ..MentionContext::default()
        }
    }

    /// Adds the bytes of a chunk around a mention, of which a row has at most `max` on each side. The chunk starts at `offset` of
    /// the document.
    pub(crate) fn around(
        self,
        chunk: &'b [u8],
        offset: u64,
        mention: &Mention<'_>,
        max: usize,
    ) -> Self {
        if max == 0 {
            return self;
        }
        let start = (mention.offset - offset) as usize;
        MentionContext {
            before: &chunk[..start],
            after: &chunk[start + mention.text.len()..],
            max,
            ..self
        }
    }
}

impl HeldMentions {
    pub(crate) fn push(
        &mut self,
        document: &Document,
        mention: &Mention<'_>,
        around: MentionContext<'_>,
    ) {
        let document = self.number(document);
        let mut end = self.text.len();
        let mut length = |text: &String| text.len() - std::mem::replace(&mut end, text.len());
        let text = &mut self.text;
        text.push_str(mention.key);
        let key = length(text);
        if around.has_text {
            text.push_str(&mention.text_lossy());
        }
        let found = length(text);
        around::before(around.before, around.max, text);
        let before = length(text);
        around::after(around.after, around.max, text);
        let after = length(text);
        self.rows.push(HeldMention {
            document,
            form: mention.form,
            offset: mention.offset,
            length: mention.text.len() as u64,
            texts: [key, found, before, after],
            guessed: mention.guessed,
        });
    }

    /// Creates a list of rows that have places, which are added separately.
    pub(crate) fn with_edges() -> Self {
        HeldMentions {
            edges: Some(HeldEdges::default()),
            ..HeldMentions::default()
        }
    }

    /// Returns the number of a document, which is added if it is not the last one.
    pub(crate) fn number(&mut self, document: &Document) -> usize {
        let is_other = |last: &Document| last.id != document.id || last.column != document.column;
        if self.documents.last().is_none_or(is_other) {
            self.documents.push(document.clone());
        }
        self.documents.len() - 1
    }

    /// Holds an anchor that has no row. `key` is its name, if a mention starts there.
    pub(crate) fn push_rowless(&mut self, document: &Document, offset: u64, key: Option<&str>) {
        let document = self.number(document);
        let key = key.map(Box::from);
        self.rowless.push(RowlessAnchor {
            document,
            offset,
            key,
        });
    }

    /// Whether there are no mentions, and rows have no places.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.edges.is_none()
    }

    /// Returns the number of mentions that have rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the anchors from row number `from` on, in order, and the list to which decided rows are added. Removes the anchors
    /// without a row.
    pub(crate) fn unplaced(&mut self, from: usize) -> (Vec<UnplacedAnchor<'_>>, &mut HeldEdges) {
        let before = self.rows[..from].iter().flat_map(|row| row.texts);
        let mut rest = &self.text[before.sum()..];
        let rows = self.rows[from..].iter().map(|row| {
            let [key, ..] = row.texts.map(|length| cut_off(&mut rest, length));
            UnplacedAnchor {
                document: row.document,
                offset: row.offset,
                length: row.length,
                key: Some(key.into()),
                form: row.form,
                row: Some(row.texts.iter().sum()),
            }
        });
        let rowless = self.rowless.drain(..).map(|rowless| UnplacedAnchor {
            document: rowless.document,
            offset: rowless.offset,
            length: 0,
            key: rowless.key.map(|key| String::from(key).into()),
            form: Form::Bare,
            row: None,
        });
        let mut anchors: Vec<_> = rows.chain(rowless).collect();
        anchors.sort_by_key(|anchor| anchor.offset);
        (anchors, self.edges.get_or_insert_default())
    }

    /// Moves rows without places from `other` to the end of these.
    pub(crate) fn append(&mut self, other: &mut HeldMentions) {
        let documents = self.documents.len();
        self.documents.append(&mut other.documents);
        self.text.push_str(&other.text);
        let rows = other.rows.drain(..);
        self.rows.extend(rows.map(|row| HeldMention {
            document: row.document + documents,
            ..row
        }));
        self.index_statuses.append(&mut other.index_statuses);
        let rowless = other.rowless.drain(..);
        self.rowless.extend(rowless.map(|rowless| RowlessAnchor {
            document: rowless.document + documents,
            ..rowless
        }));
        other.clear();
    }

    /// Asks an index about the names of the rows that have no answer yet.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(crate) fn ask(&mut self, index: &mut RecentIndexStatuses<'_>) -> Result<(), Error> {
        let (asked, rest) = self.rows.split_at(self.index_statuses.len());
        let before: usize = asked.iter().flat_map(|row| row.texts).sum();
        let mut texts = &self.text[before..];
        let keys = rest.iter().map(|row| {
            let [key, ..] = row.texts.map(|length| cut_off(&mut texts, length));
            key
        });
        index.ask(&keys.collect::<Vec<_>>(), &mut self.index_statuses)
    }

    /// Returns the number of rows that can be written.
    pub(crate) fn ready(&self) -> u64 {
        match &self.edges {
            Some(edges) => edges.ready,
            None => self.rows.len() as u64,
        }
    }

    /// Returns the records that have ended.
    pub(crate) fn nodes(&self) -> &[NodeRow] {
        self.edges.as_ref().map_or(&[], |edges| &edges.nodes)
    }

    /// Returns the number of decided mentions.
    pub(crate) fn decided(&self) -> usize {
        match &self.edges {
            Some(edges) => edges.mentions,
            None => self.rows.len(),
        }
    }

    /// Moves the decided rows to `to`, which must be empty. The others, which may be many, are not moved.
    pub(crate) fn move_decided(&mut self, to: &mut HeldMentions) {
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
        let asked = decided.min(self.index_statuses.len());
        to.index_statuses.extend(self.index_statuses.drain(..asked));
        to.documents.clone_from(&self.documents);
        to.edges = self.edges.as_mut().map(std::mem::take);
    }

    /// Returns the memory of the rows in bytes, without data that they share.
    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity() + self.rows.len() * (size_of::<HeldMention>() + size_of::<EdgeRow>())
    }

    /// Calls `take` with each row and the index's answer about its name, if that was asked. All rows must be decided.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(MentionRow<'_>, Option<StoredIndexStatus>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut rest = self.text.as_str();
        let mut index_statuses = self.index_statuses.iter().copied();
        let mut mentions = self.rows.iter().map(|row| {
            let texts = row.texts.map(|length| cut_off(&mut rest, length));
            let row = row.mention(&self.documents[row.document], texts);
            (row, index_statuses.next())
        });
        let Some(edges) = &self.edges else {
            return mentions.try_for_each(|(row, index_status)| take(row, index_status));
        };
        let mut paths = edges.paths.reader();
        for row in &edges.rows {
            match row {
                EdgeRow::WithMention(place, value) => {
                    let edge = place.row(&mut paths, value.as_deref());
                    if let Some((row, index_status)) = mentions.next() {
                        take(MentionRow { edge, ..row }, index_status)?;
                    }
                }
                EdgeRow::LeftOut => drop(mentions.next()),
                EdgeRow::Stated(place, row) => {
                    let edge = place.row(&mut paths, row.value.as_deref());
                    take(row.mention(&self.documents[row.document], edge), None)?;
                }
            }
        }
        Ok(())
    }

    /// Removes all rows, and keeps a part of the memory for reuse.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.rows.shrink_to(RETAINED_ROWS);
        self.index_statuses.clear();
        self.index_statuses.shrink_to(RETAINED_ROWS);
        self.documents.clear();
        self.text.clear();
        self.text.shrink_to(RETAINED_TEXT_BYTES);
        self.rowless.clear();
        if let Some(edges) = &mut self.edges {
            edges.rows.clear();
            edges.rows.shrink_to(RETAINED_ROWS);
            edges.paths.clear();
            (edges.mentions, edges.ready) = (0, 0);
            edges.nodes.clear();
        }
    }
}

impl HeldEdges {
    /// Adds the row of the next mention, with its place.
    #[inline]
    pub(crate) fn push_mention(&mut self, edge: &Edge<'_>, value: Option<Box<StatedValue>>) {
        let place = self.place(edge);
        self.rows.push(EdgeRow::WithMention(place, value));
        self.mentions += 1;
        self.ready += 1;
    }

    /// Leaves out the next mention.
    pub(crate) fn leave_out(&mut self) {
        self.rows.push(EdgeRow::LeftOut);
        self.mentions += 1;
    }

    /// Adds a row that has no mention.
    pub(crate) fn push_stated(&mut self, edge: &Edge<'_>, row: Box<StatedRow>) {
        let place = self.place(edge);
        self.rows.push(EdgeRow::Stated(place, row));
        self.ready += 1;
    }

    /// Adds a record.
    pub(crate) fn push_node(&mut self, node: NodeRow) {
        self.nodes.push(node);
    }

    #[inline]
    fn place(&mut self, edge: &Edge<'_>) -> EdgePlace {
        let has_details = edge.item.is_some() || edge.fields.is_some();
        let details = || EdgeDetails {
            item: edge.item.cloned(),
            fields: edge.fields.cloned(),
        };
        EdgePlace {
            details: has_details.then(|| Box::new(details())),
            record: edge.record.cloned(),
            path: edge.path.map(|path| self.paths.push(path)),
            ref_index: edge.reference,
            role: edge.role,
            asserted: edge.asserted,
        }
    }
}

impl EdgePlace {
    /// Returns the fields of a row. `paths` rebuilds its path.
    fn row<'e>(
        &'e self,
        paths: &'e mut PathReader<'_>,
        value: Option<&'e StatedValue>,
    ) -> RowEdge<'e> {
        RowEdge {
            record: self.record.as_deref(),
            path: self.path.map(|path| paths.next(path)),
            ref_index: self.ref_index,
            role: self.role.name(),
            asserted: self.asserted,
            value: value.map(|value| &*value.value),
            doi_clean: value.and_then(|value| value.clean.as_deref()),
            changed: value.and_then(|value| value.changed.as_deref()),
            details: self.details.as_deref(),
        }
    }
}

impl StatedRow {
    fn mention<'a>(&'a self, document: &'a Document, edge: RowEdge<'a>) -> MentionRow<'a> {
        let around = self.around.each_ref().map(String::as_str);
        let key = &self.name.key;
        let place = (self.offset, self.length);
        mention_row(
            document,
            (key, self.name.form),
            place,
            (&self.text, around),
            edge,
        )
    }
}

/// Removes the first `length` bytes from `rest` and returns them.
fn cut_off<'t>(rest: &mut &'t str, length: usize) -> &'t str {
    let (text, after) = rest.split_at(length);
    *rest = after;
    text
}

impl HeldMention {
    /// Returns the row of the mention, without its place.
    fn mention<'a>(&self, document: &'a Document, texts: [&'a str; 4]) -> MentionRow<'a> {
        let [key, text, before, after] = texts;
        MentionRow {
            guessed: self.guessed,
            ..mention_row(
                document,
                (key, self.form),
                (self.offset, self.length),
                (text, [before, after]),
                RowEdge::default(),
            )
        }
    }
}

/// Builds the row of a name whose end is not guessed, from its form, its offset and length, its text as written, and the texts
/// around it.
fn mention_row<'a>(
    document: &'a Document,
    (doi, form): (&'a str, Form),
    (offset, length): (u64, u64),
    (text, [before, after]): (&'a str, [&'a str; 2]),
    edge: RowEdge<'a>,
) -> MentionRow<'a> {
    let document_index = document.index();
    let capture = document.capture.as_deref();
    MentionRow {
        doi,
        form,
        source: &document.source,
        document: document.name.as_deref(),
        offset,
        length,
        text,
        guessed: false,
        before,
        after,
        document_index,
        part_index: document.id.document - document_index,
        warc_record_id: capture.and_then(|capture| capture.id.as_deref()),
        date: capture.and_then(|capture| capture.date.as_deref()),
        column: document.column.as_deref(),
        known: None,
        agency: None,
        retracted: None,
        edge,
    }
}
