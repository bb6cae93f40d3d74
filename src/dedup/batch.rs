//! One thread's mentions on their way into the table.
//!
//! Copies what a mention borrows, adds up repeats within a document, and groups by shard, so that the table takes each lock
//! once per batch.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::facts::{Place, Text};
use super::shard::{Update, behind_directory};
use super::{Document, DocumentId, Kept};
use crate::records::Forms;
use crate::scan::Mention;

/// Rows after which a batch is full: they and their bytes stay within a core's cache.
const ROWS: usize = 4096;
/// Bytes of names and texts after which a batch is full.
const BYTES: usize = 1 << 20;
/// Slots that find a repeated key within a batch.
const RECENT: usize = 1024;
/// Bytes of a key behind `10.` whose case a row can carry in place of the text.
const CASED: usize = 40;

/// One thread's mentions on their way into the table; reused.
///
/// It may hold mentions of many documents. [`close`](Self::close) tells it where one ends that this thread scanned alone,
/// which costs nothing; for a document shared between threads there is [`Table::close`](super::Table::close).
pub(crate) struct Batch {
    kept: Kept,
    rows: Vec<Row>,
    /// Keys, texts that differ from their key by more than case, and names of documents.
    bytes: Vec<u8>,
    runs: Vec<Run>,
    pub(super) sources: Vec<(u32, Arc<str>)>,
    /// Row indices in order of shard, and where each shard's part starts.
    grouped: Vec<u32>,
    starts: Vec<u32>,
    /// The document that was handed over unfinished.
    carried: Option<DocumentId>,
    /// It, once it ended: the table has it open until the next handover.
    pub(super) closing: Option<DocumentId>,
    recent: Box<[u32; RECENT]>,
    /// Bytes of memory that the table was told of.
    pub(super) told: usize,
}

/// Mentions of one key in one document.
pub(super) struct Row {
    pub(super) hash: u64,
    offset: u64,
    /// The letters of the key that the text has in upper case, unless the text is stored.
    letters: u64,
    /// Where key and text start in the batch's bytes.
    at: u32,
    key: u32,
    /// Length of the stored text; `u32::MAX` if none is.
    text: u32,
    run: u32,
    mentions: u32,
    forms: Forms,
    guessed: bool,
}

/// Rows of one document that were pushed without another document between.
struct Run {
    id: DocumentId,
    name: Option<(u32, u32)>,
    /// The document ended with this run.
    closed: bool,
}

impl Batch {
    /// An empty batch for a table that keeps `kept`.
    pub(super) fn new(kept: Kept) -> Self {
        Batch {
            kept,
            rows: Vec::new(),
            bytes: Vec::new(),
            runs: Vec::new(),
            sources: Vec::new(),
            grouped: Vec::new(),
            starts: Vec::new(),
            carried: None,
            closing: None,
            recent: Box::new([0; RECENT]),
            told: 0,
        }
    }

    /// Bytes of memory it holds.
    pub(super) fn held(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
            + self.bytes.capacity()
            + self.runs.capacity() * size_of::<Run>()
            + (self.grouped.capacity() + self.starts.capacity() + RECENT) * size_of::<u32>()
    }

    /// Adds a mention that stands in `document`.
    pub(crate) fn push(&mut self, document: &Document, mention: &Mention<'_>) {
        let (run, offset) = match self.kept {
            Kept::All => (self.run(document), mention.offset),
            Kept::Key => (0, 0),
        };
        let key = mention.key.as_bytes();
        let hash = xxh3_64(key);
        let recent = (hash >> 20) as usize % RECENT;
        let seen = self.recent[recent] as usize;
        if self.repeats(seen, hash, key, run, offset) {
            let row = &mut self.rows[seen];
            row.mentions += 1;
            row.forms |= Forms::from(mention.form);
            row.guessed &= mention.guessed;
            return;
        }
        self.recent[recent] = self.rows.len() as u32;
        self.add(run, hash, mention);
    }

    /// `document` ends here: all its mentions were pushed through this batch, with no other document's between them.
    pub(crate) fn close(&mut self, document: &DocumentId) {
        if let Some(run) = self.runs.last_mut().filter(|r| r.id == *document) {
            run.closed = true;
        }
        if self.carried == Some(*document) {
            self.closing = self.carried.take();
        }
    }

