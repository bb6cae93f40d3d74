//! Writes the rows of a run.

use std::iter;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

use super::pairs::pair;
use super::prefix_ranking::{PrefixRanking, count_prefixes};
use super::row_maker::{ReadyContent, ReadyRows, RowMaker};
use crate::dedup::{Drained, NameTable, TablePart};
use crate::error::{Cause, Error};
use crate::lock::lock;
use crate::lookup::{self, IndexStatusWalk};
use crate::pipeline::checkpoint::{FinishedRows, Mark, MarkedRows};
use crate::pipeline::plan::{ScanOptions, Shares, SideOutput};
use crate::pool::LazyPool;
use crate::records::{
    BlockWriter, CountRow, Encoders, Format, Layout, MentionRow, Output, OwnedRecord, Record, Row,
    RowBlock, RowKind, output_blocks,
};
use crate::report::{KnownCounts, KnownReport, ScanCounts};
use crate::task::{RowOutputs, not_cancelled};

/// Takes the rows of a run, one after another, instead of an output.
pub(crate) enum Caller<'c> {
    /// Rows are counted and dropped.
    Nobody,
    Mentions(&'c mut (dyn FnMut(&MentionRow<'_>) -> ControlFlow<()> + Send)),
    Records(&'c mut (dyn FnMut(&Record<'_>) -> ControlFlow<()> + Send)),
    /// Rows of any kind.
    Rows(&'c mut (dyn FnMut(&dyn Row) -> ControlFlow<()> + Send)),
}

/// The outputs and counts at the end of a run.
pub(crate) struct WrittenRows {
    pub(crate) drained: Drained,
    /// The number of records that were written besides mentions.
    pub(crate) names: Option<u64>,
    pub(crate) outputs: RowOutputs,
}

/// The outputs of rows, and the number of rows written to them.
pub(crate) struct Sink<'c> {
    rows: Box<dyn BlockWriter<Output>>,
    /// Takes the records that are written besides mentions.
    names: Option<Box<dyn BlockWriter<Output>>>,
    /// Takes the records of the documents, if these have rows.
    nodes: Option<Box<dyn BlockWriter<Output>>>,
    caller: Option<Caller<'c>>,
    written: u64,
    /// The number of rows of the documents' records.
    nodes_written: u64,
    /// Counts of an index's answers about the names of rows.
    index_statuses: KnownCounts,
    /// Sorts and formats rows, and encodes them if the format needs it.
    pool: Arc<LazyPool>,
}

impl<'c> Sink<'c> {
    /// Creates a sink that writes to `outputs`, unless a caller takes the rows.
    pub(crate) fn new(
        options: &ScanOptions,
        shares: Shares,
        outputs: RowOutputs,
        caller: Option<Caller<'c>>,
    ) -> Result<Self, Error> {
        let pool = Arc::new(LazyPool::new(shares.threads));
        let writer = |layout: &Layout, output| {
            let encoders = Encoders {
                pool: Arc::clone(&pool),
                ahead: shares.encoded,
            };
            output_blocks(layout, output, encoders).map_err(Error::output)
        };
        let mut side_outputs = outputs.side_outputs.into_iter();
        let mut writer_of = |to: &Option<SideOutput>| {
            let to = to
                .as_ref()
                .zip(to.as_ref().and_then(|_| side_outputs.next()));
            to.map(|(to, output)| writer(&to.layout, output))
                .transpose()
        };
        let (names, nodes) = (writer_of(&options.names_to)?, writer_of(&options.nodes_to)?);
        Ok(Sink {
            rows: writer(&options.selection.layout, outputs.rows)?,
            names,
            nodes,
            caller,
            written: 0,
            nodes_written: 0,
            index_statuses: KnownCounts::default(),
            pool,
        })
    }

    /// Continues after the rows of an earlier run.
    pub(crate) fn resume(&mut self, resumed: &MarkedRows) {
        (self.written, self.nodes_written) = (resumed.rows, resumed.nodes);
        self.index_statuses = resumed.index_statuses;
    }

    /// Returns the number of complete parts.
    pub(crate) fn parts(&self) -> usize {
        let outputs = iter::once(&self.rows).chain(&self.nodes);
        let parts = outputs.filter_map(|output| output.parts());
        parts.map(|done| done.parts).sum()
    }

