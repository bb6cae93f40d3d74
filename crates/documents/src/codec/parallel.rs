//! Decodes the members of one file, or the blocks of its streams, on several threads, and returns their bytes in order.
//!
//! The file is cut into sections. A thread finds the first place in its section where a member or block decodes, and decodes
//! from there to the first start of a member or block after the section. Such a start may be false, since packed data may
//! contain whole packed files. So the reader keeps the true position, and uses a section only if it starts there. Until
//! then the reader decodes itself. So bytes and errors are the same as without threads.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;

use super::members::MemberStep;
use crate::fault::InputError;
use crate::file::SourceFile;
use crate::halt::HaltSignal;
use crate::read::ReadBytes;
use crate::read_options::{ReadLimits, ReadOptions};
use crate::unpackers::UnpackThreads;
use crate::workers::{ResultSender, WorkerThreads};

/// Sections per thread at the same time: one that it decodes, and one that waits.
const SECTIONS_PER_THREAD: usize = 2;
/// Limit on the cost of false starts in a section, in bytes.
pub(super) const MAX_TRIAL_BYTES: usize = 8 << 20;

/// Reads a file in order, and can pass over sections of it that were decoded.
pub(super) trait OrderedReader: Sized {
    type Sections: SectionDecoder;
    /// Minimum and maximum of the limit on the unpacked size of a section, in bytes.
    const SECTION_LIMITS: (usize, usize) = (1 << 20, 16 << 20);

    /// Reads `file` of `size` bytes from its start. Sections unpack to at most `max` bytes.
    ///
    /// # Errors
    /// If there is no memory for a decoder.
    fn new(
        file: &SourceFile,
        size: u64,
        options: &ReadOptions<'_>,
        max: usize,
    ) -> Result<Self, InputError>;

    /// Returns the place of the reader: the bit of the file at which decoding continues.
    fn bit(&self) -> u64;

    /// Makes one step. `into` must not be empty.
    fn step(&mut self, into: &mut [u8]) -> Result<MemberStep, InputError>;

    /// Returns facts that help to decode sections after the place.
    fn hint(&self) -> <Self::Sections as SectionDecoder>::Hint;

    /// Whether a section may start at the place though no member has ended.
    fn starts_within_member(&self) -> bool {
        false
    }

    /// Passes over `section`, which starts at the place. Returns false and changes nothing if it does not continue the
    /// bytes that were read.
    fn pass(&mut self, section: &SectionOf<Self>) -> bool;

    /// Called when no more sections will come.
    fn no_more_sections(&mut self) {}
}

type SectionOf<R> = DecodedSection<<<R as OrderedReader>::Sections as SectionDecoder>::Passed>;

/// Decodes sections of a file.
pub(super) trait SectionDecoder: Sized + 'static {
    /// Facts of the reader that help to decode a section.
    type Hint: Send;
    /// Facts that the reader needs to pass over a section.
    type Passed: Default + Send;

    /// Returns `None` if there is no memory for a decoder.
    fn new(file: SourceFile, limits: &ReadLimits) -> Option<Self>;

    /// Decodes the members or blocks that start in `range` of the file into `out`.
    fn decode(
        &mut self,
        range: Range<u64>,
        hint: Self::Hint,
        out: Vec<u8>,
    ) -> DecodedSection<Self::Passed>;
}

/// A decoded section.
pub(super) struct DecodedSection<P> {
    /// The bits of the file from the first valid start to the end of the decoded part; empty if there is no start.
    pub(super) bits: Range<u64>,
    /// The decoded bytes, and free space.
    pub(super) out: Vec<u8>,
    pub(super) filled: usize,
    pub(super) passed: P,
}

/// The sizes of sections.
#[derive(Clone, Debug)]
struct SectionPlan {
    /// Minimum and maximum packed size of a section, in bytes.
    section: Range<u64>,
    /// The desired unpacked size of a section. It limits memory for data that compresses well.
    unpacked: u64,
    /// Limit on the unpacked size of a section.
    max: usize,
    /// If the first member does not end before this offset, threads are not used.
    early: u64,
}

impl SectionPlan {
    /// Makes the plan for threads that may hold `bytes` bytes each. The limit on sections is between `min` and `max`.
    fn new(bytes: usize, (min, max): (usize, usize)) -> Self {
        let max = (bytes / SECTIONS_PER_THREAD).clamp(min, max);
        SectionPlan {
            section: 256 << 10..1 << 20,
            unpacked: max as u64 / 4,
            max,
            early: 4 << 20,
        }
    }
}

