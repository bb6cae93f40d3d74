//! Records and mentions, and the checks of records when they are read.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use doisift_core::{CheckDigit, Form};

use super::fault::RecordFault;
use super::field::{Field, RowKind};
use super::forms::Forms;
use super::index_status::{IndexStatus, OwnedIndexStatus};
use super::row::{OwnedRow, Row, Slot, Value};
use doisift_structure::{RecordFields, RecordValue, record_value};

/// One output row: a name with all that was aggregated over its mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The key: decoded, ASCII letters in lower case.
    pub doi: &'a str,
    /// Accepted mentions.
    pub mentions: u64,
    /// Documents with at least one of these mentions.
    pub documents: u64,
    /// Sources with at least one of these mentions.
    pub sources: u64,
    /// Source of the first mention: the smallest by (source order, document order, offset).
    pub first_source: &'a str,
    /// Its document; a plain file has none.
    pub first_document: Option<&'a str>,
    /// Its offset in the decoded bytes of the document.
    pub first_offset: u64,
    /// The bytes of the name as found, with invalid UTF-8 replaced.
    pub first_text: Cow<'a, str>,
    /// Whether the end of every mention was a guess.
    pub guessed: bool,
    /// Whether the index of [known](crate::Scan::known) names has the name. `None` if it was not asked, or has no name
    /// with this prefix.
    pub known: Option<bool>,
    /// The agency that registered the name, if the index has it.
    pub agency: Option<&'a str>,
    /// Whether the index has a notice that the work is retracted, withdrawn or removed. `None` if it has neither a notice nor a name
    /// with this prefix.
    pub retracted: Option<bool>,
    pub(crate) forms: Forms,
}

impl<'a> Record<'a> {
    /// Iterates over the forms of the mentions, sorted by name.
    pub fn forms(&self) -> impl Iterator<Item = Form> + use<> {
        self.forms.iter()
    }

    /// Checks the check digit of the name, as [`Doi::check_digit`](crate::Doi::check_digit) does.
    pub fn check_digit(&self) -> Option<CheckDigit> {
        CheckDigit::of_key(self.doi)
    }

    /// Returns the row with an index's answers about the name.
    pub(crate) fn with_index_status(self, status: IndexStatus<'a>) -> Self {
        Record {
            known: status.known,
            agency: status.agency,
            retracted: status.retracted,
            ..self
        }
    }

    fn index_status(&self) -> IndexStatus<'a> {
        IndexStatus {
            known: self.known,
            agency: self.agency,
            retracted: self.retracted,
        }
    }
}

impl Row for Record<'_> {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Doi => Value::Text(self.doi),
            Field::Mentions => Value::Number(self.mentions),
            Field::Documents => Value::Number(self.documents),
            Field::Sources => Value::Number(self.sources),
            Field::Forms => Value::Forms(self.forms),
            Field::FirstSource => Value::Text(self.first_source),
            Field::FirstDocument => Value::Nullable(self.first_document),
            Field::FirstOffset => Value::Number(self.first_offset),
            Field::FirstText => Value::Text(&self.first_text),
            Field::Guessed => Value::Flag(self.guessed),
            Field::CheckDigit => check_digit(self.doi),
            field => self.index_status().value(field),
        }
    }
}

/// Returns the field `check_digit` of a row with this key.
fn check_digit(key: &str) -> Value<'_> {
    Value::Nullable(CheckDigit::of_key(key).map(CheckDigit::name))
}

/// Max value of a number, since Parquet's integers are signed.
pub(crate) const MAX_NUMBER: u64 = i64::MAX as u64;

/// Descriptions of valid values, for messages.
pub(super) const DOI: &str = "a DOI name, such as 10.1000/182";
pub(super) const COUNT: &str = "a whole number from 1 to 9223372036854775807";
const DOCUMENTS: &str = "a whole number from 1 to that of mentions";
const SOURCES: &str = "a whole number from 1 to that of documents";
pub(super) const OFFSET: &str = "a whole number from 0 to 9223372036854775807";
pub(super) const FORMS: &str = "one or more of arxiv, bare, doi, hdl, info, label, url, urn, and no more than there are mentions";
pub(super) const FLAG: &str = "true or false";
pub(super) const TEXT: &str = "some text";

