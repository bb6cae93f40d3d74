//! Decides which bytes of decoded text belong to a suffix, up to the bytes that prose, markup or a URL added.

use unicode_general_category::{GeneralCategory as Gc, get_general_category};

use super::enclosure::Enclosure;
use super::place::UrlPlace;
use super::start::is_subfield_mark;
use super::{DecodedBytes, Escape, Form, NameContext, NameEnd, Rule, script, sici, word};

/// How far a name is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameBounds {
    /// Up to the closer of the enclosure, except for bytes that no name holds.
    Whole,
    /// As far as the rules for prose and URLs allow.
    Prose,
}

/// The decision about one byte of a name.
enum ReadStep {
    /// The name goes on for this many bytes.
    Take(usize),
    /// The name ends before the byte, by this rule.
    End(Rule),
}

/// The start of a suffix that belongs to the name whatever is around it, and the brackets open at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SuffixHead {
    /// End of the head.
    pub(crate) end: usize,
    /// Up to here, no byte of the suffix starts an escape or a tag.
    pub(crate) unescaped_end: usize,
    /// Round brackets that are open at `end`.
    open: u32,
    /// Whether a colon is in the head, which may be that of a label.
    pub(crate) has_colon: bool,
}

impl SuffixHead {
    /// Returns the empty head of a suffix that starts at `from`.
    pub(crate) fn empty(from: usize) -> Self {
        SuffixHead {
            end: from,
            unescaped_end: from,
            open: 0,
            has_colon: false,
        }
    }

    /// Returns the empty head of the suffix that starts at `from`, with the same `unescaped_end`.
    pub(crate) fn emptied(self, from: usize) -> Self {
        SuffixHead {
            unescaped_end: self.unescaped_end,
            ..SuffixHead::empty(from)
        }
    }

    /// Returns the head for a text that starts `skipped` bytes later.
    pub(crate) fn shifted(self, skipped: usize) -> Self {
        SuffixHead {
            end: self.end - skipped,
            unescaped_end: self.unescaped_end - skipped,
            ..self
        }
    }
}

/// Reads the head of the suffix that starts at `from` in `bytes`: letters, digits, and marks that belong to it whatever comes before
/// and after. Most names end where their head ends.
#[inline]
pub(crate) fn suffix_head(bytes: &[u8], from: usize) -> SuffixHead {
    let mut head = SuffixHead::empty(from);
    loop {
        head.end += always_in_head_len(&bytes[head.end..]);
        let (head_bytes, rest) = bytes.split_at(head.end);
        match rest {
            // A prefix may start the next name.
            [
                b'.' | b'%' | b'&' | b'\\' | b' ' | b'\t' | b'\n' | b'\r' | b'<',
                ..,
            ] if head_bytes[from..].ends_with(b"10") => {
                head.end -= b"10".len();
                return head;
            }
            [b'<', ..] if head_bytes[from..].ends_with(b"1") => {
                head.end -= b"1".len();
                return head;
            }
            [b'.', rest @ ..] if !word::is_glued(rest) => {}
            [b'h' | b'H', ..] if !word::is_http(rest) => {}
            [b'(', next, ..] if *next != b'.' => head.open += 1,
            [b')', ..] if head.open > 0 => head.open -= 1,
            [b':', ..] => head.has_colon = true,
            _ => return head,
        }
        head.end += 1;
    }
}

/// Returns how many bytes come before one that `suffix_head` looks at.
fn always_in_head_len(bytes: &[u8]) -> usize {
    let other = bytes
        .iter()
        .position(|byte| !ALWAYS_IN_HEAD[*byte as usize]);
    other.unwrap_or(bytes.len())
}

/// Bytes that belong to a name wherever they are in it, start no escape, and end no label.
pub(crate) const ALWAYS_IN_HEAD: [bool; 256] = {
    let mut always = ALWAYS_IN_SUFFIX;
    always[b':' as usize] = false;
    let mut byte = 0;
    while byte < 256 {
        always[byte] &= !Rule::any_looks_at("escape.", byte as u8);
        byte += 1;
    }
    always
};

