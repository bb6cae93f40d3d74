//! The scanner's naive twin: a slow, obvious engine over the same rules. Tests and fuzzing compare the scanner with it.
//!
//! It tries every byte as the start of a name, reads patterns by trying each start, and undoes escapes on a list of bytes with
//! their places. It has no prefilter, no automaton with states, no shortcut for text without escapes and no chunks. The rulebook
//! decides what a name is. The twin has its own code to find, bound and decode a candidate.
//!
//! Not part of the public interface: for tests, with the feature `testing`.

mod known_ends;
mod layers;
mod pattern;

use std::collections::BTreeSet;

use super::escape::{LayerLimits, percent_layers};
use super::rules::arxiv::{announces, identifier};
use super::rules::end::{end, is_guess};
use super::rules::hidden::hidden_part_len;
use super::rules::joint::BreakRules;
use super::rules::page::{AngleBracket, cut_prefix, is_joined};
use super::rules::place::{UrlPlace, is_citation_key};
use super::rules::raw::RawByteClass;
use super::rules::start::{Separator, WrittenPrefix, has_right_suffix, start};
use super::rules::suffix::SuffixHead;
use super::rules::{NameContext, NameEnd, TextScope, cell};
use super::{Form, Mention, Rejection, Tally, TextKind};
use crate::doi::Doi;
use known_ends::{KnownQuery, NameReading};
use layers::UndoneText;

/// Bytes before a name that a decision about it may read.
const WINDOW_BYTES_BEFORE: usize = 1024;
/// Bytes after the longest name that the decision about its end may read.
const WINDOW_BYTES_AFTER: usize = 256;

/// A [`Mention`](crate::Mention) that owns its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedMention {
    /// As [`Mention::name`](crate::Mention::name).
    pub name: String,
    /// As [`Mention::key`](crate::Mention::key).
    pub key: String,
    /// As [`Mention::form`](crate::Mention::form).
    pub form: Form,
    /// As [`Mention::offset`](crate::Mention::offset), in bytes.
    pub offset: u64,
    /// As [`Mention::text`](crate::Mention::text).
    pub text: Vec<u8>,
    /// As [`Mention::guessed`](crate::Mention::guessed).
    pub guessed: bool,
}

impl From<Mention<'_>> for OwnedMention {
    fn from(mention: Mention<'_>) -> Self {
        OwnedMention {
            name: mention.name.to_owned(),
            key: mention.key.to_owned(),
            form: mention.form,
            offset: mention.offset,
            text: mention.text.to_vec(),
            guessed: mention.guessed,
        }
    }
}

/// Returns what [`Scanner::scan`](crate::Scanner::scan) must find in `document`, with names of at most `max_name` bytes.
///
/// Looks at 1,024 bytes before and `max_name` + 256 bytes after each byte of the document that could start a name, and costs up
/// to the square of that for each.
pub fn scan(document: &[u8], max_name: usize) -> (Vec<OwnedMention>, Tally) {
    scan_as(TextKind::Unknown, document, max_name)
}

/// Scans as [`scan`] does, for a document of a known kind.
pub fn scan_as(kind: TextKind, document: &[u8], max_name: usize) -> (Vec<OwnedMention>, Tally) {
    scan_knowing(&BTreeSet::new(), kind, document, max_name)
}

/// Scans as [`scan_as`] does, and asks the keys in `known`. An empty set changes nothing.
pub fn scan_knowing(
    known: &BTreeSet<String>,
    kind: TextKind,
    document: &[u8],
    max_name: usize,
) -> (Vec<OwnedMention>, Tally) {
    let mut mentions = Vec::new();
    let mut tally = Tally::default();
    for at in 0..document.len() {
        match decide(known, kind, document, at, max_name) {
            None => continue,
            Some(Ok((mention, is_changed))) => {
                tally.mentions += 1;
                tally.ends_changed += u64::from(is_changed);
                mentions.push(mention);
            }
            Some(Err(reason)) => tally.reject(reason),
        }
        tally.candidates += 1;
    }
    (mentions, tally)
}

/// Scans as [`scan_as`] does, and finds identifiers of arXiv that are not part of a name.
pub fn scan_with_arxiv(
    kind: TextKind,
    document: &[u8],
    max_name: usize,
) -> (Vec<OwnedMention>, Tally) {
    let (mut mentions, mut tally) = scan_as(kind, document, max_name);
    let names: Vec<_> = mentions
        .iter()
        .map(|name| (name.offset as usize, name.offset as usize + name.text.len()))
        .collect();
    for at in 0..document.len() {
        if names
            .iter()
            .any(|(start, end)| (*start..*end).contains(&at))
            || !announces(&document[..at])
        {
            continue;
        }
        if let Some((length, name)) = identifier(&document[at..]) {
            tally.mentions += 1;
            tally.candidates += 1;
            mentions.push(OwnedMention {
                key: name.to_ascii_lowercase(),
                name,
                form: Form::Arxiv,
                offset: at as u64,
                text: document[at..at + length].to_vec(),
                guessed: false,
            });
        }
    }
    mentions.sort_by_key(|mention| mention.offset);
    (mentions, tally)
}

