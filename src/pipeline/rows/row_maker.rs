//! Formats held rows for the output, on any thread.

use super::held_rows::HeldRows;
use crate::error::Error;
use crate::lookup::KnownNames;
use crate::pipeline::checkpoint::Mark;
use crate::pipeline::plan::ScanOptions;
use crate::records::{BlockBuilder, Layout, MentionRow, RowBlock};
use crate::report::{KnownCounts, ScanCounts};
use doisift_structure::Role;

/// Formats rows as the output has them.
pub(crate) struct RowMaker<'r> {
    layout: &'r Layout,
    /// The layout of records, if these have rows.
    nodes: Option<&'r Layout>,
    /// The roles of the rows that are written; all if empty. `None` if rows have no places.
    roles: Option<&'r [Role]>,
    /// The index whose answers rows have, if any.
    asked: Option<&'r KnownNames>,
    /// Whether a caller takes the rows, which are not encoded then.
    has_caller: bool,
}

/// Rows that may be written when all before them are.
#[derive(Default)]
pub(crate) struct ReadyRows {
    pub(crate) rows: u64,
    /// The memory that they take, in bytes.
    pub(crate) bytes: usize,
    pub(crate) how: ReadyContent,
    /// Rows of records, if these have any.
    pub(crate) nodes: Option<RowBlock>,
    /// Counts of the index's answers about their names, unless they are for a caller.
    pub(crate) index_statuses: KnownCounts,
    /// The counts of their piece of work, if rows are written in order.
    pub(crate) counts: ScanCounts,
    /// The mark after the piece, if reading can resume there.
    pub(crate) mark: Option<Mark>,
}

#[derive(Default)]
pub(crate) enum ReadyContent {
    #[default]
    Nothing,
    Block(RowBlock),
    /// Rows for a caller.
    Held(HeldRows),
}

impl<'r> RowMaker<'r> {
    pub(crate) fn new(options: &'r ScanOptions, has_caller: bool) -> Self {
        let selection = &options.selection;
        RowMaker {
            layout: &selection.layout,
            nodes: options.nodes_to.as_ref().map(|nodes| &nodes.layout),
            roles: selection.writes_edges().then_some(&selection.roles),
            asked: options.asked(),
            has_caller,
        }
    }

    /// Formats all decided rows, and removes these from `held`, even if that fails.
    pub(crate) fn make(&self, held: &mut HeldRows) -> Result<ReadyRows, Error> {
        if !held.has_decided() {
            return Ok(ReadyRows::default());
        }
        let undecided = held.split_off_undecided();
        let made = self.format(held);
        held.refill(undecided);
        made
    }

    fn format(&self, held: &mut HeldRows) -> Result<ReadyRows, Error> {
        let mut made = ReadyRows::default();
        (made.rows, made.counts.roles) = held.select(self.roles);
        made.nodes = self.nodes(held)?;
        made.bytes = made.nodes.as_ref().map_or(0, |nodes| nodes.size() as usize);
        if made.rows > 0 && self.has_caller {
            made.bytes += held.bytes();
            made.how = ReadyContent::Held(std::mem::take(held));
        } else if made.rows > 0 {
            let (block, index_statuses) = self.block(held, made.rows as usize)?;
            made.bytes += block.size() as usize;
            made.how = ReadyContent::Block(block);
            made.index_statuses = index_statuses;
        }
        Ok(made)
    }

    fn nodes(&self, held: &HeldRows) -> Result<Option<RowBlock>, Error> {
        let nodes = held.nodes();
        let layout = self.nodes.filter(|_| !nodes.is_empty());
        let block = |layout| RowBlock::new(layout, &mut nodes.iter());
        layout.map(block).transpose().map_err(Error::output)
    }

    /// Makes a block of the `rows` rows that are written.
    fn block(&self, held: &HeldRows, rows: usize) -> Result<(RowBlock, KnownCounts), Error> {
        let mut block = BlockBuilder::new(self.layout, rows).map_err(Error::output)?;
        let index_statuses = self.each(held, |row| block.row(row).map_err(Error::output))?;
        Ok((block.end().map_err(Error::output)?, index_statuses))
    }

    /// Calls `take` with each row. Returns counts of the index's answers about their names.
    pub(crate) fn each(
        &self,
        held: &HeldRows,
        mut take: impl FnMut(&MentionRow<'_>) -> Result<(), Error>,
    ) -> Result<KnownCounts, Error> {
        let mut counts = KnownCounts::default();
        held.each(|row, index_status| {
            let Some(known) = self.asked else {
                return take(&row);
            };
            let index_status = index_status.unwrap_or_default().shown(known.agencies());
            counts.add(index_status);
            take(&row.with_index_status(index_status))
        })?;
        Ok(counts)
    }
}
