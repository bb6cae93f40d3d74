//! Cuts a document into chunks, each with the bytes before and after it that decisions about its anchors need.

use std::ops::Range;

use super::fault::InputError;
use super::read::ReadBytes;

/// Number of bytes that a decision about an anchor needs. An anchor is a position that a reader of the text decides about.
#[derive(Clone, Copy, Debug)]
pub struct AnchorMargins {
    /// Bytes before it.
    pub before: usize,
    /// Bytes after it.
    pub after: usize,
}

/// A piece of a document.
#[derive(Clone, Debug)]
pub struct Chunk<'b> {
    /// The piece, with the bytes around it.
    pub bytes: &'b [u8],
    /// The positions of the anchors that are decided in this chunk, as indices of `bytes`.
    pub range: Range<usize>,
    /// Offset of `bytes` in the document.
    pub offset: u64,
    /// Whether `bytes` ends at damage and not at the end of the document.
    pub is_damaged: bool,
}

/// The state of cutting a document. All positions are offsets in the document.
pub struct ChunkCutter {
    after: u64,
    /// The first anchor position that was not returned yet.
    next: u64,
    /// Anchors from here on belong to another part.
    until: u64,
    /// Bytes read so far.
    end: u64,
    /// Whether `end` is the end of the document, or damage.
    ended: bool,
    damage: Option<InputError>,
}

impl ChunkCutter {
    /// Cuts a whole document.
    pub fn new(reach: AnchorMargins) -> Self {
        ChunkCutter {
            after: reach.after as u64,
            next: 0,
            until: u64::MAX,
            end: 0,
            ended: false,
            damage: None,
        }
    }

    /// Cuts the part with these anchors, reading from `start`.
    pub fn of_anchors(reach: AnchorMargins, anchors: Range<u64>, start: u64) -> Self {
        ChunkCutter {
            next: anchors.start,
            until: anchors.end,
            end: start,
            ..ChunkCutter::new(reach)
        }
    }

    /// Cuts a document, starting with the anchor position `from`. The bytes before it are read too.
    pub fn starting_at(reach: AnchorMargins, from: u64) -> Self {
        ChunkCutter {
            next: from,
            ..ChunkCutter::new(reach)
        }
    }

    /// Reads bytes of the document into `free`, until it is full or the document ends. Returns their number.
    pub fn read(&mut self, document: &mut dyn ReadBytes, free: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < free.len() && !self.ended {
            match document.read(&mut free[filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => filled += read,
                Err(error) => {
                    self.damage = Some(error);
                    self.ended = true;
                }
            }
        }
        self.end += filled as u64;
        filled
    }

    /// Returns the next anchors, at most `max` positions, for which enough was read.
    pub fn take_anchors(&mut self, max: usize) -> Option<Range<u64>> {
        let known = if self.ended {
            self.end
        } else {
            self.end.saturating_sub(self.after)
        };
        let end = known
            .min(self.until)
            .min(self.next.saturating_add(max as u64));
        let start = self.next;
        (start < end).then(|| {
            self.next = end;
            start..end
        })
    }

    /// Takes back the last `count` anchors that were returned.
    pub fn give_back(&mut self, count: u64) {
        self.next -= count;
    }

    /// Returns the first anchor position that was not returned yet.
    pub fn next_anchor(&self) -> u64 {
        self.next
    }

    /// Whether all anchor positions were returned.
    pub fn is_done(&self) -> bool {
        self.next >= self.until || self.ended && self.next >= self.end
    }

    /// Whether the whole document was read, undamaged.
    pub fn is_whole(&self) -> bool {
        self.ended && self.damage.is_none()
    }

    /// Whether the bytes read last end at damage.
    pub fn is_damaged(&self) -> bool {
        self.damage.is_some()
    }

    /// Returns the number of bytes of the document read so far.
    pub fn bytes_read(&self) -> u64 {
        self.end
    }

    /// Takes the error that ended the read, and its offset. Then reading may continue after it, as if the document started
    /// there.
    pub fn take_damage(&mut self) -> Option<(u64, InputError)> {
        let error = self.damage.take()?;
        self.ended = false;
        self.next = self.next.max(self.end);
        Some((self.end, error))
    }
}

/// A sliding buffer over documents, for chunks that are scanned by the thread that reads them.
pub struct ChunkBuffer {
    reach: AnchorMargins,
    chunk: usize,
    /// Bytes of a read.
    step: usize,
    buffer: Box<[u8]>,
    filled: usize,
    /// Offset of the buffer in the document.
    offset: u64,
}

impl ChunkBuffer {
    /// Makes a buffer for chunks of up to `chunk` anchor positions, filled by reads of `step` bytes.
    pub fn new(reach: AnchorMargins, chunk: usize, step: usize) -> Self {
        // Room for several steps, so that kept bytes are moved only once in several steps.
        let capacity = reach.before + reach.after + 4 * step;
        ChunkBuffer {
            reach,
            chunk,
            step,
            buffer: vec![0; capacity].into_boxed_slice(),
            filled: 0,
            offset: 0,
        }
    }

    /// Starts a document, or a part of one, whose first byte read will be at `offset`.
    pub fn start(&mut self, offset: u64) {
        self.filled = 0;
        self.offset = offset;
    }

