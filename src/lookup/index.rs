//! Asks an index of known names.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use doisift_core::NameSet;
use doisift_known::{IndexEntry, IndexError, IndexSource, SortedLookup};

pub(crate) use doisift_known::Index as KnownNames;

use crate::error::{Cause, Error, KnownError};
use crate::objects::is_address;
use crate::records::IndexStatus;
use crate::report::KnownReport;

/// Opens the index at `path`.
pub(super) fn open(path: &Path) -> Result<KnownNames, Error> {
    if is_address(path) {
        return Err(Error::new(Cause::Known(KnownError::Address(path.into()))));
    }
    KnownNames::open(path).map_err(unreadable)
}

fn unreadable(error: IndexError) -> Error {
    Error::new(Cause::Known(KnownError::Unreadable(error)))
}

/// An index of known names, read from a file that [`BuildIndex`](crate::BuildIndex) writes.
///
/// It answers questions about names. A [`Scanner`](crate::Scanner) asks it where a name ends.
///
/// Names are looked up by their key, [`Doi::key`](crate::Doi::key): a text with ASCII capitals is never known. Blocks that were
/// read stay in memory, at most as many bytes as the file has. Several threads can use an index at once.
///
/// With [`Scanner::known`](crate::Scanner::known), a scan does not fail if the index cannot be read: it knows no names then. So
/// call [`check`](Self::check) afterwards.
///
/// ```
/// use std::sync::Arc;
///
/// use doisift::{BuildIndex, Index, Scanner};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let (list, path) = (folder.path().join("list.txt"), folder.path().join("known.doix"));
/// std::fs::write(&list, "10.5555/abc1\n")?;
/// BuildIndex::new().input(&list).output(&path).run()?;
///
/// let index = Arc::new(Index::open(&path)?);
/// assert!(index.contains("10.5555/abc1")?);
/// let found = Scanner::new().known(index.clone()).find_iter("see 10.5555/abc1.pdf").next();
/// assert_eq!(found.map(|found| found.doi.to_string()).as_deref(), Some("10.5555/abc1"));
/// index.check()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Index {
    names: Arc<KnownNames>,
    /// The first error since the last check.
    error: Mutex<Option<IndexError>>,
}

impl Index {
    /// Opens an index. Reads only its header and its directories: some bytes per thousand names.
    ///
    /// # Errors
    /// If the file cannot be read, is not an index, or is cut or damaged there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        open(path.as_ref()).map(|names| Index::of(Arc::new(names)))
    }

    pub(crate) fn of(names: Arc<KnownNames>) -> Self {
        Index {
            names,
            error: Mutex::default(),
        }
    }

    /// Returns the number of known names.
    pub fn len(&self) -> u64 {
        self.names.len()
    }

    /// Whether the index has no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the sources of the names, sorted by name.
    pub fn sources(&self) -> &[IndexSource] {
        self.names.sources()
    }

    /// Whether the name is known. Takes about a microsecond if its block was already read.
    ///
    /// # Errors
    /// If the block of the name cannot be read or is damaged.
    pub fn contains(&self, key: &str) -> Result<bool, Error> {
        self.names.contains(key).map_err(unreadable)
    }

    /// Returns the agency that registered the name. `None` if the name is not known, or its source does not say.
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn agency(&self, key: &str) -> Result<Option<&str>, Error> {
        let entry = self.names.find(key).map_err(unreadable)?;
        Ok(entry.and_then(|entry| entry.agency))
    }

    /// Whether the work is retracted, withdrawn or removed, by the notices about its name. It need not be known. A reinstatement
    /// undoes earlier retractions; without dates, all of them.
    ///
    /// # Errors
    /// As [`contains`](Self::contains).
    pub fn is_retracted(&self, key: &str) -> Result<bool, Error> {
        self.names.is_retracted(key).map_err(unreadable)
    }

    /// Returns and clears the first error of a scanner's questions since the last check.
    ///
    /// # Errors
    /// If the index could not be read when a scanner asked it.
    pub fn check(&self) -> Result<(), Error> {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.take().map_or(Ok(()), |error| Err(unreadable(error)))
    }
}

impl NameSet for Index {
    fn known_starts(&self, text: &[u8], ends: &mut Vec<usize>) {
        match self.names.known_starts(text) {
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
    KnownReport {
        names: known.len(),
        sources: known.sources().to_vec(),
        rows: None,
        ends_changed: None,
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
