//! Bounds a candidate in the bytes as written: no name goes past this end, however it is escaped.

use super::anchor::is_broken_off;
use super::automaton;
use super::rules::TextScope;
use super::rules::hidden::hidden_part_len;
use super::rules::joint::BreakRules;
use super::rules::page::AngleBracket;
use super::rules::raw::RawByteClass;
use super::rules::suffix::{SuffixHead, suffix_head};
use super::start::start;

/// The end of a candidate's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CandidateExtent {
    pub(super) end: usize,
    /// Whether something may have to be decoded, or white space was skipped to join a broken name.
    pub(super) has_escape: bool,
    /// Whether white space or tags were skipped.
    pub(super) is_joined: bool,
    /// The head of the suffix.
    pub(super) head: SuffixHead,
}

impl CandidateExtent {
    /// Returns the extent of a candidate up to the end of the head of its suffix, which starts at `from`.
    fn of_head(window: &[u8], from: usize, last: usize) -> Self {
        let head = suffix_head(window, from);
        let head = if head.end < last {
            head
        } else {
            SuffixHead::empty(from)
        };
        CandidateExtent {
            end: head.end,
            has_escape: false,
            is_joined: false,
            head,
        }
    }
}

/// Follows `window` from `from`, where the suffix starts, to `last` at most.
pub(super) fn candidate_extent(
    window: &[u8],
    from: usize,
    last: usize,
    break_rules: BreakRules,
    scope: TextScope,
) -> CandidateExtent {
    let mut extent = CandidateExtent::of_head(window, from, last);
    let mut unescaped_end = last;
    while extent.end < last {
        extent.end += plain_len(&window[extent.end..last]);
        let Some(byte) = window[..last].get(extent.end) else {
            break;
        };
        let next = match byte {
            b'1' => next_name(window, from, extent.end, scope),
            _ => None,
        };
        if let Some(next) = next {
            // White space directly before the next name is not a break.
            extent.end = from + window[from..next].trim_ascii_end().len();
            // The head holds the start of the next name too.
            extent.head = SuffixHead::empty(from);
            break;
        }
        if *byte != b'1' {
            unescaped_end = unescaped_end.min(extent.end);
        }
        let (written, rest) = window.split_at(extent.end);
        let Some((len, is_escape)) = step(written, from, extent.head, rest, break_rules, scope)
        else {
            break;
        };
        extent.end += len;
        extent.has_escape |= is_escape;
        extent.is_joined |= len > 1 || byte.is_ascii_whitespace();
    }
    extent.end = extent.end.min(last);
    extent.head.unescaped_end = unescaped_end.min(extent.end);
    extent
}

/// Returns how many bytes at the start of `rest` the candidate takes, and whether they are an escape or may start one; `None` if
/// the candidate ends. `written` are the bytes before `rest`; its suffix starts at `suffix` and has this `head`.
fn step(
    written: &[u8],
    suffix: usize,
    head: SuffixHead,
    rest: &[u8],
    break_rules: BreakRules,
    scope: TextScope,
) -> Option<(usize, bool)> {
    match RawByteClass::of(*rest.first()?) {
        RawByteClass::AngleBracket => match AngleBracket::of(rest, scope) {
            AngleBracket::InlineTags(len) => Some((len, true)),
            AngleBracket::BoundaryTag => None,
            AngleBracket::NotTag => Some((1, false)),
        },
        RawByteClass::Plain | RawByteClass::DigitOne => Some((1, false)),
        RawByteClass::Escape => Some((hidden_part_len(rest).unwrap_or(1), true)),
        RawByteClass::Blank => Some((
            break_rules.break_len(written, suffix, head.end, rest)?,
            true,
        )),
        RawByteClass::EndsName => None,
    }
}

/// Returns how many plain bytes come before one that needs a look.
fn plain_len(bytes: &[u8]) -> usize {
    let special = bytes
        .iter()
        .position(|byte| RawByteClass::of(*byte) != RawByteClass::Plain);
    special.unwrap_or(bytes.len())
}

/// Returns where the next name starts, with its scheme or proxy, if a name has its anchor at `at`.
fn next_name(window: &[u8], from: usize, at: usize, scope: TextScope) -> Option<usize> {
    let may_start = match &window[at..] {
        [_, b'0', b'.' | b'%' | b'&' | b'\\', ..] => true,
        [_, b'<', ..] | [_, b'0', b'<', ..] => scope == TextScope::Page,
        [_, b'0', rest @ ..] => is_broken_off(rest),
        _ => false,
    };
    if !may_start {
        return None;
    }
    let start = start(window, at, scope)?.ok()?;
    let outer = at - start.doubled_len;
    let opener = automaton::scheme(&window[from..outer]);
    Some(outer - opener.map_or(0, |opener| opener.len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(text: &str, joinable: bool) -> &str {
        let from = text.find('/').unwrap() + 1;
        let break_rules = BreakRules::for_tests(joinable);
        &text[..candidate_extent(
            text.as_bytes(),
            from,
            text.len(),
            break_rules,
            TextScope::Any,
        )
        .end]
    }

    #[test]
    fn hard_ends_and_the_next_name() {
        for (text, expected) in [
            ("10.5555/abc def", "10.5555/abc"),
            ("10.5555/abc</doi>", "10.5555/abc"),
            ("10.5555/a<1::b>2", "10.5555/a<1::b>2"),
            ("10.5555/a10.5555/b", "10.5555/a"),
            ("10.5555/ahttps://doi.org/10.5555/b", "10.5555/a"),
            ("10.5555/aDOI:10.5555/b", "10.5555/a"),
            ("10.5555/10.5555/b", "10.5555/10.5555/b"),
            ("10.5555/a.10.5555/b", "10.5555/a.10.5555/b"),
            ("10.5555/a10.0.0.0/8", "10.5555/a10.0.0.0/8"),
        ] {
            assert_eq!(reached(text, false), expected, "{text}");
        }
    }

    #[test]
    fn breaks() {
        for (text, expected) in [
            ("10.5555/ es030360x. Next", "10.5555/ es030360x."),
            ("10.5555/\n  journal.pbio", "10.5555/\n  journal.pbio"),
            ("10.5555/ Smith, J.", "10.5555/"),
            ("10.5555/S0045- 6535(00)", "10.5555/S0045- 6535(00)"),
            ("10.5555/abc- see", "10.5555/abc-"),
            ("10.5555/abc1. 2015", "10.5555/abc1."),
            ("10.5555/ldr. 1091", "10.5555/ldr. 1091"),
            ("10.5555/\n\nabc1", "10.5555/"),
        ] {
            assert_eq!(reached(text, true), expected, "{text}");
            assert_eq!(
                reached(text, false),
                &text[..text
                    .find(' ')
                    .unwrap_or(8)
                    .min(text.find('\n').unwrap_or(99))]
            );
        }
    }
}
