//! Decodes the members of one file on several threads, and returns their bytes in order.
//!
//! The file is cut into sections. A thread finds the first place in its section where a member decodes, and decodes from
//! there to the first start of a member after the section. Such a start may be false, since packed data may contain whole
//! packed files. So the reader keeps the true position, and uses a section only if it starts there. Until then the reader
//! decodes itself, as [`MemberReader`] does without threads. So bytes and errors are the same as without threads.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::members::{MemberFormat, MemberReader, MemberStep};
use super::read::Fused;
use super::section::{DecodedSection, Sections};
use super::unpackers::{Lease, Unpackers};
use crate::input::file::{check_end, read_at};
use crate::input::opening::{Limits, Opening};
use crate::lock::lock;

/// Sections per thread at the same time: one that it decodes, and one that waits.
const SECTIONS: usize = 2;
/// Least and greatest limit on the unpacked size of a section, in bytes.
const MOST: (usize, usize) = (1 << 20, 16 << 20);

/// The sizes of sections.
#[derive(Clone, Debug)]
struct SectionPlan {
    /// Least and greatest packed size of a section, in bytes.
    section: Range<u64>,
    /// The desired unpacked size of a section. It limits memory for data that compresses well.
    unpacked: u64,
    /// Limit on the unpacked size of a section.
    most: usize,
    /// If the first member does not end before this offset, it is taken for the only one.
    early: u64,
}

impl SectionPlan {
    /// The plan for threads that may hold `bytes` bytes each.
    fn new(bytes: usize) -> Self {
        let most = (bytes / SECTIONS).clamp(MOST.0, MOST.1);
        SectionPlan {
            section: 256 << 10..1 << 20,
            unpacked: most as u64 / 4,
            most,
            early: 4 << 20,
        }
    }
}

/// Reads the members of a file in order, decoded on several threads if there are many.
pub(super) struct Parallel<'r, F> {
    file: Arc<File>,
    size: u64,
    limits: Limits,
    plan: SectionPlan,
    members: MemberReader<Fused<FileAt>, F>,
    progress: ByteProgress<'r>,
    /// Unpacked bytes so far.
    unpacked: u64,
    unpackers: &'r Unpackers,
    threads: Threads<'r>,
    /// The current section, and the number of its bytes that were read.
    section: Option<(DecodedSection, usize)>,
}

enum Threads<'r> {
    /// No member has ended so far.
    NotYet,
    /// A member has ended, but other sources use all threads.
    Waiting,
    Some(DecodeCrew<'r>),
    /// Threads are of no use for this file.
    Never,
}

impl<'r, F: MemberFormat> Parallel<'r, F> {
    /// Reads `file` from its start, and adds the bytes after the first `counted` ones to the bytes of `opening`.
    ///
    /// # Errors
    /// If there is no memory for a decoder, or the system refuses another handle of the file.
    pub(super) fn new(
        file: &File,
        counted: u64,
        opening: &Opening<'r>,
        unpackers: &'r Unpackers,
    ) -> io::Result<Self> {
        let plan = SectionPlan::new(unpackers.bytes());
        Parallel::with(file, counted, opening, unpackers, plan)
    }

    /// Like [`new`](Self::new), with sections of `section` bytes, also if there are few.
    #[cfg(feature = "testing")]
    pub(super) fn in_sections(
        file: &File,
        section: u64,
        opening: &Opening<'r>,
        unpackers: &'r Unpackers,
    ) -> io::Result<Self> {
        let plan = SectionPlan {
            section: section..section,
            most: 256 << 10,
            early: u64::MAX,
            ..SectionPlan::new(unpackers.bytes())
        };
        Parallel::with(file, 0, opening, unpackers, plan)
    }

    fn with(
        file: &File,
        counted: u64,
        opening: &Opening<'r>,
        unpackers: &'r Unpackers,
        plan: SectionPlan,
    ) -> io::Result<Self> {
        let file = Arc::new(file.try_clone()?);
        let size = file.metadata()?.len();
        let start = FileAt::new(&file, size, 0);
        Ok(Parallel {
            size,
            limits: opening.limits,
            plan,
            members: MemberReader::new(start, &opening.limits)?,
            progress: ByteProgress {
                bytes: opening.bytes,
                counted,
            },
            unpacked: 0,
            unpackers,
            threads: Threads::NotYet,
            section: None,
            file,
        })
    }

