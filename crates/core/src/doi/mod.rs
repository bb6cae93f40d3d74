//! The identifier: the syntax of a DOI name, its presentation forms, and equality of names.
//!
//! `name` has the syntax, `parse` reads presentation forms, `encode` writes them, `percent` has the escapes for both,
//! `equivalence` compares, `check_digit` checks digits, `convert` implements traits of the standard library and serde. Nothing
//! here knows text, documents or files: the scanner finds names in prose. Rule numbers such as U2 are listed with their source
//! documents in `tests/cases/README.md`.

mod check_digit;
mod convert;
mod encode;
mod equivalence;
mod error;
mod name;
mod parse;
mod percent;
#[cfg(test)]
mod properties;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

pub use check_digit::CheckDigit;
pub(crate) use check_digit::ends_in_good_digit;
pub use encode::UrlEncoding;
pub use error::{DoiError, DoiErrorKind};

// For the scanner: the same rules, without allocating a `Doi` for each candidate.
pub(crate) use {
    name::{first_not_graphic, key_into},
    percent::hex_pair,
};
// For `clean`, which reads dirty data.
pub(crate) use {parse::is_proxy, percent::decode_after as decode_escapes};

/// A DOI name, such as `10.1000/182`: decoded, its case kept.
///
/// It consists of `10.`, a registrant code of digits that full stops may subdivide, a `/`, and a suffix of one or more graphic
/// Unicode characters (N1, N3). There is no limit on its length (N2), and it is never normalised (U2). Unicode 16 decides
/// which characters are graphic.
///
/// [`Doi::parse`] reads any presentation form, [`Doi::new`] takes the name itself; the `to_…` methods write each form so that
/// `parse` gives back the same name, byte for byte.
///
/// `Eq`, `Hash` and `Ord` use ASCII case folding and nothing else (U5), also to compare a name with a `str`. So `Doi` does not
/// implement `Borrow<str>`: strings compare with case.
///
/// ```
/// use doisift_core::{Doi, UrlEncoding};
///
/// let doi = Doi::parse("https://doi.org/10.1000/456%23789?noredirect")?;
/// assert_eq!(doi.as_str(), "10.1000/456#789");
/// assert_eq!((doi.prefix(), doi.suffix()), ("10.1000", "456#789"));
/// assert_eq!(doi.to_doi_uri(), "doi:10.1000/456%23789");
/// assert_eq!(doi.to_url(UrlEncoding::Mandatory), "https://doi.org/10.1000/456%23789");
///
/// assert_eq!(Doi::parse("DOI 10.17487/RFC3986")?, Doi::parse("urn:doi:10.17487:rfc3986")?);
/// # Ok::<(), doisift_core::DoiError>(())
/// ```
#[derive(Clone)]
pub struct Doi {
    name: Box<str>,
    /// Byte offset of the `/` that ends the prefix.
    slash: usize,
}

impl Doi {
    /// Takes a bare DOI name. Trims and decodes nothing, so `10.1000/a%20b` contains a percent sign.
    ///
    /// Linear in the name's length; allocates the name once.
    ///
    /// # Errors
    ///
    /// If the text breaks N1 or N3. The offset counts bytes of `name`.
    pub fn new(name: &str) -> Result<Self, DoiError> {
        let slash = name::check(name)?;
        Ok(Doi {
            name: name.into(),
            slash,
        })
    }

