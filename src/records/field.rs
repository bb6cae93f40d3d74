//! The fields of rows: names, kinds of values, and the kinds of rows that have them.

/// Kind of the rows of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// A row for each name.
    Records,
    /// A row for each mention.
    Mentions,
    /// A row for each document and each name that it mentions.
    Pairs,
    /// A row for each mention, with its place in a structured document.
    Edges,
    /// A row for each record of a structured document.
    Nodes,
    /// One row with counts.
    Counts,
    /// A row for each of the prefixes with the most names.
    Prefixes,
    /// A row for each name that a registry was asked for.
    Answers,
    /// A row for each name that differs between two lists.
    Changes,
    /// A row for each reference that was checked.
    References,
}

/// A field of a row. A field of several kinds of rows has the same kind of value in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Doi,
    Mentions,
    Documents,
    Forms,
    FirstSource,
    FirstDocument,
    FirstOffset,
    FirstText,
    Guessed,
    CheckDigit,
    Known,
    Agency,
    Retracted,
    Form,
    Source,
    Document,
    Offset,
    Length,
    Text,
    Before,
    After,
    WarcRecordId,
    Date,
    Column,
    DocumentIndex,
    PartIndex,
    Record,
    Path,
    RefIndex,
    Role,
    Asserted,
    Value,
    DoiClean,
    Changed,
    AssertedBy,
    RefKey,
    Relation,
    UpdateType,
    References,
    Named,
    Unnamed,
    Names,
    Sources,
    Prefix,
    /// `doi` in rows that may have no name.
    DoiOrNull,
    /// `form` in rows that may have no name.
    FormOrNull,
    Status,
    Url,
    Alias,
    Asked,
    AnsweredBy,
    Reason,
    Change,
    Detail,
    Line,
    /// `column` in rows with the column of a character in its line.
    ColumnOfLine,
    RowOfTable,
    Key,
    /// `text` in rows that may have none.
    TextOrNull,
    Verdict,
    Repair,
    Fixed,
    Accepted,
    Title,
    Authors,
    Year,
}

/// The kind of the values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Text,
    TextOrNull,
    Number,
    NumberOrNull,
    Forms,
    Flag,
    FlagOrNull,
}

/// Answers of an index of known names about a name. Rows have all of these, or none.
pub(crate) const INDEX_STATUS_FIELDS: [Field; 3] = [Field::Known, Field::Agency, Field::Retracted];

/// The usual fields of records.
const RECORD: [Field; 11] = [
    Field::Doi,
    Field::Mentions,
    Field::Documents,
    Field::Sources,
    Field::Forms,
    Field::FirstSource,
    Field::FirstDocument,
    Field::FirstOffset,
    Field::FirstText,
    Field::Guessed,
    Field::CheckDigit,
];

/// The usual fields of records that do not follow from the name.
pub(crate) const RECORD_FACTS: &[Field] = RECORD.split_at(RECORD.len() - 1).0.split_at(1).1;

const MENTION: [Field; 9] = [
    Field::Doi,
    Field::Form,
    Field::Source,
    Field::Document,
    Field::Offset,
    Field::Length,
    Field::Text,
    Field::Guessed,
    Field::CheckDigit,
];

const EDGE: [Field; 5] = [
    Field::Record,
    Field::Doi,
    Field::RefIndex,
    Field::Role,
    Field::Asserted,
];

const NODE: [Field; 5] = [
    Field::Record,
    Field::Value,
    Field::References,
    Field::Named,
    Field::Unnamed,
];

/// The fields that mentions have only if they are chosen.
const MENTION_OPTIONAL: [Field; 10] = [
    Field::Before,
    Field::After,
    Field::WarcRecordId,
    Field::Date,
    Field::Column,
    Field::DocumentIndex,
    Field::PartIndex,
    Field::Known,
    Field::Agency,
    Field::Retracted,
];

