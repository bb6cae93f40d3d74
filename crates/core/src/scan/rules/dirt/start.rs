//! Finds where names start in dirty data: at prefixes, whatever comes before them.

use super::draft::{Change, Draft, Edit};
use super::row::FoundSuffix;
use crate::doi::{Doi, is_proxy};
use crate::scan::rules::Rule;
use crate::scan::rules::joint::is_shown_break;
use crate::scan::rules::start::ends_in_subfield_code;

/// A prefix, and the text around it.
pub(super) struct DirtyStart<'t> {
    before: &'t str,
    /// The prefix and separator as written.
    written: &'t str,
    /// The prefix without the blanks that were typeset into it.
    pub(super) prefix: String,
    /// The text after the separator.
    rest: &'t str,
    /// The marks of emphasis before the word, which may follow the name again.
    pub(super) emphasis: &'t str,
}

impl<'t> DirtyStart<'t> {
    /// Returns the text before the scheme or proxy, and the scheme or proxy with the prefix as written.
    pub(super) fn front(&self) -> (&'t str, String) {
        const MAX_FRONT_BYTES: usize = 48;
        let near = self.before.len().saturating_sub(MAX_FRONT_BYTES);
        let is_in_reach = |at: &usize| *at >= near;
        let lower = self.before.to_ascii_lowercase();
        let opener = lower.rfind("http").filter(is_in_reach);
        let opener = opener.or(lower.rfind("doi").filter(is_in_reach));
        let (before, opener) = self.before.split_at(opener.unwrap_or(self.before.len()));
        (before, format!("{opener}{}", self.written))
    }

    /// Whether blanks after the marks of its scheme, proxy or prefix show that the suffix has such blanks too.
    pub(super) fn is_spaced(&self) -> bool {
        let (before, front) = self.front();
        front.starts_with("https :") || is_shown_break(before, &front, "", "").is_some()
    }

    /// Returns the text after the separator.
    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    /// Returns the suffix as a draft with `changes`; `None` if the start needs a rule that is not in force.
    pub(super) fn suffix(&self, changes: &[Change]) -> Option<Draft> {
        let mut draft = Draft {
            text: self.rest.to_owned(),
            changes: changes.to_vec(),
        };
        let is_plain = self.written.strip_suffix('/') == Some(&self.prefix);
        let may_start = is_form(self.before) || draft.record(Rule::Lead, self.before, false);
        let is_read =
            may_start && (is_plain || draft.record(Rule::DirtPrefix, self.written, false));
        is_read.then_some(draft)
    }
}

/// Whether `before` and a name together are a presentation form.
fn is_form(before: &str) -> bool {
    let name = "10.5555/a";
    let read = || Doi::parse(&format!("{before}{name}"));
    before.is_empty() || read().is_ok_and(|doi| doi.as_str() == name)
}

/// Returns each prefix in `text` that a name can start with, in order.
pub(super) fn find_iter(text: &str) -> impl Iterator<Item = DirtyStart<'_>> {
    text.match_indices("10")
        .filter(|(at, _)| !is_inside_number(text, *at))
        .filter_map(|(at, _)| {
            let before = &text[..at];
            let (prefix, rest) = read(&text[at..])?;
            Some(DirtyStart {
                before,
                written: &text[at..text.len() - rest.len()],
                prefix,
                rest,
                emphasis: emphasis(before),
            })
        })
}

/// Returns the run of `*`, `_` or `~` that the last word of `before` starts with: `**10.5555/abc**`, `_doi:10.5555/abc_`.
fn emphasis(before: &str) -> &str {
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let word = word.trim_start_matches(['(', '[']);
    let mark = word.chars().next().filter(|c| "*_~".contains(*c));
    mark.map_or("", |mark| {
        &word[..word.len() - word.trim_start_matches(mark).len()]
    })
}

/// Whether `at` is inside a number, as in `110.5555/a` and `2.10.5555/a`. In `10.10.5555/a` the directory indicator was written
/// twice.
fn is_inside_number(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    match before {
        [.., b'1', b'0', b'.'] => false,
        [.., b'0'..=b'9', b'.'] => !ends_in_pages(&text[..at - 1]),
        [.., last] => last.is_ascii_digit() && !ends_in_subfield_code(before),
        [] => false,
    }
}

/// Whether `text` ends in the pages of a reference, as in `12(3):45-52`.
fn ends_in_pages(text: &str) -> bool {
    let number = |text: &str| text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let head = &text[..number(text)];
    let Some(head) = head.strip_suffix(['-', '–']) else {
        return false;
    };
    let first = number(head);
    first < head.len() && head[..first].ends_with(':')
}

/// Reads the prefix that `text` starts with. Returns it and the text after its separator. Blanks may be around its parts.
fn read(text: &str) -> Option<(String, &str)> {
    let rest = text.strip_prefix("10")?;
    let rest = after(rest, '.')?;
    // The full stop typed twice, as in `10..1111/a`.
    let rest = after(rest, '.').unwrap_or(rest);
    let mut code = digits(rest);
    let mut rest = rest[code.len()..].trim_start();
    if !is_usual(code, rest) {
        return None;
    }
    let mut prefix = format!("10.{code}");
    while let Some(part) = after(rest, '.') {
        // A full stop typed before the slash, as in `10.1016./a`.
        if part.starts_with('/') {
            rest = part;
            break;
        }
        code = digits(part);
        rest = part[code.len()..].trim_start();
        if code.is_empty() {
            return None;
        }
        prefix.push('.');
        prefix.push_str(code);
    }
    Some((prefix, after(rest, '/')?))
}

