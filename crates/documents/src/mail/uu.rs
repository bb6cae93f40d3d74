//! Files in uuencode: lines of data, each with the number of its bytes, between `begin 644 name` and `end`.

/// Kind of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UuLine {
    Data,
    /// Data whose length differs from its count, or with characters that uuencode does not have.
    Damaged,
    /// The end of the file.
    End,
    /// Text after a file that breaks off.
    Text,
}

/// Whether `line` is the first line of a file: `begin`, its mode in octal digits, its name.
pub(super) fn is_start(line: &[u8]) -> bool {
    name(line).is_some()
}

/// Returns the name in the first line of a file.
pub(super) fn name(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"begin ")?;
    let digits = rest
        .iter()
        .take_while(|byte| matches!(byte, b'0'..=b'7'))
        .count();
    let name = rest.get(digits..)?.strip_prefix(b" ")?.trim_ascii();
    ((3..=4).contains(&digits) && !name.is_empty()).then_some(name)
}

/// Whether `text` starts with a line of data, or with the end of an empty file.
pub(super) fn is_data(text: &[u8]) -> bool {
    let end = memchr::memchr2(b'\r', b'\n', text).unwrap_or(text.len());
    let mut out = Vec::new();
    match decode(&text[..end], &mut out) {
        UuLine::Data => end > 0,
        UuLine::End => true,
        UuLine::Damaged | UuLine::Text => false,
    }
}

/// Decodes a line into `out`. Missing and wrong characters count as zeros.
pub(super) fn decode(line: &[u8], out: &mut Vec<u8>) -> UuLine {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
    let line = &line[..end.map_or(0, |end| end + 1)];
    if line == b"end" {
        return UuLine::End;
    }
    let Some((count, data)) = line.split_first() else {
        // A line without bytes, whose blank was cut.
        return UuLine::Data;
    };
    let wrong = line.iter().filter(|byte| value(**byte).is_none()).count();
    if wrong > 1 {
        return UuLine::Text;
    }
    let count = usize::from(value(*count).unwrap_or(0));
    let (start, length) = (out.len(), count.div_ceil(3) * 4);
    let mut is_right = wrong == 0;
    // Blanks at the end may be cut, and a check character may follow.
    let is_cut = data.len() < length && !line.contains(&b'`');
    is_right &= is_cut || (length..=length + 1).contains(&data.len());
    for at in (0..length).step_by(4) {
        let of = |at: usize| {
            data.get(at)
                .and_then(|byte| value(*byte))
                .map_or(0, u32::from)
        };
        let bits = of(at) << 18 | of(at + 1) << 12 | of(at + 2) << 6 | of(at + 3);
        out.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    out.truncate(start + count);
    if is_right {
        UuLine::Data
    } else {
        UuLine::Damaged
    }
}

fn value(byte: u8) -> Option<u8> {
    matches!(byte, b' '..=b'`').then(|| (byte - b' ') & 0x3f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_bytes_that_they_count() {
        let mut out = Vec::new();
        assert_eq!(decode(b"#0V%T\n", &mut out), UuLine::Data);
        assert_eq!(out, b"Cat");
        assert_eq!(decode(b"%0V%T\r\n", &mut out), UuLine::Data);
        assert_eq!(&out[3..], b"Cat\0\0");
        assert_eq!(decode(b"#0V%T0V%T\n", &mut out), UuLine::Damaged);
        assert_eq!(decode(b"#0v%T", &mut out), UuLine::Damaged);
        assert_eq!(decode(b"see below", &mut out), UuLine::Text);
        assert_eq!(decode(b"`\n", &mut out), UuLine::Data);
        assert_eq!(decode(b"end\n", &mut out), UuLine::End);
        assert!(is_start(b"begin 644 a b.txt\n") && !is_start(b"begin 10 lines\n"));
        assert!(is_data(b"#0V%T\n") && !is_data(b"of the text\n"));
    }
}
