//! An output that can count and checksum its bytes while they are written.

use std::io::{self, Write};

use xxhash_rust::xxh3::Xxh3;

/// A file or object that is written from its start to its end.
pub(super) struct Summed<W> {
    inner: W,
    /// Number of bytes and checksum. `None` if not wanted.
    sum: Option<Box<(u64, Xxh3)>>,
}

impl<W> Summed<W> {
    pub(super) fn new(inner: W) -> Self {
        Summed { inner, sum: None }
    }

    /// Starts to count and checksum bytes.
    pub(super) fn start(&mut self) {
        self.sum = Some(Box::new((0, Xxh3::new())));
    }

    /// Returns the number of bytes and their xxh3-64; zeros if not started.
    pub(super) fn sum(&self) -> (u64, u64) {
        let sum = self.sum.as_deref();
        sum.map_or((0, 0), |(bytes, sum)| (*bytes, sum.digest()))
    }

    pub(super) fn get_ref(&self) -> &W {
        &self.inner
    }

    pub(super) fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    pub(super) fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        if let Some(sum) = &mut self.sum {
            sum.0 += written as u64;
            sum.1.update(&bytes[..written]);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
