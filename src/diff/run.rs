//! Runs a comparison: opens both sides, with a thread for each walk over an index.

use std::time::Instant;

use super::compare::{Sides, compare};
use super::compared_rows::ComparedRows;
use super::graph::GraphSides;
use super::options::DiffSettings;
use super::report::DiffReport;
use crate::error::Error;
use crate::records::{ComparedKind, OfEdges, OfNodes, OfPairs, Output, RowKind, RowWriter, writer};
use crate::task::{RowTarget, TaskFiles};

use index::with_sides;

/// Runs a comparison.
pub(super) fn run(settings: &DiffSettings) -> Result<DiffReport, Error> {
    let started = Instant::now();
    let files = TaskFiles {
        rows: RowTarget::file(settings.output.as_deref()),
        side_outputs: &[],
        has_caller: false,
        report: settings.report.as_deref(),
        services: &settings.services,
        monitor: &settings.monitor,
    };
    let inputs = [settings.old.clone(), settings.new.clone()];
    files.run(
        |destinations| destinations.check_all(&inputs),
        |(), rows, _| match &settings.compared {
            None => with_sides(settings, |sides| {
                write(settings, "names", rows, |report, out| {
                    compare(sides, report, out)
                })
            }),
            Some(compared) => match compared.rows {
                RowKind::Nodes => graph::<OfNodes>(settings, compared, rows),
                RowKind::Pairs => graph::<OfPairs>(settings, compared, rows),
                _ => graph::<OfEdges>(settings, compared, rows),
            },
        },
        |(rows, mut report)| {
            report.seconds = started.elapsed().as_secs_f64();
            Ok((rows, report))
        },
    )
}

/// Compares rows that must be sorted first.
fn graph<K: ComparedKind>(
    settings: &DiffSettings,
    compared: &ComparedRows,
    rows: Output,
) -> Result<(Output, DiffReport), Error> {
    let sides = GraphSides::<K>::sorted(settings, compared)?;
    write(settings, compared.rows.name(), rows, |report, out| {
        sides.compare(report, out)
    })
}

/// Writes the changes that `compare` finds.
fn write(
    settings: &DiffSettings,
    compared: &'static str,
    rows: Output,
    compare: impl FnOnce(&mut DiffReport, &mut dyn RowWriter<Output>) -> Result<(), Error>,
) -> Result<(Output, DiffReport), Error> {
    let mut report = DiffReport::new(settings.for_report(), compared);
    let mut out = writer(&settings.layout, rows).map_err(Error::output)?;
    compare(&mut report, &mut *out)?;
    Ok((out.finish().map_err(Error::output)?, report))
}

/// Sides that may be indexes.
mod index {
    use std::path::Path;
    use std::sync::mpsc::{self, SyncSender};
    use std::thread::{self, Scope};

    use doisift_documents::display_name;
    use doisift_known::{Index, IndexError, Notice};

    use super::{DiffSettings, Sides};
    use crate::diff::stream::{Retraction, Retractions, SortedNames, Walk};
    use crate::error::{Cause, Error, KnownError};
    use crate::objects::is_address;

    /// Names in a batch of a thread, and max batches that wait.
    const BATCH_NAMES: usize = 1024;
    const MAX_WAITING_BATCHES: usize = 4;

    /// Reason why a walk ends early.
    enum WalkEnd {
        /// The receiver was dropped.
        Over,
        Index(IndexError),
    }

    impl From<IndexError> for WalkEnd {
        fn from(error: IndexError) -> Self {
            WalkEnd::Index(error)
        }
    }

