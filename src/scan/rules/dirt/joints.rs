//! What was written wrongly inside a name.

use super::is_year;
use crate::scan::rules::Rule;

/// What is left of an entity without its `&`, or without `&#`.
const ENTITIES: [(&str, &str); 4] = [
    ("lt;", "<"),
    ("gt;", ">"),
    ("x0003e;", ">"),
    ("x003e;", ">"),
];

/// The angle brackets of a SICI whose entities lost their `&`: `002lt;0162:tmethi>2.3.co;2`.
pub(super) fn sici(suffix: &str) -> String {
    let folded = suffix.to_ascii_lowercase();
    if folded.contains("lt;") && folded.contains(".co;") && Rule::SiciEntity.holds() {
        ENTITIES
            .iter()
            .fold(suffix.to_owned(), |name, (rest, mark)| {
                name.replace(rest, mark)
            })
    } else {
        suffix.to_owned()
    }
}

/// Writes joints once that were doubled where no registered name doubles them.
pub(super) fn once(suffix: &str) -> String {
    if !Rule::DoubledJoint.holds() {
        return suffix.to_owned();
    }
    let mut name = suffix.to_owned();
    // Brill doubles it before a word (`9789004337862__com_210243`); before a number it is a slip.
    collapse(&mut name, "__", |_, after| {
        after.starts_with(|c: char| c.is_ascii_digit())
    });
    // Year and volume may be left out between full stops (`tjkdat.2010..32.17`, `j..1991.00426.x`), but not in what
    // follows the title of a journal after `j.`.
    if let Some(title) = name.strip_prefix("j.") {
        let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
        let (titled, shifted) = (is_word(title), title.strip_prefix('.').is_some_and(is_word));
        collapse(&mut name, "..", |before, after| {
            let next_is_digit = after.starts_with(|c: char| c.is_ascii_digit());
            if before == "j" {
                shifted || starts_with_issn(after)
            } else {
                titled && next_is_digit
            }
        });
    }
    // Nor between the title alone and a year: `rsbl..2015.0883`, but `koed..86.201012.157`.
    collapse(&mut name, "..", |before, after| {
        let is_title = before.len() > 1 && before.bytes().all(|b| b.is_ascii_alphabetic());
        is_title && after.get(..4).is_some_and(is_year) && after[4..].starts_with('.')
    });
    // Nor between an issue and the number of an article that ends the name: `164.9..2101036`.
    collapse(&mut name, "..", |before, after| {
        let ends_in_digit = before.ends_with(|c: char| c.is_ascii_digit());
        ends_in_digit && after.len() >= 5 && after.bytes().all(|b| b.is_ascii_digit())
    });
    // LaTeX's dash, in ISBNs and ISSNs: `978--3--642`. A range with an open start comes later (`2008--106`).
    let first = name.find('-').map_or("", |at| &name[at..]);
    if first.starts_with("--") {
        collapse(&mut name, "--", |_, _| true);
    }
    name
}

fn starts_with_issn(text: &str) -> bool {
    let is_issn = |(at, b): (usize, u8)| match at {
        4 => b == b'-',
        8 => b.is_ascii_digit() || b.eq_ignore_ascii_case(&b'x'),
        _ => b.is_ascii_digit(),
    };
    text.len() >= 9 && text.bytes().take(9).enumerate().all(is_issn)
}

/// Writes each `pair` as its first mark where `wrong` says so of what is before and after the pair.
fn collapse(name: &mut String, pair: &str, wrong: impl Fn(&str, &str) -> bool) {
    let mut out = String::with_capacity(name.len());
    let mut kept = 0;
    while let Some(at) = name[kept..].find(pair).map(|at| kept + at) {
        let second = at + pair.len() / 2;
        out.push_str(&name[kept..second]);
        // A pair may start with what was the second mark of the last one.
        kept = second;
        if wrong(&name[..at], &name[at + pair.len()..]) {
            kept += pair.len() / 2;
        }
    }
    out.push_str(&name[kept..]);
    *name = out;
}
