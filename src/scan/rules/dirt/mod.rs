//! What follows names in columns of cited names and in reference lists whose blanks were lost: rules for dirty data alone.
//!
//! A row holds for what registered names do not have; where some do, the row says what has to be beside it.
//!
//! | module | what it decides |
//! |---|---|
//! | [`start`] | where a name starts |
//! | [`breaks`] | which tags and white space end a name, and which only broke it |
//! | [`joints`] | which marks between the parts of a name were doubled |
//! | [`remark`] | which words after a name are not part of it |

pub(crate) mod breaks;
pub(crate) mod joints;
pub(crate) mod remark;
pub(crate) mod start;

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::end::ELLIPSES;
use super::place::UrlPlace;
use super::suffix::{self, Reading};
use super::{Around, Decoded, End, Escape, Form, Rule, Scope, sici, tail, word};

/// `suffix` without what a URL's raw `?` or `#` starts. The `#` that ends a SICI (`3.0.co;2-#`) is its own.
fn without_query(suffix: &str) -> &str {
    let starts_query = |&(at, mark): &(usize, &str)| {
        let more = suffix[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric());
        mark == "?" || more || !suffix[..at].ends_with(";2-")
    };
    let end = suffix.match_indices(['?', '#']).find(starts_query);
    end.filter(|_| Rule::DirtQuery.holds())
        .map_or(suffix, |(at, _)| &suffix[..at])
}

/// `suffix` up to the marks of `emphasis`, if any, that end a word there.
fn without_emphasis<'t>(suffix: &'t str, emphasis: &str) -> &'t str {
    let ends_word = |&(at, _): &(usize, &str)| {
        let rest = &suffix[at + emphasis.len()..];
        !emphasis.is_empty() && !rest.starts_with(char::is_alphanumeric)
    };
    let end = suffix.match_indices(emphasis).find(ends_word);
    end.filter(|_| Rule::Emphasis.holds())
        .map_or(suffix, |(at, _)| &suffix[..at])
}

/// How many prefixes without a name after them are passed over, so that a long text costs no more than its length.
const MOST_STARTS: usize = 8;

/// The first name in `text` of which something is left, or the first prefix. `decode` undoes the escapes of a suffix.
pub(crate) fn first_name<'t>(
    text: &'t str,
    decode: impl Fn(&'t str) -> Cow<'t, str>,
) -> Option<String> {
    let mut name = None;
    for start in start::find_iter(text).take(MOST_STARTS) {
        let suffix = without_emphasis(without_query(start.rest), start.emphasis);
        let found = self::name(&start.prefix, &decode(suffix));
        if found.len() > start.prefix.len() + 1 {
            return Some(found);
        }
        name.get_or_insert(found);
    }
    name
}

/// How often the cuts are repeated: one may lay bare what another cuts.
const ROUNDS: usize = 16;

/// The name of `prefix` and what of `suffix` belongs to it.
pub(crate) fn name(prefix: &str, suffix: &str) -> String {
    let mut suffix = breaks::joined(&breaks::without_tags(&joints::sici(suffix)));
    for _ in 0..ROUNDS {
        let before = suffix.len();
        let next = start::another_name(prefix, &suffix).unwrap_or(before);
        suffix.truncate(end(prefix, &suffix).min(next));
        suffix = without_tail(&joints::once(&suffix)).to_owned();
        if suffix.len() == before {
            break;
        }
    }
    format!("{prefix}/{suffix}")
}

/// Where in the suffix of a name with `prefix` the name ends at the latest.
fn end(prefix: &str, suffix: &str) -> usize {
    let ends = [
        doubled_end(suffix),
        tail::article_id(prefix.as_bytes(), suffix.as_bytes()),
        remark::listed(suffix),
        remark::glued(suffix),
        remark::host(suffix),
        unclosed_bracket(suffix),
        foreign_sign(suffix),
    ];
    let latest = prose_end(suffix);
    ends.into_iter().flatten().fold(latest, usize::min)
}

/// A suffix in dirty data with its escapes undone: a `?` or `#` that is left was one.
struct UndoneSuffix<'t>(&'t [u8]);

