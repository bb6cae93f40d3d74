//! Members of one file decoded on several threads, their bytes read in order.
//!
//! The file is cut into sections. A thread finds the first place in its section where a member decodes, and decodes from
//! there to the first member's start after the section. Such a start may be false: packed data may hold whole packed
//! files. So the reader keeps the true position, and takes a section only if that is where it starts; until then it decodes
//! by itself, as [`Members`] does without threads. What comes out is the same therefore, errors too.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::members::{Format, Members, Step};
use super::read::Fused;
use super::section::{Section, Sections};
use super::unpackers::{Lease, Unpackers};
use crate::input::file::{check_end, read_at};
use crate::input::opening::{Limits, Opening};
use crate::lock::lock;

/// Sections under way for each thread: one that it decodes, and one that waits.
const SECTIONS: usize = 2;
/// Unpacked bytes that a section may have, at least and at most.
const MOST: (usize, usize) = (1 << 20, 16 << 20);

/// How a file is shared out.
#[derive(Clone, Debug)]
struct Plan {
    /// Packed bytes of a section.
    section: Range<u64>,
    /// Unpacked bytes that a section should have, so that memory stays small where much was packed into little.
    unpacked: u64,
    /// Unpacked bytes that a section may have.
    most: usize,
    /// A first member that does not end before is taken for the only one.
    early: u64,
}

impl Plan {
    /// For threads that may hold `bytes` bytes each.
    fn new(bytes: usize) -> Self {
        let most = (bytes / SECTIONS).clamp(MOST.0, MOST.1);
        Plan {
            section: 256 << 10..1 << 20,
            unpacked: most as u64 / 4,
            most,
            early: 4 << 20,
        }
    }
}

/// The members of a file in turn, decoded on several threads where there are many.
pub(super) struct Parallel<'r, F> {
    file: Arc<File>,
    size: u64,
    limits: Limits,
    plan: Plan,
    members: Members<Fused<FileAt>, F>,
    progress: Progress<'r>,
    /// Unpacked bytes so far.
    unpacked: u64,
    unpackers: &'r Unpackers,
    threads: Threads<'r>,
    /// The section that is read, and how far.
    section: Option<(Section, usize)>,
}

enum Threads<'r> {
    /// No member ended so far.
    NotYet,
    /// A member ended, but other sources have all threads.
    Waiting,
    Some(Crew<'r>),
    /// There is no use in them.
    Never,
}

impl<'r, F: Format> Parallel<'r, F> {
    /// Reads `file` from its start, and adds what it reads, after its first `counted` bytes, to the bytes of `opening`.
    ///
    /// # Errors
    /// If there is no memory for a decoder, or the system refuses another handle of the file.
    pub(super) fn new(
        file: &File,
        counted: u64,
        opening: &Opening<'r>,
        unpackers: &'r Unpackers,
    ) -> io::Result<Self> {
        let plan = Plan::new(unpackers.bytes());
        Parallel::with(file, counted, opening, unpackers, plan)
    }

    /// The same in sections of `section` bytes, however few there are.
    #[cfg(feature = "naive")]
    pub(super) fn in_sections(
        file: &File,
        section: u64,
        opening: &Opening<'r>,
        unpackers: &'r Unpackers,
    ) -> io::Result<Self> {
        let plan = Plan {
            section: section..section,
            most: 256 << 10,
            early: u64::MAX,
            ..Plan::new(unpackers.bytes())
        };
        Parallel::with(file, 0, opening, unpackers, plan)
    }

    fn with(
        file: &File,
        counted: u64,
        opening: &Opening<'r>,
        unpackers: &'r Unpackers,
        plan: Plan,
    ) -> io::Result<Self> {
        let file = Arc::new(file.try_clone()?);
        let size = file.metadata()?.len();
        let start = FileAt::new(&file, size, 0);
        Ok(Parallel {
            size,
            limits: opening.limits,
            plan,
            members: Members::new(start, &opening.limits)?,
            progress: Progress {
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

    /// Reads on in the section at hand. None at its end.
    fn read_section(&mut self, into: &mut [u8]) -> Option<usize> {
        let (section, next) = self.section.as_mut()?;
        let count = into.len().min(section.filled - *next);
        into[..count].copy_from_slice(&section.out[*next..*next + count]);
        *next += count;
        (count > 0).then_some(count)
    }

    /// Goes on after the section at hand, if there is one.
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

    /// At a member's start, or the end: takes the section that starts there, if there is one.
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
        Crew::start::<F>(
            &self.file,
            self.size,
            &self.limits,
            self.plan.clone(),
            lease,
        )
        .map_or(Threads::Never, Threads::Some)
    }
}

impl<F: Format> Read for Parallel<'_, F> {
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
                Step::Bytes(count) => {
                    self.unpacked += count as u64;
                    return Ok(count);
                }
                Step::Boundary => self.boundary(),
                Step::End => {
                    self.threads = Threads::Never;
                    break;
                }
            }
        }
        Ok(0)
    }
}

