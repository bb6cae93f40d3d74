//! Decides where a name ends: applies the rules in their order.

use super::alone::{is_alone, without_label};
use super::enclosure::last_backslash;
use super::hidden::{has_hidden_part, is_ellipsis_in_tags, strip_ellipsis};
use super::joint::BreakRules;
use super::page::is_page_part;
use super::place::UrlPlace;
use super::suffix::{self, NameBounds, SuffixHead};
use super::tail::{self, SuffixCuts};
use super::template::{ends_in_blank_form, is_pattern, is_template};
use super::word::{glued_label, glued_title};
use super::{DecodedBytes, Form, NameContext, NameEnd, Rule, TextScope};
use crate::doi::ends_in_good_digit;
use crate::scan::Rejection;

/// Whether the end of the name with this key is a guess. `rules_guess` says whether the rules guessed; a check digit confirms the
/// end.
pub(crate) fn is_guess(key: &str, rules_guess: bool) -> bool {
    rules_guess && !ends_in_good_digit(key)
}

/// Returns the end of the name of `text` whose suffix starts at `suffix` and has this `head`, or why it is refused.
///
/// `before` holds the bytes before the name. `after` returns the document's bytes from a position of `text` on, as written.
#[inline]
pub(crate) fn end<'w>(
    text: &impl DecodedBytes,
    suffix: usize,
    head: SuffixHead,
    context: &NameContext,
    before: &[u8],
    after: impl Fn(usize) -> &'w [u8] + Copy,
) -> Result<NameEnd, Rejection> {
    let (uncut_end, is_enclosed) = uncut_end(text, suffix, head, context, after);
    let beyond = after(uncut_end.at);
    let is_alone = || is_alone(before, context, beyond);
    let cuts = cuts(
        text.bytes(),
        suffix,
        before,
        uncut_end,
        context,
        is_enclosed,
        is_alone,
    );
    let end = cuts.fold(uncut_end, |end, (rule, len)| end.cut_at(suffix + len, rule));
    let end = without_title(text, suffix, end, after);
    let (uncut_end, rule, rest) = (uncut_end.at, uncut_end.rule, after(end.at));
    let is_doubtful = ends_doubtful_cell(context, rest) || may_go_on(before, context, after, rest);
    let end = NameEnd {
        guessed: end.guessed || is_doubtful,
        ..end
    };
    if is_page_part(before, context, &text.bytes()[suffix..uncut_end]) {
        return Err(Rejection::PagePart);
    }
    let written = after(suffix);
    let read = head.unescaped_end - suffix..written.len() - beyond.len();
    let name = text.bytes().get(suffix..end.at).unwrap_or_default();
    let pattern = &text.bytes()[suffix..uncut_end];
    let is_unescaped = || uncut_end > suffix && text.is_single(uncut_end - 1);
    // There `*` stands for a character that is listed after the URL.
    let is_starred = rule == Some(Rule::UrlDefense) && pattern.contains(&b'*');
    let is_template = ends_in_blank_form(name)
        || is_starred
        || is_pattern(before, pattern, is_enclosed, is_unescaped)
        || is_template(before, context, written, read);
    if is_template && Rule::Template.holds() {
        return Err(Rejection::Template);
    }
    if end.at <= suffix {
        return Err(Rejection::EmptySuffix);
    }
    let name = &written[..written.len() - rest.len()];
    if Rule::Ellipsis.holds() && is_cut_in_tags(name, rest) {
        return Err(Rejection::Ellipsis);
    }
    match after_ellipsis(text.bytes(), end.at, uncut_end, rest, after) {
        Some(rest) if Rule::Ellipsis.holds() && is_cut_short(before, context, rest) => {
            Err(Rejection::Ellipsis)
        }
        _ => Ok(end),
    }
}

/// Returns `end` before a title that was glued to the name; unchanged if there is no title.
#[inline]
fn without_title<'w>(
    text: &impl DecodedBytes,
    suffix: usize,
    end: NameEnd,
    after: impl Fn(usize) -> &'w [u8] + Copy,
) -> NameEnd {
    let name = text.bytes().get(suffix..end.at).unwrap_or_default();
    match glued_title(name, || after(end.at)) {
        Some(len) => end.cut_at(suffix + len, Rule::GluedTitle),
        None => end,
    }
}

/// Whether the name before `rest` goes up to the end of a cell that may end earlier.
fn ends_doubtful_cell(context: &NameContext, rest: &[u8]) -> bool {
    context.scope == TextScope::DoubtfulCell && matches!(rest, b"" | b"\r")
}

/// Whether the name before `rest` may go on in the next line.
fn may_go_on<'w>(
    before: &[u8],
    context: &NameContext,
    after: impl Fn(usize) -> &'w [u8] + Copy,
    rest: &[u8],
) -> bool {
    let written = || {
        let name = after(0);
        [before, &name[..name.len() - rest.len()]].concat()
    };
    BreakRules::of(context).may_go_on(written, rest)
}

/// Returns where reading the name ends, before anything is cut, and whether an enclosure holds just the name.
#[inline]
pub(crate) fn uncut_end<'w>(
    text: &impl DecodedBytes,
    suffix: usize,
    head: SuffixHead,
    context: &NameContext,
    after: impl Fn(usize) -> &'w [u8] + Copy,
) -> (NameEnd, bool) {
    let without_label = |end: NameEnd| {
        let name = &text.bytes()[suffix..end.at];
        // Before this, no colon ends a label.
        let label_free_len = match head.has_colon {
            true => 0,
            false => head.end - suffix,
        };
        match glued_label(name, label_free_len, || after(end.at)) {
            Some(len) => end.cut_at(suffix + len, Rule::GluedWord),
            None => end,
        }
    };
    if let Some(enclosure) = context
        .enclosure
        .filter(|_| context.place == UrlPlace::None)
    {
        let end = suffix::end(text, suffix, head, context, NameBounds::Whole);
        if enclosure.is_closed_by(after(end.at)) {
            return (without_label(end), true);
        }
    }
    let end = suffix::end(text, suffix, head, context, NameBounds::Prose);
    (without_label(end), false)
}

