//! An object that is read at offsets and in order.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::error::RemoteError;
use crate::fetch::{Fetcher, Frame, Object, Receiver};
use crate::location::{Answer, Identity, Location};
use crate::lock::lock;
use crate::traffic::SourceTraffic;

/// Bytes of the first range of an object. Smaller objects take one request.
pub(crate) const FIRST_BYTES: u64 = 1 << 20;
/// Bytes of the largest range.
const RANGE_BYTES: u64 = 4 << 20;
/// Ranges of a section that are fetched at the same time. At 50 ms for a request and 100 MB a second for a connection, 8 give 0.36 GB a second.
const MAX_RANGES: usize = 16;
/// By how much their number grows after a range was read, so that a reader that ends soon has few of them fetched.
const DEPTH_GROWTH: usize = 4;
/// Bytes of a block that is fetched for a small read.
const BLOCK_BYTES: u64 = 64 << 10;
/// Blocks that a file holds.
const MAX_BLOCKS: usize = 32;
/// Frames of a stream that wait for their reader.
const FRAMES_AHEAD: usize = 16;

/// An object that was opened. Clones are the same object.
#[derive(Clone)]
pub struct RemoteFile(Arc<Opened>);

struct Opened {
    fetcher: Arc<Fetcher>,
    object: Object,
    start: ObjectStart,
    /// All bytes in order, if the service gives no ranges.
    stream: Mutex<Option<Frames>>,
    blocks: Mutex<Blocks>,
    /// Room for the start.
    _held: Option<OwnedSemaphorePermit>,
}

/// The first bytes of an object, as they arrived: all, if the object is small.
#[derive(Default)]
struct ObjectStart {
    /// Each frame with the offset of its end.
    frames: Vec<(u64, Bytes)>,
}

/// Parts of an object that are held for reads at offsets.
#[derive(Default)]
struct Blocks {
    /// Those that were used last, the last at the end.
    held: VecDeque<(Range<u64>, Block)>,
    /// Ranges whose bytes will be read in order. Blocks within them are larger, and end with them.
    expected: VecDeque<Range<u64>>,
}

/// The bytes of a part, or their reader while they arrive.
enum Block {
    Coming(Box<RemoteSection>),
    Here(Bytes),
}

/// Bytes of an object in order, fetched ahead of their reader.
pub struct RemoteSection {
    file: RemoteFile,
    /// Bytes that arrived and were not read.
    frame: Bytes,
    at: u64,
    end: u64,
    /// Start of the next range to fetch.
    next: u64,
    /// Bytes of the next range.
    step: u64,
    /// Number of ranges that may be fetched at the same time.
    depth: usize,
    ranges: VecDeque<FetchedRange>,
}

struct FetchedRange {
    /// Offset of its end; the largest number if the size of the object is not known.
    end: u64,
    frames: Frames,
    _held: Option<OwnedSemaphorePermit>,
}

/// The frames of a range.
enum Frames {
    Held(mpsc::UnboundedReceiver<Frame>),
    Waiting(mpsc::Receiver<Frame>),
}

impl Frames {
    async fn next(&mut self) -> Option<Frame> {
        match self {
            Frames::Held(from) => from.recv().await,
            Frames::Waiting(from) => from.recv().await,
        }
    }
}

impl ObjectStart {
    /// Receives all frames.
    async fn receive(mut frames: Frames) -> Result<Self, RemoteError> {
        let (mut start, mut end) = (ObjectStart::default(), 0);
        while let Some(frame) = frames.next().await {
            let frame = frame?;
            end += frame.len() as u64;
            start.frames.push((end, frame));
        }
        Ok(start)
    }

    fn length(&self) -> u64 {
        self.frames.last().map_or(0, |(end, _)| *end)
    }

    /// Returns the bytes from an offset to the end of their frame. They are empty after the last frame.
    fn from(&self, at: u64) -> Bytes {
        let frame = self.frames.partition_point(|(end, _)| *end <= at);
        let frame = self.frames.get(frame);
        frame.map_or_else(Bytes::new, |(end, bytes)| {
            bytes.slice(bytes.len() - (end - at) as usize..)
        })
    }
}

