//! The manifest of a checkpoint: a file of JSON lines.
//!
//! The first line has the version, the options that affect the result, the runs, and the results so far. Then there is a line for
//! each source; if the source is finished, the line has a stamp that shows whether its file has changed. The last line is a
//! checksum of all lines before it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::UNIX_EPOCH;

use doisift_documents::{Source, SourceKind, Sources, display_name};
use doisift_system::last_change;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::folder::{NamedRun, at, open_own};
use crate::error::CheckpointError;
use crate::options::{OptionSpec, OptionValue};

/// The version of the manifest format.
const MANIFEST_VERSION: u32 = 13;
/// Length of the last line in bytes.
const CHECKSUM_LINE_BYTES: usize = 32;

/// The options that affect the result, other than the sources: names and values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FixedSettings(BTreeMap<String, String>);

/// The first line.
#[derive(Serialize, Deserialize)]
pub(super) struct ManifestHead<D> {
    form: u32,
    doisift: Cow<'static, str>,
    pub(crate) settings: FixedSettings,
    pub(crate) runs: Vec<NamedRun>,
    /// The number of sources that were read, which must not change. They are the first in source order.
    pub(crate) read: usize,
    /// Results from the sources that were read.
    pub(crate) done: D,
    sources: usize,
}

/// The fields that a first line of any format version has.
#[derive(Deserialize)]
struct AnyHead {
    form: u32,
    doisift: String,
}

/// The line of a source.
#[derive(Serialize, Deserialize)]
struct SourceLine<'a> {
    name: Cow<'a, str>,
    /// `None` if the source is not finished, or its metadata could not be read.
    stamp: Option<Stamp>,
}

/// Metadata of a file that show whether it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    size: u64,
    /// Modification time in nanoseconds since 1970. Of an object the number that its services give.
    modified: i64,
    /// Metadata that no program can set, unlike the modification time.
    own: Option<SystemStamp>,
}

/// Metadata that only the file system sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SystemStamp {
    inode: u64,
    /// Time of the last change of content or metadata: seconds since 1970, and nanoseconds.
    changed: (i64, i64),
}

impl Stamp {
    /// Returns the size of the file in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Reads the stamp of a source. Returns `None` if the metadata of the file cannot be read.
    pub(crate) fn of(source: &Source, sources: &Sources) -> Option<Stamp> {
        if source.kind == SourceKind::Remote {
            let stamp = sources
                .remote()?
                .stamp(&source.path.to_string_lossy())
                .ok()?;
            return Some(Stamp {
                size: sources.object_size(source).unwrap_or(0),
                modified: stamp as i64,
                own: None,
            });
        }
        let metadata = fs::metadata(&source.path).ok()?;
        Some(Stamp {
            size: metadata.len(),
            modified: modified(&metadata),
            own: last_change(&metadata).map(|(inode, changed)| SystemStamp { inode, changed }),
        })
    }
}

fn modified(metadata: &Metadata) -> i64 {
    let nanos = |nanos: u128| i64::try_from(nanos).unwrap_or(i64::MAX);
    match metadata
        .modified()
        .map(|time| time.duration_since(UNIX_EPOCH))
    {
        Ok(Ok(since)) => nanos(since.as_nanos()),
        Ok(Err(before)) => -nanos(before.duration().as_nanos()),
        Err(_) => 0,
    }
}

impl<D> ManifestHead<D> {
    pub(crate) fn new(settings: FixedSettings, runs: Vec<NamedRun>, read: usize, done: D) -> Self {
        ManifestHead {
            form: MANIFEST_VERSION,
            doisift: env!("CARGO_PKG_VERSION").into(),
            settings,
            runs,
            read,
            done,
            sources: 0,
        }
    }
}

/// Writes a manifest. `stamps` are those of the started sources; only those of finished ones are written.
pub(super) fn write<D: Serialize>(
    out: &mut impl Write,
    mut head: ManifestHead<D>,
    sources: &Sources,
    stamps: &[Option<Stamp>],
) -> io::Result<()> {
    head.sources = sources.len();
    let mut out = ChecksumWriter {
        inner: out,
        sum: Xxh3::new(),
    };
    line(&mut out, &head)?;
    let done = stamps.iter().copied().take(head.read);
    let stamps = done.chain(std::iter::repeat(None));
    for (source, stamp) in sources.iter().zip(stamps) {
        let name = display_name(&source.path);
        line(&mut out, &SourceLine { name, stamp })?;
    }
    let ChecksumWriter { inner, sum } = out;
    inner.write_all(ending(&sum).as_bytes())
}

fn line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn ending(sum: &Xxh3) -> String {
    format!("{{\"checksum\":\"{:016x}\"}}\n", sum.digest())
}

/// A manifest that was read.
pub(super) struct Manifest<D> {
    pub(crate) head: ManifestHead<D>,
    /// The stamps of the sources that were read.
    pub(crate) stamps: Vec<Option<Stamp>>,
}

