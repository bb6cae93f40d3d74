//! The service of a registry, and its cache.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use doisift_resolve::{
    Cache, CacheError, CancelHandle, Client, ClientOptions, MaxAge, Rate, SetupError,
};

use crate::error::{Cause, Error, ResolveError};
use crate::options::Registry;
use crate::task::Monitor;

/// Interval at which a cancelled run is noticed.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Client of a registry, and the file of its answers.
pub(crate) struct RegistryClient {
    client: Client,
    cache: Option<PathBuf>,
    max_age: MaxAge,
}

impl RegistryClient {
    /// Creates the client for these options. Nothing is asked yet.
    ///
    /// # Errors
    /// If the endpoint or the contact cannot be used.
    pub(crate) fn new(options: &Registry) -> Result<Self, Error> {
        let refused = |error| Error::new(Cause::Resolve(ResolveError::Setup(error)));
        Ok(RegistryClient {
            client: client(options).map_err(refused)?,
            cache: options.cache.clone(),
            max_age: freshness(options.max_age),
        })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the file of the cache, if it has one.
    pub(crate) fn cache_file(&self) -> Option<&Path> {
        self.cache.as_deref()
    }

    /// Opens the cache. Without a file it is in memory.
    pub(crate) fn open_cache(&self) -> Result<Cache, Error> {
        let Some(path) = &self.cache else {
            return Ok(Cache::in_memory(self.max_age));
        };
        let cache =
            Cache::open(path, self.client.endpoint(), self.max_age).map_err(cache_failed)?;
        if cache.damaged() > 0 {
            log::warn!(
                "the cache has {} damaged lines; their names are asked again",
                cache.damaged()
            );
        }
        Ok(cache)
    }
}

impl fmt::Debug for RegistryClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("RegistryClient");
        shown.field("endpoint", &self.client.endpoint());
        shown.field("cache", &self.cache).finish_non_exhaustive()
    }
}

fn client(options: &Registry) -> Result<Client, SetupError> {
    let mut chosen = ClientOptions {
        contact: options.contact.clone(),
        ..ClientOptions::default()
    };
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    if let Some(endpoint) = &options.endpoint {
        chosen.endpoint.clone_from(endpoint);
    }
    if let Some(rate) = options.rate {
        chosen.rate = Rate::new(small(rate), Duration::from_secs(1))?;
    }
    chosen.concurrency = options.concurrency.unwrap_or(chosen.concurrency);
    chosen.attempts = options.attempts.map_or(chosen.attempts, small);
    Client::new(&chosen)
}

/// Returns the max age of answers.
fn freshness(max_age: Option<Duration>) -> MaxAge {
    let default = MaxAge::default();
    max_age.map_or(default, |known| MaxAge {
        known,
        unknown: known.min(default.unknown),
    })
}

/// Converts the error of a cache.
pub(crate) fn cache_failed(error: CacheError) -> Error {
    Error::new(Cause::Resolve(ResolveError::Cache(error)))
}

/// Calls `work`. Cancels the requests of the client if the run is cancelled meanwhile.
pub(crate) fn cancelled_with<T>(
    monitor: &Monitor,
    cancel: CancelHandle,
    work: impl FnOnce() -> T,
) -> T {
    let (over, ended) = mpsc::channel::<()>();
    thread::scope(move |scope| {
        scope.spawn(move || {
            while ended.recv_timeout(CANCEL_CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if monitor.is_cancelled() {
                    return cancel.cancel();
                }
            }
        });
        // Dropping it ends the thread, also if `work` panics.
        let _over = over;
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_asked_again_after_a_day_at_the_latest() {
        const DAY_SECONDS: u64 = 24 * 60 * 60;
        let ages = |seconds| {
            let MaxAge { known, unknown } = freshness(Some(Duration::from_secs(seconds)));
            (known.as_secs(), unknown.as_secs())
        };
        assert_eq!(ages(90 * DAY_SECONDS), (90 * DAY_SECONDS, DAY_SECONDS));
        assert_eq!(ages(3600), (3600, 3600));
    }
}
