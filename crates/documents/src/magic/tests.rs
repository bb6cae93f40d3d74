use super::*;
use crate::numbers::{LZ4_LEGACY_MAGIC, LZ4_MAGIC};

fn tar(checksum: impl FnOnce(u32) -> String) -> Vec<u8> {
    let mut header = vec![0; HEAD_BYTES];
    header[..5].copy_from_slice(b"a.txt");
    header[124..136].copy_from_slice(b"00000000012\0");
    header[148..156].fill(b' ');
    let sum = checksum(header.iter().map(|byte| u32::from(*byte)).sum());
    header[148..148 + sum.len()].copy_from_slice(sum.as_bytes());
    header
}

#[test]
fn a_text_that_starts_like_a_magic_is_text() {
    let long = |start: &str| start.repeat(1 + HEAD_BYTES / start.len()).into_bytes();
    for text in [
        "BZh9 10.5555/a",
        "PK",
        "7z",
        "Rar!",
        "\x1f",
        "",
        "LZIP is a packer",
        "%PDF-files are skipped",
        "PAR1 is how Parquet starts",
        "GIF89a is a format; ",
        "ID3 tags",
        "RIFF and WAVE",
        "MZ is what Mark Zbikowski left behind in all programs, and PE came later.",
        "BM is short for Bachelor of Music",
        "OggS fLaC wOFF wOF2 OTTO PACK Obj CDF 8BPS",
        "AT&T, FORM and DJVU",
        "{\\rtfm is how RTF starts}",
        "%!PS-Adobe-3.0",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        "WARC/1.0 is the version",
        "WARC/2.0\n",
        "WARC/1.x\r\n",
        "x^2 + y^2 = z^2, as 10.5555/a has it. ",
        "x\x01 0.5 ",
        "h\u{5}text",
        "8O away! ",
        "HG Wells ",
        "0000644 0000000 00000000012 00000000000 ",
    ] {
        assert_eq!(recognise(text.as_bytes()), StreamContent::Text, "{text:?}");
        let mut long = if text.is_empty() { vec![] } else { long(text) };
        long.truncate(HEAD_BYTES);
        assert_eq!(recognise(&long), StreamContent::Text, "{text:?}, long");
    }
    assert_eq!(recognise(&[0; HEAD_BYTES]), StreamContent::Text);
}

#[test]
fn what_is_packed_is_told() {
    let skip = b"\x50\x2a\x4d\x18\x02\0\0\0xx".as_slice();
    let cases: [(&[u8], Packing); 19] = [
        (b"\x1f\x8b\x08", Packing::Gzip),
        (b"\x1f\x9d\x90", Packing::Compress),
        (ZSTD_MAGIC, Packing::Zstd),
        (skip, Packing::Zstd),
        (&[skip, ZSTD_MAGIC].concat(), Packing::Zstd),
        (&[skip, skip, LZ4_MAGIC].concat(), Packing::Lz4),
        (b"\x5f\x2a\x4d\x18\xff\xff\xff\xff", Packing::Zstd),
        (b"\x5f\x2a\x4d\x18", Packing::Zstd),
        (XZ_MAGIC, Packing::Xz),
        (LZ4_MAGIC, Packing::Lz4),
        (LZ4_LEGACY_MAGIC, Packing::Lz4),
        (b"BZh91AY&SY", Packing::Bzip2),
        (b"LZIP\x01\x0c", Packing::Lzip),
        (b"PK\x03\x04", Packing::Zip),
        (b"7z\xbc\xaf\x27\x1c", Packing::SevenZip),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Packing::Ole2),
        (b"Rar!\x1a\x07\x01\0", Packing::Rar),
        (b"WARC/1.0\r\nWARC-Type: x", Packing::Warc),
        (b"WARC/0.18\n", Packing::Warc),
    ];
    for (head, packing) in cases {
        assert_eq!(recognise(head), StreamContent::Packed(packing), "{head:?}");
    }
}

