//! Tests of all packings, with data from their usual encoders.

use std::io::{self, Write};
use std::sync::atomic::AtomicU64;

use super::*;
use crate::read::ChainedReader;

const TEXT: &[u8] = b"Some text, some text; and 10.5555/a name.";

const PACKINGS: [Packing; 6] = [
    Packing::Gzip,
    Packing::Zlib,
    Packing::Zstd,
    Packing::Bzip2,
    Packing::Xz,
    Packing::Lz4,
];

/// Returns the packings whose streams may follow one another.
fn in_series() -> impl Iterator<Item = Packing> {
    let single = Packing::Zlib;
    PACKINGS
        .into_iter()
        .filter(move |packing| *packing != single)
}

/// Returns `bytes` packed, with a checksum.
fn pack(packing: Packing, bytes: &[u8]) -> Vec<u8> {
    let fast = flate2::Compression::fast();
    let packed = match packing {
        Packing::Gzip => {
            let mut out = flate2::write::GzEncoder::new(Vec::new(), fast);
            out.write_all(bytes).and_then(|()| out.finish())
        }
        Packing::Zlib => {
            let mut out = flate2::write::ZlibEncoder::new(Vec::new(), fast);
            out.write_all(bytes).and_then(|()| out.finish())
        }
        Packing::Bzip2 => {
            let fast = ::bzip2::Compression::fast();
            let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), fast);
            out.write_all(bytes).and_then(|()| out.finish())
        }
        Packing::Xz => {
            let mut out = liblzma::write::XzEncoder::new(Vec::new(), 0);
            out.write_all(bytes).and_then(|()| out.finish())
        }
        Packing::Lz4 => {
            let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
            let mut out = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
            let written = out.write_all(bytes);
            written.and_then(|()| out.finish().map_err(io::Error::from))
        }
        _ => zstd_with_window(bytes, 17),
    };
    packed.unwrap_or_default()
}

fn zstd_with_window(bytes: &[u8], log: u32) -> io::Result<Vec<u8>> {
    let mut out = ::zstd::Encoder::new(Vec::new(), 1)?;
    out.include_checksum(true)?;
    out.window_log(log)?;
    out.write_all(bytes)?;
    out.finish()
}

/// Whether damage of `packing` is the only error.
fn is_damage(errors: &[InputError], packing: Packing) -> bool {
    match errors {
        [
            InputError::Damaged { packing: of, .. } | InputError::DamagedMember { packing: of, .. },
        ] => *of == packing,
        _ => false,
    }
}

/// Returns a skippable frame.
fn skippable() -> Vec<u8> {
    [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"xxx"].concat()
}

/// Reads all decoded bytes and errors, by reads of up to `step` bytes.
fn read_by(packing: Packing, mut packed: &[u8], step: usize) -> (Vec<u8>, Vec<InputError>) {
    let counter = AtomicU64::new(0);
    let mut options = ReadOptions::for_tests(&counter);
    options.limits.window = 1 << 20;
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut bytes = match unpack(packing, PeekReader::new(&mut packed), None, &options) {
        Ok(bytes) => bytes,
        Err(error) => return (out, vec![error]),
    };
    let mut buffer = vec![0; step];
    for _ in 0..1_000_000 {
        match bytes.read(&mut buffer) {
            Ok(0) => return (out, errors),
            Ok(read) => out.extend(&buffer[..read]),
            Err(error) => errors.push(error),
        }
    }
    panic!("{packing} does not come to an end");
}

fn read(packing: Packing, packed: &[u8]) -> (Vec<u8>, Vec<InputError>) {
    read_by(packing, packed, 1 << 20)
}

#[track_caller]
fn check_whole(packing: Packing, packed: &[u8], text: &[u8]) {
    for step in [1, 1 << 20] {
        let (bytes, errors) = read_by(packing, packed, step);
        assert_eq!(bytes, text, "{packing}");
        assert!(errors.is_empty(), "{packing}: {errors:?}");
    }
}

#[test]
fn all_streams_are_read_and_zero_padding_is_passed_over() {
    for packing in in_series() {
        let parts = [
            pack(packing, b"one "),
            pack(packing, b""),
            pack(packing, b"two"),
            vec![0; 1000],
        ];
        check_whole(packing, &parts.concat(), b"one two");
    }
    check_whole(Packing::Zlib, &pack(Packing::Zlib, TEXT), TEXT);
}

