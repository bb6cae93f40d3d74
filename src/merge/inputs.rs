//! Recognises inputs whose rows are in the order of sources, and checks that they can be merged.

use std::borrow::Cow;
use std::path::Path;

use doisift_documents::{InputFiles, InputKind, display_name};

use super::rows::{lost, wrong};
use crate::error::Error;
use crate::records::{Field, FileColumns, FolderContent, ReadError, RowKind};

/// The kind and columns of the rows of all inputs.
pub(super) struct OrderedRows {
    /// The columns of the first input that has any.
    pub(super) columns: FileColumns,
    /// Whether the manifest of a folder says that rows may have no name.
    pub(super) lacks_names: bool,
}

/// An input, with the properties that its columns or its manifest show.
pub(crate) struct FoundInput<'p> {
    path: &'p Path,
    pub(crate) columns: FileColumns,
    /// Whether it is a folder, whose manifest lists the sources of the rows.
    is_folder: bool,
    lacks_names: bool,
}

impl OrderedRows {
    /// Examines the inputs. Returns `None` if no input has rows in the order of sources: mentions, edges or nodes. `chosen` are
    /// the chosen fields of the output, if any, and `pairs` says whether pairs are merged. An empty input fits all others.
    ///
    /// # Errors
    /// If one has such rows, and another has other rows, or lacks a column.
    pub(super) fn of(
        inputs: &[impl AsRef<Path>],
        files: InputFiles<'_>,
        chosen: Option<&[String]>,
        pairs: bool,
    ) -> Result<Option<Self>, Error> {
        let mut found = Vec::with_capacity(inputs.len());
        for path in inputs.iter().map(AsRef::as_ref) {
            match FoundInput::of(path, files) {
                Err(error) if files.is_folder(path) => return Err(error),
                input => found.push(input),
            }
        }
        let mut known = found.iter().flatten().flatten();
        let Some(ordered) = known.find(|input| is_ordered(input.columns.rows)) else {
            // The merge of records reports the fault of a file.
            return Ok(None);
        };
        if pairs {
            let error = ReadError::kind(ordered.columns.rows, RowKind::Pairs);
            return Err(ordered.failed(error));
        }
        let found = found.into_iter().collect::<Result<Vec<_>, Error>>()?;
        OrderedRows::of_inputs(found.into_iter().flatten(), chosen)
    }

    /// Unites the columns of the inputs. Returns `None` if the inputs have no columns.
    fn of_inputs<'p>(
        mut found: impl Iterator<Item = FoundInput<'p>>,
        chosen: Option<&[String]>,
    ) -> Result<Option<Self>, Error> {
        let Some(first) = found.next() else {
            return Ok(None);
        };
        first.check_chosen(chosen)?;
        let mut lacks_names = first.lacks_names;
        let mut columns = first.columns.clone();
        for other in found {
            other.check_kind(&first)?;
            match chosen {
                Some(_) => other.check_chosen(chosen)?,
                None => other.check_columns(&first)?,
            }
            lacks_names |= other.lacks_names;
            if let Some(column) = columns.take_types(&other.columns) {
                let wanted = display_name(first.path);
                return Err(other.failed(ReadError::other_type(column, &wanted)));
            }
        }
        Ok(Some(OrderedRows {
            columns,
            lacks_names,
        }))
    }
}

impl<'p> FoundInput<'p> {
    /// Examines the file or folder at `path`. Returns `None` if it is empty or a stream, or its columns are not those of rows.
    ///
    /// # Errors
    /// If it cannot be read, contains bare names, or is an incomplete folder.
    pub(crate) fn of(path: &'p Path, files: InputFiles<'_>) -> Result<Option<Self>, Error> {
        let name = display_name(path).into();
        match files.kind(path) {
            Ok(InputKind::Folder) => {
                let content = FolderContent::read(path, files);
                let content = content.map_err(|error| wrong(&name, error))?;
                return Ok(Some(FoundInput {
                    path,
                    columns: content.columns,
                    is_folder: true,
                    lacks_names: content.lacks_names,
                }));
            }
            Ok(InputKind::File(_)) => {}
            // Opening it later reports the error.
            Ok(InputKind::Stream) | Err(_) => return Ok(None),
        }
        let file = files.open(path).map_err(|error| lost(&name, error))?;
        let columns = FileColumns::of_file(file).map_err(|error| wrong(&name, error))?;
        Ok(columns.map(|columns| FoundInput {
            path,
            columns,
            is_folder: false,
            lacks_names: false,
        }))
    }

    /// Returns its name for messages.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        display_name(self.path)
    }

    /// Returns the error for a stream at `path`, which cannot be read for rows of this kind.
    pub(crate) fn stream_failed(path: &Path, rows: RowKind) -> Error {
        wrong(&display_name(path).into(), ReadError::stream_of(rows))
    }

    /// Returns an error with this input's name.
    pub(crate) fn failed(&self, error: ReadError) -> Error {
        wrong(&self.name().into(), error)
    }

    /// # Errors
    /// If its rows are of another kind than the rows of `first`.
    pub(crate) fn check_kind(&self, first: &FoundInput<'_>) -> Result<(), Error> {
        let (found, wanted) = (self.columns.rows, first.columns.rows);
        // Few columns do not always show whether rows are mentions or edges.
        let are_mentions = |rows| matches!(rows, RowKind::Mentions | RowKind::Edges);
        if found == wanted || are_mentions(found) && are_mentions(wanted) {
            return Ok(());
        }
        Err(self.failed(ReadError::other_kind(found, wanted, &first.name())))
    }

    /// # Errors
    /// If one of both inputs lacks a column of the other.
    fn check_columns(&self, first: &FoundInput<'_>) -> Result<(), Error> {
        for (one, other) in [(self, first), (first, self)] {
            if let Some(column) = one.columns.lacks_of(&other.columns) {
                return Err(one.failed(ReadError::other_column(column, &other.name())));
            }
        }
        Ok(())
    }

    /// # Errors
    /// If it lacks a field of the output.
    fn check_chosen(&self, chosen: Option<&[String]>) -> Result<(), Error> {
        let named = chosen.into_iter().flatten();
        let mut fields = named.filter_map(|name| Field::named(name));
        match fields.find(|&field| !self.has_values_of(field)) {
            Some(field) => Err(self.failed(ReadError::without_chosen(field))),
            None => Ok(()),
        }
    }

    /// Whether it has the values of a field.
    fn has_values_of(&self, field: Field) -> bool {
        let follows = match field {
            Field::Source => self.is_folder,
            Field::CheckDigit => self.columns.has(Field::Doi),
            _ => false,
        };
        follows || self.columns.has(field)
    }
}

/// Whether rows of this kind are in the order of sources.
fn is_ordered(rows: RowKind) -> bool {
    matches!(rows, RowKind::Mentions | RowKind::Edges | RowKind::Nodes)
}
