//! The escapes that are undone, each with its meaning, and the order of their layers.

mod entity;

use unicode_general_category::{GeneralCategory, get_general_category};

use super::rules::defense::listed_character;
use super::rules::hidden::hidden_part_len;
use super::rules::joint::numbered_line_end_len;
use super::rules::page::inline_tags_len;
use super::rules::raw::{optional_break_len, wiki_character_at};
use super::rules::suffix::first_char;
use super::rules::{Escape, Rule};
use crate::doi::hex_pair;
use entity::entity;

/// A layer of escapes.
#[derive(Clone, Copy)]
pub(crate) struct EscapeLayer {
    pub(crate) rule: Rule,
    /// The kinds of bytes that an escape of the layer can start with.
    starters: u16,
    /// The kinds of bytes that each escape of the layer contains.
    needs: u16,
    /// Reads one escape at the start of the bytes.
    pub(super) read: fn(&[u8]) -> Option<EscapeMeaning>,
    /// How the bytes of its meanings count as written.
    pub(super) escape: Escape,
    /// How often an escape of the layer may be escaped itself.
    pub(crate) rounds: usize,
    /// Returns how many layers of its kind a candidate may have.
    count: fn(LayerLimits) -> usize,
}

impl EscapeLayer {
    /// Reads the escape that `rest` starts with. Returns its length and its meaning; `None` if the meaning is not UTF-8.
    pub(crate) fn meaning(&self, rest: &str) -> Option<(usize, String)> {
        let bytes = rest.as_bytes();
        let may_start = bytes.first().is_some_and(|first| self.may_start(*first));
        let meaning = may_start.then(|| (self.read)(bytes))??;
        let text = std::str::from_utf8(meaning.bytes()).ok()?;
        Some((meaning.consumed, text.to_owned()))
    }

    /// Whether an escape of the layer can start with `byte`.
    pub(super) fn may_start(&self, byte: u8) -> bool {
        self.starters & STARTERS[byte as usize] != 0
    }

    /// Returns the layers of this kind that a candidate may have, outermost first.
    pub(super) fn nested(&self, layer_limits: LayerLimits) -> impl Iterator<Item = EscapeLayer> {
        let count = (self.count)(layer_limits);
        // Only the innermost percent encoding shows which bytes its writer took to be part of the name.
        (1..=count).map(move |at| match at == count {
            true => *self,
            false => EscapeLayer {
                escape: Escape::Plain,
                ..*self
            },
        })
    }

    /// Whether a text with bytes of these `kinds` can contain an escape of the layer.
    pub(super) fn may_be_in(&self, kinds: u16) -> bool {
        self.starters & kinds != 0 && self.needs & kinds == self.needs
    }
}

/// Returns the kinds of bytes in `text` that escapes can start with.
pub(super) fn starters(text: &[u8]) -> u16 {
    text.iter()
        .fold(0, |kinds, byte| kinds | STARTERS[*byte as usize])
}

const BLANK: u16 = 1;
const BACKSLASH: u16 = 1 << 1;
const AMPERSAND: u16 = 1 << 2;
const LESS: u16 = 1 << 3;
const DOLLAR: u16 = 1 << 4;
const BRACE: u16 = 1 << 5;
const PERCENT_SIGN: u16 = 1 << 6;
const HYPHEN: u16 = 1 << 7;
const BEYOND_ASCII: u16 = 1 << 8;
const STAR: u16 = 1 << 9;

