//! Stand-ins for builds without the feature `resolve`.

use std::path::Path;
use std::sync::Arc;

use doisift_core::Doi;

use super::{RegistryAnswer, RegistryReport};
use crate::error::{Error, ErrorKind};
use crate::options::RegistryOptions;
use crate::run::Monitor;

/// Stand-in for a registry. It has no values.
#[derive(Debug)]
pub(crate) enum NoRegistry {}

impl NoRegistry {
    /// # Errors
    /// Always.
    pub(crate) fn new(_: &RegistryOptions) -> Result<Self, Error> {
        Err(Error::new(ErrorKind::WithoutResolve))
    }

    pub(crate) fn cache_file(&self) -> Option<&Path> {
        match *self {}
    }
}

/// Stand-in for the answers of a registry. It has no values.
pub(crate) enum NoInquiry {}

impl NoInquiry {
    pub(crate) fn open(registry: Arc<NoRegistry>) -> Result<Self, Error> {
        match *registry {}
    }

    pub(crate) fn report(&self) -> &RegistryReport {
        match *self {}
    }

    pub(crate) fn answer(&self, _: &Doi) -> Option<&RegistryAnswer> {
        match *self {}
    }

    pub(crate) fn ask(&mut self, _: impl Iterator<Item = Doi>, _: &Monitor) -> Result<(), Error> {
        match *self {}
    }
}
