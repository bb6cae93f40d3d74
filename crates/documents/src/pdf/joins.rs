//! Joins the lines of a page to a text. The layout and the links decide how each line ends.
//!
//! A line's end inside a link's target is dropped. An end that the next line continues, judged by the layout, is a line
//! end; any other, and one at the end of a target, is an empty line. So the text has its lines and paragraphs as any text
//! that is broken into lines. If a column or page ends with a full line, a form feed follows.

use super::lines::TextLine;
use crate::numbers::hex_pair;

/// Number of lines before and after a line that show the margin of its column.
const MARGIN_LINES: usize = 25;
/// Maximum room at the end of a full line, whatever comes next, in sizes of the font.
const MAX_END_ROOM: f64 = 3.0;
/// Minimum bytes of a link's target at a line's end.
const MIN_TARGET_BYTES: usize = 5;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineBreak {
    /// Inside a word, as a link shows: the line end is dropped, with this many characters before it.
    Joined(usize),
    /// The next line continues this one.
    Soft,
    /// The column ends here, and its text may continue anywhere.
    Torn,
    /// The next line does not continue this one.
    Hard,
}

/// Bytes at the end of a word, and of the rest of a target after it, by which targets are found.
const KEY_BYTES: usize = 3;

/// Targets of links, normalised for comparison.
pub(super) struct LinkTargets {
    /// Sorted by their bytes from the end.
    targets: Vec<String>,
    /// For each position in a target, a hash of the bytes around it, the target and the offset; sorted.
    places: Vec<(u32, u32, u32)>,
}

impl LinkTargets {
    /// Makes the targets of a page and of the page after it, on which a broken line may continue.
    pub(super) fn new<'t>(targets: impl Iterator<Item = &'t String>) -> Self {
        let mut targets: Vec<_> = targets
            .map(|target| normalised(&unescaped(target)))
            .collect();
        targets.sort_by(|a, b| a.bytes().rev().cmp(b.bytes().rev()));
        targets.dedup();
        let mut places = Vec::new();
        for (number, target) in (0..).zip(&targets) {
            let bytes = target.as_bytes();
            places.extend((MIN_TARGET_BYTES..bytes.len()).map(|at| {
                let after = &bytes[at..bytes.len().min(at + KEY_BYTES)];
                (
                    key(&bytes[at - MIN_TARGET_BYTES..at], after),
                    number,
                    at as u32,
                )
            }));
        }
        places.sort_unstable();
        LinkTargets { targets, places }
    }

    /// Whether a target contains the end of `token`, and `next` starts with the bytes that follow it there.
    fn continues(&self, token: &str, next: &str) -> bool {
        // If a longer part of the word is in a target, the shortest one is too.
        let Some(part) = parts(token).last() else {
            return false;
        };
        let before = &part.as_bytes()[part.len() - MIN_TARGET_BYTES..];
        // Fewer bytes follow only at the end of a target.
        (1..=KEY_BYTES.min(next.len())).any(|count| {
            let key = key(before, &next.as_bytes()[..count]);
            let start = self.places.partition_point(|place| place.0 < key);
            let mut places = self.places[start..]
                .iter()
                .take_while(|place| place.0 == key);
            places.any(|(_, number, at)| {
                let (front, rest) = self.targets[*number as usize]
                    .as_bytes()
                    .split_at(*at as usize);
                front.ends_with(part.as_bytes()) && agrees(rest, next.as_bytes())
            })
        })
    }

    /// Whether a target ends with the end of `token`.
    fn ends_with_token(&self, token: &str) -> bool {
        let Some(part) = parts(token)
            .filter(|part| part.len() > 2 * MIN_TARGET_BYTES)
            .last()
        else {
            return false;
        };
        let is_before = |target: &String| target.bytes().rev().lt(part.bytes().rev());
        let first = self.targets.partition_point(is_before);
        let target = self.targets.get(first);
        target.is_some_and(|target| target.ends_with(part))
    }

    /// Returns how the links show a line end between `token` and `next`; `None` if they do not.
    fn line_break(&self, token: &str, next: &str) -> Option<LineBreak> {
        let may_be_target = |byte: u8| matches!(byte, b'/' | b':' | b'.' | b'_' | b'=');
        if self.targets.is_empty() || !token.bytes().any(may_be_target) {
            return None;
        }
        let (token, next) = (normalised(token), normalised(next));
        let without_hyphen = token.strip_suffix('-');
        if self.continues(&token, &next) {
            return Some(LineBreak::Joined(0));
        }
        if without_hyphen.is_some_and(|token| self.continues(token, &next)) {
            return Some(LineBreak::Joined(1));
        }
        let token = token.trim_end_matches(['.', ',', ';', ')', ']']);
        self.ends_with_token(token).then_some(LineBreak::Hard)
    }
}

