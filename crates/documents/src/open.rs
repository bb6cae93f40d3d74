//! Opens a source.

use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use doisift_system::{FileStatus, stdin};

use super::attached;
use super::claim::{NameClaims, part_of};
use super::codec::StopAtError;
use super::container::StreamLevel;
use super::content::StreamContent;
use super::documents::DocumentSink;
use super::expansion::Expansion;
use super::fault::InputError;
use super::file::{FileSection, SourceFile, check_end};
use super::magic;
use super::preprocess::CommandOutput;
use super::read::{AsRead, FromRead, ReadAt, ReadBytes};
use super::read_options::ReadOptions;
use super::remote::{RemoteSource, RemoteSources};
use super::source_reader::SourceReader;
use super::sources::{Source, SourceKind};

/// Bytes that are read to check whether a file is text. A smaller file is not read a second time.
const START_BYTES: usize = magic::START_BYTES;

impl ReadOptions<'_> {
    /// Opens a source and passes its documents to `sink`. Returns false for a file that this task created, which is not
    /// read.
    ///
    /// # Errors
    /// If it cannot be opened, or an output would overwrite it. Later errors are reported to `sink`.
    pub fn read_source(
        &self,
        source: &Source,
        sink: &mut dyn DocumentSink,
    ) -> Result<bool, InputError> {
        let file = match source.kind {
            SourceKind::File | SourceKind::Stream => File::open(&source.path)?,
            SourceKind::Stdin => stdin()?,
            SourceKind::Reader => return self.read_stream(source, sink),
            SourceKind::Remote => return self.read_remote(source, sink),
        };
        let status = match source.kind {
            SourceKind::Stdin => FileStatus::of_stdin()?,
            _ => FileStatus::of(&file)?,
        };
        if status.is_folder() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        if self.is_own(&status)? {
            return Ok(false);
        }
        let size = if status.is_file() { status.length() } else { 0 };
        if let Some(by) = self.preprocessor.filter(|by| by.takes(source)) {
            let output = by.start(file, &source.path, self.halt)?;
            self.read_output(output, size, sink);
            return Ok(true);
        }
        let file = SourceFile::from(file);
        let level = match source.kind {
            SourceKind::File => StreamLevel::file(&file, size, &source.path),
            _ => StreamLevel::source(None),
        };
        let bytes = SizedFile {
            file: &file,
            size,
            is_shared: source.kind == SourceKind::File && size > 0,
            read: 0,
            has_ended: false,
        };
        self.read_bytes(level.named(NameClaims::of(&source.path)), bytes, size, sink);
        Ok(true)
    }

    /// Reads an object of a service.
    fn read_remote(
        &self,
        source: &Source,
        sink: &mut dyn DocumentSink,
    ) -> Result<bool, InputError> {
        let claims = NameClaims::of(&source.path);
        let file = match self.open_remote(&source.path)? {
            RemoteSource::Object(object) => SourceFile::from(object),
            RemoteSource::Stream(stream, size) => {
                let level = StreamLevel::source(None).named(claims);
                self.read_bytes(level, FromRead(stream), size.unwrap_or(0), sink);
                return Ok(true);
            }
        };
        let size = file.length()?;
        let mut bytes = FileSection::new(&file, 0, size);
        if let Some(by) = self.preprocessor.filter(|by| by.takes(source)) {
            let output = by.start(copy(&mut bytes, self.temp_folder)?, &source.path, self.halt)?;
            self.read_output(output, size, sink);
            return Ok(true);
        }
        let level = StreamLevel::file(&file, size, &source.path);
        self.read_bytes(level.named(claims), bytes, size, sink);
        Ok(true)
    }

    /// Opens an object of a service.
    fn open_remote(&self, path: &Path) -> Result<RemoteSource, InputError> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let remote = self.remote.ok_or_else(missing)?;
        remote.open(&path.to_string_lossy())
    }

    /// Reads a stream that the caller gave.
    fn read_stream(
        &self,
        source: &Source,
        sink: &mut dyn DocumentSink,
    ) -> Result<bool, InputError> {
        let stream = self
            .readers
            .and_then(|readers| readers.take_reader(&source.path));
        let stream = stream.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let level = StreamLevel::source(None).named(NameClaims::of(&source.path));
        self.read_bytes(level, FromRead(stream), 0, sink);
        Ok(true)
    }

    /// Reads the output of a command instead of a file of `size` bytes.
    fn read_output(&self, mut output: CommandOutput<'_>, size: u64, sink: &mut dyn DocumentSink) {
        let written = AtomicU64::new(0);
        let options = ReadOptions {
            bytes_read: &written,
            ..*self
        };
        // The name claims nothing about the output.
        options.read_bytes(StreamLevel::source(None), &mut output, 0, sink);
        if let Err(error) = output.finish() {
            let offset = written.load(Ordering::Relaxed);
            sink.report_loss(None, offset, error);
        }
        self.bytes_read.fetch_add(size, Ordering::Relaxed);
    }

    /// Passes the documents in `bytes` on; `size` is the number of bytes if it is known, otherwise 0.
    fn read_bytes(
        &self,
        level: StreamLevel<'_>,
        bytes: impl ReadBytes,
        size: u64,
        sink: &mut dyn DocumentSink,
    ) {
        let expansion = Expansion::new(self.limits.expansion, size);
        let mut counted = StopAtError::new(ByteCounter {
            inner: bytes,
            bytes: self.bytes_read,
            expansion: &expansion,
        });
        let mut reader = SourceReader::new(self, &expansion, sink);
        reader.stream(&level, &mut counted);
        let cut_names = reader.finish();
        if cut_names > 0 {
            sink.report_cut_names(cut_names);
        }
    }
}