/// A mention, and whether known names changed the name of the rules.
type Decided = (OwnedMention, bool);

/// Decides about the byte at `at`; `None` if it is not a candidate, as most are not.
fn decide(
    known: &BTreeSet<String>,
    kind: TextKind,
    document: &[u8],
    at: usize,
    max_name: usize,
) -> Option<Result<Decided, Rejection>> {
    if is_short_doi(&document[..at], &document[at..]) {
        return Some(Err(Rejection::ShortDoi));
    }
    let longest = max_name
        .saturating_add(WINDOW_BYTES_AFTER)
        .min(document.len() - at);
    let mut candidate = NaiveCandidate {
        before: last(&document[..at]),
        after: &document[at..at + longest],
        scope: match kind {
            TextKind::Html => TextScope::Page,
            TextKind::Printed => TextScope::Printed,
            _ => TextScope::Any,
        },
        max_name,
        known,
    };
    let window = [candidate.before, candidate.after].concat();
    if let Some(delimiter) = kind.delimiter() {
        let before = candidate.before.len();
        let cell = cell::cell_at(&window, before, delimiter, before < WINDOW_BYTES_BEFORE);
        candidate.before = &window[cell.start..before];
        candidate.after = &window[before..cell.end];
        candidate.scope = cell.scope();
    }
    let (prefix, doubled_len) = match candidate.start(0)? {
        Ok(started) => started,
        Err(reason) => return Some(Err(reason)),
    };
    Some(candidate.read(prefix, doubled_len, at as u64))
}

fn last(before: &[u8]) -> &[u8] {
    &before[before.len().saturating_sub(WINDOW_BYTES_BEFORE)..]
}

/// Whether a short DOI starts at `after`, `https://doi.org/10/abc`: an alias for a name, without its registrant code.
fn is_short_doi(before: &[u8], after: &[u8]) -> bool {
    let alias = after.strip_prefix(b"10/").and_then(<[u8]>::first);
    alias.is_some_and(u8::is_ascii_alphanumeric)
        && before.to_ascii_lowercase().ends_with(b"g/")
        && pattern::scheme(last(before)).is_some_and(|(form, _)| form == Form::Url)
}

/// A byte that may start a name, and all that the decision about it reads.
struct NaiveCandidate<'d> {
    before: &'d [u8],
    /// The bytes from this byte on.
    after: &'d [u8],
    scope: TextScope,
    max_name: usize,
    known: &'d BTreeSet<String>,
}

