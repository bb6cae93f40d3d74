//! Decides about one anchor from the bounded window around it only.

use super::context::around;
use super::decode::{DecodedText, Decoder};
use super::escape::{Writing, percent_layers};
use super::known::{Answer, Asker, FoundName};
use super::reach::reach;
use super::rules::end::{end, is_guess};
use super::rules::joint::Joints;
use super::rules::known::{is_doubtful, is_odd};
use super::rules::page::is_joined;
use super::rules::place::{UrlPlace, is_citation_key};
use super::rules::start::{Prefix, Separator, Start, has_right_suffix};
use super::rules::suffix::Swept;
use super::rules::{Around, End, Rule, Scope};
use super::spelling::{SHORT, Spelling};
use super::start::{prefix, started};
use super::usual::usual;
use super::{Form, Rejection};

/// An accepted candidate, in terms of its window.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) form: Form,
    pub(super) guessed: bool,
    /// The rule that ended it; `None` if the text or known names ended it.
    pub(super) rule: Option<Rule>,
    /// Bytes of the window from the anchor to the last byte kept.
    pub(super) len: usize,
    /// The answer of known names.
    pub(super) answer: Answer,
}

/// Buffers that are reused from candidate to candidate.
#[derive(Clone, Default)]
pub(super) struct Judge {
    decoder: Decoder,
    /// Known names, if the caller set any.
    pub(super) asker: Option<Asker>,
    /// The spelling of the last accepted candidate.
    pub(super) spelling: Spelling,
}

impl Judge {
    /// Decides about the anchor at `at`; `None` if no complete prefix starts there. `scope` says what `window` is.
    #[inline]
    pub(super) fn judge(
        &mut self,
        window: &[u8],
        at: usize,
        scope: Scope,
        max_name: usize,
    ) -> Option<Result<Accepted, Rejection>> {
        let prefix = prefix(&window[at..], scope)?;
        if max_name >= SHORT {
            if let Some(accepted) = usual(window, at, prefix, scope, &mut self.spelling) {
                if self.asker.is_none() || !Self::is_odd(prefix, &accepted, &window[at..]) {
                    return Some(Ok(accepted));
                }
            }
        }
        let started = started(window, at, prefix)?;
        let candidate =
            started.and_then(|started| Candidate::bound(window, at, started, scope, max_name));
        Some(candidate.and_then(|candidate| self.accept(&candidate)))
    }

    /// Whether known names are asked about the usual name that was `accepted`, which has `prefix` and is at the start of `after`.
    #[inline]
    fn is_odd(prefix: Prefix, accepted: &Accepted, after: &[u8]) -> bool {
        let (name, rest) = after.split_at(accepted.len);
        is_odd(&name[prefix.len..], accepted.form, rest)
    }

    fn accept(&mut self, candidate: &Candidate<'_>) -> Result<Accepted, Rejection> {
        let text = candidate.text(&mut self.decoder);
        let (prefix, form) = (candidate.prefix, candidate.around.form);
        let suffix = text.position(prefix.len);
        let swept = candidate.swept.after(prefix.len - suffix);
        let end = candidate.end(&text, suffix, swept)?;
        let mut accepted = Accepted {
            form,
            guessed: end.guessed,
            rule: end.rule,
            len: text.end(end.at),
            answer: Answer::NotAsked,
        };
        let mut name = &text.bytes[..end.at];
        let rest = &candidate.after[accepted.len..];
        let is_doubtful = |_: &&mut Asker| is_doubtful(text.bytes, suffix, end, form, rest);
        if let Some(asker) = self.asker.as_mut().filter(is_doubtful) {
            let found = asker.find(candidate, text, suffix, end);
            name = accepted.settle(name, found);
        }
        self.spelling.set(name, suffix, name.len() <= swept.end)?;
        accepted.guessed = is_guess(&self.spelling.key, accepted.guessed);
        match has_right_suffix(prefix, form, &name[suffix..]) {
            true => Ok(accepted),
            false => Err(Rejection::RegistrantCode),
        }
    }
}

impl Accepted {
    /// Takes the name that known names `found` instead of the `name` of the rules, if they found one.
    fn settle<'n>(&mut self, name: &'n [u8], found: Option<FoundName<'n>>) -> &'n [u8] {
        let Some(found) = found else {
            self.answer = Answer::Unknown;
            return name;
        };
        self.guessed = found.guessed;
        self.answer = Answer::Same;
        if found.name != name {
            (self.len, self.rule) = (found.len, None);
            self.answer = Answer::Other;
        }
        found.name
    }
}

