//! Runs a merge.

use std::path::{Path, PathBuf};
use std::time::Instant;

use doisift_documents::is_pipe;

use super::fields::InputFields;
use super::options::MergeSettings;
use super::ordered;
use super::report::MergeReport;
use super::row::MergeRow;
use super::rows::{RowStream, can_be_read_twice};
use super::sort::{RowSorter, SortedRows, count_sorted};
use super::unite::Union;
use crate::dedup::spare_descriptors;
use crate::error::Error;
use crate::objects::is_address;
use crate::records::{Output, OwnedPair, OwnedRecord, RowKind, RowWriter, output_writer};

/// Max number of inputs that are open at once. More would gain little.
const MAX_OPEN_INPUTS: usize = 128;
/// Memory of an open file in bytes: its buffers, and the 2 MiB window of zstd at its usual levels.
const FILE_BYTES: usize = 5 << 19;
/// What an open object holds in addition: blocks that were read at offsets, its first bytes, and a range.
const OBJECT_BYTES: usize = 37 << 20;

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
            Ok((
                output_writer(&layout, rows).map_err(Error::output)?,
                inputs,
                report,
            ))
        },
        |(rows, inputs, mut report)| {
            let rows = write::<R>(options, inputs, rows, &mut report)?;
            report.seconds = started.elapsed().as_secs_f64();
            Ok((rows, report))
        },
    )
}

/// Returns the inputs that are sorted, as many as may be open at once, and the sorted rows of all others.
fn sorted<'o, R: MergeRow>(
    options: &'o MergeSettings,
    fields: &mut InputFields,
    report: &mut MergeReport,
) -> Result<(Vec<PathBuf>, SortedRows<'o, R>), Error> {
    let mut inputs = Vec::new();
    let mut sorter = RowSorter::<R>::new(options.row_place());
    let max = max_open_inputs(options);
    for path in &options.inputs {
        let is_sorted = is_sorted::<R>(options, path, fields, report)?;
        if is_sorted && inputs.len() < max {
            inputs.push(path.clone());
            continue;
        }
        let added = RowStream::open(path, options.row_place()).and_then(|mut rows| {
            let count = sorter.add(&mut rows, |_| true)?;
            fields.add(path, &rows);
            Ok(count)
        });
        if is_pipe(path) {
            options.monitor.note_stream_end();
        }
        let count = added?;
        if !is_sorted {
            report.rows += count;
            report.sorted += 1;
        }
    }
    let rows = sorter.finish()?;
    (report.runs, report.spilled_bytes) = rows.spilled();
    Ok((inputs, rows))
}

/// Whether an input can be read twice, and its rows are sorted. Then counts them.
fn is_sorted<R: MergeRow>(
    options: &MergeSettings,
    path: &Path,
    fields: &mut InputFields,
    report: &mut MergeReport,
) -> Result<bool, Error> {
    if !can_be_read_twice(path, options.row_place().files)? {
        return Ok(false);
    }
    let mut rows = RowStream::<R>::open(path, options.row_place())?;
    let count = count_sorted(&mut rows)?;
    fields.add(path, &rows);
    report.rows += count.unwrap_or(0);
    Ok(count.is_some())
}

/// Returns how many inputs may be open at once, by the memory and the process's limit on open files. Reserves one more file and a
/// quarter of the memory for rows that are sorted.
fn max_open_inputs(options: &MergeSettings) -> usize {
    let bytes = match options.inputs.iter().any(|path| is_address(path)) {
        true => FILE_BYTES + OBJECT_BYTES,
        false => FILE_BYTES,
    };
    let fitting = options.memory / 4 * 3 / bytes;
    let open = MAX_OPEN_INPUTS.min(spare_descriptors().saturating_sub(1));
    fitting.min(open).max(2)
}

/// Writes the merged rows, in order.
fn write<R: MergeRow>(
    options: &MergeSettings,
    (inputs, sorted): (Vec<PathBuf>, SortedRows<'_, R>),
    mut rows: Box<dyn RowWriter<Output>>,
    report: &mut MergeReport,
) -> Result<Output, Error> {
    let mut union = Union::new(&inputs, sorted, options.row_place())?;
    let mut row = R::default();
    while union.next(&mut row)? {
        report.records += 1;
        report.mentions = report.mentions.saturating_add(row.mentions());
        rows.row(&row).map_err(Error::output)?;
    }
    rows.finish().map_err(Error::output)
}
