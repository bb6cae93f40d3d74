//! What is known of each name beside its key: counts, forms, and its first mention.
//!
//! Neighbour: the shard, which says by number which name is meant.

use super::DocumentId;
use super::arena::{Arena, At, stored};
use super::blocks::Blocks;
use super::counted::{Counted, Head};
use super::shard::Update;
use crate::records::Forms;

/// Replaced bytes below which the arena is not rewritten.
const GARBAGE: usize = 1 << 20;

/// Where a mention stands: compares in (source order, document order, offset).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) document: DocumentId,
    pub(super) offset: u64,
}

/// The text of a first mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text<'a> {
    /// The key, with these of its letters in upper case: bit 0 is the byte behind `10.`.
    Cased(u64),
    /// Anything else.
    Other(&'a [u8]),
}

/// What is known of one name.
// Packed to 64 bytes, since there are hundreds of millions of them.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Fact {
    mentions: u64,
    documents: u64,
    offset: u64,
    /// The first mention's document, and the one that was counted last.
    document: u64,
    last_document: u64,
    source: u32,
    last_source: u32,
    /// Text of the first mention: the address of what is stored with `HAS_TEXT`, otherwise the letters in upper case.
    text: At,
    /// With `HAS_NAME`, name of the first mention's document.
    name: At,
    forms: Forms,
    flags: u8,
    /// Counted documents that may be mentioned again, beside the last one.
    more: Head,
}

const HAS_TEXT: u8 = 1;
const HAS_NAME: u8 = 2;
const GUESSED: u8 = 4;

/// What is known of the names of a shard, numbered as there.
#[derive(Default)]
pub(super) struct Facts {
    list: Blocks<Fact>,
    /// Texts and names of documents.
    arena: Arena,
    /// Bytes of the arena that were replaced.
    garbage: usize,
    counted: Counted,
    /// The document whose name was stored last: neighbours in a batch share it.
    named: Option<(DocumentId, At)>,
}

/// What is known of one name, as it is given out.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) text: Text<'a>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) place: Place,
    pub(super) mentions: u64,
    pub(super) documents: u64,
    pub(super) forms: Forms,
    pub(super) guessed: bool,
}

impl Fact {
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

    fn text<'a>(&self, arena: &'a Arena) -> Text<'a> {
        if self.has(HAS_TEXT) {
            Text::Other(arena.get(self.text))
        } else {
            Text::Cased(self.text.bits())
        }
    }
}

impl Facts {
    /// Brings a name's fact into the cache; what comes back is of no use but for that.
    #[inline]
    pub(super) fn touch(&self, at: u32) -> u8 {
        self.list.get(at).map_or(0, |fact| fact.flags)
    }

    /// Adds the next name.
    pub(super) fn insert(&mut self, update: &Update<'_>) {
        let mut fact = Fact {
            mentions: update.mentions.into(),
            documents: 1,
            offset: 0,
            document: 0,
            last_document: 0,
            source: 0,
            last_source: 0,
            text: At::default(),
            name: At::default(),
            forms: update.forms,
            flags: 0,
            more: 0,
        };
        fact.set(GUESSED, update.guessed);
        fact.set_last(update.place.document);
        self.set_text(&mut fact, update.text);
        self.set_first(&mut fact, update);
        self.list.push(fact);
    }

    /// Adds to a name's fact. `open` holds the documents that may be mentioned again.
    pub(super) fn unite(&mut self, at: u32, update: &Update<'_>, open: &[DocumentId]) {
        let fact = &mut self.list[at];
        fact.mentions += u64::from(update.mentions);
        fact.forms |= update.forms;
        fact.flags &= if update.guessed { !0 } else { !GUESSED };
        let (earlier, counted) = (
            update.place < fact.place(),
            update.place.document == fact.last(),
        );
        if !counted {
            self.count(at, update.place.document, open);
        }
        if earlier {
            self.replace_first(at, update);
        }
    }