impl Decoded for UndoneSuffix<'_> {
    fn bytes(&self) -> &[u8] {
        self.0
    }

    fn escape(&self, at: usize) -> Escape {
        match self.0[at] {
            b'?' | b'#' => Escape::Percent,
            _ => Escape::Plain,
        }
    }

    fn is_single(&self, _at: usize) -> bool {
        true
    }
}

/// Where the name ends in running text.
fn prose_end(suffix: &str) -> usize {
    let around = Around {
        form: Form::Label,
        place: UrlPlace::None,
        enclosure: None,
        scope: Scope::Any,
    };
    suffix::end(&UndoneSuffix(suffix.as_bytes()), 0, &around, Reading::Prose).at
}

/// Where the end of the name is repeated: `cshperspect.a007732a007732`. Runs of digits alone may repeat.
fn doubled_end(suffix: &str) -> Option<usize> {
    const LENGTHS: RangeInclusive<usize> = 6..=64;
    let bytes = suffix.as_bytes();
    let is_doubled = |len: &usize| {
        let (head, end) = bytes.split_at(bytes.len() - len);
        head.ends_with(end)
            && end.iter().any(u8::is_ascii_digit)
            && end.iter().any(u8::is_ascii_alphabetic)
    };
    let longest = (bytes.len() / 2).min(*LENGTHS.end());
    let len = (*LENGTHS.start()..=longest).rev().find(is_doubled)?;
    let at = suffix.len() - len;
    (suffix.is_char_boundary(at) && Rule::DoubledEnd.holds()).then_some(at)
}

/// `text` without the word after an ellipsis, `… (more)` or `... [truncated]`.
fn without_note(text: &str) -> &str {
    let is_mark = |c: char| matches!(c, '(' | '[' | ')' | ']' | ' ');
    let head = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || is_mark(c));
    let note = &text[head.len()..];
    let is_word = note.trim_matches(is_mark).chars().all(char::is_alphabetic);
    let follows = note.starts_with(' ') && head.ends_with(['.', '…']);
    if follows && is_word { head } else { text }
}

/// Where the ellipsis starts that cuts the last word of `text` short, which is a name: no more than closing marks follow it.
pub(crate) fn cut_short(text: &str) -> Option<usize> {
    const CLOSERS: [char; 12] = [
        ')', ']', '}', '>', '"', '\'', '»', '”', '’', '」', '』', '*',
    ];
    let mut head = without_note(text.trim_end());
    while let Some(inner) = head.strip_suffix(CLOSERS) {
        head = match inner.rsplit_once("</") {
            Some((front, tag)) if tag.bytes().all(|b| b.is_ascii_alphanumeric()) => front,
            _ => inner,
        };
        head = head.trim_end();
    }
    let mut ends = ELLIPSES
        .iter()
        .chain(&["..."])
        .filter_map(|sign| head.strip_suffix(sign));
    let head = ends.next()?.trim_end_matches(['[', '(', ' ']);
    let word = head.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_name = word.contains("10.") && word.contains('/') && !head.ends_with(['.', '/']);
    (is_name && Rule::CutShort.holds()).then_some(head.len())
}

/// Signs that no registered name holds: `^`, a full stop and a hyphen, `$` before the end, and a parameter or a person's name after a
/// mark.
fn foreign_sign(suffix: &str) -> Option<usize> {
    let is_sign = |&(at, c): &(usize, char)| {
        let rest = &suffix[at + c.len_utf8()..];
        let is_person = || {
            let small = |c: char| c.is_ascii_lowercase();
            rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest[1..].starts_with(small)
        };
        match c {
            '^' => true,
            '$' => !rest.is_empty(),
            '.' => rest.starts_with('-'),
            '?' => word::is_parameter(rest.as_bytes()),
            ';' => is_person(),
            _ => false,
        }
    };
    let first = suffix.char_indices().find(is_sign);
    first
        .map(|(at, _)| at)
        .filter(|_| Rule::ForeignSign.holds())
}

