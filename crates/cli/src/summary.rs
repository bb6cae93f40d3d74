//! Summaries for people: the options and the counts of a run, as lines on standard error.

use std::io::{self, Write};

use doisift::internal::{ChosenOptions, OptionTask, OptionValue, Printable, TaskReport};
use doisift::{CleanReport, Counts, MergeReport, ScanReport};
use indicatif::{BinaryBytes, HumanCount};

use crate::given::Given;

/// Whether the summary line is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SummaryChoice(pub(crate) bool);

impl SummaryChoice {
    pub(crate) fn write(self, line: &str) {
        if self.0 {
            // If standard error is closed, there is nowhere to report it.
            let _ = writeln!(io::stderr(), "doisift: {}", Printable(line));
        }
    }
}

/// Writes the summary of a scan, with more lines at -v.
pub(crate) fn scan(report: &ScanReport, shown: SummaryChoice) {
    log::info!("candidates rejected: {}", counted(report.rejections.iter()));
    if report.runs > 0 {
        let bytes = BinaryBytes(report.spilled_bytes);
        log::info!(
            "names exceeded the memory budget: {} runs of {bytes} in total were written to disk",
            HumanCount(report.runs)
        );
    }
    if report.filtered > 0 {
        log::info!(
            "mentions left out by their prefix: {}",
            HumanCount(report.filtered)
        );
    }
    if let Some(rows) = report.known.as_ref().and_then(|known| known.rows.as_ref()) {
        known(rows);
    }
    let rows = report.options().get("rows").map(ToString::to_string);
    let names = match rows.as_deref().unwrap_or_default() {
        // The distinct names of mentions are not counted.
        "mentions" | "edges" => String::new(),
        "pairs" => format!(" in {} pairs", HumanCount(report.records)),
        _ => format!(" of {} names", HumanCount(report.records)),
    };
    shown.write(&format!(
        "{}{} documents of {} sources, {} read; {} mentions{names}; skipped: {}; errors: {}; {:.2} s",
        resumed(report.resumed.as_ref()),
        HumanCount(report.documents),
        HumanCount(report.sources),
        BinaryBytes(report.bytes_read),
        HumanCount(report.mentions),
        counted(report.skipped.iter()),
        HumanCount(report.errors.count),
        report.seconds,
    ));
}

/// Describes the work of an interrupted run, for the start of a summary: `resumed: 6 parts done; `. Empty if there was none.
fn resumed(work: Option<&Counts>) -> String {
    let Some(work) = work else {
        return String::new();
    };
    let done = match (work.get("parts"), work.get("sources")) {
        (0, 0) => BinaryBytes(work.get("bytes_read")).to_string(),
        (0, sources) => format!("{} sources", HumanCount(sources)),
        (parts, _) => format!("{} parts", HumanCount(parts)),
    };
    format!("resumed: {done} done; ")
}

/// Logs the counts of an index's answers about the names of rows.
fn known(rows: &Counts) {
    log::info!(
        "rows with a known name: {}, unknown: {}, of a prefix that the index lacks: {}; retracted: {}",
        HumanCount(rows.get("known")),
        HumanCount(rows.get("unknown")),
        HumanCount(rows.get("untold")),
        HumanCount(rows.get("retracted"))
    );
}

/// Writes the summary of a merge, with more lines at -v.
pub(crate) fn merge(report: &MergeReport, shown: SummaryChoice) {
    log::info!(
        "inputs that were sorted first: {}",
        HumanCount(report.sorted)
    );
    if report.runs > 0 {
        let bytes = BinaryBytes(report.spilled_bytes);
        log::info!(
            "temporary files: {}, {bytes} in total",
            HumanCount(report.runs)
        );
    }
    let inputs = match report.options().get("inputs") {
        Some(OptionValue::List(inputs)) => inputs.len() as u64,
        _ => 0,
    };
    shown.write(&format!(
        "{} rows of {} inputs; {} mentions of {} names; {:.2} s",
        HumanCount(report.rows),
        HumanCount(inputs),
        HumanCount(report.mentions),
        HumanCount(report.records),
        report.seconds,
    ));
}

/// Writes the summary of a comparison.
pub(crate) fn diff(report: &doisift::DiffReport, shown: SummaryChoice) {
    shown.write(&format!(
        "{}: {} old, {} new; appeared {}, vanished {}, retracted {}; {:.2} s",
        report.compared,
        HumanCount(report.old),
        HumanCount(report.new),
        HumanCount(report.appeared),
        HumanCount(report.vanished),
        HumanCount(report.retracted),
        report.seconds,
    ));
}

/// Writes the summary of an indexing.
pub(crate) fn index(report: &doisift::IndexReport, shown: SummaryChoice) {
    log::info!(
        "names of drafts, which are not registered: {}",
        HumanCount(report.drafts)
    );
    shown.write(&format!(
        "{}{} documents of {} sources, {} read; {} names and {} notices; the index knows {} names, {} have notices; \
        no names: {}; errors: {}; {:.2} s",
        resumed(report.resumed.as_ref()),
        HumanCount(report.documents),
        HumanCount(report.sources),
        BinaryBytes(report.bytes_read),
        HumanCount(report.names),
        HumanCount(report.notices),
        HumanCount(report.known),
        HumanCount(report.noted),
        HumanCount(report.refused),
        HumanCount(report.errors.count),
        report.seconds,
    ));
}

