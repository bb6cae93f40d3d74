//! The manifest of a checkpoint: a file of JSON lines.
//!
//! The first line has the version, the options that affect the result, the runs, and the counts. Then there is a line
//! for each source, with what shows that its file is the same if it is finished. The last line is a checksum of all lines before.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::UNIX_EPOCH;

use doisift_core::{Rejection, Tally};
use doisift_documents::{Source, Sources, display_name};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::folder::{at, open_own};
use crate::dedup::Spilled;
use crate::error::CheckpointError;
use crate::options::{OptionSpec, OptionValue};
use crate::pipeline::mark::MarkedRows;
use crate::records::PartEntry;
use crate::report::{Counts, Losses, Roles, Skipped};

/// The version of the manifest format.
const FORM: u32 = 6;
/// Length of the last line in bytes.
const ENDING: usize = 32;

/// The options that affect the result, other than the sources: names and values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FixedSettings(BTreeMap<String, String>);

/// The counts and errors of the finished sources.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::pipeline) struct Done {
    /// The number of finished sources, which are the first in source order.
    pub(in crate::pipeline) sources: usize,
    #[serde(with = "SavedCounts")]
    pub(in crate::pipeline) counts: Counts,
    pub(in crate::pipeline) losses: Losses,
    pub(in crate::pipeline) skipped: Skipped,
    pub(in crate::pipeline) bytes_read: u64,
}

/// The rows that are written, if they are in parts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::pipeline) struct RowsDone {
    /// Where reading begins again. It is before the end of the last part, whose last rows come again.
    pub(in crate::pipeline) at: MarkedRows,
    pub(in crate::pipeline) parts: Vec<PartEntry>,
}

impl RowsDone {
    /// The number of rows after the mark that the parts have.
    pub(in crate::pipeline) fn passed(&self) -> u64 {
        let rows: u64 = self.parts.iter().map(|part| part.rows).sum();
        rows.saturating_sub(self.at.rows)
    }
}

/// A run that the manifest lists.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct NamedRun {
    /// The name of the file in the folder.
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// The first line.
#[derive(Serialize, Deserialize)]
pub(super) struct ManifestHead {
    form: u32,
    doisift: Cow<'static, str>,
    pub(super) settings: FixedSettings,
    pub(super) runs: Vec<NamedRun>,
    /// The number and size of all runs written so far.
    spilled: (u64, u64),
    pub(super) done: Done,
    /// The rows, if they are in parts.
    pub(super) rows: Option<RowsDone>,
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
    /// None if the source is not finished, or its metadata could not be read.
    stamp: Option<Stamp>,
}

/// What shows whether a file has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    size: u64,
    /// Modification time in nanoseconds since 1970.
    modified: i64,
    /// A program may set the modification time, but neither of these.
    own: Option<OwnStamp>,
}

/// What a file system alone decides about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OwnStamp {
    inode: u64,
    /// Time of the last change of content or metadata: seconds since 1970, and nanoseconds.
    changed: (i64, i64),
}

impl Stamp {
    /// The size of the file in bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// None if the metadata of the file cannot be read.
    pub(super) fn of(source: &Source) -> Option<Stamp> {
        let metadata = fs::metadata(&source.path).ok()?;
        Some(Stamp {
            size: metadata.len(),
            modified: modified(&metadata),
            own: own(&metadata),
        })
    }
}

#[cfg(unix)]
fn own(metadata: &Metadata) -> Option<OwnStamp> {
    use std::os::unix::fs::MetadataExt;
    Some(OwnStamp {
        inode: metadata.ino(),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    })
}