/// The kind of each byte that an escape can start with.
static STARTERS: [u16; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\x0C' | b'\r' => BLANK,
            b'\\' => BACKSLASH,
            b'&' => AMPERSAND,
            b'<' => LESS,
            b'$' => DOLLAR,
            b'{' => BRACE,
            b'%' => PERCENT_SIGN,
            b'-' | b'_' => HYPHEN,
            b'*' => STAR,
            0x80.. => BEYOND_ASCII,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Max rounds of undoing entities, which may be escaped themselves. Data with more was not seen.
const MAX_ENTITY_ROUNDS: usize = 3;
/// Max rounds of undoing backslashes. Each layer of JSON in JSON doubles them, so a name of the max length cannot hold this many.
const MAX_BACKSLASH_ROUNDS: usize = 32;

const fn layer(
    rule: Rule,
    starters: u16,
    read: fn(&[u8]) -> Option<EscapeMeaning>,
    rounds: usize,
) -> EscapeLayer {
    EscapeLayer {
        rule,
        starters,
        needs: 0,
        read,
        escape: Escape::Plain,
        rounds,
        count: |_| 1,
    }
}

/// Tags between the parts of a link's text.
const HIDDEN_PARTS: EscapeLayer = EscapeLayer {
    needs: BLANK,
    ..layer(
        Rule::HiddenPart,
        LESS | BACKSLASH | AMPERSAND,
        hidden_part,
        1,
    )
};
/// Inline tags. A candidate in a page holds these only inside a name.
const ELEMENTS: EscapeLayer = EscapeLayer {
    count: |layer_limits| layer_limits.in_page.into(),
    ..layer(Rule::InlineElement, LESS, element, 1)
};
/// White space. A candidate holds it only if a broken name was joined.
const BLANKS: EscapeLayer = layer(Rule::EscapedBreak, BLANK, blank, 1);
/// Layers around the innermost URL.
const MARKUP: [EscapeLayer; 6] = [
    layer(Rule::Backslash, BACKSLASH, backslash, MAX_BACKSLASH_ROUNDS),
    EscapeLayer {
        escape: Escape::Entity,
        ..layer(Rule::Entity, AMPERSAND, entity, MAX_ENTITY_ROUNDS)
    },
    layer(Rule::OptionalBreak, LESS | BACKSLASH, optional_break, 1),
    layer(Rule::Wiki, BRACE, wiki_character, 1),
    layer(Rule::Latex, DOLLAR, math, 1),
    layer(Rule::Latex, BRACE, group, 1),
];
const UNITS: EscapeLayer = layer(Rule::Percent, PERCENT_SIGN, percent_unit, 1);
const PERCENT: EscapeLayer = EscapeLayer {
    escape: Escape::Percent,
    count: |layer_limits| layer_limits.percent,
    ..layer(Rule::Percent, PERCENT_SIGN, percent_pair, 1)
};
/// A mail filter writes a slash as `_`, and the percent sign of an escape as `-`.
const DEFENDED: EscapeLayer = EscapeLayer {
    count: |layer_limits| layer_limits.is_defended.into(),
    ..layer(Rule::UrlDefense, HYPHEN, defended_mark, 1)
};
/// The next version of this filter writes `*`, and lists the characters after the URL and `__;`.
const STARRED: EscapeLayer = EscapeLayer {
    needs: HYPHEN,
    ..layer(Rule::UrlDefense, STAR, starred_character, 1)
};
/// In a badge, hyphens and underscores are written twice.
const DOUBLED: EscapeLayer = EscapeLayer {
    count: |layer_limits| layer_limits.in_badge.into(),
    ..layer(Rule::DoubledMark, HYPHEN, doubled_mark, 1)
};
const INVISIBLE: EscapeLayer = layer(Rule::Invisible, BEYOND_ASCII, invisible, 1);

/// The kinds of layers, outermost first.
#[rustfmt::skip]
static LAYERS: [EscapeLayer; 14] = [
    HIDDEN_PARTS, ELEMENTS, BLANKS,
    MARKUP[0], MARKUP[1], MARKUP[2], MARKUP[3], MARKUP[4], MARKUP[5],
    DEFENDED, STARRED, PERCENT, DOUBLED, INVISIBLE,
];

/// Returns the layers to undo in dirty data before a name is looked for, outermost first.
pub(crate) fn markup() -> impl Iterator<Item = EscapeLayer> {
    MARKUP.iter().copied().chain([UNITS])
}

/// The properties of a candidate that decide which layers of escapes it may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerLimits {
    /// How often the candidate may be percent-encoded.
    pub(super) percent: usize,
    pub(super) in_badge: bool,
    pub(super) in_page: bool,
    /// Whether a mail filter rewrote the URL that holds the candidate.
    pub(super) is_defended: bool,
}

/// Returns the layers to undo, outermost first.
pub(super) fn layers(layer_limits: LayerLimits) -> impl Iterator<Item = EscapeLayer> {
    kinds().flat_map(move |layer| layer.nested(layer_limits))
}

/// Returns the kinds of layers whose rules are in force, outermost first.
pub(super) fn kinds() -> impl Iterator<Item = &'static EscapeLayer> {
    LAYERS.iter().filter(|layer| layer.rule.holds())
}

/// Returns how many layers of percent encoding a name may have: as many as its `prefix` shows, or one more than its scheme or
/// proxy shows, whichever is more. The scheme or proxy is the last `opener` bytes of `before`; without one, an escape that
/// `before` ends in counts.
pub(super) fn percent_layers(before: &[u8], opener: usize, prefix: &[u8]) -> usize {
    const MAX_ESCAPE_BYTES: usize = 12;
    let lead = match opener {
        0 if !before.last().is_some_and(u8::is_ascii_hexdigit) => &[],
        0 => last_escape(&before[before.len().saturating_sub(MAX_ESCAPE_BYTES)..]),
        len => &before[before.len() - len..],
    };
    let layers = (percent_depth(lead) + 1).max(percent_depth(prefix));
    layers.min(MAX_PERCENT_LAYERS)
}

