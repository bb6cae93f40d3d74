//! The schemas of rows, and a module for each format that writes and reads them.
//!
//! Rows are written to any writer, usually an [`Output`].

#[cfg(feature = "resolve")]
mod answer;
mod change;
mod columns;
mod copied_row;
mod counts;
mod csv;
mod fault;
mod field;
mod format;
mod forms;
mod identity;
mod index_status;
mod jsonl;
mod layout;
mod names;
mod node;
mod output;
mod pair;
#[cfg(feature = "columnar")]
mod parquet;
mod part_writer;
mod parts;
mod reader;
mod record;
mod row;
mod rows;
mod schema;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

#[cfg(feature = "resolve")]
pub(crate) use answer::AnswerRow;
pub(crate) use change::ChangeRow;
pub(crate) use columns::FileColumns;
pub(crate) use copied_row::CopiedRow;
pub(crate) use counts::{CountRow, PrefixRow};
pub use fault::ReadError;
pub(crate) use field::{Field, IDENTITY, INDEX_STATUS_FIELDS, RECORD_FACTS, RowKind};
pub use format::Format;
pub(crate) use format::has_ending;
pub(crate) use format::is_packed;
pub use forms::Forms;
pub(crate) use identity::{ComparedKind, OfEdges, OfNodes, OfPairs, RowIdentity};
pub(crate) use index_status::{IndexStatus, StoredIndexStatus};
pub(crate) use layout::Layout;
pub use layout::{BadFields, CallerColumn};
pub(crate) use node::NodeRow;
pub(crate) use output::{Destination, FileId, Output, WholeOutput};
pub(crate) use pair::{OwnedPair, Pair};
pub use parts::PartSize;
pub(crate) use parts::{
    FolderContent, PartAbout, PartEntry, PartKeep, PartPlace, PartPlan, PartsDone, SUCCESS,
    folder_of_pattern, is_folder, may_be_of_folder, pattern_remedy,
};
pub(crate) use reader::{is_parquet, parquet_reader, reader, unpacker};
pub(crate) use record::{ItemDetails, MAX_NUMBER, OwnedRecord, RowEdge};
pub use record::{MentionRow, Record};
pub use row::FieldValue;
pub(crate) use row::{OwnedRow, Row, Slot, Value};
pub(crate) use rows::{BlockBuilder, BlockWriter, Encoders, RowBlock, RowReader, RowWriter};
pub use schema::{FieldSchema, RowSchema, row_schemas};

/// Creates a writer of rows.
///
/// # Errors
/// If the format writes a header at once and this fails.
pub(crate) fn writer<W: Write + Send + 'static>(
    layout: &Layout,
    out: W,
) -> io::Result<Box<dyn RowWriter<W>>> {
    Ok(match layout.format {
        Format::Csv | Format::Tsv => Box::new(csv::Csv::new(layout, out)),
        Format::Jsonl => Box::new(jsonl::Jsonl::new(layout, out)),
        Format::Names => Box::new(names::NamesWriter::new(out)),
        #[cfg(feature = "columnar")]
        Format::Parquet => Box::new(parquet::Parquet::new(layout, out)?),
    })
}

/// Creates a writer of rows to an output, which may be a folder of parts.
///
/// # Errors
/// As [`writer`].
pub(crate) fn output_writer(
    layout: &Layout,
    mut output: Output,
) -> io::Result<Box<dyn RowWriter<Output>>> {
    match output.take_parts() {
        Some((folder, passed)) => Ok(Box::new(part_writer::PartWriter::new(
            layout, folder, passed, output,
        )?)),
        None => writer(layout, output),
    }
}

/// Creates a writer of blocks of rows to an output, which may be a folder of parts. `encoders` encode the rows if the format has
/// encoders.
///
/// # Errors
/// As [`writer`].
pub(crate) fn output_blocks(
    layout: &Layout,
    mut output: Output,
    encoders: Encoders,
) -> io::Result<Box<dyn BlockWriter<Output>>> {
    match output.take_parts() {
        Some((folder, passed)) => {
            let blocks = part_writer::PartBlocks::new(layout, folder, passed, output)?;
            Ok(Box::new(blocks.encoded_by(encoders)))
        }
        None => file_blocks(layout, output, Some(&encoders)),
    }
}

/// Creates a writer of blocks of rows to one file.
fn file_blocks(
    layout: &Layout,
    output: Output,
    encoders: Option<&Encoders>,
) -> io::Result<Box<dyn BlockWriter<Output>>> {
    match (layout.format, encoders) {
        #[cfg(feature = "columnar")]
        (Format::Parquet, Some(encoders)) => {
            let rows = parquet::Parquet::new(layout, output)?;
            Ok(Box::new(rows.encoded_by(encoders.clone())))
        }
        _ => writer(layout, output)?.into_blocks(),
    }
}

impl BlockBuilder {
    /// Creates a builder. Parquet reserves memory for `rows` rows.
    #[cfg_attr(not(feature = "columnar"), expect(unused_variables))]
    pub(crate) fn new(layout: &Layout, rows: usize) -> io::Result<BlockBuilder> {
        Ok(match layout.format {
            Format::Csv | Format::Tsv => {
                BlockBuilder::of_lines(Box::new(csv::Csv::appending(layout, Vec::new())))
            }
            Format::Jsonl | Format::Names => BlockBuilder::of_lines(writer(layout, Vec::new())?),
            #[cfg(feature = "columnar")]
            Format::Parquet => BlockBuilder::of_columns(layout.clone(), rows),
        })
    }
}

impl RowBlock {
    /// Makes a block of rows for an output.
    pub(crate) fn new<R: Row>(
        layout: &Layout,
        rows: &mut dyn Iterator<Item = R>,
    ) -> io::Result<RowBlock> {
        let mut block = BlockBuilder::new(layout, rows.size_hint().0)?;
        for row in rows {
            block.row(&row)?;
        }
        block.end()
    }
}
