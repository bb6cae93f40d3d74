//! The mentions that one thread collects before it adds them to the table.
//!
//! A batch owns copies of its mentions, adds up repeated keys within a document, and groups its rows by shard, so that the
//! table locks each shard once per batch.

use std::sync::Arc;

use doisift_core::Mention;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::facts::{FirstText, MentionPlace, Update};
use super::{CountedUnit, Document, DocumentId, StoredFields};
use crate::records::Forms;

/// Rows at which a batch is full. This many rows and their strings fit the cache of a core.
const MAX_BATCH_ROWS: usize = 4096;
/// Bytes of keys and texts at which a batch is full.
const MAX_BATCH_BYTES: usize = 1 << 20;
/// Slots of the small cache that finds repeated keys within a batch.
const RECENT_SLOTS: usize = 1024;
/// Number of bytes after `10.` whose case fits into a row. A text with later upper-case letters is stored.
const MAX_CASED_BYTES: usize = 40;

/// The mentions that one thread collects before it adds them to the table; reused.
///
/// It may hold mentions of many documents. [`close`](Self::close) marks the end of a document that only this thread scanned, at
/// no cost. A document that several threads scan is ended by [`NameTable::close`](super::NameTable::close).
pub(crate) struct Batch {
    stored_fields: StoredFields,
    /// The table's seed for hashes of keys.
    seed: u64,
    rows: Vec<BatchRow>,
    /// Keys, texts that differ from their key in more than case, and names of documents.
    bytes: Vec<u8>,
    parts: Vec<DocumentRows>,
    pub(super) sources: Vec<(u32, Arc<str>)>,
    /// The unit of each source in the order of the parts, and of each document in several parts.
    units: Vec<CountedUnit>,
    /// Row numbers sorted by shard, and the start of each shard in them.
    grouped: Vec<u32>,
    starts: Vec<u32>,
    /// The document that was not finished when the batch was last absorbed.
    carried: Option<DocumentId>,
    /// The carried document, once it has ended. The table keeps it open until this batch is absorbed again.
    pub(super) closing: Option<DocumentId>,
    recent: Box<[u32; RECENT_SLOTS]>,
    /// Bytes of memory that the table counts for this batch.
    pub(super) reported: usize,
}

/// Mentions of one key in one document.
pub(super) struct BatchRow {
    pub(super) hash: u64,
    offset: u64,
    /// The letters that are in upper case in the text, as bits; unused if the text is stored.
    letters: u64,
    /// Offset of the key in the batch's bytes. The stored text follows it.
    at: u32,
    key: u32,
    /// Length of the stored text; `u32::MAX` if no text is stored.
    text: u32,
    part: u32,
    mentions: u32,
    forms: Forms,
    guessed: bool,
}

impl BatchRow {
    /// Creates a row for one mention of the key of `len` bytes at `at`.
    fn new(hash: u64, at: usize, len: usize) -> Self {
        BatchRow {
            hash,
            offset: 0,
            letters: 0,
            at: at as u32,
            key: len as u32,
            text: u32::MAX,
            part: 0,
            mentions: 1,
            forms: Forms::default(),
            guessed: false,
        }
    }

    /// Returns the number of mentions.
    pub(super) fn mentions(&self) -> u64 {
        self.mentions.into()
    }
}

/// Consecutive rows of one document.
struct DocumentRows {
    id: DocumentId,
    /// The number under which the document is counted.
    counted: DocumentId,
    name: Option<(u32, u32)>,
    /// Whether the document ended with these rows.
    closed: bool,
}

impl Batch {
    /// Creates an empty batch for a table that stores `stored_fields`, and hashes keys with `seed`.
    pub(super) fn new(stored_fields: StoredFields, seed: u64) -> Self {
        Batch {
            stored_fields,
            seed,
            rows: Vec::new(),
            bytes: Vec::new(),
            parts: Vec::new(),
            sources: Vec::new(),
            units: Vec::new(),
            grouped: Vec::new(),
            starts: Vec::new(),
            carried: None,
            closing: None,
            recent: Box::new([0; RECENT_SLOTS]),
            reported: 0,
        }
    }

