//! Makes rows of held mentions, on any thread.

use super::held_mentions::HeldMentions;
use crate::error::Error;
use crate::lookup::{IndexStatusWalk, KnownNames};
use crate::pipeline::checkpoint::Mark;
use crate::pipeline::plan::ScanOptions;
use crate::records::{BlockBuilder, Layout, MentionRow, RowBlock};
use crate::report::{KnownCounts, ScanCounts};

/// Makes rows of mentions, as the output has them.
pub(crate) struct RowMaker<'r> {
    layout: &'r Layout,
    /// The layout of records, if these have rows.
    nodes: Option<&'r Layout>,
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
    /// Mentions for a caller.
    Held(HeldMentions),
}

impl<'r> RowMaker<'r> {
    pub(crate) fn new(options: &'r ScanOptions, has_caller: bool) -> Self {
        RowMaker {
            layout: &options.selection.layout,
            nodes: options.nodes_to.as_ref().map(|nodes| &nodes.layout),
            asked: options.asked(),
            has_caller,
        }
    }

    /// Makes rows of all decided mentions, and removes these from `held`, even if that fails.
    pub(crate) fn make(&self, held: &mut HeldMentions) -> Result<ReadyRows, Error> {
        let rows = held.ready();
        let is_all = held.decided() == held.len();
        let mut decided = HeldMentions::default();
        if self.has_caller || !is_all {
            held.move_decided(&mut decided);
        }
        let mut made = ReadyRows {
            rows,
            ..ReadyRows::default()
        };
        let from = if is_all && !self.has_caller {
            &*held
        } else {
            &decided
        };
        made.nodes = self.nodes(from)?;
        made.bytes = made.nodes.as_ref().map_or(0, |nodes| nodes.size() as usize);
        if rows > 0 && self.has_caller {
            made.bytes = decided.bytes();
            made.how = ReadyContent::Held(decided);
        } else if rows > 0 {
            let block = self.block(if is_all { held } else { &decided });
            let (block, index_statuses) = block.inspect_err(|_| held.clear())?;
            made.bytes += block.size() as usize;
            made.how = ReadyContent::Block(block);
            made.index_statuses = index_statuses;
        }
        if is_all {
            held.clear();
        }
        Ok(made)
    }

    fn nodes(&self, held: &HeldMentions) -> Result<Option<RowBlock>, Error> {
        let nodes = held.nodes();
        let layout = self.nodes.filter(|_| !nodes.is_empty());
        let block = |layout| RowBlock::new(layout, &mut nodes.iter());
        layout.map(block).transpose().map_err(Error::output)
    }

    fn block(&self, held: &HeldMentions) -> Result<(RowBlock, KnownCounts), Error> {
        let mut block = BlockBuilder::new(self.layout).map_err(Error::output)?;
        let index_statuses = self.each(held, |row| block.row(row).map_err(Error::output))?;
        Ok((block.end().map_err(Error::output)?, index_statuses))
    }

    /// Calls `take` with the row of each mention. Returns counts of the index's answers about their names.
    pub(crate) fn each(
        &self,
        held: &HeldMentions,
        mut take: impl FnMut(&MentionRow<'_>) -> Result<(), Error>,
    ) -> Result<KnownCounts, Error> {
        let mut counts = KnownCounts::default();
        held.each(|row, index_status| {
            let Some(known) = self.asked else {
                return take(&row);
            };
            let index_status = match index_status {
                Some(index_status) => index_status.shown(known.agencies()),
                // The row of a stated value. Its name was not asked for before; it rarely differs from that of the mention in it.
                None => IndexStatusWalk::new(known).index_status(row.doi)?,
            };
            counts.add(index_status);
            take(&row.with_index_status(index_status))
        })?;
        Ok(counts)
    }
}
