//! Notices about names: retractions, corrections and the like.

use doisift_core::Doi;

use crate::Date;
use crate::bytes::{ByteReader, put_bytes};

/// A notice about a name: its kind, its publication, and who asserts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Effect of the notice on the work.
    pub kind: NoticeKind,
    /// Who asserts it.
    pub asserted_by: AssertedBy,
    /// The name of the notice itself, which may be the work's own name. The index keeps its key.
    pub doi: Option<Doi>,
    /// When the notice was published.
    pub date: Option<Date>,
}

/// Effect of a notice on the work, in the words of Crossref.
///
/// An index stores its position in this list, so a new one is added at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NoticeKind {
    /// The work is retracted.
    Retraction,
    /// The author or publisher withdrew the work.
    Withdrawal,
    /// The work was removed.
    Removal,
    /// A part of the work is retracted.
    PartialRetraction,
    /// The editors expressed concern about the work.
    ExpressionOfConcern,
    /// A retraction was undone.
    Reinstatement,
    /// The work was corrected.
    Correction,
    /// The author corrected the work.
    Corrigendum,
    /// The publisher corrected the work.
    Erratum,
    /// Information was added.
    Addendum,
    /// Information was clarified.
    Clarification,
    /// A new edition was published.
    NewEdition,
    /// A new version was published.
    NewVersion,
    /// Any other notice.
    Other,
}

impl NoticeKind {
    /// Every value.
    pub const ALL: &[NoticeKind] = &[
        NoticeKind::Retraction,
        NoticeKind::Withdrawal,
        NoticeKind::Removal,
        NoticeKind::PartialRetraction,
        NoticeKind::ExpressionOfConcern,
        NoticeKind::Reinstatement,
        NoticeKind::Correction,
        NoticeKind::Corrigendum,
        NoticeKind::Erratum,
        NoticeKind::Addendum,
        NoticeKind::Clarification,
        NoticeKind::NewEdition,
        NoticeKind::NewVersion,
        NoticeKind::Other,
    ];

    /// Returns the name that Crossref uses.
    pub fn name(self) -> &'static str {
        match self {
            NoticeKind::Retraction => "retraction",
            NoticeKind::Withdrawal => "withdrawal",
            NoticeKind::Removal => "removal",
            NoticeKind::PartialRetraction => "partial_retraction",
            NoticeKind::ExpressionOfConcern => "expression_of_concern",
            NoticeKind::Reinstatement => "reinstatement",
            NoticeKind::Correction => "correction",
            NoticeKind::Corrigendum => "corrigendum",
            NoticeKind::Erratum => "erratum",
            NoticeKind::Addendum => "addendum",
            NoticeKind::Clarification => "clarification",
            NoticeKind::NewEdition => "new_edition",
            NoticeKind::NewVersion => "new_version",
            NoticeKind::Other => "other",
        }
    }

    /// Returns the value of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name)
    }

    /// Whether the work is invalid as a whole: retraction, withdrawal, removal.
    pub fn is_retraction(self) -> bool {
        matches!(
            self,
            NoticeKind::Retraction | NoticeKind::Withdrawal | NoticeKind::Removal
        )
    }
}

/// Who asserts a notice, in the words of Crossref.
///
/// An index stores its position in this list, so a new one is added at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AssertedBy {
    /// The publisher of the work or of the notice.
    Publisher,
    /// The database of Retraction Watch.
    RetractionWatch,
}

impl AssertedBy {
    /// Every value.
    pub const ALL: &[AssertedBy] = &[AssertedBy::Publisher, AssertedBy::RetractionWatch];

    /// Returns the name that Crossref uses.
    pub fn name(self) -> &'static str {
        match self {
            AssertedBy::Publisher => "publisher",
            AssertedBy::RetractionWatch => "retraction-watch",
        }
    }

    /// Returns the value of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name)
    }
}

