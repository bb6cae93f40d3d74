//! Packings: told by their first bytes, undone by streams.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::fault::{InputError, Packing};
use super::raw::Raw;

/// Bytes that tell every packing we know.
pub(super) const MAGIC: usize = 10;

/// The packing whose magic `head` starts with; none for plain bytes.
pub(super) fn packing(head: &[u8]) -> Option<Packing> {
    Some(match head {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
        // A skippable frame, which may come before any other.
        [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
        [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] if is_bzip2_block(block) => Packing::Bzip2,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
        [0x04, 0x22, 0x4d, 0x18, ..] => Packing::Lz4,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Packing::Zip,
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Packing::SevenZip,
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Packing::Rar,
        _ => return None,
    })
}

/// A first block, or the end of a stream that has none: a text may well start with `BZh9`.
fn is_bzip2_block(head: &[u8]) -> bool {
    head.starts_with(&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
        || head.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
}

/// The bytes of `raw`, unpacked as its first bytes tell. The packing comes with them; it is none for plain bytes. Packed
/// ones are read by up to `capacity` at once.
///
/// # Errors
/// If the first bytes cannot be read, or tell a packing that cannot be opened.
pub(super) fn unpack<'r, R: Read + Send + 'r>(
    mut raw: Raw<R>,
    capacity: usize,
) -> Result<(Box<dyn Read + Send + 'r>, Option<Packing>), InputError> {
    let packing = packing(raw.peek(MAGIC)?);
    let bytes: Box<dyn Read + Send + 'r> = match packing {
        None => Box::new(raw),
        Some(Packing::Gzip) => Box::new(Gzip::new(raw.grow(capacity))),
        Some(Packing::Zstd) => Box::new(Zstd(zstd::Decoder::with_buffer(raw.grow(capacity))?)),
        Some(other) => return Err(InputError::Unsupported(other)),
    };
    Ok((bytes, packing))
}

/// All members of a gzip stream in turn. Zeros behind the last are padding; anything else there is an error, after all
/// that came before.
struct Gzip<R: Read> {
    /// None once the end was reached.
    member: Option<GzDecoder<Raw<R>>>,
}

impl<R: Read> Gzip<R> {
    fn new(raw: Raw<R>) -> Self {
        Gzip {
            member: Some(GzDecoder::new(raw)),
        }
    }

    /// Goes on behind the end of a member.
    fn next(&mut self, mut raw: Raw<R>) -> io::Result<()> {
        if raw.peek(2)? == [0x1f, 0x8b] {
            self.member = Some(GzDecoder::new(raw));
        } else if !is_padding(&mut raw)? {
            return Err(InputError::Trailing(Packing::Gzip).into());
        }
        Ok(())
    }
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            match member.read(into) {
                Ok(0) => {}
                Ok(read) => return Ok(read),
                Err(error) => return Err(damaged(Packing::Gzip, error)),
            }
            if let Some(ended) = self.member.take() {
                self.next(ended.into_inner())?;
            }
        }
        Ok(0)
    }
}

/// Whether nothing but zeros is left.
fn is_padding(raw: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let held = raw.fill_buf()?;
        if held.is_empty() {
            return Ok(true);
        }
        if held.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        let count = held.len();
        raw.consume(count);
    }
}

/// All frames of a zstd stream; the crate takes them in turn and passes skippable ones over.
struct Zstd<R: Read>(zstd::Decoder<'static, Raw<R>>);

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0
            .read(into)
            .map_err(|error| damaged(Packing::Zstd, error))
    }
}

fn damaged(packing: Packing, error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::Interrupted => error,
        _ if error.raw_os_error().is_some() => error,
        _ => InputError::Damaged { packing, error }.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes)
            .and_then(|()| out.finish())
            .unwrap_or_default()
    }

    /// What comes out byte by byte through a raw buffer of the least size, and the error that ends it.
    fn unpacked(packed: &[u8]) -> (Vec<u8>, Option<InputError>) {
        let mut out = Vec::new();
        let mut bytes = match unpack(Raw::with_capacity(packed, MAGIC), MAGIC + 1) {
            Ok((bytes, _)) => bytes,
            Err(error) => return (out, Some(error)),
        };
        let mut byte = [0];
        loop {
            match bytes.read(&mut byte) {
                Ok(0) => return (out, None),
                Ok(_) => out.push(byte[0]),
                Err(error) => return (out, Some(error.into())),
            }
        }
    }

    #[test]
    fn all_members_of_a_gzip_are_read_and_zero_padding_is_passed_over() {
        let mut packed = gzip(b"one ");
        packed.extend(gzip(b""));
        packed.extend(gzip(b"two"));
        packed.extend([0; 1000]);
        let (bytes, error) = unpacked(&packed);
        assert_eq!(bytes, b"one two");
        assert!(error.is_none(), "{error:?}");
    }

    #[test]
    fn garbage_behind_a_gzip_is_told_after_all_that_came_before() {
        for garbage in [&b"garbage"[..], b"\x1f", b"\0\0\0x"] {
            let (bytes, error) = unpacked(&[&gzip(b"kept")[..], garbage].concat());
            assert_eq!(bytes, b"kept");
            assert!(
                matches!(error, Some(InputError::Trailing(Packing::Gzip))),
                "{error:?}"
            );
        }
    }

    #[test]
    fn a_gzip_cut_short_anywhere_gives_what_was_whole_and_an_error() {
        let packed = gzip(b"some text, some text");
        for end in 2..packed.len() {
            let (bytes, error) = unpacked(&packed[..end]);
            assert!(
                b"some text, some text".starts_with(&bytes[..]),
                "cut at {end}"
            );
            assert!(
                matches!(error, Some(InputError::Damaged { .. })),
                "cut at {end}: {error:?}"
            );
        }
    }

    #[test]
    fn all_frames_of_a_zstd_are_read_also_behind_a_skippable_one() -> io::Result<()> {
        let mut packed = vec![0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'x', b'x'];
        packed.extend(zstd::encode_all(&b"one "[..], 1)?);
        packed.extend(zstd::encode_all(&b"two"[..], 1)?);
        let (bytes, error) = unpacked(&packed);
        assert_eq!(bytes, b"one two");
        assert!(error.is_none(), "{error:?}");
        let (_, error) = unpacked(&packed[..packed.len() - 1]);
        assert!(
            matches!(
                error,
                Some(InputError::Damaged {
                    packing: Packing::Zstd,
                    ..
                })
            ),
            "{error:?}"
        );
        Ok(())
    }

    #[test]
    fn a_text_that_starts_like_a_magic_is_text() {
        for text in [&b"BZh9 10.5555/a"[..], b"PK", b"7z", b"Rar!", b"\x1f", b""] {
            assert_eq!(unpacked(text).0, text);
        }
    }
}