/// Writes the summary of a check.
pub(crate) fn check(report: &doisift::CheckReport, shown: SummaryChoice) {
    let asked = report.registry.as_ref().map_or(String::new(), |registry| {
        let [cached, asked] = ["cached", "asked"].map(|word| HumanCount(registry.get(word)));
        format!(" names from the cache {cached}, asked {asked};")
    });
    let data = ["known", "retractions"].map(|name| report.options().get(name));
    let is_given = |value: &&OptionValue| matches!(value, OptionValue::Text(_));
    let data = data.into_iter().flatten().filter(is_given);
    let data: Vec<_> = data.map(ToString::to_string).collect();
    let data = match data.is_empty() {
        true => String::new(),
        false => format!(" by {};", data.join(" and ")),
    };
    let accepted = match report.accepted {
        0 => String::new(),
        accepted => format!(" accepted: {};", HumanCount(accepted)),
    };
    shown.write(&format!(
        "references: {};{data} findings: {};{accepted} fixed: {};{asked} skipped: {}; errors: {}; {:.2} s",
        counted(report.verdicts.iter()),
        HumanCount(report.findings),
        HumanCount(report.fixed),
        counted(report.skipped.iter()),
        HumanCount(report.errors.count),
        report.seconds,
    ));
}

/// Writes the summary of a run that asked a registry.
pub(crate) fn resolve(report: &doisift::ResolveReport, shown: SummaryChoice) {
    use doisift::CheckVerdict;

    let statuses = [
        (CheckVerdict::Known.name(), report.known),
        (CheckVerdict::UnknownToRegistry.name(), report.unknown),
        (CheckVerdict::CouldNotAsk.name(), report.could_not_ask),
        (CheckVerdict::NotADoi.name(), report.refused),
    ];
    shown.write(&format!(
        "rows: {}; from the cache {}, asked {}; answered in part: {}; errors: {}; {:.2} s",
        counted(statuses),
        HumanCount(report.cached),
        HumanCount(report.asked),
        HumanCount(report.in_part),
        HumanCount(report.errors.count),
        report.seconds,
    ));
}

/// Writes the summary of a normalization.
pub(crate) fn normalize(report: &CleanReport, shown: SummaryChoice) {
    shown.write(&format!(
        "{} rows of {} documents, {} read; cells: {}; rules: {}; ragged rows: {}; broken lines: {}; {:.2} s",
        HumanCount(report.rows),
        HumanCount(report.documents),
        BinaryBytes(report.bytes_read),
        counted(report.statuses.iter()),
        counted(report.rules.iter()),
        HumanCount(report.ragged),
        HumanCount(report.broken),
        report.seconds,
    ));
}

/// Returns the sum of `counts`, and each count that is not 0: `3 (pdf 2, png 1)`.
fn counted<'n>(counts: impl IntoIterator<Item = (&'n str, u64)>) -> String {
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let (sum, named) = counts.fold((0, Vec::new()), |(sum, mut named), (name, count)| {
        named.push(format!("{name} {}", HumanCount(count)));
        (sum + count, named)
    });
    let sum = HumanCount(sum);
    match named.is_empty() {
        true => sum.to_string(),
        false => format!("{sum} ({})", named.join(", ")),
    }
}

/// Logs at -v the options that a run has, and whether an argument or a default set them.
pub(crate) fn log_decisions<T: OptionTask>(chosen: &ChosenOptions, given: &Given<T>) {
    let value = |name| chosen.reported.get(name).cloned().unwrap_or_default();
    let why = |name, default| match given.has(name) {
        true => "as asked",
        false => default,
    };
    let (format, output) = (value("format"), value("output"));
    let folder = match output {
        OptionValue::Unset => {
            let why = why("format", "the default there");
            log::info!("output: standard output; {format}, {why}");
            "the system's"
        }
        _ => {
            log::info!(
                "output: {output}; {format}, {}",
                why("format", "by the ending")
            );
            "the folder of the output"
        }
    };
    if let threads @ OptionValue::Number(_) = value("threads") {
        log::info!(
            "threads: {threads}, {}",
            why("threads", "the cores this process may use")
        );
    }
    if let OptionValue::Number(memory) = value("memory") {
        let default = "a quarter of the memory of the machine or control group";
        log::info!(
            "memory: {}, {}; beyond it, temporary files are used",
            BinaryBytes(memory),
            why("memory", default)
        );
    }
    let tmp_dir = chosen.tmp_dir.display();
    log::info!("temporary files: {tmp_dir}, {}", why("tmp_dir", folder));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_summed_and_zeros_left_out() {
        assert_eq!(counted([("a", 0)]), "0");
        assert_eq!(counted([("a", 2), ("b", 0), ("c", 1)]), "3 (a 2, c 1)");
    }
}