#[test]
fn zeros_between_streams_are_passed_over() {
    for packing in in_series() {
        let parts = [pack(packing, b"one "), vec![0; 8], pack(packing, b"two")];
        check_whole(packing, &parts.concat(), b"one two");
    }
}

#[test]
fn more_than_any_buffer_holds_is_read() {
    let text = noise();
    for packing in PACKINGS {
        let (bytes, errors) = read(packing, &pack(packing, &text));
        assert!(bytes == text, "{packing}");
        assert!(errors.is_empty(), "{packing}: {errors:?}");
    }
}

#[test]
fn garbage_after_the_streams_is_told_after_all_that_came_before() {
    for packing in PACKINGS {
        for garbage in [&b"garbage"[..], b"\x1f", b"\0\0\0x"] {
            let (bytes, errors) = read(packing, &[&pack(packing, TEXT)[..], garbage].concat());
            assert_eq!(bytes, TEXT, "{packing}");
            assert!(
                matches!(errors[..], [InputError::Trailing(packed_as)] if packed_as == packing),
                "{packing}: {errors:?}"
            );
        }
    }
}

#[test]
fn what_is_cut_short_anywhere_gives_what_was_whole_and_one_error() {
    for packing in PACKINGS {
        let packed = pack(packing, TEXT);
        for end in 4..packed.len() {
            let (bytes, errors) = read(packing, &packed[..end]);
            assert!(TEXT.starts_with(&bytes), "{packing} cut at {end}");
            assert!(
                is_damage(&errors, packing),
                "{packing} cut at {end}: {errors:?}"
            );
        }
    }
}

#[test]
fn no_flipped_byte_changes_the_text_unsaid() {
    for packing in PACKINGS {
        let packed = pack(packing, TEXT);
        for (at, flip) in (0..packed.len()).flat_map(|at| [1, 0x10, 0xff].map(|flip| (at, flip))) {
            let mut packed = packed.clone();
            packed[at] ^= flip;
            let (bytes, errors) = read(packing, &packed);
            assert!(
                bytes == TEXT || errors.len() == 1,
                "{packing} at {at}: {errors:?}"
            );
        }
    }
}

#[test]
fn streams_before_and_after_a_damaged_one_are_read() {
    for packing in in_series() {
        let hit = pack(packing, TEXT);
        let (first, last) = (pack(packing, b"first "), pack(packing, b" last"));
        for at in 0..hit.len() {
            let mut hit = hit.clone();
            hit[at] ^= 0x10;
            let (bytes, errors) = read(packing, &[&first[..], &hit, &last].concat());
            assert!(
                bytes.starts_with(b"first ") && bytes.ends_with(b" last") && errors.len() <= 1,
                "{packing} at {at}: {errors:?}"
            );
        }
    }
}

#[test]
fn damage_names_the_member_by_its_packed_place() {
    for packing in in_series() {
        let first = pack(packing, TEXT);
        let mut packed = [&first[..], &first].concat();
        packed.pop();
        let (_, errors) = read(packing, &packed);
        let place = format!("in the member packed at byte {}", first.len());
        assert!(errors[0].to_string().ends_with(&place), "{errors:?}");
    }
}

#[test]
fn a_flipped_byte_leaves_the_same_to_small_reads_as_to_large_ones() {
    let text: Vec<u8> = (0..200_u32)
        .flat_map(|n| format!("{n} ").into_bytes())
        .collect();
    for packing in PACKINGS {
        let packed = pack(packing, &text);
        for at in 0..packed.len() {
            let mut packed = packed.clone();
            packed[at] ^= 0x10;
            let large = read(packing, &packed).0;
            assert!(read_by(packing, &packed, 3).0 == large, "{packing} at {at}");
        }
    }
}

#[test]
fn as_much_is_kept_before_damage_by_large_reads_as_by_small_ones() {
    let text: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    for packing in PACKINGS
        .into_iter()
        .filter(|packing| *packing != Packing::Gzip)
    {
        let mut packed = pack(packing, &text);
        let last = packed.len() - packed.len() / 20;
        packed[last..last + 10].fill(0xff);
        let (large, errors) = read(packing, &packed);
        assert!(large.len() > 50_000, "{packing}: {}", large.len());
        assert_eq!(errors.len(), 1, "{packing}");
        assert!(read_by(packing, &packed, 100).0 == large, "{packing}");
    }
}

