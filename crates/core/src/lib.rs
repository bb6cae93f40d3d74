//! DOI names (`10.1000/182`) in bytes in memory: parsed, written, found in any text, and cleaned.
//!
//! - [`Doi`] is the identifier: [`Doi::parse`] reads every presentation form, the `to_…` methods write them, and names compare
//!   as in the DOI Handbook.
//! - [`Scanner`] finds the names in a text, in time linear in its length; [`Scanner::explain`] shows each step.
//! - [`clean()`] reads a dirty text that was meant to be one name; [`Scanner::read_one`] and [`Scanner::clean_one`] refuse texts with
//!   no name or several.
//! - [`block`] finds marks among 64 bytes at once, for readers of structured text that run beside the scanner.
//!
//! Nothing here opens a file, starts a thread, reads a clock or prints. The crate `doisift` reads files, archives and tables,
//! deduplicates, and exports the items of this crate too.
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
    Change, Decision, Delimiter, Example, ExampleReading, Explanation, ExplanationStep, FindIter,
    Form, Match, Mention, NameSet, NonCandidate, Rejection, Rule, RuleScope, Scanner, Stream,
    Tally, TextKind, UnknownForm, UnknownKind, Verdict,
};

/// Compiles and runs the README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
