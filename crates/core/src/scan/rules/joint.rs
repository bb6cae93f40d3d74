//! Decides whether white space is a break inside a name, as in printed references.

mod following;
mod line_end;
mod next_word;
mod shape;
mod spacing;

use super::place::UrlPlace;
use super::{Form, NameContext, Rule, TextScope, sici};
pub(crate) use following::{NextWord, is_incomplete};
pub(crate) use line_end::numbered_line_end_len;
use line_end::{WhiteSpace, is_full};
use next_word::{
    first_word, is_code, is_item, is_key, is_long_number, is_long_run, is_not_year,
    is_page_or_item, is_rest_of_name, starts_another,
};
use spacing::SpacedName;

/// Max bytes of white space in a break.
const MAX_BREAK_BYTES: usize = 16;

/// Max digits of a page or a year.
const MAX_PAGE_DIGITS: usize = 4;
/// Max bytes of the next word to look at.
const MAX_WORD_BYTES: usize = 64;

/// The kinds of white space that can be a break inside a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BreakRules {
    /// Whether a label, scheme or proxy comes before the name.
    is_labelled: bool,
    /// Whether the name is in the path of a URL.
    is_in_path: bool,
    lines: LineBreaks,
    /// Whether white space is accepted wherever more of a name could follow.
    are_wide: bool,
    /// Bytes of the scheme or proxy and the prefix, if white space is in them; otherwise 0.
    front: usize,
}

/// Which line ends can be breaks because the line is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineBreaks {
    /// None.
    #[default]
    None,
    /// Those after a line that has no room for the next word, by the width of the lines around it.
    AfterFullLine,
    /// All single ones: the layout of a page broke the lines.
    Single,
}

impl BreakRules {
    /// Returns the kinds for a name that `context` describes.
    pub(crate) fn of(context: &NameContext) -> Self {
        BreakRules {
            is_in_path: context.place == UrlPlace::Path,
            ..BreakRules::new(context.form, context.scope)
        }
    }

    /// Returns the kinds for a name that is written as `form`, in text of the kind `scope`.
    pub(crate) fn new(form: Form, scope: TextScope) -> Self {
        let is_labelled = form != Form::Bare;
        BreakRules {
            is_labelled,
            is_in_path: false,
            lines: match scope {
                TextScope::Printed => LineBreaks::Single,
                TextScope::Any if is_labelled => LineBreaks::AfterFullLine,
                _ => LineBreaks::None,
            },
            are_wide: false,
            front: 0,
        }
    }

    /// Returns the kinds for a name after `front`, its scheme or proxy and its prefix.
    pub(crate) fn after(self, front: &[u8]) -> Self {
        let is_spaced = front.iter().any(u8::is_ascii_whitespace);
        BreakRules {
            front: if is_spaced { front.len() } else { 0 },
            ..self
        }
    }

    /// Returns the kinds for a name about which known names are asked: they decide which white space is a break.
    pub(crate) fn widened(self) -> Self {
        BreakRules {
            are_wide: true,
            ..self
        }
    }

    /// Whether the end of a line can be a break because the line is full.
    pub(crate) fn cross_lines(self) -> bool {
        self.lines != LineBreaks::None && Rule::LineEnd.holds()
    }

    #[cfg(test)]
    pub(crate) fn for_tests(is_labelled: bool) -> Self {
        BreakRules {
            is_labelled,
            is_in_path: false,
            lines: LineBreaks::None,
            are_wide: false,
            front: 0,
        }
    }

    /// Returns the length of the white space that `rest` starts with, if it may be a break inside the name that `written` ends
    /// in. The name's suffix starts at `suffix`; its head ends at `head_end`.
    #[inline]
    pub(crate) fn break_len(
        self,
        written: &[u8],
        suffix: usize,
        head_end: usize,
        rest: &[u8],
    ) -> Option<usize> {
        let ruled = match self.may_have_break(written, suffix, head_end, rest) {
            true => self.break_len_by_rules(written, suffix, head_end, rest),
            false => None,
        };
        match self.are_wide {
            true => ruled.or_else(|| wide_break_len(&written[suffix..], rest)),
            false => ruled,
        }
    }

