//! Recognises the format of a stream by its first bytes.
//!
//! A text must never be taken for anything else. So no text starts with the four or more bytes by which a packing or a
//! binary format is recognised, or further bytes are checked.

mod arrow_stream;
mod damage;
mod end;

pub(super) use self::end::packing_at_end;
use super::content::{StreamContent, UnicodeEncoding};
use super::fault::Packing;
pub(super) use super::numbers::HEAD_BYTES;
use super::numbers::LATE_HEAD_BYTES;
use super::numbers::{self, XZ_MAGIC, ZSTD_MAGIC, is_bzip2, is_lz4, is_skippable, is_tar_header};
use super::{codec, mail_start, open_document, rtf};

/// Number of bytes after which the content of a text is decided: its first fields show a mail, its root element shows flat
/// OpenDocument.
pub(super) const START_BYTES: usize = 4 << 10;

/// Bytes of the header of a page of Parquet that are checked; statistics may follow them.
const PAGE_HEADER_BYTES: usize = 16;
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// Returns the content of a stream that starts with `head`, which is shorter than [`HEAD_BYTES`] only if the stream is.
pub(super) fn recognise(head: &[u8]) -> StreamContent {
    packing(head)
        .map(StreamContent::Packed)
        .or_else(|| unicode(head).map(StreamContent::Unicode))
        .or_else(|| rtf::starts_rtf(head).then_some(StreamContent::Rtf))
        .or_else(|| binary(head).map(StreamContent::Binary))
        .or_else(|| codec::is_lzma(head).then_some(StreamContent::Packed(Packing::Lzma)))
        .or_else(|| damage::packing(head).map(StreamContent::Packed))
        .or_else(|| numbers::find_zip(head).map(|_| StreamContent::Packed(Packing::Zip)))
        .unwrap_or(StreamContent::Text)
}

/// Returns the content of a stream that starts with `start` and that [`recognise`] takes for text. The first [`START_BYTES`]
/// bytes count, or all. If its name is that of a mail, fewer signs of a mail are enough.
pub(super) fn recognise_late(start: &[u8], is_called_mail: bool) -> StreamContent {
    if super::pdf::starts_late(&start[..start.len().min(LATE_HEAD_BYTES)]) {
        return StreamContent::Packed(Packing::Pdf);
    }
    let start = &start[..start.len().min(START_BYTES)];
    if open_document::is_flat(start) {
        return StreamContent::Packed(Packing::FlatOpenDocument);
    }
    if mail_start::starts_mail(start) || is_called_mail && mail_start::may_be_mail(start) {
        StreamContent::Packed(Packing::Mail)
    } else {
        StreamContent::Text
    }
}

/// Returns the encoding, in the terms of iconv(1), of a text without a byte order mark, which is read as single bytes.
pub(super) fn unmarked(head: &[u8]) -> Option<&'static str> {
    damage::unmarked(head).map(UnicodeEncoding::with_order)
}

/// Whether `head` is the start of a zip archive. One of the first bytes may be damaged.
pub(super) fn starts_zip(head: &[u8]) -> bool {
    let packing = packing(head).or_else(|| damage::packing(head));
    packing == Some(Packing::Zip)
}

/// Whether `head` is not text in any encoding of single bytes, such as packed data whose start is missing.
pub(super) fn is_noise(head: &[u8]) -> bool {
    damage::is_noise(head)
}

fn packing(head: &[u8]) -> Option<Packing> {
    Some(match head {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0x1f, 0x9d, flags, ..] if is_compress(*flags) => Packing::Compress,
        _ if head.starts_with(ZSTD_MAGIC) => Packing::Zstd,
        _ if head.starts_with(XZ_MAGIC) => Packing::Xz,
        _ if is_lz4(head) => Packing::Lz4,
        _ if is_skippable(head) => after_skippable(head),
        _ if is_bzip2(head) => Packing::Bzip2,
        [b'L', b'Z', b'I', b'P', 0 | 1, ..] => Packing::Lzip,
        // A member, the directory, an end record of either kind, and the mark of the first part of several.
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 1, 2, ..] => Packing::Zip,
        [b'P', b'K', 5, 6, ..] | [b'P', b'K', 6, 6 | 7, ..] | [b'P', b'K', 7, 8, ..] => {
            Packing::Zip
        }
        // The mark of an archive that could have been split but was not.
        [b'P', b'K', b'0', b'0', b'P', b'K', 3, 4, ..] => Packing::Zip,
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Packing::SevenZip,
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => Packing::Ole2,
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Packing::Rar,
        // The length of the header, and the version.
        [b'x', b'a', b'r', b'!', 0, 28..=255, 0, 1, ..] => Packing::Xar,
        _ if is_pdf(head) => Packing::Pdf,
        _ if is_parquet(head) => Packing::Parquet,
        [b'A', b'R', b'R', b'O', b'W', b'1', 0, 0, ..] => Packing::Arrow,
        _ if arrow_stream::starts_stream(head) => Packing::Arrow,
        _ if is_warc(head) => Packing::Warc,
        _ if head.get(..HEAD_BYTES).is_some_and(is_tar_header) => Packing::Tar,
        _ if codec::is_zlib(head, head.len() < HEAD_BYTES) => Packing::Zlib,
        _ => return None,
    })
}

