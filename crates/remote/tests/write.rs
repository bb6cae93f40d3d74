//! Objects that are written to a store with the interface of S3, and what stays there.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use doisift_remote::{Remote, RemoteError, RemoteOptions};

/// What the store has.
#[derive(Default)]
struct Content {
    objects: BTreeMap<String, Vec<u8>>,
    /// Parts of uploads that have not ended, by number.
    uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
}

/// A store for one test.
struct Store {
    port: u16,
    content: Arc<Mutex<Content>>,
}

/// Connections at a time. The bucket says how the store breaks: `refused` takes no parts, `stuck` does not answer to one, `lost` has no objects.
const LISTENERS: usize = 16;

impl Store {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let content = Arc::new(Mutex::new(Content::default()));
        for _ in 0..LISTENERS {
            let (listener, content) = (listener.try_clone().unwrap(), Arc::clone(&content));
            thread::spawn(move || {
                while let Ok((stream, _)) = listener.accept() {
                    while answer(&stream, &content).is_some() {}
                }
            });
        }
        Store { port, content }
    }

    fn remote(&self) -> Remote {
        let settings = [
            ("aws_endpoint", format!("http://127.0.0.1:{}", self.port)),
            ("aws_access_key_id", "key".to_owned()),
            ("aws_secret_access_key", "secret".to_owned()),
            ("aws_region", "us-east-1".to_owned()),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value));
        Remote::new(RemoteOptions {
            settings: settings.to_vec(),
            ..RemoteOptions::default()
        })
        .unwrap()
    }

    fn objects(&self) -> Vec<String> {
        self.content
            .lock()
            .unwrap()
            .objects
            .keys()
            .cloned()
            .collect()
    }

    fn uploads(&self) -> usize {
        self.content.lock().unwrap().uploads.len()
    }
}

/// Answers one request. Returns `None` at the end of a connection.
fn answer(mut stream: &TcpStream, content: &Mutex<Content>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ');
    let (method, url) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(": ") else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    let (status, text) = reply(&method, path, query, body, content);
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: \"tag\"\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(answer.as_bytes()).ok()
}

fn reply(
    method: &str,
    path: &str,
    query: &str,
    body: Vec<u8>,
    content: &Mutex<Content>,
) -> (u16, String) {
    let number = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("partNumber=")?.parse().ok());
    if path.starts_with("/stuck/") && number.is_some() {
        thread::sleep(Duration::from_secs(30));
    }
    let mut content = content.lock().unwrap();
    match (method, number) {
        ("POST", _) if path.starts_with("/lost/") => {
            (404, "<Error><Code>NoSuchBucket</Code></Error>".to_owned())
        }
        ("POST", _) if query.starts_with("uploads") => {
            content.uploads.insert(path.to_owned(), BTreeMap::new());
            let id = "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>";
            (200, id.to_owned())
        }
        ("PUT", Some(_)) if path.starts_with("/refused/") => (403, String::new()),
        ("PUT", Some(number)) => {
            if let Some(parts) = content.uploads.get_mut(path) {
                parts.insert(number, body);
            }
            (200, String::new())
        }
        ("POST", _) => {
            let parts = content.uploads.remove(path).unwrap_or_default();
            let whole = parts.into_values().flatten().collect();
            content.objects.insert(path.to_owned(), whole);
            let done = "<CompleteMultipartUploadResult><ETag>\"whole\"</ETag></CompleteMultipartUploadResult>";
            (200, done.to_owned())
        }
        ("DELETE", _) => {
            content.uploads.remove(path);
            (204, String::new())
        }
        _ => (400, String::new()),
    }
}

/// Bytes of more than two parts.
fn bytes() -> Vec<u8> {
    (0..20_000_000_u64)
        .map(|at| ((at * 7) >> 3) as u8)
        .collect()
}

#[test]
fn an_object_appears_when_it_is_committed() {
    let store = Store::start();
    let remote = store.remote();
    let mut written = remote.create("s3://sound/a/b.csv").unwrap();
    written.write_all(&bytes()).unwrap();
    written.finish().unwrap();
    assert_eq!((store.objects(), store.uploads()), (vec![], 1));
    written.commit().unwrap();
    assert_eq!(store.uploads(), 0);
    let content = store.content.lock().unwrap();
    assert!(content.objects["/sound/a/b.csv"] == bytes());
}

#[test]
fn an_empty_object_appears_too() {
    let store = Store::start();
    store
        .remote()
        .create("s3://sound/empty")
        .unwrap()
        .commit()
        .unwrap();
    assert_eq!(store.objects(), ["/sound/empty"]);
}

#[test]
fn nothing_stays_of_an_object_that_is_dropped() {
    let store = Store::start();
    let mut written = store.remote().create("s3://sound/a").unwrap();
    written.write_all(&bytes()).unwrap();
    drop(written);
    assert_eq!((store.objects(), store.uploads()), (vec![], 0));
}

#[test]
fn nothing_stays_of_an_object_whose_parts_are_refused() {
    let store = Store::start();
    let mut written = store.remote().create("s3://refused/a").unwrap();
    let _ = written.write_all(&bytes());
    let error = written.finish().unwrap_err();
    assert!(matches!(error, RemoteError::Refused(403, _)), "{error}");
    drop(written);
    assert_eq!((store.objects(), store.uploads()), (vec![], 0));
}

#[test]
fn nothing_stays_of_a_task_that_is_cancelled() {
    let store = Store::start();
    let remote = store.remote();
    let mut written = remote.create("s3://stuck/a").unwrap();
    let canceller = remote.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        canceller.cancel();
    });
    written.write_all(&bytes()[..9 << 20]).unwrap();
    assert_eq!(written.finish(), Err(RemoteError::Cancelled));
    drop(written);
    assert_eq!((store.objects(), store.uploads()), (vec![], 0));
}

#[test]
fn a_bucket_that_does_not_exist_is_noticed_at_once() {
    let store = Store::start();
    let error = store.remote().create("s3://lost/a").unwrap_err();
    assert_eq!(error, RemoteError::NoBucket);
}
