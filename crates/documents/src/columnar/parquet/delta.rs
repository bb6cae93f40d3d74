//! How many bytes the texts of a page have in the delta encodings of Parquet, in which a page of few bytes may hold large texts.

use parquet::basic::Encoding;
use parquet::column::page::Page;

use super::levels::ColumnLevels;
use super::thrift::ThriftReader;

/// Bytes of memory for the lengths of a text.
pub(super) const LENGTHS_BYTES: usize = 16;

/// Returns the bytes that the texts of a page take beside those of the page; `None` if the page is damaged.
pub(super) fn text_bytes(page: &Page, levels: ColumnLevels) -> Option<usize> {
    let max = page.num_values() as usize;
    let (lengths, rest) = integers(levels.values(page)?, max)?;
    if page.encoding() != Encoding::DELTA_BYTE_ARRAY {
        return (sum(&lengths)? == rest.len()).then_some(0);
    }
    let (ends, rest) = integers(rest, max)?;
    let bytes = sum(&lengths)?.checked_add(sum(&ends)?)?;
    (sum(&ends)? == rest.len()).then_some(bytes)
}

fn sum(lengths: &[i32]) -> Option<usize> {
    let mut lengths = lengths.iter();
    lengths.try_fold(0_usize, |sum, &length| {
        sum.checked_add(length.try_into().ok()?)
    })
}

/// Reads integers, of which there are at most `max`. Also returns the bytes after them.
fn integers(bytes: &[u8], max: usize) -> Option<(Vec<i32>, &[u8])> {
    let mut reader = ThriftReader(bytes);
    let [block, minis, count] = [reader.length()?, reader.length()?, reader.length()?];
    let mut last = reader.integer()? as i32;
    let each = block.checked_div(minis)?;
    if count > max || minis > bytes.len() || !each.is_multiple_of(8) {
        return None;
    }
    let mut all = Vec::with_capacity(count);
    all.extend((count > 0).then_some(last));
    while all.len() < count {
        let min = reader.integer()? as i32;
        for &width in reader.take(minis)? {
            if all.len() == count {
                break;
            }
            let packed = reader.take(each.checked_mul(width.into())? / 8)?;
            for number in 0..each.min(count - all.len()) {
                last = last
                    .wrapping_add(min)
                    .wrapping_add(bits(packed, number, width)? as i32);
                all.push(last);
            }
        }
    }
    Some((all, reader.0))
}

/// The number of `width` bits at this place among others.
fn bits(packed: &[u8], number: usize, width: u8) -> Option<u64> {
    let start = number * usize::from(width);
    let mut word = [0; 8];
    let bytes = packed.get(start / 8..).filter(|_| width > 0);
    let bytes = bytes.unwrap_or_default();
    let length = bytes.len().min(word.len());
    word[..length].copy_from_slice(&bytes[..length]);
    let shifted = u64::from_le_bytes(word) >> (start % 8);
    (width <= 32).then(|| shifted & ((1_u64 << width) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: ColumnLevels = ColumnLevels { max: [0, 0] };

    /// Three lengths below 32, in one block.
    fn lengths(all: [u8; 3]) -> Vec<u8> {
        // 128 values in a block of 4 parts, 3 values, the first one, the least difference -32, and the width of each part.
        let head = [0x80, 1, 4, 3, 2 * all[0], 63, 8, 0, 0, 0];
        let mut differences = vec![0; 32];
        differences[0] = 32 + all[1] - all[0];
        differences[1] = 32 + all[2] - all[1];
        [&head[..], &differences].concat()
    }

    fn page(bytes: Vec<u8>, encoding: Encoding) -> Page {
        Page::DataPage {
            buf: bytes.into(),
            num_values: 3,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    #[test]
    fn texts_that_share_their_starts_are_as_long_as_they_are_unpacked() {
        let bytes = [lengths([0, 20, 20]), lengths([20, 1, 2]), vec![b'x'; 23]].concat();
        let shared = page(bytes.clone(), Encoding::DELTA_BYTE_ARRAY);
        assert_eq!(text_bytes(&shared, LEVELS), Some(63));
        let plain = [lengths([7, 8, 9]), vec![b'x'; 24]].concat();
        let plain = page(plain, Encoding::DELTA_LENGTH_BYTE_ARRAY);
        assert_eq!(text_bytes(&plain, LEVELS), Some(0));
        let cut = page(bytes[..60].to_vec(), Encoding::DELTA_BYTE_ARRAY);
        assert_eq!(text_bytes(&cut, LEVELS), None);
    }

    #[test]
    fn more_lengths_than_values_are_damage() {
        let mut bytes = lengths([7, 8, 9]);
        bytes[3] = 4;
        let page = page(bytes, Encoding::DELTA_LENGTH_BYTE_ARRAY);
        assert_eq!(text_bytes(&page, LEVELS), None);
    }
}