/// The fields that edges have only if they are chosen: their own, and those of mentions except the first.
const EDGE_OPTIONAL: [Field; 26] = {
    const OWN: [Field; 8] = [
        Field::Path,
        Field::AssertedBy,
        Field::RefKey,
        Field::Relation,
        Field::UpdateType,
        Field::Value,
        Field::DoiClean,
        Field::Changed,
    ];
    let (_, mention) = MENTION.split_at(1);
    let mut fields = [Field::Path; OWN.len() + MENTION.len() - 1 + MENTION_OPTIONAL.len()];
    let (own, rest) = fields.split_at_mut(OWN.len());
    let (usual, further) = rest.split_at_mut(mention.len());
    own.copy_from_slice(&OWN);
    usual.copy_from_slice(mention);
    further.copy_from_slice(&MENTION_OPTIONAL);
    fields
};

/// The fields that identify edges, mentions, nodes and pairs when two outputs are compared, in the order of comparison. Rows of
/// a kind have some of them.
pub(crate) const IDENTITY: [Field; 7] = [
    Field::Doi,
    Field::Record,
    Field::Source,
    Field::Document,
    Field::Role,
    Field::Relation,
    Field::UpdateType,
];

/// The fields that changes have only if edges, mentions, nodes or pairs are compared: those that identify a row besides its name.
const CHANGE_OPTIONAL: &[Field] = IDENTITY.split_at(1).1;

const ANSWER: [Field; 8] = [
    Field::DoiOrNull,
    Field::Status,
    Field::Url,
    Field::Alias,
    Field::Agency,
    Field::Asked,
    Field::AnsweredBy,
    Field::Reason,
];

const REFERENCE: [Field; 16] = [
    Field::Source,
    Field::Document,
    Field::Line,
    Field::ColumnOfLine,
    Field::RowOfTable,
    Field::Key,
    Field::TextOrNull,
    Field::DoiOrNull,
    Field::Verdict,
    Field::Detail,
    Field::Repair,
    Field::Fixed,
    Field::Accepted,
    Field::Title,
    Field::Authors,
    Field::Year,
];

impl RowKind {
    /// Every kind.
    pub(super) const ALL: [RowKind; 10] = [
        RowKind::Records,
        RowKind::Mentions,
        RowKind::Pairs,
        RowKind::Edges,
        RowKind::Nodes,
        RowKind::Counts,
        RowKind::Prefixes,
        RowKind::Answers,
        RowKind::Changes,
        RowKind::References,
    ];