/// Returns the cuts from the suffix of `name` that starts at `suffix` and was read up to `uncut_end`, with `before` before the name.
/// `is_alone` says whether the name is alone with its label; it is asked if no enclosure holds the `is_enclosed` name.
#[inline]
pub(crate) fn cuts<'n>(
    name: &'n [u8],
    suffix: usize,
    before: &[u8],
    uncut_end: NameEnd,
    context: &NameContext,
    is_enclosed: bool,
    is_alone: impl Fn() -> bool,
) -> SuffixCuts<'n> {
    let (prefix, suffix) = (&name[..suffix - 1], &name[suffix..uncut_end.at]);
    let has_pair = || is_after_plus(before, context);
    let kept = tail::kept_marks(suffix, context.place, has_pair, is_alone);
    SuffixCuts::new(prefix, suffix, is_enclosed, tail::tails(prefix, context)).keeping(kept)
}

/// Whether `+` comes directly before a name, or before its scheme or label. AsciiDoc and word diffs write it again after the
/// name.
fn is_after_plus(before: &[u8], context: &NameContext) -> bool {
    let outside = &before[..before.len() - context.opener];
    outside.ends_with(b"+") || context.form == Form::Label && without_label(outside).ends_with(b"+")
}

/// Returns the text after an ellipsis that was trimmed from a name or follows it; `None` if there is no ellipsis. The name ends
/// at `end`, before `rest`; reading it ended at `uncut_end`.
#[inline]
fn after_ellipsis<'w>(
    text: &[u8],
    end: usize,
    uncut_end: usize,
    rest: &'w [u8],
    after: impl Fn(usize) -> &'w [u8] + Copy,
) -> Option<&'w [u8]> {
    let sign = "…".as_bytes();
    let stops = text[end..uncut_end]
        .iter()
        .rev()
        .take_while(|b| **b == b'.');
    // Before a tag, the first of four full stops belongs to the name.
    let is_ellipsis = match stops.count() {
        3 => true,
        4 => after(uncut_end).starts_with(b"<"),
        _ => false,
    };
    if is_ellipsis {
        return Some(after(uncut_end));
    } else if text[uncut_end..].starts_with(sign) {
        return Some(after(uncut_end + sign.len()));
    }
    let may_start = |first: &u8| matches!(first, 0xE2 | b'[' | b'(' | b'.' | b'&' | b'\\');
    if !rest.first().is_some_and(may_start) {
        return None;
    }
    strip_ellipsis(rest)
}

/// Whether the text of a link that ends in the name `written` is cut short: an ellipsis in tags follows, and no hidden part of
/// the text was joined to the name.
#[inline]
fn is_cut_in_tags(written: &[u8], rest: &[u8]) -> bool {
    matches!(rest, [b'<' | b'\\' | b'&', ..])
        && is_ellipsis_in_tags(rest)
        && !has_hidden_part(written)
}

/// Whether `rest` ends a word: white space, plain or escaped, or a character beyond ASCII.
fn ends_word(rest: &[u8]) -> bool {
    const ESCAPED: [&[u8]; 9] = [
        b"\\n", b"\\r", b"\\t", b"\\u", b"&nbsp;", b"&#10;", b"&#13;", b"%0A", b"%20",
    ];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || !byte.is_ascii();
    let rest = last_backslash(rest);
    rest.first().is_none_or(is_end) || ESCAPED.iter().any(|end| rest.starts_with(end))
}

/// Marks around a text that holds a name among other words, with their closers.
const MARKS: [(&[u8], &[u8]); 10] = [
    (b"\\\"", b"\\\""),
    (b"&quot;", b"&quot;"),
    (b"\"", b"\""),
    (b"'", b"'"),
    (b"{", b"}"),
    (b"[", b"]"),
    (b"|", b"|"),
    ("“".as_bytes(), "”".as_bytes()),
    ("«".as_bytes(), "»".as_bytes()),
    ("「".as_bytes(), "」".as_bytes()),
];

/// Whether an ellipsis with `rest` after it cuts a name short: at the end of the enclosure, of a line that holds only the name
/// and its label, or of a URL.
fn is_cut_short(before: &[u8], context: &NameContext, rest: &[u8]) -> bool {
    let in_url = context.form == Form::Url || context.place == UrlPlace::Path;
    let opener = without_label(before);
    ends_enclosure(before, context, rest)
        || in_url && ends_word(rest)
        || opener.ends_with(b"(") && rest.starts_with(b")")
        || context.form == Form::Label
            && ends_line(rest)
            && matches!(opener.last(), None | Some(b'\n' | b'\r'))
}

fn ends_line(rest: &[u8]) -> bool {
    let blanks = rest
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    matches!(rest.get(blanks), None | Some(b'\n' | b'\r'))
}

/// Whether `after` starts with a tag, or with the closer of the enclosure of a name or of the text around it. A closer that
/// nothing opened does not count, and nor does the end of a line that holds more than the name.
fn ends_enclosure(before: &[u8], context: &NameContext, after: &[u8]) -> bool {
    let closes = |(opener, closer): &(&[u8], &[u8])| {
        last_backslash(after).starts_with(closer) && memchr::memmem::find(before, opener).is_some()
    };
    after.starts_with(b"<")
        || after.starts_with(b"&lt;")
        || context.enclosure.is_some_and(|e| e.is_closed_by(after))
        || MARKS.iter().any(closes)
}
