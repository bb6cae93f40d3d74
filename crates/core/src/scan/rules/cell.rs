//! Bounds the cell of a delimited table that holds a name (RFC 4180).

use super::enclosure::{Enclosure, is_blank};
use super::{Rule, TextScope, sici};

/// The content of a cell, as indices of the window that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableCell {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether the window holds the cell's start.
    pub(crate) is_open: bool,
    /// Whether the cell may end at a semicolon that was taken to be that of a SICI.
    is_doubtful: bool,
}

impl TableCell {
    pub(crate) fn scope(&self) -> TextScope {
        match self.is_open {
            true if self.is_doubtful => TextScope::DoubtfulCell,
            true => TextScope::Cell,
            false => TextScope::Any,
        }
    }
}

/// A double quote that starts or ends a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellQuote {
    Opens,
    Closes,
}

/// Returns the cell that holds the byte at `at` of `window`. `from_start` says that the document starts with `window`.
///
/// Delimiters and line ends bound an unquoted cell, except for the semicolon of a SICI. A quoted cell ends at a quote that is not
/// doubled.
pub(crate) fn cell_at(window: &[u8], at: usize, delimiter: u8, from_start: bool) -> TableCell {
    let (quote, after_quote) = match last_quote(window, at, delimiter, from_start) {
        Some((quote, after)) => (Some(quote), after),
        None => (next_quote(window, at, delimiter), 0),
    };
    let opened = after_quote > 0 && quote == Some(CellQuote::Opens);
    if opened || after_quote == 0 && quote == Some(CellQuote::Closes) {
        return TableCell {
            start: after_quote,
            end: quoted_end(window, at),
            is_open: opened,
            is_doubtful: false,
        };
    }
    let is_bound = |bound: &usize| {
        !sici::is_semicolon(window, *bound) && !sici::is_bare_semicolon(window, *bound)
    };
    let front = memchr::memrchr2_iter(delimiter, b'\n', &window[after_quote..at]);
    let start = front.map(|bound| after_quote + bound).find(is_bound);
    let rest = memchr::memchr2_iter(delimiter, b'\n', &window[at..]);
    let end = rest.map(|bound| at + bound).find(is_bound);
    let end = end.unwrap_or(window.len());
    let content = window[..end].strip_suffix(b"\r").unwrap_or(&window[..end]);
    let last = content.len().saturating_sub(sici::BARE_TAIL_BYTES);
    TableCell {
        start: start.map_or(after_quote, |bound| bound + 1),
        end,
        is_open: start.is_some() || from_start,
        is_doubtful: delimiter == b';' && last > at && sici::is_bare_semicolon(window, last),
    }
}

/// Returns the last quote before `at` that starts or ends a cell, and the index after it.
fn last_quote(
    window: &[u8],
    at: usize,
    delimiter: u8,
    from_start: bool,
) -> Option<(CellQuote, usize)> {
    let mut end = at;
    loop {
        let last = memchr::memrchr(b'"', &window[..end])?;
        let run = window[..=last].iter().rev().take_while(|b| **b == b'"');
        let start = last + 1 - run.count();
        let before = start.checked_sub(1).map(|before| window[before]);
        let opens = before.map_or(from_start, |b| is_bound(b, delimiter));
        let closes = window
            .get(last + 1)
            .is_some_and(|b| is_bound(*b, delimiter));
        match (last + 1 - start) % 2 {
            1 if opens => return Some((CellQuote::Opens, last + 1)),
            1 if closes => return Some((CellQuote::Closes, last + 1)),
            // An empty cell.
            0 if opens && closes => return Some((CellQuote::Closes, last + 1)),
            _ => end = start,
        }
    }
}

/// Returns the first quote after `at` that starts or ends a cell, if it is within `MAX_QUOTE_DISTANCE_BYTES` bytes.
fn next_quote(window: &[u8], at: usize, delimiter: u8) -> Option<CellQuote> {
    const MAX_QUOTE_DISTANCE_BYTES: usize = 1024;
    let near = &window[at..window.len().min(at + MAX_QUOTE_DISTANCE_BYTES)];
    let mut start = 0;
    loop {
        start += memchr::memchr(b'"', &near[start..])?;
        let len = near[start..].iter().take_while(|b| **b == b'"').count();
        let opens = start > 0 && is_bound(near[start - 1], delimiter);
        let closes = near
            .get(start + len)
            .is_some_and(|b| is_bound(*b, delimiter));
        match len % 2 {
            _ if opens => return Some(CellQuote::Opens),
            1 if closes => return Some(CellQuote::Closes),
            _ => start += len,
        }
    }
}

