//! The index of known names that a run asks: opens it, describes it for reports, and looks up names.

mod index;
mod recent;

pub use index::Index;
use index::open;
pub(crate) use index::{IndexStatusWalk, KnownNames, identity, report};

pub(crate) use recent::RecentIndexStatuses;

use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::task::Destinations;

/// Opens the index at `path`, if one was chosen.
pub(crate) fn chosen(path: Option<&Path>) -> Result<Option<Arc<KnownNames>>, Error> {
    Ok(path.map(open).transpose()?.map(Arc::new))
}

/// # Errors
/// If an output would overwrite the index.
pub(crate) fn check_outputs(
    path: Option<&Path>,
    destinations: &mut Destinations,
) -> Result<(), Error> {
    path.map_or(Ok(()), |path| destinations.check(path))
}

/// Returns the index in the form that scanners ask.
pub(crate) fn ends(known: &Option<Arc<KnownNames>>) -> Option<Arc<Index>> {
    known.clone().map(Index::of).map(Arc::new)
}

/// # Errors
/// If the index could not be read when a scanner asked it.
pub(crate) fn check(ends: &Option<Arc<Index>>) -> Result<(), Error> {
    ends.as_ref().map_or(Ok(()), |ends| ends.check())
}