    /// Returns the word for several rows.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RowKind::Records => "records",
            RowKind::Mentions => "mentions",
            RowKind::Pairs => "pairs",
            RowKind::Edges => "edges",
            RowKind::Nodes => "nodes",
            RowKind::Counts => "counts",
            RowKind::Prefixes => "prefixes",
            RowKind::Answers => "answers",
            RowKind::Changes => "changes",
            RowKind::References => "references",
        }
    }

    /// Returns the fields that rows of this kind have unless others are chosen, in order.
    pub(crate) fn fields(self) -> &'static [Field] {
        match self {
            RowKind::Records => &RECORD,
            RowKind::Mentions => &MENTION,
            RowKind::Pairs => &[Field::Source, Field::Document, Field::Doi, Field::Mentions],
            RowKind::Edges => &EDGE,
            RowKind::Nodes => &NODE,
            RowKind::Counts => &[
                Field::Names,
                Field::Mentions,
                Field::Documents,
                Field::Sources,
            ],
            RowKind::Prefixes => &[Field::Prefix, Field::Names, Field::Mentions],
            RowKind::Changes => &[Field::Change, Field::Doi, Field::Detail],
            RowKind::Answers => &ANSWER,
            RowKind::References => &REFERENCE,
        }
    }

    /// Returns the fields that rows of this kind have only if they are chosen.
    pub(crate) fn further_fields(self) -> &'static [Field] {
        match self {
            RowKind::Records => &INDEX_STATUS_FIELDS,
            RowKind::Pairs
            | RowKind::Nodes
            | RowKind::Counts
            | RowKind::Prefixes
            | RowKind::Answers
            | RowKind::References => &[],
            RowKind::Changes => CHANGE_OPTIONAL,
            RowKind::Mentions => &MENTION_OPTIONAL,
            RowKind::Edges => &EDGE_OPTIONAL,
        }
    }

    /// Returns the first field that a file of such rows needs and lacks; `has` says which it has. A file may lack fields that
    /// follow from the name, all answers of an index, and the number of sources, which older versions do not count.
    pub(super) fn missing(self, has: impl Fn(Field) -> bool) -> Option<Field> {
        if self == RowKind::Edges {
            // Edges and mentions are read with the fields that they have.
            return None;
        }
        let has_index_status = INDEX_STATUS_FIELDS.into_iter().any(&has);
        let is_needed = |field: &Field| match field {
            Field::CheckDigit => false,
            Field::Sources => self != RowKind::Records,
            field => has_index_status || !INDEX_STATUS_FIELDS.contains(field),
        };
        let mut needed = self.all_fields().filter(is_needed);
        needed.find(|&field| !has(field))
    }

    /// Whether each of these columns is a field of such rows.
    fn knows(self, names: &[&str]) -> bool {
        let is_field = |name: &&str| self.all_fields().any(|field| field.name() == *name);
        names.iter().all(is_field)
    }

    /// Whether a file of such rows may have exactly these columns.
    fn may_have(self, names: &[&str]) -> bool {
        let has = |field: Field| names.contains(&field.name());
        let may_lack = match self {
            RowKind::Mentions | RowKind::Edges => true,
            RowKind::Changes => has(Field::Change),
            _ => false,
        };
        self.knows(names) && (may_lack || self.missing(has).is_none())
    }

    /// Whether all rows of such a file may lack a field. Single rows may not, unless the field follows from the name.
    pub(super) fn may_lack(self, field: Field) -> bool {
        match field {
            Field::CheckDigit => false,
            Field::Sources => self == RowKind::Records,
            field => self == RowKind::Edges || INDEX_STATUS_FIELDS.contains(&field),
        }
    }

    /// Whether rows of kind `found` are read as this one: edges have all fields of mentions.
    pub(super) fn reads(self, found: RowKind) -> bool {
        found == self || (self, found) == (RowKind::Edges, RowKind::Mentions)
    }

    /// Returns all fields that rows of this kind can have.
    pub(super) fn all_fields(self) -> impl Iterator<Item = Field> {
        let further = self.further_fields().iter();
        self.fields().iter().chain(further).copied()
    }

    /// Whether nearly all values of a field are distinct, so that a dictionary of them is useless.
    #[cfg(feature = "columnar")]
    pub(super) fn is_distinct(self, field: Field) -> bool {
        match self {
            RowKind::Records => {
                matches!(field, Field::Doi | Field::FirstOffset | Field::FirstText)
            }
            RowKind::Mentions => {
                matches!(field, Field::Offset | Field::Before | Field::After)
            }
            // A work seldom cites another twice, and few works of a group cite the same.
            RowKind::Edges => matches!(
                field,
                Field::Doi
                    | Field::Value
                    | Field::Text
                    | Field::Offset
                    | Field::Before
                    | Field::After
            ),
            RowKind::Nodes => matches!(field, Field::Record | Field::Value),
            RowKind::Pairs | RowKind::Counts | RowKind::Prefixes => field == Field::Prefix,
            RowKind::Answers => matches!(field, Field::DoiOrNull | Field::Url),
            RowKind::Changes => field == Field::Doi,
            RowKind::References => matches!(field, Field::TextOrNull | Field::DoiOrNull),
        }
    }

    /// Returns the fields by which rows of this kind are sorted, bytewise, the most significant first. Null comes before any
    /// text.
    #[cfg(feature = "columnar")]
    pub(super) fn sorted_by(self) -> &'static [Field] {
        match self {
            RowKind::Records | RowKind::Changes => &[Field::Doi],
            RowKind::Pairs => &[Field::Source, Field::Document, Field::Doi],
            RowKind::Mentions
            | RowKind::Edges
            | RowKind::Nodes
            | RowKind::Counts
            | RowKind::Prefixes
            | RowKind::Answers
            | RowKind::References => &[],
        }
    }

    /// Returns the word for one row.
    pub(super) fn one(self) -> &'static str {
        match self {
            RowKind::Records => "record",
            RowKind::Mentions => "mention",
            RowKind::Edges => "edge",
            RowKind::Nodes => "node",
            RowKind::Pairs => "pair",
            RowKind::Counts => "count",
            RowKind::Prefixes => "prefix",
            RowKind::Answers => "answer",
            RowKind::Changes => "change",
            RowKind::References => "reference",
        }
    }

    /// Returns the words for a file of such rows, for messages.
    pub(super) fn file(self) -> String {
        let article = match self {
            RowKind::Edges | RowKind::Answers => "an",
            _ => "a",
        };
        format!("{article} {} file", self.name())
    }

    /// Lists the names of the usual fields, for messages.
    pub(crate) fn listed(self) -> String {
        let names: Vec<_> = self.fields().iter().map(|field| field.name()).collect();
        names.join(", ")
    }

    /// Lists the names of all fields, for messages.
    pub(super) fn all_listed(self) -> String {
        let names: Vec<_> = self.all_fields().map(Field::name).collect();
        names.join(", ")
    }
}