#[cfg(not(unix))]
fn own(_: &Metadata) -> Option<OwnStamp> {
    None
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

impl ManifestHead {
    pub(super) fn new(
        settings: FixedSettings,
        runs: Vec<NamedRun>,
        spilled: Spilled,
        done: Done,
    ) -> Self {
        ManifestHead {
            form: FORM,
            doisift: env!("CARGO_PKG_VERSION").into(),
            settings,
            runs,
            spilled: (spilled.runs, spilled.bytes),
            done,
            rows: None,
            sources: 0,
        }
    }

    /// The number of sources of which something was read.
    fn read(&self) -> usize {
        let is_within = |rows: &RowsDone| rows.at.mark.is_within();
        self.done.sources + usize::from(self.rows.as_ref().is_some_and(is_within))
    }

    pub(super) fn spilled(&self) -> Spilled {
        Spilled {
            runs: self.spilled.0,
            bytes: self.spilled.1,
        }
    }
}

/// Writes a manifest. `stamps` are those of the started sources.
pub(super) fn write(
    out: &mut impl Write,
    mut head: ManifestHead,
    sources: &Sources,
    stamps: &[Option<Stamp>],
) -> io::Result<()> {
    head.sources = sources.len();
    let mut out = Summing {
        inner: out,
        sum: Xxh3::new(),
    };
    line(&mut out, &head)?;
    let done = stamps.iter().copied().take(head.read());
    let stamps = done.chain(std::iter::repeat(None));
    for (source, stamp) in sources.iter().zip(stamps) {
        let name = display_name(&source.path);
        line(&mut out, &SourceLine { name, stamp })?;
    }
    let Summing { inner, sum } = out;
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
pub(super) struct Manifest {
    pub(super) head: ManifestHead,
    /// The stamps of the finished sources.
    pub(super) stamps: Vec<Option<Stamp>>,
}

/// Reads the manifest at `path` and compares it with the current options and sources; none if there is no manifest.
pub(super) fn read(
    path: &Path,
    settings: &FixedSettings,
    sources: &Sources,
) -> Result<Option<Manifest>, CheckpointError> {
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
    let stamps = check_sources(&head, lines, sources, damaged)?;
    Ok(Some(Manifest { head, stamps }))
}

/// All lines but the last, if that is the right checksum.
fn checked(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let end = bytes.len().checked_sub(ENDING)?;
    let mut sum = Xxh3::new();
    sum.update(&bytes[..end]);
    let whole = bytes[end..] == *ending(&sum).as_bytes();
    bytes.truncate(end);
    whole.then_some(bytes)
}

fn check_head(
    line: &str,
    settings: &FixedSettings,
    damaged: impl Fn() -> CheckpointError,
) -> Result<ManifestHead, CheckpointError> {
    let any: AnyHead = serde_json::from_str(line).map_err(|_| damaged())?;
    if any.form != FORM || any.doisift != env!("CARGO_PKG_VERSION") {
        return Err(CheckpointError::Version(any.doisift));
    }
    let head: ManifestHead = serde_json::from_str(line).map_err(|_| damaged())?;
    match head.settings.difference(settings) {
        Some(difference) => Err(difference),
        None => Ok(head),
    }
}

impl FixedSettings {
    /// Those of `options` that a run cannot change when it resumes, what is kept of each name, and the index of known names, which
    /// may have another path.
    pub(super) fn new(
        options: &[(&OptionSpec, OptionValue)],
        kept: &str,
        known: Option<String>,
    ) -> Self {
        let fixed = options.iter().filter(|(spec, _)| spec.is_fixed);
        let fixed = fixed.map(|(spec, value)| (spec.long(), value.to_string()));
        let kept = ("the format".to_owned(), kept.to_owned());
        let known = known.unwrap_or_else(|| OptionValue::Unset.to_string());
        let known = ("known".to_owned(), known);
        FixedSettings(fixed.chain([kept, known]).collect())
    }

    /// The error for the first option that has another value now.
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
    head: &ManifestHead,
    lines: impl Iterator<Item = String>,
    sources: &Sources,
    damaged: impl Fn() -> CheckpointError,
) -> Result<Vec<Option<Stamp>>, CheckpointError> {
    let mut stamps = Vec::with_capacity(head.done.sources);
    let mut checked = 0;
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
                if checked < head.read() {
                    check_stamp(then.stamp, source, &name)?;
                }
                checked += 1;
                if stamps.len() < head.done.sources {
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

fn check_stamp(then: Option<Stamp>, source: &Source, name: &str) -> Result<(), CheckpointError> {
    let now = Stamp::of(source);
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
struct Summing<W> {
    inner: W,
    sum: Xxh3,
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The form of [`Counts`] in the manifest, with rejections by reason.
#[derive(Serialize, Deserialize)]
struct SavedCounts {
    sources: u64,
    documents: u64,
    cut_names: u64,
    bytes_decoded: u64,
    filtered: u64,
    candidates: u64,
    mentions: u64,
    ends_changed: u64,
    rejections: BTreeMap<String, u64>,
    roles: Roles,
    broken: u64,
}

impl SavedCounts {
    fn serialize<S: serde::Serializer>(counts: &Counts, to: S) -> Result<S::Ok, S::Error> {
        let rejected =
            |reason: Rejection| (reason.name().to_owned(), counts.tally.rejected(reason));
        let counted = SavedCounts {
            sources: counts.sources,
            documents: counts.documents,
            cut_names: counts.cut_names,
            bytes_decoded: counts.bytes_decoded,
            filtered: counts.filtered,
            candidates: counts.tally.candidates,
            mentions: counts.tally.mentions,
            ends_changed: counts.tally.ends_changed,
            rejections: Rejection::ALL.iter().copied().map(rejected).collect(),
            roles: counts.roles,
            broken: counts.broken,
        };
        Serialize::serialize(&counted, to)
    }

    fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Counts, D::Error> {
        let counted: SavedCounts = Deserialize::deserialize(from)?;
        let mut tally = Tally::default();
        tally.candidates = counted.candidates;
        tally.mentions = counted.mentions;
        tally.ends_changed = counted.ends_changed;
        for &reason in Rejection::ALL {
            let count = counted.rejections.get(reason.name());
            tally.set_rejected(reason, count.copied().unwrap_or(0));
        }
        Ok(Counts {
            sources: counted.sources,
            documents: counted.documents,
            cut_names: counted.cut_names,
            bytes_decoded: counted.bytes_decoded,
            filtered: counted.filtered,
            tally,
            roles: counted.roles,
            broken: counted.broken,
        })
    }
}
