//! A set of all registered DOI names in one file, for look-ups offline.
//!
//! - [`IndexBuilder`] takes names and notices in any order and writes an index, in bounded memory.
//! - [`Index`] opens it and answers: [`Index::find`] a name, [`Index::known_starts`] of a text, [`Index::extensions`] of a cut
//!   name, [`Index::near`] for names one slip away, [`Index::notices`] about a name, [`Index::is_retracted`],
//!   [`Index::holds_prefix`]; [`Index::has_registered_prefix`], if it has a list of prefixes; [`Index::sorted_lookup`] and [`Index::join`] for many sorted names.
//! - [`Notice`] is a retraction, correction or the like. With the feature `notices`, the module `notices` reads those of Crossref
//!   and Retraction Watch.
//!
//! Names are compared by their keys, as the crate `doisift-core` makes them: after ASCII case folding. The builder folds
//! names; questions take keys. An unknown name may still be registered: an index has the names of its sources at their
//! date.
//!
//! # The file
//!
//! | part | content |
//! |---|---|
//! | start | magic bytes, version |
//! | `names` | blocks of up to 65,536 names: an automaton of the crate `fst`, with the agency as value |
//! | `name blocks` | for each block: its first name, length, checksum, and the known names that its first name starts with |
//! | `notices` | blocks of up to 1,024 names with notices: an automaton that gives the place of the notices after it |
//! | `notice blocks` | as for names |
//! | header | counts, agencies, sources, place and checksum (xxh3) of each section; registered prefixes if there is a list of them |
//! | end | place and checksum of the header, magic bytes |
//!
//! All bytes are checked before they are used: the header and the directories when the file is opened, a block when it is
//! first read. The checksums find damage; they are not a signature.
//!
//! # Errors
//!
//! [`IndexError`] names the file, the section and the reason. [`BuildError`] separates refused names from failures of files.
//!
//! # Cost
//!
//! A look-up takes about a microsecond in a block that was read before. Blocks that were read stay in memory, at most as
//! many bytes as the file has. A build sorts within [`BuildOptions::memory`] and spills the rest to temporary files.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod alphabet;
mod ask;
mod blocks;
mod build;
pub mod bytes;
mod date;
mod error;
mod file;
#[cfg(test)]
mod forged;
mod header;
mod index;
#[cfg(test)]
mod model;
mod notice;
#[cfg(feature = "notices")]
pub mod notices;
mod saved;
pub mod sort;
mod source;
mod trie;

pub use ask::{JoinedNames, NearName, SortedLookup, Typo};
pub use build::{BuildOptions, IndexBuilder, IndexCounts, SourceId};
pub use date::Date;
pub use error::{BuildError, IndexError, IndexErrorKind};
pub use index::{Index, IndexEntry};
pub use notice::{AssertedBy, Notice, NoticeKind, is_retracted};
pub use source::IndexSource;

/// The version of the format that this crate writes and reads.
pub const FORMAT_VERSION: u64 = 1;

/// The README's examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
