//! Decides about one anchor from the bounded window around it, and from nothing else.

use super::automaton::Registrant;
use super::context::{Context, Place, is_citation_key};
use super::decode::{Decoder, Text};
use super::extent::{self, End, Reading};
use super::reach::reach;
use super::start::{Start, start};
use super::trim::{Surroundings, trim};
use super::{Form, Rejection};

/// An accepted candidate, in terms of its window.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) form: Form,
    pub(super) guessed: bool,
    /// Bytes of the window from the anchor to the last byte kept.
    pub(super) len: usize,
}

/// Buffers that are reused from candidate to candidate.
#[derive(Default)]
pub(super) struct Judge {
    decoder: Decoder,
    /// The name of the last accepted candidate.
    pub(super) name: String,
}

impl Judge {
    /// Decides about the anchor at `at`; nothing where no complete prefix stands there.
    pub(super) fn judge(
        &mut self,
        window: &[u8],
        at: usize,
        max_name: usize,
    ) -> Option<Result<Accepted, Rejection>> {
        let start = match start(window, at)? {
            Ok(start) => start,
            Err(reason) => return Some(Err(reason)),
        };
        let context = Context::read(&window[..start.outer]);
        Some(self.accept(window, at, start, &context, max_name))
    }

    fn accept(
        &mut self,
        window: &[u8],
        at: usize,
        Start { prefix, outer }: Start,
        context: &Context,
        max_name: usize,
    ) -> Result<Accepted, Rejection> {
        if is_citation_key(&window[..at]) {
            return Err(Rejection::CitationKey);
        }
        let joinable = context.form != Form::Bare;
        let reach = reach(window, at, at + prefix.len, max_name, joinable);
        if reach.end - at > max_name {
            return Err(Rejection::TooLong);
        }
        let raw = &window[at..reach.end];
        let in_badge = context.place == Place::Badge;
        let is_plain = !(reach.escaped || prefix.escaped || in_badge);
        let text = if is_plain {
            Text::plain(raw)
        } else {
            let layers = context.percent_layers(&window[..outer], &raw[..prefix.len]);
            self.decoder.decode(raw, layers, in_badge)
        };
        let suffix = text.position(prefix.len);
        let (end, cut_at) = extent_of(&text, suffix, context, &window[at..]);
        let (before, raw) = window.split_at(at);
        check(&text, suffix, end, cut_at, raw, |behind| {
            ends_enclosure(before, context, behind)
        })?;
        write_name(&mut self.name, &text, suffix, end.at)?;
        if prefix.registrant == Registrant::Isbn
            && !is_isbn_suffix(&text.bytes[suffix..end.at])
            && context.form != Form::Urn
        {
            return Err(Rejection::RegistrantCode);
        }
        let len = text.end(end.at);
        // White space inside a name is a break that was passed over.
        let joined = !is_plain && raw[..len].iter().any(u8::is_ascii_whitespace);
        Ok(Accepted {
            form: context.form,
            guessed: end.guessed || joined,
            len,
        })
    }
}

/// The end of the name, and where reading it stopped before anything was trimmed.
fn extent_of(text: &Text<'_>, suffix: usize, context: &Context, raw: &[u8]) -> (End, usize) {
    if let Some(enclosure) = context.enclosure.filter(|_| context.place == Place::Text) {
        let end = extent::end(text, suffix, context, Reading::Whole);
        if enclosure.is_closed_by(&raw[text.start(end.at)..]) {
            return (trimmed(text, suffix, end, context, true), end.at);
        }
    }
    let end = extent::end(text, suffix, context, Reading::Prose);
    (trimmed(text, suffix, end, context, false), end.at)
}

fn trimmed(text: &Text<'_>, suffix: usize, end: End, context: &Context, whole: bool) -> End {
    let around = Surroundings {
        whole,
        field: context.enclosure.is_some(),
        place: context.place,
    };
    trim(text.bytes, suffix, end, around)
}

/// Refuses what is no name after all: nothing left, or link text that was cut short, which `ends` tells by what follows.
fn check(
    text: &Text<'_>,
    suffix: usize,
    end: End,
    cut_at: usize,
    raw: &[u8],
    ends: impl Fn(&[u8]) -> bool,
) -> Result<(), Rejection> {
    if end.at <= suffix {
        return Err(Rejection::EmptySuffix);
    }
    let sign = "…".as_bytes();
    let trimmed = &text.bytes[end.at..cut_at];
    let behind = if trimmed.ends_with(b"...") && !trimmed.ends_with(b"....") {
        cut_at
    } else if text.bytes[cut_at..].starts_with(sign) {
        cut_at + sign.len()
    } else {
        return Ok(());
    };
    if ends(&raw[text.start(behind)..]) {
        Err(Rejection::Ellipsis)
    } else {
        Ok(())
    }
}

/// What stands around a text that holds a name among other words.
const MARKS: [(&[u8], &[u8]); 7] = [
    (b"\\\"", b"\\\""),
    (b"&quot;", b"&quot;"),
    (b"\"", b"\""),
    (b"'", b"'"),
    (b"{", b"}"),
    (b"[", b"]"),
    (b"|", b"|"),
];

/// Whether a tag follows, or what ends the enclosure of a name or of the text around it: a mark that nothing opened, or the
/// end of a line that holds more than the name, ends neither.
fn ends_enclosure(before: &[u8], context: &Context, behind: &[u8]) -> bool {
    let closes = |(opener, closer): &(&[u8], &[u8])| {
        behind.starts_with(closer) && memchr::memmem::find(before, opener).is_some()
    };
    behind.starts_with(b"<")
        || behind.starts_with(b"&lt;")
        || context.enclosure.is_some_and(|e| e.is_closed_by(behind))
        || MARKS.iter().any(closes)
}

fn is_isbn_suffix(suffix: &[u8]) -> bool {
    suffix.len() <= 7 && suffix.iter().all(u8::is_ascii_digit)
}

/// Writes the name, its separator as a slash.
fn write_name(
    name: &mut String,
    text: &Text<'_>,
    suffix: usize,
    end: usize,
) -> Result<(), Rejection> {
    let written = str::from_utf8(&text.bytes[..end]).map_err(|_| Rejection::NotGraphic)?;
    name.clear();
    name.push_str(written);
    if text.bytes[suffix - 1] != b'/' {
        name.replace_range(suffix - 1..suffix, "/");
    }
    crate::doi::check(name)
        .map(drop)
        .map_err(|_| Rejection::NotGraphic)
}