    /// Whether a rule may find a break here, at a glance at the bytes before it. Most names without a label end in other bytes.
    #[inline]
    fn may_have_break(self, written: &[u8], suffix: usize, head_end: usize, rest: &[u8]) -> bool {
        self.is_labelled
            || self.cross_lines()
            || self.is_in_path && written.len() == suffix
            || shape::may_end_part(&written[suffix..])
            || sici::may_have_blank(&written[head_end..], rest)
    }

    /// Returns the length of the white space as [`break_len`](Self::break_len) does, without known names.
    fn break_len_by_rules(
        self,
        written: &[u8],
        suffix: usize,
        head_end: usize,
        rest: &[u8],
    ) -> Option<usize> {
        let name = &written[suffix..];
        let is_in_path = self.is_in_path && name.is_empty();
        let may_be_in_sici = sici::may_have_blank(&written[head_end..], rest);
        let is_joined = self.is_labelled || self.cross_lines();
        let may_end_part = shape::may_end_part(name);
        let space = WhiteSpace::read(rest);
        if may_end_part && shape::has_break(name, rest, space)
            || self.front > 0 && self.is_spaced_break(written, suffix, rest, space)
        {
            return Some(space.len);
        }
        let in_sici = may_be_in_sici.then(|| sici_blank_len(&written[head_end..], rest, space));
        let in_path = || is_in_path.then(|| path_break_len(rest, space)).flatten();
        if let Some(len) = in_sici.flatten().or_else(in_path) {
            return Some(len);
        }
        if !is_joined {
            return None;
        }
        if space.line_feeds == 0 && !ends_in_joint(name) && has_digit(name) {
            return None;
        }
        let is_break = self.is_near_break(written, suffix, rest, space)
            || self.is_line_break(written, suffix, rest, space);
        let starts_key = || space.line_feeds > 0 && is_key(first_word(&rest[space.len..]));
        (is_break && !starts_key()).then_some(space.len)
    }

    /// Whether the white space is of a kind that the bytes before the suffix show.
    fn is_spaced_break(
        self,
        written: &[u8],
        suffix: usize,
        rest: &[u8],
        space: WhiteSpace,
    ) -> bool {
        let (before, front) = written[..suffix].split_at(suffix - self.front);
        let spaced = SpacedName {
            before,
            front,
            suffix: &written[suffix..],
        };
        Rule::SpacedBreak.holds() && spaced.has_break(rest, space)
    }

    /// Whether short white space is a break, by the words on both sides.
    fn is_near_break(self, written: &[u8], suffix: usize, rest: &[u8], space: WhiteSpace) -> bool {
        let near = rest.len().min(MAX_BREAK_BYTES);
        if !self.is_labelled || space.line_feeds > 1 || space.len > near {
            return false;
        }
        let (front, name) = written.split_at(suffix);
        let following = NextWord::read(&rest[space.len..]);
        goes_on(name, following) || fills_parentheses(front, name, following.word)
    }

    fn is_line_break(self, written: &[u8], suffix: usize, rest: &[u8], space: WhiteSpace) -> bool {
        let (name, word) = (&written[suffix..], first_word(&rest[space.len..]));
        space.line_feeds == 1
            && self.cross_lines()
            && match self.lines {
                LineBreaks::Single => line_goes_on(name, word),
                LineBreaks::AfterFullLine => {
                    !word.first().is_some_and(u8::is_ascii_uppercase)
                        && line_goes_on(name, word)
                        && !is_page_or_item(word, &rest[space.len + word.len()..])
                        && is_full(written, rest, space)
                }
                LineBreaks::None => false,
            }
    }

    /// Whether `rest`, after the name that `written` ends in and its marks, starts with the end of a line that had no room. Then
    /// the name may go on in the next line. `written` returns the bytes before `rest`.
    #[inline]
    pub(crate) fn may_go_on<W: AsRef<[u8]>>(
        self,
        written: impl FnOnce() -> W,
        rest: &[u8],
    ) -> bool {
        self.cross_lines() && self.goes_on_in_next_line(written, rest)
    }

