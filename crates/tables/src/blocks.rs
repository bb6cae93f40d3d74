//! Cuts a document into blocks of whole rows.

use doisift_documents::{InputError, PeekReader, ReadBuffer, ReadBytes};

use super::fault::RowLoss;
use super::format::TableReading;
use super::split::TableSplitter;

/// The unread bytes of a document.
pub type RawText<'d> = PeekReader<&'d mut dyn ReadBytes>;

/// Sizes of the part of a document in memory, in bytes.
#[derive(Clone, Copy)]
pub struct BlockSizes {
    /// Bytes of one read.
    pub step: usize,
    /// Max length of a row or object.
    pub max: usize,
}

/// A piece of a document with its offset: whole rows, or the error that lost some.
pub enum RowPiece<'b> {
    /// Whole rows.
    Rows(&'b [u8], u64),
    /// A loss at this offset.
    Lost(RowLoss, u64),
}

/// The part of a document in memory, which is read in steps.
pub struct HeldText<'d> {
    /// The unread bytes.
    pub raw: RawText<'d>,
    /// The bytes in memory.
    pub bytes: Vec<u8>,
    /// Offset of `bytes` in the document.
    pub offset: u64,
    /// The sizes of reads.
    pub sizes: BlockSizes,
    /// Whether no bytes follow.
    pub has_ended: bool,
}

/// Cuts a document into blocks of rows.
pub struct RowBlocks<'d> {
    text: HeldText<'d>,
    reading: TableReading,
    splitter: TableSplitter,
    /// Length of the block that was returned last.
    passed: usize,
    /// Bytes read of a row whose rest is missing or dropped. Reading continues at the next row.
    skips: Option<u64>,
    /// Offset of the row with an unclosed quote.
    open: Option<u64>,
}

impl BlockSizes {
    /// Sizes for a run within `memory`.
    pub fn within(memory: usize) -> Self {
        BlockSizes {
            step: (memory / 64).clamp(4 << 10, 2 << 20),
            max: (memory / 16).clamp(64 << 10, 256 << 20),
        }
    }
}

impl<'d> HeldText<'d> {
    /// Creates it for the rest of a document, from `offset` on.
    pub fn new(raw: RawText<'d>, offset: u64, sizes: BlockSizes) -> Self {
        HeldText {
            raw,
            bytes: Vec::new(),
            offset,
            sizes,
            has_ended: false,
        }
    }

    /// Reads one more step.
    ///
    /// # Errors
    /// If the document is damaged after the bytes that were read.
    pub fn fill(&mut self) -> Result<(), InputError> {
        let count = self.raw.read_up_to(self.sizes.step, &mut self.bytes)?;
        self.has_ended = count < self.sizes.step;
        Ok(())
    }

    /// Returns the offset of the next unread byte.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// Drops the first `count` bytes from memory.
    pub fn drop_first(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.offset += count as u64;
    }
}

impl<'d> RowBlocks<'d> {
    /// Creates it for the rest of a document, from `offset` on.
    pub fn new(raw: RawText<'d>, offset: u64, reading: TableReading, sizes: BlockSizes) -> Self {
        RowBlocks {
            text: HeldText::new(raw, offset, sizes),
            reading,
            splitter: TableSplitter::new(reading),
            passed: 0,
            skips: None,
            open: None,
        }
    }

    /// Returns the next block of whole rows or the next loss, or `None` at the end.
    // The block borrows from this.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<RowPiece<'_>> {
        Some(match self.advance()? {
            Ok(()) => RowPiece::Rows(self.block(), self.text.offset),
            Err((loss, at)) => RowPiece::Lost(loss, at),
        })
    }

    /// Moves the next block of whole rows into `rows`, or returns the next loss with its offset; `None` at the end. The content of
    /// `rows` is dropped, and its memory is used for the rows that follow.
    pub fn take_rows(&mut self, rows: &mut Vec<u8>) -> Option<Result<(), (RowLoss, u64)>> {
        rows.clear();
        let moved = self.advance()?;
        let passed = std::mem::take(&mut self.passed);
        if moved.is_ok() {
            rows.extend_from_slice(&self.text.bytes[passed..]);
            std::mem::swap(rows, &mut self.text.bytes);
            rows.truncate(passed);
            self.text.offset += passed as u64;
        }
        Some(moved)
    }

    /// Returns the current block; empty after a loss.
    pub(super) fn block(&self) -> &[u8] {
        &self.text.bytes[..self.passed]
    }

    /// Returns the offset of the current block in the document.
    pub(super) fn offset(&self) -> u64 {
        self.text.offset
    }

    /// Moves to the next block of whole rows, or returns the next loss with its offset; `None` at the end.
    pub(super) fn advance(&mut self) -> Option<Result<(), (RowLoss, u64)>> {
        loop {
            self.text.drop_first(std::mem::take(&mut self.passed));
            self.splitter.cut();
            if self.skips.is_none() && self.text.bytes.len() > self.text.sizes.max {
                return Some(Err(self.too_long()));
            }
            if self.skips.is_none() && !self.text.has_ended {
                if let Err(error) = self.text.fill() {
                    return Some(Err(self.damage(error)));
                }
                let whole = self.splitter.advance(&self.text.bytes, self.text.has_ended);
                let is_over = self.text.has_ended;
                let is_open = is_over && self.splitter.is_in_quotes();
                self.open = is_open.then_some(self.text.offset + whole as u64);
                self.passed = if is_over {
                    self.text.bytes.len()
                } else {
                    whole
                };
            } else {
                // The rest before a loss; may be empty.
                self.passed = self.text.bytes.len();
            }
            if self.passed > 0 {
                return Some(Ok(()));
            }
            if let Some(read) = self.skips {
                if let Err(error) = self.skip(read) {
                    return Some(Err((RowLoss::Input(error), self.text.offset)));
                }
            } else if self.text.has_ended {
                return self.open.take().map(|at| Err((RowLoss::OpenQuote, at)));
            }
        }
    }

    /// Handles damage. If bytes are missing, the row that they belong to is dropped.
    fn damage(&mut self, error: InputError) -> (RowLoss, u64) {
        let at = self.text.end();
        if !matches!(error, InputError::Encoding(_) | InputError::Trailing(_)) {
            let whole = self.splitter.advance(&self.text.bytes, false);
            self.skips = Some((self.text.bytes.len() - whole) as u64);
            self.text.bytes.truncate(whole);
        }
        (RowLoss::Input(error), at)
    }

    fn too_long(&mut self) -> (RowLoss, u64) {
        self.skips = Some(self.text.bytes.len() as u64);
        self.text.bytes.clear();
        let error = RowLoss::TooLong(self.text.sizes.max);
        (error, self.text.offset)
    }

    /// Skips the rest of a row after its first `read` bytes; of an array, all.
    fn skip(&mut self, read: u64) -> Result<(), InputError> {
        let is_array = self.reading == TableReading::JsonArray;
        let count = match is_array {
            // An inner object would look like one of the array.
            true => 0,
            false => self.text.raw.skip_until(self.reading.dialect().row_end)?,
        };
        self.text.offset += read + count as u64;
        self.text.has_ended = count == 0;
        self.splitter = TableSplitter::new(self.reading);
        self.skips = None;
        Ok(())
    }
}
