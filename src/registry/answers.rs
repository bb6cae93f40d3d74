//! The answers of a registry in a run.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use doisift_core::Doi;
use doisift_resolve::{Cache, HandleAnswer};

use super::{
    RegistryAnswer, RegistryClient, RegistryCounts, RegistryLookup, cache_failed, cancelled_with,
};
use crate::error::Error;
use crate::options::Registry;
use crate::task::{Monitor, not_cancelled};

/// # Errors
/// If the endpoint or the contact cannot be used.
pub(crate) fn check(options: &Registry) -> Result<(), Error> {
    RegistryClient::new(options).map(drop)
}

/// # Errors
/// As [`check`], and if the cache cannot be used.
pub(crate) fn open(options: &Registry) -> Result<Box<dyn RegistryLookup>, Error> {
    let registry = RegistryClient::new(options)?;
    Ok(Box::new(RegistryAnswers {
        cache: registry.open_cache()?,
        registry,
        answers: HashMap::new(),
        counts: RegistryCounts::default(),
    }))
}

/// The answers so far.
struct RegistryAnswers {
    registry: RegistryClient,
    cache: Cache,
    answers: HashMap<Doi, RegistryAnswer>,
    counts: RegistryCounts,
}

impl RegistryLookup for RegistryAnswers {
    fn counts(&self) -> RegistryCounts {
        self.counts
    }

    fn answer(&self, doi: &Doi) -> Option<&RegistryAnswer> {
        self.answers.get(doi)
    }

    fn ask(&mut self, names: Vec<Doi>, monitor: &Monitor) -> Result<(), Error> {
        let mut new = HashSet::new();
        let is_new = |doi: &Doi| self.answer(doi).is_none() && new.insert(doi.clone());
        let names: Vec<Doi> = names.into_iter().filter(is_new).collect();
        let client = self.registry.client();
        let (answers, counts) = (&mut self.answers, &mut self.counts);
        monitor.add_questions(names.len() as u64);
        let asked = cancelled_with(monitor, client.cancel_handle(), || {
            client.resolve(names, &mut self.cache, |doi, dated| {
                monitor.note_answer(dated.is_cached);
                let answer = RegistryAnswer::from(dated.answer);
                counts.add(&answer, dated.is_cached);
                answers.insert(doi, answer);
                ControlFlow::Continue(())
            })
        });
        asked.map_err(cache_failed)?;
        not_cancelled(monitor)
    }
}

impl From<HandleAnswer> for RegistryAnswer {
    fn from(answer: HandleAnswer) -> Self {
        match (answer.exists(), answer) {
            (_, HandleAnswer::CouldNotAsk(failure)) => {
                RegistryAnswer::CouldNotAsk(failure.to_string())
            }
            (Some(false), _) => RegistryAnswer::Unknown,
            _ => RegistryAnswer::Known,
        }
    }
}

impl RegistryCounts {
    /// Counts the answer for a name.
    fn add(&mut self, answer: &RegistryAnswer, is_cached: bool) {
        *match answer {
            RegistryAnswer::Known => &mut self.known,
            RegistryAnswer::Unknown => &mut self.unknown,
            RegistryAnswer::CouldNotAsk(_) => &mut self.could_not_ask,
        } += 1;
        *match is_cached {
            true => &mut self.cached,
            false => &mut self.asked,
        } += 1;
    }
}
