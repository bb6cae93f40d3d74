//! Texts that are one name each.

use doisift_core::{Change, Doi, DoiError, DoiErrorKind, Scanner, UrlEncoding};
use serde::Serialize;

use crate::{digit_name, units};

/// Why a text is not one name.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It is not a presentation form.
    NoName(DoiError),
    /// It is a URL of another host, which does not hold exactly one name.
    NotOneInUrl,
}

/// What JavaScript gets.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Answer<T> {
    Is(T),
    IsNot {
        error: String,
        /// Where it is wrong, in units.
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
    because: &'static str,
    text: String,
}

impl<T> Answer<T> {
    fn of(text: &str, read: Result<T, Refusal>) -> Self {
        match read {
            Ok(value) => Answer::Is(value),
            Err(Refusal::NoName(error)) => Answer::IsNot {
                error: error.kind().to_string(),
                offset: units::count(text.as_bytes().get(..error.offset()).unwrap_or_default()),
            },
            Err(Refusal::NotOneInUrl) => Answer::IsNot {
                error: "not exactly one DOI name in this URL".to_owned(),
                offset: 0,
            },
        }
    }
}

/// The name in the form `to`.
pub(crate) fn normalized(text: &str, is_name: bool, to: &str, encode: &str) -> Answer<String> {
    let doi = match is_name {
        true => Doi::new(text).map_err(Refusal::NoName),
        false => read(text),
    };
    Answer::of(text, doi.map(|doi| written(&doi, to, encode)))
}

/// The name that a dirty text was meant to be.
pub(crate) fn cleaned(text: &str) -> Answer<CleanedName> {
    let read = doisift_core::clean(text).map_err(Refusal::NoName);
    let name = read.map(|cleaned| CleanedName {
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
            rule: change.rule.id(),
            because: change.rule.catches(),
            text: change.text,
        }
    }
}

/// The name that `text` is: any presentation form, or a URL of any host that holds exactly one name.
pub(crate) fn read(text: &str) -> Result<Doi, Refusal> {
    Doi::parse(text).or_else(|error| match error.kind() {
        DoiErrorKind::ForeignHost | DoiErrorKind::NoDirectory if is_url(text) => {
            only_name(text.trim_ascii()).ok_or(Refusal::NotOneInUrl)
        }
        _ => Err(Refusal::NoName(error)),
    })
}

fn is_url(text: &str) -> bool {
    let text = text.trim_ascii();
    let starts = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    (starts("http://") || starts("https://")) && !text.contains(char::is_whitespace)
}

fn only_name(text: &str) -> Option<Doi> {
    let mut scanner = Scanner::new();
    let mut names = scanner.find_iter(text).map(|found| found.doi);
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// The name in the form `to`; as its key if that names no form.
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
