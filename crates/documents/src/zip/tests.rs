//! Archives of several writers, whole and damaged.

use std::io::{Cursor, Seek, Write};
use std::ops::Range;
use std::sync::atomic::AtomicU64;

use zip::CompressionMethod as Method;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::*;
use crate::tar::taken::Taken;

const METHODS: [Method; 4] = [
    Method::Stored,
    Method::Deflated,
    Method::Bzip2,
    Method::Zstd,
];

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

fn file(bytes: &[u8]) -> io::Result<SourceFile> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    Ok(file.into())
}

fn taken(bytes: &[u8]) -> io::Result<Taken> {
    let file = file(bytes)?;
    Ok(Taken::read_by(|sink, options, level| {
        read_archive(sink, options, level, &file, BeforeArchive::Nothing)
    }))
}

fn text(name: &str) -> Vec<u8> {
    format!("the text of {name}, the text of {name} ").into_bytes()
}

/// Makes an archive of members `a` to `d`, one for each method.
fn four(streamed: bool) -> zip::result::ZipResult<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    if streamed {
        let mut out = ZipWriter::new_stream(&mut bytes);
        write_four(&mut out, &METHODS[..2])?;
        out.finish()?;
    } else {
        let mut out = ZipWriter::new(&mut bytes);
        write_four(&mut out, &METHODS)?;
        out.finish()?;
    }
    Ok(bytes.into_inner())
}

fn write_four<W: Write + Seek>(
    out: &mut ZipWriter<W>,
    methods: &[Method],
) -> zip::result::ZipResult<()> {
    for (name, method) in ["a", "b", "c", "d"].iter().zip(methods.iter().cycle()) {
        let options = SimpleFileOptions::default().compression_method(*method);
        out.start_file(*name, options)?;
        out.write_all(&text(name))?;
    }
    Ok(())
}

/// Returns the names of the members of `four` that were read without errors.
fn intact(taken: &Taken) -> Vec<&str> {
    let mut names = taken.names();
    names.retain(|name| taken.has(name, &text(name)));
    names
}

/// Returns the offsets of the local headers and the directory of `four`.
fn starts(bytes: &[u8], magic: &[u8]) -> Vec<usize> {
    memchr::memmem::find_iter(bytes, magic).collect()
}

#[test]
fn members_come_out_whole_by_every_method() -> Result {
    for streamed in [false, true] {
        let taken = taken(&four(streamed)?)?;
        assert_eq!(intact(&taken), ["a", "b", "c", "d"]);
        assert!(taken.lost.is_empty(), "{:?}", taken.lost);
    }
    Ok(())
}

#[test]
fn folders_and_links_are_passed_over_and_a_name_may_come_twice() -> Result {
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    out.add_directory("folder", options)?;
    out.add_symlink("link", "folder", options)?;
    for name in ["../up", "../uq", "caf\u{e9}"] {
        out.start_file(name, options.large_file(true))?;
        out.write_all(name.as_bytes())?;
    }
    let mut bytes = out.finish()?.into_inner();
    for at in starts(&bytes, b"../uq") {
        bytes[at + 4] = b'p';
    }
    let taken = taken(&bytes)?;
    assert_eq!(taken.names(), ["../up", "../up", "caf\u{e9}"]);
    assert!(taken.has("caf\u{e9}", "caf\u{e9}".as_bytes()));
    assert!(taken.has("../up", b"../up") && taken.has("../up", b"../uq"));
    assert!(taken.lost.is_empty(), "{:?}", taken.lost);
    Ok(())
}

#[test]
fn members_come_out_as_they_stand_whatever_the_order_of_the_directory() -> Result {
    let bytes = four(false)?;
    let entries = starts(&bytes, &CENTRAL_MAGIC);
    let (first, rest) = (
        entries[0]..entries[1],
        entries[1]..starts(&bytes, &END_MAGIC)[0],
    );
    let moved = [
        &bytes[..first.start],
        &bytes[rest.clone()],
        &bytes[first],
        &bytes[rest.end..],
    ];
    let taken = taken(&moved.concat())?;
    assert_eq!(intact(&taken), ["a", "b", "c", "d"]);
    assert!(taken.lost.is_empty(), "{:?}", taken.lost);
    Ok(())
}

