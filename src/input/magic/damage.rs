//! What a stream was before one of its first bytes was damaged.
//!
//! A packing is known by its magic with one byte wrong, and by what stands behind it, which no text has there. Its codec or
//! container then tells of the damage, and goes on behind it where it can. What has too short a magic for that, or has lost
//! more of it, stays text.

use std::ops::Range;

use memchr::memmem;

use super::{CHECKSUM, LZ4, LZ4_LEGACY, Packing, XZ, ZSTD, octal};

/// Fewer bytes tell nothing.
const LEAST: usize = 64;
/// Of so many packed bytes one at least is a control character; about three are.
const CONTROLLED: usize = 32;

const GZIP: &[u8] = &[0x1f, 0x8b, 0x08];
/// How the first block of bzip2 starts, behind `BZh` and a digit.
const BLOCK: &[u8] = &[0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
/// A skippable frame, behind its first byte.
const SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];
const ZIP: &[u8] = b"PK\x03\x04";
const SEVEN_ZIP: &[u8] = &[b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, 0];
const RAR: &[u8] = b"Rar!\x1a\x07";
const WARC: [&[u8]; 2] = [b"WARC/1.0\r\n", b"WARC/1.1\r\n"];
/// A field that every record has.
const RECORD: &[u8] = b"WARC-Type: ";

/// The packing that starts with `head`, but for one byte.
pub(super) fn packing(head: &[u8]) -> Option<Packing> {
    match head.len() {
        ..LEAST => None,
        _ if is_tar(head) => Some(Packing::Tar),
        _ if is_warc(head) => Some(Packing::Warc),
        _ => marked(head).or_else(|| noisy(head)),
    }
}

/// What has fields behind its magic that are no text.
fn marked(head: &[u8]) -> Option<Packing> {
    let near = |magic: &[u8]| (wrong(head, magic) <= 1).then(|| &head[magic.len()..]);
    let is_skippable =
        wrong(&head[1..], SKIPPABLE) + usize::from(!matches!(head[0], 0x50..=0x5f)) <= 1;
    Some(if let Some([0, 0 | 1 | 4 | 10, ..]) = near(XZ) {
        Packing::Xz
    } else if let Some([0x40..=0x7f, 0x40 | 0x50 | 0x60 | 0x70, ..]) = near(LZ4) {
        Packing::Lz4
    } else if let Some([_, _, 0..=0x80, 0, ..]) = near(LZ4_LEGACY) {
        // The length of a block, 8 MiB and a little at most.
        Packing::Lz4
    } else if let Some([10..=63, 0, _, _, 0..=99, 0, ..]) = near(ZIP) {
        // The version that is needed, flags, and the method.
        Packing::Zip
    } else if let Some([0..=4, ..]) = near(SEVEN_ZIP) {
        Packing::SevenZip
    } else if let Some([0 | 1, ..]) = near(RAR) {
        Packing::Rar
    } else if is_skippable && head[7] == 0 {
        Packing::Zstd
    } else {
        return None;
    })
}

/// What has little but a magic, before data that is surely no text.
fn noisy(head: &[u8]) -> Option<Packing> {
    let packing = match head {
        [_, _, _, flags, ..] if wrong(head, GZIP) <= 1 && flags & 0xe0 == 0 => Packing::Gzip,
        _ if wrong(head, ZSTD) <= 1 => Packing::Zstd,
        _ if wrong(head, b"BZh") + wrong(&head[4..], BLOCK) <= 1 => Packing::Bzip2,
        // As zlib writes it: here the data behind it is damaged, or ends early.
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Packing::Zlib,
        _ => return None,
    };
    is_noise(&head[10..]).then_some(packing)
}

/// How many bytes of `magic` are other ones in `head`, which is longer.
fn wrong(head: &[u8], magic: &[u8]) -> usize {
    let pairs = head.iter().zip(magic);
    pairs.filter(|(found, wanted)| found != wanted).count()
}

/// Neither UTF-8 nor, having many control characters, text in any encoding of bytes.
fn is_noise(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 14..=26 | 28..=31);
    let is_broken = std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_some());
    is_broken && bytes.iter().filter(is_control).count() * CONTROLLED >= bytes.len()
}

/// A header with a wrong checksum, most of whose fields are right.
fn is_tar(head: &[u8]) -> bool {
    let Some(header) = head.get(..512) else {
        return false;
    };
    let fields = [100..108, 108..116, 116..124, 124..136, 136..148, CHECKSUM];
    let is_number = |field: &Range<usize>| {
        let field = &header[field.clone()];
        let ends = matches!(field, [.., b'0'..=b'7', 0] | [.., 0, b' '] | [.., b' ', 0]);
        ends && octal(field).is_some()
    };
    let right = fields.iter().filter(|field| is_number(field)).count();
    // What stands behind the names in a header of any kind.
    right + usize::from(header[500..] == [0; 12]) >= 6
}

fn is_warc(head: &[u8]) -> bool {
    WARC.iter().any(|magic| wrong(head, magic) <= 1) && memmem::find(head, RECORD).is_some()
}
