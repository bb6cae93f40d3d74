//! Writes the rows of a run.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::mark::{Mark, MarkedRows};
use super::options::ScanOptions;
use super::pairs::pair;
use super::top::{self, Ranking};
use crate::dedup::{Drained, NameTable, TablePart};
use crate::error::{Error, ErrorKind};
use crate::lock::lock;
use crate::lookup::{self, KnownNames, StandingWalk};
use crate::records::{
    CountRow, Format, HeldStanding, MentionRow, Output, OwnedRecord, PartEntry, Record, Row,
    RowBlock, RowKind, RowWriter, output_writer,
};
use crate::report::{Counts, KnownCounts, KnownReport};
use crate::run::not_cancelled;

/// Who takes the rows of a run, one after the other, instead of an output.
pub(super) enum Caller<'c> {
    /// They are counted and dropped.
    Nobody,
    Mentions(&'c mut (dyn FnMut(&MentionRow<'_>) -> ControlFlow<()> + Send)),
    Records(&'c mut (dyn FnMut(&Record<'_>) -> ControlFlow<()> + Send)),
}

/// Where rows go, and the number of mentions that went there.
pub(super) struct Sink<'c> {
    rows: Box<dyn RowWriter<Output>>,
    caller: Option<Caller<'c>>,
    written: u64,
    /// The index that was asked for rows of mentions.
    asked: Option<&'c KnownNames>,
    counts: KnownCounts,
}

impl<'c> Sink<'c> {
    /// Writes to `output`, unless a caller takes the rows.
    pub(super) fn new(
        options: &'c ScanOptions,
        output: Output,
        caller: Option<Caller<'c>>,
    ) -> Result<Self, Error> {
        let rows = output_writer(&options.selection.layout, output).map_err(Error::output)?;
        Ok(Sink {
            rows,
            caller,
            written: 0,
            asked: options.asked(),
            counts: KnownCounts::default(),
        })
    }

    /// Goes on after the rows of an earlier run.
    pub(super) fn resume(&mut self, resumed: &MarkedRows) {
        (self.written, self.counts) = (resumed.rows, resumed.standings);
    }

    /// The parts that are complete.
    pub(super) fn parts(&self) -> &[PartEntry] {
        self.rows.parts()
    }

    /// What was written before a mark that is reached now.
    pub(super) fn marked(&self, mark: Mark) -> MarkedRows {
        MarkedRows {
            mark,
            rows: self.written,
            standings: self.counts,
        }
    }

    /// Takes the row of a mention, with what the index says of its name if that was asked.
    pub(super) fn mention(
        &mut self,
        row: MentionRow<'_>,
        standing: Option<HeldStanding>,
    ) -> Result<(), Error> {
        self.written += 1;
        let Some((known, standing)) = self.asked.zip(standing) else {
            return self.pass(&row);
        };
        let standing = standing.shown(known.agencies());
        self.counts.add(standing);
        self.pass(&MentionRow { standing, ..row })
    }

    fn pass(&mut self, row: &MentionRow<'_>) -> Result<(), Error> {
        match &mut self.caller {
            Some(Caller::Mentions(take)) => goes_on(take(row)),
            Some(Caller::Nobody) => Ok(()),
            _ => self.rows.row(row).map_err(Error::output),
        }
    }

    /// Writes the rows that are made of `table`, unless mentions were written, and ends the output. `counts` are those of
    /// the whole run.
    pub(super) fn finish(
        self,
        table: NameTable,
        counts: &Counts,
        drain: &Drain<'_>,
    ) -> Result<(Drained, Output), Error> {
        let layout = &drain.options.selection.layout;
        match layout.rows {
            // No scan has answers or changes.
            RowKind::Mentions | RowKind::Edges | RowKind::Answers | RowKind::Changes => {
                drain.count_standings(self.counts);
                let drained = Drained {
                    records: self.written,
                    ..Drained::default()
                };
                Ok((drained, self.end()?))
            }
            RowKind::Records => self.records(table, drain),
            RowKind::Pairs => self.blocks(table, drain, |part| {
                let mut pairs = part.records().map(|record| pair(&record));
                RowBlock::new(layout, &mut pairs).map_err(Error::output)
            }),
            RowKind::Counts => self.counts(table, counts, drain),
            RowKind::Prefixes => self.prefixes(table, drain),
        }
    }

    fn records(self, table: NameTable, drain: &Drain<'_>) -> Result<(Drained, Output), Error> {
        if let Some(caller) = self.caller {
            let output = self.rows.finish().map_err(Error::output)?;
            let drained = match caller {
                Caller::Records(take) => pass_on(table, take, drain),
                Caller::Mentions(_) | Caller::Nobody => {
                    let each = |records: &mut dyn Iterator<Item = Record<'_>>| {
                        records.for_each(drop);
                        Ok(())
                    };
                    drain.pass(table, |part| drain.records(part, each), |()| Ok(()))
                }
            };
            return Ok((drained?, output));
        }
        let layout = &drain.options.selection.layout;
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

