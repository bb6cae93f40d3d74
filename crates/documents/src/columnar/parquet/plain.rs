//! Values in the plain encoding, and other encodings converted to it.

use super::delta::{self, DeltaValues};
use super::levels::HybridNumbers;
use super::schema::LeafKind;

/// Encodings.
pub(super) const PLAIN: i64 = 0;
pub(super) const DICTIONARY: i64 = 2;
const RLE: i64 = 3;
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

/// Returns the start and end of the text whose length is at `at`; `None` if it is cut.
#[inline]
pub(super) fn text_at(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let length = bytes.get(at..)?.first_chunk::<4>()?;
    let start = at + length.len();
    let end = start.checked_add(u32::from_le_bytes(*length) as usize)?;
    (end <= bytes.len()).then_some((start, end))
}

/// Returns the start and end of the value at `at`, a text with its length or a number; `None` if it is cut.
#[inline]
pub(super) fn value_at(kind: LeafKind, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let Some(size) = kind.size() else {
        return text_at(bytes, at);
    };
    let end = at.checked_add(size)?;
    (end <= bytes.len()).then_some((at, end))
}

/// Returns the integer with these bytes; `None` if values of this kind are not integers.
#[inline]
pub(super) fn integer(kind: LeafKind, bytes: &[u8]) -> Option<i128> {
    let LeafKind::Integer { bits, is_signed } = kind else {
        return None;
    };
    let number = match bits {
        32 => u32::from_le_bytes(bytes.try_into().ok()?).into(),
        _ => u64::from_le_bytes(bytes.try_into().ok()?),
    };
    Some(match (is_signed, bits) {
        (false, _) => number.into(),
        (true, 32) => (number as i32).into(),
        (true, _) => (number as i64).into(),
    })
}

/// Reads booleans, whose bytes start at `start`. Returns `None` if they are damaged, or encoded in another way.
pub(super) fn flags(encoding: i64, page: &[u8], start: usize) -> Option<HybridNumbers> {
    match encoding {
        PLAIN => Some(HybridNumbers::packed(start..page.len(), 1)),
        RLE => {
            let (start, end) = text_at(page, start)?;
            HybridNumbers::new(start..end, 1)
        }
        _ => None,
    }
}

/// The starts and ends of `count` values of this kind.
pub(super) fn entries(kind: LeafKind, bytes: &[u8], count: usize) -> Option<Vec<(u32, u32)>> {
    let max = bytes.len() / 4;
    let mut entries = Vec::with_capacity(count.min(max));
    let mut at = 0;
    for _ in 0..count {
        let (start, end) = value_at(kind, bytes, at)?;
        entries.push((start.try_into().ok()?, end.try_into().ok()?));
        at = end;
    }
    Some(entries)
}

/// The page with its values, which start at `start` and are at most `max`, in the plain encoding of texts or integers: new
/// bytes if they were not, and where the values start in them; `None` if they are damaged, or not of this kind.
pub(super) fn of_page(
    encoding: i64,
    kind: LeafKind,
    page: &[u8],
    start: usize,
    max: usize,
) -> Option<(Option<Vec<u8>>, usize)> {
    let (levels, values) = page.split_at_checked(start)?;
    let made = match (encoding, kind) {
        (PLAIN, LeafKind::Text | LeafKind::Integer { .. } | LeafKind::Float) => {
            return Some((None, start));
        }
        (DELTA_LENGTHS, LeafKind::Text) => delta::plain(DeltaValues::Lengths, values, max)?,
        (DELTA_TEXTS, LeafKind::Text | LeafKind::Fixed(_)) => {
            delta::plain(DeltaValues::Texts, values, max)?
        }
        (PLAIN, LeafKind::Fixed(length)) => fixed(values, length, max)?,
        (BYTE_STREAM_SPLIT, LeafKind::Fixed(length)) => {
            fixed(&joined(values, length)?, length, max)?
        }
        (BYTE_STREAM_SPLIT, LeafKind::Integer { bits, .. }) => joined(values, (bits / 8).into())?,
        (DELTA_INTEGERS, LeafKind::Integer { bits: 32, .. }) => {
            delta::plain(DeltaValues::Short, values, max)?
        }
        (DELTA_INTEGERS, LeafKind::Integer { .. }) => delta::plain(DeltaValues::Long, values, max)?,
        _ => return None,
    };
    Some((Some([levels, &made].concat()), start))
}

/// Returns texts of `length` bytes each, with their lengths; `None` if there are more than `max`, or the last is cut.
fn fixed(values: &[u8], length: u32, max: usize) -> Option<Vec<u8>> {
    let size = usize::try_from(length).ok().filter(|&size| size > 0)?;
    let is_whole = values.len().is_multiple_of(size) && values.len() / size <= max;
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
