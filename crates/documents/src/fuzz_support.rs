//! Gives fuzz targets access to reading, which is private to the crate. Not part of the public interface.

use std::io::{Seek, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::codec::{self, StopAtError};
use super::container::StreamLevel;
use super::documents::{DocumentHead, DocumentSink};
use super::expansion::Expansion;
use super::fault::{InputError, Packing};
use super::file::SourceFile;
use super::read::ReadBytes;
use super::read_options::ReadOptions;
use super::source_reader::SourceReader;
use super::unpackers::UnpackThreads;

/// Bytes of documents after which reading a source ends, so that inputs which unpack to many bytes take little time.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;

/// A report of reading a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadReport {
    /// A document: its name, its bytes, and its errors with their offsets.
    Document(Option<Arc<str>>, Vec<u8>, Vec<(usize, String)>),
    /// A loss: the name of the document or container, the offset, and the error.
    Lost(Option<Arc<str>>, u64, String),
    /// A document that is not text: its name and kind.
    Skipped(Option<Arc<str>>, &'static str),
    /// There were more errors than bytes, so a document seems to return errors without end.
    Endless,
}

/// How bytes are read as a source. All ways must report the same, unless the source [fails](ReadSetup::fails).
#[derive(Clone, Copy, Debug)]
pub struct ReadSetup {
    /// Maximum number of bytes that a read of the source returns.
    pub read: usize,
    /// Size of the reads from a document.
    pub step: usize,
    /// Number of threads that read the source as a file; 0 for a stream.
    pub threads: usize,
    /// Whether the source ends with an error.
    pub fails: bool,
}

/// Reads `bytes` as a source.
///
/// # Errors
/// If a temporary file cannot be created.
pub fn read(bytes: &[u8], way: ReadSetup) -> Result<Vec<ReadReport>, InputError> {
    let file = match way.threads {
        0 => None,
        _ => Some(file_of(bytes)?),
    };
    let (counter, folder) = (AtomicU64::new(0), std::env::temp_dir());
    let unpackers = UnpackThreads::new(way.threads, 32 << 20);
    let unpackers = Some(&unpackers).filter(|_| way.threads > 1);
    let options = options(&counter, &folder, unpackers);
    let expansion = Expansion::new(options.limits.expansion, bytes.len() as u64);
    let mut documents = DocumentReader::new(bytes, way.step);
    let mut source = StopAtError::new(ByteSource { bytes, way });
    let mut reader = SourceReader::new(&options, &expansion, &mut documents);
    reader.stream(&StreamLevel::source(file.as_ref()), &mut source);
    reader.finish();
    Ok(documents.reported)
}

/// Unpacks gzip, zstd, bzip2 or xz: on this thread, or in sections of `section` bytes on two threads if that is not 0.
///
/// # Errors
/// If there is no temporary file, or no memory for a decoder.
pub fn unpack(packing: Packing, bytes: &[u8], section: u64) -> Result<Vec<ReadReport>, InputError> {
    let (counter, folder) = (AtomicU64::new(0), std::env::temp_dir());
    let unpackers = UnpackThreads::new(2, 32 << 20);
    let options = options(&counter, &folder, Some(&unpackers));
    let mut reader = DocumentReader::new(bytes, 4 << 10);
    let mut unpacked =
        codec::in_sections(packing, &file_of(bytes)?, section, &options, &unpackers)?;
    reader.document(DocumentHead::default(), &mut unpacked);
    Ok(reader.reported)
}

fn options<'r>(
    bytes_read: &'r AtomicU64,
    temp_folder: &'r std::path::Path,
    unpackers: Option<&'r UnpackThreads>,
) -> ReadOptions<'r> {
    let mut options = ReadOptions::for_tests(bytes_read);
    options.limits.window = 8 << 20;
    ReadOptions {
        max_file_bytes: 16 << 20,
        temp_folder,
        unpackers,
        ..options
    }
}

fn file_of(bytes: &[u8]) -> Result<SourceFile, InputError> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

struct ByteSource<'b> {
    bytes: &'b [u8],
    way: ReadSetup,
}

impl ReadBytes for ByteSource<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if self.bytes.is_empty() && self.way.fails {
            return Err(InputError::Shrunk);
        }
        let max = into.len().min(self.way.read.max(1));
        self.bytes.read(&mut into[..max])
    }
}

/// Reads documents to their end, as the pipeline does.
struct DocumentReader {
    reported: Vec<ReadReport>,
    buffer: Vec<u8>,
    /// Number of errors that a document may return.
    max: usize,
    /// Bytes that may still be read.
    left: usize,
}

impl DocumentReader {
    fn new(bytes: &[u8], step: usize) -> Self {
        DocumentReader {
            reported: Vec::new(),
            buffer: vec![0; step.max(1)],
            max: bytes.len() + 8,
            left: MAX_DOCUMENT_BYTES,
        }
    }
}

impl DocumentSink for DocumentReader {
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        let (mut text, mut errors) = (Vec::new(), Vec::new());
        while !self.is_halted() {
            let max = self.buffer.len().min(self.left);
            match bytes.read(&mut self.buffer[..max]) {
                Ok(0) => break,
                Ok(read) => {
                    text.extend_from_slice(&self.buffer[..read]);
                    self.left -= read;
                }
                Err(error) => errors.push((text.len(), error.to_string())),
            }
            if errors.len() > self.max {
                self.left = 0;
                self.reported.push(ReadReport::Endless);
            }
        }
        self.reported
            .push(ReadReport::Document(head.name, text, errors));
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        if !self.is_halted() {
            self.reported
                .push(ReadReport::Lost(name, offset, error.to_string()));
        }
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        if !self.is_halted() {
            self.reported.push(ReadReport::Skipped(name, kind));
        }
    }

    fn is_halted(&self) -> bool {
        self.left == 0
    }
}