/// Fields in the order of their declaration, each with its name in every format and the kind of its values.
#[rustfmt::skip]
const FIELDS: [(Field, &str, FieldKind); 66] = [
    (Field::Doi, "doi", FieldKind::Text),
    (Field::Mentions, "mentions", FieldKind::Number),
    (Field::Documents, "documents", FieldKind::Number),
    (Field::Forms, "forms", FieldKind::Forms),
    (Field::FirstSource, "first_source", FieldKind::Text),
    (Field::FirstDocument, "first_document", FieldKind::TextOrNull),
    (Field::FirstOffset, "first_offset", FieldKind::Number),
    (Field::FirstText, "first_text", FieldKind::Text),
    (Field::Guessed, "guessed", FieldKind::Flag),
    (Field::CheckDigit, "check_digit", FieldKind::TextOrNull),
    (Field::Known, "known", FieldKind::FlagOrNull),
    (Field::Agency, "agency", FieldKind::TextOrNull),
    (Field::Retracted, "retracted", FieldKind::FlagOrNull),
    (Field::Form, "form", FieldKind::Text),
    (Field::Source, "source", FieldKind::Text),
    (Field::Document, "document", FieldKind::TextOrNull),
    (Field::Offset, "offset", FieldKind::Number),
    (Field::Length, "length", FieldKind::Number),
    (Field::Text, "text", FieldKind::Text),
    (Field::Before, "before", FieldKind::Text),
    (Field::After, "after", FieldKind::Text),
    (Field::WarcRecordId, "record_id", FieldKind::TextOrNull),
    (Field::Date, "date", FieldKind::TextOrNull),
    (Field::Column, "column", FieldKind::TextOrNull),
    (Field::DocumentIndex, "document_index", FieldKind::Number),
    (Field::PartIndex, "part_index", FieldKind::Number),
    (Field::Record, "record", FieldKind::TextOrNull),
    (Field::Path, "path", FieldKind::TextOrNull),
    (Field::RefIndex, "ref_index", FieldKind::NumberOrNull),
    (Field::Role, "role", FieldKind::Text),
    (Field::Asserted, "asserted", FieldKind::Flag),
    (Field::Value, "value", FieldKind::TextOrNull),
    (Field::DoiClean, "doi_clean", FieldKind::TextOrNull),
    (Field::Changed, "changed", FieldKind::TextOrNull),
    (Field::AssertedBy, "asserted_by", FieldKind::TextOrNull),
    (Field::RefKey, "ref_key", FieldKind::TextOrNull),
    (Field::Relation, "relation", FieldKind::TextOrNull),
    (Field::UpdateType, "update_type", FieldKind::TextOrNull),
    (Field::References, "reference_count", FieldKind::Number),
    (Field::Named, "named", FieldKind::Number),
    (Field::Unnamed, "unnamed", FieldKind::Number),
    (Field::Names, "names", FieldKind::Number),
    (Field::Sources, "sources", FieldKind::Number),
    (Field::Prefix, "prefix", FieldKind::Text),
    (Field::DoiOrNull, "doi", FieldKind::TextOrNull),
    (Field::FormOrNull, "form", FieldKind::TextOrNull),
    (Field::Status, "status", FieldKind::Text),
    (Field::Url, "url", FieldKind::TextOrNull),
    (Field::Alias, "alias", FieldKind::TextOrNull),
    (Field::Asked, "asked", FieldKind::TextOrNull),
    (Field::AnsweredBy, "answered_by", FieldKind::TextOrNull),
    (Field::Reason, "reason", FieldKind::TextOrNull),
    (Field::Change, "change", FieldKind::Text),
    (Field::Detail, "detail", FieldKind::TextOrNull),
    (Field::Line, "line", FieldKind::NumberOrNull),
    (Field::ColumnOfLine, "column", FieldKind::NumberOrNull),
    (Field::RowOfTable, "row", FieldKind::NumberOrNull),
    (Field::Key, "key", FieldKind::TextOrNull),
    (Field::TextOrNull, "text", FieldKind::TextOrNull),
    (Field::Verdict, "verdict", FieldKind::Text),
    (Field::Repair, "repair", FieldKind::TextOrNull),
    (Field::Fixed, "fixed", FieldKind::Flag),
    (Field::Accepted, "accepted", FieldKind::Flag),
    (Field::Title, "title", FieldKind::TextOrNull),
    (Field::Authors, "authors", FieldKind::TextOrNull),
    (Field::Year, "year", FieldKind::TextOrNull),
];

