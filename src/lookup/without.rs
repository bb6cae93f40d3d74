//! Stand-ins for builds without the feature `known`.

use std::path::Path;
use std::sync::Arc;

use doisift_core::NameSet;

use crate::error::{Error, ErrorKind};
use crate::records::Standing;
use crate::report::KnownReport;

/// Stand-in for an index. It has no values.
#[derive(Debug)]
pub(crate) enum KnownNames {}

impl KnownNames {
    pub(crate) fn agencies(&self) -> &[String] {
        match *self {}
    }
}

/// Stand-in for the names of an index. It has no values.
#[derive(Debug)]
pub(crate) enum NoNames {}

impl NoNames {
    pub(super) fn new(index: Arc<KnownNames>) -> Self {
        match *index {}
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        match *self {}
    }
}

impl NameSet for NoNames {
    fn known_starts(&self, _: &[u8], _: &mut Vec<usize>) {
        match *self {}
    }
}

/// # Errors
/// Always.
pub(super) fn open(_: &Path) -> Result<KnownNames, Error> {
    Err(Error::new(ErrorKind::WithoutKnown))
}

pub(crate) fn identity(known: &KnownNames) -> String {
    match *known {}
}

pub(crate) fn report(known: &KnownNames) -> KnownReport {
    match *known {}
}

pub(crate) struct NoWalk<'i>(&'i KnownNames);

impl<'i> NoWalk<'i> {
    pub(crate) fn new(known: &'i KnownNames) -> Self {
        NoWalk(known)
    }

    pub(crate) fn kept(known: &'i KnownNames) -> Self {
        NoWalk(known)
    }

    pub(crate) fn standing(&mut self, _: &str) -> Result<Standing<'i>, Error> {
        match *self.0 {}
    }
}