/// Restores a prefix that was misread from print: letters for digits, or another mark for the full stop or the slash. Returns no
/// edit if `text` has no such prefix.
pub(crate) fn misread_prefix_edits(text: &str) -> Vec<Edit> {
    let mut starts = text.char_indices().filter(|(at, c)| {
        let before = text[..*at].chars().next_back();
        "1lI|".contains(*c) && !before.is_some_and(char::is_alphanumeric)
    });
    starts
        .find_map(|(at, _)| {
            let (len, with) = misread_prefix_at(&text[at..])?;
            let part = at..at + len;
            Some(vec![Edit { part, with }])
        })
        .unwrap_or_default()
}

/// Reads the prefix and separator that `text` starts with. Returns their length, and what they were.
fn misread_prefix_at(text: &str) -> Option<(usize, String)> {
    let rest = text.strip_prefix(['1', 'l', 'I', '|'])?;
    let rest = rest.strip_prefix(char::is_whitespace).unwrap_or(rest);
    let rest = rest.strip_prefix(['0', 'o', 'O'])?;
    let is_stop = |c: char| ".,:·•․。∙，．".contains(c) || c.is_whitespace();
    let rest = rest.strip_prefix(is_stop)?;
    let rest = rest.strip_prefix(char::is_whitespace).unwrap_or(rest);
    let len = rest.find(|c: char| !"0123456789lIoO".contains(c))?;
    let (code, rest) = rest.split_at(len);
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    // An escaped slash may have lost its backslash.
    let escaped = ["u002F", "u002f"]
        .iter()
        .find_map(|slash| rest.strip_prefix(slash));
    let rest = escaped.or_else(|| rest.strip_prefix(['/', '\\']))?;
    let code: String = code.chars().map(digit_read_as_letter).collect();
    (matches!(len, 4..=9) && digits > 0).then(|| (text.len() - rest.len(), format!("10.{code}/")))
}

fn digit_read_as_letter(c: char) -> char {
    match c {
        'l' | 'I' => '1',
        'o' | 'O' => '0',
        digit => digit,
    }
}

/// Restores the separator that was written `_`, as in `10.5555_abc.pdf`, since file names cannot hold a slash. Drops the file's
/// ending.
pub(crate) fn underscored_prefix_edits(text: &str) -> Vec<Edit> {
    let Some(at) = text.find("10.") else {
        return Vec::new();
    };
    let code = digits(&text[at + 3..]);
    let joint = at + 3 + code.len();
    let is_start = at == 0
        || text[..at].ends_with([':', '/', '\\'])
        || text[..at].ends_with(char::is_whitespace);
    if !is_start || !is_usual(code, "") || !text[joint..].starts_with('_') {
        return Vec::new();
    }
    let slash = Edit {
        part: joint..joint + 1,
        with: "/".to_owned(),
    };
    let file = text[joint..].strip_suffix(".pdf");
    let ending = file.map(|file| Edit::drop(joint + file.len()..text.len()));
    [slash].into_iter().chain(ending).collect()
}

/// Whether `code` has four to nine digits, as in most names, or is the start of an ISBN.
fn is_usual(code: &str, rest: &str) -> bool {
    matches!(code.len(), 4..=9) || matches!(code, "978" | "979") && rest.starts_with('.')
}

fn digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit());
    &text[..end.unwrap_or(text.len())]
}

/// Returns the text after `mark`, without the blanks on both sides of it; `None` if `text` starts otherwise.
fn after(text: &str, mark: char) -> Option<&str> {
    Some(text.trim_start().strip_prefix(mark)?.trim_start())
}

/// Returns where the next name starts, or this name once more. Any other prefix is part of this name at the start of the suffix,
/// as in `10.1097/10.1097/01.naj…`, and after a digit, a full stop or a hyphen, as in `jneurosci.1586-10.2010/full`.
pub(super) fn another_name(found: &FoundSuffix<'_>) -> Option<usize> {
    let (prefix, suffix) = (found.prefix, found.suffix());
    let starts = |&(at, _): &(usize, &str)| {
        read(&suffix[at..]).is_some_and(|(next, rest)| {
            let same = next == prefix && bare(&suffix[..at]) == bare(rest);
            same || at > 0
                && starts_another_name(prefix, suffix, at)
                && !suffix[..at].ends_with(['.', '-'])
        })
    };
    Some(suffix.match_indices("10").find(starts)?.0)
}

/// Whether the prefix at `at` starts another name. After a digit it does so only if it equals `prefix`.
fn starts_another_name(prefix: &str, suffix: &str, at: usize) -> bool {
    let again = || {
        suffix[at..]
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    !is_inside_number(suffix, at) || again()
}

fn bare(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii_punctuation())
}

/// Whether a name with `prefix` and `suffix` is the address of a network.
pub(crate) fn is_network(prefix: &str, suffix: &str) -> bool {
    let numbers = prefix.split('.').filter(|part| matches!(part.len(), 1..=3));
    let is_size = matches!(suffix.len(), 1 | 2) && suffix.bytes().all(|b| b.is_ascii_digit());
    numbers.count() == 4 && is_size && Rule::Network.holds()
}

/// Whether `text` is the URL of a host that is not a proxy for DOI names.
pub(crate) fn is_foreign_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let is_web = ["http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web));
    is_web && !is_proxy(authority) && !text.contains(char::is_whitespace)
}
