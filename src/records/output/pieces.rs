//! Divides written bytes into pieces of one size.

use std::io::{self, Write};

/// Bytes of a piece.
const PIECE_BYTES: usize = 64 << 10;

/// Writes to `W` in pieces of one size; only the last may be smaller.
///
/// The output of the gzip encoder depends on how its input is divided into writes. Here the division depends only on the
/// number of bytes written before.
pub(super) struct EvenPieces<W> {
    inner: W,
    gathered: Vec<u8>,
}

impl<W: Write> EvenPieces<W> {
    pub(super) fn new(inner: W) -> Self {
        let gathered = Vec::with_capacity(PIECE_BYTES);
        EvenPieces { inner, gathered }
    }

    pub(super) fn get_ref(&self) -> &W {
        &self.inner
    }

    pub(super) fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Writes the last piece and returns the inner writer.
    pub(super) fn into_inner(mut self) -> io::Result<W> {
        self.inner.write_all(&self.gathered)?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for EvenPieces<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gathered.len() == PIECE_BYTES {
            self.inner.write_all(&self.gathered)?;
            self.gathered.clear();
        }
        let taken = bytes.len().min(PIECE_BYTES - self.gathered.len());
        self.gathered.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Does nothing: a flush would change the division.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
