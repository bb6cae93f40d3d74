//! The columns of a batch of rows.

use std::rc::Rc;

use super::buffer::{BatchBody, BufferStream};
use super::column::{ArrowColumn, ColumnValues, LayerReader, ValueReader};
use super::file::{ArrowFile, BatchLocation, file_error};
use super::message::{
    ArrowMessage, ArrowMessageHeader, BodyCompression, MessageLocation, MessagePrefix, RecordBatch,
};
use super::schema::{ArrayPosition, ArrowLayer, ArrowLeaf, LayerKind, LeafValues};
use super::views::ViewBuffers;
use crate::columnar::part::{ColumnFault, PartStart, RowReader, TableItem};
use crate::fault::InputError;

/// Buffers of most columns.
const COLUMN_BUFFERS: usize = 3;

const LACKING_BUFFERS: ColumnFault = ColumnFault::Damaged("it lacks a buffer");

/// Reads a batch, some rows at a time.
pub(crate) struct BatchReader {
    rows: RowReader<ArrowColumn>,
    body: Option<Rc<BatchBody>>,
}

/// The metadata of a message, as it is in the file.
pub(super) struct MessageMetadata(Vec<u8>);

/// The places of the buffers of a batch.
pub(super) struct BatchPlan<'b> {
    file: &'b ArrowFile,
    batch: RecordBatch<'b>,
    pub(super) body: Rc<BatchBody>,
    /// How many buffers of texts come before each array of views, and before the end.
    views: Vec<usize>,
}

impl MessageMetadata {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        MessageMetadata(bytes)
    }

    /// Whether the message has the length that it says.
    pub(super) fn is_whole(&self) -> bool {
        match MessagePrefix::parse(&self.0) {
            MessagePrefix::Message(start, length) => {
                start.checked_add(length) == Some(self.0.len())
            }
            MessagePrefix::End(_) | MessagePrefix::Damaged => false,
        }
    }

    /// Returns the message; `None` if it is damaged.
    pub(super) fn message(&self) -> Option<ArrowMessage<'_>> {
        match MessagePrefix::parse(&self.0) {
            MessagePrefix::Message(start, length) => {
                let end = start.checked_add(length)?;
                ArrowMessage::parse(self.0.get(start..end.min(self.0.len()))?)
            }
            _ => None,
        }
    }
}

impl BatchReader {
    /// Reads a batch from a row on, with `memory` bytes for what it unpacks. `pool` are windows of a batch that was read before.
    pub(super) fn new(
        file: &ArrowFile,
        from: PartStart,
        entry: &BatchLocation,
        memory: usize,
        pool: Vec<Vec<u8>>,
    ) -> Self {
        let mut reader = BatchReader {
            rows: RowReader::new(&file.paths, entry.first_row, entry.rows, from.row, memory),
            body: None,
        };
        if let Err(error) = reader.open(file, from.part, entry, memory, pool) {
            reader.rows.report_loss(entry.block.offset, error);
            reader.rows.set_columns(Vec::new());
        }
        reader
    }

    fn open(
        &mut self,
        file: &ArrowFile,
        number: usize,
        entry: &BatchLocation,
        memory: usize,
        pool: Vec<Vec<u8>>,
    ) -> Result<(), InputError> {
        const DAMAGED_METADATA: &str = "has damaged metadata of a batch of rows";
        let metadata = file.metadata(&entry.block, memory)?;
        let message = metadata
            .message()
            .ok_or_else(|| file_error(DAMAGED_METADATA))?;
        let ArrowMessageHeader::Batch(batch) = message.header else {
            return Err(file_error(DAMAGED_METADATA));
        };
        let Some(plan) = BatchPlan::new(file, &entry.block, batch, memory, pool) else {
            return Err(file_error(DAMAGED_METADATA));
        };
        if batch.packing == BodyCompression::Unknown {
            return Err(file_error("is packed with a codec that is not supported"));
        }
        self.body = Some(Rc::clone(&plan.body));
        self.open_columns(file, &plan, number, entry);
        Ok(())
    }

    /// Opens the columns of the batch with this number. Reports those that are damaged.
    fn open_columns(
        &mut self,
        file: &ArrowFile,
        plan: &BatchPlan<'_>,
        number: usize,
        entry: &BatchLocation,
    ) {
        let mut column = |leaf: &ArrowLeaf| {
            let opened = plan.column(leaf, number, entry);
            let failed = |fault| {
                self.rows
                    .report_column_loss(&leaf.name.path, entry.block.offset, fault)
            };
            opened.map_err(failed).ok()
        };
        let columns = file.texts.iter().map(&mut column).collect();
        let id = file
            .id
            .as_ref()
            .and_then(|leaf| Some((leaf, column(leaf)?)));
        if let Some((leaf, id)) = id {
            self.rows.set_id(&leaf.name.path, id);
        }
        self.rows.set_columns(columns);
    }

    /// Ends the batch, and returns its windows.
    pub(super) fn into_pool(self) -> Vec<Vec<u8>> {
        drop(self.rows);
        self.body.map(BatchBody::into_pool).unwrap_or_default()
    }
}

impl Iterator for BatchReader {
    type Item = TableItem;

    fn next(&mut self) -> Option<TableItem> {
        self.rows.next()
    }
}