/// Whether `next` starts with `rest`, the bytes after a word in a target, or `rest` starts with `next`.
fn agrees(rest: &[u8], next: &[u8]) -> bool {
    let same = rest.iter().zip(next).take_while(|(a, b)| a == b).count();
    // A short word that begins like the rest of a target may be any word.
    same > 0 && (same == rest.len() || same == next.len() && same > 2)
}

/// Returns a hash of the bytes before and after a position in a target (FNV-1a).
fn key(before: &[u8], after: &[u8]) -> u32 {
    let bytes = before.iter().chain(after);
    bytes.fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

/// Returns `token`, and its parts after each mark, if they are long enough to be recognised.
fn parts(token: &str) -> impl Iterator<Item = &str> {
    let after_mark = |(at, c): (usize, char)| {
        let is_mark = !c.is_alphanumeric();
        is_mark.then(|| &token[at + c.len_utf8()..])
    };
    let parts = token.char_indices().filter_map(after_mark);
    std::iter::once(token)
        .chain(parts)
        .filter(|part| part.len() >= MIN_TARGET_BYTES)
}

/// Returns `text` in lower case, with typeset hyphens as in ASCII.
fn normalised(text: &str) -> String {
    let fold = |c: char| match c {
        '\u{2010}' | '\u{2011}' | '\u{ad}' => '-',
        c => c.to_ascii_lowercase(),
    };
    text.chars().map(fold).collect()
}

/// Returns a target with its percent encoding undone, if that gives text.
fn unescaped(target: &str) -> String {
    let mut bytes = Vec::with_capacity(target.len());
    let mut rest = target.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(hex_pair);
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| target.to_owned())
}

/// Returns the text of a page's lines. If a link shows that a word continues at the start of a line of the next page, the
/// rest of the word is moved from there.
pub(super) fn text(
    lines: &[TextLine],
    next_page: &mut [TextLine],
    targets: &LinkTargets,
) -> String {
    let mut text = String::new();
    let mut is_first = true;
    for (at, line) in lines.iter().enumerate() {
        text.push_str(line.text.trim_matches(' '));
        let Some(next) = lines.get(at + 1) else { break };
        let by_links = targets.line_break(last_word(&text), first_word(&next.text));
        let line_end = by_links.unwrap_or_else(|| by_layout(lines, at, is_first));
        is_first = matches!(line_end, LineBreak::Hard | LineBreak::Torn);
        match line_end {
            LineBreak::Joined(dropped) => cut_end(&mut text, dropped),
            LineBreak::Soft => text.push('\n'),
            LineBreak::Torn => text.push_str("\n\u{c}\n"),
            LineBreak::Hard => text.push_str("\n\n"),
        }
    }
    if !next_page.is_empty() && !complete(&mut text, next_page, targets) && !text.is_empty() {
        // The text of the last line may continue on the next page.
        text.push_str("\n\u{c}");
    }
    text
}

/// Moves the rest of a word at the end of a page from the next page, if a link shows that it continues there. Returns
/// whether a link shows the end of the word.
fn complete(text: &mut String, next_page: &mut [TextLine], targets: &LinkTargets) -> bool {
    let word = last_word(text);
    for line in next_page {
        let rest = first_word(&line.text);
        if let Some(LineBreak::Joined(dropped)) = targets.line_break(word, rest) {
            let end = line.text.find(rest).unwrap_or(0) + rest.len();
            cut_end(text, dropped);
            text.push_str(rest);
            line.text.drain(..end);
            return true;
        }
    }
    targets.line_break(word, "") == Some(LineBreak::Hard)
}

/// Cuts the last characters of `text`.
fn cut_end(text: &mut String, characters: usize) {
    for _ in 0..characters {
        text.pop();
    }
}

fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or_default()
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Returns how the line at `at` ends, judged by the layout. The next line continues it if it has the same direction and
/// size, is directly below or at the top of another column, and its first word had no room in the line. If all lines of an
/// item except its first are indented, a line that is not starts the next item; `is_first` says whether the line is the
/// first.
fn by_layout(lines: &[TextLine], at: usize, is_first: bool) -> LineBreak {
    let (line, next) = (&lines[at], &lines[at + 1]);
    let size = line.size.max(next.size);
    let is_alike = line.along.dot(next.along) > 0.99 && (line.size - next.size).abs() < 0.15 * size;
    let down = line.height() - next.height();
    let is_below = (0.6..2.2).contains(&(down / size))
        && next.starts_at() < line.ends_at()
        && line.starts_at() < next.ends_at();
    let is_next_column = down < -2.0 * size && next.starts_at() > line.ends_at();
    let is_out = !is_first && is_below && line.starts_at() - next.starts_at() > 0.5 * size;
    let follows = is_alike && !is_out && (is_below || is_next_column);
    let is_in_column = |other: &&TextLine| {
        other.along.dot(line.along) > 0.99
            && (other.starts_at() - line.starts_at()).abs() < 5.0 * size
            && (other.size - line.size).abs() < 0.15 * size
    };
    let near = &lines[at.saturating_sub(MARGIN_LINES)..lines.len().min(at + MARGIN_LINES)];
    let ends = near.iter().filter(is_in_column).map(TextLine::ends_at);
    let slack = ends.fold(line.ends_at(), f64::max) - line.ends_at();
    let word = first_word(&next.text).chars().count();
    let needed = (word + 1) as f64 * next.character() + 0.3 * size;
    if follows && slack < needed {
        LineBreak::Soft
    } else if !follows && slack < MAX_END_ROOM * size && !(is_alike && is_below) {
        LineBreak::Torn
    } else {
        LineBreak::Hard
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Point;
    use super::super::lines::{PageLines, TextSpan};
    use super::*;

    fn targets(targets: &[&str]) -> LinkTargets {
        let targets: Vec<_> = targets.iter().map(ToString::to_string).collect();
        LinkTargets::new(targets.iter())
    }

    /// Makes lines below one another, of characters as wide as half their size.
    fn lines(texts: &[&str]) -> Vec<TextLine> {
        let mut lines = PageLines::default();
        for (number, text) in texts.iter().enumerate() {
            let (width, y) = (5.0 * text.chars().count() as f64, -12.0 * number as f64);
            lines.add(&TextSpan {
                text,
                start: Point { x: 0.0, y },
                end: Point { x: width, y },
                seen: None,
                along: Point { x: 1.0, y: 0.0 },
                size: 10.0,
            });
        }
        lines.lines
    }

    fn text_of(texts: &[&str], links: &[&str]) -> String {
        text(&lines(texts), &mut [], &targets(links))
    }

    #[test]
    fn links_join_and_part_lines() {
        let link = "https://doi.org/10.5555/AB-c%28d%29.12";
        for (texts, expected) in [
            (
                ["see https://doi.org/10.", "5555/ab-c(d).12. And"],
                "see https://doi.org/10.5555/ab-c(d).12. And",
            ),
            (["doi: 10.5555/ab-", "c(d).12"], "doi: 10.5555/ab-c(d).12"),
            (
                ["https://doi.org/10.5555/ab-c(d)-", ".12"],
                "https://doi.org/10.5555/ab-c(d).12",
            ),
            (
                ["https://doi.org/10.5555/ab-c(d)\u{2010}", ".12"],
                "https://doi.org/10.5555/ab-c(d).12",
            ),
            (
                ["https://doi.org/10.5555/ab-c(d).12", "2020 is next"],
                "https://doi.org/10.5555/ab-c(d).12\n\n2020 is next",
            ),
            (
                ["https://doi.org/10.5555/ab-c(d).", "12.s001 is next"],
                "https://doi.org/10.5555/ab-c(d).12.s001 is next",
            ),
            (
                ["https://doi.org/10.5555/ab-c(d).", "1 is another"],
                "https://doi.org/10.5555/ab-c(d).\n1 is another",
            ),
        ] {
            assert_eq!(text_of(&texts, &[link]), expected);
        }
    }

    #[test]
    fn each_of_many_links_is_found() {
        let links: Vec<_> = (0..10_000)
            .map(|n| format!("https://doi.org/10.5555/a.{n:05}x"))
            .collect();
        let targets = LinkTargets::new(links.iter());
        for (n, link) in links.iter().enumerate() {
            let (front, rest) = link.split_at(link.len() - 1 - n % 8);
            assert_eq!(
                targets.line_break(front, rest),
                Some(LineBreak::Joined(0)),
                "{link}"
            );
            assert_eq!(targets.line_break(link, "10.5555"), Some(LineBreak::Hard));
            assert_eq!(targets.line_break(front, "zzz"), None);
        }
    }

    #[test]
    fn a_line_with_room_for_the_next_word_ends_a_paragraph() {
        let full = "a line that is as long as the column is";
        let texts = [full, "10.5555/abc", "Next one", full, "10.5555/d"];
        let expected = format!("{full}\n10.5555/abc\n\nNext one\n\n{full}\n10.5555/d");
        assert_eq!(text_of(&texts, &[]), expected);
    }

    #[test]
    fn the_rest_of_a_name_comes_from_the_next_page() {
        let mut next = lines(&["Journal 12", "abc.1. And more"]);
        let page = lines(&["see 10.5555/"]);
        let text = text(
            &page,
            &mut next,
            &targets(&["https://doi.org/10.5555/abc.1"]),
        );
        assert_eq!(text, "see 10.5555/abc.1.");
        assert_eq!(next[1].text, " And more");
    }
}
