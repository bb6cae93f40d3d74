//! Sparse files in tar archives, with zeros in their holes.
//!
//! The archive holds the pieces of such a file that have data, and a map: where each piece starts in the file, and how long it
//! is. GNU tar's own format has the map in the header and in blocks after it. In pax archives it is in the records before the
//! member (versions 0.0 and 0.1) or in front of the member's data (1.0, which bsdtar writes too).

use std::collections::VecDeque;

use tar::{GnuExtSparseHeader, GnuSparseHeader, Header};

use super::{BLOCK_BYTES, TarData, TarStream, decimal, pax, pax_number, pax_pairs};
use crate::fault::InputError;
use crate::read::ReadBytes;

/// Maximum number of pieces of a file, which take 4 MiB of memory.
const MAX_PIECES: usize = 1 << 18;

/// The offsets and lengths of the pieces of a sparse file.
pub(super) struct SparseMap {
    pieces: VecDeque<(u64, u64)>,
    /// Size of the whole file.
    size: u64,
    /// Total size of the pieces.
    stored: u64,
}

impl SparseMap {
    fn new(size: u64) -> Self {
        SparseMap {
            pieces: VecDeque::new(),
            size,
            stored: 0,
        }
    }

    /// Reads the map in GNU tar's own format, for a file with `stored` bytes in the archive. Returns `None` for a member
    /// that is not sparse.
    pub(super) fn after_header(
        tape: &mut TarStream<'_>,
        header: &Header,
        stored: u64,
    ) -> Result<Option<Self>, InputError> {
        if !header.entry_type().is_gnu_sparse() {
            return Ok(None);
        }
        let gnu = header.as_gnu().ok_or_else(unusable)?;
        let mut map = SparseMap::new(gnu.real_size().map_err(|_| unusable())?);
        let mut sound = map.add_headers(&gnu.sparse);
        let mut extended = gnu.is_extended();
        while extended && sound {
            let mut more = GnuExtSparseHeader::new();
            read_block(tape, more.as_mut_bytes())?;
            sound = map.add_headers(more.sparse());
            extended = more.is_extended();
        }
        if sound {
            map.checked(stored).map(Some)
        } else {
            Err(unusable())
        }
    }

    /// Reads the map in pax records, or before `data` if the records say so. Returns `None` for a member that is not
    /// sparse.
    pub(super) fn of_pax(
        records: &[u8],
        data: &mut TarData<'_, '_>,
    ) -> Result<Option<Self>, InputError> {
        if !pax_pairs(records).any(|(key, _)| key.starts_with(b"GNU.sparse.")) {
            return Ok(None);
        }
        let number = |key: &str| pax_number(records, key.as_bytes());
        let size = number("GNU.sparse.realsize").or_else(|| number("GNU.sparse.size"));
        let map = SparseMap::new(size.ok_or_else(unusable)?);
        let version = ["major", "minor"].map(|part| number(&format!("GNU.sparse.{part}")));
        let map = match version {
            [None, None] | [Some(0), _] => map.listed(records),
            [Some(1), Some(0)] => map.stored(data)?,
            _ => None,
        };
        let map = map.ok_or_else(unusable)?;
        map.checked(data.size - data.at).map(Some)
    }

    /// Adds the pieces of version 0.1, which are in one record, or of 0.0, which has two records for each piece.
    fn listed(mut self, records: &[u8]) -> Option<Self> {
        if let Some(list) = pax(records, b"GNU.sparse.map") {
            let mut numbers = list.split(|byte| *byte == b',').map(decimal);
            while let Some(start) = numbers.next() {
                self.add(start?, numbers.next()??)?;
            }
            return Some(self);
        }
        let mut start = None;
        for (key, value) in pax_pairs(records) {
            match key {
                b"GNU.sparse.offset" => start = Some(decimal(value)?),
                b"GNU.sparse.numbytes" => self.add(start.take()?, decimal(value)?)?,
                _ => {}
            }
        }
        Some(self)
    }

    /// Adds the pieces of version 1.0, which are in whole blocks before the data. Each line has a number: the number of pieces,
    /// then start and length of each.
    fn stored(mut self, data: &mut TarData<'_, '_>) -> Result<Option<Self>, InputError> {
        let mut lines = NumberReader::new(data);
        let Some(count) = lines.number()? else {
            return Ok(None);
        };
        for _ in 0..count {
            let (Some(start), Some(length)) = (lines.number()?, lines.number()?) else {
                return Ok(None);
            };
            if self.add(start, length).is_none() {
                return Ok(None);
            }
        }
        Ok(Some(self))
    }