    /// Reads more of the current section. None at its end.
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
        let end = section.range.end;
        let file = FileAt::new(&self.file, self.size, end);
        self.members.go_on(file, end);
        self.progress.reach(end);
        if let Threads::Some(crew) = &mut self.threads {
            crew.spare.push(section.out);
        }
        self.boundary();
    }

    /// At the start of a member, or the end: starts to read the section that begins there, if there is one.
    fn boundary(&mut self) {
        let position = self.members.position();
        if let Threads::NotYet | Threads::Waiting = self.threads {
            self.threads = self.start(position);
        }
        let Threads::Some(crew) = &mut self.threads else {
            return;
        };
        let wanted = self.plan.unpacked.saturating_mul(position) / self.unpacked.max(1);
        let length = wanted.clamp(self.plan.section.start, self.plan.section.end);
        self.section = crew.take(position, length).map(|section| (section, 0));
        if crew.is_useless() {
            self.threads = Threads::Never;
        }
    }

    fn start(&self, position: u64) -> Threads<'r> {
        let left = self.size.saturating_sub(position);
        let is_late = matches!(self.threads, Threads::NotYet) && position > self.plan.early;
        if is_late || left < 2 * self.plan.section.end {
            return Threads::Never;
        }
        let Some(lease) = self.unpackers.take() else {
            return Threads::Waiting;
        };
        DecodeCrew::start::<F>(
            &self.file,
            self.size,
            &self.limits,
            self.plan.clone(),
            lease,
        )
        .map_or(Threads::Never, Threads::Some)
    }
}

impl<F: MemberFormat> Read for Parallel<'_, F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !into.is_empty() {
            if let Some(count) = self.read_section(into) {
                self.unpacked += count as u64;
                return Ok(count);
            }
            self.leave_section();
            if self.section.is_some() {
                continue;
            }
            let step = self.members.step(into);
            self.progress.reach(self.members.position());
            match step? {
                MemberStep::Bytes(count) => {
                    self.unpacked += count as u64;
                    return Ok(count);
                }
                MemberStep::Boundary => self.boundary(),
                MemberStep::End => {
                    self.threads = Threads::Never;
                    break;
                }
            }
        }
        Ok(0)
    }
}

/// Reads a file from an offset on.
struct FileAt {
    file: Arc<File>,
    /// Size of the file when it was opened.
    size: u64,
    at: u64,
}

impl FileAt {
    fn new(file: &Arc<File>, size: u64, at: u64) -> Fused<Self> {
        Fused::new(FileAt {
            file: Arc::clone(file),
            size,
            at,
        })
    }
}

impl Read for FileAt {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, into, self.at)?;
        if read == 0 && !into.is_empty() {
            check_end(&self.file, self.at, self.size)?;
        }
        self.at += read as u64;
        Ok(read)
    }
}

/// Counts each byte of the file once.
struct ByteProgress<'r> {
    bytes: &'r AtomicU64,
    counted: u64,
}

impl ByteProgress<'_> {
    fn reach(&mut self, position: u64) {
        let more = position.saturating_sub(self.counted);
        self.bytes.fetch_add(more, Ordering::Relaxed);
        self.counted += more;
    }
}

/// Threads that decode sections, and the sections that were started, in order.
struct DecodeCrew<'r> {
    plan: SectionPlan,
    size: u64,
    /// None only while it is dropped.
    jobs: Option<Sender<DecodeJob>>,
    threads: Vec<JoinHandle<()>>,
    /// Returned when the threads have ended.
    _lease: Lease<'r>,
    stopped: Arc<AtomicBool>,
    sections: VecDeque<Pending>,
    /// Offset of the next section.
    next: u64,
    /// Buffers for reuse.
    spare: Vec<Vec<u8>>,
    /// Number of positions in a row at which no section started.
    misses: u32,
}

/// A section that must be decoded.
struct DecodeJob {
    range: Range<u64>,
    out: Vec<u8>,
    done: SyncSender<DecodedSection>,
}

