//! Explains why a mention starts at a position of a text or not: each step of the decision, with the rule that made it.
//!
//! Repeats the steps of `decider` and records the result of each. Slower than a scan, which does not use it.

use std::ops::Range;

use super::anchor::{self, Anchor};
use super::automaton;
use super::candidate::Candidate;
use super::decode::Decoder;
use super::rules::alone::is_alone;
use super::rules::end::{cuts, uncut_end};
use super::rules::place::UrlPlace;
use super::rules::start::{RegistrantKind, Separator, WrittenPrefix};
use super::rules::suffix::SuffixHead;
use super::rules::{NameEnd, Rule, TextScope};
use super::scanner::Scanner;
use super::start::start;
use super::tally::Rejection;
use super::window::KnownVerdict;
use crate::doi::Doi;

/// The scanner's decision about one position of a text, with its steps; see [`Scanner::explain`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// Offset of `10.` in the text, plain or escaped, in bytes.
    pub start: usize,
    /// The decision.
    pub verdict: Verdict,
    /// The steps of the decision, in order.
    pub steps: Vec<ExplanationStep>,
}

/// The decision about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// A mention of a name.
    Found {
        /// The name.
        doi: Doi,
        /// As [`Mention::guessed`](crate::Mention::guessed).
        guessed: bool,
    },
    /// A candidate that is refused.
    Refused(Rejection),
    /// Not a candidate.
    NonCandidate(NonCandidate),
}

/// Reason why a position is not a candidate. No report counts these positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NonCandidate {
    /// No digits with a separator after them follow the `10.`.
    NoPrefix,
    /// A whole prefix is directly before it: it belongs to the suffix of that name.
    InsideName,
    /// A colon follows the registrant code, and no `urn:doi:` is before it.
    Colon,
}

impl NonCandidate {
    /// Returns the identifier of the reason, such as `no_prefix`.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// Describes the reason in a few words.
    pub fn description(self) -> &'static str {
        self.words().1
    }

    #[rustfmt::skip]
    fn words(self) -> (&'static str, &'static str) {
        match self {
            NonCandidate::NoPrefix => ("no_prefix", "no registrant code with a slash after it follows the 10."),
            NonCandidate::InsideName => ("inside_name", "a whole prefix is directly before it: it belongs to that name"),
            NonCandidate::Colon => ("colon", "a colon follows the registrant code, as only a URN has it"),
        }
    }
}

/// One step of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplanationStep {
    /// The subject: `cell`, `prefix`, `form`, `enclosure`, `place`, `reach`, `decoded`, `end`, `cut` or `known`.
    pub topic: &'static str,
    /// The finding, in words for people. Long texts are shortened.
    pub finding: String,
    /// The rule that decided it, if one did.
    pub rule: Option<Rule>,
}

impl Scanner {
    /// Explains step by step what [`scan`](Self::scan) decides about each position of `text` that may start a name.
    ///
    /// ```
    /// use doisift_core::Scanner;
    /// use doisift_core::internal::Verdict;
    ///
    /// let mut scanner = Scanner::new();
    /// let explained = scanner.explain("(see 10.5555/a1). Not 10.0.0.0/8");
    /// let Verdict::Found { doi, .. } = &explained[0].verdict else { panic!() };
    /// assert_eq!(doi.as_str(), "10.5555/a1");
    /// let end = explained[0].steps.last().unwrap();
    /// assert_eq!(end.rule.unwrap().id(), "suffix.round-bracket");
    /// let Verdict::Refused(reason) = explained[1].verdict else { panic!() };
    /// assert_eq!(reason.name(), "registrant_code");
    /// ```
    #[doc(hidden)]
    pub fn explain(&mut self, text: impl AsRef<[u8]>) -> Vec<Explanation> {
        let text = text.as_ref();
        self.explain_range(text, 0..text.len())
    }

