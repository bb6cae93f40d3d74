//! Writes repairs into a file: all other bytes stay as they are.
//!
//! A file is fixed only if it is regular, was reached by its own name, and still is as it was read when its new content takes its
//! place.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use doisift_core::{Doi, UrlEncoding};
use doisift_system::{FileStatus, ReplaceLock, copy_attributes, last_change, lock_to_replace};
use xxhash_rust::xxh3::xxh3_128;

use super::judge::Judgement;
use super::patch::{Patch, PatchEdit};
use super::reference::{Escape, FieldRole, NameField, Reference, ReferenceName, text};
use crate::error::{Cause, CheckError, Error};
use crate::records::{Output, WholeOutput, is_packed};
use crate::task::Monitor;

/// A file whose repairs are collected.
pub(super) struct FileRepairs {
    /// The path as typed.
    path: PathBuf,
    /// The file that the path leads to.
    target: PathBuf,
    stamp: FileStamp,
    encoding: FileEncoding,
    /// The text of the file, in UTF-8 or any encoding that has ASCII.
    text: Vec<u8>,
    edits: Vec<PatchEdit>,
}

/// The new content of a file, under a temporary name.
pub(super) struct FixedFile {
    target: PathBuf,
    stamp: FileStamp,
    output: WholeOutput,
}

/// Identity, times and checksum of a file, to see whether it was changed.
#[derive(PartialEq, Eq)]
struct FileStamp {
    status: FileStatus,
    modified: Option<SystemTime>,
    changed: Option<(u64, (i64, i64))>,
    /// The checksum of its content.
    sum: u128,
}

/// Encoding of a file whose text is in memory.
#[derive(Clone, Copy)]
enum FileEncoding {
    /// The bytes are the text, after a byte order mark of this many bytes.
    Bytes(usize),
    /// UTF-16 with a byte order mark, in this order of bytes.
    Utf16(fn(u16) -> [u8; 2]),
}

fn refused(what: &'static str) -> Error {
    Error::new(Cause::Check(CheckError::Fix(what)))
}

fn failed(error: io::Error) -> Error {
    Error::new(Cause::Check(CheckError::Write(error)))
}

impl FileRepairs {
    /// Prepares to repair the file at `path`, whose text is `document`.
    ///
    /// # Errors
    /// If the file cannot be read again, cannot be encoded back, or is packed, an archive, a page or a stream.
    pub(super) fn of(path: &Path, is_source: bool, document: &[u8]) -> Result<Self, Error> {
        let target = Output::replaced_file(path).map_err(failed)?;
        let target = target.filter(|target| fs::metadata(target).is_ok_and(|at| at.is_file()));
        let Some(target) = target else {
            return Err(refused("standard input or a stream"));
        };
        if !is_source || is_packed(path) || is_packed(&target) {
            return Err(refused("a part of an archive, a packed file or a page"));
        }
        let (stamp, bytes) = FileStamp::read(&target).map_err(failed)?;
        let encoding = FileEncoding::of(&bytes, document);
        let encoding = encoding.ok_or_else(|| refused("this encoding or packing"))?;
        Ok(FileRepairs {
            path: path.to_owned(),
            target,
            stamp,
            encoding,
            text: document.to_owned(),
            edits: Vec::new(),
        })
    }

    /// Returns the bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// Adds the repair of a reference if it is certain and the reference's text can hold it. Returns whether it was added.
    pub(super) fn add(&mut self, bytes: &[u8], reference: &Reference, judged: &Judgement) -> bool {
        let ReferenceName::Field(field) = &reference.name else {
            return false;
        };
        let repair = judged.repair.as_ref().filter(|_| judged.is_certain);
        let place = reference.place.clone();
        let old = text(&bytes[place.clone()]);
        let new = repair.and_then(|doi| replacement(doi, &old, field));
        let is_text = str::from_utf8(bytes).is_ok();
        match new.filter(|new| is_text || new.is_ascii()) {
            Some(new) => {
                self.edits.push(PatchEdit { place, new });
                true
            }
            None => false,
        }
    }

