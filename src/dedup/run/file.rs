//! A run file: opens and checks it, and reads its sources and the heads of its frames.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use doisift_system::{read_at, sync_file};
use tempfile::TempPath;
use xxhash_rust::xxh3::xxh3_64;
use zstd::zstd_safe::DCtx;

use super::super::StoredFields;
use super::fault::{RunDamage, RunFault, SpillError};
use super::frame::{FRAME_HEAD_BYTES, FrameHead, FrameKind, decompressor, unpack};
use super::{ENDING, HEADER_BYTES, TRAILER_BYTES, header};
use crate::temporary::RunFolder;
use doisift_known::bytes::ByteReader;

/// A run that was written. Dropping it removes the file, unless [`last`](Run::last) was called.
pub(in crate::dedup) struct Run {
    path: PathBuf,
    /// Bytes of the file.
    pub(in crate::dedup) bytes: u64,
    /// `None` if the file outlasts the process.
    temporary: Option<TempPath>,
    /// Keeps the folder until the file in it is removed.
    _folder: Option<Arc<RunFolder>>,
}

/// The file of a run that outlasts its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunFile {
    pub(crate) path: PathBuf,
    /// Bytes of the file.
    pub(crate) bytes: u64,
}

/// A run that is open for reading.
pub(in crate::dedup) struct OpenRun {
    file: File,
    path: PathBuf,
    stored_fields: StoredFields,
    frames: u64,
    /// Offset at which the frames of names end and those of sources start.
    sources_at: u64,
    end: u64,
}

/// Iterates over the heads of the frames of names.
pub(in crate::dedup) struct Heads<'r> {
    run: &'r OpenRun,
    at: u64,
    seen: u64,
}

/// The head of a frame of names whose content was not read.
pub(in crate::dedup) struct FrameAhead {
    /// Offset of the frame.
    pub(in crate::dedup) at: u64,
    /// Unpacked size of its content in bytes.
    pub(in crate::dedup) bytes: u64,
    /// Its first key.
    pub(in crate::dedup) first: Vec<u8>,
}

impl Run {
    /// Opens the file and checks its header and trailer.
    ///
    /// # Errors
    /// If it cannot be read, was cut short or changed, or holds other fields than `stored_fields`. Frames are checked when they are read.
    pub(in crate::dedup) fn open(
        &self,
        stored_fields: StoredFields,
    ) -> Result<OpenRun, SpillError> {
        OpenRun::open(&self.path, stored_fields)
    }

    pub(super) fn new(temporary: TempPath, folder: Option<Arc<RunFolder>>, bytes: u64) -> Run {
        Run {
            path: temporary.to_owned(),
            bytes,
            temporary: Some(temporary),
            _folder: folder,
        }
    }

    /// Creates a run of a lasting file, which another process may have written.
    pub(in crate::dedup) fn of_file(file: RunFile) -> Run {
        Run {
            path: file.path,
            bytes: file.bytes,
            temporary: None,
            _folder: None,
        }
    }

    /// Returns the path and size of the file.
    pub(in crate::dedup) fn file(&self) -> RunFile {
        RunFile {
            path: self.path.clone(),
            bytes: self.bytes,
        }
    }

    /// Syncs the file to disk, unless the run lasts already.
    pub(in crate::dedup) fn sync(&self) -> Result<(), SpillError> {
        if self.temporary.is_none() {
            return Ok(());
        }
        sync_file(&self.path).map_err(|error| SpillError::new(&self.path, error))
    }

    /// Keeps the file when this is dropped.
    pub(in crate::dedup) fn last(&mut self) {
        if let Some(mut temporary) = self.temporary.take() {
            temporary.disable_cleanup(true);
        }
    }