    /// Counts `document` for a name unless it was.
    fn count(&mut self, at: u32, document: DocumentId, open: &[DocumentId]) {
        let fact = &mut self.list[at];
        let last = fact.last();
        if self.counted.list(fact.more).any(|seen| seen == document) {
            return;
        }
        fact.documents += 1;
        fact.set_last(document);
        if is_open(open, last) {
            fact.more = self
                .counted
                .add(fact.more, last, |seen| is_open(open, seen));
        }
    }

    fn replace_first(&mut self, at: u32, update: &Update<'_>) {
        let mut fact = self.list[at];
        let old = fact.text(&self.arena);
        if old != update.text {
            if let Text::Other(text) = old {
                self.garbage += stored(text.len());
            }
            self.set_text(&mut fact, update.text);
        }
        if fact.has(HAS_NAME) {
            self.garbage += stored(self.arena.get(fact.name).len());
        }
        self.set_first(&mut fact, update);
        self.list[at] = fact;
        if self.garbage > GARBAGE.max(self.arena.bytes() / 2) {
            self.compact();
        }
    }

    fn set_text(&mut self, fact: &mut Fact, text: Text<'_>) {
        fact.set(HAS_TEXT, matches!(text, Text::Other(_)));
        fact.text = match text {
            Text::Cased(letters) => At::from_bits(letters),
            Text::Other(text) => self.arena.push(text),
        };
    }

    fn set_first(&mut self, fact: &mut Fact, update: &Update<'_>) {
        fact.set_place(update.place);
        fact.set(HAS_NAME, update.name.is_some());
        if let Some(name) = update.name {
            fact.name = match self.named {
                Some((document, at)) if document == update.place.document => at,
                _ => self.arena.push(name),
            };
            self.named = Some((update.place.document, fact.name));
        }
    }

    /// Copies what is still in use into a new arena.
    fn compact(&mut self) {
        let mut arena = Arena::default();
        let mut copied = None;
        for fact in self.list.iter_mut() {
            if fact.has(HAS_TEXT) {
                fact.text = arena.push(self.arena.get(fact.text));
            }
            if !fact.has(HAS_NAME) {
                continue;
            }
            let old = fact.name;
            fact.name = match copied {
                Some((from, to)) if from == old => to,
                _ => arena.push(self.arena.get(old)),
            };
            copied = Some((old, fact.name));
        }
        self.arena = arena;
        self.garbage = 0;
        self.named = None;
    }

    /// Gives back what only counting needs: from now on facts are only read.
    pub(super) fn seal(&mut self) {
        self.counted = Counted::default();
    }

    /// Bytes of memory it holds.
    pub(super) fn held(&self) -> usize {
        self.list.held() + self.arena.held() + self.counted.held()
    }

    /// Forgets all names, and keeps the memory for others.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.arena.clear();
        self.counted.clear();
        self.garbage = 0;
        self.named = None;
    }

    /// Gives back memory that is not in use, about `bytes` of each kind at most.
    pub(super) fn release(&mut self, bytes: usize) {
        self.list.release(bytes);
        self.arena.release(bytes);
        self.counted.release();
    }

    /// Puts into `shared` those documents of a name that are among the `open` ones, sorted.
    pub(super) fn open_documents(
        &self,
        at: u32,
        open: &[DocumentId],
        shared: &mut Vec<DocumentId>,
    ) {
        let fact = &self.list[at];
        let counted = self.counted.list(fact.more).chain([fact.last()]);
        shared.clear();
        shared.extend(counted.filter(|&document| is_open(open, document)));
        shared.sort_unstable();
    }

    /// What is known of a name.
    pub(super) fn known(&self, at: u32) -> Known<'_> {
        let fact = &self.list[at];
        Known {
            text: fact.text(&self.arena),
            name: fact.has(HAS_NAME).then(|| self.arena.get(fact.name)),
            place: fact.place(),
            mentions: fact.mentions,
            documents: fact.documents,
            forms: fact.forms,
            guessed: fact.has(GUESSED),
        }
    }
}

fn is_open(open: &[DocumentId], document: DocumentId) -> bool {
    !open.is_empty() && open.binary_search(&document).is_ok()
}
