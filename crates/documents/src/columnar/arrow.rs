//! Apache Arrow files and streams, by the crate `arrow-ipc`.
//!
//! A file is a stream after a magic number, with metadata at its end that lists the batches again. So both are read as streams:
//! first the metadata of all messages, by `index`, then the bodies one by one. The crate takes memory for the sizes that buffers
//! state, so these are added up before it reads a batch.

mod index;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_schema::{DataType, Schema, SchemaRef};

use self::index::{ArrowBlock, ArrowIndex};
use super::batch::ReadColumns;
use super::leaf;
use super::part::{ColumnarFile, NextRows, PartStart, PartTexts, RowSource, TableItem};
use crate::column_choice::ColumnSelection;
use crate::fault::{InputError, LocatedError, Packing};
use crate::file::SourceFile;

/// A file or stream whose texts are read.
pub(crate) struct ArrowFile {
    file: SourceFile,
    /// The schema in which texts are bytes, since texts may be in any encoding.
    schema: SchemaRef,
    /// The numbers of the outermost columns that are read.
    roots: Vec<usize>,
    columns: ReadColumns,
    blocks: Vec<ArrowBlock>,
    rows: u64,
    /// Bytes of metadata.
    metadata: u64,
}

fn file_error(fault: &'static str) -> InputError {
    InputError::Table {
        packing: Packing::Arrow,
        fault: fault.into(),
    }
}

impl ColumnarFile for ArrowFile {
    const PACKING: Packing = Packing::Arrow;
    const WITHOUT_TEXT: &'static str = "arrow without text";

    fn open(
        file: SourceFile,
        length: u64,
        choice: &ColumnSelection,
        max: usize,
    ) -> Result<(Self, Vec<LocatedError>), InputError> {
        let index = ArrowIndex::read(&file, length, max)?;
        let (schema, mut faults) = (with_bytes(&index.schema), index.faults);
        let leaves = leaf::leaves(schema.fields());
        let leaves = leaves.ok_or_else(|| file_error("has names of columns that are too long"))?;
        let mut chosen = choice.select(&leaves, file_error, &mut faults)?;
        let mut read: Vec<_> = chosen.texts.iter_mut().chain(&mut chosen.id).collect();
        let mut roots: Vec<usize> = read.iter().map(|leaf| leaf.steps[0]).collect();
        roots.sort_unstable();
        roots.dedup();
        for leaf in &mut read {
            let at = roots.binary_search(&leaf.steps[0]);
            leaf.steps[0] = at.unwrap_or_default();
        }
        let file = ArrowFile {
            file,
            schema: Arc::new(schema),
            roots,
            columns: ReadColumns::new(chosen, choice.objects),
            blocks: index.blocks,
            rows: index.rows,
            metadata: index.read,
        };
        Ok((file, faults))
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn part_count(&self) -> usize {
        match self.has_dictionaries() {
            true => 1,
            false => self.blocks.len(),
        }
    }

    fn has_texts(&self) -> bool {
        !self.columns.texts.is_empty()
    }

    fn metadata_length(&self) -> u64 {
        self.metadata
    }

    fn part(
        &self,
        from: PartStart,
        memory: usize,
    ) -> Option<Box<dyn Iterator<Item = TableItem> + '_>> {
        let (blocks, first_row) = match self.has_dictionaries() {
            true if from.part > 0 => return None,
            true => (&self.blocks[..], 0),
            false => {
                let block = self.blocks.get(from.part)?;
                (std::slice::from_ref(block), block.first_row)
            }
        };
        let rows = BatchRows {
            file: self,
            blocks: blocks.iter(),
            first_row,
            dictionaries: HashMap::new(),
            dictionary_bytes: 0,
            memory,
        };
        Some(Box::new(PartTexts::new(
            rows,
            &self.columns,
            from.row,
            memory,
        )))
    }
}

impl ArrowFile {
    /// Whether a batch may need values of dictionaries before it, so that batches are read in order.
    fn has_dictionaries(&self) -> bool {
        self.blocks.iter().any(|block| block.is_dictionary)
    }
}

fn with_bytes(schema: &Schema) -> Schema {
    let bytes = |kind: &DataType| {
        Some(match kind {
            DataType::Utf8 => DataType::Binary,
            DataType::LargeUtf8 => DataType::LargeBinary,
            DataType::Utf8View => DataType::BinaryView,
            _ => return None,
        })
    };
    let fields = schema.fields().iter();
    Schema::new(
        fields
            .map(|field| leaf::with_texts(field, &bytes))
            .collect::<Vec<_>>(),
    )
}

