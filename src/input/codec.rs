//! Packings, undone by streams.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::fault::{InputError, Packing};
use super::open::Opening;
use super::raw::Raw;

/// Bytes that are read at once before they are unpacked.
const READ: usize = 128 << 10;

/// The bytes of `raw`, unpacked.
///
/// After an error, the next read goes on behind the damage, or gives the end.
///
/// # Errors
/// If it is a packing that cannot be undone.
pub(super) fn unpack<'r>(
    packing: Packing,
    raw: Raw<&'r mut dyn Read>,
    _opening: &Opening<'_>,
) -> Result<Box<dyn Read + 'r>, InputError> {
    let raw = raw.grow(READ);
    Ok(match packing {
        Packing::Gzip => Box::new(Fused::new(Gzip::new(raw))),
        Packing::Zstd => Box::new(Fused::new(Zstd(zstd::Decoder::with_buffer(raw)?))),
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
        if raw.peek(2) == [0x1f, 0x8b] {
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

/// What a codec says, as damage unless the system said it.
pub(super) fn damaged(packing: Packing, error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::Interrupted => error,
        _ if error.raw_os_error().is_some() => error,
        _ => InputError::Damaged { packing, error }.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::AtomicU64;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes)
            .and_then(|()| out.finish())
            .unwrap_or_default()
    }

    /// What comes out byte by byte, and the error that ends it.
    fn unpacked(packing: Packing, mut packed: &[u8]) -> (Vec<u8>, Option<InputError>) {
        let bytes = AtomicU64::new(0);
        let opening = Opening::for_tests(&bytes);
        let mut out = Vec::new();
        let mut bytes = match unpack(packing, Raw::new(&mut packed), &opening) {
            Ok(bytes) => bytes,
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
        let (bytes, error) = unpacked(Packing::Gzip, &packed);
        assert_eq!(bytes, b"one two");
        assert!(error.is_none(), "{error:?}");
    }

    #[test]
    fn garbage_behind_a_gzip_is_told_after_all_that_came_before() {
        for garbage in [&b"garbage"[..], b"\x1f", b"\0\0\0x"] {
            let (bytes, error) = unpacked(Packing::Gzip, &[&gzip(b"kept")[..], garbage].concat());
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
            let (bytes, error) = unpacked(Packing::Gzip, &packed[..end]);
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
        let (bytes, error) = unpacked(Packing::Zstd, &packed);
        assert_eq!(bytes, b"one two");
        assert!(error.is_none(), "{error:?}");
        let (_, error) = unpacked(Packing::Zstd, &packed[..packed.len() - 1]);
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
}
