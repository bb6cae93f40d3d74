//! Undoes the layers of escapes that a candidate shows, outermost first, and remembers where each byte came from.
//!
//! Never looks at more than the candidate, and keeps its buffers for the next one.

use unicode_general_category::{GeneralCategory, get_general_category};

use crate::doi::hex_pair;

/// How a byte of decoded text was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// As itself, or by a layer outside the URL that holds the name: it means what it says.
    Plain,
    /// As an entity.
    Entity,
    /// By the innermost percent encoding: it is part of the name even where it would end a URL (H4).
    Percent,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    start: u32,
    end: u32,
    escape: Escape,
}

/// A candidate's bytes with its layers undone.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    /// Empty where nothing was escaped.
    marks: &'a [Mark],
    /// Bytes of the candidate as found.
    found: usize,
}

impl<'a> Text<'a> {
    /// A candidate in which nothing is escaped.
    pub(super) fn plain(bytes: &'a [u8]) -> Text<'a> {
        Text {
            bytes,
            marks: &[],
            found: bytes.len(),
        }
    }

    /// Where the text goes on that starts after `raw` bytes of the candidate as found.
    pub(super) fn position(&self, raw: usize) -> usize {
        if self.marks.is_empty() {
            raw
        } else {
            self.marks
                .partition_point(|mark| (mark.start as usize) < raw)
        }
    }

    /// Where byte `at` starts in the candidate as found; for the end of the text, where the candidate ends.
    pub(super) fn start(&self, at: usize) -> usize {
        match self.marks.get(at) {
            Some(mark) => mark.start as usize,
            None if at < self.bytes.len() => at,
            None => self.found,
        }
    }

    /// Where the bytes before `at` end in the candidate as found.
    pub(super) fn end(&self, at: usize) -> usize {
        match at.checked_sub(1).and_then(|last| self.marks.get(last)) {
            Some(mark) => mark.end as usize,
            None => at,
        }
    }

    pub(super) fn escape(&self, at: usize) -> Escape {
        self.marks.get(at).map_or(Escape::Plain, |mark| mark.escape)
    }
}

/// Buffers for the decoded text of one candidate at a time.
#[derive(Default)]
pub(super) struct Decoder {
    bytes: Vec<u8>,
    marks: Vec<Mark>,
}

/// What an escape stands for: at most one character.
struct Meaning {
    /// Bytes of the escape.
    consumed: usize,
    bytes: [u8; 8],
    len: usize,
}

impl Meaning {
    fn of(consumed: usize, text: &str) -> Option<Meaning> {
        let mut bytes = [0; 8];
        bytes
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        Some(Meaning {
            consumed,
            bytes,
            len: text.len(),
        })
    }

    fn byte(consumed: usize, byte: u8) -> Option<Meaning> {
        Some(Meaning {
            consumed,
            bytes: [byte, 0, 0, 0, 0, 0, 0, 0],
            len: 1,
        })
    }

    fn char(consumed: usize, c: char) -> Option<Meaning> {
        Meaning::of(consumed, c.encode_utf8(&mut [0; 4]))
    }
}

/// Reads one escape at the start of the bytes.
type Layer = fn(&[u8]) -> Option<Meaning>;

/// A backslash or an entity may itself be escaped; nobody was seen to go deeper.
const MARKUP_DEPTH: usize = 3;

impl Decoder {
    /// Undoes the layers of `raw`, percent encoding as often as `percent` says.
    ///
    /// In a badge (`doubled`) hyphens and underscores stand twice.
    pub(super) fn decode(&mut self, raw: &[u8], percent: usize, doubled: bool) -> Text<'_> {
        self.load(raw);
        self.undo(u8::is_ascii_whitespace, blank, Escape::Plain);
        self.undo_nested(b'\\', backslash, Escape::Plain);
        self.undo_nested(b'&', entity, Escape::Entity);
        self.undo(|&b| b == b'<', optional_break, Escape::Plain);
        self.undo(|&b| b == b'$', math, Escape::Plain);
        self.undo(|&b| b == b'{', group, Escape::Plain);
        for round in 1..=percent {
            let escape = if round == percent {
                Escape::Percent
            } else {
                Escape::Plain
            };
            self.undo(|&b| b == b'%', percent_pair, escape);
        }
        if doubled {
            self.undo(|b| matches!(b, b'-' | b'_'), twice, Escape::Plain);
        }
        self.undo(|b| !b.is_ascii(), invisible, Escape::Plain);
        Text {
            bytes: &self.bytes,
            marks: &self.marks,
            found: raw.len(),
        }
    }

    fn load(&mut self, raw: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(raw);
        self.marks.clear();
        self.marks.extend((0..raw.len() as u32).map(|at| Mark {
            start: at,
            end: at + 1,
            escape: Escape::Plain,
        }));
    }

