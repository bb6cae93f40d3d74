//! The streams of an OLE2 file (MS-CFB), in which old office programs and encryption store documents. The crate `cfb` reads
//! its tables.

use std::io::{self, ErrorKind, Read};

use cfb::{CompoundFile, OpenOptions, Stream};

use crate::fault::InputError;
use crate::file::{FileCursor, SourceFile};
use crate::read::ReadBytes;

/// Minimum bytes of a sector, and maximum bytes of memory that the tables of a file take for each sector.
const MIN_SECTOR_BYTES: u64 = 512;
const TABLE_BYTES_PER_SECTOR: u64 = 32;
/// Bytes of a stream that are held.
const HELD_BYTES: usize = 64 << 10;

/// An OLE2 file.
pub(super) struct OleFile<'f>(CompoundFile<FileCursor<'f>>);

impl<'f> OleFile<'f> {
    /// Reads the tables of `file`, which may take `memory` bytes.
    pub(super) fn open(file: &'f SourceFile, memory: usize) -> Result<Self, InputError> {
        let sectors = file.length()? / MIN_SECTOR_BYTES;
        if sectors * TABLE_BYTES_PER_SECTOR > memory as u64 {
            let fault = "is too large for --memory, and was not read";
            return Err(InputError::Office(fault));
        }
        let options = OpenOptions::new().max_buffer_size(HELD_BYTES);
        let damaged = "has a damaged directory of its parts and was not read; get it again";
        let opened = options.open_with(FileCursor::new(file));
        Ok(OleFile(opened.map_err(|error| fault(error, damaged))?))
    }

    /// Whether the top folder has a stream with this name, in any case.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.is_stream(name)
    }

    /// Returns the stream with this name.
    pub(super) fn stream(&mut self, name: &str) -> Option<OleStream<'f>> {
        let stream = self.0.open_stream(name).ok()?;
        Some(OleStream {
            left: stream.len(),
            stream,
        })
    }
}

/// Reads a stream.
pub(super) struct OleStream<'f> {
    stream: Stream<FileCursor<'f>>,
    /// Bytes that were not read yet.
    left: u64,
}

impl ReadBytes for OleStream<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let damaged = "is cut short, or its sectors are damaged; get it again";
        if self.left == 0 || into.is_empty() {
            return Ok(0);
        }
        // Nothing follows an error.
        let left = std::mem::take(&mut self.left);
        match self.stream.read(into) {
            Ok(0) => Err(InputError::Office(damaged)),
            Ok(read) => {
                self.left = left - read as u64;
                Ok(read)
            }
            Err(error) => Err(fault(error, damaged)),
        }
    }
}

/// Returns an error of the system as it is, and `damaged` for a fault in the bytes.
fn fault(error: io::Error, damaged: &'static str) -> InputError {
    match error.kind() {
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
            InputError::Office(damaged)
        }
        _ => InputError::Io(error),
    }
}
