//! Reads the sorted names of one side: records, lines, or an index.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use doisift_core::Doi;
use doisift_documents::{InputError, InputFiles, InputKind, ReadAt, display_name};

use crate::error::{Cause, DiffError, Error};
use crate::merge::{RowPlace, RowStream};
use crate::records::{Field, OwnedRecord};
use crate::task::{Monitor, not_cancelled};

/// Max bytes of a line that is read as a name.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Reads the names of a side and checks that they ascend.
pub(super) struct SortedNames<'a> {
    source: Arc<str>,
    reader: NameReader<'a>,
    monitor: &'a Monitor,
    last: String,
}

enum NameReader<'a> {
    Records(RowStream<'a, OwnedRecord>, Box<OwnedRecord>),
    Lines(BufReader<Box<dyn Read + Send>>),
    /// Names that a thread sends from a walk over an index.
    Index(Walk<String>),
}

/// A name of a side.
pub(super) struct ListedName {
    pub(super) doi: String,
    /// Whether it is retracted, by the field `retracted`.
    pub(super) is_retracted: bool,
}

/// A retracted name and the notice.
pub(super) struct Retraction {
    pub(super) name: String,
    pub(super) notice: String,
}

/// Iterates over the names that are retracted between two indexes, in order. Empty unless both sides are indexes.
pub(super) struct Retractions<'a> {
    walk: Option<Walk<Retraction>>,
    monitor: &'a Monitor,
}

/// Receives batches from a thread that walks over an index.
pub(super) struct Walk<T> {
    batches: Receiver<Result<Vec<T>, Error>>,
    batch: std::vec::IntoIter<T>,
}

impl<T> Walk<T> {
    pub(super) fn new(batches: Receiver<Result<Vec<T>, Error>>) -> Self {
        Walk {
            batches,
            batch: Vec::new().into_iter(),
        }
    }

    fn next(&mut self) -> Result<Option<T>, Error> {
        loop {
            if let Some(next) = self.batch.next() {
                return Ok(Some(next));
            }
            match self.batches.recv() {
                Ok(batch) => self.batch = batch?.into_iter(),
                Err(_) => return Ok(None),
            }
        }
    }
}

impl<'a> Retractions<'a> {
    pub(super) fn new(walk: Option<Walk<Retraction>>, monitor: &'a Monitor) -> Self {
        Retractions { walk, monitor }
    }

    pub(super) fn next(&mut self) -> Result<Option<Retraction>, Error> {
        not_cancelled(self.monitor)?;
        self.walk.as_mut().map_or(Ok(None), Walk::next)
    }
}

impl<'a> SortedNames<'a> {
    /// Opens a file of records or bare names, or standard input, which must have records.
    pub(super) fn open(path: &Path, place: RowPlace<'a>) -> Result<Self, Error> {
        let reader = match bare_names(path, place.files)? {
            Some(lines) => NameReader::Lines(BufReader::new(lines)),
            None => NameReader::Records(RowStream::open(path, place)?, Box::default()),
        };
        Ok(SortedNames::new(path, reader, place.monitor))
    }

    /// Reads the names that a thread sends from the index at `path`.
    pub(super) fn walked(path: &Path, walk: Walk<String>, monitor: &'a Monitor) -> Self {
        SortedNames::new(path, NameReader::Index(walk), monitor)
    }

    fn new(path: &Path, reader: NameReader<'a>, monitor: &'a Monitor) -> Self {
        SortedNames {
            source: display_name(path).into(),
            reader,
            monitor,
            last: String::new(),
        }
    }

    /// Whether its records have the field `retracted`. Valid once the first name was read.
    pub(super) fn tell_retractions(&self) -> bool {
        match &self.reader {
            NameReader::Records(rows, _) => rows.has(Field::Known) == Some(true),
            NameReader::Lines(_) | NameReader::Index(_) => false,
        }
    }

    /// Returns the next name, or `None` at the end.
    ///
    /// # Errors
    /// If it cannot be read, or is not greater than the one before.
    pub(super) fn next(&mut self) -> Result<Option<ListedName>, Error> {
        not_cancelled(self.monitor)?;
        let Some(doi) = self.read()? else {
            return Ok(None);
        };
        if doi <= self.last {
            return Err(self.failed(DiffError::Order(doi.into())));
        }
        self.last.clone_from(&doi);
        let is_retracted = match &self.reader {
            NameReader::Records(_, row) => row.as_record().retracted == Some(true),
            NameReader::Lines(_) | NameReader::Index(_) => false,
        };
        Ok(Some(ListedName { doi, is_retracted }))
    }

    fn read(&mut self) -> Result<Option<String>, Error> {
        match &mut self.reader {
            NameReader::Records(rows, row) => Ok(rows.next(row)?.then(|| row.doi.clone())),
            NameReader::Index(walk) => walk.next(),
            NameReader::Lines(lines) => {
                let mut line = String::new();
                let read = lines.take(MAX_LINE_BYTES).read_line(&mut line);
                let read = read.map_err(|error| read_error(&self.source, InputError::Io(error)))?;
                self.monitor.add_bytes(read as u64);
                if read == 0 {
                    return Ok(None);
                }
                let name = line.trim_ascii_end();
                match Doi::new(name) {
                    Ok(doi) => Ok(Some(doi.key().into_owned())),
                    Err(_) => Err(self.failed(DiffError::NoName(name.into()))),
                }
            }
        }
    }

    fn failed(&self, error: DiffError) -> Error {
        Error::new(Cause::Diff(error)).in_source(Arc::clone(&self.source))
    }
}

fn read_error(source: &Arc<str>, error: InputError) -> Error {
    Error::new(Cause::Input(error)).in_source(Arc::clone(source))
}

/// Opens the file at `path`. Returns `None` if it does not start as a list of bare names does.
fn bare_names(path: &Path, files: InputFiles<'_>) -> Result<Option<Box<dyn Read + Send>>, Error> {
    if !matches!(files.kind(path), Ok(InputKind::File(_))) {
        return Ok(None);
    }
    let open = || {
        let file = files.open(path)?;
        let mut head = [0; 3];
        let read = file.read_at(&mut head, 0)?;
        Ok((head[..read] == *b"10.").then(|| file.reader()))
    };
    open().map_err(|error| read_error(&display_name(path).into(), error))
}
