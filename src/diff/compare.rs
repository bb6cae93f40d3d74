//! Merges the sorted names of both sides, and the retracted names, into sorted changes.

use std::cmp::Ordering;

use super::report::DiffReport;
use super::stream::{ListedName, Retraction, Retractions, SortedNames};
use crate::error::Error;
use crate::records::{ChangeRow, Output, RowWriter};

/// The names of both sides, and the retractions.
pub(super) struct Sides<'a> {
    pub(super) old: SortedNames<'a>,
    pub(super) new: SortedNames<'a>,
    pub(super) retractions: Retractions<'a>,
}

/// Writes the changes, and counts them.
pub(super) fn compare(
    mut sides: Sides<'_>,
    report: &mut DiffReport,
    out: &mut dyn RowWriter<Output>,
) -> Result<(), Error> {
    let (mut old, mut new) = (sides.old.next()?, sides.new.next()?);
    let mut changes = ChangeWriter {
        tell_retractions: sides.old.tell_retractions() && sides.new.tell_retractions(),
        next: sides.retractions.next()?,
        retractions: sides.retractions,
        report,
        out,
    };
    loop {
        let order = match (&old, &new) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.doi.cmp(&new.doi),
        };
        let before = old.as_ref().filter(|_| order.is_le());
        let after = new.as_ref().filter(|_| order.is_ge());
        changes.of_name(before, after)?;
        if order.is_le() {
            changes.report.old += 1;
            old = sides.old.next()?;
        }
        if order.is_ge() {
            changes.report.new += 1;
            new = sides.new.next()?;
        }
    }
    changes.retracted_before(None)
}

/// The output of changes.
struct ChangeWriter<'a, 'r> {
    /// The next retraction of an index to write.
    next: Option<Retraction>,
    retractions: Retractions<'a>,
    /// Whether the records of both sides have the field `retracted`.
    tell_retractions: bool,
    report: &'r mut DiffReport,
    out: &'r mut dyn RowWriter<Output>,
}

impl ChangeWriter<'_, '_> {
    /// Writes the changes of one name. `None` is a side without the name.
    fn of_name(&mut self, old: Option<&ListedName>, new: Option<&ListedName>) -> Result<(), Error> {
        match (old, new) {
            (Some(name), None) => {
                self.retracted_before(Some(&name.doi))?;
                self.report.vanished += 1;
                self.write("vanished", &name.doi, None)?;
            }
            (None, Some(name)) => {
                self.retracted_before(Some(&name.doi))?;
                self.report.appeared += 1;
                self.write("appeared", &name.doi, None)?;
            }
            _ => {}
        }
        let was_retracted = old.is_some_and(|old| old.is_retracted);
        match new.filter(|new| new.is_retracted && !was_retracted) {
            Some(name) if self.tell_retractions => self.retracted(&name.doi, None),
            _ => Ok(()),
        }
    }

    /// Writes the retractions of names before `name`, or all remaining ones for `None`.
    fn retracted_before(&mut self, name: Option<&str>) -> Result<(), Error> {
        let is_before = |next: &mut Retraction| name.is_none_or(|name| *next.name < *name);
        while let Some(retraction) = self.next.take_if(is_before) {
            self.retracted(&retraction.name, Some(&retraction.notice))?;
            self.next = self.retractions.next()?;
        }
        Ok(())
    }

    fn retracted(&mut self, name: &str, notice: Option<&str>) -> Result<(), Error> {
        self.report.retracted += 1;
        self.write("retracted", name, notice)
    }

    fn write(
        &mut self,
        change: &'static str,
        doi: &str,
        detail: Option<&str>,
    ) -> Result<(), Error> {
        let row = ChangeRow {
            change,
            doi,
            detail,
        };
        self.out.row(&row).map_err(Error::output)
    }
}
