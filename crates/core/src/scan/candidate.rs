//! Reads where a candidate may end, and where the rules end it.

use super::context::read_context;
use super::decode::{DecodedText, Decoder};
use super::escape::{LayerLimits, percent_layers};
use super::extent::candidate_extent;
use super::rules::end::end;
use super::rules::joint::BreakRules;
use super::rules::page::is_joined;
use super::rules::place::{UrlPlace, is_citation_key};
use super::rules::start::{NameStart, Separator, WrittenPrefix};
use super::rules::suffix::SuffixHead;
use super::rules::{NameContext, NameEnd, TextScope};
use super::tally::Rejection;

/// The start of a name, and all that decides where it ends.
pub(super) struct Candidate<'w> {
    pub(super) prefix: WrittenPrefix,
    pub(super) context: NameContext,
    pub(super) before: &'w [u8],
    /// The bytes from the anchor on, and the part of them that can belong to the name.
    pub(super) after: &'w [u8],
    pub(super) raw_bytes: &'w [u8],
    window: &'w [u8],
    max_name: usize,
    /// Bytes before the anchor that belong to the name too.
    doubled_len: usize,
    break_rules: BreakRules,
    /// Whether white space or a tag may be inside the name.
    may_be_joined: bool,
    /// The start of the suffix that [`suffix_head`](super::rules::suffix::suffix_head) read, if nothing in the suffix is escaped.
    pub(super) head: SuffixHead,
    /// How the layers to undo were written; `None` if nothing is escaped.
    pub(super) layer_limits: Option<LayerLimits>,
}

impl<'w> Candidate<'w> {
    #[inline]
    pub(super) fn bound(
        window: &'w [u8],
        at: usize,
        start: NameStart,
        scope: TextScope,
        max_name: usize,
    ) -> Result<Self, Rejection> {
        let NameStart {
            prefix,
            doubled_len,
        } = start;
        let (before, after) = window.split_at(at);
        if is_citation_key(before) {
            return Err(Rejection::CitationKey);
        }
        let outside = &before[..at - doubled_len];
        let (context, opener_is_spaced) = read_context(outside, scope);
        let written = &after[..prefix.len];
        // Most prefixes have no blanks.
        let prefix_is_spaced = prefix.is_escaped && written.iter().any(u8::is_ascii_whitespace);
        let break_rules = match opener_is_spaced || prefix_is_spaced {
            true => BreakRules::of(&context)
                .after(&window[at - doubled_len - context.opener..at + prefix.len]),
            false => BreakRules::of(&context),
        };
        let (suffix, last) = (at + prefix.len, window.len().min(at + max_name + 1));
        let extent = candidate_extent(window, suffix, last, break_rules, scope);
        let len = extent.end - at;
        if len > max_name {
            return Err(Rejection::TooLong);
        }
        let in_badge = context.place == UrlPlace::Badge;
        let is_escaped = extent.has_escape || prefix.is_escaped || in_badge;
        let is_defended = prefix.separator == Separator::Underscore;
        let layer_limits = || layer_limits(outside, &context, prefix, after);
        Ok(Candidate {
            prefix,
            context,
            before,
            after,
            raw_bytes: &after[..len],
            window,
            max_name,
            doubled_len,
            break_rules,
            may_be_joined: extent.is_joined
                || prefix_is_spaced
                || scope == TextScope::Page && prefix.is_escaped,
            head: match extent.has_escape || in_badge || is_defended {
                true => extent.head.shifted(at).emptied(prefix.len),
                false => extent.head.shifted(at),
            },
            layer_limits: is_escaped.then(layer_limits),
        })
    }

    /// Returns the end that the rules give its `text`, whose suffix starts at `suffix` and has this `head`.
    #[inline]
    pub(super) fn end(
        &self,
        text: &DecodedText<'_>,
        suffix: usize,
        head: SuffixHead,
    ) -> Result<NameEnd, Rejection> {
        let Candidate { context, after, .. } = self;
        let rest = |at| &after[text.start(at)..];
        let end = end(text, suffix, head, context, self.before, rest)?;
        let written = &after[..text.end(end.at)];
        let is_joined = self.may_be_joined && is_joined(context.scope, written);
        Ok(NameEnd {
            guessed: end.guessed || is_joined,
            ..end
        })
    }

    /// Returns the bytes that can belong to the name if white space may be a break wherever more of the name could follow, and
    /// how they may be escaped. `None` if these are not more than `raw_bytes`, or too many.
    pub(super) fn widened(&self) -> Option<(&'w [u8], LayerLimits)> {
        let at = self.before.len();
        let last = self.window.len().min(at + self.max_name + 1);
        let break_rules = self.break_rules.widened();
        let scope = self.context.scope;
        let len =
            candidate_extent(self.window, at + self.prefix.len, last, break_rules, scope).end - at;
        let outside = &self.before[..at - self.doubled_len];
        let layer_limits = || layer_limits(outside, &self.context, self.prefix, self.after);
        (len > self.raw_bytes.len() && len <= self.max_name)
            .then(|| (&self.after[..len], layer_limits()))
    }

    /// Returns the text with the layers undone.
    pub(super) fn text<'d>(&'d self, decoder: &'d mut Decoder) -> DecodedText<'d> {
        decoder.text(self.raw_bytes, self.layer_limits)
    }
}

/// Returns the layers of escapes that a name surrounded by `context` may have, with its `prefix` at the start of `after` and the
/// bytes `outside` before it.
#[inline]
fn layer_limits(
    outside: &[u8],
    context: &NameContext,
    prefix: WrittenPrefix,
    after: &[u8],
) -> LayerLimits {
    let written = if prefix.is_escaped {
        &after[..prefix.len]
    } else {
        b""
    };
    LayerLimits {
        percent: percent_layers(outside, context.opener, written),
        in_badge: context.place == UrlPlace::Badge,
        in_page: context.scope == TextScope::Page,
        is_defended: prefix.separator == Separator::Underscore,
    }
}