    /// Explains as [`explain`](Self::explain) does, for the positions in `range` only. Like [`scan_range`](Self::scan_range), it
    /// needs no more of a document around `range` than [`window`](Self::window) says.
    #[doc(hidden)]
    pub fn explain_range(
        &mut self,
        text: impl AsRef<[u8]>,
        range: Range<usize>,
    ) -> Vec<Explanation> {
        let text = text.as_ref();
        let mut anchors = anchor::all(text, self.kind);
        anchors.retain(|anchor| range.contains(&anchor.start()));
        let explain = |anchor| match anchor {
            Anchor::Directory(at) => Some(self.explain_at(text, at)),
            // `anchor::all` does not return identifiers of arXiv.
            Anchor::Arxiv(_) => None,
            Anchor::Short(at) => {
                let refused = self.decide(text, anchor)?.err()?;
                Some(Explanation {
                    start: at,
                    verdict: Verdict::Refused(refused),
                    steps: Vec::new(),
                })
            }
        };
        anchors.into_iter().filter_map(explain).collect()
    }

    fn explain_at(&mut self, text: &[u8], start: usize) -> Explanation {
        let (window, at, scope) = self.window_at(text, start);
        let decided = self.decider.decide(window, at, scope, self.max_name);
        let verdict = match &decided {
            None => Verdict::NonCandidate(non_candidate(&window[at..])),
            Some(Err(reason)) => Verdict::Refused(*reason),
            Some(Ok(accepted)) => Verdict::Found {
                doi: Doi::from_checked(&self.decider.buffers.name),
                guessed: accepted.guessed,
            },
        };
        let mut steps = Steps::default();
        if let Verdict::Found { .. } | Verdict::Refused(_) = verdict {
            steps.decision(window, at, scope, self.max_name);
        }
        if let Some(Ok(accepted)) = decided {
            steps.known(accepted.known_verdict, &self.decider.buffers.name);
        }
        Explanation {
            start,
            verdict,
            steps: steps.0,
        }
    }
}

/// Returns why the text `after` is not a candidate.
fn non_candidate(after: &[u8]) -> NonCandidate {
    match automaton::prefix(after).map(|prefix| prefix.separator) {
        None | Some(Separator::Underscore) => NonCandidate::NoPrefix,
        Some(Separator::Slash | Separator::SpacedSlash) => NonCandidate::InsideName,
        Some(Separator::Colon) => NonCandidate::Colon,
    }
}

#[derive(Default)]
struct Steps(Vec<ExplanationStep>);

impl Steps {
    fn add(&mut self, topic: &'static str, finding: impl Into<String>, rule: Option<Rule>) {
        let finding = finding.into();
        self.0.push(ExplanationStep {
            topic,
            finding,
            rule,
        });
    }

    /// Adds the answer about the found name, if known names were asked.
    fn known(&mut self, known_verdict: KnownVerdict, name: &str) {
        let finding = match known_verdict {
            KnownVerdict::NotAsked => return,
            KnownVerdict::Unknown => "no name that could be meant is known",
            KnownVerdict::Same => "the name is known",
            KnownVerdict::Other => &format!("{} is known", shown(name.as_bytes())),
        };
        self.add("known", finding, None);
    }

    fn decision(&mut self, window: &[u8], at: usize, scope: TextScope, max_name: usize) {
        if scope.is_cell() {
            self.add("cell", shown(window), Some(Rule::CellBounds));
        }
        let Some(prefix) = automaton::prefix(&window[at..]) else {
            return;
        };
        let started = start(window, at, scope).and_then(Result::ok);
        let doubled_len = started.is_some_and(|start| start.doubled_len > 0);
        let rule = prefix_rule(prefix, doubled_len);
        self.add("prefix", shown(&window[at..at + prefix.len]), rule);
        let candidate =
            started.map(|started| Candidate::bound(window, at, started, scope, max_name));
        if let Some(Ok(candidate)) = candidate {
            self.context(&candidate);
            self.end(&candidate);
        }
    }