    fn goes_on_in_next_line<W: AsRef<[u8]>>(
        self,
        written: impl FnOnce() -> W,
        rest: &[u8],
    ) -> bool {
        const MAX_MARKS: usize = 2;
        let is_mark = |b: &&u8| matches!(b, b'.' | b'-' | b'/' | b':');
        let marks = rest.iter().take(MAX_MARKS).take_while(is_mark).count();
        let rest = &rest[marks..];
        if !matches!(rest, [b'\n', ..] | [b'\r', b'\n', ..]) {
            return false;
        }
        let space = WhiteSpace::read(rest);
        if space.line_feeds != 1 {
            return false;
        }
        let (word, after) = rest[space.len..].split_at(first_word(&rest[space.len..]).len());
        let is_lower_case_or_digit = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        self.lines == LineBreaks::Single
            || word.first().is_some_and(is_lower_case_or_digit)
                && !starts_another(word)
                && !is_item(word, after)
                && !is_key(word)
                && is_full(written().as_ref(), rest, space)
    }
}

/// Whether `rest`, after the written part of a name's `suffix`, starts with a break: by the shape of the name, or because the
/// blank is of the kind that `front` shows, the name's scheme or proxy and its prefix. `None` if there is no break and `front`
/// shows no kind. `before` is the text before `front`.
pub(crate) fn is_shown_break(before: &str, front: &str, suffix: &str, rest: &str) -> Option<bool> {
    let (front, suffix, rest) = (front.as_bytes(), suffix.as_bytes(), rest.as_bytes());
    let spaced = SpacedName {
        before: before.as_bytes(),
        front,
        suffix,
    };
    let (space, holds) = (WhiteSpace::read(rest), Rule::SpacedBreak.holds());
    let is_shown = spaced.is_shown() && holds;
    let may_be_spaced = is_shown || spaced.is_split() && holds;
    let is_break = may_be_spaced && spaced.has_break(rest, space)
        || shape::may_end_part(suffix) && shape::has_break(suffix, rest, space);
    (is_break || is_shown).then_some(is_break)
}

/// Returns the length of the white space that `rest` starts with, if more of the name with `suffix` could follow it.
fn wide_break_len(suffix: &[u8], rest: &[u8]) -> Option<usize> {
    const MAX_BREAKS: usize = 8;
    let (len, _) = could_go_on(suffix, rest).or_else(|| number_after_stop(suffix, rest))?;
    let parts = suffix.split(u8::is_ascii_whitespace);
    let parts = parts.filter(|part| !part.is_empty()).count();
    (parts <= MAX_BREAKS).then_some(len)
}

/// Returns the length of the white space that `rest` starts with and the number after it, if `suffix` ends in a full stop. The
/// number may be that of an item, or part of the name.
fn number_after_stop<'w>(suffix: &[u8], rest: &'w [u8]) -> Option<(usize, &'w [u8])> {
    let space = WhiteSpace::read(rest);
    let word = first_word(&rest[space.len..]);
    let is_number = suffix.ends_with(b".") && word.first().is_some_and(u8::is_ascii_digit);
    (space.line_feeds < 2 && is_number && !starts_another(word)).then_some((space.len, word))
}

/// Whether white space in `rest` may be inside the name with `suffix`, which is written as `form`. Words with digits show it, the
/// `x` that the names of one publisher end in, and marks that no name ends in. A capital or bracket after a full stop starts a
/// sentence.
pub(crate) fn may_be_broken(form: Form, suffix: &[u8], rest: &[u8]) -> bool {
    let (written, rest) = match rest {
        [mark, after @ ..] if *mark == b'.' || is_joint(mark) => (&rest[..1], after),
        rest => (suffix, rest),
    };
    let ends_in_joint = written.last().is_some_and(is_joint);
    let starts_sentence = |first: &u8| !first.is_ascii_lowercase() && !first.is_ascii_digit();
    match rest {
        [b' ' | b'\t' | b'\n' | b'\r', ..] if ends_in_joint => could_go_on(written, rest).is_some(),
        [b' ' | b'\t' | b'\n' | b'\r', ..] if form == Form::Bare => false,
        [b' ' | b'\n', b'(' | b'[', ..] => false,
        [b' ' | b'\n', first, ..] if written == b"." && starts_sentence(first) => false,
        [b' ' | b'\t' | b'\n' | b'\r', ..] => {
            could_go_on(written, rest).is_some_and(|(_, word)| {
                has_digit(word) || word.strip_suffix(b".").unwrap_or(word) == b"x"
            })
        }
        _ => false,
    }
}

