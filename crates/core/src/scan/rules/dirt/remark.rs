//! Which words after a name are not part of it: text that was glued on, hosts, and a list of remarks.

use std::sync::LazyLock;

use super::row::Found;
use super::tails::is_year;
use crate::scan::rules::Rule;

/// What is directly before a remark.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Anything: no registered name holds the word.
    Any,
    /// A mark: registered names hold the word inside another.
    Mark,
    /// A digit, or one and a full stop.
    Digit,
}

/// What follows its word directly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    Any,
    /// No letter or digit.
    End,
    /// A number, after a colon or not; or nothing.
    Number,
    /// A number, `ahead`, or nothing.
    Ahead,
    /// A number of six or seven digits.
    Review,
}

use Lead::{Digit, Mark};
use Then::{Ahead, End, Number};

/// Words that start what is no part of the name: it ends before them. In them `o` matches the digit `0` too, as in
/// `http://dx.d0i.0rg`.
pub(crate) const REMARKS: [(&str, Lead, Then); 59] = [
    // A URL, mostly the name's own; `/n` was a line break.
    ("/nhttp", Lead::Any, Then::Any),
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
    ("mr", Digit, Then::Review),
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
    ("e-mail", Digit, Then::Any),
    // What a publisher's site keeps with the article.
    ("/dcsupplemental", Lead::Any, Then::Any),
    ("suppinfo", Lead::Any, Then::Any),
    ("/suppl_file", Lead::Any, Then::Any),
    ("/supplement", Lead::Any, Then::Any),
    ("jsessionid", Mark, Then::Any),
    // A dotted line up to the page, or a text that was cut short.
    ("...", Lead::Any, Then::Any),
];

/// Words of a title page that text taken from it glues to the name: `.author`, as in "Author manuscript". No registered
/// name ends in one after a digit or the `.x` of one publisher's names.
pub(crate) const TITLE_PAGE: [&str; 10] = [
    "author", "authors", "title", "research", "received", "accepted", "revised", "peer", "hhs",
    "nih-pa",
];

/// Where text starts that was glued on after a digit: what is not ASCII, or a run of letters that no name has there.
///
/// Of 385,484 registered names none has more than ASCII after a digit, 18 have seven letters or more that no joint follows,
/// and none has four that a mark of prose follows or two in brackets. Of 112,024 labels in their own case one has a capital
/// and small letters. One publisher's names end in `abstract` after a digit.
pub(super) fn glued(found: &Found<'_>) -> Option<usize> {
    let suffix = found.suffix();
    let is_start = |at: &usize| is_glued(&suffix[*at..]);
    let digits = suffix.match_indices(|c: char| c.is_ascii_digit());
    let after_digit = digits.map(|(at, digit)| at + digit.len()).find(is_start);
    // The letter that one publisher's names end in, before a word.
    let is_capital = |at: &usize| suffix[*at..].starts_with(|c: char| c.is_ascii_uppercase());
    let letters = suffix.match_indices(".x").map(|(at, x)| at + x.len());
    let after_letter = letters.filter(is_capital).find(is_start);
    let ends = [after_digit, after_letter].into_iter().flatten();
    ends.min()
}

fn is_glued(rest: &str) -> bool {
    const LONGEST_WORD: usize = 6;
    const LONGEST_AFTER_STOP: usize = 8;
    let bracket = rest.strip_prefix(['(', '[']);
    let emphasis = rest.strip_prefix("**");
    let stop = rest.strip_prefix('.');
    let word = bracket.or(stop).or(emphasis).unwrap_or(rest);
    let letters = |text: &str, is: fn(&u8) -> bool| text.bytes().take_while(is).count();
    let len = letters(word, u8::is_ascii_alphabetic);
    let small = if word.starts_with(|c: char| c.is_ascii_uppercase()) {
        letters(&word[1..], u8::is_ascii_lowercase)
    } else {
        0
    };
    let longest = match stop {
        Some(_) => LONGEST_AFTER_STOP,
        None => LONGEST_WORD,
    };
    if word == "abstract" {
        return false;
    }
    match word[len..].chars().next() {
        _ if word.starts_with(|c: char| !c.is_ascii()) => true,
        _ if emphasis.is_some() => len > 2,
        _ if bracket.is_some() => len > 2 && word.starts_with(|c: char| c.is_ascii_lowercase()),
        _ if stop.is_none() && small > 1 => true,
        Some(':') => len > 2 || small > 0,
        Some(';' | '=' | '(' | '[' | ',') => len > 3,
        Some(_) if len > 3 && is_year(&word.as_bytes()[len..]) => true,
        Some('.' | '/' | '_' | '-') => false,
        // Names have parts such as `.supplement2`.
        Some(next) if stop.is_some() && next.is_ascii_digit() => false,
        Some(next) => len > longest || len > 0 && !next.is_ascii(),
        None => len > longest || small > 3,
    }
}

pub(super) fn listed(found: &Found<'_>) -> Option<usize> {
    let bytes = found.suffix().as_bytes();
    let mut starts = bytes.windows(2).enumerate();
    let is_start = |(at, two): (usize, &[u8])| {
        let may_start = FIRST_TWO[two_letters(two)];
        let found = may_start && REMARKS.iter().any(|row| is_remark(bytes, at, row));
        found.then_some(at)
    };
    starts.find_map(is_start)
}

/// Whether two letters start a remark: most texts hold few that do.
static FIRST_TWO: LazyLock<Box<[bool]>> = LazyLock::new(|| {
    let mut first = vec![false; 1 << 16].into_boxed_slice();
    for (word, _, _) in REMARKS {
        first[two_letters(word.as_bytes())] = true;
    }
    first
});

/// The number of the first two letters of a word, as they are compared.
fn two_letters(word: &[u8]) -> usize {
    let letter = |byte: u8| match byte {
        b'0' => b'o',
        byte => byte.to_ascii_lowercase(),
    };
    usize::from(letter(word[0])) << 8 | usize::from(letter(word[1]))
}

fn is_remark(suffix: &[u8], at: usize, (word, lead, then): &(&str, Lead, Then)) -> bool {
    let rest = &suffix[at..];
    let same = |(found, wanted): (&u8, u8)| {
        found.eq_ignore_ascii_case(&wanted) || (*found, wanted) == (b'0', b'o')
    };
    let found = rest.len() >= word.len() && rest.iter().zip(word.bytes()).all(same);
    found
        && Rule::Remark.holds_for(word)
        && has_lead(&suffix[..at], *lead)
        && is_followed(&rest[word.len()..], *then)
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
        Then::Review => {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            matches!(digits, 6 | 7)
        }
        Ahead => {
            is_number
                || rest.starts_with(b"ahead")
                || rest.starts_with(b"]")
                || rest.starts_with(b")")
        }
    }
}

/// A host glued on after a full stop, such as `.jid.sagepub.com`, or after a digit, such as `journals.sagepub.com`, at
/// the end or with a path. What starts a suffix or follows a slash is the name's own, as in
/// `10.4028/www.scientific.net/amr.433`.
pub(super) fn host(found: &Found<'_>) -> Option<usize> {
    let suffix = found.suffix();
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
