//! Converts the delta encodings to the plain encoding. The functions return `None` for a damaged page.

/// Max size of a plain page in bytes. A long shared prefix takes no space in an encoded page, so the limit is needed.
const MAX_PAGE_BYTES: usize = 1 << 28;
/// Max values of a page. Equal values take no space in an encoded page, so the limit is needed.
const MAX_PAGE_VALUES: usize = 1 << 24;
/// Max values of a block; writers use 128.
const MAX_BLOCK_VALUES: u64 = 1 << 16;

/// The kind of the values of a page, and their encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeltaValues {
    /// Integers of 32 bits, `DELTA_BINARY_PACKED`.
    Short,
    /// Integers of 64 bits, `DELTA_BINARY_PACKED`.
    Long,
    /// Texts after all their lengths, `DELTA_LENGTH_BYTE_ARRAY`.
    Lengths,
    /// Texts without the prefixes that they share, `DELTA_BYTE_ARRAY`.
    Texts,
}

/// Returns the values, at most `max`, in the plain encoding; `None` if they are damaged.
pub(super) fn plain(values: DeltaValues, bytes: &[u8], max: usize) -> Option<Vec<u8>> {
    match values {
        DeltaValues::Short => {
            let (values, _) = integers(bytes, max)?;
            let values = values.iter();
            Some(values.flat_map(|&n| (n as i32).to_le_bytes()).collect())
        }
        DeltaValues::Long => {
            let (values, _) = integers(bytes, max)?;
            Some(values.iter().flat_map(|n| n.to_le_bytes()).collect())
        }
        DeltaValues::Lengths => {
            let (lengths, texts) = integers(bytes, max)?;
            texts_of(&vec![0; lengths.len()], &lengths, texts)
        }
        DeltaValues::Texts => {
            let (shared, rest) = integers(bytes, max)?;
            let (lengths, texts) = integers(rest, max)?;
            (shared.len() == lengths.len()).then(|| texts_of(&shared, &lengths, texts))?
        }
    }
}

/// Builds texts in the plain encoding. Each starts with as many bytes of the one before as `shared` says; `lengths` are those
/// of the rests in `texts`.
fn texts_of(shared: &[i64], lengths: &[i64], mut texts: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let mut last: Vec<u8> = Vec::new();
    for (&shared, &length) in shared.iter().zip(lengths) {
        let shared = usize::try_from(shared).ok()?;
        let (text, rest) = texts.split_at_checked(length.try_into().ok()?)?;
        texts = rest;
        if shared > last.len() || plain.len() + shared + text.len() > MAX_PAGE_BYTES {
            return None;
        }
        last.truncate(shared);
        last.extend_from_slice(text);
        plain.extend_from_slice(&u32::try_from(last.len()).ok()?.to_le_bytes());
        plain.extend_from_slice(&last);
    }
    Some(plain)
}

/// Decodes integers that are stored as bit-packed differences in blocks of equal parts. Returns them and the bytes after
/// them. For integers of 32 bits, the lower half counts.
fn integers(mut bytes: &[u8], max: usize) -> Option<(Vec<i64>, &[u8])> {
    let block =
        number(&mut bytes).filter(|&block| block % 128 == 0 && block <= MAX_BLOCK_VALUES)?;
    let parts = number(&mut bytes).filter(|&parts| parts > 0 && block % parts == 0)?;
    let size = usize::try_from(block / parts).ok()?;
    let parts = usize::try_from(parts).ok()?;
    let count = usize::try_from(number(&mut bytes)?).ok()?;
    let mut last = signed(&mut bytes)?;
    if size == 0 || size % 32 != 0 || count > max.min(MAX_PAGE_VALUES) {
        return None;
    }
    let mut values = Vec::new();
    if count > 0 {
        values.push(last);
    }
    while values.len() < count {
        let min = signed(&mut bytes)?;
        let (widths, mut rest) = bytes.split_at_checked(parts)?;
        for &width in widths {
            // Parts after the last value have no bytes, whatever their widths.
            let wanted = size.min(count - values.len());
            if wanted == 0 {
                break;
            }
            let width = usize::from(width);
            let (packed, after) = rest.split_at(rest.len().min(width * size / 8));
            rest = after;
            for at in 0..wanted {
                let more = bits(packed, at * width, width)? as i64;
                last = last.wrapping_add(min).wrapping_add(more);
                values.push(last);
            }
        }
        bytes = rest;
    }
    Some((values, bytes))
}

/// The number of `width` bits at bit `at`, the lowest bit first.
fn bits(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let mask = match width {
        0 => 0,
        1..=64 => u64::MAX >> (64 - width),
        _ => return None,
    };
    let bytes = bytes.get(at / 8..(at + width).div_ceil(8))?;
    let all = bytes.iter().rev();
    let all = all.fold(0, |all: u128, &byte| all << 8 | u128::from(byte));
    Some((all >> (at % 8)) as u64 & mask)
}

/// Reads a number of seven bits per byte, the lowest first.
pub(super) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Reads a number whose lowest bit is its sign.
pub(super) fn signed(bytes: &mut &[u8]) -> Option<i64> {
    let number = number(bytes)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}