/// A section that is being decoded, or is decoded.
struct Pending {
    range: Range<u64>,
    receiver: Receiver<DecodedSection>,
    section: Option<DecodedSection>,
}

impl Pending {
    /// Waits until it is decoded.
    fn section(&mut self) -> &mut DecodedSection {
        let end = self.range.end;
        let receiver = &self.receiver;
        self.section.get_or_insert_with(|| {
            // The sender is dropped if the thread panicked.
            receiver.recv().unwrap_or(DecodedSection {
                range: end..end,
                out: Vec::new(),
                filled: 0,
            })
        })
    }
}

impl<'r> DecodeCrew<'r> {
    /// None if no thread can be started.
    fn start<F: MemberFormat>(
        file: &Arc<File>,
        size: u64,
        limits: &Limits,
        plan: SectionPlan,
        lease: Lease<'r>,
    ) -> Option<Self> {
        let (sender, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let stopped = Arc::new(AtomicBool::new(false));
        let start = |_| {
            let (file, jobs, limits) = (Arc::clone(file), Arc::clone(&jobs), *limits);
            let stopped = Arc::clone(&stopped);
            thread::Builder::new()
                .name("unpack".into())
                .spawn(move || work::<F>(file, &limits, &jobs, &stopped))
                .ok()
        };
        let threads: Vec<_> = (0..lease.threads).map_while(start).collect();
        (!threads.is_empty()).then(|| DecodeCrew {
            plan,
            size,
            jobs: Some(sender),
            threads,
            _lease: lease,
            stopped,
            sections: VecDeque::new(),
            next: 0,
            spare: Vec::new(),
            misses: 0,
        })
    }

    /// The section that starts with the member at `position`, if there is one. New sections have `length` bytes.
    fn take(&mut self, position: u64, length: u64) -> Option<DecodedSection> {
        let mut passed = false;
        loop {
            self.share_out(position, length);
            let first = self.sections.front_mut()?;
            if position < first.range.start {
                break;
            }
            let is_passed = first.range.end <= position;
            let range = first.section().range.clone();
            if !is_passed && position < range.start {
                break;
            }
            let section = self.sections.pop_front()?.section?;
            if range.start == position && !range.is_empty() {
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

    /// Starts to decode sections of `length` bytes after `position`, as many as are allowed at the same time.
    fn share_out(&mut self, position: u64, length: u64) {
        while self.sections.len() < SECTIONS * self.threads.len() {
            let start = self.next.max(position);
            let range = start..self.size.min(start + length);
            if range.is_empty() {
                return;
            }
            let (done, receiver) = mpsc::sync_channel(1);
            let job = DecodeJob {
                range: range.clone(),
                out: self.buffer(),
                done,
            };
            // Where all threads have panicked, the receiver reports it.
            let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
            self.next = range.end;
            self.sections.push_back(Pending {
                range,
                receiver,
                section: None,
            });
        }
    }

    fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        if buffer.len() < self.plan.most {
            // The system allocates its pages only when they are written.
            buffer = vec![0; self.plan.most];
        }
        buffer
    }
}

impl Drop for DecodeCrew<'_> {
    /// Ends the threads; each finishes its section first.
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // The panic was reported on standard error, and only its section is lost.
            let _ = thread.join();
        }
    }
}