    fn undo_nested(&mut self, trigger: u8, layer: Layer, escape: Escape) {
        for _ in 0..MARKUP_DEPTH {
            if !self.undo(|&b| b == trigger, layer, escape) {
                return;
            }
        }
    }

    /// Replaces each escape of one layer by what it stands for; in place, as no meaning is longer than its escape.
    fn undo(&mut self, trigger: impl Fn(&u8) -> bool, layer: Layer, escape: Escape) -> bool {
        let Some(mut read) = self.bytes.iter().position(&trigger) else {
            return false;
        };
        let mut write = read;
        let mut changed = false;
        while read < self.bytes.len() {
            let meaning = if trigger(&self.bytes[read]) {
                layer(&self.bytes[read..])
            } else {
                None
            };
            match meaning.filter(|meaning| meaning.len <= meaning.consumed) {
                Some(meaning) => {
                    let mark = Mark {
                        start: self.marks[read].start,
                        end: self.marks[read + meaning.consumed - 1].end,
                        escape,
                    };
                    self.bytes[write..write + meaning.len]
                        .copy_from_slice(&meaning.bytes[..meaning.len]);
                    self.marks[write..write + meaning.len].fill(mark);
                    write += meaning.len;
                    read += meaning.consumed;
                    changed = true;
                }
                None => {
                    self.bytes[write] = self.bytes[read];
                    self.marks[write] = self.marks[read];
                    write += 1;
                    read += 1;
                }
            }
        }
        self.bytes.truncate(write);
        self.marks.truncate(write);
        changed
    }
}

/// White space inside a candidate stands there only where a broken name was joined.
fn blank(_: &[u8]) -> Option<Meaning> {
    Meaning::of(1, "")
}

/// JSON and JavaScript escapes, LaTeX and Markdown's escaped punctuation, LaTeX's names of characters.
fn backslash(rest: &[u8]) -> Option<Meaning> {
    match *rest.get(1)? {
        b'u' => utf16(rest),
        b'x' => Meaning::byte(
            4,
            hex_pair(*rest.get(2)?, *rest.get(3)?).filter(u8::is_ascii)?,
        ),
        b't' if rest.starts_with(b"\\text") => latex_text(rest),
        b'n' | b't' | b'r' | b'f' | b'b' | b'v' => Meaning::byte(2, b'\n'),
        mark if mark.is_ascii_punctuation() => Meaning::byte(2, mark),
        _ => None,
    }
}

/// `\u002f`, and a pair of surrogates.
fn utf16(rest: &[u8]) -> Option<Meaning> {
    let high = utf16_unit(rest)?;
    let low = utf16_unit(rest.get(6..)?);
    let units = [high, low.unwrap_or(0)];
    let paired = (0xD800..0xDC00).contains(&high) && low.is_some();
    let used = if paired { 2 } else { 1 };
    let c = char::decode_utf16(units[..used].iter().copied())
        .next()?
        .ok()?;
    Meaning::char(6 * used, c)
}

fn utf16_unit(rest: &[u8]) -> Option<u16> {
    let digits = rest.strip_prefix(b"\\u")?;
    let high = hex_pair(*digits.first()?, *digits.get(1)?)?;
    let low = hex_pair(*digits.get(2)?, *digits.get(3)?)?;
    Some(u16::from_be_bytes([high, low]))
}

const LATEX_TEXT: [(&str, &str); 6] = [
    ("\\textless", "<"),
    ("\\textgreater", ">"),
    ("\\textunderscore", "_"),
    ("\\textasciitilde", "~"),
    ("\\textbar", "|"),
    ("\\textsubscript", "_"),
];

fn latex_text(rest: &[u8]) -> Option<Meaning> {
    let (name, meaning) = LATEX_TEXT
        .iter()
        .find(|(name, _)| rest.starts_with(name.as_bytes()))?;
    let argument = if rest[name.len()..].starts_with(b"{}") {
        2
    } else {
        0
    };
    Meaning::of(name.len() + argument, meaning)
}

/// `&lt;`, `&#60;`, `&#x3c;`. Without its semicolon it may be a parameter (`&copy=1`), so that is left alone.
fn entity(rest: &[u8]) -> Option<Meaning> {
    const LONGEST: usize = 33;
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'#';
    let name = rest[1..]
        .iter()
        .take(LONGEST - 2)
        .take_while(is_name)
        .count();
    let len = 1 + name + 1;
    let written = str::from_utf8(rest.get(..len)?).ok()?;
    let meaning = htmlize::unescape(written);
    // HTML takes `&ltx;` for `&lt` and more.
    let is_whole = written.ends_with(';') && (meaning == ";" || !meaning.ends_with(';'));
    if is_whole {
        Meaning::of(len, &meaning)
    } else {
        None
    }
}

