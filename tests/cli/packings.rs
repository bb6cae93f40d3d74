//! Packings: their recognition, and packings that follow each other in a file.

use std::io::{Read, Write};

use crate::place::{Place, gzip, lz4, names};

/// Packs in the lzma format, as `xz --format=lzma` does.
fn lzma(bytes: &[u8]) -> Vec<u8> {
    let options = liblzma::stream::LzmaOptions::new_preset(6).unwrap();
    let stream = liblzma::stream::Stream::new_lzma_encoder(&options).unwrap();
    let mut out = Vec::new();
    let mut encoder = liblzma::read::XzEncoder::new_stream(bytes, stream);
    encoder.read_to_end(&mut out).unwrap();
    out
}

/// Packs in the legacy lz4 format, as `lz4 -l` does: the blocks have no end mark.
fn old_lz4(bytes: &[u8]) -> Vec<u8> {
    let block = lz4_flex::block::compress(bytes);
    let length = (block.len() as u32).to_le_bytes();
    [b"\x02\x21\x4c\x18", &length[..], &block].concat()
}

#[test]
fn old_packings_are_named_and_not_read() {
    let place = Place::new();
    let text = names(3000);
    let packed = lzma(text.as_bytes());
    let compressed = [b"\x1f\x9d\x90", packed.as_slice()].concat();
    for (name, bytes, kind, command) in [
        (
            "in.lzma",
            packed.clone(),
            "lzma",
            "xz --format=lzma -dc FILE",
        ),
        ("in.Z", compressed, "compress (.Z)", "gzip -dc FILE"),
    ] {
        for (file, bytes) in [(name, bytes.clone()), ("in.gz", gzip(&bytes))] {
            let seen = place.file(file, bytes).scan(&format!("{file} -f names"));
            assert_eq!((seen.code, seen.out.as_str()), (Some(1), ""), "{name}");
            let expected = format!(
                "doisift: {file}: at byte 0: {kind} is recognised but cannot be opened; unpack it first: {command} | doisift scan\n"
            );
            assert_eq!(seen.err, expected);
        }
    }
}

#[test]
fn a_frame_of_lz4_may_follow_the_legacy_format() {
    let place = Place::new();
    let text = names(3000);
    let (old, new) = text.split_at(text.len() / 40 / 2 * 40);
    for parts in [
        vec![old_lz4(old.as_bytes()), lz4(new)],
        vec![
            old_lz4(old.as_bytes()),
            lz4(new),
            old_lz4(b" 10.5555/last \n"),
        ],
    ] {
        place.file("in", parts.concat());
        for threads in ["-j1", "-j2"] {
            let seen = place.scan(&format!("in -f names {threads}")).quiet();
            assert_eq!(seen.out.lines().count(), 2998 + parts.len());
        }
    }
}

#[test]
fn tiny_streams_of_bzip2_are_read_whatever_the_size_of_their_blocks() {
    let place = Place::new();
    let text = names(8000);
    for (file, level) in [
        ("large", bzip2::Compression::best()),
        ("small", bzip2::Compression::fast()),
    ] {
        place.file(file, bzip2_lines(&text, level));
        let seen = place.scan(&format!("{file} -f names -j1")).quiet();
        assert_eq!(seen.out.lines().count(), 8000, "{file}");
    }
}

/// Packs each line as its own stream.
fn bzip2_lines(text: &str, level: bzip2::Compression) -> Vec<u8> {
    let mut packed = Vec::new();
    for line in text.lines() {
        let mut out = bzip2::write::BzEncoder::new(packed, level);
        out.write_all(line.as_bytes()).unwrap();
        packed = out.finish().unwrap();
    }
    packed
}
