//! Packings, undone by streams.

mod bzip2;
mod gzip;
mod libdeflate;
mod lz4;
mod lzma;
mod members;
mod parallel;
mod section;
mod streams;
mod unpackers;
mod window;
mod xz;
mod zlib;
mod zstd;

use std::fs::File;
use std::io::{self, BufRead, Read};

use self::gzip::Gzip;
use self::lz4::Lz4;
use self::lzma::Lzma;
use self::members::{Format, Members};
use self::parallel::Parallel;
use self::streams::Streams;
use self::xz::Xz;
use self::zlib::Zlib;
use super::fault::{InputError, Packing};
use super::open::{Limits, Opening};
use super::raw::Raw;

pub(super) use self::bzip2::Bzip2;
pub(super) use self::lzma::is_lzma;
pub(super) use self::members::hits_what_came;
pub(super) use self::streams::{Decode, HEAD, Step};
pub(crate) use self::unpackers::Unpackers;
pub(super) use self::zlib::{is_deflate, is_zlib};
pub(super) use self::zstd::Zstd;

/// Bytes that are read at once before they are unpacked.
const READ: usize = 128 << 10;

/// The bytes of `raw`, unpacked; all of them are those of `file`, if it is given.
///
/// After an error, the next read goes on behind the damage, or gives the end.
///
/// # Errors
/// If it is a packing that cannot be undone.
pub(super) fn unpack<'r>(
    packing: Packing,
    raw: Raw<impl Read + 'r>,
    file: Option<&File>,
    opening: &Opening<'r>,
) -> Result<Box<dyn Read + 'r>, InputError> {
    Ok(match packing {
        Packing::Gzip => members::<Gzip>(raw, file, opening)?,
        Packing::Zstd => members::<Zstd>(raw, file, opening)?,
        Packing::Bzip2 => members::<Bzip2>(raw, file, opening)?,
        Packing::Zlib => Box::new(Streams::new(raw.grow(READ), Zlib::new())),
        Packing::Lzma => {
            let decoder = Lzma::new(opening.limits.window)?;
            Box::new(Streams::new(raw.grow(READ), decoder))
        }
        Packing::Xz => Box::new(Members::<_, Xz>::new(raw, &opening.limits)?),
        Packing::Lz4 => Box::new(Members::<_, Lz4>::new(raw, &opening.limits)?),
        other => return Err(InputError::Unsupported(other)),
    })
}

/// The members of `raw`, on several threads if its bytes are those of `file`.
fn members<'r, F: Format>(
    raw: Raw<impl Read + 'r>,
    file: Option<&File>,
    opening: &Opening<'r>,
) -> io::Result<Box<dyn Read + 'r>> {
    Ok(match (file, opening.unpackers) {
        (Some(file), Some(unpackers)) => {
            let counted = raw.held() as u64;
            Box::new(Parallel::<F>::new(file, counted, opening, unpackers)?)
        }
        _ => Box::new(Members::<_, F>::new(raw, &opening.limits)?),
    })
}

/// The members of `file` in sections of `section` bytes on several threads, however few there are; in turn if it is 0.
#[cfg(feature = "naive")]
pub(super) fn in_sections<'r>(
    packing: Packing,
    file: &File,
    section: u64,
    opening: &Opening<'r>,
    unpackers: &'r Unpackers,
) -> Result<Box<dyn Read + 'r>, InputError> {
    if section == 0 {
        return unpack(packing, Raw::new(file.try_clone()?), None, opening);
    }
    Ok(match packing {
        Packing::Gzip => Box::new(Parallel::<Gzip>::in_sections(
            file, section, opening, unpackers,
        )?),
        Packing::Zstd => Box::new(Parallel::<Zstd>::in_sections(
            file, section, opening, unpackers,
        )?),
        Packing::Bzip2 => Box::new(Parallel::<Bzip2>::in_sections(
            file, section, opening, unpackers,
        )?),
        other => return Err(InputError::Unsupported(other)),
    })
}

/// Ends at the first error.
pub(super) struct Fused<R> {
    inner: R,
    failed: bool,
}

impl<R> Fused<R> {
    pub(super) fn new(inner: R) -> Self {
        Fused {
            inner,
            failed: false,
        }
    }
}

impl<R: Read> Read for Fused<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Ok(0);
        }
        let result = self.inner.read(into);
        self.failed = result
            .as_ref()
            .is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        result
    }
}

/// Passes zeros over. Whether nothing else is left.
fn is_padding(raw: &mut impl BufRead) -> io::Result<bool> {
    loop {
        fill(raw)?;
        let held = raw.fill_buf()?;
        if held.is_empty() {
            return Ok(true);
        }
        let count = held.iter().take_while(|byte| **byte == 0).count();
        let is_all = count == held.len();
        raw.consume(count);
        if !is_all {
            return Ok(false);
        }
    }
}

/// Has bytes at hand, unless the source has ended.
pub(super) fn fill(raw: &mut impl BufRead) -> io::Result<()> {
    loop {
        match raw.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result.map(drop),
        }
    }
}

pub(super) fn early_end() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it ends too early")
}

/// What a codec says of the bytes it was given. Errors of reading them pass.
pub(super) fn damaged(packing: Packing, error: io::Error) -> io::Error {
    let is_told = error
        .get_ref()
        .is_some_and(|inner| inner.is::<InputError>());
    match error.kind() {
        io::ErrorKind::Interrupted => error,
        _ if is_told || error.raw_os_error().is_some() => error,
        _ => InputError::Damaged { packing, error }.into(),
    }
}

#[cfg(test)]
mod tests;
