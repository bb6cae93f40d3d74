//! The results of a scan.

use std::borrow::Cow;
#[cfg(feature = "serde")]
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::around;
use crate::doi::{CheckDigit, Doi};
use crate::parse_error::ParseError;

/// How a name was written; the innermost wins, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Form {
    /// `urn:doi:`.
    Urn,
    /// `info:doi/`.
    Info,
    /// `hdl:`, or the URL of a handle proxy.
    Hdl,
    /// The scheme `doi:`.
    Doi,
    /// The URL of a DOI proxy (P1).
    Url,
    /// A field, element, parameter or word says "DOI".
    Label,
    /// All else, URLs of other hosts too.
    Bare,
    /// An identifier of arXiv instead of the name. Only if the scanner is [set to find it](crate::Scanner::arxiv).
    Arxiv,
}

impl Form {
    /// Every form, in the order of precedence.
    pub const ALL: &'static [Form] = &[
        Form::Urn,
        Form::Info,
        Form::Hdl,
        Form::Doi,
        Form::Url,
        Form::Label,
        Form::Bare,
        Form::Arxiv,
    ];

    /// Returns the word for the form in records and mentions.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// Describes the form in a few words.
    #[doc(hidden)]
    pub fn description(self) -> &'static str {
        self.words().1
    }

    #[rustfmt::skip]
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Form::Urn => ("urn", "a URN, urn:doi:10.1000:182"),
            Form::Info => ("info", "an info URI, info:doi/10.1000/182"),
            Form::Hdl => ("hdl", "a handle, hdl:10.1000/182, or the URL of a handle proxy"),
            Form::Doi => ("doi", "the scheme doi, doi:10.1000/182"),
            Form::Url => ("url", "the URL of a DOI proxy, https://doi.org/10.1000/182"),
            Form::Label => ("label", "a field, element, parameter or the word DOI says that it is one"),
            Form::Bare => ("bare", "nothing says so, or it is in the URL of another host"),
            Form::Arxiv => ("arxiv", "an identifier of arXiv, arXiv:2101.00001, with --arxiv"),
        }
    }
}

/// Reads the [`name`](Form::name).
impl FromStr for Form {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        let named = Form::ALL.iter().copied().find(|form| form.name() == name);
        let expected = "one of urn, info, hdl, doi, url, label, bare, arxiv";
        named.ok_or_else(|| ParseError::new("form", name, expected))
    }
}

/// Writes the [`name`](Form::name).
#[cfg(feature = "serde")]
impl serde::Serialize for Form {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Reads the [`name`](Form::name).
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Form {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(FormName)
    }
}

/// Reads the name of a form.
#[cfg(feature = "serde")]
struct FormName;

#[cfg(feature = "serde")]
impl serde::de::Visitor<'_> for FormName {
    type Value = Form;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a form")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Form, E> {
        name.parse().map_err(E::custom)
    }
}

/// A scanner's decision about an anchor, a position at which a name may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<'m> {
    /// A mention starts at the anchor.
    Mention(Mention<'m>),
    /// No mention starts at the anchor. Holds the offset in the document of the anchor's first digit.
    Refused(u64),
}

/// An accepted candidate: a DOI name, how it was written, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mention<'a> {
    /// The DOI name, decoded, its case kept.
    pub name: &'a str,
    /// The name's representative under equivalence: ASCII letters in lower case (U5).
    pub key: &'a str,
    /// How it was written.
    pub form: Form,
    /// Offset of the name in the document, in bytes.
    pub offset: u64,
    /// The name as found, from the first byte of `10.` to the last byte kept.
    pub text: &'a [u8],
    /// Whether the name's end is a guess that only a registry could confirm. It is `false` if a right check digit ends the name.
    pub guessed: bool,
}

impl<'a> Mention<'a> {
    /// Makes a mention from stored values, with offset 0 and `guessed` false; both fields can be set. Nothing is checked.
    #[doc(hidden)]
    pub fn new(name: &'a str, key: &'a str, form: Form, text: &'a [u8]) -> Self {
        Mention {
            name,
            key,
            form,
            offset: 0,
            text,
            guessed: false,
        }
    }