impl NaiveCandidate<'_> {
    /// Returns the prefix of the name that starts `skipped` bytes after this one, and how many bytes before it belong to it.
    fn start(&self, skipped: usize) -> Option<Result<(WrittenPrefix, usize), Rejection>> {
        let after = &self.after[skipped..];
        let cut = || cut_prefix(after, pattern::prefix).filter(|_| self.scope == TextScope::Page);
        let prefix = pattern::prefix(after).or_else(cut)?;
        let before = [self.before, &self.after[..skipped]].concat();
        let before = last(&before);
        if pattern::ends_in_prefix(before) {
            return None;
        }
        let started = start(before, after, prefix, |outer| pattern::opener(outer).0)?;
        Some(started.map(|start| (prefix, start.doubled_len)))
    }

    /// Returns the layers of escapes that a name with `percent` layers of percent encoding may have.
    fn layer_limits(
        &self,
        percent: usize,
        context: &NameContext,
        prefix: WrittenPrefix,
    ) -> LayerLimits {
        LayerLimits {
            percent,
            in_badge: context.place == UrlPlace::Badge,
            in_page: self.scope == TextScope::Page,
            is_defended: prefix.separator == Separator::Underscore,
        }
    }

    /// Returns the mention of the name with `prefix`, or why it is refused.
    fn read(
        &self,
        prefix: WrittenPrefix,
        doubled_len: usize,
        at: u64,
    ) -> Result<Decided, Rejection> {
        if is_citation_key(self.before) {
            return Err(Rejection::CitationKey);
        }
        let outside = &self.before[..self.before.len() - doubled_len];
        let (form, opener) = pattern::opener(outside);
        let ends_in_scheme = |bytes: &[u8]| pattern::scheme(bytes).is_some();
        let context = NameContext::read(outside, form, opener, self.scope, ends_in_scheme);
        let front = [
            &outside[outside.len() - opener..],
            &self.before[outside.len()..],
            &self.after[..prefix.len],
        ]
        .concat();
        let break_rules = BreakRules::of(&context).after(&front);
        let max_len = self.max_len(prefix.len, break_rules);
        if max_len > self.max_name {
            return Err(Rejection::TooLong);
        }
        let percent = percent_layers(outside, opener, &self.after[..prefix.len]);
        let layer_limits = self.layer_limits(percent, &context, prefix);
        let text = layers::undone(&self.after[..max_len], layer_limits);
        let suffix = text.position(prefix.len);
        let widened = || {
            let max_len = self.max_len(prefix.len, break_rules.widened());
            (max_len <= self.max_name).then(|| layers::undone(&self.after[..max_len], layer_limits))
        };
        let query = KnownQuery {
            known: self.known,
            after: self.after,
            prefix: prefix.len,
            form,
            max_len,
            end: self.end(&text, suffix, &context)?,
            widened: &widened,
            text,
        };
        let (by_rules, found) = (query.by_rules(), query.known());
        let is_changed = found
            .as_ref()
            .is_some_and(|found| found.name != by_rules.name);
        let found = found.unwrap_or(by_rules);
        let mention = self.mention(&found, suffix, form, at)?;
        match has_right_suffix(prefix, form, &found.name[suffix..]) {
            true => Ok((mention, is_changed)),
            false => Err(Rejection::RegistrantCode),
        }
    }

    /// Returns where the rules end the name of `text`, whose suffix starts at `suffix`.
    fn end(
        &self,
        text: &UndoneText,
        suffix: usize,
        context: &NameContext,
    ) -> Result<NameEnd, Rejection> {
        let rest = |at: usize| &self.after[text.start(at)..];
        let head = SuffixHead::empty(suffix);
        let end = end(text, suffix, head, context, self.before, rest)?;
        let written = &self.after[..text.end(end.at)];
        Ok(NameEnd {
            guessed: end.guessed || is_joined(self.scope, written),
            ..end
        })
    }

    fn mention(
        &self,
        found: &NameReading,
        suffix: usize,
        form: Form,
        at: u64,
    ) -> Result<OwnedMention, Rejection> {
        let name = name(&found.name[..suffix - 1], &found.name[suffix..])?;
        let key = name.to_ascii_lowercase();
        Ok(OwnedMention {
            guessed: is_guess(&key, found.guessed),
            key,
            name,
            form,
            offset: at,
            text: self.after[..found.len].to_vec(),
        })
    }

    /// Returns the max number of bytes that the candidate can take up, its prefix of `from` bytes included.
    fn max_len(&self, from: usize, break_rules: BreakRules) -> usize {
        let mut at = from;
        while at < self.after.len() && at <= self.max_name {
            let rest = &self.after[at..];
            if let Some(Ok((_, doubled_len))) = self.start(at) {
                let name = &self.after[from..at - doubled_len];
                let opener = pattern::scheme(name).map_or(0, |(_, len)| len);
                // White space directly before the next name is not a break.
                return from + name[..name.len() - opener].trim_ascii_end().len();
            }
            at += match RawByteClass::of(rest[0]) {
                RawByteClass::EndsName => return at,
                RawByteClass::Blank => match break_rules.break_len(
                    &[self.before, &self.after[..at]].concat(),
                    self.before.len() + from,
                    self.before.len() + from,
                    rest,
                ) {
                    Some(len) => len,
                    None => return at,
                },
                RawByteClass::AngleBracket => match AngleBracket::of(rest, self.scope) {
                    AngleBracket::InlineTags(len) => len,
                    AngleBracket::BoundaryTag => return at,
                    AngleBracket::NotTag => 1,
                },
                RawByteClass::Escape => hidden_part_len(rest).unwrap_or(1),
                RawByteClass::Plain | RawByteClass::DigitOne => 1,
            };
        }
        at.min(self.after.len())
    }
}

/// Returns the name with a slash as its separator, if it is a valid DOI name.
fn name(code: &[u8], suffix: &[u8]) -> Result<String, Rejection> {
    let name = String::from_utf8([code, suffix].join(&b'/'));
    let name = name.ok().and_then(|name| Doi::new(&name).ok());
    name.map(|doi| doi.as_str().to_owned())
        .ok_or(Rejection::NotGraphic)
}