#[test]
fn skippable_frames_are_passed_over_wherever_they_stand() {
    for packing in [Packing::Zstd, Packing::Lz4] {
        let parts = [
            skippable(),
            pack(packing, b"one "),
            skippable(),
            skippable(),
            pack(packing, b"two"),
            skippable(),
        ];
        check_whole(packing, &parts.concat(), b"one two");
    }
}

#[test]
fn a_skippable_frame_that_is_cut_short_is_told() {
    for packing in [Packing::Zstd, Packing::Lz4] {
        let packed = [pack(packing, TEXT), skippable()].concat();
        for cut in 1..7 {
            let (bytes, errors) = read(packing, &packed[..packed.len() - cut]);
            assert_eq!(bytes, TEXT);
            assert!(
                is_damage(&errors, packing),
                "{packing} by {cut}: {errors:?}"
            );
        }
    }
}

/// Makes three blocks of `size` bytes each with their checksums, and returns where they start.
fn lz4_blocks(size: usize) -> (Vec<u8>, Vec<usize>) {
    let info = lz4_flex::frame::FrameInfo::new()
        .block_size(lz4_flex::frame::BlockSize::Max64KB)
        .block_checksums(true)
        .content_checksum(true);
    let mut out = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    for letter in [b'a', b'b', b'c'] {
        let _ = out
            .write_all(&vec![letter; size])
            .and_then(|()| out.flush());
    }
    let packed = out.finish().unwrap_or_default();
    let mut starts = vec![7];
    for _ in 0..2 {
        let at = starts[starts.len() - 1];
        let length = u32::from_le_bytes(packed[at..at + 4].try_into().unwrap_or_default());
        starts.push(at + 8 + (length & 0x7fff_ffff) as usize);
    }
    (packed, starts)
}

#[test]
fn a_damaged_block_of_lz4_that_has_a_checksum_costs_itself_and_is_told_once() {
    let (packed, starts) = lz4_blocks(1000);
    let text = |letters: &[u8]| letters.iter().flat_map(|l| [*l; 1000]).collect::<Vec<_>>();
    check_whole(Packing::Lz4, &packed, &text(b"abc"));
    for at in starts[1] + 4..starts[2] {
        let mut packed = packed.clone();
        packed[at] ^= 0x10;
        let (bytes, errors) = read(Packing::Lz4, &packed);
        assert!(
            bytes == text(b"ac") && errors.len() == 1,
            "{at}: {errors:?}"
        );
    }
    for at in starts[1]..starts[1] + 4 {
        let mut packed = [packed.clone(), pack(Packing::Lz4, TEXT)].concat();
        packed[at] ^= 0x10;
        let (bytes, errors) = read(Packing::Lz4, &packed);
        let around = bytes.starts_with(&text(b"a")) && bytes.ends_with(TEXT);
        assert!(around && errors.len() == 1, "{at}: {errors:?}");
    }
}

#[test]
fn lz4_of_old_is_read() {
    let block = lz4_flex::block::compress(TEXT);
    let length = (block.len() as u32).to_le_bytes();
    let packed = [crate::numbers::LZ4_LEGACY_MAGIC, &length, &block].concat();
    check_whole(Packing::Lz4, &packed, TEXT);
    check_whole(Packing::Lz4, &packed.repeat(2), &TEXT.repeat(2));
    let (bytes, errors) = read(Packing::Lz4, &packed[..packed.len() - 1]);
    assert!(bytes.is_empty());
    assert!(is_damage(&errors, Packing::Lz4));
}

/// Makes a file of the legacy format, which has no end mark.
fn old_lz4(bytes: &[u8]) -> Vec<u8> {
    let block = lz4_flex::block::compress(bytes);
    let length = (block.len() as u32).to_le_bytes();
    [crate::numbers::LZ4_LEGACY_MAGIC, &length, &block].concat()
}

#[test]
fn lz4_of_old_and_new_are_read_one_after_the_other() {
    let kinds = [
        (old_lz4(b"old "), &b"old "[..]),
        (pack(Packing::Lz4, b"new "), b"new "),
        (skippable(), b""),
    ];
    for number in 0..27 {
        let three = [number / 9, number / 3 % 3, number % 3].map(|kind| &kinds[kind]);
        let packed = three.map(|kind| &kind.0[..]).concat();
        check_whole(Packing::Lz4, &packed, &three.map(|kind| kind.1).concat());
    }
    let packed = [old_lz4(b"old "), pack(Packing::Lz4, b"new ")].concat();
    for cut in old_lz4(b"old ").len() + 1..packed.len() {
        let (bytes, errors) = read(Packing::Lz4, &packed[..cut]);
        assert!(b"old new ".starts_with(&bytes[..]) && bytes.starts_with(b"old "));
        assert_eq!(errors.len(), 1, "cut at {cut}: {errors:?}");
    }
}

