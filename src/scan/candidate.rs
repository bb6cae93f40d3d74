//! Decides about one anchor from the bounded window around it, and from nothing else.

use super::automaton::{self, Prefix, Registrant, Separator};
use super::context::{Context, Place, is_citation_key};
use super::decode::{Decoder, Text};
use super::extent::{self, End, Reading};
use super::reach::{is_inside_number, reach};
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
        let prefix = automaton::prefix(&window[at..])?;
        let before = &window[..at];
        let slip = is_slip(before);
        let outer = if slip { &before[..at - 3] } else { before };
        if !slip && is_inside_number(before) && prefix.separator == Separator::Slash {
            return Some(Err(Rejection::InsideNumber));
        }
        let context = Context::read(outer, &window[at..at + prefix.len]);
        if !is_prefix_here(&prefix, &context, before, slip) {
            return None;
        }
        if slip && context.form == Form::Bare {
            return Some(Err(Rejection::InsideNumber));
        }
        Some(self.accept(window, at, prefix, &context, max_name))
    }

    fn accept(
        &mut self,
        window: &[u8],
        at: usize,
        prefix: Prefix,
        context: &Context,
        max_name: usize,
    ) -> Result<Accepted, Rejection> {
        if prefix.registrant == Registrant::Odd && context.form != Form::Urn {
            return Err(Rejection::RegistrantCode);
        }
        if is_citation_key(&window[..at]) {
            return Err(Rejection::CitationKey);
        }
        let joinable = context.form != Form::Bare;
        let reach = reach(window, at, at + prefix.len, max_name, joinable);
        if reach.end - at > max_name {
            return Err(Rejection::TooLong);
        }
        let raw = &window[at..reach.end];
        let is_plain = !(reach.escaped || reach.joined || prefix.escaped);
        let text = if is_plain {
            Text::plain(raw)
        } else {
            self.decoder.decode(raw, context.percent)
        };
        let suffix = text.position(prefix.len);
        let (end, cut_at) = extent_of(&text, suffix, context, &window[at..]);
        check(&text, suffix, end, cut_at, &window[at..])?;
        write_name(&mut self.name, &text, suffix, end.at)?;
        if prefix.registrant == Registrant::Isbn
            && !is_isbn_suffix(&text.bytes[suffix..end.at])
            && context.form != Form::Urn
        {
            return Err(Rejection::RegistrantCode);
        }
        let guessed = end.guessed || reach.joined || prefix.separator == Separator::Broken;
        Ok(Accepted {
            form: context.form,
            guessed,
            len: text.end(end.at),
        })
    }
}

/// `10.10.1038/x`: the directory indicator written twice; the inner name counts behind a label or proxy.
fn is_slip(before: &[u8]) -> bool {
    before
        .strip_suffix(b"10.")
        .is_some_and(|outer| !is_inside_number(outer))
}

/// Whether what looks like a prefix is one here, by its separator and by what stands before it.
fn is_prefix_here(prefix: &Prefix, context: &Context, before: &[u8], slip: bool) -> bool {
    let separated = match prefix.separator {
        Separator::Slash => true,
        Separator::Broken => context.form != Form::Bare && (slip || !is_inside_number(before)),
        Separator::Colon => context.form == Form::Urn,
    };
    separated && !automaton::ends_in_prefix(before)
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

/// Refuses what is no name after all: nothing left, or link text that was cut short.
fn check(
    text: &Text<'_>,
    suffix: usize,
    end: End,
    cut_at: usize,
    raw: &[u8],
) -> Result<(), Rejection> {
    if end.at <= suffix {
        return Err(Rejection::EmptySuffix);
    }
    let sign = "…".as_bytes();
    let behind = if text.bytes[end.at..cut_at].ends_with(b"...") {
        cut_at
    } else if text.bytes[cut_at..].starts_with(sign) {
        cut_at + sign.len()
    } else {
        return Ok(());
    };
    if ends_text(&raw[text.end(behind)..]) {
        Err(Rejection::Ellipsis)
    } else {
        Ok(())
    }
}

/// Whether a tag, a closing mark or the end of the line follows.
fn ends_text(behind: &[u8]) -> bool {
    matches!(
        behind.first(),
        None | Some(b'<' | b'"' | b'\'' | b'}' | b']' | b'|' | b'\n' | b'\r')
    ) || [&b"\\\""[..], b"&lt;", b"&quot;"]
        .iter()
        .any(|closer| behind.starts_with(closer))
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
