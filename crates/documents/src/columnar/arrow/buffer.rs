//! The buffers of a batch, packed or not, of which a window is held.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::message::BodyCompression;
use crate::columnar::part::ColumnFault;
use crate::file::read_at;

/// Max and min size of a window, unless a text is larger.
const WINDOW_BYTES: (usize, usize) = (256 << 10, 4 << 10);
/// Bytes of a read of packed data.
const READ_BYTES: usize = 64 << 10;
/// Bytes that a decoder takes besides its window.
const DECODER_BYTES: usize = 256 << 10;
/// Bytes that may be passed over between two values.
const MAX_GAP_BYTES: u64 = 1 << 30;

const OUTSIDE: ColumnFault = ColumnFault::Damaged("a value is outside its buffer");
const UNPACK: ColumnFault = ColumnFault::Damaged("a buffer cannot be unpacked");

/// The body of a batch, and the memory for reading it.
pub(super) struct BatchBody {
    file: Arc<File>,
    /// The range of the file that it takes.
    range: Range<u64>,
    packing: BodyCompression,
    /// Size of a window.
    window: usize,
    /// Memory that may still be taken.
    left: Cell<usize>,
    /// Bytes that were read and unpacked since they were last counted.
    pub(super) read: Cell<u64>,
    pub(super) unpacked: Cell<u64>,
    /// Why the file could not be read.
    failed: RefCell<Option<io::Error>>,
    /// Windows for reuse.
    pool: RefCell<Vec<Vec<u8>>>,
}

impl BatchBody {
    /// The body at `range` of a file, for about `streams` buffers in `memory` bytes. `pool` are windows of another body.
    pub(super) fn new(
        file: &Arc<File>,
        range: Range<u64>,
        packing: BodyCompression,
        streams: usize,
        memory: usize,
        pool: Vec<Vec<u8>>,
    ) -> Rc<Self> {
        let (max, min) = WINDOW_BYTES;
        Rc::new(BatchBody {
            file: Arc::clone(file),
            range,
            packing,
            window: (memory / 2 / streams.max(1)).clamp(min, max),
            left: Cell::new(memory),
            read: Cell::new(0),
            unpacked: Cell::new(0),
            failed: RefCell::new(None),
            pool: RefCell::new(pool),
        })
    }

    /// Takes memory. Returns false if less is left.
    pub(super) fn take_memory(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        left.inspect(|&left| self.left.set(left)).is_some()
    }

    /// Memory that may still be taken.
    pub(super) fn memory_left(&self) -> usize {
        self.left.get()
    }

    /// Counts what was read of another body.
    pub(super) fn count(&self, other: &BatchBody) {
        self.read.set(self.read.get() + other.read.get());
        self.unpacked
            .set(self.unpacked.get() + other.unpacked.get());
    }

    /// Ends reading, and returns its windows.
    pub(super) fn into_pool(self: Rc<Self>) -> Vec<Vec<u8>> {
        self.pool.take()
    }
}

/// Reads a range of the file.
struct BodyReader {
    body: Rc<BatchBody>,
    range: Range<u64>,
}

impl Read for BodyReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.range.end - self.range.start).unwrap_or(usize::MAX);
        let max = into.len().min(left);
        if max == 0 {
            return Ok(0);
        }
        let read = read_at(&self.body.file, &mut into[..max], self.range.start);
        match read {
            Ok(read) => {
                self.range.start += read as u64;
                self.body.read.set(self.body.read.get() + read as u64);
                Ok(read)
            }
            Err(error) => {
                let kind = error.kind();
                *self.body.failed.borrow_mut() = Some(error);
                Err(kind.into())
            }
        }
    }
}

/// Reads a buffer, mostly forwards.
pub(super) struct BufferStream {
    body: Rc<BatchBody>,
    /// The range of the file that it takes.
    range: Range<u64>,
    source: BufferSource,
    /// Bytes of it when unpacked.
    length: u64,
    /// Bytes of it that are held: from `base` on, `held` bytes.
    window: Vec<u8>,
    base: u64,
    held: usize,
    /// Memory that the window takes, and the decoder.
    taken: usize,
    decoder: usize,
}

enum BufferSource {
    Unopened,
    /// Its bytes are in the file from this offset on.
    Plain(u64),
    Packed(Box<dyn Read>),
}

