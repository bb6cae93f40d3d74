//! The verdicts of a check.

use std::str::FromStr;

use doisift_core::ParseError;

/// Verdict of a check on a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CheckVerdict {
    /// The index or the registry knows the name.
    Known,
    /// The text is a DOI name, and neither an index nor a registry was asked.
    WellFormed,
    /// A notice retracts the work.
    Retracted,
    /// The text stops within the name or continues with text that may belong to it, or the index knows only longer names that
    /// start with it.
    CutShort,
    /// The check digit of the name does not agree with its other digits, and the index does not know the name.
    WrongCheckDigit,
    /// The index does not know the name, but knows one that differs from it by a slip.
    DidYouMean,
    /// The text holds more or less than the name, or characters that were altered.
    WrittenWrongly,
    /// The name is reserved for tests, or fills a template: it names no work.
    Placeholder,
    /// An earlier entry has the same name.
    Duplicate,
    /// The index does not know the name. It may be registered all the same.
    NotInIndex,
    /// The index lists the registered prefixes, and that of the name is not one of them.
    UnknownPrefix,
    /// The registry does not know the name, and neither does the index, if one was asked.
    UnknownToRegistry,
    /// The registry could not be asked for a name that no index knows. It may be registered all the same.
    CouldNotAsk,
    /// The text is not a DOI name.
    NotADoi,
    /// The reference has no DOI name.
    NoDoi,
}

impl CheckVerdict {
    /// Every verdict.
    pub const ALL: &'static [CheckVerdict] = &[
        CheckVerdict::Known,
        CheckVerdict::WellFormed,
        CheckVerdict::Retracted,
        CheckVerdict::CutShort,
        CheckVerdict::WrongCheckDigit,
        CheckVerdict::DidYouMean,
        CheckVerdict::WrittenWrongly,
        CheckVerdict::Placeholder,
        CheckVerdict::Duplicate,
        CheckVerdict::NotInIndex,
        CheckVerdict::UnknownPrefix,
        CheckVerdict::UnknownToRegistry,
        CheckVerdict::CouldNotAsk,
        CheckVerdict::NotADoi,
        CheckVerdict::NoDoi,
    ];

    /// Returns the name of the verdict in rows, messages, options and reports.
    pub fn name(self) -> &'static str {
        match self {
            CheckVerdict::Known => "known",
            CheckVerdict::WellFormed => "well_formed",
            CheckVerdict::Retracted => "retracted",
            CheckVerdict::CutShort => "cut_short",
            CheckVerdict::WrongCheckDigit => "wrong_check_digit",
            CheckVerdict::DidYouMean => "did_you_mean",
            CheckVerdict::WrittenWrongly => "written_wrongly",
            CheckVerdict::Placeholder => "placeholder",
            CheckVerdict::Duplicate => "duplicate",
            CheckVerdict::NotInIndex => "not_in_index",
            CheckVerdict::UnknownPrefix => "unknown_prefix",
            CheckVerdict::UnknownToRegistry => "unknown_to_registry",
            CheckVerdict::CouldNotAsk => "could_not_ask",
            CheckVerdict::NotADoi => "not_a_doi",
            CheckVerdict::NoDoi => "no_doi",
        }
    }

    /// Returns the meaning as a sentence without its full stop.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            CheckVerdict::Known => "The index or the registry knows the name",
            CheckVerdict::WellFormed => {
                "It is a DOI name, and neither an index nor a registry was asked"
            }
            CheckVerdict::Retracted => "A notice retracts the work",
            CheckVerdict::CutShort => {
                "The text stops within the name, or the index only knows longer names that start with it"
            }
            CheckVerdict::WrongCheckDigit => {
                "The check digit in the name does not agree with its other digits"
            }
            CheckVerdict::DidYouMean => {
                "The index does not know the name, but one that a slip parts from it"
            }
            CheckVerdict::WrittenWrongly => {
                "The text holds more or less than the name, or characters that were changed on the way"
            }
            CheckVerdict::Placeholder => {
                "The name is reserved for tests, or fills a template, and names no work"
            }
            CheckVerdict::Duplicate => "An entry before this one has the same name",
            CheckVerdict::NotInIndex => {
                "The index does not know the name, which may be registered all the same"
            }
            CheckVerdict::UnknownPrefix => {
                "The prefix of the name is not in the list of registered prefixes"
            }
            CheckVerdict::UnknownToRegistry => "The registry does not know the name",
            CheckVerdict::CouldNotAsk => {
                "The registry could not be asked for the name, which may be registered all the same"
            }
            CheckVerdict::NotADoi => "The text is not a DOI name",
            CheckVerdict::NoDoi => "The reference has no DOI name",
        }
    }

    /// Whether it is a finding by default: all are, except good names, names that are not in an index, which may be newer than
    /// the index, names that the registry could not be asked about, and references without a name.
    pub fn is_finding(self) -> bool {
        !matches!(
            self,
            CheckVerdict::Known
                | CheckVerdict::WellFormed
                | CheckVerdict::NotInIndex
                | CheckVerdict::CouldNotAsk
                | CheckVerdict::NoDoi
        )
    }
}

/// Parses a [`name`](CheckVerdict::name).
impl FromStr for CheckVerdict {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        let named = CheckVerdict::ALL
            .iter()
            .copied()
            .find(|one| one.name() == name);
        named.ok_or_else(|| ParseError::new("verdict", name, names()))
    }
}

/// Deserialises the [`name`](CheckVerdict::name).
impl<'de> serde::Deserialize<'de> for CheckVerdict {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// Serialises the [`name`](CheckVerdict::name).
impl serde::Serialize for CheckVerdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

fn names() -> String {
    let names: Vec<_> = CheckVerdict::ALL.iter().map(|one| one.name()).collect();
    format!("one of {}, or none", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_a_name_of_its_own() {
        for &verdict in CheckVerdict::ALL {
            assert_eq!(verdict.name().parse(), Ok(verdict));
        }
        assert!("invented".parse::<CheckVerdict>().is_err());
    }
}
