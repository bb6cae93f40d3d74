//! The members of one section of a file, decoded at once, as far as they are good and fit.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use super::members::{Format, MOST, Whole, find};
use crate::input::file::read_at;
use crate::input::opening::Limits;

/// Packed bytes at hand at most: a section, and the end of its last member.
const HELD: usize = 8 << 20;
/// Bytes that false starts in a section may cost.
const TRIES: usize = 8 << 20;

/// What a section came to.
pub(super) struct Section {
    /// From the first good member's start to the end of the last one; empty where there is none.
    pub(super) range: Range<u64>,
    /// Their bytes, and room.
    pub(super) out: Vec<u8>,
    pub(super) filled: usize,
}

/// Decodes sections of a file.
pub(super) struct Sections<F> {
    file: Arc<File>,
    format: F,
    held: Vec<u8>,
    /// Where what is held starts in the file.
    offset: u64,
    /// The file ends with what is held.
    ended: bool,
}

/// Why a member was not decoded.
enum Miss {
    /// It goes on after the bytes at hand.
    Short,
    /// It is damaged or does not fit; it cost so many bytes to see that.
    Bad(usize),
}

impl<F: Format> Sections<F> {
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

    /// Decodes the members that start in `range` of the file into `out`: those from the first good one on, up to one that is
    /// damaged or does not fit.
    pub(super) fn decode(&mut self, range: Range<u64>, mut out: Vec<u8>) -> Section {
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
        Section {
            range: range.start + start as u64..range.start + end as u64,
            out,
            filled,
        }
    }

    /// The first good member that starts inside: where, how long, and how long unpacked.
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

    /// Decodes the member at `at`: how long it is, and how long unpacked. If that fails, what it cost.
    fn member(&mut self, at: usize, out: &mut [u8]) -> Result<(usize, usize), usize> {
        /// What a try costs at least.
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

    /// Has `count` bytes from `offset` of the file at hand, or as many as there are.
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
                // The reader that goes in order reports an error.
                _ => break,
            }
        }
        self.ended = filled < count;
        self.held.truncate(filled);
    }
}

/// Decodes the member that `bytes` start with; nothing follows them if `ended`.
fn decode<F: Format>(
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
    // The same choice as in order: both decoders may not agree on a member that was made for that.
    match format.whole(&bytes[..bytes.len().min(F::WHOLE)], &mut out[..room]) {
        Whole::Done { read, written } => Ok((read, written)),
        Whole::Full if room < MOST => Err(Miss::Bad(room)),
        Whole::Full | Whole::No => in_pieces(format, bytes, ended, out),
    }
}

fn in_pieces<F: Format>(
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
