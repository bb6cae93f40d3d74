//! Joins inputs whose rows are in the order of sources: mentions, edges and nodes.
//!
//! The manifest of a folder lists the sources of its parts with their number of rows; for a file, a first pass finds them in its
//! column `source`. So the rows of all inputs are copied source by source, in the order of their names, and shards of one scan
//! give the rows of the whole. A file without that column counts as one source with the name of the file.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;

use doisift_documents::{InputFiles, display_name};

use super::inputs::FoundInput;
use super::options::MergeSettings;
use super::report::MergeReport;
use super::rows::{RowStream, can_be_read_twice, wrong};
use crate::error::Error;
use crate::records::{
    CopiedRow, FolderContent, Output, ReadError, RowKind, RowWriter, output_writer,
};

/// An input whose rows are being copied: nodes if `IS_NODE`, otherwise mentions or edges.
struct OrderedInput<'m, const IS_NODE: bool> {
    path: &'m Path,
    /// `None` before its first row is copied, and after its last one.
    rows: Option<RowStream<'m, CopiedRow<IS_NODE>>>,
    /// The sources of the remaining rows, each with its number of rows.
    sources: VecDeque<(String, u64)>,
    /// Whether the sources are known, from a manifest or a column.
    has_sources: bool,
    lacks_names: bool,
}

/// Runs the merge.
pub(super) fn run(options: &MergeSettings) -> Result<MergeReport, Error> {
    match options.layout.rows {
        RowKind::Nodes => concatenate::<true>(options),
        _ => concatenate::<false>(options),
    }
}

fn concatenate<const IS_NODE: bool>(options: &MergeSettings) -> Result<MergeReport, Error> {
    let started = Instant::now();
    let files = options.files();
    files.run(
        |destinations| destinations.check_all(&options.inputs),
        |(), rows, _| {
            let open = |path| OrderedInput::<IS_NODE>::open(path, options);
            let inputs = options.inputs.iter().map(PathBuf::as_path).map(open);
            let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
            warn_of_order(&inputs);
            let layout = match inputs.iter().any(|input| input.lacks_names) {
                true => options.layout.clone().without_names(),
                false => options.layout.clone(),
            };
            let out = output_writer(&layout, rows).map_err(Error::output)?;
            Ok((out, inputs))
        },
        |(rows, mut inputs)| {
            let mut report = MergeReport::new(options.for_report());
            let rows = copy(options, &mut inputs, rows, &mut report)?;
            report.seconds = started.elapsed().as_secs_f64();
            Ok((rows, report))
        },
    )
}

/// Copies all rows, source by source.
fn copy<'m, const IS_NODE: bool>(
    options: &'m MergeSettings,
    inputs: &mut [OrderedInput<'m, IS_NODE>],
    mut rows: Box<dyn RowWriter<Output>>,
    report: &mut MergeReport,
) -> Result<Output, Error> {
    while let Some(input) = first(inputs) {
        let count = input.copy_source(options, &mut *rows)?;
        report.rows += count;
        report.records += count;
        report.mentions += if IS_NODE { 0 } else { count };
    }
    rows.finish().map_err(Error::output)
}

/// Returns the input with the smallest next source, the first of several. `None` if all rows were copied.
fn first<'i, 'm, const IS_NODE: bool>(
    inputs: &'i mut [OrderedInput<'m, IS_NODE>],
) -> Option<&'i mut OrderedInput<'m, IS_NODE>> {
    let left = inputs.iter_mut().filter(|input| !input.sources.is_empty());
    left.min_by(|a, b| a.sources[0].0.cmp(&b.sources[0].0))
}

impl<'m, const IS_NODE: bool> OrderedInput<'m, IS_NODE> {
    fn open(path: &'m Path, options: &MergeSettings) -> Result<Self, Error> {
        let files = options.row_place().files;
        match files.is_folder(path) {
            true => OrderedInput::of_folder(path, files),
            false => OrderedInput::of_file(path, options),
        }
    }

    /// Opens a folder. Its manifest lists the sources.
    fn of_folder(path: &'m Path, files: InputFiles<'_>) -> Result<Self, Error> {
        let content = FolderContent::read(path, files);
        let content = content.map_err(|error| wrong(&display_name(path).into(), error))?;
        let mut input = OrderedInput::empty(path);
        input.lacks_names = content.lacks_names;
        for source in content.parts.into_iter().flat_map(|part| part.sources) {
            input.add(&source.name, source.rows);
        }
        Ok(input)
    }

    /// Opens a file. Reads all rows to find the sources in the column `source`.
    ///
    /// # Errors
    /// If it is a stream, has a wrong row, or its sources are not in order.
    fn of_file(path: &'m Path, options: &MergeSettings) -> Result<Self, Error> {
        let name = display_name(path);
        let failed = |error| wrong(&(*name).into(), error);
        if !can_be_read_twice(path, options.row_place().files)? {
            return Err(FoundInput::stream_failed(path, options.layout.rows));
        }
        let mut rows = RowStream::open(path, options.row_place())?;
        let fields = &options.layout.record_fields;
        let mut row = CopiedRow::<IS_NODE>::of_source(String::new(), true, fields);
        let mut input = OrderedInput::empty(path);
        while rows.next(&mut row)? {
            input.has_sources = row.own_source().is_some();
            let source = row.own_source().unwrap_or(&name);
            match input.sources.back() {
                Some((last, _)) if source < &**last => {
                    return Err(failed(ReadError::source_order(source, last)));
                }
                _ => input.add(source, 1),
            }
            input.lacks_names |= row.is_unnamed();
        }
        Ok(input)
    }

    fn empty(path: &'m Path) -> Self {
        OrderedInput {
            path,
            rows: None,
            sources: VecDeque::new(),
            has_sources: true,
            lacks_names: false,
        }
    }

    /// Counts rows of a source that follow the rows counted before.
    fn add(&mut self, source: &str, rows: u64) {
        match self.sources.back_mut() {
            Some((last, count)) if last == source => *count += rows,
            _ => self.sources.push_back((source.to_owned(), rows)),
        }
    }

    /// Copies the rows of the next source. Returns their number.
    fn copy_source(
        &mut self,
        options: &'m MergeSettings,
        out: &mut dyn RowWriter<Output>,
    ) -> Result<u64, Error> {
        let Some((source, count)) = self.sources.pop_front() else {
            return Ok(0);
        };
        let rows = match &mut self.rows {
            Some(rows) => rows,
            none => none.insert(RowStream::open(self.path, options.row_place())?),
        };
        let fields = &options.layout.record_fields;
        let mut row = CopiedRow::of_source(source, self.lacks_names, fields);
        for _ in 0..count {
            if !rows.next(&mut row)? {
                return Err(rows.changed());
            }
            out.row(&row).map_err(Error::output)?;
        }
        if self.sources.is_empty() {
            self.rows = None;
        }
        Ok(count)
    }
}

/// Warns that rows of several inputs may not be in the order of one scan.
fn warn_of_order<const IS_NODE: bool>(inputs: &[OrderedInput<'_, IS_NODE>]) {
    let mut unordered = inputs.iter().filter(|input| !input.has_sources);
    if let (Some(first), true) = (unordered.next(), inputs.len() > 1) {
        log::warn!(
            "{}: column `source` is missing, so rows of such files are in the order of file names, not of sources; {}folders of parts keep the order of sources",
            display_name(first.path),
            if IS_NODE {
                ""
            } else {
                "--fields with source and "
            }
        );
    }
}
