//! Reads several files at the same time, on threads of their own.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::{PdfDocument, PdfLimits, read};
use crate::fault::InputError;
use crate::lock::lock;
use crate::unpackers::{Lease, Unpackers};

/// What reading a file gives: its documents, and the error that ended it early.
pub(crate) type PdfText = (Vec<PdfDocument>, Option<InputError>);

/// The documents of a file; the file itself if they need more memory than its limits.
pub(crate) type PdfAnswer = Result<PdfText, Vec<u8>>;

/// A file to read, and where its documents go.
struct FileJob {
    bytes: Vec<u8>,
    limits: PdfLimits,
    to: Sender<PdfAnswer>,
}

/// Threads that read files.
pub(crate) struct PdfCrew<'u> {
    /// None once no more jobs come.
    jobs: Option<Sender<FileJob>>,
    threads: Vec<JoinHandle<()>>,
    _lease: Lease<'u>,
}

impl<'u> PdfCrew<'u> {
    /// Starts the free threads of `unpackers`. None if there are none.
    pub(crate) fn start(unpackers: &'u Unpackers) -> Option<Self> {
        let lease = unpackers.take()?;
        let (sender, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let start = |_| {
            let jobs = Arc::clone(&jobs);
            let thread = thread::Builder::new().name("pdf".into());
            thread.spawn(move || work(&jobs)).ok()
        };
        let threads: Vec<_> = (0..lease.threads).map_while(start).collect();
        (!threads.is_empty()).then_some(PdfCrew {
            jobs: Some(sender),
            threads,
            _lease: lease,
        })
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Gives a file to the threads. Its documents come out of the receiver.
    pub(crate) fn give(&self, bytes: Vec<u8>, limits: PdfLimits) -> Receiver<PdfAnswer> {
        let (to, from) = mpsc::channel();
        let job = FileJob { bytes, limits, to };
        if let Some(jobs) = &self.jobs {
            // This cannot fail: the threads receive until the sender is dropped.
            let _ = jobs.send(job);
        }
        from
    }
}

impl Drop for PdfCrew<'_> {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A panic was reported by the job.
            let _ = thread.join();
        }
    }
}

fn work(jobs: &Mutex<Receiver<FileJob>>) {
    loop {
        // The thread that holds the lock waits for the next job, the other threads for the lock.
        let job = lock(jobs).recv();
        let Ok(job) = job else { return };
        // Nobody waits for it if the run was halted.
        let _ = job.to.send(read(&job.bytes, job.limits).ok_or(job.bytes));
    }
}
