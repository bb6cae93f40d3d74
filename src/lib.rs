//! doisift sifts DOI names (`10.1000/182`) out of crawl and bibliography dumps.
//!
//! ```
//! use doisift::{Doi, Scanner};
//!
//! let text = "See https://doi.org/10.5555/A%28b%29 and doi:10.5555/x.";
//! let names: Vec<Doi> = Scanner::new().find_iter(text).map(|found| found.doi).collect();
//! assert_eq!(names, ["10.5555/a(b)", "10.5555/x"]);
//! ```
//!
//! Tasks work on files: `Scan` finds names, `CleanTable` cleans columns of tables, `Check` judges the references of bibliographies, `Merge`
//! and `Diff` unite and compare outputs, `BuildIndex` makes an index of registered names, and `Resolve` asks the registry. Each starts with
//! `new`, gets its inputs, output and options, and does the work in `run`.
//!
#![cfg_attr(
    feature = "pipeline",
    doc = r#"```
use std::ops::ControlFlow;

let text = std::io::Cursor::new("See 10.5555/ABC, and doi:10.5555/abc again.");
let scan = doisift::Scan::new().reader("a letter", text);
let report = scan.for_each_record(|record| {
    assert_eq!((record.doi, record.mentions), ("10.5555/abc", 2));
    ControlFlow::Continue(())
})?;
assert_eq!(report.records, 1);
# Ok::<(), doisift::Error>(())
```"#
)]
//!
//! # Features
//!
//! | feature | by default | adds |
//! |---|---|---|
//! | `pipeline` | yes | tasks on files. Without it the library is [`Doi`], [`clean()`] and [`Scanner`] over bytes in memory, on any system; with it, the system must be Linux, macOS or Windows |
//! | `columnar` | yes | texts of Parquet and Arrow files, rows as Parquet, and rows read back from it |
//! | `remote` | no | objects of S3, Google and Azure and files of web servers as sources |
//! | `resolve` | no | questions to the registry: `Resolve`, and `Check::online` |
//! | `serde` | no | names, mentions and records to and from any format of serde |
//!
//! # Stages
//!
//! ```text
//!  sources --> documents --> scan --> mentions --> dedup --> records
//!             (packings,    (anchor,             (table,    (CSV, JSON Lines,
//!              archives,     extent,              runs)      Parquet, names)
//!              texts)        decode)
//!                              |
//!                             doi   the identifier itself
//! ```
//!
//! Stages are crates of their own: `doisift-documents` reads sources and `doisift-structure` structured texts, and neither knows
//! DOI names; `doisift-core` handles names and bytes in memory. This crate exports the items of them that its users need. A module may use only modules of earlier
//! stages: dedup does not know output formats, and only the pipeline knows all stages. `Merge` unites the records of several
//! scans.
//!
//! # Words
//!
//! The code, the messages and the documentation use each of these words only with this meaning. The first group is from the
//! DOI Handbook.
//!
//! | word | meaning |
//! |---|---|
//! | DOI name | prefix, `/` and suffix, such as `10.1000/182` ([`Doi`]) |
//! | directory indicator | the `10` that every name starts with |
//! | registrant code | the digits between `10.` and the `/`, which full stops may subdivide ([`Doi::registrant_code`]) |
//! | prefix | directory indicator, full stop and registrant code ([`Doi::prefix`]) |
//! | suffix | the part after the first `/` ([`Doi::suffix`]) |
//! | presentation form | a way to write a name: bare, URI, URN, URL of a proxy ([`Doi::parse`], [`Doi::to_url`]) |
//! | equivalent | equal under ASCII case folding and nothing else (`Eq` of [`Doi`]) |
//! | key | the canonical form of equivalent names: decoded, ASCII letters in lower case ([`Doi::key`]) |
//!
//! | word | meaning |
//! |---|---|
//! | source | a file or stream, named as an argument or found below a folder (`Scan::input`) |
//! | document | a unit of text in a source: a plain file, a member of an archive, a WARC record ([`Mention::offset`] counts in it) |
//! | packing | a compression of one stream, such as gzip (`Packing`) |
//! | chunk | a bounded piece of a document's decoded bytes that one thread scans |
//! | text kind | the kind of a document, by its head: a delimited table, a web page, or unknown ([`TextKind`]) |
//! | anchor | a position at which a name may start |
//! | candidate | an anchor followed by a complete prefix and a separator ([`Tally::candidates`]) |
//! | rejection | a candidate that was refused, with the reason that is counted ([`Rejection`]) |
//! | mention | a candidate that was accepted: name, form, offset and the bytes as found ([`Mention`]) |
//! | form | how a mention was written: `urn`, `info`, `hdl`, `doi`, `url`, `label` or `bare` ([`Form`]) |
//! | guessed | the end of a name was a choice that only a registry could confirm ([`Mention::guessed`]) |
//! | record | an output row: a key, and what was aggregated over its mentions |
//! | run | a sorted file of partial records, written when the memory budget is used up (`ScanReport::runs`) |
//! | shard | one of N parts of the sources, read by one of N scans (`Shard`) |
//! | checkpoint | a folder of finished work from which an interrupted scan resumes (`Scan::checkpoint`) |
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(feature = "pipeline")]
#[macro_use]
mod options;