impl<'b> BatchPlan<'b> {
    /// `None` if the body has no place in a file.
    fn new(
        file: &'b ArrowFile,
        block: &MessageLocation,
        batch: RecordBatch<'b>,
        memory: usize,
        pool: Vec<Vec<u8>>,
    ) -> Option<Self> {
        let start = block.body_start()?;
        let end = start.checked_add(block.body)?.min(file.length);
        let range = start.min(end)..end;
        let mut views = vec![0];
        for number in 0.. {
            let Some(count) = batch.variadic(number) else {
                break;
            };
            views.push(views.last()? + count);
        }
        let streams = COLUMN_BUFFERS * (file.texts.len() + usize::from(file.id.is_some()));
        Some(BatchPlan {
            file,
            batch,
            body: BatchBody::new(&file.file, range, batch.packing, streams, memory, pool),
            views,
        })
    }

    /// Reads the metadata of another message of the file.
    pub(super) fn metadata(&self, block: &MessageLocation) -> Result<MessageMetadata, ColumnFault> {
        let read = self.file.metadata(block, self.body.memory_left());
        read.map_err(|error| match error {
            InputError::Io(error) => ColumnFault::Io(error),
            InputError::TooLarge { .. } => ColumnFault::Large,
            _ => ColumnFault::Damaged("its dictionary is damaged"),
        })
    }

    /// Returns the plan of a batch with the values of a dictionary.
    pub(super) fn of_dictionary<'d>(
        &self,
        block: &MessageLocation,
        batch: RecordBatch<'d>,
    ) -> Result<BatchPlan<'d>, ColumnFault>
    where
        'b: 'd,
    {
        let plan = BatchPlan::new(self.file, block, batch, self.body.memory_left(), Vec::new());
        plan.ok_or(LACKING_BUFFERS)
    }

    /// The buffer with this number, of an array.
    fn buffer(&self, place: ArrayPosition, number: usize) -> Result<(u64, u64), ColumnFault> {
        let views = self.views.get(place.views).ok_or(LACKING_BUFFERS)?;
        let number = place.buffer + views + number;
        self.batch.buffer(number).ok_or(LACKING_BUFFERS)
    }

    fn stream(&self, place: ArrayPosition, number: usize) -> Result<BufferStream, ColumnFault> {
        let (start, length) = self.buffer(place, number)?;
        BufferStream::new(&self.body, start, length)
    }

    /// The bits of values that are not null, if some are null.
    fn validity(&self, place: ArrayPosition) -> Result<Option<BufferStream>, ColumnFault> {
        let (_, has_nulls) = self.batch.node(place.node).ok_or(LACKING_BUFFERS)?;
        let (_, length) = self.buffer(place, 0)?;
        (has_nulls && length > 0)
            .then(|| self.stream(place, 0))
            .transpose()
    }

    fn column(
        &self,
        leaf: &ArrowLeaf,
        number: usize,
        entry: &BatchLocation,
    ) -> Result<ArrowColumn, ColumnFault> {
        let outermost = leaf.layers.first().map_or(leaf.place, |layer| layer.place);
        let (length, _) = self.batch.node(outermost.node).ok_or(LACKING_BUFFERS)?;
        if length != entry.rows {
            let fault = "it has another number of rows than its batch";
            return Err(ColumnFault::Damaged(fault));
        }
        let layers = leaf.layers.iter().map(|layer| self.layer(*layer));
        let layers = layers.collect::<Result<_, _>>()?;
        let values = self.values(leaf.values, leaf.place, Some(number))?;
        let lists = leaf.name.path.list_count();
        let offset = entry.block.offset;
        Ok(ArrowColumn::new(&self.body, layers, values, lists, offset))
    }

    fn layer(&self, ArrowLayer { kind, place }: ArrowLayer) -> Result<LayerReader, ColumnFault> {
        let has_offsets = !matches!(kind, LayerKind::Struct | LayerKind::FixedList(_));
        let has_sizes = matches!(kind, LayerKind::ListView(_));
        let stream = |number, has: bool| has.then(|| self.stream(place, number)).transpose();
        Ok(LayerReader {
            validity: match kind {
                LayerKind::RunEndEncoded(_) => None,
                _ => self.validity(place)?,
            },
            kind,
            offsets: stream(1, has_offsets)?,
            sizes: stream(2, has_sizes)?,
            last_span: (0, 0, 0),
        })
    }

    /// The values of an array of the batch with this number, which may use dictionaries, or of a dictionary, which may not.
    pub(super) fn values(
        &self,
        values: LeafValues,
        place: ArrayPosition,
        batch: Option<usize>,
    ) -> Result<ValueReader, ColumnFault> {
        let first = || self.stream(place, 1);
        let kind = match (values, batch) {
            (LeafValues::Texts(width), _) => {
                ColumnValues::Texts(width, first()?, self.stream(place, 2)?)
            }
            (LeafValues::Views, _) => ColumnValues::Views(first()?, self.texts_of_views(place)?),
            (LeafValues::Fixed(size), _) => ColumnValues::Fixed(size, first()?),
            (LeafValues::Integers(kind), _) => {
                ColumnValues::Integers(kind, first()?, String::new())
            }
            (LeafValues::Entries(kind, id), Some(batch)) => {
                let entries = self.file.dictionaries.entries(id, batch, self)?;
                ColumnValues::Entries(kind, first()?, entries)
            }
            (LeafValues::Entries(..), None) => return Err(LACKING_BUFFERS),
        };
        let validity = self.validity(place)?;
        Ok(ValueReader { validity, kind })
    }

    fn texts_of_views(&self, place: ArrayPosition) -> Result<ViewBuffers, ColumnFault> {
        let count = self.batch.variadic(place.views).ok_or(LACKING_BUFFERS)?;
        let ranges = (0..count).map(|number| self.buffer(place, 2 + number));
        Ok(ViewBuffers::new(
            &self.body,
            ranges.collect::<Result<_, _>>()?,
        ))
    }
}
