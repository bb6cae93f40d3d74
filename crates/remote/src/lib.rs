//! Objects of S3, Google Cloud Storage and Azure, and files of web servers: listed, read at offsets and in order, and written.
//!
//! - [`RemoteAddress`] is an address: `s3://`, `gs://`, `az://`, `abfss://`, `http://`, `https://`.
//! - [`Remote`] has the services of a task: [`Remote::add`] takes an address and gives its name, by which [`Remote::list`]
//!   and [`Remote::open`] know the object.
//! - [`RemoteFile`] is an object that is read at offsets, or in order by a [`RemoteSection`], which fetches ranges ahead.
//! - [`RemoteWriter`] is an object of a store that is written in order, and appears when it is complete.
//!
//! Calls block. Requests run on one thread of the [`Remote`].
//!
//! # Credentials
//!
//! Those of stores come from [`RemoteOptions::settings`], the variables of the environment that object_store knows, and profiles of AWS
//! with keys. A name has no user, password or signature, and no message has a credential in it.
//!
//! # Failures
//!
//! An answer that breaks off is resumed at its byte, if the object is the same: by its ETag, or else by the time of its change and its size. Seven
//! attempts without 64 KiB between them, each of which object_store may repeat as often, or [`RemoteOptions::timeout`] without as many, are an error. Delays double from 0.2 to 20 seconds, are partly random,
//! and are at least what the service asks for by `Retry-After`.
//!
//! # Hosts
//!
//! Redirects of web servers are followed to public hosts and to those that the user named: by an address, a proxy or an endpoint. Stores are asked
//! at their own address alone.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod address;
mod client;
mod error;
mod fetch;
mod file;
mod hosts;
mod listing;
mod location;
mod lock;
mod profile;
mod remote;
mod store;
mod traffic;
mod write;

pub use address::RemoteAddress;
pub use error::RemoteError;
pub use file::{RemoteFile, RemoteSection};
pub use remote::{Remote, RemoteOptions};
pub use store::unknown_setting;
pub use traffic::{RequestCounts, Traffic};
pub use write::RemoteWriter;
