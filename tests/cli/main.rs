//! Real runs of the command; each test is named for what a person would have seen.
#![cfg(all(feature = "cli", unix))]
#![allow(missing_docs, clippy::unwrap_used)]

mod broken;
mod cases;
#[path = "../common/mod.rs"]
mod common;
mod containers;
mod memory;
mod output;
mod place;
mod readme;
mod same;
mod signals;
mod sources;
mod usage;