    /// Removes the file, even a lasting one. An error of the removal is ignored.
    pub(in crate::dedup) fn remove(self) {
        if self.temporary.is_none() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl OpenRun {
    fn open(path: &Path, stored_fields: StoredFields) -> Result<OpenRun, SpillError> {
        let open = || -> Result<OpenRun, RunFault> {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            let trailer_at = length.checked_sub(TRAILER_BYTES as u64);
            let end = trailer_at
                .filter(|&at| at >= HEADER_BYTES as u64)
                .ok_or(RunDamage::Trailer)?;
            let mut bytes = [0; HEADER_BYTES + TRAILER_BYTES];
            read_exact_at(&file, &mut bytes[..HEADER_BYTES], 0)?;
            read_exact_at(&file, &mut bytes[HEADER_BYTES..], end)?;
            let (frames, sources_at) = trailer(&bytes, stored_fields, end)?;
            Ok(OpenRun {
                file,
                path: path.to_owned(),
                stored_fields,
                frames,
                sources_at,
                end,
            })
        };
        open().map_err(|fault| SpillError::new(path, fault))
    }

    pub(super) fn stored_fields(&self) -> StoredFields {
        self.stored_fields
    }

    pub(in crate::dedup) fn fault(&self, fault: impl Into<RunFault>) -> SpillError {
        SpillError::new(&self.path, fault)
    }

    /// Returns the offset at which the frames of names start.
    pub(in crate::dedup) fn start(&self) -> u64 {
        HEADER_BYTES as u64
    }

    /// Whether the frames of names end at `at`.
    pub(super) fn is_end(&self, at: u64) -> bool {
        at == self.sources_at
    }

    /// Reads the head at `at` of a frame of `kind`, and its first key into `first`.
    pub(super) fn head(
        &self,
        kind: FrameKind,
        at: u64,
        first: &mut Vec<u8>,
    ) -> Result<FrameHead, RunFault> {
        let mut bytes = [0; FRAME_HEAD_BYTES];
        let end = match kind {
            FrameKind::Names => self.sources_at,
            FrameKind::Sources => self.end,
        };
        self.within(at, FRAME_HEAD_BYTES as u64, end)?;
        read_exact_at(&self.file, &mut bytes, at)?;
        let head = FrameHead::read(kind, &bytes)?;
        self.within(at, head.length(), end)?;
        first.clear();
        first.resize(head.first as usize, 0);
        read_exact_at(&self.file, first, at + FRAME_HEAD_BYTES as u64)?;
        head.check_first(first)?;
        Ok(head)
    }

    fn within(&self, at: u64, length: u64, end: u64) -> Result<(), RunDamage> {
        let ends = at.checked_add(length);
        match ends.is_some_and(|ends| ends <= end) {
            true => Ok(()),
            false => Err(RunDamage::Content),
        }
    }

    /// Unpacks the content of the frame at `at` into `content`. `packed` is a buffer for reuse.
    pub(super) fn content(
        &self,
        at: u64,
        head: &FrameHead,
        decompressor: &mut DCtx<'_>,
        packed: &mut Vec<u8>,
        content: &mut Vec<u8>,
    ) -> Result<(), RunFault> {
        packed.clear();
        packed.resize(head.packed as usize, 0);
        let at = at + FRAME_HEAD_BYTES as u64 + u64::from(head.first);
        read_exact_at(&self.file, packed, at)?;
        unpack(decompressor, head, packed, content)?;
        Ok(())
    }

    /// Adds the run's sources to `sources`.
    pub(in crate::dedup) fn sources(
        &self,
        sources: &mut BTreeMap<u32, Arc<str>>,
    ) -> Result<(), SpillError> {
        let mut read = || -> Result<(), RunFault> {
            let mut decompressor = decompressor()?;
            let (mut first, mut packed, mut content) = (Vec::new(), Vec::new(), Vec::new());
            let mut at = self.sources_at;
            while at != self.end {
                let head = self.head(FrameKind::Sources, at, &mut first)?;
                self.content(at, &head, &mut decompressor, &mut packed, &mut content)?;
                add_sources(&content, sources).ok_or(RunDamage::Content)?;
                at += head.length();
            }
            Ok(())
        };
        read().map_err(|fault| self.fault(fault))
    }

    /// Returns an iterator over the heads of all frames of names.
    pub(in crate::dedup) fn heads(&self) -> Heads<'_> {
        Heads {
            run: self,
            at: self.start(),
            seen: 0,
        }
    }
}

impl Heads<'_> {
    /// Reads the next head. Returns `None` after the last.
    pub(in crate::dedup) fn next(&mut self) -> Result<Option<FrameAhead>, SpillError> {
        let at = self.at;
        if self.run.is_end(at) {
            return match self.seen == self.run.frames {
                true => Ok(None),
                false => Err(self.run.fault(RunDamage::Content)),
            };
        }
        let mut first = Vec::new();
        let head = self.run.head(FrameKind::Names, at, &mut first);
        let head = head.map_err(|fault| self.run.fault(fault))?;
        self.at += head.length();
        self.seen += 1;
        Ok(Some(FrameAhead {
            at,
            bytes: head.unpacked.into(),
            first,
        }))
    }
}

/// Checks header and trailer of a run whose trailer is at `end`. Returns the number of frames of names and the offset of the
/// sources.
fn trailer(
    bytes: &[u8; HEADER_BYTES + TRAILER_BYTES],
    stored_fields: StoredFields,
    end: u64,
) -> Result<(u64, u64), RunDamage> {
    let number = |at: usize| {
        let bytes = bytes[at..].first_chunk().copied();
        u64::from_le_bytes(bytes.unwrap_or_default())
    };
    let sum_at = bytes.len() - 8;
    let sources_at = number(HEADER_BYTES + 16);
    if bytes[..HEADER_BYTES] != header(stored_fields) {
        Err(RunDamage::Header)
    } else if &bytes[sum_at - 8..sum_at] != ENDING
        || number(sum_at) != xxh3_64(&bytes[..sum_at])
        || !(HEADER_BYTES as u64..=end).contains(&sources_at)
    {
        Err(RunDamage::Trailer)
    } else {
        Ok((number(HEADER_BYTES), sources_at))
    }
}

fn add_sources(content: &[u8], sources: &mut BTreeMap<u32, Arc<str>>) -> Option<()> {
    let mut bytes = ByteReader::new(content, 0);
    while !bytes.is_empty() {
        let ordinal = bytes.small()?;
        let name = str::from_utf8(bytes.bytes()?).ok()?;
        sources.entry(ordinal).or_insert_with(|| name.into());
    }
    Some(())
}

fn read_exact_at(file: &File, mut into: &mut [u8], mut at: u64) -> io::Result<()> {
    while !into.is_empty() {
        match read_at(file, into, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                into = &mut into[read..];
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
