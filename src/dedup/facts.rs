//! The facts about each name besides its key: counts, forms, and its first mention.
//!
//! The shard numbers the names; facts are stored by that number.

use super::DocumentId;
use super::arena::{Address, Arena, stored};
use super::blocks::Blocks;
use super::count::Count48;
use super::counted::{DocumentLists, ListHead};
use crate::records::Forms;

/// Bytes of unused strings below which the arena is not rewritten.
const MIN_GARBAGE_BYTES: usize = 1 << 20;

/// Position of a mention. The order is (source order, document order, offset).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MentionPlace {
    pub(super) document: DocumentId,
    pub(super) offset: u64,
}

/// The text of a first mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstText<'a> {
    /// The key with some letters in upper case. Bit 0 is the byte after `10.`.
    Cased(u64),
    /// Any other text.
    Other(&'a [u8]),
}

/// The facts about one name, as stored.
// Packed to 64 bytes, because a table may have hundreds of millions of names.
/// An update to the facts about a key.
pub(super) struct Update<'a> {
    pub(super) text: FirstText<'a>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) place: MentionPlace,
    /// The number under which the document of `place` is counted.
    pub(super) counted: DocumentId,
    pub(super) mentions: u32,
    pub(super) forms: Forms,
    pub(super) guessed: bool,
}

#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Fact {
    mentions: Count48,
    documents: Count48,
    sources: u32,
    offset: u64,
    /// The document of the first mention, and the document that was counted last.
    document: u64,
    last_document: u64,
    source: u32,
    last_source: u32,
    /// FirstText of the first mention: its address if `TEXT_FLAG` is set, otherwise the letters in upper case.
    text: Address,
    /// Name of the first mention's document, if `NAME_FLAG` is set.
    name: Address,
    /// The forms, and the flags above them.
    forms_and_flags: u16,
    /// The list of counted documents and sources that may mention the name again, without the last document.
    more: ListHead,
}

// A fact fits a cache line.
const _: () = assert!(size_of::<Fact>() == 64);

const TEXT_FLAG: u16 = 1 << Forms::BITS;
const NAME_FLAG: u16 = TEXT_FLAG << 1;
const GUESSED_FLAG: u16 = TEXT_FLAG << 2;

/// The facts about the names of a shard, by the shard's numbers.
#[derive(Default)]
pub(super) struct Facts {
    list: Blocks<Fact>,
    /// Texts and names of documents.
    arena: Arena,
    /// Bytes of unused strings in the arena.
    garbage: usize,
    counted: DocumentLists,
    /// The document whose name was stored last, and the name's address. The next update is often of the same document.
    named: Option<(DocumentId, Address)>,
}

/// The facts about one name, as a caller reads them.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) text: FirstText<'a>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) place: MentionPlace,
    pub(super) mentions: u64,
    pub(super) documents: u64,
    pub(super) sources: u64,
    pub(super) forms: Forms,
    pub(super) guessed: bool,
}

impl Known<'_> {
    /// Returns the facts about a key if only the number of its mentions is kept.
    pub(super) fn counted(mentions: u64) -> Self {
        Known {
            text: FirstText::Cased(0),
            name: None,
            place: MentionPlace::default(),
            mentions,
            documents: 0,
            sources: 0,
            forms: Forms::default(),
            guessed: false,
        }
    }
}

impl Fact {
    fn has(&self, flag: u16) -> bool {
        self.forms_and_flags & flag != 0
    }

    fn set(&mut self, flag: u16, on: bool) {
        self.forms_and_flags = if on {
            self.forms_and_flags | flag
        } else {
            self.forms_and_flags & !flag
        };
    }

    fn place(&self) -> MentionPlace {
        MentionPlace {
            document: DocumentId {
                source: self.source,
                document: self.document,
            },
            offset: self.offset,
        }
    }

    fn set_place(&mut self, place: MentionPlace) {
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

    fn text<'a>(&self, arena: &'a Arena) -> FirstText<'a> {
        if self.has(TEXT_FLAG) {
            FirstText::Other(arena.get(self.text))
        } else {
            FirstText::Cased(self.text.bits())
        }
    }
}

impl Facts {
    /// Loads a name's fact into the cache. The result only keeps the compiler from removing the read.
    #[inline]
    pub(super) fn touch(&self, at: u32) -> u16 {
        self.list.get(at).map_or(0, |fact| fact.forms_and_flags)
    }

    /// Adds the fact of a new name, which gets the next number.
    pub(super) fn insert(&mut self, update: &Update<'_>) {
        let mut fact = Fact {
            mentions: Count48::default(),
            documents: Count48::default(),
            sources: 1,
            offset: 0,
            document: 0,
            last_document: 0,
            source: 0,
            last_source: 0,
            text: Address::default(),
            name: Address::default(),
            forms_and_flags: update.forms.bits(),
            more: 0,
        };
        fact.mentions.add(update.mentions);
        fact.documents.add(1);
        fact.set(GUESSED_FLAG, update.guessed);
        fact.set_last(update.counted);
        self.set_text(&mut fact, update.text);
        self.set_first(&mut fact, update);
        self.list.push(fact);
    }

