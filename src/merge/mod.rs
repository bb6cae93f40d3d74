//! Files of records to one: what many runs gave becomes what one run over everything would have given.
//!
//! Inputs whose rows are sorted are merged directly, row by row. So a first pass looks at the order of each; one that is
//! not sorted, or cannot be read twice, goes to temporary runs, which are. Where there are more inputs than can be open at
//! once, some are merged to a run beforehand.
//!
//! Neighbours: `records` reads and writes the formats; from dedup comes the tournament of sorted streams, from `task`
//! the monitor and the outputs. Knows nothing of sources, documents or DOI names: a key is a string.

mod options;
mod report;
mod rows;
mod run;
mod sort;
#[cfg(test)]
mod tests;
mod unite;
mod work;

pub use options::MergeBuilder;
pub use report::{MergeOptions, MergeReport};

use std::path::Path;

use options::Options;

use crate::error::Error;

/// Unites files of records, the outputs of [`Pipeline`](crate::Pipeline)s in CSV, JSON Lines or Parquet, into one.
///
/// The rows of one name become one, those included that differ from it in the case of ASCII letters:
/// - `mentions` and `documents` are added up; a sum past 2^63 - 1 is an error;
/// - `forms` has each form of any of them;
/// - `guessed` is true if it is in all of them;
/// - the fields `first_*` are those of the row with the least `first_source`, bytewise; among several with that source, of the
///   one with the least `first_offset`, then the least `first_document`, none before any, then the least `first_text`.
///
/// So inputs that share no source give the very bytes that one run over all their sources gives. The order of the inputs bears
/// on nothing. A source that is in two inputs counts twice, as does an input that is named twice; the documents of a source
/// have no order here but that of its first mentions.
///
/// ```
/// use doisift::{Merge, Pipeline, Shard};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = |name: &str| folder.path().join(name);
/// std::fs::create_dir(path("in"))?;
/// std::fs::write(path("in/a.txt"), "See 10.5555/ABC.")?;
/// std::fs::write(path("in/b.txt"), "https://doi.org/10.5555/abc and 10.5555/def")?;
///
/// Pipeline::builder().source(path("in")).output(path("all.csv")).build()?.run()?;
/// for index in 0..2 {
///     let output = path(&format!("part-{index}.jsonl.gz"));
///     Pipeline::builder().source(path("in")).shard(Shard::new(index, 2)?).output(output).build()?.run()?;
/// }
/// let parts = ["part-1.jsonl.gz", "part-0.jsonl.gz"].map(path);
/// let report = Merge::builder().input(&parts[0]).input(&parts[1]).output(path("merged.csv")).build()?.run()?;
///
/// assert_eq!((report.records, report.mentions), (2, 3));
/// assert_eq!(std::fs::read(path("merged.csv"))?, std::fs::read(path("all.csv"))?);
/// # Ok(())
/// # }
/// ```
pub struct Merge {
    options: Options,
}

impl Merge {
    /// Starts with no input, and standard output.
    pub fn builder() -> MergeBuilder {
        MergeBuilder::default()
    }

    /// What it is asked to do, with all defaults in place.
    pub fn options(&self) -> MergeOptions {
        self.options.for_report()
    }

    /// The folder for temporary files.
    pub fn tmp_dir(&self) -> &Path {
        &self.options.tmp
    }

    /// Runs to the end, and writes the output.
    ///
    /// Every regular file is read twice, once to see whether its rows are sorted by `doi`, bytewise; if they are, it takes no
    /// memory but its buffers, whatever its size. Other files, and what cannot be read twice, such as standard input, are
    /// sorted within the [memory](MergeBuilder::memory), by way of [temporary files](MergeBuilder::tmp_dir). Of more than 128
    /// inputs, or more than the memory or the process's limit on open files has room for at once, some are merged to a temporary
    /// file first. No row is written before every input was read to its end once.
    ///
    /// Checksums of inputs are verified: of gzip, of zstd where there is one, of Parquet pages where there are any, and of
    /// Parquet files of this program. In plain CSV and JSON Lines damage is found only where a row makes no sense.
    ///
    /// # Errors
    /// If an input cannot be read, is damaged, is no file of records, or has a row that no scan writes, which is named; if a
    /// sum is too large; if the output or a temporary file cannot be written; or if the run is [cancelled](crate::Monitor::cancel). Then a file at the path of an
    /// output is the one that was there before.
    pub fn run(self) -> Result<MergeReport, Error> {
        work::run(&self.options)
    }
}
