//! Opens an input and reads its rows.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use doisift_documents::{InputError, InputFiles, InputKind, ReadAt, SourceFile, display_name};

use super::sort::RowPlace;
use crate::error::{Cause, Error};
use crate::records::{
    Field, FolderContent, Format, OwnedRow, PartEntry, ReadError, RowReader, is_parquet,
    parquet_reader, reader,
};
use crate::task::{Monitor, is_stdin, not_cancelled};

/// Reads the rows of an input in order.
pub(crate) struct RowStream<'m, R> {
    name: Arc<str>,
    rows: Box<dyn RowReader<R>>,
    /// The further parts of a folder.
    parts: FolderParts,
    place: RowPlace<'m>,
}

/// A folder, and its parts that are not open yet.
#[derive(Default)]
struct FolderParts {
    folder: PathBuf,
    remaining: VecDeque<PartEntry>,
}

impl FolderParts {
    /// Returns the path of the next part, after comparing its checksum. `None` after the last.
    fn next(&mut self, files: InputFiles<'_>) -> Result<Option<PathBuf>, Error> {
        let Some(part) = self.remaining.pop_front() else {
            return Ok(None);
        };
        let path = part.verified(&self.folder, files);
        let path = path.map_err(|error| wrong(&display_name(&self.folder).into(), error))?;
        Ok(Some(path))
    }
}

impl<'m, R: OwnedRow + 'static> RowStream<'m, R> {
    /// Opens the file at `path`, the parts in a folder, or standard input. Each part is read once before its first row, to
    /// compare its checksum.
    pub(crate) fn open(path: &Path, place: RowPlace<'m>) -> Result<Self, Error> {
        let name: Arc<str> = display_name(path).into();
        let failed = |error| lost(&name, error);
        let (files, counted) = (place.files, place.monitor);
        let kind = match is_stdin(path) {
            true => None,
            false => Some(files.kind(path).map_err(failed)?),
        };
        let rows = match kind {
            None => reader(CountingReader::new(io::stdin(), counted)),
            Some(InputKind::Folder) => return RowStream::of_parts(path, place),
            Some(InputKind::File(_)) => file_reader(files.open(path).map_err(failed)?, counted),
            Some(InputKind::Stream) => {
                let stream = files.open_local(path).map_err(failed)?;
                reader(CountingReader::new(stream, counted))
            }
        };
        Ok(RowStream {
            rows: rows.map_err(|error| wrong(&name, error))?,
            name,
            parts: FolderParts::default(),
            place,
        })
    }

    fn of_parts(path: &Path, place: RowPlace<'m>) -> Result<Self, Error> {
        let name: Arc<str> = display_name(path).into();
        let content = FolderContent::read(path, place.files);
        let content = content.map_err(|error| wrong(&name, error))?;
        let mut parts = FolderParts {
            folder: path.to_owned(),
            remaining: content.parts.into(),
        };
        let first = parts.next(place.files)?;
        let first = first.ok_or_else(|| wrong(&name, ReadError::empty()))?;
        Ok(RowStream {
            parts,
            ..RowStream::open(&first, place)?
        })
    }

    /// Reads the next row into `into`. Returns false at the end.
    pub(crate) fn next(&mut self, into: &mut R) -> Result<bool, Error> {
        loop {
            not_cancelled(self.place.monitor)?;
            let read = self.rows.next(into);
            if read.map_err(|error| wrong(&self.name, error))? {
                return Ok(true);
            }
            let Some(next) = self.parts.next(self.place.files)? else {
                return Ok(false);
            };
            *self = RowStream {
                parts: std::mem::take(&mut self.parts),
                ..RowStream::open(&next, self.place)?
            };
        }
    }

    /// Whether its rows have this field. `None` until a row was read or a header shows it.
    pub(crate) fn has(&self, field: Field) -> Option<bool> {
        self.rows.has(field)
    }

    /// Returns the error that this input has changed since the first pass.
    pub(super) fn changed(&self) -> Error {
        lost(&self.name, InputError::Changed)
    }
}

/// Whether `path` is a regular file or an object, or a folder of parts.
///
/// # Errors
/// If it does not exist, or is empty although complete outputs of its format are not.
pub(crate) fn can_be_read_twice(path: &Path, files: InputFiles<'_>) -> Result<bool, Error> {
    if is_stdin(path) {
        return Ok(false);
    }
    let name: Arc<str> = display_name(path).into();
    match files.kind(path).map_err(|error| lost(&name, error))? {
        InputKind::File(Some(0)) if !Format::may_be_empty(path) => {
            Err(wrong(&name, ReadError::empty()))
        }
        kind => Ok(kind != InputKind::Stream),
    }
}

/// Returns the error for an input that cannot be opened.
pub(super) fn lost(name: &Arc<str>, error: InputError) -> Error {
    Error::new(Cause::Input(error)).in_source(Arc::clone(name))
}

/// Returns the error for an input that is not a file of rows or has an invalid row.
pub(super) fn wrong(name: &Arc<str>, error: ReadError) -> Error {
    Error::new(Cause::Records(error)).in_source(Arc::clone(name))
}

/// Opens a file of rows: Parquet is read at offsets, other formats in order.
fn file_reader<R: OwnedRow + 'static>(
    file: SourceFile,
    monitor: &Monitor,
) -> Result<Box<dyn RowReader<R>>, ReadError> {
    match is_parquet(&file)? {
        true => {
            let length = file.length()?;
            parquet_reader(Arc::new(CountingReader::new(file, monitor)), length)
        }
        false => reader(CountingReader::new(file.reader(), monitor)),
    }
}

/// A reader that counts bytes for the progress.
struct CountingReader<R> {
    raw: R,
    monitor: Monitor,
}

impl<R> CountingReader<R> {
    fn new(raw: R, monitor: &Monitor) -> Self {
        let monitor = monitor.clone();
        CountingReader { raw, monitor }
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(into)?;
        self.monitor.add_bytes(read as u64);
        Ok(read)
    }
}

impl<R: ReadAt> ReadAt for CountingReader<R> {
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        let read = self.raw.read_at(into, at)?;
        self.monitor.add_bytes(read as u64);
        Ok(read)
    }

    fn expect(&self, range: Range<u64>) {
        self.raw.expect(range);
    }
}