/// The start of a name, and all that decides where it ends.
pub(super) struct Candidate<'w> {
    pub(super) prefix: Prefix,
    pub(super) around: Around,
    pub(super) before: &'w [u8],
    /// The bytes from the anchor on, and the part of them that can belong to the name.
    pub(super) after: &'w [u8],
    pub(super) raw: &'w [u8],
    window: &'w [u8],
    max_name: usize,
    /// Bytes before the anchor that belong to the name too.
    doubled: usize,
    joints: Joints,
    /// Whether white space or a tag may be inside the name.
    may_be_joined: bool,
    /// The start of the suffix that [`sweep`](super::rules::suffix::sweep) read, if nothing in the suffix is escaped.
    pub(super) swept: Swept,
    /// How the layers to undo were written; `None` if nothing is escaped.
    pub(super) writing: Option<Writing>,
}

impl<'w> Candidate<'w> {
    #[inline]
    pub(super) fn bound(
        window: &'w [u8],
        at: usize,
        (prefix, Start { doubled }): (Prefix, Start),
        scope: Scope,
        max_name: usize,
    ) -> Result<Self, Rejection> {
        let (before, after) = window.split_at(at);
        if is_citation_key(before) {
            return Err(Rejection::CitationKey);
        }
        let outside = &before[..at - doubled];
        let (around, opener_is_spaced) = around(outside, scope);
        let written = &after[..prefix.len];
        // Usual prefixes have no blanks.
        let prefix_is_spaced = prefix.escaped && written.iter().any(u8::is_ascii_whitespace);
        let joints = match opener_is_spaced || prefix_is_spaced {
            true => {
                Joints::of(&around).after(&window[at - doubled - around.opener..at + prefix.len])
            }
            false => Joints::of(&around),
        };
        let (suffix, last) = (at + prefix.len, window.len().min(at + max_name + 1));
        let reach = reach(window, suffix, last, joints, scope);
        let len = reach.end - at;
        if len > max_name {
            return Err(Rejection::TooLong);
        }
        let in_badge = around.place == UrlPlace::Badge;
        let is_escaped = reach.escaped || prefix.escaped || in_badge;
        let is_defended = prefix.separator == Separator::Defended;
        let writing = || writing(outside, &around, prefix, after);
        Ok(Candidate {
            prefix,
            around,
            before,
            after,
            raw: &after[..len],
            window,
            max_name,
            doubled,
            joints,
            may_be_joined: reach.joined
                || prefix_is_spaced
                || scope == Scope::Page && prefix.escaped,
            swept: match reach.escaped || in_badge || is_defended {
                true => reach.swept.after(at).unswept(prefix.len),
                false => reach.swept.after(at),
            },
            writing: is_escaped.then(writing),
        })
    }

    /// Returns the end that the rules give its `text`, whose suffix starts at `suffix` and was `swept`.
    #[inline]
    fn end(&self, text: &DecodedText<'_>, suffix: usize, swept: Swept) -> Result<End, Rejection> {
        let Candidate { around, after, .. } = self;
        let rest = |at| &after[text.start(at)..];
        let end = end(text, suffix, swept, around, self.before, rest)?;
        let written = &after[..text.end(end.at)];
        let is_joined = self.may_be_joined && is_joined(around.scope, written);
        Ok(End {
            guessed: end.guessed || is_joined,
            ..end
        })
    }

    /// Returns the bytes that can belong to the name if white space may be a break wherever more of the name could follow, and
    /// how they may be escaped. `None` if these are not more than `raw`, or too many.
    pub(super) fn widened(&self) -> Option<(&'w [u8], Writing)> {
        let at = self.before.len();
        let last = self.window.len().min(at + self.max_name + 1);
        let joints = self.joints.widened();
        let scope = self.around.scope;
        let len = reach(self.window, at + self.prefix.len, last, joints, scope).end - at;
        let outside = &self.before[..at - self.doubled];
        let writing = || writing(outside, &self.around, self.prefix, self.after);
        (len > self.raw.len() && len <= self.max_name).then(|| (&self.after[..len], writing()))
    }

    /// Returns the text with the layers undone.
    pub(super) fn text<'d>(&'d self, decoder: &'d mut Decoder) -> DecodedText<'d> {
        decoder.text(self.raw, self.writing)
    }
}

/// Returns the layers of escapes that a name surrounded by `around` may have, with its `prefix` at the start of `after` and the
/// bytes `outside` before it.
#[inline]
fn writing(outside: &[u8], around: &Around, prefix: Prefix, after: &[u8]) -> Writing {
    let written = if prefix.escaped {
        &after[..prefix.len]
    } else {
        b""
    };
    Writing {
        percent: percent_layers(outside, around.opener, written),
        in_badge: around.place == UrlPlace::Badge,
        in_page: around.scope == Scope::Page,
        is_defended: prefix.separator == Separator::Defended,
    }
}
