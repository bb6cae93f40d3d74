//! Notices in the layouts of Crossref and of Retraction Watch's database.
//!
//! ```
//! use doisift_known::notices::{DateOrder, RetractionWatch, of_work};
//!
//! // A work of Crossref, as a line of its public file has it: its own metadata, and updates of other works.
//! let work = r#"{"DOI":"10.5555/work","updated-by":[{"DOI":"10.5555/notice","type":"retraction","source":"publisher",
//!     "updated":{"date-parts":[[2021,5,1]]}}]}"#;
//! let found = of_work(work.as_bytes())?;
//! let (name, notice) = &found.notices[0];
//! assert_eq!(name.as_str(), "10.5555/work");
//! assert!(notice.kind.is_retraction());
//!
//! // A row of Retraction Watch, whose fields a reader of CSV has split.
//! let header = ["RetractionDate", "RetractionDOI", "OriginalPaperDOI", "RetractionNature"];
//! let rows = RetractionWatch::new(&header)?;
//! let row = ["3/9/2026 0:00", "unavailable", "10.5555/work", "Expression of concern"];
//! let row = rows.notice(&row, Some(DateOrder::MonthFirst))?;
//! assert_eq!(row.map(|(_, notice)| notice.date), Some(Some("2026-03-09".parse()?)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use doisift_core::{Doi, DoiError};
use serde::Deserialize;

use crate::{AssertedBy, Date, Notice, NoticeKind};

/// The notices that a work of Crossref's metadata asserts, in either direction.
#[derive(Debug, Default)]
pub struct WorkNotices {
    /// The name of the work itself, as it is written there.
    pub doi: Option<String>,
    /// Each with the name that it is about.
    pub notices: Vec<(Doi, Notice)>,
    /// Entries without a DOI name.
    pub refused: u64,
}

/// The fields of a work that concern notices.
#[derive(Deserialize)]
#[serde(expecting = "an object of JSON")]
struct WorkFields {
    #[serde(rename = "DOI")]
    doi: Option<String>,
    /// Notices about this work.
    #[serde(rename = "updated-by", default)]
    updated_by: Option<Vec<UpdateFields>>,
    /// Works that this one is a notice about.
    #[serde(rename = "update-to", default)]
    update_to: Option<Vec<UpdateFields>>,
}

#[derive(Deserialize)]
struct UpdateFields {
    /// The notice in `updated-by`, the work in `update-to`.
    #[serde(rename = "DOI")]
    doi: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    source: Option<String>,
    updated: Option<UpdateDate>,
}

#[derive(Deserialize)]
struct UpdateDate {
    #[serde(rename = "date-parts", default)]
    date_parts: Vec<Vec<Option<u16>>>,
}

/// Returns the notices in a work of Crossref: the JSON object with `DOI`, `updated-by` and `update-to`. Other members are
/// ignored.
///
/// `updated-by` is in the work that a notice is about, and lists notices; `update-to` is in the notice, and lists works.
/// One notice often appears in both; an index keeps equal notices once. An unknown type is [`NoticeKind::Other`], and a
/// notice without a source is the publisher's.
///
/// # Errors
///
/// If the bytes are not JSON of this layout.
pub fn of_work(json: &[u8]) -> Result<WorkNotices, serde_json::Error> {
    let work: WorkFields = serde_json::from_slice(json)?;
    let mut found = WorkNotices::default();
    let own = work.doi.as_deref().and_then(|doi| Doi::parse(doi).ok());
    for update in work.updated_by.iter().flatten() {
        // A notice without a name of its own counts too.
        found.add(own.clone(), update, update.doi());
    }
    for update in work.update_to.iter().flatten() {
        found.add(update.doi(), update, own.clone());
    }
    found.doi = work.doi;
    Ok(found)
}

impl WorkNotices {
    fn add(&mut self, name: Option<Doi>, update: &UpdateFields, notice: Option<Doi>) {
        let Some(name) = name else {
            self.refused += 1;
            return;
        };
        let source = update.source.as_deref().and_then(AssertedBy::from_name);
        let notice = Notice {
            kind: kind_of(update.kind.as_deref().unwrap_or_default()),
            asserted_by: source.unwrap_or(AssertedBy::Publisher),
            doi: notice,
            date: update.updated.as_ref().and_then(UpdateDate::date),
        };
        self.notices.push((name, notice));
    }
}

impl UpdateFields {
    fn doi(&self) -> Option<Doi> {
        Doi::parse(self.doi.as_deref()?).ok()
    }
}