// The table is in the order of the fields.
const _: () = {
    let mut at = 0;
    while at < FIELDS.len() {
        assert!(FIELDS[at].0 as usize == at);
        at += 1;
    }
};

impl Field {
    /// Returns the name of the field in every format.
    pub(crate) fn name(self) -> &'static str {
        FIELDS[self as usize].1
    }

    /// Returns the field with this name of any kind of row.
    pub(crate) fn named(name: &str) -> Option<Field> {
        let mut all = RowKind::ALL.iter().flat_map(|rows| rows.all_fields());
        all.find(|field| field.name() == name)
    }

    /// Returns the kind of its values.
    pub(super) fn kind(self) -> FieldKind {
        FIELDS[self as usize].2
    }
}

/// Returns the kind of rows with columns of these names, or `None` if no kind has them. Mentions and edges may lack fields. Edges
/// and nodes may have other columns after their fields.
pub(super) fn kind_of(names: &[&str]) -> Option<RowKind> {
    let has = |field: Field| names.contains(&field.name());
    let ways = [
        RowKind::Records,
        RowKind::Pairs,
        RowKind::Counts,
        RowKind::Prefixes,
        RowKind::Answers,
        RowKind::Changes,
        RowKind::References,
    ];
    let whole = ways.into_iter().find(|rows| rows.may_have(names));
    let of_mentions = || {
        let kinds = [RowKind::Mentions, RowKind::Edges].into_iter();
        let mut kinds = kinds.filter(|_| !RowKind::Records.knows(names));
        kinds.find(|rows| rows.may_have(names))
    };
    let has_place = || {
        [Field::Record, Field::RefIndex, Field::Role]
            .into_iter()
            .any(has)
    };
    let with_others = || match RowKind::Nodes.missing(has) {
        None => Some(RowKind::Nodes),
        Some(_) if has(Field::Doi) && has_place() && !has(Field::Change) => Some(RowKind::Edges),
        Some(_) => None,
    };
    whole.or_else(of_mentions).or_else(with_others)
}
