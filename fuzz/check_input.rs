//! Properties that must hold for every source: reading it ends, and its documents do not depend on the way it is read.
//!
//! The first byte of an input says how its source is read, and its kind if a check takes several kinds.

use doisift::fuzz_support::{ReadReport, ReadSetup, read, unpack};
use doisift::internal::Packing;

/// Size of the reads from a document, in bytes.
const STEP: usize = 64 << 10;

/// First bytes of the packings and encodings that have no check of their own.
const STARTS: [&[u8]; 12] = [
    b"\x78\x9c",
    b"\xfd7zXZ\0",
    b"\x04\x22\x4d\x18",
    b"\x02\x21\x4c\x18",
    b"\x5a\x2a\x4d\x18",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xff\xfe\0\0",
    b"\0\0\xfe\xff",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"BZh91AY&SY",
];

/// Checks any bytes; the kind is recognised.
pub fn any(input: &[u8]) {
    if let [how, source @ ..] = input {
        same(*how, source);
    }
}

/// Checks a stream of a codec, or text in an encoding.
pub fn codecs(input: &[u8]) {
    if let [how, source @ ..] = input {
        same(
            *how,
            &started(source, STARTS[usize::from(how >> 3) % STARTS.len()]),
        );
    }
}

pub fn zip(input: &[u8]) {
    if let [how, source @ ..] = input {
        same(*how, &started(source, b"PK\x03\x04"));
    }
}

/// Checks a message, or an mbox of messages.
pub fn mail(input: &[u8]) {
    if let [how, source @ ..] = input {
        let start: &[u8] = match how & 8 {
            0 => b"From: a\nTo: b\nDate: c\n",
            _ => b"From a@b 10:00\nTo: b\n",
        };
        same(*how, &started(source, start));
    }
}

pub fn rtf(input: &[u8]) {
    if let [how, source @ ..] = input {
        same(*how, &started(source, b"{\\rtf1"));
    }
}

pub fn pdf(input: &[u8]) {
    if let [how, source @ ..] = input {
        same(*how, &started(source, b"%PDF-1.7\n"));
    }
}

/// Checks a Parquet file. Two bytes are the length of the metadata, which is written to its end.
pub fn parquet(input: &[u8]) {
    if let [how, low, high, source @ ..] = input {
        let length = u32::from(*low) | u32::from(*high) << 8;
        let end = [&length.to_le_bytes()[..], b"PAR1"].concat();
        same(*how, &[&started(source, b"PAR1\x15")[..], &end].concat());
    }
}

/// Checks an Arrow stream, or a file if two bytes are not zero: the length of the metadata, which is written to its end.
pub fn arrow(input: &[u8]) {
    if let [how, low, high, source @ ..] = input {
        let length = u32::from(*low) | u32::from(*high) << 8;
        let end = [&length.to_le_bytes()[..], b"ARROW1"].concat();
        let bytes = match length {
            0 => started(source, b"\xff\xff\xff\xff"),
            _ => [&started(source, b"ARROW1\0\0")[..], &end].concat(),
        };
        same(*how, &bytes);
    }
}

pub fn warc(input: &[u8]) {
    if let [how, source @ ..] = input {
        same(*how, &started(source, b"WARC/1.0\r\n"));
    }
}

/// Checks a 7z archive with the checksums of its header corrected. Otherwise no random input would have a valid header.
pub fn seven_zip(input: &[u8]) {
    let [how, source @ ..] = input else {
        return;
    };
    let mut source = started(source, b"7z\xbc\xaf\x27\x1c\0\x04");
    if source.len() > 32 {
        let length = source.len();
        // Packed bytes come before the header. One byte is their number.
        let packed = usize::from(source[12]) % (length - 32);
        let checksum = |bytes: &[u8]| {
            let mut crc = flate2::Crc::new();
            crc.update(bytes);
            crc.sum().to_le_bytes()
        };
        let header = checksum(&source[32 + packed..]);
        source[12..20].copy_from_slice(&(packed as u64).to_le_bytes());
        source[20..28].copy_from_slice(&((length - 32 - packed) as u64).to_le_bytes());
        source[28..32].copy_from_slice(&header);
        let start = checksum(&source[12..32]);
        source[8..12].copy_from_slice(&start);
    }
    same(*how, &source);
}

/// Checks a tar archive with the checksums of its headers corrected. Otherwise almost no random input would have a valid
/// header.
pub fn tar(input: &[u8]) {
    let [how, source @ ..] = input else {
        return;
    };
    let mut source = source.to_owned();
    for (number, block) in source.chunks_exact_mut(512).enumerate() {
        if (number == 0 || &block[257..262] == b"ustar") && block[148..156] != [0; 8] {
            block[148..156].fill(b' ');
            let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
            block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        }
    }
    same(*how, &source);
}

