//! Reads a text that is one name: as written, or as dirty data.

use memchr::memmem;

use crate::clean::{Cleaned, clean};
use crate::doi::{Doi, DoiError, DoiErrorKind};
use crate::scan::{Change, Scanner};

/// Reason why a text is not one name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotOneName {
    /// It is not a presentation form, or [`clean()`] finds no name in it.
    #[error(transparent)]
    NoName(#[from] DoiError),
    /// It is a URL of another host without a DOI name.
    #[error("no DOI name in this URL")]
    NoneInUrl,
    /// It is a URL of another host with several DOI names.
    #[error("more than one DOI name in this URL")]
    ManyInUrl,
    /// It holds several DOI names, of which the rules for dirty data would cut all but one.
    #[error("several names; each must be a text of its own")]
    Several,
}

impl Scanner {
    /// Reads a text that is one name: any form that [`Doi::parse`] reads, or a URL of any host in which the scanner finds exactly one
    /// name.
    ///
    /// # Errors
    /// If it is not one name.
    ///
    /// ```
    /// use doisift_core::Scanner;
    /// use doisift_core::internal::NotOneName;
    ///
    /// let mut scanner = Scanner::new();
    /// let read = scanner.read_one("https://onlinelibrary.wiley.com/doi/10.1002/abc/full")?;
    /// assert_eq!(read.as_str(), "10.1002/abc");
    /// let two = scanner.read_one("https://example.org/10.1002/a?doi=10.1002/b");
    /// assert_eq!(two, Err(NotOneName::ManyInUrl));
    /// # Ok::<(), NotOneName>(())
    /// ```
    #[doc(hidden)]
    pub fn read_one(&mut self, text: &str) -> Result<Doi, NotOneName> {
        Doi::parse(text).or_else(|error| match error.kind() {
            DoiErrorKind::ForeignHost | DoiErrorKind::NoDirectory if is_url(text) => {
                self.only_name_in(text.trim_ascii())
            }
            _ => Err(error.into()),
        })
    }

    /// Reads a dirty text that was meant to be one name, with [`clean()`]. Refuses a text from which these rules would cut
    /// another name.
    ///
    /// # Errors
    /// If it has no name, or several.
    ///
    /// ```
    /// use doisift_core::Scanner;
    /// use doisift_core::internal::NotOneName;
    ///
    /// let mut scanner = Scanner::new();
    /// assert_eq!(scanner.clean_one("10.1002/abc (2006)")?.doi.as_str(), "10.1002/abc");
    /// let two = scanner.clean_one("10.1002/abc and 10.1002/xyz");
    /// assert_eq!(two.unwrap_err(), NotOneName::Several);
    /// # Ok::<(), NotOneName>(())
    /// ```
    #[doc(hidden)]
    pub fn clean_one(&mut self, text: &str) -> Result<Cleaned, NotOneName> {
        let cleaned = clean(text)?;
        match self.holds_another(text, &cleaned.doi, &cleaned.changes) {
            true => Err(NotOneName::Several),
            false => Ok(cleaned),
        }
    }

    /// Returns the name in a URL that holds exactly one.
    fn only_name_in(&mut self, url: &str) -> Result<Doi, NotOneName> {
        let mut found: Option<Doi> = None;
        let mut many = false;
        self.scan(url.as_bytes(), |mention| {
            if let Ok(doi) = Doi::new(mention.name) {
                many |= found.get_or_insert_with(|| doi.clone()) != &doi;
            }
        });
        match many {
            true => Err(NotOneName::ManyInUrl),
            false => found.ok_or(NotOneName::NoneInUrl),
        }
    }

    /// Whether `text`, which was read as the name `kept`, holds another name, in a part that the rules for dirty data cut or
    /// elsewhere.
    fn holds_another(&mut self, text: &str, kept: &Doi, changes: &[Change]) -> bool {
        if memmem::find_iter(text.as_bytes(), b"10.").nth(1).is_none() {
            return false;
        }
        let kept = kept.key();
        let mut cuts = changes.iter();
        let mut is_first = true;
        // A part of the kept name is not another name, nor is the kept name with the parts that were cut.
        let mut is_other = |name: &str| {
            let is_kept = std::mem::take(&mut is_first) && name.starts_with(&*kept);
            !is_kept && !kept.contains(name)
        };
        cuts.any(|cut| self.scans_other(&cut.text, |name| name != kept))
            || self.scans_other(text, &mut is_other)
    }

    /// Whether the scanner finds a name in `text` for whose clean key `other` is true.
    fn scans_other(&mut self, text: &str, mut other: impl FnMut(&str) -> bool) -> bool {
        let mut found = false;
        self.scan(text.as_bytes(), |mention| {
            let cleaned = clean(mention.name).map(|cleaned| cleaned.doi.key().into_owned());
            found |= cleaned.is_ok_and(|name| other(&name));
        });
        found
    }
}

fn is_url(text: &str) -> bool {
    let text = text.trim_ascii();
    let starts = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    (starts("http://") || starts("https://")) && !text.contains(char::is_whitespace)
}
