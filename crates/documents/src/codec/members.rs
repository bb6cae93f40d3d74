//! Reads streams of independent members, and continues at the next member after damage.
//!
//! A [`MemberFormat`] decodes a member. The output of a member depends only on the bytes from its start. So members can be
//! decoded separately, which [`parallel`](super::parallel) does.

use std::io;

use memchr::memmem;

use super::read::{damaged, early_end};
use super::streams::{DecodeFault, HEAD_BYTES, StreamDecoder};
use crate::fault::{InputError, Packing};
use crate::read::ReadBytes;
use crate::read_options::ReadLimits;
use crate::spare::ReusedBuffer;
use crate::window::SlidingWindow;

/// Initial size of the buffer for whole members in bytes, and the number of bytes that are decoded to verify a member's start.
const STEP_BYTES: usize = 64 << 10;
/// Unpacked size of the largest member that is decoded at once. Common Crawl cuts payloads at 1 MiB, to which headers are
/// added.
pub(super) const MAX_WHOLE_BYTES: usize = 2 << 20;
/// Packed bytes of a piece. After each, the start of a search for the next member moves on.
const PIECE_BYTES: u64 = 64 << 10;

/// Packed bytes before an error in which the next member is searched for, since a decoder may detect damage late.
const KEPT_BYTES: u64 = 256 << 10;

/// A packing with independent members.
pub(super) trait MemberFormat: StreamDecoder + Sized + 'static {
    /// The bytes that each member starts with.
    const MAGIC: &'static [u8];
    /// Maximum number of packed bytes that a member needs to decode to [`STEP_BYTES`] bytes.
    const MAX_STEP_PACKED_BYTES: usize;
    /// Packed size of the largest member that is decoded at once; 0 if members are always decoded in pieces.
    const MAX_WHOLE_PACKED_BYTES: usize;

    /// # Errors
    /// If there is no memory.
    fn new(limits: &ReadLimits) -> Result<Self, InputError>;

    /// Whether a member may start with `head`, which has [`HEAD_BYTES`] bytes and starts with the magic.
    fn may_start(head: &[u8]) -> bool;

    /// Decodes a member at once, with the same result as in pieces. Unless the result is [`WholeMember::Done`], the content of
    /// `out` is undefined.
    fn whole(&mut self, _bytes: &[u8], _out: &mut [u8]) -> WholeMember {
        WholeMember::No
    }

    /// Returns the unpacked size of the last member of a stream, if the end of the stream states it.
    fn stated_size(_packed: &[u8]) -> Option<usize> {
        None
    }

    /// Returns the number of packed bytes that were consumed but not decoded. A member may start in them.
    fn undecoded(&self) -> u64 {
        0
    }

    /// Says how reading continues after the error of the last step.
    fn after(&self) -> AfterDamage {
        AfterDamage::Lost
    }
}

/// How reading continues after damage to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterDamage {
    /// The rest of the member is lost.
    Lost,
    /// The rest of the member is lost, and the damage was reported with the error before.
    Reported,
    /// The next step returns more bytes of the member.
    GoesOn,
}

/// The result of decoding a member at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WholeMember {
    /// All of it is decoded and verified.
    Done { read: usize, written: usize },
    /// It needs a larger buffer.
    Full,
    /// It is damaged or incomplete, or cannot be decoded at once.
    No,
}

/// The result of a step through members.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MemberStep {
    /// Decoded bytes, maybe none.
    Bytes(usize),
    /// A member or block ended, or the next valid member was found. Another one or the end is at the position.
    Boundary,
    /// The end of the stream.
    End,
}

/// Returns the first place at or after `from` where a member may start.
pub(super) fn find<F: MemberFormat>(bytes: &[u8], from: usize) -> Option<usize> {
    memmem::find_iter(&bytes[from..], F::MAGIC)
        .map(|at| from + at)
        .find(|at| {
            bytes
                .get(*at..at + HEAD_BYTES)
                .is_some_and(|head| F::may_start(head))
        })
}

