//! Undoes the changes that encoders and typesetters made to the characters of a name.

use unicode_general_category::{GeneralCategory as Gc, get_general_category};

use crate::doi::decode_escapes;
use crate::scan::markup;
use crate::scan::rules::Rule;
use crate::scan::rules::dirt::{Draft, Edit, is_line_end};
use crate::scan::rules::joint::numbered_line_end_len;
use crate::scan::rules::script::is_typeset_dash;

/// A rule on characters. Its function returns the number of bytes at the start of a text to replace, and the replacement.
type EditRule = (Rule, fn(&str) -> Option<(usize, String)>);

/// Rules on characters that were read in a wrong encoding, and on ligatures.
const MISREAD_RULES: [EditRule; 2] = [(Rule::Mojibake, read_as_latin), (Rule::Ligature, ligature)];

/// A rule, the characters that it replaces, and their replacement.
type CharacterRule = (Rule, fn(char) -> bool, &'static str);

const REPLACEMENTS: [CharacterRule; 6] = [
    (Rule::LostCharacter, |c| c == '\u{FFFD}', ""),
    (Rule::FontMark, |c| c == '¡', "<"),
    (Rule::FontMark, |c| c == '¿', ">"),
    (Rule::FontMark, |c| c == '˙', "_"),
    (Rule::TypesetDash, is_typeset_dash, "-"),
    (Rule::Invisible, is_invisible, ""),
];

/// Undoes entities, backslashes and full width, turns dashes into hyphens, and drops invisible characters.
pub(super) fn restore_characters(draft: &mut Draft) {
    draft.apply(Rule::QuotedPrintable, quoted_printable(&draft.text));
    draft.apply(Rule::BreakInEscape, broken_escapes(&draft.text));
    draft.apply(Rule::DirtBreak, line_numbers(&draft.text));
    if draft.text.contains(['\\', '&', '{', '$', '%', '<']) {
        for layer in markup() {
            let mut rounds = 0..layer.rounds;
            let read = |rest: &str| layer.meaning(rest);
            while rounds.next().is_some() && draft.apply(layer.rule, edits(&draft.text, read)) {}
        }
    }
    draft.apply(Rule::BreakAfterSoftHyphen, edits(&draft.text, soft_hyphen));
    if !draft.text.is_ascii() {
        for (rule, read) in MISREAD_RULES {
            draft.apply(rule, edits(&draft.text, read));
        }
        draft.apply(Rule::LookAlike, look_alikes(&draft.text));
    }
    replace_characters(draft);
}

/// Turns dashes into hyphens, undoes marks that fonts replaced, and drops invisible characters. Turns blanks of any width into
/// blanks, and line ends into line feeds.
pub(super) fn replace_characters(draft: &mut Draft) {
    if draft.text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return;
    }
    for (rule, is_meant, with) in REPLACEMENTS {
        let read = |rest: &str| {
            let c = rest.chars().next().filter(|c| is_meant(*c))?;
            Some((c.len_utf8(), with.to_owned()))
        };
        draft.apply(rule, edits(&draft.text, read));
    }
    if draft.text.contains(is_unusual_blank) {
        let blank = |c: char| match c {
            _ if is_line_end(c) => '\n',
            _ if is_unusual_blank(c) => ' ',
            _ => c,
        };
        draft.text = draft.text.chars().map(blank).collect();
    }
}

/// Whether a character is a line end, or white space other than a blank.
fn is_unusual_blank(c: char) -> bool {
    c != ' ' && (c.is_whitespace() || is_line_end(c))
}

/// Returns the line ends and white space of `text` other than blanks.
pub(super) fn unusual_blanks(text: &str) -> String {
    text.chars().filter(|c| is_unusual_blank(*c)).collect()
}

/// Returns an edit for each match of `read`.
fn edits(text: &str, read: impl Fn(&str) -> Option<(usize, String)>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let len = match read(&text[at..]) {
            Some((len, with)) => {
                let part = at..at + len;
                edits.push(Edit { part, with });
                len
            }
            None => c.len_utf8(),
        };
        at += len;
    }
    edits
}

/// Drops white space inside percent escapes of punctuation.
fn broken_escapes(text: &str) -> Vec<Edit> {
    let blanks = |at: usize| {
        let rest = text[at + 1..].trim_start_matches(|c: char| c.is_ascii_hexdigit());
        let first = text.len() - rest.len() - at - 1;
        let second = rest.trim_start();
        let digits = [
            &text[at + 1..at + 1 + first],
            second.get(..2 - first.min(2))?,
        ]
        .concat();
        let byte = u8::from_str_radix(&digits, 16).ok()?;
        let is_broken = first < 2 && second.len() < rest.len() && byte.is_ascii_punctuation();
        let end = text.len() - second.len();
        is_broken.then(|| Edit::drop(text.len() - rest.len()..end))
    };
    text.match_indices('%')
        .filter_map(|(at, _)| blanks(at))
        .collect()
}

/// Drops printed line numbers, each after a line end and before two blanks.
fn line_numbers(text: &str) -> Vec<Edit> {
    let numbers = text.match_indices('\n').filter_map(|(at, _)| {
        let len = numbered_line_end_len(&text.as_bytes()[at..])?;
        Some(Edit::drop(at + 1..at + len))
    });
    numbers.collect()
}

