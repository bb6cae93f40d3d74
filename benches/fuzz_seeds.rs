//! Writes small sources of every kind as seeds for the fuzz targets: `fuzz-seeds FOLDER` makes `FOLDER/TARGET/NAME`.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../fuzz/pdf_writer.rs"]
#[allow(dead_code)]
mod pdf_writer;
#[path = "../fuzz/seven_zip_writer.rs"]
mod seven_zip_writer;
#[path = "../fuzz/small_table.rs"]
pub mod small_table;
#[path = "../fuzz/table_writers.rs"]
#[allow(dead_code)]
pub mod table_writers;

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use pdf_writer::{PdfPage, PdfStyle, pdf};
use seven_zip_writer::{Packed, SevenZipFolder, seven_zip};

/// The name of a seed, and its bytes.
pub type Seed = (String, Vec<u8>);

/// A function that compresses.
type Pack = fn(&[u8]) -> Vec<u8>;

const TEXT: &str = "See doi:10.5555/caf\u{e9}-1, https://doi.org/10.5555/two, and more of the same, more of the same.\n";

/// A text with a name, compressed with brotli.
const BROTLI: &[u8] = b"\x8b\x04\x8010.5555/it\x03";

fn main() {
    let folder = std::env::args().nth(1).expect("fuzz-seeds FOLDER");
    for (target, seeds) in all() {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in seeds {
            fs::write(folder.join(format!("seed-{name}")), bytes).unwrap();
        }
    }
}