    /// Whether parts have all rows before a mark.
    pub(crate) fn has_all_before(&self, mark: &MarkedRows) -> bool {
        let rows = |output: &dyn BlockWriter<Output>| output.parts().map_or(0, |done| done.rows);
        let nodes = self.nodes.as_deref().map_or(0, rows);
        rows(&*self.rows) >= mark.rows && nodes >= mark.nodes
    }

    /// Returns the complete parts, for a run that resumes `at` a mark.
    pub(crate) fn done(&self, at: &MarkedRows) -> FinishedRows {
        FinishedRows {
            at: at.clone(),
            rows: self.rows.parts().copied().unwrap_or_default(),
            nodes: self.nodes.as_ref().and_then(|nodes| nodes.parts().copied()),
        }
    }

    /// Writes all complete parts to disk.
    pub(crate) fn sync(&mut self) -> Result<(), Error> {
        let mut outputs = iter::once(&mut self.rows).chain(&mut self.nodes);
        let synced = outputs.try_for_each(|output| output.sync());
        synced.map_err(Error::output)
    }

    /// Tells the outputs that a part may end here, after `text` bytes of text. Returns whether an output then has all rows so far
    /// in complete parts.
    pub(crate) fn report_place(&mut self, text: u64) -> Result<bool, Error> {
        let outputs = iter::once(&mut self.rows).chain(&mut self.nodes);
        let mut ended = false;
        for output in outputs {
            ended |= output.report_place(text).map_err(Error::output)?;
        }
        Ok(ended)
    }

    /// Returns the rows written so far, for a mark that is reached now.
    pub(crate) fn marked(&self, mark: Mark) -> MarkedRows {
        MarkedRows {
            mark,
            rows: self.written,
            nodes: self.nodes_written,
            index_statuses: self.index_statuses,
        }
    }

    /// Writes rows of mentions, or passes them to the caller.
    pub(crate) fn write(&mut self, rows: ReadyRows, maker: &RowMaker<'_>) -> Result<(), Error> {
        self.written += rows.rows;
        self.index_statuses += rows.index_statuses;
        if let (Some(block), Some(nodes)) = (rows.nodes, &mut self.nodes) {
            self.nodes_written += block.rows() as u64;
            nodes.block(block).map_err(Error::output)?;
        }
        match rows.how {
            ReadyContent::Nothing => {}
            ReadyContent::Block(block) => self.rows.block(block).map_err(Error::output)?,
            ReadyContent::Held(held) => {
                let index_statuses = maker.each(&held, |row| match &mut self.caller {
                    Some(Caller::Mentions(take)) => check_flow(take(row)),
                    Some(Caller::Rows(take)) => check_flow(take(row)),
                    _ => Ok(()),
                });
                self.index_statuses += index_statuses?;
            }
        }
        Ok(())
    }

    /// Writes the rows of `table`, unless mentions were written, and ends the outputs. `counts` are those of the whole run.
    pub(crate) fn finish(
        self,
        table: NameTable,
        counts: &ScanCounts,
        drain: &Drain<'_>,
    ) -> Result<WrittenRows, Error> {
        let layout = &drain.options.selection.layout;
        let written = match layout.rows {
            // No scan writes answers, changes or references, and nodes are only written besides edges.
            RowKind::Mentions
            | RowKind::Edges
            | RowKind::Nodes
            | RowKind::Answers
            | RowKind::Changes
            | RowKind::References => {
                return self.mentions(table, drain);
            }
            RowKind::Records => self.records(table, drain),
            RowKind::Pairs if self.caller.is_some() => self.records(table, drain),
            RowKind::Pairs => self.blocks(table, drain, |part| {
                let mut pairs = part.records().map(|record| pair(&record));
                RowBlock::new(layout, &mut pairs).map_err(Error::output)
            }),
            RowKind::Counts => self.counts(table, counts, drain),
            RowKind::Prefixes => self.prefixes(table, drain),
        };
        let (drained, rows) = written?;
        Ok(WrittenRows {
            drained,
            names: None,
            outputs: rows.into(),
        })
    }