/// Returns the end of the suffix that starts at `from` and has this `head`, before anything is trimmed.
pub(crate) fn end(
    text: &impl DecodedBytes,
    from: usize,
    head: SuffixHead,
    context: &NameContext,
    bounds: NameBounds,
) -> NameEnd {
    let end = read_suffix(text, from, head, context, bounds);
    match context.place {
        UrlPlace::Path if Rule::EncodedSegment.holds() => within_segment(text, from, end),
        UrlPlace::Badge if Rule::BadgeMessage.holds() => within_message(text, from, end),
        _ => end,
    }
}

/// Ends the name before a plain slash if that of its prefix is encoded. Writers who encode that one encode all slashes of a name;
/// a plain one belongs to the URL.
fn within_segment(text: &impl DecodedBytes, from: usize, end: NameEnd) -> NameEnd {
    let is_encoded = |at| text.escape(at) == Escape::Percent;
    let goes_on = |at: &usize| text.bytes()[*at] == b'/' && !is_encoded(*at);
    let slash = is_encoded(from - 1).then(|| (from..end.at).find(goes_on));
    let cut = |at| NameEnd::certain(at, Rule::EncodedSegment);
    slash.flatten().map_or(end, cut)
}

/// Ends the name at the last hyphen of a badge that is not written twice. A colour follows it.
fn within_message(text: &impl DecodedBytes, from: usize, end: NameEnd) -> NameEnd {
    let parts = |at: &usize| text.bytes()[*at] == b'-' && text.is_single(*at);
    let hyphen = (from..end.at).rev().find(parts);
    hyphen.map_or(end, |at| NameEnd::certain(at, Rule::BadgeMessage))
}

fn read_suffix(
    text: &impl DecodedBytes,
    from: usize,
    head: SuffixHead,
    context: &NameContext,
    bounds: NameBounds,
) -> NameEnd {
    if head.end == text.bytes().len() {
        return NameEnd::of_text(head.end);
    }
    let mut reader = SuffixReader {
        text,
        from,
        context,
        bounds,
        open: [head.open, 0],
        has_dash: false,
        is_mixed: false,
    };
    let mut at = head.end;
    loop {
        at += always_in_suffix_len(&text.bytes()[at..]);
        let rule = match text.bytes().get(at).map(|byte| reader.step(*byte, at)) {
            Some(ReadStep::Take(len)) => {
                at += len;
                continue;
            }
            Some(ReadStep::End(rule)) => Some(rule),
            None => None,
        };
        return NameEnd {
            at,
            rule,
            guessed: rule.is_some_and(Rule::is_guess) || reader.has_dash,
        };
    }
}

/// Returns how many bytes come before one that needs a look.
fn always_in_suffix_len(bytes: &[u8]) -> usize {
    let other = bytes
        .iter()
        .position(|byte| !ALWAYS_IN_SUFFIX[*byte as usize]);
    other.unwrap_or(bytes.len())
}

/// Bytes that belong to a name wherever they are in it: no rule on suffixes looks at them.
const ALWAYS_IN_SUFFIX: [bool; 256] = {
    let mut always = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        always[byte] =
            (byte as u8).is_ascii_graphic() && !Rule::any_looks_at("suffix.", byte as u8);
        byte += 1;
    }
    always
};

struct SuffixReader<'t, T> {
    text: &'t T,
    from: usize,
    context: &'t NameContext,
    bounds: NameBounds,
    /// Number of open round and square brackets.
    open: [u32; 2],
    /// Whether the name has a typeset dash, which may be the name's hyphen.
    has_dash: bool,
    /// Whether the name has a letter of another script.
    is_mixed: bool,
}