#[test]
fn a_zlib_stream_is_told_whole_or_cut() {
    use std::io::Write;
    let text: Vec<u8> = (0..2000_u32)
        .flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes())
        .collect();
    for (text, level) in [
        (&text[..], 0),
        (&text, 1),
        (&text, 9),
        (b"short", 6),
        (b"", 6),
    ] {
        let level = flate2::Compression::new(level);
        let mut out = flate2::write::ZlibEncoder::new(Vec::new(), level);
        let packed = out.write_all(text).and_then(|()| out.finish());
        let packed = packed.unwrap_or_default();
        let head = &packed[..packed.len().min(HEAD_BYTES)];
        assert_eq!(
            recognise(head),
            StreamContent::Packed(Packing::Zlib),
            "{level:?}"
        );
        let spoilt = [&[head[0] ^ 1], &head[1..]].concat();
        let expected = match head.len() {
            ..64 => StreamContent::Text,
            _ => StreamContent::Packed(Packing::Zlib),
        };
        assert_eq!(recognise(&spoilt), expected, "{level:?}");
    }
}

#[test]
fn a_tar_is_told_by_its_checksum() {
    let is_tar = |header: &[u8]| recognise(header) == StreamContent::Packed(Packing::Tar);
    for right in [
        |sum| format!("{sum:06o}\0 "),
        |sum| format!("{sum:07o}\0"),
        |sum| format!("{sum:>6o} \0"),
    ] {
        assert!(is_tar(&tar(right)));
    }
    assert!(!is_tar(&tar(|sum| format!("{:06o}\0 ", sum + 1))));
    assert!(!is_tar(&tar(|sum| format!("{sum:06}\0 "))));
    assert!(!is_tar(&tar(|sum| format!("{sum:06o}\0 "))[..511]));
}

#[test]
fn a_mark_tells_the_encoding() {
    for (head, way) in [
        (&b"\xff\xfea\0"[..], UnicodeEncoding::Utf16Le),
        (b"\xff\xfe", UnicodeEncoding::Utf16Le),
        (b"\xfe\xff\0a", UnicodeEncoding::Utf16Be),
        (b"\xff\xfe\0\0a\0\0\0", UnicodeEncoding::Utf32Le),
        (b"\0\0\xfe\xff\0\0\0a", UnicodeEncoding::Utf32Be),
    ] {
        assert_eq!(recognise(head), StreamContent::Unicode(way), "{head:?}");
    }
    assert_eq!(recognise(b"\xef\xbb\xbf10.5555/a"), StreamContent::Text);
}