/// Decodes sections until the sender is dropped.
fn work<F: MemberFormat>(
    file: Arc<File>,
    limits: &Limits,
    jobs: &Mutex<Receiver<DecodeJob>>,
    stopped: &AtomicBool,
) {
    let Some(mut sections) = Sections::<F>::new(file, limits) else {
        return;
    };
    loop {
        // The thread that holds the lock waits for the next job, the other threads for the lock.
        let job = lock(jobs).recv();
        let Ok(job) = job else { return };
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        // The reader may have dropped the receiver.
        let _ = job.done.send(sections.decode(job.range, job.out));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::super::bzip2::Bzip2;
    use super::super::gzip::Gzip;
    use super::super::members::tests::{Outcome, gzip, noise, outcome};
    use super::super::zstd::Zstd;
    use super::*;

    fn file_of(packed: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(packed).unwrap();
        file
    }

    /// Sections of `section` bytes on three threads.
    fn plan(section: u64) -> SectionPlan {
        SectionPlan {
            section: section..section,
            most: 100_000,
            early: 1 << 40,
            ..SectionPlan::new(32 << 20)
        }
    }

    /// The result of parallel reading. Asserts that all bytes were counted.
    fn parallel<F: MemberFormat>(packed: &[u8], plan: SectionPlan) -> Outcome {
        let bytes = AtomicU64::new(0);
        let opening = Opening::for_tests(&bytes);
        let unpackers = Unpackers::new(3, 0);
        let file = file_of(packed);
        let mut read = Parallel::<F>::with(&file, 0, &opening, &unpackers, plan).unwrap();
        let outcome = outcome(&mut read, 3000);
        assert_eq!(bytes.load(Ordering::Relaxed), packed.len() as u64);
        outcome
    }

    fn in_turn<F: MemberFormat>(packed: &[u8]) -> Outcome {
        let bytes = AtomicU64::new(0);
        let opening = Opening::for_tests(&bytes);
        outcome(
            &mut MemberReader::<_, F>::new(packed, &opening.limits).unwrap(),
            7777,
        )
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::best());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    /// Noise mostly; instead of some, members: what packs it stores them as they are, so that they are false starts.
    fn text(seed: u64, length: usize, pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        match seed % 4 {
            0 => (0..4)
                .flat_map(|n| pack(&noise(seed + n, length / 4)))
                .collect(),
            1 => vec![b'a'; length],
            _ => noise(seed, length),
        }
    }

    fn check<F: MemberFormat>(
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
        let (bytes, errors) = in_turn::<F>(&packed);
        for section in [700, 5000, 40_000] {
            let found = parallel::<F>(&packed, plan(section));
            assert_eq!(found.1, errors, "section {section}");
            assert!(found.0 == bytes, "section {section}");
        }
    }

    fn lengths(most: usize) -> impl Strategy<Value = Vec<(u64, usize)>> {
        proptest::collection::vec((any::<u64>(), 0..most), 2..40)
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
            check::<Gzip>(&lengths, gzip, &hits);
        }

        #[test]
        fn zstd_in_parallel_is_zstd_in_turn_whatever_is_in_it(
            lengths in lengths(8000),
            hits in hits(),
        ) {
            check::<Zstd>(&lengths, |bytes| ::zstd::encode_all(bytes, 1).unwrap(), &hits);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]

        #[test]
        fn bzip2_in_parallel_is_bzip2_in_turn_whatever_is_in_it(
            lengths in lengths(5000),
            hits in hits(),
        ) {
            check::<Bzip2>(&lengths, bzip2, &hits);
        }
    }

    /// The number of members, and of sections that were used.
    fn taken(packed: &[u8], plan: SectionPlan) -> usize {
        let bytes = AtomicU64::new(0);
        let opening = Opening::for_tests(&bytes);
        let unpackers = Unpackers::new(3, 0);
        let file = file_of(packed);
        let mut read = Parallel::<Gzip>::with(&file, 0, &opening, &unpackers, plan).unwrap();
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
        assert!(taken(&many, plan(10_000)) > 10);
        assert_eq!(taken(&gzip(&noise(1, 200_000)), plan(10_000)), 0);
    }

    #[test]
    fn a_reader_that_is_dropped_early_ends_its_threads() {
        let many: Vec<_> = (0..200).flat_map(|seed| gzip(&noise(seed, 1000))).collect();
        let bytes = AtomicU64::new(0);
        let opening = Opening::for_tests(&bytes);
        let unpackers = Unpackers::new(3, 0);
        let (file, plan) = (file_of(&many), plan(10_000));
        let mut read = Parallel::<Gzip>::with(&file, 0, &opening, &unpackers, plan).unwrap();
        let file = Arc::clone(&read.file);
        read.read_exact(&mut [0; 2000]).unwrap();
        assert!(Arc::strong_count(&file) > 3);
        assert!(unpackers.take().is_none());
        drop(read);
        assert!(unpackers.take().is_some());
        assert_eq!(Arc::strong_count(&file), 1);
    }
}
