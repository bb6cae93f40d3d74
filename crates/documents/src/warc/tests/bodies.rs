//! Bodies in small chunks, and interim responses.

use super::*;

/// Returns every division of eight bytes into pieces, and pieces of one size after a first one. The last size repeats.
fn cuts() -> Vec<Vec<usize>> {
    let mut cuts = Vec::new();
    for bits in 0..128u32 {
        let mut sizes = vec![1];
        for bit in 0..7 {
            match bits >> bit & 1 {
                1 => sizes.push(1),
                _ => *sizes.last_mut().unwrap() += 1,
            }
        }
        cuts.push(sizes);
    }
    cuts.extend((1..=8).flat_map(|first| (1..=8).map(move |rest| vec![first, rest])));
    cuts
}

/// Makes a response whose body is sent in chunks of `sizes` bytes.
fn chunked_response(coding: &str, mut packed: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut body = Vec::new();
    let last = sizes[sizes.len() - 1];
    let mut sizes = sizes.iter().copied();
    while !packed.is_empty() {
        let (chunk, rest) = packed.split_at(sizes.next().unwrap_or(last).min(packed.len()));
        let size = format!("{:x}\r\n", chunk.len());
        body.extend([size.as_bytes(), chunk, b"\r\n"].concat());
        packed = rest;
    }
    body.extend(b"0\r\n\r\n");
    let headers = format!("Content-Encoding: {coding}\r\nTransfer-Encoding: chunked\r\n");
    response(&headers, &body)
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// Returns codings of `text`, in one stream or several.
fn codings(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (start, end) = text.split_at(text.len() / 2);
    let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
    vec![
        ("gzip", [gzip(start), gzip(end)].concat()),
        ("deflate", zlib(text)),
        ("deflate", deflate(text)),
        ("zstd", [&zstd(start)[..], skipped, &zstd(end)].concat()),
        ("deflate, gzip", gzip(&deflate(text))),
        ("gzip, deflate", deflate(&gzip(text))),
        ("zstd, deflate, gzip", gzip(&zlib(&zstd(text)))),
    ]
}

#[test]
fn a_coded_body_is_decoded_however_it_is_cut_into_chunks() {
    let mut all = codings(&text());
    all.extend([("br", BROTLI.to_vec()), ("br, gzip", gzip(BROTLI))]);
    for (coding, packed) in all {
        for sizes in cuts() {
            let found = reported(&[&chunked_response(coding, &packed, &sizes)], 1000);
            assert_eq!(found.losses, [], "{coding} {sizes:?}");
            assert_eq!(found.documents[0].1, text(), "{coding} {sizes:?}");
        }
    }
}

#[test]
fn an_empty_body_is_no_damage_in_any_coding() {
    let mut all = codings(b"");
    all.extend([("br", vec![6]), ("br", b";".to_vec()), ("br", Vec::new())]);
    all.extend(["gzip", "deflate", "zstd", "gzip, br"].map(|coding| (coding, Vec::new())));
    for (coding, packed) in all {
        for size in 1..9 {
            let chunked = body(&chunked_response(coding, &packed, &[size]));
            assert_eq!(chunked, (vec![], vec![]), "{coding} {packed:?} {size}");
        }
    }
}

#[test]
fn a_chunked_body_that_does_not_look_like_its_coding_is_taken_as_it_is() {
    for plain in [&b"x"[..], b"feed\n", b"x^2 + y^2 = z^2", &text()] {
        for coding in ["gzip", "deflate", "br", "zstd", "br, deflate"] {
            for size in 1..9 {
                let found = body(&chunked_response(coding, plain, &[size]));
                assert_eq!(found, (plain.to_vec(), vec![]), "{coding} {size}");
            }
        }
    }
}

#[test]
fn damage_that_is_seen_ahead_and_not_read_is_reported() {
    // The last chunk has its end mark, but the record claims more bytes.
    for coding in ["gzip", "identity"] {
        let packed = if coding == "gzip" {
            gzip(&text())
        } else {
            text()
        };
        let whole = chunked_response(coding, &packed, &[50]);
        let length = whole.len() - memchr::memmem::find(&whole, b"HTTP/").unwrap() - 4;
        let (right, wrong) = (
            format!("Length: {length}"),
            format!("Length: {}", length + 9),
        );
        let cut = replaced(&whole[..whole.len() - 4], &right, &wrong);
        let (found, losses) = body(&cut);
        assert_eq!(found, text());
        assert_eq!(losses.len(), 1, "{losses:?}");
        assert_eq!(losses[0].2, "the record breaks off 9 bytes before its end");
    }
}

#[test]
fn interim_responses_before_a_response_are_skipped() {
    let http = "Content-Type: application/http;msgtype=response\r\n";
    let packed = gzip(&text());
    let end = [
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
        &packed[..],
    ]
    .concat();
    for interim in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 100\r\n\r\n",
        "http/1.0  103 Early Hints\nLink: </a>; rel=preload\n\n",
    ] {
        for count in 1..4 {
            let message = [interim.repeat(count).as_bytes(), &end].concat();
            let found = body(&record_with("response", "u", http, &message));
            assert_eq!(found, (text(), vec![]), "{count} x {interim:?}");
        }
        // Without a message after it, it is taken for the response.
        for rest in ["", "H", "body"] {
            let message = [interim, rest].concat();
            let found = body(&record_with("response", "u", http, message.as_bytes()));
            assert_eq!(found, (rest.into(), vec![]), "{interim:?} {rest:?}");
        }
    }
    let message = b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\nbody";
    let found = body(&record_with("response", "u", http, message));
    assert_eq!(found.0, b"HTTP/1.1 404 Not Found\r\n\r\nbody");
}

#[test]
fn headers_of_a_long_response_are_skipped_where_its_body_looks_like_a_record() {
    let text = b"WARC/1.0 is a format\r\n\r\n".repeat(400_000);
    assert!(text.len() as u64 > MAX_BUFFERED_BYTES);
    let all = reported(&[&response("", &text)], 1 << 16);
    assert_eq!((all.documents[0].1 == text, all.losses), (true, vec![]));
}
