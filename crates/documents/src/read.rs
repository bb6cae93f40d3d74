//! Readers of bytes, with the errors of this crate.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use super::fault::InputError;
use super::lock::lock;

/// Bytes that are added at once to a vector that is read into.
const GROWTH_BYTES: usize = 32 << 10;

/// A source of bytes that are read in order.
///
/// Like [`Read`], but its error is an [`InputError`]. After an error, the next read continues after the damage, or returns
/// the end.
pub trait ReadBytes {
    /// Reads some bytes. Returns their number; 0 only at the end, or if `into` is empty.
    ///
    /// # Errors
    /// The loss before the next byte.
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError>;

    /// Appends all bytes up to the end or an error to `into`. Returns their number.
    ///
    /// # Errors
    /// The first error. The bytes before it are in `into`.
    fn read_to_end(&mut self, into: &mut Vec<u8>) -> Result<usize, InputError> {
        self.read_up_to(usize::MAX, into)
    }

    /// Appends `max` bytes to `into`, or fewer if the end comes before. Returns their number.
    ///
    /// # Errors
    /// The first error. The bytes before it are in `into`.
    fn read_up_to(&mut self, max: usize, into: &mut Vec<u8>) -> Result<usize, InputError> {
        let start = into.len();
        let end = start.saturating_add(max);
        let mut filled = start;
        let ended = loop {
            if filled == end {
                break Ok(());
            }
            if filled == into.len() {
                into.resize(end.min(filled + GROWTH_BYTES), 0);
            }
            match self.read(&mut into[filled..]) {
                Ok(0) => break Ok(()),
                Ok(read) => filled += read,
                Err(error) => break Err(error),
            }
        };
        into.truncate(filled);
        ended.map(|()| filled - start)
    }

    /// Fills `into`. Returns false if the end comes before.
    ///
    /// # Errors
    /// The first error. The bytes before it are dropped.
    fn read_full(&mut self, into: &mut [u8]) -> Result<bool, InputError> {
        let mut filled = 0;
        while filled < into.len() {
            match self.read(&mut into[filled..])? {
                0 => return Ok(false),
                read => filled += read,
            }
        }
        Ok(true)
    }

    /// Drops `max` bytes, or fewer if the end comes before. Returns their number.
    ///
    /// # Errors
    /// The first error.
    fn skip(&mut self, max: u64) -> Result<u64, InputError> {
        let mut dropped = [0; 8 << 10];
        let mut left = max;
        while left > 0 {
            let step = dropped
                .len()
                .min(usize::try_from(left).unwrap_or(usize::MAX));
            match self.read(&mut dropped[..step])? {
                0 => break,
                read => left -= read as u64,
            }
        }
        Ok(max - left)
    }

    /// Returns the unpacked form of the rest of the bytes, if they are packed by gzip and another thread unpacks them.
    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        None
    }
}

/// A file that is read at offsets.
pub trait ReadAt: Send + Sync {
    /// Reads bytes at the offset `at`. Returns 0 only at the end, or if `into` is empty. An interrupted read is repeated.
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize>;

    /// Says that the bytes of `range` will be read in order, so that those of an object are fetched in large pieces.
    fn expect(&self, _range: Range<u64>) {}
}

/// Bytes that are in a buffer before they are read.
pub trait ReadBuffer: ReadBytes {
    /// Returns the bytes in the buffer, which is filled if it is empty. Returns no bytes only at the end.
    ///
    /// # Errors
    /// The loss before the next byte.
    fn fill_buf(&mut self) -> Result<&[u8], InputError>;

    /// Removes the first `count` bytes from the buffer.
    fn consume(&mut self, count: usize);

    /// Drops all bytes up to and including the next `end`. Returns their number.
    ///
    /// # Errors
    /// The first error.
    fn skip_until(&mut self, end: u8) -> Result<usize, InputError> {
        let mut dropped = 0;
        loop {
            let held = self.fill_buf()?;
            let found = memchr::memchr(end, held);
            let count = found.map_or(held.len(), |at| at + 1);
            self.consume(count);
            dropped += count;
            if found.is_some() || count == 0 {
                return Ok(dropped);
            }
        }
    }
}

impl<R: ReadBytes + ?Sized> ReadBytes for &mut R {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        (**self).read(into)
    }

    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        (**self).unpacked_ahead()
    }
}