    /// Calls `work` with both sides.
    pub(super) fn with_sides<T>(
        settings: &DiffSettings,
        work: impl FnOnce(Sides<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (old, new) = (
            opened(&settings.old, settings)?,
            opened(&settings.new, settings)?,
        );
        let monitor = &settings.monitor;
        thread::scope(|scope| {
            let retractions = match (&old, &new) {
                (Some(old), Some(new)) => Some(walk(scope, |sender| retractions(old, new, sender))),
                _ => None,
            };
            work(Sides {
                old: names(scope, settings, &settings.old, old.as_ref())?,
                new: names(scope, settings, &settings.new, new.as_ref())?,
                retractions: Retractions::new(retractions, monitor),
            })
        })
    }

    /// Opens the index at `path`, which is copied if it is an object. Returns `None` if its ending is not `.doix`.
    fn opened(path: &Path, settings: &DiffSettings) -> Result<Option<Index>, Error> {
        if path.extension().is_none_or(|ending| ending != "doix") {
            return Ok(None);
        }
        let index = match is_address(path) {
            true => {
                let name = display_name(path);
                let copied = settings.row_place().files.open_local(path);
                let lost = |error| Error::new(Cause::Input(error)).in_source((*name).into());
                Index::from_file(&name, copied.map_err(lost)?)
            }
            false => Index::open(path),
        };
        index.map(Some).map_err(unreadable)
    }

    fn unreadable(error: IndexError) -> Error {
        Error::new(Cause::Known(KnownError::Unreadable(error)))
    }

    fn names<'s, 'e>(
        scope: &'s Scope<'s, 'e>,
        settings: &'e DiffSettings,
        path: &Path,
        index: Option<&'e Index>,
    ) -> Result<SortedNames<'e>, Error> {
        let Some(index) = index else {
            return SortedNames::open(path, settings.row_place());
        };
        let walk = walk(scope, |sender| {
            index.each_name(|name, _| sender.add(name.to_owned()))
        });
        Ok(SortedNames::walked(path, walk, &settings.monitor))
    }

    /// Sends the names that are retracted only in the new index.
    fn retractions(
        old: &Index,
        new: &Index,
        sender: &mut WalkBatches<Retraction>,
    ) -> Result<(), WalkEnd> {
        let mut last = String::new();
        new.each_notice(|name, notice| {
            if !notice.kind.is_retraction() || last == name {
                return Ok(());
            }
            name.clone_into(&mut last);
            // A reinstatement may have undone the retraction, in either index.
            if !new.is_retracted(name)? || old.is_retracted(name)? {
                return Ok(());
            }
            sender.add(Retraction {
                name: name.to_owned(),
                notice: notice_text(&notice),
            })
        })
    }

    /// Formats a notice: `retraction, 2026-03-09, 10.5555/notice`.
    fn notice_text(notice: &Notice) -> String {
        let date = notice.date.map(|date| date.to_string());
        let doi = notice.doi.as_ref().map(|doi| doi.key().into_owned());
        let parts = [Some(notice.kind.name().to_owned()), date, doi];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Collects the results of a walk in batches and sends them.
    struct WalkBatches<T> {
        batch: Vec<T>,
        sender: SyncSender<Result<Vec<T>, Error>>,
    }

    impl<T> WalkBatches<T> {
        fn add(&mut self, found: T) -> Result<(), WalkEnd> {
            self.batch.push(found);
            if self.batch.len() < BATCH_NAMES {
                return Ok(());
            }
            self.send()
        }

        fn send(&mut self) -> Result<(), WalkEnd> {
            let batch = std::mem::take(&mut self.batch);
            self.sender.send(Ok(batch)).map_err(|_| WalkEnd::Over)
        }
    }

    /// Starts a thread that walks over an index.
    fn walk<'s, 'e, T: Send + 'e>(
        scope: &'s Scope<'s, 'e>,
        each: impl FnOnce(&mut WalkBatches<T>) -> Result<(), WalkEnd> + Send + 's,
    ) -> Walk<T> {
        let (sender, batches) = mpsc::sync_channel(MAX_WAITING_BATCHES);
        scope.spawn(move || {
            let batch = Vec::new();
            let mut found = WalkBatches { batch, sender };
            let walked = each(&mut found).and_then(|()| found.send());
            if let Err(WalkEnd::Index(error)) = walked {
                // Fails only if the receiver was dropped.
                let _ = found.sender.send(Err(unreadable(error)));
            }
        });
        Walk::new(batches)
    }
}