    /// Ends the mentions, and writes the records of their names if these are wanted.
    fn mentions(mut self, table: NameTable, drain: &Drain<'_>) -> Result<WrittenRows, Error> {
        drain.count_index_statuses(self.index_statuses);
        let (records, pool) = (self.written, Arc::clone(&self.pool));
        let names = self.names.take().zip(drain.options.names_to.as_ref());
        let nodes = self.nodes.take();
        let mut outputs = RowOutputs::from(self.end()?);
        let mut drained = Drained::default();
        let mut count = None;
        if let Some((rows, names)) = names {
            let sink = Sink {
                rows,
                names: None,
                nodes: None,
                caller: None,
                written: 0,
                nodes_written: 0,
                index_statuses: KnownCounts::default(),
                pool,
            };
            let (named, output) = sink.records(table, &Drain::of(drain.options, &names.layout))?;
            (count, drained) = (Some(named.records), named);
            outputs.side_outputs.push(output);
        }
        if let Some(nodes) = nodes {
            outputs
                .side_outputs
                .push(nodes.end().map_err(Error::output)?);
        }
        Ok(WrittenRows {
            drained: Drained { records, ..drained },
            names: count,
            outputs,
        })
    }

    fn records(self, table: NameTable, drain: &Drain<'_>) -> Result<(Drained, Output), Error> {
        if let Some(caller) = self.caller {
            let pool = self.pool.get();
            let drained = match caller {
                Caller::Records(take) => pass_on(table, take, drain, pool),
                Caller::Rows(take) => {
                    let mut each = |record: &Record<'_>| match drain.layout.rows {
                        RowKind::Pairs => take(&pair(record)),
                        _ => take(record),
                    };
                    pass_on(table, &mut each, drain, pool)
                }
                Caller::Mentions(_) | Caller::Nobody => {
                    let each = |records: &mut dyn Iterator<Item = Record<'_>>| {
                        records.for_each(drop);
                        Ok(())
                    };
                    drain.pass(pool, table, |part| drain.records(part, each), |()| Ok(()))
                }
            };
            let output = self.rows.end().map_err(Error::output)?;
            return Ok((drained?, output));
        }
        let layout = drain.layout;
        match layout.format {
            Format::Names => self.blocks(table, drain, |part| {
                Ok(RowBlock::names(|take| part.each_key(take)))
            }),
            _ => self.blocks(table, drain, |part| {
                drain.records(part, |records| {
                    RowBlock::new(layout, records).map_err(Error::output)
                })
            }),
        }
    }

    /// Writes a row for each record of the table. `make` makes a block of the records of a part.
    fn blocks(
        mut self,
        table: NameTable,
        drain: &Drain<'_>,
        make: impl Fn(&TablePart<'_>) -> Result<RowBlock, Error> + Send + Sync,
    ) -> Result<(Drained, Output), Error> {
        let rows = &mut self.rows;
        let write = |block: RowBlock| rows.block(block).map_err(Error::output);
        let drained = drain.pass(self.pool.get(), table, make, write)?;
        Ok((drained, self.end()?))
    }

    fn counts(
        mut self,
        table: NameTable,
        counts: &ScanCounts,
        drain: &Drain<'_>,
    ) -> Result<(Drained, Output), Error> {
        let drained = drain.count(self.pool.get(), table)?;
        let row = CountRow {
            names: drained.records,
            mentions: counts.mentions(),
            documents: counts.documents,
            sources: counts.sources,
        };
        self.small(drain, &mut iter::once(row))?;
        Ok((drained, self.end()?))
    }

    fn prefixes(mut self, table: NameTable, drain: &Drain<'_>) -> Result<(Drained, Output), Error> {
        let mut ranking = PrefixRanking::new(drain.options.selection.top_prefixes);
        let count = |part: &TablePart<'_>| Ok::<_, Error>(count_prefixes(part.records()));
        let add = |counts| {
            ranking.add(counts);
            Ok(())
        };
        let drained = drain.pass(self.pool.get(), table, count, add)?;
        let ranking = ranking.finish();
        self.small(drain, &mut ranking.iter().map(|count| count.row()))?;
        Ok((drained, self.end()?))
    }

    /// Writes a small number of rows, or passes them to the caller.
    fn small<R: Row>(
        &mut self,
        drain: &Drain<'_>,
        rows: &mut dyn Iterator<Item = R>,
    ) -> Result<(), Error> {
        if let Some(Caller::Rows(take)) = &mut self.caller {
            for row in rows {
                check_flow(take(&row))?;
            }
            return Ok(());
        }
        let block = RowBlock::new(&drain.options.selection.layout, rows);
        let written = block.and_then(|block| self.rows.block(block));
        written.map_err(Error::output)
    }

    fn end(self) -> Result<Output, Error> {
        self.rows.end().map_err(Error::output)
    }
}

