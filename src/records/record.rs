//! The fields of records and mentions, in the order in which every format writes them.

use std::borrow::Cow;
use std::ops::{BitOr, BitOrAssign};

use serde::{Serialize, Serializer};

use super::fault::RecordFault;
use crate::doi;
use crate::scan::Form;

/// One output row: a name with all that was aggregated over its mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Record<'a> {
    /// The key: decoded, ASCII letters in lower case.
    pub(crate) doi: &'a str,
    /// Accepted mentions.
    pub(crate) mentions: u64,
    /// Documents with at least one of these mentions.
    pub(crate) documents: u64,
    /// The forms of the mentions.
    pub(crate) forms: Forms,
    /// Source of the first mention: the least by (source order, document order, offset).
    pub(crate) first_source: &'a str,
    /// Its document; a plain file has none.
    pub(crate) first_document: Option<&'a str>,
    /// Its offset in the decoded bytes of the document.
    pub(crate) first_offset: u64,
    /// The bytes of the name as found, with invalid UTF-8 replaced.
    pub(crate) first_text: Cow<'a, str>,
    /// Whether the end of every mention was a guess.
    pub(crate) guessed: bool,
}

impl Record<'_> {
    /// The fields, in order.
    pub(crate) const FIELDS: [&'static str; 9] = [
        "doi",
        "mentions",
        "documents",
        "forms",
        "first_source",
        "first_document",
        "first_offset",
        "first_text",
        "guessed",
    ];
}

/// The greatest value of a number, since Parquet's integers are signed.
pub(crate) const MOST: u64 = i64::MAX as u64;

/// Descriptions of valid values, for messages.
const DOI: &str = "a DOI name, such as 10.1000/182";
pub(super) const COUNT: &str = "a whole number from 1 to 9223372036854775807";
const DOCUMENTS: &str = "a whole number from 1 to that of mentions";
pub(super) const OFFSET: &str = "a whole number from 0 to 9223372036854775807";
pub(super) const FORMS: &str =
    "one or more of bare, doi, hdl, info, label, url, urn, and no more than there are mentions";
pub(super) const FLAG: &str = "true or false";
const TEXT: &str = "some text";

/// A record that owns its texts; reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnedRecord {
    pub(crate) doi: String,
    pub(crate) mentions: u64,
    pub(crate) documents: u64,
    pub(crate) forms: Forms,
    pub(crate) first_source: String,
    /// Empty if the document has no name. A name is never empty.
    pub(crate) first_document: String,
    pub(crate) first_offset: u64,
    pub(crate) first_text: String,
    pub(crate) guessed: bool,
}

impl OwnedRecord {
    /// The record with borrowed texts, for writers.
    pub(crate) fn as_record(&self) -> Record<'_> {
        let document = self.first_document.as_str();
        Record {
            doi: &self.doi,
            mentions: self.mentions,
            documents: self.documents,
            forms: self.forms,
            first_source: &self.first_source,
            first_document: (!document.is_empty()).then_some(document),
            first_offset: self.first_offset,
            first_text: self.first_text.as_str().into(),
            guessed: self.guessed,
        }
    }

    /// Replaces the name by its key, and checks the fields. The readers of all formats call it after they set the fields.
    pub(super) fn check(&mut self) -> Result<(), RecordFault> {
        if doi::check(&self.doi).is_err() {
            return Err(RecordFault::value("doi", &self.doi, DOI));
        }
        self.doi.make_ascii_lowercase();
        let number = |field, number: u64, fits: bool, wanted| match fits {
            true => Ok(()),
            false => Err(RecordFault::value(field, &number.to_string(), wanted)),
        };
        let (mentions, documents) = (self.mentions, self.documents);
        number("mentions", mentions, (1..=MOST).contains(&mentions), COUNT)?;
        let fits = (1..=mentions).contains(&documents);
        number("documents", documents, fits, DOCUMENTS)?;
        number(
            "first_offset",
            self.first_offset,
            self.first_offset <= MOST,
            OFFSET,
        )?;
        if !(1..=mentions).contains(&self.forms.count()) {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct MentionRow<'a> {
    /// The key.
    pub(crate) doi: &'a str,
    /// The form of the mention.
    pub(crate) form: Form,
    /// The source's name.
    pub(crate) source: &'a str,
    /// The document's name; a plain file has none.
    pub(crate) document: Option<&'a str>,
    /// The offset of the name in the decoded bytes of the document.
    pub(crate) offset: u64,
    /// Length of the name as found, in bytes.
    pub(crate) length: u64,
    /// The bytes of the name as found, with invalid UTF-8 replaced.
    pub(crate) text: &'a str,
    /// Whether its end was a guess.
    pub(crate) guessed: bool,
}

impl MentionRow<'_> {
    /// The fields, in order.
    pub(crate) const FIELDS: [&'static str; 8] = [
        "doi", "form", "source", "document", "offset", "length", "text", "guessed",
    ];
}

/// A set of forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forms(u8);

impl Forms {
    /// All forms, sorted by name, as they are in a record.
    const SORTED: [Form; 7] = [
        Form::Bare,
        Form::Doi,
        Form::Hdl,
        Form::Info,
        Form::Label,
        Form::Url,
        Form::Urn,
    ];

    /// The set as one byte, for files that only the same version of doisift reads.
    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// The set with these [`bits`](Self::bits).
    pub(crate) fn from_bits(bits: u8) -> Forms {
        Forms(bits)
    }

    /// Number of forms.
    fn count(self) -> u64 {
        self.0.count_ones().into()
    }

    /// Whether the set has `form`.
    pub(crate) fn contains(self, form: Form) -> bool {
        self.0 & Forms::from(form).0 != 0
    }

    /// The forms, sorted by name.
    pub(crate) fn iter(self) -> impl Iterator<Item = Form> {
        Forms::SORTED
            .into_iter()
            .filter(move |&form| self.contains(form))
    }
}

impl From<Form> for Forms {
    fn from(form: Form) -> Forms {
        Forms(1 << form as u8)
    }
}

impl BitOr for Forms {
    type Output = Forms;

    fn bitor(self, other: Forms) -> Forms {
        Forms(self.0 | other.0)
    }
}

impl BitOrAssign for Forms {
    fn bitor_assign(&mut self, other: Forms) {
        *self = *self | other;
    }
}

impl FromIterator<Form> for Forms {
    fn from_iter<I: IntoIterator<Item = Form>>(forms: I) -> Forms {
        forms
            .into_iter()
            .fold(Forms::default(), |all, form| all | form.into())
    }
}

impl Serialize for Forms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