impl RemoteFile {
    /// Asks for the first bytes of an object, and waits for them.
    pub(crate) async fn open(
        fetcher: &Arc<Fetcher>,
        location: Location,
        traffic: SourceTraffic,
    ) -> Result<Self, RemoteError> {
        let held = fetcher.hold(FIRST_BYTES);
        let answer = fetcher.begin(&location, FIRST_BYTES, &traffic).await?;
        let identity = answer.identity.clone();
        let object = Object {
            location,
            identity,
            traffic,
        };
        let (mut start, mut stream) = (ObjectStart::default(), None);
        match object.identity.size {
            Some(size) if answer.gives_ranges || size <= FIRST_BYTES => {
                let end = size.min(FIRST_BYTES);
                let frames = held_frames(fetcher, &object, 0..end, Some(answer));
                start = ObjectStart::receive(frames).await?;
            }
            None if answer.gives_ranges => {
                return Err(RemoteError::OtherBytes(
                    "their number is not stated".to_owned(),
                ));
            }
            size => {
                let (to, from) = mpsc::channel(FRAMES_AHEAD);
                fetch(
                    fetcher,
                    &object,
                    0..size.unwrap_or(u64::MAX),
                    Some(answer),
                    Receiver::Waiting(to),
                );
                stream = Some(Frames::Waiting(from));
            }
        }
        Ok(RemoteFile(Arc::new(Opened {
            fetcher: Arc::clone(fetcher),
            object,
            start,
            stream: Mutex::new(stream),
            blocks: Mutex::default(),
            _held: held,
        })))
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.0.object.identity
    }

    /// Returns the size in bytes, which is unknown only for [streams](Self::take_stream).
    pub fn length(&self) -> Option<u64> {
        self.identity().size
    }

    /// Takes the bytes in order, if the service gives no ranges of the object. Then it can be read in no other way, and only once.
    pub fn take_stream(&self) -> Option<RemoteSection> {
        let frames = lock(&self.0.stream).take()?;
        let end = self.length().unwrap_or(u64::MAX);
        let mut section = RemoteSection::new(self.clone(), 0..end);
        section.next = end;
        section.ranges.push_back(FetchedRange {
            end,
            frames,
            _held: None,
        });
        Some(section)
    }

    /// Returns a reader of the bytes in `range`, which are fetched ahead. A range that ends after the object is cut.
    pub fn section(&self, range: Range<u64>) -> RemoteSection {
        let end = range.end.min(self.length().unwrap_or(0));
        RemoteSection::new(self.clone(), range.start.min(end)..end)
    }

    /// Reads bytes at the offset `at`. Returns 0 only at the end, or if `into` is empty. Small reads fetch a block, which is held.
    ///
    /// # Errors
    /// A [`RemoteError`] within an [`io::Error`].
    pub fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        let held = self.0.start.from(at);
        if !held.is_empty() {
            return Ok(copy(&held, into));
        }
        let size = self.length().unwrap_or(0);
        if at >= size || into.is_empty() {
            return Ok(0);
        }
        let block = self.block_at(at, size);
        if into.len() as u64 >= BLOCK_BYTES && block.is_none() {
            let end = size.min(at + into.len() as u64);
            return self
                .whole_section(at..end)
                .read(into)
                .map_err(io::Error::other);
        }
        let start = at / BLOCK_BYTES * BLOCK_BYTES;
        let block = block.unwrap_or(start..size.min(start + BLOCK_BYTES));
        let skipped = (at - block.start) as usize;
        let bytes = self.block(block).map_err(io::Error::other)?;
        Ok(copy(&bytes[skipped..], into))
    }

    /// Says that the bytes of `range` will be read in order. They are fetched in larger blocks, of which the next one is fetched ahead.
    pub fn expect(&self, range: Range<u64>) {
        let mut blocks = lock(&self.0.blocks);
        if blocks.expected.len() == MAX_BLOCKS {
            blocks.expected.pop_front();
        }
        blocks.expected.push_back(range);
    }

    /// Returns the block at an offset within a range that will be read in order.
    fn block_at(&self, at: u64, size: u64) -> Option<Range<u64>> {
        let blocks = lock(&self.0.blocks);
        let range = blocks
            .expected
            .iter()
            .rev()
            .find(|range| range.contains(&at))?;
        let start = range.start + (at - range.start) / FIRST_BYTES * FIRST_BYTES;
        Some(start..range.end.min(start + FIRST_BYTES).min(size))
    }

    /// A reader of a range that asks once for all of it.
    fn whole_section(&self, range: Range<u64>) -> RemoteSection {
        let mut section = self.section(range);
        section.step = u64::MAX / 2;
        section
    }

    /// Returns the bytes of a block.
    fn block(&self, range: Range<u64>) -> Result<Bytes, RemoteError> {
        let held = lock(&self.0.blocks).take(range.start);
        // The block after this one, if its bytes will be read too.
        let next = self
            .block_at(range.end, self.length().unwrap_or(0))
            .filter(|next| next.start == range.end);
        if let Some(next) = next.filter(|next| !lock(&self.0.blocks).has(next.start)) {
            let mut section = self.whole_section(next.clone());
            section.fetch_ahead();
            lock(&self.0.blocks).put(next, Block::Coming(Box::new(section)));
        }
        let bytes = match held {
            Some(Block::Here(bytes)) => bytes,
            Some(Block::Coming(section)) => section.read_all()?,
            None => self.whole_section(range.clone()).read_all()?,
        };
        lock(&self.0.blocks).put(range, Block::Here(bytes.clone()));
        Ok(bytes)
    }
}

