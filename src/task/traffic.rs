//! The requests of a task to the services that have its sources, for reports and progress.

use serde::Serialize;

#[cfg(feature = "remote")]
pub(crate) use doisift_remote::{RequestCounts, Traffic};

#[cfg(not(feature = "remote"))]
pub(crate) use self::none::{RequestCounts, Traffic};

/// Requests of a task, as its report has them.
#[derive(Serialize)]
pub(super) struct TrafficReport {
    #[serde(flatten)]
    total: ReportedCounts,
    /// The sources with the most retries, of equal ones those with the most bytes.
    sources: Vec<SourceReport>,
}

#[derive(Serialize)]
struct SourceReport {
    source: String,
    #[serde(flatten)]
    counts: ReportedCounts,
}

#[derive(Serialize)]
struct ReportedCounts {
    requests: u64,
    retries: u64,
    bytes: u64,
}

impl From<RequestCounts> for ReportedCounts {
    fn from(counts: RequestCounts) -> Self {
        ReportedCounts {
            requests: counts.requests,
            retries: counts.retries,
            bytes: counts.bytes,
        }
    }
}

impl TrafficReport {
    /// Returns the requests so far. `None` if there were none.
    pub(super) fn new(traffic: &Traffic) -> Option<Self> {
        let total = ReportedCounts::from(traffic.total());
        let source = |(source, counts)| SourceReport {
            source,
            counts: ReportedCounts::from(counts),
        };
        (total.requests > 0).then(|| TrafficReport {
            total,
            sources: traffic.sources().into_iter().map(source).collect(),
        })
    }
}

/// The requests of a build that sends none.
#[cfg(not(feature = "remote"))]
mod none {
    #[derive(Clone, Debug, Default)]
    pub(crate) struct Traffic;

    #[derive(Default)]
    pub(crate) struct RequestCounts {
        pub(crate) requests: u64,
        pub(crate) retries: u64,
        pub(crate) bytes: u64,
    }

    impl Traffic {
        pub(crate) fn total(&self) -> RequestCounts {
            RequestCounts::default()
        }

        pub(crate) fn sources(&self) -> Vec<(String, RequestCounts)> {
            Vec::new()
        }
    }
}
