//! WARC: HTTP bodies as servers send them, and records in segments.

use std::io::Write;

use crate::place::{Place, gzip, zlib, zstd};

const NAME: &str = "10.5555/in-the-body";

fn text() -> Vec<u8> {
    format!("A body with {NAME} in it, and some more of the same, more of the same.\n").into()
}

fn record(kind: &str, uri: &str, more: &str, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: {uri}\r\n{more}Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), content, b"\r\n\r\n"].concat()
}

fn response(uri: &str, message: &[u8]) -> Vec<u8> {
    let more = "Content-Type: application/http;msgtype=response\r\n";
    record("response", uri, more, message)
}

/// Returns the body in chunks: the first of `first` bytes, all others of `rest` bytes.
fn chunked(body: &[u8], first: usize, rest: usize) -> Vec<u8> {
    let (start, end) = body.split_at(first.min(body.len()));
    let mut out = Vec::new();
    for chunk in std::iter::once(start).chain(end.chunks(rest)) {
        if !chunk.is_empty() {
            let size = format!("{:x}\r\n", chunk.len());
            out.extend([size.as_bytes(), chunk, b"\r\n"].concat());
        }
    }
    out.extend(b"0\r\n\r\n");
    out
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::default();
    let mut out = flate2::write::DeflateEncoder::new(Vec::new(), level);
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn a_chunked_body_is_read_whatever_the_size_of_its_first_chunk() {
    let place = Place::new();
    for (coding, packed) in [
        ("deflate", deflate(&text())),
        ("deflate", zlib(text())),
        ("gzip", gzip(text())),
        ("zstd", zstd(text())),
        ("deflate, gzip", gzip(deflate(&text()))),
        ("gzip, deflate", deflate(&gzip(text()))),
    ] {
        let mut file = Vec::new();
        for first in 1..=8 {
            for rest in 1..=8 {
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nTransfer-Encoding: chunked\r\n\r\n"
                );
                let message = [head.as_bytes(), &chunked(&packed, first, rest)].concat();
                file.extend(response(&format!("u{first}{rest}"), &message));
            }
        }
        place.file("in.warc", file);
        let seen = place.scan("in.warc --mentions").quiet();
        assert_eq!(seen.field("doi"), [NAME; 64], "{coding}");
        assert_eq!(seen.field("offset"), ["12"; 64], "{coding}");
    }
}

#[test]
fn an_empty_chunked_body_is_no_error() {
    let place = Place::new();
    let head =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n";
    let message = [&head[..], &chunked(&deflate(b""), 1, 1)].concat();
    place.file("in.warc", response("u", &message));
    assert_eq!(place.scan("in.warc -f names").quiet().out, "");
}

#[test]
fn interim_responses_do_not_hide_the_response() {
    let place = Place::new();
    let head = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    place.file(
        "in.warc",
        response("u", &[head.as_bytes(), &gzip(text())].concat()),
    );
    let seen = place.scan("in.warc --mentions").quiet();
    assert_eq!(
        (seen.field("doi"), seen.field("offset")),
        (vec![NAME.into()], vec!["12".into()])
    );
}

/// Returns a response in two segments, split at byte `at` of its message.
fn segments(at: usize) -> [Vec<u8>; 2] {
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let message = [&head[..], &gzip(text())].concat();
    let first = "Content-Type: application/http;msgtype=response\r\nWARC-Segment-Number: 1\r\n";
    let length = message.len();
    let next = format!(
        "WARC-Segment-Number: 2\r\nWARC-Segment-Origin-ID: <urn:uuid:1>\r\nWARC-Segment-Total-Length: {length}\r\n"
    );
    [
        record("response", "u", first, &message[..at]),
        record("continuation", "u", &next, &message[at..]),
    ]
}

#[test]
fn continuation_segments_are_joined_where_they_follow() {
    let place = Place::new();
    for at in [10, 44, 60, 100] {
        let parts = segments(at);
        for file in [parts.concat(), parts.clone().map(gzip).concat()] {
            place.file("in", file);
            for threads in ["-j1", "-j2"] {
                let seen = place.scan(&format!("in --mentions {threads}")).quiet();
                assert_eq!(seen.field("doi"), [NAME], "cut at {at}");
                assert_eq!(seen.field("offset"), ["12"], "cut at {at}");
            }
        }
    }
}

#[test]
fn continuation_segments_elsewhere_are_reported() {
    let place = Place::new();
    let [first, next] = segments(60);
    place.file("a.warc", first).file("b.warc", next);
    let seen = place.scan("a.warc b.warc -f names --report r.json");
    assert_eq!(seen.code, Some(1));
    let mut lines: Vec<_> = seen.err.lines().collect();
    lines.sort();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("doisift: a.warc: u: at byte "),
        "{lines:?}"
    );
    assert!(lines[0].contains("the record continues in a segment that does not follow it"));
    assert!(lines[1].starts_with("doisift: b.warc: u: at byte 0: this segment of a record"));
    assert_eq!(place.json("r.json")["errors"]["count"], 2);
}