/// Whether `mark` is one that no name ends in and that is not added to names.
fn is_joint(mark: &u8) -> bool {
    matches!(mark, b'-' | b'_' | b'/' | b':')
}

/// Returns the length of the white space that `rest` starts with and the word after it, if the word could be more of the name
/// with `suffix`: not a page or an item, nor the start of a sentence or of another name.
///
/// Two numbers side by side are not joined, since the neighbours of a name are registered too. But a long number may go on in the
/// next line.
fn could_go_on<'w>(suffix: &[u8], rest: &'w [u8]) -> Option<(usize, &'w [u8])> {
    let space = WhiteSpace::read(rest);
    let word = first_word(&rest[space.len..]);
    let (first, more) = word.split_first()?;
    let after_mark = !suffix.last().is_some_and(u8::is_ascii_alphanumeric);
    let goes_on = match first {
        b'0'..=b'9' if after_mark => is_long_number(word) || is_not_year(word),
        b'0'..=b'9' => space.line_feeds == 1 && is_not_year(word),
        b'a'..=b'z' => after_mark || !more.is_empty(),
        b'A'..=b'Z' | b'(' => has_digit(more),
        _ => return None,
    };
    let goes_on = goes_on || suffix.last().is_some_and(is_joint) && first.is_ascii_alphanumeric();
    (space.line_feeds < 2 && goes_on && !starts_another(word)).then_some((space.len, word))
}

/// Returns the length of the white space that `rest` starts with, if it is inside the SICI that `front` ends in. The head of
/// a suffix ends at each bracket of a SICI, so `front` has them all.
fn sici_blank_len(front: &[u8], rest: &[u8], space: WhiteSpace) -> Option<usize> {
    let after = &rest[space.len..];
    let is_inside = space.len <= MAX_BREAK_BYTES && sici::is_blank_inside(front, after);
    (is_inside && Rule::SiciBlank.holds()).then_some(space.len)
}

/// Returns the length of the white space that `rest` starts with after a prefix in the path of a URL, if a word with a long
/// number follows.
fn path_break_len(rest: &[u8], space: WhiteSpace) -> Option<usize> {
    let word = first_word(&rest[space.len..]);
    let goes_on = word.first().is_some_and(u8::is_ascii_alphanumeric)
        && !starts_another(word)
        && word
            .split(|b| !b.is_ascii_digit())
            .any(|run| run.len() > MAX_PAGE_DIGITS);
    let is_break = space.line_feeds < 2 && space.len <= MAX_BREAK_BYTES && goes_on;
    (is_break && Rule::BreakInPath.holds()).then_some(space.len)
}

/// Whether a name with `suffix` so far can go on after white space within a line.
fn ends_in_joint(suffix: &[u8]) -> bool {
    matches!(suffix, [] | [.., b'/' | b'-' | b':' | b'.'])
}

/// Whether `word` looks like the rest of the name with `suffix` so far.
///
/// More must follow a slash, digits follow a hyphen or colon, and a suffix without any digit is seldom whole.
fn goes_on(suffix: &[u8], following: NextWord<'_>) -> bool {
    let word = following.word;
    let Some(first) = word.first() else {
        return false;
    };
    let starts_well = first.is_ascii_alphanumeric() || *first == b'(';
    match suffix {
        [] => {
            Rule::BreakAfterPrefix.holds()
                && starts_well
                && (has_digit(word) || first.is_ascii_lowercase())
                && !following.is_line_number()
        }
        [.., b'/' | b'-' | b':'] => Rule::BreakAfterMark.holds() && starts_well && has_digit(word),
        b"j." => Rule::BreakAfterJournal.holds() && first.is_ascii_alphanumeric(),
        [.., b'.'] => {
            // A name that was broken at one full stop may be broken at each. An item or a date follows a whole name.
            let goes_on = match has_digit(suffix) {
                true if broken_after_stop(suffix) => {
                    word.iter().all(|b| b.is_ascii_digit() || *b == b'.')
                        && (is_incomplete(suffix) || following.leads_to_digit())
                }
                true => false,
                false => !(word.ends_with(b".") && following.may_be_item()),
            };
            let is_number = first.is_ascii_digit() || !has_digit(suffix) && is_code(word);
            Rule::BreakAfterStop.holds() && is_number && goes_on && !following.is_date_or_pages()
        }
        _ => Rule::BreakAfterStop.holds() && !has_digit(suffix) && is_long_run(word),
    }
}

