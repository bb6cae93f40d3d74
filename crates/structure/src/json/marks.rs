//! Finds the brackets of JSON, and the commas between them, 64 bytes at once.

use std::ops::Range;

use doisift_core::internal::{Bits, Block, parity};

/// The bits in which the brackets differ from each other. The other bytes that match are not in JSON outside of strings.
const ANY_BRACKET: u8 = 0x26;

/// The brackets of a part of a text.
pub(super) struct BracketMarks<'b> {
    bytes: &'b [u8],
    part: Range<usize>,
    strings: BlockStrings,
    /// Whether each value has several lines. Then opening brackets at the starts of lines are marks in strings too.
    has_lines: bool,
    is_line_start: bool,
    /// Offset of the current block in `bytes`.
    at: usize,
    outside: Bits,
    starts: Bits,
    /// The marks of the block that are not returned yet.
    rest: Bits,
    /// The bytes of the block after the last mark.
    after: Bits,
    passed: SkippedBytes,
}

/// The bytes between two marks.
#[derive(Clone, Copy)]
pub(super) struct SkippedBytes {
    /// Offset after the last counted comma, or of the start if there is none.
    pub(super) end: usize,
    pub(super) commas: u64,
}

impl<'b> BracketMarks<'b> {
    /// Finds the marks in `part`, whose first byte must be neither escaped nor the first of a line.
    pub(super) fn new(
        bytes: &'b [u8],
        part: Range<usize>,
        is_in_string: bool,
        has_lines: bool,
    ) -> Self {
        let (start, commas) = (part.start, 0);
        let mut marks = BracketMarks {
            bytes,
            part,
            strings: BlockStrings {
                is_inside: is_in_string,
                is_escaped: false,
            },
            has_lines,
            is_line_start: false,
            at: start,
            outside: 0,
            starts: 0,
            rest: 0,
            after: 0,
            passed: SkippedBytes { end: start, commas },
        };
        marks.load();
        marks
    }

    /// Returns the offset of the next mark; `None` at the end of the part. Commas before it are counted if `counts` is set.
    #[inline(always)]
    pub(super) fn next(&mut self, counts: bool) -> Option<usize> {
        loop {
            while self.rest != 0 {
                let mark = self.rest.trailing_zeros() as usize;
                let here = self.at + mark;
                self.rest &= self.rest - 1;
                if matches!(self.bytes[here], b'{' | b'[' | b'}' | b']') {
                    if counts {
                        self.take_commas(first(mark));
                    }
                    self.after = !first(mark);
                    return Some(here);
                }
            }
            if counts {
                self.take_commas(!0);
            }
            if self.part.end - self.at <= Block::SIZE {
                return None;
            }
            self.at += Block::SIZE;
            self.load();
        }
    }

    /// Finds the marks of the current block.
    #[inline(always)]
    fn load(&mut self) {
        let near = first(self.part.end - self.at);
        let block = Block::new(self.bytes, self.at);
        self.outside = self.strings.outside(&block) & near;
        self.starts = match self.has_lines {
            true => self.line_starts(&block) & near,
            false => 0,
        };
        self.rest = block.find_like(b'{', ANY_BRACKET) & self.outside | self.starts;
        self.after = !0;
    }

    fn line_starts(&mut self, block: &Block) -> Bits {
        let lines = block.find(b'\n');
        let starts = lines << 1 | Bits::from(self.is_line_start);
        self.is_line_start = lines >> 63 == 1;
        match starts {
            0 => 0,
            _ => starts & block.find_like(b'{', 0x20),
        }
    }

    /// Counts commas among these bytes of the block after the last mark.
    #[inline(never)]
    fn take_commas(&mut self, bytes: Bits) {
        let block = Block::new(self.bytes, self.at);
        let commas = block.find(b',') & self.outside & self.after & bytes;
        if commas != 0 {
            self.passed.commas += u64::from(commas.count_ones());
            self.passed.end = self.at + Block::SIZE - commas.leading_zeros() as usize;
        }
    }

    /// Whether the mark at `here` is at the start of a line.
    pub(super) fn is_start(&self, here: usize) -> bool {
        self.starts >> (here - self.at) & 1 == 1
    }

    /// Returns the bytes between the last two marks: those before the mark that was returned.
    pub(super) fn passed(&self) -> SkippedBytes {
        self.passed
    }

    /// Continues after the mark at `here`.
    pub(super) fn go_on(&mut self, here: usize) {
        let (end, commas) = (here + 1, 0);
        self.passed = SkippedBytes { end, commas };
    }

    /// Returns the bytes after the last mark. If commas were not counted, only those in the last block are counted now.
    pub(super) fn last(&mut self, counted: bool) -> SkippedBytes {
        if !counted {
            self.take_commas(!0);
        }
        self.passed
    }
}

/// Finds strings, one block after another.
struct BlockStrings {
    is_inside: bool,
    /// Whether the last byte is a backslash that is not escaped itself.
    is_escaped: bool,
}

impl BlockStrings {
    /// Returns the bytes of a block outside of strings.
    #[inline(always)]
    fn outside(&mut self, block: &Block) -> Bits {
        let quotes = block.find(b'"');
        let quotes = quotes & !self.escaped(block.find(b'\\'), quotes);
        let inside = parity(quotes) ^ if self.is_inside { !0 } else { 0 };
        self.is_inside = inside >> 63 == 1;
        !inside
    }

    /// Returns the escaped bytes of a block: those after a backslash that is not escaped itself. Bytes that are not `quotes` may
    /// be missing.
    #[inline(always)]
    fn escaped(&mut self, mut backslashes: Bits, quotes: Bits) -> Bits {
        let mut escaped = Bits::from(std::mem::take(&mut self.is_escaped));
        // Only backslashes before a quote, or before the next block, change anything.
        if backslashes & (quotes >> 1 | 1 << 63) == 0 {
            return escaped;
        }
        backslashes &= !escaped;
        while backslashes != 0 {
            let backslash = backslashes & backslashes.wrapping_neg();
            self.is_escaped = backslash == 1 << 63;
            escaped |= backslash << 1;
            backslashes &= !(backslash | backslash << 1);
        }
        escaped
    }
}

/// Returns a mask of the first `count` bytes of a block.
#[inline(always)]
fn first(count: usize) -> Bits {
    match count {
        0..Block::SIZE => (1 << count) - 1,
        _ => !0,
    }
}
