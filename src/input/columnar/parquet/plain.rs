//! Values in the plain encoding of texts, and other encodings and integers as such.

use super::schema::LeafKind;
use crate::delta::{self, DeltaValues};

/// Encodings.
pub(super) const PLAIN: i64 = 0;
pub(super) const DICTIONARY: i64 = 2;
const DELTA_INTEGERS: i64 = 5;
const DELTA_LENGTHS: i64 = 6;
const DELTA_TEXTS: i64 = 7;
pub(super) const RLE_DICTIONARY: i64 = 8;
const BYTE_STREAM_SPLIT: i64 = 9;

/// Whether [`of_page`] reads this encoding.
pub(super) fn is_known(encoding: i64) -> bool {
    matches!(
        encoding,
        PLAIN | DELTA_INTEGERS | DELTA_LENGTHS | DELTA_TEXTS | BYTE_STREAM_SPLIT
    )
}

/// The start and end of the text whose length is at `at`. None if it is cut.
#[inline]
pub(super) fn text_at(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let length = bytes.get(at..)?.first_chunk::<4>()?;
    let start = at + length.len();
    let end = start.checked_add(u32::from_le_bytes(*length) as usize)?;
    (end <= bytes.len()).then_some((start, end))
}

/// The starts and ends of `count` texts.
pub(super) fn entries(bytes: &[u8], count: usize) -> Option<Vec<(u32, u32)>> {
    let most = bytes.len() / 4;
    let mut entries = Vec::with_capacity(count.min(most));
    let mut at = 0;
    for _ in 0..count {
        let (start, end) = text_at(bytes, at)?;
        entries.push((start.try_into().ok()?, end.try_into().ok()?));
        at = end;
    }
    Some(entries)
}

/// The page with its values, which start at `start` and are at most `most`, as plain texts: new bytes if they were not, and
/// where the values start in them. None if they are damaged, or not of this kind.
pub(super) fn of_page(
    encoding: i64,
    kind: LeafKind,
    page: &[u8],
    start: usize,
    most: usize,
) -> Option<(Option<Vec<u8>>, usize)> {
    let (levels, values) = page.split_at_checked(start)?;
    let made = match (encoding, kind) {
        (PLAIN, LeafKind::Text) => return Some((None, start)),
        (DELTA_LENGTHS, LeafKind::Text) => delta::plain(DeltaValues::Lengths, values, most)?,
        (DELTA_TEXTS, LeafKind::Text | LeafKind::Fixed(_)) => {
            delta::plain(DeltaValues::Texts, values, most)?
        }
        (PLAIN, LeafKind::Fixed(length)) => fixed(values, length, most)?,
        (BYTE_STREAM_SPLIT, LeafKind::Fixed(length)) => {
            fixed(&joined(values, length)?, length, most)?
        }
        (BYTE_STREAM_SPLIT, LeafKind::Integer { bits, is_signed }) => {
            numbers(&joined(values, u32::from(bits / 8))?, bits, is_signed, most)
        }
        (PLAIN, LeafKind::Integer { bits, is_signed }) => numbers(values, bits, is_signed, most),
        (DELTA_INTEGERS, LeafKind::Integer { bits, is_signed }) => {
            let wide = delta::plain(DeltaValues::Long, values, most)?;
            numbers_of(
                wide.chunks_exact(8).map(|wide| narrow(wide, bits)),
                is_signed,
                bits,
            )
        }
        _ => return None,
    };
    Some((Some([levels, &made].concat()), start))
}

/// Texts of `length` bytes each, with their lengths. None if there are more than `most`, or the last is cut.
fn fixed(values: &[u8], length: u32, most: usize) -> Option<Vec<u8>> {
    let size = usize::try_from(length).ok().filter(|&size| size > 0)?;
    let is_whole = values.len().is_multiple_of(size) && values.len() / size <= most;
    let mut plain = Vec::new();
    for text in is_whole.then(|| values.chunks_exact(size))? {
        plain.extend_from_slice(&length.to_le_bytes());
        plain.extend_from_slice(text);
    }
    Some(plain)
}

/// Values of `length` bytes each, of which the first bytes come first, then the second ones.
fn joined(split: &[u8], length: u32) -> Option<Vec<u8>> {
    let size = usize::try_from(length).ok().filter(|&size| size > 0)?;
    let count = split.len() / size;
    let byte = |at: usize| split[at % size * count + at / size];
    let is_whole = count * size == split.len();
    is_whole.then(|| (0..split.len()).map(byte).collect())
}

fn numbers(values: &[u8], bits: u8, is_signed: bool, most: usize) -> Vec<u8> {
    let all = values.chunks_exact(usize::from(bits / 8)).take(most);
    numbers_of(all.map(|value| narrow(value, bits)), is_signed, bits)
}

/// The lower bits of a number.
fn narrow(value: &[u8], bits: u8) -> i64 {
    let all = value.iter().take(usize::from(bits / 8)).rev();
    let number = all.fold(0_u64, |all, &byte| all << 8 | u64::from(byte));
    match bits {
        32 => i64::from(number as u32 as i32),
        _ => number as i64,
    }
}

fn numbers_of(values: impl Iterator<Item = i64>, is_signed: bool, bits: u8) -> Vec<u8> {
    let mut plain = Vec::new();
    for value in values {
        let text = match (is_signed, bits) {
            (true, _) => value.to_string(),
            (false, 32) => (value as u32).to_string(),
            (false, _) => (value as u64).to_string(),
        };
        plain.extend_from_slice(&(text.len() as u32).to_le_bytes());
        plain.extend_from_slice(text.as_bytes());
    }
    plain
}
