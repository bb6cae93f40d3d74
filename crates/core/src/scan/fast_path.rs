//! Recognises a simple name and the bytes around it at a glance.
//!
//! A simple name is `10.`, four to nine digits, a slash, alone or after the backslash of JSON, and then only letters, digits, `-`,
//! `_`, `/`, full stops and a pair of round brackets. It goes up to the end of the text, a quote, an end tag, the brace that closes
//! its enclosure or a blank, perhaps with marks of a sentence before the blank. All rules here are in the rulebook: where one of its rules could decide otherwise,
//! the name is not simple, and all rules are asked. Tests compare the answers with those of the naive twin, which has no such
//! shortcut.

use wide::u8x16;

use super::anchor::is_broken_off;
use super::automaton::{self, ends_in_prefix};
use super::context::opener;
use super::glance;
use super::mention::Form;
use super::name_buffers::{MAX_SHORT_NAME_BYTES, NameBuffers};
use super::rules::arxiv::may_have_version;
use super::rules::enclosure::Enclosure;
use super::rules::joint::BreakRules;
use super::rules::page::AngleBracket;
use super::rules::place::{UrlPlace, is_citation_key};
use super::rules::raw::is_hard_tag;
use super::rules::start::{WrittenPrefix, may_go_on_after};
use super::rules::tail::ends_field_page;
use super::rules::template::{ends_in_blank_form, is_joined_to_value};
use super::rules::word::{glued_title, is_glued, may_have_label};
use super::rules::{Rule, TextScope};
use super::window::{AcceptedName, KnownVerdict, Opener};
use crate::bits::{Bits, positions};

/// Accepts the simple name with `prefix` at `at` of `window`, and sets `buffers` to it; `None` if all rules must be asked.
pub(super) fn accept(
    window: &[u8],
    at: usize,
    prefix: WrittenPrefix,
    scope: TextScope,
    buffers: &mut NameBuffers,
) -> Option<AcceptedName> {
    if scope == TextScope::Printed || !Rule::all_hold() {
        return None;
    }
    let (before, after) = window.split_at(at);
    let escape = escape_len(prefix, after)?;
    let mut padded = [0; MAX_SHORT_NAME_BYTES];
    let bytes = unescaped(after, prefix.len, escape, &mut padded);
    let (marks, suffix) = (ByteClassBits::of(bytes), prefix.len - escape);
    let name_len = marks.name_len(bytes, suffix)?;
    let len = name_len + escape;
    let ending = NameEnding::read(&after[len..])?;
    let name = &bytes[suffix..name_len];
    let has_version = may_have_version(&bytes[..suffix - 1]);
    if has_version
        || ends_in_blank_form(name)
        || may_have_label(&bytes[..name_len], marks.stem_len(name_len))
    {
        return None;
    }
    let opener = fast_opener(before, scope)?;
    let surroundings = Surroundings {
        form: opener.form,
        before: &before[..at - opener.len],
        scope,
    };
    if !surroundings.lets_end(&ending, window, at + prefix.len, at + len) {
        return None;
    }
    buffers.set_as_written(&bytes[..name_len])?;
    Some(AcceptedName {
        form: opener.form,
        guessed: false,
        rule: ending.rule,
        len,
        known_verdict: KnownVerdict::NotAsked,
    })
}

/// Returns the bytes of the escape in the prefix that `after` starts with: 0 if nothing is escaped, 1 for a slash as JSON escapes
/// it, `None` for other escapes.
fn escape_len(prefix: WrittenPrefix, after: &[u8]) -> Option<usize> {
    match &after[..prefix.len] {
        _ if !prefix.is_escaped => Some(0),
        [b'1', b'0', b'.', code @ .., b'\\', b'/'] => {
            let is_usual = (4..=9).contains(&code.len()) && code.iter().all(u8::is_ascii_digit);
            is_usual.then_some(1)
        }
        _ => None,
    }
}

