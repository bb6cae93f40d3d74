//! Compares edges, mentions, nodes or pairs, which are not sorted by name.
//!
//! Each side is sorted by the fields that identify its rows, within the memory. Then both are merged like two lists of names.

use std::cmp::Ordering;
use std::path::Path;

use super::compared_rows::ComparedRows;
use super::options::DiffSettings;
use super::report::DiffReport;
use crate::error::Error;
use crate::merge::{RowSorter, RowStream, SortedRows};
use crate::records::{ComparedKind, Field, Output, Row, RowIdentity, RowWriter, Value};

/// The sorted rows of both sides.
pub(super) struct GraphSides<'a, K> {
    old: SortedRows<'a, RowIdentity<K>>,
    new: SortedRows<'a, RowIdentity<K>>,
}

impl<'a, K: ComparedKind> GraphSides<'a, K> {
    /// Reads and sorts both sides.
    pub(super) fn sorted(
        settings: &'a DiffSettings,
        compared: &ComparedRows,
    ) -> Result<Self, Error> {
        let identity = &compared.identity;
        let sorted = |path: &Path| {
            let keep = |row: &mut RowIdentity<K>| {
                row.keep(identity);
                // References without a name are left out.
                !row.doi().is_empty() || !identity.contains(&Field::Doi)
            };
            let mut sorter = RowSorter::new(settings.row_place());
            sorter.add(&mut RowStream::open(path, settings.row_place())?, keep)?;
            sorter.finish()
        };
        Ok(GraphSides {
            old: sorted(&settings.old)?,
            new: sorted(&settings.new)?,
        })
    }

    /// Writes and counts the changes.
    pub(super) fn compare(
        mut self,
        report: &mut DiffReport,
        out: &mut dyn RowWriter<Output>,
    ) -> Result<(), Error> {
        let (mut old, mut new) = (RowIdentity::default(), RowIdentity::default());
        let (mut has_old, mut has_new) = (self.old.next(&mut old)?, self.new.next(&mut new)?);
        while has_old || has_new {
            let order = match (has_old, has_new) {
                (true, true) => old.values.cmp(&new.values),
                (true, false) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let change = match order {
                Ordering::Less => Some(("vanished", &old)),
                Ordering::Greater => Some(("appeared", &new)),
                Ordering::Equal => None,
            };
            if let Some((change, row)) = change {
                out.row(&ChangedRow { change, row })
                    .map_err(Error::output)?;
            }
            if order.is_le() {
                report.old += 1;
                report.vanished += u64::from(order.is_lt());
                has_old = self.old.next(&mut old)?;
            }
            if order.is_ge() {
                report.new += 1;
                report.appeared += u64::from(order.is_gt());
                has_new = self.new.next(&mut new)?;
            }
        }
        Ok(())
    }
}

/// A row that only one side has.
struct ChangedRow<'r, K> {
    change: &'static str,
    row: &'r RowIdentity<K>,
}

impl<K: ComparedKind> Row for ChangedRow<'_, K> {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Change => Value::Text(self.change),
            field => self.row.value(field),
        }
    }
}
