//! Reads one text as a DOI name, and writes the name in one presentation form.
//!
//! Reads the lines, cells and arguments of `doisift normalize`. Uses names, the scanner and known names; does not know files and
//! tables.

use std::borrow::Cow;
use std::sync::Arc;

use doisift_core::internal::NotOneName;
use doisift_core::{Change, Cleaned, Doi, DoiError, NameSet, Scanner, UrlEncoding};
use doisift_documents::printable;

use crate::error::Error;
use crate::lookup::{self, Index};

/// A form to write DOI names in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Presentation {
    /// The decoded name, its case kept.
    Name,
    /// The [key](Doi::key): decoded, in ASCII lower case.
    #[default]
    Key,
    /// The doi URI, [`Doi::to_doi_uri`].
    DoiUri,
    /// The URL of the proxy, [`Doi::to_url`].
    Url(UrlEncoding),
    /// The URN, [`Doi::to_urn`].
    Urn,
    /// The URL of the proxy's API, [`Doi::to_api_url`].
    Api,
}

impl Presentation {
    /// Writes the name in this form.
    #[doc(hidden)]
    pub fn of(self, doi: &Doi) -> Cow<'_, str> {
        match self {
            Presentation::Name => doi.as_str().into(),
            Presentation::Key => doi.key(),
            Presentation::DoiUri => doi.to_doi_uri().into(),
            Presentation::Url(encoding) => doi.to_url(encoding).into(),
            Presentation::Urn => doi.to_urn().into(),
            Presentation::Api => doi.to_api_url().into(),
        }
    }
}

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is not UTF-8, from this byte on.
    #[error("not UTF-8, at byte {0}")]
    NotUtf8(usize),
    /// It is longer than this limit in bytes.
    #[error("longer than {0} bytes")]
    TooLong(usize),
    /// It is not a presentation form, or `--clean` finds no name in it.
    #[error(transparent)]
    NoName(#[from] DoiError),
    /// It is a URL of another host without a DOI name.
    #[error("no DOI name in this URL")]
    NoneInUrl,
    /// It holds several DOI names, of which the rules for dirty data would cut all but one.
    #[error("several names; each must be a text of its own")]
    Several,
    /// It is a URL of another host with several DOI names.
    #[error("more than one DOI name in this URL")]
    ManyInUrl,
    /// It is not a name as written, and the name that `--clean` finds in it is not in the index of known names.
    #[error("{} would be left, which is not known", printable::name(&.0.key()))]
    NotKnown(Doi),
    /// The index of known names has both names that it may mean.
    #[error("{} and {} are known; either may be meant", printable::name(&.0.key()), printable::name(&.1.key()))]
    ManyKnown(Doi, Doi),
    /// [`Normalizer::strict`] refuses its suffix.
    #[error("reserved: the suffix starts with a single character and \"/\"")]
    Reserved,
    /// It is a JSON value of this kind, not a string.
    #[error("{0}, not a string")]
    NoString(&'static str),
}

/// The name that was read from a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Normalized {
    /// The name.
    pub doi: Doi,
    /// Whether the rules for dirty data changed the name; see [`Cleaned::changed`](crate::Cleaned::changed).
    pub changed: bool,
    /// The changes that the rules for dirty data made.
    pub changes: Vec<Change>,
    /// The answer of the index of known names about the change. `None` if no index was asked, or nothing depended on it.
    pub repair: Option<Repair>,
}

impl From<NotOneName> for Refusal {
    fn from(refusal: NotOneName) -> Self {
        match refusal {
            NotOneName::NoName(error) => Refusal::NoName(error),
            NotOneName::NoneInUrl => Refusal::NoneInUrl,
            NotOneName::ManyInUrl => Refusal::ManyInUrl,
            _ => Refusal::Several,
        }
    }
}

impl Normalized {
    fn as_written(doi: Doi, repair: Option<Repair>) -> Self {
        Normalized {
            doi,
            changed: false,
            changes: Vec::new(),
            repair,
        }
    }
}

/// Answer of an index of known names about a name that the rules for dirty data would change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Repair {
    /// The name that was read is known, so the change was made.
    #[error("the name is known")]
    Known,
    /// This changed name is not known, so the text was read as written.
    #[error("not read as {}, which is not known", printable::name(&.0.key()))]
    Unknown(Doi),
}

