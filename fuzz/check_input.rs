//! What must hold for every source: reading it comes to an end, and how it is read changes nothing of what it gives.
//!
//! The first byte of an input says how its source is read, and what kind it is where a check takes several.

use doisift::Packing;
use doisift::fuzz_support::{Told, Way, read, unpack};

/// Bytes that a document's reader asks for at once.
const STEP: usize = 64 << 10;

/// What the packings and encodings without a check of their own start with.
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

/// Any bytes, taken for what they are.
pub fn any(input: &[u8]) {
    if let [how, source @ ..] = input {
        same(*how, source);
    }
}

/// A stream of a codec, or text in an encoding.
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

pub fn warc(input: &[u8]) {
    if let [how, source @ ..] = input {
        same(*how, &started(source, b"WARC/1.0\r\n"));
    }
}

/// An archive whose headers have the right checksums, except where there is none: else nearly nothing would be a header.
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

/// An HTTP message in a WARC record that is as long as it says, and one behind it that must not suffer.
pub fn http(input: &[u8]) {
    let [how, message @ ..] = input else {
        return;
    };
    let message = started(message, b"HTTP/1.1 200 OK\r\n");
    let last = b"HTTP/1.1 200 OK\r\n\r\n10.5555/last\n";
    let source = [response(&message), response(last)].concat();
    let told = same(*how, &source);
    let last = Told::Document(Some("a".into()), b"10.5555/last\n".into(), vec![]);
    assert!(
        told.is_none_or(|told| told.last() == Some(&last)),
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

/// Members decoded in sections on several threads give what they give in turn.
pub fn members(input: &[u8]) {
    let [how, source @ ..] = input else {
        return;
    };
    let (packing, start): (_, &[u8]) = match how % 3 {
        0 => (Packing::Gzip, b"\x1f\x8b\x08"),
        1 => (Packing::Zstd, b"\x28\xb5\x2f\xfd"),
        _ => (Packing::Bzip2, b"BZh91AY&SY"),
    };
    let source = started(source, start);
    let section = 16 << (how / 3 % 8);
    let unpacked = |section| ended(unpack(packing, &source, section).expect("a file"));
    let what = format!("in sections of {section}");
    agree(&unpacked(section), &unpacked(0), &what);
}

/// Another way to read it tells the same: what, unless the source fails.
fn same(how: u8, source: &[u8]) -> Option<Vec<Told>> {
    let plain = Way {
        read: usize::MAX,
        step: STEP,
        threads: 0,
        fails: false,
    };
    let other = match how % 8 {
        0 => Way {
            read: 1,
            step: 1,
            ..plain
        },
        1 => Way { read: 7, ..plain },
        2 => Way { step: 3, ..plain },
        3 => Way {
            read: 509,
            step: 100,
            ..plain
        },
        4 => Way {
            threads: 1,
            ..plain
        },
        5 => Way {
            threads: 2,
            ..plain
        },
        6 => Way {
            read: 100,
            fails: true,
            ..plain
        },
        _ => Way {
            step: 5,
            threads: 1,
            ..plain
        },
    };
    let told = |way| ended(read(source, way).expect("a file"));
    let (expected, found) = (told(plain), told(other));
    if other.fails {
        let found_again = told(Way { step: 7, ..other });
        agree(&found, &found_again, "of a source that fails");
        return None;
    }
    // A stored block of zstd is given as it comes; if it comes whole and is found wrong at its end, none of it is given.
    if other.read == plain.read || !is_told(&expected, "zstd") && !is_told(&found, "zstd") {
        agree(&found, &expected, &format!("{other:?}"));
    }
    Some(expected)
}

/// Whether an error names `what`.
fn is_told(told: &[Told], what: &str) -> bool {
    told.iter().any(|told| match told {
        Told::Document(_, _, errors) => errors.iter().any(|(_, error)| error.contains(what)),
        Told::Lost(_, _, error) => error.contains(what),
        _ => false,
    })
}

/// Both tell the same; of documents, which may be long, their lengths are shown.
fn agree(found: &[Told], expected: &[Told], what: &str) {
    let short = |told: &Told| match told {
        Told::Document(name, bytes, errors) => {
            format!("{name:?} of {} bytes, {errors:?}", bytes.len())
        }
        other => format!("{other:?}"),
    };
    let shorts = |all: &[Told]| all.iter().map(short).collect::<Vec<_>>();
    assert_eq!(shorts(found), shorts(expected), "{what}");
    assert!(found == expected, "other bytes {what}");
}

/// Each document came to its end.
fn ended(told: Vec<Told>) -> Vec<Told> {
    assert!(!told.contains(&Told::Endless), "errors without end");
    told
}

/// `source` with another start.
fn started(source: &[u8], start: &[u8]) -> Vec<u8> {
    let behind = source.get(start.len()..).unwrap_or_default();
    [start, behind].concat()
}
