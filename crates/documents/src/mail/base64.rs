//! Base64 (RFC 2045), line by line.

/// Minimum length of a line in which a damaged character is not taken for the end of the data.
const LONG_LINE_BYTES: usize = 40;
/// Maximum number of damaged characters in such a line.
const MAX_DAMAGED_CHARS: usize = 2;

/// Kind of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base64Line {
    Data,
    /// Data with some wrong characters.
    Damaged,
    /// Text after the data, which is not encoded.
    Text,
}

/// A decoder that keeps the characters of an incomplete group of four.
#[derive(Clone, Debug, Default)]
pub(super) struct Base64Decoder {
    bits: u32,
    held: u32,
    /// Length of the last line.
    width: usize,
}

impl Base64Decoder {
    /// Decodes a line, or a piece of one, into `out`. A wrong character counts as zeros, so that the bytes after it keep
    /// their places.
    pub(super) fn line(&mut self, line: &[u8], out: &mut Vec<u8>) -> Base64Line {
        let line = line.trim_ascii();
        let width = std::mem::replace(&mut self.width, line.len());
        if self.whole_groups(line, out) {
            return Base64Line::Data;
        }
        let wrong = line.iter().filter(|byte| value(**byte).is_none());
        let (mut count, mut is_text) = (0, false);
        for byte in wrong {
            count += usize::from(*byte != b'=');
            // Every DOI name has a full stop or a character of an escape.
            is_text |= byte.is_ascii_whitespace() || b".:%&;\\".contains(byte);
        }
        // A line as long as those before it, with one wrong character.
        let is_like =
            width >= LONG_LINE_BYTES && line.len() <= width && count == 1 && !line.contains(&b' ');
        if !is_like
            && (is_text || count > 0 && (line.len() < LONG_LINE_BYTES || count > MAX_DAMAGED_CHARS))
        {
            return Base64Line::Text;
        }
        count += usize::from(!self.is_padded(line));
        for byte in line {
            match value(*byte) {
                None if *byte == b'=' => self.end_group(out),
                found => self.push_group(found.unwrap_or(0), out),
            }
        }
        match count {
            0 => Base64Line::Data,
            _ => Base64Line::Damaged,
        }
    }

    /// Whether the line has `=` only at its end, and the right number to complete a group.
    fn is_padded(&self, line: &[u8]) -> bool {
        let Some(at) = memchr::memchr(b'=', line) else {
            return true;
        };
        let before = (self.held as usize / 6 + at) % 4;
        matches!((before, &line[at..]), (2, b"==") | (3, b"="))
    }

    /// Decodes a line of whole groups without padding, as nearly all lines are. Returns false if it is another kind of
    /// line.
    fn whole_groups(&mut self, line: &[u8], out: &mut Vec<u8>) -> bool {
        if self.held > 0 || !line.len().is_multiple_of(4) {
            return false;
        }
        let start = out.len();
        let mut all = 0;
        for group in line.chunks_exact(4) {
            let of = |at: usize| u32::from(VALUES[usize::from(group[at])]);
            let bits = of(0) << 18 | of(1) << 12 | of(2) << 6 | of(3);
            all |= of(0) | of(1) | of(2) | of(3);
            out.extend_from_slice(&bits.to_be_bytes()[1..]);
        }
        let is_right = all & u32::from(NO_VALUE) == 0;
        if !is_right {
            out.truncate(start);
        }
        is_right
    }

    fn push_group(&mut self, value: u32, out: &mut Vec<u8>) {
        self.bits = self.bits << 6 | value;
        self.held += 6;
        if self.held == 24 {
            out.extend_from_slice(&self.bits.to_be_bytes()[1..]);
            (self.bits, self.held) = (0, 0);
        }
    }

    /// Ends a group that may be incomplete.
    fn end_group(&mut self, out: &mut Vec<u8>) {
        let whole = self.held / 8;
        let bits = self.bits << (24 - self.held);
        out.extend_from_slice(&bits.to_be_bytes()[1..1 + whole as usize]);
        (self.bits, self.held) = (0, 0);
    }

    /// Ends the data. Returns whether its last byte is complete. Many programs omit the padding; then the unused bits are
    /// zeros.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) -> bool {
        let unused = self.held % 8;
        let is_complete = unused < 6 && self.bits & ((1 << unused) - 1) == 0;
        self.end_group(out);
        is_complete
    }
}

/// Marks characters without a value, by a bit that no value has.
const NO_VALUE: u8 = 0x80;
/// The value of each character.
const VALUES: [u8; 256] = {
    let signs = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [NO_VALUE; 256];
    let mut at = 0;
    while at < signs.len() {
        values[signs[at] as usize] = at as u8;
        at += 1;
    }
    values
};

/// Returns the value of a character, of 6 bits.
pub(super) fn value(byte: u8) -> Option<u32> {
    match VALUES[usize::from(byte)] {
        NO_VALUE => None,
        value => Some(value.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(lines: &[&str]) -> (Vec<u8>, Vec<Base64Line>, bool) {
        let (mut base64, mut out) = (Base64Decoder::default(), Vec::new());
        let kinds = lines
            .iter()
            .map(|line| base64.line(line.as_bytes(), &mut out));
        let kinds = kinds.collect();
        let whole = base64.finish(&mut out);
        (out, kinds, whole)
    }

    #[test]
    fn lines_of_any_length_are_one_text() {
        for lines in [&["MTAuNTU1NS9hYmM="][..], &["MTA", "uN", "TU1NS9hYmM=\r\n"]] {
            let (out, _, whole) = decoded(lines);
            assert_eq!((&out[..], whole), (&b"10.5555/abc"[..], true));
        }
        assert_eq!(decoded(&["YQ==YWI="]).0, b"aab");
        for (line, bytes, is_whole) in [
            ("YWI", &b"ab"[..], true),
            ("YWJ", b"ab", false),
            ("YQ", b"a", true),
            ("YR", b"a", false),
            ("YWJjY", b"abc", false),
        ] {
            let (out, _, whole) = decoded(&[line]);
            assert_eq!((&out[..], whole), (bytes, is_whole), "{line}");
        }
        assert_eq!(decoded(&[]).0, b"");
    }

    #[test]
    fn text_is_not_data_and_a_damaged_character_moves_nothing() {
        for text in ["see this", "10.5555/abc", "-- ", "a:b", "*"] {
            assert_eq!(decoded(&[text]).1, [Base64Line::Text], "{text}");
        }
        let line = "MTAuNTU1NS9hYmMgMTAuNTU1NS9hYmMgMTAuNTU1NS9hYmMg";
        let (out, kinds, _) = decoded(&[&line.replacen('A', "*", 1)]);
        assert_eq!(kinds, [Base64Line::Damaged]);
        assert!(out.ends_with(b"5555/abc 10.5555/abc 10.5555/abc "));
    }
}