/// Reads a file in order, decoded on several threads if it is large.
pub(super) struct ParallelReader<'r, R: OrderedReader> {
    file: SourceFile,
    size: u64,
    options: ReadOptions<'r>,
    plan: SectionPlan,
    reader: R,
    progress: ProgressCounter<'r>,
    /// Unpacked bytes so far.
    unpacked: u64,
    unpackers: &'r UnpackThreads,
    threads: SectionThreads<'r, R::Sections>,
    /// The current section, and the number of its bytes that were read.
    section: Option<(SectionOf<R>, usize)>,
}

enum SectionThreads<'r, S: SectionDecoder> {
    /// No section could start so far.
    NotYet,
    /// Other sources use all threads.
    Waiting,
    Some(DecodeThreads<'r, S>),
    /// Threads are of no use for this file.
    Never,
}

impl<'r, R: OrderedReader> ParallelReader<'r, R> {
    /// Reads `file` from its start, and adds the bytes after the first `counted` ones to the bytes of `options`.
    ///
    /// # Errors
    /// If there is no memory for a decoder, or the size of the file cannot be read.
    pub(super) fn new(
        file: &SourceFile,
        counted: u64,
        options: &ReadOptions<'r>,
        unpackers: &'r UnpackThreads,
    ) -> Result<Self, InputError> {
        let plan = SectionPlan::new(unpackers.bytes(), R::SECTION_LIMITS);
        ParallelReader::with(file, counted, options, unpackers, plan)
    }

    /// Like [`new`](Self::new), with sections of `section` bytes, even if there are few.
    #[cfg(feature = "testing")]
    pub(super) fn in_sections(
        file: &SourceFile,
        section: u64,
        options: &ReadOptions<'r>,
        unpackers: &'r UnpackThreads,
    ) -> Result<Self, InputError> {
        let plan = SectionPlan {
            section: section..section,
            max: 256 << 10,
            early: u64::MAX,
            ..SectionPlan::new(unpackers.bytes(), R::SECTION_LIMITS)
        };
        ParallelReader::with(file, 0, options, unpackers, plan)
    }

    fn with(
        file: &SourceFile,
        counted: u64,
        options: &ReadOptions<'r>,
        unpackers: &'r UnpackThreads,
        plan: SectionPlan,
    ) -> Result<Self, InputError> {
        let file = file.clone();
        let size = file.length()?;
        let mut parallel = ParallelReader {
            size,
            options: *options,
            reader: R::new(&file, size, options, plan.max)?,
            plan,
            progress: ProgressCounter::new(options, counted),
            unpacked: 0,
            unpackers,
            threads: SectionThreads::NotYet,
            section: None,
            file,
        };
        if parallel.reader.starts_within_member() {
            parallel.boundary();
        }
        Ok(parallel)
    }

    /// Reads more of the current section. Returns `None` at its end.
    fn read_section(&mut self, into: &mut [u8]) -> Option<usize> {
        let (section, next) = self.section.as_mut()?;
        let count = into.len().min(section.filled - *next);
        into[..count].copy_from_slice(&section.out[*next..*next + count]);
        *next += count;
        (count > 0).then_some(count)
    }

    /// Moves to the end of the current section, if there is one.
    fn leave_section(&mut self) {
        let Some((section, _)) = self.section.take() else {
            return;
        };
        self.progress.reach(section.bits.end / 8);
        if let SectionThreads::Some(workers) = &mut self.threads {
            workers.spare.push(section.out);
        }
        self.boundary();
    }

    /// Called at the start of a member or block, or at the end. Starts to read the section that begins there, if there is
    /// one.
    fn boundary(&mut self) {
        let bit = self.reader.bit();
        let position = bit / 8;
        if let SectionThreads::NotYet | SectionThreads::Waiting = self.threads {
            self.threads = self.start(position);
        }
        if let SectionThreads::Some(workers) = &mut self.threads {
            let wanted = self.plan.unpacked.saturating_mul(position) / self.unpacked.max(1);
            let length = wanted.clamp(self.plan.section.start, self.plan.section.end);
            self.section = workers
                .take_section(bit, length, &self.reader)
                .map(|section| (section, 0));
            if let Some((section, _)) = self.section.take_if(|(at, _)| !self.reader.pass(at)) {
                workers.spare.push(section.out);
            }
            if workers.is_useless() {
                self.threads = SectionThreads::Never;
            }
        }
        if let SectionThreads::Never = self.threads {
            self.reader.no_more_sections();
        }
    }