impl BufferStream {
    /// The buffer of `length` bytes at `start` of the body.
    pub(super) fn new(body: &Rc<BatchBody>, start: u64, length: u64) -> Result<Self, ColumnFault> {
        const CUT: ColumnFault =
            ColumnFault::Damaged("a buffer is not in the file, which is cut or damaged");
        let start = body.range.start.checked_add(start).ok_or(CUT)?;
        let end = start.checked_add(length).ok_or(CUT)?;
        if end > body.range.end {
            return Err(CUT);
        }
        Ok(BufferStream {
            body: Rc::clone(body),
            range: start..end,
            source: BufferSource::Unopened,
            length: 0,
            window: body.pool.borrow_mut().pop().unwrap_or_default(),
            base: 0,
            held: 0,
            taken: 0,
            decoder: 0,
        })
    }

    /// The bytes from `start` on.
    #[inline]
    pub(super) fn at(&mut self, start: u64, count: usize) -> Result<&[u8], ColumnFault> {
        let from = start.wrapping_sub(self.base);
        let is_held = from <= self.held as u64 && count <= self.held - from as usize;
        if !is_held {
            self.fill(start, count)?;
            return Ok(&self.window[..count]);
        }
        Ok(&self.window[from as usize..][..count])
    }

    /// A number of up to eight bytes.
    #[inline]
    pub(super) fn number(&mut self, index: u64, width: u8) -> Result<u64, ColumnFault> {
        let start = index.checked_mul(width.into()).ok_or(OUTSIDE)?;
        let bytes = self.at(start, width.into())?;
        let mut number = [0; 8];
        number[..bytes.len()].copy_from_slice(bytes);
        Ok(u64::from_le_bytes(number))
    }

    /// An offset and the next one. The first may not be greater.
    #[inline]
    pub(super) fn offsets(&mut self, index: u64, width: u8) -> Result<(u64, u64), ColumnFault> {
        const BACKWARDS: ColumnFault = ColumnFault::Damaged("offsets run backwards");
        let start = index.checked_mul(width.into()).ok_or(OUTSIDE)?;
        let width = usize::from(width);
        let bytes = self.at(start, 2 * width)?;
        let pair = match width {
            4 => bytes.first_chunk().map(|&bytes| {
                let both = u64::from_le_bytes(bytes);
                (both & u64::from(u32::MAX), both >> 32)
            }),
            _ => bytes.split_first_chunk().and_then(|(start, end)| {
                Some((
                    u64::from_le_bytes(*start),
                    u64::from_le_bytes(*end.first_chunk()?),
                ))
            }),
        };
        // A negative offset is a great one here.
        pair.filter(|(start, end)| start <= end).ok_or(BACKWARDS)
    }

    /// Whether the bit with this number is set.
    #[inline]
    pub(super) fn bit(&mut self, index: u64) -> Result<bool, ColumnFault> {
        Ok(self.at(index / 8, 1)?[0] >> (index % 8) & 1 > 0)
    }

