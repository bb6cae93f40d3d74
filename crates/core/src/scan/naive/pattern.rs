//! Matches the patterns of the rulebook by trying each start.

use std::cell::RefCell;
use std::thread::LocalKey;

use regex_automata::nfa::thompson::pikevm::{Cache, PikeVM};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, nfa::thompson};

use crate::scan::Form;
use crate::scan::rules::pattern::{self, Breaks, FORMS, HOST_ALONE, PREFIXES};
use crate::scan::rules::start::WrittenPrefix;

/// Patterns, and the memory to match them in.
type Matcher = (PikeVM, Cache);

thread_local! {
    static PREFIX: RefCell<Matcher> = RefCell::new(build(&pattern::prefixes(Breaks::Any)));
    static SCHEME: RefCell<Matcher> = RefCell::new(build(&to_the_end(&pattern::schemes(Breaks::Any))));
    static LABEL: RefCell<Matcher> = RefCell::new(build(&to_the_end(&pattern::labels())));
    static NAME_BEFORE: RefCell<Matcher> = RefCell::new(build(&to_the_end(&[pattern::name_before()])));
}

/// Reads the prefix that `text` starts with.
pub(super) fn prefix(text: &[u8]) -> Option<WrittenPrefix> {
    let (pattern, len) = matched(&PREFIX, text, 0)?;
    let (separator, registrant) = PREFIXES[pattern];
    Some(WrittenPrefix {
        len,
        separator,
        registrant,
        is_escaped: true,
    })
}

/// Reads the longest scheme or proxy that `before` ends in. Returns its form and length.
pub(super) fn scheme(before: &[u8]) -> Option<(Form, usize)> {
    let (pattern, start) = longest(&SCHEME, before)?;
    let inside_host = HOST_ALONE.contains(&pattern) && pattern::is_inside_host(&before[..start]);
    (!inside_host).then_some((FORMS[pattern], before.len() - start))
}

/// Returns the form of a name after `before`, and the length of its scheme or proxy.
pub(super) fn opener(before: &[u8]) -> (Form, usize) {
    let labelled = || match longest(&LABEL, before) {
        Some(_) => (Form::Label, 0),
        None => (Form::Bare, 0),
    };
    scheme(before).unwrap_or_else(labelled)
}

/// Whether `before` ends in a whole prefix.
pub(super) fn ends_in_prefix(before: &[u8]) -> bool {
    longest(&NAME_BEFORE, before).is_some()
}

/// Returns the first pattern that matches the longest end of `text`, and where that match starts.
fn longest(patterns: &'static LocalKey<RefCell<Matcher>>, text: &[u8]) -> Option<(usize, usize)> {
    (0..text.len()).find_map(|start| {
        let (pattern, _) = matched(patterns, text, start)?;
        Some((pattern, start))
    })
}

/// Returns the first pattern that matches at `start`, and where the match ends.
fn matched(
    patterns: &'static LocalKey<RefCell<Matcher>>,
    text: &[u8],
    start: usize,
) -> Option<(usize, usize)> {
    let input = Input::new(text)
        .span(start..text.len())
        .anchored(Anchored::Yes);
    patterns.with_borrow_mut(|(vm, cache)| {
        let mut slots = vec![None; 2 * vm.pattern_len()];
        let pattern = vm.search_slots(cache, &input, &mut slots)?.as_usize();
        Some((pattern, slots[2 * pattern + 1]?.get()))
    })
}

fn to_the_end(patterns: &[String]) -> Vec<String> {
    patterns.iter().map(|p| format!(r"(?:{p})\z")).collect()
}

/// The patterns are constant, so that a failure to build them is a bug that every test would show.
#[allow(clippy::expect_used)]
fn build(patterns: &[String]) -> Matcher {
    let vm = PikeVM::builder()
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(thompson::Config::new().utf8(false))
        .build_many(patterns)
        .expect("constant patterns");
    let cache = vm.create_cache();
    (vm, cache)
}
