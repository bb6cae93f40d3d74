//! Small sources that unpack to many bytes, for each packing, on one thread and on two.

use std::io::{self, Cursor, Write};

use super::tests::Seen;
use super::*;
use crate::UnpackThreads;
use crate::container::StreamLevel;
use crate::file::{FileSection, SourceFile};
use crate::read_options::ReadOptions;
use crate::source_reader::SourceReader;

/// The limit on unpacked bytes per byte.
const LIMIT: u64 = 1;
/// Bytes that every source may unpack to in these tests: more than single members have, so that threads share the members.
const FREE_TEST_BYTES: u64 = 4 << 20;
/// Bytes that a bomb unpacks to.
const BOMB_BYTES: usize = 5 << 20;

/// Reads a file on this many threads.
fn seen(bytes: &[u8], threads: usize) -> Result<Seen, InputError> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    let file = SourceFile::from(file);
    let counter = AtomicU64::new(0);
    let mut options = ReadOptions::for_tests(&counter);
    let unpackers = UnpackThreads::new(threads, 32 << 20);
    options.unpackers = Some(&unpackers).filter(|_| threads > 1);
    let expansion = Expansion::with_free(LIMIT, bytes.len() as u64, FREE_TEST_BYTES);
    let (mut seen, mut source) = (
        Seen::default(),
        FileSection::new(&file, 0, bytes.len() as u64),
    );
    SourceReader::new(&options, &expansion, &mut seen)
        .stream(&StreamLevel::source(Some(&file)), &mut source);
    Ok(seen)
}

#[track_caller]
fn check_bomb(bytes: &[u8]) -> Result<(), InputError> {
    assert!(
        (bytes.len() as u64) < FREE_TEST_BYTES / LIMIT,
        "{}",
        bytes.len()
    );
    for threads in [1, 2] {
        let seen = seen(bytes, threads)?;
        assert_eq!(
            seen.bytes, FREE_TEST_BYTES,
            "{threads} threads: {:?}",
            seen.errors
        );
        let [(_, error)] = &seen.errors[..] else {
            panic!("{threads} threads: {:?}", seen.errors);
        };
        assert!(error.contains("1 times"), "{threads} threads: {error}");
    }
    Ok(())
}

fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes)?;
    out.finish()
}

fn zlib(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes)?;
    out.finish()
}

fn bzip2(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    out.write_all(bytes)?;
    out.finish()
}

fn xz(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = liblzma::write::XzEncoder::new(Vec::new(), 0);
    out.write_all(bytes)?;
    out.finish()
}

fn lz4(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = lz4_flex::frame::FrameEncoder::new(Vec::new());
    out.write_all(bytes)?;
    Ok(out.finish()?)
}

/// Makes enough small members for threads to share. Together they are a bomb.
fn members(pack: impl Fn(&[u8]) -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
    let filling = pack(&noise(100_000))?.repeat(35);
    let bomb = pack(&vec![b'a'; 1 << 20])?.repeat(2);
    Ok([filling, bomb].concat())
}

#[test]
fn one_stream_of_any_packing_is_stopped() -> Result<(), InputError> {
    let bytes = vec![b'a'; BOMB_BYTES];
    check_bomb(&gzip(&bytes)?)?;
    check_bomb(&zlib(&bytes)?)?;
    check_bomb(&bzip2(&bytes)?)?;
    check_bomb(&xz(&bytes)?)?;
    check_bomb(&lz4(&bytes)?)?;
    check_bomb(&zstd::encode_all(&bytes[..], 1)?)
}

#[test]
fn many_members_that_threads_share_are_stopped_as_one() -> Result<(), InputError> {
    check_bomb(&members(gzip)?)?;
    check_bomb(&members(bzip2)?)?;
    check_bomb(&members(|bytes| zstd::encode_all(bytes, 1))?)
}

/// Makes a zip of this many members of 1 MiB.
fn zip(members: usize, method: zip::CompressionMethod) -> zip::result::ZipResult<Vec<u8>> {
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..members {
        out.start_file(format!("{number}"), options)?;
        out.write_all(&vec![b'a'; 1 << 20])?;
    }
    Ok(out.finish()?.into_inner())
}

#[test]
fn members_of_a_zip_are_stopped_as_one() -> Result<(), Box<dyn std::error::Error>> {
    use zip::CompressionMethod::{Bzip2, Deflated, Zstd};
    for method in [Deflated, Bzip2, Zstd] {
        check_bomb(&zip(5, method)?)?;
    }
    Ok(())
}

#[test]
fn a_zip_whose_entries_all_lead_to_one_member_is_that_one_member()
-> Result<(), Box<dyn std::error::Error>> {
    let one = zip(1, zip::CompressionMethod::Deflated)?;
    let end = one.len() - 22;
    let start =
        u32::from_le_bytes([one[end + 16], one[end + 17], one[end + 18], one[end + 19]]) as usize;
    let entries = one[start..end].repeat(10_000);
    let mut bomb = [&one[..start], &entries, &one[end..]].concat();
    let end = bomb.len() - 22;
    bomb[end + 8..end + 10].copy_from_slice(&10_000_u16.to_le_bytes());
    bomb[end + 10..end + 12].copy_from_slice(&10_000_u16.to_le_bytes());
    bomb[end + 12..end + 16].copy_from_slice(&(entries.len() as u32).to_le_bytes());
    let seen = seen(&bomb, 1)?;
    assert!(
        seen.bytes <= FREE_TEST_BYTES,
        "{}: {:?}",
        seen.bytes,
        seen.errors.first()
    );
    assert_eq!(seen.errors.len(), 1, "{:?}", seen.errors.first());
    Ok(())
}

/// Makes a WARC file with one response.
fn response(coding: &str, body: &[u8]) -> Vec<u8> {
    let message = [
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n").as_bytes(),
        body,
    ]
    .concat();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n",
        message.len()
    );
    [head.as_bytes(), &message, b"\r\n\r\n"].concat()
}

#[test]
fn the_body_of_a_response_is_stopped_in_any_coding() -> Result<(), InputError> {
    let bytes = vec![b'a'; BOMB_BYTES];
    let (gzipped, zlibbed) = (gzip(&bytes)?, zlib(&bytes)?);
    let zstd = zstd::encode_all(&bytes[..], 1)?;
    for (coding, body) in [("gzip", &gzipped), ("deflate", &zlibbed), ("zstd", &zstd)] {
        check_bomb(&response(coding, body))?;
    }
    check_bomb(&response("zstd, gzip", &gzip(&zstd)?))
}

#[test]
fn members_past_their_limit_are_not_read_however_they_are_spread() -> Result<(), InputError> {
    let mut header = tar::Header::new_gnu();
    header.set_path("a")?;
    header.set_size(1);
    header.set_cksum();
    let mut member = [&header.as_bytes()[..], b"x"].concat();
    member.resize(1024, 0);
    let end = [0; 1024];
    let inner = gzip(&[&member.repeat(600)[..], &end].concat())?;
    header.set_size(inner.len() as u64);
    header.set_cksum();
    let mut outer = [&header.as_bytes()[..], &inner].concat();
    outer.resize(outer.len().next_multiple_of(512), 0);
    for archive in [member.repeat(1001), [&outer.repeat(2)[..], &end].concat()] {
        let seen = seen(&archive, 1)?;
        assert!((900..=1000).contains(&seen.bytes), "{}", seen.bytes);
        assert_eq!(seen.errors.len(), 1, "{:?}", seen.errors);
        assert!(seen.errors[0].1.contains("more than 1000 members"));
    }
    Ok(())
}
