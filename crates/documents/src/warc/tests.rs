//! Undamaged and damaged records, and bodies in their codings.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::content::MAX_BUFFERED_BYTES;
use crate::ReadOptions;
use crate::container::StreamLevel;
use crate::documents::{DocumentHead, DocumentSink};
use crate::expansion::Expansion;
use crate::fault::InputError;
use crate::read::ReadBytes;
use crate::source_reader::SourceReader;

/// Documents and losses that reading a file reports.
#[derive(Debug, Default, PartialEq)]
struct Reported {
    documents: Vec<(String, Vec<u8>)>,
    /// Name, offset and error.
    losses: Vec<(String, u64, String)>,
    /// Size of the reads from a document.
    step: usize,
}

impl DocumentSink for Reported {
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        let mut text = Vec::new();
        let mut buffer = vec![0; self.step];
        loop {
            match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => text.extend_from_slice(&buffer[..read]),
                Err(error) => self.report_loss(head.name.clone(), text.len() as u64, error),
            }
        }
        self.documents.push((head.name.unwrap().to_string(), text));
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        let name = name.as_deref().unwrap_or("the file").to_owned();
        self.losses.push((name, offset, error.to_string()));
    }

    fn skip(&mut self, _: Option<Arc<str>>, _: &'static str) {}

    fn is_halted(&self) -> bool {
        false
    }
}

/// A stream in pieces, with damage between them.
struct DamagedStream<'b> {
    pieces: VecDeque<&'b [u8]>,
    step: usize,
}

impl ReadBytes for DamagedStream<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let Some(piece) = self.pieces.front_mut() else {
            return Ok(0);
        };
        let max = into.len().min(self.step);
        let read = piece.read(&mut into[..max])?;
        if read > 0 {
            return Ok(read);
        }
        self.pieces.pop_front();
        if self.pieces.is_empty() {
            Ok(0)
        } else {
            Err(InputError::Shrunk)
        }
    }
}

/// Reads `pieces` with damage between them, by reads of `step` bytes.
fn reported(pieces: &[&[u8]], step: usize) -> Reported {
    let bytes = AtomicU64::new(0);
    let options = ReadOptions::for_tests(&bytes);
    let mut reported = Reported {
        step,
        ..Reported::default()
    };
    let mut stream = DamagedStream {
        pieces: pieces.iter().copied().collect(),
        step,
    };
    let expansion = Expansion::new(1000, 0);
    super::read_records(
        &mut SourceReader::new(&options, &expansion, &mut reported),
        &StreamLevel::source(None),
        options.limits.window,
        false,
        &mut stream,
    );
    reported
}

fn record_with(kind: &str, uri: &str, more: &str, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Record-ID: <urn:uuid:1>\r\n{more}Content-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    record.extend(content);
    record.extend(b"\r\n\r\n");
    record
}

fn record(uri: &str, content: &[u8]) -> Vec<u8> {
    record_with("conversion", uri, "", content)
}

/// Makes a record with this Content-Length, which may be wrong.
fn record_of_length(uri: &str, content: &[u8], length: &str) -> Vec<u8> {
    let right = format!("\r\nContent-Length: {}", content.len());
    replaced(&record(uri, content), &right, length)
}

fn replaced(bytes: &[u8], what: &str, with: &str) -> Vec<u8> {
    let at = memchr::memmem::find(bytes, what.as_bytes()).unwrap();
    [&bytes[..at], with.as_bytes(), &bytes[at + what.len()..]].concat()
}

