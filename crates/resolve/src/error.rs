//! Errors of a client's options and of the file of a cache.

use std::io;
use std::path::PathBuf;

/// Why a client cannot be made of these options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The endpoint is not the address of an HTTP service.
    #[error(
        "the endpoint {0:?} is not the start of an address such as https://doi.org/; give one without query and fragment"
    )]
    Endpoint(String),
    /// The contact cannot be written into a header.
    #[error("the contact {0:?} cannot be sent; give a mail address or web address in ASCII")]
    Contact(String),
    /// A rate with zero requests, or an interval of zero or more than a day.
    #[error("a rate needs at least one request, and an interval above zero and up to a day")]
    Rate,
}

/// Why the file of a cache cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The file could not be opened, read or written.
    #[error("cannot use the cache {path:?}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Another process uses the file.
    #[error("another process uses the cache {0:?}; wait until it has ended, or name another file")]
    InUse(PathBuf),
    /// The file is not a cache of this version, or its answers come from another endpoint.
    #[error(
        "{path:?} is not a cache of answers by {endpoint}; name another file, or remove this one"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The endpoint whose answers should be kept.
        endpoint: String,
    },
}
