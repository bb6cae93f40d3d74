//! The events that readers report, and the places of bytes.

use super::table::ItemPart;

/// The role of a mention in its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
pub enum Role {
    /// The mention names the record. The word for it in rows is `self`.
    Own,
    /// The mention is in a reference of the record: the record cites it.
    Reference,
    /// Anything else.
    #[default]
    Other,
}

impl Role {
    /// Every role.
    const ALL: [Role; 3] = [Role::Own, Role::Reference, Role::Other];

    /// Returns the role with this word, or `None` if there is none.
    pub fn named(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == word)
    }

    /// Returns the word for the role in rows.
    pub fn name(self) -> &'static str {
        match self {
            Role::Own => "self",
            Role::Reference => "reference",
            Role::Other => "other",
        }
    }
}

/// The place of a byte in a structured text, without its path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BytePlace {
    /// The role of a mention there.
    pub role: Role,
    /// Whether the byte is in a field that is defined to hold an identifier, not in running text.
    pub asserted: bool,
    /// The index of the reference within the record.
    pub reference: Option<u64>,
    /// The rank of the identifier of the record that has the byte. The lowest rank is the best identifier.
    pub id: Option<u8>,
    /// Whether a later [`Event::Related`] decides if the byte is in a reference.
    pub is_related: bool,
}

/// An event that a reader reports. A record ends after the records in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'t> {
    /// A record starts.
    Open,
    /// The innermost record ends.
    Close,
    /// An identifier of the innermost record, with its escapes undone. Rank 0 is the best.
    Id {
        /// The lowest is the best.
        rank: u8,
        /// The identifier, without white space around it.
        text: &'t str,
    },
    /// Decides about all places in the innermost record that were related: whether they are in a reference.
    Related {
        /// Whether they are.
        cites: bool,
    },
    /// The structure is broken at an offset of the document.
    Broken(u64),
    /// A value of a field of the innermost record: the number of the field, the offset and the text. The first value counts. An
    /// object or a list of JSON has no text.
    Field {
        /// The number of the field.
        number: usize,
        /// Its text, with its escapes undone.
        text: Option<&'t str>,
        /// The offset of the value in the document.
        offset: u64,
    },
    /// An item of the innermost record starts at an offset. It is a reference if it has an index; otherwise it gives details of
    /// the names in it, or is an entry.
    Item {
        /// The index of the reference in its record.
        reference: Option<u64>,
        /// The offset in the document.
        offset: u64,
        /// Its path, if paths are wanted; of an entry of BibTeX, its type in lower case.
        path: &'t str,
    },
    /// A part of the item, and the bytes of the document that hold its text.
    Part {
        /// The kind of the part.
        part: ItemPart,
        /// Its text, with its escapes undone; the name of a value.
        text: &'t str,
        /// The offsets of the start and the end of the text in the document.
        place: (u64, u64),
    },
    /// The item ends before an offset.
    EndItem(u64),
    /// Number of references of the innermost record that were not reported as items.
    References(u64),
}

/// Max bytes of a name or an identifier that are kept.
pub(super) const MAX_NAME_BYTES: usize = 1024;
/// Max levels of nesting that are kept. Deeper levels are only counted.
pub(super) const MAX_LEVELS: usize = 256;

/// Appends `piece` to `text`, cut so that the text from `from` on has at most [`MAX_NAME_BYTES`] bytes.
pub(super) fn keep(text: &mut Vec<u8>, from: usize, piece: &[u8]) {
    keep_within(text, from + MAX_NAME_BYTES, piece);
}

/// Appends `piece` to `text`, cut so that `text` has at most `max` bytes.
pub(super) fn keep_within(text: &mut Vec<u8>, max: usize, piece: &[u8]) {
    let free = max.saturating_sub(text.len());
    text.extend_from_slice(&piece[..piece.len().min(free)]);
}

/// Reports an identifier of the innermost record, unless it is blank.
pub(super) fn identify(rank: u8, text: &[u8], report: &mut dyn FnMut(Event<'_>)) {
    let text = String::from_utf8_lossy(text);
    if !text.trim().is_empty() {
        report(Event::Id {
            rank,
            text: text.trim(),
        });
    }
}
