//! Converts positions to those of JavaScript, which counts units of UTF-16.

/// Returns the number of units of UTF-16 in `bytes`, which are a part of valid UTF-8.
///
/// Each byte that starts a character counts as one unit, or as two if the character has four bytes.
pub(crate) fn count(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .map(|&byte| usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0))
        .sum()
}

/// Returns the byte offset after `units` units of `text`, or its length if it has fewer.
pub(crate) fn byte_at(text: &str, units: usize) -> usize {
    let mut passed = 0;
    let mut chars = text.char_indices();
    let found = chars.find(|(_, char)| {
        let is_there = passed >= units;
        passed += char.len_utf16();
        is_there
    });
    found.map_or(text.len(), |(at, _)| at)
}

/// Counts the units before ascending positions of a text, in one pass.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    byte: usize,
    units: usize,
}

impl Counter {
    /// Returns the number of units before the offset `byte` of `bytes`, including those before `bytes`.
    pub(crate) fn at(&mut self, bytes: &[u8], byte: usize) -> usize {
        self.units += count(bytes.get(self.byte..byte).unwrap_or_default());
        self.byte = self.byte.max(byte);
        self.units
    }

    /// Adjusts the offset after the first `spent` bytes were dropped. They must have been counted.
    pub(crate) fn forget(&mut self, spent: usize) {
        self.byte -= spent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aé€😀b";

    #[test]
    fn units_are_those_of_utf16() {
        for (at, _) in TEXT.char_indices() {
            let units = TEXT[..at].encode_utf16().count();
            assert_eq!(count(&TEXT.as_bytes()[..at]), units);
            assert_eq!(byte_at(TEXT, units), at);
        }
        assert_eq!(byte_at(TEXT, 99), TEXT.len());
    }

    #[test]
    fn a_counter_goes_on_where_it_was() {
        let mut counter = Counter::default();
        assert_eq!(counter.at(TEXT.as_bytes(), 3), 2);
        assert_eq!(counter.at(TEXT.as_bytes(), 3), 2);
        counter.forget(3);
        assert_eq!(counter.at(&TEXT.as_bytes()[3..], 7), 5);
    }
}