    /// Writes a row for each record of the table. `make` makes a block of those of a part.
    fn blocks(
        self,
        table: NameTable,
        drain: &Drain<'_>,
        make: impl Fn(&TablePart<'_>) -> Result<RowBlock, Error> + Send + Sync,
    ) -> Result<(Drained, Output), Error> {
        let mut rows = self.rows.into_blocks().map_err(Error::output)?;
        let write = |block: RowBlock| rows.block(block).map_err(Error::output);
        let drained = drain.pass(table, make, write)?;
        Ok((drained, rows.end().map_err(Error::output)?))
    }

    fn counts(
        mut self,
        table: NameTable,
        counts: &Counts,
        drain: &Drain<'_>,
    ) -> Result<(Drained, Output), Error> {
        let drained = drain.count(table)?;
        self.row(&CountRow {
            names: drained.records,
            mentions: counts.mentions(),
            documents: counts.documents,
            sources: counts.sources,
        })?;
        Ok((drained, self.end()?))
    }

    fn prefixes(mut self, table: NameTable, drain: &Drain<'_>) -> Result<(Drained, Output), Error> {
        let mut ranking = Ranking::new(drain.options.selection.top_prefixes);
        let count = |part: &TablePart<'_>| Ok::<_, Error>(top::counts(part.records()));
        let add = |counts| {
            ranking.add(counts);
            Ok(())
        };
        let drained = drain.pass(table, count, add)?;
        for count in ranking.finish() {
            self.row(&count.row())?;
        }
        Ok((drained, self.end()?))
    }

    fn row(&mut self, row: &dyn Row) -> Result<(), Error> {
        self.rows.row(row).map_err(Error::output)
    }

    fn end(self) -> Result<Output, Error> {
        self.rows.finish().map_err(Error::output)
    }
}

/// Passes all records to a caller.
fn pass_on(
    table: NameTable,
    take: &mut (dyn FnMut(&Record<'_>) -> ControlFlow<()> + Send),
    drain: &Drain<'_>,
) -> Result<Drained, Error> {
    let own = |part: &TablePart<'_>| {
        drain.records(part, |records| {
            Ok(records.map(OwnedRecord::from).collect::<Vec<_>>())
        })
    };
    let each = |records: Vec<OwnedRecord>| {
        let mut records = records.iter();
        records.try_for_each(|record| goes_on(take(&record.as_record())))
    };
    drain.pass(table, own, each)
}

fn goes_on(flow: ControlFlow<()>) -> Result<(), Error> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::new(ErrorKind::Cancelled)),
    }
}

/// How the records of a table are passed on.
pub(super) struct Drain<'a> {
    threads: usize,
    options: &'a ScanOptions,
    /// What an index said of the names of all rows so far.
    standings: Mutex<KnownCounts>,
}

impl<'a> Drain<'a> {
    pub(super) fn new(options: &'a ScanOptions, threads: usize) -> Self {
        Drain {
            threads,
            options,
            standings: Mutex::default(),
        }
    }

    /// What `make` makes of the records of a part, with what the index says of their names, if rows have that.
    fn records<T>(
        &self,
        part: &TablePart<'_>,
        make: impl FnOnce(&mut dyn Iterator<Item = Record<'_>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(known) = self.options.asked() else {
            return make(&mut part.records());
        };
        let (mut walk, mut counts) = (StandingWalk::new(known), KnownCounts::default());
        let mut asked = Ok(());
        let mut records = part.records().map_while(|record| {
            let standing = walk.standing(record.doi);
            let standing = standing.map_err(|error| asked = Err(error)).ok()?;
            counts.add(standing);
            Some(Record { standing, ..record })
        });
        let made = make(&mut records);
        drop(records);
        asked?;
        self.count_standings(counts);
        made
    }

    fn count_standings(&self, counts: KnownCounts) {
        *lock(&self.standings) += counts;
    }

    /// The report of the index that was asked.
    pub(super) fn known(self) -> Option<KnownReport> {
        let report = self.options.known.as_deref().map(lookup::report)?;
        let counts = self.standings.into_inner();
        let counts = counts.unwrap_or_else(PoisonError::into_inner);
        Some(KnownReport {
            rows: self.options.asked().map(|_| counts),
            ..report
        })
    }

    /// Counts the records.
    fn count(&self, table: NameTable) -> Result<Drained, Error> {
        self.pass(table, |_| Ok(()), |()| Ok(()))
    }

    /// Passes parts of the table to `make`, and the results to `take` in order, until the run is cancelled.
    fn pass<B: Send>(
        &self,
        table: NameTable,
        make: impl Fn(&TablePart<'_>) -> Result<B, Error> + Send + Sync,
        mut take: impl FnMut(B) -> Result<(), Error> + Send,
    ) -> Result<Drained, Error> {
        let take = |made: B| {
            not_cancelled(&self.options.monitor)?;
            take(made)
        };
        match self.pool() {
            Some(pool) => pool.install(|| table.into_rows(make, take)),
            None => table.into_rows(make, take),
        }
    }

    /// Threads that sort and format; none if this one does all, also because no more can be started.
    fn pool(&self) -> Option<ThreadPool> {
        let pool = ThreadPoolBuilder::new().num_threads(self.threads);
        let pool = pool.thread_name(|n| format!("rows-{n}"));
        (self.threads > 1).then(|| pool.build().ok()).flatten()
    }
}