    fn start(&self, position: u64) -> SectionThreads<'r, R::Sections> {
        let left = self.size.saturating_sub(position);
        let is_first =
            matches!(self.threads, SectionThreads::NotYet) && !self.reader.starts_within_member();
        let is_late = is_first && position > self.plan.early;
        if is_late || left < 2 * self.plan.section.end {
            return SectionThreads::Never;
        }
        let plan = self.plan.clone();
        let limits = &self.options.limits;
        DecodeThreads::start(&self.file, self.size, limits, plan, self.unpackers)
            .map_or(SectionThreads::Waiting, SectionThreads::Some)
    }
}

impl<R: OrderedReader> ReadBytes for ParallelReader<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while !into.is_empty() {
            if let Some(count) = self.read_section(into) {
                self.unpacked += count as u64;
                return Ok(count);
            }
            self.leave_section();
            if self.section.is_some() {
                continue;
            }
            let step = self.reader.step(into);
            self.progress.reach(self.reader.bit() / 8);
            match step? {
                // The caller checks this only between reads, but a long stream may be decoded again within one.
                MemberStep::Bytes(0) if self.options.halt.is_halted() => break,
                MemberStep::Bytes(0) => {}
                MemberStep::Bytes(count) => {
                    self.unpacked += count as u64;
                    return Ok(count);
                }
                MemberStep::Boundary => self.boundary(),
                MemberStep::End => {
                    self.threads = SectionThreads::Never;
                    break;
                }
            }
        }
        Ok(0)
    }
}

/// Counts each byte of the file once.
pub(super) struct ProgressCounter<'r> {
    bytes: &'r AtomicU64,
    counted: u64,
}

impl<'r> ProgressCounter<'r> {
    /// The first `counted` bytes were already counted.
    pub(super) fn new(options: &ReadOptions<'r>, counted: u64) -> Self {
        ProgressCounter {
            bytes: options.bytes_read,
            counted,
        }
    }

    /// Counts the bytes before `position`.
    pub(super) fn reach(&mut self, position: u64) {
        let more = position.saturating_sub(self.counted);
        self.bytes.fetch_add(more, Ordering::Relaxed);
        self.counted += more;
    }
}

/// Threads that decode sections, and the sections that were started, in order.
struct DecodeThreads<'r, S: SectionDecoder> {
    plan: SectionPlan,
    size: u64,
    sections: VecDeque<PendingSection<S::Passed>>,
    workers: WorkerThreads<'r, DecodeJob<S>, DecodedSection<S::Passed>>,
    /// Offset of the next section.
    next: u64,
    /// Buffers for reuse.
    spare: Vec<Vec<u8>>,
    /// Number of positions in a row at which no section started.
    misses: u32,
}

/// A section that must be decoded.
struct DecodeJob<S: SectionDecoder> {
    range: Range<u64>,
    hint: S::Hint,
    out: Vec<u8>,
}

/// A section that is being decoded, or is decoded.
struct PendingSection<P> {
    /// The bytes of the file in which it starts.
    range: Range<u64>,
    receiver: Receiver<DecodedSection<P>>,
    section: Option<DecodedSection<P>>,
}

impl<P: Default> DecodedSection<P> {
    /// Makes a section without a start before the offset `end`.
    fn none(end: u64) -> Self {
        DecodedSection {
            bits: 8 * end..8 * end,
            out: Vec::new(),
            filled: 0,
            passed: P::default(),
        }
    }
}

impl<P: Default> PendingSection<P> {
    /// Waits until it is decoded.
    fn section(&mut self) -> &mut DecodedSection<P> {
        let (end, receiver) = (self.range.end, &self.receiver);
        self.section.get_or_insert_with(|| {
            // No thread had memory for a decoder.
            let none = |_| DecodedSection::none(end);
            receiver.recv().unwrap_or_else(none)
        })
    }
}

