//! Checks the bytes of an archive's member against the checksum and size that the archive states.

use std::io;

use flate2::Crc;

use super::codec::damaged;
use super::fault::{InputError, Packing};
use super::read::{ReadBytes, UnpackedAhead};

/// The checksum and the size that the bytes of a member should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemberCheck {
    pub(super) crc: u32,
    pub(super) size: u64,
}

/// Reads the bytes of a member, and compares its checksum and size at the end. An error is returned once.
pub(super) struct ChecksumReader<R> {
    packing: Packing,
    bytes: R,
    crc: Crc,
    count: u64,
    check: Option<MemberCheck>,
    failed: bool,
}

impl<R: ReadBytes> ChecksumReader<R> {
    /// Reads the `bytes` of a member of an archive in the format `packing`.
    pub(super) fn new(packing: Packing, bytes: R, check: Option<MemberCheck>) -> Self {
        ChecksumReader {
            packing,
            bytes,
            crc: Crc::new(),
            count: 0,
            check,
            failed: false,
        }
    }

    /// Whether a read returned an error.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    fn unpack(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let read = self.bytes.read(into)?;
        let Some(check) = self.check else {
            return Ok(read);
        };
        self.crc.update(&into[..read]);
        self.count += read as u64;
        let found = MemberCheck {
            crc: self.crc.sum(),
            size: self.count,
        };
        if read == 0 && !into.is_empty() && check != found {
            let wrong = "its checksum or its size is wrong";
            let error = io::Error::new(io::ErrorKind::InvalidData, wrong);
            return Err(damaged(self.packing, error));
        }
        Ok(read)
    }
}

impl<R: ReadBytes> ReadBytes for ChecksumReader<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if self.failed {
            return Ok(0);
        }
        let read = self.unpack(into);
        self.failed = read.is_err();
        read
    }

    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        self.bytes.unpacked_ahead()
    }
}
