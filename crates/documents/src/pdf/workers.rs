//! Reads several files at the same time, on threads of their own.

use super::{PdfDocument, PdfLimits, read_text};
use crate::fault::InputError;
use crate::unpackers::UnpackThreads;
use crate::workers::{ResultSender, WorkerThreads};

/// The result of reading a file: its documents, and the error that ended it early.
pub(crate) type PdfText = (Vec<PdfDocument>, Option<InputError>);

/// The documents of a file, or the file itself if they need more memory than its limits.
pub(crate) type PdfAnswer = Result<PdfText, Vec<u8>>;

/// Threads that read files.
pub(crate) type PdfThreads<'u> = WorkerThreads<'u, (Vec<u8>, PdfLimits), PdfAnswer>;

/// Starts the free threads of `unpackers`. Returns `None` if no thread is free or can be started.
pub(crate) fn start(unpackers: &UnpackThreads) -> Option<PdfThreads<'_>> {
    let worker = || {
        Some(
            |(bytes, limits): (Vec<u8>, PdfLimits), answers: &ResultSender<'_, PdfAnswer>| {
                // If the task was halted, the answer is not received.
                answers.send(read_text(&bytes, limits).ok_or(bytes));
            },
        )
    };
    WorkerThreads::start(unpackers, usize::MAX, "pdf", worker)
}

/// Returns the answer for a file that cannot be read.
pub(crate) fn unreadable() -> PdfAnswer {
    Ok((Vec::new(), Some(InputError::Pdf("cannot be read"))))
}
