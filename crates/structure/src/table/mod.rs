//! The paths of records, their identifiers and references in the known formats. Data only; `pointers` and `elements` read it.

mod fields;
mod json;
mod xml;

pub(crate) use fields::{BIBTEX, ENDNOTE, PUBMED, RIS, TABLE, WEB_OF_SCIENCE};
pub(crate) use json::{JSON_DETAILS, JSON_FIELDS, JSON_RECORDS, JSON_WORKS};
pub(crate) use xml::{XML, XML_DETAILS, XML_NAMES, XML_VALUES, XML_WORKS};

use std::str::FromStr;

use doisift_core::ParseError;

/// The meaning of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Meaning {
    #[default]
    Plain,
    /// A record.
    Record,
    /// An identifier of the record. The lowest rank is the best.
    Id(u8),
    /// An identifier of the record, but only if a mention is found there.
    Found(u8),
    /// Names the record too, but is not used as its identifier.
    Own,
    /// An item of the list of references.
    Reference,
    /// A field that holds the identifier of the reference around it. In an item that is not a reference, another identifier.
    Cited,
    /// A field that holds an identifier which the record cites, outside any list of references.
    Cites,
    /// An item that is a reference if its relation is one of [`RELATIONS`].
    Related,
    /// The relation of a related item.
    Relation,
    /// A field that holds the identifier of something else.
    Linked,
    /// The wikitext of a page.
    Wikitext,
    /// Never in a reference, although it may be inside one: a key, a label.
    Aside,
}

/// The detail that a path gives of the names in an item of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// An item: its parts apply to all names in it. References and related items are items too.
    Item,
    /// An item whose own name is the relation.
    Relation,
    /// A part of the item that it is in.
    Part(ItemPart),
}

/// The kind of a part of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemPart {
    /// The key of the reference.
    Key,
    /// The party that assigned the name to the reference.
    AssertedBy,
    /// The relation of the record to the names.
    Relation,
    /// The type of an update of the record.
    UpdateType,
    /// A field for the DOI name of the reference.
    Name,
    /// A field for an identifier of any kind.
    Identifier,
    /// The title of the cited work.
    Title,
    /// The title of what holds the cited work, or of a book as a whole.
    Container,
    /// A person or group that made the cited work.
    Author,
    /// The year or date of the cited work.
    Year,
    /// The whole text of the reference.
    Text,
    /// A part of its text.
    Piece,
    /// A value of an entry. Instead of the value, the event has the name of its field, tag or element as text; none for a line that
    /// continues the value before.
    Value,
    /// As `Value`, but the braces are not in pairs: the value is all that is left of the entry.
    Unclosed,
}

/// Relations (DataCite's `relationType`, and as Zenodo writes them) by which the record cites an item.
pub(crate) const RELATIONS: [&[u8]; 4] = [b"Cites", b"References", b"cites", b"references"];

/// The path of a record's identifier, from the record: `/DOI`, `/front/article-meta/article-id`, `/header/@key`.
///
/// In JSON it is a JSON pointer, with `*` for any item of a list; the first item with an identifier counts. In XML it is a path
/// of elements that may end in an attribute. In BibTeX and RIS it is the name of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordId {
    path: Box<str>,
}

impl FromStr for RecordId {
    type Err = ParseError;

    fn from_str(path: &str) -> Result<RecordId, ParseError> {
        let mut steps = path.split('/');
        let is_path = steps.next() == Some("")
            && steps.clone().count() > 0
            && steps.all(|step| !step.is_empty());
        if is_path {
            Ok(RecordId { path: path.into() })
        } else {
            Err(ParseError::new(
                "path from a record to its identifier",
                path,
                "one such as /DOI or /header/identifier",
            ))
        }
    }
}

impl RecordId {
    /// Returns the names on the path.
    pub(crate) fn steps(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.path[1..].split('/')
    }
}

impl Meaning {
    /// Whether it is an item whose parts apply to the names in it.
    pub(crate) fn is_item(self) -> bool {
        matches!(self, Meaning::Reference | Meaning::Related)
    }

    /// Returns the meaning of a path if an option sets the path of the identifier instead of the table.
    pub(crate) fn without_id(self) -> Meaning {
        match self {
            Meaning::Id(_) | Meaning::Found(_) => Meaning::Own,
            other => other,
        }
    }
}
