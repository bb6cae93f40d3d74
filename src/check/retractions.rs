//! Reads the notices of `--retractions`, and unites them with those of the index.

use std::time::SystemTime;

use doisift_documents::display_name;
use doisift_known::{Date, IndexError, Notice};

use super::outdated::day;
use super::report::RetractionsReport;
use crate::error::{Cause, CheckError, Error, KnownError};
use crate::indexing::{IndexSettings, NoticeIndex};
use crate::lookup::KnownNames;
use crate::task::Destinations;

/// Reads all notices of a source.
///
/// # Errors
/// If the source has no notices, or they cannot be kept.
pub(super) fn read(
    settings: &IndexSettings,
    destinations: &Destinations,
) -> Result<(NoticeIndex, RetractionsReport), Error> {
    let found = settings.read_notices(destinations)?;
    let path = settings.sources().first();
    let source = path.map(|path| display_name(path).into_owned());
    let source = source.unwrap_or_default();
    if found.noted == 0 {
        let error = Error::new(Cause::Check(CheckError::NoNotices));
        return Err(error.in_source(source.into()));
    }
    let unreadable = |error| Error::new(Cause::Known(KnownError::Unreadable(error)));
    let modified = || path.and_then(|path| path.metadata().ok()?.modified().ok());
    let newest = newest(&found.index).map_err(unreadable)?;
    let report = RetractionsReport {
        source,
        notices: found.notices,
        names: found.noted,
        refused: found.refused,
        date: newest.or_else(|| modified().and_then(day)),
    };
    Ok((found, report))
}

/// Returns the newest date of the notices. Dates after today are slips.
fn newest(notices: &KnownNames) -> Result<Option<Date>, IndexError> {
    let (today, mut newest) = (day(SystemTime::now()), None);
    notices.each_notice(|_, notice| {
        newest = newest.max(notice.date.filter(|date| Some(*date) <= today));
        Ok::<_, IndexError>(())
    })?;
    Ok(newest)
}

/// Returns the notices of both lists about one name, sorted by kind. Of notices that differ only in the date, the earliest is
/// kept, as in an index.
pub(super) fn united(mut notices: Vec<Notice>, others: Vec<Notice>) -> Vec<Notice> {
    for other in others {
        let is_same = |notice: &&mut Notice| {
            let key = |notice: &Notice| notice.doi.as_ref().map(|doi| doi.key().into_owned());
            (notice.kind, notice.asserted_by, key(notice))
                == (other.kind, other.asserted_by, key(&other))
        };
        match notices.iter_mut().find(is_same) {
            Some(same) => same.date = earliest(same.date, other.date),
            None => notices.push(other),
        }
    }
    notices.sort_by_key(|notice| notice.kind);
    notices
}

fn earliest(a: Option<Date>, b: Option<Date>) -> Option<Date> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use doisift_known::{AssertedBy, NoticeKind};

    use super::*;

    #[test]
    fn one_notice_of_two_lists_is_kept_once() {
        let notice = |kind, date: &str| Notice {
            kind,
            asserted_by: AssertedBy::RetractionWatch,
            doi: None,
            date: date.parse().ok(),
        };
        use NoticeKind::{Correction, Retraction};
        let index = vec![notice(Correction, "2020"), notice(Correction, "2021-02-03")];
        let file = vec![notice(Retraction, "2022"), notice(Correction, "")];
        let both = united(index, file);
        let wanted = [
            notice(Retraction, "2022"),
            notice(Correction, "2020"),
            notice(Correction, "2021-02-03"),
        ];
        assert_eq!(both, wanted);
        let newer = united(
            vec![notice(Retraction, "2022")],
            vec![notice(Retraction, "2021")],
        );
        assert_eq!(newer, [notice(Retraction, "2021")]);
    }
}
