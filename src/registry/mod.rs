//! The registry that a run asks: its service, the cache of answers, and for a check the answer for each name. Without the feature
//! `resolve` asking one is an error.

#[cfg(feature = "resolve")]
mod inquiry;
#[cfg(feature = "resolve")]
mod service;
#[cfg(not(feature = "resolve"))]
mod without;

#[cfg(feature = "resolve")]
pub(crate) use inquiry::Inquiry;
#[cfg(feature = "resolve")]
pub(crate) use service::{Registry, cache_failed, cancelled_with};
#[cfg(not(feature = "resolve"))]
pub(crate) use without::{NoInquiry as Inquiry, NoRegistry as Registry};

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
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct RegistryReport {
    /// Names that are registered.
    pub known: u64,
    /// Names that the registry does not know.
    pub unknown: u64,
    /// Names that the registry could not be asked for.
    pub could_not_ask: u64,
    /// Names that the cache answered.
    pub cached: u64,
    /// Names that the service was asked for.
    pub asked: u64,
}
