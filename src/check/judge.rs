//! Gives verdicts on texts and names, by the rules, the check digit, the index and the registry.

use std::sync::Arc;

use doisift_core::{CheckDigit, Doi, DoiErrorKind};
use doisift_known::{Index, IndexError, Notice, is_retracted};

use super::cut::RepairCut;
use super::reference::{FieldRole, Reference, ReferenceName, text};
use super::reserved::{TEMPLATE, reserved};
use super::retractions::united;
use super::suggest::suggest;
use super::verdict::CheckVerdict;
use crate::error::{Cause, Error, KnownError};
use crate::normalize::{Normalized, Normalizer, Refusal, reasons};
use crate::registry::{RegistryAnswer, RegistryCounts, RegistryLookup};
use crate::task::{Monitor, not_cancelled};

/// Detail of a name that the registry does not know.
const UNKNOWN: &str = "unknown to the registry";
/// Start of the detail if the registry could not be asked; the reason follows.
const COULD_NOT_ASK: &str = "could not ask the registry: ";

/// A reference, and the bytes that hold it.
pub(super) type HeldReference<'r> = (&'r [u8], &'r Reference);

/// A verdict, and the reason for it.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    pub(super) doi: Option<Doi>,
    /// Whether the index or the registry knows the name.
    is_known: bool,
    pub(super) verdict: CheckVerdict,
    /// Explanation for people; empty if the verdict says enough.
    pub(super) detail: String,
    /// The name to write instead.
    pub(super) repair: Option<Doi>,
    /// Whether the repair may be written without a person's approval.
    pub(super) is_certain: bool,
}

/// Judges texts and names, with an index and a registry if there are any.
pub(super) struct Judge {
    index: Option<Arc<Index>>,
    /// Notices beside those of the index.
    notices: Option<Arc<Index>>,
    /// The agencies and dates of the index, for messages.
    scope: String,
    strictly: Normalizer,
    dirty: Normalizer,
    registry: Option<Box<dyn RegistryLookup>>,
}

impl Judge {
    pub(super) fn new(
        index: Option<Arc<Index>>,
        notices: Option<Arc<Index>>,
        registry: Option<Box<dyn RegistryLookup>>,
    ) -> Self {
        Judge {
            scope: index.as_deref().map(scope).unwrap_or_default(),
            index,
            notices,
            strictly: Normalizer::new(),
            dirty: Normalizer::new().clean(true),
            registry,
        }
    }

