//! The options of `doisift check`, and their defaults.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use doisift_documents::{ColumnSelection, ReadLimits, SheetChoice, SourceSearch};

use super::Check;
use super::formats::CheckFormat;
use super::held::HeldSizes;
use super::verdict::CheckVerdict;
use crate::error::{Cause, CheckError, Error};
use crate::indexing::{BuildIndex, IndexSettings};
use crate::lookup::{self, KnownNames};
use crate::objects::Services;
use crate::options::{
    GivenOptions, OptionGroup, OptionHelp, OptionKind, Registry, ReportedOptions, reported_paths,
};
use crate::records::{PartPlan, is_folder};
use crate::registry;
use crate::remote;
use crate::task::{
    Monitor, chosen_memory, chosen_rows, chosen_threads, chosen_tmp_dir, named_output, part_about,
};
use doisift_tables::HeaderChoice;

options! {
    /// Options of `doisift check`: column, repairs, format and findings.
    check: CheckingOptions, "Check";

    /// Format of the rows
    value format: crate::check::CheckFormat [Check] default "text on standard output, otherwise by the output's ending" {
        short: Some('f'), value: "FORMAT", help: OptionHelp::Short,
    }

    /// Check this column of tables; its name in the header or its number from 1, or in JSON the name of a member or a JSON pointer
    text column [Check] { short: Some('c'), value: "COLUMN", help: OptionHelp::Short }

    /// Write certain repairs into the files; of texts that hold more or less than the name, and of slips for which one known name
    /// is near. With --known or --online, only repairs whose result is known
    ///
    /// All other bytes stay as they are, and a file is replaced when its new content is whole. With an index of
    /// [known](Self::known) names, a repair is certain if the index or the [registry](Self::online) knows its
    /// result; without both, if the rules for dirty data make it.
    flag fix [Check] { help: OptionHelp::Short }

    /// Write a diff of the repairs of --fix instead of rows; it is a unified diff, and no file is changed
    ///
    /// `patch -p0` and `git apply -p0` take it. A caller that takes the rows has both.
    flag diff [Check] { conflicts: "fix", help: OptionHelp::Short }

    /// Verdicts that are findings and make the exit code 1; `none` makes none of them one
    texts fail_on [Check] default "retracted, cut_short, wrong_check_digit, did_you_mean, written_wrongly, placeholder, duplicate, unknown_to_registry, not_a_doi" {
        kind: OptionKind::Items, value: "VERDICT,...", help: OptionHelp::Short,
    }

    /// Findings in this file are accepted; they are no findings, and do not make the exit code 1
    ///
    /// An accepted finding is one whose source, key, text and verdict are as they were when it was
    /// [written](Self::write_baseline), on whatever line. Those that no row of the sources that were read used are reported.
    path baseline [Check] { value: "FILE" }

    /// Accept all findings of this run, and write them to this file, as JSON to review; those of --baseline are kept for sources
    /// that are not read
    path write_baseline [Check] { value: "FILE" }
}

parsed_types! {
    CheckFormat,
    OptionKind::Choice(|| CheckFormat::ALL.iter().map(|format| (format.name(), "")).collect()),
    |format| format.name().to_owned();
}

/// The default of `--stale-after`.
const STALE_AFTER: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Memory for each thread that reads.
const THREAD_BYTES: usize = 32 << 20;