impl UpdateDate {
    fn date(&self) -> Option<Date> {
        let mut parts = self.date_parts.first()?.iter().copied();
        let year = parts.next()??;
        let mut narrow = || {
            parts
                .next()
                .flatten()
                .and_then(|part| u8::try_from(part).ok())
        };
        Date::new(year, narrow(), narrow())
    }
}

/// Returns the kind of Crossref's type or Retraction Watch's nature, in any case, with blanks or hyphens.
fn kind_of(text: &str) -> NoticeKind {
    let name = text.trim().to_ascii_lowercase().replace([' ', '-'], "_");
    match name.as_str() {
        "err" => NoticeKind::Erratum,
        name => NoticeKind::from_name(name).unwrap_or(NoticeKind::Other),
    }
}

/// Reads rows of Retraction Watch's database, whose columns its header names.
#[derive(Clone, Copy, Debug)]
pub struct RetractionWatch {
    original: usize,
    notice: usize,
    nature: usize,
    date: usize,
    /// The date of the work, which may show the order of dates too.
    other_date: Option<usize>,
}

/// The order of day and month in dates with slashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// `3/9/2026` is the ninth of March.
    MonthFirst,
    /// `9/3/2026` is the ninth of March.
    DayFirst,
}

/// Why the row of a notice cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoticeError {
    /// The text for the name of the work is not a DOI name.
    #[error("not a DOI name: {0}")]
    Name(DoiError),
    /// Day and month can be read in both orders, and no order was given.
    #[error(
        "the column RetractionDate has {0:?}, and no date of this table shows whether the day or the month comes first; \
         write the dates as 2026-03-09"
    )]
    Ambiguous(Box<str>),
    /// The text is not a date, or not in the order of the others.
    #[error(
        "the column RetractionDate has {0:?}, which is not a date in the order of the others; write the dates as 2026-03-09"
    )]
    Date(Box<str>),
}

