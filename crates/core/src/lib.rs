//! DOI names (`10.1000/182`) in bytes in memory: parsed, written, found in any text, and cleaned.
//!
//! - [`Doi`] is the identifier: [`Doi::parse`] reads every presentation form, the `to_…` methods write them, and names compare
//!   as the DOI Handbook says.
//! - [`Scanner`] finds the names in a text, in time that is linear in its length; [`Scanner::explain`] shows each step.
//! - [`clean()`] reads a dirty text that was meant to be one name; [`Scanner::read_one`] and [`Scanner::clean_one`] refuse those that
//!   are none or several.
//! - [`block`] finds marks among 64 bytes at once, for readers of structured text that run beside the scanner.
//!
//! Nothing here opens a file, starts a thread, reads a clock or prints. Files and archives, deduplication and tables are the
//! job of the crate `doisift`, which exports the names of this one too.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bits;
pub mod block;
mod clean;
mod doi;
mod one;
mod scan;

pub use clean::{Cleaned, clean};
pub use doi::{CheckDigit, Doi, DoiError, DoiErrorKind, UrlEncoding, check};
pub use one::NotOneName;
pub use scan::around;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use scan::naive;
pub use scan::{
    Applies, Change, Decision, Delimiter, Example, Explanation, FindIter, Form, Match, Mention,
    NameSet, Pass, Reading, Rejection, Rule, Scanner, Step, Stream, Tally, TextKind, UnknownForm,
    UnknownKind, Verdict,
};

/// The README's examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
