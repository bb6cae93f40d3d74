//! How far a candidate can reach at most, in the bytes as they stand: to what no name goes past, however it is escaped.

use super::automaton;
use super::start::start;

/// Where a candidate's bytes stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) end: usize,
    /// Something may have to be decoded, or white space was passed over to join a broken name.
    pub(super) escaped: bool,
}

/// Follows `window` from `from`, behind the prefix of the name at `anchor`, for at most `limit` bytes of name.
///
/// Only behind a label or proxy (`joinable`) can white space be a break inside a name.
pub(super) fn reach(
    window: &[u8],
    anchor: usize,
    from: usize,
    limit: usize,
    joinable: bool,
) -> Reach {
    let last = window.len().min(anchor + limit + 1);
    let (mut at, mut escaped) = (from, false);
    while at < last {
        at += plain_len(&window[at..last]);
        let Some(byte) = window[..last].get(at) else {
            break;
        };
        at += match CLASSES[*byte as usize] {
            Class::One => match next_name(window, from, at) {
                Some(next) => {
                    // A break directly before the next name was none.
                    at = from + window[from..next].trim_ascii_end().len();
                    break;
                }
                None => 1,
            },
            Class::Less if matches!(window.get(at + 1), Some(b'/' | b'!' | b'?')) => break,
            Class::Less => {
                let tag = optional_break_len(&window[at..]);
                escaped |= tag.is_some();
                tag.unwrap_or(1)
            }
            Class::Plain => 1,
            Class::Escape => {
                escaped = true;
                1
            }
            Class::Blank if joinable => match break_len(window, from, at) {
                Some(len) => {
                    escaped = true;
                    len
                }
                None => break,
            },
            Class::Blank | Class::Hard => break,
        };
    }
    Reach {
        end: at.min(last),
        escaped,
    }
}

/// The length of the `<wbr>` that `rest` starts with; no other tag is a part of what it stands in.
fn optional_break_len(rest: &[u8]) -> Option<usize> {
    let forms = [&b"<wbr>"[..], b"<wbr/>", b"<wbr />"];
    let form = forms.iter().find(|form| rest.starts_with(form));
    form.map(|form| form.len())
}

/// How many plain bytes come before one that needs a look.
fn plain_len(bytes: &[u8]) -> usize {
    let special = bytes
        .iter()
        .position(|byte| CLASSES[*byte as usize] != Class::Plain);
    special.unwrap_or(bytes.len())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    /// May start the next name.
    One,
    /// May start a tag.
    Less,
    /// May be, or start, what has to be decoded.
    Escape,
    Blank,
    /// Controls, a double quote, and the marks that no registered name holds.
    Hard,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' => Class::Blank,
            0..0x20 | 0x7F | b'"' | b'|' | b'`' => Class::Hard,
            b'\\' | b'&' | b'{' | b'$' | b'%' | 0x80.. => Class::Escape,
            b'<' => Class::Less,
            b'1' => Class::One,
            _ => Class::Plain,
        };
        byte += 1;
    }
    classes
};

/// Where the name of its own begins that has its anchor at `at`, its scheme or proxy included.
fn next_name(window: &[u8], from: usize, at: usize) -> Option<usize> {
    if !matches!(window[at..], [_, b'0', b'.' | b'%' | b'&' | b'\\', ..]) {
        return None;
    }
    let start = start(window, at)?.ok()?;
    let opener = automaton::scheme(&window[from..start.outer]);
    Some(start.outer - opener.map_or(0, |opener| opener.len))
}

/// The length of the white space at `at`, if it may be a break inside the name that starts at `from`.
fn break_len(window: &[u8], from: usize, at: usize) -> Option<usize> {
    const LONGEST: usize = 16;
    let rest = &window[at..];
    let blanks = rest
        .iter()
        .take(LONGEST)
        .take_while(|b| b.is_ascii_whitespace())
        .count();
    let lines = rest[..blanks].iter().filter(|b| **b == b'\n').count();
    let word = word(&rest[blanks..]);
    (lines <= 1 && goes_on(&window[from..at], word)).then_some(blanks)
}

/// Whether `word` looks like the rest of the name whose suffix so far is `suffix`.
///
/// A slash wants more behind it; a hyphen or colon goes on with digits; and a suffix without any digit is seldom whole.
fn goes_on(suffix: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else {
        return false;
    };
    let has_digit = word.iter().any(u8::is_ascii_digit);
    let starts_well = first.is_ascii_alphanumeric() || *first == b'(';
    match suffix {
        [] => starts_well && (has_digit || first.is_ascii_lowercase()),
        [.., b'/' | b'-' | b':'] => starts_well && has_digit,
        b"j." => first.is_ascii_alphanumeric(),
        [.., b'.'] => first.is_ascii_digit() && !suffix.iter().any(u8::is_ascii_digit),
        _ => false,
    }
}

/// The bytes up to the next white space or quote.
fn word(rest: &[u8]) -> &[u8] {
    const LONGEST: usize = 64;
    let len = rest
        .iter()
        .take(LONGEST)
        .take_while(|b| !b.is_ascii_whitespace() && **b != b'"')
        .count();
    &rest[..len]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(text: &str, joinable: bool) -> &str {
        let from = text.find('/').unwrap() + 1;
        &text[..reach(text.as_bytes(), 0, from, 1000, joinable).end]
    }

    #[test]
    fn hard_ends_and_the_next_name() {
        for (text, expected) in [
            ("10.5555/abc def", "10.5555/abc"),
            ("10.5555/abc</doi>", "10.5555/abc"),
            ("10.5555/a<1::b>2", "10.5555/a<1::b>2"),
            ("10.5555/a10.5555/b", "10.5555/a"),
            ("10.5555/ahttps://doi.org/10.5555/b", "10.5555/a"),
            ("10.5555/aDOI:10.5555/b", "10.5555/a"),
            ("10.5555/10.5555/b", "10.5555/10.5555/b"),
            ("10.5555/a.10.5555/b", "10.5555/a.10.5555/b"),
            ("10.5555/a10.0.0.0/8", "10.5555/a10.0.0.0/8"),
        ] {
            assert_eq!(reached(text, false), expected, "{text}");
        }
    }

    #[test]
    fn breaks() {
        for (text, expected) in [
            ("10.5555/ es030360x. Next", "10.5555/ es030360x."),
            ("10.5555/\n  journal.pbio", "10.5555/\n  journal.pbio"),
            ("10.5555/ Smith, J.", "10.5555/"),
            ("10.5555/S0045- 6535(00)", "10.5555/S0045- 6535(00)"),
            ("10.5555/abc- see", "10.5555/abc-"),
            ("10.5555/abc1. 2015", "10.5555/abc1."),
            ("10.5555/ldr. 1091", "10.5555/ldr. 1091"),
            ("10.5555/\n\nabc1", "10.5555/"),
        ] {
            assert_eq!(reached(text, true), expected, "{text}");
            assert_eq!(
                reached(text, false),
                &text[..text
                    .find(' ')
                    .unwrap_or(8)
                    .min(text.find('\n').unwrap_or(99))]
            );
        }
    }
}
