//! Undoes layers of escapes, one after the other, on a list of bytes that know where they came from.

use unicode_general_category::{GeneralCategory, get_general_category};

/// How a byte was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// As itself, or by a layer outside the innermost URL.
    None,
    Entity,
    /// By the innermost percent encoding.
    Percent,
}

/// A decoded byte, and which bytes of the candidate write it.
#[derive(Clone, Copy)]
struct Byte {
    value: u8,
    start: usize,
    end: usize,
    escape: Escape,
}

/// A candidate with its layers undone.
pub(super) struct Text {
    bytes: Vec<Byte>,
    values: Vec<u8>,
    /// The length of the candidate as written.
    written: usize,
}

impl Text {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The decoded bytes.
    pub(super) fn values(&self) -> &[u8] {
        &self.values
    }

    /// Where byte `at` is written, or where the candidate ends.
    pub(super) fn start(&self, at: usize) -> usize {
        self.bytes.get(at).map_or(self.written, |b| b.start)
    }

    /// Where the writing of the byte before `at` ends.
    pub(super) fn end(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |last| self.bytes[last].end)
    }

    pub(super) fn escape(&self, at: usize) -> Escape {
        self.bytes[at].escape
    }
}

/// How many bytes an escape takes, and what it means.
type Meaning = (usize, Vec<u8>);

/// Undoes all layers of `raw`, percent escapes `percent` times, and a badge's doubled marks.
pub(super) fn decode(raw: &[u8], percent: usize, badge: bool) -> Text {
    let itself = |(at, value): (usize, &u8)| Byte {
        value: *value,
        start: at,
        end: at + 1,
        escape: Escape::None,
    };
    let mut bytes: Vec<Byte> = raw.iter().enumerate().map(itself).collect();
    bytes = undo(&bytes, blank, Escape::None);
    for _ in 0..3 {
        bytes = undo(&bytes, backslash, Escape::None);
    }
    for _ in 0..3 {
        bytes = undo(&bytes, entity, Escape::Entity);
    }
    bytes = undo(&bytes, optional_break, Escape::None);
    bytes = undo(&bytes, math, Escape::None);
    bytes = undo(&bytes, braces, Escape::None);
    for _ in 1..percent {
        bytes = undo(&bytes, percent_pair, Escape::None);
    }
    bytes = undo(&bytes, percent_pair, Escape::Percent);
    if badge {
        bytes = undo(&bytes, doubled, Escape::None);
    }
    bytes = undo(&bytes, invisible, Escape::None);
    Text {
        values: values(&bytes),
        bytes,
        written: raw.len(),
    }
}

fn values(bytes: &[Byte]) -> Vec<u8> {
    bytes.iter().map(|b| b.value).collect()
}

/// Undoes one layer once, from left to right. An escape shorter than its meaning stays.
fn undo(bytes: &[Byte], layer: fn(&[u8]) -> Option<Meaning>, escape: Escape) -> Vec<Byte> {
    let values = values(bytes);
    let mut undone = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match layer(&values[at..]).filter(|(len, meaning)| meaning.len() <= *len) {
            Some((len, meaning)) => {
                let (start, end) = (bytes[at].start, bytes[at + len - 1].end);
                undone.extend(meaning.iter().map(|value| Byte {
                    value: *value,
                    start,
                    end,
                    escape,
                }));
                at += len;
            }
            None => {
                undone.push(bytes[at]);
                at += 1;
            }
        }
    }
    undone
}

/// A break in a name that was joined.
fn blank(text: &[u8]) -> Option<Meaning> {
    text[0].is_ascii_whitespace().then_some((1, Vec::new()))
}

/// The escapes of JSON, JavaScript, LaTeX and Markdown.
fn backslash(text: &[u8]) -> Option<Meaning> {
    let rest = text.strip_prefix(b"\\")?;
    if rest.starts_with(b"u") {
        return utf16(text);
    }
    if rest.starts_with(b"x") {
        let byte = hex(rest.get(1..3)?)?;
        return u8::try_from(byte)
            .ok()
            .filter(u8::is_ascii)
            .map(|b| (4, vec![b]));
    }
    if rest.starts_with(b"text") {
        return latex(text);
    }
    let next = *rest.first()?;
    if b"ntrfbv".contains(&next) {
        return Some((2, b"\n".to_vec()));
    }
    next.is_ascii_punctuation().then(|| (2, vec![next]))
}

