//! gzip.

use std::io::{self, Read};

use flate2::bufread::GzDecoder;

use super::{InputError, Packing, Raw, damaged, is_padding};

/// All members of a gzip stream in turn. Zeros behind the last are padding; anything else there is an error, after all
/// that came before.
pub(super) struct Gzip<R: Read> {
    /// None once the end was reached.
    member: Option<GzDecoder<Raw<R>>>,
}

impl<R: Read> Gzip<R> {
    pub(super) fn new(raw: Raw<R>) -> Self {
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