    /// Adds the surroundings of the candidate, its extent and its decoded layers.
    fn context(&mut self, candidate: &Candidate<'_>) {
        let context = &candidate.context;
        let form = context.form;
        self.add(
            "form",
            format!("{}: {}", form.name(), form.description()),
            None,
        );
        let place = match context.place {
            UrlPlace::None => "in no URL, or in one of a DOI proxy",
            UrlPlace::Path => "in the path of a URL",
            UrlPlace::Query => "the value of a parameter of a URL",
            UrlPlace::Badge => "the message of a badge",
        };
        self.add("place", place, None);
        let enclosure = match context.enclosure {
            None => "none".to_owned(),
            Some(enclosure) => enclosure.shown(),
        };
        self.add("enclosure", enclosure, None);
        self.add("reach", shown(candidate.raw_bytes), None);
        if let Some(layer_limits) = candidate.layer_limits {
            let mut decoder = Decoder::default();
            let layers = decoder.layers_of(candidate.raw_bytes, layer_limits);
            for (rule, text) in layers {
                self.add("decoded", shown(&text), Some(rule));
            }
        }
    }

    /// Adds where reading the name ended, and what was cut from it then.
    fn end(&mut self, candidate: &Candidate<'_>) {
        let mut decoder = Decoder::default();
        let text = candidate.text(&mut decoder);
        let suffix = text.position(candidate.prefix.len);
        let context = &candidate.context;
        let after = |at: usize| &candidate.after[text.start(at)..];
        let (end, is_enclosed) =
            uncut_end(&text, suffix, SuffixHead::empty(suffix), context, after);
        let NameEnd { at, rule, .. } = end;
        let rest = after(at);
        let bound = match (is_enclosed, rest.is_empty()) {
            (_, true) if context.scope.is_cell() => "where the cell ends".to_owned(),
            (_, true) => "where the text ends".to_owned(),
            (true, _) => format!("before {}, which closes the enclosure", shown(rest)),
            (false, _) => format!("before {}", shown(rest)),
        };
        self.add("end", bound, rule.filter(|_| !is_enclosed));
        let is_alone = || is_alone(candidate.before, context, rest);
        let mut len = at - suffix;
        for (rule, left) in cuts(
            text.bytes,
            suffix,
            candidate.before,
            end,
            context,
            is_enclosed,
            is_alone,
        ) {
            self.add(
                "cut",
                shown(&text.bytes[suffix + left..suffix + len]),
                Some(rule),
            );
            len = left;
        }
    }
}

/// Returns the rule that an unusual prefix needs.
fn prefix_rule(prefix: WrittenPrefix, doubled_len: bool) -> Option<Rule> {
    match prefix {
        _ if doubled_len => Some(Rule::DoubledIndicator),
        WrittenPrefix {
            separator: Separator::SpacedSlash,
            ..
        } => Some(Rule::BrokenPrefix),
        WrittenPrefix {
            registrant: RegistrantKind::Isbn,
            ..
        } => Some(Rule::IsbnPrefix),
        _ => None,
    }
}

