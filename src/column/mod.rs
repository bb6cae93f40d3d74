//! Reads columns of tables, or lines, as DOI names, and writes the tables back with clean names.
//!
//! All bytes of a table except the wanted cells are copied, so quoting, line ends, the order of members and bytes that are not
//! UTF-8 stay as they are. `reading` cuts documents into batches of whole rows, `crew` cleans batches on all threads, and `sink`
//! writes them in their order. `cleaner` is for cells in memory. `normalize` decides the result for a cell. Does not know the
//! scan's pipeline.

#[macro_use]
mod options;

mod batch;
mod builder;
mod cell;
mod charset;
mod cleaner;
mod crew;
mod dialect;
mod elements;
mod format;
mod header;
mod json;
mod layout;
mod lines;
mod members;
mod names;
mod reading;
mod reason;
mod report;
mod run;
mod settings;
mod sink;
mod split;
mod status;
mod table;
#[cfg(test)]
mod tests;
mod worker;

pub use builder::NormalizeBuilder;
pub use charset::Charset;
pub use cleaner::ColumnCleaner;
pub use format::TableFormat;
pub use report::{NormalizeOptions, NormalizeReport};
pub use status::CellStatus;

pub(crate) use dialect::Dialect;
pub(crate) use format::{DocumentReading as TableReading, sep_line};
pub(crate) use header::{HeaderChoice, TableHead, table_bytes};
#[cfg(feature = "resolve")]
pub(crate) use layout::header_column;
pub(crate) use layout::named as named_column;
pub(crate) use split::RowSplitter;

use settings::NormalizeSettings;

use crate::error::Error;

/// Cleans columns of DOI names in tables.
///
/// A table is delimited text (`,`, `;`, tab, `|` or another byte, quoted as in RFC 4180), JSON Lines, or an array of JSON
/// objects. It is written with every row, cell and line end as it was, byte for byte, and with three new columns for each wanted
/// one: the clean name, its [status](NormalizeReport::statuses), and the reason why it was refused or the changes: rules, what
/// was left out, or a word for another spelling, such as `case`.
///
/// - In a row with fewer cells than the first row, empty cells are added before the new ones, so that these are in their columns.
///   In a row with more cells, the new ones are the last. Such rows are counted, and reported once per table. A blank row stays
///   blank.
/// - A tab-separated table is read without quoting if its head has a cell with text after its closing quote.
/// - In JSON Lines, new members are added before the closing brace, null if there is no name or no reason. A line that is not an
///   object stays unchanged and is reported.
/// - The table is written in the [encoding](Charset) in which it was read, with a byte order mark if it had one. Without a mark and
///   [`input_encoding`](NormalizeBuilder::input_encoding), a head that is not UTF-8 is read as windows-1252.
///
/// ```
/// use doisift::Normalize;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
/// std::fs::write(&input, "id,DOI\r\n\"1\",https://doi.org/10.5555/ABC\r\n2,n/a\r\n")?;
///
/// let report = Normalize::builder().input(&input).column("doi").output(&output).build()?.run()?;
///
/// let wanted = "id,DOI,doi_clean,doi_status,doi_reason\r\n\
///     \"1\",https://doi.org/10.5555/ABC,10.5555/abc,normalized,form; case\r\n\
///     2,n/a,,refused,\"no directory indicator \"\"10.\"\", at byte 0\"\r\n";
/// assert_eq!(std::fs::read_to_string(&output)?, wanted);
/// assert_eq!(report.statuses.get("refused"), 1);
/// # Ok(())
/// # }
/// ```
pub struct Normalize {
    settings: NormalizeSettings,
}

impl Normalize {
    /// Returns a builder without inputs, for standard output.
    pub fn builder() -> NormalizeBuilder {
        NormalizeBuilder::default()
    }

    /// Returns the options, with all defaults filled in.
    #[doc(hidden)]
    pub fn options(&self) -> NormalizeOptions {
        self.settings.for_report()
    }

    /// Reads all inputs and writes the output.
    ///
    /// Takes memory for some batches of rows, and for the longest row. Refused cells are counted, and the first ten are written
    /// to the [`log`] as warnings; refused lines all are.
    ///
    /// # Errors
    /// If an input cannot be read, is damaged, is not a table or lacks a column; if the output cannot be written; or if the run
    /// is [cancelled](crate::Monitor::cancel). Then the outputs are as they were before.
    pub fn run(self) -> Result<NormalizeReport, Error> {
        run::run(&self.settings)
    }
}
