//! Writes and reads runs of a merge: temporary files of sorted rows, as JSON Lines packed with zstd, with a checksum.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempPath;
use zstd::Encoder;

use super::row::MergeRow;
use crate::dedup::SpillError;
use crate::error::Error;
use crate::records::{Row, RowWriter, writer};
use crate::task::Monitor;
use crate::temporary::{RUN_NAME, RunFolder};

/// Compression level: the fastest, since a run is read once.
const ZSTD_LEVEL: i32 = 1;
/// Size of the zstd window, as a power of two. Every run that is open for reading takes this much memory.
const ZSTD_WINDOW_LOG: u32 = 17;

/// A complete run. Dropping it removes the file.
pub(super) struct RecordRun {
    path: TempPath,
    /// Keeps the folder until the file in it is removed.
    _folder: Arc<RunFolder>,
    /// Bytes of the file.
    pub(super) bytes: u64,
}

impl RecordRun {
    /// Returns the path of its file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes a run.
pub(super) struct RunWriter {
    path: TempPath,
    folder: Arc<RunFolder>,
    rows: Box<dyn RowWriter<Encoder<'static, File>>>,
}

impl RunWriter {
    /// Creates a run in `folder`. `monitor` gets the path, to remove the file if the process exits.
    pub(super) fn create<R: MergeRow>(folder: &Path, monitor: &Monitor) -> Result<Self, Error> {
        let made = monitor.run_folder(folder);
        let made = made.map_err(|error| failed(folder, error))?;
        let temporary = temporary(made.path());
        let (file, path) = temporary.map_err(|error| failed(made.path(), error))?;
        monitor.note_temporary(Some(&path));
        let layout = R::run_layout();
        let rows = encoder(file).and_then(|encoder| writer(&layout, encoder));
        let rows = rows.map_err(|error| failed(&path, error))?;
        Ok(RunWriter {
            path,
            folder: made,
            rows,
        })
    }

    /// Adds a row. Its key must be greater than that of the row before.
    pub(super) fn push(&mut self, row: &dyn Row) -> Result<(), Error> {
        let written = self.rows.row(row);
        written.map_err(|error| failed(&self.path, error))
    }

    /// Ends the run.
    pub(super) fn finish(self) -> Result<RecordRun, Error> {
        let RunWriter { path, folder, rows } = self;
        let finish = || {
            rows.finish()?.finish()?;
            Ok(fs::metadata(&path)?.len())
        };
        let bytes = finish().map_err(|error| failed(&path, error))?;
        Ok(RecordRun {
            path,
            _folder: folder,
            bytes,
        })
    }
}

fn encoder(file: File) -> io::Result<Encoder<'static, File>> {
    let mut encoder = Encoder::new(file, ZSTD_LEVEL)?;
    encoder.window_log(ZSTD_WINDOW_LOG)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

fn temporary(folder: &Path) -> io::Result<(File, TempPath)> {
    // Not opened by tempfile, whose error texts include the path that the caller adds.
    let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let (prefix, random, suffix) = RUN_NAME;
    let file = tempfile::Builder::new()
        .prefix(prefix)
        .rand_bytes(random)
        .suffix(suffix)
        .make_in(folder, open)?;
    Ok(file.into_parts())
}

fn failed(path: &Path, error: io::Error) -> Error {
    SpillError::io(path, error).into()
}
