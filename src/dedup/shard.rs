//! One part of the table: an index of hashes, fixed-size entries, and an arena for what has a length.
//!
//! Everything here happens under the shard's lock. Equality of keys is always decided by their bytes.

use std::collections::HashMap;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as IndexEntry;

use super::DocumentId;
use super::arena::{Arena, At, stored};
use crate::records::Forms;

/// Replaced bytes below which an arena is not rewritten.
const GARBAGE: usize = 1 << 20;

/// Every key starts with `10.`, so comparing and sorting begin behind it.
pub(super) fn behind_directory(key: &[u8]) -> &[u8] {
    key.get(3..).unwrap_or(key)
}

/// Where a mention stands: compares in (source order, document order, offset).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) document: DocumentId,
    pub(super) offset: u64,
}

/// What is to be added to a key's entry.
pub(super) struct Update<'a> {
    pub(super) hash: u64,
    pub(super) key: &'a [u8],
    /// The text as found, if it differs from the key.
    pub(super) text: Option<&'a [u8]>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) place: Place,
    pub(super) mentions: u32,
    pub(super) forms: Forms,
    pub(super) guessed: bool,
}

/// A record in the table.
// Packed to 60 bytes, since there are hundreds of millions of them.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Entry {
    mentions: u64,
    documents: u64,
    offset: u64,
    /// The first mention's document, and the one that was counted last.
    document: u64,
    last_document: u64,
    source: u32,
    last_source: u32,
    /// Key and, with `HAS_TEXT`, text of the first mention.
    key: At,
    /// With `HAS_NAME`, name of the first mention's document.
    name: At,
    forms: Forms,
    flags: u8,
}

const HAS_TEXT: u8 = 1;
const HAS_NAME: u8 = 2;
const GUESSED: u8 = 4;
/// Other documents than the last one are open: see `Shard::open`.
const MORE_OPEN: u8 = 8;

/// The entry's number, and enough of its hash to place it without looking at the entry.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    entry: u32,
}

/// One part of the table.
#[derive(Default)]
pub(super) struct Shard {
    index: HashTable<Slot>,
    entries: Vec<Entry>,
    arena: Arena,
    /// Bytes of the arena that were replaced.
    garbage: usize,
    /// For entries with `MORE_OPEN`: counted documents that may be mentioned again, beside the last one.
    open: HashMap<u32, Vec<DocumentId>>,
    /// The document whose name was stored last: neighbours in a batch share it.
    named: Option<(DocumentId, At)>,
    /// Entries that updates seem to belong to, with their keys; empty between calls.
    likely: Vec<(u32, At)>,
}

/// A record as the shard holds it.
pub(super) struct Held<'a> {
    pub(super) key: &'a [u8],
    pub(super) text: &'a [u8],
    pub(super) name: Option<&'a [u8]>,
    pub(super) place: Place,
    pub(super) mentions: u64,
    pub(super) documents: u64,
    pub(super) forms: Forms,
    pub(super) guessed: bool,
}

impl Entry {
    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn set(&mut self, flag: u8, on: bool) {
        self.flags = if on {
            self.flags | flag
        } else {
            self.flags & !flag
        };
    }

    fn place(&self) -> Place {
        Place {
            document: DocumentId {
                source: self.source,
                document: self.document,
            },
            offset: self.offset,
        }
    }

    fn set_place(&mut self, place: Place) {
        self.source = place.document.source;
        self.document = place.document.document;
        self.offset = place.offset;
    }

    fn last(&self) -> DocumentId {
        DocumentId {
            source: self.last_source,
            document: self.last_document,
        }
    }

    fn set_last(&mut self, document: DocumentId) {
        self.last_source = document.source;
        self.last_document = document.document;
    }
}

/// Spreads the half of a hash that is kept over the bits that the index looks at, the highest and the lowest.
fn spread(half: u32) -> u64 {
    u64::from(half) << 32 | u64::from(half)
}