/// Returns the start of `text`, quoted, for people to read.
fn shown(text: &[u8]) -> String {
    const MAX_SHOWN_CHARS: usize = 60;
    let lossy = String::from_utf8_lossy(&text[..text.len().min(4 * MAX_SHOWN_CHARS + 4)]);
    let mut chars = lossy.chars();
    let head: String = chars.by_ref().take(MAX_SHOWN_CHARS).collect();
    let ending = if chars.next().is_some() { "…" } else { "" };
    format!("{head:?}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::TextKind;

    /// Returns the steps about the first anchor of `text` that a rule decided.
    fn rules(kind: TextKind, text: &str) -> Vec<(&'static str, String, &'static str)> {
        let mut scanner = Scanner::new().kind(kind);
        let steps = scanner.explain(text).remove(0).steps.into_iter();
        let ruled = steps.filter_map(|step| Some((step.topic, step.finding, step.rule?.id())));
        ruled.collect()
    }

    #[test]
    fn each_step_names_its_rule() {
        let step = |topic, finding: &str, id| (topic, format!("{finding:?}"), id);
        assert_eq!(
            rules(
                TextKind::Unknown,
                "https://a.example/10.5555/a&amp;b1/full.pdf. x"
            ),
            [
                step("decoded", "10.5555/a&b1/full.pdf.", "escape.entity"),
                step("cut", ".", "tail.mark"),
                step("cut", ".pdf", "tail.path-file"),
                step("cut", "/full", "tail.page-word"),
            ]
        );
        let cell = TextKind::Ssv;
        let mut scanner = Scanner::new().kind(cell);
        let explained = scanner.explain("a;10.5555/a;b");
        let last = explained[0].steps.last().unwrap();
        assert_eq!((last.topic, &*last.finding), ("end", "where the cell ends"));
        assert_eq!(
            rules(cell, "a;10.978.86123/45,b;c"),
            [
                step("cell", "10.978.86123/45,b", "enclosure.cell"),
                step("prefix", "10.978.86123/", "start.isbn-prefix"),
            ]
        );
    }

    #[test]
    fn the_last_step_is_what_known_names_say() {
        let known = std::collections::BTreeSet::from(["10.5555/ab1".to_owned()]);
        let mut scanner = Scanner::new().known(std::sync::Arc::new(known));
        for (text, finding) in [
            ("see 10.5555/ab1.pdf", "\"10.5555/ab1\" is known"),
            ("see 10.5555/ab1[1]", "the name is known"),
            (
                "see 10.5555/ab2.pdf",
                "no name that could be meant is known",
            ),
        ] {
            let step = scanner.explain(text).remove(0).steps.pop().unwrap();
            assert_eq!((step.topic, &*step.finding), ("known", finding), "{text}");
        }
        let steps = scanner.explain("see 10.5555/ab2").remove(0).steps;
        assert!(steps.iter().all(|step| step.topic != "known"));
    }

    #[test]
    fn what_is_no_candidate_says_why() {
        let passed = |text: &str| match Scanner::new().explain(text).pop() {
            Some(Explanation {
                verdict: Verdict::NonCandidate(pass),
                ..
            }) => Some(pass),
            _ => None,
        };
        assert_eq!(passed("10.5 and"), Some(NonCandidate::NoPrefix));
        assert_eq!(passed("10.5555/10.5555/a"), Some(NonCandidate::InsideName));
        assert_eq!(passed("10. 5555/a"), None);
        assert_eq!(passed("10.5555:a"), Some(NonCandidate::Colon));
        assert_eq!(passed("110.5555/a"), None);
    }

    #[test]
    fn a_range_is_explained_as_in_the_whole() {
        let text = "10.5555/a1, (10.5555/b1) 10.0.0.0/8";
        let mut scanner = Scanner::new();
        let all = scanner.explain(text);
        assert_eq!(scanner.explain_range(text, 1..14), all[1..2]);
        assert_eq!(scanner.explain_range(text, 14..99), all[2..]);
    }

    #[test]
    fn explanations_agree_with_the_scan() {
        let text =
            "10.5555/a1, doi.org/10/abc 10.0.0.0/8 doi:10.5555/b%2Fc. (10.5555/d) 10.1 10.5555/ x";
        let mut scanner = Scanner::new();
        let mut found = Vec::new();
        let tally = scanner.scan(text, |mention| found.push(mention.name.to_owned()));
        let explained = scanner.explain(text);
        let names = explained.iter().filter_map(|one| match &one.verdict {
            Verdict::Found { doi, .. } => Some(doi.to_string()),
            _ => None,
        });
        assert_eq!(names.collect::<Vec<_>>(), found);
        let refused = |one: &&Explanation| matches!(one.verdict, Verdict::Refused(_));
        assert_eq!(
            explained.iter().filter(refused).count() as u64,
            tally.rejections()
        );
    }
}
