//! Mentions that are held until they are written.

use std::borrow::Cow;

use super::sink::Sink;
use crate::dedup::Document;
use crate::error::Error;
use crate::records::{MentionRow, RowEdge};
use crate::scan::around;
use crate::scan::{Form, Mention};
use crate::structure::{Edge, Role};

/// The mentions that one piece of work found, in order.
#[derive(Default)]
pub(super) struct HeldMentions {
    rows: Vec<HeldMention>,
    documents: Vec<Document>,
    text: String,
    /// The places of the first rows. If rows have places, those without are not decided.
    edges: Option<HeldEdges>,
    /// The offsets and keys of mentions that have no row, but may identify a record.
    rowless: Vec<(u64, Box<str>)>,
}

#[derive(Default)]
pub(super) struct HeldEdges {
    rows: Vec<HeldEdge>,
    text: String,
}

/// A mention whose place is not known.
pub(super) struct Unplaced<'h> {
    pub(super) offset: u64,
    pub(super) key: Cow<'h, str>,
    pub(super) has_row: bool,
}

/// The place of a mention. Its record and path are the next bytes in the text of all places.
struct HeldEdge {
    record: Option<usize>,
    path: Option<usize>,
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
pub(super) struct Around<'b> {
    pub(super) before: &'b [u8],
    pub(super) after: &'b [u8],
    /// The most bytes of each whose text the row has.
    pub(super) most: usize,
}

impl<'b> Around<'b> {
    /// The bytes of a chunk around a mention. The chunk starts at `offset` of the document.
    pub(super) fn new(chunk: &'b [u8], offset: u64, mention: &Mention<'_>, most: usize) -> Self {
        if most == 0 {
            return Around::default();
        }
        let start = (mention.offset - offset) as usize;
        Around {
            before: &chunk[..start],
            after: &chunk[start + mention.text.len()..],
            most,
        }
    }
}

impl HeldMentions {
    pub(super) fn push(&mut self, document: &Document, mention: &Mention<'_>, around: Around<'_>) {
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
        around::before(around.before, around.most, text);
        let before = length(text);
        around::after(around.after, around.most, text);
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
            let [key, ..] = row.texts.map(|length| take(&mut rest, length));
            Unplaced {
                offset: row.offset,
                key: key.into(),
                has_row: true,
            }
        });
        let rowless = self.rowless.drain(..).map(|(offset, key)| Unplaced {
            offset,
            key: String::from(key).into(),
            has_row: false,
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
        self.rowless.append(&mut other.rowless);
        other.clear();
    }

    /// The number of rows that are decided.
    pub(super) fn decided(&self) -> usize {
        match &self.edges {
            Some(edges) => edges.rows.len(),
            None => self.rows.len(),
        }
    }

    /// Moves the rows that are decided to `to`, which is empty.
    pub(super) fn move_decided(&mut self, to: &mut HeldMentions) {
        let decided = self.decided();
        std::mem::swap(self, to);
        self.edges = to.edges.as_ref().map(|_| HeldEdges::default());
        if decided < to.rows.len() {
            let texts = to.rows[..decided].iter().flat_map(|row| row.texts);
            self.text = to.text.split_off(texts.sum());
            self.rows = to.rows.split_off(decided);
            self.documents.clone_from(&to.documents);
        }
    }

    /// Writes all rows that are decided, and removes them, also if that fails.
    pub(super) fn write(&mut self, sink: &mut Sink<'_>) -> Result<(), Error> {
        if self.decided() < self.rows.len() {
            let mut decided = HeldMentions::default();
            self.move_decided(&mut decided);
            return decided.write(sink);
        }
        let written = self.write_all(sink);
        self.clear();
        written
    }

    fn write_all(&self, sink: &mut Sink<'_>) -> Result<(), Error> {
        let mut rest = self.text.as_str();
        let mut places = self.edges.iter().flat_map(HeldEdges::places);
        for row in &self.rows {
            let texts = row.texts.map(|length| take(&mut rest, length));
            let edge = places.next().unwrap_or_default();
            sink.mention(&row.mention(&self.documents[row.document], texts, edge))?;
        }
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.documents.clear();
        self.text.clear();
        self.rowless.clear();
        if let Some(edges) = &mut self.edges {
            edges.rows.clear();
            edges.text.clear();
        }
    }
}

impl HeldEdges {
    /// Adds the place of the first row that has none.
    pub(super) fn push(&mut self, edge: &Edge<'_>) {
        let texts = [edge.record, edge.path];
        let present = texts.into_iter().flatten();
        present.for_each(|text| self.text.push_str(text));
        let [record, path] = texts.map(|text| text.map(str::len));
        self.rows.push(HeldEdge {
            record,
            path,
            ref_index: edge.reference,
            role: edge.role,
            asserted: edge.asserted,
        });
    }

    fn places(&self) -> impl Iterator<Item = RowEdge<'_>> {
        let mut rest = self.text.as_str();
        self.rows.iter().map(move |row| RowEdge {
            record: row.record.map(|length| take(&mut rest, length)),
            path: row.path.map(|length| take(&mut rest, length)),
            ref_index: row.ref_index,
            role: row.role.name(),
            asserted: row.asserted,
        })
    }
}

/// Cuts the first `length` bytes off.
fn take<'t>(rest: &mut &'t str, length: usize) -> &'t str {
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
        }
    }
}
