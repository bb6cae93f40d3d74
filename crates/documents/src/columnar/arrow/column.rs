//! The cells of a column in a batch.

use std::rc::Rc;
use std::sync::Arc;

use super::buffer::{BatchBody, BufferStream};
use super::dictionary::DictionaryEntries;
use super::schema::{IntegerType, LayerKind};
use super::views::ViewBuffers;
use crate::columnar::cells::{CellBatchBuilder, CellDictionary};
use crate::columnar::part::{CellColumn, ColumnFault};

/// Items that a row may have, and those after which a batch of rows ends.
const MAX_ROW_ITEMS: u64 = 1 << 24;
const BATCH_ITEMS: u64 = 1 << 22;
/// Items that cost as much as a byte.
const ITEMS_PER_BYTE: u64 = 8;

/// Reads the cells of a column, row by row.
pub(super) struct ArrowColumn {
    body: Rc<BatchBody>,
    layers: Vec<LayerReader>,
    values: ValueReader,
    /// The offset of the batch in the file.
    offset: u64,
    /// The next row of the batch.
    next: u64,
    ended: bool,
    items: ListItemCount,
    faults: Vec<(u64, ColumnFault)>,
}

/// The items of lists that are being read.
#[derive(Default)]
struct ListItemCount {
    /// The index in each list.
    indices: Vec<u32>,
    /// Items of the row, and of all rows since they were last counted.
    row: u64,
    all: u64,
}

/// An array that encloses others. Nothing of an item that is null is read.
pub(super) struct LayerReader {
    pub(super) validity: Option<BufferStream>,
    pub(super) kind: LayerKind,
    /// Offsets, or the ends of runs; and the sizes of lists that have them.
    pub(super) offsets: Option<BufferStream>,
    pub(super) sizes: Option<BufferStream>,
    /// The span of the ends that was read last: its number, start and end.
    pub(super) last_span: (u64, u64, u64),
}

/// The values of a column.
pub(super) struct ValueReader {
    pub(super) validity: Option<BufferStream>,
    pub(super) kind: ColumnValues,
}

pub(super) enum ColumnValues {
    /// Offsets of this width, and the texts.
    Texts(u8, BufferStream, BufferStream),
    Views(BufferStream, ViewBuffers),
    Fixed(usize, BufferStream),
    /// Integers, and the last one as a text.
    Integers(IntegerType, BufferStream, String),
    Entries(IntegerType, BufferStream, DictionaryEntries),
}