/// Max layers of percent encoding. URLs are not nested this deep, and each layer costs a pass over the candidate.
const MAX_PERCENT_LAYERS: usize = 8;

/// Returns the percent escape that `near` ends in; empty if there is none.
fn last_escape(near: &[u8]) -> &[u8] {
    let is_escape = |digits: &[u8]| {
        !digits.is_empty() && digits.len() % 2 == 0 && digits.iter().all(u8::is_ascii_hexdigit)
    };
    match memchr::memrchr(b'%', near) {
        Some(at) if is_escape(&near[at + 1..]) => &near[at..],
        _ => &[],
    }
}

/// Returns the depth of percent encoding in `text`, the max over its bytes: 1 for `%2F`, 2 for `%252F`.
fn percent_depth(text: &[u8]) -> usize {
    let depth_at = |at: usize| {
        let digits = &text[at + 1..];
        // A `%25` without digits after it is a percent sign encoded once.
        let outer = &digits[..digits.len().saturating_sub(2)];
        1 + outer
            .chunks_exact(2)
            .take_while(|pair| pair == b"25")
            .count()
    };
    memchr::memchr_iter(b'%', text)
        .map(depth_at)
        .max()
        .unwrap_or(0)
}

/// The meaning of an escape: at most eight bytes.
pub(super) struct EscapeMeaning {
    /// Length of the escape in bytes.
    pub(super) consumed: usize,
    bytes: [u8; 8],
    len: usize,
}

