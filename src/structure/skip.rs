//! Finds the ends of JSON strings, objects and lists, as fast as it can.

use memchr::memchr3;

use doisift_core::block::{Bits, Block, parity, positions};

/// Levels that are followed.
pub(super) const LEVELS: usize = 64;

/// The end of the object or list in which `at` is, between its strings; `is_list` says which of the two it is. If it does not end
/// in `bytes`, or something in it needs a second look, how far it was read.
///
/// What is read here is read by brackets and quotes alone, as the reader does where nothing is in the table. With
/// `stops_at_line` a line end needs a second look, otherwise a line that starts with a brace where no value may come.
pub(super) fn end(
    bytes: &[u8],
    mut at: usize,
    is_list: bool,
    stops_at_line: bool,
) -> Result<usize, usize> {
    let mut strings = Strings::default();
    let mut levels = Levels::new(is_list);
    while at < bytes.len() {
        let block = Block::new(bytes, at);
        let marks = strings.marks(&block);
        let is_broken = stops_at_line && marks.lines != 0 || marks.starts & marks.inside != 0;
        for mark in positions((marks.opens | marks.closes) & !marks.inside) {
            let here = at + mark;
            if marks.starts >> mark & 1 == 1 && !levels.may_start(bytes, here) {
                return Err(here);
            }
            if !levels.take(bytes[here]) {
                return Err(here);
            }
            if levels.count == 0 {
                return if is_broken { Err(here) } else { Ok(here + 1) };
            }
        }
        if is_broken {
            return Err(at);
        }
        at += Block::SIZE;
    }
    Err(bytes.len())
}

/// The brackets that are open.
struct Levels {
    count: usize,
    /// A bit for each, the innermost last: whether it is a list.
    lists: u64,
}

impl Levels {
    fn new(is_list: bool) -> Levels {
        Levels {
            count: 1,
            lists: u64::from(is_list),
        }
    }

    /// Takes a bracket. Returns false if it closes one of another kind, or too many are open.
    fn take(&mut self, bracket: u8) -> bool {
        let is_list = u64::from(bracket & 0x20 == 0);
        if matches!(bracket, b'{' | b'[') {
            self.lists = self.lists << 1 | is_list;
            self.count += 1;
            return self.count <= LEVELS;
        }
        let is_match = self.lists & 1 == is_list;
        self.lists >>= 1;
        self.count -= 1;
        is_match
    }

    /// Whether a value may come at `at`, where a line starts.
    fn may_start(&self, bytes: &[u8], at: usize) -> bool {
        match bytes[..at].trim_ascii_end().last() {
            Some(b'[' | b':') => true,
            Some(b',') => self.lists & 1 == 1,
            _ => false,
        }
    }
}

/// The marks of a block.
struct BlockMarks {
    opens: Bits,
    closes: Bits,
    /// Line ends.
    lines: Bits,
    /// Opening brackets at the starts of lines.
    starts: Bits,
    /// The bytes in strings, with the quote before and without the quote after them.
    inside: Bits,
}

/// What the block before says about the first byte of the next.
#[derive(Default)]
struct Strings {
    is_inside: bool,
    is_escaped: bool,
    is_line_start: bool,
}

impl Strings {
    fn marks(&mut self, block: &Block) -> BlockMarks {
        // Most blocks have neither.
        let (lines, backslashes) = match block.find_any([b'\n', b'\\']) {
            0 => (0, 0),
            _ => (block.find(b'\n'), block.find(b'\\')),
        };
        let quotes = block.find(b'"') & !self.escaped(backslashes);
        let inside = parity(quotes) ^ if self.is_inside { !0 } else { 0 };
        self.is_inside = inside >> 63 == 1;
        let opens = block.find_either(b'{');
        let starts = opens & (lines << 1 | Bits::from(self.is_line_start));
        self.is_line_start = lines >> 63 == 1;
        BlockMarks {
            opens,
            closes: block.find_either(b'}'),
            lines,
            starts,
            inside,
        }
    }

    /// The bytes after the backslashes that are not escaped themselves.
    fn escaped(&mut self, mut backslashes: Bits) -> Bits {
        let mut escaped = Bits::from(std::mem::take(&mut self.is_escaped));
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

/// Whether a number or a word may have this byte.
pub(super) fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// The end of a string that starts at `from`, if no escape and no line end comes before it.
pub(super) fn plain_end(bytes: &[u8], from: usize) -> Option<usize> {
    const NEAR: usize = 32;
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    // The high bit of each byte that is 0; above the lowest of these there may be others.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let mut at = from;
    // Most strings are short: then this is twice as fast as a search with memchr.
    while at < from + NEAR
        && let Some(next) = bytes.get(at..at + 8)
        && let Ok(next) = next.try_into()
    {
        let word = u64::from_le_bytes(next);
        let quotes = zeros(word ^ (ONES * b'"' as u64));
        let others = zeros(word ^ (ONES * b'\\' as u64)) | zeros(word ^ (ONES * b'\n' as u64));
        if quotes | others != 0 {
            let end = (quotes | others).trailing_zeros();
            return (quotes >> end & 1 != 0).then_some(at + end as usize / 8);
        }
        at += 8;
    }
    let end = at + memchr3(b'"', b'\\', b'\n', bytes.get(at..)?)?;
    (bytes[end] == b'"').then_some(end)
}
