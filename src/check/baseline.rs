//! Accepted findings: a file that people review, one finding in a line, sorted by what a person sees.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use doisift_documents::display_name;
use serde::{Deserialize, Serialize};

use super::fingerprint::{Fingerprint, path_in_repository};
use super::row::CheckedReference;
use super::verdict::CheckVerdict;
use crate::error::{Cause, CheckError, Error};

/// The version of the file's form.
const VERSION: u32 = 1;

/// Max bytes of a file of accepted findings, which is held in memory.
const MAX_BYTES: usize = 64 << 20;

/// An accepted finding. The order is that of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AcceptedFinding {
    pub(super) source: String,
    pub(super) key: Option<String>,
    pub(super) text: Option<String>,
    pub(super) verdict: CheckVerdict,
    fingerprint: Fingerprint,
}

/// The file as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u32,
    accepted: Vec<AcceptedFinding>,
}

/// The accepted findings of a run.
#[derive(Default)]
pub(super) struct Baseline {
    /// Those that were read, and whether a row used them.
    read: BTreeMap<Fingerprint, (AcceptedFinding, bool)>,
    /// Sources of accepted findings that the run has read.
    sources: HashSet<String>,
    /// The findings of this run, and their bytes in the file, if all are accepted and written.
    new: Option<(Vec<AcceptedFinding>, usize)>,
}

impl Baseline {
    /// Reads the accepted findings, if there is a file. With `accepts_all`, all findings of the run are accepted.
    ///
    /// # Errors
    /// If the file cannot be read, is too long or is damaged.
    pub(super) fn new(path: Option<&Path>, accepts_all: bool) -> Result<Baseline, Error> {
        let mut baseline = Baseline {
            new: accepts_all.then(Default::default),
            ..Baseline::default()
        };
        if let Some(path) = path {
            let read = read(path).map_err(|error| {
                Error::new(Cause::Check(error)).in_source(display_name(path).into())
            })?;
            let read = read.into_iter();
            baseline.read = read.map(|one| (one.fingerprint, (one, false))).collect();
        }
        Ok(baseline)
    }

    /// Whether a row is accepted. A text that was changed since is not. `is_finding` says that the row is written, if all findings
    /// of the run are.
    ///
    /// # Errors
    /// If there are too many findings to write.
    pub(super) fn accepts(
        &mut self,
        row: &CheckedReference,
        fingerprint: Fingerprint,
        is_finding: bool,
    ) -> Result<bool, Error> {
        let mut is_accepted = false;
        if let Some((accepted, is_used)) = self.read.get_mut(&fingerprint)
            && accepted.text == row.text
        {
            (*is_used, is_accepted) = (true, true);
        }
        if let Some((new, bytes)) = self.new.as_mut().filter(|_| is_finding) {
            let finding = AcceptedFinding::of(row, fingerprint);
            *bytes += line(&finding)
                .map_err(|error| Error::output(error.into()))?
                .len();
            if *bytes > MAX_BYTES {
                return Err(Error::new(Cause::Check(CheckError::LongBaseline(
                    MAX_BYTES,
                ))));
            }
            new.push(finding);
            is_accepted = true;
        }
        Ok(is_accepted)
    }

    /// Notes that a source was read to its end.
    pub(super) fn note_read(&mut self, source: &str) {
        if !self.read.is_empty() {
            self.sources.insert(path_in_repository(source));
        }
    }

    /// Returns the accepted findings of sources that were read that no row used, in the order of the file.
    pub(super) fn unused(&self) -> Vec<&AcceptedFinding> {
        let all = self.read.values();
        let unused = all.filter(|(one, is_used)| !is_used && self.sources.contains(&one.source));
        let mut unused: Vec<_> = unused.map(|(one, _)| one).collect();
        unused.sort();
        unused
    }

    /// Writes the findings of this run, and those that were read and are of other sources or were used.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn write(self, mut out: impl Write) -> io::Result<()> {
        let is_kept = |(one, is_used): &(AcceptedFinding, bool)| {
            *is_used || !self.sources.contains(&one.source)
        };
        let kept = self.read.into_values().filter(is_kept);
        let (new, _) = self.new.unwrap_or_default();
        let mut all: Vec<_> = kept.map(|(one, _)| one).chain(new).collect();
        all.sort();
        all.dedup();
        let lines: Vec<String> = all.iter().map(line).collect::<Result<_, _>>()?;
        let lines = lines.join(",");
        write!(
            out,
            "{{\"version\": {VERSION}, \"accepted\": [{lines}\n]}}\n"
        )
    }
}

impl AcceptedFinding {
    fn of(row: &CheckedReference, fingerprint: Fingerprint) -> Self {
        AcceptedFinding {
            source: path_in_repository(&row.source),
            key: row.key.clone(),
            text: row.text.clone(),
            verdict: row.verdict,
            fingerprint,
        }
    }

    /// `refs.bib: smith2000: retracted`
    pub(super) fn shown(&self) -> String {
        let name = self.key.as_ref().or(self.text.as_ref());
        let parts = [Some(&self.source), name].into_iter().flatten();
        let parts: Vec<&str> = parts
            .map(String::as_str)
            .chain([self.verdict.name()])
            .collect();
        parts.join(": ")
    }
}

/// Returns a finding as a line of the file, after its line end.
fn line(finding: &AcceptedFinding) -> serde_json::Result<String> {
    Ok(format!("\n  {}", serde_json::to_string(finding)?))
}

fn read(path: &Path) -> Result<Vec<AcceptedFinding>, CheckError> {
    let mut text = Vec::new();
    let file = File::open(path).map_err(CheckError::UnreadBaseline)?;
    let mut file = file.take(MAX_BYTES as u64 + 1);
    file.read_to_end(&mut text)
        .map_err(CheckError::UnreadBaseline)?;
    if text.len() > MAX_BYTES {
        return Err(CheckError::LongBaseline(MAX_BYTES));
    }
    let file: BaselineFile = serde_json::from_slice(&text).map_err(CheckError::BadBaseline)?;
    match file.version {
        VERSION => Ok(file.accepted),
        other => Err(CheckError::BaselineVersion(other)),
    }
}