/// A file from some place on.
struct FileAt {
    file: Arc<File>,
    /// What the file had when it was opened.
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

/// Counts what was read, once.
struct Progress<'r> {
    bytes: &'r AtomicU64,
    counted: u64,
}

impl Progress<'_> {
    fn reach(&mut self, position: u64) {
        let more = position.saturating_sub(self.counted);
        self.bytes.fetch_add(more, Ordering::Relaxed);
        self.counted += more;
    }
}

/// Threads that decode sections, and the sections under way, in order.
struct Crew<'r> {
    plan: Plan,
    size: u64,
    /// None only while it is dropped.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    /// Given back when the threads have ended.
    _lease: Lease<'r>,
    stopped: Arc<AtomicBool>,
    sections: VecDeque<Pending>,
    /// Where the next section starts.
    next: u64,
    /// Buffers to be used again.
    spare: Vec<Vec<u8>>,
    /// How often in a row sections were passed and none was taken.
    misses: u32,
}

/// A section to be decoded.
struct Job {
    range: Range<u64>,
    out: Vec<u8>,
    done: SyncSender<Section>,
}

/// A section that is or was decoded.
struct Pending {
    range: Range<u64>,
    receiver: Receiver<Section>,
    section: Option<Section>,
}

impl Pending {
    /// Waits until it is decoded.
    fn section(&mut self) -> &mut Section {
        let end = self.range.end;
        let receiver = &self.receiver;
        self.section.get_or_insert_with(|| {
            // A thread that panicked sends nothing.
            receiver.recv().unwrap_or(Section {
                range: end..end,
                out: Vec::new(),
                filled: 0,
            })
        })
    }
}

impl<'r> Crew<'r> {
    /// None if no thread can be started.
    fn start<F: Format>(
        file: &Arc<File>,
        size: u64,
        limits: &Limits,
        plan: Plan,
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
        (!threads.is_empty()).then(|| Crew {
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

    /// The section that starts with the member at `position`, if there is one. New ones are made `length` bytes long.
    fn take(&mut self, position: u64, length: u64) -> Option<Section> {
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

    /// Whether what looks like a member too often is none, or members are too large.
    fn is_useless(&self) -> bool {
        self.misses >= 8
    }

    /// Has sections of `length` bytes after `position` decoded, as many as may be under way.
    fn share_out(&mut self, position: u64, length: u64) {
        while self.sections.len() < SECTIONS * self.threads.len() {
            let start = self.next.max(position);
            let range = start..self.size.min(start + length);
            if range.is_empty() {
                return;
            }
            let (done, receiver) = mpsc::sync_channel(1);
            let job = Job {
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
            // Pages of it are taken up only as far as they are written.
            buffer = vec![0; self.plan.most];
        }
        buffer
    }
}

impl Drop for Crew<'_> {
    /// Ends the threads; each is done with its section first.
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // The panic was reported on standard error, and only its section is lost.
            let _ = thread.join();
        }
    }
}

/// Decodes one section after another, until no more can come.
fn work<F: Format>(
    file: Arc<File>,
    limits: &Limits,
    jobs: &Mutex<Receiver<Job>>,
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
        // Who asked may have gone on.
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
    fn plan(section: u64) -> Plan {
        Plan {
            section: section..section,
            most: 100_000,
            early: 1 << 40,
            ..Plan::new(32 << 20)
        }
    }

    /// What comes out in parallel, and the bytes counted, which all must be.
    fn parallel<F: Format>(packed: &[u8], plan: Plan) -> Outcome {
        let bytes = AtomicU64::new(0);
        let opening = Opening::for_tests(&bytes);
        let unpackers = Unpackers::new(3, 0);
        let file = file_of(packed);
        let mut read = Parallel::<F>::with(&file, 0, &opening, &unpackers, plan).unwrap();
        let outcome = outcome(&mut read, 3000);
        assert_eq!(bytes.load(Ordering::Relaxed), packed.len() as u64);
        outcome
    }

    fn in_turn<F: Format>(packed: &[u8]) -> Outcome {
        let bytes = AtomicU64::new(0);
        let opening = Opening::for_tests(&bytes);
        outcome(
            &mut Members::<_, F>::new(packed, &opening.limits).unwrap(),
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

    fn check<F: Format>(
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

    /// Members, and how many sections of them were taken.
    fn taken(packed: &[u8], plan: Plan) -> usize {
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