/// Returns the start of `text` without the `escape` bytes before the slash that ends its first `prefix` bytes. Copies it to
/// `padded` if there are such bytes or `text` is shorter than `MAX_SHORT_NAME_BYTES`.
#[inline]
fn unescaped<'t>(
    text: &'t [u8],
    prefix: usize,
    escape: usize,
    padded: &'t mut [u8; MAX_SHORT_NAME_BYTES],
) -> &'t [u8; MAX_SHORT_NAME_BYTES] {
    if let Some(bytes) = text.first_chunk().filter(|_| escape == 0) {
        return bytes;
    }
    let (head, rest) = (prefix - 1 - escape, &text[prefix - 1..]);
    let len = rest.len().min(MAX_SHORT_NAME_BYTES - head);
    padded[..head].copy_from_slice(&text[..head]);
    padded[head..head + len].copy_from_slice(&rest[..len]);
    padded
}

/// Positions of the bytes of some classes, as bits, the lowest for the first byte.
struct ByteClassBits {
    stops: Bits,
    open: Bits,
    close: Bits,
    digits: Bits,
    /// Bytes of no class above that are not letters, `-`, `_` or `/` either.
    other: Bits,
}

impl ByteClassBits {
    fn of(bytes: &[u8; MAX_SHORT_NAME_BYTES]) -> ByteClassBits {
        let mut marks = ByteClassBits {
            stops: 0,
            open: 0,
            close: 0,
            digits: 0,
            other: 0,
        };
        let mut at = 0;
        while let Some(part) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            marks.add(u8x16::new(*part), at);
            if marks.other != 0 {
                break;
            }
            at += 16;
        }
        marks
    }

    #[inline(always)]
    fn add(&mut self, part: u8x16, at: usize) {
        let is = |byte: u8| part.cmp_eq(u8x16::splat(byte));
        let in_range = |bytes: u8x16, first: u8, last: u8| {
            let from_first = bytes - u8x16::splat(first);
            from_first
                .min(u8x16::splat(last - first))
                .cmp_eq(from_first)
        };
        let letters = in_range(part | u8x16::splat(0x20), b'a', b'z');
        // `-`, the full stop, `/` and the digits.
        let digits_and_marks = in_range(part, b'-', b'9');
        let (stops, open, close) = (is(b'.'), is(b'('), is(b')'));
        let in_name = letters | digits_and_marks | open | close | is(b'_');
        let bits = |part: u8x16| Bits::from(part.move_mask() as u16) << at;
        self.stops |= bits(stops);
        self.open |= bits(open);
        self.close |= bits(close);
        self.digits |= bits(in_range(part, b'0', b'9'));
        self.other |= bits(!in_name);
    }

    /// Returns the length of the first `len` bytes without the digits that they end in.
    fn stem_len(&self, len: usize) -> usize {
        let others = !self.digits & (((1 as Bits) << len) - 1);
        (Bits::BITS - others.leading_zeros()) as usize
    }

    /// Returns the length of the name, without a full stop after it; `None` if a rule must decide about bytes from `suffix` on.
    fn name_len(&self, bytes: &[u8; MAX_SHORT_NAME_BYTES], suffix: usize) -> Option<usize> {
        let (end, open) = (self.other.trailing_zeros(), self.open.trailing_zeros());
        // A closing bracket that nothing opens ends the name.
        let end = match self.close.trailing_zeros() {
            close if close < open.min(end) => close,
            _ => end,
        };
        let suffix_bytes = bytes.get(suffix..end as usize)?;
        let suffix_bytes = suffix_bytes.strip_suffix(b".").unwrap_or(suffix_bytes);
        let len = suffix + suffix_bytes.len();
        if MAY_BE_CUT[*suffix_bytes.last()? as usize]
            || len >= MAX_SHORT_NAME_BYTES
            || !self.has_pair(len)
        {
            return None;
        }
        // The first full stop is that of the prefix.
        let mut stops = positions(self.stops & (Bits::MAX >> (63 - len))).skip(1);
        (!stops.any(|stop| needs_rule(bytes, stop))).then_some(len)
    }

    /// Whether the first `len` bytes have no round brackets, or just one pair.
    fn has_pair(&self, len: usize) -> bool {
        let before_end = ((1 as Bits) << len) - 1;
        let (open, close) = (self.open & before_end, self.close & before_end);
        open | close == 0 || open.is_power_of_two() && close.is_power_of_two() && open < close
    }
}