#[test]
fn any_damaged_byte_costs_at_most_a_member_and_is_reported_at_most_once() -> Result {
    for streamed in [false, true] {
        let whole = four(streamed)?;
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let taken = taken(&bytes)?;
            assert!(intact(&taken).len() >= 3, "byte {at}: {:?}", taken.lost);
            assert!(taken.lost.len() <= 1, "byte {at}: {:?}", taken.lost);
            // Only names have no checksum.
            let is_text =
                |bytes: &Vec<u8>| ["a", "b", "c", "d"].iter().any(|name| text(name) == *bytes);
            let texts = taken.documents.iter().filter(|(_, bytes)| is_text(bytes));
            assert!(texts.count() + taken.lost.len() >= 4, "byte {at}");
        }
    }
    Ok(())
}

/// Adds a zip64 end record to an archive, with the fields of the end record.
fn wide(mut bytes: Vec<u8>) -> Vec<u8> {
    let at = starts(&bytes, &END_MAGIC)[0];
    let mut end = bytes.split_off(at);
    let field = |range: Range<usize>| [&end[range], &[0; 4]].concat();
    let counts = [&end[10..12], &[0; 6]].concat().repeat(2);
    let version = [45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend([b"PK\x06\x06\x2c\0\0\0\0\0\0\0", &version[..], &counts].concat());
    bytes.extend([field(12..16), field(16..20)].concat());
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend((at as u64).to_le_bytes());
    bytes.extend([1, 0, 0, 0]);
    end[8..20].fill(0xff);
    bytes.extend(end);
    bytes
}

/// Makes damaged copies, in which bytes and fields after `from` are all zeros or all ones.
fn damages(whole: &[u8], from: usize) -> Vec<Vec<u8>> {
    let mut damages = Vec::new();
    for length in [1, 2, 4, 8, 12] {
        for at in from..=whole.len() - length {
            for value in [0, 0xff] {
                let mut bytes = whole.to_vec();
                bytes[at..at + length].fill(value);
                damages.push(bytes);
            }
        }
    }
    damages.retain(|bytes| bytes != whole);
    damages
}

#[test]
fn a_wrong_method_in_one_of_both_headers_costs_no_member() -> Result {
    for streamed in [false, true] {
        let whole = four(streamed)?;
        let entries = starts(&whole, &CENTRAL_MAGIC).into_iter().map(|at| at + 10);
        let members = starts(&whole, &LOCAL_HEADER_MAGIC)
            .into_iter()
            .map(|at| at + 8);
        for at in entries.chain(members) {
            for method in [0, 8, 12, 93, 99] {
                let mut bytes = whole.clone();
                bytes[at] = method;
                let taken = taken(&bytes)?;
                assert_eq!(intact(&taken), ["a", "b", "c", "d"], "{at}: {method}");
                let lost = usize::from(bytes != whole);
                assert_eq!(taken.lost.len(), lost, "{at}: {method}: {:?}", taken.lost);
            }
        }
    }
    Ok(())
}

#[test]
fn damage_to_the_end_records_loses_no_member() -> Result {
    for streamed in [false, true] {
        for whole in [four(streamed)?, wide(four(streamed)?)] {
            assert!(taken(&whole)?.lost.is_empty());
            let entries = starts(&whole, &CENTRAL_MAGIC);
            let from = entries[3] + 46 + 1;
            let damages = damages(&whole, from);
            assert!(damages.len() > 100);
            for bytes in damages {
                let taken = taken(&bytes)?;
                assert_eq!(intact(&taken), ["a", "b", "c", "d"], "{:?}", &bytes[from..]);
                assert!(
                    taken.lost.len() <= 1,
                    "{:?}: {:?}",
                    &bytes[from..],
                    taken.lost
                );
            }
        }
    }
    Ok(())
}

#[test]
fn an_end_record_that_lists_other_members_is_reported() -> Result {
    for whole in [four(false)?, wide(four(false)?)] {
        let end = *starts(&whole, &END_MAGIC).last().unwrap_or(&0);
        let wide = starts(&whole, b"PK\x06\x06").first().copied();
        let fields = match wide {
            None => [end + 10, end + 12, end + 16],
            Some(at) => [at + 32, at + 40, at + 48],
        };
        for field in fields {
            for value in [0, 1, 0x7f] {
                let mut bytes = whole.clone();
                bytes[field] = value;
                let taken = taken(&bytes)?;
                assert_eq!(intact(&taken), ["a", "b", "c", "d"], "byte {field}");
                assert_eq!(taken.lost.len(), 1, "byte {field}: {:?}", taken.lost);
                assert!(taken.lost[0].2.starts_with("the zip data is damaged: "));
            }
        }
    }
    Ok(())
}

#[test]
fn zeros_after_an_archive_are_padding_and_other_bytes_are_reported() -> Result {
    let whole = four(false)?;
    for zeros in [1, 21, 512, 10_240, 70_000, 1 << 20] {
        let mut bytes = [&whole[..], &vec![0; zeros]].concat();
        let padded = taken(&bytes)?;
        assert_eq!(intact(&padded), ["a", "b", "c", "d"]);
        assert!(padded.lost.is_empty(), "{zeros}: {:?}", padded.lost);
        let last = whole.len() + zeros.min(60_000) - 1;
        bytes[last] = b'x';
        let error = "bytes after the zip data were ignored".to_owned();
        assert_eq!(
            taken(&bytes)?.lost,
            [("-".into(), whole.len() as u64, error)]
        );
    }
    Ok(())
}

#[test]
fn an_archive_cut_short_gives_what_came_before_and_tells_it_once() -> Result {
    for streamed in [false, true] {
        let whole = four(streamed)?;
        let mut ends = starts(&whole, &LOCAL_HEADER_MAGIC);
        ends.remove(0);
        ends.push(starts(&whole, &CENTRAL_MAGIC)[0]);
        for end in 0..whole.len() {
            let taken = taken(&whole[..end])?;
            let before = ends.iter().filter(|start| **start <= end).count();
            assert!(intact(&taken).len() >= before, "cut at {end}");
            assert_eq!(taken.lost.len(), 1, "cut at {end}: {:?}", taken.lost);
        }
    }
    Ok(())
}

#[test]
fn a_wrong_checksum_is_reported_at_the_end_of_the_text() -> Result {
    let mut bytes = four(false)?;
    let at = starts(&bytes, b"the text of a")[0];
    bytes[at] = b'T';
    let taken = taken(&bytes)?;
    let end = text("a").len() as u64;
    let error = "the zip data is damaged: its checksum or its size is wrong".into();
    assert_eq!(taken.lost, [("a".into(), end, error)]);
    assert_eq!(taken.documents[0].1.len() as u64, end);
    Ok(())
}

/// Unpacks bytes by reads of `step` bytes, up to an error.
fn by(step: usize, method: u16, packed: &[u8]) -> Vec<u8> {
    let file = file(packed).unwrap();
    let volume = CountedFile::new(&file, 0, None).unwrap();
    let at = Cell::new(0);
    let data = ZipData::new(&volume, &at, volume.length);
    let mut bytes = unpacked(method, data, 128 << 20).unwrap();
    let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
    while let Ok(read @ 1..) = bytes.read(&mut buffer) {
        out.extend(&buffer[..read]);
    }
    out
}

#[test]
fn as_much_comes_before_damage_by_small_reads_as_by_large_ones() -> Result {
    let text = text("a").repeat(20);
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), Default::default());
    deflate.write_all(&text)?;
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), Default::default());
    bzip2.write_all(&text)?;
    let zstd = zstd::encode_all(&text[..], 1)?;
    let mut partial = 0;
    for (method, packed) in [(8, deflate.finish()?), (12, bzip2.finish()?), (93, zstd)] {
        assert_eq!(by(1, method, &packed), text);
        for at in 0..packed.len() {
            let mut packed = packed.clone();
            packed[at] ^= 0x10;
            let large = by(1 << 16, method, &packed);
            assert_eq!(by(3, method, &packed), large, "method {method}, byte {at}");
            partial += usize::from(!large.is_empty() && large != text);
        }
    }
    assert!(partial > 10, "{partial}");
    Ok(())
}