/// A reusable record that owns its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnedRecord {
    pub(crate) doi: String,
    pub(crate) mentions: u64,
    pub(crate) documents: u64,
    pub(crate) sources: u64,
    pub(crate) forms: Forms,
    pub(crate) first_source: String,
    /// Empty if the document has no name. A name is never empty.
    pub(crate) first_document: String,
    pub(crate) first_offset: u64,
    pub(crate) first_text: String,
    pub(crate) guessed: bool,
    pub(crate) index_status: OwnedIndexStatus,
}

/// Serialises as a row of JSON Lines.
#[cfg(feature = "serde")]
impl serde::Serialize for Record<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        super::row::serialize(self, RowKind::Records, serializer)
    }
}

/// Serialises as a row of JSON Lines, with the usual fields.
#[cfg(feature = "serde")]
impl serde::Serialize for MentionRow<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        super::row::serialize(self, RowKind::Mentions, serializer)
    }
}

impl From<Record<'_>> for OwnedRecord {
    fn from(record: Record<'_>) -> Self {
        let index_status = record.index_status().into();
        OwnedRecord {
            doi: record.doi.to_owned(),
            mentions: record.mentions,
            documents: record.documents,
            sources: record.sources,
            forms: record.forms,
            first_source: record.first_source.to_owned(),
            first_document: record.first_document.unwrap_or_default().to_owned(),
            first_offset: record.first_offset,
            first_text: record.first_text.into_owned(),
            guessed: record.guessed,
            index_status,
        }
    }
}

impl OwnedRecord {
    fn check_numbers(&self) -> Result<(), RecordFault> {
        let (mentions, documents, sources) = (self.mentions, self.documents, self.sources);
        let offset = self.first_offset;
        let numbers = [
            ("mentions", mentions, 1..=MAX_NUMBER, COUNT),
            ("documents", documents, 1..=mentions, DOCUMENTS),
            ("sources", sources, 1..=documents, SOURCES),
            ("first_offset", offset, 0..=MAX_NUMBER, OFFSET),
        ];
        let is_wrong =
            |(_, number, range, _): &(_, u64, RangeInclusive<u64>, _)| !range.contains(number);
        match numbers.into_iter().find(is_wrong) {
            Some((field, number, _, wanted)) => {
                Err(RecordFault::value(field, &number.to_string(), wanted))
            }
            None => Ok(()),
        }
    }

    /// Returns the record with borrowed texts.
    pub(crate) fn as_record(&self) -> Record<'_> {
        let document = self.first_document.as_str();
        Record {
            doi: &self.doi,
            mentions: self.mentions,
            documents: self.documents,
            sources: self.sources,
            forms: self.forms,
            first_source: &self.first_source,
            first_document: (!document.is_empty()).then_some(document),
            first_offset: self.first_offset,
            first_text: self.first_text.as_str().into(),
            guessed: self.guessed,
            ..Record::default()
        }
        .with_index_status(self.index_status.as_index_status())
    }
}

impl Row for OwnedRecord {
    fn value(&self, field: Field) -> Value<'_> {
        let document = self.first_document.as_str();
        match field {
            Field::Doi => Value::Text(&self.doi),
            Field::Mentions => Value::Number(self.mentions),
            Field::Documents => Value::Number(self.documents),
            Field::Sources => Value::Number(self.sources),
            Field::Forms => Value::Forms(self.forms),
            Field::FirstSource => Value::Text(&self.first_source),
            Field::FirstDocument => Value::Nullable((!document.is_empty()).then_some(document)),
            Field::FirstOffset => Value::Number(self.first_offset),
            Field::FirstText => Value::Text(&self.first_text),
            Field::Guessed => Value::Flag(self.guessed),
            Field::CheckDigit => check_digit(&self.doi),
            field => self.index_status.value(field),
        }
    }
}

impl OwnedRow for OwnedRecord {
    const KIND: RowKind = RowKind::Records;

    fn reset(&mut self) {
        // A valid number for rows without this field, whose outputs do not have it either.
        self.sources = 1;
    }

