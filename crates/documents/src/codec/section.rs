//! Decodes the valid members of one section of a file.

use std::ops::Range;

use super::held::HeldBytes;
use super::members::{MAX_WHOLE_BYTES, MemberFormat, WholeMember, find};
use super::parallel::{DecodedSection, MAX_TRIAL_BYTES, SectionDecoder};
use crate::file::SourceFile;
use crate::read_options::ReadLimits;

/// Maximum number of packed bytes in memory: a section, and the end of its last member.
const MAX_HELD_BYTES: usize = 8 << 20;

/// Decodes sections of a file.
pub(super) struct MemberSections<F> {
    format: F,
    held: HeldBytes,
    /// Offset of the section in the file.
    start: u64,
}

/// Why a member was not decoded.
enum SectionFailure {
    /// It continues after the held bytes.
    Short,
    /// It is damaged or does not fit. Trying it has cost this many bytes.
    Bad(usize),
}

impl<F: MemberFormat> SectionDecoder for MemberSections<F> {
    type Hint = ();
    type Passed = ();

    fn new(file: SourceFile, limits: &ReadLimits) -> Option<Self> {
        Some(MemberSections {
            format: F::new(limits).ok()?,
            held: HeldBytes::new(file),
            start: 0,
        })
    }

    /// Decodes members that start in `range` of the file into `out`, from the first valid one up to one that is damaged or does
    /// not fit.
    fn decode(&mut self, range: Range<u64>, (): (), mut out: Vec<u8>) -> DecodedSection<()> {
        let inside = (range.end - range.start) as usize;
        self.start = range.start;
        let (mut start, mut end, mut filled) = (inside, inside, 0);
        if let Some((at, read, written)) = self.first(inside, &mut out) {
            (start, end, filled) = (at, at + read, written);
        }
        while end < inside
            && let Ok((read, written)) = self.member(end, inside, &mut out[filled..])
        {
            end += read;
            filled += written;
        }
        DecodedSection {
            bits: 8 * (range.start + start as u64)..8 * (range.start + end as u64),
            out,
            filled,
            passed: (),
        }
    }
}

impl<F: MemberFormat> MemberSections<F> {
    /// Finds the first valid member that starts in the first `inside` bytes: its position, length and unpacked length.
    fn first(&mut self, inside: usize, out: &mut [u8]) -> Option<(usize, usize, usize)> {
        let (mut from, mut cost) = (0, 0);
        while cost <= MAX_TRIAL_BYTES {
            let held = self.held(inside);
            let at = find::<F>(held, from).filter(|at| *at < inside)?;
            match self.member(at, inside, out) {
                Ok((read, written)) => return Some((at, read, written)),
                Err(tried) => cost += tried,
            }
            from = at + 1;
        }
        None
    }

    /// Returns the held bytes of a section of `inside` bytes, and some after it.
    fn held(&mut self, inside: usize) -> &[u8] {
        let count = inside + F::MAX_WHOLE_PACKED_BYTES.max(F::MAX_STEP_PACKED_BYTES);
        self.held.bytes_from(self.start, count).0
    }

    /// Decodes the member at `at`. Returns its length and its unpacked length, or the cost of the failure.
    fn member(
        &mut self,
        at: usize,
        inside: usize,
        out: &mut [u8],
    ) -> Result<(usize, usize), usize> {
        /// The minimum cost of a trial.
        const MIN_TRIAL_BYTES: usize = 4096;
        let (mut cost, mut count) = (
            MIN_TRIAL_BYTES,
            inside + F::MAX_WHOLE_PACKED_BYTES.max(F::MAX_STEP_PACKED_BYTES),
        );
        loop {
            let (held, ended) = self.held.bytes_from(self.start, count);
            match decode(&mut self.format, &held[at..], ended, out) {
                Ok(member) => return Ok(member),
                Err(SectionFailure::Bad(tried)) => return Err(cost + tried),
                Err(SectionFailure::Short) if held.len() < MAX_HELD_BYTES => {
                    cost += held.len() - at;
                    count = MAX_HELD_BYTES.min(2 * held.len());
                }
                Err(SectionFailure::Short) => return Err(cost),
            }
        }
    }
}

/// Decodes the member at the start of `bytes`. If `ended`, the file ends with them.
fn decode<F: MemberFormat>(
    format: &mut F,
    bytes: &[u8],
    ended: bool,
    out: &mut [u8],
) -> Result<(usize, usize), SectionFailure> {
    if !F::starts(bytes) {
        return Err(SectionFailure::Bad(0));
    }
    if bytes.len() < F::MAX_WHOLE_PACKED_BYTES && !ended {
        return Err(SectionFailure::Short);
    }
    let room = out.len().min(MAX_WHOLE_BYTES);
    // Chooses the same decoder as reading in order does, since two decoders may differ on a crafted member.
    match format.whole(
        &bytes[..bytes.len().min(F::MAX_WHOLE_PACKED_BYTES)],
        &mut out[..room],
    ) {
        WholeMember::Done { read, written } => Ok((read, written)),
        WholeMember::Full if room < MAX_WHOLE_BYTES => Err(SectionFailure::Bad(room)),
        WholeMember::Full | WholeMember::No => in_pieces(format, bytes, ended, out),
    }
}

fn in_pieces<F: MemberFormat>(
    format: &mut F,
    bytes: &[u8],
    ended: bool,
    out: &mut [u8],
) -> Result<(usize, usize), SectionFailure> {
    let (mut read, mut written) = (0, 0);
    format.restart().map_err(|_| SectionFailure::Bad(0))?;
    loop {
        let step = format.step(&bytes[read..], &mut out[written..]);
        read += step.read;
        written += step.written;
        match step.ended {
            Ok(true) => return Ok((read, written)),
            Ok(false) if step.read + step.written > 0 => {}
            Ok(false) if read == bytes.len() && written < out.len() && !ended => {
                return Err(SectionFailure::Short);
            }
            _ => return Err(SectionFailure::Bad(read + written)),
        }
    }
}