    /// Writes the repaired file under a temporary name. Returns `None` if there is no repair.
    ///
    /// # Errors
    /// If it cannot be written, or the file is read-only or has other names.
    pub(super) fn write(mut self, monitor: &Monitor) -> Result<Option<FixedFile>, Error> {
        if self.edits.is_empty() {
            return Ok(None);
        }
        self.may_write()?;
        self.edits.sort_by_key(|edit| edit.place.start);
        let write = || {
            let mut output = Output::create(Some(&self.target), None, &None)?;
            let temporary = output.temporary().map(Path::to_owned);
            monitor.note_temporary(temporary.as_deref());
            output.write_all(&self.encoding.bytes(&self.fixed()))?;
            let output = output.finish()?;
            temporary.map_or(Ok(()), |temporary| {
                copy_attributes(&self.target, &temporary)
            })?;
            Ok(output)
        };
        let output = write().map_err(failed)?;
        Ok(Some(FixedFile {
            target: self.target,
            stamp: self.stamp,
            output,
        }))
    }

    /// Writes the repairs as a unified diff.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write_diff(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.edits.sort_by_key(|edit| edit.place.start);
        let mark = match self.encoding {
            FileEncoding::Bytes(mark) => mark,
            FileEncoding::Utf16(_) => 0,
        };
        for edit in &mut self.edits {
            edit.place = edit.place.start + mark..edit.place.end + mark;
        }
        let text = [&UTF8_MARK[..mark], &self.text].concat();
        let patch = Patch {
            path: &self.path,
            text: &text,
            edits: &self.edits,
        };
        patch.write(out)
    }

    /// # Errors
    /// If the file is read-only, even for a user whom permissions do not bind, or has other names.
    fn may_write(&self) -> Result<(), Error> {
        let is_read_only = |at: Metadata| at.permissions().readonly();
        let opened = OpenOptions::new().write(true).open(&self.target);
        match opened.and_then(|file| file.metadata()).map(is_read_only) {
            Ok(false) => {}
            Ok(true) => {
                return Err(refused(
                    "a file that is read-only: its permissions let nobody write it",
                ));
            }
            Err(error) => return Err(failed(error)),
        }
        match self.stamp.status.names() {
            0 | 1 => Ok(()),
            names => Err(Error::new(Cause::Check(CheckError::Names(names)))),
        }
    }

    fn fixed(&self) -> Vec<u8> {
        let mut fixed = Vec::with_capacity(self.text.len());
        let mut at = 0;
        for PatchEdit { place, new } in &self.edits {
            fixed.extend_from_slice(&self.text[at..place.start]);
            fixed.extend_from_slice(new.as_bytes());
            at = place.end;
        }
        fixed.extend_from_slice(&self.text[at..]);
        fixed
    }
}

impl FixedFile {
    /// Whether both are new content of one file.
    pub(super) fn replaces_same(&self, other: &FixedFile) -> bool {
        self.stamp.status.id() == other.stamp.status.id()
    }

    /// Keeps other runs from replacing the file until the lock is dropped.
    ///
    /// # Errors
    /// If another process holds a lock on the file, or the file is gone.
    pub(super) fn lock(&self) -> Result<ReplaceLock, CheckError> {
        let lock = lock_to_replace(&self.target);
        lock.map_err(|_| CheckError::Changed)?
            .ok_or(CheckError::Locked)
    }

    /// Renames the new content to the name of the file.
    ///
    /// # Errors
    /// If the file was changed or replaced since it was read. Then it stays as it is.
    pub(super) fn commit(self) -> io::Result<()> {
        self.check()?;
        self.output.commit()
    }

    /// # Errors
    /// If the file was changed or replaced since it was read.
    pub(super) fn check(&self) -> io::Result<()> {
        let same = FileStamp::read(&self.target).is_ok_and(|(stamp, _)| stamp == self.stamp);
        let changed = || io::Error::other(CheckError::Changed);
        same.then_some(()).ok_or_else(changed)
    }
}

