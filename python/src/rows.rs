//! Streams the rows of a run as Arrow record batches.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};

use arrow_array::ArrayRef;
use doisift::internal::{columns, for_each_row};
use doisift::{Edges, Monitor, Scan};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{ArrayStream, Source};
use crate::report::{Progress, Report};
use crate::running::{self, Running, TICK};
use crate::scan::with_options;
use crate::source::Item;
use crate::table::Table;

/// Max batches that wait for the consumer. With the one that is being built, they bound the memory of a stream.
const WAITING: usize = 2;

/// The rows of a run as a stream of record batches. The run starts when the first batch is asked for.
#[pyclass(frozen, extends = ArrayStream, module = "doisift")]
pub(crate) struct RowStream {
    monitor: Monitor,
    report: Arc<OnceLock<Report>>,
}

#[pymethods]
impl RowStream {
    /// The report of the run. `None` until all rows were read.
    #[getter]
    fn report(&self) -> Option<Report> {
        self.report.get().cloned()
    }

    /// The progress of the run.
    #[getter]
    fn progress(&self) -> Progress {
        self.monitor.progress().into()
    }
}

/// Start the stream of rows of `function`, in batches of at most `batch_rows` rows.
#[pyfunction]
pub(crate) fn iter_rows(
    py: Python<'_>,
    sources: Vec<Item>,
    options: &Bound<'_, PyDict>,
    function: &str,
    batch_rows: usize,
) -> PyResult<Py<RowStream>> {
    let scan = match function {
        "iter_mentions" => Scan::new().mentions(true),
        "iter_edges" => Scan::new().edges(Edges::default()),
        _ => Scan::new(),
    };
    let (scan, monitor) = with_options(py, scan, function, sources, options)?;
    // Services of object stores may be asked.
    let chosen = move || columns(&scan).map(|columns| (scan, columns));
    let (scan, columns) = Running::start(monitor.clone(), chosen)?.finish(py, None)?;
    let mut table = Table::new(columns, batch_rows.max(1));
    let field = Arc::new(table.field());
    let (of_run, of_rows) = (monitor.clone(), monitor.clone());
    let start = move |send: SyncSender<ArrayRef>| {
        Running::start(of_run, move || {
            let passed = |batch| running::send(&send, batch, &of_rows);
            let report = for_each_row(scan, |row| match table.push(row) {
                Ok(None) => ControlFlow::Continue(()),
                Ok(Some(full)) => match passed(full) {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                },
                Err(_) => ControlFlow::Break(()),
            })?;
            // If the consumer has gone, the rest is dropped.
            let _ = table.finish().map(|last| last.map(passed));
            Ok(report)
        })
    };
    let report = Arc::new(OnceLock::new());
    let source = RowSource {
        start: Some(Box::new(start)),
        run: None,
        report: Arc::clone(&report),
    };
    let base = PyClassInitializer::from(ArrayStream::new(field, Box::new(source)));
    Py::new(py, base.add_subclass(RowStream { monitor, report }))
}

type Start = Box<dyn FnOnce(SyncSender<ArrayRef>) -> PyResult<Running<doisift::ScanReport>> + Send>;

/// Receives the rows of a run in batches from its thread.
struct RowSource {
    /// Starts the run. `None` once it was started.
    start: Option<Start>,
    run: Option<(Running<doisift::ScanReport>, Receiver<ArrayRef>)>,
    report: Arc<OnceLock<Report>>,
}

impl Source for RowSource {
    fn next(&mut self) -> PyResult<Option<ArrayRef>> {
        if let Some(start) = self.start.take() {
            let (send, batches) = sync_channel(WAITING);
            self.run = Some((start(send)?, batches));
        }
        let Some((run, batches)) = &self.run else {
            return Ok(None);
        };
        loop {
            match batches.recv_timeout(TICK) {
                Ok(batch) => return Ok(Some(batch)),
                Err(RecvTimeoutError::Timeout) => running::handle_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let report = run.end()?;
                    let _ = self.report.set(Report::from(&report));
                    return Ok(None);
                }
            }
        }
    }

    fn close(&mut self) -> PyResult<()> {
        self.start = None;
        let Some((mut run, batches)) = self.run.take() else {
            return Ok(());
        };
        run.cancel();
        drop(batches);
        Python::try_attach(|py| run.await_end(py)).unwrap_or(Ok(()))
    }
}

/// Cancels the run of a stream that is dropped early. Its thread ends by itself.
impl Drop for RowSource {
    fn drop(&mut self) {
        if let Some((run, _)) = &self.run {
            run.cancel();
        }
    }
}
