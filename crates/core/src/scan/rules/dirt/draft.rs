//! A dirty text that rules change, and the list of their changes.

use std::ops::Range;

use crate::scan::rules::Rule;

/// One thing that [`clean`](crate::clean()) changed in a text, and the rule that it followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The id of the rule, such as `tail.mark`.
    pub rule: &'static str,
    /// The text that was cut or replaced, as the rule read it: after earlier changes.
    pub text: String,
    /// Whether it was cut from the end, so that the rest is a start of the text that the rule read.
    pub at_end: bool,
}

/// A part of a text, and its replacement.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) part: Range<usize>,
    pub(crate) with: String,
}

impl Edit {
    pub(crate) fn drop(part: Range<usize>) -> Edit {
        Edit {
            part,
            with: String::new(),
        }
    }
}

/// A text that rules change, and their changes so far.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) changes: Vec<Change>,
}

impl Draft {
    pub(crate) fn new(text: &str) -> Draft {
        Draft {
            text: text.to_owned(),
            changes: Vec::new(),
        }
    }

    /// Makes the `edits` of `rule`, if the rule is in force. They must be in order and not overlap. Returns whether any was made.
    pub(crate) fn apply(&mut self, rule: Rule, edits: Vec<Edit>) -> bool {
        if edits.is_empty() || !rule.holds() {
            return false;
        }
        let before = std::mem::take(&mut self.text);
        let cuts_end = |edit: &Edit| edit.part.end == before.len() && edit.with.is_empty();
        let mut kept = 0;
        for (nth, edit) in edits.iter().enumerate() {
            let replaced = &before[edit.part.clone()];
            match self.changes.last_mut() {
                // Neighbouring edits are one change.
                Some(last) if nth > 0 && edit.part.start == kept => {
                    last.text.push_str(replaced);
                    last.at_end |= cuts_end(edit);
                }
                _ => drop(self.record(rule, replaced, cuts_end(edit))),
            }
            self.text.push_str(&before[kept..edit.part.start]);
            self.text.push_str(&edit.with);
            kept = edit.part.end;
        }
        self.text.push_str(&before[kept..]);
        true
    }

    /// Records that `rule` cuts `text`, from the end or elsewhere, or replaces it, if the rule is in force. Returns whether it
    /// is.
    pub(crate) fn record(&mut self, rule: Rule, text: &str, at_end: bool) -> bool {
        if rule.holds() {
            let text = text.to_owned();
            self.changes.push(Change {
                rule: rule.id(),
                text,
                at_end,
            });
        }
        rule.holds()
    }

    /// Cuts the text at `at`, if `rule` is in force.
    pub(crate) fn cut(&mut self, rule: Rule, at: usize) {
        self.apply(rule, vec![Edit::drop(at..self.text.len())]);
    }
}
