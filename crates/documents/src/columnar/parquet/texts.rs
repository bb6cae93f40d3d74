//! Reads the texts of a file, one row group after the other.

use std::fs::File;
use std::sync::Arc;

use super::column::ColumnBuffers;
use super::file::{ENDING_BYTES, ParquetFile, StoredColumns, file_error, rows_of};
use super::group::GroupReader;
use crate::column_choice::ColumnSelection;
use crate::columnar::choice::SelectedColumns;
use crate::columnar::part::{ColumnarFile, PartStart};
use crate::fault::{InputError, LocatedError, Packing};

impl ColumnarFile for ParquetFile {
    const PACKING: Packing = Packing::Parquet;
    const WITHOUT_TEXT: &'static str = "parquet without text";
    type Buffers = Vec<ColumnBuffers>;
    type Part<'f> = GroupReader;

    fn open(
        file: File,
        length: u64,
        choice: &ColumnSelection,
        max: usize,
    ) -> Result<(Self, Vec<LocatedError>), InputError> {
        let (stored, leaves, mut faults) = StoredColumns::open(Arc::new(file), length, max)?;
        let chosen = choice.select(&leaves, file_error, |_| None, &mut faults)?;
        let SelectedColumns { texts, paths, id } = chosen;
        let file = ParquetFile {
            stored,
            texts,
            paths,
            id,
        };
        Ok((file, faults))
    }

    fn rows(&self) -> u64 {
        rows_of(&self.stored.groups)
    }

    fn part_count(&self) -> usize {
        self.stored.groups.len()
    }

    fn has_texts(&self) -> bool {
        !self.texts.is_empty()
    }

    fn metadata_length(&self) -> u64 {
        (self.stored.footer.len() + ENDING_BYTES) as u64
    }

    fn part(
        &self,
        from: PartStart,
        memory: usize,
        buffers: Vec<ColumnBuffers>,
    ) -> Option<GroupReader> {
        let group = self.stored.groups.get(from.part)?;
        Some(GroupReader::new(self, *group, from.row, memory, buffers))
    }

    fn into_buffers(part: GroupReader) -> Vec<ColumnBuffers> {
        part.into_buffers()
    }
}