impl FileStamp {
    /// Returns the stamp and the content of the file at `path`.
    fn read(path: &Path) -> io::Result<(FileStamp, Vec<u8>)> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let stamp = FileStamp {
            status: FileStatus::of(&file)?,
            modified: metadata.modified().ok(),
            changed: last_change(&metadata),
            sum: xxh3_128(&bytes),
        };
        Ok((stamp, bytes))
    }
}

/// Max bytes of a value that may keep a part of its text, and max characters that are cut from its end.
const MAX_KEPT_BYTES: usize = 4096;
const MAX_CUT_CHARS: usize = 256;

/// Returns the text that replaces `old` to give the name. Returns `None` if it would not be read as the name, or if `old` is not
/// one literal in one line.
fn replacement(doi: &Doi, old: &str, field: &NameField) -> Option<String> {
    if field.joined.is_some() || old.contains(['\n', '\r']) {
        return None;
    }
    if let Some(kept) = kept(doi, old, field) {
        return Some(kept.to_owned());
    }
    let is_address = match field.role {
        FieldRole::Name => false,
        FieldRole::Address => true,
        FieldRole::Any if old.starts_with("10.") => false,
        FieldRole::Any if is_url(old) => true,
        FieldRole::Any => return None,
    };
    let name = match is_address {
        true => doi.to_url(UrlEncoding::Mandatory),
        false => doi.as_str().to_owned(),
    };
    let new = field.escape.encode(&name, old)?;
    is_name(doi, &new, field.escape).then_some(new)
}

/// Returns the part of `old` that is already the name in the form that the field needs.
fn kept<'t>(doi: &Doi, old: &'t str, field: &NameField) -> Option<&'t str> {
    if old.len() > MAX_KEPT_BYTES {
        return None;
    }
    let start = match field.role {
        FieldRole::Name => old.find("10.")?,
        FieldRole::Address if !is_url(old) => return None,
        FieldRole::Address | FieldRole::Any => 0,
    };
    let from = &old[start..];
    let ends = from.char_indices().rev().map(|(at, c)| at + c.len_utf8());
    let mut parts = ends.take(MAX_CUT_CHARS).map(|end| &from[..end]);
    parts.find(|part| match field.role {
        FieldRole::Name => field.escape.decode(part) == doi.as_str(),
        FieldRole::Address | FieldRole::Any => is_name(doi, part, field.escape),
    })
}

/// Whether a written text is the name alone.
fn is_name(doi: &Doi, written: &str, escape: Escape) -> bool {
    let text = escape.decode(written);
    let is_read = Doi::parse(&text).is_ok_and(|read| read == *doi);
    is_read && !text.ends_with(char::is_whitespace)
}

fn is_url(text: &str) -> bool {
    let start = text.get(..4);
    start.is_some_and(|start| start.eq_ignore_ascii_case("http"))
}

const UTF8_MARK: &[u8] = "\u{feff}".as_bytes();

impl FileEncoding {
    /// Returns the encoding that turns `text` into `bytes`, or `None` if no known encoding does.
    fn of(bytes: &[u8], text: &[u8]) -> Option<FileEncoding> {
        if bytes == text {
            return Some(FileEncoding::Bytes(0));
        }
        if bytes.strip_prefix(UTF8_MARK) == Some(text) {
            return Some(FileEncoding::Bytes(UTF8_MARK.len()));
        }
        let orders = [u16::to_le_bytes, u16::to_be_bytes].map(FileEncoding::Utf16);
        let mut orders = orders.into_iter();
        orders.find(|encoding| encoding.bytes(text) == bytes)
    }

    /// Encodes the text of a file.
    fn bytes(self, text: &[u8]) -> Vec<u8> {
        match self {
            FileEncoding::Bytes(mark) => [&UTF8_MARK[..mark], text].concat(),
            FileEncoding::Utf16(order) => {
                let text = String::from_utf8_lossy(text);
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                let units = [0xfeff].into_iter().chain(text.encode_utf16());
                units.flat_map(order).collect()
            }
        }
    }
}
