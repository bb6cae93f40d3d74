//! Recognises identifiers of arXiv, each of which has a DOI name: `arXiv:2101.00001v2` is `10.48550/arxiv.2101.00001`.
//!
//! Since April 2007 an identifier has the year, the month and a number: of four digits until 2014, of five since 2015. Before, it
//! has an archive, the year, the month and a number of three digits. The name has neither the version nor the subject class, as
//! in `math.GT/0309136`.

use std::ops::Range;

/// The archives of the old identifiers.
const ARCHIVES: [&str; 34] = [
    "acc-phys", "adap-org", "alg-geom", "ao-sci", "astro-ph", "atom-ph", "bayes-an", "chao-dyn",
    "chem-ph", "cmp-lg", "comp-gas", "cond-mat", "cs", "dg-ga", "funct-an", "gr-qc", "hep-ex",
    "hep-lat", "hep-ph", "hep-th", "math", "math-ph", "mtrl-th", "nlin", "nucl-ex", "nucl-th",
    "patt-sol", "physics", "plasm-ph", "q-alg", "q-bio", "quant-ph", "solv-int", "supr-con",
];

/// Reads the identifier at the start of `text`. Returns its length with the version, and the name of its paper.
pub(crate) fn identifier(text: &[u8]) -> Option<(usize, String)> {
    let (length, own) = new_scheme(text).or_else(|| old_scheme(text))?;
    let length = length + version(&text[length..]);
    let goes_on = match &text[length..] {
        [b'.', next, ..] => next.is_ascii_digit(),
        [next, ..] => next.is_ascii_alphanumeric() || *next == b'_',
        [] => false,
    };
    (!goes_on).then(|| (length, format!("10.48550/arXiv.{own}")))
}

/// The prefix of arXiv's names, and the start of their suffixes.
const PREFIX: &[u8] = b"10.48550";
const START: &[u8] = b"arxiv";

/// Returns the marks after `arxiv` in a suffix, and the text after them, if `prefix` and suffix are arXiv's.
fn identified<'s>(prefix: &[u8], suffix: &'s [u8]) -> Option<(&'s [u8], &'s [u8])> {
    if prefix != PREFIX {
        return None;
    }
    let (start, rest) = suffix.split_at_checked(START.len())?;
    let joint = rest.iter().take_while(|byte| byte.is_ascii_punctuation());
    let joint = joint.count();
    let is_start = start.eq_ignore_ascii_case(START);
    is_start.then(|| rest.split_at(joint))
}

/// Whether a name with `prefix` may have a version.
#[inline]
pub(crate) fn may_have_version(prefix: &[u8]) -> bool {
    prefix == PREFIX
}

/// Returns where the version starts after the identifier of a paper in a suffix. Versions are not registered. `None` if there is
/// no version, or more follows it.
pub(super) fn version_start(prefix: &[u8], suffix: &[u8]) -> Option<usize> {
    let (_, text) = identified(prefix, suffix)?;
    let (length, _) = new_scheme(text).or_else(|| old_scheme(text))?;
    let count = version(&text[length..]);
    (count > 0 && length + count == text.len()).then(|| suffix.len() - count)
}

/// Returns the part between `arXiv` and the number of a paper in a suffix, and the registered text for it: a full stop, and an
/// archive without its subject class. `None` if the two are equal.
pub(super) fn wrong_joint(prefix: &[u8], suffix: &[u8]) -> Option<(Range<usize>, String)> {
    let (joint, text) = identified(prefix, suffix)?;
    let (_, name) = identifier(text).filter(|(length, _)| *length == text.len())?;
    let archive = |text: &[u8]| memchr::memchr(b'/', text).map_or(0, |slash| slash + 1);
    let registered = &name[PREFIX.len() + 1 + START.len()..];
    let with = &registered[..1 + archive(&registered.as_bytes()[1..])];
    let part = START.len()..START.len() + joint.len() + archive(text);
    (suffix[part.clone()] != *with.as_bytes()).then(|| (part, with.to_owned()))
}

/// Returns the name of the paper that all of `text` identifies: `arXiv:2101.00001v2`, or its address at arxiv.org.
pub(crate) fn whole(text: &str) -> Option<String> {
    let text = text.trim_ascii();
    let at = (0..text.len()).find(|at| announces(&text.as_bytes()[..*at]))?;
    let start = text[..at].to_ascii_lowercase();
    let host = start
        .strip_prefix("https://")
        .or(start.strip_prefix("http://"));
    let host = host.unwrap_or(&start);
    let own = host
        .strip_prefix("www.")
        .or(host.strip_prefix("export."))
        .unwrap_or(host);
    let is_start = own.starts_with("arxiv");
    let (length, name) = identifier(text[at..].trim_ascii_start().as_bytes())?;
    let rest = &text[at..].trim_ascii_start()[length..];
    (is_start && matches!(rest, "" | ".pdf" | "/")).then_some(name)
}

