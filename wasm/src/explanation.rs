//! Explains why positions of a text start a name or do not.

use std::ops::Range;

use doisift_core::internal::{Explanation, ExplanationStep, Verdict};
use doisift_core::{Doi, Scanner, TextKind};
use serde::Serialize;

use crate::{digit_name, units};

/// An explanation, in the form for JavaScript.
#[derive(Serialize)]
pub(crate) struct Position {
    start: usize,
    verdict: &'static str,
    name: Option<String>,
    guessed: Option<bool>,
    #[serde(rename = "checkDigit")]
    check_digit: Option<&'static str>,
    reason: Option<&'static str>,
    because: Option<&'static str>,
    steps: Vec<StepRow>,
}

#[derive(Serialize)]
struct StepRow {
    topic: &'static str,
    finding: String,
    rule: Option<&'static str>,
    because: Option<&'static str>,
}

/// Explains each position in the range `units` of the text.
pub(crate) fn positions(text: &str, kind: TextKind, units: Range<usize>) -> Vec<Position> {
    let start = units::byte_at(text, units.start);
    let end = start + units::byte_at(&text[start..], units.len());
    let explained = Scanner::new().kind(kind).explain_range(text, start..end);
    let mut counter = units::Counter::default();
    let position = |one: Explanation| position(counter.at(text.as_bytes(), one.start), one);
    explained.into_iter().map(position).collect()
}

fn position(start: usize, one: Explanation) -> Position {
    let (doi, guessed) = match &one.verdict {
        Verdict::Found { doi, guessed } => (Some(doi), Some(*guessed)),
        _ => (None, None),
    };
    let (verdict, reason) = match &one.verdict {
        Verdict::Found { .. } => ("found", None),
        Verdict::Refused(why) => ("refused", Some((why.name(), why.description()))),
        Verdict::NonCandidate(why) => ("no_name", Some((why.name(), why.description()))),
        _ => ("unknown", None),
    };
    Position {
        start,
        verdict,
        name: doi.map(Doi::to_string),
        guessed,
        check_digit: digit_name(doi.and_then(Doi::check_digit)),
        reason: reason.map(|(name, _)| name),
        because: reason.map(|(_, description)| description),
        steps: one.steps.into_iter().map(StepRow::from).collect(),
    }
}

impl From<ExplanationStep> for StepRow {
    fn from(step: ExplanationStep) -> Self {
        StepRow {
            topic: step.topic,
            finding: step.finding,
            rule: step.rule.map(|rule| rule.id()),
            because: step.rule.map(|rule| rule.catches()),
        }
    }
}