#[cfg(feature = "pipeline")]
mod check;
#[cfg(feature = "pipeline")]
mod checkpoint;
#[cfg(feature = "pipeline")]
mod column;
#[cfg(feature = "pipeline")]
mod counts;
#[cfg(feature = "pipeline")]
mod dedup;
#[cfg(feature = "pipeline")]
mod diff;
#[cfg(feature = "pipeline")]
#[cfg(feature = "pipeline")]
mod error;
#[cfg(feature = "pipeline")]
mod indexing;
#[doc(hidden)]
pub mod internal;
#[cfg(feature = "pipeline")]
mod keywords;
#[cfg(feature = "pipeline")]
mod lock;
#[cfg(feature = "pipeline")]
mod lookup;
#[cfg(feature = "pipeline")]
mod merge;
#[cfg(feature = "pipeline")]
mod normalize;
#[cfg(feature = "pipeline")]
mod objects;
#[cfg(feature = "pipeline")]
mod pipeline;
#[cfg(feature = "pipeline")]
mod pool;
#[cfg(feature = "pipeline")]
mod records;
#[cfg(feature = "pipeline")]
mod registry;
#[cfg(feature = "pipeline")]
mod remote;
#[cfg(feature = "pipeline")]
mod report;
#[cfg(feature = "resolve")]
mod resolve;
#[cfg(feature = "pipeline")]
mod task;
#[cfg(feature = "pipeline")]
mod temporary;

pub use doisift_core::{
    Change, CheckDigit, Cleaned, Doi, DoiError, DoiErrorKind, Form, Match, Mention, NameSet,
    ParseError, Rejection, Scanner, Stream, Tally, TextKind, UrlEncoding, clean,
};

#[cfg(feature = "pipeline")]
pub use check::{
    Check, CheckFormat, CheckReport, CheckVerdict, CheckedReference, OutdatedData,
    RetractionsReport,
};
#[cfg(feature = "pipeline")]
pub use column::{CleanReport, CleanTable, TableOptions};
#[cfg(feature = "pipeline")]
pub use counts::Counts;
#[cfg(feature = "pipeline")]
pub use diff::{Diff, DiffReport};
#[cfg(feature = "pipeline")]
pub use doisift_documents::Shard;
#[cfg(feature = "pipeline")]
pub use doisift_known::{Date, IndexSource};
#[cfg(feature = "pipeline")]
pub use doisift_structure::Role;
#[cfg(feature = "pipeline")]
pub use doisift_tables::{Charset, TableFormat};
#[cfg(feature = "pipeline")]
pub use error::{Error, ErrorKind};
#[cfg(feature = "pipeline")]
pub use indexing::{BuildIndex, IndexReport};
#[cfg(feature = "pipeline")]
pub use lookup::Index;
#[cfg(feature = "pipeline")]
pub use merge::{Merge, MergeReport};
#[cfg(feature = "pipeline")]
pub use normalize::Presentation;
#[cfg(feature = "pipeline")]
pub use options::{Edges, Folders, Limits, OnError, Registry, StorageOptions};
#[cfg(feature = "pipeline")]
pub use pipeline::Scan;
#[cfg(feature = "pipeline")]
pub use records::{Format, MentionRow, PartSize, Record};
#[cfg(feature = "pipeline")]
pub use report::{KnownReport, Loss, Losses, ScanReport};
#[cfg(feature = "resolve")]
pub use resolve::{Resolve, ResolveReport};
#[cfg(feature = "pipeline")]
pub use task::{Monitor, Progress};

#[cfg(feature = "testing")]
#[doc(hidden)]
pub use doisift_core::naive;

/// For this crate's own benchmarks; may change at any time.
#[cfg(all(feature = "testing", feature = "pipeline"))]
#[doc(hidden)]
pub mod bench_support {
    pub use crate::dedup::bench_support::{Totals, fill_table, fill_table_within};
}

/// For this crate's own fuzz targets; may change at any time.
#[cfg(all(feature = "testing", feature = "pipeline"))]
#[doc(hidden)]
pub use doisift_documents::fuzz_support;

/// Compiles and runs the examples of the README and of the book.
#[cfg(all(doctest, feature = "pipeline"))]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/src/guide/rust.md")]
struct Pages;
