//! Bounds a candidate in the bytes as written: no name goes past this end, however it is escaped.

use super::anchor::is_broken_off;
use super::automaton;
use super::rules::Scope;
use super::rules::hidden::hidden_part_len;
use super::rules::joint::Joints;
use super::rules::page::Tag;
use super::rules::raw::RawByte;
use super::rules::suffix::{Swept, sweep};
use super::start::start;

/// The end of a candidate's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) end: usize,
    /// Whether something may have to be decoded, or white space was skipped to join a broken name.
    pub(super) escaped: bool,
    /// Whether white space or tags were skipped.
    pub(super) joined: bool,
    /// The start of the suffix that was swept.
    pub(super) swept: Swept,
}

impl Reach {
    /// Reaches as far as the suffix that starts at `from` is swept.
    fn swept(window: &[u8], from: usize, last: usize) -> Self {
        let swept = sweep(window, from);
        let swept = if swept.end < last {
            swept
        } else {
            Swept::none(from)
        };
        Reach {
            end: swept.end,
            escaped: false,
            joined: false,
            swept,
        }
    }
}

/// Follows `window` from `from`, where the suffix starts, to `last` at most.
pub(super) fn reach(
    window: &[u8],
    from: usize,
    last: usize,
    joints: Joints,
    scope: Scope,
) -> Reach {
    let mut reach = Reach::swept(window, from, last);
    let mut plain = last;
    while reach.end < last {
        reach.end += plain_len(&window[reach.end..last]);
        let Some(byte) = window[..last].get(reach.end) else {
            break;
        };
        let next = match byte {
            b'1' => next_name(window, from, reach.end, scope),
            _ => None,
        };
        if let Some(next) = next {
            // White space directly before the next name is not a break.
            reach.end = from + window[from..next].trim_ascii_end().len();
            // The start of the next name was swept too.
            reach.swept = Swept::none(from);
            break;
        }
        if *byte != b'1' {
            plain = plain.min(reach.end);
        }
        let (written, rest) = window.split_at(reach.end);
        let Some((len, is_escape)) = step(written, from, reach.swept, rest, joints, scope) else {
            break;
        };
        reach.end += len;
        reach.escaped |= is_escape;
        reach.joined |= len > 1 || byte.is_ascii_whitespace();
    }
    reach.end = reach.end.min(last);
    reach.swept.plain = plain.min(reach.end);
    reach
}

/// Returns how many bytes at the start of `rest` the candidate takes, and whether they are an escape or may start one; `None` if
/// the candidate ends. `written` are the bytes before `rest`; its suffix starts at `suffix` and was `swept`.
fn step(
    written: &[u8],
    suffix: usize,
    swept: Swept,
    rest: &[u8],
    joints: Joints,
    scope: Scope,
) -> Option<(usize, bool)> {
    match RawByte::of(*rest.first()?) {
        RawByte::Less => match Tag::of(rest, scope) {
            Tag::Inside(len) => Some((len, true)),
            Tag::Bound => None,
            Tag::No => Some((1, false)),
        },
        RawByte::Plain | RawByte::One => Some((1, false)),
        RawByte::Escape => Some((hidden_part_len(rest).unwrap_or(1), true)),
        RawByte::Blank => Some((joints.break_len(written, suffix, swept.end, rest)?, true)),
        RawByte::Hard => None,
    }
}

/// Returns how many plain bytes come before one that needs a look.
fn plain_len(bytes: &[u8]) -> usize {
    let special = bytes
        .iter()
        .position(|byte| RawByte::of(*byte) != RawByte::Plain);
    special.unwrap_or(bytes.len())
}

/// Returns where the next name starts, with its scheme or proxy, if a name has its anchor at `at`.
fn next_name(window: &[u8], from: usize, at: usize, scope: Scope) -> Option<usize> {
    let may_start = match &window[at..] {
        [_, b'0', b'.' | b'%' | b'&' | b'\\', ..] => true,
        [_, b'<', ..] | [_, b'0', b'<', ..] => scope == Scope::Page,
        [_, b'0', rest @ ..] => is_broken_off(rest),
        _ => false,
    };
    if !may_start {
        return None;
    }
    let (_, start) = start(window, at, scope)?.ok()?;
    let outer = at - start.doubled;
    let opener = automaton::scheme(&window[from..outer]);
    Some(outer - opener.map_or(0, |opener| opener.len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(text: &str, joinable: bool) -> &str {
        let from = text.find('/').unwrap() + 1;
        let joints = Joints::for_tests(joinable);
        &text[..reach(text.as_bytes(), from, text.len(), joints, Scope::Any).end]
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
