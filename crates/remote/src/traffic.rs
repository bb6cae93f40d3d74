//! What was asked of services: requests, those that repeat one, and bytes, in all and by source.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use http::Extensions;

use crate::lock::lock;

/// Sources that are counted each by itself: those with the most retries, of equal ones those with the most bytes.
const MAX_SOURCES: usize = 1000;

/// Counts of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestCounts {
    /// Requests that repeat one that failed, broke off or gave other bytes.
    pub retries: u64,
    /// Bytes of objects and lists that arrived, also those that were not used.
    pub bytes: u64,
    /// All requests. A redirect that is followed does not count.
    pub requests: u64,
}

/// The requests of a task. Clones are the same requests.
#[derive(Clone, Debug, Default)]
pub struct Traffic(Arc<AllCounts>);

#[derive(Debug, Default)]
struct AllCounts {
    total: AtomicCounts,
    sources: Mutex<HashMap<Box<str>, Arc<AtomicCounts>>>,
}

#[derive(Debug, Default)]
struct AtomicCounts {
    requests: AtomicU64,
    retries: AtomicU64,
    bytes: AtomicU64,
}

/// The requests for a source.
#[derive(Clone)]
pub(crate) struct SourceTraffic {
    all: Traffic,
    own: Arc<AtomicCounts>,
}

/// A request with those that repeat it. It goes with them to the client that sends them.
#[derive(Clone)]
pub(crate) struct Ask {
    source: SourceTraffic,
    was_sent: Arc<AtomicBool>,
}

impl Traffic {
    /// Returns the counts of all requests.
    pub fn total(&self) -> RequestCounts {
        self.0.total.get()
    }

    /// Returns the counts of at most 1,000 sources, by name: those with the most retries, of equal ones those with the most bytes. They come in this
    /// order. A list counts for the prefix that was listed.
    pub fn sources(&self) -> Vec<(String, RequestCounts)> {
        let sources = lock(&self.0.sources);
        let counts = sources.iter().map(|(name, own)| (name, own.get()));
        let mut counts: Vec<_> = counts.collect();
        counts.sort_unstable_by_key(|(name, counts)| (Reverse(*counts), *name));
        let most = counts.into_iter().take(MAX_SOURCES);
        most.map(|(name, counts)| (name.to_string(), counts))
            .collect()
    }

    /// Returns the requests for a source.
    pub(crate) fn source(&self, name: &str) -> SourceTraffic {
        let mut sources = lock(&self.0.sources);
        if sources.len() >= 2 * MAX_SOURCES && !sources.contains_key(name) {
            keep_most(&mut sources);
        }
        let own = sources.entry(name.into()).or_default();
        SourceTraffic {
            all: self.clone(),
            own: Arc::clone(own),
        }
    }
}

/// Removes all but [`MAX_SOURCES`] of the sources that are not in use.
fn keep_most(sources: &mut HashMap<Box<str>, Arc<AtomicCounts>>) {
    let unused = sources.values().filter(|own| Arc::strong_count(own) == 1);
    let mut counts: Vec<_> = unused.map(|own| own.get()).collect();
    counts.sort_unstable_by_key(|counts| Reverse(*counts));
    if let Some(least) = counts.get(MAX_SOURCES) {
        sources.retain(|_, own| Arc::strong_count(own) > 1 || own.get() > *least);
    }
}

impl AtomicCounts {
    fn get(&self) -> RequestCounts {
        RequestCounts {
            requests: self.requests.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

impl SourceTraffic {
    /// Counts bytes that arrived.
    pub(crate) fn add_bytes(&self, bytes: usize) {
        self.add(|counts| &counts.bytes, bytes as u64);
    }

    /// Makes a request that was not sent yet.
    pub(crate) fn ask(&self) -> Ask {
        Ask {
            source: self.clone(),
            was_sent: Arc::default(),
        }
    }

    fn add(&self, count: impl Fn(&AtomicCounts) -> &AtomicU64, more: u64) {
        for counts in [&self.all.0.total, self.own.deref()] {
            count(counts).fetch_add(more, Ordering::Relaxed);
        }
    }
}

impl Ask {
    /// Returns what goes with a request.
    pub(crate) fn extensions(&self) -> Extensions {
        let mut extensions = Extensions::new();
        extensions.insert(self.clone());
        extensions
    }

    /// Counts a request that is sent.
    pub(crate) fn add_request(&self) {
        self.source.add(|counts| &counts.requests, 1);
        if self.was_sent.swap(true, Ordering::Relaxed) {
            self.source.add(|counts| &counts.retries, 1);
        }
    }

    /// Counts bytes that arrived.
    pub(crate) fn add_bytes(&self, bytes: usize) {
        self.source.add_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_is_sent_again_is_a_retry() {
        let traffic = Traffic::default();
        let source = traffic.source("a");
        let ask = source.ask();
        ask.add_request();
        ask.clone().add_request();
        source.ask().add_request();
        traffic.source("b").add_bytes(7);
        let counts = |requests, retries, bytes| RequestCounts {
            requests,
            retries,
            bytes,
        };
        assert_eq!(traffic.total(), counts(3, 1, 7));
        let wanted = [("a", counts(3, 1, 0)), ("b", counts(0, 0, 7))];
        assert_eq!(
            traffic.sources(),
            wanted.map(|(name, counts)| (name.to_owned(), counts))
        );
    }

    #[test]
    fn the_sources_with_the_most_retries_and_bytes_are_kept() {
        let traffic = Traffic::default();
        let open = traffic.source("open");
        for number in 0..10_000 {
            let source = traffic.source(&number.to_string());
            source.add_bytes(number);
            if number == 5 {
                let ask = source.ask();
                ask.add_request();
                ask.add_request();
            }
        }
        open.add_bytes(1_000_000);
        let sources = traffic.sources();
        assert_eq!(sources.len(), MAX_SOURCES);
        assert!(lock(&traffic.0.sources).len() <= 2 * MAX_SOURCES);
        let names: Vec<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..3], ["5", "open", "9999"]);
        assert_eq!(traffic.total().bytes, 1_000_000 + 9_999 * 5_000);
    }
}