/// Whether a rule may cut a name with this last byte: a mark, or the last letter of a page in a field.
const MAY_BE_CUT: [bool; 256] = {
    let mut may_be_cut = [true; 256];
    let mut byte = 0;
    while byte < 256 {
        let last = byte as u8;
        may_be_cut[byte] = !last.is_ascii_alphanumeric() || ends_field_page(last);
        byte += 1;
    }
    may_be_cut
};

/// Whether a rule must decide about the full stop at `stop`: it may start a glued word, a prefix or an ellipsis.
fn needs_rule(bytes: &[u8; MAX_SHORT_NAME_BYTES], stop: usize) -> bool {
    is_glued(&bytes[stop + 1..]) || matches!(bytes[stop - 2..stop], [b'1', b'0'] | [_, b'('])
}

/// Reads the opener of a name that follows `before`; `None` if the name may not start there or may be in a URL of another host.
#[inline]
fn fast_opener(before: &[u8], scope: TextScope) -> Option<Opener> {
    if scope != TextScope::Page && ends_in_member(before) {
        let form = Form::Label;
        return Some(Opener {
            form,
            len: 0,
            is_spaced: false,
        });
    }
    // In a page, only a URL is sure to be outside of its machinery.
    if scope == TextScope::Page && !before.ends_with(b"/") {
        return None;
    }
    if glance::is_after_number(before) {
        return Some(Opener {
            form: Form::Bare,
            len: 0,
            is_spaced: false,
        });
    }
    if before.is_empty()
        || may_go_on_after(before)
        || ends_in_prefix(before)
        || is_citation_key(before)
    {
        return None;
    }
    let opener = opener(before);
    let outside = &before[..before.len() - opener.len];
    let scheme = |bytes: &[u8]| automaton::scheme(bytes).is_some();
    let is_outside = UrlPlace::of(outside, opener.form, scheme) == UrlPlace::None;
    let is_sure = scope != TextScope::Page || matches!(opener.form, Form::Url | Form::Hdl);
    (is_outside && is_sure && !opener.is_spaced).then_some(opener)
}

/// Whether `before` ends in the member DOI of a JSON object and the quote that opens its value: a label, neither a citation key
/// nor in a URL.
fn ends_in_member(before: &[u8]) -> bool {
    let Some(head) = before.strip_suffix(b"\"") else {
        return false;
    };
    let head = head.strip_suffix(b" ").unwrap_or(head);
    match head {
        [
            front @ ..,
            b'D' | b'd',
            b'O' | b'o',
            b'I' | b'i',
            b'"',
            b':',
        ] => !front.last().is_some_and(u8::is_ascii_alphabetic),
        _ => false,
    }
}

/// How a name ends after its last letter or digit.
struct NameEnding {
    /// The rule that ends the name there; `None` if its text ends.
    rule: Option<Rule>,
    /// Length of the sentence marks before a blank or the end of the text; `None` where nothing more could belong to the name.
    marks: Option<usize>,
}