fn is_bound(byte: u8, delimiter: u8) -> bool {
    byte == delimiter || matches!(byte, b'\n' | b'\r')
}

/// Returns the end of the quoted cell that holds `at`.
fn quoted_end(window: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(len) = memchr::memchr(b'"', &window[end..]) {
        end += len;
        if window.get(end + 1) != Some(&b'"') {
            return end;
        }
        end += 2;
    }
    window.len()
}

/// Returns the enclosure of a name in a cell with `outside` before the name and its scheme: the cell itself if only white space
/// or a label is there too.
pub(crate) fn enclosure(outside: &[u8], labelled: bool) -> Option<&'static Enclosure> {
    if Rule::CellBounds.holds() && (labelled || is_blank(outside)) {
        Some(&Enclosure::CELL)
    } else {
        Enclosure::opened_by(outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_ends_at_its_own_bounds() {
        for (text, expected) in [
            ("a,X,b", "X"),
            ("X,b", "X"),
            ("a,X", "X"),
            ("a,see X;c,b", "see X;c"),
            ("a,X\nb,c", "X"),
            ("a\nX,c", "X"),
            ("a,\"b,X,c\",d", "b,X,c"),
            ("a,\"b\nX\",d", "b\nX"),
            ("\"a\",X,b", "X"),
            ("\"a\",\"X\",b", "X"),
            ("\"\",X,b", "X"),
            ("a,\"[\"\"X\"\", \"\"b\"\"]\",c", "[\"\"X\"\", \"\"b\"\"]"),
            ("a,\"b \"\"c\"\"\",X,d", "X"),
            ("a,b \"c\" X,d", "b \"c\" X"),
        ] {
            let at = text.find('X').unwrap();
            let cell = cell_at(text.as_bytes(), at, b',', true);
            assert_eq!(&text[cell.start..cell.end], expected, "{text}");
            assert!(cell.is_open, "{text}");
        }
    }

    #[test]
    fn the_semicolon_of_a_sici_bounds_no_cell() {
        for (text, expected) in [
            ("a;X3.0.CO;2-O;b", "X3.0.CO;2-O"),
            ("a;b 3.0.CO;2-O X;c", "b 3.0.CO;2-O X"),
            ("a;X3.0.CO;2-#\nb;c", "X3.0.CO;2-#"),
            ("a;X3.0.CO;2;b", "X3.0.CO;2"),
            ("a;X3.0.CO;2\r\nb", "X3.0.CO;2\r"),
            ("a;X3.0.CO;2", "X3.0.CO;2"),
            ("a;X3.0.CO;3;b", "X3.0.CO"),
            ("a;X3.0.CO;20;b", "X3.0.CO"),
            ("a;X3.0.CO;2-;b", "X3.0.CO"),
            ("a;X3.0.CO;x-O;b", "X3.0.CO"),
            ("a;X1.5;2-3;b", "X1.5"),
        ] {
            let at = text.find('X').unwrap();
            let cell = cell_at(text.as_bytes(), at, b';', true);
            assert_eq!(&text[cell.start..cell.end], expected, "{text}");
        }
    }

    #[test]
    fn a_cell_whose_start_is_out_of_sight_is_reported_by_its_end() {
        let cell = |text: &str| {
            let at = text.find('X').unwrap();
            let cell = cell_at(text.as_bytes(), at, b',', false);
            (text[cell.start..cell.end].to_owned(), cell.is_open)
        };
        assert_eq!(cell("a b, X,c d\",e"), ("a b, X,c d".to_owned(), false));
        assert_eq!(cell("a b X,c"), ("a b X".to_owned(), false));
        assert_eq!(cell("a, X,\"c\""), (" X".to_owned(), true));
    }
}
