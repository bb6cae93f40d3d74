//! Recognises a stream with damage in one of its first bytes.
//!
//! A packing is recognised by its magic number with one wrong byte, and by the bytes after it, which do not occur in texts.
//! Its codec or container then reports the damage, and continues after it if possible. A packing with a shorter magic number
//! or more damage is read as text, and so is a cut file whose few bytes may also be the start of a text.

use std::ops::Range;

use memchr::memmem;

use super::UnicodeEncoding;
use crate::codec;
use crate::fault::Packing;
use crate::numbers::{LZ4_LEGACY_MAGIC, LZ4_MAGIC, TAR_CHECKSUM_RANGE, XZ_MAGIC, ZSTD_MAGIC};

/// Minimum number of bytes that are recognised.
const MIN_RECOGNISED_BYTES: usize = 64;
/// Among this many packed bytes at least one is a control character; on average three are.
const CONTROL_WINDOW_BYTES: usize = 32;

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b, 0x08];
/// Start of the first block of bzip2, after `BZh` and a digit.
const BZIP2_BLOCK_MAGIC: &[u8] = &[0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
/// Start of a skippable frame, after its first byte.
const SKIPPABLE_MAGIC: &[u8] = &[0x2a, 0x4d, 0x18];
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
const SEVEN_ZIP_MAGIC: &[u8] = &[b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, 0];
const RAR_MAGIC: &[u8] = b"Rar!\x1a\x07";
const PDF_MAGIC: &[u8] = b"%PDF-";
const PARQUET_MAGIC: &[u8] = b"PAR1";
const ARROW_MAGIC: &[u8] = b"ARROW1\0\0";
const WARC_MAGICS: [&[u8]; 2] = [b"WARC/1.0\r\n", b"WARC/1.1\r\n"];
/// A field that every record has.
const RECORD_FIELD: &[u8] = b"WARC-Type: ";

/// Returns the packing that starts with `head`, in which one byte is wrong, or which is cut off.
pub(super) fn packing(head: &[u8]) -> Option<Packing> {
    match head.len() {
        ..MIN_RECOGNISED_BYTES => cut_magic(head),
        _ if is_tar(head) => Some(Packing::Tar),
        _ if is_warc(head) => Some(Packing::Warc),
        _ => marked(head).or_else(|| noisy(head)),
    }
}

/// Returns the packing of a file that is cut within its first bytes.
fn cut_magic(head: &[u8]) -> Option<Packing> {
    /// Fewer bytes may be a text.
    const START_BYTES: usize = 3;
    let starts = [
        (XZ_MAGIC, Packing::Xz),
        (ZSTD_MAGIC, Packing::Zstd),
        (LZ4_MAGIC, Packing::Lz4),
        (LZ4_LEGACY_MAGIC, Packing::Lz4),
        (ZIP_MAGIC, Packing::Zip),
    ];
    if let [0x78, 0x01 | 0x9c | 0xda, _, _, ..] = head {
        return codec::is_zlib(head, false).then_some(Packing::Zlib);
    }
    let mut found = starts.into_iter();
    let found = found.find(|(magic, _)| head.len() >= START_BYTES && magic.starts_with(head));
    found.map(|(_, packing)| packing)
}

/// Encodings in units of more than a byte. Units of 32 bits come first: they have more zeros, so they are not taken for units of
/// 16 bits.
const ENCODINGS: [UnicodeEncoding; 4] = [
    UnicodeEncoding::Utf32Le,
    UnicodeEncoding::Utf32Be,
    UnicodeEncoding::Utf16Le,
    UnicodeEncoding::Utf16Be,
];

/// Returns the encoding of text that starts with a byte order mark in which one byte is wrong. The upper half of nearly all
/// units must be zero.
pub(super) fn unicode(head: &[u8]) -> Option<UnicodeEncoding> {
    if head.len() < MIN_RECOGNISED_BYTES {
        return None;
    }
    ENCODINGS
        .into_iter()
        .find(|way| wrong(head, way.mark()) <= 1 && is_wide(&head[way.mark().len()..], *way))
}

/// Returns the encoding of text in units of 16 or 32 bits without a byte order mark, judged by most of its first units.
pub(super) fn unmarked(head: &[u8]) -> Option<UnicodeEncoding> {
    const MIN_RECOGNISED_BYTES: usize = 16;
    if head.len() < MIN_RECOGNISED_BYTES || memchr::memchr(0, head).is_none() {
        return None;
    }
    ENCODINGS.into_iter().find(|way| is_wide(head, *way))
}

/// Whether in seven of eight units only the lowest byte is not zero, in the byte order of `way`.
fn is_wide(text: &[u8], way: UnicodeEncoding) -> bool {
    let mut units = text.chunks_exact(way.unit());
    let count = units.len();
    let is_low = |unit: &[u8]| match way {
        UnicodeEncoding::Utf16Le | UnicodeEncoding::Utf32Le => {
            unit[0] != 0 && unit[1..].iter().all(|b| *b == 0)
        }
        UnicodeEncoding::Utf16Be | UnicodeEncoding::Utf32Be => {
            unit.iter().rposition(|byte| *byte == 0) == Some(unit.len() - 2)
                && unit[..unit.len() - 2].iter().all(|byte| *byte == 0)
        }
    };
    let low = units.by_ref().filter(|unit| is_low(unit)).count();
    low * 8 >= count * 7
}

/// Returns a packing with fields after its magic number that do not occur in texts.
fn marked(head: &[u8]) -> Option<Packing> {
    let near = |magic: &[u8]| (wrong(head, magic) <= 1).then(|| &head[magic.len()..]);
    let is_skippable =
        wrong(&head[1..], SKIPPABLE_MAGIC) + usize::from(!matches!(head[0], 0x50..=0x5f)) <= 1;
    Some(if let Some([0, 0 | 1 | 4 | 10, ..]) = near(XZ_MAGIC) {
        Packing::Xz
    } else if let Some([0x40..=0x7f, 0x40 | 0x50 | 0x60 | 0x70, ..]) = near(LZ4_MAGIC) {
        Packing::Lz4
    } else if let Some([_, _, 0..=0x80, 0, ..]) = near(LZ4_LEGACY_MAGIC) {
        // The length of a block, 8 MiB and a little at most.
        Packing::Lz4
    } else if let Some([10..=63, 0, _, _, 0..=99, 0, ..]) = near(ZIP_MAGIC) {
        // The version that is needed to extract it, flags, and the method.
        Packing::Zip
    } else if let Some([0..=4, ..]) = near(SEVEN_ZIP_MAGIC) {
        Packing::SevenZip
    } else if let Some([0 | 1, ..]) = near(RAR_MAGIC) {
        Packing::Rar
    } else if let Some([b'1' | b'2', b'.', b'0'..=b'9', b'\r' | b'\n', ..]) = near(PDF_MAGIC) {
        Packing::Pdf
    } else if let Some([0x15, _, 0x15, ..]) = near(PARQUET_MAGIC) {
        // The kind of the first page, and its size.
        Packing::Parquet
    } else if near(ARROW_MAGIC).is_some() {
        Packing::Arrow
    } else if is_skippable && head[7] == 0 {
        Packing::Zstd
    } else {
        return None;
    })
}

/// Returns a packing with only a magic number before its data, which must not be text.
fn noisy(head: &[u8]) -> Option<Packing> {
    let packing = match head {
        [_, _, _, flags, ..] if wrong(head, GZIP_MAGIC) <= 1 && flags & 0xe0 == 0 => Packing::Gzip,
        _ if wrong(head, ZSTD_MAGIC) <= 1 => Packing::Zstd,
        _ if wrong(head, b"BZh") + wrong(&head[4..], BZIP2_BLOCK_MAGIC) <= 1 => Packing::Bzip2,
        // A header as zlib writes it, before data that is damaged or ends early.
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Packing::Zlib,
        // One of these two bytes is damaged.
        [0x78, _, data @ ..] | [_, 0x01 | 0x5e | 0x9c | 0xda, data @ ..]
            if codec::is_deflate(data) =>
        {
            Packing::Zlib
        }
        _ => return None,
    };
    is_noise(&head[10..]).then_some(packing)
}

/// Returns the number of bytes in which `head` differs from `magic`; `head` is longer.
fn wrong(head: &[u8], magic: &[u8]) -> usize {
    let pairs = head.iter().zip(magic);
    pairs.filter(|(found, wanted)| found != wanted).count()
}

/// Whether `bytes` are neither UTF-8 nor, having many control characters, text in any encoding of single bytes.
pub(super) fn is_noise(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 14..=26 | 28..=31);
    let is_broken = std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_some());
    is_broken && bytes.iter().filter(is_control).count() * CONTROL_WINDOW_BYTES >= bytes.len()
}