/// Opens an object of services. One that they give only in order is copied to a file without a name in `temp_folder`.
pub(super) fn object_file(
    services: &dyn RemoteSources,
    name: &str,
    temp_folder: &Path,
) -> Result<SourceFile, InputError> {
    match services.open(name)? {
        RemoteSource::Object(object) => Ok(object.into()),
        RemoteSource::Stream(stream, _) => Ok(copy(&mut FromRead(stream), temp_folder)?.into()),
    }
}

/// Copies an object of services to a file without a name in `folder`.
pub(super) fn object_copy(
    services: &dyn RemoteSources,
    name: &str,
    folder: &Path,
) -> Result<File, InputError> {
    let bytes = match services.open(name)? {
        RemoteSource::Object(object) => object.section(0..object.length()),
        RemoteSource::Stream(stream, _) => stream,
    };
    copy(&mut FromRead(bytes), folder)
}

/// Copies bytes to a file without a name in `folder`, whose position is its start.
fn copy(bytes: &mut dyn ReadBytes, folder: &Path) -> Result<File, InputError> {
    let mut file = tempfile::tempfile_in(folder)?;
    io::copy(&mut AsRead::new(bytes), &mut file)?;
    file.rewind()?;
    Ok(file)
}

/// Returns the first bytes of a regular file of `length` bytes, if it is plain text. Does not move the file's position.
pub fn text_start(
    file: &SourceFile,
    length: u64,
    path: &Path,
) -> Result<Option<Vec<u8>>, InputError> {
    let mut start = [0; START_BYTES];
    let max = length.min(START_BYTES as u64);
    let mut section = FileSection::new(file, 0, max);
    let mut held = 0;
    while held < max as usize {
        match section.read(&mut start[held..]) {
            Ok(read) => held += read,
            // Reading the whole file reports that.
            Err(InputError::Shrunk) => break,
            Err(error) => return Err(error),
        }
    }
    let start = &start[..held];
    let claims = NameClaims::of(path);
    let is_text = attached::recognise(file, length, start, claims) == StreamContent::Text;
    let head = &start[..held.min(magic::HEAD_BYTES)];
    let is_part = part_of(path).is_some() && magic::is_noise(head);
    Ok((is_text && !is_part).then(|| head.to_vec()))
}

/// Returns the encoding of a text that starts with `head`, if it is UTF-16 or UTF-32 without a byte order mark.
pub fn unmarked_encoding(head: &[u8]) -> Option<&'static str> {
    magic::unmarked(head)
}

/// Reads a file, and reports if it became shorter. A short read that reaches the file's size is taken for the end, which
/// saves one call for each file.
struct SizedFile<'r> {
    file: &'r SourceFile,
    /// Size of a regular file when it was opened.
    size: u64,
    /// Whether others read it at offsets. Then its position has no meaning.
    is_shared: bool,
    read: u64,
    has_ended: bool,
}

impl ReadBytes for SizedFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if self.has_ended {
            return Ok(0);
        }
        let read = match self.is_shared {
            true => self.file.read_at(into, self.read)?,
            false => match self.file.local() {
                Some(mut file) => FromRead(&mut file).read(into)?,
                None => 0,
            },
        };
        self.read += read as u64;
        self.has_ended = self.read == self.size && (1..into.len()).contains(&read);
        if read == 0 && !into.is_empty() {
            check_end(self.file, self.read, self.size)?;
        }
        Ok(read)
    }
}

/// Counts the bytes read.
struct ByteCounter<'r, R> {
    inner: R,
    bytes: &'r AtomicU64,
    expansion: &'r Expansion,
}

impl<R: ReadBytes> ReadBytes for ByteCounter<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let read = self.inner.read(into)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        self.expansion.add_read(read as u64);
        Ok(read)
    }
}
