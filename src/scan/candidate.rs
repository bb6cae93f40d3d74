//! Decides about one anchor from the bounded window around it, and from nothing else.

use super::context::Context;
use super::decode::{DecodedText, Decoder};
use super::reach::reach;
use super::rules::end::end;
use super::rules::place::{UrlPlace, is_citation_key};
use super::rules::start::{Prefix, Start, has_right_suffix};
use super::rules::{Rule, Scope};
use super::start::start;
use super::{Form, Rejection};

/// An accepted candidate, in terms of its window.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    pub(super) form: Form,
    pub(super) guessed: bool,
    /// The rule that ended it; none where the text ends.
    pub(super) rule: Option<Rule>,
    /// Bytes of the window from the anchor to the last byte kept.
    pub(super) len: usize,
}

/// Buffers that are reused from candidate to candidate.
#[derive(Clone, Default)]
pub(super) struct Judge {
    decoder: Decoder,
    /// The name of the last accepted candidate.
    pub(super) name: String,
}

impl Judge {
    /// Decides about the anchor at `at`; nothing where it starts no complete prefix. `scope` says what `window`
    /// is.
    pub(super) fn judge(
        &mut self,
        window: &[u8],
        at: usize,
        scope: Scope,
        max_name: usize,
    ) -> Option<Result<Accepted, Rejection>> {
        let (prefix, start) = match start(window, at)? {
            Ok(started) => started,
            Err(reason) => return Some(Err(reason)),
        };
        Some(self.accept(window, at, prefix, start, scope, max_name))
    }

    fn accept(
        &mut self,
        window: &[u8],
        at: usize,
        prefix: Prefix,
        Start { doubled }: Start,
        scope: Scope,
        max_name: usize,
    ) -> Result<Accepted, Rejection> {
        if is_citation_key(&window[..at]) {
            return Err(Rejection::CitationKey);
        }
        let outside = &window[..at - doubled];
        let context = Context::read(outside, scope);
        let around = &context.around;
        let joinable = around.form != Form::Bare;
        let reach = reach(window, at, at + prefix.len, max_name, joinable);
        if reach.end - at > max_name {
            return Err(Rejection::TooLong);
        }
        let (before, after) = window.split_at(at);
        let raw = &after[..reach.end - at];
        let in_badge = around.place == UrlPlace::Badge;
        let is_escaped = reach.escaped || prefix.escaped || in_badge;
        let layers = is_escaped.then(|| context.percent_layers(outside, &raw[..prefix.len]));
        let text = self.decoder.text(raw, layers, in_badge);
        let suffix = text.position(prefix.len);
        let end = end(&text, suffix, around, before, |at| &after[text.start(at)..])?;
        write_name(&mut self.name, &text, suffix, end.at)?;
        if !has_right_suffix(prefix, around.form, &text.bytes[suffix..end.at]) {
            return Err(Rejection::RegistrantCode);
        }
        let len = text.end(end.at);
        Ok(Accepted {
            form: around.form,
            // White space inside a name is a break that was skipped.
            guessed: end.guessed || is_escaped && raw[..len].iter().any(u8::is_ascii_whitespace),
            rule: end.rule,
            len,
        })
    }
}

/// Writes the name, its separator as a slash.
fn write_name(
    name: &mut String,
    text: &DecodedText<'_>,
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
