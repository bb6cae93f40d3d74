//! Bytes gathered to pieces of one size.

use std::io::{self, Write};

/// Bytes of a piece.
const PIECE: usize = 64 << 10;

/// Writes to `W` in pieces that are all of one size but the last.
///
/// What an encoder makes of the same bytes may depend on how they are divided into writes, as that of gzip does. Here the
/// division depends on nothing but how many bytes came before.
pub(super) struct Pieces<W> {
    inner: W,
    gathered: Vec<u8>,
}

impl<W: Write> Pieces<W> {
    pub(super) fn new(inner: W) -> Self {
        let gathered = Vec::with_capacity(PIECE);
        Pieces { inner, gathered }
    }

    pub(super) fn get_ref(&self) -> &W {
        &self.inner
    }

    /// Writes the last piece, and gives back what was written to.
    pub(super) fn into_inner(mut self) -> io::Result<W> {
        self.inner.write_all(&self.gathered)?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for Pieces<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gathered.len() == PIECE {
            self.inner.write_all(&self.gathered)?;
            self.gathered.clear();
        }
        let taken = bytes.len().min(PIECE - self.gathered.len());
        self.gathered.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Does nothing: to flush would be to divide.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