/// Whether a work with these notices is retracted, withdrawn or removed. A reinstatement undoes earlier retractions;
/// without dates, all of them.
pub fn is_retracted(notices: &[Notice]) -> bool {
    let last = |is: fn(NoticeKind) -> bool| {
        let dates = notices.iter().filter(|notice| is(notice.kind));
        dates.map(|notice| notice.date).max()
    };
    let reinstated = last(|kind| kind == NoticeKind::Reinstatement);
    match (last(NoticeKind::is_retraction), reinstated) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(retracted), Some(reinstated)) => {
            let dates = retracted.zip(reinstated);
            dates.is_some_and(|(retracted, reinstated)| retracted > reinstated)
        }
    }
}

/// Length of a date in a notice.
const DATE_BYTES: usize = 4;

impl Notice {
    /// Returns bytes that sort by date if notices differ only in the date.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![self.kind as u8, self.asserted_by as u8];
        let key = self.doi.as_ref().map(Doi::key);
        put_bytes(&mut out, key.as_deref().unwrap_or_default().as_bytes());
        out.extend_from_slice(&Date::to_bytes(self.date));
        out
    }

    pub(crate) fn read(fields: &mut ByteReader<'_>) -> Option<Self> {
        let [kind, asserted_by] = fields.array()?;
        let doi = match fields.text()? {
            "" => None,
            name => Some(Doi::new(name).ok()?),
        };
        Some(Notice {
            kind: *NoticeKind::ALL.get(usize::from(kind))?,
            asserted_by: *AssertedBy::ALL.get(usize::from(asserted_by))?,
            doi,
            date: Date::from_bytes(fields.array()?)?,
        })
    }

    /// Returns a notice's bytes without the date. They are equal for one notice with several dates.
    pub(crate) fn without_date(bytes: &[u8]) -> &[u8] {
        &bytes[..bytes.len().saturating_sub(DATE_BYTES)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        for &kind in NoticeKind::ALL {
            assert_eq!(NoticeKind::from_name(kind.name()), Some(kind));
            assert_eq!(NoticeKind::ALL[kind as usize], kind);
        }
        assert_eq!(NoticeKind::from_name("err"), None);
    }

    #[test]
    fn a_reinstatement_undoes_earlier_retractions() {
        let notice = |(kind, date): &(NoticeKind, &str)| Notice {
            kind: *kind,
            asserted_by: AssertedBy::Publisher,
            doi: None,
            date: date.parse().ok(),
        };
        use NoticeKind::{Correction, ExpressionOfConcern, PartialRetraction, Removal};
        use NoticeKind::{Reinstatement, Retraction, Withdrawal};
        for (notices, wanted) in [
            (&[][..], false),
            (
                &[
                    (Correction, "2020"),
                    (ExpressionOfConcern, ""),
                    (PartialRetraction, ""),
                ],
                false,
            ),
            (&[(Correction, "2021"), (Retraction, "")], true),
            (&[(Withdrawal, "")], true),
            (&[(Removal, "2020")], true),
            (
                &[(Retraction, "2020-01-02"), (Reinstatement, "2020-01-02")],
                false,
            ),
            (
                &[(Retraction, "2020-01-02"), (Reinstatement, "2020-01-01")],
                true,
            ),
            (&[(Retraction, "2020"), (Reinstatement, "")], false),
            (&[(Reinstatement, "2020")], false),
        ] {
            let made: Vec<_> = notices.iter().map(notice).collect();
            assert_eq!(is_retracted(&made), wanted, "{notices:?}");
        }
    }

    #[test]
    fn notices_are_read_back() {
        for doi in [None, Some(Doi::new("10.5555/notice,1").unwrap())] {
            let notice = Notice {
                kind: NoticeKind::ExpressionOfConcern,
                asserted_by: AssertedBy::RetractionWatch,
                doi,
                date: Some("2026-03".parse().unwrap()),
            };
            let bytes = notice.to_bytes();
            let mut fields = ByteReader::new(&bytes, 0);
            assert_eq!(Notice::read(&mut fields), Some(notice));
            assert_eq!(fields.expect_end(), Some(()));
        }
    }
}
