//! What follows names in columns of cited names and in reference lists whose blanks were lost: rules for dirty data alone.
//!
//! A row holds for what registered names do not have; where some do, the row says what has to be beside it.

use std::ops::RangeInclusive;

use super::suffix::is_foreign_mark;
use super::{sici, tail, word};

/// What stands directly before a remark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// Anything: no registered name holds the word.
    Any,
    /// A mark: registered names hold the word inside another.
    Mark,
    /// A digit, or one and a full stop.
    Digit,
}

/// What follows its word directly.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Any,
    /// No letter or digit.
    End,
    /// A number, behind a colon or not; or nothing.
    Number,
    /// A number, `ahead`, or nothing.
    Ahead,
}

use Lead::{Digit, Mark};
use Then::{Ahead, End, Number};

/// Words that start what is no part of the name: it ends before them. In them `o` matches the digit `0` too, as in
/// `http://dx.d0i.0rg`.
const REMARKS: [(&str, Lead, Then); 67] = [
    // A URL, mostly the name's own; `/n` was a line break.
    ("/nhttp", Lead::Any, Then::Any),
    ("http:/", Lead::Any, Then::Any),
    ("https:/", Lead::Any, Then::Any),
    ("http//", Lead::Any, Then::Any),
    ("https//", Lead::Any, Then::Any),
    // One publisher's names start with it: `10.4028/www.scientific.net/…`.
    ("www.", Mark, Then::Any),
    ("dx.doi.", Lead::Any, Then::Any),
    ("doi.org", Lead::Any, Then::Any),
    ("sagepub", Mark, Then::Any),
    // A label of the name that follows, or of none.
    ("doi:", Lead::Any, Then::Any),
    ("doi10.", Lead::Any, Then::Any),
    ("[doi", Lead::Any, Then::Any),
    ("(doi", Lead::Any, Then::Any),
    // Other identifiers, and indexes that link to them; `10.1093/pubmed/fdi082` is real.
    ("pmid", Lead::Any, Number),
    ("pmcid", Lead::Any, Then::Any),
    ("pmc", Mark, Number),
    ("pubmed", Mark, Number),
    ("medline", Mark, End),
    ("arxiv:", Mark, Then::Any),
    ("crossref", Mark, End),
    ("googlescholar", Mark, End),
    ("google", Mark, End),
    ("scopus", Mark, End),
    ("webofscience", Mark, End),
    ("issn", Digit, Then::Any),
    ("isbn", Digit, Then::Any),
    ("oclc", Digit, Number),
    ("jstor", Digit, Number),
    ("s2cid", Digit, Then::Any),
    ("zbl", Digit, Number),
    ("pp.", Digit, Then::Any),
    // How far the publication was; `10.12740/pp/onlinefirst/32223` and `…/redepub.31` are real.
    ("epub", Mark, Ahead),
    ("epubahead", Lead::Any, Then::Any),
    ("aheadofprint", Lead::Any, Then::Any),
    ("advanceonline", Lead::Any, Then::Any),
    ("beforeprint", Lead::Any, Then::Any),
    ("articlepublished", Lead::Any, Then::Any),
    ("publishedonline", Lead::Any, Then::Any),
    ("published", Mark, Then::Any),
    ("firstpublished", Lead::Any, Then::Any),
    ("ecollection", Mark, Then::Any),
    ("inpress", Mark, End),
    ("forthcoming", Mark, End),
    ("openaccess", Lead::Any, Then::Any),
    // When and where it was read.
    ("lastaccess", Lead::Any, Then::Any),
    ("lastvisit", Lead::Any, Then::Any),
    ("zugriff", Mark, Then::Any),
    ("accessed", Lead::Any, Then::Any),
    ("retrieved", Lead::Any, Then::Any),
    ("viewed", Mark, Then::Any),
    ("availableat", Lead::Any, Then::Any),
    ("availablefrom", Lead::Any, Then::Any),
    ("available", Mark, Then::Any),
    ("url:", Lead::Any, Then::Any),
    ("copyright", Mark, Then::Any),
    // What a publisher's site keeps with the article.
    ("/-/dc", Lead::Any, Then::Any),
    ("/dcsupplemental", Lead::Any, Then::Any),
    ("/suppinfo", Lead::Any, Then::Any),
    ("suppinfo", Lead::Any, Then::Any),
    ("/suppl_file", Lead::Any, Then::Any),
    ("/supplement", Lead::Any, Then::Any),
    ("/mediaobjects/", Lead::Any, Then::Any),
    ("/figures/", Lead::Any, Then::Any),
    ("/galley/", Lead::Any, Number),
    ("jsessionid", Mark, Then::Any),
    // A dotted line up to the page, or a text that was cut short.
    ("...", Lead::Any, Then::Any),
    ("…", Lead::Any, Then::Any),
];

