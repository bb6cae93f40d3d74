//! Joins folders of parts whose rows are in the order of sources: mentions, edges and nodes.
//!
//! The manifest of each folder says how many rows of which source its parts have. So the rows of all folders are copied source by
//! source, in the order of their names, and shards of one scan give the rows of the whole, also if no field says the source.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

use doisift_documents::display_name;

use super::options::MergeSettings;
use super::report::MergeReport;
use super::rows::{RowStream, wrong};
use crate::error::Error;
use crate::records::{
    CopiedRow, FolderContent, Output, ReadError, RowKind, RowWriter, output_writer,
};
use crate::run::Monitor;

/// What the rows of all inputs are, and their columns.
#[derive(PartialEq, Eq)]
pub(super) struct OrderedRows {
    pub(super) rows: RowKind,
    pub(super) fields: Vec<String>,
    /// The columns after the fields, which hold fields of records in the documents.
    pub(super) record_fields: Vec<String>,
    /// Whether rows may have no name.
    pub(super) lacks_names: bool,
}

/// A folder whose first rows were copied. Its rows are nodes, or mentions or edges.
struct OrderedInput<'m, const IS_NODE: bool> {
    rows: RowStream<'m, CopiedRow<IS_NODE>>,
    /// The sources of the rows that are left, each with their number.
    sources: VecDeque<(String, u64)>,
    lacks_names: bool,
    record_fields: Vec<String>,
}

impl OrderedRows {
    /// None if no input is a folder of rows in the order of sources.
    ///
    /// # Errors
    /// If one is, and another has other rows or columns.
    pub(super) fn of(inputs: &[impl AsRef<Path>]) -> Result<Option<Self>, Error> {
        let mut first = None;
        for (number, path) in inputs.iter().map(AsRef::as_ref).enumerate() {
            let content = path.is_dir().then(|| read(path)).transpose()?;
            let found = content.and_then(OrderedRows::of_content);
            match number {
                0 => first = found,
                _ if found == first => {}
                _ => return Err(wrong(&display_name(path).into(), ReadError::other_rows())),
            }
        }
        Ok(first)
    }

    /// None if rows of this kind are in another order.
    fn of_content(content: FolderContent) -> Option<Self> {
        let kinds = [RowKind::Mentions, RowKind::Edges, RowKind::Nodes];
        kinds.contains(&content.rows).then_some(OrderedRows {
            rows: content.rows,
            fields: content.fields,
            record_fields: content.record_fields,
            lacks_names: content.lacks_names,
        })
    }
}

/// Runs the merge.
pub(super) fn run(options: &MergeSettings) -> Result<MergeReport, Error> {
    let started = Instant::now();
    let files = options.files();
    files.run(
        |destinations| destinations.check_all(&options.inputs),
        |(), rows, _| output_writer(&options.layout, rows).map_err(Error::output),
        |rows| {
            let mut report = MergeReport::new(options.for_report());
            let rows = match options.layout.rows {
                RowKind::Nodes => copy::<true>(options, rows, &mut report)?,
                _ => copy::<false>(options, rows, &mut report)?,
            };
            report.seconds = started.elapsed().as_secs_f64();
            Ok((rows, report))
        },
    )
}

/// Copies all rows, source by source.
fn copy<const IS_NODE: bool>(
    options: &MergeSettings,
    mut rows: Box<dyn RowWriter<Output>>,
    report: &mut MergeReport,
) -> Result<Output, Error> {
    let open = |path| OrderedInput::<IS_NODE>::open(path, &options.monitor);
    let inputs = options.inputs.iter().map(open);
    let mut inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    while let Some(input) = first(&mut inputs) {
        let count = input.copy_source(&mut *rows)?;
        report.rows += count;
        report.records += count;
        report.mentions += if IS_NODE { 0 } else { count };
    }
    rows.finish().map_err(Error::output)
}

/// The input with the least source. Of those that have the same, the first.
fn first<'i, 'm, const IS_NODE: bool>(
    inputs: &'i mut [OrderedInput<'m, IS_NODE>],
) -> Option<&'i mut OrderedInput<'m, IS_NODE>> {
    let left = inputs.iter_mut().filter(|input| !input.sources.is_empty());
    left.min_by(|a, b| a.sources[0].0.cmp(&b.sources[0].0))
}

impl<'m, const IS_NODE: bool> OrderedInput<'m, IS_NODE> {
    fn open(path: impl AsRef<Path>, monitor: &'m Monitor) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut sources = VecDeque::<(String, u64)>::new();
        let content = read(path)?;
        let parts = content.parts.into_iter();
        for source in parts.flat_map(|part| part.sources) {
            match sources.back_mut() {
                Some((name, rows)) if *name == source.name => *rows += source.rows,
                _ => sources.push_back((source.name, source.rows)),
            }
        }
        Ok(OrderedInput {
            rows: RowStream::open(path, monitor)?,
            lacks_names: content.lacks_names,
            record_fields: content.record_fields,
            sources,
        })
    }

    /// Copies the rows of the first source that is left. Returns how many.
    fn copy_source(&mut self, out: &mut dyn RowWriter<Output>) -> Result<u64, Error> {
        let Some((source, count)) = self.sources.pop_front() else {
            return Ok(0);
        };
        let mut row = CopiedRow::of_source(source, self.lacks_names, &self.record_fields);
        for _ in 0..count {
            if !self.rows.next(&mut row)? {
                return Err(self.rows.changed());
            }
            out.row(&row).map_err(Error::output)?;
        }
        Ok(count)
    }
}

fn read(path: &Path) -> Result<FolderContent, Error> {
    let content = FolderContent::read(path);
    content.map_err(|error| wrong(&display_name(path).into(), error))
}
