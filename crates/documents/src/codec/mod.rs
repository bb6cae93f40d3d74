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
mod members;
mod parallel;
mod read;
mod section;
mod streams;
mod xz;
mod xz_threads;
mod zstd;

use self::blocks::BlockReader;
use self::file_members::FileMembers;
#[cfg(feature = "testing")]
use self::file_members::FileReader;
use self::gzip::GzipDecoder;
use self::lz4::Lz4Decoder;
use self::members::{MemberFormat, MemberReader};
use self::parallel::{OrderedReader, ParallelReader};
use self::xz::XzDecoder;
use self::xz_threads::{MIN_FILE_BYTES, XzFile};
use super::fault::{InputError, Packing};
use super::file::SourceFile;
use super::peek::PeekReader;
use super::read::ReadBytes;
use super::read_options::{ReadLimits, ReadOptions};
#[cfg(feature = "testing")]
use super::unpackers::UnpackThreads;

pub(super) use self::bzip2::Bzip2Decoder;
pub(super) use self::inflate::{DeflateWrapper, InflateDecoder, is_deflate, is_zlib};
pub(super) use self::lzma::is_lzma;
pub(super) use self::read::{StopAtError, damaged, early_end};
pub(super) use self::streams::{DecodeFault, DecodeStep, Peek, StreamDecoder, StreamsReader};
pub(super) use self::zstd::ZstdDecoder;

/// Bytes of a read of packed data.
const READ_BYTES: usize = 128 << 10;

/// Unpacks `raw`. If `file` is given, `raw` is all of it.
///
/// After an error, the next read continues after the damage, or returns the end.
///
/// # Errors
/// If the packing cannot be unpacked.
pub(super) fn unpack<'r>(
    packing: Packing,
    raw: PeekReader<impl ReadBytes + 'r>,
    file: Option<&SourceFile>,
    options: &ReadOptions<'r>,
) -> Result<Box<dyn ReadBytes + 'r>, InputError> {
    // The bytes of an object are fetched in order. Threads at several places of it would wait for many small requests.
    let file = file.filter(|file| file.local().is_some());
    Ok(match packing {
        Packing::Gzip => members::<GzipDecoder, FileMembers<GzipDecoder>>(raw, file, options)?,
        Packing::Zstd => members::<ZstdDecoder, FileMembers<ZstdDecoder>>(raw, file, options)?,
        Packing::Bzip2 => members::<Bzip2Decoder, BlockReader>(raw, file, options)?,
        Packing::Zlib => Box::new(StreamsReader::of_file(
            raw.grow(READ_BYTES),
            InflateDecoder::new(DeflateWrapper::Zlib),
        )),
        Packing::Xz => xz(raw, file, options)?,
        Packing::Lz4 => Box::new(MemberReader::<_, Lz4Decoder>::new(raw, &options.limits)?),
        other => return Err(InputError::Unsupported(other)),
    })
}

/// Unpacks the gzip members of `raw` on this thread.
///
/// # Errors
/// If there is no memory for a decoder.
pub(super) fn gzip_members<R: ReadBytes>(
    raw: PeekReader<R>,
    limits: &ReadLimits,
) -> Result<impl ReadBytes + use<R>, InputError> {
    MemberReader::<_, GzipDecoder>::new(raw, limits)
}

/// Unpacks the members of `raw`; on several threads, as `R` reads them, if it is `file`.
fn members<'r, F: MemberFormat, R: OrderedReader + 'r>(
    raw: PeekReader<impl ReadBytes + 'r>,
    file: Option<&SourceFile>,
    options: &ReadOptions<'r>,
) -> Result<Box<dyn ReadBytes + 'r>, InputError> {
    Ok(match (file, options.unpackers) {
        (Some(file), Some(unpackers)) => {
            let counted = raw.held() as u64;
            Box::new(ParallelReader::<R>::new(file, counted, options, unpackers)?)
        }
        (file, _) => {
            let reader = MemberReader::<_, F>::new(raw, &options.limits)?;
            let size = file.map(SourceFile::length).transpose()?;
            Box::new(match size {
                Some(size) => reader.of_file(size, options.whole_member_bytes()),
                None => reader,
            })
        }
    })
}

/// Unpacks xz; on several threads if it is a large `file`.
fn xz<'r>(
    raw: PeekReader<impl ReadBytes + 'r>,
    file: Option<&SourceFile>,
    options: &ReadOptions<'r>,
) -> Result<Box<dyn ReadBytes + 'r>, InputError> {
    if let (Some(file), Some(unpackers)) = (file, options.unpackers) {
        let counted = raw.held() as u64;
        if let Some(reader) = XzFile::open(file, MIN_FILE_BYTES, counted, options, unpackers)? {
            return Ok(Box::new(reader));
        }
    }
    Ok(Box::new(MemberReader::<_, XzDecoder>::new(
        raw,
        &options.limits,
    )?))
}

/// Unpacks the members of `file` in sections of `section` bytes on several threads, even if there are few; on this thread
/// if `section` is 0.
#[cfg(feature = "testing")]
pub(super) fn in_sections<'r>(
    packing: Packing,
    file: &SourceFile,
    section: u64,
    options: &ReadOptions<'r>,
    unpackers: &'r UnpackThreads,
) -> Result<Box<dyn ReadBytes + 'r>, InputError> {
    if section == 0 {
        return unpack(
            packing,
            PeekReader::new(FileReader::new(file, file.length()?, 0)),
            None,
            options,
        );
    }
    Ok(match packing {
        Packing::Gzip => Box::new(ParallelReader::<FileMembers<GzipDecoder>>::in_sections(
            file, section, options, unpackers,
        )?),
        Packing::Zstd => Box::new(ParallelReader::<FileMembers<ZstdDecoder>>::in_sections(
            file, section, options, unpackers,
        )?),
        Packing::Bzip2 => Box::new(ParallelReader::<BlockReader>::in_sections(
            file, section, options, unpackers,
        )?),
        Packing::Xz => match XzFile::open(file, 0, 0, options, unpackers)? {
            Some(reader) => Box::new(reader),
            None => return Err(InputError::Unsupported(Packing::Xz)),
        },
        other => return Err(InputError::Unsupported(other)),
    })
}

#[cfg(test)]
mod tests;