/// The rows of some batches.
struct BatchRows<'f> {
    file: &'f ArrowFile,
    blocks: std::slice::Iter<'f, ArrowBlock>,
    first_row: u64,
    /// By their identifiers.
    dictionaries: HashMap<i64, ArrayRef>,
    dictionary_bytes: usize,
    /// Max bytes of dictionaries and of a batch.
    memory: usize,
}

impl RowSource for BatchRows<'_> {
    const PACKING: Packing = Packing::Arrow;

    fn first_row(&self) -> u64 {
        self.first_row
    }

    fn next_rows(&mut self) -> Option<NextRows> {
        let block = self.blocks.next()?;
        let mut next = NextRows {
            row: block.first_row - self.first_row,
            read: block.body,
            ..NextRows::default()
        };
        match self.read(block, &mut next.unpacked) {
            Ok(Some(batch)) => {
                next.rows = batch.num_rows();
                next.arrays = batch.columns().iter().cloned().map(Some).collect();
            }
            Ok(None) => {}
            Err(error) => next.faults.push((block.offset, error)),
        }
        Some(next)
    }
}

impl BatchRows<'_> {
    /// Reads a batch of rows, or values of a dictionary. Adds the bytes that it unpacks.
    fn read(
        &mut self,
        block: &ArrowBlock,
        unpacked: &mut u64,
    ) -> Result<Option<RecordBatch>, InputError> {
        let damaged = |fault: &str| block.fault(fault);
        let metadata = block.metadata(&self.file.file)?;
        let message =
            index::message(&metadata, self.memory).ok_or_else(|| damaged("damaged metadata"))?;
        let dictionary = message.header_as_dictionary_batch();
        let batch = message.header_as_record_batch();
        let batch = batch.or_else(|| dictionary.and_then(|dictionary| dictionary.data()));
        let batch = batch.ok_or_else(|| damaged("damaged metadata"))?;
        let room = self.memory.saturating_sub(self.dictionary_bytes);
        let body = self.body(block, room)?;
        let bytes =
            needed_bytes(&batch, &body).ok_or_else(|| damaged("a buffer is not in its batch"))?;
        if bytes > room {
            return Err(self.too_large());
        }
        *unpacked = bytes as u64;
        let (file, version) = (self.file, message.version());
        let Some(dictionary) = dictionary else {
            let decoder = RecordBatchDecoder::try_new(
                &body,
                batch,
                Arc::clone(&file.schema),
                &self.dictionaries,
                &version,
            );
            let read = decoder.and_then(|decoder| {
                decoder
                    .with_projection(Some(&file.roots))
                    .read_record_batch()
            });
            return read.map(Some).map_err(|error| damaged(&error.to_string()));
        };
        self.dictionary_bytes += bytes;
        let dictionaries = &mut self.dictionaries;
        let read = read_dictionary(&body, dictionary, &file.schema, dictionaries, &version);
        read.map(|()| None)
            .map_err(|error| damaged(&error.to_string()))
    }

    fn body(&self, block: &ArrowBlock, room: usize) -> Result<Buffer, InputError> {
        let length = usize::try_from(block.body).ok();
        let length = length.filter(|&length| length <= room);
        let mut body = MutableBuffer::from_len_zeroed(length.ok_or_else(|| self.too_large())?);
        index::read_exact(&self.file.file, body.as_slice_mut(), block.body_start())?;
        Ok(body.into())
    }

    fn too_large(&self) -> InputError {
        InputError::TooLarge {
            packing: Packing::Arrow,
            limit: self.memory as u64,
        }
    }
}

/// Returns the bytes that a batch needs when it is unpacked. `None` if a buffer is not in the body.
fn needed_bytes(batch: &arrow_ipc::RecordBatch<'_>, body: &Buffer) -> Option<usize> {
    let mut bytes = body.len();
    for buffer in batch.buffers()? {
        let start = usize::try_from(buffer.offset()).ok()?;
        let length = usize::try_from(buffer.length()).ok()?;
        let packed = body.get(start..start.checked_add(length)?)?;
        if let (Some(_), Some(size)) = (batch.compression(), packed.first_chunk()) {
            let size = i64::from_le_bytes(*size);
            bytes = bytes.checked_add(size.max(0).try_into().ok()?)?;
        }
    }
    Some(bytes)
}