/// Reads the members of `R` in order. Zeros between and after them are padding.
///
/// Damage is reported once, after all bytes decoded before it. Then reading continues at the next member that decodes to its
/// end or for 64 KiB. Memory is bounded, and time is linear in the bytes read and decoded.
pub(super) struct MemberReader<R, F> {
    window: SlidingWindow<R>,
    format: F,
    state: MemberState,
    /// The buffer for a small member that is decoded at once.
    out: Vec<u8>,
    /// The unpacked file, if it is a single member that was decoded at once.
    whole: Option<ReusedBuffer>,
    /// Whether the last member was decoded at once, so that the next one probably can be too.
    is_small: bool,
    /// The file, until its first member was tried at once.
    file: Option<WholeFile>,
    searching: SearchBudget,
    /// Whether bytes of the member were returned.
    given: bool,
}

/// A file that may be a single member.
struct WholeFile {
    /// Its packed size in bytes.
    packed: usize,
    /// Max bytes that may be held of it, packed and unpacked.
    max: usize,
}

enum MemberState {
    /// Before a member.
    Between,
    /// Returning the bytes of a member that was decoded at once.
    Whole {
        next: usize,
        end: usize,
    },
    /// In a member that is decoded in pieces.
    Pieces {
        start: u64,
    },
    /// After the end of a member that was not reported yet.
    Ended,
    /// After damage that was not reported yet.
    Failed {
        error: InputError,
        then: Box<MemberState>,
    },
    /// The next member is to be searched.
    Lost {
        from: u64,
    },
    End,
}

/// Limits the cost of searches for members to a multiple of the bytes read, so that an input with many false starts takes
/// linear time.
#[derive(Default)]
struct SearchBudget {
    spent: u64,
}

impl SearchBudget {
    /// Allowance for the first search, at any position.
    const FIRST_SEARCH_BYTES: u64 = 8 << 20;
    /// Bytes that may be read again for each byte of the stream.
    const STREAM_SHARE: u64 = 8;

    /// Counts a cost of `cost` bytes at `position` of the stream. Returns whether it is allowed.
    fn allows(&mut self, cost: u64, position: u64) -> bool {
        let may = self.spent + cost <= Self::FIRST_SEARCH_BYTES + Self::STREAM_SHARE * position;
        self.spent += if may { cost } else { 0 };
        may
    }
}

impl<R: ReadBytes, F: MemberFormat> MemberReader<R, F> {
    /// # Errors
    /// If there is no memory for a decoder.
    pub(super) fn new(inner: R, limits: &ReadLimits) -> Result<Self, InputError> {
        Ok(MemberReader {
            window: SlidingWindow::new(inner, 0),
            format: F::new(limits)?,
            state: MemberState::Between,
            out: Vec::new(),
            whole: None,
            is_small: false,
            file: None,
            searching: SearchBudget::default(),
            given: false,
        })
    }

    /// Says that the stream is a file of `size` bytes, of which at most `max` bytes may be held, packed and unpacked. If it is a
    /// single member within that limit, it is decoded at once.
    pub(super) fn of_file(self, size: u64, max: usize) -> Self {
        let packed = usize::try_from(size).ok().filter(|packed| *packed < max);
        MemberReader {
            file: packed.map(|packed| WholeFile { packed, max }),
            ..self
        }
    }

    /// Returns the position in the stream at which decoding continues.
    pub(super) fn position(&self) -> u64 {
        self.window.position()
    }

    /// Continues with `inner`, which starts with the member at `position` of the stream.
    pub(super) fn continue_with(&mut self, inner: R, position: u64) {
        self.window.restart(inner, position);
        self.state = MemberState::Between;
    }

