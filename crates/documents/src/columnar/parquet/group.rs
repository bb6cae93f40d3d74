//! The columns of a row group.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::ArrowError;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use parquet::basic::Type as PhysicalType;
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::file::{Projection, RootColumn, StoredTable, plain_fault, rows_of};
use super::pages::{CheckedPages, ChunkFile, PageMemory};
use crate::fault::{InputError, LocatedError};

/// Max rows of a batch, and bytes that it should have.
const MAX_BATCH_ROWS: u64 = 8192;
const BATCH_BYTES: u64 = 1 << 20;

/// Max bytes of the header of a dictionary, which parquet-mr until 1.2.8 did not count in the size of a column (IMPALA-694).
const MAX_DICTIONARY_HEADER_BYTES: i64 = 100;

const FEWER_ROWS: &str = "it has fewer rows than its row group";
const MORE_ROWS: &str = "it has more rows than its row group";

/// Reads the columns of a row group in batches of the same rows.
pub(super) struct GroupColumns {
    pub(super) first_row: u64,
    pub(super) rows: u64,
    /// The number of the next row.
    pub(super) row: u64,
    pub(super) memory: Arc<PageMemory>,
    limit: usize,
    batch_rows: u64,
    /// `None` for one that is lost.
    columns: Vec<Option<ColumnReader>>,
}

/// Reads an outermost column.
struct ColumnReader {
    name: Box<str>,
    /// The offset of its pages in the file.
    offset: u64,
    chunks: Vec<Arc<ChunkFile>>,
    batches: ParquetRecordBatchReader,
}

impl GroupColumns {
    /// Opens the columns of a row group, which may take `limit` bytes of memory. Also returns those that cannot be read.
    pub(super) fn open(
        stored: &StoredTable,
        number: usize,
        projection: &Projection,
        limit: usize,
    ) -> (Self, Vec<LocatedError>) {
        let group = &stored.metadata.row_groups()[number];
        let mut opened = GroupColumns {
            first_row: stored.rows_before(number),
            rows: rows_of(group),
            row: 0,
            memory: PageMemory::new(limit),
            limit,
            batch_rows: batch_rows(group, projection),
            columns: Vec::new(),
        };
        let mut faults = Vec::new();
        for root in &projection.roots {
            let column = opened.column(stored, group, root);
            let report = |(offset, fault): (u64, String)| {
                faults.push((offset, opened.fault(&root.name, &fault)));
            };
            opened.columns.push(column.map_err(report).ok());
        }
        (opened, faults)
    }

    fn column(
        &self,
        stored: &StoredTable,
        group: &RowGroupMetaData,
        root: &RootColumn,
    ) -> std::result::Result<ColumnReader, (u64, String)> {
        let mut chunks = Vec::new();
        for &number in &root.numbers {
            let chunk = group.columns().get(number);
            let chunk = chunk.ok_or((0, "it is missing in a row group".to_owned()))?;
            let checked = checked_chunk(chunk, stored, self.limit);
            let chunk =
                checked.map_err(|fault| (start_of(chunk), plain_fault(&fault.to_string())))?;
            let (start, length) = chunk.byte_range();
            stored.file.expect(start..start.saturating_add(length));
            let file = ChunkFile::new(
                &stored.file,
                stored.length,
                chunk.compression(),
                &self.memory,
            );
            chunks.push((number, chunk, file));
        }
        let offset = chunks.first().map_or(0, |(_, chunk, _)| start_of(chunk));
        let opened = OpenedChunks {
            metadata: &stored.metadata,
            group,
            chunks,
        };
        let rows = self.batch_rows as usize;
        let batches =
            ParquetRecordBatchReader::try_new_with_row_groups(&root.levels, &opened, rows, None);
        Ok(ColumnReader {
            name: root.name.clone(),
            offset,
            batches: batches.map_err(|fault| (offset, plain_fault(&fault.to_string())))?,
            chunks: opened.chunks.into_iter().map(|(_, _, file)| file).collect(),
        })
    }

    /// The error for a column that is lost from the next batch on.
    fn fault(&self, column: &str, fault: &str) -> InputError {
        if self.memory.take_exceeded() {
            return InputError::LargePage {
                column: column.into(),
                limit: self.limit as u64,
            };
        }
        InputError::Column {
            column: column.into(),
            first_row: self.first_row + self.row + 1,
            last_row: self.first_row + self.rows,
            fault: fault.into(),
        }
    }

    /// Reads the next rows, and says how many they are; 0 at the end. A column that is lost has no array.
    pub(super) fn next(&mut self) -> (Vec<Option<ArrayRef>>, usize, Vec<LocatedError>) {
        let (mut arrays, mut faults) = (Vec::new(), Vec::new());
        let rows = self.batch_rows.min(self.rows - self.row) as usize;
        for at in 0..self.columns.len() {
            let read = self.columns[at].as_mut().map(|column| column.next(rows));
            let read = read.unwrap_or(Ok(None));
            let array = read.unwrap_or_else(|fault| {
                if let Some(column) = self.columns[at].take() {
                    column.chunks.iter().for_each(|chunk| chunk.end());
                    faults.push((column.offset, self.fault(&column.name, &fault)));
                }
                None
            });
            arrays.push(array);
        }
        if self.columns.iter().all(Option::is_none) {
            self.row = self.rows;
            return (Vec::new(), 0, faults);
        }
        self.row += rows as u64;
        (arrays, rows, faults)
    }
}

