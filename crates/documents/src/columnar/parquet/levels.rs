//! Runs of small numbers: levels, and indices of a dictionary (RLE and bit-packing, hybrid).

/// Max width of a number in bits.
const MAX_WIDTH_BITS: u32 = 32;
/// More bit-packed numbers than any writer adds after the last.
const MAX_PADDING_NUMBERS: u64 = 256;

/// Reads numbers one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct HybridNumbers {
    /// The bytes that are not read yet, as a range of the page.
    at: usize,
    end: usize,
    width: u32,
    /// How many more times `value` comes.
    repeats: u64,
    value: u32,
    /// How many bit-packed numbers come, and the bit at which the next one starts.
    packed: u64,
    bit: usize,
}

impl HybridNumbers {
    /// Reads the numbers of `width` bits in a range of the page. Returns `None` if they are wider than any number.
    pub(super) fn new(range: std::ops::Range<usize>, width: u32) -> Option<HybridNumbers> {
        (width <= MAX_WIDTH_BITS).then_some(HybridNumbers {
            at: range.start,
            end: range.end,
            width,
            ..HybridNumbers::default()
        })
    }

    /// The numbers of `width` bits in a range of the page that has no heads of numbers.
    pub(super) fn packed(range: std::ops::Range<usize>, width: u32) -> HybridNumbers {
        HybridNumbers {
            at: range.end,
            end: range.end,
            width,
            packed: range.len() as u64 * 8 / u64::from(width.max(1)),
            bit: range.start * 8,
            ..HybridNumbers::default()
        }
    }

    /// Returns the next number; `None` at the end, or at damage.
    #[inline]
    pub(super) fn next_number(&mut self, page: &[u8]) -> Option<u32> {
        loop {
            if self.repeats > 0 {
                self.repeats -= 1;
                return Some(self.value);
            }
            if self.packed > 0 {
                self.packed -= 1;
                let value = self.bits(page)?;
                self.bit += self.width as usize;
                return Some(value);
            }
            self.read_head(page)?;
        }
    }

    /// Returns the next level without consuming it.
    #[inline]
    pub(super) fn peek(&mut self, page: &[u8]) -> Option<u32> {
        loop {
            if self.repeats > 0 {
                return Some(self.value);
            }
            if self.packed > 0 {
                return self.bits(page);
            }
            self.read_head(page)?;
        }
    }

    /// If the next numbers are equal, takes up to `max` of them. Returns the number, and how often it came.
    pub(super) fn repeated(&mut self, page: &[u8], max: u64) -> Option<(u32, u64)> {
        let value = self.next_number(page)?;
        let more = self.repeats.min(max.saturating_sub(1));
        self.repeats -= more;
        Some((value, more + 1))
    }

    /// Whether there are more numbers than those that fill up bit-packed ones: to eight in the format, to 256 by DuckDB.
    pub(super) fn has_more(&self) -> bool {
        self.repeats > 0 || self.packed >= MAX_PADDING_NUMBERS || self.at < self.end
    }

    fn bits(&self, page: &[u8]) -> Option<u32> {
        let start = self.bit / 8;
        let mask = u32::MAX
            .checked_shr(MAX_WIDTH_BITS - self.width)
            .unwrap_or(0);
        let word = match page.get(start..start + 8) {
            Some(bytes) => u64::from_le_bytes(bytes.try_into().ok()?),
            None => {
                let bytes = page.get(start..).unwrap_or_default();
                let all = bytes.iter().rev();
                all.fold(0, |all, &byte| all << 8 | u64::from(byte))
            }
        };
        let is_held = (self.bit + self.width as usize).div_ceil(8) <= self.end;
        is_held.then_some((word >> (self.bit % 8)) as u32 & mask)
    }

    /// Reads the head of the next group of numbers.
    fn read_head(&mut self, page: &[u8]) -> Option<()> {
        let bytes = page.get(self.at..self.end)?;
        let (mut head, mut length) = (0_u64, 0);
        for (shift, &byte) in (0..35).step_by(7).zip(bytes) {
            head |= u64::from(byte & 0x7f) << shift;
            length += 1;
            if byte < 0x80 {
                return self.start(page, head, self.at + length);
            }
        }
        None
    }

    fn start(&mut self, page: &[u8], head: u64, at: usize) -> Option<()> {
        let width = self.width as usize;
        if head & 1 == 1 {
            let groups = (head >> 1) as usize;
            self.packed = groups as u64 * 8;
            self.bit = at * 8;
            // The last group may be cut; `bits` checks where it ends.
            self.at = self.end.min(at + groups * width);
            return (groups > 0).then_some(());
        }
        let bytes = page.get(at..at + width.div_ceil(8))?;
        let all = bytes.iter().rev();
        self.value = all.fold(0, |all, &byte| all << 8 | u32::from(byte));
        self.repeats = head >> 1;
        self.at = at + bytes.len();
        (self.at <= self.end && self.repeats > 0).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], width: u32) -> Vec<u32> {
        let mut numbers = HybridNumbers::new(0..bytes.len(), width).unwrap();
        std::iter::from_fn(|| {
            let peeked = numbers.peek(bytes);
            let next = numbers.next_number(bytes);
            assert_eq!(peeked, next);
            next
        })
        .take(1000)
        .collect()
    }

    #[test]
    fn runs_of_both_kinds_are_read() {
        // Three times 5; then eight numbers of three bits, 0 to 7.
        let bytes = [6, 5, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        assert_eq!(all(&bytes, 3), [5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(all(&[4, 0xff, 0xff, 0xff, 0xff], 32), [u32::MAX; 2]);
        assert_eq!(all(&[8], 0), [0; 4]);
    }

    #[test]
    fn damaged_runs_end() {
        for bytes in [
            &[0x80][..],
            &[],
            &[0],
            &[1],
            &[6],
            &[0x80; 9],
            &[0xff, 0xff, 0xff, 0xff, 0x0f],
        ] {
            assert!(all(bytes, 3).len() < 1000, "{bytes:?}");
        }
        assert_eq!(all(&[3, 0b1000_1000], 3).len(), 2);
        assert!(HybridNumbers::new(0..0, 33).is_none());
    }

    #[test]
    fn repeated_numbers_are_taken_at_once() {
        let bytes = [40, 1, 4, 0];
        let mut numbers = HybridNumbers::new(0..4, 1).unwrap();
        assert_eq!(numbers.repeated(&bytes, 15), Some((1, 15)));
        assert_eq!(numbers.repeated(&bytes, 15), Some((1, 5)));
        assert_eq!(numbers.repeated(&bytes, 15), Some((0, 2)));
        assert_eq!(numbers.repeated(&bytes, 15), None);
    }
}