    /// Judges references. If a registry is asked, judges those with unknown names again with its answers.
    ///
    /// # Errors
    /// If the index or the cache of answers cannot be used, or the run is cancelled.
    pub(super) fn references(
        &mut self,
        references: &[HeldReference<'_>],
        monitor: &Monitor,
    ) -> Result<Vec<Judgement>, Error> {
        not_cancelled(monitor)?;
        let mut all = Vec::with_capacity(references.len());
        for cited in references {
            all.push(self.reference(cited).map_err(unreadable)?);
        }
        if self.ask(&all, monitor)? {
            for (judgement, cited) in all.iter_mut().zip(references) {
                if judgement.unknown_name().is_some() {
                    *judgement = self.reference(cited).map_err(unreadable)?;
                }
            }
        }
        Ok(all)
    }

    fn reference(
        &mut self,
        (bytes, reference): &HeldReference<'_>,
    ) -> Result<Judgement, IndexError> {
        match &reference.name {
            ReferenceName::Nothing => Ok(Judgement::new(None, CheckVerdict::NoDoi)),
            ReferenceName::Field(field) => {
                let written = text(&bytes[reference.place.clone()]);
                self.text(&field.decoded_text(&written), field.role)
            }
            ReferenceName::Found { doi, guessed } => self.found(doi, *guessed),
        }
    }

    /// Asks the registry about the names that the index does not know; they must be judged again after that. Returns false if
    /// there is no registry.
    ///
    /// # Errors
    /// If the cache of answers cannot be used, or the run is cancelled.
    fn ask(&mut self, judged: &[Judgement], monitor: &Monitor) -> Result<bool, Error> {
        let Some(registry) = &mut self.registry else {
            return Ok(false);
        };
        let names = judged.iter().filter_map(Judgement::unknown_name);
        registry
            .ask(names.cloned().collect(), monitor)
            .map(|()| true)
    }

    /// Returns the counts of the questions to the registry, if there is one.
    pub(super) fn asked(&self) -> Option<RegistryCounts> {
        self.registry.as_ref().map(|registry| registry.counts())
    }

    /// Judges the text of a field that is meant to be one name.
    ///
    /// # Errors
    /// If the index cannot be read.
    fn text(&mut self, text: &str, role: FieldRole) -> Result<Judgement, IndexError> {
        let mut judged = self.field(text, role)?;
        judged.add_reserved();
        Ok(judged)
    }

    fn field(&mut self, text: &str, role: FieldRole) -> Result<Judgement, IndexError> {
        if text.trim().is_empty() {
            return Ok(Judgement::new(None, CheckVerdict::NoDoi));
        }
        let meant = match self.dirty.read(text.as_bytes()) {
            Ok(meant) if !meant.changed => return self.written(text, &meant.doi, role),
            meant => meant,
        };
        // A known name needs no repair, even if the rules would change it.
        if let Ok(written) = self.strictly.read(text.as_bytes())
            && self.knows(&written.doi)?
        {
            return self.written(text, &written.doi, role);
        }
        match meant {
            Ok(meant) => self.repaired(&meant),
            Err(refusal) => Ok(refused(&refusal)),
        }
    }

    /// Judges a name that was found in a text; `guessed` says that its end was a guess.
    ///
    /// # Errors
    /// If the index cannot be read.
    fn found(&self, doi: &Doi, guessed: bool) -> Result<Judgement, IndexError> {
        let mut judged = self.name(doi)?;
        let is_unknown = matches!(
            judged.verdict,
            CheckVerdict::NotInIndex | CheckVerdict::UnknownToRegistry
        );
        if guessed && is_unknown {
            judged.note("the end of the name is a guess");
        }
        judged.add_reserved();
        Ok(judged)
    }

    fn knows(&self, doi: &Doi) -> Result<bool, IndexError> {
        let index = self.index.as_ref();
        let is_known = index.map_or(Ok(false), |index| index.contains(&doi.key()))?;
        Ok(is_known || !self.notices(doi)?.is_empty())
    }

    /// Returns the notices about a name, known or not.
    fn notices(&self, doi: &Doi) -> Result<Vec<Notice>, IndexError> {
        let of = |index: &Option<Arc<Index>>| {
            let index = index.as_ref();
            index.map_or(Ok(Vec::new()), |index| index.notices(&doi.key()))
        };
        Ok(united(of(&self.index)?, of(&self.notices)?))
    }

    /// Judges a name and the form in which `text` gives it. A field for names must hold the name alone.
    fn written(&self, text: &str, doi: &Doi, role: FieldRole) -> Result<Judgement, IndexError> {
        let judged = self.name(doi)?;
        let text = text.trim();
        if role != FieldRole::Name || text == doi.as_str() {
            return Ok(judged);
        }
        let reason = match text.split_once("10.") {
            Some((lead, _)) if !lead.is_empty() => {
                format!("the field holds more than the name: '{lead}'")
            }
            _ => "the field holds an encoded form of the name".to_owned(),
        };
        // The name stays the same, so that an index need not confirm it.
        let is_certain = !matches!(judged.verdict, CheckVerdict::CouldNotAsk);
        match judged.verdict {
            CheckVerdict::UnknownToRegistry => {
                let mut judged = judged;
                judged.note(&reason);
                (judged.repair, judged.is_certain) = (Some(doi.clone()), true);
                Ok(judged)
            }
            _ => Ok(self.rewritten(judged, doi, &reason, is_certain)),
        }
    }

    /// Judges a name that the rules for dirty data made from a text.
    fn repaired(&self, meant: &Normalized) -> Result<Judgement, IndexError> {
        let judged = self.name(&meant.doi)?;
        let rules = reasons(&meant.changes).join("; ");
        let cut = RepairCut::of(meant);
        let (is_known, verdict) = (judged.is_known, judged.verdict);
        // If there is an index or a registry, it decides about a repair.
        let is_certain = verdict == CheckVerdict::WellFormed && cut == RepairCut::Certain;
        let mut judged = self.rewritten(judged, &meant.doi, &rules, is_known || is_certain);
        if cut == RepairCut::Short && !is_known {
            judged.verdict = CheckVerdict::CutShort;
            (judged.repair, judged.is_certain) = (None, false);
        }
        Ok(judged)
    }

    /// Changes the judgement of `doi` for a text that must be rewritten for this `reason`.
    fn rewritten(
        &self,
        mut judged: Judgement,
        doi: &Doi,
        reason: &str,
        is_certain: bool,
    ) -> Judgement {
        match judged.verdict {
            CheckVerdict::NotInIndex => judged.detail = format!("not in {}", self.scope),
            CheckVerdict::UnknownToRegistry => judged.detail = UNKNOWN.to_owned(),
            CheckVerdict::CouldNotAsk => judged.detail.insert_str(0, COULD_NOT_ASK),
            CheckVerdict::Known | CheckVerdict::WellFormed => {}
            verdict => {
                judged.note(reason);
                judged.is_certain |= is_certain && verdict == CheckVerdict::Retracted;
                if verdict != CheckVerdict::CutShort {
                    judged.repair.get_or_insert_with(|| doi.clone());
                }
                return judged;
            }
        }
        judged.verdict = CheckVerdict::WrittenWrongly;
        let detail = std::mem::replace(&mut judged.detail, reason.to_owned());
        judged.note(&detail);
        (judged.repair, judged.is_certain) = (Some(doi.clone()), is_certain);
        judged
    }

    /// Judges a name by the notices and the index, and by the registry if neither shows that it exists.
    fn name(&self, doi: &Doi) -> Result<Judgement, IndexError> {
        let notices = self.notices(doi)?;
        let mut judged = match is_retracted(&notices) {
            true => Judgement::known(doi, CheckVerdict::Retracted),
            false => self.by_index(doi)?,
        };
        self.add_prefix(&mut judged, doi);
        let registry = self.registry.as_ref().filter(|_| !judged.is_known);
        if let Some(answer) = registry.and_then(|registry| registry.answer(doi)) {
            judged.add_answer(answer);
        }
        for notice in &notices {
            judged.note(&notice_text(notice));
        }
        Ok(judged)
    }

    /// Changes the verdict if the index lists registered prefixes without that of the name, and the name has no other fault.
    fn add_prefix(&self, judged: &mut Judgement, doi: &Doi) {
        let prefix = doi.prefix().to_ascii_lowercase();
        let index = self.index.as_ref();
        let is_listed = index.and_then(|index| index.has_registered_prefix(&prefix));
        if is_listed == Some(false) && judged.is_open() {
            judged.verdict = CheckVerdict::UnknownPrefix;
            judged.detail = format!("not a prefix of {}", self.scope);
        }
    }

    /// Judges a name by the index and the check digit.
    fn by_index(&self, doi: &Doi) -> Result<Judgement, IndexError> {
        let judged = |verdict| Judgement::new(Some(doi.clone()), verdict);
        let is_bad = doi.check_digit() == Some(CheckDigit::Bad);
        // An index may have nothing but prefixes or notices.
        let Some(index) = self.index.as_ref().filter(|index| !index.is_empty()) else {
            return Ok(match is_bad {
                true => wrong_check_digit(judged(CheckVerdict::WrongCheckDigit)),
                false => judged(CheckVerdict::WellFormed),
            });
        };
        match index.contains(&doi.key())? {
            true => Ok(Judgement::known(doi, CheckVerdict::Known)),
            false => self.unknown(index, doi, is_bad),
        }
    }

    fn unknown(&self, index: &Index, doi: &Doi, is_bad: bool) -> Result<Judgement, IndexError> {
        let mut judged = Judgement::new(Some(doi.clone()), CheckVerdict::NotInIndex);
        let longer = index.extensions(&doi.key(), 1)?.pop();
        match longer.filter(|_| !is_bad) {
            Some(part) if is_part(doi, &part) => {
                judged.detail.clone_from(&self.scope);
                judged.note(&format!("it knows parts of the work, such as {part}"));
                return Ok(judged);
            }
            Some(longer) if !has_sibling(index, doi)? => {
                judged.verdict = CheckVerdict::CutShort;
                judged.detail = format!("known names go on, such as {longer}");
                return Ok(judged);
            }
            Some(_) | None => {}
        }
        if let Some(suggestion) = suggest(index, doi)? {
            judged.verdict = CheckVerdict::DidYouMean;
            judged.detail = format!("{} ({})", suggestion.doi, suggestion.slip);
            (judged.repair, judged.is_certain) = (Some(suggestion.doi), true);
            return Ok(judged);
        }
        if is_bad {
            judged.verdict = CheckVerdict::WrongCheckDigit;
            return Ok(wrong_check_digit(judged));
        }
        judged.detail.clone_from(&self.scope);
        if !index.extends(&format!("{}/", doi.prefix()))? {
            judged.note(&format!("it has no name of {}", doi.prefix()));
        }
        Ok(judged)
    }
}

impl Judgement {
    pub(super) fn new(doi: Option<Doi>, verdict: CheckVerdict) -> Self {
        Judgement {
            doi,
            is_known: false,
            verdict,
            detail: String::new(),
            repair: None,
            is_certain: false,
        }
    }

