//! The schemas of records and mentions, and a module for each format that writes them and reads records.
//!
//! Rows are written to any writer, usually an [`Output`].

#[cfg(feature = "resolve")]
mod answer;
mod change;
mod counts;
mod csv;
mod fault;
mod field;
mod format;
mod forms;
mod jsonl;
mod layout;
mod names;
mod output;
mod owned_mention;
mod pair;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod reader;
mod record;
mod row;
mod rows;
mod standing;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

#[cfg(feature = "resolve")]
pub(crate) use answer::AnswerRow;
pub(crate) use change::ChangeRow;
pub(crate) use counts::{CountRow, PrefixRow};
pub use fault::ReadError;
pub(crate) use field::{Field, RowKind};
#[cfg(feature = "known")]
pub(crate) use format::is_packed;
pub use format::{Format, UnknownFormat};
pub use forms::Forms;
pub use layout::BadFields;
pub(crate) use layout::Layout;
pub(crate) use output::{Destination, FileId, Output, WholeOutput};
pub(crate) use owned_mention::OwnedMention;
pub(crate) use pair::{OwnedPair, Pair};
pub use parts::PartSize;
pub(crate) use parts::{
    FolderContent, PartAbout, PartEntry, PartKeep, PartPlan, folder_of_pattern, is_folder, is_free,
    may_be_of_folder, pattern_remedy,
};
pub(crate) use reader::{file_reader, reader};
pub(crate) use record::{Capture, MAX, OwnedRecord, RowEdge};
pub use record::{MentionRow, Record};
pub(crate) use row::{OwnedRow, Row};
use rows::Lines;
pub(crate) use rows::{RowBlock, RowReader, RowWriter};
pub(crate) use standing::{HeldStanding, Standing};

/// A writer of rows.
///
/// # Errors
/// If the format writes a header at once, and that fails.
pub(crate) fn writer<W: Write + Send + 'static>(
    layout: &Layout,
    out: W,
) -> io::Result<Box<dyn RowWriter<W>>> {
    Ok(match layout.format {
        Format::Csv | Format::Tsv => Box::new(csv::Csv::new(layout, out)),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(layout, out)),
        Format::Names => Box::new(names::NamesWriter::new(out)),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(parquet::Parquet::new(layout, out)?),
    })
}

/// A writer of rows to an output, which may be a folder of parts.
///
/// # Errors
/// As [`writer`].
pub(crate) fn output_writer(
    layout: &Layout,
    mut output: Output,
) -> io::Result<Box<dyn RowWriter<Output>>> {
    match output.take_parts() {
        Some((folder, passed)) => Ok(Box::new(parts::PartWriter::new(
            layout, folder, passed, output,
        ))),
        None => writer(layout, output),
    }
}

impl RowBlock {
    /// The rows as a block for an output.
    pub(crate) fn new<R: Row>(
        layout: &Layout,
        rows: &mut dyn Iterator<Item = R>,
    ) -> io::Result<RowBlock> {
        let mut block: Box<dyn RowWriter<Vec<u8>>> = match layout.format {
            Format::Csv | Format::Tsv => Box::new(csv::Csv::appending(layout, Vec::new())),
            Format::Jsonl | Format::Names => writer(layout, Vec::new())?,
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let mut columns = parquet::RowColumns::default();
                rows.for_each(|row| columns.push(&row, &layout.fields));
                return Ok(RowBlock::Columns(columns));
            }
        };
        let mut lines = Lines::default();
        for row in rows {
            block.row(&row)?;
            lines.ends.push(block.size() as usize);
        }
        lines.bytes = block.finish()?;
        Ok(RowBlock::Lines(lines))
    }
}