    /// Makes one step. `into` must not be empty.
    pub(super) fn step(&mut self, into: &mut [u8]) -> Result<MemberStep, InputError> {
        loop {
            match std::mem::replace(&mut self.state, MemberState::End) {
                MemberState::Between => self.begin()?,
                MemberState::Whole { next, end } if next < end => {
                    return Ok(self.hand_out(next, end, into));
                }
                MemberState::Whole { .. } | MemberState::Ended => {
                    self.whole = None;
                    self.state = MemberState::Between;
                    return Ok(MemberStep::Boundary);
                }
                MemberState::Pieces { start } => {
                    let written = self.piece(start, into)?;
                    if written > 0 {
                        return Ok(MemberStep::Bytes(written));
                    }
                }
                MemberState::Failed { error, then } => {
                    self.state = *then;
                    return Err(error);
                }
                MemberState::Lost { from } => {
                    if self.search(from) {
                        self.state = MemberState::Ended;
                    }
                }
                MemberState::End => return Ok(MemberStep::End),
            }
        }
    }

    /// Starts the member at the position, if there is one.
    fn begin(&mut self) -> Result<(), InputError> {
        self.window.forget();
        let start = self.window.position();
        // The first bytes of a stream were recognised before; if they are damaged, the decoder reports it.
        if F::starts(self.window.ensure(HEAD_BYTES)) || start == 0 {
            return self.member(start);
        }
        self.skip_stray_bytes()
    }

    fn member(&mut self, start: u64) -> Result<(), InputError> {
        if let Some(end) = self.whole().or_else(|| self.whole_file()) {
            self.state = MemberState::Whole { next: 0, end };
            return Ok(());
        }
        self.format.restart()?;
        self.given = false;
        self.state = MemberState::Pieces { start };
        Ok(())
    }

    /// Decodes the member at the position at once, if the end of the file states its size and that fits. Returns its unpacked
    /// size. If the file has other members too, that size is of the last one, and decoding fails or ends with the first member.
    fn whole_file(&mut self) -> Option<usize> {
        let WholeFile { packed, max } = self.file.take()?;
        self.window.reserve(packed);
        let held = self.window.ensure(packed);
        let size = F::stated_size(held).filter(|size| packed.saturating_add(*size) <= max)?;
        if held.len() != packed || size <= self.out.len() {
            return None;
        }
        let mut out = ReusedBuffer::large(size);
        match self.format.whole(held, &mut out) {
            WholeMember::Done { read, written } => {
                self.window.consume(read);
                self.whole = Some(out);
                Some(written)
            }
            WholeMember::Full | WholeMember::No => None,
        }
    }

    /// Decodes the member at the position at once, if it is complete and fits. Returns its unpacked size.
    fn whole(&mut self) -> Option<usize> {
        if F::MAX_WHOLE_PACKED_BYTES == 0 {
            return None;
        }
        let held = self.window.ensure(F::MAX_WHOLE_PACKED_BYTES);
        let bytes = &held[..held.len().min(F::MAX_WHOLE_PACKED_BYTES)];
        // The bytes of a large member that are decoded at once are decoded again in pieces.
        let max = match self.is_small || held.len() < F::MAX_WHOLE_PACKED_BYTES {
            true => MAX_WHOLE_BYTES,
            false => STEP_BYTES,
        };
        self.out.resize(self.out.len().max(STEP_BYTES), 0);
        loop {
            match self.format.whole(bytes, &mut self.out) {
                WholeMember::Done { read, written } => {
                    self.window.consume(read);
                    self.is_small = true;
                    return Some(written);
                }
                WholeMember::Full if self.out.len() < max => {
                    let larger = max.min(self.out.len() * 4);
                    self.out.resize(larger, 0);
                }
                WholeMember::Full | WholeMember::No => {
                    self.is_small = false;
                    return None;
                }
            }
        }
    }

