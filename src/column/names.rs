//! Finds the names in a cell with several, so that the text between them can be kept.

use std::ops::Range;

/// Returns the ranges of the texts in `cell` that may be a name each.
///
/// `;`, `,`, `|` and white space separate names. A mark with white space or a line end beside it always separates. A mark alone
/// separates only before the start of another name, since names may contain `;` and `,`; white space alone does so after a digit.
/// In a list of quoted texts, `["a", "b"]`, the quotes bound the names.
pub(super) fn names(cell: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let quote = list_quote(cell);
    let mut at = 0;
    std::iter::from_fn(move || {
        let name = match quote {
            Some(quote) => quoted(cell, at, quote)?,
            None => separated(cell, at)?,
        };
        at = name.end + usize::from(quote.is_some());
        Some(name)
    })
}

/// Returns the quote of a list `["a"]` or `['a']`, or `None` if `cell` is not such a list.
fn list_quote(cell: &[u8]) -> Option<u8> {
    let list = cell.trim_ascii().strip_prefix(b"[")?.strip_suffix(b"]")?;
    let list = list.trim_ascii();
    let first = *list.first()?;
    let is_list = list.len() > 1 && (first == b'"' || first == b'\'') && list.ends_with(&[first]);
    is_list.then_some(first)
}

fn quoted(cell: &[u8], at: usize, quote: u8) -> Option<Range<usize>> {
    let start = at + memchr::memchr(quote, &cell[at..])? + 1;
    let length = memchr::memchr(quote, &cell[start..])?;
    Some(start..start + length)
}

fn separated(cell: &[u8], at: usize) -> Option<Range<usize>> {
    let mut start = at + cell[at..].iter().position(|byte| !separates(*byte))?;
    if at > 0 {
        start += joining_word(&cell[start..]).unwrap_or(0);
    }
    let mut end = start;
    loop {
        end += text_length(&cell[end..]);
        let gap = end + gap_length(&cell[end..]);
        if gap == cell.len() || ends_name(&cell[start..end], &cell[end..gap], &cell[gap..]) {
            return Some(start..end);
        }
        end = gap;
    }
}

fn separates(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b";,|".contains(&byte)
}

fn text_length(text: &[u8]) -> usize {
    let found = text.iter().position(|byte| separates(*byte));
    found.unwrap_or(text.len())
}

fn gap_length(text: &[u8]) -> usize {
    let found = text.iter().position(|byte| !separates(*byte));
    found.unwrap_or(text.len())
}

/// Whether the separators `gap` end the name `before` them.
fn ends_name(before: &[u8], gap: &[u8], after: &[u8]) -> bool {
    let has_blank = gap.iter().any(u8::is_ascii_whitespace);
    let has_mark = gap.iter().any(|byte| !byte.is_ascii_whitespace());
    let has_digit = before.iter().any(u8::is_ascii_digit);
    let certain = (has_blank && has_mark) || gap.contains(&b'\n');
    certain || ((has_mark || has_digit) && (starts_name(after) || joining_word(after).is_some()))
}

/// Returns the length of a word that joins two names, with the blanks after it.
fn joining_word(text: &[u8]) -> Option<usize> {
    const WORDS: [&[u8]; 5] = [b"and", b"or", b"&", b"+", b"/"];
    let length = text.iter().position(u8::is_ascii_whitespace)?;
    let is_word = WORDS
        .iter()
        .any(|word| text[..length].eq_ignore_ascii_case(word));
    let next = length + gap_length(&text[length..]);
    (is_word && starts_name(&text[next..])).then_some(next)
}

/// Returns the part of the `gap` before or after names to keep. At an edge of the cell, separators are dropped.
pub(super) fn inner_gap(gap: &[u8], is_edge: bool) -> &[u8] {
    let is_blank = gap.trim_ascii().is_empty();
    if is_edge && !is_blank && gap.iter().all(|byte| separates(*byte)) {
        b""
    } else {
        gap
    }
}

/// Whether `text` contains a directory indicator.
pub(super) fn has_prefix(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"10.").is_some()
}

