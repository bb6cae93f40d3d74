//! Classifies bytes as written: which of them end every name, however they are escaped.

use super::Rule;

/// The class of a byte in a candidate whose escapes are not undone yet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawByteClass {
    /// Belongs to the candidate, as far as is known yet.
    Plain,
    /// `1`, which may start the next name.
    DigitOne,
    /// `<`, which may start a tag.
    AngleBracket,
    /// May be an escape, or start one.
    Escape,
    /// White space.
    Blank,
    /// Ends the candidate: control characters, a double quote, and the marks that no registered name holds.
    EndsName,
}

impl RawByteClass {
    pub(crate) fn of(byte: u8) -> RawByteClass {
        CLASSES[byte as usize]
    }
}

const CLASSES: [RawByteClass; 256] = {
    let mut classes = [RawByteClass::Plain; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' => RawByteClass::Blank,
            0..0x20 | 0x7F | b'"' | b'|' | b'`' => RawByteClass::EndsName,
            b'<' => RawByteClass::AngleBracket,
            b'1' => RawByteClass::DigitOne,
            0x80.. => RawByteClass::Escape,
            byte if Rule::any_looks_at("escape.", byte) => RawByteClass::Escape,
            _ => RawByteClass::Plain,
        };
        byte += 1;
    }
    classes
};

/// Whether `rest`, which starts with `<`, starts with a tag that no name holds: an end tag, a comment or an instruction.
pub(crate) fn is_hard_tag(rest: &[u8]) -> bool {
    Rule::HardTag.holds() && matches!(rest.get(1), Some(b'/' | b'!' | b'?'))
}

/// Templates of wikis for characters that would be markup, and their meanings.
const WIKI_CHARACTERS: [(&str, &str); 7] = [
    ("{{lt}}", "<"),
    ("{{gt}}", ">"),
    ("{{=}}", "="),
    ("{{!}}", "|"),
    ("{{lsqb}}", "["),
    ("{{rsqb}}", "]"),
    ("{{amp}}", "&"),
];

/// Returns the template for a character that `rest` starts with, and its meaning.
pub(crate) fn wiki_character_at(rest: &[u8]) -> Option<&'static (&'static str, &'static str)> {
    let is = |(written, _): &&(&str, &str)| {
        let start = rest.get(..written.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(written.as_bytes()))
    };
    WIKI_CHARACTERS.iter().find(is)
}

/// Tags of HTML that are optional breaks.
const BREAK_TAGS: [&[u8]; 3] = [b"<wbr>", b"<wbr/>", b"<wbr />"];

/// Commands of LaTeX that are optional breaks, without the backslash.
const BREAK_COMMANDS: [&[u8]; 13] = [
    b"allowbreak",
    b"linebreak[0]",
    b"linebreak[1]",
    b"linebreak[2]",
    b"linebreak[3]",
    b"linebreak[4]",
    b"penalty0",
    b"hspace{0pt}",
    b"hspace{0em}",
    b"hspace*{0pt}",
    b"hspace*{0em}",
    b"hskip0pt",
    b"discretionary{}{}{}",
];

/// Returns the length of the optional break in markup that `rest` starts with: a tag, or a command with the braces or the blank
/// that end it.
pub(crate) fn optional_break_len(rest: &[u8]) -> Option<usize> {
    let first = |forms: &'static [&'static [u8]], rest: &[u8]| {
        // Tags of HTML may have letters of any case.
        let is_form = |form: &&&[u8]| {
            let start = rest.get(..form.len()).unwrap_or_default();
            start == **form || form.starts_with(b"<") && start.eq_ignore_ascii_case(form)
        };
        forms
            .iter()
            .find(is_form)
            .filter(|_| Rule::OptionalBreak.holds())
    };
    match rest {
        [b'<', b'w' | b'W', ..] => Some(first(&BREAK_TAGS, rest)?.len()),
        [b'\\', rest @ ..] => {
            let command = first(&BREAK_COMMANDS, rest)?;
            let ending = match &rest[command.len()..] {
                [b'{', b'}', ..] => 2,
                [b' ' | b'\t' | b'\r' | b'\n', ..] => 1,
                _ => 0,
            };
            Some(1 + command.len() + ending)
        }
        _ => None,
    }
}

/// Whether `written` ends in a command of LaTeX that is an optional break. Blanks after it end the command and are not shown.
pub(crate) fn ends_in_break_command(written: &[u8]) -> bool {
    let may_end = |last: &u8| matches!(last, b'k' | b'0' | b't' | b']' | b'}');
    let is_at_end = |command: &&[u8]| {
        let front = written.strip_suffix(*command);
        front.is_some_and(|front| front.ends_with(b"\\")) && Rule::OptionalBreak.holds()
    };
    written.last().is_some_and(may_end) && BREAK_COMMANDS.iter().any(is_at_end)
}

/// Whether `rest` may start with an optional break, at a glance.
#[inline]
pub(crate) fn may_start_break(rest: &[u8]) -> bool {
    match rest {
        [0xC2, 0xAD, ..] | [0xE2, 0x80, 0x8B..=0x8D, ..] => true,
        [0xE2, 0x81, 0xA0, ..] | [0xEF, 0xBB, 0xBF, ..] => true,
        [b'%', b'C' | b'c', ..] | [b'%', b'E' | b'e', b'2', ..] => true,
        _ => matches!(rest, [b'<', b'w' | b'W', ..] | [b'&' | b'\\', ..]),
    }
}