/// Whether compress(1) writes these flags: the maximum number of bits of a code, and whether a code clears the table.
fn is_compress(flags: u8) -> bool {
    (9..=16).contains(&(flags & 0x1f))
}

/// Returns the packing of the first frame that is not skippable; zstd if it is too far away.
fn after_skippable(mut head: &[u8]) -> Packing {
    while is_skippable(head) {
        let length = head.get(4..8).and_then(|bytes| bytes.try_into().ok());
        let length = length.map_or(usize::MAX, |bytes| u32::from_le_bytes(bytes) as usize);
        head = head.get(length.saturating_add(8)..).unwrap_or_default();
    }
    if is_lz4(head) {
        Packing::Lz4
    } else {
        Packing::Zstd
    }
}

/// Whether `head` starts with the version line of a record: 0.17, 0.18, 1.0 and 1.1 are in use.
fn is_warc(head: &[u8]) -> bool {
    let Some([b'0' | b'1', b'.', version @ ..]) = head.strip_prefix(b"WARC/") else {
        return false;
    };
    let digits = version.iter().take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    (1..=2).contains(&digits) && matches!(version[digits..], [b'\n', ..] | [b'\r', b'\n', ..])
}

fn unicode(head: &[u8]) -> Option<UnicodeEncoding> {
    let marked =
        |ways: [UnicodeEncoding; 2]| ways.into_iter().find(|way| head.starts_with(way.mark()));
    // The mark of UTF-32 starts like that of UTF-16, even if its end is damaged.
    marked([UnicodeEncoding::Utf32Le, UnicodeEncoding::Utf32Be])
        .or_else(|| damage::unicode(head))
        .or_else(|| marked([UnicodeEncoding::Utf16Le, UnicodeEncoding::Utf16Be]))
}

/// Formats that start with bytes that no text starts with.
const BINARY_MAGICS: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"II*\0", "tiff"),
    (b"II+\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"MM\0+", "tiff"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
    (b"\xff\x4f\xff\x51", "jp2"),
    (b"8BPS\0\x01", "psd"),
    (b"FEA1\0\0\0\0", "feather 1"),
    (b"Obj\x01", "avro"),
    (b"SQLite format 3\0", "sqlite"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"CDF\x01", "netcdf"),
    (b"CDF\x02", "netcdf"),
    (b"CDF\x05", "netcdf"),
    (b"\x93NUMPY", "numpy"),
    (b"OggS\0", "ogg"),
    (b"fLaC\0\0\0\x22", "flac"),
    (b"fLaC\x80\0\0\x22", "flac"),
    (b"MThd\0\0\0\x06", "midi"),
    (b"\x1a\x45\xdf\xa3", "matroska"),
    (b"FLV\x01", "flv"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "asf"),
    (b"\0\0\x01\xba", "mpeg"),
    (b"\x7fELF", "elf"),
    (b"\xfe\xed\xfa\xce", "mach-o"),
    (b"\xfe\xed\xfa\xcf", "mach-o"),
    (b"\xce\xfa\xed\xfe", "mach-o"),
    (b"\xcf\xfa\xed\xfe", "mach-o"),
    (b"\0asm\x01\0\0\0", "wasm"),
    (b"wOFF\0\x01\0\0", "woff"),
    (b"wOFFOTTO\0", "woff"),
    (b"wOF2\0\x01\0\0", "woff2"),
    (b"wOF2OTTO\0", "woff2"),
    (b"OTTO\0", "otf"),
    (b"\0\x01\0\0\0", "ttf"),
    (b"PACK\0\0\0\x02", "git-pack"),
    (b"PACK\0\0\0\x03", "git-pack"),
    (b"bplist00\xd0", "plist"),
];

