//! Finds the ends of JSON strings, objects and lists, as fast as it can.

use memchr::{memchr2, memchr3};

/// Levels that are followed.
const LEVELS: u32 = 64;

/// The end of the object or list that starts at `at`. If it does not end in `bytes`, or is broken, how far it was read.
///
/// With `stops_at_line` it is not read past a line end. What counts as one is the same as for the reader.
pub(super) fn end(bytes: &[u8], at: usize, stops_at_line: bool) -> Result<usize, usize> {
    let (mut at, mut levels) = (at + 1, 1);
    // A bit for each open level, the innermost last: whether it is a list.
    let mut lists = u64::from(bytes[at - 1] == b'[');
    // Whether a value may not come next, since one came before.
    let mut is_after = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' if !is_after => {
                at = string_end(bytes, at + 1, stops_at_line)?;
                is_after = true;
            }
            b',' | b':' => is_after = false,
            b'{' | b'[' if !is_after && levels < LEVELS => {
                lists = lists << 1 | u64::from(byte == b'[');
                levels += 1;
            }
            b'}' | b']' if (lists & 1 == 1) == (byte == b']') => {
                (lists, levels, is_after) = (lists >> 1, levels - 1, true);
                if levels == 0 {
                    return Ok(at + 1);
                }
            }
            b' ' | b'\t' | b'\r' => {}
            b'\n' if !stops_at_line => {}
            _ if is_scalar(byte) && !is_after => {
                let length = bytes[at..]
                    .iter()
                    .position(|&byte| !is_scalar(byte))
                    .ok_or(bytes.len())?;
                at += length - 1;
                is_after = true;
            }
            _ => return Err(at),
        }
        at += 1;
    }
    Err(at)
}

/// The position of the quote that ends the string which starts at `from`.
fn string_end(bytes: &[u8], from: usize, stops_at_line: bool) -> Result<usize, usize> {
    if let Some(end) = plain_end(bytes, from) {
        return Ok(end);
    }
    let mut at = from;
    loop {
        let rest = bytes.get(at..).ok_or(bytes.len())?;
        let found = match stops_at_line {
            true => memchr3(b'"', b'\\', b'\n', rest),
            false => memchr2(b'"', b'\\', rest),
        };
        at += found.ok_or(bytes.len())?;
        match bytes[at] {
            b'"' => return Ok(at),
            b'\\' => at += 2,
            _ => return Err(at),
        }
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