#[test]
fn what_is_no_text_is_told_by_its_kind() {
    let mut program = [&b"MZ\x90"[..], &[0; 0x39], &[0x80, 0, 0, 0]].concat();
    program.resize(0x80, 0);
    program.extend(b"PE\0\0");
    let cases: &[(&[u8], &str)] = &[
        (b"FEA1\0\0\0\0", "feather 1"),
        (b"Obj\x01", "avro"),
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff\xe0", "jpeg"),
        (b"GIF89a\x01\0\x01\0\x80\0\0", "gif"),
        (b"RIFF\x10\x20\0\0WEBPVP8 ", "webp"),
        (b"RIFF\x10\x20\0\0WAVEfmt ", "wav"),
        (b"RIFF\x10\x20\0\0AVI LIST", "avi"),
        (b"II*\0", "tiff"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
        (b"\0\0\0\x20ftypisom", "mp4"),
        (b"\0\0\0\x18ftypheic", "heic"),
        (b"ID3\x03\0\0\0\0\x0fv", "mp3"),
        (b"OggS\0\x02", "ogg"),
        (b"fLaC\0\0\0\x22", "flac"),
        (b"\x1a\x45\xdf\xa3", "matroska"),
        (b"\x7fELF\x02", "elf"),
        (&program, "pe"),
        (b"\xcf\xfa\xed\xfe", "mach-o"),
        (b"\xca\xfe\xba\xbe\0\0\0\x02", "mach-o"),
        (b"\xca\xfe\xba\xbe\0\0\0\x41", "java-class"),
        (b"\0asm\x01\0\0\0", "wasm"),
        (b"SQLite format 3\0", "sqlite"),
        (b"\x89HDF\r\n\x1a\n", "hdf5"),
        (b"wOF2\0\x01\0\0", "woff2"),
        (b"AT&TFORM\0\0\x10\0DJVM", "djvu"),
        (b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0", "ico"),
        (b"PACK\0\0\0\x02", "git-pack"),
    ];
    for (head, kind) in cases {
        assert_eq!(recognise(head), StreamContent::Binary(kind), "{kind}");
    }
}

#[test]
fn a_pdf_file_is_recognised_after_a_byte_order_mark() {
    let content = StreamContent::Packed(Packing::Pdf);
    for head in [&b"%PDF-1.7\n"[..], b"\xef\xbb\xbf%PDF-2.0\n"] {
        assert_eq!(recognise(head), content, "{}", head.escape_ascii());
    }
}

#[test]
fn every_magic_in_the_list_has_a_byte_that_no_text_has() {
    for (magic, kind) in BINARY_MAGICS {
        let text = magic
            .iter()
            .all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e));
        assert!(magic.len() >= 4 && !text, "{kind}");
    }
}

/// Returns random bytes, most of which no text has.
fn noise() -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..HEAD_BYTES).map(next).collect()
}

#[test]
fn a_packing_with_one_wrong_byte_in_its_magic_is_told() {
    let cases: [(&[u8], usize, Packing); 9] = [
        (b"\x1f\x8b\x08\0", 3, Packing::Gzip),
        (b"ARROW1\0\0", 8, Packing::Arrow),
        (ZSTD_MAGIC, 4, Packing::Zstd),
        (b"BZh91AY&SY", 10, Packing::Bzip2),
        (b"\xfd7zXZ\0\0\x04", 6, Packing::Xz),
        (b"\x04\x22\x4d\x18\x64\x40", 4, Packing::Lz4),
        (b"PK\x03\x04\x14\0\0\0\x08\0", 4, Packing::Zip),
        (b"7z\xbc\xaf\x27\x1c\0\x04", 6, Packing::SevenZip),
        (b"\x50\x2a\x4d\x18\x02\0\0\0", 4, Packing::Zstd),
    ];
    for (magic, length, packing) in cases {
        for at in 0..length {
            let mut head = [magic, &noise()].concat();
            head[at] ^= 0x80;
            head.truncate(HEAD_BYTES);
            assert_eq!(
                recognise(&head),
                StreamContent::Packed(packing),
                "{magic:x?} at {at}"
            );
        }
    }
}

#[test]
fn a_header_with_one_wrong_byte_is_told() {
    // As GNU tar and bsdtar end their numbers.
    for (modes, numbers) in [
        (b"0000644\x000000000\x000000000\0", b"\0\0"),
        (b"000644 \x00000000 \x00000000 \0", b"  "),
    ] {
        let mut header = tar(|sum| format!("{sum:06o}\0 "));
        header[100..124].copy_from_slice(modes);
        header[135] = numbers[0];
        header[136..148].copy_from_slice(b"14524711000\0");
        header[147] = numbers[1];
        for at in 0..HEAD_BYTES {
            let mut header = header.clone();
            header[at] ^= 0x40;
            assert_eq!(
                recognise(&header),
                StreamContent::Packed(Packing::Tar),
                "{at}"
            );
        }
    }
    let record = format!("WARC/1.0\r\nWARC-Type: response\r\n{}", "x".repeat(100));
    for at in 0..10 {
        let mut record = record.clone().into_bytes();
        record[at] ^= 0x40;
        assert_eq!(
            recognise(&record),
            StreamContent::Packed(Packing::Warc),
            "{at}"
        );
    }
}