/// A column of Retraction Watch's database that a header lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header has no column {0}; this is not the table of Retraction Watch")]
pub struct MissingColumn(pub &'static str);

impl RetractionWatch {
    /// Finds the columns `OriginalPaperDOI`, `RetractionDOI`, `RetractionNature` and `RetractionDate`.
    ///
    /// # Errors
    ///
    /// If the header lacks one.
    pub fn new(header: &[&str]) -> Result<Self, MissingColumn> {
        let column = |name| {
            let at = header
                .iter()
                .position(|field| field.trim_matches(['\u{feff}', ' ']) == name);
            at.ok_or(MissingColumn(name))
        };
        Ok(RetractionWatch {
            original: column("OriginalPaperDOI")?,
            notice: column("RetractionDOI")?,
            nature: column("RetractionNature")?,
            date: column("RetractionDate")?,
            other_date: column("OriginalPaperDate").ok(),
        })
    }

    /// Returns the order of day and month that the dates of a row show: one of the two numbers is more than 12.
    pub fn order(&self, row: &[&str]) -> Option<DateOrder> {
        let dates = [Some(self.date), self.other_date].into_iter().flatten();
        let shown = |at: usize| SlashedDate::read(row.get(at)?)?.order();
        dates.filter_map(shown).next()
    }

    /// Whether the date of a row has a time after it, as in the table that Retraction Watch publishes, where the month
    /// comes first.
    pub fn has_time(&self, row: &[&str]) -> bool {
        row.get(self.date)
            .is_some_and(|date| date.trim().ends_with(" 0:00"))
    }

    /// Returns the notice of a row, and the name that it is about; `None` if the row has no name, or `unavailable` in its
    /// place.
    ///
    /// Dates are written as `2026-03-09`, with or without a time, or with slashes in the `order` of day and month. If no
    /// order is given, the date must show its own. A row may have no date, and more fields than the header. A notice whose
    /// own name is invalid gets no name.
    ///
    /// # Errors
    ///
    /// If the name of the work is not a DOI name, or the date cannot be read.
    pub fn notice(
        &self,
        row: &[&str],
        order: Option<DateOrder>,
    ) -> Result<Option<(Doi, Notice)>, NoticeError> {
        let field = |at: usize| row.get(at).map_or("", |field| field.trim());
        let Some(original) = given(field(self.original)) else {
            return Ok(None);
        };
        let original = Doi::parse(original).map_err(NoticeError::Name)?;
        let notice = Notice {
            kind: kind_of(field(self.nature)),
            asserted_by: AssertedBy::RetractionWatch,
            doi: given(field(self.notice)).and_then(|doi| Doi::parse(doi).ok()),
            date: date(field(self.date), order)?,
        };
        Ok(Some((original, notice)))
    }
}

/// Returns a field, unless it is empty or says that there is no name.
fn given(field: &str) -> Option<&str> {
    let is_given = !field.is_empty() && !field.eq_ignore_ascii_case("unavailable");
    is_given.then_some(field)
}

/// Parses the date in a field, which may have a time after it. An empty field has none.
fn date(text: &str, order: Option<DateOrder>) -> Result<Option<Date>, NoticeError> {
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    if day.is_empty() {
        return Ok(None);
    }
    if let Ok(date) = day.parse() {
        return Ok(Some(date));
    }
    let slashed = SlashedDate::read(text).ok_or_else(|| NoticeError::Date(text.into()))?;
    let is_same = slashed.first == slashed.second;
    let any = || is_same.then_some(DateOrder::MonthFirst);
    match order.or_else(|| slashed.order()).or_else(any) {
        None => Err(NoticeError::Ambiguous(text.into())),
        Some(order) => match slashed.date(order) {
            Some(date) => Ok(Some(date)),
            None => Err(NoticeError::Date(text.into())),
        },
    }
}

/// A date such as `3/9/2026 0:00`.
struct SlashedDate {
    first: u8,
    second: u8,
    year: u16,
}

impl SlashedDate {
    fn read(text: &str) -> Option<SlashedDate> {
        let day = text.split_ascii_whitespace().next()?;
        let mut parts = day.split('/');
        let mut part = || parts.next();
        let (first, second) = (part()?.parse().ok()?, part()?.parse().ok()?);
        let year = part()?.parse().ok()?;
        part().is_none().then_some(SlashedDate {
            first,
            second,
            year,
        })
    }

    /// Returns the order that it shows, if exactly one of the numbers cannot be a month.
    fn order(&self) -> Option<DateOrder> {
        match (self.first > 12, self.second > 12) {
            (false, true) => Some(DateOrder::MonthFirst),
            (true, false) => Some(DateOrder::DayFirst),
            _ => None,
        }
    }

    fn date(&self, order: DateOrder) -> Option<Date> {
        let (month, day) = match order {
            DateOrder::MonthFirst => (self.first, self.second),
            DateOrder::DayFirst => (self.second, self.first),
        };
        Date::new(self.year, Some(month), Some(day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(found: &[(Doi, Notice)]) -> Vec<String> {
        let one = |(name, notice): &(Doi, Notice)| {
            let doi = notice.doi.as_ref().map_or("-", |doi| doi.as_str());
            let date = notice.date.map_or("-".to_owned(), |date| date.to_string());
            format!(
                "{name} {} {} {doi} {date}",
                notice.kind.name(),
                notice.asserted_by.name()
            )
        };
        found.iter().map(one).collect()
    }

    #[test]
    fn both_directions_of_a_work_are_read() {
        let work = br#"{"DOI":"10.5555/A,1","title":["x"],
            "updated-by":[
              {"DOI":"10.5555/n1","type":"retraction","label":"Retraction","source":"publisher",
               "updated":{"date-parts":[[2021,5,1]],"date-time":"2021-05-01T00:00:00Z","timestamp":1619827200000}},
              {"DOI":"10.5555/n1","type":"retraction","source":"retraction-watch","record-id":"1234","updated":{"date-parts":[[2021,4]]}},
              {"type":"err"}],
            "update-to":[
              {"DOI":"10.5555/b","type":"Expression-of-Concern","updated":{"date-parts":[[null]]}},
              {"DOI":"unknown","type":"correction"}]}"#;
        let found = of_work(work).unwrap();
        let expected = [
            "10.5555/A,1 retraction publisher 10.5555/n1 2021-05-01",
            "10.5555/A,1 retraction retraction-watch 10.5555/n1 2021-04",
            "10.5555/A,1 erratum publisher - -",
            "10.5555/b expression_of_concern publisher 10.5555/A,1 -",
        ];
        assert_eq!(shown(&found.notices), expected);
        assert_eq!(found.refused, 1);
    }

    #[test]
    fn one_notice_may_be_about_many_works() {
        let works: Vec<String> = (0..42)
            .map(|at| format!(r#"{{"DOI":"10.5555/w{at}","type":"retraction"}}"#))
            .collect();
        let notice = format!(r#"{{"DOI":"10.5555/n","update-to":[{}]}}"#, works.join(","));
        let found = of_work(notice.as_bytes()).unwrap().notices;
        assert_eq!(found.len(), 42);
        assert_eq!(
            shown(&found)[41],
            "10.5555/w41 retraction publisher 10.5555/n -"
        );
    }

    #[test]
    fn works_without_notices_have_none() {
        for work in [
            r#"{"DOI":"10.5555/a"}"#,
            r#"{"DOI":"10.5555/a","update-to":null}"#,
            "{}",
        ] {
            let found = of_work(work.as_bytes()).unwrap();
            assert!(found.notices.is_empty() && found.refused == 0, "{work}");
        }
        assert!(of_work(b"[1]").is_err());
        assert!(of_work(b"{").is_err());
    }

    const HEADER: &str = "Record ID,Title,Subject,Institution,Journal,Publisher,Country,Author,URLS,ArticleType,RetractionDate,RetractionDOI,\
        RetractionPubMedID,OriginalPaperDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,Reason,Paywalled,Notes";

    /// Makes a row with these four fields, and one more than the header has.
    fn row<'a>(date: &'a str, notice: &'a str, original: &'a str, nature: &'a str) -> Vec<&'a str> {
        let mut row = vec!["x"; 21];
        (row[10], row[11], row[14], row[16]) = (date, notice, original, nature);
        row
    }

    #[test]
    fn rows_of_retraction_watch_are_read() {
        let rows = RetractionWatch::new(&HEADER.split(',').collect::<Vec<_>>()).unwrap();
        for (fields, expected) in [
            (
                row("3/9/2026 0:00", "10.5555/N", "10.5555/a,b", "Retraction"),
                "10.5555/a,b retraction retraction-watch 10.5555/N 2026-03-09",
            ),
            (
                row(
                    "12/31/1999 0:00",
                    "unavailable",
                    "https://doi.org/10.5555/a",
                    "Expression of concern",
                ),
                "10.5555/a expression_of_concern retraction-watch - 1999-12-31",
            ),
            (
                row("", "none", " 10.5555/a ", "Reinstatement"),
                "10.5555/a reinstatement retraction-watch - -",
            ),
        ] {
            let order = Some(DateOrder::MonthFirst);
            let found: Vec<_> = rows.notice(&fields, order).unwrap().into_iter().collect();
            assert_eq!(shown(&found), [expected]);
        }
    }

    #[test]
    fn dates_are_read_in_the_order_that_the_table_shows() {
        use DateOrder::{DayFirst, MonthFirst};
        let rows = RetractionWatch::new(&HEADER.split(',').collect::<Vec<_>>()).unwrap();
        let read = |date: &str, order| {
            let found = rows.notice(&row(date, "", "10.5555/a", "Retraction"), order);
            let date = |found: Option<(Doi, Notice)>| found.unwrap().1.date.unwrap().to_string();
            found.map(date)
        };
        for (text, order, wanted) in [
            ("2024-01-15", None, "2024-01-15"),
            ("2024-01-15T10:00:00Z", None, "2024-01-15"),
            ("2024-01-15 0:00", None, "2024-01-15"),
            ("15/01/2024", None, "2024-01-15"),
            ("1/15/2024", None, "2024-01-15"),
            ("03/04/2024", Some(DayFirst), "2024-04-03"),
            ("03/04/2024", Some(MonthFirst), "2024-03-04"),
        ] {
            assert_eq!(read(text, order).as_deref(), Ok(wanted), "{text}");
        }
        let ambiguous = NoticeError::Ambiguous("3/4/2024".into());
        assert_eq!(read("3/4/2024", None), Err(ambiguous));
        for (text, order) in [
            ("15/01/2024", Some(MonthFirst)),
            ("spring", None),
            ("1/2/3/4", None),
        ] {
            assert_eq!(read(text, order), Err(NoticeError::Date(text.into())));
        }
        let order = |date, other| {
            let mut row = row(date, "", "10.5555/a", "Retraction");
            row[13] = other;
            rows.order(&row)
        };
        assert_eq!(order("3/4/2024", "20/1/2024"), Some(DayFirst));
        assert_eq!(order("3/14/2024", ""), Some(MonthFirst));
        assert_eq!(order("2024-03-14", "3/4/2024"), None);
    }

    #[test]
    fn rows_without_a_name_give_nothing() {
        let rows = RetractionWatch::new(&HEADER.split(',').collect::<Vec<_>>()).unwrap();
        for original in ["", "unavailable", "Unavailable"] {
            assert_eq!(
                rows.notice(&row("", "10.5555/n", original, "Retraction"), None)
                    .unwrap(),
                None
            );
        }
        assert_eq!(rows.notice(&["a row that is cut"], None).unwrap(), None);
        assert!(
            rows.notice(&row("", "", "12345", "Retraction"), None)
                .is_err()
        );
        assert_eq!(
            RetractionWatch::new(&["DOI"]).unwrap_err(),
            MissingColumn("OriginalPaperDOI")
        );
    }
}