/// Where a bracket is opened that nothing closes.
fn unclosed_bracket(suffix: &str) -> Option<usize> {
    let mut open: [Vec<usize>; 3] = Default::default();
    for (at, c) in suffix.char_indices() {
        match "()[]<>".find(c) {
            Some(kind) if kind % 2 == 0 => open[kind / 2].push(at),
            Some(kind) => drop(open[kind / 2].pop()),
            None => {}
        }
    }
    let first = open.iter().flatten().min().copied();
    first.filter(|_| Rule::UnclosedBracket.holds())
}

/// How long the angle brackets of a SICI are that `text` starts with, as in `<693::AID-X>3.0.CO;2-O`; else 0.
pub(crate) fn sici_angle_len(text: &str) -> usize {
    let Some(end) = angle_end(text) else {
        return 0;
    };
    match sici::goes_on_after_angle(&text.as_bytes()[end + 1..]) {
        true => end + 1,
        false => 0,
    }
}

/// Where the angle bracket is closed that `text` starts with.
pub(crate) fn angle_end(text: &str) -> Option<usize> {
    const LONGEST: usize = 256;
    text.bytes().take(LONGEST).position(|b| b == b'>')
}

/// `suffix` without pages, places in print and marks at its end, however they are stacked.
fn without_tail(suffix: &str) -> &str {
    let mut name = suffix;
    loop {
        let before = name.len();
        name = without_marks(name);
        name = without_place(name);
        name = &name[..tail::page_end(name.as_bytes(), false)];
        name = without_title_page(name);
        if name.len() == before {
            return name;
        }
    }
}

/// Of full stops at the end nine in ten are slips. `+`, `*`, `_`, `~`, `$` and `=` stay.
fn without_marks(name: &str) -> &str {
    let end = End {
        at: name.len(),
        guessed: false,
    };
    &name[..tail::cut_edge(name.as_bytes(), 0, end, true).at]
}

fn without_title_page(name: &str) -> &str {
    let head = name.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
    let word = &name[head.len()..];
    let is_whole =
        |head: &&str| head.ends_with(|c: char| c.is_ascii_digit()) || head.ends_with(".x");
    let whole = head.strip_suffix(['.', '/']).filter(is_whole);
    let is = |listed: &&str| listed.eq_ignore_ascii_case(word) && Rule::TitlePage.holds_for(listed);
    let is_listed = remark::TITLE_PAGE.iter().any(is);
    whole.filter(|_| is_listed).unwrap_or(name)
}

/// Volume, pages and year, as `,85,1494(2006)` or `(2006)`.
fn without_place(name: &str) -> &str {
    let head = without_year(name);
    if !head.ends_with(|c: char| c.is_ascii_digit()) {
        return head;
    }
    let is_number = |b: u8| b.is_ascii_digit() || matches!(b, b'-' | b':');
    let number = |field: &str| !field.is_empty() && field.bytes().all(is_number);
    let (mut rest, mut count) = (head, 0);
    while let Some((before, _)) = rest.rsplit_once(',').filter(|(_, field)| number(field)) {
        (rest, count) = (before, count + 1);
    }
    let last = head.get(rest.len() + 1..).unwrap_or_default();
    let is_place = count > 1 || head.len() < name.len() || is_year(last);
    if is_place && Rule::PlaceInPrint.holds() {
        rest
    } else {
        head
    }
}

/// A bracketed number after volume and issue is a page: `(asce)0733-9445(2008)134:7(1959)`.
fn without_year(name: &str) -> &str {
    let year = name
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('));
    match year {
        Some((head, year))
            if is_year(year) && !ends_in_issue(head) && Rule::BracketedYear.holds() =>
        {
            head
        }
        _ => name,
    }
}

fn is_year(text: &str) -> bool {
    matches!(text.as_bytes(), [b'1', b'9', a, b] | [b'2', b'0', a, b] if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Up to three letters or digits after a number and a colon.
fn ends_in_issue(head: &str) -> bool {
    let volume = head.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    let volume_ends = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    matches!(head.len() - volume.len(), 1..=3) && volume.strip_suffix(':').is_some_and(volume_ends)
}
