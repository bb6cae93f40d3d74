//! Answers of the services.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::delay::MAX_RETRY_AFTER;

/// The registry's answer about a name (P4, P6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HandleAnswer {
    /// The name is registered (response code 1).
    Known {
        /// Its values of type URL, in the order of the service.
        urls: Vec<String>,
    },
    /// The name is registered, without a URL (response code 200).
    WithoutValues,
    /// The name is registered as an alias of another (a value of type `HS_ALIAS`).
    Alias {
        /// The other handle.
        target: String,
        /// The registry's answer about the other. `None` if it was not asked, since it is not a DOI name or was itself
        /// reached by an alias: only one alias is followed.
        answer: Option<Box<HandleAnswer>>,
    },
    /// The registry does not know the name (response code 100).
    Unknown,
    /// The registry could not be asked. This says nothing about the name.
    #[serde(skip)]
    CouldNotAsk(ServiceFailure),
}

impl HandleAnswer {
    /// Whether the name is registered; `None` if the registry could not be asked.
    pub fn exists(&self) -> Option<bool> {
        match self {
            HandleAnswer::Known { .. }
            | HandleAnswer::WithoutValues
            | HandleAnswer::Alias { .. } => Some(true),
            HandleAnswer::Unknown => Some(false),
            HandleAnswer::CouldNotAsk(_) => None,
        }
    }
}

/// The registration agency of a name (P5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Agency {
    /// The agency, as the service writes it, such as `Crossref`.
    Known(String),
    /// The name is not registered ("DOI does not exist").
    NotRegistered,
    /// The service does not take the text for a DOI name ("Invalid DOI").
    Invalid,
    /// The service cannot say which agency it is ("Unknown").
    Undetermined,
    /// The service could not be asked. This says nothing about the name.
    #[serde(skip)]
    CouldNotAsk(ServiceFailure),
}

/// Why a service could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceFailure {
    /// The service answered as documented that it failed: response code 2, or one that is not documented.
    #[error("the service failed with response code {code}: {message}")]
    Service {
        /// The response code.
        code: u32,
        /// The service's own message, or nothing.
        message: String,
    },
    /// An HTTP status that the interface does not have.
    #[error("the service answered with HTTP status {0}{hint}", hint = status_hint(*.0))]
    Http(u16),
    /// The service wants no requests for this time, which is more than a client waits.
    #[error(
        "the service asks to send no request for {}, and this program waits at most {}; run it again later with the same cache", time(*.0), time(MAX_RETRY_AFTER)
    )]
    Wait(Duration),
    /// The address of the service, or of the proxy, was not found, with the reason of the system.
    #[error(
        "the service's name was not found: {0}; check the connection to the network, and a proxy in HTTPS_PROXY"
    )]
    Lookup(String),
    /// Nothing was asked, because the client gave up before.
    #[error("not asked, since {0}")]
    NotAsked(Box<ServiceFailure>),
    /// The body is cut, not the documented JSON, or about another name.
    #[error("the answer cannot be used: {0}")]
    Body(String),
    /// No answer: no connection, a broken one, or a timeout.
    #[error("no answer: {0}")]
    Network(String),
    /// A redirect without a usable address, to a less safe protocol, or one too many.
    #[error("cannot follow the redirect to {0:?}")]
    Redirect(String),
}

impl ServiceFailure {
    /// Whether the same question may get an answer later.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            ServiceFailure::Http(status) => matches!(status, 408 | 429 | 500..),
            ServiceFailure::Redirect(_) | ServiceFailure::Wait(_) | ServiceFailure::NotAsked(_) => {
                false
            }
            ServiceFailure::Lookup(_)
            | ServiceFailure::Service { .. }
            | ServiceFailure::Body(_)
            | ServiceFailure::Network(_) => true,
        }
    }

    /// Returns the number of such failures, without an answer between them, after which a client gives up; `None` if other
    /// names may be answered.
    pub(crate) fn gives_up_after(&self) -> Option<u32> {
        match self {
            ServiceFailure::Wait(_) => Some(1),
            ServiceFailure::Lookup(_) | ServiceFailure::Http(403) => Some(MAX_FAILURES_IN_A_ROW),
            _ => None,
        }
    }

    /// Whether the service asks all its clients to wait.
    pub(crate) fn is_overload(&self) -> bool {
        matches!(self, ServiceFailure::Http(429 | 503))
    }
}

/// Number of look-up failures or refusals after which a client gives up.
const MAX_FAILURES_IN_A_ROW: u32 = 3;

/// Returns advice on a status whose number does not explain it.
fn status_hint(status: u16) -> &'static str {
    match status {
        403 => {
            ": it refuses this program or network; say who asks with --contact, lower --rate, and ask its operator if that does not help"
        }
        _ => "",
    }
}

/// Formats a time in a unit that suits its length.
pub(crate) fn time(wait: Duration) -> String {
    match wait.as_secs() {
        seconds @ ..120 => format!("{seconds} seconds"),
        seconds @ ..7200 => format!("{} minutes", seconds.div_ceil(60)),
        seconds => format!("{} hours", seconds.div_ceil(3600)),
    }
}

/// How long an answer stays fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// As long as the answer for a known name.
    Known,
    /// As long as the answer for an unknown name, which may soon be registered.
    Unknown,
    /// Not at all.
    Not,
}

/// An answer that a cache can hold.
pub(crate) trait CachedAnswer: Clone + Send + Serialize + DeserializeOwned {
    fn freshness(&self) -> Freshness;
}

impl CachedAnswer for HandleAnswer {
    fn freshness(&self) -> Freshness {
        match self {
            HandleAnswer::Alias {
                answer: Some(answer),
                ..
            } => answer.freshness(),
            HandleAnswer::Known { .. }
            | HandleAnswer::WithoutValues
            | HandleAnswer::Alias { .. } => Freshness::Known,
            HandleAnswer::Unknown => Freshness::Unknown,
            HandleAnswer::CouldNotAsk(_) => Freshness::Not,
        }
    }
}

impl CachedAnswer for Agency {
    fn freshness(&self) -> Freshness {
        match self {
            Agency::Known(_) => Freshness::Known,
            Agency::NotRegistered | Agency::Invalid | Agency::Undetermined => Freshness::Unknown,
            Agency::CouldNotAsk(_) => Freshness::Not,
        }
    }
}