impl<T: DecodedBytes> SuffixReader<'_, T> {
    /// Decides about a byte that does not belong to every name.
    fn step(&mut self, byte: u8, at: usize) -> ReadStep {
        if let Some(rule) = self.ends_by_context(byte, at) {
            return ends(rule);
        }
        let (rule, belongs) = match byte {
            b'.' | b'$' | b'h' | b'H' => return ReadStep::Take(1),
            b'(' if self.rest(at).starts_with(b"(...)") => (Rule::Ellipsis, false),
            b'(' if self.is_troff_character(at) => (Rule::Mark, false),
            b'(' => return self.open(0),
            b')' => return self.close(0, Rule::RoundBracket),
            b'[' if self.goes_on_after_bracket(at) || self.is_whole_and_encoded(at) => {
                return self.open(1);
            }
            b']' => return self.close(1, Rule::SquareBracket),
            b'<' => return self.angle(at),
            0x80.. => return self.beyond_ascii(at),
            b'[' => (Rule::SquareBracket, false),
            // Texinfo separates the arguments of a command with a comma; two are an empty argument.
            b',' if self.rest(at).starts_with(b",,") => (Rule::Comma, false),
            b',' | b';' if word::is_missing_value(self.rest(at + 1)) => (Rule::NoValue, false),
            b',' => (Rule::Comma, self.is_enclosed_by(at, u8::is_ascii_digit)),
            b'\'' => (
                Rule::Apostrophe,
                self.is_enclosed_by(at, u8::is_ascii_alphanumeric) && !self.is_word_ending(at + 1),
            ),
            // Proofpoint's URL Defense, version 3, ends a URL with `__;`.
            b';' if self.text.bytes()[self.from..at].ends_with(b"__") => (Rule::UrlDefense, false),
            b';' => (Rule::Semicolon, self.is_sici_tail(at) || self.is_inner(at)),
            b'&' => (
                Rule::Ampersand,
                self.context.place != UrlPlace::Query && self.is_inner(at),
            ),
            b'"' => (Rule::Quote, self.is_inner_quote(at)),
            b'?' => (Rule::Query, self.text.escape(at) == Escape::Percent),
            b'#' => (Rule::Fragment, self.is_inner_hash(at)),
            b'{' => (Rule::Brace, self.is_whole()),
            b'%' => (
                Rule::Brace,
                self.is_whole() || !self.rest(at).starts_with(b"%}") || !self.text.is_single(at),
            ),
            _ => (Rule::Mark, false),
        };
        if belongs {
            ReadStep::Take(1)
        } else {
            ends(rule)
        }
    }

    /// Returns the rule by which the name ends at `byte` because of the bytes after it or the enclosure.
    fn ends_by_context(&self, byte: u8, at: usize) -> Option<Rule> {
        let marks = self.context.enclosure.map_or(&[][..], |e| e.marks);
        if matches!(byte, b'h' | b'H') && word::is_web_scheme(self.rest(at)) {
            Some(Rule::WebScheme)
        } else if matches!(byte, b'.' | b',' | b'[') && word::is_glued(self.rest(at + 1)) {
            Some(Rule::GluedWord)
        } else if marks.contains(&byte) && !self.is_sici_tail(at) {
            Some(Rule::FieldMark)
        } else {
            None
        }
    }

    fn rest(&self, at: usize) -> &[u8] {
        &self.text.bytes()[at..]
    }

    fn is_whole(&self) -> bool {
        self.bounds == NameBounds::Whole
    }

    /// Whether the byte is percent-encoded in an enclosed URL: its writer took it to be part of the name.
    fn is_whole_and_encoded(&self, at: usize) -> bool {
        Rule::EncodedBracket.holds() && self.is_whole() && self.text.escape(at) == Escape::Percent
    }

    fn open(&mut self, bracket: usize) -> ReadStep {
        self.open[bracket] += 1;
        ReadStep::Take(1)
    }

    /// Decides about a closing bracket. One that nothing in the name opened was opened before the name: no name of 385,484
    /// registered ones has such a bracket.
    fn close(&mut self, bracket: usize, rule: Rule) -> ReadStep {
        if self.open[bracket] == 0 {
            return ends(rule);
        }
        self.open[bracket] -= 1;
        ReadStep::Take(1)
    }

    /// Whether the code of a subfield is at `at`.
    fn has_code(&self, at: usize) -> bool {
        let code = self.rest(at).first();
        code.is_some_and(u8::is_ascii_alphanumeric)
    }

    /// Whether the bracket at `at` is that of a character in troff, `\(rq`. An escaped bracket, unlike it, is closed again.
    fn is_troff_character(&self, at: usize) -> bool {
        const MAX_TROFF_BYTES: usize = 128;
        let rest = self.rest(at);
        let is_name =
            matches!(rest, [_, a, b, ..] if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric());
        let near = &rest[..rest.len().min(MAX_TROFF_BYTES)];
        is_name
            && self.text.escape(at) == Escape::Plain
            && !self.text.is_single(at)
            && memchr::memchr(b')', near).is_none()
    }

    /// Whether the ending of a word is at `at`, after the apostrophe with which Turkish and other languages add it to a name.
    /// After a letter, letters may be part of the name if the name is enclosed or the ending is `s`. No registered name has an
    /// apostrophe after a digit.
    fn is_word_ending(&self, at: usize) -> bool {
        let rest = self.rest(at);
        let is_after_digit = self.text.bytes()[..at - 1]
            .last()
            .is_some_and(u8::is_ascii_digit);
        let is_letter = |byte: &&u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
        let len = rest.iter().take_while(is_letter).count();
        let may_be_part = self.is_whole() || rest[..len] == *b"s";
        len > 0 && !self.goes_on(at + len) && (is_after_digit || !may_be_part)
    }

    /// Whether the name goes on after the bracket at `at`, as in `[0774:TMOPTB]2.0`. It does not after `[1]` and `[PubMed]`.
    fn goes_on_after_bracket(&self, at: usize) -> bool {
        let after = self.after_bracket(at, b']');
        after.is_some_and(|after| {
            let next = self.rest(after).first();
            next.is_some_and(u8::is_ascii_alphanumeric)
        })
    }

    /// Decides about a `<`. `<693::AID-X>3.0.CO;2-O` is the middle of a SICI, and encoded brackets inside a name belong to it
    /// (H4). Any other `<` is markup.
    fn angle(&self, at: usize) -> ReadStep {
        let belongs = |after: &usize| {
            sici::goes_on_after_angle(self.rest(*after))
                || self.is_encoded_pair(at, *after - 1) && self.goes_on(*after)
        };
        self.after_bracket(at, b'>')
            .filter(belongs)
            .map_or(ends(Rule::Angle), |after| ReadStep::Take(after - at))
    }

    /// Whether both brackets were percent-encoded and do not enclose a closing tag.
    fn is_encoded_pair(&self, open: usize, close: usize) -> bool {
        let is_encoded = |at| self.text.escape(at) == Escape::Percent;
        let inner = &self.text.bytes()[open + 1..close];
        Rule::EncodedAngle.holds()
            && is_encoded(open)
            && is_encoded(close)
            && !inner.starts_with(b"/")
            && !inner.ends_with(b"/")
    }

    /// Returns the position after the bracket that closes the one at `at`.
    fn after_bracket(&self, at: usize, close: u8) -> Option<usize> {
        const MAX_BRACKETED_BYTES: usize = 128;
        let mut near = self.rest(at).iter().take(MAX_BRACKETED_BYTES);
        let closed = near.position(|b| *b == close || b.is_ascii_whitespace())?;
        (self.text.bytes()[at + closed] == close).then_some(at + closed + 1)
    }

    fn is_sici_tail(&self, at: usize) -> bool {
        sici::is_tail(&self.text.bytes()[self.from..at], self.rest(at))
    }

    /// Whether more of the name follows the mark at `at`, and not a parameter.
    fn is_inner(&self, at: usize) -> bool {
        self.goes_on(at + 1) && !word::is_parameter(self.rest(at + 1))
    }

    /// Whether a `#` belongs to the name: if it is encoded, at the end of a SICI, or in an enclosure that holds just the name. In
    /// a URL, a plain one starts a fragment.
    fn is_inner_hash(&self, at: usize) -> bool {
        let in_url = self.context.form == Form::Url || self.context.place != UrlPlace::None;
        let ends_sici = self.text.bytes()[self.from..at].ends_with(b";2-") && !self.goes_on(at + 1);
        self.text.escape(at) == Escape::Percent
            || Rule::SiciHash.holds() && ends_sici
            || self.is_whole() && !in_url
    }

    fn is_inner_quote(&self, at: usize) -> bool {
        self.text.escape(at) != Escape::Plain && self.goes_on(at + 1)
    }

    /// Whether the mark at `at` is between two bytes of `class`, or everything up to a closer is the name.
    fn is_enclosed_by(&self, at: usize, class: fn(&u8) -> bool) -> bool {
        let is_between = || {
            at > self.from
                && class(&self.text.bytes()[at - 1])
                && self.text.bytes().get(at + 1).is_some_and(class)
        };
        self.is_whole() || is_between()
    }

    /// Whether a letter or digit of the name follows, directly or after one joint.
    fn goes_on(&self, at: usize) -> bool {
        match self.rest(at) {
            [b'.' | b'-' | b'_', next, ..] => next.is_ascii_alphanumeric(),
            [next, ..] => next.is_ascii_alphanumeric(),
            [] => false,
        }
    }

    /// Whether `c`, at `at`, is of another script than the Latin letters and digits before it, and was not written as part of the
    /// name.
    fn leaves_script(&mut self, c: char, at: usize) -> bool {
        if self.is_mixed || script::is_latin(c) {
            return false;
        }
        let text = self.text.bytes();
        let front = &text[self.from..at];
        let is_inside = script::is_inside_word(front.last(), c, text.get(at + c.len_utf8()));
        self.is_mixed = !is_inside;
        let form = self.context.form;
        let may_hold_text = |row: &Enclosure| row.may_hold_text(form);
        !is_inside
            && front.iter().any(|byte| byte.is_ascii_alphanumeric())
            && self.text.escape(at) != Escape::Percent
            && (!self.is_whole() || self.context.enclosure.is_some_and(may_hold_text))
    }

    /// Returns the rule by which a byte that is not UTF-8 ends the name. In another encoding it may be a dash or letter of the
    /// name, which then goes on after it.
    fn undecoded(&self, at: usize) -> Rule {
        let is_ascii = |byte: &&u8| byte.is_ascii();
        match self.rest(at).iter().find(is_ascii) {
            Some(next) if next.is_ascii_alphanumeric() && Rule::OtherEncoding.holds() => {
                Rule::OtherEncoding
            }
            _ => Rule::NotGraphic,
        }
    }

    /// Decides about a character beyond ASCII. Letters, digits, symbols and dashes are kept as they are (U5); white space, quotes
    /// and brackets end the name.
    fn beyond_ascii(&mut self, at: usize) -> ReadStep {
        let Some(c) = first_char(self.rest(at)) else {
            return ReadStep::End(self.undecoded(at));
        };
        let rule = match get_general_category(c) {
            Gc::Control | Gc::Format => Rule::NotGraphic,
            Gc::LineSeparator | Gc::ParagraphSeparator | Gc::SpaceSeparator => Rule::NotGraphic,
            _ if is_subfield_mark(c) && self.has_code(at + c.len_utf8()) => Rule::Subfield,
            _ if is_foreign_mark(c) => Rule::ForeignMark,
            _ if self.text.bytes()[self.from..at].ends_with(b"...") => Rule::Ellipsis,
            _ if self.leaves_script(c, at) => Rule::OtherScript,
            category => {
                let is_dash = category == Gc::DashPunctuation || c == '\u{2212}';
                self.has_dash |= is_dash && Rule::Dash.holds();
                return ReadStep::Take(c.len_utf8());
            }
        };
        if rule.holds() {
            ReadStep::End(rule)
        } else {
            ReadStep::Take(c.len_utf8())
        }
    }
}

/// Whether `c` is a quote or bracket of print, punctuation of another script, or not a graphic character (N3). Letters and
/// symbols of any script belong to names.
pub(crate) fn is_foreign_mark(c: char) -> bool {
    let is_mark = match get_general_category(c) {
        Gc::InitialPunctuation
        | Gc::FinalPunctuation
        | Gc::OpenPunctuation
        | Gc::ClosePunctuation => true,
        Gc::OtherPunctuation => c >= '\u{2010}',
        category => matches!(category, Gc::PrivateUse | Gc::Unassigned | Gc::Surrogate),
    };
    is_mark && Rule::ForeignMark.holds()
}

fn ends(rule: Rule) -> ReadStep {
    if rule.holds() {
        ReadStep::End(rule)
    } else {
        ReadStep::Take(1)
    }
}

/// Returns the character that `bytes` start with; `None` if they are not UTF-8 there.
pub(crate) fn first_char(bytes: &[u8]) -> Option<char> {
    let len = match bytes.first()? {
        ..0x80 => 1,
        ..0xE0 => 2,
        ..0xF0 => 3,
        _ => 4,
    };
    std::str::from_utf8(bytes.get(..len)?).ok()?.chars().next()
}
