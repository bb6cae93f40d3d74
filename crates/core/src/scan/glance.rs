//! Recognises the most common bytes before a name at a glance.
//!
//! Most names follow a common proxy or label, or a word that is neither. Then no automaton is needed: it would give the same
//! answer, as tests show. All patterns here are also in `rules::pattern`.

use super::mention::Form;
use super::rules::raw;
use super::window::Opener;

/// Reads the scheme or proxy that `before` ends in, if it is written as most are; otherwise `None`.
#[inline]
pub(super) fn scheme(before: &[u8]) -> Option<Opener> {
    let (form, len) = match before {
        [.., b'/'] => (Form::Url, proxy_len(before)?),
        [front @ .., b'D' | b'd', b'O' | b'o', b'I' | b'i', b':'] => {
            // A longer scheme may end in this one.
            let may_go_on = |last: &u8| matches!(last, b':' | b';' | b'A' | b'a');
            if front.last().is_some_and(may_go_on) {
                return None;
            }
            (Form::Doi, b"doi:".len())
        }
        _ => return None,
    };
    Some(Opener {
        form,
        len,
        is_spaced: false,
    })
}

/// Returns the length of the proxy that `before` ends in. JSON may escape its slashes.
#[inline]
fn proxy_len(before: &[u8]) -> Option<usize> {
    let front = without_slash(before)?.strip_suffix(b"doi.org")?;
    let front = front.strip_suffix(b"dx.").unwrap_or(front);
    let front = without_slash(without_slash(front)?)?.strip_suffix(b":")?;
    let scheme = [&b"https"[..], b"http"];
    let front = scheme.iter().find_map(|scheme| front.strip_suffix(*scheme));
    front.map(|front| before.len() - front.len())
}

#[inline]
fn without_slash(text: &[u8]) -> Option<&[u8]> {
    let front = text.strip_suffix(b"/")?;
    Some(front.strip_suffix(b"\\").unwrap_or(front))
}

/// Whether a scheme or proxy may end where `before` ends: with a separator or an escape of one, then blanks and breaks if any.
#[inline]
pub(super) fn may_end_scheme(before: &[u8]) -> bool {
    let end = before.trim_ascii_end();
    let class = end.last().map_or(0, |last| CLASSES[*last as usize]);
    class & ENDS_SCHEME != 0 || class & ENDS_BREAK != 0 && raw::may_end_break(end)
}

/// Whether an optional break, such as a zero-width space, may start in `near`.
#[inline]
pub(super) fn may_start_break(near: &[u8]) -> bool {
    near.iter()
        .any(|byte| CLASSES[*byte as usize] & STARTS_BREAK != 0)
}

/// Whether an optional break may end in `near`. Blanks may follow it.
#[inline]
pub(super) fn may_end_break(near: &[u8]) -> bool {
    let may_end = |byte: &u8| CLASSES[*byte as usize] & (ENDS_BREAK | BLANK) != 0;
    near.iter().any(may_end)
}

const ENDS_SCHEME: u8 = 1;
const STARTS_BREAK: u8 = 1 << 1;
const ENDS_BREAK: u8 = 1 << 2;
/// Class of the bytes between a label and its name.
const JOINS_LABEL: u8 = 1 << 3;
/// Class of the last bytes of longer joints between a label and its name.
const ENDS_JOINT: u8 = 1 << 4;
const BLANK: u8 = 1 << 5;
const DIGIT: u8 = 1 << 6;

/// The classes of each byte.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        if raw::may_be_first_of_break(at as u8) {
            classes[at] |= STARTS_BREAK;
        }
        if raw::may_be_last_of_break(at as u8) {
            classes[at] |= ENDS_BREAK | ENDS_JOINT;
        }
        at += 1;
    }
    let classes = with_class(classes, b"0123456789", DIGIT);
    let classes = with_class(classes, b"/:;FfAa_", ENDS_SCHEME);
    let classes = with_class(classes, b":.=\"'([{<>|\\-", JOINS_LABEL);
    let classes = with_class(classes, b"AaDdRr2;/\x80\x9A\xA0", ENDS_JOINT);
    with_class(classes, b" \t\n\x0B\x0C\r", BLANK | JOINS_LABEL)
};

/// Returns `classes` with `class` added for each of `bytes`.
const fn with_class(mut classes: [u8; 256], bytes: &[u8], class: u8) -> [u8; 256] {
    let mut at = 0;
    while at < bytes.len() {
        classes[bytes[at] as usize] |= class;
        at += 1;
    }
    classes
}

/// Whether `before` ends in a line after one that ends in a digit. Then it ends in no scheme, label or prefix.
#[inline]
pub(super) fn is_after_number(before: &[u8]) -> bool {
    matches!(before, [.., last, b'\n'] if CLASSES[*last as usize] == DIGIT)
}