/// Words of a title page that text taken from it glues to the name: `.author`, as in "Author manuscript". No registered
/// name ends in one behind a digit or the `.x` of one publisher's names.
const TITLE_PAGE: [&str; 12] = [
    "author",
    "authors",
    "title",
    "research",
    "received",
    "accepted",
    "revised",
    "peer",
    "competing",
    "hhs",
    "nih-pa",
    "issn",
];

/// `suffix` without what a URL's raw `?` or `#` starts. The `#` that ends a SICI (`3.0.co;2-#`) is its own.
pub(crate) fn without_query(suffix: &str) -> &str {
    let starts_query = |&(at, mark): &(usize, &str)| {
        let more = suffix[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric());
        mark == "?" || more || !suffix[..at].ends_with(";2-")
    };
    let end = suffix.match_indices(['?', '#']).find(starts_query);
    end.map_or(suffix, |(at, _)| &suffix[..at])
}

/// `suffix` up to the marks of `emphasis`, if any, that end a word there.
pub(crate) fn without_emphasis<'t>(suffix: &'t str, emphasis: &str) -> &'t str {
    let ends_word = |&(at, _): &(usize, &str)| {
        let rest = &suffix[at + emphasis.len()..];
        !emphasis.is_empty() && !rest.starts_with(char::is_alphanumeric)
    };
    let end = suffix.match_indices(emphasis).find(ends_word);
    end.map_or(suffix, |(at, _)| &suffix[..at])
}

/// Where in the suffix of a name with `prefix` the name ends at the latest.
pub(crate) fn end(prefix: &str, suffix: &str) -> usize {
    let ends = [
        doubled_end(suffix),
        tail::article_id(prefix.as_bytes(), suffix.as_bytes()),
        remark(suffix),
        glued(suffix),
        host(suffix),
        foreign_mark(suffix),
        bracket_without_partner(suffix),
    ];
    ends.into_iter().flatten().min().unwrap_or(suffix.len())
}

/// Where the end of the name stands once more: `cshperspect.a007732a007732`. Runs of digits alone may repeat.
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
    suffix
        .is_char_boundary(suffix.len() - len)
        .then_some(suffix.len() - len)
}

/// Where the ellipsis starts that cuts the last word of `text` short, which is a name: no more than closing marks follow it.
pub(crate) fn cut_short(text: &str) -> Option<usize> {
    const CLOSERS: [char; 12] = [
        ')', ']', '}', '>', '"', '\'', '»', '”', '’', '」', '』', '*',
    ];
    #[rustfmt::skip]
    const ELLIPSES: [&str; 10] = [
        "...", "…", "⋯", "‥", ". . .", "&hellip;", "&#8230;", "\\u2026", "\\ldots", "\\dots",
    ];
    let mut head = text.trim_end();
    while let Some(inner) = head.strip_suffix(CLOSERS) {
        head = match inner.rsplit_once("</") {
            Some((front, tag)) if tag.bytes().all(|b| b.is_ascii_alphanumeric()) => front,
            _ => inner,
        };
        head = head.trim_end();
    }
    let mut ends = ELLIPSES.iter().filter_map(|sign| head.strip_suffix(sign));
    let head = ends.next()?.trim_end_matches(['[', '(', ' ']);
    let word = head.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_name = word.contains("10.") && word.contains('/') && !head.ends_with(['.', '/']);
    is_name.then_some(head.len())
}

/// Where text starts that was glued on after a digit: what is not ASCII, or a run of letters that no name has there.
///
/// Of 385,484 registered names none has more than ASCII after a digit, 18 have seven letters or more that no joint follows,
/// and none has four that a mark of prose follows or two in brackets. Of 112,024 labels in their own case one has a capital
/// and small letters.
fn glued(suffix: &str) -> Option<usize> {
    let digits = suffix.match_indices(|c: char| c.is_ascii_digit());
    let mut ends = digits.map(|(at, digit)| at + digit.len());
    ends.find(|at| is_glued(&suffix[*at..]))
}