/// Whether the bytes before an identifier say that it is one: `arXiv:`, or the address of a paper at arxiv.org.
pub(crate) fn announces(before: &[u8]) -> bool {
    let text = before.strip_suffix(b" ").unwrap_or(before);
    if let Some(rest) = without_end(text, b"arxiv:") {
        return !rest.last().is_some_and(u8::is_ascii_alphanumeric);
    }
    let page = ["abs", "pdf"].iter().find_map(|page| {
        let rest = before.strip_suffix(b"/")?;
        let rest = rest.strip_suffix(b"\\").unwrap_or(rest);
        let rest = without_end(rest, page.as_bytes())?.strip_suffix(b"/")?;
        Some(rest.strip_suffix(b"\\").unwrap_or(rest))
    });
    let host = page.and_then(|rest| without_end(rest, b"arxiv.org"));
    host.is_some_and(|rest| {
        !rest
            .last()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    })
}

/// Returns `text` without `end`, in any case of letters; `None` if it ends otherwise.
fn without_end<'t>(text: &'t [u8], end: &[u8]) -> Option<&'t [u8]> {
    let (rest, last) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    last.eq_ignore_ascii_case(end).then_some(rest)
}

/// Reads year and month, as in `2101`.
fn month(text: &[u8]) -> Option<u32> {
    let number = digits(text.get(..4)?)?;
    (1..=12).contains(&(number % 100)).then_some(number)
}

fn digits(text: &[u8]) -> Option<u32> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    text.iter()
        .try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))
}

fn new_scheme(text: &[u8]) -> Option<(usize, String)> {
    let month = month(text).filter(|month| *month >= 704)?;
    let number = text[4..].strip_prefix(b".")?;
    let count = number
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let wanted = if month < 1501 { 4 } else { 5 };
    let length = 5 + count;
    let own = std::str::from_utf8(&text[..length]).ok()?;
    (count == wanted).then(|| (length, own.to_owned()))
}

fn old_scheme(text: &[u8]) -> Option<(usize, String)> {
    let is_letter = |byte: &&u8| byte.is_ascii_lowercase() || **byte == b'-';
    let (archive, rest) = text.split_at(text.iter().take_while(is_letter).count());
    let archive = std::str::from_utf8(archive)
        .ok()
        .filter(|archive| ARCHIVES.contains(archive))?;
    let rest = match rest {
        [b'.', a, b, rest @ ..] if a.is_ascii_uppercase() && b.is_ascii_uppercase() => rest,
        rest => rest,
    };
    let number = rest.strip_prefix(b"/")?.get(..7)?;
    month(number).filter(|month| *month >= 9107 || *month <= 703)?;
    let number = digits(number)?;
    let length = text.len() - rest.len() + 8;
    Some((length, format!("{archive}/{number:07}")))
}

/// Returns the length of a version at the start of `text`, such as `v2`; 0 if there is none.
fn version(text: &[u8]) -> usize {
    match text {
        [b'v' | b'V', b'1'..=b'9', rest @ ..] => {
            2 + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_both_schemes() {
        for (text, own, written) in [
            ("2101.00001v2", "2101.00001", 12),
            ("2101.00001. Next", "2101.00001", 10),
            ("2101.00001.pdf", "2101.00001", 10),
            ("0704.0001", "0704.0001", 9),
            ("1412.9999]", "1412.9999", 9),
            ("1501.00001v12,", "1501.00001", 13),
            ("hep-th/9901001v3", "hep-th/9901001", 16),
            ("math.GT/0309136", "math/0309136", 15),
            ("cs/0001001 ", "cs/0001001", 10),
        ] {
            let wanted = Some((written, format!("10.48550/arXiv.{own}")));
            assert_eq!(identifier(text.as_bytes()), wanted, "{text}");
        }
        for text in [
            "",
            "2101",
            "2113.00001",
            "2100.00001",
            "2101.0001",
            "2101.000011",
            "1412.00001",
            "0703.0001",
            "2101.00001x",
            "2101.00001v",
            "2101.00001v2b",
            "2101.00001.5",
            "hep-xy/9901001",
            "hep-th/9913001",
            "hep-th/990100",
            "hep-th/99010011",
            "hep-th/0704001",
            "hep-th/9106001",
            "Math/0309136",
            "math.gt/0309136",
        ] {
            assert_eq!(identifier(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_whole_text_identifies_a_paper() {
        for text in [
            "arXiv:2101.00001v2",
            " arxiv: 2101.00001 ",
            "https://arxiv.org/abs/2101.00001",
            "http://www.arxiv.org/pdf/2101.00001v1.pdf",
            "export.arxiv.org/abs/2101.00001",
        ] {
            assert_eq!(
                whole(text).as_deref(),
                Some("10.48550/arXiv.2101.00001"),
                "{text}"
            );
        }
        for text in [
            "2101.00001",
            "arXiv:2101.00001 and",
            "see arXiv:2101.00001",
            "https://a.example/arxiv.org/abs/2101.00001",
            "arXiv:10.48550/a",
        ] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn what_announces_an_identifier() {
        for text in [
            "arXiv:",
            "ARXIV:",
            "(arxiv: ",
            "https://arxiv.org/abs/",
            "//www.arXiv.org/pdf/",
            r"http:\/\/arxiv.org\/abs\/",
            "/arXiv:",
        ] {
            assert!(announces(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "arXiv",
            "arXiv:  ",
            "xarXiv:",
            "arXiv.",
            "notarxiv.org/abs/",
            "arxiv.org/",
            "arxiv.org/list/",
            "arxiv.com/abs/",
            "/abs/",
        ] {
            assert!(!announces(text.as_bytes()), "{text}");
        }
    }
}