    /// Returns the bytes of memory that the batch holds.
    pub(super) fn held_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<BatchRow>()
            + self.bytes.capacity()
            + self.parts.capacity() * size_of::<DocumentRows>()
            + (self.grouped.capacity() + self.starts.capacity() + RECENT_SLOTS) * size_of::<u32>()
    }

    /// Adds a mention of `document`.
    pub(crate) fn push(&mut self, document: &Document, mention: &Mention<'_>) {
        let (part, offset) = match self.stored_fields {
            StoredFields::All => (self.part(document), mention.offset),
            StoredFields::Count | StoredFields::Key => (0, 0),
        };
        let key = mention.key.as_bytes();
        let hash = xxh3_64_with_seed(key, self.seed);
        match self.recent(hash, key, part, offset) {
            Some(row) => {
                row.mentions += 1;
                row.forms |= Forms::from(mention.form);
                row.guessed &= mention.guessed;
            }
            None => self.add(part, hash, mention),
        }
    }

    /// Adds a mention of a key that may be any bytes. Only for a table that keeps the number of mentions.
    pub(crate) fn count(&mut self, key: &[u8]) {
        let hash = xxh3_64_with_seed(key, self.seed);
        match self.recent(hash, key, 0, 0) {
            Some(row) => row.mentions += 1,
            None => {
                let at = self.bytes.len();
                self.bytes.extend_from_slice(key);
                self.rows.push(BatchRow::new(hash, at, key.len()));
            }
        }
    }

    /// Marks the end of `document`. All its mentions must have been pushed to this batch, without mentions of other documents
    /// between them.
    pub(crate) fn close(&mut self, document: &DocumentId) {
        if let Some(part) = self.parts.last_mut().filter(|r| r.id == *document) {
            part.closed = true;
        }
        if self.carried == Some(*document) {
            self.closing = self.carried.take();
        }
    }

    /// Whether the batch should be passed to [`NameTable::absorb`](super::NameTable::absorb).
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= MAX_BATCH_ROWS || self.bytes.len() >= MAX_BATCH_BYTES
    }

    /// Returns the number of the part for mentions of `document`: the current part, or a new one.
    fn part(&mut self, document: &Document) -> u32 {
        if self.parts.last().is_none_or(|r| r.id != document.id) {
            self.begin(document);
        }
        self.parts.len() as u32 - 1
    }

    fn begin(&mut self, document: &Document) {
        let id = document.id;
        if self.sources.last().is_none_or(|(s, _)| *s != id.source) {
            self.sources.push((id.source, Arc::clone(&document.source)));
            self.units.push(document.of_source.clone());
        }
        let whole = document.of_whole.as_ref();
        let counted = whole.map_or(id, CountedUnit::id);
        let is_last = |part: &DocumentRows| part.counted == counted;
        if let Some(whole) = whole.filter(|_| !self.parts.last().is_some_and(is_last)) {
            self.units.push(whole.clone());
        }
        let name = document.name.as_deref().map(|name| {
            let at = self.bytes.len() as u32;
            self.bytes.extend_from_slice(name.as_bytes());
            (at, name.len() as u32)
        });
        self.parts.push(DocumentRows {
            id,
            counted,
            name,
            // A document in several parts is open as long as its unit is.
            closed: whole.is_some(),
        });
    }

    /// Returns a recent row with this key to which a mention can be added. Otherwise returns `None` and marks the next row as
    /// recent.
    fn recent(&mut self, hash: u64, key: &[u8], part: u32, offset: u64) -> Option<&mut BatchRow> {
        let slot = (hash >> 20) as usize % RECENT_SLOTS;
        let number = self.recent[slot] as usize;
        let repeats = self.rows.get(number).is_some_and(|row| {
            row.hash == hash
                && row.part == part
                && row.offset <= offset
                && row.mentions < u32::MAX
                && self.key(row) == key
        });
        if repeats {
            return self.rows.get_mut(number);
        }
        self.recent[slot] = self.rows.len() as u32;
        None
    }

    fn add(&mut self, part: u32, hash: u64, mention: &Mention<'_>) {
        let at = self.bytes.len();
        let key = mention.key.as_bytes();
        self.bytes.extend_from_slice(key);
        let letters = match self.stored_fields {
            StoredFields::All => upper_case(key, mention.text),
            StoredFields::Count | StoredFields::Key => Some(0),
        };
        let text = match letters {
            Some(_) => u32::MAX,
            None => self.add_text(mention.text),
        };
        self.rows.push(BatchRow {
            offset: mention.offset,
            letters: letters.unwrap_or(0),
            text,
            part,
            forms: Forms::from(mention.form),
            guessed: mention.guessed,
            ..BatchRow::new(hash, at, key.len())
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
    pub(super) fn key(&self, row: &BatchRow) -> &[u8] {
        &self.bytes[row.at as usize..][..row.key as usize]
    }

    fn text(&self, row: &BatchRow) -> FirstText<'_> {
        match row.text {
            u32::MAX => FirstText::Cased(row.letters),
            length => {
                FirstText::Other(&self.bytes[(row.at + row.key) as usize..][..length as usize])
            }
        }
    }

    fn name(&self, part: &DocumentRows) -> Option<&[u8]> {
        part.name
            .map(|(at, length)| &self.bytes[at as usize..][..length as usize])
    }

    /// Returns the update of a key's fact by a row. Only for a table that keeps all fields.
    pub(super) fn update(&self, row: &BatchRow) -> Update<'_> {
        let part = &self.parts[row.part as usize];
        Update {
            text: self.text(row),
            name: self.name(part),
            place: MentionPlace {
                document: part.id,
                offset: row.offset,
            },
            counted: part.counted,
            mentions: row.mentions,
            forms: row.forms,
            guessed: row.guessed,
        }
    }

    /// Sorts the rows by shard; rows of one shard keep their order.
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

    /// Returns the numbers of the rows of one shard. [`group`](Self::group) must be called first.
    pub(super) fn rows_of(&self, shard: usize) -> &[u32] {
        &self.grouped[self.starts[shard] as usize..self.starts[shard + 1] as usize]
    }

    #[inline]
    pub(super) fn row(&self, number: u32) -> &BatchRow {
        &self.rows[number as usize]
    }

    /// Returns the documents that later batches, or batches of other threads, may mention again.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = DocumentId> {
        self.parts.iter().filter(|r| !r.closed).map(|r| r.id)
    }

    /// Returns the sources, and the documents in several parts, that later batches, or batches of other threads, may mention
    /// again.
    pub(super) fn shared_units(&self) -> impl Iterator<Item = &CountedUnit> {
        // A unit that occurs twice, with others between, is held twice and so counts as shared.
        self.units.iter().filter(|unit| unit.is_shared())
    }

    /// Empties it for reuse.
    pub(super) fn clear(&mut self) {
        if let Some(part) = self.parts.last() {
            self.carried = (!part.closed).then_some(part.id);
        }
        self.rows.clear();
        self.bytes.clear();
        self.parts.clear();
        self.sources.clear();
        self.units.clear();
        self.closing = None;
        self.recent.fill(0);
    }
}

/// Returns the key of a name without its `10.`.
fn after_directory(key: &[u8]) -> &[u8] {
    key.get(3..).unwrap_or(key)
}

/// Returns the letters that are in upper case in `text`, as bits counted from the byte after `10.`. Returns `None` if `key` and
/// `text` differ in anything else, or in letters beyond [`MAX_CASED_BYTES`].
fn upper_case(key: &[u8], text: &[u8]) -> Option<u64> {
    if key == text {
        return Some(0);
    }
    if key.len() != text.len() || !key.eq_ignore_ascii_case(text) {
        return None;
    }
    let differs = |(key, text): (&u8, &u8)| key != text;
    let letters = after_directory(key).iter().zip(after_directory(text));
    let later = letters.clone().skip(MAX_CASED_BYTES).any(differs);
    let bits = letters.take(MAX_CASED_BYTES).enumerate();
    let bits = bits.fold(0, |bits, (at, pair)| bits | u64::from(differs(pair)) << at);
    (!later && key[..key.len().min(3)] == text[..text.len().min(3)]).then_some(bits)
}