    fn hand_out(&mut self, next: usize, end: usize, into: &mut [u8]) -> MemberStep {
        let count = into.len().min(end - next);
        let out = self.whole.as_deref().unwrap_or(&self.out);
        into[..count].copy_from_slice(&out[next..next + count]);
        self.state = MemberState::Whole {
            next: next + count,
            end,
        };
        MemberStep::Bytes(count)
    }

    /// Decodes more of the member at `start`. Returns the number of decoded bytes.
    fn piece(&mut self, start: u64, into: &mut [u8]) -> Result<usize, InputError> {
        let at = self.window.position();
        // Pieces are counted from the start of the member, so that an error is in the same piece for all sizes of reads.
        let piece = at - (at - start) % PIECE_BYTES;
        let kept = self.search_start(start, piece);
        self.window.forget_before(kept);
        let held = self.window.ensure(1);
        let is_empty = held.is_empty();
        let max = held.len().min((piece + PIECE_BYTES - at) as usize);
        let decoded = self.format.step(&held[..max], into);
        self.window.consume(decoded.read);
        let stuck = decoded.read == 0 && decoded.written == 0;
        self.given |= decoded.written > 0;
        self.state = match decoded.ended {
            Ok(true) => MemberState::Ended,
            Ok(false) if stuck && is_empty => self.cut_short(start, piece),
            Ok(false) if stuck => {
                let after = self.state_after_damage(start, piece);
                failed::<F>(start, self.given, io::ErrorKind::InvalidData.into(), after)
            }
            Ok(false) => MemberState::Pieces { start },
            Err(fault) => self.damaged(start, piece, fault),
        };
        Ok(decoded.written)
    }

    /// Returns the state after a piece with a fault.
    fn damaged(&mut self, start: u64, piece: u64, fault: DecodeFault) -> MemberState {
        match self.format.after() {
            AfterDamage::Lost => {
                let after = self.state_after_damage(start, piece);
                failed::<F>(start, self.given, fault, after)
            }
            AfterDamage::Reported => self.state_after_damage(start, piece),
            AfterDamage::GoesOn => {
                failed::<F>(start, self.given, fault, MemberState::Pieces { start })
            }
        }
    }

    /// Returns the state after the stream ends, or cannot be read, in the member at `start`.
    fn cut_short(&mut self, start: u64, piece: u64) -> MemberState {
        match self.window.take_error() {
            Some(error) => MemberState::Failed {
                error,
                then: Box::new(MemberState::Lost {
                    from: self.window.position(),
                }),
            },
            None => {
                let fault = early_end().into();
                failed::<F>(
                    start,
                    self.given,
                    fault,
                    self.state_after_damage(start, piece),
                )
            }
        }
    }

    /// Returns the position from which the next member may have been consumed as part of the member at `start`, decoded in
    /// `piece`.
    fn search_start(&self, start: u64, piece: u64) -> u64 {
        let undecoded = self
            .window
            .position()
            .saturating_sub(self.format.undecoded());
        piece.saturating_sub(KEPT_BYTES).min(undecoded).max(start)
    }

    /// Handles damage to the member at `start`, detected in `piece`. The next member may start before that.
    fn state_after_damage(&mut self, start: u64, piece: u64) -> MemberState {
        let seen = piece + PIECE_BYTES;
        let from = self.search_start(start, piece).max(start + 1);
        let may = self.searching.allows(seen - from, start);
        MemberState::Lost {
            from: if may { from } else { seen },
        }
    }

    /// Skips zeros, and reports bytes that start no member.
    fn skip_stray_bytes(&mut self) -> Result<(), InputError> {
        while self.skip_zeros() {}
        let rest = self.window.ensure(HEAD_BYTES).len();
        let from = self.window.position();
        if rest < HEAD_BYTES
            && let Some(error) = self.window.take_error()
        {
            self.state = MemberState::Lost { from };
            return Err(error);
        }
        if rest == 0 {
            return Ok(());
        }
        if F::starts(self.window.ensure(HEAD_BYTES)) {
            return self.member(from);
        }
        if !self.search(from) {
            return Err(InputError::Trailing(F::PACKING));
        }
        self.state = MemberState::Ended;
        Err(no_start(F::PACKING, from))
    }