/// Checks an HTTP message in a WARC record of the right length. The record after it must be read whatever the message
/// contains.
pub fn http(input: &[u8]) {
    let [how, message @ ..] = input else {
        return;
    };
    let message = started(message, b"HTTP/1.1 200 OK\r\n");
    let last = b"HTTP/1.1 200 OK\r\n\r\n10.5555/last\n";
    let source = [response(&message), response(last)].concat();
    let reported = same(*how, &source);
    let last = ReadReport::Document(Some("a".into()), b"10.5555/last\n".into(), vec![]);
    assert!(
        reported.is_none_or(|reported| reported.last() == Some(&last)),
        "the next record is lost"
    );
}

fn response(message: &[u8]) -> Vec<u8> {
    let length = message.len();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: a\r\nContent-Type: application/http\r\nContent-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), message, b"\r\n\r\n"].concat()
}

/// Checks that members and blocks decoded in sections on several threads give the same as on one.
pub fn members(input: &[u8]) {
    let [how, source @ ..] = input else {
        return;
    };
    let (packing, start): (_, &[u8]) = match how % 4 {
        0 => (Packing::Gzip, b"\x1f\x8b\x08"),
        1 => (Packing::Zstd, b"\x28\xb5\x2f\xfd"),
        2 => (Packing::Bzip2, b"BZh91AY&SY"),
        _ => (Packing::Xz, b"\xfd7zXZ\0"),
    };
    let source = started(source, start);
    let section = 16 << (how / 4 % 8);
    let unpacked = |section| ended(unpack(packing, &source, section).expect("a file"));
    let what = format!("in sections of {section}");
    agree(&unpacked(section), &unpacked(0), &what);
}

/// Asserts that two ways to read a source report the same. Returns the report unless the source fails.
fn same(how: u8, source: &[u8]) -> Option<Vec<ReadReport>> {
    let plain = ReadSetup {
        read: usize::MAX,
        step: STEP,
        threads: 0,
        fails: false,
    };
    let other = match how % 8 {
        0 => ReadSetup {
            read: 1,
            step: 1,
            ..plain
        },
        1 => ReadSetup { read: 7, ..plain },
        2 => ReadSetup { step: 3, ..plain },
        3 => ReadSetup {
            read: 509,
            step: 100,
            ..plain
        },
        4 => ReadSetup {
            threads: 1,
            ..plain
        },
        5 => ReadSetup {
            threads: 2,
            ..plain
        },
        6 => ReadSetup {
            read: 100,
            fails: true,
            ..plain
        },
        _ => ReadSetup {
            step: 5,
            threads: 1,
            ..plain
        },
    };
    let reported = |way| ended(read(source, way).expect("a file"));
    let (expected, found) = (reported(plain), reported(other));
    if other.fails {
        let found_again = reported(ReadSetup { step: 7, ..other });
        agree(&found, &found_again, "of a source that fails");
        return None;
    }
    // A zstd reader with a small buffer returns parts of a stored block before it finds that the end is wrong. With the
    // whole block in its buffer it returns no bytes.
    if other.read == plain.read || !is_reported(&expected, "zstd") && !is_reported(&found, "zstd") {
        agree(&found, &expected, &format!("{other:?}"));
    }
    Some(expected)
}

/// Whether an error text contains `what`.
fn is_reported(reported: &[ReadReport], what: &str) -> bool {
    reported.iter().any(|reported| match reported {
        ReadReport::Document(_, _, errors) => errors.iter().any(|(_, error)| error.contains(what)),
        ReadReport::Lost(_, _, error) => error.contains(what),
        _ => false,
    })
}

/// Asserts that both are equal. The message shows lengths of documents, since these may be long.
fn agree(found: &[ReadReport], expected: &[ReadReport], what: &str) {
    let short = |reported: &ReadReport| match reported {
        ReadReport::Document(name, bytes, errors) => {
            format!("{name:?} of {} bytes, {errors:?}", bytes.len())
        }
        other => format!("{other:?}"),
    };
    let shorts = |all: &[ReadReport]| all.iter().map(short).collect::<Vec<_>>();
    assert_eq!(shorts(found), shorts(expected), "{what}");
    assert!(found == expected, "other bytes {what}");
}

/// Asserts that reading ended.
fn ended(reported: Vec<ReadReport>) -> Vec<ReadReport> {
    assert!(
        !reported.contains(&ReadReport::Endless),
        "errors without end"
    );
    reported
}

/// Returns `source` with its first bytes replaced by `start`.
fn started(source: &[u8], start: &[u8]) -> Vec<u8> {
    let rest = source.get(start.len()..).unwrap_or_default();
    [start, rest].concat()
}
