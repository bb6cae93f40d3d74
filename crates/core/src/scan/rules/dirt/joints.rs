//! Finds marks that were written wrongly inside a name.

use super::draft::Edit;
use super::row::FoundSuffix;
use super::tails::is_year;
use crate::scan::rules::arxiv;

/// The rests of entities that lost their `&` or `&#`, and their meanings.
const ENTITIES: [(&str, &str); 4] = [
    ("lt;", "<"),
    ("gt;", ">"),
    ("x0003e;", ">"),
    ("x003e;", ">"),
];

/// Restores the angle brackets of a SICI whose entities lost their `&`: `002lt;0162:tmethi>2.3.co;2`.
pub(super) fn sici_entities(found: &FoundSuffix<'_>) -> Vec<Edit> {
    let folded = found.suffix().to_ascii_lowercase();
    if !folded.contains("lt;") || !folded.contains(".co;") {
        return Vec::new();
    }
    let entity = |(at, _): (usize, char)| {
        let is = |(written, _): &&(&str, &str)| found.suffix()[at..].starts_with(*written);
        let (written, mark) = ENTITIES.iter().find(is)?;
        Some(Edit {
            part: at..at + written.len(),
            with: (*mark).to_owned(),
        })
    };
    found.suffix().char_indices().filter_map(entity).collect()
}

/// Finds doubled underscores. Brill doubles them before a word (`9789004337862__com_210243`); before a number they are slips.
pub(super) fn underscores(found: &FoundSuffix<'_>) -> Vec<Edit> {
    written_once(found.suffix(), "__", |_, after| starts_with_digit(after))
}

/// Finds doubled full stops between parts of a name, of which no part is left out.
pub(super) fn stops(found: &FoundSuffix<'_>) -> Vec<Edit> {
    written_once(found.suffix(), "..", |before, after| {
        is_after_journal(before, after)
            || is_before_year(before, after)
            || is_before_article(before, after)
    })
}

/// Whether doubled full stops follow `j.` and the title of a journal, or `j` alone before a title or an ISSN. Elsewhere year and
/// volume may be left out between full stops (`tjkdat.2010..32.17`, `j..1991.00426.x`).
fn is_after_journal(before: &str, after: &str) -> bool {
    let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    match before.strip_prefix("j.") {
        None => before == "j" && (is_word(after) || starts_with_issn(after)),
        Some(title) => is_word(title) && starts_with_digit(after),
    }
}

/// Whether doubled full stops are between a title alone and a year: `rsbl..2015.0883`, unlike `koed..86.201012.157`.
fn is_before_year(before: &str, after: &str) -> bool {
    let is_title = before.len() > 1 && before.bytes().all(|b| b.is_ascii_alphabetic());
    let year = after.split('.').next().unwrap_or_default();
    is_title && is_year(year.as_bytes()) && after.len() > year.len()
}

/// Whether doubled full stops are between an issue and the number of an article that ends the name: `164.9..2101036`.
fn is_before_article(before: &str, after: &str) -> bool {
    let ends_in_digit = before.ends_with(|c: char| c.is_ascii_digit());
    ends_in_digit && after.len() >= 5 && after.bytes().all(|b| b.is_ascii_digit())
}

/// Finds slashes between a full stop and a number: `zenodo./1125301`.
pub(super) fn slashes(found: &FoundSuffix<'_>) -> Vec<Edit> {
    written_once(found.suffix(), "./", |before, after| {
        before.ends_with(|c: char| c.is_ascii_alphabetic()) && starts_with_digit(after)
    })
}

/// Finds a wrong mark between `arXiv` and the identifier of a paper, or a subject class in the identifier.
pub(super) fn arxiv(found: &FoundSuffix<'_>) -> Vec<Edit> {
    let wrong = arxiv::wrong_joint(found.prefix.as_bytes(), found.suffix().as_bytes());
    let edit = wrong.map(|(part, with)| Edit { part, with });
    edit.into_iter().collect()
}

/// Finds the dash of LaTeX in ISBNs and ISSNs: `978--3--642`. The hyphens of a range with an open start come later (`2008--106`).
pub(super) fn hyphens(found: &FoundSuffix<'_>) -> Vec<Edit> {
    let first = found
        .suffix()
        .find('-')
        .map_or("", |at| &found.suffix()[at..]);
    if first.starts_with("--") {
        written_once(found.suffix(), "--", |_, _| true)
    } else {
        Vec::new()
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn starts_with_issn(text: &str) -> bool {
    let is_issn = |(at, b): (usize, u8)| match at {
        4 => b == b'-',
        8 => b.is_ascii_digit() || b.eq_ignore_ascii_case(&b'x'),
        _ => b.is_ascii_digit(),
    };
    text.len() >= 9 && text.bytes().take(9).enumerate().all(is_issn)
}

/// Replaces each `pair` by its first mark, if `wrong` is true for the texts before and after the pair.
fn written_once(name: &str, pair: &str, wrong: impl Fn(&str, &str) -> bool) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut from = 0;
    while let Some(at) = name[from..].find(pair).map(|at| from + at) {
        // A pair may start with the second mark of the last one.
        from = at + 1;
        if wrong(&name[..at], &name[at + pair.len()..]) {
            from = at + pair.len();
            edits.push(Edit {
                part: at..from,
                with: pair[..1].to_owned(),
            });
        }
    }
    edits
}