/// Reads texts that are one DOI name each.
///
/// A text may be any form that [`Doi::parse`] reads, or a URL of any host in which [`Scanner`] finds exactly one name.
///
/// ```
/// use doisift::internal::Normalizer;
///
/// let mut strictly = Normalizer::new();
/// let url = b"https://onlinelibrary.wiley.com/doi/10.1002/abc/full";
/// assert_eq!(strictly.read(url)?.doi.as_str(), "10.1002/abc");
///
/// let dirty = b"10.1002/abc (2006)";
/// assert!(strictly.read(dirty).is_err());
/// assert_eq!(Normalizer::new().clean(true).read(dirty)?.doi.as_str(), "10.1002/abc");
/// # Ok::<(), doisift::internal::Refusal>(())
/// ```
pub struct Normalizer {
    strict: bool,
    clean: bool,
    arxiv: bool,
    scanner: Scanner,
    known: Option<Arc<Index>>,
}

impl Default for Normalizer {
    fn default() -> Self {
        Normalizer::new()
    }
}

impl Normalizer {
    /// Creates a normalizer that reads names as written, reserved ones too.
    pub fn new() -> Self {
        Normalizer {
            strict: false,
            clean: false,
            arxiv: false,
            scanner: Scanner::new(),
            known: None,
        }
    }

    /// Refuses names that ANSI/NISO Z39.84 [reserves](Doi::is_reserved). Off by default.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Reads texts as dirty data, with [`clean()`](crate::clean()), and texts that are not UTF-8 as Windows-1252. Off by default.
    pub fn clean(mut self, clean: bool) -> Self {
        self.clean = clean;
        self
    }

    /// Asks an index of known names, if there is one.
    pub(crate) fn known(mut self, known: Option<Arc<Index>>) -> Self {
        if let Some(known) = &known {
            self.scanner = self.scanner.known(known.clone());
        }
        self.known = known;
        self
    }

    /// # Errors
    /// If the index of known names could not be read when it was asked.
    pub fn check(&self) -> Result<(), Error> {
        lookup::check(&self.known)
    }

    /// Reads identifiers of arXiv as their DOI names; see [`Doi::from_arxiv`]. Off by default.
    pub fn arxiv(mut self, arxiv: bool) -> Self {
        self.arxiv = arxiv;
        self
    }

    /// Reads a text.
    ///
    /// # Errors
    /// If the text is not one DOI name. It is [`Refusal::Several`] if [`clean()`](crate::clean()) would cut off another name.
    pub fn read(&mut self, text: &[u8]) -> Result<Normalized, Refusal> {
        let text = self.decoded(text)?;
        let arxiv = self.arxiv.then(|| Doi::from_arxiv(&text)).flatten();
        let normalized = if let Some(doi) = arxiv {
            Normalized::as_written(doi, None)
        } else if self.clean {
            self.as_meant(&text)?
        } else {
            Normalized::as_written(self.as_written(&text)?, None)
        };
        if self.strict && normalized.doi.is_reserved() {
            Err(Refusal::Reserved)
        } else {
            Ok(normalized)
        }
    }

    fn decoded<'t>(&self, text: &'t [u8]) -> Result<Cow<'t, str>, Refusal> {
        match str::from_utf8(text) {
            Ok(text) => Ok(text.into()),
            Err(_) if self.clean => Ok(encoding_rs::WINDOWS_1252
                .decode_without_bom_handling(text)
                .0),
            Err(error) => Err(Refusal::NotUtf8(error.valid_up_to())),
        }
    }

    fn as_meant(&mut self, text: &str) -> Result<Normalized, Refusal> {
        let Cleaned {
            doi,
            changed,
            changes,
            ..
        } = self.scanner.clean_one(text)?;
        let meant = Normalized {
            doi,
            changed,
            changes,
            repair: None,
        };
        match self.known.clone() {
            Some(known) => self.as_known(text, meant, &known),
            None => Ok(meant),
        }
    }

    /// Chooses the name of a text that the rules for dirty data read as `meant`: the name as written if it is known, else the one
    /// known name that these rules or a scan find, else the name as written.
    fn as_known(
        &mut self,
        text: &str,
        meant: Normalized,
        known: &Index,
    ) -> Result<Normalized, Refusal> {
        let is_known = |doi: &Doi| known.knows(&doi.key());
        let written = self.as_written(text).ok();
        if let Some(written) = written.clone().filter(is_known) {
            return Ok(Normalized::as_written(written, None));
        }
        let scanned = self.scanner.find_iter(text).next().map(|found| found.doi);
        let scanned = scanned.filter(|doi| *doi != meant.doi && is_known(doi));
        match (meant.changed && is_known(&meant.doi), scanned, written) {
            (true, Some(scanned), _) => Err(Refusal::ManyKnown(meant.doi, scanned)),
            (true, None, _) => Ok(Normalized {
                repair: Some(Repair::Known),
                ..meant
            }),
            (false, Some(scanned), _) => Ok(Normalized {
                doi: scanned,
                changed: true,
                changes: Vec::new(),
                repair: Some(Repair::Known),
            }),
            (false, None, Some(written)) => {
                let repair = meant.changed.then_some(Repair::Unknown(meant.doi));
                Ok(Normalized::as_written(written, repair))
            }
            (false, None, None) => Err(Refusal::NotKnown(meant.doi)),
        }
    }

    fn as_written(&mut self, text: &str) -> Result<Doi, Refusal> {
        Ok(self.scanner.read_one(text)?)
    }

    /// Returns the message about a refused text: the text, escaped and shortened, the reason, and the name that
    /// [`clean`](Self::clean) would find in it, unless that is set.
    pub fn explain(&self, text: &[u8], refusal: &Refusal) -> String {
        quoted(text, &format!("{refusal}{}", self.remedy(text, refusal)))
    }

    /// Returns the end of a message about a refused text: the name that `--clean` would find, or nothing.
    pub(crate) fn remedy(&self, text: &[u8], refusal: &Refusal) -> String {
        let is_text = !matches!(refusal, Refusal::Reserved | Refusal::NoString(_));
        let text = str::from_utf8(text).ok().filter(|_| !self.clean && is_text);
        let mut dirty = Normalizer::new().clean(true);
        match text.and_then(|text| dirty.read(text.as_bytes()).ok()) {
            Some(read) => {
                let name = printable::name(&read.doi.key());
                format!("; --clean takes it as {name}")
            }
            None => String::new(),
        }
    }
}