/// The options of a check, with all defaults filled in.
#[derive(Debug)]
pub(crate) struct CheckSettings {
    given: GivenOptions,
    pub(super) paths: Vec<PathBuf>,
    pub(super) search: SourceSearch,
    pub(super) services: Services,
    /// Whether only a part of the sources is checked.
    pub(super) is_shard: bool,
    pub(super) format: CheckFormat,
    /// How the output is divided, if it is a folder of parts.
    pub(super) parts: Option<PartPlan>,
    pub(super) column: Option<String>,
    /// `column` in the form that readers of tables take.
    pub(super) columns: ColumnSelection,
    pub(super) header: HeaderChoice,
    pub(super) sheet: Option<SheetChoice>,
    pub(super) fix: bool,
    pub(super) diff: bool,
    pub(super) findings: Vec<CheckVerdict>,
    pub(super) baseline: Option<PathBuf>,
    pub(super) write_baseline: Option<PathBuf>,
    pub(super) index: Option<PathBuf>,
    pub(super) known: Option<Arc<KnownNames>>,
    /// How the notices are read, if there is a file of them.
    pub(super) retractions: Option<IndexSettings>,
    /// The maximum age of data without a warning.
    pub(super) stale_after: Duration,
    /// The options for asking a registry. `None` if the check is offline.
    pub(super) registry: Option<Registry>,
    pub(super) output: Option<PathBuf>,
    pub(super) report: Option<PathBuf>,
    pub(super) limits: ReadLimits,
    pub(super) memory: usize,
    pub(super) held: HeldSizes,
    pub(super) threads: usize,
    pub(super) tmp: PathBuf,
    pub(super) monitor: Monitor,
}

impl Check {
    /// # Errors
    /// If there is no source, the syntax of a glob is wrong, a word is not a verdict, the format cannot be chosen, a column is to
    /// be fixed, the index cannot be read, or a registry cannot be asked with these options.
    pub(crate) fn settings(&self) -> Result<CheckSettings, Error> {
        if self.inputs.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        let output = self.output.output.as_deref().and_then(named_output);
        let refused = |error| Error::new(Cause::Check(error));
        self.check.check().map_err(refused)?;
        let column = self.check.column.clone();
        let memory = chosen_memory(self.resources.memory);
        let services = remote::services(&self.remote, memory, &self.monitor);
        let tmp = chosen_tmp_dir(None, output.as_deref());
        let (format, parts) = self.rows(output.as_deref())?;
        Ok(CheckSettings {
            given: self.given(),
            search: self
                .folders
                .search()?
                .shard(self.sources.shard)
                .remote(services.clone().map(|services| services as _)),
            format,
            parts,
            is_shard: self.sources.shard.is_some(),
            columns: ColumnSelection {
                columns: column.clone().map(|column| vec![column]),
                ..ColumnSelection::default()
            },
            header: self.header.header_row.into(),
            sheet: column
                .is_some()
                .then(|| SheetChoice::within(memory, self.header.sheet.clone())),
            column,
            fix: self.check.fix,
            diff: self.check.diff,
            findings: findings(&self.check.fail_on).map_err(refused)?,
            baseline: self.check.baseline.clone(),
            write_baseline: self.check.write_baseline.clone(),
            registry: self.registry()?,
            known: lookup::chosen(self.lookup.known.as_deref())?,
            index: self.lookup.known.clone(),
            retractions: self.reading_of_notices(&tmp)?,
            stale_after: self.lookup.stale_after.unwrap_or(STALE_AFTER),
            tmp,
            output,
            report: self.output.report.clone(),
            limits: self.limits.of_reading(),
            held: HeldSizes::within(memory),
            threads: self.reading_threads(memory),
            memory,
            paths: remote::named(&services, &self.inputs, true)?,
            services,
            monitor: self.monitor.clone(),
        })
    }

    /// Returns how the notices are read, if there is a file of them.
    ///
    /// # Errors
    /// If its address is not valid.
    fn reading_of_notices(&self, tmp: &Path) -> Result<Option<IndexSettings>, Error> {
        let Some(path) = &self.lookup.retractions else {
            return Ok(None);
        };
        // The names of a list are not taken, so that it need not be trusted.
        let mut notices = BuildIndex::new().input(path).trust(true).tmp_dir(tmp);
        if let Some(memory) = self.resources.memory {
            notices = notices.memory(memory);
        }
        notices.remote = self.remote.clone();
        notices.limits = self.limits.clone();
        notices = notices.monitor(&self.monitor);
        notices.settings_of_notices().map(Some)
    }