    /// Checks the name's check digit as [`Doi::check_digit`] does.
    pub fn check_digit(&self) -> Option<CheckDigit> {
        CheckDigit::of_key(self.key)
    }

    /// Returns the name as found, with bytes that are not UTF-8 replaced: the field `text` of a row. Borrows if the text is
    /// UTF-8.
    ///
    /// ```
    /// doisift_core::Scanner::new().scan(b"10.5555/a\\_b", |mention| {
    ///     assert_eq!((mention.name, &*mention.text_lossy()), ("10.5555/a_b", "10.5555/a\\_b"));
    /// });
    /// ```
    pub fn text_lossy(&self) -> Cow<'a, str> {
        if self.text == self.name.as_bytes() {
            Cow::Borrowed(self.name)
        } else {
            String::from_utf8_lossy(self.text)
        }
    }
}

/// Takes the name, its case kept, without parsing it again.
impl From<Mention<'_>> for Doi {
    fn from(mention: Mention<'_>) -> Doi {
        Doi::from_checked(mention.name)
    }
}

/// The fields of a row of `doisift scan --mentions` that the scanner knows: `doi` (the key), `form`, `offset`, `length`,
/// `text` (with invalid UTF-8 replaced), `guessed` and `check_digit`.
#[cfg(feature = "serde")]
impl serde::Serialize for Mention<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;

        let mut row = serializer.serialize_struct("Mention", 7)?;
        row.serialize_field("doi", self.key)?;
        row.serialize_field("form", &self.form)?;
        row.serialize_field("offset", &self.offset)?;
        row.serialize_field("length", &self.text.len())?;
        row.serialize_field("text", &self.text_lossy())?;
        row.serialize_field("guessed", &self.guessed)?;
        row.serialize_field("check_digit", &self.check_digit().map(CheckDigit::name))?;
        row.end()
    }
}

/// A mention that owns its name: the item of [`Scanner::find_iter`](crate::Scanner::find_iter).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match<'t> {
    /// The DOI name, decoded, its case kept.
    pub doi: Doi,
    /// How it was written.
    pub form: Form,
    /// Offset of the name in the text, in bytes.
    pub start: usize,
    /// The name as found, from the first byte of `10.` to the last byte kept.
    pub text: &'t [u8],
    /// Whether the name's end is a guess that only a registry could confirm. It is `false` if a right check digit ends the name.
    pub guessed: bool,
}

impl<'t> Match<'t> {
    /// Returns the range of the name in the text, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Returns the name as found, as a string; `None` if it is not UTF-8. In a text of UTF-8 it always is.
    ///
    /// ```
    /// let found = doisift_core::Scanner::new().find_iter("see doi:10.5555/a%2Fb.").next();
    /// assert_eq!(found.and_then(|m| m.as_str()), Some("10.5555/a%2Fb"));
    /// ```
    pub fn as_str(&self) -> Option<&'t str> {
        std::str::from_utf8(self.text).ok()
    }

    /// Returns readable text of at most `max` bytes before and after the name in `text`, which must be the text that was scanned.
    /// [`around`] says what is readable.
    ///
    /// ```
    /// let text = "the  names\n10.5555/a, 10.5555/b";
    /// let found = doisift_core::Scanner::new().find_iter(text).next();
    /// assert_eq!(found.map(|m| m.around(text, 6)), Some(["names ".to_owned(), ", 10.5".to_owned()]));
    /// ```
    pub fn around(&self, text: impl AsRef<[u8]>, max: usize) -> [String; 2] {
        let (text, range) = (text.as_ref(), self.range());
        let [mut before, mut after] = [String::new(), String::new()];
        around::before(
            text.get(..range.start).unwrap_or_default(),
            max,
            &mut before,
        );
        around::after(text.get(range.end..).unwrap_or_default(), max, &mut after);
        [before, after]
    }
}