#[test]
fn what_wants_more_history_than_the_limit_is_told_with_the_option() -> io::Result<()> {
    let options = liblzma::stream::LzmaOptions::new_preset(6)?;
    let mut filters = liblzma::stream::Filters::new();
    filters.lzma2(&options);
    let check = liblzma::stream::Check::Crc32;
    let xz = liblzma::stream::Stream::new_stream_encoder(&filters, check)?;
    let mut xz = liblzma::write::XzEncoder::new_stream(Vec::new(), xz);
    xz.write_all(TEXT)?;
    let cases = [
        (Packing::Xz, xz.finish()?),
        (Packing::Zstd, zstd_with_window(TEXT, 21)?),
    ];
    for (packing, packed) in cases {
        let (bytes, errors) = read(packing, &packed);
        assert!(bytes.is_empty());
        let [
            error @ InputError::Window {
                limit: 0x10_0000, ..
            },
        ] = &errors[..]
        else {
            panic!("{errors:?}");
        };
        assert!(error.to_string().contains("--max-window"), "{error}");
    }
    check_whole(Packing::Zstd, &zstd_with_window(TEXT, 20)?, TEXT);
    Ok(())
}

/// Returns random bytes, which cannot be compressed, longer than all buffers.
fn noise() -> Vec<u8> {
    (0..100_000_u32)
        .flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes())
        .collect()
}

#[test]
fn bzip2_and_zstd_go_on_at_the_next_stream_after_damage() {
    for packing in [Packing::Bzip2, Packing::Zstd] {
        let part = |text: &[u8]| pack(packing, text);
        let mut damaged = part(&noise());
        assert!(damaged.len() > READ_BYTES);
        let at = damaged.len() - 100;
        damaged[at] ^= 1;
        let packed = [part(b"one "), damaged, part(b"three "), part(b"four")].concat();
        for step in [1000, 1 << 20] {
            let (bytes, errors) = read_by(packing, &packed, step);
            assert!(bytes.starts_with(b"one "), "{packing}");
            assert!(bytes.ends_with(b"three four"), "{packing}");
            assert!(is_damage(&errors, packing), "{packing}: {errors:?}");
        }
    }
}

#[test]
fn zstd_goes_on_after_a_damaged_block_header() {
    let mut damaged = pack(Packing::Zstd, &noise());
    // The first block's kind, after a header without sizes.
    damaged[6] |= 6;
    let packed = [
        pack(Packing::Zstd, b"one"),
        damaged,
        pack(Packing::Zstd, TEXT),
    ]
    .concat();
    let (bytes, errors) = read(Packing::Zstd, &packed);
    assert_eq!(bytes, [b"one", TEXT].concat());
    assert_eq!(errors.len(), 1, "{errors:?}");
}

#[test]
fn a_frame_that_wants_too_much_history_is_passed_over() -> io::Result<()> {
    let packed = [
        pack(Packing::Zstd, b"one "),
        zstd_with_window(TEXT, 21)?,
        pack(Packing::Zstd, b"three"),
    ];
    let (bytes, errors) = read(Packing::Zstd, &packed.concat());
    assert_eq!(bytes, b"one three");
    assert!(
        matches!(errors[..], [InputError::Window { .. }]),
        "{errors:?}"
    );
    Ok(())
}

#[test]
fn an_error_of_reading_is_passed_on_as_it_is_and_ends_the_bytes() -> Result<(), InputError> {
    struct Broken;
    impl ReadBytes for Broken {
        fn read(&mut self, _: &mut [u8]) -> Result<usize, InputError> {
            Err(InputError::Shrunk)
        }
    }
    let counter = AtomicU64::new(0);
    let options = ReadOptions::for_tests(&counter);
    for packing in PACKINGS {
        let packed = pack(packing, TEXT);
        let mut broken = ChainedReader::new(&packed[..packed.len() - 3], None, Broken);
        let mut bytes = unpack(packing, PeekReader::new(&mut broken), None, &options)?;
        let error = bytes.skip(u64::MAX).expect_err("it is broken");
        assert!(matches!(error, InputError::Shrunk), "{packing}: {error}");
        assert_eq!(bytes.read(&mut [0])?, 0, "{packing}");
    }
    Ok(())
}
