//! Runs: temporary files of sorted records, as JSON Lines that zstd packs with a checksum.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use tempfile::TempPath;
use zstd::Encoder;

use crate::dedup::SpillError;
use crate::error::Error;
use crate::pipeline::Monitor;
use crate::records::{Format, OwnedRecord, RowWriter, writer};

/// Fast rather than small: a run is read once.
const LEVEL: i32 = 1;
/// Bytes of history, as a power of two, which every run that is open for reading takes.
const WINDOW: u32 = 17;

/// A run that was written. Its file is removed when this is dropped.
pub(super) struct Run {
    path: TempPath,
    /// Bytes of the file.
    pub(super) bytes: u64,
}

impl Run {
    /// Where it stands.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes a run.
pub(super) struct RunWriter {
    path: TempPath,
    rows: Box<dyn RowWriter<Encoder<'static, File>>>,
}

impl RunWriter {
    /// Starts one in `folder`, of which `monitor` learns.
    pub(super) fn create(folder: &Path, monitor: &Monitor) -> Result<Self, Error> {
        let (file, path) = temporary(folder).map_err(|error| failed(folder, error))?;
        monitor.note_temporary(Some(&path));
        let encoder = encoder(file).map_err(|error| failed(&path, error))?;
        Ok(RunWriter {
            path,
            rows: writer(Format::Jsonl, false, encoder),
        })
    }

    /// Adds a record, whose key is greater than the one before.
    pub(super) fn push(&mut self, record: &OwnedRecord) -> Result<(), Error> {
        let written = self.rows.record(&record.as_record());
        written.map_err(|error| failed(&self.path, error))
    }

    /// Ends it.
    pub(super) fn finish(self) -> Result<Run, Error> {
        let RunWriter { path, rows } = self;
        let finish = || {
            rows.finish()?.finish()?;
            Ok(fs::metadata(&path)?.len())
        };
        let bytes = finish().map_err(|error| failed(&path, error))?;
        Ok(Run { path, bytes })
    }
}

fn encoder(file: File) -> io::Result<Encoder<'static, File>> {
    let mut encoder = Encoder::new(file, LEVEL)?;
    encoder.window_log(WINDOW)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

fn temporary(folder: &Path) -> io::Result<(File, TempPath)> {
    // Opened here, not by tempfile, whose errors name the file and not only what is wrong.
    let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let file = tempfile::Builder::new()
        .prefix(".doisift-merge-")
        .suffix(".jsonl.zst")
        .make_in(folder, open)?;
    Ok(file.into_parts())
}

fn failed(path: &Path, error: io::Error) -> Error {
    SpillError::io(path, error).into()
}
