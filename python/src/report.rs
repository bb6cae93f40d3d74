//! The report of a run as Python objects.

use std::collections::BTreeMap;

use doisift::Counts;
use pyo3::prelude::*;

/// The report of a run.
#[pyclass(frozen, get_all, module = "doisift")]
#[derive(Clone)]
pub(crate) struct Report {
    version: &'static str,
    /// Complete parts, finished sources and bytes of the run that this one continues.
    resumed: Option<BTreeMap<String, u64>>,
    sources: u64,
    documents: u64,
    cut_names: u64,
    bytes_read: u64,
    bytes_decoded: u64,
    candidates: u64,
    mentions: u64,
    filtered: u64,
    rejections: BTreeMap<String, u64>,
    records: u64,
    runs: u64,
    spilled_bytes: u64,
    links: u64,
    skipped: BTreeMap<String, u64>,
    error_count: u64,
    errors: Vec<Loss>,
    seconds: f64,
    #[pyo3(name = "_json")]
    json: String,
}

/// An error that lost input.
#[pyclass(frozen, get_all, eq, module = "doisift")]
#[derive(Clone, PartialEq)]
pub(crate) struct Loss {
    source: Option<String>,
    document: Option<String>,
    offset: Option<u64>,
    message: String,
}

/// The progress of a run.
#[pyclass(frozen, get_all, module = "doisift")]
pub(crate) struct Progress {
    bytes: u64,
    total: Option<u64>,
    resumed: u64,
    passed: u64,
    mentions: u64,
}

impl From<doisift::Progress> for Progress {
    fn from(progress: doisift::Progress) -> Self {
        Progress {
            bytes: progress.bytes,
            total: progress.total,
            resumed: progress.resumed,
            passed: progress.passed,
            mentions: progress.mentions,
        }
    }
}

impl From<&doisift::ScanReport> for Report {
    fn from(report: &doisift::ScanReport) -> Self {
        Report {
            version: report.version,
            resumed: report.resumed.as_ref().map(counts),
            sources: report.sources,
            documents: report.documents,
            cut_names: report.cut_names,
            bytes_read: report.bytes_read,
            bytes_decoded: report.bytes_decoded,
            candidates: report.candidates,
            mentions: report.mentions,
            filtered: report.filtered,
            rejections: counts(&report.rejections),
            records: report.records,
            runs: report.runs,
            spilled_bytes: report.spilled_bytes,
            links: report.links,
            skipped: counts(&report.skipped),
            error_count: report.errors.count,
            errors: report.errors.list.iter().map(Loss::from).collect(),
            seconds: report.seconds,
            json: serde_json::to_string(report).unwrap_or_default(),
        }
    }
}

fn counts(counts: &Counts) -> BTreeMap<String, u64> {
    counts
        .iter()
        .map(|(word, count)| (word.to_owned(), count))
        .collect()
}

impl From<&doisift::Loss> for Loss {
    fn from(loss: &doisift::Loss) -> Self {
        Loss {
            source: loss.source.clone(),
            document: loss.document.clone(),
            offset: loss.offset,
            message: loss.message.clone(),
        }
    }
}

#[pymethods]
impl Report {
    /// Return the report of `doisift scan --report` as a dict, with the options of the run.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.json,))
    }

    fn __repr__(&self) -> String {
        let Report {
            sources,
            documents,
            mentions,
            records,
            error_count,
            ..
        } = self;
        format!(
            "<Report sources={sources} documents={documents} mentions={mentions} records={records} errors={error_count}>"
        )
    }
}

#[pymethods]
impl Loss {
    fn __str__(&self) -> String {
        let names = [&self.source, &self.document].into_iter().flatten();
        let names: String = names.map(|name| format!("{name}: ")).collect();
        let offset = self
            .offset
            .map_or_else(String::new, |at| format!("at byte {at}: "));
        format!("{names}{offset}{}", self.message)
    }

    fn __repr__(&self) -> String {
        format!("<Loss {}>", self.__str__())
    }
}