/// HTML's `<wbr>`: a place where a line may break, and shows nowhere.
fn optional_break(rest: &[u8]) -> Option<Meaning> {
    // A blank before the slash is dropped by now.
    let forms = [&b"<wbr>"[..], b"<wbr/>"];
    let form = forms.iter().find(|form| rest.starts_with(form))?;
    Meaning::of(form.len(), "")
}

/// What LaTeX sets in mathematics only, `$<$`.
fn math(rest: &[u8]) -> Option<Meaning> {
    match rest {
        [_, mark @ (b'<' | b'>' | b'_'), b'$', ..] => Meaning::byte(3, *mark),
        _ => None,
    }
}

/// A mark that a badge's URL writes twice to mean it.
fn twice(rest: &[u8]) -> Option<Meaning> {
    match rest {
        [mark, next, ..] if mark == next => Meaning::byte(2, *mark),
        _ => None,
    }
}

/// BibTeX's braces around one character, `{[}`, and its way to write a subscript, `{$_6$}`.
fn group(rest: &[u8]) -> Option<Meaning> {
    match rest {
        [_, b'$', b'_', digit @ b'0'..=b'9', b'$', b'}', ..] => subscript(6, *digit),
        [
            _,
            b'$',
            b'_',
            b'{',
            digit @ b'0'..=b'9',
            b'}',
            b'$',
            b'}',
            ..,
        ] => subscript(8, *digit),
        [_, inner, b'}', ..] if !matches!(inner, b'{' | b'}') => Meaning::byte(3, *inner),
        _ => None,
    }
}

fn subscript(consumed: usize, digit: u8) -> Option<Meaning> {
    Some(Meaning {
        consumed,
        bytes: [b'_', digit, 0, 0, 0, 0, 0, 0],
        len: 2,
    })
}

fn percent_pair(rest: &[u8]) -> Option<Meaning> {
    Meaning::byte(3, hex_pair(*rest.get(1)?, *rest.get(2)?)?)
}

/// Soft hyphens, zero-width spaces and their like are not graphic (N3) and show nowhere: dropped.
fn invisible(rest: &[u8]) -> Option<Meaning> {
    let c = first_char(rest)?;
    (get_general_category(c) == GeneralCategory::Format).then(|| Meaning::of(c.len_utf8(), ""))?
}

/// The character that `bytes` start with, if they are UTF-8 there.
pub(super) fn first_char(bytes: &[u8]) -> Option<char> {
    let head = &bytes[..bytes.len().min(4)];
    match str::from_utf8(head) {
        Ok(text) => text.chars().next(),
        Err(error) => str::from_utf8(&head[..error.valid_up_to()])
            .ok()?
            .chars()
            .next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(raw: &str, percent: usize) -> String {
        let mut decoder = Decoder::default();
        String::from_utf8(
            decoder
                .decode(raw.as_bytes(), percent, false)
                .bytes
                .to_vec(),
        )
        .unwrap()
    }

    #[test]
    fn layers() {
        for (raw, percent, expected) in [
            (r"10.5555\/a\u003cb", 1, "10.5555/a<b"),
            (r"a\ud83d\ude00b", 1, "a😀b"),
            ("a&lt;b&amp;lt;c&#x2F;&copy=1", 1, "a<b<c/&copy=1"),
            ("a&copy=1;b&ltx;c&d&lt;&semi;", 1, "a&copy=1;b&ltx;c&d<;"),
            (r"a\_b{\_}c{[}d\%2Fe", 1, "a_b_c[d/e"),
            (r"a{\textless}b\textgreater{}c", 1, "a<b>c"),
            ("10.5555%2Fa%252Fb", 1, "10.5555/a%2Fb"),
            ("10.5555%2Fa%252Fb", 2, "10.5555/a/b"),
            ("100%25", 1, "100%"),
            ("a\u{ad}b\u{200b}c\u{feff}", 1, "abc"),
            ("1995\u{2010}4190", 1, "1995\u{2010}4190"),
            ("50%", 1, "50%"),
        ] {
            assert_eq!(decoded(raw, percent), expected, "{raw}");
        }
    }

    #[test]
    fn positions() {
        let mut decoder = Decoder::default();
        let text = decoder.decode(b"a&lt;b%2F", 1, false);
        assert_eq!(text.bytes, b"a<b/");
        assert_eq!(
            (
                text.start(1),
                text.end(2),
                text.start(3),
                text.end(4),
                text.start(4)
            ),
            (1, 5, 6, 9, 9)
        );
        assert_eq!(
            (text.escape(1), text.escape(2), text.escape(3)),
            (Escape::Entity, Escape::Plain, Escape::Percent)
        );
        let text = decoder.decode("a\u{200b}".as_bytes(), 1, false);
        assert_eq!((text.end(1), text.start(1)), (1, 4));
    }
}
