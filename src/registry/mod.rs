//! The registry that a run asks: its service, the cache of answers, and for a check the answer for each name. Without the feature
//! `resolve` asking one is an error.

#[cfg(feature = "resolve")]
mod answers;
#[cfg(feature = "resolve")]
mod service;

#[cfg(feature = "resolve")]
pub(crate) use answers::{check, open};
#[cfg(feature = "resolve")]
pub(crate) use service::{RegistryClient, cache_failed, cancelled_with};

use doisift_core::Doi;

use crate::counts::Counts;
#[cfg(not(feature = "resolve"))]
use crate::error::Cause;
use crate::error::Error;
#[cfg(not(feature = "resolve"))]
use crate::options::Registry;
use crate::task::Monitor;

/// Asks a registry about names that come piece by piece. Asks for each name once.
pub(crate) trait RegistryLookup: Send {
    /// Returns the counts so far.
    fn counts(&self) -> RegistryCounts;

    /// Returns the answer for a name, or `None` if it was not asked for.
    fn answer(&self, doi: &Doi) -> Option<&RegistryAnswer>;

    /// Asks for those names that were not asked for before.
    ///
    /// # Errors
    /// If the cache cannot be used, or the run is cancelled.
    fn ask(&mut self, names: Vec<Doi>, monitor: &Monitor) -> Result<(), Error>;
}

/// # Errors
/// Always: this build asks no registry.
#[cfg(not(feature = "resolve"))]
pub(crate) fn check(_: &Registry) -> Result<(), Error> {
    Err(Error::new(Cause::WithoutResolve))
}

/// # Errors
/// As [`check`].
#[cfg(not(feature = "resolve"))]
pub(crate) fn open(_: &Registry) -> Result<Box<dyn RegistryLookup>, Error> {
    Err(Error::new(Cause::WithoutResolve))
}

/// Answer of a registry for a name.
#[cfg_attr(not(feature = "resolve"), allow(dead_code))]
#[derive(Clone, Debug)]
pub(crate) enum RegistryAnswer {
    Known,
    Unknown,
    /// The registry could not be asked, for this reason. The name may be registered.
    CouldNotAsk(String),
}

/// Counts of the distinct names that a registry was asked for.
///
/// `known`, `unknown` and `could_not_ask` add up to `asked` and `cached`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RegistryCounts {
    /// Names that are registered.
    known: u64,
    /// Names that the registry does not know.
    unknown: u64,
    /// Names that the registry could not be asked for.
    could_not_ask: u64,
    /// Names that the cache answered.
    cached: u64,
    /// Names that the service was asked for.
    asked: u64,
}

/// The word for names that the registry could not be asked for.
pub(crate) const COULD_NOT_ASK: &str = "could_not_ask";

impl RegistryCounts {
    /// Returns the counts for a report.
    pub(crate) fn counts(self) -> Counts {
        Counts::of([
            ("known", self.known),
            ("unknown", self.unknown),
            (COULD_NOT_ASK, self.could_not_ask),
            ("cached", self.cached),
            ("asked", self.asked),
        ])
    }
}

#[cfg(all(test, not(feature = "resolve")))]
mod tests {
    use crate::{Check, Registry};

    #[test]
    fn a_build_that_asks_no_registry_says_so() {
        let error = Check::new()
            .input("a.txt")
            .online(Registry::default())
            .run();
        let error = error.unwrap_err().to_string();
        assert!(error.contains("its feature `resolve`"), "{error}");
    }
}