impl Blocks {
    fn has(&self, start: u64) -> bool {
        self.held.iter().any(|(range, _)| range.start == start)
    }

    fn take(&mut self, start: u64) -> Option<Block> {
        let found = self
            .held
            .iter()
            .position(|(range, _)| range.start == start)?;
        self.held.remove(found).map(|(_, block)| block)
    }

    fn put(&mut self, range: Range<u64>, block: Block) {
        self.held.push_back((range, block));
        if self.held.len() > MAX_BLOCKS {
            self.held.pop_front();
        }
    }
}

impl RemoteSection {
    fn new(file: RemoteFile, range: Range<u64>) -> Self {
        let held = file.0.start.length().clamp(range.start, range.end);
        let mut section = RemoteSection {
            frame: Bytes::new(),
            at: range.start,
            end: range.end,
            next: held,
            step: FIRST_BYTES,
            depth: 1,
            ranges: VecDeque::new(),
            file,
        };
        if held > range.start {
            section.fetch_ahead();
        }
        section
    }

    /// Reads some bytes. Returns their number; 0 only at the end, or if `into` is empty.
    ///
    /// # Errors
    /// If bytes could not be fetched. Then the section ends.
    pub fn read(&mut self, into: &mut [u8]) -> Result<usize, RemoteError> {
        if self.frame.is_empty() {
            self.frame = self.file.0.start.from(self.at);
            self.frame.truncate((self.end - self.at) as usize);
        }
        while self.frame.is_empty() && self.at < self.end {
            if self.ranges.is_empty() {
                self.fetch_ahead();
            }
            let Some(range) = self.ranges.front_mut() else {
                break;
            };
            match pollster::block_on(range.frames.next()) {
                Some(Ok(frame)) => self.frame = frame,
                Some(Err(error)) => {
                    self.end = self.at;
                    self.ranges.clear();
                    return Err(error);
                }
                None => {
                    let end = range.end;
                    self.ranges.pop_front();
                    if end == u64::MAX {
                        // A stream of unknown size ends so.
                        self.end = self.at;
                    } else if self.at < end {
                        // Nobody fetches the rest.
                        self.end = self.at;
                        self.ranges.clear();
                        return Err(RemoteError::Cancelled);
                    }
                    self.depth = (self.depth * DEPTH_GROWTH).min(MAX_RANGES);
                    self.fetch_ahead();
                }
            }
        }
        let read = copy(&self.frame, into);
        self.frame = self.frame.slice(read..);
        self.at += read as u64;
        Ok(read)
    }

    /// Reads to the end.
    fn read_all(mut self) -> Result<Bytes, RemoteError> {
        let mut bytes = vec![0; (self.end - self.at) as usize];
        let mut filled = 0;
        while filled < bytes.len() {
            filled += self.read(&mut bytes[filled..])?;
        }
        Ok(bytes.into())
    }

    /// Fetches the next ranges, of which all but the first need room.
    fn fetch_ahead(&mut self) {
        let fetcher = &self.file.0.fetcher;
        while self.next < self.end && self.ranges.len() < self.depth {
            let range = self.next..self.end.min(self.next.saturating_add(self.step));
            let held = fetcher.hold(range.end - range.start);
            if held.is_none() && !self.ranges.is_empty() {
                return;
            }
            self.next = range.end;
            self.step = self.step.saturating_mul(2).min(RANGE_BYTES);
            let frames = held_frames(fetcher, &self.file.0.object, range, None);
            self.ranges.push_back(FetchedRange {
                end: self.next,
                frames,
                _held: held,
            });
        }
    }
}

/// Starts to fetch a range into memory.
fn held_frames(
    fetcher: &Arc<Fetcher>,
    object: &Object,
    range: Range<u64>,
    first: Option<Answer>,
) -> Frames {
    let (to, from) = mpsc::unbounded_channel();
    if range.start < range.end {
        fetch(fetcher, object, range, first, Receiver::Held(to));
    }
    Frames::Held(from)
}

fn fetch(
    fetcher: &Arc<Fetcher>,
    object: &Object,
    range: Range<u64>,
    first: Option<Answer>,
    to: Receiver,
) {
    let (own, object) = (Arc::clone(fetcher), object.clone());
    fetcher.spawn(async move { own.fetch(&object, range, first, to).await });
}

fn copy(from: &[u8], into: &mut [u8]) -> usize {
    let length = from.len().min(into.len());
    into[..length].copy_from_slice(&from[..length]);
    length
}