impl<R: ReadBytes + ?Sized> ReadBytes for Box<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        (**self).read(into)
    }

    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        (**self).unpacked_ahead()
    }
}

/// Reads bytes in memory.
impl ReadBytes for &[u8] {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let count = into.len().min(self.len());
        let (first, rest) = self.split_at(count);
        into[..count].copy_from_slice(first);
        *self = rest;
        Ok(count)
    }
}

/// Reads by copying from the buffer of `from`.
pub(super) fn read_held(from: &mut impl ReadBuffer, into: &mut [u8]) -> Result<usize, InputError> {
    let count = ReadBytes::read(&mut from.fill_buf()?, into)?;
    from.consume(count);
    Ok(count)
}

/// Reads the bytes of a [`Read`]. An interrupted read is repeated.
pub struct FromRead<R>(pub R);

impl<R: Read> ReadBytes for FromRead<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        loop {
            match self.0.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return Ok(read?),
            }
        }
    }
}

/// Adapts bytes to [`Read`]. An error of a read has only the text of the [`InputError`], which is kept.
pub struct AsRead<R> {
    bytes: R,
    fault: Option<InputError>,
}

impl<R: ReadBytes> AsRead<R> {
    /// Reads `bytes`.
    pub fn new(bytes: R) -> Self {
        AsRead { bytes, fault: None }
    }

    /// Takes the error of the last read that failed.
    pub fn take_fault(&mut self) -> Option<InputError> {
        self.fault.take()
    }
}

impl<R: ReadBytes> Read for AsRead<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(into).map_err(|fault| {
            let error = io::Error::other(fault.to_string());
            self.fault = Some(fault);
            error
        })
    }
}

/// The bytes of one reader, then an error if there is one, then the bytes of another reader.
pub(super) struct ChainedReader<A, B> {
    /// `None` after its end.
    first: Option<A>,
    error: Option<InputError>,
    second: B,
}

impl<A: ReadBytes, B: ReadBytes> ChainedReader<A, B> {
    pub(super) fn new(first: A, error: Option<InputError>, second: B) -> Self {
        ChainedReader {
            first: Some(first),
            error,
            second,
        }
    }
}

impl<A: ReadBytes, B: ReadBytes> ReadBytes for ChainedReader<A, B> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if into.is_empty() {
            return Ok(0);
        }
        if let Some(first) = &mut self.first {
            let read = first.read(into)?;
            if read > 0 {
                return Ok(read);
            }
            self.first = None;
        }
        match self.error.take() {
            Some(error) => Err(error),
            None => self.second.read(into),
        }
    }
}

/// Unpacked bytes, an error between them, or no bytes at the end.
pub(super) type UnpackedPiece = Result<UnpackedBytes, InputError>;

/// Unpacked bytes, in a buffer that is used again.
#[derive(Default)]
pub(super) struct UnpackedBytes {
    pub(super) buffer: Vec<u8>,
    pub(super) filled: usize,
}

/// Buffers of pieces that were read.
#[derive(Default)]
pub(super) struct SpareBuffers(Mutex<Vec<Vec<u8>>>);

impl SpareBuffers {
    /// Returns one of them, or a new one.
    pub(super) fn take_buffer(&self) -> Vec<u8> {
        lock(&self.0).pop().unwrap_or_default()
    }

    fn add(&self, buffer: Vec<u8>) {
        if buffer.capacity() > 0 {
            lock(&self.0).push(buffer);
        }
    }
}

/// Bytes that another thread unpacks.
pub struct UnpackedAhead {
    /// The first piece, until it is read.
    first: Option<UnpackedPiece>,
    from: Receiver<UnpackedPiece>,
    piece: UnpackedBytes,
    /// Number of bytes of the piece that were read.
    at: usize,
    has_ended: bool,
    spare: Arc<SpareBuffers>,
    /// Number of packed bytes.
    packed: u64,
}

impl UnpackedAhead {
    /// Reads the first piece, and then the pieces that come `from` a thread. Buffers that were read are added to `spare`.
    pub(super) fn new(
        first: UnpackedPiece,
        from: Receiver<UnpackedPiece>,
        spare: Arc<SpareBuffers>,
        packed: u64,
    ) -> Self {
        UnpackedAhead {
            first: Some(first),
            from,
            piece: UnpackedBytes::default(),
            at: 0,
            has_ended: false,
            spare,
            packed,
        }
    }

