//! Asks a registry about names that come piece by piece. Asks for each name once.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use doisift_core::Doi;
use doisift_resolve::{Cache, HandleAnswer};

use super::{Registry, RegistryAnswer, RegistryReport, cache_failed, cancelled_with};
use crate::error::Error;
use crate::run::{Monitor, not_cancelled};

/// The answers of the registry in a run.
pub(crate) struct Inquiry {
    registry: Arc<Registry>,
    cache: Cache,
    answers: HashMap<Doi, RegistryAnswer>,
    report: RegistryReport,
}

impl Inquiry {
    /// # Errors
    /// If the cache cannot be used.
    pub(crate) fn open(registry: Arc<Registry>) -> Result<Self, Error> {
        Ok(Inquiry {
            cache: registry.open_cache()?,
            registry,
            answers: HashMap::new(),
            report: RegistryReport::default(),
        })
    }

    /// Returns the counts so far.
    pub(crate) fn report(&self) -> &RegistryReport {
        &self.report
    }

    /// Returns the answer for a name, or `None` if it was not asked for.
    pub(crate) fn answer(&self, doi: &Doi) -> Option<&RegistryAnswer> {
        self.answers.get(doi)
    }

    /// Asks for those names that were not asked for before.
    ///
    /// # Errors
    /// If the cache cannot be used, or the run is cancelled.
    pub(crate) fn ask(
        &mut self,
        names: impl Iterator<Item = Doi>,
        monitor: &Monitor,
    ) -> Result<(), Error> {
        let mut new = HashSet::new();
        let is_new = |doi: &Doi| self.answer(doi).is_none() && new.insert(doi.clone());
        let names: Vec<Doi> = names.filter(is_new).collect();
        let client = self.registry.client();
        let (answers, report) = (&mut self.answers, &mut self.report);
        monitor.add_questions(names.len() as u64);
        let asked = cancelled_with(monitor, client.cancel_handle(), || {
            client.resolve(names, &mut self.cache, |doi, dated| {
                monitor.note_answer(dated.is_cached);
                let answer = RegistryAnswer::from(dated.answer);
                report.add(&answer, dated.is_cached);
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

impl RegistryReport {
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