fn response(headers: &str, body: &[u8]) -> Vec<u8> {
    let message = [format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat();
    let kind = "Content-Type: application/http; msgtype=response\r\n";
    record_with("response", "http://a/", kind, &message)
}

/// Returns the only document of a file, and the losses.
fn body(file: &[u8]) -> (Vec<u8>, Vec<(String, u64, String)>) {
    let mut all = reported(&[file], 7);
    assert_eq!(all, reported(&[file], 1 << 20).stepped(7));
    assert_eq!(all.documents.len(), 1, "{all:?}");
    (all.documents.remove(0).1, all.losses)
}

impl Reported {
    fn stepped(mut self, step: usize) -> Self {
        self.step = step;
        self
    }

    fn names(&self) -> Vec<&str> {
        self.documents
            .iter()
            .map(|document| document.0.as_str())
            .collect()
    }
}

const GOOD: &str = "text, or 10.5555/it";

/// Reads `bad` between two records, which must be undamaged in the result.
fn between(bad: &[u8]) -> Reported {
    let file = [
        &record("a", GOOD.as_bytes())[..],
        bad,
        &record("z", GOOD.as_bytes()),
    ]
    .concat();
    let mut all = reported(&[&file], 1 << 20);
    for step in [1, 9, 4096] {
        assert_eq!(
            reported(&[&file], step).stepped(1 << 20),
            all,
            "read by {step}"
        );
    }
    for at in [0, all.documents.len() - 1] {
        assert_eq!(all.documents[at].1, GOOD.as_bytes(), "{all:?}");
    }
    assert_eq!(all.documents.remove(0).0, "a");
    assert_eq!(all.documents.pop().unwrap().0, "z");
    all
}

fn start_of_second() -> u64 {
    record("a", GOOD.as_bytes()).len() as u64
}

#[test]
fn documents_are_the_contents_of_four_types_and_others_are_passed_over() {
    let mut file = Vec::new();
    for kind in [
        "warcinfo",
        "response",
        "request",
        "Resource",
        "revisit",
        "metadata",
        "conversion",
        "new",
    ] {
        file.extend(record_with(
            kind,
            kind,
            "Content-Type: text/plain\r\n",
            kind.as_bytes(),
        ));
    }
    let all = reported(&[&file], 100);
    assert_eq!(
        all.names(),
        ["response", "Resource", "metadata", "conversion"]
    );
    assert!(
        all.documents
            .iter()
            .all(|(name, text)| name.as_bytes() == text)
    );
    assert_eq!(all.losses, []);
}

#[test]
fn names_are_the_target_without_brackets_or_the_records_number() {
    let file = [
        record("<http://a/>", b""),
        replaced(&record("http://b/", b""), "http://b/", "http://b/\r\n \tx"),
        record_with("request", "c", "", b""),
        replaced(&record("d", b""), "WARC-Target-URI: d\r\n", ""),
        record("http://e/\u{fc}", b""),
    ];
    let all = reported(&[&file.concat()], 100);
    assert_eq!(
        all.names(),
        ["http://a/", "http://b/ x", "#4", "http://e/\u{fc}"]
    );
    let latin = record("?", b"").into_iter();
    let latin: Vec<u8> = latin.map(|b| if b == b'?' { 0xfc } else { b }).collect();
    assert_eq!(reported(&[&latin], 100).names(), ["\\xFC"]);
}

#[test]
fn headers_may_be_of_any_version_in_any_case_folded_and_end_in_lf() {
    for version in ["0.17", "0.18", "1.0", "1.1"] {
        for end in ["\r\n", "\n"] {
            let header = format!(
                "WARC/{version}\nwarc-type:RESOURCE\nX-A: b\n c: d\ncontent-length  :\n 3 \n\n"
            );
            let file = format!("{header}abc\n\n{header}def\n\n").replace('\n', end);
            let all = reported(&[file.as_bytes()], 100);
            assert_eq!(
                all.documents,
                [
                    ("#1".into(), b"abc".to_vec()),
                    ("#2".into(), b"def".to_vec())
                ]
            );
            assert_eq!(all.losses, []);
        }
    }
}

#[test]
fn fewer_or_more_line_ends_between_records_cost_nothing() {
    for ends in ["", "\n", "\r\n", "\n\n", "\r\n\r\n\r\n", "\r\n\r\n\n\n\n\n"] {
        let one = record("x", b"abc");
        let file = [&one[..one.len() - 4], ends.as_bytes()].concat();
        let all = between(&file);
        assert_eq!(all.documents, [("x".into(), b"abc".to_vec())], "{ends:?}");
        assert_eq!(all.losses, []);
    }
}

#[test]
fn a_record_that_holds_a_warc_is_one_document() {
    let inner = [
        b"see:\r\n\r\n".to_vec(),
        record("in", b"one"),
        record("in", b"two"),
    ]
    .concat();
    let all = between(&record("x", &inner));
    assert_eq!(all.documents, [("x".into(), inner)]);
    assert_eq!(all.losses, []);
}

#[test]
fn a_record_whose_length_is_wrong_is_lost_and_reported_of_once() {
    let content = b"first line\r\n\r\nsecond line, third line";
    for (length, error) in [
        (
            "\r\nContent-Length: 12",
            "the record does not end where its Content-Length, 12, says",
        ),
        (
            "\r\nContent-Length: 60",
            "the record does not end where its Content-Length, 60, says",
        ),
        (
            "\r\nContent-Length: 300000",
            "the record does not end where its Content-Length, 300000, says",
        ),
        ("", "the record has no WARC-Type or no valid Content-Length"),
        (
            "\r\nContent-Length: 3x",
            "the record has no WARC-Type or no valid Content-Length",
        ),
        (
            "\r\nContent-Length: -3",
            "the record has no WARC-Type or no valid Content-Length",
        ),
        (
            "\r\nContent-Length: 99999999999999999999",
            "the record has no WARC-Type or no valid Content-Length",
        ),
    ] {
        let all = between(&record_of_length("x", content, length));
        assert_eq!(all.documents, [], "{length:?}");
        assert_eq!(
            all.losses,
            [("x".into(), start_of_second(), error.into())],
            "{length:?}"
        );
    }
}

#[test]
fn an_absurd_length_ends_the_record_where_another_starts() {
    let all = between(&record_of_length(
        "x",
        b"some text",
        "\r\nContent-Length: 9999999999999",
    ));
    assert_eq!(all.documents, [("x".into(), b"some text".to_vec())]);
    let error = "the record does not end where its Content-Length, 9999999999999, says";
    assert_eq!(all.losses, [("x".into(), 9, error.into())]);
}

#[test]
fn a_damaged_header_costs_its_record_alone() {
    let one = record("x", b"some text");
    for (what, with, error) in [
        ("WARC/1.0", "WARC/1x0", "no WARC record starts here"),
        ("WARC/1.0", "\0\0\0\0\0\0\0\0", "no WARC record starts here"),
        ("WARC-Record", "WARC\0Record", "no WARC record starts here"),
        (
            "WARC-Type:",
            "WARC-Kind:",
            "the record has no WARC-Type or no valid Content-Length",
        ),
    ] {
        let all = between(&replaced(&one, what, with));
        assert_eq!(all.documents, [], "{with:?}");
        let name = if error.contains("starts here") {
            "#2"
        } else {
            "x"
        };
        assert_eq!(
            all.losses,
            [(name.into(), start_of_second(), error.into())],
            "{with:?}"
        );
    }
}

#[test]
fn bytes_between_records_are_reported_of_once() {
    let all = between(b"");
    assert_eq!((all.documents, all.losses), (vec![], vec![]));
    let file = [
        record("a", b"one"),
        b"WARC-Garbage\r\nWARC/1.0\r\n".repeat(3),
        record("b", b"two"),
    ];
    let all = reported(&[&file.concat()], 100);
    assert_eq!(all.names(), ["a", "b"]);
    assert_eq!(
        all.losses,
        [(
            "#2".into(),
            file[0].len() as u64,
            "no WARC record starts here".into()
        )]
    );
}

#[test]
fn damage_of_the_stream_cuts_the_record_it_hits_and_is_reported_of_once() {
    let (first, bad, last) = (
        record("a", b"one"),
        record("x", b"some text"),
        record("z", b"two"),
    );
    let file = [&first[..], &bad].concat();
    for cut in 0..bad.len() {
        let all = reported(&[&file[..first.len() + cut], &last], 5);
        let names = all.names();
        assert!(
            names[0] == "a" && names[names.len() - 1] == "z",
            "cut at {cut}: {all:?}"
        );
        assert_eq!(all.documents[names.len() - 1].1, b"two");
        let [(name, offset, error)] = &all.losses[..] else {
            panic!("cut at {cut}: {all:?}")
        };
        assert!(error.contains("shorter"));
        let header = bad.len() - "some text\r\n\r\n".len();
        match cut.checked_sub(header) {
            Some(of @ 0..9) => {
                assert_eq!(all.documents[1].1, b"some text"[..of]);
                assert_eq!((name.as_str(), *offset), ("x", of as u64));
            }
            _ => {
                assert_eq!(names.len(), 2 + usize::from(cut > header), "cut at {cut}");
                let number = if cut < header { "#2" } else { "#3" };
                assert_eq!(name, number, "cut at {cut}");
                assert!(*offset <= (first.len() + cut) as u64 && *offset >= first.len() as u64);
            }
        }
    }
}

#[test]
fn after_damage_the_next_sure_start_is_looked_for() {
    let (first, last) = (record("a", b"one"), record("z", b"two"));
    let rest = b"and the rest of it WARC/1.0\r\n\r\n";
    let all = reported(
        &[&first[..first.len() - 6], &[&rest[..], &last].concat()],
        100,
    );
    assert_eq!(
        all.documents,
        [("a".into(), b"o".to_vec()), ("z".into(), b"two".to_vec())]
    );
    assert_eq!(all.losses.len(), 1);
    let all = reported(&[&first, b"", b"xxxx", &last], 100);
    assert_eq!(all.names(), ["a", "z"]);
    let shorter = "the file became shorter while it was read".to_owned();
    let at = |offset| {
        (
            "#2".to_owned(),
            first.len() as u64 + offset,
            shorter.clone(),
        )
    };
    assert_eq!(all.losses, [at(0), at(0), at(4)]);
}

#[test]
fn a_file_cut_short_anywhere_gives_what_is_there_and_one_error() {
    let first = record("a", b"one");
    let file = [&first[..], &record("x", b"some text")].concat();
    let header = file.len() - "some text\r\n\r\n".len();
    for end in first.len() + 1..file.len() - 4 {
        let all = reported(&[&file[..end]], 100);
        assert_eq!(
            all.documents[0],
            ("a".into(), b"one".to_vec()),
            "cut at {end}"
        );
        match end.checked_sub(header) {
            Some(of) => {
                assert_eq!(all.documents[1].1, b"some text"[..of]);
                let error = format!("the record breaks off {} bytes before its end", 9 - of);
                assert_eq!(all.losses, [("x".into(), of as u64, error)]);
            }
            None => {
                let error = "no WARC record starts here".to_owned();
                assert_eq!(
                    all.losses,
                    [("#2".into(), first.len() as u64, error)],
                    "cut at {end}"
                );
            }
        }
    }
    assert_eq!(reported(&[&file[..file.len() - 3]], 100).losses, []);
}

#[test]
fn a_passed_record_that_breaks_off_is_reported_of_by_name() {
    let file = record_with("request", "x", "", b"some text");
    let all = reported(&[&file[..file.len() - 6]], 100);
    let error = "the record breaks off 2 bytes before its end".to_owned();
    assert_eq!(
        (all.documents, all.losses),
        (vec![], vec![("x".into(), 0, error)])
    );
}

#[test]
fn a_flipped_byte_costs_no_other_record() {
    let names = ["a", "b", "c"];
    let records = names.map(|name| record(name, format!("text\r\n\r\nof {name}").as_bytes()));
    let file = records.concat();
    let ends = [
        records[0].len(),
        records[0].len() + records[1].len(),
        file.len(),
    ];
    for at in 0..file.len() {
        for flip in [1, 0x20, 0x80] {
            let mut flipped = file.clone();
            flipped[at] ^= flip;
            let all = reported(&[&flipped], 50);
            let hit = ends.iter().position(|end| at < *end).unwrap();
            for (n, name) in names.iter().enumerate().filter(|(n, _)| *n != hit) {
                let whole = (
                    (*name).to_owned(),
                    format!("text\r\n\r\nof {name}").into_bytes(),
                );
                assert!(
                    all.documents.contains(&whole),
                    "{at} ^ {flip:x}, {n}: {all:?}"
                );
            }
            assert!(all.losses.len() <= 1, "{at} ^ {flip:x}: {all:?}");
        }
    }
}

#[test]
fn a_long_record_is_handed_out_whole_even_with_what_looks_like_starts_in_it() {
    let mut content = b"some text WARC/1.0\r\n\r\nWARC/1.0\r\nno header\r\n\r\n".repeat(1000);
    content.resize(MAX_BUFFERED_BYTES as usize + 1000, b'x');
    content.extend(b"\r\n\r\nWARC/1.0\r\n");
    let file = [
        record("a", b"one"),
        record("x", &content),
        record("z", b"two"),
    ]
    .concat();
    let all = reported(&[&file], 100_000);
    assert_eq!(all.names(), ["a", "x", "z"]);
    assert!(all.documents[1].1 == content);
    assert_eq!(all.losses, []);
}

#[test]
fn a_long_record_of_wrong_length_is_reported_of_by_its_document() {
    let content = vec![b'x'; MAX_BUFFERED_BYTES as usize + 1000];
    let right = format!("\r\nContent-Length: {}", content.len());
    for (off, kept) in [
        (-10, content.len() - 10),
        (10, content.len()),
        (1 << 20, content.len()),
    ] {
        let length = format!("\r\nContent-Length: {}", content.len() as i64 + off);
        let bad = replaced(&record("x", &content), &right, &length);
        let file = [&record("a", b"one")[..], &bad, &record("z", b"two")].concat();
        let all = reported(&[&file], 100_000);
        assert_eq!(all.names(), ["a", "x", "z"]);
        assert!(all.documents[1].1.starts_with(&content[..kept]));
        assert_eq!(all.losses.len(), 1, "{:?}", all.losses);
        assert_eq!(all.losses[0].0, "x");
    }
}

#[test]
fn starts_and_more_starts_are_read_in_linear_time() {
    let claims =
        |length: u64| format!("WARC/1.0\r\nWARC-Type: a\r\nContent-Length: {length}\r\n\r\n");
    for part in [
        "WARC/1.0\r\n",
        "WARC/",
        "WARC/1.0\r\nA: ",
        "WARC/1.0\r\nA: WARC/1.0\r\n b",
        "\n\nWARC/1.0\r\n",
    ] {
        let file = [
            &record("a", b"one")[..],
            &part.repeat(200_000).into_bytes(),
            &record("z", b"two"),
        ]
        .concat();
        let all = reported(&[&file], 1 << 20);
        assert_eq!(all.names().first(), Some(&"a"), "{part:?}");
    }
    for length in [100, 1 << 20, 1 << 40] {
        let file = claims(length).repeat(10_000).into_bytes();
        assert_eq!(reported(&[&file], 1 << 20).losses.len(), 10_000);
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let zlib = zlib(bytes);
    zlib[2..zlib.len() - 4].to_vec()
}

fn chunked(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(100) {
        out.extend(format!("{:X};ext=1\r\n", chunk.len()).bytes());
        out.extend(chunk);
        out.extend(b"\r\n");
    }
    out.extend(b"0\r\nTrailer: x\r\n\r\n");
    out
}

fn text() -> Vec<u8> {
    b"a text of some length, a text of some length, and 10.5555/it again; ".repeat(4)
}

/// [`text`], packed by the program brotli.
const BROTLI: &[u8] = b"\x1b\x0f\x01\x00\x04\xfe\xf3\x96\xea[7\x08?i\xc9\xe6l\x02\x17\\\xd0\xd40\x14\xd4d\xba\xba\xb0\x94\r\xc2~\xe0\x8b\xe7\xc7\x90Q\x02\xf5;i5KR\xd9\xb1k\xd8\xd0\xe9\x00";

/// Headers, and a body that is [`text`] in the codings they state.
fn coded() -> Vec<(&'static str, Vec<u8>)> {
    let text = text();
    let zstd = zstd::encode_all(&text[..], 1).unwrap();
    let halves = [&text[..99], &text[99..]];
    vec![
        ("Transfer-Encoding: chunked\r\n", chunked(&text)),
        ("Content-Encoding: gzip\r\n", gzip(&text)),
        ("content-encoding:X-GZIP\r\n", halves.map(gzip).concat()),
        ("Content-Encoding: deflate\r\n", zlib(&text)),
        ("Content-Encoding: deflate\r\n", deflate(&text)),
        ("Content-Encoding: br\r\n", BROTLI.to_vec()),
        ("Content-Encoding: zstd\r\n", zstd.clone()),
        (
            "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n",
            chunked(&gzip(&text)),
        ),
        (
            "Content-Encoding: br\r\nTransfer-Encoding: gzip, chunked\r\n",
            chunked(&gzip(BROTLI)),
        ),
        (
            "Content-Encoding: zstd\r\nContent-Encoding: deflate, gzip\r\n",
            gzip(&zlib(&zstd)),
        ),
    ]
}

#[test]
fn codings_of_a_body_are_undone_the_last_applied_first() {
    for (headers, packed) in coded() {
        assert_eq!(
            body(&response(headers, &packed)),
            (text(), vec![]),
            "{headers}"
        );
    }
    let short = body(&response(
        "Content-Encoding: br\r\n",
        b"\x8b\x04\x8010.5555/it\x03",
    ));
    assert_eq!(short, (b"10.5555/it".to_vec(), vec![]));
}

#[test]
fn a_body_that_does_not_look_like_its_headers_is_taken_as_it_is() {
    let bodies: [&[u8]; 5] = [b"", b"x", b"feed\n", b"x^2 + y^2 = z^2", &text()];
    for (headers, _) in coded() {
        for plain in bodies {
            assert_eq!(
                body(&response(headers, plain)),
                (plain.to_vec(), vec![]),
                "{headers}"
            );
        }
    }
    let zipped = gzip(&text());
    assert_eq!(
        body(&response("Content-Encoding: br, UTF-8\r\n", &zipped)).0,
        text()
    );
}

#[test]
fn a_body_that_breaks_off_or_is_damaged_gives_what_came_before_and_one_error() {
    for (headers, packed) in coded() {
        // Except at the end of a whole member.
        let whole = gzip(&text()[..99]).len();
        for cut in (20..packed.len() - 16).filter(|cut| *cut != whole) {
            let (kept, losses) = body(&response(headers, &packed[..cut]));
            assert!(text().starts_with(&kept), "{headers}, cut at {cut}");
            assert_eq!(losses.len(), 1, "{headers}, cut at {cut}: {losses:?}");
            assert_eq!(
                (losses[0].0.as_str(), losses[0].1),
                ("http://a/", kept.len() as u64)
            );
        }
    }
    let mut wrong = gzip(&text());
    let crc = wrong.len() - 6;
    wrong[crc] ^= 1;
    let error = "the gzip data of the HTTP body is cut or damaged".to_owned();
    let reported = vec![("http://a/".to_owned(), text().len() as u64, error)];
    assert_eq!(
        body(&response("Content-Encoding: gzip\r\n", &wrong)),
        (text(), reported)
    );
}

#[test]
fn all_that_came_before_damage_of_the_stream_is_decoded() {
    let one = text().repeat(1000);
    let zstd = zstd::encode_all(&one[..], 1).unwrap();
    for (headers, packed) in [("gzip", gzip(&one)), ("zstd", zstd)] {
        let file = response(&format!("Content-Encoding: {headers}\r\n"), &packed);
        let cut = file.len() - 12;
        let all = reported(&[&file[..cut], &record("z", b"two")], 1000);
        assert!(all.documents[0].1.len() > one.len() / 2, "{headers}");
        assert!(one.starts_with(&all.documents[0].1));
        assert_eq!(all.names(), ["http://a/", "z"]);
        let error = "the file became shorter while it was read".to_owned();
        assert_eq!(
            all.losses,
            [("http://a/".into(), all.documents[0].1.len() as u64, error)]
        );
    }
}

#[test]
fn http_headers_are_parted_from_the_body_where_there_are_any() {
    let http = "Content-Type: application/http\r\n";
    for (kind, more, content, expected) in [
        (
            "response",
            http,
            "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\nmore",
            "body\r\n\r\nmore",
        ),
        ("response", "", "http/1.0 200\nA: b\n\nbody", "body"),
        ("resource", http, "HTTP/2 200\r\n\r\nbody", "body"),
        (
            "resource",
            "",
            "HTTP/2 200\r\n\r\nbody",
            "HTTP/2 200\r\n\r\nbody",
        ),
        (
            "response",
            http,
            "HTTP/1.1 200 OK\r\nno end",
            "HTTP/1.1 200 OK\r\nno end",
        ),
        ("response", http, "<p>\n\nbody", "<p>\n\nbody"),
        ("response", http, "", ""),
        (
            "response",
            "Content-Type: text/dns\r\n",
            "HTTP/1.1\n\nx",
            "HTTP/1.1\n\nx",
        ),
    ] {
        let (text, losses) = body(&record_with(kind, "x", more, content.as_bytes()));
        assert_eq!((str::from_utf8(&text).unwrap(), losses), (expected, vec![]));
    }
}

#[test]
fn a_flipped_byte_of_a_coded_body_harms_no_other_record() {
    for (headers, packed) in coded() {
        let first = response(headers, &packed);
        let file = [&first[..], &record("z", b"two")].concat();
        for at in first.len() - packed.len() - 4..first.len() - 4 {
            let mut flipped = file.clone();
            flipped[at] ^= 0x11;
            let all = reported(&[&flipped], 64);
            assert_eq!(all.names(), ["http://a/", "z"], "{headers}, {at}");
            assert_eq!(all.documents[1].1, b"two");
        }
    }
}

#[test]
fn a_type_with_one_wrong_byte_is_reported_and_one_of_another_kind_passed_over() {
    let one = record("x", b"some text");
    for (with, reported) in [("conversiom", 1), ("conversio", 1), ("other", 0)] {
        let all = between(&replaced(&one, "conversion", with));
        assert_eq!(all.documents, [], "{with}");
        assert_eq!(all.losses.len(), reported, "{with}");
    }
}

#[test]
fn a_body_that_wants_more_memory_than_allowed_is_reported_so() {
    let text = b"<p>a body</p>".repeat(1000);
    let mut out = zstd::Encoder::new(Vec::new(), 1).unwrap();
    out.window_log(28).unwrap();
    out.write_all(&text).unwrap();
    let packed = out.finish().unwrap();
    let (bytes, losses) = body(&response("Content-Encoding: zstd\r\n", &packed));
    let error = "the zstd data needs more than 134217728 bytes of memory; --max-window allows more";
    assert_eq!(
        (bytes, losses),
        (vec![], vec![("http://a/".into(), 0, error.into())])
    );
}

mod bodies;
mod segments;