impl ColumnReader {
    /// Reads this many rows; after the last ones, 0 rows.
    fn next(&mut self, rows: usize) -> std::result::Result<Option<ArrayRef>, String> {
        self.chunks.iter().for_each(|chunk| chunk.end_batch());
        let batch = self.batches.next().transpose();
        let batch = batch.map_err(|error| match error {
            ArrowError::ParquetError(fault) => plain_fault(&fault),
            error => error.to_string(),
        })?;
        let read = batch.as_ref().map_or(0, |batch| batch.num_rows());
        match read.cmp(&rows) {
            Ordering::Less => Err(FEWER_ROWS.into()),
            Ordering::Greater => Err(MORE_ROWS.into()),
            Ordering::Equal => Ok(batch.and_then(|batch| batch.columns().first().cloned())),
        }
    }
}

/// Rows of a batch, by the mean size of the rows of a group.
fn batch_rows(group: &RowGroupMetaData, projection: &Projection) -> u64 {
    let rows = rows_of(group).max(1);
    let numbers = projection.roots.iter().flat_map(|root| &root.numbers);
    let row_bytes = numbers.filter_map(|&number| {
        let chunk = group.columns().get(number)?;
        let column = chunk.column_descr();
        let fixed = match column.physical_type() {
            PhysicalType::FIXED_LEN_BYTE_ARRAY => column.type_length().into(),
            _ => 0_i64,
        };
        let mean = u64::try_from(chunk.uncompressed_size()).unwrap_or(0) / rows;
        Some(mean.max(fixed.try_into().unwrap_or(0)))
    });
    let row_bytes = row_bytes.fold(1, u64::saturating_add);
    (BATCH_BYTES / row_bytes).clamp(1, MAX_BATCH_ROWS)
}

/// The offset of the pages of a column.
fn start_of(chunk: &ColumnChunkMetaData) -> u64 {
    let start = chunk
        .dictionary_page_offset()
        .unwrap_or(chunk.data_page_offset());
    start.try_into().unwrap_or(0)
}

/// Returns the metadata of a column in a row group with which the crate can read it.
fn checked_chunk(
    chunk: &ColumnChunkMetaData,
    stored: &StoredTable,
    limit: usize,
) -> Result<ColumnChunkMetaData> {
    let fault = |fault: &str| Err(ParquetError::General(fault.to_owned()));
    if chunk.file_path().is_some_and(|path| !path.is_empty()) {
        return fault("it is in another file, which is not read");
    }
    if usize::try_from(chunk.column_descr().type_length()).is_ok_and(|length| length > limit) {
        return fault("its values are longer than the memory for it");
    }
    // Some writers state 0 for a dictionary that they do not write.
    let data = chunk.data_page_offset();
    let dictionary = chunk.dictionary_page_offset();
    let dictionary = dictionary.filter(|&at| at > 0 && at < data);
    let start = dictionary.unwrap_or(data);
    let end = start.checked_add(chunk.compressed_size());
    let max_end = i64::try_from(stored.footer_start()).unwrap_or(i64::MAX);
    let Some(end) = end.filter(|end| (start..=max_end).contains(end) && start >= 0) else {
        return fault("it is not in the file, which is cut or damaged");
    };
    let uncounted = match stored.omits_dictionary_headers() {
        true => MAX_DICTIONARY_HEADER_BYTES,
        false => 0,
    };
    let builder = chunk.clone().into_builder();
    builder
        .set_dictionary_page_offset(dictionary)
        .set_total_compressed_size((end + uncounted).min(max_end) - start)
        .build()
}

/// The columns in an outermost column of a row group.
struct OpenedChunks<'f> {
    metadata: &'f ParquetMetaData,
    group: &'f RowGroupMetaData,
    chunks: Vec<(usize, ColumnChunkMetaData, Arc<ChunkFile>)>,
}

impl RowGroups for OpenedChunks<'_> {
    fn num_rows(&self) -> usize {
        rows_of(self.group) as usize
    }

    fn column_chunks(&self, number: usize) -> Result<Box<dyn PageIterator>> {
        let mut chunks = self.chunks.iter();
        let found = chunks.find(|(column, _, _)| *column == number);
        let found = found.ok_or(ParquetError::IndexOutOfBound(number, self.chunks.len()))?;
        let pages = CheckedPages::new(&found.2, &found.1, self.num_rows())?;
        Ok(Box::new(OneChunk(Some(Box::new(pages)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.group))
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.metadata
    }
}

/// The pages of a column in one row group.
struct OneChunk(Option<Box<dyn PageReader>>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for OneChunk {}
