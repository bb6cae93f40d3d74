//! Opens an input and reads its rows.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use doisift_documents::{InputError, ReadAt, display_name};

use crate::error::{Cause, Error};
use crate::records::{
    Field, FolderContent, Format, OwnedRow, PartEntry, ReadError, RowReader, file_reader, reader,
};
use crate::task::{Monitor, is_stdin, not_cancelled};

/// Reads the rows of an input in order.
pub(crate) struct RowStream<'m, R> {
    name: Arc<str>,
    rows: Box<dyn RowReader<R>>,
    /// The further parts of a folder.
    parts: FolderParts,
    monitor: &'m Monitor,
}

/// A folder, and its parts that are not open yet.
#[derive(Default)]
struct FolderParts {
    folder: PathBuf,
    remaining: VecDeque<PartEntry>,
}

impl FolderParts {
    /// Returns the path of the next part, after comparing its checksum. `None` after the last.
    fn next(&mut self) -> Result<Option<PathBuf>, Error> {
        let Some(part) = self.remaining.pop_front() else {
            return Ok(None);
        };
        let path = part.verified(&self.folder);
        let path = path.map_err(|error| wrong(&display_name(&self.folder).into(), error))?;
        Ok(Some(path))
    }
}

impl<'m, R: OwnedRow + 'static> RowStream<'m, R> {
    /// Opens the file at `path`, the parts in a folder, or standard input. Each part is read once before its first row, to
    /// compare its checksum.
    pub(crate) fn open(path: &Path, monitor: &'m Monitor) -> Result<Self, Error> {
        if path.is_dir() {
            return RowStream::of_parts(path, monitor);
        }
        let rows = if path.as_os_str() == "-" {
            reader(CountingReader::new(io::stdin(), monitor))
        } else {
            file_reader(CountingReader::new(open(path)?, monitor))
        };
        RowStream::new(path, rows, monitor)
    }

    fn new(
        path: &Path,
        rows: Result<Box<dyn RowReader<R>>, ReadError>,
        monitor: &'m Monitor,
    ) -> Result<Self, Error> {
        let name: Arc<str> = display_name(path).into();
        let rows = rows.map_err(|error| wrong(&name, error))?;
        Ok(RowStream {
            name,
            rows,
            parts: FolderParts::default(),
            monitor,
        })
    }

    fn of_parts(path: &Path, monitor: &'m Monitor) -> Result<Self, Error> {
        let name: Arc<str> = display_name(path).into();
        let content = FolderContent::read(path).map_err(|error| wrong(&name, error))?;
        let mut parts = FolderParts {
            folder: path.to_owned(),
            remaining: content.parts.into(),
        };
        let first = parts.next()?;
        let first = first.ok_or_else(|| wrong(&name, ReadError::empty()))?;
        Ok(RowStream {
            parts,
            ..RowStream::open(&first, monitor)?
        })
    }

    /// Reads the next row into `into`. Returns false at the end.
    pub(crate) fn next(&mut self, into: &mut R) -> Result<bool, Error> {
        loop {
            not_cancelled(self.monitor)?;
            let read = self.rows.next(into);
            if read.map_err(|error| wrong(&self.name, error))? {
                return Ok(true);
            }
            let Some(next) = self.parts.next()? else {
                return Ok(false);
            };
            *self = RowStream {
                parts: std::mem::take(&mut self.parts),
                ..RowStream::open(&next, self.monitor)?
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

/// Whether `path` is a regular file, or a folder of parts.
///
/// # Errors
/// If it does not exist, or is empty although complete outputs of its format are not.
pub(crate) fn can_be_read_twice(path: &Path) -> Result<bool, Error> {
    if is_stdin(path) {
        return Ok(false);
    }
    let lost = |error| lost(&display_name(path).into(), error);
    let metadata = fs::metadata(path).map_err(|error| lost(InputError::of_path(path, error)))?;
    if metadata.is_dir() {
        return Ok(true);
    }
    if metadata.is_file() && metadata.len() == 0 && !Format::may_be_empty(path) {
        return Err(wrong(&display_name(path).into(), ReadError::empty()));
    }
    Ok(metadata.is_file())
}

/// Returns the error for an input that cannot be opened.
pub(super) fn lost(name: &Arc<str>, error: InputError) -> Error {
    Error::new(Cause::Input(error)).in_source(Arc::clone(name))
}

/// Returns the error for an input that is not a file of rows or has an invalid row.
pub(super) fn wrong(name: &Arc<str>, error: ReadError) -> Error {
    Error::new(Cause::Records(error)).in_source(Arc::clone(name))
}

fn open(path: &Path) -> Result<File, Error> {
    let failed = |error| lost(&display_name(path).into(), InputError::of_path(path, error));
    File::open(path).map_err(failed)
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
}

impl<R: Seek> Seek for CountingReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.raw.seek(to)
    }
}
