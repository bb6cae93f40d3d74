//! Reads the end of a line: the length of its white space, and whether the line had no room for the next word.

use super::first_word;

/// Max bytes of white space at the end of a line, with the indent of the next one.
const MAX_INDENT_BYTES: usize = 64;

/// White space, which may hold line ends.
#[derive(Clone, Copy)]
pub(super) struct WhiteSpace {
    /// Its length in bytes, with the indent of the next line.
    pub(super) len: usize,
    /// Number of line feeds in it.
    pub(super) line_feeds: usize,
}

impl WhiteSpace {
    #[inline]
    pub(super) fn read(rest: &[u8]) -> WhiteSpace {
        // A form feed is not included, since it ends a page.
        let is_blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
        // Most white space is one byte.
        match rest {
            [first, next, ..] if !(is_blank(&next) || *first == b'\n' && next.is_ascii_digit()) => {
                let (len, line_feeds) = (is_blank(&first), *first == b'\n');
                return WhiteSpace {
                    len: len.into(),
                    line_feeds: line_feeds.into(),
                };
            }
            _ => {}
        }
        let near = &rest[..rest.len().min(MAX_INDENT_BYTES)];
        let len = near.iter().take_while(is_blank).count();
        let line_feeds = near[..len].iter().filter(|b| **b == b'\n').count();
        let numbered = if line_feeds == 1 {
            numbered_line_end_len(rest)
        } else {
            None
        };
        WhiteSpace {
            len: numbered.unwrap_or(len),
            line_feeds,
        }
    }
}

/// Returns the length of the line end that `rest` starts with, if the next line starts with its printed number, two or more
/// blanks or a tab, and a word. The length includes the number and the blanks.
pub(crate) fn numbered_line_end_len(rest: &[u8]) -> Option<usize> {
    const MAX_NUMBER_DIGITS: usize = 4;
    const MAX_GAP_BYTES: usize = 8;
    let is_blank = |b: &&u8| matches!(b, b' ' | b'\t');
    let line = rest
        .strip_prefix(b"\r")
        .unwrap_or(rest)
        .strip_prefix(b"\n")?;
    let indent = line
        .iter()
        .take(MAX_INDENT_BYTES)
        .take_while(is_blank)
        .count();
    let digits = line[indent..].iter().take(MAX_NUMBER_DIGITS + 1);
    let digits = digits.take_while(|b| b.is_ascii_digit()).count();
    let after = &line[indent + digits..];
    let gap = after
        .iter()
        .take(MAX_GAP_BYTES)
        .take_while(is_blank)
        .count();
    let is_number = (1..=MAX_NUMBER_DIGITS).contains(&digits);
    let is_gap = gap > 1 || after.starts_with(b"\t");
    let is_word = after.get(gap).is_some_and(u8::is_ascii_alphanumeric);
    (is_number && is_gap && is_word).then(|| rest.len() - after.len() + gap)
}

/// Lines before and after a line that show how wide the text is, and max bytes of these.
const MAX_NEAR_LINES: usize = 12;
const MAX_NEAR_BYTES: usize = 240;

/// Widths of lines in characters that show the width of a text.
const LINE_WIDTHS: std::ops::RangeInclusive<usize> = 30..=160;

/// Whether the line that `written` ends in had no room for the next word, by the width of the lines around it. Printed characters
/// have different widths, so a tenth of the width may be missing.
pub(super) fn is_full(written: &[u8], rest: &[u8], space: WhiteSpace) -> bool {
    let width = |line: &[u8]| characters(line.trim_ascii_end());
    let mut before = lines_back(written).take(MAX_NEAR_LINES);
    let own = width(before.next().unwrap_or_default());
    let after = &rest[space.len..rest.len().min(space.len + MAX_NEAR_BYTES)];
    let next = first_word(after);
    // The last line may be cut.
    let count = after.iter().filter(|b| **b == b'\n').count();
    let after = after.split(|b| *b == b'\n').take(count.min(MAX_NEAR_LINES));
    let near = before.chain(after).map(width);
    let mut room = [0; 2 * MAX_NEAR_LINES];
    let mut len = 0;
    for width in near
        .filter(|width| LINE_WIDTHS.contains(width))
        .take(room.len())
    {
        room[len] = width;
        len += 1;
    }
    let widths = &mut room[..len];
    widths.sort_unstable();
    // Lines that are not broken, such as those of a page's foot, are much wider, and the last line of a paragraph is narrower.
    let Some(usual) = widths.get(widths.len() / 2) else {
        return false;
    };
    let alike = widths
        .iter()
        .filter(|width| width.abs_diff(*usual) * 8 <= *usual);
    alike.count() > 1 && (own + width(next)) * 10 > usual * 9
}

/// Returns the number of characters of `text`. Counts up to 255 bytes in a byte, since the compiler then compares many at once.
fn characters(text: &[u8]) -> usize {
    let is_first = |byte: &u8| u8::from(*byte & 0xC0 != 0x80);
    let parts = text.chunks(u8::MAX.into());
    parts
        .map(|part| usize::from(part.iter().map(is_first).sum::<u8>()))
        .sum()
}

/// Returns the lines of `text`, the last one first.
fn lines_back(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let feed = memchr::memrchr(b'\n', text);
        rest = feed.map(|feed| &text[..feed]);
        Some(feed.map_or(text, |feed| &text[feed + 1..]))
    })
}
