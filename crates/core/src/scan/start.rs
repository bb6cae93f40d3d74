//! Decides whether a name starts at an anchor, from what the automata read beside it.

use super::automaton;
use super::rules::TextScope;
use super::rules::page::cut_prefix;
use super::rules::start::{NameStart, WrittenPrefix};
use super::tally::Rejection;
use super::window::WINDOW_BYTES_BEFORE;
use super::{context, rules};

/// Decides about the anchor `at`: returns the start of a name, or why it is refused at once; `None` if it is not a candidate.
pub(super) fn start(
    window: &[u8],
    at: usize,
    scope: TextScope,
) -> Option<Result<NameStart, Rejection>> {
    start_of_prefix(window, at, prefix(&window[at..], scope)?)
}

/// Reads the prefix that `rest` starts with.
#[inline]
pub(super) fn prefix(rest: &[u8], scope: TextScope) -> Option<WrittenPrefix> {
    let whole = automaton::prefix(rest);
    match scope {
        TextScope::Page => whole.or_else(|| cut_prefix(rest, automaton::prefix)),
        _ => whole,
    }
}

/// Decides as [`start`] does, about a `prefix` that is already read.
pub(super) fn start_of_prefix(
    window: &[u8],
    at: usize,
    prefix: WrittenPrefix,
) -> Option<Result<NameStart, Rejection>> {
    let before = &window[at.saturating_sub(WINDOW_BYTES_BEFORE)..at];
    if automaton::ends_in_prefix(before) {
        return None;
    }
    let form = |outer: &[u8]| context::opener(outer).form;
    rules::start::start(before, &window[at..], prefix, form)
}