/// As [`may_start_break`], but reads the bytes after backslashes too, which may be those of a slash.
pub(crate) fn starts_break(rest: &[u8]) -> bool {
    let backslashes = rest.iter().take_while(|byte| **byte == b'\\').count();
    match &rest[backslashes..] {
        _ if backslashes == 0 => may_start_break(rest),
        [b'u', code @ ..] => {
            matches!(
                code,
                [b'0', b'0', b'a' | b'A', ..] | [b'2', b'0', ..] | [b'f' | b'F', ..]
            )
        }
        [first, ..] => matches!(first, b'a' | b'l' | b'p' | b'h' | b'd'),
        [] => false,
    }
}

/// Whether `before` may end with an optional break, at a glance.
#[inline]
pub(crate) fn may_end_break(before: &[u8]) -> bool {
    let may_be = |last: &u8| may_be_last_of_break(*last);
    before.last().is_some_and(may_be) && ends_in_break(before)
}

/// Whether `byte` may be the first of an optional break.
#[inline]
pub(crate) const fn may_be_first_of_break(byte: u8) -> bool {
    matches!(byte, b'&' | b'<' | b'%' | b'\\' | 0x80..)
}

/// Whether `byte` may be the last of an optional break.
#[inline]
pub(crate) const fn may_be_last_of_break(byte: u8) -> bool {
    matches!(
        byte,
        b'>' | b';' | b']' | b'}' | b'0' | b'k' | b't' | b'B'..=b'D' | b'F' | b'b'..=b'd' | b'f'
            | 0x8B..=0x8D | 0xA0 | 0xAD | 0xBF
    )
}

fn ends_in_break(before: &[u8]) -> bool {
    match before {
        [.., 0xC2, 0xAD] | [.., 0x80, 0x8B..=0x8D] | [.., 0x81, 0xA0] | [.., 0xBB, 0xBF] => true,
        [front @ .., b'>'] => ends_in_break_tag(front),
        [front @ .., b';'] => ends_in_break_entity(front),
        // A command.
        [.., b']' | b'}'] | [.., b'y', b'0'] | [.., b'a', b'k'] | [.., b'p', b't'] => {
            is_after_backslash(before)
        }
        [.., b'%', _, _] => ends_in_break_escape(before),
        [.., b'\\', b'u', _, _, _, _] => ends_in_code(before),
        _ => false,
    }
}

/// Whether `before` ends in an optional break that is a percent-encoded character.
fn ends_in_break_escape(before: &[u8]) -> bool {
    const ESCAPES: [&[u8]; 4] = [b"%E2%80%8B", b"%E2%80%8C", b"%E2%80%8D", b"%C2%AD"];
    let ends_in = |escape: &&[u8]| {
        let at = before.len().checked_sub(escape.len());
        at.is_some_and(|at| before[at..].eq_ignore_ascii_case(escape))
    };
    ESCAPES.iter().any(ends_in)
}

/// Whether `front`, before the end of a tag, ends in the tag of an optional break.
fn ends_in_break_tag(front: &[u8]) -> bool {
    let front = front.strip_suffix(b"/").unwrap_or(front);
    let name = front.trim_ascii_end().last_chunk::<3>();
    name.is_some_and(|name| name.eq_ignore_ascii_case(b"wbr"))
}

/// Whether `front`, before a semicolon, ends in the entity of an optional break.
fn ends_in_break_entity(front: &[u8]) -> bool {
    if let Some(mut front) = front.strip_suffix(b"gt") {
        while let Some(outer) = front.strip_suffix(b"amp;") {
            front = outer;
        }
        return front.strip_suffix(b"&").is_some_and(ends_in_break_tag);
    }
    let names = [&b"shy"[..], b"Space", b"NoBreak", b"zwnj", b"zwj"];
    let head = || {
        let code = front.iter().rposition(|byte| !byte.is_ascii_hexdigit());
        code.map(|at| front[at])
    };
    names.iter().any(|name| front.ends_with(name))
        || ends_in_code(front) && matches!(head(), Some(b'#' | b'x' | b'X'))
}

/// Whether `text` ends in the last digits of the code of a character that is an optional break.
fn ends_in_code(text: &[u8]) -> bool {
    matches!(
        text,
        [.., b'7', b'3' | b'9'] | [.., b'0', b'3'..=b'5'] | [.., b'8', b'8'] | [.., b'6', b'0']
            | [.., b'a' | b'A', b'd' | b'D'] | [.., b'0', b'b'..=b'd' | b'B'..=b'D']
            | [.., b'f' | b'F', b'f' | b'F']
    )
}

/// Whether a backslash is near the end of `text`.
fn is_after_backslash(text: &[u8]) -> bool {
    /// Max bytes of a command.
    const MAX_COMMAND_BYTES: usize = 32;
    text[text.len().saturating_sub(MAX_COMMAND_BYTES)..].contains(&b'\\')
}