    /// Skips zeros in the buffer. Returns false if there are none.
    fn skip_zeros(&mut self) -> bool {
        let held = self.window.ensure(1);
        let zeros = held.iter().take_while(|byte| **byte == 0).count();
        self.window.skip(zeros);
        zeros > 0
    }

    /// Goes to the first good member at or after `from`. Returns false if there is none.
    fn search(&mut self, from: u64) -> bool {
        self.window.go_to(from);
        loop {
            self.window.forget();
            let held = self.window.ensure(HEAD_BYTES);
            if held.len() < HEAD_BYTES {
                let count = held.len();
                self.window.consume(count);
                // An error there is part of the damage that was reported; a second error in a row is the end.
                if self.window.take_error().is_none() || count == 0 {
                    return false;
                }
            } else if let Some(at) = find::<F>(held, 0) {
                self.window.consume(at);
                if self.is_good() {
                    return true;
                }
                self.window.consume(1);
            } else {
                let passed = held.len() - (HEAD_BYTES - 1);
                self.window.consume(passed);
            }
        }
    }

    /// Whether the member at the position decodes to its end or for [`STEP_BYTES`] bytes.
    fn is_good(&mut self) -> bool {
        /// The minimum cost of a trial.
        const MIN_TRIAL_BYTES: u64 = 4096;
        let position = self.window.position();
        if !self.searching.allows(MIN_TRIAL_BYTES, position) {
            return false;
        }
        let held = self.window.ensure(F::MAX_STEP_PACKED_BYTES);
        let bytes = &held[..held.len().min(F::MAX_STEP_PACKED_BYTES)];
        self.out.resize(self.out.len().max(STEP_BYTES), 0);
        let (tried, cost) = stretch(&mut self.format, bytes, &mut self.out[..STEP_BYTES]);
        self.searching.spent += cost;
        tried
    }
}

/// Whether `bytes` decode until the member ends or `out` is full, and the number of bytes consumed.
fn stretch<F: MemberFormat>(format: &mut F, bytes: &[u8], out: &mut [u8]) -> (bool, u64) {
    let (mut read, mut written) = (0, 0);
    let mut is_good = format.restart().is_ok();
    while is_good && written < out.len() {
        let decoded = format.step(&bytes[read..], &mut out[written..]);
        read += decoded.read;
        written += decoded.written;
        match decoded.ended {
            Ok(true) => break,
            Ok(false) => is_good = decoded.read > 0 || decoded.written > 0,
            Err(_) => is_good = false,
        }
    }
    (is_good, (read + written) as u64)
}

/// Returns the state after `fault` of the member at `start`. `given` says whether bytes of it were returned, and `then` is
/// the state after the error.
fn failed<F: MemberFormat>(
    start: u64,
    given: bool,
    fault: DecodeFault,
    then: MemberState,
) -> MemberState {
    let error = match fault {
        DecodeFault::Damaged(error) => InputError::DamagedMember {
            packing: F::PACKING,
            error,
            start,
            given,
        },
        limit => limit.into_error(F::PACKING),
    };
    MemberState::Failed {
        error,
        then: Box::new(then),
    }
}

/// Returns the error for other bytes in place of a member's start, with members after them.
fn no_start(packing: Packing, at: u64) -> InputError {
    let error =
        format!("no {packing} header at byte {at} of the packed data, where a member should start");
    damaged(packing, io::Error::new(io::ErrorKind::InvalidData, error))
}