/// Reads the manifest at `path` and compares it with the current options and sources. Returns `None` if there is no manifest.
pub(super) fn read<D: DeserializeOwned>(
    path: &Path,
    settings: &FixedSettings,
    sources: &Sources,
) -> Result<Option<Manifest<D>>, CheckpointError> {
    let Some(file) = open_own(path)? else {
        return Ok(None);
    };
    let read = || -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        BufReader::new(file).read_to_end(&mut bytes)?;
        Ok(checked(bytes))
    };
    let bytes = read().map_err(|error| at(path, error))?;
    let bytes = bytes.ok_or_else(|| CheckpointError::Damaged(path.to_owned()))?;
    let mut lines = bytes.lines().map_while(Result::ok);
    let damaged = || CheckpointError::Damaged(path.to_owned());
    let head = check_head(&lines.next().ok_or_else(damaged)?, settings, damaged)?;
    let stamps = check_sources(head.read, lines, sources, damaged)?;
    Ok(Some(Manifest { head, stamps }))
}

/// Returns all lines except the last, or `None` if that is not the right checksum.
fn checked(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let end = bytes.len().checked_sub(CHECKSUM_LINE_BYTES)?;
    let mut sum = Xxh3::new();
    sum.update(&bytes[..end]);
    let whole = bytes[end..] == *ending(&sum).as_bytes();
    bytes.truncate(end);
    whole.then_some(bytes)
}

fn check_head<D: DeserializeOwned>(
    line: &str,
    settings: &FixedSettings,
    damaged: impl Fn() -> CheckpointError,
) -> Result<ManifestHead<D>, CheckpointError> {
    let any: AnyHead = serde_json::from_str(line).map_err(|_| damaged())?;
    if any.form != MANIFEST_VERSION || any.doisift != env!("CARGO_PKG_VERSION") {
        return Err(CheckpointError::Version(any.doisift));
    }
    let head: ManifestHead<D> = serde_json::from_str(line).map_err(|_| damaged())?;
    match head.settings.difference(settings) {
        Some(difference) => Err(difference),
        None => Ok(head),
    }
}

impl FixedSettings {
    /// Collects the options that must not change when a run resumes, and `others` by their names.
    pub(crate) fn new(
        options: &[(&OptionSpec, OptionValue)],
        others: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let fixed = options.iter().filter(|(spec, _)| spec.is_fixed);
        let fixed = fixed.map(|(spec, value)| (spec.long(), value.to_string()));
        let others = others.into_iter();
        let others = others.map(|(name, value)| (name.to_owned(), value));
        FixedSettings(fixed.chain(others).collect())
    }

    /// Returns the error for the first option that has another value now. `None` if all values are equal.
    fn difference(&self, now: &FixedSettings) -> Option<CheckpointError> {
        let pairs = self.0.iter().zip(&now.0);
        let mut differing = pairs.filter(|(then, now)| then != now);
        let ((option, then), (_, now)) = differing.next()?;
        Some(CheckpointError::Option {
            option: option.clone(),
            then: then.clone(),
            now: now.clone(),
        })
    }
}

/// Compares the sources of the manifest with the current ones. Both are sorted by name.
fn check_sources(
    read: usize,
    lines: impl Iterator<Item = String>,
    sources: &Sources,
    damaged: impl Fn() -> CheckpointError,
) -> Result<Vec<Option<Stamp>>, CheckpointError> {
    let mut stamps = Vec::with_capacity(read);
    let mut now = sources.iter();
    for line in lines {
        let then: SourceLine<'_> = serde_json::from_str(&line).map_err(|_| damaged())?;
        let source = now.next();
        let name = source.as_ref().map(|source| display_name(&source.path));
        match (&source, name) {
            (Some(_), Some(name)) if name < then.name => {
                return Err(CheckpointError::Added(name.into()));
            }
            (Some(source), Some(name)) if name == then.name => {
                if stamps.len() < read {
                    check_stamp(then.stamp, Stamp::of(source, sources), &name)?;
                    stamps.push(then.stamp);
                }
            }
            _ => return Err(CheckpointError::Removed(then.name.into())),
        }
    }
    match now.next() {
        Some(source) => Err(CheckpointError::Added(display_name(&source.path).into())),
        None => Ok(stamps),
    }
}

fn check_stamp(then: Option<Stamp>, now: Option<Stamp>, name: &str) -> Result<(), CheckpointError> {
    if then == now {
        return Ok(());
    }
    let seen = |stamp: Option<Stamp>| stamp.map(|stamp| (stamp.size, stamp.modified));
    Err(if seen(then) == seen(now) {
        CheckpointError::Replaced(name.into())
    } else {
        CheckpointError::Changed(name.into())
    })
}

/// A writer that computes a checksum.
struct ChecksumWriter<W> {
    inner: W,
    sum: Xxh3,
}

impl<W: Write> Write for ChecksumWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