/// Passes all records to a caller.
fn pass_on(
    table: NameTable,
    take: &mut (dyn FnMut(&Record<'_>) -> ControlFlow<()> + Send),
    drain: &Drain<'_>,
    pool: Option<&ThreadPool>,
) -> Result<Drained, Error> {
    let own = |part: &TablePart<'_>| {
        drain.records(part, |records| {
            Ok(records.map(OwnedRecord::from).collect::<Vec<_>>())
        })
    };
    let each = |records: Vec<OwnedRecord>| {
        let mut records = records.iter();
        records.try_for_each(|record| check_flow(take(&record.as_record())))
    };
    drain.pass(pool, table, own, each)
}

fn check_flow(flow: ControlFlow<()>) -> Result<(), Error> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::new(Cause::Cancelled)),
    }
}

/// Passes on the records of a table.
pub(crate) struct Drain<'a> {
    options: &'a ScanOptions,
    layout: &'a Layout,
    /// Counts of an index's answers about the names of all rows so far.
    index_statuses: Mutex<KnownCounts>,
}

impl<'a> Drain<'a> {
    pub(crate) fn new(options: &'a ScanOptions) -> Self {
        Drain::of(options, &options.selection.layout)
    }

    /// Creates a drain for records of a layout.
    fn of(options: &'a ScanOptions, layout: &'a Layout) -> Self {
        Drain {
            options,
            layout,
            index_statuses: Mutex::default(),
        }
    }

    /// Calls `make` with the records of a part, and returns its result. The records have the index's answers, if rows have these.
    fn records<T>(
        &self,
        part: &TablePart<'_>,
        make: impl FnOnce(&mut dyn Iterator<Item = Record<'_>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let known = self.options.known.as_deref();
        let Some(known) = known.filter(|_| self.layout.has_index_status()) else {
            return make(&mut part.records());
        };
        let (mut walk, mut counts) = (IndexStatusWalk::new(known), KnownCounts::default());
        let mut asked = Ok(());
        let mut records = part.records().map_while(|record| {
            let index_status = walk.index_status(record.doi);
            let index_status = index_status.map_err(|error| asked = Err(error)).ok()?;
            counts.add(index_status);
            Some(record.with_index_status(index_status))
        });
        let made = make(&mut records);
        drop(records);
        asked?;
        self.count_index_statuses(counts);
        made
    }

    fn count_index_statuses(&self, counts: KnownCounts) {
        *lock(&self.index_statuses) += counts;
    }

    /// Returns the report of the index, if one was asked.
    pub(crate) fn known(self) -> Option<KnownReport> {
        let report = self.options.known.as_deref().map(lookup::report)?;
        let counts = self.index_statuses.into_inner();
        let counts = counts.unwrap_or_else(PoisonError::into_inner);
        Some(KnownReport {
            rows: self.options.asked().map(|_| counts.counts()),
            ..report
        })
    }

    /// Counts the records.
    fn count(&self, pool: Option<&ThreadPool>, table: NameTable) -> Result<Drained, Error> {
        self.pass(pool, table, |_| Ok(()), |()| Ok(()))
    }

    /// Passes parts of the table to `make`, on `pool` if there is one, and the results to `take` in order, until the run is
    /// cancelled.
    fn pass<B: Send>(
        &self,
        pool: Option<&ThreadPool>,
        table: NameTable,
        make: impl Fn(&TablePart<'_>) -> Result<B, Error> + Send + Sync,
        mut take: impl FnMut(B) -> Result<(), Error> + Send,
    ) -> Result<Drained, Error> {
        let take = |made: B| {
            not_cancelled(&self.options.monitor)?;
            take(made)
        };
        match pool {
            Some(pool) => pool.install(|| table.into_rows(make, take)),
            None => table.into_rows(make, take),
        }
    }
}