/// Drops a soft hyphen with the white space after it.
fn soft_hyphen(rest: &str) -> Option<(usize, String)> {
    let after = rest.strip_prefix('\u{ad}')?;
    let next = after.trim_start();
    (next.len() < after.len()).then(|| (rest.len() - next.len(), String::new()))
}

/// Undoes the quoted-printable of e-mail, if an escape ends the text, or, in a text without `?`, if an escape is of punctuation
/// or not ASCII. After a `?`, `=20` may start a parameter's value. No registered name has an equals sign before two hexadecimal
/// digits.
fn quoted_printable(text: &str) -> Vec<Edit> {
    let digits = |at: usize| text.get(at + 1..at + 3);
    let byte = |at: usize| u8::from_str_radix(digits(at)?, 16).ok();
    let is_mark = |byte: u8| byte.is_ascii_punctuation() || !byte.is_ascii();
    let shows = |(at, _)| byte(at).is_some_and(is_mark);
    let ends = ["=20", "=0D", "=0A"]
        .iter()
        .any(|mark| text.ends_with(mark));
    if ends || !text.contains('?') && text.match_indices('=').any(shows) {
        escapes(b'=', text)
    } else {
        Vec::new()
    }
}

/// Undoes percent escapes once. Returns no edits if the result is not UTF-8.
pub(super) fn undo_percent(text: &str) -> Vec<Edit> {
    escapes(b'%', text)
}

/// Undoes the escapes that start with `mark`, each run of them as one edit. Returns no edits if the result is not UTF-8.
fn escapes(mark: u8, text: &str) -> Vec<Edit> {
    if !text.as_bytes().contains(&mark) || std::str::from_utf8(&decode_escapes(mark, text)).is_err()
    {
        return Vec::new();
    }
    edits(text, |rest| {
        let is_escape = |part: &&[u8]| {
            part[0] == mark && part.len() == 3 && part[1..].iter().all(u8::is_ascii_hexdigit)
        };
        let len = 3 * rest.as_bytes().chunks(3).take_while(is_escape).count();
        let decoded = || String::from_utf8(decode_escapes(mark, &rest[..len]).into_owned()).ok();
        (len > 0).then(decoded).flatten().map(|with| (len, with))
    })
}

const LIGATURES: [(char, &str); 7] = [
    ('ﬀ', "ff"),
    ('ﬁ', "fi"),
    ('ﬂ', "fl"),
    ('ﬃ', "ffi"),
    ('ﬄ', "ffl"),
    ('ﬅ', "st"),
    ('ﬆ', "st"),
];

fn ligature(rest: &str) -> Option<(usize, String)> {
    let found = |(ligature, _): &&(char, &str)| rest.starts_with(*ligature);
    let (ligature, letters) = LIGATURES.iter().find(found)?;
    Some((ligature.len_utf8(), (*letters).to_owned()))
}

/// Undoes UTF-8 that was read as cp1252 or Latin-1.
pub(super) fn undo_misread_bytes(text: &str) -> Vec<Edit> {
    if text.is_ascii() {
        Vec::new()
    } else {
        edits(text, read_as_latin)
    }
}

/// Reads a character whose UTF-8 bytes were each read as a character of cp1252 or Latin-1.
fn read_as_latin(rest: &str) -> Option<(usize, String)> {
    let (mut bytes, mut len) = ([0; 4], 0);
    let first = byte_in_latin(rest.chars().next()?)?;
    let count = match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    for (byte, c) in bytes.iter_mut().zip(rest.chars()).take(count) {
        *byte = byte_in_latin(c)?;
        len += c.len_utf8();
    }
    let meant = std::str::from_utf8(&bytes[..count]).ok()?;
    Some((len, meant.to_owned()))
}

/// Returns the byte from 0x80 on that is `c` in cp1252 or Latin-1.
fn byte_in_latin(c: char) -> Option<u8> {
    /// The characters of cp1252 from 0x80 to 0x9F; U+FFFD for undefined bytes.
    const CP1252_HIGH: &str = "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ";
    let high = CP1252_HIGH.chars().position(|other| other == c && c != '�');
    let high = high.map(|at| 0x80 + at as u8);
    high.or_else(|| u8::try_from(u32::from(c)).ok().filter(|byte| *byte >= 0x80))
}

/// Replaces characters that look like ASCII. East Asian typesetters set whole names in full width; in other texts, only some
/// marks are replaced.
fn look_alikes(text: &str) -> Vec<Edit> {
    let wide = text.contains("１０") || text.contains("10．");
    edits(text, |rest| {
        let c = rest.chars().next()?;
        let half = ascii_look_alike(c).filter(|half| wide || "/-<>".contains(*half))?;
        Some((c.len_utf8(), half.into()))
    })
}

/// Returns the ASCII character that `c` looks like, such as its full-width form.
fn ascii_look_alike(c: char) -> Option<char> {
    if matches!(c, '⁄' | '∕' | '⧸' | '╱') {
        return Some('/');
    }
    let offset = u32::from('！') - u32::from('!');
    let is_wide = ('！'..='～').contains(&c);
    is_wide
        .then(|| char::from_u32(u32::from(c) - offset))
        .flatten()
}

/// Whether a character is a control or format character, except white space and line ends.
fn is_invisible(c: char) -> bool {
    let is_shown = c.is_ascii_graphic() || c.is_whitespace() || is_line_end(c);
    !is_shown && matches!(get_general_category(c), Gc::Control | Gc::Format)
}