fn binary(head: &[u8]) -> Option<&'static str> {
    // The first byte alone excludes nearly all of them, without a call for each.
    let starts = |magic: &[u8]| magic.first() == head.first() && head.starts_with(magic);
    let listed = BINARY_MAGICS.iter().find(|(magic, _)| starts(magic));
    listed
        .map(|(_, kind)| *kind)
        .or_else(|| document(head))
        .or_else(|| media(head))
        .or_else(|| program(head))
}

/// Returns the kind of a document or table.
fn document(head: &[u8]) -> Option<&'static str> {
    match head {
        [b'A', b'T', b'&', b'T', rest @ ..] => form(rest, b"FORM", &[(b"DJV", "djvu")]),
        _ => None,
    }
}

/// Whether `head` starts like a Parquet file: with the header of a page or the metadata, some of whose bytes occur in no
/// text, or with an encrypted header after its length.
fn is_parquet(head: &[u8]) -> bool {
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 14..=26 | 28..=31);
    match head {
        [b'P', b'A', b'R', b'1', rest @ ..] => rest.iter().take(PAGE_HEADER_BYTES).any(is_control),
        [b'P', b'A', b'R', b'E', _, _, 0, 0, ..] => true,
        _ => false,
    }
}

/// Whether `head` starts with the header of a PDF file and a version.
fn is_pdf(head: &[u8]) -> bool {
    let unmarked = head.strip_prefix(UTF8_BOM).unwrap_or(head);
    let version = unmarked.strip_prefix(b"%PDF-");
    version.is_some_and(|version| matches!(version, [b'1'..=b'9', b'.', b'0'..=b'9', ..]))
}

/// Returns the kind of an image, sound or video.
fn media(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xff, 0xd8, 0xff, 0xc0..=0xfe, ..] => Some("jpeg"),
        // Size, flags and background colour; then an aspect, which is nearly always 0.
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', rest @ ..] => {
            rest.get(..7)?.contains(&0).then_some("gif")
        }
        // The version, flags, and a size of seven bits a byte.
        [b'I', b'D', b'3', 2..=4, 0..=0xfe, flags, a, b, c, d, ..] => {
            (flags & 0x0f == 0 && (a | b | c | d) < 0x80).then_some("mp3")
        }
        [0, 0, _, _, b'f', b't', b'y', b'p', brand @ ..] => Some(mp4(brand)),
        // An icon's images: how many, and the first one's width, height, colours, and a byte that is 0.
        [0, 0, 1, 0, 1..=255, 0, _, _, _, 0, ..] => Some("ico"),
        _ => form(
            head,
            b"RIFF",
            &[(b"WEBP", "webp"), (b"WAVE", "wav"), (b"AVI ", "avi")],
        )
        .or_else(|| form(head, b"FORM", &[(b"AIF", "aiff")])),
    }
}

/// Returns the kind of a chunk called `name` whose type, after its length, is one of `kinds`.
fn form(head: &[u8], name: &[u8], kinds: &[(&[u8], &'static str)]) -> Option<&'static str> {
    let rest = head.strip_prefix(name)?.get(4..)?;
    let kind = kinds.iter().find(|(kind, _)| rest.starts_with(kind));
    kind.map(|(_, name)| *name)
}

fn mp4(brand: &[u8]) -> &'static str {
    match brand.get(..4) {
        Some(b"heic" | b"heix" | b"mif1") => "heic",
        Some(b"avif") => "avif",
        _ => "mp4",
    }
}

/// Returns the kind of a program.
fn program(head: &[u8]) -> Option<&'static str> {
    match head {
        // A list of machines is short. A class has its version there, which is at least 45.
        [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1..45, ..] => Some("mach-o"),
        [0xca, 0xfe, 0xba, 0xbe, _, _, 0, 45..=255, ..] => Some("java-class"),
        [b'M', b'Z', ..] => {
            let at = u32::from_le_bytes(head.get(0x3c..0x40)?.try_into().ok()?);
            let header = head.get(at as usize..)?;
            header.starts_with(b"PE\0\0").then_some("pe")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