fn is_glued(rest: &str) -> bool {
    const LONGEST_WORD: usize = 6;
    const LONGEST_AFTER_STOP: usize = 8;
    let bracket = rest.strip_prefix(['(', '[']);
    let stop = rest.strip_prefix('.');
    let word = bracket.or(stop).unwrap_or(rest);
    let letters = |text: &str, is: fn(&u8) -> bool| text.bytes().take_while(is).count();
    let len = letters(word, u8::is_ascii_alphabetic);
    let small = match word.starts_with(|c: char| c.is_ascii_uppercase()) {
        true => letters(&word[1..], u8::is_ascii_lowercase),
        false => 0,
    };
    let longest = match stop {
        Some(_) => LONGEST_AFTER_STOP,
        None => LONGEST_WORD,
    };
    match word[len..].chars().next() {
        _ if word.starts_with(|c: char| !c.is_ascii()) => true,
        _ if bracket.is_some() => len > 2 && word.starts_with(|c: char| c.is_ascii_lowercase()),
        _ if stop.is_none() && small > 1 => true,
        Some(':' | ';' | '=' | '(' | '[' | ',') => len > 3,
        Some('.' | '/' | '_' | '-') => false,
        Some(next) => len > longest || len > 0 && !next.is_ascii(),
        None => len > longest || small > 3,
    }
}

fn remark(suffix: &str) -> Option<usize> {
    let bytes = suffix.as_bytes();
    let starts = |at: &usize| REMARKS.iter().any(|row| is_remark(bytes, *at, row));
    (0..bytes.len()).find(starts)
}

fn is_remark(suffix: &[u8], at: usize, (word, lead, then): &(&str, Lead, Then)) -> bool {
    let rest = &suffix[at..];
    let same = |(found, wanted): (&u8, u8)| {
        found.eq_ignore_ascii_case(&wanted) || (*found, wanted) == (b'0', b'o')
    };
    let found = rest.len() >= word.len() && rest.iter().zip(word.bytes()).all(same);
    found && has_lead(&suffix[..at], *lead) && is_followed(&rest[word.len()..], *then)
}

fn has_lead(before: &[u8], lead: Lead) -> bool {
    let digit = before.strip_suffix(b".").unwrap_or(before).last();
    match lead {
        Lead::Any => true,
        Mark => before.last().is_some_and(|b| !b.is_ascii_alphanumeric()),
        Digit => digit.is_some_and(u8::is_ascii_digit),
    }
}

fn is_followed(rest: &[u8], then: Then) -> bool {
    let number = rest.strip_prefix(b":").unwrap_or(rest);
    let is_number = number.first().is_none_or(u8::is_ascii_digit);
    match then {
        Then::Any => true,
        End => !rest.first().is_some_and(u8::is_ascii_alphanumeric),
        Number => is_number || rest.starts_with(b"]") || rest.starts_with(b")"),
        Ahead => {
            is_number
                || rest.starts_with(b"ahead")
                || rest.starts_with(b"]")
                || rest.starts_with(b")")
        }
    }
}

/// A host glued on behind a full stop, such as `.jid.sagepub.com`, or behind a digit, such as `journals.sagepub.com`, at
/// the end or with a path. What starts a suffix or follows a slash is the name's own, as in
/// `10.4028/www.scientific.net/amr.433`.
fn host(suffix: &str) -> Option<usize> {
    let lower = suffix.to_ascii_lowercase();
    let ends_host = |(at, top): (usize, &str)| {
        let rest = &suffix[at + top.len()..];
        (rest.is_empty() || rest.starts_with(['/', ':'])).then_some(at)
    };
    let tops = [".com", ".org", ".net", ".edu", ".gov"];
    let at = tops
        .iter()
        .filter_map(|top| lower.match_indices(top).find_map(ends_host))
        .min()?;
    let is_label = |label: &&str| label.len() > 1 && label.bytes().all(|b| b.is_ascii_alphabetic());
    let labels = suffix[..at].rsplit('.').take_while(is_label);
    let (count, len) = labels.fold((0, 0), |(count, len), label| {
        (count + 1, len + label.len() + 1)
    });
    let start = at.checked_sub(len).filter(|_| len > 0)?;
    // A host in two parts lacks its first, which may hang on the name: `1379er.sagepub.com`.
    let name = suffix[..start].trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let glued =
        count == 1 && start - name.len() > 1 && name.ends_with(|c: char| c.is_ascii_digit());
    Some(if glued { name.len() } else { start })
}