impl NameEnding {
    /// Reads the ending that `rest` starts with; `None` if other rules must decide.
    fn read(rest: &[u8]) -> Option<NameEnding> {
        let (rule, marks) = match rest {
            [] | [b'"' | b'}', ..] => (None, None),
            // `</span>`, say, may be in the text of a link.
            [b'<', b'/', b's', b'p', ..] => return None,
            [b'<', ..] if is_hard_tag(rest) => (None, None),
            [b' ' | b'\t' | b'\n' | b'\r', ..] => (None, Some(0)),
            // Full stops with white space between them are an ellipsis.
            [b'.', _, b'.', ..] => return None,
            [b'.', b',' | b';' | b')', ..] => (Some(Rule::FinalMark), Some(2)),
            [b'.', ..] => (Some(Rule::FinalMark), Some(1)),
            [b',', ..] => (Some(Rule::Comma), Some(1)),
            [b';', ..] => (Some(Rule::Semicolon), Some(1)),
            [b')', b'.' | b',' | b';', ..] => (Some(Rule::RoundBracket), Some(2)),
            [b')', ..] => (Some(Rule::RoundBracket), Some(1)),
            _ => return None,
        };
        let after = marks.and_then(|marks| rest.get(marks));
        let is_end = after.is_none_or(u8::is_ascii_whitespace);
        is_end.then_some(NameEnding { rule, marks })
    }
}

/// The surroundings of a name.
struct Surroundings<'w> {
    form: Form,
    /// The bytes before the name and its scheme or proxy.
    before: &'w [u8],
    scope: TextScope,
}

impl Surroundings<'_> {
    /// Whether the name surely ends at `end` of `window`, whatever encloses it, and does not go on after white space.
    #[inline]
    fn lets_end(&self, ending: &NameEnding, window: &[u8], suffix: usize, end: usize) -> bool {
        match ending.marks {
            Some(marks) => self.lets_end_before_blank(marks, window, suffix, end),
            None => {
                let rest = &window[end..];
                if rest.starts_with(b"}") && !self.is_in_braces() {
                    return false;
                }
                let may_go_on = || {
                    matches!(
                        AngleBracket::of(rest, self.scope),
                        AngleBracket::InlineTags(_)
                    )
                };
                !(is_joined_to_value(rest) || self.scope == TextScope::Page && may_go_on())
            }
        }
    }

    fn lets_end_before_blank(
        &self,
        marks: usize,
        window: &[u8],
        suffix: usize,
        end: usize,
    ) -> bool {
        let (name, rest) = window.split_at(end);
        if marks > 0 && self.is_enclosed() || name.ends_with(b"10") && is_broken_off(rest) {
            return false;
        }
        let break_rules = BreakRules::new(self.form, self.scope);
        let breaks = break_rules.break_len(&window[..end + marks], suffix, end, &rest[marks..]);
        breaks.is_none()
            && !break_rules.may_go_on(|| name, rest)
            && glued_title(&name[suffix..], || rest).is_none()
    }

    fn is_in_braces(&self) -> bool {
        self.before.ends_with(b"{") && !self.scope.is_cell() && Rule::Enclosure.holds()
    }

    fn is_enclosed(&self) -> bool {
        self.scope.is_cell() || Enclosure::opened_by(self.before).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::rules::suffix::ALWAYS_IN_HEAD;

    #[test]
    fn what_is_taken_at_a_glance_is_what_no_rule_looks_at() {
        // Full stops and brackets are decided here, and the rest of a URL would end the name.
        let decided = |byte: u8| matches!(byte, b'.' | b'(' | b')' | b'h' | b'H');
        for byte in 0..=u8::MAX {
            let is_taken = ByteClassBits::of(&[byte; MAX_SHORT_NAME_BYTES]).other == 0;
            let may_be = ALWAYS_IN_HEAD[byte as usize] || decided(byte);
            assert!(may_be || !is_taken, "{:?}", char::from(byte));
        }
    }

    #[test]
    fn the_last_letters_of_pages_in_fields_ask_for_their_rule() {
        for page in Rule::FieldPage.items() {
            let text = format!("10.5555/a1{page}\"");
            let mut buffers = NameBuffers::default();
            let prefix = automaton::prefix(text.as_bytes()).unwrap();
            let accepted = accept(text.as_bytes(), 0, prefix, TextScope::Any, &mut buffers);
            assert_eq!(accepted, None, "{text}");
        }
    }
}