    /// Judges a name that exists.
    fn known(doi: &Doi, verdict: CheckVerdict) -> Self {
        Judgement {
            is_known: true,
            ..Judgement::new(Some(doi.clone()), verdict)
        }
    }

    /// Returns the name if neither the index nor the registry knows it.
    pub(super) fn unknown_name(&self) -> Option<&Doi> {
        self.doi.as_ref().filter(|_| !self.is_known)
    }

    /// Adds the registry's answer about a name that the index does not know. A verdict that states a fault of the name stays
    /// unless the registry knows the name.
    fn add_answer(&mut self, answer: &RegistryAnswer) {
        let (verdict, detail, note) = match answer {
            RegistryAnswer::Known => {
                *self = Judgement::new(self.doi.take(), CheckVerdict::Known);
                self.is_known = true;
                return self.note("the registry knows it");
            }
            RegistryAnswer::Unknown => {
                let verdict = CheckVerdict::UnknownToRegistry;
                (verdict, String::new(), UNKNOWN.to_owned())
            }
            RegistryAnswer::CouldNotAsk(reason) => {
                // The name may be registered, so it is not replaced.
                self.is_certain = false;
                let note = format!("{COULD_NOT_ASK}{reason}");
                (CheckVerdict::CouldNotAsk, reason.clone(), note)
            }
        };
        match self.verdict {
            CheckVerdict::WellFormed | CheckVerdict::NotInIndex => {
                (self.verdict, self.detail) = (verdict, detail);
            }
            _ => self.note(&note),
        }
    }

