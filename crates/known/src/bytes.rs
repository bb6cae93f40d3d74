//! Numbers and byte strings as files store them: LEB128, and a length before each string.

/// Appends `number`, seven bits per byte.
#[inline]
pub fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends the length of `bytes`, then `bytes`.
#[inline]
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Returns the length of the longest common prefix of `a` and `b`.
pub(crate) fn common_start(a: &[u8], b: &[u8]) -> usize {
    // Compares eight bytes at a time: neighbouring keys mostly share half of their bytes.
    let words = a.chunks_exact(8).zip(b.chunks_exact(8));
    let same = 8 * words.take_while(|(a, b)| a == b).count();
    let rest = a[same..].iter().zip(&b[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// Reads the output of the functions above. Every method returns `None` if the bytes end too early or are malformed.
pub struct ByteReader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> ByteReader<'a> {
    /// Creates a reader at an offset of `all`.
    pub fn new(all: &'a [u8], at: usize) -> Self {
        ByteReader { all, at }
    }

    /// Returns the offset of the next byte.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Whether all bytes were read.
    pub fn is_empty(&self) -> bool {
        self.at >= self.all.len()
    }

    /// Reads a byte.
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.all.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Reads `length` bytes.
    #[inline]
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.all.get(self.at..)?.get(..length)?;
        self.at += length;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// Reads eight bytes as a number, the lowest first.
    pub(crate) fn fixed(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a number.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number of at most 32 bits.
    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// Reads a length.
    #[inline]
    pub fn length(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    /// Reads a length, and this many bytes.
    #[inline]
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    /// Reads a length, and a text of this many bytes.
    pub fn text(&mut self) -> Option<&'a str> {
        str::from_utf8(self.bytes()?).ok()
    }

    /// Reads a number, and this many items.
    pub(crate) fn list<T, L: FromIterator<T>>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<L> {
        let number = self.number()?;
        (0..number).map(|_| item(self)).collect()
    }

    /// Returns `None` if bytes are left.
    pub(crate) fn expect_end(&self) -> Option<()> {
        self.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_number(&mut out, number);
            let mut fields = ByteReader::new(&out, 0);
            assert_eq!(fields.number(), Some(number));
            assert_eq!(fields.expect_end(), Some(()));
            assert_eq!(
                ByteReader::new(&out[..out.len() - 1], 0).number(),
                None,
                "{number} cut"
            );
        }
    }

    #[test]
    fn numbers_beyond_64_bits_are_refused() {
        assert_eq!(ByteReader::new(&[0xff; 11], 0).number(), None);
        assert_eq!(
            ByteReader::new(
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
                0
            )
            .number(),
            None
        );
    }
}