/// Min words before names, and from a name on, that make a cell prose: labels and remarks are shorter. Max words of a hole in a
/// list, such as `not available`, which has no number. Of 1,360 printed references with a name, none is shorter.
const MIN_LEADING_WORDS: usize = 3;
const MIN_TRAILING_WORDS: usize = 6;
const MAX_HOLE_WORDS: usize = 2;

/// Whether `cell` is a text that mentions names, such as a whole reference, and not a list of names.
pub(super) fn is_text(cell: &[u8]) -> bool {
    let (mut listed, mut texts, mut prose) = (0, 0, 0);
    for part in names(cell) {
        let part = &cell[part];
        let Some(at) = memchr::memmem::find(part, b"10.") else {
            let count = words(part);
            if count > 0 && part.iter().any(u8::is_ascii_whitespace) {
                let is_hole = count <= MAX_HOLE_WORDS && !part.iter().any(u8::is_ascii_digit);
                texts += usize::from(!is_hole);
                prose += count;
            }
            continue;
        };
        listed += 1;
        prose += words(&part[..at]);
        if words(&part[at..]) >= MIN_TRAILING_WORDS {
            return true;
        }
    }
    listed > 0 && (texts >= listed || prose >= MIN_LEADING_WORDS)
}

/// Counts the words in `text`: letters between blanks, perhaps with marks, but not labels and URLs.
fn words(text: &[u8]) -> usize {
    let is_word = |word: &&[u8]| {
        let letters = word
            .iter()
            .filter(|byte| byte.is_ascii_alphabetic())
            .count();
        letters > 1
            && !word
                .iter()
                .any(|byte| b":/".contains(byte) || byte.is_ascii_digit())
    };
    text.split(u8::is_ascii_whitespace).filter(is_word).count()
}

fn starts_name(text: &[u8]) -> bool {
    const STARTS: [&[u8]; 9] = [
        b"10.", b"doi", b"http:", b"https:", b"urn:", b"info:", b"hdl", b"dx.doi", b"www.",
    ];
    STARTS.iter().any(|start| {
        let head = text.get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_separators_alternate() {
        for (cell, wanted) in [
            ("", &[][..]),
            (" ; ", &[]),
            ("10.5555/a", &["10.5555/a"]),
            ("10.5555/a;10.5555/b", &["10.5555/a", "10.5555/b"]),
            ("10.5555/a; n/a |x", &["10.5555/a", "n/a", "x"]),
            ("10.5555/a;2-1,3", &["10.5555/a;2-1,3"]),
            (
                "DOI: 10.5555/a1 doi:10.5555/b",
                &["DOI: 10.5555/a1", "doi:10.5555/b"],
            ),
            ("10.5555/ a1", &["10.5555/ a1"]),
            ("10.5555/a\n10.5555/b\n", &["10.5555/a", "10.5555/b"]),
            (
                r#"["10.5555/a", "10.5555/b;2"]"#,
                &["10.5555/a", "10.5555/b;2"],
            ),
            ("['10.5555/a']", &["10.5555/a"]),
            (
                "10.5555/a and doi:10.5555/b & 10.5555/c",
                &["10.5555/a", "doi:10.5555/b", "10.5555/c"],
            ),
            ("10.5555/a and so on", &["10.5555/a and so on"]),
        ] {
            let found = names(cell.as_bytes()).map(|range| &cell[range]);
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{cell}");
        }
    }

    #[test]
    fn a_reference_is_a_text_and_a_list_with_holes_is_none() {
        for (cell, wanted) in [
            ("10.5555/a; n/a; none | 10.5555/b", false),
            ("10.5555/a; not known", false),
            ("10.5555/a; n/a; in press; 10.5555/b", false),
            ("10.5555/a; not known or not yet published", true),
            ("July 2008 : 19 (3) : 128-142, 10.5555/a", true),
            ("DOI: 10.5555/a, DOI: 10.5555/b", false),
            ("10.5555/a1 (Epub ahead of print); 10.5555/b", false),
            ("no name; in here", false),
            ("Doe, J (2010). A title, J Chem 5, 12. doi:10.5555/a1", true),
            ("A title of a paper doi:10.5555/a", true),
            ("Doe J, Roe R. A title: 10.5555/a1; see 10.5555/b2", true),
        ] {
            assert_eq!(is_text(cell.as_bytes()), wanted, "{cell}");
        }
    }
}
