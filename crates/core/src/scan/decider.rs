//! Decides about one anchor from the bounded window around it only.

use super::candidate::Candidate;
use super::decode::Decoder;
use super::fast_path;
use super::known_ends::{KnownLookup, KnownName};
use super::name_buffers::{MAX_SHORT_NAME_BYTES, NameBuffers};
use super::rules::TextScope;
use super::rules::end::is_guess;
use super::rules::known_ends::{is_doubtful, may_end_elsewhere};
use super::rules::start::{WrittenPrefix, has_right_suffix};
use super::start::{prefix, start_of_prefix};
use super::tally::Rejection;
use super::window::{AcceptedName, KnownVerdict};

/// Buffers that are reused from candidate to candidate.
#[derive(Clone, Default)]
pub(super) struct Decider {
    decoder: Decoder,
    /// Known names, if the caller set any.
    pub(super) lookup: Option<KnownLookup>,
    /// The name of the last accepted candidate.
    pub(super) buffers: NameBuffers,
}

impl Decider {
    /// Decides about the anchor at `at`; `None` if no complete prefix starts there. `scope` says what `window` is.
    #[inline]
    pub(super) fn decide(
        &mut self,
        window: &[u8],
        at: usize,
        scope: TextScope,
        max_name: usize,
    ) -> Option<Result<AcceptedName, Rejection>> {
        let prefix = prefix(&window[at..], scope)?;
        if max_name >= MAX_SHORT_NAME_BYTES {
            if let Some(accepted) = fast_path::accept(window, at, prefix, scope, &mut self.buffers)
            {
                if self.lookup.is_none() || !Self::needs_lookup(prefix, &accepted, &window[at..]) {
                    return Some(Ok(accepted));
                }
            }
        }
        let start = start_of_prefix(window, at, prefix)?;
        let candidate =
            start.and_then(|start| Candidate::bound(window, at, start, scope, max_name));
        Some(candidate.and_then(|candidate| self.accept(&candidate)))
    }

    /// Whether known names are asked about the simple name that was `accepted`, which has `prefix` and is at the start of `after`.
    #[inline]
    fn needs_lookup(prefix: WrittenPrefix, accepted: &AcceptedName, after: &[u8]) -> bool {
        let (name, rest) = after.split_at(accepted.len);
        may_end_elsewhere(&name[prefix.len..], accepted.form, rest)
    }

    fn accept(&mut self, candidate: &Candidate<'_>) -> Result<AcceptedName, Rejection> {
        let text = candidate.text(&mut self.decoder);
        let (prefix, form) = (candidate.prefix, candidate.context.form);
        let suffix = text.position(prefix.len);
        let head = candidate.head.shifted(prefix.len - suffix);
        let end = candidate.end(&text, suffix, head)?;
        let mut accepted = AcceptedName {
            form,
            guessed: end.guessed,
            rule: end.rule,
            len: text.end(end.at),
            known_verdict: KnownVerdict::NotAsked,
        };
        let mut name = &text.bytes[..end.at];
        let rest = &candidate.after[accepted.len..];
        let is_doubtful = |_: &&mut KnownLookup| is_doubtful(text.bytes, suffix, end, form, rest);
        if let Some(lookup) = self.lookup.as_mut().filter(is_doubtful) {
            let found = lookup.find(candidate, text, suffix, end);
            name = accepted.apply_known_name(name, found);
        }
        self.buffers.set(name, suffix, name.len() <= head.end)?;
        accepted.guessed = is_guess(&self.buffers.key, accepted.guessed);
        match has_right_suffix(prefix, form, &name[suffix..]) {
            true => Ok(accepted),
            false => Err(Rejection::RegistrantCode),
        }
    }
}

impl AcceptedName {
    /// Takes the name that known names `found` instead of the `name` of the rules, if they found one.
    fn apply_known_name<'n>(&mut self, name: &'n [u8], found: Option<KnownName<'n>>) -> &'n [u8] {
        let Some(found) = found else {
            self.known_verdict = KnownVerdict::Unknown;
            return name;
        };
        self.guessed = found.guessed;
        self.known_verdict = KnownVerdict::Same;
        if found.name != name {
            (self.len, self.rule) = (found.len, None);
            self.known_verdict = KnownVerdict::Other;
        }
        found.name
    }
}