    /// Returns the format of rows, and how the output is divided if it is a folder of parts.
    fn rows(&self, output: Option<&Path>) -> Result<(CheckFormat, Option<PartPlan>), Error> {
        let format = self.check.format(output);
        let format = format.map_err(|error| Error::new(Cause::Check(error)))?;
        let Some(folder) = output.filter(|path| is_folder(path)) else {
            return Ok((format, None));
        };
        let Some(of_records) = format.of_records() else {
            return Err(Error::new(Cause::Folder(folder.to_owned())));
        };
        let (_, parts) = chosen_rows(Some(of_records), output, self.output.part_size)?;
        let parts = parts.map(|mut plan| {
            plan.about = part_about(&self.given(), &self.inputs);
            plan
        });
        Ok((format, parts))
    }

    /// Returns the number of threads that read. A registry is asked by one.
    fn reading_threads(&self, memory: usize) -> usize {
        let wanted = chosen_threads(self.resources.threads);
        match self.asking.online {
            true => 1,
            false => wanted.min(memory / THREAD_BYTES).max(1),
        }
    }

    /// Returns the options for asking a registry, or `None` if the check is offline.
    ///
    /// # Errors
    /// If it cannot be asked with these options, or options of the registry are given for an offline check.
    fn registry(&self) -> Result<Option<Registry>, Error> {
        if self.asking.online {
            registry::check(&self.online)?;
            return Ok(Some(self.online.clone()));
        }
        let mut options = Registry::SPECS.iter().zip(self.online.values());
        match options.find(|(_, value)| value.is_given()) {
            Some((spec, _)) => Err(Error::new(Cause::Check(CheckError::Offline(
                spec.long().into(),
            )))),
            None => Ok(None),
        }
    }
}

impl CheckingOptions {
    /// Returns the format that was given, or the one that the output's ending implies. A diff is a text.
    fn format(&self, output: Option<&Path>) -> Result<CheckFormat, CheckError> {
        let format = match (self.format, output) {
            _ if self.diff => return Ok(CheckFormat::Text),
            (Some(format), _) => format,
            (None, None) => CheckFormat::Text,
            (None, Some(path)) => match format_of(path) {
                Err(_) if is_folder(path) => CheckFormat::OF_PARTS,
                format => format?,
            },
        };
        match (format, output) {
            (CheckFormat::Text, Some(path)) => Err(CheckError::UnknownEnding(path.to_owned())),
            _ => Ok(format),
        }
    }

    /// # Errors
    /// If options contradict each other.
    fn check(&self) -> Result<(), CheckError> {
        if self.diff && self.format.is_some() {
            return Err(CheckError::DiffFormat);
        }
        if (self.fix || self.diff) && self.column.is_some() {
            return Err(CheckError::Fix(
                "a column of a table; doisift normalize --column --clean does",
            ));
        }
        Ok(())
    }
}

/// Returns the format that the ending of an output implies.
fn format_of(path: &Path) -> Result<CheckFormat, CheckError> {
    let plain = match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz" | "zst") => Path::new(path.file_stem().unwrap_or_default()),
        _ => path,
    };
    let ending = plain.extension().and_then(|ending| ending.to_str());
    let format = ending.and_then(CheckFormat::of_ending);
    format.ok_or_else(|| CheckError::UnknownEnding(path.to_owned()))
}

/// The verdicts that are findings.
fn findings(words: &[String]) -> Result<Vec<CheckVerdict>, CheckError> {
    let words: Vec<&str> = words.iter().map(|word| word.trim()).collect();
    match words[..] {
        [] => {
            let all = CheckVerdict::ALL.iter().copied();
            Ok(all.filter(|verdict| verdict.is_finding()).collect())
        }
        ["none"] => Ok(Vec::new()),
        _ => {
            let words = words.into_iter().map(str::parse);
            let unknown =
                |error: doisift_core::ParseError| CheckError::Verdict(error.to_string().into());
            words.collect::<Result<_, _>>().map_err(unknown)
        }
    }
}

impl CheckSettings {
    pub(super) fn for_report(&self) -> ReportedOptions {
        ReportedOptions::new(&self.given)
            .with("threads", &self.threads)
            .with("sources", &reported_paths(&self.paths))
    }
}