    /// Whether it is time to hand over to [`Table::absorb`](super::Table::absorb).
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= ROWS || self.bytes.len() >= BYTES
    }

    /// The run that `document`'s mentions go into: the current one, or a new one.
    fn run(&mut self, document: &Document) -> u32 {
        if self.runs.last().is_none_or(|r| r.id != document.id) {
            self.begin(document);
        }
        self.runs.len() as u32 - 1
    }

    fn begin(&mut self, document: &Document) {
        let id = document.id;
        if self.sources.last().is_none_or(|(s, _)| *s != id.source) {
            self.sources.push((id.source, Arc::clone(&document.source)));
        }
        let name = document.name.as_deref().map(|name| {
            let at = self.bytes.len() as u32;
            self.bytes.extend_from_slice(name.as_bytes());
            (at, name.len() as u32)
        });
        self.runs.push(Run {
            id,
            name,
            closed: false,
        });
    }

    fn repeats(&self, seen: usize, hash: u64, key: &[u8], run: u32, offset: u64) -> bool {
        self.rows.get(seen).is_some_and(|row| {
            row.hash == hash
                && row.run == run
                && row.offset <= offset
                && row.mentions < u32::MAX
                && self.key(row) == key
        })
    }

    fn add(&mut self, run: u32, hash: u64, mention: &Mention<'_>) {
        let at = self.bytes.len();
        let key = mention.key.as_bytes();
        self.bytes.extend_from_slice(key);
        let letters = match self.kept {
            Kept::All => upper_case(key, mention.text),
            Kept::Key => Some(0),
        };
        let text = match letters {
            Some(_) => u32::MAX,
            None => self.add_text(mention.text),
        };
        self.rows.push(Row {
            hash,
            offset: mention.offset,
            letters: letters.unwrap_or(0),
            at: at as u32,
            key: key.len() as u32,
            text,
            run,
            mentions: 1,
            forms: Forms::from(mention.form),
            guessed: mention.guessed,
        });
    }

    fn add_text(&mut self, text: &[u8]) -> u32 {
        let before = self.bytes.len();
        for part in text.utf8_chunks() {
            self.bytes.extend_from_slice(part.valid().as_bytes());
            if !part.invalid().is_empty() {
                self.bytes.extend_from_slice("\u{fffd}".as_bytes());
            }
        }
        (self.bytes.len() - before) as u32
    }

    #[inline]
    pub(super) fn key(&self, row: &Row) -> &[u8] {
        &self.bytes[row.at as usize..][..row.key as usize]
    }

    fn text(&self, row: &Row) -> Text<'_> {
        match row.text {
            u32::MAX => Text::Cased(row.letters),
            length => Text::Other(&self.bytes[(row.at + row.key) as usize..][..length as usize]),
        }
    }

    fn name(&self, run: &Run) -> Option<&[u8]> {
        run.name
            .map(|(at, length)| &self.bytes[at as usize..][..length as usize])
    }

    /// What a row adds to its key's fact, in a batch for a table that keeps all.
    pub(super) fn update(&self, row: &Row) -> Update<'_> {
        let run = &self.runs[row.run as usize];
        Update {
            text: self.text(row),
            name: self.name(run),
            place: Place {
                document: run.id,
                offset: row.offset,
            },
            mentions: row.mentions,
            forms: row.forms,
            guessed: row.guessed,
        }
    }

    /// Sorts the rows by shard, keeping their order within it.
    pub(super) fn group(&mut self, shards: usize, shard: impl Fn(u64) -> usize) {
        self.starts.clear();
        self.starts.resize(shards + 1, 0);
        for row in &self.rows {
            self.starts[shard(row.hash)] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.grouped.clear();
        self.grouped.resize(self.rows.len(), 0);
        for (index, row) in self.rows.iter().enumerate().rev() {
            let start = &mut self.starts[shard(row.hash)];
            *start -= 1;
            self.grouped[*start as usize] = index as u32;
        }
    }

    /// The rows of one shard by number, once grouped.
    pub(super) fn part(&self, shard: usize) -> &[u32] {
        &self.grouped[self.starts[shard] as usize..self.starts[shard + 1] as usize]
    }

    #[inline]
    pub(super) fn row(&self, number: u32) -> &Row {
        &self.rows[number as usize]
    }

    /// The documents that later batches, or other threads' ones, may mention again.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = DocumentId> {
        self.runs.iter().filter(|r| !r.closed).map(|r| r.id)
    }

    /// Empties it for reuse.
    pub(super) fn clear(&mut self) {
        if let Some(run) = self.runs.last() {
            self.carried = (!run.closed).then_some(run.id);
        }
        self.rows.clear();
        self.bytes.clear();
        self.runs.clear();
        self.sources.clear();
        self.closing = None;
        self.recent.fill(0);
    }
}

/// The letters of `key`, counted from behind `10.`, that `text` has in upper case, if they differ in nothing else.
fn upper_case(key: &[u8], text: &[u8]) -> Option<u64> {
    if key == text {
        return Some(0);
    }
    if key.len() != text.len() || !key.eq_ignore_ascii_case(text) {
        return None;
    }
    let differs = |(key, text): (&u8, &u8)| key != text;
    let letters = behind_directory(key).iter().zip(behind_directory(text));
    let behind = letters.clone().skip(CASED).any(differs);
    let bits = letters.take(CASED).enumerate();
    let bits = bits.fold(0, |bits, (at, pair)| bits | u64::from(differs(pair)) << at);
    (!behind && key[..key.len().min(3)] == text[..text.len().min(3)]).then_some(bits)
}
