//! Asks the DOI proxy about names, politely and resumably.
//!
//! - [`Client`] asks: [`Client::resolve`] for the record of one name or of many, [`Client::agencies`] for their agencies.
//! - [`HandleAnswer`] is one of three kinds: the name exists, the registry does not know it, or it could not be asked and why.
//!   [`Agency`] is the answer of the service "Which RA".
//! - [`DatedAnswer`] adds to an answer when the service was asked, and whether it comes from the cache.
//! - [`Cache`] keeps answers in a file, so that a later task asks only for what is new or stale.
//! - [`CancelHandle`] ends a task from another thread.
//!
//! # What the services see
//!
//! `GET api/handles/NAME?type=URL&type=HS_ALIAS` of the endpoint for a record, never `auth`, which bypasses caches;
//! `GET doiRA/NAME,NAME` for agencies, with commas inside names encoded. All requests of a client share one [`Rate`], redirects
//! and further attempts included. In any interval of the rate's length the service gets at most the rate's number of requests,
//! however late single requests arrive: a place is free again only when the interval has passed since the answer. Requests
//! start evenly. The first one waits too, so that the rate holds when a program is started again. The headers
//! `x-rate-limit-limit` and `x-rate-limit-interval` make the rate lower, never higher. After status 429 or 503 all threads wait
//! as long as `Retry-After` says, or for the delay before the next attempt.
//!
//! # Repeated questions
//!
//! These failures are asked again: no connection, cut or foreign bodies, status 408, 429 and 5xx, response code 2. The
//! delays double and are partly random. A failure that remains is the answer [`HandleAnswer::CouldNotAsk`] and is not kept in the
//! cache.
//!
//! # Errors
//!
//! [`SetupError`] for invalid options, [`CacheError`] for the file of a cache. A failure for one name is the answer for
//! that name, as a [`ServiceFailure`].
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod agency;
mod answer;
mod cache;
mod cache_file;
mod client;
mod delay;
mod error;
mod fetch;
mod handle;
mod lookup;
mod pace;
mod rate;
mod refusals;
mod window;

pub use answer::{Agency, HandleAnswer, ServiceFailure};
pub use cache::{Cache, MaxAge};
pub use client::{Client, ClientOptions};
pub use delay::Backoff;
pub use error::{CacheError, SetupError};
pub use lookup::{DatedAnswer, LookupCounts};
pub use pace::CancelHandle;
pub use rate::Rate;

/// The README's examples are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