    fn slot(&mut self, field: Field) -> Option<Slot<'_>> {
        Some(match field {
            Field::Doi => Slot::Text(&mut self.doi),
            Field::Mentions => Slot::Number(&mut self.mentions),
            Field::Documents => Slot::Number(&mut self.documents),
            Field::Sources => Slot::Number(&mut self.sources),
            Field::Forms => Slot::Forms(&mut self.forms),
            Field::FirstSource => Slot::Text(&mut self.first_source),
            Field::FirstDocument => Slot::Nullable(&mut self.first_document),
            Field::FirstOffset => Slot::Number(&mut self.first_offset),
            Field::FirstText => Slot::Text(&mut self.first_text),
            Field::Guessed => Slot::Flag(&mut self.guessed),
            Field::CheckDigit => Slot::Derived,
            field => return self.index_status.slot(field),
        })
    }

    fn check(&mut self) -> Result<(), RecordFault> {
        if doisift_core::check(&self.doi).is_err() {
            return Err(RecordFault::value("doi", &self.doi, DOI));
        }
        self.doi.make_ascii_lowercase();
        self.check_numbers()?;
        if !(1..=self.mentions).contains(&self.forms.count()) {
            let names: Vec<_> = self.forms.iter().map(Form::name).collect();
            return Err(RecordFault::value("forms", &names.join("|"), FORMS));
        }
        let texts = [
            ("first_source", &self.first_source),
            ("first_text", &self.first_text),
        ];
        match texts.into_iter().find(|(_, text)| text.is_empty()) {
            Some((field, _)) => Err(RecordFault::value(field, "", TEXT)),
            None => Ok(()),
        }
    }
}

/// A row of `--mentions`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MentionRow<'a> {
    /// The key.
    pub doi: &'a str,
    /// The form of the mention.
    pub form: Form,
    /// The source's name.
    pub source: &'a str,
    /// The document's name; a plain file has none.
    pub document: Option<&'a str>,
    /// The offset of the name in the decoded bytes of the document.
    pub offset: u64,
    /// Length of the name as found, in bytes.
    pub length: u64,
    /// The bytes of the name as found, with invalid UTF-8 replaced.
    pub text: &'a str,
    /// Whether its end was a guess.
    pub guessed: bool,
    /// Readable text before the name. Empty unless [context](crate::Scan::context) was asked for.
    pub before: &'a str,
    /// Readable text after the name. Empty unless [context](crate::Scan::context) was asked for.
    pub after: &'a str,
    /// The index of the document in its source, from 0. Two documents of a source can have the same name, but not the same index.
    pub document_index: u64,
    /// The number of the mention's text within its document, from 0. Most documents have one text, but an office document has
    /// several.
    pub part_index: u64,
    /// The WARC-Record-ID of the document, if it is in a WARC file and the [field](crate::Scan::fields) was asked for.
    pub warc_record_id: Option<&'a str>,
    /// The WARC-Date of the document, if it is in a WARC file and the field was asked for.
    pub date: Option<&'a str>,
    /// The column of the mention, in which `offset` counts, if its document is a row of a table in columns and the field was asked
    /// for: the names of nested columns joined by full stops, and the index in each list, from 0, such as `references[3].doi`.
    pub column: Option<&'a str>,
    /// Whether the index of [known](crate::Scan::known) names has the name. `None` if it was not asked, or has no name
    /// with this prefix.
    pub known: Option<bool>,
    /// The agency that registered the name, if the index has it.
    pub agency: Option<&'a str>,
    /// Whether the index has a notice that the work is retracted, withdrawn or removed. `None` if it has neither a notice nor a name
    /// with this prefix.
    pub retracted: Option<bool>,
    /// The place in the structure of the document. The default unless asked for.
    pub(crate) edge: RowEdge<'a>,
}

