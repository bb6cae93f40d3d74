//! Sources of names.

use crate::Date;

/// A source of names, as the header of an index lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct IndexSource {
    /// Its name, such as `crossref-2026-03.tar`.
    pub name: String,
    /// The agency that registers its names, such as `crossref`; `None` if that is not known.
    pub agency: Option<String>,
    /// The date of the registry's state that it shows.
    pub date: Option<Date>,
    /// Number of its distinct names.
    pub names: u64,
}

impl IndexSource {
    /// Makes a source without names.
    #[doc(hidden)]
    pub fn new(name: &str, agency: Option<&str>, date: Option<Date>) -> Self {
        IndexSource {
            name: name.to_owned(),
            agency: agency.map(str::to_owned),
            date,
            names: 0,
        }
    }

    /// Returns the fields by which it is the same source in two indexes.
    pub(crate) fn identity(&self) -> (&str, Option<&str>, Option<Date>) {
        (&self.name, self.agency.as_deref(), self.date)
    }
}
