//! Encoding of numbers and byte strings in the frames of runs.

/// Appends a number, seven bits per byte, the lowest first.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends the length of a string, and the string.
#[inline]
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads numbers and strings from bytes. Each read returns `None` if the bytes end or are malformed.
pub(crate) struct ByteReader<'a> {
    all: &'a [u8],
    pub(super) at: usize,
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(all: &'a [u8], at: usize) -> Self {
        ByteReader { all, at }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.all.len()
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.all.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = u64::from(self.byte()?);
            number |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    #[inline]
    pub(super) fn length(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    #[inline]
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.all.get(self.at..)?.get(..length)?;
        self.at += length;
        Some(taken)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_broken_ones_do_not() {
        for number in [0, 1, 127, 128, 1 << 35, u64::MAX] {
            let mut out = Vec::new();
            put(&mut out, number);
            assert_eq!(ByteReader::new(&out, 0).number(), Some(number));
            assert_eq!(ByteReader::new(&out[..out.len() - 1], 0).number(), None);
        }
        assert_eq!(ByteReader::new(&[0xff; 20], 0).number(), None);
        assert_eq!(ByteReader::new(&[5, 1, 2], 0).bytes(), None);
        assert_eq!(ByteReader::new(&[2, 1, 2], 0).bytes(), Some(&[1, 2][..]));
    }
}