    /// Reads a DOI name in any presentation form. Undoes percent escapes exactly once (H4).
    ///
    /// | form | examples | raw `?` or `#` |
    /// |---|---|---|
    /// | bare, or after a label | `10.1000/182`, `DOI 10.1000/182`, `doi: 10.1000/182`, `doi=10.1000/182`, `DOI10.1000/182` | part of the name |
    /// | URI | `doi:10.1000/182`, `info:doi/10.1000/182`, `hdl:10.1000/182` | refused (U3) |
    /// | URN (H3) | `urn:doi:10.1000:182` | refused |
    /// | URL of a proxy (P1) | `https://doi.org/10.1000/182`, `//dx.doi.org/10.1000/182`, `doi.org/urn:doi:10.1000:182` | end the name (H4, P2) |
    /// | URL of the REST API | `https://doi.org/api/handles/10.1000/182` | end the name |
    ///
    /// Proxies are `doi.org`, `dx.doi.org`, `www.doi.org` and `hdl.handle.net`, by `http` or `https`
    /// or neither, with a port or without. Case does not matter in schemes, labels and hosts, nor in a
    /// scheme after a proxy (`https://doi.org/doi:10.1000/182`). `%` starts an escape if two hexadecimal
    /// digits follow; otherwise it is a percent sign (H5). A final `/` belongs to the name (P3).
    ///
    /// ASCII white space around the text is dropped. Raw white space inside is refused, but an escaped blank (`%20`) is a
    /// character of the name.
    ///
    /// Linear in the text's length; allocates the name once, and once more if it holds escapes.
    ///
    /// # Errors
    ///
    /// If the text is in none of these forms, or its name breaks N1 or N3. Of several faults the
    /// first is reported. The offset counts bytes of `text`.
    pub fn parse(text: &str) -> Result<Self, DoiError> {
        parse::read(text)
    }

    /// Makes a `Doi` of a name that the scanner has checked.
    pub(crate) fn from_checked(name: &str) -> Self {
        let slash = name.find('/').unwrap_or(name.len());
        Doi {
            name: name.into(),
            slash,
        }
    }

    fn from_string(name: String) -> Result<Self, DoiError> {
        let slash = name::check(&name)?;
        Ok(Doi {
            name: name.into_boxed_str(),
            slash,
        })
    }

    /// Returns the whole name, decoded, its case kept.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the part before the first `/`: directory indicator, full stop and registrant code.
    pub fn prefix(&self) -> &str {
        &self.name[..self.slash]
    }

    /// Returns the part after the first `/`. It may contain more slashes.
    pub fn suffix(&self) -> &str {
        &self.name[self.slash + 1..]
    }

    /// Returns the prefix without directory indicator and first full stop: `1000.10` of `10.1000.10/123`.
    pub fn registrant_code(&self) -> &str {
        &self.name[name::DIRECTORY.len()..self.slash]
    }

    /// Returns the canonical form of equivalent names: ASCII letters in lower case, all other characters unchanged (U5).
    ///
    /// Two names are equal if and only if their keys are the same bytes, and `Ord` is the bytewise order
    /// of keys. Allocates only if the name has an upper case letter.
    pub fn key(&self) -> Cow<'_, str> {
        name::key(&self.name)
    }

    /// Whether the suffix starts with a single character and `/` (N4).
    ///
    /// ANSI/NISO Z39.84 reserves such suffixes. Some are registered nevertheless, so they are accepted
    /// like any other.
    pub fn is_reserved(&self) -> bool {
        self.suffix().chars().nth(1) == Some('/')
    }
}

/// Checks that `name` is a DOI name, as [`Doi::new`] does, without allocating.
///
/// # Errors
///
/// Those of [`Doi::new`].
pub fn check(name: &str) -> Result<(), DoiError> {
    name::check(name).map(drop)
}

/// Writes the name itself, with nothing encoded.
///
/// [`Doi::new`] always reads it back. [`Doi::parse`] does so only if the name contains no white space and no sequence that looks
/// like a percent escape; it reads back every form that the `to_…` methods write.
impl fmt::Display for Doi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

impl fmt::Debug for Doi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Doi").field(&self.name).finish()
    }
}

/// Parses as [`Doi::parse`] does.
impl FromStr for Doi {
    type Err = DoiError;

    fn from_str(text: &str) -> Result<Self, DoiError> {
        Doi::parse(text)
    }
}

impl AsRef<str> for Doi {
    fn as_ref(&self) -> &str {
        &self.name
    }
}
