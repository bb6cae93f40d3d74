//! Merges the outputs of many scans into the output that one scan of all sources would give.
//!
//! Sorted records and pairs are merged directly, row by row. A first pass checks the order of each input. The rows of an input that
//! is not sorted, or cannot be read twice, are sorted first, and so are those of inputs beyond the number that can be open at once.
//! Mentions, edges and nodes are copied source by source.
//!
//! `records` reads and writes the formats, `dedup` has the tournament of sorted streams, and `crates/known` the sorter.
//! This module does not know documents or DOI names: a key is a string.

mod fields;
mod inputs;
mod options;
mod ordered;
mod report;
mod row;
mod row_bytes;
mod rows;
mod sort;
#[cfg(test)]
mod tests;
mod unite;
mod work;

pub(crate) use inputs::FoundInput;
pub use report::MergeReport;
pub(crate) use rows::{RowStream, can_be_read_twice};
pub(crate) use sort::{RowPlace, RowSorter, SortedRows};

use std::path::PathBuf;

use crate::error::Error;
use crate::options::{OutputOptions, ResourceOptions, RowOptions, SelectionOptions};
use crate::remote::ObjectOptions;
use crate::task::Monitor;

/// Unites files of rows, the outputs of [`Scan`](crate::Scan)s in CSV, JSON Lines or Parquet, into one.
///
/// All records of one name become one row. Names that differ only in the case of ASCII letters are the same. The fields of the
/// row:
/// - `mentions`, `documents` and `sources` are added up; a sum above 2^63 - 1 is an error;
/// - `forms` has the forms of all rows;
/// - `guessed` is true if it is true in all rows;
/// - `known`, `agency` and `retracted`, if the inputs have them, unite the answers of all indexes: true if one of them is true,
///   and the first agency in alphabetic order. Either all inputs must have them or none, unless
///   [fields](Self::fields) are chosen without them;
/// - `check_digit` follows from the name;
/// - the fields `first_*` come from the row with the smallest `first_source`, bytewise; among several with that source, from the
///   one with the smallest `first_offset`, then the smallest `first_document`, null first, then the smallest `first_text`.
///
/// So inputs that share no source give the same bytes as one scan of all their sources. The order of the inputs does not
/// matter. A source that is in two inputs counts twice, and so does an input that is named twice. Among the first mentions of
/// a source, the one with the smallest offset is the first, since records do not have the order of documents.
///
/// An input can be a folder of [parts](Self::part_size) of a complete run. Files and folders of mentions, edges or
/// [nodes](crate::Scan::nodes_to) are joined: their rows are written in the order of their sources, by name, so shards
/// of one scan give the rows of the whole. The sources of a file are in its column `source`. A file without this column counts as
/// one source with the name of the file, and a warning is logged. All inputs must have the same columns, or those that are
/// [chosen](Self::fields). Columns of [fields of records](crate::Edges::record_fields) are kept.
///
/// [Pairs](Self::pairs) are merged too: rows of one source, document and name become one, and `mentions` are added up.
///
/// ```
/// use doisift::{Merge, Scan, Shard};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = |name: &str| folder.path().join(name);
/// std::fs::create_dir(path("in"))?;
/// std::fs::write(path("in/a.txt"), "See 10.5555/ABC.")?;
/// std::fs::write(path("in/b.txt"), "https://doi.org/10.5555/abc and 10.5555/def")?;
///
/// Scan::new().input(path("in")).output(path("all.csv")).run()?;
/// for index in 0..2 {
///     let output = path(&format!("part-{index}.jsonl.gz"));
///     Scan::new().input(path("in")).shard(Shard::new(index, 2).unwrap()).output(output).run()?;
/// }
/// let parts = ["part-1.jsonl.gz", "part-0.jsonl.gz"].map(path);
/// let report = Merge::new().input(&parts[0]).input(&parts[1]).output(path("merged.csv")).run()?;
///
/// assert_eq!((report.records, report.mentions), (2, 3));
/// assert_eq!(std::fs::read(path("merged.csv"))?, std::fs::read(path("all.csv"))?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Merge {
    inputs: Vec<PathBuf>,
    monitor: Monitor,
    pub(crate) rows: RowOptions,
    pub(crate) selection: SelectionOptions,
    pub(crate) output: OutputOptions,
    pub(crate) resources: ResourceOptions,
    pub(crate) remote: ObjectOptions,
}

task! {
    Merge {
        rows: RowOptions,
        selection: SelectionOptions,
        output: OutputOptions,
        resources: ResourceOptions,
        remote: ObjectOptions,
    }

    /// Adds a file of rows, a folder of parts of one run, or `-` for standard input, which has records or pairs. Its format and
    /// packing, gzip or zstd, are recognised by its first bytes.
    input
}

impl Merge {
    /// Merges all inputs and writes the output.
    ///
    /// Every regular file is read twice, the first time to check whether its rows are sorted by `doi`, bytewise, or to find the
    /// sources of mentions, edges and nodes. A sorted file needs memory only for its buffers. Other files, and inputs that cannot
    /// be read twice, such as standard input, are sorted within the [memory](Self::memory), with [temporary
    /// files](Self::tmp_dir). If there are more than 128 inputs, or more than the memory or the process's limit on open
    /// files allows, those beyond are sorted too. No row is written before every input was read to its end once.
    ///
    /// Checksums of inputs are verified: of gzip, of zstd if it has one, of Parquet pages if they have one, and of
    /// Parquet files that this program wrote. In plain CSV and JSON Lines damage is found only if a row becomes invalid.
    ///
    /// # Errors
    /// If options contradict each other; if an input cannot be read, is damaged, is not a file of rows, or has an invalid row, which the error names; if a sum is
    /// too large; if the output or a temporary file cannot be written; or if the run is [cancelled](crate::Monitor::cancel). Then
    /// the outputs are as they were before.
    pub fn run(self) -> Result<MergeReport, Error> {
        work::run(&self.settings()?)
    }
}
