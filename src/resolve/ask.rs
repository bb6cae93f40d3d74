//! Asks the registry for the names, and writes the answers in their order.

use std::ops::ControlFlow;

use doisift_resolve::{Agency, Cache, Client, LookupCounts};

use super::names::{InputNames, InputText};
use super::report::ResolveReport;
use super::rows::{AnswerStatus, Answered, answered, refused_row};
use crate::error::Error;
use crate::records::{AnswerRow, Output, RowWriter};
use crate::registry::cache_failed;
use crate::task::{Monitor, not_cancelled};

/// The names of a run, the client and the cache.
pub(super) struct NameResolution<'a> {
    pub(super) names: &'a InputNames,
    pub(super) client: &'a Client,
    pub(super) cache: &'a mut Cache,
    pub(super) monitor: &'a Monitor,
    pub(super) report: &'a mut ResolveReport,
}

impl NameResolution<'_> {
    /// Asks for the agency of each name, in their order.
    pub(super) fn agencies(&mut self) -> Result<Vec<Agency>, Error> {
        let names = self.names.dois().cloned();
        let mut agencies = Vec::new();
        let monitor = self.monitor;
        let asked = self.client.agencies(names, self.cache, |_, dated| {
            monitor.note_answer(dated.is_cached);
            agencies.push(dated.answer);
            ControlFlow::Continue(())
        });
        self.count(asked.map_err(cache_failed)?)?;
        Ok(agencies)
    }

    /// Asks for each name and writes a row for each text.
    pub(super) fn answers(
        &mut self,
        agencies: Option<&[Agency]>,
        out: &mut dyn RowWriter<Output>,
    ) -> Result<(), Error> {
        let names = self.names.dois().cloned();
        let mut rows = Rows {
            texts: self.names.texts.iter(),
            report: self.report,
            out,
        };
        let monitor = self.monitor;
        let mut agencies = agencies.map(<[Agency]>::iter);
        let mut failure = None;
        let asked = self.client.resolve(names, self.cache, |doi, dated| {
            monitor.note_answer(dated.is_cached);
            let agency = agencies.as_mut().and_then(Iterator::next);
            match rows.answer(&answered(&doi, dated, agency)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        let asked = asked.map_err(cache_failed)?;
        if let Some(error) = failure {
            return Err(error);
        }
        rows.refuse()?;
        self.count(asked)
    }

    /// # Errors
    /// If the run was cancelled.
    fn count(&mut self, summary: LookupCounts) -> Result<(), Error> {
        self.report.cached += summary.cached;
        self.report.asked += summary.asked;
        not_cancelled(self.monitor)
    }
}

/// Writes and counts rows.
struct Rows<'a> {
    texts: std::slice::Iter<'a, InputText>,
    report: &'a mut ResolveReport,
    out: &'a mut dyn RowWriter<Output>,
}

impl Rows<'_> {
    /// Writes the row of the next name, after those of the refused texts before it.
    fn answer(&mut self, answered: &Answered) -> Result<(), Error> {
        self.refuse()?;
        match answered.status {
            AnswerStatus::Known => self.report.known += 1,
            AnswerStatus::Unknown => self.report.unknown += 1,
            AnswerStatus::CouldNotAsk => self.report.could_not_ask += 1,
        }
        self.report.in_part += u64::from(answered.is_in_part);
        self.write(&answered.row)
    }

    /// Writes the rows of refused texts up to the next name, and moves behind that name.
    fn refuse(&mut self) -> Result<(), Error> {
        while let Some(InputText::Refused(reason)) = self.texts.next() {
            self.report.refused += 1;
            self.write(&refused_row(reason))?;
        }
        Ok(())
    }

    fn write(&mut self, row: &AnswerRow) -> Result<(), Error> {
        self.report.rows += 1;
        self.out.row(row).map_err(Error::output)
    }
}
