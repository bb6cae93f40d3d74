//! Errors of objects and of the services that have them.

use std::error::Error;

use object_store::client::{HttpError, HttpErrorKind};

use crate::hosts::PrivateHost;

/// Why an object could not be read or listed. No message has a secret in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The address is not one.
    #[error("{0} is no address of an object: {1}")]
    BadAddress(String, String),
    /// The key of an object that exists, as far as is known.
    #[error("the object cannot be asked for by its key: {0}")]
    UnaskableKey(&'static str),
    /// The options or the environment of the user do not suffice to reach a store.
    #[error("{0}")]
    Setup(String),
    /// The object does not exist.
    #[error("there is no such object")]
    NotFound,
    /// The bucket or container to write to does not exist.
    #[error("there is no such bucket or container")]
    NoBucket,
    /// An object of more than 480 GiB.
    #[error("one object cannot be as large; write a folder of parts: an address that ends with /")]
    TooLarge,
    /// The service refused, because of who asks.
    #[error("the service refused it (status {0}); {1}")]
    Refused(u16, &'static str),
    /// The object was written anew while it was read.
    #[error("the object changed while it was read")]
    Changed,
    /// The service gave fewer bytes, or others, than it stated.
    #[error("the service gave other bytes than were asked for: {0}")]
    OtherBytes(String),
    /// The host is within the user's own network, and the user did not name it.
    #[error(
        "its host has a private address, and a list from a service named it; name it yourself to read it"
    )]
    PrivateHost,
    /// A redirect that is not followed.
    #[error("the service redirects to {0}, which is not followed: {1}")]
    Redirect(String, &'static str),
    /// All attempts failed.
    #[error("{why}{}", tried(*attempts))]
    Attempts {
        /// The last failure.
        why: String,
        /// Number of attempts.
        attempts: u32,
    },
    /// The task ended.
    #[error("the task was cancelled")]
    Cancelled,
}

/// Says how often a request failed, if it was repeated.
fn tried(attempts: u32) -> String {
    match attempts {
        0 | 1 => String::new(),
        attempts => format!(" ({attempts} attempts)"),
    }
}

/// Advice for a request that was refused.
const CREDENTIALS: &str = "are there credentials for it in the environment or in the profile?";

impl RemoteError {
    /// Makes the error of a status of HTTP that another attempt would not change.
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            404 | 410 => RemoteError::NotFound,
            401 | 403 => RemoteError::Refused(status, CREDENTIALS),
            412 => RemoteError::Changed,
            _ => RemoteError::failed(format!("the service answered with status {status}")),
        }
    }

    /// Makes the error of a store. Messages of object_store have addresses and bodies of answers in them, so of its causes only what is certain
    /// is kept.
    pub(crate) fn of_store(error: &object_store::Error) -> Self {
        use object_store::Error as Store;
        match error {
            Store::NotFound { .. } => RemoteError::NotFound,
            Store::PermissionDenied { .. } => RemoteError::Refused(403, CREDENTIALS),
            Store::Unauthenticated { .. } => RemoteError::Refused(401, CREDENTIALS),
            Store::Precondition { .. } | Store::NotModified { .. } => RemoteError::Changed,
            _ => RemoteError::failed(cause(error)),
        }
    }

    /// Makes the error of one attempt.
    pub(crate) fn failed(why: String) -> Self {
        let attempts = 1;
        RemoteError::Attempts { why, attempts }
    }

    /// Whether another attempt may succeed.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(
            self,
            RemoteError::Attempts { .. } | RemoteError::OtherBytes(_)
        )
    }
}

/// What object_store writes before the status of an answer.
const STATUS_TEXT: &str = "status code: ";

/// Returns the cause of a failure that another attempt may not have.
fn cause(error: &object_store::Error) -> String {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return of_transport(error.kind()).to_owned();
        }
        next = error.source();
    }
    let text = error.to_string();
    match text.split_once(STATUS_TEXT) {
        Some((_, rest)) => {
            let status = rest.split(':').next().unwrap_or_default();
            format!("the service answered with status {status}")
        }
        // An address may have a signature in it.
        None if text.contains("://") => "the request failed".to_owned(),
        None => text,
    }
}

impl RemoteError {
    /// Makes the error of a request without an answer.
    pub(crate) fn of_transport(error: &HttpError) -> Self {
        let mut next: Option<&(dyn Error + 'static)> = error.source();
        while let Some(error) = next {
            if error.is::<PrivateHost>() {
                return RemoteError::PrivateHost;
            }
            next = error.source();
        }
        RemoteError::failed(of_transport(error.kind()).to_owned())
    }
}

/// Returns what failed below HTTP.
fn of_transport(kind: HttpErrorKind) -> &'static str {
    match kind {
        HttpErrorKind::Connect => "no connection to the service",
        HttpErrorKind::Timeout => "the service did not answer in time",
        HttpErrorKind::Decode => "the answer is not valid HTTP",
        _ => "the connection broke",
    }
}
