//! A part of a file, held in memory.

use crate::file::SourceFile;
use crate::read::ReadAt;

/// Bytes that are read ahead, so that the held bytes are seldom moved.
const READ_BYTES: usize = 256 << 10;

/// The bytes of a file around an offset. They end at a read error, which the reader that reads in order reports.
pub(super) struct HeldBytes {
    file: SourceFile,
    bytes: Vec<u8>,
    /// Offset of the bytes in the file.
    offset: u64,
    /// Whether the file ends with the bytes.
    ended: bool,
}

impl HeldBytes {
    pub(super) fn new(file: SourceFile) -> Self {
        HeldBytes {
            file,
            bytes: Vec::new(),
            offset: 0,
            ended: false,
        }
    }

    /// Returns the held bytes from `offset`, and whether the file ends with them: at least `count`, or all up to its end.
    pub(super) fn bytes_from(&mut self, offset: u64, count: usize) -> (&[u8], bool) {
        let end = self.offset + self.bytes.len() as u64;
        let is_held = self.offset <= offset && offset <= end;
        if !is_held || (end - offset) < count as u64 && !self.ended {
            self.load(offset, count);
        }
        let passed = (offset - self.offset) as usize;
        (&self.bytes[passed..], self.ended)
    }

    /// Loads `count` bytes and some more from `offset` of the file, or all up to its end.
    fn load(&mut self, offset: u64, count: usize) {
        let count = count + READ_BYTES;
        let passed = offset.checked_sub(self.offset);
        let passed = passed.filter(|passed| *passed <= self.bytes.len() as u64);
        match passed {
            Some(passed) => drop(self.bytes.drain(..passed as usize)),
            None => self.bytes.clear(),
        }
        self.offset = offset;
        let mut filled = self.bytes.len();
        self.bytes.resize(count.max(filled), 0);
        self.ended = false;
        while filled < count {
            let at = offset + filled as u64;
            match self.file.read_at(&mut self.bytes[filled..], at) {
                Ok(read) if read > 0 => filled += read,
                _ => {
                    self.ended = true;
                    break;
                }
            }
        }
        self.bytes.truncate(filled);
    }
}
