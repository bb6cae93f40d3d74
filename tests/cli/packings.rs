//! Packings: their recognition, and packings that follow each other in a file.

use std::io::{Read, Write};

#[path = "../../fuzz/compress_writer.rs"]
mod compress_writer;

use self::compress_writer::compress;
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
fn lzma_alone_is_read_whatever_holds_it() {
    let place = Place::new();
    let text = names(3000);
    let packed = lzma(text.as_bytes());
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(packed.len() as u64);
    tar.append_data(&mut header, "in.lzma", &packed[..])
        .unwrap();
    let tar = tar.into_inner().unwrap();
    let zero = |packed: &[u8]| [packed, &[0; 100]].concat();
    for file in [packed.clone(), gzip(&packed), lzma(&tar), zero(&packed)] {
        place.file("in", file);
        for options in ["-j1", "-j2", "-j2 --chunk 64"] {
            let seen = place.scan(&format!("in -f names {options}")).quiet();
            assert_eq!(seen.out.lines().count(), 3000, "{options}");
        }
    }
    let seen = place.file("in", &packed).scan("in --max-window 1M");
    let error = "doisift: in: at byte 0: the lzma data needs more than 1048576 bytes of memory; --max-window allows more\n";
    assert_eq!((seen.code, seen.err.as_str()), (Some(1), error));
    let seen = place
        .file("in", &packed[..packed.len() / 2])
        .scan("in -f names");
    assert_eq!(seen.code, Some(1));
    assert!(
        seen.err.contains("the lzma data is damaged"),
        "{}",
        seen.err
    );
    assert!(seen.out.lines().count() > 1000);
}

#[test]
fn compress_is_read_whatever_holds_it_and_a_cut_is_reported() {
    let place = Place::new();
    let text = names(3000);
    let packed = compress(text.as_bytes());
    for file in [packed.clone(), gzip(&packed), compress(&gzip(&text))] {
        place.file("in.Z", file);
        for options in ["-j1", "-j2", "-j2 --chunk 64"] {
            let seen = place.scan(&format!("in.Z -f names {options}")).quiet();
            assert_eq!(seen.out.lines().count(), 3000, "{options}");
        }
        let file = std::fs::read(place.path("in.Z")).unwrap();
        let seen = place.scan_stdin("-f names", &file).quiet();
        assert_eq!(seen.out.lines().count(), 3000);
    }
    // In the middle of a code.
    let cut = 3 + 9 * 5000 + 2;
    let seen = place.file("in.Z", &packed[..cut]).scan("in.Z -f names");
    let error =
        "doisift: in.Z: at byte 40001: the compress (.Z) data is damaged: it ends too early\n";
    assert_eq!((seen.code, seen.err.as_str()), (Some(1), error));
    assert_eq!(seen.out.lines().count(), text[..40_001].lines().count() - 1);
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
