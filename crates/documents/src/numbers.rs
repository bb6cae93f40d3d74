//! Magic numbers, and checks of them, that both recognition and readers use. Numbers and checksums of binary formats.

use std::ops::Range;

use tar::Header;

/// Number of bytes that are enough for recognition: those of a tar header.
pub(crate) const HEAD_BYTES: usize = 512;

/// Number of bytes at the start of a file in which the header of a PDF file is searched.
pub(crate) const LATE_HEAD_BYTES: usize = 1 << 10;

pub(crate) const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
pub(crate) const XZ_MAGIC: &[u8] = b"\xfd7zXZ\0";
pub(crate) const LZ4_MAGIC: &[u8] = &[0x04, 0x22, 0x4d, 0x18];
pub(crate) const LZ4_LEGACY_MAGIC: &[u8] = &[0x02, 0x21, 0x4c, 0x18];

/// Whether `head` is a stream with its first block, or an empty one. The block is checked, since a text may start with
/// `BZh9`.
pub(crate) fn is_bzip2(head: &[u8]) -> bool {
    let [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] = head else {
        return false;
    };
    block.starts_with(&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
        || block.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
}

pub(crate) fn is_lz4(head: &[u8]) -> bool {
    head.starts_with(LZ4_MAGIC) || head.starts_with(LZ4_LEGACY_MAGIC)
}

/// Whether `head` is a skippable frame, which zstd and LZ4 both have.
pub(crate) fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Position of the checksum in a tar header.
pub(crate) const TAR_CHECKSUM_RANGE: Range<usize> = 148..156;

/// Whether a block of 512 bytes is a tar header: it has a valid checksum. Some old archives sum signed bytes.
pub(crate) fn is_tar_header(block: &[u8]) -> bool {
    // A quick check first, since errors of the crate are slow.
    let is_number = |byte: &u8| matches!(byte, b'0'..=b'7' | b' ' | 0);
    if !block[TAR_CHECKSUM_RANGE].iter().all(is_number) || is_zero(block) {
        return false;
    }
    let header = Header::from_byte_slice(block);
    let summed = block[..TAR_CHECKSUM_RANGE.start]
        .iter()
        .chain(&block[TAR_CHECKSUM_RANGE.end..]);
    let sums = summed.fold((8 * 32, 8 * 32), |(unsigned, signed), byte| {
        (
            unsigned + i64::from(*byte),
            signed + i64::from(byte.cast_signed()),
        )
    });
    let sum = header.cksum().map(i64::from);
    sum.is_ok_and(|sum| sum == sums.0 || sum == sums.1) && tar_data_size(header).is_some()
}

/// Returns the size of the data after a tar header: 0 for links, devices and folders, whatever size they state.
pub(crate) fn tar_data_size(header: &Header) -> Option<u64> {
    match header.entry_type().as_byte() {
        b'1'..=b'6' => Some(0),
        _ => header.entry_size().ok(),
    }
}

pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// The start of the header of a member of a zip archive.
pub(crate) const LOCAL_HEADER_MAGIC: [u8; 4] = *b"PK\x03\x04";

/// Returns the offset of the first local header in `bytes`, recognised by the signature and further fields.
pub(crate) fn find_zip(bytes: &[u8]) -> Option<usize> {
    // Searching for a byte that does not occur in texts is the fastest.
    memchr::memchr_iter(LOCAL_HEADER_MAGIC[3], bytes)
        .filter_map(|last| last.checked_sub(LOCAL_HEADER_MAGIC.len() - 1))
        .find(|at| {
            bytes[*at..].starts_with(&LOCAL_HEADER_MAGIC)
                && is_local(&bytes[at + LOCAL_HEADER_MAGIC.len()..])
        })
}

/// Bytes of a local header that [`find_zip`] checks.
pub(crate) const ZIP_START_BYTES: usize = 10;

/// Whether the version needed, the flags, and the method are valid.
fn is_local(fields: &[u8]) -> bool {
    matches!(fields, [10..=63, 0, _, _, 0..=99, 0, ..])
}

/// Returns the little-endian number of `length` bytes at `at`, which must be there.
pub(crate) fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let bytes = bytes[at..at + length].iter().rev();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Returns the checksum of zip, 7z and xz.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Returns the value of a hexadecimal digit.
pub(crate) fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// Returns the value of two hexadecimal digits; `None` if there are not two.
pub(crate) fn hex_pair(digits: &[u8]) -> Option<u8> {
    match digits {
        [high, low] => Some(hex_digit(*high)? << 4 | hex_digit(*low)?),
        _ => None,
    }
}