#[test]
fn a_member_that_cannot_be_unpacked_is_reported_and_the_others_are_read() -> Result {
    let whole = four(false)?;
    let entry = starts(&whole, &CENTRAL_MAGIC)[1];
    let member = starts(&whole, &LOCAL_HEADER_MAGIC)[1];
    for (field, value, error) in [
        (8, 1, "the zip data is encrypted"),
        (10, 99, "zip method 99 cannot be unpacked"),
    ] {
        let mut bytes = whole.clone();
        bytes[entry + field] = value;
        // The member's local header corrects damage to the directory.
        assert_eq!(intact(&super::tests::taken(&bytes)?), ["a", "b", "c", "d"]);
        bytes[member + field - 2] = value;
        let taken = taken(&bytes)?;
        assert_eq!(intact(&taken), ["a", "c", "d"]);
        assert_eq!(taken.lost, [("b".into(), 0, error.into())]);
    }
    Ok(())
}

#[test]
fn archives_that_follow_each_other_are_both_read() -> Result {
    let taken = taken(&[four(false)?, four(true)?].concat())?;
    assert_eq!(intact(&taken), ["a", "b", "c", "d", "a", "b", "c", "d"]);
    Ok(())
}

#[test]
fn what_is_packed_in_a_member_is_unpacked_down_to_the_limit() -> Result {
    let mut bytes = b"innermost".to_vec();
    for depth in 1..=4 {
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        out.start_file("m", SimpleFileOptions::default())?;
        let mut gzip = flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast());
        gzip.write_all(&bytes)?;
        gzip.finish()?;
        bytes = out.finish()?.into_inner();
        let taken = taken(&bytes)?;
        let name = ["m"; 4][..depth].join("!/");
        assert_eq!(taken.has(&name, b"innermost"), depth <= 3, "{depth}");
        assert_eq!(taken.lost.len(), usize::from(depth > 3), "{depth}");
    }
    Ok(())
}

#[test]
fn a_zip_in_a_stream_is_copied_and_what_was_lost_of_it_reported_once() -> Result {
    let whole = four(false)?;
    for end in [whole.len(), whole.len() - 30] {
        let mut tar = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(whole.len() as u64);
        tar.append_data(&mut header, "z", &whole[..])?;
        let bytes = tar.into_inner()?;
        let taken = Taken::read_by(|sink, options, level| {
            crate::tar::read_archive(sink, options, level, &mut &bytes[..512 + end]);
        });
        assert_eq!(taken.names(), ["z!/a", "z!/b", "z!/c", "z!/d"]);
        assert_eq!(taken.lost.len(), 1, "{:?}", taken.lost);
    }
    Ok(())
}

#[test]
fn all_bytes_of_a_file_are_counted_once() -> Result {
    let whole = four(false)?;
    let (file, counted) = (file(&whole)?, AtomicU64::new(0));
    let volume = CountedFile::new(&file, 0, Some(&counted))?;
    for _ in 0..2 {
        volume.part(10..50).skip(u64::MAX)?;
    }
    assert_eq!(counted.load(std::sync::atomic::Ordering::Relaxed), 50);
    Ok(())
}
