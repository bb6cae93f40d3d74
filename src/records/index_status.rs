//! The answers of an index of known names about a name, as fields of rows.

use super::field::Field;
use super::row::{Slot, Value, set};

/// Answers of an index about a name. The default if no index was asked, or it cannot tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexStatus<'a> {
    /// Whether the name is known. `None` if no name with its prefix is.
    pub(crate) known: Option<bool>,
    /// The agency that registered the name.
    pub(crate) agency: Option<&'a str>,
    /// Whether the name is retracted. `None` if the index has neither a notice nor a name with its prefix.
    pub(crate) retracted: Option<bool>,
}

/// A [`IndexStatus`] in a few bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredIndexStatus {
    known: Option<bool>,
    retracted: Option<bool>,
    /// The number of the agency in a list, from 1; 0 if unknown.
    agency: u32,
}

/// A reusable [`IndexStatus`] that owns the agency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnedIndexStatus {
    known: Option<bool>,
    /// Empty if unknown. The name of an agency is never empty.
    agency: String,
    retracted: Option<bool>,
}

impl<'a> IndexStatus<'a> {
    /// Returns the value of one of its fields; null for other fields.
    pub(super) fn value(&self, field: Field) -> Value<'a> {
        match field {
            Field::Known => Value::NullableFlag(self.known),
            Field::Retracted => Value::NullableFlag(self.retracted),
            Field::Agency => Value::Nullable(self.agency),
            _ => Value::Nullable(None),
        }
    }
}

impl StoredIndexStatus {
    /// Converts a standing. Its agency must be in the list.
    pub(crate) fn new(index_status: IndexStatus<'_>, agencies: &[String]) -> Self {
        let agency = |name| agencies.iter().position(|other| other == name);
        StoredIndexStatus {
            known: index_status.known,
            retracted: index_status.retracted,
            agency: index_status
                .agency
                .and_then(agency)
                .map_or(0, |at| at as u32 + 1),
        }
    }

    /// Converts it back, with the same list.
    pub(crate) fn shown(self, agencies: &[String]) -> IndexStatus<'_> {
        let agency = (self.agency as usize).checked_sub(1);
        IndexStatus {
            known: self.known,
            agency: agency.and_then(|at| agencies.get(at)).map(String::as_str),
            retracted: self.retracted,
        }
    }
}

impl From<IndexStatus<'_>> for OwnedIndexStatus {
    fn from(index_status: IndexStatus<'_>) -> Self {
        OwnedIndexStatus {
            known: index_status.known,
            agency: index_status.agency.unwrap_or_default().to_owned(),
            retracted: index_status.retracted,
        }
    }
}

impl OwnedIndexStatus {
    pub(super) fn as_index_status(&self) -> IndexStatus<'_> {
        let agency = self.agency.as_str();
        IndexStatus {
            known: self.known,
            agency: (!agency.is_empty()).then_some(agency),
            retracted: self.retracted,
        }
    }

    /// Returns the value of one of its fields; null for other fields.
    pub(super) fn value(&self, field: Field) -> Value<'_> {
        self.as_index_status().value(field)
    }

    /// Returns the slot of one of its fields.
    pub(super) fn slot(&mut self, field: Field) -> Option<Slot<'_>> {
        Some(match field {
            Field::Known => Slot::NullableFlag(&mut self.known),
            Field::Retracted => Slot::NullableFlag(&mut self.retracted),
            Field::Agency => Slot::Nullable(&mut self.agency),
            _ => return None,
        })
    }

    /// Unites it with the answers of another index about the same name. A name that one knows is known. The order does not
    /// matter.
    pub(crate) fn unite(&mut self, other: &OwnedIndexStatus) {
        // None is less than any value, and false less than true.
        self.known = self.known.max(other.known);
        self.retracted = self.retracted.max(other.retracted);
        let is_first = !other.agency.is_empty() && other.agency < self.agency;
        if self.agency.is_empty() || is_first {
            set(&mut self.agency, &other.agency);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index_status(
        known: Option<bool>,
        agency: &str,
        retracted: Option<bool>,
    ) -> OwnedIndexStatus {
        OwnedIndexStatus {
            known,
            agency: agency.to_owned(),
            retracted,
        }
    }

    #[test]
    fn two_indexes_together_know_what_one_knows() {
        let none = OwnedIndexStatus::default();
        let unknown = index_status(Some(false), "", Some(false));
        let known = index_status(Some(true), "b", Some(false));
        let other = index_status(Some(true), "a", Some(true));
        for (one, two, both) in [
            (&none, &none, &none),
            (&none, &unknown, &unknown),
            (&unknown, &known, &known),
            (&known, &other, &other),
            (&known, &none, &known),
        ] {
            for (mut first, second) in [(one.clone(), two), (two.clone(), one)] {
                first.unite(second);
                assert_eq!(&first, both);
            }
        }
    }
}
