//! Decoders of packings.

mod blocks;
mod bzip2;
mod bzip2_blocks;
mod file_members;
mod gzip;
mod held;
mod inflate;
mod libdeflate;
mod lz4;
mod lzma;
mod lzw;
mod member_stream;
mod members;
mod parallel;
mod read;
mod section;
mod streams;
mod window;
mod xz;
mod xz_blocks;
mod zstd;

use std::fs::File;

use self::blocks::BlockReader;
use self::file_members::FileMembers;
use self::gzip::Gzip;
use self::lz4::Lz4;
use self::lzma::Lzma;
use self::lzw::Lzw;
use self::members::{MemberFormat, MemberReader};
use self::parallel::{OrderedReader, Parallel};
use self::streams::Streams;
use self::xz::Xz;
use super::fault::{InputError, Packing};
use super::raw::Raw;
#[cfg(feature = "testing")]
use super::read::FromRead;
use super::read::ReadBytes;
use super::read_options::{Limits, ReadOptions};
#[cfg(feature = "testing")]
use super::unpackers::Unpackers;

pub(super) use self::bzip2::Bzip2;
pub(super) use self::inflate::{Inflate, Wrapper, is_deflate, is_zlib};
#[cfg(feature = "parquet")]
pub(super) use self::libdeflate::Decompressor;
#[cfg(feature = "seven-zip")]
pub(super) use self::lzma::RawLzma;
pub(super) use self::lzma::is_lzma;
pub(super) use self::lzw::is_lzw;
pub(super) use self::member_stream::{MemberStream, Peek};
#[cfg(feature = "parquet")]
pub(super) use self::members::Whole;
pub(super) use self::read::{Fused, damaged, early_end};
pub(super) use self::streams::{Decode, DecodeFault, DecodeStep};
pub(super) use self::zstd::Zstd;

/// Bytes of a read of packed data.
const READ: usize = 128 << 10;

/// Unpacks `raw`. If `file` is given, `raw` is all of it.
///
/// After an error, the next read continues after the damage, or returns the end.
///
/// # Errors
/// If the packing cannot be unpacked.
pub(super) fn unpack<'r>(
    packing: Packing,
    raw: Raw<impl ReadBytes + 'r>,
    file: Option<&File>,
    options: &ReadOptions<'r>,
) -> Result<Box<dyn ReadBytes + 'r>, InputError> {
    Ok(match packing {
        Packing::Gzip => members::<Gzip, FileMembers<Gzip>>(raw, file, options)?,
        Packing::Zstd => members::<Zstd, FileMembers<Zstd>>(raw, file, options)?,
        Packing::Bzip2 => members::<Bzip2, BlockReader<Bzip2>>(raw, file, options)?,
        Packing::Zlib => Box::new(Streams::new(raw.grow(READ), Inflate::new(Wrapper::Zlib))),
        Packing::Compress => Box::new(Streams::new(raw.grow(READ), Lzw::new())),
        Packing::Lzma => {
            let decoder = Lzma::new(options.limits.window)?;
            Box::new(Streams::new(raw.grow(READ), decoder))
        }
        Packing::Xz => members::<Xz, BlockReader<Xz>>(raw, file, options)?,
        Packing::Lz4 => Box::new(MemberReader::<_, Lz4>::new(raw, &options.limits)?),
        other => return Err(InputError::Unsupported(other)),
    })
}

/// Unpacks the gzip members of `raw` on this thread.
///
/// # Errors
/// If there is no memory for a decoder.
pub(super) fn gzip_members<R: ReadBytes>(
    raw: Raw<R>,
    limits: &Limits,
) -> Result<impl ReadBytes + use<R>, InputError> {
    MemberReader::<_, Gzip>::new(raw, limits)
}

/// Unpacks the members of `raw`; on several threads, as `R` reads them, if it is `file`.
fn members<'r, F: MemberFormat, R: OrderedReader + 'r>(
    raw: Raw<impl ReadBytes + 'r>,
    file: Option<&File>,
    options: &ReadOptions<'r>,
) -> Result<Box<dyn ReadBytes + 'r>, InputError> {
    Ok(match (file, options.unpackers) {
        (Some(file), Some(unpackers)) => {
            let counted = raw.held() as u64;
            Box::new(Parallel::<R>::new(file, counted, options, unpackers)?)
        }
        _ => Box::new(MemberReader::<_, F>::new(raw, &options.limits)?),
    })
}

/// Unpacks the members of `file` in sections of `section` bytes on several threads, even if there are few; on this thread
/// if `section` is 0.
#[cfg(feature = "testing")]
pub(super) fn in_sections<'r>(
    packing: Packing,
    file: &File,
    section: u64,
    options: &ReadOptions<'r>,
    unpackers: &'r Unpackers,
) -> Result<Box<dyn ReadBytes + 'r>, InputError> {
    if section == 0 {
        return unpack(
            packing,
            Raw::new(FromRead(file.try_clone()?)),
            None,
            options,
        );
    }
    Ok(match packing {
        Packing::Gzip => Box::new(Parallel::<FileMembers<Gzip>>::in_sections(
            file, section, options, unpackers,
        )?),
        Packing::Zstd => Box::new(Parallel::<FileMembers<Zstd>>::in_sections(
            file, section, options, unpackers,
        )?),
        Packing::Bzip2 => Box::new(Parallel::<BlockReader<Bzip2>>::in_sections(
            file, section, options, unpackers,
        )?),
        Packing::Xz => Box::new(Parallel::<BlockReader<Xz>>::in_sections(
            file, section, options, unpackers,
        )?),
        other => return Err(InputError::Unsupported(other)),
    })
}

#[cfg(test)]
mod tests;
