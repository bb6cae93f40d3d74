//! Tracks which inputs have the fields that a file of records may lack.

use std::path::{Path, PathBuf};

use doisift_documents::display_name;

use super::options::MergeSettings;
use super::rows::{RowStream, wrong};
use crate::error::Error;
use crate::records::{Field, Format, Layout, OwnedRow, ReadError};

/// Inputs with and without the answers of an index, and the number of sources.
#[derive(Default)]
pub(super) struct InputFields {
    /// Whether an input has the answers of an index.
    some_standing: bool,
    /// The first input without the answers of an index.
    without_standing: Option<PathBuf>,
    /// The first input without the number of sources.
    without_sources: Option<PathBuf>,
}

impl InputFields {
    /// Adds an input. Its first row, if any, must have been read. An empty input may not show its fields.
    pub(super) fn add<R: OwnedRow + 'static>(&mut self, path: &Path, rows: &RowStream<'_, R>) {
        let note = |without: &mut Option<PathBuf>| {
            without.get_or_insert_with(|| path.to_owned());
        };
        match rows.has(Field::Known) {
            Some(true) => self.some_standing = true,
            Some(false) => note(&mut self.without_standing),
            None => {}
        }
        if rows.has(Field::Sources) == Some(false) {
            note(&mut self.without_sources);
        }
    }

    /// Returns the layout of the output: with the answers of an index if the inputs have them, unless fields are chosen.
    ///
    /// # Errors
    /// If it has fields that an input lacks.
    pub(super) fn layout(&self, options: &MergeSettings) -> Result<Layout, Error> {
        let layout = options.layout.clone();
        let is_names = layout.format == Format::Names;
        let keeps = self.some_standing && !options.chooses_fields && !is_names;
        let lacks = |path: &Path, error| Err(wrong(&display_name(path).into(), error));
        match (&self.without_standing, &self.without_sources) {
            (Some(path), _) if keeps || layout.has_index_status() => {
                lacks(path, ReadError::without_standing())
            }
            (_, Some(path)) if layout.has(Field::Sources) && !is_names => {
                lacks(path, ReadError::without_sources())
            }
            _ if keeps => Ok(layout.and_index_status()),
            _ => Ok(layout),
        }
    }
}
