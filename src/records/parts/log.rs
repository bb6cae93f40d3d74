//! The log of a folder of parts that a later run can resume.
//!
//! It has a line for each part, in their order, written before the part gets its name. So a file with the name of a part that the
//! log does not list does not belong to the run. If parts are objects, a second line, written after the part has appeared, has its
//! stamp. A line starts with its checksum. A last line that is not whole is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use doisift_system::open_unfollowed;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::PartEntry;

/// Digits of the checksum before each line.
const CHECKSUM_DIGITS: usize = 16;

/// The log of a folder of parts.
pub(super) struct PartLog {
    file: File,
    /// The listed parts, each with the offset after its last line.
    listed: Vec<(LoggedPart, u64)>,
}

/// A part and the object that it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoggedPart {
    #[serde(flatten)]
    pub(crate) entry: PartEntry,
    /// A number that changes when the object does. `None` for a file, and for an object of which it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stamp: Option<u64>,
}

impl PartLog {
    /// Opens the log at `path`, or creates it, and drops the bytes after its last whole line.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = open_unfollowed(&mut options, path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (mut listed, mut end) = (Vec::new(), 0);
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let Some(part) = part(line) else { break };
            end += line.len() as u64;
            list(&mut listed, part, end);
        }
        let mut log = PartLog { file, listed };
        log.truncate(log.listed.len())?;
        Ok(log)
    }

    /// Returns the listed parts.
    pub(super) fn listed(&self) -> impl Iterator<Item = &LoggedPart> {
        self.listed.iter().map(|(part, _)| part)
    }

    /// Keeps only the first `parts`.
    pub(super) fn truncate(&mut self, parts: usize) -> io::Result<()> {
        self.listed.truncate(parts);
        let end = self.listed.last().map_or(0, |(_, end)| *end);
        self.file.set_len(end)?;
        self.file.seek(SeekFrom::Start(end)).map(|_| ())
    }

    /// Appends a line for the next part, or the second line of the last one.
    pub(super) fn add(&mut self, part: &LoggedPart) -> io::Result<()> {
        let json = serde_json::to_string(part)?;
        let sum = xxh3_64(json.as_bytes());
        self.file
            .write_all(format!("{sum:0CHECKSUM_DIGITS$x} {json}\n").as_bytes())
    }

    /// Syncs it to disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Lists a part. A second line of it replaces the first.
fn list(listed: &mut Vec<(LoggedPart, u64)>, part: LoggedPart, end: u64) {
    let is_second = |(last, _): &mut (LoggedPart, u64)| last.entry.name == part.entry.name;
    listed.pop_if(is_second);
    listed.push((part, end));
}

/// Parses a line. Returns `None` if it is not whole.
fn part(line: &[u8]) -> Option<LoggedPart> {
    let (sum, rest) = line.split_at_checked(CHECKSUM_DIGITS)?;
    let json = rest.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    let is_whole = *sum == *format!("{:0CHECKSUM_DIGITS$x}", xxh3_64(json)).as_bytes();
    is_whole.then(|| serde_json::from_slice(json).ok())?
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn part(number: usize) -> LoggedPart {
        LoggedPart {
            entry: PartEntry {
                name: format!("part-{number}"),
                rows: number as u64,
                bytes: 10,
                xxh3: "0".into(),
                sources: Vec::new(),
            },
            stamp: None,
        }
    }

    #[test]
    fn a_second_line_has_the_stamp_of_the_part() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log");
        let mut log = PartLog::open(&path)?;
        let stamped = |number| LoggedPart {
            stamp: Some(7),
            ..part(number)
        };
        for line in [part(0), stamped(0), part(1), stamped(1), part(2)] {
            log.add(&line)?;
        }
        let mut log = PartLog::open(&path)?;
        assert!(log.listed().eq(&[stamped(0), stamped(1), part(2)]));
        log.truncate(1)?;
        log.add(&part(1))?;
        assert!(PartLog::open(&path)?.listed().eq(&[stamped(0), part(1)]));
        Ok(())
    }

    #[test]
    fn a_line_that_is_not_whole_is_dropped_and_written_again() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("log");
        let mut log = PartLog::open(&path)?;
        (0..3).try_for_each(|number| log.add(&part(number)))?;
        let whole = fs::read(&path)?;
        for cut in [whole.len() - 1, whole.len() - 30] {
            fs::write(&path, &whole[..cut])?;
            let mut log = PartLog::open(&path)?;
            assert!(log.listed().eq(&[part(0), part(1)]));
            log.add(&part(2))?;
            assert_eq!(fs::read(&path)?, whole);
        }
        let mut log = PartLog::open(&path)?;
        log.truncate(1)?;
        log.add(&part(1))?;
        assert!(PartLog::open(&path)?.listed().eq(&[part(0), part(1)]));
        Ok(())
    }
}
