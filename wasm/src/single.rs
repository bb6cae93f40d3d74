//! Reads texts that are one name each.

use doisift_core::internal::{NotOneName, Rule};
use doisift_core::{Change, Doi, Scanner, UrlEncoding};
use serde::Serialize;

use crate::{digit_name, units};

/// A result in the form for JavaScript.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Answer<T> {
    Is(T),
    IsNot {
        error: String,
        /// Offset of the fault, in units.
        offset: usize,
    },
}

/// A name that was read as dirty data.
#[derive(Serialize)]
pub(crate) struct CleanedName {
    doi: String,
    name: String,
    changed: bool,
    changes: Vec<ChangeRow>,
    #[serde(rename = "checkDigit")]
    check_digit: Option<&'static str>,
}

#[derive(Serialize)]
struct ChangeRow {
    rule: &'static str,
    because: Option<&'static str>,
    text: String,
}

impl<T> Answer<T> {
    fn of(text: &str, read: Result<T, NotOneName>) -> Self {
        let (error, offset) = match read {
            Ok(value) => return Answer::Is(value),
            Err(NotOneName::NoName(error)) => (error.kind().to_string(), error.offset()),
            Err(error) => (error.to_string(), 0),
        };
        Answer::IsNot {
            error,
            offset: units::count(text.as_bytes().get(..offset).unwrap_or_default()),
        }
    }
}

/// Reads a name and writes it in the form `to`.
pub(crate) fn normalized(text: &str, is_name: bool, to: &str, encode: &str) -> Answer<String> {
    let doi = match is_name {
        true => Doi::new(text).map_err(NotOneName::from),
        false => read(text),
    };
    Answer::of(text, doi.map(|doi| written(&doi, to, encode)))
}

/// Reads a text as dirty data.
pub(crate) fn cleaned(text: &str) -> Answer<CleanedName> {
    let name = Scanner::new().clean_one(text).map(|cleaned| CleanedName {
        doi: cleaned.doi.key().into_owned(),
        name: cleaned.doi.as_str().to_owned(),
        changed: cleaned.changed,
        changes: cleaned.changes.into_iter().map(ChangeRow::from).collect(),
        check_digit: digit_name(cleaned.doi.check_digit()),
    });
    Answer::of(text, name)
}

impl From<Change> for ChangeRow {
    fn from(change: Change) -> Self {
        ChangeRow {
            rule: change.rule,
            because: Rule::of_id(change.rule).map(Rule::catches),
            text: change.text,
        }
    }
}

/// Reads a text that is one name.
pub(crate) fn read(text: &str) -> Result<Doi, NotOneName> {
    Scanner::new().read_one(text)
}

/// Writes the name in the form `to`, or as its key if `to` is not the name of a form.
fn written(doi: &Doi, to: &str, encode: &str) -> String {
    let encoding = match encode {
        "recommended" => UrlEncoding::Recommended,
        _ => UrlEncoding::Mandatory,
    };
    match to {
        "name" => doi.as_str().to_owned(),
        "doi-uri" => doi.to_doi_uri(),
        "url" => doi.to_url(encoding),
        "urn" => doi.to_urn(),
        "api" => doi.to_api_url(),
        _ => doi.key().into_owned(),
    }
}