/// Whether a parenthesis that opens in `front`, before the label of the name, closes at the end of `word`, and `word` is the rest
/// of the name with `suffix` so far: `(doi:10.5555/ab.109. 105692)`.
///
/// Parentheses around a label hold the name alone, or words after it. A suffix without any digit is seldom whole, and pages and
/// years do not have five digits.
fn fills_parentheses(front: &[u8], suffix: &[u8], word: &[u8]) -> bool {
    let Some(close) = word.iter().position(|b| *b == b')') else {
        return false;
    };
    let word = &word[..close];
    let goes_on = match suffix {
        [.., b'.'] => word.len() > MAX_PAGE_DIGITS && word.iter().all(u8::is_ascii_digit),
        _ => !has_digit(suffix) && is_rest_of_name(word) && !starts_another(word),
    };
    let near = &front[front.len().saturating_sub(MAX_WORD_BYTES)..];
    let bracket = |b: &u8| matches!(b, b'(' | b')');
    let opens = || near.iter().rfind(|b| bracket(b)) == Some(&b'(');
    goes_on && opens() && Rule::BreakInParentheses.holds()
}

/// Whether `word` in the next line belongs to the name with `suffix` so far, at the end of a line that had no room for it.
///
/// Only names end in a joint there. After a full stop, a word may also start the next sentence, and a number the next item of a
/// list.
fn line_goes_on(suffix: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else {
        return false;
    };
    if !(first.is_ascii_alphanumeric() || *first == b'(') || starts_another(word) {
        return false;
    }
    match suffix {
        [] => true,
        [.., b'/' | b'-' | b'_' | b':' | b'('] => true,
        // A suffix without any digit is seldom whole.
        [.., b'.'] if !has_digit(suffix) => true,
        [front @ .., b'.'] => match first {
            b'0'..=b'9' => is_long_number(word) || ends_in_number(front),
            _ => first.is_ascii_lowercase() && has_digit(word),
        },
        // A year in the middle of a name, `0009-2614(80)80396-4`.
        [.., b'(', a, b, b')'] if a.is_ascii_digit() && b.is_ascii_digit() => {
            first.is_ascii_digit() && is_long_number(word)
        }
        // The middle of a SICI.
        [.., b'C' | b'c', b'O' | b'o', b';'] => *first == b'2',
        _ => !first.is_ascii_uppercase() && is_rest_of_name(word),
    }
}

fn has_digit(text: &[u8]) -> bool {
    // Most names end in a digit.
    text.iter().rev().any(u8::is_ascii_digit)
}

/// Whether `suffix` ends in a mark and a short number, as in a year, a month or a volume in a name, after which a number of the
/// name may follow.
fn ends_in_number(suffix: &[u8]) -> bool {
    const MAX_NUMBER_DIGITS: usize = 4;
    let digits = suffix.iter().rev().take_while(|b| b.is_ascii_digit());
    let digits = digits.count();
    (1..=MAX_NUMBER_DIGITS).contains(&digits)
        && matches!(suffix[..suffix.len() - digits], [.., b'.' | b'-'])
}

/// Whether a break after a full stop was joined in `suffix`.
fn broken_after_stop(suffix: &[u8]) -> bool {
    let is_break = |pair: &[u8]| pair[0] == b'.' && pair[1].is_ascii_whitespace();
    suffix.windows(2).any(is_break)
}
