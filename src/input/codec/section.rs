//! Decodes the valid members of one section of a file.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use super::members::{MOST, MemberFormat, Whole, find};
use crate::input::file::read_at;
use crate::input::opening::Limits;

/// Greatest number of packed bytes in memory: a section, and the end of its last member.
const HELD: usize = 8 << 20;
/// Limit on the cost of false starts in a section, in bytes.
const TRIES: usize = 8 << 20;

/// A decoded section.
pub(super) struct DecodedSection {
    /// From the start of the first valid member to the end of the last one; empty if there is none.
    pub(super) range: Range<u64>,
    /// Their decoded bytes, and free space.
    pub(super) out: Vec<u8>,
    pub(super) filled: usize,
}

/// Decodes sections of a file.
pub(super) struct Sections<F> {
    file: Arc<File>,
    format: F,
    held: Vec<u8>,
    /// Offset of the held bytes in the file.
    offset: u64,
    /// Whether the file ends with the held bytes.
    ended: bool,
}

/// The reason why a member was not decoded.
enum Miss {
    /// It continues after the held bytes.
    Short,
    /// It is damaged or does not fit. Finding that out cost so many bytes.
    Bad(usize),
}

impl<F: MemberFormat> Sections<F> {
    /// None if there is no memory for a decoder.
    pub(super) fn new(file: Arc<File>, limits: &Limits) -> Option<Self> {
        Some(Sections {
            file,
            format: F::new(limits).ok()?,
            held: Vec::new(),
            offset: 0,
            ended: false,
        })
    }

    /// Decodes members that start in `range` of the file into `out`, from the first valid one up to one that is damaged or does
    /// not fit.
    pub(super) fn decode(&mut self, range: Range<u64>, mut out: Vec<u8>) -> DecodedSection {
        let inside = (range.end - range.start) as usize;
        self.load(range.start, inside + F::WHOLE.max(F::FIRST));
        let (mut start, mut end, mut filled) = (inside, inside, 0);
        if let Some((at, read, written)) = self.first(inside, &mut out) {
            (start, end, filled) = (at, at + read, written);
        }
        while end < inside
            && let Ok((read, written)) = self.member(end, &mut out[filled..])
        {
            end += read;
            filled += written;
        }
        DecodedSection {
            range: range.start + start as u64..range.start + end as u64,
            out,
            filled,
        }
    }

    /// The first valid member that starts in the first `inside` bytes: its position, length and unpacked length.
    fn first(&mut self, inside: usize, out: &mut [u8]) -> Option<(usize, usize, usize)> {
        let (mut from, mut cost) = (0, 0);
        while cost <= TRIES {
            let at = find::<F>(&self.held, from).filter(|at| *at < inside)?;
            match self.member(at, out) {
                Ok((read, written)) => return Some((at, read, written)),
                Err(tried) => cost += tried,
            }
            from = at + 1;
        }
        None
    }

    /// Decodes the member at `at`. Returns its length and its unpacked length, or the cost of the failure.
    fn member(&mut self, at: usize, out: &mut [u8]) -> Result<(usize, usize), usize> {
        /// The least cost of a trial.
        const TRY: usize = 4096;
        let mut cost = TRY;
        loop {
            match decode(&mut self.format, &self.held[at..], self.ended, out) {
                Ok(member) => return Ok(member),
                Err(Miss::Bad(tried)) => return Err(cost + tried),
                Err(Miss::Short) if self.held.len() < HELD => {
                    cost += self.held.len() - at;
                    self.load(self.offset, HELD.min(2 * self.held.len()));
                }
                Err(Miss::Short) => return Err(cost),
            }
        }
    }

    /// Loads `count` bytes from `offset` of the file, or as many as there are.
    fn load(&mut self, offset: u64, count: usize) {
        let mut filled = 0;
        if offset == self.offset {
            filled = self.held.len().min(count);
        }
        self.offset = offset;
        self.ended = false;
        self.held.resize(count, 0);
        while filled < count {
            match read_at(&self.file, &mut self.held[filled..], offset + filled as u64) {
                Ok(read) if read > 0 => filled += read,
                // The reader that reads in order reports the error.
                _ => break,
            }
        }
        self.ended = filled < count;
        self.held.truncate(filled);
    }
}

/// Decodes the member at the start of `bytes`; nothing follows them if `ended`.
fn decode<F: MemberFormat>(
    format: &mut F,
    bytes: &[u8],
    ended: bool,
    out: &mut [u8],
) -> Result<(usize, usize), Miss> {
    if !F::starts(bytes) {
        return Err(Miss::Bad(0));
    }
    if bytes.len() < F::WHOLE && !ended {
        return Err(Miss::Short);
    }
    let room = out.len().min(MOST);
    // The same decoder is chosen as for reading in order, since two decoders may differ on a crafted member.
    match format.whole(&bytes[..bytes.len().min(F::WHOLE)], &mut out[..room]) {
        Whole::Done { read, written } => Ok((read, written)),
        Whole::Full if room < MOST => Err(Miss::Bad(room)),
        Whole::Full | Whole::No => in_pieces(format, bytes, ended, out),
    }
}

fn in_pieces<F: MemberFormat>(
    format: &mut F,
    bytes: &[u8],
    ended: bool,
    out: &mut [u8],
) -> Result<(usize, usize), Miss> {
    let (mut read, mut written) = (0, 0);
    format.restart().map_err(|_| Miss::Bad(0))?;
    loop {
        let step = format.step(&bytes[read..], &mut out[written..]);
        read += step.read;
        written += step.written;
        match step.ended {
            Ok(true) => return Ok((read, written)),
            Ok(false) if step.read + step.written > 0 => {}
            Ok(false) if read == bytes.len() && written < out.len() && !ended => {
                return Err(Miss::Short);
            }
            _ => return Err(Miss::Bad(read + written)),
        }
    }
}
