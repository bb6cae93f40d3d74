//! Explains why positions of texts start a name or do not.

use doisift::internal::{Explanation, Verdict};
use doisift::{CheckDigit, Doi};
use extendr_api::prelude::*;

use crate::Answer;
use crate::frame::{Frame, Kind};
use crate::mentions::{CellScanner, Place};
use crate::reading::CellReader;

/// Makes a row for each step of each decision.
pub(crate) struct ExplanationReader {
    scanner: CellScanner,
    frame: Frame,
}

impl ExplanationReader {
    pub(crate) fn new(kind: &str) -> Answer<ExplanationReader> {
        Ok(ExplanationReader {
            scanner: CellScanner::new(kind)?,
            frame: Frame::new([
                ("row", Kind::Number),
                ("start", Kind::Number),
                ("verdict", Kind::Text),
                ("doi", Kind::Text),
                ("guessed", Kind::Flag),
                ("check_digit", Kind::Text),
                ("reason", Kind::Text),
                ("step", Kind::Text),
                ("finding", Kind::Text),
                ("rule", Kind::Text),
                ("because", Kind::Text),
            ]),
        })
    }
}

impl CellReader for ExplanationReader {
    fn take(&mut self, row: usize, cell: Option<&[u8]>) {
        let Some(text) = cell else { return };
        let mut place = Place::new(text);
        for position in self.scanner.of(text).explain(text) {
            let start = place.of(position.start) + 1;
            add(&mut self.frame, row + 1, start, &position);
        }
    }

    fn finish(self: Box<Self>) -> Answer<Robj> {
        Ok(self.frame.into_list())
    }
}

fn add(frame: &mut Frame, row: usize, start: usize, position: &Explanation) {
    let (verdict, doi, guessed, reason) = match &position.verdict {
        Verdict::Found { doi, guessed } => ("found", Some(doi), Some(*guessed), None),
        Verdict::Refused(why) => ("refused", None, None, Some(why.description())),
        Verdict::NonCandidate(why) => ("no_name", None, None, Some(why.description())),
        _ => ("unknown", None, None, None),
    };
    let key = doi.map(Doi::key);
    let digit = doi.and_then(Doi::check_digit).map(CheckDigit::name);
    let steps: Vec<_> = match position.steps.is_empty() {
        // A decision without steps has a row too.
        true => vec![None],
        false => position.steps.iter().map(Some).collect(),
    };
    for step in steps {
        let rule = step.and_then(|step| step.rule);
        frame.push([
            row.into(),
            start.into(),
            verdict.into(),
            key.as_deref().into(),
            guessed.into(),
            digit.into(),
            reason.into(),
            step.map(|step| step.topic).into(),
            step.map(|step| &*step.finding).into(),
            rule.map(|rule| rule.id()).into(),
            rule.map(|rule| rule.catches()).into(),
        ]);
    }
}