fn hex(digits: &[u8]) -> Option<u32> {
    let all = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| all)?;
    u32::from_str_radix(digits, 16).ok()
}

/// `\u002f`, or a pair of surrogates.
fn utf16(text: &[u8]) -> Option<Meaning> {
    let unit = |text: &[u8]| hex(text.strip_prefix(b"\\u")?.get(..4)?);
    let first = unit(text)?;
    if let Some(c) = char::from_u32(first) {
        return Some((6, c.to_string().into_bytes()));
    }
    let second = unit(&text[6..])?;
    let is_pair = (0xD800..0xDC00).contains(&first) && (0xDC00..0xE000).contains(&second);
    let c =
        is_pair.then(|| char::from_u32(0x10000 + (first - 0xD800) * 0x400 + second - 0xDC00))??;
    Some((12, c.to_string().into_bytes()))
}

/// The characters that LaTeX has a name for.
fn latex(text: &[u8]) -> Option<Meaning> {
    let names = [
        ("less", "<"),
        ("greater", ">"),
        ("underscore", "_"),
        ("asciitilde", "~"),
        ("bar", "|"),
        ("subscript", "_"),
    ];
    for (name, meaning) in names {
        let name = format!("\\text{name}");
        if let Some(rest) = text.strip_prefix(name.as_bytes()) {
            let empty = if rest.starts_with(b"{}") { 2 } else { 0 };
            return Some((name.len() + empty, meaning.as_bytes().to_vec()));
        }
    }
    None
}

/// `&lt;`, `&#60;`, `&#x3c;`, and nothing without its semicolon.
fn entity(text: &[u8]) -> Option<Meaning> {
    let body = text.strip_prefix(b"&")?;
    let len = body
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'#')
        .count();
    if len > 31 || body.get(len) != Some(&b';') {
        return None;
    }
    let written = str::from_utf8(&text[..len + 2]).ok()?;
    let meaning = htmlize::unescape(written);
    // `&ltx;` is `&lt` and more.
    let whole = meaning == ";" || !meaning.ends_with(';');
    whole.then(|| (len + 2, meaning.as_bytes().to_vec()))
}

/// `<wbr>` in HTML and XHTML.
fn optional_break(text: &[u8]) -> Option<Meaning> {
    ["<wbr>", "<wbr/>"]
        .iter()
        .find(|tag| text.starts_with(tag.as_bytes()))
        .map(|tag| (tag.len(), Vec::new()))
}

/// `$<$`, `$>$` and `$_$`.
fn math(text: &[u8]) -> Option<Meaning> {
    let is_math = text.len() > 2 && text[0] == b'$' && text[2] == b'$';
    (is_math && b"<>_".contains(&text[1])).then(|| (3, vec![text[1]]))
}

/// `--` and `__`.
fn doubled(text: &[u8]) -> Option<Meaning> {
    let is_doubled = text.starts_with(b"--") || text.starts_with(b"__");
    is_doubled.then(|| (2, vec![text[0]]))
}

/// Braces around one byte, or around a subscript, `{$_6$}`.
fn braces(text: &[u8]) -> Option<Meaning> {
    for (open, close) in [("{$_", "$}"), ("{$_{", "}$}")] {
        let Some((digit, rest)) = text
            .strip_prefix(open.as_bytes())
            .and_then(<[u8]>::split_first)
        else {
            continue;
        };
        if digit.is_ascii_digit() && rest.starts_with(close.as_bytes()) {
            return Some((open.len() + 1 + close.len(), vec![b'_', *digit]));
        }
    }
    let inner = *text.strip_prefix(b"{")?.first()?;
    let closed = text.get(2) == Some(&b'}') && !b"{}".contains(&inner);
    closed.then(|| (3, vec![inner]))
}

fn percent_pair(text: &[u8]) -> Option<Meaning> {
    let byte = hex(text.strip_prefix(b"%")?.get(..2)?)?;
    u8::try_from(byte).ok().map(|b| (3, vec![b]))
}

/// Characters that show nowhere.
fn invisible(text: &[u8]) -> Option<Meaning> {
    let c = first_char(text)?;
    (get_general_category(c) == GeneralCategory::Format).then(|| (c.len_utf8(), Vec::new()))
}

/// The character that `text` starts with, if that is UTF-8.
pub(super) fn first_char(text: &[u8]) -> Option<char> {
    (1..=text.len().min(4)).find_map(|len| str::from_utf8(&text[..len]).ok()?.chars().next())
}