/// Whether `head` is a tar header with a wrong checksum but mostly valid fields, or one that is cut off after a first
/// field.
fn is_tar(head: &[u8]) -> bool {
    let fields = [
        100..108,
        108..116,
        116..124,
        124..136,
        136..148,
        TAR_CHECKSUM_RANGE,
    ];
    let is_number = |field: &Range<usize>| {
        head.get(field.clone()).is_some_and(|field| {
            // bsdtar ends some with a blank.
            let ends = matches!(
                field,
                [.., b'0'..=b'7', 0 | b' '] | [.., 0, b' '] | [.., b' ', 0]
            );
            ends && octal(field).is_some()
        })
    };
    let right = fields.iter().filter(|field| is_number(field)).count();
    match head.get(500..512) {
        // The bytes after the names in a header of any kind.
        Some(end) => right + usize::from(end == [0; 12]) >= 6,
        None => {
            let whole = fields
                .iter()
                .filter(|field| field.end <= head.len())
                .count();
            head.get(99) == Some(&0) && whole > 0 && right == whole
        }
    }
}

/// Parses a number in octal digits, with blanks and NULs around it.
fn octal(field: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(field).ok()?;
    let text = text.trim_start_matches(' ').trim_end_matches(['\0', ' ']);
    i64::from_str_radix(text, 8).ok()
}

fn is_warc(head: &[u8]) -> bool {
    WARC_MAGICS.iter().any(|magic| wrong(head, magic) <= 1)
        && memmem::find(head, RECORD_FIELD).is_some()
}