/// Whether `before` ends in a label; `None` if the automaton must decide.
#[inline]
pub(super) fn is_labelled(before: &[u8]) -> Option<bool> {
    let is_joint = |byte: &&u8| CLASSES[**byte as usize] & JOINS_LABEL != 0;
    let joints = before.iter().rev().take_while(is_joint).count();
    let (word, joints) = before.split_at(before.len() - joints);
    match word {
        [front @ .., b'D' | b'd', b'O' | b'o', b'I' | b'i'] => {
            let is_word = !front.last().is_some_and(u8::is_ascii_alphabetic);
            (is_word && !joints.is_empty()).then_some(true)
        }
        b"DO" | [.., b'\n' | b'\r', b'D', b'O'] if joints == b"  - " => Some(true),
        _ => {
            let is_joint = |last: &u8| CLASSES[*last as usize] & ENDS_JOINT != 0;
            let may_be_joint = word.last().is_some_and(is_joint) && may_end_joint(word);
            let may_be = may_be_joint || ends_label_word(word);
            (!may_be).then(|| is_in_label_tag(before))
        }
    }
}

/// Whether `before` ends in a tag that contains `doi`, or in the start of a value in such a tag.
#[inline]
fn is_in_label_tag(before: &[u8]) -> bool {
    let tag = match before.trim_ascii_end() {
        [tag @ .., b'>'] => tag,
        [front @ .., b'"' | b'\''] => match front.trim_ascii_end() {
            [tag @ .., b'='] => tag,
            _ => return false,
        },
        _ => return false,
    };
    let Some(open) = memchr::memrchr2(b'<', b'>', tag).filter(|at| tag[*at] == b'<') else {
        return false;
    };
    let tag = &tag[open..];
    let mut starts = memchr::memchr2_iter(b'D', b'd', tag);
    starts.any(|at| matches!(tag[at + 1..], [b'O' | b'o', b'I' | b'i', ..]))
}

/// Whether `word` may end a label: `DOIs`, `doi url`, `DOI link`, `doi no`, `DOI number`, `doi name`, `DO` of RIS, or `DOI` with
/// letters that are escapes of JSON.
fn ends_label_word(word: &[u8]) -> bool {
    let Some(end) = word.last_chunk::<3>() else {
        return word.ends_with(b"DO");
    };
    let [a, b, last] = end.map(|byte| byte | 0x20);
    match last {
        b'o' => matches!(b, b'n' | b'd'),
        b'i' => matches!((a, b), (b'd' | b'4' | b'f', b'o') | (b'4' | b'6', b'f')),
        b's' => matches!((a, b), (b'o' | b'f', b'i') | (b'4' | b'6', b'9')),
        b'9' => matches!((a, b), (b'0', b'4' | b'6')),
        b'l' => (a, b) == (b'u', b'r'),
        b'k' => (a, b) == (b'i', b'n'),
        b'r' => (a, b) == (b'b', b'e'),
        b'e' => (a, b) == (b'a', b'm'),
        _ => false,
    }
}

/// Whether `text` may end in a joint of more than one byte between a label and its name: an escape, a character beyond ASCII, or
/// the domain of a proxy before a blank.
fn may_end_joint(text: &[u8]) -> bool {
    match text {
        [.., b'%', b'3' | b'2', _] | [.., b'o', b't', b';'] | [.., b'r', b'g', b'/'] => true,
        [.., b'B' | b'b', b'R' | b'r'] => true,
        [.., b'R' | b'r', b'/'] | [.., b'R' | b'r', b' ', b'/'] => true,
        [.., 0xC2, 0xA0] | [.., 0x80, 0x80] | [.., 0xBC, 0x9A] => true,
        _ => raw::may_end_break(text),
    }
}

/// Whether a whole prefix may end where `before` ends.
#[inline]
pub(super) fn may_end_prefix(before: &[u8]) -> bool {
    match before {
        [front @ .., b'0'..=b'9', b'/'] => may_end_code(front),
        [.., b'\\', b'/'] => true,
        [.., b'2', b'F' | b'f'] | [.., b'7' | b'F' | b'f' | b'l', b';'] => true,
        _ => false,
    }
}

/// Whether `text` may end in a directory indicator and a registrant code without its last digit.
fn may_end_code(text: &[u8]) -> bool {
    let is_part = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
    let len = text.iter().rev().take_while(is_part).count();
    let (front, code) = text.split_at(text.len() - len);
    // The full stop may be escaped.
    let is_escape = |last: &u8| matches!(last, b'E' | b'e' | b';');
    code.windows(3).any(|three| three == b"10.") || front.last().is_some_and(is_escape)
}