/// A mark that no name holds, or that ends one where it stands so.
fn foreign_mark(suffix: &str) -> Option<usize> {
    suffix
        .char_indices()
        .find(|&(at, c)| !belongs(suffix, at, c))
        .map(|(at, _)| at)
}

fn belongs(suffix: &str, at: usize, c: char) -> bool {
    let before = suffix[..at].chars().next_back();
    let rest = &suffix[at + c.len_utf8()..];
    let after = rest.chars().next();
    let between = |class: fn(char) -> bool| before.is_some_and(class) && after.is_some_and(class);
    match c {
        '"' | '|' | '`' | '{' | '}' | '\\' | '©' | '®' | '™' => false,
        // In lists of fields and in URLs.
        ',' => between(|c| c.is_ascii_digit()),
        ';' | '&' => {
            after.is_some_and(char::is_alphanumeric) && !word::is_parameter(rest.as_bytes())
        }
        '\'' => between(char::is_alphanumeric),
        c if c.is_ascii() => true,
        c => !is_foreign_mark(c),
    }
}

/// A bracket that nothing closes, or that closes nothing.
fn bracket_without_partner(suffix: &str) -> Option<usize> {
    let mut open: [Vec<usize>; 3] = Default::default();
    for (at, c) in suffix.char_indices() {
        let kind = "()[]<>".find(c);
        match kind {
            Some(kind) if kind % 2 == 0 => open[kind / 2].push(at),
            Some(kind) if open[kind / 2].pop().is_none() => return Some(at),
            _ => {}
        }
    }
    open.iter().flatten().min().copied()
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
pub(crate) fn without_tail(suffix: &str) -> &str {
    let mut name = suffix;
    loop {
        let before = name.len();
        name = without_marks(name);
        name = without_bracketed_remark(name);
        name = without_place(name);
        name = &name[..tail::page_end(name.as_bytes(), false)];
        name = without_title_page(name);
        if name.len() == before {
            return name;
        }
    }
}

/// Marks that no registered name ends in; of full stops nine in ten are slips. `+`, `*`, `_`, `~`, `$` and `=` stay.
fn without_marks(name: &str) -> &str {
    name.trim_end_matches([
        '.', ',', ';', ':', '!', '?', '\'', '"', '&', '-', '/', '(', '[', '<',
    ])
}

fn without_title_page(name: &str) -> &str {
    let head = name.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
    let word = &name[head.len()..];
    let is_whole =
        |head: &&str| head.ends_with(|c: char| c.is_ascii_digit()) || head.ends_with(".x");
    let whole = head.strip_suffix(['.', '/']).filter(is_whole);
    let is_listed = TITLE_PAGE.iter().any(|w| w.eq_ignore_ascii_case(word));
    whole.filter(|_| is_listed).unwrap_or(name)
}

/// `[1]`, `[CrossRef]`: more of a name follows its square brackets. Round ones end many a name: `….25.02(IWNOP)`.
fn without_bracketed_remark(name: &str) -> &str {
    let inside = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    match inside {
        Some((head, inner)) if !inner.contains(']') => head,
        _ => name,
    }
}

/// Volume, pages and year, as `,85,1494(2006)` or `(2006)`.
fn without_place(name: &str) -> &str {
    let head = without_year(name);
    if !head.ends_with(|c: char| c.is_ascii_digit()) {
        return head;
    }
    let number =
        |field: &str| !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let (mut rest, mut count) = (head, 0);
    while let Some((before, _)) = rest.rsplit_once(',').filter(|(_, field)| number(field)) {
        (rest, count) = (before, count + 1);
    }
    let last = head.get(rest.len() + 1..).unwrap_or_default();
    if count > 1 || head.len() < name.len() || is_year(last) {
        rest
    } else {
        head
    }
}

/// A bracketed number behind volume and issue is a page: `(asce)0733-9445(2008)134:7(1959)`.
fn without_year(name: &str) -> &str {
    let year = name
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('));
    match year {
        Some((head, year)) if is_year(year) && !ends_in_issue(head) => head,
        _ => name,
    }
}

pub(crate) fn is_year(text: &str) -> bool {
    matches!(text.as_bytes(), [b'1', b'9', a, b] | [b'2', b'0', a, b] if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Up to three letters or digits behind a number and a colon.
fn ends_in_issue(head: &str) -> bool {
    let volume = head.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
    let volume_ends = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    matches!(head.len() - volume.len(), 1..=3) && volume.strip_suffix(':').is_some_and(volume_ends)
}
