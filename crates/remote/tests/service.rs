//! A web server that breaks in the ways that servers break, and what its reader gets.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use doisift_remote::{Remote, RemoteError, RemoteOptions, Traffic};

/// Bytes of a file.
fn content(size: usize) -> Vec<u8> {
    (0..size as u64)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect()
}

/// Gives a file of 3,000,000 bytes at each path; the first part of the path says how it breaks.
struct Server {
    port: u16,
    requests: Arc<AtomicU64>,
}

const SIZE: usize = 3_000_000;

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let count = Arc::clone(&count);
                thread::spawn(move || while answer(&stream, &count, port).is_some() {});
            }
        });
        Server { port, requests }
    }

    fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }
}

struct Asked {
    target: String,
    kind: String,
    range: Option<(usize, usize)>,
    headers: HashMap<String, String>,
}

fn asked(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::with_capacity(1, stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let target = line.split(' ').nth(1)?.to_owned();
    let kind = target
        .trim_start_matches('/')
        .split(['/', '?'])
        .next()?
        .to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let range = headers.get("range").and_then(|range| {
        let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((start.parse().ok()?, end.parse::<usize>().ok()? + 1))
    });
    Some(Asked {
        target,
        kind,
        range,
        headers,
    })
}

/// Answers a request. Returns `None` if the connection ends.
fn answer(mut stream: &TcpStream, count: &AtomicU64, port: u16) -> Option<()> {
    let asked = asked(stream)?;
    let number = count.fetch_add(1, Ordering::Relaxed);
    if asked.kind == "bucket" {
        return answer_of_bucket(stream, &asked.target, number);
    }
    let bytes = content(SIZE);
    let (start, end) = asked.range.unwrap_or((0, SIZE));
    let end = end.min(SIZE);
    let kind = asked.kind.as_str();
    let simple = |head: &str| format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n");
    let refused = match kind {
        "missing" => Some("404 Not Found".to_owned()),
        "forbidden" => Some("403 Forbidden".to_owned()),
        "busy" if number.is_multiple_of(2) => Some("503 Busy\r\nRetry-After: 1".to_owned()),
        "often" if number.is_multiple_of(2) => Some("429 Often".to_owned()),
        "never" => Some("500 Never".to_owned()),
        "loop" => Some(format!(
            "302 Found\r\nLocation: http://127.0.0.1:{port}/loop/{number}"
        )),
        "moved" => Some(format!(
            "301 Moved\r\nLocation: http://127.0.0.1:{port}/sound"
        )),
        "inside" => Some("302 Found\r\nLocation: http://169.254.169.254/latest".to_owned()),
        "secret"
            if asked.headers.get("authorization").map(String::as_str) != Some("Basic dTpw") =>
        {
            Some("401 Who".to_owned())
        }
        _ => None,
    };
    if let Some(head) = refused {
        return stream.write_all(simple(&head).as_bytes()).ok();
    }
    let tag = if kind == "changing" { number } else { 7 };
    if kind == "whole" || kind == "cut-whole" || kind == "unsized" {
        let size = if kind == "unsized" {
            "Connection: close".to_owned()
        } else {
            format!("Content-Length: {SIZE}")
        };
        stream
            .write_all(format!("HTTP/1.1 200 OK\r\nETag: \"{tag}\"\r\n{size}\r\n\r\n").as_bytes())
            .ok()?;
        if kind == "cut-whole" && number % 3 != 2 {
            stream.write_all(&bytes[..SIZE / 2]).ok()?;
            return None;
        }
        stream.write_all(&bytes).ok()?;
        return (kind != "unsized").then_some(());
    }
    let (stated, bytes) = match kind {
        "shifted" => (start + 10, &bytes[start..end]),
        _ => (start, &bytes[start..end]),
    };
    let long = if kind == "long" { 5 } else { 0 };
    let head = format!(
        "HTTP/1.1 206 Part\r\nETag: \"{tag}\"\r\nContent-Range: bytes {stated}-{}/{SIZE}\r\nContent-Length: {}\r\n\r\n",
        stated + bytes.len() - 1,
        bytes.len() + long
    );
    stream.write_all(head.as_bytes()).ok()?;
    match kind {
        "cut" => {
            stream.write_all(&bytes[..bytes.len().min(200_000)]).ok()?;
            return None;
        }
        "drip" => loop {
            stream.write_all(&bytes[..1]).ok()?;
            thread::sleep(Duration::from_millis(50));
        },
        "silent" => {
            let _ = stream.read(&mut [0]);
            return None;
        }
        _ => stream.write_all(bytes).ok()?,
    }
    stream.write_all(&[0; 5][..long]).ok()
}

/// Keys of a bucket in a list, and the text of their objects. Those without a text are never asked for.
const OBJECTS: [(&str, Option<&str>); 8] = [
    ("a//b", Some("1")),
    ("a/&amp;", Some("2")),
    ("a/c/", Some("3")),
    ("a/folder/", Some("")),
    ("/d", None),
    ("a/../e", None),
    ("a/./e", None),
    ("a/\n", None),
];

/// Answers as a service of S3 with a bucket: lists in two pages, of which the first breaks off once, and objects.
fn answer_of_bucket(mut stream: &TcpStream, target: &str, number: u64) -> Option<()> {
    let sized = |status: &str, body: &str| {
        format!(
            "HTTP/1.1 {status}\r\nETag: \"7\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    if !target.contains("list-type=2") {
        let key = target.strip_prefix("/bucket/")?.replace("%26", "&amp;");
        let object = OBJECTS.iter().find(|(known, _)| *known == key);
        let body = object.and_then(|(_, text)| *text);
        let range = "206 Part\r\nContent-Range: bytes 0-0/1";
        let answer = body.map_or_else(|| sized("404 None", ""), |text| sized(range, text));
        return stream.write_all(answer.as_bytes()).ok();
    }
    let is_second = target.contains("continuation-token=next");
    let (part, token) = match is_second {
        true => (&OBJECTS[4..], ""),
        false => (
            &OBJECTS[..4],
            "<NextContinuationToken>next</NextContinuationToken>",
        ),
    };
    let objects: String = part
        .iter()
        .map(|(key, text)| {
            let size = text.map_or(1, str::len);
            format!("<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>{size}</Size></Contents>")
        })
        .collect();
    let list = format!("<ListBucketResult>{objects}{token}</ListBucketResult>");
    let answer = sized("200 OK", &list);
    let sent = if number == 0 { 200 } else { answer.len() };
    stream.write_all(&answer.as_bytes()[..sent]).ok()?;
    (number > 0).then_some(())
}

fn remote() -> Remote {
    let timeout = Duration::from_secs(3);
    Remote::new(RemoteOptions {
        timeout,
        ..RemoteOptions::default()
    })
    .unwrap()
}

/// Reads a file in order.
fn read(address: &str) -> Result<Vec<u8>, RemoteError> {
    read_from(&remote(), address)
}

fn read_from(remote: &Remote, address: &str) -> Result<Vec<u8>, RemoteError> {
    let name = remote.add(address)?;
    let file = remote.open(&name)?;
    let mut section = file
        .take_stream()
        .unwrap_or_else(|| file.section(0..u64::MAX));
    let (mut read, mut buffer) = (Vec::new(), [0; 10_000]);
    loop {
        match section.read(&mut buffer)? {
            0 => return Ok(read),
            count => read.extend_from_slice(&buffer[..count]),
        }
    }
}

#[test]
fn what_can_be_mended_gives_all_bytes() {
    let server = Server::start();
    for kind in [
        "sound",
        "cut",
        "busy",
        "often",
        "moved",
        "whole",
        "cut-whole",
        "unsized",
        "long",
    ] {
        let bytes = read(&server.address(kind)).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert!(bytes == content(SIZE), "{kind}: {} bytes", bytes.len());
    }
    let secret = format!("http://u:p@127.0.0.1:{}/secret", server.port);
    assert_eq!(read(&secret).unwrap().len(), SIZE);
}

#[test]
fn what_cannot_be_mended_is_an_error() {
    let server = Server::start();
    for (kind, wanted) in [
        ("missing", "no such object"),
        ("forbidden", "status 403"),
        ("secret", "status 401"),
        ("never", "status 500"),
        ("loop", "redirects"),
        ("inside", "169.254.169.254"),
        ("shifted", "other bytes"),
        ("changing", "changed"),
        ("drip", "too few bytes"),
        ("silent", "time"),
    ] {
        let error = read(&server.address(kind)).expect_err(kind).to_string();
        assert!(error.contains(wanted), "{kind}: {error}");
    }
}

#[test]
fn a_file_is_read_at_any_offset() {
    let server = Server::start();
    let remote = remote();
    let file = remote
        .open(&remote.add(&server.address("sound")).unwrap())
        .unwrap();
    assert_eq!(file.length(), Some(SIZE as u64));
    let bytes = content(SIZE);
    let before = server.requests.load(Ordering::Relaxed);
    for (at, length) in [
        (0, 10),
        (1 << 20, 10),
        (1_100_000, 100),
        (2_999_990, 100),
        (3_000_000, 5),
        (2_000_000, 200_000),
    ] {
        let mut into = vec![0; length];
        let read = file.read_at(&mut into, at as u64).unwrap();
        assert!(read > 0 || at == SIZE);
        assert_eq!(into[..read], bytes[at..at + read], "{at}");
    }
    let mut section = file.section(500_000..2_500_000);
    let mut into = vec![0; 2_000_000];
    let mut filled = 0;
    while filled < into.len() {
        filled += section.read(&mut into[filled..]).unwrap();
    }
    assert!(into == bytes[500_000..2_500_000]);
    assert_eq!(section.read(&mut [0]).unwrap(), 0);
    assert!(server.requests.load(Ordering::Relaxed) - before < 10);
}

#[test]
fn requests_are_counted_with_those_that_repeat_one() {
    let server = Server::start();
    for (address, kind) in [
        (server.address("cut"), ""),
        ("s3://b/key".to_owned(), "busy"),
    ] {
        let traffic = Traffic::default();
        let settings = [
            ("aws_endpoint", server.address(kind)),
            ("aws_skip_signature", "true".to_owned()),
        ];
        let remote = Remote::new(RemoteOptions {
            settings: settings
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
            traffic: traffic.clone(),
            ..RemoteOptions::default()
        })
        .unwrap();
        let before = server.requests.load(Ordering::Relaxed);
        assert!(read_from(&remote, &address).unwrap() == content(SIZE));
        let total = traffic.total();
        // One that is sent while the server closes the connection does not arrive.
        assert!(total.requests >= server.requests.load(Ordering::Relaxed) - before);
        // The first MiB and 1 MiB and the rest are asked for once each.
        assert_eq!(total.requests - total.retries, 3);
        assert_eq!(total.bytes, SIZE as u64);
        assert_eq!(traffic.sources(), [(address, total)]);
    }
}

#[test]
fn an_object_is_asked_for_once_until_it_is_opened() {
    let server = Server::start();
    let remote = remote();
    let name = remote.add(&server.address("sound")).unwrap();
    for _ in 0..3 {
        assert_eq!(remote.check(&name).unwrap(), name);
    }
    remote.open(&name).unwrap();
    assert_eq!(server.requests.load(Ordering::Relaxed), 1);
}

#[test]
fn objects_with_any_key_are_listed_and_read_or_are_errors() {
    let server = Server::start();
    let settings = [
        ("aws_endpoint", server.address("")),
        ("aws_skip_signature", "true".to_owned()),
    ];
    let remote = Remote::new(RemoteOptions {
        settings: settings
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
        ..RemoteOptions::default()
    })
    .unwrap();
    let mut names = Vec::new();
    let listed = remote.list("s3://bucket/", &mut |name| {
        names.push(name.to_owned());
        true
    });
    listed.unwrap();
    let mut wanted = OBJECTS.to_vec();
    // It stands for a folder.
    wanted.remove(3);
    assert_eq!(names.len(), wanted.len());
    for (name, (key, text)) in names.iter().zip(wanted) {
        assert_eq!(*name, format!("s3://bucket/{}", key.replace("&amp;", "&")));
        let opened = remote.open(name);
        match text {
            Some(text) => {
                let mut read = [0; 2];
                let count = opened.unwrap().read_at(&mut read, 0).unwrap();
                assert_eq!(&read[..count], text.as_bytes());
            }
            None => assert!(
                matches!(opened.err(), Some(RemoteError::UnaskableKey(_))),
                "{name}"
            ),
        }
    }
}

#[test]
fn a_cancelled_task_waits_for_nothing() {
    let server = Server::start();
    let remote = remote();
    let name = remote.add(&server.address("silent")).unwrap();
    let canceller = remote.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        canceller.cancel();
    });
    assert!(matches!(
        remote.open(&name).err(),
        Some(RemoteError::Cancelled)
    ));
}

#[test]
fn a_setting_that_no_store_has_is_refused() {
    let with = |name: &str| {
        let settings = vec![(name.to_owned(), "x".to_owned())];
        Remote::new(RemoteOptions {
            settings,
            ..RemoteOptions::default()
        })
    };
    assert!(with("aws_region").is_ok() && with("azure_storage_account_name").is_ok());
    let refused = with("aws_regoin").unwrap_err().to_string();
    assert!(refused.contains("aws_regoin"), "{refused}");
}

#[test]
fn a_list_of_a_service_leads_to_no_private_host_that_the_user_did_not_name() {
    let server = Server::start();
    let remote = remote();
    let open = |address: &str| {
        let name = remote.add_listed(address).unwrap();
        remote.open(&name).map(|file| file.length())
    };
    let by_name = server.address("sound").replace("127.0.0.1", "localhost");
    for private in [&*server.address("sound"), &by_name, "http://[::1]:9/"] {
        assert_eq!(open(private), Err(RemoteError::PrivateHost), "{private}");
    }
    remote.add(&server.address("list")).unwrap();
    assert_eq!(open(&server.address("sound")), Ok(Some(SIZE as u64)));
    assert_eq!(open(&by_name), Err(RemoteError::PrivateHost));
}
