//! Holds a part of a document in memory.

use doisift_documents::ReadBytes;
use memchr::memchr2;

use crate::error::{Cause, CheckError};

/// Sizes of the part that is held in memory, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldSizes {
    /// Bytes of one read.
    step: usize,
    /// Max length of an entry, row or line, and of a document that must be held as a whole.
    pub(super) max: usize,
    /// Max length of a document that is repaired.
    pub(super) max_repaired: usize,
}

impl HeldSizes {
    /// Sizes for a run within `memory`.
    pub(super) fn within(memory: usize) -> Self {
        HeldSizes {
            step: (memory / 64).clamp(256 << 10, 1 << 20),
            max: (memory / 32).clamp(1 << 20, 16 << 20),
            max_repaired: (memory / 8).clamp(1 << 20, 256 << 20),
        }
    }
}

/// A document that is read in steps.
pub(super) struct HeldDocument<'d> {
    from: &'d mut dyn ReadBytes,
    pub(super) bytes: Vec<u8>,
    /// Offset of `bytes` in the document.
    offset: u64,
    pub(super) has_ended: bool,
    sizes: HeldSizes,
}

/// An error with its offset in the document.
type Damage = (Cause, u64);

impl<'d> HeldDocument<'d> {
    pub(super) fn new(from: &'d mut dyn ReadBytes, sizes: HeldSizes) -> Self {
        HeldDocument {
            from,
            bytes: Vec::new(),
            offset: 0,
            has_ended: false,
            sizes,
        }
    }

    /// Reads more: one step, or as many bytes as are held if that is more. So the total time stays linear when a part is parsed
    /// again.
    ///
    /// # Errors
    /// If the document is damaged, or an entry is longer than the max.
    pub(super) fn fill(&mut self) -> Result<(), Damage> {
        let held = self.bytes.len();
        if held >= self.sizes.max + self.sizes.step {
            let error = CheckError::LongEntry(self.sizes.max);
            return Err((Cause::Check(error), self.offset));
        }
        let room = self.sizes.max + self.sizes.step - held;
        self.read(self.sizes.step.max(held).min(room))
    }

    /// Reads until a line end is held, or the document ends. The header of a table may be longer than a step.
    ///
    /// # Errors
    /// Those of [`fill`](Self::fill).
    pub(super) fn fill_line(&mut self) -> Result<(), Damage> {
        while !self.has_ended && memchr2(b'\n', b'\r', &self.bytes).is_none() {
            self.fill()?;
        }
        Ok(())
    }

    /// Reads to the end.
    ///
    /// # Errors
    /// If the document is damaged, or longer than `max`.
    pub(super) fn fill_whole(&mut self, max: usize) -> Result<(), Damage> {
        self.read((max + 1).saturating_sub(self.bytes.len()))?;
        if self.bytes.len() > max {
            return Err((Cause::Check(CheckError::TooLong(max)), self.offset));
        }
        Ok(())
    }

    fn read(&mut self, wanted: usize) -> Result<(), Damage> {
        match self.from.read_up_to(wanted, &mut self.bytes) {
            Err(error) => Err((Cause::Input(error), self.offset + self.bytes.len() as u64)),
            Ok(count) => {
                self.has_ended = count < wanted;
                Ok(())
            }
        }
    }

    /// Returns the offset of the held bytes in the document.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the document has ended within the first step.
    pub(super) fn is_short(&self) -> bool {
        self.has_ended && self.bytes.len() <= self.sizes.step
    }

    /// Drops the first `count` bytes.
    pub(super) fn pass(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.offset += count as u64;
        // Frees the memory of a long entry.
        self.bytes
            .shrink_to(2 * self.sizes.step.max(self.bytes.len()));
    }
}