/// Formats changes, each as its rule and the text that was cut or replaced: `tail.mark: '.'`. With apostrophes, since CSV would
/// double quotes.
pub(crate) fn reasons(changes: &[Change]) -> Vec<String> {
    let reason = |change: &Change| match change.text.is_empty() {
        true => change.rule.to_owned(),
        false => part_reason(change.rule, &change.text),
    };
    changes.iter().map(reason).collect()
}

/// Formats the id of a rule and the text that it cut or replaced.
pub(crate) fn part_reason(rule: &str, part: &str) -> String {
    format!("{rule}: '{}'", printable::name(part))
}

/// Formats a text, escaped and shortened, with a reason after it.
pub(crate) fn quoted(text: &[u8], reason: &str) -> String {
    let shown = printable::name(&printable::bytes_as_name(text));
    format!("\"{shown}\": {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let error = Normalizer::new().read(text.as_bytes()).unwrap_err();
        error.to_string()
    }

    #[test]
    fn a_url_of_another_host_holds_one_name_or_is_refused() {
        let twice = b"https://example.org/10.1002/abc?doi=10.1002/ABC";
        let read = Normalizer::new().read(twice).unwrap();
        assert_eq!(read.doi.as_str(), "10.1002/abc");
        for (url, reason) in [
            ("https://example.org/", "no DOI name in this URL"),
            (
                "https://example.org/10.1002/a?doi=10.1002/b",
                "more than one DOI name in this URL",
            ),
            (
                "https://example.org/10.1002/a b",
                "raw white space, at byte 29",
            ),
        ] {
            assert_eq!(refused(url), reason, "{url}");
        }
    }

    #[test]
    fn a_fault_in_a_proxys_url_is_not_cut_away() {
        let wanted = "U+000A is not a graphic character, at byte 27";
        assert_eq!(refused("https://doi.org/10.5555/abc%0Adef"), wanted);
    }

    #[test]
    fn dirty_text_that_is_not_utf8_is_windows_1252() {
        let text = b"10.1000/a\x961\xa0";
        let strict = Normalizer::new().read(text).unwrap_err();
        assert_eq!(strict, Refusal::NotUtf8(9));
        let read = Normalizer::new().clean(true).read(text).unwrap();
        assert_eq!(read.doi.as_str(), "10.1000/a-1");
    }

    #[test]
    fn a_message_shows_the_text_and_what_would_take_it() {
        let mut normalizer = Normalizer::new();
        let text = b"10.1000/ab1 (2006)\x1b";
        let refusal = normalizer.read(text).unwrap_err();
        let wanted = "\"10.1000/ab1 (2006)\\u{1b}\": raw white space, at byte 11; --clean takes it as 10.1000/ab1";
        assert_eq!(normalizer.explain(text, &refusal), wanted);
        let refusal = normalizer.read(b"none").unwrap_err();
        let wanted = "\"none\": no directory indicator \"10.\", at byte 0";
        assert_eq!(normalizer.explain(b"none", &refusal), wanted);
    }
}
