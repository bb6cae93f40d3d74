//! Asks an index of known names.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use doisift_core::NameSet;
use doisift_known::{IndexEntry, IndexError, IndexSource, SortedLookup};

pub(crate) use doisift_known::Index as KnownNames;

use crate::error::{Cause, Error, KnownError};
use crate::records::IndexStatus;
use crate::report::{KnownReport, KnownSource};

/// Opens the index at `path`.
pub(super) fn open(path: &Path) -> Result<KnownNames, Error> {
    KnownNames::open(path).map_err(unreadable)
}

fn unreadable(error: IndexError) -> Error {
    Error::new(Cause::Known(KnownError::Unreadable(error)))
}

/// The names of an index, for [`Scanner::known`](crate::Scanner::known).
///
/// A scan does not fail if the index cannot be read: it knows no names then. So call [`check`](Self::check) afterwards.
///
/// ```
/// use std::sync::Arc;
///
/// use doisift::{BuildIndex, Index, IndexNames, Scanner};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let (list, index) = (folder.path().join("list.txt"), folder.path().join("known.doix"));
/// std::fs::write(&list, "10.5555/abc1\n")?;
/// BuildIndex::new().input(&list).output(&index).run()?;
///
/// let names = Arc::new(IndexNames::new(Arc::new(Index::open(&index)?)));
/// let found = Scanner::new().known(names.clone()).find_iter("see 10.5555/abc1.pdf").next();
///
/// assert_eq!(found.map(|found| found.doi.to_string()).as_deref(), Some("10.5555/abc1"));
/// names.check()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct IndexNames {
    index: Arc<KnownNames>,
    error: Mutex<Option<IndexError>>,
}

impl IndexNames {
    /// Makes the set of this index's names.
    pub fn new(index: Arc<KnownNames>) -> Self {
        IndexNames {
            index,
            error: Mutex::default(),
        }
    }

    /// Returns and clears the first error since the last check.
    ///
    /// # Errors
    /// If the index could not be read when a scanner asked it.
    pub fn check(&self) -> Result<(), Error> {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.take().map_or(Ok(()), |error| Err(unreadable(error)))
    }
}

impl NameSet for IndexNames {
    fn known_starts(&self, text: &[u8], ends: &mut Vec<usize>) {
        match self.index.known_starts(text) {
            Ok(known) => ends.extend(known),
            Err(error) => {
                let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
            }
        }
    }
}

/// Describes the content of an index. Equal for indexes of the same content.
pub(crate) fn identity(known: &KnownNames) -> String {
    format!(
        "an index of {} names ({:016x})",
        known.len(),
        known.checksum()
    )
}

/// Returns the report of an index that was not asked yet.
pub(crate) fn report(known: &KnownNames) -> KnownReport {
    let sources = known.sources().iter();
    KnownReport {
        names: known.len(),
        sources: sources.map(source).collect(),
        rows: None,
        ends_changed: None,
    }
}

fn source(source: &IndexSource) -> KnownSource {
    KnownSource {
        name: source.name.clone(),
        agency: source.agency.clone(),
        date: source.date.map(|date| date.to_string()),
        names: source.names,
    }
}

/// Looks up names in sorted order.
pub(crate) struct IndexStatusWalk<'i>(SortedLookup<'i>);

impl<'i> IndexStatusWalk<'i> {
    /// Keeps a bounded part of the index in memory.
    pub(crate) fn new(known: &'i KnownNames) -> Self {
        IndexStatusWalk(known.sorted_lookup())
    }

    /// Keeps all parts of the index that were read in memory, for names that are sorted only in batches.
    pub(crate) fn kept(known: &'i KnownNames) -> Self {
        IndexStatusWalk(known.walk_kept())
    }

    /// Returns the standing of the name with this key: known, agency, retracted.
    pub(crate) fn index_status(&mut self, key: &str) -> Result<IndexStatus<'i>, Error> {
        let walk = &mut self.0;
        let (found, is_retracted) = both_answers(walk.find(key), walk.is_retracted(key))?;
        status_of(found, is_retracted, || walk.holds_prefix(prefix(key)))
    }
}

/// Returns both answers, or the error of one.
fn both_answers<A, B>(
    one: Result<A, IndexError>,
    other: Result<B, IndexError>,
) -> Result<(A, B), Error> {
    Ok((one.map_err(unreadable)?, other.map_err(unreadable)?))
}

/// Combines the answers into a status. If the index knows no name with the prefix, the name may belong to an agency that the
/// index lacks, so `known` is `None`.
fn status_of<'i>(
    found: Option<IndexEntry<'i>>,
    is_retracted: bool,
    holds_prefix: impl FnOnce() -> Result<bool, IndexError>,
) -> Result<IndexStatus<'i>, Error> {
    let known = match found {
        Some(_) => Some(true),
        None => holds_prefix().map_err(unreadable)?.then_some(false),
    };
    Ok(IndexStatus {
        known,
        agency: found.and_then(|found| found.agency),
        retracted: match is_retracted {
            true => Some(true),
            false => known.map(|_| false),
        },
    })
}

fn prefix(key: &str) -> &str {
    key.split_once('/').map_or(key, |(prefix, _)| prefix)
}