impl<R: ReadBytes, F: MemberFormat> ReadBytes for MemberReader<R, F> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while !into.is_empty() {
            match self.step(into)? {
                MemberStep::Bytes(count) => return Ok(count),
                MemberStep::Boundary => {}
                MemberStep::End => break,
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;
    use std::sync::atomic::AtomicU64;

    use super::super::gzip::GzipDecoder;
    use super::*;
    use crate::read::ChainedReader;
    use crate::read_options::ReadOptions;

    /// The decoded bytes, and the errors with their offsets.
    pub(in super::super) type Outcome = (Vec<u8>, Vec<(usize, String)>);

    pub(in super::super) fn outcome(read: &mut dyn ReadBytes, step: usize) -> Outcome {
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        let mut into = vec![0; step];
        loop {
            match read.read(&mut into) {
                Ok(0) => return (out, errors),
                Ok(count) => out.extend(&into[..count]),
                Err(error) => errors.push((out.len(), error.to_string())),
            }
        }
    }

    pub(in super::super) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// Returns random bytes, which cannot be compressed.
    pub(in super::super) fn noise(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed | 1;
        let next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(seed);
            (state >> 56) as u8
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    fn members(packed: &[u8]) -> MemberReader<&[u8], GzipDecoder> {
        let bytes = AtomicU64::new(0);
        MemberReader::new(packed, &ReadOptions::for_tests(&bytes).limits).unwrap()
    }

    fn read(packed: &[u8]) -> Outcome {
        outcome(&mut members(packed), 1 << 16)
    }

    /// Returns bytes that pack somewhat, different for each `n`.
    fn line(n: u64) -> Vec<u8> {
        let hex: String = noise(n, 300)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("<{n} {hex}>").into_bytes()
    }

    #[test]
    fn one_damaged_member_costs_no_other_and_is_told_once() {
        let (before, hit, after) = (
            gzip(&line(0)),
            gzip(&line(1)),
            [gzip(&line(2)), gzip(&line(3))].concat(),
        );
        for at in 0..hit.len() {
            let mut packed = [&before[..], &hit, &after].concat();
            packed[before.len() + at] ^= 0x10;
            let (out, errors) = read(&packed);
            let rest = out
                .strip_prefix(&line(0)[..])
                .and_then(|out| out.strip_suffix(&[line(2), line(3)].concat()[..]));
            let rest = rest.unwrap_or_else(|| panic!("byte {at}: {errors:?}"));
            // The time and the system in the header are not covered by a checksum.
            assert!(
                rest == line(1) && errors.is_empty() || errors.len() == 1,
                "byte {at}: {errors:?}"
            );
            assert!(
                errors
                    .iter()
                    .all(|(offset, error)| *offset == line(0).len() + rest.len()
                        && error.contains("damaged")),
                "byte {at}: {errors:?}"
            );
        }
    }

    #[test]
    fn what_a_damaged_member_gave_before_the_damage_is_kept() {
        let text = noise(5, 400_000);
        let mut packed = gzip(&text);
        let at = packed.len() / 2;
        packed[at..at + 4000].fill(0xff);
        packed.extend(gzip(b"after"));
        let (out, errors) = read(&packed);
        assert!(out.len() > 150_000 && text.starts_with(&out[..150_000]));
        assert!(out.ends_with(b"after"));
        assert_eq!(errors.len(), 1, "{errors:?}");
    }

    #[test]
    fn bytes_between_members_are_damage_and_after_the_last_are_ignored_as_told() {
        let (one, two) = (gzip(b"one"), gzip(b"two"));
        for (after, says) in [(&two[..], "damaged"), (b"", "ignored")] {
            let (out, errors) = read(&[&one[..], b"\0\0garbage\x1f\x8b\x08", after].concat());
            assert!(out.starts_with(b"one") && out.ends_with(b"two") != after.is_empty());
            assert!(
                errors.len() == 1 && errors[0].0 == 3 && errors[0].1.contains(says),
                "{errors:?}"
            );
        }
        assert_eq!(
            read(&[&one[..], &[0; 70_000]].concat()),
            (b"one".to_vec(), vec![])
        );
    }

    #[test]
    fn the_same_comes_out_whatever_the_size_of_the_reads_and_of_the_members() {
        let texts = [
            0,
            1,
            60_000,
            70_000,
            MAX_WHOLE_BYTES - 1,
            MAX_WHOLE_BYTES,
            MAX_WHOLE_BYTES + 1,
        ]
        .map(|length| noise(3, length));
        let mut packed = texts
            .iter()
            .map(|text| gzip(text))
            .collect::<Vec<_>>()
            .concat();
        assert_eq!(read(&packed), (texts.concat(), vec![]));
        let hit = packed.len() - 1000;
        packed[hit] ^= 1;
        for step in [999, 1 << 20] {
            assert_eq!(
                outcome(&mut members(&packed), step),
                read(&packed),
                "{step}"
            );
        }
    }

    #[test]
    fn a_file_of_one_member_is_decoded_at_once_with_the_same_result() {
        let (text, small) = (noise(9, MAX_WHOLE_BYTES + 1), noise(3, 100));
        let one = gzip(&text);
        let mut hit = one.clone();
        hit[one.len() / 2] ^= 1;
        let mut misstated = one.clone();
        misstated[one.len() - 2] ^= 0x40;
        let cases = [
            one.clone(),
            hit,
            misstated,
            one[..one.len() - 9].to_vec(),
            [&one[..], &gzip(&small)].concat(),
            [&gzip(&small)[..], &one].concat(),
            [&one[..], &one].concat(),
            [&one[..], &[0; 70_000]].concat(),
        ];
        for packed in cases {
            let size = packed.len() as u64;
            for max in [8 << 20, packed.len()] {
                let mut reader = members(&packed).of_file(size, max);
                assert_eq!(outcome(&mut reader, 1 << 16), read(&packed));
            }
        }
        let mut reader = members(&one).of_file(one.len() as u64, 8 << 20);
        reader.step(&mut [0; 10]).unwrap();
        assert!(matches!(reader.state, MemberState::Whole { end, .. } if end == text.len()));
    }

    #[test]
    fn a_stream_that_fails_in_a_member_is_told_once_and_taken_up_after() {
        let (one, two) = (gzip(&line(1)), gzip(&line(2)));
        for cut in 0..=one.len() {
            let parts = ChainedReader::new(&one[..cut], Some(InputError::Shrunk), &two[..]);
            let bytes = AtomicU64::new(0);
            let limits = ReadOptions::for_tests(&bytes).limits;
            let (out, errors) = outcome(
                &mut MemberReader::<_, GzipDecoder>::new(parts, &limits).unwrap(),
                100,
            );
            assert!(out.ends_with(&line(2)), "cut at {cut}");
            assert!(
                errors.len() == 1 && errors[0].1.contains("shorter"),
                "cut at {cut}: {errors:?}"
            );
        }
    }

    #[test]
    fn false_starts_and_members_within_one_another_cost_no_more_than_their_share() {
        let start = gzip(&vec![0; 70_000]);
        // Each of these decodes for a stretch, and runs on into the next ones, stored, before it fails.
        let long = [&start[..start.len() - 8], &[0, 0xff, 0xff, 0, 0]].concat();
        for (unit, count) in [
            (&b"\x1f\x8b\x08"[..], 100_000),
            (&start[..50], 4000),
            (&long, 500),
        ] {
            let packed = unit.repeat(count);
            let mut members = members(&packed);
            let (_, errors) = outcome(&mut members, 1 << 16);
            assert!(!errors.is_empty());
            let max = SearchBudget::FIRST_SEARCH_BYTES
                + SearchBudget::STREAM_SHARE * packed.len() as u64
                + (1 << 20);
            assert!(
                members.searching.spent <= max,
                "{} > {max}",
                members.searching.spent
            );
        }
    }
}