/// Returns the seeds of each target.
pub fn all() -> [(&'static str, Vec<Seed>); 13] {
    let archives = [tars(), zips(), warcs(), mails(), seven_zips()].concat();
    let any = [archives, codecs(), encodings(), nested()].concat();
    [
        ("input_any", all_ways(&any)),
        ("input_arrow", all_ways(&arrows())),
        ("input_codecs", kinds()),
        ("input_http", all_ways(&messages())),
        ("input_mail", all_ways(&mails())),
        ("input_members", members()),
        ("input_parquet", all_ways(&parquets())),
        ("input_pdf", all_ways(&pdfs())),
        ("input_rtf", all_ways(&rtfs())),
        ("input_seven_zip", all_ways(&seven_zips())),
        ("input_tar", all_ways(&tars())),
        ("input_warc", all_ways(&warcs())),
        ("input_zip", all_ways(&zips())),
    ]
}

/// Returns each seed twice, after different first bytes, which say how it is read.
fn all_ways(seeds: &[Seed]) -> Vec<Seed> {
    let way = |number: usize, (name, bytes): &Seed| {
        (
            format!("{name}-{number}"),
            [&[number as u8], &bytes[..]].concat(),
        )
    };
    let both = |(at, seed)| [way(at % 8, seed), way((at + 4) % 8, seed)];
    seeds.iter().enumerate().flat_map(both).collect()
}

fn named(name: &str, bytes: Vec<u8>) -> Seed {
    (name.into(), bytes)
}

/// Returns RTF with escapes, groups, fields and binary bytes.
fn rtfs() -> Vec<Seed> {
    let texts: [&[u8]; 3] = [
        b"{\\rtf1\\ansi\\ansicpg932{\\fonttbl{\\f1\\fcharset204 A;}}{\\f1\\'e9} \\'83e\\u-10179?\\u-8704?\\par 10.5555/a\\_b}",
        b"{\\rtf1{\\field{\\*\\fldinst HYPERLINK \"https://doi.org/10.5555/x\"}{\\fldrslt {\\b 10.5}555/x}}\\cell\\row}",
        b"{\\rtf1\\uc2\\u233 ab{\\pict\\bin4 }}{{}{\\footnote note}{\\info{\\title T}}\\deleted x",
    ];
    let seed = |(number, text): (usize, &&[u8])| named(&format!("rtf-{number}"), text.to_vec());
    texts.iter().enumerate().map(seed).collect()
}

/// Returns tables of every style, after the length of their metadata.
fn arrows() -> Vec<Seed> {
    let seed = |bits: u8| {
        let style = table_writers::arrow_style(bits);
        let file = table_writers::arrow(&small_table::table(), style);
        let length = (file.footer.len() as u16).to_le_bytes();
        let end = if style.stream {
            file.bytes.len()
        } else {
            file.footer.end
        };
        let bytes = [&length[..], &file.bytes[..end]].concat();
        named(&format!("arrow-{bits}"), bytes)
    };
    (0..16).map(seed).collect()
}

fn parquets() -> Vec<Seed> {
    let seed = |bits: u8| {
        let file =
            table_writers::parquet(&small_table::table(), table_writers::parquet_style(bits));
        let length = (file.footer.len() as u16).to_le_bytes();
        let bytes = [&length[..], &file.bytes[..file.footer.end]].concat();
        named(&format!("parquet-{bits}"), bytes)
    };
    (0..8).map(seed).collect()
}

/// Returns PDF files as various programs write them.
fn pdfs() -> Vec<Seed> {
    let pages = [
        PdfPage::new(
            &["See doi:10.5555/one-", "two."],
            &["https://doi.org/10.5555/one-two"],
        ),
        PdfPage::new(&["and 10.5555/three"], &[]),
    ];
    let seed = |bits: u8| {
        let style = PdfStyle {
            packed: bits & 1 > 0,
            streams: bits & 2 > 0,
            broken: bits & 4 > 0,
        };
        named(&format!("pdf-{bits}"), pdf(&pages, style))
    };
    (0..8).map(seed).collect()
}

/// Returns a message with parts of every kind, and an mbox of two.
fn mails() -> Vec<Seed> {
    let parts = "Content-Type: multipart/mixed; boundary=b\n\nbefore\n--b\nContent-Type: text/plain; charset=iso-8859-1\n\
        Content-Transfer-Encoding: quoted-printable\n\nSee 10.5555/on=\ne and =E9\n--b\nContent-Type: text/html\n\
        Content-Transfer-Encoding: base64\n\nPHA+MTAuNTU1NS90d288L3A+\nPHA+\n--b\nContent-Type: message/rfc822\n\n\
        Subject: c\nContent-Type: multipart/x; boundary=\"b b\"\n\n--b b\nContent-Disposition: attachment; filename=a.txt\n\
        \n10.5555/three\n--b b--\n--b--\nafter\n";
    let one = format!("From: a\nTo: b\nDate: c\nMIME-Version: 1.0\n{parts}");
    let several =
        format!("From a@b 10:00\nTo: b\n{parts}\nFrom a@b 10:00\r\nTo: b\r\n\r\n10.5555/four\r\n");
    vec![
        named("message", one.clone().into_bytes()),
        named("cut", one[..one.len() - 60].into()),
        named("mbox", several.into_bytes()),
    ]
}

/// Returns archives of members that are packed in several ways.
fn seven_zips() -> Vec<Seed> {
    let text = TEXT.as_bytes();
    let folder = |name, packed| SevenZipFolder {
        members: vec![(name, text)],
        packed,
    };
    let solid = SevenZipFolder {
        members: vec![("a", text), ("b", b"10.5555/b"), ("c", text)],
        packed: Packed::Lzma2,
    };
    let whole = seven_zip(
        &[
            solid,
            folder("stored", Packed::Stored),
            folder("bz", Packed::As(&[(&[4, 2, 2], &[])], bzip2(text))),
            folder("zst", Packed::As(&[(&[4, 0xf7, 0x11, 1], &[])], zstd(text))),
            folder(
                "x86",
                Packed::As(&[(&[3, 3, 1, 3], &[]), (&[0], &[])], text.to_vec()),
            ),
        ],
        &["empty"],
    );
    vec![
        named("cut", whole[..whole.len() - 9].to_vec()),
        named("small", seven_zip(&[folder("s", Packed::Lzma2)], &[])),
        named(
            "ppmd",
            seven_zip(
                &[folder(
                    "p",
                    Packed::As(&[(&[3, 4, 1], &[6, 0, 8, 0, 0])], text.to_vec()),
                )],
                &[],
            ),
        ),
        named("whole", whole),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::GzBuilder::new()
        .filename("name")
        .write(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Makes a member with its size in an extra field, as bgzip writes it.
fn bgzf(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::GzBuilder::new()
        .extra(b"BC\x02\0\0\0".to_vec())
        .write(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    let mut packed = out.finish().unwrap();
    let size = (packed.len() - 1) as u16;
    packed[16..18].copy_from_slice(&size.to_le_bytes());
    packed
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = zstd::Encoder::new(Vec::new(), 3).unwrap();
    out.include_checksum(true).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut out = liblzma::write::XzEncoder::new(Vec::new(), 0);
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Makes one stream of several blocks.
fn bzip2_blocks(bytes: &[u8]) -> Vec<u8> {
    let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    for block in bytes.chunks(100) {
        out.write_all(block).unwrap();
        out.flush().unwrap();
    }
    out.finish().unwrap()
}

/// Makes one stream of several blocks, whose headers state their sizes.
fn xz_blocks(bytes: &[u8]) -> Vec<u8> {
    let stream = liblzma::stream::MtStreamBuilder::new()
        .preset(0)
        .block_size(100)
        .encoder()
        .unwrap();
    let mut out = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new()
        .content_checksum(true)
        .block_checksums(true);
    let mut out = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn old_lz4(bytes: &[u8]) -> Vec<u8> {
    let block = lz4_flex::block::compress(bytes);
    let length = (block.len() as u32).to_le_bytes();
    [b"\x02\x21\x4c\x18", &length[..], &block].concat()
}

fn skippable() -> Vec<u8> {
    b"\x5a\x2a\x4d\x18\x03\0\0\0xxx".to_vec()
}

fn utf16(big: bool) -> Vec<u8> {
    let units = ["\u{feff}", TEXT, "\u{1f600}"].concat();
    let bytes = |unit| {
        if big {
            u16::to_be_bytes(unit)
        } else {
            u16::to_le_bytes(unit)
        }
    };
    units.encode_utf16().flat_map(bytes).collect()
}

fn utf32(big: bool) -> Vec<u8> {
    let text = ["\u{feff}", TEXT, "\u{1f600}"].concat();
    let bytes = |c| {
        if big {
            u32::to_be_bytes(c)
        } else {
            u32::to_le_bytes(c)
        }
    };
    text.chars().map(u32::from).flat_map(bytes).collect()
}

fn encodings() -> Vec<Seed> {
    vec![
        named("utf16le", utf16(false)),
        named("utf16be", utf16(true)),
        named("utf32le", utf32(false)),
        named("utf32be", utf32(true)),
        named("text", TEXT.into()),
        named("pdf", b"%PDF-1.4\n%\xe2\xe3\n".to_vec()),
    ]
}

/// Makes two streams, with zeros before the second.
fn twice(pack: Pack) -> Vec<u8> {
    [
        pack(TEXT.as_bytes()),
        vec![0; 4],
        pack(TEXT.repeat(9).as_bytes()),
    ]
    .concat()
}

fn codecs() -> Vec<Seed> {
    vec![
        named("zlib", zlib(TEXT.as_bytes())),
        named("xz", twice(xz)),
        named("lz4", twice(lz4)),
        named("old-lz4", old_lz4(TEXT.as_bytes())),
        named("mixed-lz4", [old_lz4(TEXT.as_bytes()), twice(lz4)].concat()),
        named(
            "skippable-zstd",
            [skippable(), zstd(TEXT.as_bytes())].concat(),
        ),
        named(
            "skippable-lz4",
            [skippable(), lz4(TEXT.as_bytes())].concat(),
        ),
        named("gzip", twice(gzip)),
        named("bgzf", twice(bgzf)),
        named("zstd", twice(zstd)),
        named("bzip2", twice(bzip2)),
    ]
}

/// Returns a seed for each kind, in the order of the list of first bytes in `check_input.rs`.
fn kinds() -> Vec<Seed> {
    let all = [
        zlib(TEXT.as_bytes()),
        twice(xz),
        twice(lz4),
        old_lz4(TEXT.as_bytes()),
        [skippable(), zstd(TEXT.as_bytes())].concat(),
        utf16(false),
        utf16(true),
        utf32(false),
        utf32(true),
        twice(gzip),
        twice(zstd),
        twice(bzip2),
    ];
    let seed = |(kind, bytes): (usize, &Vec<u8>)| {
        let way = |way| {
            (
                format!("{kind}-{way}"),
                [&[(kind << 3 | way) as u8], &bytes[..]].concat(),
            )
        };
        [way(kind % 8), way((kind + 4) % 8)]
    };
    all.iter().enumerate().flat_map(seed).collect()
}

/// Returns members of several sizes or of several blocks, one that contains others uncompressed, and one that is damaged.
fn members() -> Vec<Seed> {
    let packers: [Pack; 4] = [gzip, zstd, bzip2_blocks, xz_blocks];
    let seed = |(kind, pack): (usize, Pack)| {
        let parts: Vec<_> = (1..12)
            .map(|n| pack(TEXT.repeat(n * n % 7).as_bytes()))
            .collect();
        let good = parts.concat();
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 0x55;
        let nested = [&parts[1][..], &pack(&good), &good].concat();
        [("good", good), ("bad", bad), ("nested", nested)].map(|(name, bytes)| {
            (
                format!("{name}-{kind}"),
                [&[(kind + 12) as u8], &bytes[..]].concat(),
            )
        })
    };
    packers.into_iter().enumerate().flat_map(seed).collect()
}

fn tar_of(kind: tar::EntryType, name: &str, data: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(data.len() as u64);
    header.set_path(name).unwrap();
    header.set_cksum();
    let mut out = [header.as_bytes(), data].concat();
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

fn sparse() -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.set_path("sparse").unwrap();
    header.set_size(512 + 3);
    let gnu = header.as_gnu_mut().unwrap();
    gnu.set_real_size(3000);
    gnu.set_is_extended(true);
    gnu.sparse[0].set_offset(1000);
    gnu.sparse[0].set_length(512);
    header.set_cksum();
    let mut more = tar::GnuExtSparseHeader::new();
    more.sparse_mut()[0].set_offset(2000);
    more.sparse_mut()[0].set_length(3);
    let mut out = [header.as_bytes(), more.as_bytes(), &[b'x'; 512][..], b"yyy"].concat();
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

fn tars() -> Vec<Seed> {
    use tar::EntryType::{Directory, GNULongName, Regular, XGlobalHeader, XHeader};
    let file = |name| tar_of(Regular, name, TEXT.as_bytes());
    let end = vec![0; 1024];
    let long = "long/".repeat(40) + "name";
    vec![
        named(
            "two",
            [
                tar_of(Directory, "d/", b""),
                file("d/a"),
                file("b"),
                end.clone(),
            ]
            .concat(),
        ),
        named(
            "gnu",
            [
                tar_of(GNULongName, "././@LongLink", long.as_bytes()),
                file("short"),
                end.clone(),
            ]
            .concat(),
        ),
        named(
            "pax",
            [
                tar_of(XHeader, "pax", b"15 path=the/pax\n11 size=95\n"),
                file("a"),
                end.clone(),
            ]
            .concat(),
        ),
        named(
            "global",
            [
                tar_of(XGlobalHeader, "pax", b"13 comment=a\n"),
                file("a"),
                end.clone(),
            ]
            .concat(),
        ),
        named("sparse", [sparse(), file("after"), end.clone()].concat()),
        named(
            "nested",
            [
                tar_of(Regular, "a.gz", &gzip(TEXT.as_bytes())),
                file("b"),
                end,
            ]
            .concat(),
        ),
    ]
}

fn zip_with(
    add: impl FnOnce(&mut zip::ZipWriter<Cursor<Vec<u8>>>) -> zip::result::ZipResult<()>,
) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    add(&mut out).unwrap();
    out.finish().unwrap().into_inner()
}

fn zips() -> Vec<Seed> {
    use zip::CompressionMethod as Method;
    use zip::write::SimpleFileOptions;
    let of = |method: Method, large: bool| {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .large_file(large);
        zip_with(|out| {
            out.add_directory("d", SimpleFileOptions::default())?;
            for name in ["d/a.txt", "caf\u{e9}"] {
                out.start_file(name, options)?;
                out.write_all(TEXT.as_bytes())?;
            }
            Ok(())
        })
    };
    let streamed = {
        let mut out = zip::ZipWriter::new_stream(Vec::new());
        out.start_file("a", SimpleFileOptions::default()).unwrap();
        out.write_all(TEXT.as_bytes()).unwrap();
        out.finish().unwrap().into_inner()
    };
    let deflated = of(Method::Deflated, false);
    let cut = deflated[..deflated.len() - 30].to_vec();
    vec![
        named("stored", of(Method::Stored, false)),
        named("deflated", deflated.clone()),
        named("zip64", of(Method::Deflated, true)),
        named("bzip2", of(Method::Bzip2, false)),
        named("zstd", of(Method::Zstd, false)),
        named("streamed", streamed),
        named("cut", cut),
        named("before", [&deflated[..], &deflated].concat()),
    ]
}

fn record(kind: &str, number: usize, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/{number}\r\nWARC-Record-ID: <urn:uuid:{number}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), content, b"\r\n\r\n"].concat()
}

fn records() -> Vec<Vec<u8>> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{TEXT}");
    vec![
        record("warcinfo", 0, b"software: x\r\n"),
        record("response", 1, http.as_bytes()),
        record("conversion", 2, TEXT.as_bytes()),
        record("metadata", 3, b"{}"),
        record("request", 4, b"GET / HTTP/1.1\r\n\r\n"),
        record("resource", 5, TEXT.as_bytes()),
    ]
}

fn warcs() -> Vec<Seed> {
    let whole = records().concat();
    let replaced = |from: &str, to: &str| {
        String::from_utf8(whole.clone())
            .unwrap()
            .replacen(from, to, 1)
            .into_bytes()
    };
    let length = format!("Content-Length: {}", TEXT.len());
    vec![
        named("whole", whole.clone()),
        named("cut", whole[..whole.len() - 40].to_vec()),
        named("short", replaced(&length, "Content-Length: 10")),
        named("long", replaced(&length, "Content-Length: 300")),
        named("huge", replaced(&length, "Content-Length: 99999999")),
        named("without", replaced(&length, "Content-Type: a/b")),
        named(
            "folded",
            replaced("\r\nContent-Length", "\r\n folded\r\ncontent-length"),
        ),
        named("segments", segments()),
    ]
}

/// Makes a response in two segments.
fn segments() -> Vec<u8> {
    let message = [
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
        &gzip(TEXT.as_bytes())[..],
    ]
    .concat();
    let (first, second) = message.split_at(80);
    let segment = |kind: &str, more: &str, content: &[u8]| {
        let length = content.len();
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: u\r\n{more}Content-Length: {length}\r\n\r\n"
        );
        [head.as_bytes(), content, b"\r\n\r\n"].concat()
    };
    let next =
        "WARC-Segment-Origin-ID: <a>\r\nWARC-Segment-Number: 2\r\nWARC-Segment-Total-Length: 9\r\n";
    [
        segment(
            "response",
            "WARC-Record-ID: <a>\r\nWARC-Segment-Number: 1\r\n",
            first,
        ),
        segment("continuation", next, second),
    ]
    .concat()
}

fn chunked(bytes: &[u8]) -> Vec<u8> {
    in_chunks(bytes, 50)
}

fn in_chunks(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(size) {
        out.extend(format!("{:X};ext=1\r\n", chunk.len()).bytes());
        out.extend(chunk);
        out.extend(b"\r\n");
    }
    out.extend(b"0\r\nTrailer: x\r\n\r\n");
    out
}

fn messages() -> Vec<Seed> {
    let text = TEXT.repeat(3).into_bytes();
    let deflated = zlib(&text)[2..].to_vec();
    let all = [
        ("plain", "", text.clone()),
        ("chunked", "Transfer-Encoding: chunked\r\n", chunked(&text)),
        ("gzip", "Content-Encoding: gzip\r\n", gzip(&text)),
        ("deflate", "Content-Encoding: deflate\r\n", zlib(&text)),
        ("raw", "Content-Encoding: deflate\r\n", deflated.clone()),
        ("br", "Content-Encoding: br\r\n", BROTLI.to_vec()),
        ("zstd", "Content-Encoding: zstd\r\n", zstd(&text)),
        (
            "both",
            "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
            chunked(&gzip(&text)),
        ),
        (
            "four",
            "Content-Encoding: zstd, deflate, gzip, chunked\r\n",
            chunked(&gzip(&zlib(&zstd(&text)))),
        ),
        (
            "single-bytes",
            "Content-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n",
            in_chunks(&deflated, 1),
        ),
    ];
    let seed = |(name, headers, body): (&str, &str, Vec<u8>)| {
        let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
        named(name, [head.as_bytes(), &body].concat())
    };
    let mut seeds: Vec<Seed> = all.into_iter().map(seed).collect();
    let interim = [b"HTTP/1.1 100 Continue\r\n\r\n", &seeds[2].1[..]].concat();
    seeds.push(named("interim", interim));
    seeds
}

fn nested() -> Vec<Seed> {
    let first = |seeds: Vec<Seed>| seeds.into_iter().next().unwrap_or_default().1;
    let zip = zip_with(|out| {
        let stored = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        out.start_file("a.tar", stored)?;
        out.write_all(&first(tars()))?;
        Ok(())
    });
    let tar = tar_of(tar::EntryType::Regular, "a.zip", &first(zips()));
    let by_record = |pack: Pack| {
        records()
            .iter()
            .flat_map(|record| pack(record))
            .collect::<Vec<_>>()
    };
    vec![
        named("tar-gz", gzip(&first(tars()))),
        named("tar-in-zip", zip.clone()),
        named("zip-in-tar-zst", zstd(&tar)),
        named("warc-gz", by_record(gzip)),
        named("warc-zst", by_record(zstd)),
        named("warc-bz2", by_record(bzip2)),
        named("zip-in-warc", record("resource", 1, &zip)),
        named("deep", gzip(&xz(&lz4(&gzip(&zstd(TEXT.as_bytes())))))),
        named("utf16-gz", gzip(&utf16(true))),
    ]
}