    /// Returns the number of packed bytes.
    pub(super) fn packed(&self) -> u64 {
        self.packed
    }

    /// Takes the next piece.
    fn take_piece(&mut self) -> Result<(), InputError> {
        self.spare.add(std::mem::take(&mut self.piece).buffer);
        self.at = 0;
        let next = self.first.take().or_else(|| self.from.recv().ok());
        self.piece = next.unwrap_or_else(|| Ok(UnpackedBytes::default()))?;
        self.has_ended = self.piece.filled == 0;
        Ok(())
    }
}

impl ReadBytes for UnpackedAhead {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while self.at == self.piece.filled && !into.is_empty() && !self.has_ended {
            self.take_piece()?;
        }
        let rest = &self.piece.buffer[self.at..self.piece.filled];
        let count = into.len().min(rest.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peek::PeekReader;

    /// Bytes one by one, with an error before each zero.
    struct Steps<'b>(&'b [u8], bool);

    impl ReadBytes for Steps<'_> {
        fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
            self.1 = self.0.first() == Some(&0) && !self.1;
            if self.1 {
                return Err(InputError::Shrunk);
            }
            let max = into.len().min(1);
            ReadBytes::read(&mut self.0, &mut into[..max])
        }
    }

    #[test]
    fn bytes_before_an_error_are_kept_and_reading_goes_on_after_it() {
        let mut steps = Steps(b"ab\0cd", false);
        let mut into = b"x".to_vec();
        assert!(steps.read_to_end(&mut into).is_err());
        assert_eq!(into, b"xab");
        assert_eq!(steps.read_up_to(2, &mut into).unwrap(), 2);
        assert_eq!(into, b"xab\0c");
        assert_eq!(steps.read_to_end(&mut into).unwrap(), 1);
        assert_eq!(into, b"xab\0cd");
    }

    #[test]
    fn the_end_before_all_is_there_is_told_by_what_is_returned() {
        let mut into = [0; 3];
        assert!(Steps(b"abc", false).read_full(&mut into).unwrap());
        assert_eq!(&into, b"abc");
        assert!(!Steps(b"ab", false).read_full(&mut into).unwrap());
        assert_eq!(Steps(b"abc", false).skip(2).unwrap(), 2);
        assert_eq!(Steps(b"abc", false).skip(9).unwrap(), 3);
        let mut raw = PeekReader::new(Steps(b"ab\ncd", false));
        assert_eq!(raw.skip_until(b'\n').unwrap(), 3);
        assert_eq!(raw.skip_until(b'\n').unwrap(), 2);
    }

    #[test]
    fn the_error_behind_that_of_a_std_reader_is_kept() {
        let mut read = AsRead::new(Steps(b"a\0", false));
        let mut out = Vec::new();
        let error = read.read_to_end(&mut out).unwrap_err();
        assert_eq!(error.to_string(), InputError::Shrunk.to_string());
        assert!(matches!(read.take_fault(), Some(InputError::Shrunk)));
        assert!(read.take_fault().is_none());
        read.read_to_end(&mut out).unwrap();
        assert_eq!(out, b"a\0");
    }

    #[test]
    fn an_interrupted_read_is_repeated() {
        struct Interrupted(bool);
        impl Read for Interrupted {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                if std::mem::take(&mut self.0) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                into[0] = b'a';
                Ok(1)
            }
        }
        assert_eq!(FromRead(Interrupted(true)).read(&mut [0]).unwrap(), 1);
    }

    #[test]
    fn the_second_reader_starts_after_the_end_of_the_first() {
        let mut chain =
            ChainedReader::new(Steps(b"a\0", false), Some(InputError::Folder), &b"b"[..]);
        let mut out = Vec::new();
        let shrunk = chain.read_to_end(&mut out).unwrap_err();
        assert!(matches!(shrunk, InputError::Shrunk) && out == b"a");
        let between = chain.read_to_end(&mut out).unwrap_err();
        assert!(matches!(between, InputError::Folder) && out == b"a\0");
        chain.read_to_end(&mut out).unwrap();
        assert_eq!(out, b"a\0b");
    }
}