    /// Whether the name has no fault, but is not known either.
    fn is_open(&self) -> bool {
        matches!(
            self.verdict,
            CheckVerdict::WellFormed | CheckVerdict::NotInIndex
        )
    }

    /// Changes the verdict to a placeholder if the name is reserved, unless the registry answered or the name has another fault.
    fn add_reserved(&mut self) {
        let is_open = self.is_open() || self.verdict == CheckVerdict::UnknownPrefix;
        let reason = self.doi.as_ref().filter(|_| is_open).and_then(reserved);
        if let Some(reason) = reason {
            let detail = std::mem::replace(&mut self.detail, reason.to_owned());
            match self.verdict {
                CheckVerdict::NotInIndex => self.note(&format!("not in {detail}")),
                _ => self.note(&detail),
            }
            self.verdict = CheckVerdict::Placeholder;
        }
    }

    /// Appends to the detail.
    fn note(&mut self, note: &str) {
        if !self.detail.is_empty() && !note.is_empty() {
            self.detail += "; ";
        }
        self.detail += note;
    }
}

fn wrong_check_digit(mut judged: Judgement) -> Judgement {
    judged.note("its last character does not agree with the others");
    judged
}

/// Whether a known name differs only in its last digit. Then numbers of this length are usual, and the name is probably not cut short.
fn has_sibling(index: &Index, doi: &Doi) -> Result<bool, IndexError> {
    let key = doi.key();
    let Some(stem) = key.strip_suffix(|last: char| last.is_ascii_digit()) else {
        return Ok(false);
    };
    for digit in '0'..='9' {
        if index.contains(&format!("{stem}{digit}"))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a longer name names a part of the work, such as a figure: `.s001` after a digit. Then the name itself is whole.
fn is_part(doi: &Doi, longer: &str) -> bool {
    let rest = longer.as_bytes().get(doi.key().len()..).unwrap_or_default();
    let is_numbered = doi.as_str().ends_with(|last: char| last.is_ascii_digit());
    is_numbered && matches!(rest, [b'.' | b'/', b'a'..=b'z', ..])
}

/// Returns the agencies and dates of the index's sources. A source without an agency gives its name.
fn scope(index: &Index) -> String {
    let mut parts: Vec<String> = Vec::new();
    for source in index.sources() {
        let mut part = source.agency.as_ref().unwrap_or(&source.name).clone();
        if let Some(date) = source.date {
            part += &format!(" {date}");
        }
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(", ")
}

/// Formats a notice: `retraction 2021-05-01 by 10.5555/notice (publisher)`.
fn notice_text(notice: &Notice) -> String {
    let mut text = notice.kind.name().replace('_', " ");
    if let Some(date) = notice.date {
        text += &format!(" {date}");
    }
    if let Some(doi) = &notice.doi {
        text += &format!(" by {}", doi.key());
    }
    text + &format!(" ({})", notice.asserted_by.name())
}

/// Returns the judgement of a text that is not a name, with the rule that it breaks.
fn refused(refusal: &Refusal) -> Judgement {
    let mut judged = Judgement::new(None, CheckVerdict::NotADoi);
    judged.detail = match refusal {
        Refusal::NoName(error) if error.kind() == DoiErrorKind::Placeholder => {
            judged.verdict = CheckVerdict::Placeholder;
            format!("{}: {TEMPLATE}", broken_rule(error.kind()))
        }
        Refusal::NoName(error) => format!("{}: {error}", broken_rule(error.kind())),
        refusal => refusal.to_string(),
    };
    judged
}

/// Returns the rule that a text breaks: the id of a rule for dirty data, or the clause of the standard.
fn broken_rule(kind: DoiErrorKind) -> &'static str {
    use doisift_core::internal::Rule;
    match kind {
        DoiErrorKind::CutShort => Rule::CutShort.id(),
        DoiErrorKind::Placeholder => Rule::Placeholder.id(),
        DoiErrorKind::WhiteSpace => Rule::LostJoints.id(),
        DoiErrorKind::NoDirectory | DoiErrorKind::RegistrantCode | DoiErrorKind::NoSeparator => {
            "N1"
        }
        DoiErrorKind::EmptySuffix | DoiErrorKind::NotGraphic(_) => "N3",
        DoiErrorKind::NotUtf8 => "U1",
        DoiErrorKind::QueryOrFragment(_) => "U3",
        DoiErrorKind::ForeignHost | DoiErrorKind::ShortDoi => "P1",
        _ => "N1",
    }
}

fn unreadable(error: IndexError) -> Error {
    Error::new(Cause::Known(KnownError::Unreadable(error)))
}
