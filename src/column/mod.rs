//! Reads columns of tables, or lines, as DOI names, and writes the tables back with clean names.
//!
//! All bytes of a table except the wanted cells are copied, so quoting, line ends, the order of members and bytes that are not
//! UTF-8 stay as they are. `reading` cuts documents into batches of whole rows, `crew` cleans batches on all threads, and `sink`
//! writes them in their order. `cleaner` is for cells in memory. `normalize` decides the result for a cell. Does not know the
//! scan's pipeline.

mod batch;
mod cell;
mod chosen;
mod cleaner;
mod code;
mod crew;
mod ending;
mod json;
mod layout;
mod lines;
mod members;
mod names;
mod options;
mod reading;
mod reason;
mod report;
mod run;
mod settings;
mod sink;
mod status;
mod table;
#[cfg(test)]
mod tests;
mod worker;

pub use cleaner::ColumnCleaner;
pub use options::TableOptions;
pub use report::CleanReport;
pub use status::CellStatus;

use std::path::PathBuf;

use options::{ColumnOptions, NameOptions};

use crate::error::Error;
use crate::options::{
    FormOptions, HeaderOptions, Limits, LookupOptions, OutputOptions, ResourceOptions,
};
use crate::remote::ObjectOptions;
use crate::task::Monitor;

/// Cleans columns of DOI names in tables.
///
/// A table is delimited text (`,`, `;`, tab, `|` or another byte, quoted as in RFC 4180), JSON Lines, or an array of JSON
/// objects. It is written with every row, cell and line end as it was, byte for byte, and with three new columns for each wanted
/// one: the clean name, its [status](CleanReport::statuses), and the reason why it was refused or the changes: rules, what
/// was left out, or a word for another spelling, such as `case`.
///
/// - In a row with fewer cells than the first row, empty cells are added before the new ones, so that these are in their columns.
///   In a row with more cells, the new ones are the last. Such rows are counted, and reported once per table. A blank row stays
///   blank.
/// - A tab-separated table is read without quoting if its head has a cell with text after its closing quote.
/// - In JSON Lines, new members are added before the closing brace, null if there is no name or no reason. A line that is not an
///   object stays unchanged and is reported.
/// - The table is written in the encoding in which it was read, with a byte order mark if it had one. Without a mark and
///   [`input_encoding`](TableOptions::input_encoding), a head that is not UTF-8 is read as windows-1252.
///
/// ```
/// use doisift::CleanTable;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
/// std::fs::write(&input, "id,DOI\r\n\"1\",https://doi.org/10.5555/ABC\r\n2,n/a\r\n")?;
///
/// let report = CleanTable::new().input(&input).column("doi").output(&output).run()?;
///
/// let wanted = "id,DOI,doi_clean,doi_status,doi_reason\r\n\
///     \"1\",https://doi.org/10.5555/ABC,10.5555/abc,normalized,form; case\r\n\
///     2,n/a,,refused,\"no directory indicator \"\"10.\"\", at byte 0\"\r\n";
/// assert_eq!(std::fs::read_to_string(&output)?, wanted);
/// assert_eq!(report.statuses.get("refused"), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct CleanTable {
    inputs: Vec<PathBuf>,
    monitor: Monitor,
    columns: ColumnOptions,
    table: TableOptions,
    pub(crate) header: HeaderOptions,
    pub(crate) remote: ObjectOptions,
    names: NameOptions,
    pub(crate) forms: FormOptions,
    pub(crate) lookup: LookupOptions,
    pub(crate) output: OutputOptions,
    pub(crate) resources: ResourceOptions,
    pub(crate) limits: Limits,
}

task! {
    CleanTable {
        columns: ColumnOptions,
        table: TableOptions => table,
        header: HeaderOptions,
        remote: ObjectOptions,
        names: NameOptions,
        forms: FormOptions,
        lookup: LookupOptions,
        output: OutputOptions,
        resources: ResourceOptions,
        limits: Limits => limits,
    }

    /// Adds a file to read, or `-` for standard input: plain or packed text in any encoding, UTF-32 only with a byte order mark. Each
    /// member of an archive is a table. Several tables are written as one, so they need the same format and header, which is
    /// written once. Of a workbook (xlsx, xlsb, xls or ods), a [sheet](Self::sheet) is read, and written as comma-separated
    /// text.
    input
}

impl CleanTable {
    /// Reads all inputs and writes the output.
    ///
    /// Takes memory for some batches of rows, and for the longest row. Refused cells are counted, and the first ten are written
    /// to the [`log`] as warnings; refused lines all are.
    ///
    /// # Errors
    /// If options contradict each other; if an input cannot be read, is damaged, is not a table or lacks a column; if the output cannot be written; or if the run
    /// is [cancelled](crate::Monitor::cancel). Then the outputs are as they were before.
    pub fn run(self) -> Result<CleanReport, Error> {
        run::run(&self.settings()?)
    }
}