/// A value that is not null.
#[derive(Clone, Copy)]
pub(super) enum CellValue<'v> {
    Text(&'v [u8]),
    Entry(&'v Arc<CellDictionary>, u32),
}

const LARGE: ColumnFault = ColumnFault::Damaged("a row is too large");

impl ArrowColumn {
    pub(super) fn new(
        body: &Rc<BatchBody>,
        layers: Vec<LayerReader>,
        values: ValueReader,
        lists: usize,
        offset: u64,
    ) -> Self {
        ArrowColumn {
            body: Rc::clone(body),
            layers,
            values,
            offset,
            next: 0,
            ended: false,
            items: ListItemCount {
                indices: vec![0; lists],
                ..ListItemCount::default()
            },
            faults: Vec::new(),
        }
    }

    /// Reads the next row, and passes its values to `sink` with the indices of lists, until it returns false.
    fn row(
        &mut self,
        sink: &mut impl FnMut(CellValue<'_>, &[u32]) -> bool,
    ) -> Result<(), ColumnFault> {
        self.items.row = 0;
        let row = self.next;
        self.next += 1;
        descend(
            &mut self.layers,
            &mut self.values,
            &mut self.items,
            (row, 0),
            sink,
        )
    }

    fn fail(&mut self, fault: ColumnFault) {
        self.faults.push((self.offset, fault));
        self.ended = true;
    }
}

/// Passes on the values of an item of the outermost of `layers`, which is within `list` lists.
fn descend(
    layers: &mut [LayerReader],
    values: &mut ValueReader,
    items: &mut ListItemCount,
    (item, list): (u64, usize),
    sink: &mut impl FnMut(CellValue<'_>, &[u32]) -> bool,
) -> Result<(), ColumnFault> {
    let Some((layer, layers)) = layers.split_first_mut() else {
        return match values.value(item)? {
            Some(value) if !sink(value, &items.indices) => Err(LARGE),
            _ => Ok(()),
        };
    };
    if !is_valid(&mut layer.validity, item)? {
        return Ok(());
    }
    if let Some(item) = layer.single(item)? {
        return descend(layers, values, items, (item, list), sink);
    }
    let (start, end) = layer.items(item)?;
    for (index, item) in (start..end).enumerate() {
        items.count()?;
        items.indices[list] = index as u32;
        descend(layers, values, items, (item, list + 1), sink)?;
    }
    Ok(())
}

fn is_valid(validity: &mut Option<BufferStream>, item: u64) -> Result<bool, ColumnFault> {
    validity.as_mut().map_or(Ok(true), |bits| bits.bit(item))
}

impl ListItemCount {
    fn count(&mut self) -> Result<(), ColumnFault> {
        self.row += 1;
        self.all += 1;
        if self.row > MAX_ROW_ITEMS {
            Err(LARGE)
        } else {
            Ok(())
        }
    }
}

impl LayerReader {
    /// The item of the enclosed array, unless this is a list.
    fn single(&mut self, item: u64) -> Result<Option<u64>, ColumnFault> {
        match (self.kind, &mut self.offsets) {
            (LayerKind::Struct, _) => Ok(Some(item)),
            (LayerKind::RunEndEncoded(width), Some(ends)) => {
                span_of(ends, width, &mut self.last_span, item).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The range of items of the enclosed array.
    fn items(&mut self, item: u64) -> Result<(u64, u64), ColumnFault> {
        match (self.kind, &mut self.offsets, &mut self.sizes) {
            (LayerKind::List(width), Some(offsets), _) => offsets.offsets(item, width),
            (LayerKind::ListView(width), Some(offsets), Some(sizes)) => {
                let start = offsets.number(item, width)?;
                let end = start.checked_add(sizes.number(item, width)?);
                end.map(|end| (start, end)).ok_or(LARGE)
            }
            (LayerKind::FixedList(size), ..) => {
                let start = item.checked_mul(size).ok_or(LARGE)?;
                start.checked_add(size).map(|end| (start, end)).ok_or(LARGE)
            }
            _ => Ok((0, 0)),
        }
    }
}

/// Returns the number of the span that an item is in. `known` is a span before it, with its start and its end.
fn span_of(
    ends: &mut BufferStream,
    width: u8,
    known: &mut (u64, u64, u64),
    item: u64,
) -> Result<u64, ColumnFault> {
    const BACKWARDS: ColumnFault = ColumnFault::Damaged("the ends of runs do not ascend");
    if item < known.1 {
        *known = (0, 0, 0);
    }
    while item >= known.2 {
        let (number, _, end) = *known;
        let number = if end == 0 { 0 } else { number + 1 };
        let next = ends.number(number, width)?;
        if next <= end {
            return Err(BACKWARDS);
        }
        *known = (number, end, next);
    }
    Ok(known.0)
}

impl ValueReader {
    /// Returns the value with this number; `None` if it is null.
    pub(super) fn value(&mut self, item: u64) -> Result<Option<CellValue<'_>>, ColumnFault> {
        if !is_valid(&mut self.validity, item)? {
            return Ok(None);
        }
        let text = match &mut self.kind {
            ColumnValues::Texts(width, offsets, texts) => {
                let (start, end) = offsets.offsets(item, *width)?;
                let length = usize::try_from(end - start).map_err(|_| LARGE)?;
                texts.at(start, length)?
            }
            ColumnValues::Views(views, texts) => {
                const VIEW_BYTES: u64 = 16;
                let view = views.at(
                    item.checked_mul(VIEW_BYTES).ok_or(LARGE)?,
                    VIEW_BYTES as usize,
                )?;
                return match view.first_chunk::<{ VIEW_BYTES as usize }>() {
                    Some(view) => texts.text(view).map(|text| Some(CellValue::Text(text))),
                    None => Ok(None),
                };
            }
            ColumnValues::Fixed(size, texts) => {
                let start = item.checked_mul(*size as u64).ok_or(LARGE)?;
                texts.at(start, *size)?
            }
            ColumnValues::Integers(kind, numbers, text) => {
                *text = kind.text(numbers.number(item, kind.width)?);
                text.as_bytes()
            }
            ColumnValues::Entries(kind, numbers, entries) => {
                let number = numbers.number(item, kind.width)?;
                let is_shared = entries.is_shared();
                let (dictionary, entry) = entries.entry(number)?;
                if is_shared {
                    return Ok(Some(CellValue::Entry(dictionary, entry)));
                } else {
                    dictionary.entry(entry as usize)
                }
            }
        };
        Ok(Some(CellValue::Text(text)))
    }
}

impl IntegerType {
    /// A number, of which the lower bytes count, as a text.
    fn text(self, number: u64) -> String {
        let unused = u64::BITS - 8 * u32::from(self.width);
        if self.is_signed {
            ((number << unused) as i64 >> unused).to_string()
        } else {
            number.to_string()
        }
    }
}

impl CellColumn for ArrowColumn {
    fn rows(&mut self, from: u32, to: u32, into: &mut CellBatchBuilder) -> u32 {
        let before = self.items.all;
        for row in from..to {
            if self.ended {
                return to;
            }
            let is_full = !into.row() || self.items.all - before > BATCH_ITEMS;
            if is_full && row > from {
                return row;
            }
            let mut add = |value: CellValue<'_>, indices: &[u32]| match value {
                CellValue::Text(text) => into.plain(row, text, indices),
                CellValue::Entry(all, entry) => into.entry(row, all, entry, indices),
            };
            if let Err(fault) = self.row(&mut add) {
                self.fail(fault);
            }
        }
        to
    }

    fn each_text(&mut self, rows: u32, mut each: impl FnMut(&[u8])) {
        for _ in 0..rows {
            let mut is_null = true;
            let mut pass = |value: CellValue<'_>, _: &[u32]| {
                is_null = false;
                match value {
                    CellValue::Text(text) => each(text),
                    CellValue::Entry(all, entry) => each(all.entry(entry as usize)),
                }
                true
            };
            let read = if self.ended {
                Ok(())
            } else {
                self.row(&mut pass)
            };
            if is_null {
                each(&[]);
            }
            if let Err(fault) = read {
                self.fail(fault);
            }
        }
    }

    fn take_read(&mut self) -> u64 {
        self.body.read.take()
    }

    fn take_unpacked(&mut self) -> u64 {
        self.body.unpacked.take() + std::mem::take(&mut self.items.all) / ITEMS_PER_BYTE
    }

    fn take_faults(&mut self) -> Vec<(u64, ColumnFault)> {
        std::mem::take(&mut self.faults)
    }

    fn check_end(&mut self) {}

    fn has_ended(&self) -> bool {
        self.ended
    }
}