impl<'r, S: SectionDecoder> DecodeThreads<'r, S> {
    /// Returns `None` if no thread can be started.
    fn start(
        file: &SourceFile,
        size: u64,
        limits: &ReadLimits,
        plan: SectionPlan,
        unpackers: &'r UnpackThreads,
    ) -> Option<Self> {
        let (file, limits) = (file.clone(), *limits);
        let worker = move || {
            let mut sections = S::new(file.clone(), &limits)?;
            Some(move |job: DecodeJob<S>, answers: &ResultSender<'_, _>| {
                // The reader may have dropped the receiver.
                answers.send(sections.decode(job.range, job.hint, job.out));
            })
        };
        Some(DecodeThreads {
            plan,
            size,
            sections: VecDeque::new(),
            workers: WorkerThreads::start(unpackers, usize::MAX, "unpack", worker)?,
            next: 0,
            spare: Vec::new(),
            misses: 0,
        })
    }

    /// Returns the section that starts at `bit`, if there is one. New sections have `length` bytes.
    fn take_section(
        &mut self,
        bit: u64,
        length: u64,
        reader: &impl OrderedReader<Sections = S>,
    ) -> Option<DecodedSection<S::Passed>> {
        let mut passed = false;
        loop {
            self.share_out(bit / 8, length, reader);
            let first = self.sections.front_mut()?;
            if bit / 8 < first.range.start {
                break;
            }
            let is_passed = first.range.end <= bit / 8;
            let bits = first.section().bits.clone();
            if !is_passed && bit < bits.start {
                break;
            }
            let section = self.sections.pop_front()?.section?;
            if bits.start == bit && !bits.is_empty() {
                self.misses = 0;
                return Some(section);
            }
            self.spare.push(section.out);
            passed = true;
        }
        self.misses += u32::from(passed);
        None
    }

    /// Whether threads are useless, because there are many false starts or the members are too large.
    fn is_useless(&self) -> bool {
        self.misses >= 8
    }

    /// Starts to decode sections of `length` bytes after `position`, up to the number that is allowed at the same time.
    fn share_out(&mut self, position: u64, length: u64, reader: &impl OrderedReader<Sections = S>) {
        while self.sections.len() < SECTIONS_PER_THREAD * self.workers.threads() {
            let start = self.next.max(position);
            let range = start..self.size.min(start + length);
            if range.is_empty() {
                return;
            }
            let job = DecodeJob {
                range: range.clone(),
                hint: reader.hint(),
                out: self.buffer(),
            };
            let none = DecodedSection::none(range.end);
            let receiver = self.workers.start_job(job, 1, none);
            self.next = range.end;
            self.sections.push_back(PendingSection {
                range,
                receiver,
                section: None,
            });
        }
    }

    fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        if buffer.len() < self.plan.max {
            // The system allocates its pages only when they are written.
            buffer = vec![0; self.plan.max];
        }
        buffer
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::super::blocks::BlockReader;
    use super::super::bzip2::Bzip2Decoder;
    use super::super::file_members::FileMembers;
    use super::super::gzip::GzipDecoder;
    use super::super::members::tests::{Outcome, gzip, noise, outcome};
    use super::super::members::{MemberFormat, MemberReader};
    use super::super::zstd::ZstdDecoder;
    use super::*;

    fn file_of(packed: &[u8]) -> SourceFile {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(packed).unwrap();
        file.into()
    }

    /// Returns a plan with sections of `section` bytes.
    fn plan(section: u64) -> SectionPlan {
        SectionPlan {
            section: section..section,
            max: 100_000,
            early: 1 << 40,
            ..SectionPlan::new(32 << 20, (1 << 20, 16 << 20))
        }
    }

    /// Returns the result of parallel reading on three threads. Asserts that all bytes were counted.
    fn parallel<R: OrderedReader>(packed: &[u8], plan: SectionPlan) -> Outcome {
        let bytes = AtomicU64::new(0);
        let options = ReadOptions::for_tests(&bytes);
        let unpackers = UnpackThreads::new(3, 0);
        let file = file_of(packed);
        let mut read = ParallelReader::<R>::with(&file, 0, &options, &unpackers, plan).unwrap();
        let outcome = outcome(&mut read, 3000);
        assert_eq!(bytes.load(Ordering::Relaxed), packed.len() as u64);
        outcome
    }

    fn in_turn<F: MemberFormat>(packed: &[u8]) -> Outcome {
        let bytes = AtomicU64::new(0);
        let options = ReadOptions::for_tests(&bytes);
        outcome(
            &mut MemberReader::<_, F>::new(packed, &options.limits).unwrap(),
            7777,
        )
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::best());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// Returns mostly noise; for some seeds, members. A packer stores them unchanged, so they are false starts.
    fn text(seed: u64, length: usize, pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        match seed % 4 {
            0 => (0..4)
                .flat_map(|n| pack(&noise(seed + n, length / 4)))
                .collect(),
            1 => vec![b'a'; length],
            _ => noise(seed, length),
        }
    }

    /// Packs `bytes` as one stream of small blocks.
    fn bzip2_blocks(bytes: &[u8]) -> Vec<u8> {
        let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
        for block in bytes.chunks(1500) {
            out.write_all(block).unwrap();
            out.flush().unwrap();
        }
        out.finish().unwrap()
    }

    fn check<F: MemberFormat, R: OrderedReader>(
        lengths: &[(u64, usize)],
        pack: fn(&[u8]) -> Vec<u8>,
        hits: &[(usize, u8)],
    ) {
        let members = lengths
            .iter()
            .map(|(seed, length)| pack(&text(*seed, *length, pack)));
        let mut packed = members.collect::<Vec<_>>().concat();
        for (at, bits) in hits {
            let at = at % packed.len();
            packed[at] ^= bits;
        }
        same::<F, R>(&packed, "");
    }

    /// Asserts that sections of all sizes give the same bytes and errors as no sections.
    fn same<F: MemberFormat, R: OrderedReader>(packed: &[u8], what: &str) {
        let (bytes, errors) = in_turn::<F>(packed);
        for section in [700, 5000, 40_000] {
            let found = parallel::<R>(packed, plan(section));
            assert_eq!(found.1, errors, "{what}, section {section}");
            assert!(found.0 == bytes, "{what}, section {section}");
        }
    }

    fn lengths(max: usize) -> impl Strategy<Value = Vec<(u64, usize)>> {
        proptest::collection::vec((any::<u64>(), 0..max), 2..40)
    }

    fn hits() -> impl Strategy<Value = Vec<(usize, u8)>> {
        proptest::collection::vec((any::<usize>(), 1u8..), 0..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn gzip_in_parallel_is_gzip_in_turn_whatever_is_in_it(
            lengths in lengths(8000),
            hits in hits(),
        ) {
            check::<GzipDecoder, FileMembers<GzipDecoder>>(&lengths, gzip, &hits);
        }

        #[test]
        fn zstd_in_parallel_is_zstd_in_turn_whatever_is_in_it(
            lengths in lengths(8000),
            hits in hits(),
        ) {
            let pack = |bytes: &[u8]| ::zstd::encode_all(bytes, 1).unwrap();
            check::<ZstdDecoder, FileMembers<ZstdDecoder>>(&lengths, pack, &hits);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]

        #[test]
        fn bzip2_in_parallel_is_bzip2_in_turn_whatever_is_in_it(
            lengths in lengths(5000),
            hits in hits(),
        ) {
            check::<Bzip2Decoder, BlockReader>(&lengths, bzip2, &hits);
        }

        #[test]
        fn blocks_of_bzip2_in_parallel_are_those_in_turn_whatever_is_in_them(
            lengths in lengths(9000),
            hits in hits(),
        ) {
            check::<Bzip2Decoder, BlockReader>(&lengths, bzip2_blocks, &hits);
        }

    }

    /// Returns the number of sections that were used.
    fn taken<R: OrderedReader>(packed: &[u8], plan: SectionPlan) -> usize {
        let bytes = AtomicU64::new(0);
        let options = ReadOptions::for_tests(&bytes);
        let unpackers = UnpackThreads::new(3, 0);
        let file = file_of(packed);
        let mut read = ParallelReader::<R>::with(&file, 0, &options, &unpackers, plan).unwrap();
        let mut taken = 0;
        let mut into = [0; 100];
        while read.read(&mut into).unwrap() > 0 {
            taken += usize::from(matches!(read.section, Some((_, next)) if next <= into.len()));
        }
        taken
    }

    #[test]
    fn small_members_come_from_sections_and_a_single_member_starts_no_thread() {
        let many: Vec<_> = (0..200).flat_map(|seed| gzip(&noise(seed, 1000))).collect();
        assert!(taken::<FileMembers<GzipDecoder>>(&many, plan(10_000)) > 10);
        let one = gzip(&noise(1, 200_000));
        assert_eq!(taken::<FileMembers<GzipDecoder>>(&one, plan(10_000)), 0);
    }

    #[test]
    fn blocks_of_one_stream_come_from_sections() {
        let bzip2 = bzip2_blocks(&noise(1, 200_000));
        assert!(taken::<BlockReader>(&bzip2, plan(10_000)) > 10);
    }

    #[test]
    fn blocks_that_fit_no_section_are_read_and_damage_in_them_is_found() {
        let parts = [noise(6, 3000), noise(7, 250_000), noise(8, 70_000)];
        let mut packed = parts.map(|part| bzip2(&part)).concat();
        same::<Bzip2Decoder, BlockReader>(&packed, "whole");
        let last = packed.len() - 70_000;
        packed[last] ^= 1;
        same::<Bzip2Decoder, BlockReader>(&packed, "damaged");
    }

    /// Halts at a number of checks.
    struct Checks(AtomicU64);

    impl HaltSignal for Checks {
        fn is_halted(&self) -> bool {
            let left = self.0.load(Ordering::Relaxed);
            self.0.store(left.saturating_sub(1), Ordering::Relaxed);
            left == 0
        }
    }

    #[test]
    fn a_halted_run_ends_while_a_stream_is_read_again() {
        const BLOCKS: usize = 60_000;
        let mut packed = bzip2_blocks(&noise(1, BLOCKS));
        // Damages the checksum of the stream.
        let last = packed.len() - 2;
        packed[last] ^= 1;
        let (bytes, checks) = (AtomicU64::new(0), Checks(AtomicU64::new(u64::MAX)));
        let mut options = ReadOptions::for_tests(&bytes);
        options.halt = Some(&checks);
        let (file, unpackers) = (file_of(&packed), UnpackThreads::new(0, 0));
        let mut read =
            ParallelReader::<BlockReader>::with(&file, 0, &options, &unpackers, plan(10_000))
                .unwrap();
        assert!(read.read_full(&mut vec![0; BLOCKS]).unwrap());
        // Halts before all bytes that were already returned are skipped in steps of 1,000.
        checks.0.store(20, Ordering::Relaxed);
        assert_eq!(read.read(&mut [0; 1000]).unwrap(), 0);
        assert!(checks.is_halted());
        checks.0.store(u64::MAX, Ordering::Relaxed);
        assert!(read.read(&mut [0; 1000]).is_err());
    }

    #[test]
    fn blocks_of_bzip2_that_is_damaged_or_cut_are_those_in_turn() {
        const MAGIC: [u8; 6] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
        const END: [u8; 6] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
        let packed = [
            bzip2_blocks(&noise(3, 3000)),
            bzip2_blocks(&noise(4, 4000).repeat(2)),
            vec![0; 9],
            bzip2_blocks(b""),
            bzip2_blocks(&noise(5, 2000)),
        ]
        .concat();
        let last = packed.len() - 1;
        let end = last - 12..=last;
        for at in (0..last).step_by(1511).chain(end.step_by(3)) {
            let (before, after) = packed.split_at(at);
            let ways = [
                (before.to_vec(), "cut"),
                ([before, &after[1..]].concat(), "without a byte"),
                ([before, b"1", after].concat(), "with a byte more"),
                ([before, &MAGIC, after].concat(), "with a false block"),
                ([before, &END, &[0; 4], after].concat(), "with a false end"),
                ([before, &packed[..2000], after].concat(), "with a stream"),
            ];
            for (hit, what) in ways {
                same::<Bzip2Decoder, BlockReader>(&hit, &format!("{what} at {at}"));
            }
        }
    }

    #[test]
    fn a_reader_that_is_dropped_early_ends_its_threads() {
        let many: Vec<_> = (0..200).flat_map(|seed| gzip(&noise(seed, 1000))).collect();
        let bytes = AtomicU64::new(0);
        let options = ReadOptions::for_tests(&bytes);
        let unpackers = UnpackThreads::new(3, 0);
        let (file, plan) = (file_of(&many), plan(10_000));
        let mut read =
            ParallelReader::<FileMembers<GzipDecoder>>::with(&file, 0, &options, &unpackers, plan)
                .unwrap();
        assert!(read.read_full(&mut [0; 2000]).unwrap());
        assert!(file.handles() > 3);
        assert!(unpackers.lease().is_none());
        drop(read);
        assert!(unpackers.lease().is_some());
        assert_eq!(file.handles(), 1);
    }
}
