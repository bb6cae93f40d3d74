//! The log of a folder of parts that a later run can resume.
//!
//! It has a line for each part, in their order, written before the part gets its name. So a file with the name of a part that the
//! log does not list does not belong to the run. A line starts with its checksum. A last line that is not whole is dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use doisift_system::open_unfollowed;
use xxhash_rust::xxh3::xxh3_64;

use super::PartEntry;

/// Digits of the checksum before each line.
const CHECKSUM_DIGITS: usize = 16;

/// The log of a folder of parts.
pub(super) struct PartLog {
    file: File,
    /// The listed parts, each with the offset after its line.
    listed: Vec<(PartEntry, u64)>,
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
            let Some(entry) = entry(line) else { break };
            end += line.len() as u64;
            listed.push((entry, end));
        }
        let mut log = PartLog { file, listed };
        log.truncate(log.listed.len())?;
        Ok(log)
    }

    /// Returns the listed parts.
    pub(super) fn listed(&self) -> impl Iterator<Item = &PartEntry> {
        self.listed.iter().map(|(entry, _)| entry)
    }

    /// Keeps only the first `parts`.
    pub(super) fn truncate(&mut self, parts: usize) -> io::Result<()> {
        self.listed.truncate(parts);
        let end = self.listed.last().map_or(0, |(_, end)| *end);
        self.file.set_len(end)?;
        self.file.seek(SeekFrom::Start(end)).map(|_| ())
    }

    /// Appends a line for the next part.
    pub(super) fn add(&mut self, part: &PartEntry) -> io::Result<()> {
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

/// Parses a line. Returns `None` if it is not whole.
fn entry(line: &[u8]) -> Option<PartEntry> {
    let (sum, rest) = line.split_at_checked(CHECKSUM_DIGITS)?;
    let json = rest.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    let is_whole = *sum == *format!("{:0CHECKSUM_DIGITS$x}", xxh3_64(json)).as_bytes();
    is_whole.then(|| serde_json::from_slice(json).ok())?
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn part(number: usize) -> PartEntry {
        PartEntry {
            name: format!("part-{number}"),
            rows: number as u64,
            bytes: 10,
            xxh3: "0".into(),
            sources: Vec::new(),
        }
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
