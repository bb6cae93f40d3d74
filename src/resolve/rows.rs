//! Turns answers into rows.

use doisift_core::Doi;
use doisift_resolve::{Agency, DatedAnswer, HandleAnswer};

use crate::check::CheckVerdict;
use crate::records::AnswerRow;
use crate::task::utc;

/// Status of a row, for the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerStatus {
    Known,
    Unknown,
    CouldNotAsk,
}

impl AnswerStatus {
    /// Returns the name of the verdict that a check would give.
    fn name(self) -> &'static str {
        let verdict = match self {
            AnswerStatus::Known => CheckVerdict::Known,
            AnswerStatus::Unknown => CheckVerdict::UnknownToRegistry,
            AnswerStatus::CouldNotAsk => CheckVerdict::CouldNotAsk,
        };
        verdict.name()
    }
}

/// The row of a name, with its status.
pub(super) struct Answered {
    pub(super) row: AnswerRow,
    pub(super) status: AnswerStatus,
    /// Whether a part of the answer is missing, since it could not be asked for.
    pub(super) is_in_part: bool,
}

/// Returns the row of a text that is not a name.
pub(super) fn refused_row(reason: &str) -> AnswerRow {
    AnswerRow {
        status: CheckVerdict::NotADoi.name(),
        reason: Some(reason.to_owned()),
        ..AnswerRow::default()
    }
}

/// Makes the row of a name. `agency` is `None` if it was not asked for.
pub(super) fn answered(
    doi: &Doi,
    dated: DatedAnswer<HandleAnswer>,
    agency: Option<&Agency>,
) -> Answered {
    let status = match dated.answer.exists() {
        Some(true) => AnswerStatus::Known,
        Some(false) => AnswerStatus::Unknown,
        None => AnswerStatus::CouldNotAsk,
    };
    let is_answered = status != AnswerStatus::CouldNotAsk;
    let by = if dated.is_cached { "cache" } else { "registry" };
    let missing = missing(&dated.answer, agency).filter(|_| is_answered);
    let (url, alias, reason) = answer_fields(dated.answer);
    Answered {
        status,
        is_in_part: missing.is_some(),
        row: AnswerRow {
            doi: Some(doi.key().into_owned()),
            status: status.name(),
            url,
            alias,
            agency: match agency {
                Some(Agency::Known(name)) => Some(name.clone()),
                _ => None,
            },
            asked: is_answered.then(|| utc(dated.asked)),
            answered_by: is_answered.then_some(by),
            reason: missing.or(reason),
        },
    }
}

/// Returns which part of an answer is missing and why, or `None` if none is.
fn missing(answer: &HandleAnswer, agency: Option<&Agency>) -> Option<String> {
    if let HandleAnswer::Alias {
        answer: Some(answer),
        ..
    } = answer
        && let HandleAnswer::CouldNotAsk(failure) = &**answer
    {
        return Some(format!(
            "the name that it is an alias of could not be asked for: {failure}"
        ));
    }
    match agency {
        Some(Agency::CouldNotAsk(failure)) => {
            Some(format!("the agency could not be asked for: {failure}"))
        }
        _ => None,
    }
}

/// Returns address, alias and reason of an answer.
fn answer_fields(answer: HandleAnswer) -> (Option<String>, Option<String>, Option<String>) {
    match answer {
        HandleAnswer::Known { urls } => (urls.into_iter().next(), None, None),
        HandleAnswer::Alias { target, answer } => {
            let (url, reason) = match answer.map(|answer| *answer) {
                Some(HandleAnswer::Known { urls }) => (urls.into_iter().next(), None),
                Some(HandleAnswer::Unknown) => (
                    None,
                    Some("the registry does not know the name that it is an alias of".to_owned()),
                ),
                _ => (None, None),
            };
            (url, Some(target), reason)
        }
        HandleAnswer::CouldNotAsk(failure) => (None, None, Some(failure.to_string())),
        _ => (None, None, None),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use doisift_resolve::ServiceFailure;

    use super::*;

    fn row(answer: HandleAnswer, agency: Option<&Agency>) -> AnswerRow {
        let doi = Doi::new("10.5555/A").unwrap();
        let asked = UNIX_EPOCH + Duration::from_secs(1_772_064_000);
        answered(
            &doi,
            DatedAnswer {
                answer,
                asked,
                is_cached: true,
            },
            agency,
        )
        .row
    }

    #[test]
    fn an_alias_has_the_address_of_its_target_or_says_why_not() {
        let alias = |answer: Option<HandleAnswer>| {
            let answer = answer.map(Box::new);
            row(
                HandleAnswer::Alias {
                    target: "10.5555/b".to_owned(),
                    answer,
                },
                None,
            )
        };
        let urls = vec!["https://a.example/".to_owned()];
        let known = alias(Some(HandleAnswer::Known { urls }));
        assert_eq!(
            (known.status, known.url.as_deref()),
            ("known", Some("https://a.example/"))
        );
        assert_eq!(
            (known.alias.as_deref(), known.reason),
            (Some("10.5555/b"), None)
        );
        let lost = alias(Some(HandleAnswer::CouldNotAsk(ServiceFailure::Http(503))));
        assert_eq!((lost.status, lost.url), ("known", None));
        assert!(lost.reason.unwrap().ends_with("HTTP status 503"));
    }

    #[test]
    fn what_could_not_be_asked_has_a_reason_and_no_time() {
        let lost = row(
            HandleAnswer::CouldNotAsk(ServiceFailure::Http(503)),
            Some(&Agency::Undetermined),
        );
        assert_eq!(
            (lost.status, lost.asked, lost.answered_by),
            ("could_not_ask", None, None)
        );
        assert!(lost.reason.unwrap().contains("503"));
        let half = row(
            HandleAnswer::Unknown,
            Some(&Agency::CouldNotAsk(ServiceFailure::Http(500))),
        );
        assert_eq!(
            (half.status, half.answered_by),
            ("unknown_to_registry", Some("cache"))
        );
        assert!(
            half.reason
                .unwrap()
                .starts_with("the agency could not be asked for")
        );
    }
}
