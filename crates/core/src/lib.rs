//! DOI names (`10.1000/182`) in bytes in memory: parsed, written, found in any text, and cleaned.
//!
//! - [`Doi`] is the identifier: [`Doi::parse`] reads every presentation form, the `to_…` methods write them, and names compare
//!   as in the DOI Handbook.
//! - [`Scanner`] finds the names in a text, in time linear in its length.
//! - [`clean()`] reads a dirty text that was meant to be one name.
//!
//! ```
//! use doisift_core::{Doi, Form, Scanner, clean};
//!
//! let mut scanner = Scanner::new();
//! let found: Vec<_> = scanner.find_iter("See https://doi.org/10.5555/a%28b%29, and 10.5555/Abc.").collect();
//! assert_eq!((found[0].doi.as_str(), found[0].form), ("10.5555/a(b)", Form::Url));
//! assert_eq!(found[1].doi, Doi::parse("doi:10.5555/abc")?);
//! assert_eq!(clean("10.5555/abc (2006), p. 5")?.doi.to_url(Default::default()), "https://doi.org/10.5555/abc");
//! # Ok::<(), doisift_core::DoiError>(())
//! ```
//!
//! Nothing here opens a file, starts a thread, reads a clock or prints. The crate `doisift` reads files, archives and tables,
//! deduplicates, and exports the items of this crate too.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bits;
mod block;
mod clean;
mod doi;
mod one;
mod parse_error;
mod scan;

pub use clean::{Cleaned, clean};
pub use doi::{CheckDigit, Doi, DoiError, DoiErrorKind, UrlEncoding, check};
pub use parse_error::ParseError;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub use scan::naive;
pub use scan::{
    Change, Form, Match, Mention, NameSet, Rejection, Scanner, Stream, Tally, TextKind,
};

/// Parts that only the other crates of doisift use. Not covered by any promise of stability.
///
/// The methods of [`Scanner`] for parts of a document, such as `scan_range`, are hidden too, and so are those that explain decisions
/// and read a text as one name.
#[doc(hidden)]
pub mod internal {
    pub use crate::block::{Bits, Block, parity, positions};
    pub use crate::one::NotOneName;
    pub use crate::scan::{
        Decision, Example, ExampleReading, Explanation, ExplanationStep, NonCandidate, Rule,
        RuleScope, Verdict, around,
    };
}

/// Compiles and runs the README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
