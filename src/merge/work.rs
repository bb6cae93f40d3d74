//! Runs a merge.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

use doisift_documents::is_pipe;

use super::fields::InputFields;
use super::options::MergeSettings;
use super::ordered;
use super::report::MergeReport;
use super::row::MergeRow;
use super::rows::{Input, RowStream, can_be_read_twice};
use super::run::{RecordRun, RunWriter};
use super::sort::{RowSorter, SortPlace, count_sorted};
use super::unite::Union;
use crate::dedup::spare_descriptors;
use crate::error::Error;
use crate::records::{Output, OwnedPair, OwnedRecord, RowKind, RowWriter, output_writer};
use crate::task::Monitor;

/// Max number of inputs that are open at once. More would gain little.
const MAX_OPEN_INPUTS: usize = 128;
/// Memory of an open file in bytes: its buffers, and the 2 MiB window of zstd at its usual levels.
const FILE_BYTES: usize = 5 << 19;
/// Memory of an open run in bytes. Its window is smaller.
const RUN_BYTES: usize = 3 << 18;

/// Runs a merge.
pub(super) fn run(options: &MergeSettings) -> Result<MergeReport, Error> {
    match options.layout.rows {
        RowKind::Mentions | RowKind::Edges | RowKind::Nodes => ordered::run(options),
        RowKind::Pairs => run_rows::<OwnedPair>(options),
        _ => run_rows::<OwnedRecord>(options),
    }
}

fn run_rows<R: MergeRow>(options: &MergeSettings) -> Result<MergeReport, Error> {
    let started = Instant::now();
    let mut report = MergeReport::new(options.for_report());
    let files = options.files();
    files.run(
        |destinations| destinations.check_all_before_rows(&options.inputs),
        |(), rows, _| {
            let mut fields = InputFields::default();
            let inputs = sorted::<R>(options, &mut fields, &mut report)?;
            let layout = fields.layout(options)?;
            report.options = report.options.with("fields", &layout.field_names());
            let inputs = few::<R>(options.sort_place(), inputs, |run| report.add_run(run))?;
            Ok((
                output_writer(&layout, rows).map_err(Error::output)?,
                inputs,
                report,
            ))
        },
        |(rows, inputs, mut report)| {
            let rows = write::<R>(options, &inputs, rows, &mut report)?;
            report.seconds = started.elapsed().as_secs_f64();
            Ok((rows, report))
        },
    )
}

/// Returns the inputs. Replaces those that are not sorted by sorted runs.
fn sorted<R: MergeRow>(
    options: &MergeSettings,
    fields: &mut InputFields,
    report: &mut MergeReport,
) -> Result<VecDeque<Input>, Error> {
    let mut inputs = VecDeque::new();
    let mut sorter = RowSorter::<R>::new(options.sort_place());
    for path in &options.inputs {
        let open = || RowStream::open(path, &options.monitor);
        let count = if can_be_read_twice(path)? {
            let mut rows = open()?;
            let count = count_sorted(&mut rows)?;
            fields.add(path, &rows);
            count
        } else {
            None
        };
        report.rows += match count {
            Some(count) => {
                inputs.push_back(Input::File(path.clone()));
                count
            }
            None => {
                report.sorted += 1;
                let count = open().and_then(|rows| sorted_rows(rows, path, &mut sorter, fields));
                if is_pipe(path) {
                    options.monitor.note_stream_end();
                }
                count?
            }
        };
    }
    for run in sorter.finish()? {
        report.add_run(&run);
        inputs.push_back(Input::Run(run));
    }
    Ok(inputs)
}

/// Passes the rows of an input to `sorter`. Returns their number.
fn sorted_rows<R: MergeRow>(
    mut rows: RowStream<R>,
    path: &Path,
    sorter: &mut RowSorter<R>,
    fields: &mut InputFields,
) -> Result<u64, Error> {
    let count = sorter.add(&mut rows)?;
    fields.add(path, &rows);
    Ok(count)
}

/// Merges some inputs to a run until there are no more than may be open at once. `note` gets each run.
pub(super) fn few<R: MergeRow>(
    place: SortPlace<'_>,
    mut inputs: VecDeque<Input>,
    mut note: impl FnMut(&RecordRun),
) -> Result<VecDeque<Input>, Error> {
    loop {
        let fan = max_open_inputs(&inputs, place.memory);
        if fan == inputs.len() {
            return Ok(inputs);
        }
        // Only as many that the rest and the new run may be open at once.
        let some = fan.min(inputs.len() - fan + 1);
        let some: Vec<Input> = inputs.drain(..some).collect();
        let mut run = RunWriter::create::<R>(place.tmp, place.monitor)?;
        for_each_row(place.monitor, &some, |row: &R| run.push(row))?;
        let run = run.finish()?;
        note(&run);
        inputs.push_back(Input::Run(run));
    }
}

/// Returns how many of the inputs, from the first, may be open at once, by the memory and the process's limit on open files.
/// Reserves one more file for the run to which they are merged.
fn max_open_inputs(inputs: &VecDeque<Input>, memory: usize) -> usize {
    let mut left = memory;
    let fits = |input: &&Input| {
        let taken = match input {
            Input::File(_) => FILE_BYTES,
            Input::Run(_) => RUN_BYTES,
        };
        let fits = taken <= left;
        left = left.saturating_sub(taken);
        fits
    };
    let fitting = inputs.iter().take_while(fits).count();
    let open = MAX_OPEN_INPUTS.min(spare_descriptors().saturating_sub(1));
    fitting.min(open).max(2).min(inputs.len())
}

fn write<R: MergeRow>(
    options: &MergeSettings,
    inputs: &VecDeque<Input>,
    mut rows: Box<dyn RowWriter<Output>>,
    report: &mut MergeReport,
) -> Result<Output, Error> {
    for_each_row(&options.monitor, inputs, |row: &R| {
        report.records += 1;
        report.mentions = report.mentions.saturating_add(row.mentions());
        rows.row(row).map_err(Error::output)
    })?;
    rows.finish().map_err(Error::output)
}

/// Passes the merged rows of `inputs` to `take`, in order.
fn for_each_row<'i, R: MergeRow>(
    monitor: &Monitor,
    inputs: impl IntoIterator<Item = &'i Input>,
    mut take: impl FnMut(&R) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut union = Union::new(inputs, monitor)?;
    let mut row = R::default();
    while union.next(&mut row)? {
        take(&row)?;
    }
    Ok(())
}
