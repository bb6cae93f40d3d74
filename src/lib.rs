//! doisift sifts DOI names (`10.1000/182`) out of crawl and bibliography dumps.
//!
//! ```text
//!  sources --> input --> documents --> scan --> mentions --> dedup --> records
//!             (packings, (decoded     (anchor,              (table,   (CSV, JSON
//!              archives)  bytes)       extent,               runs)     Lines, Parquet,
//!                                      decode)                        names)
//!                                        |
//!                                       doi   the identifier itself
//! ```
//!
//! Arrows run downwards only: [`doi`](Doi) knows nothing of text or files, the scanner knows `doi` and bytes, input knows
//! no DOI, dedup knows no format. Only the pipeline knows all stages. Beside it, [`Merge`] unites the records of many runs.
//!
//! Without the feature `pipeline` the library is [`Doi`] and [`Scanner`] over bytes in memory.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clean;
mod doi;
mod scan;

#[cfg(feature = "pipeline")]
mod dedup;
#[cfg(feature = "pipeline")]
mod error;
#[cfg(feature = "pipeline")]
mod input;
#[cfg(feature = "pipeline")]
mod lock;
#[cfg(feature = "pipeline")]
mod merge;
#[cfg(feature = "pipeline")]
mod pipeline;
#[cfg(feature = "pipeline")]
mod printable;
#[cfg(feature = "pipeline")]
mod records;
#[cfg(feature = "pipeline")]
mod report;
#[cfg(feature = "pipeline")]
mod task;
#[cfg(feature = "pipeline")]
mod temporary;

pub use clean::{Cleaned, clean};
#[cfg(feature = "pipeline")]
pub use dedup::SpillError;
pub use doi::{Doi, DoiError, DoiErrorKind, UrlEncoding};
#[cfg(feature = "pipeline")]
pub use error::{CheckpointError, ClashError, Error, ErrorKind};
#[cfg(feature = "pipeline")]
pub use input::{BadGlob, BadShard, InputError, Packing, Separator, Shard};
#[cfg(feature = "pipeline")]
pub use merge::{Merge, MergeBuilder, MergeOptions, MergeReport};
#[cfg(feature = "pipeline")]
pub use pipeline::{OnError, Pipeline, PipelineBuilder};
#[cfg(feature = "pipeline")]
pub use printable::Printable;
#[cfg(feature = "pipeline")]
pub use records::{Format, ReadError, UnknownFormat};
#[cfg(feature = "pipeline")]
pub use report::{Loss, Losses, Rejections, Report, ReportOptions, Skipped};
#[cfg(feature = "naive")]
#[doc(hidden)]
pub use scan::naive;
pub use scan::{
    Applies, Delimiter, Form, Mention, Rejection, Rule, Scanner, Stream, Tally, TextKind,
    UnknownKind,
};
#[cfg(feature = "pipeline")]
pub use task::{Monitor, Progress};

/// For this crate's own benchmarks; may change at any time.
#[cfg(feature = "pipeline")]
#[doc(hidden)]
pub mod bench_support {
    pub use crate::dedup::bench_support::{Totals, fill_table, fill_table_within};
}

/// For this crate's own fuzz targets; may change at any time.
#[cfg(all(feature = "naive", feature = "pipeline"))]
#[doc(hidden)]
pub use input::fuzz_support;

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
