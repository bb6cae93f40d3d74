//! Writes a run. Any thread can pack entries into frames; the frames are then written to the file in order.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use tempfile::TempPath;
use xxhash_rust::xxh3::xxh3_64;

use super::super::StoredFields;
use super::entry::{Entry, put_known};
use super::fault::SpillError;
use super::file::Run;
use super::frame::{FrameKind, Press};
use super::{ENDING, HEADER_BYTES, header};
use crate::temporary::{RUN_NAME, RunFolder};
use doisift_known::bytes::{put_bytes, put_number};

/// Bytes that are buffered before a write.
const WRITE_BUFFER_BYTES: usize = 256 << 10;

/// A frame of names, ready to be written.
pub(in crate::dedup) struct NameFrame {
    bytes: Vec<u8>,
    records: u64,
}

/// Packs entries into frames. Entries must be pushed in order.
pub(in crate::dedup) struct Packer<'p> {
    /// The folder of the run, for errors.
    folder: &'p Path,
    stored_fields: StoredFields,
    press: Press,
    /// Bytes of content at which a frame is full.
    size: usize,
    first: Vec<u8>,
    last: Vec<u8>,
    content: Vec<u8>,
    records: u64,
    frames: Vec<NameFrame>,
}

impl<'p> Packer<'p> {
    pub(in crate::dedup) fn new(
        folder: &'p Path,
        stored_fields: StoredFields,
        size: usize,
    ) -> Result<Self, SpillError> {
        let press = Press::new().map_err(|error| SpillError::new(folder, error))?;
        Ok(Packer {
            folder,
            stored_fields,
            press,
            size,
            first: Vec::new(),
            last: Vec::new(),
            content: Vec::new(),
            records: 0,
            frames: Vec::new(),
        })
    }

    /// Adds an entry. Its key must be greater than the key before.
    pub(in crate::dedup) fn push(&mut self, entry: &Entry<'_>) -> Result<(), SpillError> {
        if self.records == 0 {
            self.first.clear();
            self.first.extend_from_slice(entry.key);
            self.last.clear();
        }
        let shared = shared(&self.last, entry.key);
        let rest = &entry.key[shared..];
        self.last.truncate(shared);
        self.last.extend_from_slice(rest);
        put_number(&mut self.content, shared as u64);
        put_bytes(&mut self.content, rest);
        match (self.stored_fields, &entry.known) {
            (StoredFields::Count, Some(known)) => put_number(&mut self.content, known.mentions),
            (_, Some(known)) => put_known(&mut self.content, known, entry.open),
            (_, None) => {}
        }
        self.records += 1;
        if self.content.len() >= self.size {
            self.end_frame()
        } else {
            Ok(())
        }
    }

    fn end_frame(&mut self) -> Result<(), SpillError> {
        let frame = self
            .press
            .frame(FrameKind::Names, &self.first, &self.content);
        let bytes = frame.map_err(|error| SpillError::new(self.folder, error))?;
        self.content.clear();
        let records = std::mem::take(&mut self.records);
        self.frames.push(NameFrame { bytes, records });
        Ok(())
    }

    /// Ends the last frame, and returns all frames.
    pub(in crate::dedup) fn finish(mut self) -> Result<Vec<NameFrame>, SpillError> {
        if self.records > 0 {
            self.end_frame()?;
        }
        Ok(self.frames)
    }
}

/// Returns the length of the common beginning of two keys.
fn shared(a: &[u8], b: &[u8]) -> usize {
    let words = a.chunks_exact(8).zip(b.chunks_exact(8));
    let words = words.take_while(|(a, b)| a == b).count() * 8;
    let rest = a[words..].iter().zip(&b[words..]);
    words + rest.take_while(|(a, b)| a == b).count()
}

/// A run that is being written. Dropping it before [`finish`](Self::finish) removes the file.
pub(in crate::dedup) struct Writer {
    out: BufWriter<File>,
    path: TempPath,
    /// The folder of a run that is removed with the process; `None` for a lasting run.
    folder: Option<Arc<RunFolder>>,
    header: [u8; HEADER_BYTES],
    written: u64,
    frames: u64,
    records: u64,
}

impl Writer {
    /// Creates a file in `folder` and passes its path to `note`. For a run that is removed with the process, `passing` is given
    /// and `folder` is its path.
    ///
    /// # Errors
    /// If the file cannot be created. Errors of a writer name the file, or the folder if there is no file yet.
    pub(in crate::dedup) fn create(
        folder: &Path,
        passing: Option<Arc<RunFolder>>,
        stored_fields: StoredFields,
        note: &dyn Fn(&Path),
    ) -> Result<Writer, SpillError> {
        // Opened here, not by tempfile, so that errors have the system's text.
        let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let (prefix, random, suffix) = RUN_NAME;
        let made = tempfile::Builder::new()
            .prefix(prefix)
            .rand_bytes(random)
            .suffix(suffix)
            .make_in(folder, open);
        let (file, path) = made
            .map_err(|error| SpillError::new(folder, error))?
            .into_parts();
        note(&path);
        let mut writer = Writer {
            out: BufWriter::with_capacity(WRITE_BUFFER_BYTES, file),
            path,
            folder: passing,
            header: header(stored_fields),
            written: 0,
            frames: 0,
            records: 0,
        };
        let header = writer.header;
        writer.write(&header)?;
        Ok(writer)
    }

    /// Writes the next frames.
    pub(in crate::dedup) fn frames(&mut self, frames: &[NameFrame]) -> Result<(), SpillError> {
        for frame in frames {
            self.write(&frame.bytes)?;
            self.frames += 1;
            self.records += frame.records;
        }
        Ok(())
    }

    /// Writes the sources that the records mention, and the trailer.
    pub(in crate::dedup) fn finish(
        mut self,
        sources: &BTreeMap<u32, Arc<str>>,
    ) -> Result<Run, SpillError> {
        let sources_at = self.written;
        let frames = source_frames(sources).map_err(|error| self.fault(error))?;
        for frame in frames {
            self.write(&frame)?;
        }
        let trailer = self.trailer(sources_at);
        self.write(&trailer)?;
        self.out.flush().map_err(|error| self.fault(error))?;
        Ok(Run::new(self.path, self.folder, self.written))
    }

    fn trailer(&self, sources_at: u64) -> Vec<u8> {
        let mut bytes = self.header.to_vec();
        for number in [self.frames, self.records, sources_at] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(ENDING);
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.split_off(HEADER_BYTES)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), SpillError> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes).map_err(|error| self.fault(error))
    }

    fn fault(&self, error: io::Error) -> SpillError {
        SpillError::new(&self.path, error)
    }
}

fn source_frames(sources: &BTreeMap<u32, Arc<str>>) -> io::Result<Vec<Vec<u8>>> {
    let mut press = Press::new()?;
    let mut frames = Vec::new();
    let mut content = Vec::new();
    for (&ordinal, name) in sources {
        put_number(&mut content, ordinal.into());
        put_bytes(&mut content, name.as_bytes());
        if content.len() >= WRITE_BUFFER_BYTES {
            frames.push(press.frame(FrameKind::Sources, b"", &content)?);
            content.clear();
        }
    }
    if !content.is_empty() {
        frames.push(press.frame(FrameKind::Sources, b"", &content)?);
    }
    Ok(frames)
}