impl Shard {
    /// Adds each of `updates` to its key's entry. `open` holds the documents that may be mentioned again.
    ///
    /// Index, entry and key lie in three places that are seldom in cache. Each is visited for all updates before the next,
    /// so that the processor waits for many of them at a time: twice as fast with a million names.
    pub(super) fn add_all<'a>(
        &mut self,
        updates: impl Iterator<Item = Update<'a>> + Clone,
        open: &[DocumentId],
    ) {
        let mut likely = std::mem::take(&mut self.likely);
        likely.clear();
        likely.extend(
            updates
                .clone()
                .map(|update| self.likely(update.hash as u32)),
        );
        for (entry, key) in &mut likely {
            *key = self
                .entries
                .get(*entry as usize)
                .map_or(*key, |entry| entry.key);
        }
        for (update, &(entry, key)) in updates.zip(&likely) {
            // A rewritten arena or a key added just now makes the guess wrong; then it is looked up again.
            let known = self
                .entries
                .get(entry as usize)
                .is_some_and(|e| e.key == key);
            if known && behind_directory(self.arena.get(key)) == behind_directory(update.key) {
                self.unite(entry, &update, open);
            } else {
                self.add(&update, open);
            }
        }
        self.likely = likely;
    }

    /// Number of the entry that has this hash, if any, and room for its key.
    fn likely(&self, hash: u32) -> (u32, At) {
        let slot = self.index.find(spread(hash), |slot| slot.hash == hash);
        (slot.map_or(u32::MAX, |slot| slot.entry), At::default())
    }

    fn add(&mut self, update: &Update<'_>, open: &[DocumentId]) {
        let hash = update.hash as u32;
        let key = behind_directory(update.key);
        let (entries, arena) = (&self.entries, &self.arena);
        let same = |slot: &Slot| {
            slot.hash == hash
                && behind_directory(arena.get(entries[slot.entry as usize].key)) == key
        };
        match self
            .index
            .entry(spread(hash), same, |slot| spread(slot.hash))
        {
            IndexEntry::Occupied(slot) => {
                let at = slot.get().entry;
                self.unite(at, update, open);
            }
            IndexEntry::Vacant(slot) => {
                slot.insert(Slot {
                    hash,
                    entry: self.entries.len() as u32,
                });
                self.insert(update);
            }
        }
    }

    fn insert(&mut self, update: &Update<'_>) {
        let mut entry = Entry {
            mentions: update.mentions.into(),
            documents: 1,
            offset: 0,
            document: 0,
            last_document: 0,
            source: 0,
            last_source: 0,
            key: self.store_key(update),
            name: At::default(),
            forms: update.forms,
            flags: 0,
        };
        entry.set(GUESSED, update.guessed);
        entry.set(HAS_TEXT, update.text.is_some());
        entry.set_last(update.place.document);
        self.set_first(&mut entry, update);
        self.entries.push(entry);
    }

    fn unite(&mut self, at: u32, update: &Update<'_>, open: &[DocumentId]) {
        let entry = &mut self.entries[at as usize];
        entry.mentions += u64::from(update.mentions);
        entry.forms |= update.forms;
        entry.flags &= if update.guessed { !0 } else { !GUESSED };
        let (earlier, counted) = (
            update.place < entry.place(),
            update.place.document == entry.last(),
        );
        if !counted {
            self.count(at, update.place.document, open);
        }
        if earlier {
            self.replace_first(at, update);
        }
    }

    /// Counts `document` for an entry unless it was.
    fn count(&mut self, at: u32, document: DocumentId, open: &[DocumentId]) {
        let entry = &mut self.entries[at as usize];
        let last = entry.last();
        if entry.has(MORE_OPEN)
            && self
                .open
                .get(&at)
                .is_some_and(|list| list.contains(&document))
        {
            return;
        }
        entry.documents += 1;
        entry.set_last(document);
        if !is_open(open, last) {
            return;
        }
        entry.set(MORE_OPEN, true);
        let list = self.open.entry(at).or_default();
        list.retain(|&d| is_open(open, d));
        list.push(last);
    }

    fn replace_first(&mut self, at: u32, update: &Update<'_>) {
        let mut entry = self.entries[at as usize];
        let (key, text) = self.arena.pair_if(entry.key, entry.has(HAS_TEXT));
        if text != update.text {
            self.garbage += stored(key.len()) + text.map_or(0, |t| stored(t.len()));
            entry.key = self.store_key(update);
            entry.set(HAS_TEXT, update.text.is_some());
        }
        if entry.has(HAS_NAME) {
            self.garbage += stored(self.arena.get(entry.name).len());
        }
        self.set_first(&mut entry, update);
        self.entries[at as usize] = entry;
        if self.garbage > GARBAGE.max(self.arena.bytes() / 2) {
            self.compact();
        }
    }

    fn store_key(&mut self, update: &Update<'_>) -> At {
        match update.text {
            Some(text) => self.arena.push_pair(update.key, text),
            None => self.arena.push(update.key),
        }
    }

    fn set_first(&mut self, entry: &mut Entry, update: &Update<'_>) {
        entry.set_place(update.place);
        entry.set(HAS_NAME, update.name.is_some());
        if let Some(name) = update.name {
            entry.name = match self.named {
                Some((document, at)) if document == update.place.document => at,
                _ => self.arena.push(name),
            };
            self.named = Some((update.place.document, entry.name));
        }
    }

    /// Copies what is still in use into a new arena.
    fn compact(&mut self) {
        let mut arena = Arena::default();
        let mut copied = None;
        for entry in &mut self.entries {
            let (key, text) = self.arena.pair_if(entry.key, entry.has(HAS_TEXT));
            entry.key = match text {
                Some(text) => arena.push_pair(key, text),
                None => arena.push(key),
            };
            if !entry.has(HAS_NAME) {
                continue;
            }
            let old = entry.name;
            entry.name = match copied {
                Some((from, to)) if from == old => to,
                _ => arena.push(self.arena.get(old)),
            };
            copied = Some((old, entry.name));
        }
        self.arena = arena;
        self.garbage = 0;
        self.named = None;
    }

    /// Gives the index back: from now on entries are only read.
    pub(super) fn seal(&mut self) {
        self.index = HashTable::new();
        self.open = HashMap::new();
    }

    /// Number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// An entry's key.
    pub(super) fn key(&self, entry: u32) -> &[u8] {
        self.arena.get(self.entries[entry as usize].key)
    }

    /// An entry's record.
    pub(super) fn held(&self, entry: u32) -> Held<'_> {
        let entry = &self.entries[entry as usize];
        let (key, text) = self.arena.pair_if(entry.key, entry.has(HAS_TEXT));
        Held {
            key,
            text: text.unwrap_or(key),
            name: entry.has(HAS_NAME).then(|| self.arena.get(entry.name)),
            place: entry.place(),
            mentions: entry.mentions,
            documents: entry.documents,
            forms: entry.forms,
            guessed: entry.has(GUESSED),
        }
    }
}

fn is_open(open: &[DocumentId], document: DocumentId) -> bool {
    !open.is_empty() && open.binary_search(&document).is_ok()
}