    /// Returns the first `max` bytes of the document that was started, or more, or the whole document. They are also in its
    /// chunks.
    pub fn head(
        &mut self,
        cutter: &mut ChunkCutter,
        document: &mut dyn ReadBytes,
        max: usize,
    ) -> &[u8] {
        while self.filled < max && !cutter.ended {
            self.read_more(cutter, document);
        }
        &self.buffer[..self.filled]
    }

    /// Returns the next chunk.
    pub fn next_chunk(
        &mut self,
        cutter: &mut ChunkCutter,
        document: &mut dyn ReadBytes,
    ) -> Option<Chunk<'_>> {
        let anchors = loop {
            if let Some(anchors) = cutter.take_anchors(self.chunk) {
                break anchors;
            }
            if cutter.is_done() {
                return None;
            }
            self.read_more(cutter, document);
        };
        let range = (anchors.start - self.offset) as usize..(anchors.end - self.offset) as usize;
        Some(Chunk {
            bytes: &self.buffer[..self.filled],
            range,
            offset: self.offset,
            is_damaged: cutter.is_damaged(),
        })
    }

    fn read_more(&mut self, cutter: &mut ChunkCutter, document: &mut dyn ReadBytes) {
        self.make_room(cutter.next);
        let free = self.buffer.len().min(self.filled + self.step);
        self.filled += cutter.read(document, &mut self.buffer[self.filled..free]);
    }

    /// Drops the bytes that are too far before the anchor at `next` to matter.
    fn make_room(&mut self, next: u64) {
        if self.filled + self.step <= self.buffer.len() {
            return;
        }
        let from = next - self.offset;
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let from = from.saturating_sub(self.reach.before).min(self.filled);
        self.buffer.copy_within(from..self.filled, 0);
        self.filled -= from;
        self.offset += from as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::ChainedReader;

    const TEST_MARGINS: AnchorMargins = AnchorMargins {
        before: 3,
        after: 5,
    };

    /// Asserts that each anchor position is returned once, in order, with the bytes around it, or up to the end of the
    /// document.
    fn check(text: &[u8], chunk: usize, step: usize) {
        let mut sliding = ChunkBuffer::new(TEST_MARGINS, chunk, step);
        let mut cutter = ChunkCutter::new(TEST_MARGINS);
        sliding.start(0);
        let mut next = 0;
        let mut rest = text;
        while let Some(c) = sliding.next_chunk(&mut cutter, &mut rest) {
            let from = c.offset as usize;
            assert_eq!(
                c.bytes,
                &text[from..from + c.bytes.len()],
                "chunk {chunk}, step {step}"
            );
            assert_eq!(from + c.range.start, next);
            assert!((1..=chunk).contains(&c.range.len()));
            assert!(c.range.start >= TEST_MARGINS.before || from == 0);
            assert!(
                c.bytes.len() - c.range.end >= TEST_MARGINS.after
                    || from + c.bytes.len() == text.len()
            );
            next = from + c.range.end;
        }
        assert_eq!(next, text.len(), "chunk {chunk}, step {step}");
        assert!(cutter.is_done() && cutter.bytes_read() == text.len() as u64);
    }

    #[test]
    fn every_position_is_given_out_once_with_its_reach() {
        let text: Vec<u8> = (0..100).collect();
        for length in [0, 1, 4, 5, 6, 50, 100] {
            for chunk in [1, 2, 7, 1000] {
                for step in [1, 3, 64] {
                    check(&text[..length], chunk, step);
                }
            }
        }
    }

    #[test]
    fn positions_before_the_first_are_passed_over_with_and_without_damage() {
        let text: Vec<u8> = (0..100).collect();
        for (from, chunk, step, damage) in [
            (50, 7, 4, None),
            (99, 1, 64, None),
            (50, 7, 4, Some(20)),
            (20, 100, 3, Some(50)),
            (200, 7, 4, Some(20)),
        ] {
            let (first, second) = text.split_at(damage.unwrap_or(0));
            let fault = damage.map(|_| InputError::Shrunk);
            let mut document = ChainedReader::new(first, fault, second);
            let mut sliding = ChunkBuffer::new(TEST_MARGINS, chunk, step);
            let mut cutter = ChunkCutter::starting_at(TEST_MARGINS, from);
            sliding.start(0);
            let mut next = from;
            loop {
                while let Some(chunk) = sliding.next_chunk(&mut cutter, &mut document) {
                    let start = chunk.offset + chunk.range.start as u64;
                    assert_eq!(start, next);
                    assert_eq!(chunk.bytes[chunk.range.start], start as u8);
                    next += chunk.range.len() as u64;
                }
                if cutter.take_damage().is_none() {
                    break;
                }
                sliding.start(cutter.bytes_read());
            }
            assert_eq!((next, cutter.bytes_read()), (from.max(100), 100));
        }
    }

    #[test]
    fn damage_keeps_what_came_before_and_tells_where() {
        let mut sliding = ChunkBuffer::new(TEST_MARGINS, 100, 4);
        let mut cutter = ChunkCutter::new(TEST_MARGINS);
        sliding.start(0);
        let text = [b'x'; 9];
        let mut document = ChainedReader::new(&text[..], Some(InputError::Shrunk), &[][..]);
        let mut last = None;
        while let Some(chunk) = sliding.next_chunk(&mut cutter, &mut document) {
            last = Some((chunk.offset + chunk.range.end as u64, chunk.is_damaged));
        }
        assert_eq!(last, Some((9, true)));
        assert!(matches!(cutter.take_damage(), Some((9, _))));
    }
}
