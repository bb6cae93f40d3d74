//! Whether a name starts at an anchor: the rule, over what the automata read beside it.

use super::anchor::BEFORE;
use super::automaton;
use super::rules::Scope;
use super::rules::page::cut_prefix;
use super::rules::start::{Prefix, Start};
use super::{Rejection, context, rules};

/// What is at the anchor `at`: nothing, a candidate that is refused at once, or a start with its prefix.
pub(super) fn start(
    window: &[u8],
    at: usize,
    scope: Scope,
) -> Option<Result<(Prefix, Start), Rejection>> {
    started(window, at, prefix(&window[at..], scope)?)
}

/// The prefix that `rest` starts with.
#[inline]
pub(super) fn prefix(rest: &[u8], scope: Scope) -> Option<Prefix> {
    let whole = automaton::prefix(rest);
    match scope {
        Scope::Page => whole.or_else(|| cut_prefix(rest, automaton::prefix)),
        _ => whole,
    }
}

/// The same where the prefix was read.
pub(super) fn started(
    window: &[u8],
    at: usize,
    prefix: Prefix,
) -> Option<Result<(Prefix, Start), Rejection>> {
    let before = &window[at.saturating_sub(BEFORE)..at];
    if automaton::ends_in_prefix(before) {
        return None;
    }
    let form = |outer: &[u8]| context::opener(outer).form;
    let started = rules::start::start(before, &window[at..], prefix, form)?;
    Some(started.map(|start| (prefix, start)))
}
