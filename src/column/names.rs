//! Finds the names in a cell that holds several, so that everything between them can be kept.

use std::ops::Range;

/// The ranges of the texts in `cell` that are a name each.
///
/// `;`, `,`, `|` and white space separate names. With white space or a line end beside it, a mark always does. Alone, it does
/// only before the start of another name, since names may hold `;` and `,`; so does white space alone, after a digit. In a
/// list of quoted texts, `["a", "b"]`, the quotes bound the names.
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

/// The quote of a list, `["a"]` or `['a']`.
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
    let start = at + cell[at..].iter().position(|byte| !separates(*byte))?;
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
    certain || ((has_mark || has_digit) && starts_name(after))
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
        ] {
            let found = names(cell.as_bytes()).map(|range| &cell[range]);
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{cell}");
        }
    }
}
