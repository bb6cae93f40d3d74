//! The texts of a file, one row group after the other.

use std::sync::Arc;

use super::file::{Projection, StoredTable, file_error};
use super::group::GroupColumns;
use crate::column_choice::ColumnSelection;
use crate::columnar::batch::ReadColumns;
use crate::columnar::choice::SelectedColumns;
use crate::columnar::part::{ColumnarFile, NextRows, PartStart, PartTexts, RowSource, TableItem};
use crate::fault::{InputError, LocatedError, Packing};
use crate::file::SourceFile;

/// A file whose texts are read.
pub(crate) struct ParquetFile {
    stored: StoredTable,
    projection: Projection,
    columns: ReadColumns,
}

impl ColumnarFile for ParquetFile {
    const PACKING: Packing = Packing::Parquet;
    const WITHOUT_TEXT: &'static str = "parquet without text";

    fn open(
        file: SourceFile,
        length: u64,
        choice: &ColumnSelection,
        max: usize,
    ) -> Result<(Self, Vec<LocatedError>), InputError> {
        let (stored, mut faults) = StoredTable::open(Arc::new(file), length, max)?;
        let chosen = choice.select(&stored.schema.leaves, file_error, &mut faults)?;
        let leaves = chosen.texts.iter().chain(&chosen.id);
        let numbers: Vec<usize> = leaves.map(|leaf| leaf.number).collect();
        let projection = Projection::new(&stored.schema, &numbers);
        let projection = projection.map_err(|_| file_error("has damaged metadata"))?;
        let read = |leaf| projection.leaf(leaf);
        let chosen = SelectedColumns {
            texts: chosen.texts.into_iter().map(read).collect(),
            paths: chosen.paths,
            id: chosen.id.map(read),
        };
        let file = ParquetFile {
            stored,
            projection,
            columns: ReadColumns::new(chosen, choice.objects),
        };
        Ok((file, faults))
    }

    fn rows(&self) -> u64 {
        self.stored.rows()
    }

    fn part_count(&self) -> usize {
        self.stored.metadata.num_row_groups()
    }

    fn has_texts(&self) -> bool {
        !self.columns.texts.is_empty()
    }

    fn metadata_length(&self) -> u64 {
        self.stored.metadata_length()
    }

    fn part(
        &self,
        from: PartStart,
        memory: usize,
    ) -> Option<Box<dyn Iterator<Item = TableItem> + '_>> {
        if from.part >= self.part_count() {
            return None;
        }
        let (columns, faults) =
            GroupColumns::open(&self.stored, from.part, &self.projection, memory);
        let group = GroupRows { columns, faults };
        Some(Box::new(PartTexts::new(
            group,
            &self.columns,
            from.row,
            memory,
        )))
    }
}

/// The rows of a row group.
struct GroupRows {
    columns: GroupColumns,
    /// What is wrong with columns that cannot be read at all.
    faults: Vec<LocatedError>,
}

impl RowSource for GroupRows {
    const PACKING: Packing = Packing::Parquet;

    fn first_row(&self) -> u64 {
        self.columns.first_row
    }

    fn next_rows(&mut self) -> Option<NextRows> {
        let row = self.columns.row;
        let (arrays, rows, mut faults) = self.columns.next();
        faults.splice(0..0, self.faults.drain(..));
        if rows == 0 && faults.is_empty() {
            return None;
        }
        let [read, unpacked] = self.columns.memory.take_counts();
        Some(NextRows {
            row,
            rows,
            arrays,
            faults,
            read,
            unpacked,
        })
    }
}