    /// Adds an update to a name's fact. `open` holds the documents that may have more mentions.
    pub(super) fn unite(&mut self, at: u32, update: &Update<'_>, open: &[DocumentId]) {
        let fact = &mut self.list[at];
        fact.mentions.add(update.mentions);
        fact.forms_and_flags |= update.forms.bits();
        fact.forms_and_flags &= if update.guessed { !0 } else { !GUESSED_FLAG };
        let (earlier, counted) = (update.place < fact.place(), update.counted == fact.last());
        if !counted {
            self.count(at, update.counted, open);
        }
        if earlier {
            self.replace_first(at, update);
        }
    }

    /// Counts `document` and its source for a name, unless they were counted before.
    fn count(&mut self, at: u32, document: DocumentId, open: &[DocumentId]) {
        let fact = &mut self.list[at];
        let (last, lists) = (fact.last(), &mut self.counted);
        let listed = fact.more;
        let is_listed = |lists: &DocumentLists, id| lists.list(listed).any(|seen| seen == id);
        if is_listed(lists, document) {
            return;
        }
        let mut kept = [None, Some(last)];
        if document.source != last.source {
            let source = DocumentId::of_source(document.source);
            fact.sources += u32::from(!is_listed(lists, source));
            let source = DocumentId::of_source(last.source);
            kept[0] = Some(source).filter(|&source| !is_listed(lists, source));
        }
        fact.documents.add(1);
        fact.set_last(document);
        let kept = kept.into_iter().flatten().filter(|&id| is_open(open, id));
        for id in kept {
            fact.more = lists.add(fact.more, id, |seen| is_open(open, seen));
        }
    }

    fn replace_first(&mut self, at: u32, update: &Update<'_>) {
        let mut fact = self.list[at];
        let old = fact.text(&self.arena);
        if old != update.text {
            if let FirstText::Other(text) = old {
                self.garbage += stored(text.len());
            }
            self.set_text(&mut fact, update.text);
        }
        if fact.has(NAME_FLAG) {
            self.garbage += stored(self.arena.get(fact.name).len());
        }
        self.set_first(&mut fact, update);
        self.list[at] = fact;
        if self.garbage > MIN_GARBAGE_BYTES.max(self.arena.bytes() / 2) {
            self.compact();
        }
    }

    fn set_text(&mut self, fact: &mut Fact, text: FirstText<'_>) {
        fact.set(TEXT_FLAG, matches!(text, FirstText::Other(_)));
        fact.text = match text {
            FirstText::Cased(letters) => Address::from_bits(letters),
            FirstText::Other(text) => self.arena.push(text),
        };
    }

    fn set_first(&mut self, fact: &mut Fact, update: &Update<'_>) {
        fact.set_place(update.place);
        fact.set(NAME_FLAG, update.name.is_some());
        if let Some(name) = update.name {
            fact.name = match self.named {
                Some((document, at)) if document == update.place.document => at,
                _ => self.arena.push(name),
            };
            self.named = Some((update.place.document, fact.name));
        }
    }

    /// Copies the strings that are in use to a new arena.
    fn compact(&mut self) {
        let mut arena = Arena::default();
        let mut copied = None;
        for fact in self.list.iter_mut() {
            if fact.has(TEXT_FLAG) {
                fact.text = arena.push(self.arena.get(fact.text));
            }
            if !fact.has(NAME_FLAG) {
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

    /// Frees the memory that only updates need. After this, facts are only read.
    pub(super) fn seal(&mut self) {
        self.counted = DocumentLists::default();
    }

    /// Returns the bytes of memory that the facts hold.
    pub(super) fn held_bytes(&self) -> usize {
        self.list.held_bytes() + self.arena.held_bytes() + self.counted.held_bytes()
    }

    /// Removes all facts and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.arena.clear();
        self.counted.clear();
        self.garbage = 0;
        self.named = None;
    }

    /// Frees unused memory, at most about `bytes` of each kind.
    pub(super) fn release(&mut self, bytes: usize) {
        self.list.release(bytes);
        self.arena.release(bytes);
        self.counted.release();
    }

    /// Replaces the content of `shared` by the counted documents and sources of a name that are in `open`, sorted.
    pub(super) fn open_documents(
        &self,
        at: u32,
        open: &[DocumentId],
        shared: &mut Vec<DocumentId>,
    ) {
        let fact = &self.list[at];
        shared.clear();
        if open.is_empty() {
            return;
        }
        let last = fact.last();
        let counted = [last, DocumentId::of_source(last.source)];
        let counted = self.counted.list(fact.more).chain(counted);
        shared.extend(counted.filter(|&document| is_open(open, document)));
        shared.sort_unstable();
        shared.dedup();
    }

    /// Returns the facts about a name.
    pub(super) fn known(&self, at: u32) -> Known<'_> {
        let fact = &self.list[at];
        Known {
            text: fact.text(&self.arena),
            name: fact.has(NAME_FLAG).then(|| self.arena.get(fact.name)),
            place: fact.place(),
            mentions: fact.mentions.get(),
            documents: fact.documents.get(),
            sources: fact.sources.into(),
            forms: Forms::from_bits(fact.forms_and_flags),
            guessed: fact.has(GUESSED_FLAG),
        }
    }
}

fn is_open(open: &[DocumentId], document: DocumentId) -> bool {
    !open.is_empty() && open.binary_search(&document).is_ok()
}