    /// Holds all bytes, if there is memory for them. Returns whether they are held.
    pub(super) fn hold_all(&mut self) -> Result<bool, ColumnFault> {
        self.open()?;
        let count = usize::try_from(self.length).map_err(|_| ColumnFault::Large)?;
        match self.fill(0, count) {
            Ok(()) => Ok(true),
            Err(ColumnFault::Large) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, start: u64, count: usize) -> Result<(), ColumnFault> {
        self.open()?;
        let end = start.checked_add(count as u64).ok_or(OUTSIDE)?;
        if end > self.length {
            return Err(OUTSIDE);
        }
        if start < self.base {
            self.go_back(start)?;
        }
        self.go_to(start)?;
        let wanted = count.max(self.body.window);
        let left = usize::try_from(self.length - self.base).unwrap_or(usize::MAX);
        self.reserve(wanted.min(left))?;
        while self.held < count {
            self.read_more(wanted.min(left))?;
        }
        Ok(())
    }

    fn reserve(&mut self, size: usize) -> Result<(), ColumnFault> {
        let more = size.saturating_sub(self.taken);
        if !self.body.take_memory(more) {
            return Err(ColumnFault::Large);
        }
        self.taken += more;
        if self.window.len() < size {
            self.window.resize(size, 0);
        }
        Ok(())
    }

    /// Goes to an earlier byte. A packed buffer is unpacked from its start again.
    fn go_back(&mut self, start: u64) -> Result<(), ColumnFault> {
        self.held = 0;
        self.base = start;
        if let BufferSource::Packed(_) = self.source {
            self.base = 0;
            self.source = BufferSource::Unopened;
            self.open()?;
        }
        Ok(())
    }

    /// Goes to a later byte, so that the window starts with it.
    fn go_to(&mut self, start: u64) -> Result<(), ColumnFault> {
        const FAR: ColumnFault = ColumnFault::Damaged("a value is too far from the one before it");
        let is_packed = matches!(self.source, BufferSource::Packed(_));
        let gap = (start - self.base).saturating_sub(self.held as u64);
        if gap > 0 && is_packed {
            if gap > MAX_GAP_BYTES {
                return Err(FAR);
            }
            self.reserve(self.body.window)?;
            while start - self.base > self.held as u64 {
                self.base += self.held as u64;
                self.held = 0;
                let left = usize::try_from(start - self.base).unwrap_or(usize::MAX);
                self.read_more(left.min(self.body.window))?;
            }
        } else if gap > 0 {
            self.held = 0;
            self.base = start;
            return Ok(());
        }
        let passed = (start - self.base) as usize;
        self.window.copy_within(passed..self.held, 0);
        self.held -= passed;
        self.base = start;
        Ok(())
    }

    /// Reads some of the bytes up to `size` into the window.
    fn read_more(&mut self, size: usize) -> Result<(), ColumnFault> {
        let into = &mut self.window[self.held..size];
        let body = &self.body;
        let read = match &mut self.source {
            BufferSource::Unopened => Ok(0),
            BufferSource::Plain(offset) => {
                let read = read_at(&body.file, into, *offset + self.base + self.held as u64);
                let read = read.map_err(ColumnFault::Io);
                read.inspect(|&read| body.read.set(body.read.get() + read as u64))
            }
            BufferSource::Packed(reader) => {
                let read = reader.read(into);
                let read = read.map_err(|_| body.failed.take().map_or(UNPACK, ColumnFault::Io));
                read.inspect(|&read| body.unpacked.set(body.unpacked.get() + read as u64))
            }
        };
        match read {
            Ok(0) => Err(UNPACK),
            Ok(read) => {
                self.held += read;
                Ok(())
            }
            Err(fault) => Err(fault),
        }
    }

    /// Takes memory for a decoder, less the memory that an earlier decoder of the same buffer took.
    fn reserve_decoder(&mut self, size: usize) -> Result<(), ColumnFault> {
        let more = size.saturating_sub(self.decoder);
        if !self.body.take_memory(more) {
            return Err(ColumnFault::Large);
        }
        self.decoder += more;
        Ok(())
    }

    fn open(&mut self) -> Result<(), ColumnFault> {
        let BufferSource::Unopened = self.source else {
            return Ok(());
        };
        let (body, range) = (&self.body, self.range.clone());
        if body.packing == BodyCompression::Plain || range.is_empty() {
            self.length = range.end - range.start;
            self.source = BufferSource::Plain(range.start);
            return Ok(());
        }
        let body = Rc::clone(body);
        let mut reader = BufReader::with_capacity(
            READ_BYTES.min((range.end - range.start) as usize),
            BodyReader { body, range },
        );
        let failed = |_| self.body.failed.take().map_or(UNPACK, ColumnFault::Io);
        let mut length = [0; 8];
        reader.read_exact(&mut length).map_err(failed)?;
        let length = i64::from_le_bytes(length);
        if length == -1 {
            let start = self.range.start + 8;
            self.length = self.range.end - start;
            self.source = BufferSource::Plain(start);
            return Ok(());
        }
        self.length = length.try_into().map_err(|_| UNPACK)?;
        let memory = decoder_memory(&mut reader, self.body.packing).ok_or(UNPACK)?;
        let max = usize::try_from(self.length).unwrap_or(usize::MAX);
        self.reserve_decoder(memory.min(max))?;
        self.source = BufferSource::Packed(match self.body.packing {
            BodyCompression::Lz4 => Box::new(lz4_flex::frame::FrameDecoder::new(reader)),
            _ => {
                Box::new(zstd::stream::read::Decoder::with_buffer(reader).map_err(ColumnFault::Io)?)
            }
        });
        Ok(())
    }
}

/// Returns the bytes that a decoder takes for the data of `reader`, by the head of the frame; `None` if that is damaged.
fn decoder_memory(reader: &mut impl BufRead, packing: BodyCompression) -> Option<usize> {
    let head = reader.fill_buf().ok()?;
    let window = match (packing, head) {
        (BodyCompression::Lz4, [_, _, _, _, _, sizes, ..]) => 2 << (8 + 2 * (sizes >> 4 & 7)),
        (BodyCompression::Zstd, [_, _, _, _, flags, window, ..]) if flags & 0x20 == 0 => {
            (8 + u64::from(window & 7)) << (7 + (window >> 3))
        }
        // The window is the frame, whose size is known.
        (BodyCompression::Zstd, _) => 0,
        _ => return None,
    };
    usize::try_from(window).ok()?.checked_add(DECODER_BYTES)
}

impl Drop for BufferStream {
    fn drop(&mut self) {
        let body = &self.body;
        body.left.set(body.left.get() + self.taken + self.decoder);
        let window = std::mem::take(&mut self.window);
        if window.len() <= body.window {
            body.pool.borrow_mut().push(window);
        }
    }
}
