//! Passes the names and notices of a document to the collector, each with its place.

use doisift_core::Doi;
use doisift_known::{Notice, SourceId};
use rayon::ThreadPool;

use super::collect::{Collector, DocumentPlace};
use super::options::IndexContent;
use crate::error::{Cause, KnownError};

/// Passes the names and notices of a document to the collector.
pub(super) struct Names<'a, 's> {
    pub(super) collector: &'a mut Collector<'s>,
    pub(super) pool: &'a ThreadPool,
    pub(super) place: DocumentPlace,
    /// The name of the source in the index.
    pub(super) listed: String,
    /// Ids of the source in the index, one for each agency that its documents show.
    pub(super) ids: Vec<(Option<&'static str>, SourceId)>,
}

impl Names<'_, '_> {
    /// Returns the id of the source in the index. `agency` is the one that the layout shows.
    pub(super) fn source(&mut self, agency: Option<&'static str>) -> SourceId {
        if let Some((_, id)) = self.ids.iter().find(|(known, _)| *known == agency) {
            return *id;
        }
        let id = self.collector.source(&self.listed, agency);
        self.ids.push((agency, id));
        id
    }

    /// Adds a name in any presentation form.
    pub(super) fn text(&mut self, text: &[u8], at: u64) {
        if let Some(doi) = self.collector.parse(text, (&self.place, at)) {
            let from = self.source(None);
            self.collector.name(from, doi.as_str(), (&self.place, at));
        }
    }

    /// Adds a bare name in the layout of this agency.
    pub(super) fn bare_name(&mut self, agency: &'static str, name: &[u8], at: u64) {
        let from = self.source(Some(agency));
        match str::from_utf8(name.trim_ascii()) {
            Ok(name) => self.collector.name(from, name, (&self.place, at)),
            Err(_) => self.refuse(KnownError::Encoding, at),
        }
    }

    pub(super) fn takes_prefixes(&self) -> bool {
        self.collector.settings.content == IndexContent::Prefixes
    }

    pub(super) fn notice(&mut self, name: &Doi, notice: &Notice, at: u64) {
        self.collector.notice(name, notice, (&self.place, at));
    }

    pub(super) fn refuse(&mut self, error: KnownError, at: u64) {
        self.collector.refuse(error, (&self.place, at));
    }

    pub(super) fn refuse_object(&mut self, error: KnownError, at: u64) {
        self.collector.refuse_object(error, (&self.place, at));
    }

    /// Counts notices without a name.
    pub(super) fn refuse_notices(&mut self, count: u64) {
        self.collector.counts.refused += count;
    }

    /// Counts a name that is not registered yet.
    pub(super) fn count_draft(&mut self) {
        self.collector.counts.drafts += 1;
    }

    pub(super) fn report_loss(&mut self, error: Cause, at: u64) {
        self.collector.report_loss(error, (&self.place, at));
    }

    pub(super) fn is_halted(&self) -> bool {
        self.collector.is_halted()
    }
}