#[test]
fn zlib_that_is_damaged_or_cut_near_its_start_is_told() {
    let head = [b"\x78\x9c", &noise()[..100]].concat();
    assert_eq!(recognise(&head), StreamContent::Packed(Packing::Zlib));
}

#[test]
fn a_packing_that_ends_in_its_first_bytes_is_told_and_a_short_text_is_not() {
    for (head, packing) in [
        (&b"\xfd7z"[..], Packing::Xz),
        (b"\x28\xb5\x2f", Packing::Zstd),
        (b"\x04\x22\x4d", Packing::Lz4),
        (b"PK\x03", Packing::Zip),
        (b"\x78\x9c\x74\xbd\x4b", Packing::Zlib),
    ] {
        assert_eq!(recognise(head), StreamContent::Packed(packing), "{head:?}");
    }
    // Bytes that inflate to an end are not zlib with a wrong header.
    let short = [&b"\0\xda\x13\0\0\0"[..], &b"\x01\xf4".repeat(100)].concat();
    for text in [&b"PK"[..], b"x^2 + y", b"\xfd7a", b"xy \xe9", &short] {
        assert_eq!(recognise(text), StreamContent::Text, "{text:?}");
    }
    let mut header = tar(|sum| format!("{sum:06o}\0 "));
    header[100..124].copy_from_slice(b"0000644\x000000000\x000000000\0");
    header[136..148].copy_from_slice(b"14524711000\0");
    for end in 108..HEAD_BYTES {
        let cut = &header[..end];
        assert_eq!(recognise(cut), StreamContent::Packed(Packing::Tar), "{end}");
    }
    assert_eq!(recognise(&header[..107]), StreamContent::Text);
}

#[test]
fn a_byte_order_mark_with_one_wrong_byte_is_told_by_the_text_after_it() {
    for way in [
        UnicodeEncoding::Utf16Le,
        UnicodeEncoding::Utf16Be,
        UnicodeEncoding::Utf32Le,
        UnicodeEncoding::Utf32Be,
    ] {
        let unit = |char: char| match way {
            UnicodeEncoding::Utf16Le => (char as u16).to_le_bytes().to_vec(),
            UnicodeEncoding::Utf16Be => (char as u16).to_be_bytes().to_vec(),
            UnicodeEncoding::Utf32Le => (char as u32).to_le_bytes().to_vec(),
            UnicodeEncoding::Utf32Be => (char as u32).to_be_bytes().to_vec(),
        };
        let text: Vec<u8> = "a text with a na\u{ef}ve word in it, and more of it"
            .chars()
            .flat_map(unit)
            .collect();
        for at in 0..way.mark().len() {
            for mask in [1, 0x40, 0xff] {
                let mut head = [way.mark(), &text].concat();
                head[at] ^= mask;
                let expected = StreamContent::Unicode(way);
                assert_eq!(recognise(&head), expected, "{way:?}, {at} ^ {mask:#x}");
            }
        }
        assert_eq!(
            recognise(&text),
            StreamContent::Text,
            "{way:?} without a mark"
        );
    }
}

#[test]
fn a_file_with_one_wrong_byte_in_its_magic_is_told_by_what_follows() {
    for (magic, rest, packing) in [
        (b"%PDF-".as_slice(), b"1.4\n%".as_slice(), Packing::Pdf),
        (b"PAR1", b"\x15\x04\x15\x80", Packing::Parquet),
    ] {
        for at in 0..magic.len() {
            let mut head = [magic, rest, &[b' '; 100]].concat();
            head[at] ^= 0x80;
            assert_eq!(recognise(&head), StreamContent::Packed(packing), "{at}");
            head[magic.len()] = b'a';
            assert_eq!(recognise(&head), StreamContent::Text, "{at}");
        }
    }
}