/// The place of a mention in a structured document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowEdge<'a> {
    /// The identifier of the record.
    pub(crate) record: Option<&'a str>,
    /// The path to the mention.
    pub(crate) path: Option<&'a str>,
    /// The index of the reference within the record.
    pub(crate) ref_index: Option<u64>,
    /// The role of the mention in the record.
    pub(crate) role: &'a str,
    /// Whether the document itself states that it is an identifier.
    pub(crate) asserted: bool,
    /// The whole value of the field for identifiers that contains it, if asked for.
    pub(crate) value: Option<&'a str>,
    /// The name that cleaning makes of the value, if it changes anything.
    pub(crate) doi_clean: Option<&'a str>,
    /// The changes by cleaning.
    pub(crate) changed: Option<&'a str>,
    /// Details of its item, if asked for.
    pub(crate) item: Option<&'a ItemDetails>,
    /// The fields of the record, if asked for.
    pub(crate) fields: Option<&'a RecordFields>,
}

/// Details of an item of a document that apply to all names in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemDetails {
    pub(crate) key: Option<Box<str>>,
    pub(crate) asserted_by: Option<Box<str>>,
    pub(crate) relation: Option<Box<str>>,
    pub(crate) update_type: Option<Box<str>>,
}

impl<'a> RowEdge<'a> {
    /// Returns the value of a field of its item; null for other fields.
    fn detail(&self, field: Field) -> Value<'a> {
        let detail = self.item.and_then(|item| match field {
            Field::AssertedBy if self.asserted => item.asserted_by.as_deref(),
            Field::RefKey => item.key.as_deref(),
            Field::Relation => item.relation.as_deref(),
            Field::UpdateType => item.update_type.as_deref(),
            _ => None,
        });
        Value::Nullable(detail)
    }
}

impl<'a> MentionRow<'a> {
    /// Checks the check digit of the name, as [`Doi::check_digit`](crate::Doi::check_digit) does.
    pub fn check_digit(&self) -> Option<CheckDigit> {
        CheckDigit::of_key(self.doi)
    }

    /// Returns the row with an index's answers about the name.
    pub(crate) fn with_index_status(self, status: IndexStatus<'a>) -> Self {
        MentionRow {
            known: status.known,
            agency: status.agency,
            retracted: status.retracted,
            ..self
        }
    }

    fn index_status(&self) -> IndexStatus<'a> {
        IndexStatus {
            known: self.known,
            agency: self.agency,
            retracted: self.retracted,
        }
    }
}

impl Row for MentionRow<'_> {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Doi => Value::Text(self.doi),
            Field::Form => Value::Text(self.form.name()),
            Field::Source => Value::Text(self.source),
            Field::Document => Value::Nullable(self.document),
            Field::Offset => Value::Number(self.offset),
            Field::Length => Value::Number(self.length),
            Field::Text => Value::Text(self.text),
            Field::Guessed => Value::Flag(self.guessed),
            Field::CheckDigit => check_digit(self.doi),
            Field::Before => Value::Text(self.before),
            Field::After => Value::Text(self.after),
            Field::WarcRecordId => Value::Nullable(self.warc_record_id),
            Field::Date => Value::Nullable(self.date),
            Field::Column => Value::Nullable(self.column),
            Field::DocumentIndex => Value::Number(self.document_index),
            Field::PartIndex => Value::Number(self.part_index),
            Field::Record => Value::Nullable(self.edge.record),
            Field::Path => Value::Nullable(self.edge.path),
            Field::RefIndex => Value::NullableNumber(self.edge.ref_index),
            Field::Role => Value::Text(self.edge.role),
            Field::Asserted => Value::Flag(self.edge.asserted),
            Field::Value => Value::Nullable(self.edge.value),
            Field::DoiClean => Value::Nullable(self.edge.doi_clean),
            Field::Changed => Value::Nullable(self.edge.changed),
            Field::DoiOrNull => Value::Nullable(Some(self.doi).filter(|doi| !doi.is_empty())),
            Field::FormOrNull if self.doi.is_empty() => Value::Nullable(None),
            Field::FormOrNull => Value::Nullable(Some(self.form.name())),
            Field::AssertedBy | Field::RefKey | Field::Relation | Field::UpdateType => {
                self.edge.detail(field)
            }
            field => self.index_status().value(field),
        }
    }

    fn record_field(&self, number: usize) -> &RecordValue {
        record_value(self.edge.fields, number)
    }
}
