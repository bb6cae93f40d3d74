//! The error for a word that names no value of a type.

use std::borrow::Cow;

/// Error for a word that was read as the name of a value, such as a [`Form`](crate::Form), and names none.
///
/// ```
/// let error = "html5".parse::<doisift_core::TextKind>().unwrap_err();
/// assert_eq!((error.what, &*error.text), ("kind of text", "html5"));
/// assert!(error.to_string().starts_with("\"html5\" is not a kind of text; expected one of unknown, csv"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {} {what}; expected {expected}", article(what))]
#[non_exhaustive]
pub struct ParseError {
    /// What the word should name, such as `form`.
    pub what: &'static str,
    /// The word.
    pub text: String,
    /// The texts that are accepted, for people to read, such as `one of urn, info`.
    pub expected: Cow<'static, str>,
}

impl ParseError {
    /// Makes the error for `text`, which should be a `what`, and is not what is `expected`.
    #[doc(hidden)]
    pub fn new(what: &'static str, text: &str, expected: impl Into<Cow<'static, str>>) -> Self {
        ParseError {
            what,
            text: text.to_owned(),
            expected: expected.into(),
        }
    }
}

/// Returns the indefinite article of a noun.
fn article(noun: &str) -> &'static str {
    match noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    }
}
