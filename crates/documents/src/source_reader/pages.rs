//! Reads PDF files among the documents of a source: holds them in memory, gives them to threads, and passes their pages on
//! in order.

use std::collections::VecDeque;
use std::sync::mpsc::Receiver;

use super::SourceReader;
use crate::container::{MemberSink, StreamLevel};
use crate::documents::TextOrigin;
use crate::expansion::ExpansionReader;
use crate::fault::{InputError, Packing};
use crate::pdf::{self, PdfAnswer, PdfDocument, PdfLimits, PdfText, PdfThreads};
use crate::peek::PeekReader;
use crate::read::ReadBytes;

/// Files for each thread that were given to the threads and not passed on yet.
const FILES_PER_THREAD: usize = 4;
/// Bytes of a read.
const READ_BYTES: usize = 1 << 20;
/// Bytes of the buffer for a large file of unknown length.
const UNKNOWN_LENGTH_BYTES: usize = 64 << 20;

/// Files that are being read, in their order.
#[derive(Default)]
pub(super) struct PdfQueue<'u> {
    files: VecDeque<PendingPdf>,
    /// Started by the first file in a container.
    workers: Option<PdfThreads<'u>>,
    /// Bytes of the files.
    held: usize,
}

/// A file that is being read.
struct PendingPdf {
    level: StreamLevel<'static>,
    text: Receiver<PdfAnswer>,
    length: usize,
}

impl SourceReader<'_> {
    /// Passes on the pages of a file. In a container, threads read it, and its pages are passed on before the next document
    /// that is not a page.
    pub(super) fn pdf(&mut self, level: &StreamLevel<'_>, mut raw: PeekReader<&mut dyn ReadBytes>) {
        if !self.options.reads_pdfs {
            return self.skip(level, "pdf", raw);
        }
        let max = self.options.max_file_bytes;
        // The text of a file is held beside its bytes until it is scanned.
        let share = (self.options.thread_bytes / 2).min(max);
        let mut bytes = Vec::new();
        let is_large = level.length > max as u64;
        // A file that is known to need more than the share is read when no other thread holds one.
        let is_shared = level.length <= share as u64;
        if !is_shared || !self.fill(level, &mut raw, &mut bytes, share) {
            return self.large_pdf(level, &mut raw, bytes, is_large);
        }
        let limits = PdfLimits::of(bytes.len(), share / 2, share == max);
        self.start_workers(level);
        let length = bytes.len();
        let Some(workers) = &self.pdfs.workers else {
            return match pdf::read_text(&bytes, limits) {
                Some(text) => self.pass_on(level, text),
                None => self.read_alone(level, &bytes),
            };
        };
        let limit = FILES_PER_THREAD * workers.threads();
        let file = PendingPdf {
            level: level.detached(),
            text: workers.start_job((bytes, limits), 1, pdf::unreadable()),
            length,
        };
        self.pdfs.files.push_back(file);
        self.pdfs.held += length;
        while self.pdfs.files.len() > limit || self.pdfs.held > share {
            self.flush_first_file();
        }
    }

    /// Reads a file of which `bytes` are more than a thread's share, while no other thread has such a file.
    fn large_pdf(
        &mut self,
        level: &StreamLevel<'_>,
        raw: &mut PeekReader<&mut dyn ReadBytes>,
        mut bytes: Vec<u8>,
        is_large: bool,
    ) {
        let max = self.options.max_file_bytes;
        // Passing on waits for scans, so it comes before and after the admission.
        self.flush_pages();
        let alone = self.options.admit();
        if !is_large {
            // A buffer that grows is copied, and both are held meanwhile.
            let length = match level.length {
                0 => max.min(UNKNOWN_LENGTH_BYTES),
                length => length as usize,
            };
            let rest = length.saturating_sub(bytes.len());
            let _ = bytes.try_reserve_exact(rest + READ_BYTES);
        }
        let text = if !is_large && self.fill(level, raw, &mut bytes, max) {
            pdf::read_text(&bytes, PdfLimits::of(bytes.len(), max / 2, true))
        } else {
            None
        };
        drop(bytes);
        drop(alone);
        match text {
            Some(text) => self.pass_on(level, text),
            None => {
                let (packing, limit) = (Packing::Pdf, max as u64);
                self.report_loss(level, 0, InputError::TooLarge { packing, limit });
            }
        }
    }

    /// Reads a file that needs more than a thread's share, while no other thread reads one.
    fn read_alone(&mut self, level: &StreamLevel<'_>, bytes: &[u8]) {
        let limits = PdfLimits::of(bytes.len(), self.options.max_file_bytes / 2, true);
        let alone = self.options.admit();
        let text = pdf::read_text(bytes, limits);
        drop(alone);
        if let Some(text) = text {
            self.pass_on(level, text);
        }
    }

    /// Reads a stream into `bytes`. Returns false if it has more than `max` bytes.
    fn fill(
        &mut self,
        level: &StreamLevel<'_>,
        raw: &mut PeekReader<&mut dyn ReadBytes>,
        bytes: &mut Vec<u8>,
        max: usize,
    ) -> bool {
        while bytes.len() <= max {
            match raw.read_up_to(READ_BYTES, bytes) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => self.report_loss(level, bytes.len() as u64, error),
            }
        }
        false
    }

    /// Starts threads if the file is in a container, where others may follow.
    fn start_workers(&mut self, level: &StreamLevel<'_>) {
        if self.pdfs.workers.is_none() && level.name.is_some() {
            self.pdfs.workers = self.options.unpackers.and_then(pdf::start_workers);
        }
    }

    /// Passes on the pages of all PDF files that are being read.
    pub(crate) fn flush_pages(&mut self) {
        while !self.pdfs.files.is_empty() {
            self.flush_first_file();
        }
    }

    fn flush_first_file(&mut self) {
        let Some(file) = self.pdfs.files.pop_front() else {
            return;
        };
        self.pdfs.held -= file.length;
        match file.text.recv().unwrap_or_else(|_| pdf::unreadable()) {
            Ok(text) => self.pass_on(&file.level, text),
            Err(bytes) => self.read_alone(&file.level, &bytes),
        }
    }

    fn pass_on(&mut self, level: &StreamLevel<'_>, (documents, error): PdfText) {
        for (number, document) in (1..).zip(documents) {
            if self.is_over() {
                return;
            }
            self.pdf_document(level, number, document);
        }
        if let Some(error) = error {
            self.report_loss_now(level, 0, error);
        }
    }

    fn pdf_document(&mut self, level: &StreamLevel<'_>, number: u64, document: PdfDocument) {
        if !self.has_room() {
            let limit = self.options.limits.members;
            return self.report_loss_now(level, 0, InputError::Members(limit));
        }
        let level = level.member(number, &document.name);
        if document.is_blank {
            self.sink.skip(level.name.clone(), "pdf page");
        } else {
            let origin = match document.is_page {
                true => TextOrigin::Page,
                false => TextOrigin::Metadata,
            };
            let text = document.text.as_bytes();
            let mut bytes = ExpansionReader::of_unpacked(text, &self.expansion);
            self.document_now(level.head_of(origin), &mut bytes);
        }
        if let Some(error) = document.error {
            self.report_loss_now(&level, document.text.len() as u64, error);
        }
    }

    /// Reports a loss before the files that are still being read.
    fn report_loss_now(&mut self, level: &StreamLevel<'_>, offset: u64, error: InputError) {
        self.sink.report_loss(level.name.clone(), offset, error);
    }
}