    /// Adds pieces of a header. Returns false if they are not valid.
    fn add_headers(&mut self, pieces: &[GnuSparseHeader]) -> bool {
        let mut used = pieces.iter().filter(|piece| !piece.is_empty());
        used.all(|piece| match (piece.offset(), piece.length()) {
            (Ok(start), Ok(length)) => self.add(start, length).is_some(),
            _ => false,
        })
    }

    /// Adds a piece. Returns `None` if it does not follow the others, or there are too many.
    fn add(&mut self, start: u64, length: u64) -> Option<()> {
        let from = self
            .pieces
            .back()
            .map_or(0, |(start, length)| start + length);
        let end = start.checked_add(length)?;
        if start < from || end > self.size || self.pieces.len() == MAX_PIECES {
            return None;
        }
        // The last piece is often empty: it marks the end of the file.
        if length > 0 {
            self.stored += length;
            self.pieces.push_back((start, length));
        }
        Some(())
    }

    /// Returns the map if its pieces have `stored` bytes, otherwise an error.
    fn checked(self, stored: u64) -> Result<Self, InputError> {
        if self.stored == stored {
            Ok(self)
        } else {
            Err(unusable())
        }
    }
}

fn unusable() -> InputError {
    InputError::Sparse
}

fn read_block(tape: &mut TarStream<'_>, block: &mut [u8; BLOCK_BYTES]) -> Result<(), InputError> {
    if tape.read_full(block)? {
        Ok(())
    } else {
        Err(tape.ended_early())
    }
}

/// Reads lines with one number each from whole blocks.
struct NumberReader<'d, 't, 'b> {
    data: &'d mut TarData<'t, 'b>,
    block: [u8; BLOCK_BYTES],
    /// Bytes of the block that were read.
    taken: usize,
}

impl<'d, 't, 'b> NumberReader<'d, 't, 'b> {
    fn new(data: &'d mut TarData<'t, 'b>) -> Self {
        NumberReader {
            data,
            block: [0; BLOCK_BYTES],
            taken: BLOCK_BYTES,
        }
    }

    /// Reads the next number. Returns `None` if the next line has none, or the data ends.
    fn number(&mut self) -> Result<Option<u64>, InputError> {
        let mut number = None;
        loop {
            match self.byte()? {
                Some(digit @ b'0'..=b'9') => {
                    let digit = u64::from(digit - b'0');
                    let more = number.unwrap_or(0_u64).checked_mul(10);
                    number = more.and_then(|more| more.checked_add(digit));
                    if number.is_none() {
                        return Ok(None);
                    }
                }
                Some(b'\n') => return Ok(number),
                _ => return Ok(None),
            }
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, InputError> {
        if self.taken == BLOCK_BYTES {
            if !self.data.read_full(&mut self.block)? {
                return Ok(None);
            }
            self.taken = 0;
        }
        self.taken += 1;
        Ok(Some(self.block[self.taken - 1]))
    }
}

/// A sparse file, with zeros in its holes.
pub(super) struct SparseReader<'d, 't, 'b> {
    data: &'d mut TarData<'t, 'b>,
    map: SparseMap,
    at: u64,
}

impl<'d, 't, 'b> SparseReader<'d, 't, 'b> {
    pub(super) fn new(data: &'d mut TarData<'t, 'b>, map: SparseMap) -> Self {
        SparseReader { data, map, at: 0 }
    }
}

impl ReadBytes for SparseReader<'_, '_, '_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let pieces = &mut self.map.pieces;
        while pieces
            .front()
            .is_some_and(|(start, length)| start + length <= self.at)
        {
            pieces.pop_front();
        }
        let (start, length) = pieces.front().copied().unwrap_or((self.map.size, 0));
        let hole = self.at < start;
        let end = if hole { start } else { start + length };
        let max = into
            .len()
            .min(usize::try_from(end - self.at).unwrap_or(usize::MAX));
        let read = if hole {
            into[..max].fill(0);
            max
        } else {
            self.data.read(&mut into[..max])?
        };
        self.at += read as u64;
        Ok(read)
    }
}
