//! Records that were cut into segments.

use super::*;

const HTTP: &str = "Content-Type: application/http;msgtype=response\r\n";
const INFO: &[u8] = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\na: b\r\n\r\n";

/// Cuts `content` at `cuts` into a first record of `kind` and its continuations.
fn segments(kind: &str, content: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let starts = [&[0], cuts].concat();
    let ends = [cuts, &[content.len()]].concat();
    let mut out = Vec::new();
    for (at, (start, end)) in starts.into_iter().zip(ends).enumerate() {
        let mut more = format!("WARC-Segment-Number: {}\r\n", at + 1);
        let kind = match at {
            0 => {
                more += HTTP;
                kind
            }
            _ => {
                more += "WARC-Segment-Origin-ID: <urn:uuid:1>\r\n";
                "continuation"
            }
        };
        if at == cuts.len() {
            more += &format!("WARC-Segment-Total-Length: {end}\r\n");
        }
        let record = record_with(kind, "http://a/", &more, &content[start..end]);
        let id = format!("WARC-Record-ID: <urn:uuid:{}>", at + 1);
        out.push(replaced(&record, "WARC-Record-ID: <urn:uuid:1>", &id));
    }
    out
}

fn message() -> Vec<u8> {
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    [&head[..], &gzip(&text())].concat()
}

#[test]
fn segments_one_after_another_are_one_document() {
    let message = message();
    for first in 0..message.len() {
        for second in [first, (first + message.len()) / 2, message.len()] {
            let records = segments("response", &message, &[first, second]);
            let file = [records.concat(), record("z", GOOD.as_bytes())].concat();
            let all = reported(&[&file], 100);
            assert_eq!(all.names(), ["http://a/", "z"], "cut at {first}, {second}");
            assert_eq!(all.documents[0].1, text(), "cut at {first}, {second}");
            assert_eq!(all.losses, [], "cut at {first}, {second}");
        }
    }
}

#[test]
fn the_header_of_a_file_may_be_between_two_segments() {
    let records = segments("response", &message(), &[20, 90]);
    let unnamed = replaced(&record("z", b"z"), "WARC-Target-URI: z\r\n", "");
    let file = [&records[0], INFO, &records[1], INFO, &records[2], &unnamed].concat();
    let all = reported(&[&file], 100);
    let expected = [("http://a/".into(), text()), ("#6".into(), b"z".to_vec())];
    assert_eq!(
        (&all.documents[..], &all.losses[..]),
        (&expected[..], &[][..])
    );
}

#[test]
fn a_long_record_is_joined_too() {
    let content = text().repeat(MAX_BUFFERED_BYTES as usize / text().len() + 9);
    let cuts = [content.len() - 8, content.len() - 8];
    let all = reported(&[&segments("resource", &content, &cuts).concat()], 1 << 16);
    let is_whole = all.documents.len() == 1 && all.documents[0].1 == content;
    assert_eq!((is_whole, all.losses), (true, vec![]));
}

#[test]
fn a_segment_that_does_not_follow_the_one_before_it_is_reported() {
    let records = segments("resource", &text(), &[100, 150]);
    let [one, two, three] = &records[..] else {
        panic!()
    };
    let other = record("z", b"z");
    let goes_on = "the record continues in a segment";
    let follows = "this segment of a record does not follow";
    let foreign = replaced(two, "Origin-ID: <urn:uuid:1>", "Origin-ID: <urn:uuid:9>");
    for (file, kept, errors) in [
        (
            [one, three].map(|r| &r[..]).concat(),
            100,
            vec![goes_on, follows],
        ),
        (
            [one, &other, two, three].map(|r| &r[..]).concat(),
            100,
            vec![goes_on, follows, follows],
        ),
        (
            [one, &foreign].map(|r| &r[..]).concat(),
            100,
            vec![goes_on, follows],
        ),
        ([one, two].map(|r| &r[..]).concat(), 150, vec![goes_on]),
        (one.clone(), 100, vec![goes_on]),
    ] {
        let all = reported(&[&file], 100);
        assert_eq!(all.documents[0].1, text()[..kept]);
        assert_eq!(all.losses.len(), errors.len(), "{:?}", all.losses);
        for ((name, _, error), start) in all.losses.iter().zip(errors) {
            assert!(name == "http://a/" && error.starts_with(start), "{error}");
        }
        assert_eq!(all.losses[0].1, kept as u64);
    }
    let alone = reported(&[two], 100);
    assert_eq!((alone.documents.len(), alone.losses.len()), (0, 1));
    assert!(alone.losses[0].2.starts_with(follows));
}

#[test]
fn segments_of_a_type_that_is_passed_over_are_passed_over() {
    let records = segments("request", &text(), &[100]);
    for file in [records.concat(), records[0].clone()] {
        let all = reported(&[&file], 100);
        assert_eq!((all.documents.len(), all.losses), (0, vec![]));
    }
}

#[test]
fn a_segment_that_breaks_off_is_reported_once_and_costs_no_other_record() {
    let records = segments("response", &message(), &[60]);
    let file = records.concat();
    let body = file.len() - (message().len() - 60) - 4;
    for cut in body..file.len() - 4 {
        let all = reported(&[&file[..cut]], 100);
        assert!(text().starts_with(&all.documents[0].1));
        let error = format!(
            "the record breaks off {} bytes before its end",
            file.len() - 4 - cut
        );
        assert_eq!(all.losses.len(), 1, "{:?}", all.losses);
        assert_eq!(
            (&*all.losses[0].0, &*all.losses[0].2),
            ("http://a/", &*error)
        );
    }
    let right = format!("\r\nContent-Length: {}", message().len() - 60);
    let wrong = replaced(&records[1], &right, "\r\nContent-Length: 7");
    let all = reported(
        &[&[&records[0][..], &wrong, &record("z", b"z")].concat()],
        100,
    );
    assert_eq!(all.names(), ["http://a/", "z"]);
    let error = "the record does not end where its Content-Length, 7, says";
    assert_eq!((all.losses.len(), &*all.losses[0].2), (1, error));
}