impl EscapeMeaning {
    fn of(consumed: usize, meaning: &[u8]) -> Option<EscapeMeaning> {
        let mut bytes = [0; 8];
        bytes.get_mut(..meaning.len())?.copy_from_slice(meaning);
        let len = meaning.len();
        Some(EscapeMeaning {
            consumed,
            bytes,
            len,
        })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn char(consumed: usize, c: char) -> Option<EscapeMeaning> {
        EscapeMeaning::of(consumed, c.encode_utf8(&mut [0; 4]).as_bytes())
    }
}

/// Drops white space, and the printed number of the next line.
fn blank(rest: &[u8]) -> Option<EscapeMeaning> {
    EscapeMeaning::of(numbered_line_end_len(rest).unwrap_or(1), b"")
}

/// Reads escapes of JSON and JavaScript, escaped punctuation of LaTeX and Markdown, and names of characters in LaTeX.
fn backslash(rest: &[u8]) -> Option<EscapeMeaning> {
    match *rest.get(1)? {
        b'u' => utf16(rest),
        b'x' => EscapeMeaning::of(
            4,
            &[hex_pair(*rest.get(2)?, *rest.get(3)?).filter(u8::is_ascii)?],
        ),
        b't' if rest.starts_with(b"\\text") => latex_text(rest),
        b'e' => ensured_math(rest),
        b'n' | b't' | b'r' | b'f' | b'b' | b'v' => EscapeMeaning::of(2, b"\n"),
        mark if mark.is_ascii_punctuation() => EscapeMeaning::of(2, &[mark]),
        _ => None,
    }
}

/// Reads `\u002f`, or the escapes of a pair of surrogates.
fn utf16(rest: &[u8]) -> Option<EscapeMeaning> {
    let high = utf16_unit(rest)?;
    let low = utf16_unit(rest.get(6..)?);
    let units = [high, low.unwrap_or(0)];
    let paired = (0xD800..0xDC00).contains(&high) && low.is_some();
    let used = if paired { 2 } else { 1 };
    let c = char::decode_utf16(units[..used].iter().copied())
        .next()?
        .ok()?;
    EscapeMeaning::char(6 * used, c)
}

fn utf16_unit(rest: &[u8]) -> Option<u16> {
    let digits = rest.strip_prefix(b"\\u")?;
    unit(digits)
}

/// Reads four hexadecimal digits.
fn unit(digits: &[u8]) -> Option<u16> {
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

fn latex_text(rest: &[u8]) -> Option<EscapeMeaning> {
    let (name, meaning) = LATEX_TEXT
        .iter()
        .find(|(name, _)| rest.starts_with(name.as_bytes()))?;
    let argument = if rest[name.len()..].starts_with(b"{}") {
        2
    } else {
        0
    };
    EscapeMeaning::of(name.len() + argument, meaning.as_bytes())
}

/// Reads a bracket of a SICI that LaTeX sets in mathematics, `\ensuremath{<}`.
fn ensured_math(rest: &[u8]) -> Option<EscapeMeaning> {
    const COMMAND: &[u8] = b"\\ensuremath{";
    match rest.strip_prefix(COMMAND)? {
        [mark @ (b'<' | b'>'), b'}', ..] => EscapeMeaning::of(COMMAND.len() + 2, &[*mark]),
        _ => None,
    }
}

/// Drops tags before a hidden part of a link's text.
fn hidden_part(rest: &[u8]) -> Option<EscapeMeaning> {
    EscapeMeaning::of(hidden_part_len(rest)?, b"")
}

/// Reads the escapes of Proofpoint's URL Defense, version 2: `https-3A__doi.org_10.5555_a-5F1`.
fn defended_mark(rest: &[u8]) -> Option<EscapeMeaning> {
    match rest {
        [b'_', ..] => EscapeMeaning::of(1, b"/"),
        [_, high, low, ..] => EscapeMeaning::of(3, &[hex_pair(*high, *low)?]),
        _ => None,
    }
}

/// Reads the star of Proofpoint's URL Defense, version 3, as the character that is listed for it.
fn starred_character(rest: &[u8]) -> Option<EscapeMeaning> {
    EscapeMeaning::of(1, &[listed_character(rest)?])
}

/// Drops inline tags inside a name.
fn element(rest: &[u8]) -> Option<EscapeMeaning> {
    // Tags at the end of the candidate are outside the name.
    let len = inline_tags_len(rest);
    (0 < len && len < rest.len()).then(|| EscapeMeaning::of(len, b""))?
}

/// Reads a character that a wiki writes as a template.
fn wiki_character(rest: &[u8]) -> Option<EscapeMeaning> {
    let (written, meaning) = wiki_character_at(rest)?;
    EscapeMeaning::of(written.len(), meaning.as_bytes())
}

/// Drops HTML's `<wbr>`, and commands of LaTeX like it.
fn optional_break(rest: &[u8]) -> Option<EscapeMeaning> {
    EscapeMeaning::of(optional_break_len(rest)?, b"")
}

/// Reads a mark that LaTeX sets only in mathematics, `$<$`.
fn math(rest: &[u8]) -> Option<EscapeMeaning> {
    match rest {
        [_, mark @ (b'<' | b'>' | b'_'), b'$', ..] => EscapeMeaning::of(3, &[*mark]),
        _ => None,
    }
}

/// Reads a mark that a badge's URL doubles.
fn doubled_mark(rest: &[u8]) -> Option<EscapeMeaning> {
    match rest {
        [mark, next, ..] if mark == next => EscapeMeaning::of(2, &[*mark]),
        _ => None,
    }
}

/// Reads one character in braces, as BibTeX writes it, `{[}`, or a subscript, `{$_6$}`.
fn group(rest: &[u8]) -> Option<EscapeMeaning> {
    match rest {
        [_, b'$', b'_', digit @ b'0'..=b'9', b'$', b'}', ..] => {
            EscapeMeaning::of(6, &[b'_', *digit])
        }
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
        ] => EscapeMeaning::of(8, &[b'_', *digit]),
        [_, inner, b'}', ..] if !matches!(inner, b'{' | b'}') => EscapeMeaning::of(3, &[*inner]),
        _ => None,
    }
}

/// Reads `%u2010`, which JavaScript's `escape` writes.
fn percent_unit(rest: &[u8]) -> Option<EscapeMeaning> {
    let unit = unit(rest.strip_prefix(b"%u")?)?;
    EscapeMeaning::char(6, char::from_u32(unit.into())?)
}

fn percent_pair(rest: &[u8]) -> Option<EscapeMeaning> {
    match rest.get(1)? {
        b'u' => percent_unit(rest),
        high => EscapeMeaning::of(3, &[hex_pair(*high, *rest.get(2)?)?]),
    }
}

/// Drops soft hyphens, zero-width spaces and similar characters, which are invisible and not graphic (N3).
fn invisible(rest: &[u8]) -> Option<EscapeMeaning> {
    let starts_char = |byte: &&u8| **byte & 0xC0 == 0xC0;
    rest.first().filter(starts_char)?;
    let c = first_char(rest)?;
    (get_general_category(c) == GeneralCategory::Format)
        .then(|| EscapeMeaning::of(c.len_utf8(), b""))?
}
