//! The dictionaries of a table. The values of one come in blocks: the first, and those that were added to it.

use std::sync::{Arc, Mutex};

use super::batch::BatchPlan;
use super::column::CellValue;
use super::message::{ArrowMessageHeader, MessageLocation, RecordBatch};
use super::schema::{ArrayPosition, LeafValues};
use crate::columnar::cells::{CellDictionary, RECENT_DICTIONARIES};
use crate::columnar::part::ColumnFault;
use crate::lock::lock;

/// Bytes of memory that an entry takes.
const ENTRY_BYTES: usize = size_of::<(u32, u32)>();

/// The dictionaries of a table that are read.
#[derive(Debug, Default)]
pub(super) struct ArrowDictionaries(Vec<Dictionary>);

#[derive(Debug)]
struct Dictionary {
    id: i64,
    values: LeafValues,
    blocks: Vec<DictionaryLocation>,
    /// The blocks that were used last, by their numbers.
    loaded: Mutex<Vec<(usize, Arc<CellDictionary>)>>,
}

/// The place of values of a dictionary.
#[derive(Clone, Copy, Debug)]
pub(super) struct DictionaryLocation {
    pub(super) id: i64,
    pub(super) is_delta: bool,
    pub(super) block: MessageLocation,
    /// How many batches of rows come before it, which use other values.
    pub(super) after: usize,
}

/// The entries of a dictionary for a batch.
#[derive(Debug, Default)]
pub(super) struct DictionaryEntries {
    /// The number of the first entry of each block, and its entries.
    segments: Vec<(u64, Arc<CellDictionary>)>,
    count: u64,
}

impl ArrowDictionaries {
    /// The dictionaries with these identifiers and values, in `blocks`, which are in their order.
    pub(super) fn new(wanted: &[(i64, LeafValues)], blocks: &[DictionaryLocation]) -> Self {
        let mut all: Vec<Dictionary> = Vec::new();
        for &(id, values) in wanted {
            if all.iter().all(|known| known.id != id) {
                all.push(Dictionary {
                    id,
                    values,
                    blocks: Vec::new(),
                    loaded: Mutex::new(Vec::new()),
                });
            }
        }
        for block in blocks {
            if let Some(own) = all.iter_mut().find(|known| known.id == block.id) {
                own.blocks.push(*block);
            }
        }
        ArrowDictionaries(all)
    }

    /// The entries of a dictionary as the batch with this number has them. `plan` reads them.
    pub(super) fn entries(
        &self,
        id: i64,
        batch: usize,
        plan: &BatchPlan<'_>,
    ) -> Result<DictionaryEntries, ColumnFault> {
        const LACKING: ColumnFault = ColumnFault::Damaged("its dictionary is missing");
        let own = self.0.iter().find(|known| known.id == id).ok_or(LACKING)?;
        let known = own.blocks.partition_point(|block| block.after <= batch);
        let known = &own.blocks[..known];
        let first = known.iter().rposition(|block| !block.is_delta);
        let first = first.ok_or(LACKING)?;
        let mut loaded = lock(&own.loaded);
        let mut now = Vec::new();
        let mut entries = DictionaryEntries::default();
        for (number, block) in known.iter().enumerate().skip(first) {
            let held = loaded.iter().find(|(held, _)| *held == number);
            let values = match held {
                Some((_, values)) => Arc::clone(values),
                None => Arc::new(load(&block.block, own.values, plan)?),
            };
            if !plan.body.take_memory(values.held()) {
                return Err(ColumnFault::Large);
            }
            entries.segments.push((entries.count, Arc::clone(&values)));
            entries.count += values.len() as u64;
            now.push((number, values));
        }
        *loaded = now;
        Ok(entries)
    }
}

/// Reads the values in a block.
fn load(
    block: &MessageLocation,
    values: LeafValues,
    plan: &BatchPlan<'_>,
) -> Result<CellDictionary, ColumnFault> {
    const DAMAGED: ColumnFault = ColumnFault::Damaged("its dictionary is damaged");
    let metadata = plan.metadata(block)?;
    let Some(ArrowMessageHeader::Dictionary(dictionary)) =
        metadata.message().map(|message| message.header)
    else {
        return Err(DAMAGED);
    };
    let batch: RecordBatch<'_> = dictionary.data;
    let own = plan.of_dictionary(block, batch)?;
    let mut reader = own.values(values, ArrayPosition::default(), None)?;
    let (mut bytes, mut entries) = (Vec::new(), Vec::new());
    for number in 0..batch.rows {
        let start = bytes.len();
        if let Some(CellValue::Text(text)) = reader.value(number)? {
            if !own.body.take_memory(text.len() + ENTRY_BYTES) {
                return Err(ColumnFault::Large);
            }
            bytes.extend_from_slice(text);
        } else if !own.body.take_memory(ENTRY_BYTES) {
            return Err(ColumnFault::Large);
        }
        let end = u32::try_from(bytes.len()).map_err(|_| ColumnFault::Large)?;
        entries.push((start as u32, end));
    }
    plan.body.count(&own.body);
    Ok(CellDictionary::new(bytes, entries))
}

impl DictionaryEntries {
    /// The entry with this number, and the block that it is in.
    pub(super) fn entry(&self, number: u64) -> Result<(&Arc<CellDictionary>, u32), ColumnFault> {
        const OUTSIDE: ColumnFault = ColumnFault::Damaged("its dictionary lacks an entry");
        let after = self.segments.partition_point(|(first, _)| *first <= number);
        let own = after.checked_sub(1).and_then(|own| self.segments.get(own));
        let (first, entries) = own.filter(|_| number < self.count).ok_or(OUTSIDE)?;
        Ok((entries, (number - first) as u32))
    }

    /// Whether cells may refer to its blocks. If there are many, texts are copied.
    pub(super) fn is_shared(&self) -> bool {
        self.segments.len() <= RECENT_DICTIONARIES
    }
}
