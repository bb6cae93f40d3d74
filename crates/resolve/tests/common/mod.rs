//! A server on this machine that speaks the documented JSON, makes the faults that a test wants, and checks its requests.
#![allow(dead_code)]

pub mod registry;

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use doisift_core::Doi;
use doisift_resolve::{Backoff, Client, ClientOptions, Rate};

/// The server's response to a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Status, further header lines with their ends, body.
    Reply(u16, String, String),
    /// Another act after a delay.
    Slow(Duration, Box<Act>),
    /// Status 200 and half of a body.
    Cut(String),
    /// The connection ends without an answer.
    Close,
}

impl Act {
    pub fn json(status: u16, body: impl Into<String>) -> Act {
        Act::Reply(status, String::new(), body.into())
    }

    pub fn redirect(to: &str) -> Act {
        Act::Reply(302, format!("Location: {to}\r\n"), String::new())
    }

    /// Whether this act gives the client its answer.
    fn is_answer(&self) -> bool {
        match self {
            Act::Reply(status, _, body) => {
                matches!(status, 200 | 404)
                    && serde_json::from_str::<serde_json::Value>(body).is_ok()
            }
            Act::Slow(_, act) => act.is_answer(),
            Act::Cut(_) | Act::Close => false,
        }
    }
}

/// One request: its path, how often the path was asked before, and its headers.
pub struct Request {
    pub path: String,
    pub attempt: usize,
    pub headers: String,
}

impl Request {
    /// Returns the decoded name of a request for a record.
    pub fn name(&self) -> String {
        name_of(&self.path)
    }
}

pub fn name_of(path: &str) -> String {
    let path = path.trim_start_matches("/moved");
    let name = path.strip_prefix("/api/handles/").unwrap();
    decoded(name.strip_suffix("?type=URL&type=HS_ALIAS").unwrap())
}

#[derive(Default)]
pub struct Seen {
    /// When each request came.
    pub times: Vec<Instant>,
    /// How often each path was asked, and when it was asked last.
    pub asked: HashMap<String, (usize, Instant)>,
    /// Paths that were answered.
    pub answered: HashSet<String>,
    /// Paths that were asked after their answer.
    pub asked_again: Vec<String>,
}

#[derive(Clone)]
pub struct Server {
    pub endpoint: String,
    seen: Arc<Mutex<Seen>>,
}

type Behaviour = Arc<dyn Fn(&Request) -> Act + Send + Sync>;

impl Server {
    pub fn start(behaviour: impl Fn(&Request) -> Act + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            endpoint: format!("http://{}/", listener.local_addr().unwrap()),
            seen: Arc::default(),
        };
        let behaviour: Behaviour = Arc::new(behaviour);
        let serving = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (server, behaviour) = (serving.clone(), Arc::clone(&behaviour));
                thread::spawn(move || server.serve(stream.unwrap(), &behaviour));
            }
        });
        server
    }

    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    /// Serves requests until the client or an act ends the connection.
    fn serve(&self, stream: TcpStream, behaviour: &Behaviour) {
        stream.set_nodelay(true).unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        while let Some((path, headers)) = head(&mut lines) {
            let request = Request {
                attempt: self.note(&path),
                path,
                headers,
            };
            let act = behaviour(&request);
            if act.is_answer() {
                self.seen().answered.insert(request.path);
            }
            if !perform(act, &stream) {
                return;
            }
        }
    }

    /// Records a request, and returns how often its path was asked before.
    fn note(&self, path: &str) -> usize {
        let mut seen = self.seen();
        let now = Instant::now();
        seen.times.push(now);
        if seen.answered.contains(path) {
            seen.asked_again.push(path.to_owned());
        }
        let asked = seen.asked.entry(path.to_owned()).or_insert((0, now));
        *asked = (asked.0 + 1, now);
        asked.0 - 1
    }

    /// Asserts that no interval had more than `requests`.
    pub fn assert_rate(&self, requests: usize, interval: Duration) {
        let times = &self.seen().times;
        for window in times.windows(requests + 1) {
            let took = window[requests] - window[0];
            assert!(took >= interval, "{} requests in {took:?}", requests + 1);
        }
    }
}

/// Reads the path and the headers of the next request.
fn head(lines: &mut impl BufRead) -> Option<(String, String)> {
    let mut first = String::new();
    lines.read_line(&mut first).ok().filter(|read| *read > 0)?;
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") {
        lines
            .read_line(&mut headers)
            .ok()
            .filter(|read| *read > 0)?;
    }
    let path = first.strip_prefix("GET ").unwrap().split(' ').next()?;
    Some((path.to_owned(), headers))
}

/// Performs an act. Returns whether the connection stays open. The client may have closed it.
fn perform(act: Act, mut stream: &TcpStream) -> bool {
    match act {
        Act::Slow(wait, act) => {
            thread::sleep(wait);
            perform(*act, stream)
        }
        Act::Reply(status, headers, body) => {
            let length = body.len();
            let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n");
            stream.write_all((head + &body).as_bytes()).is_ok()
        }
        Act::Cut(body) => {
            let head = format!("HTTP/1.1 200 X\r\nContent-Length: {}\r\n\r\n", body.len());
            let half = head + &body[..body.len() / 2];
            let _ = stream.write_all(half.as_bytes());
            false
        }
        Act::Close => false,
    }
}

pub fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escape = after.get(..2).filter(|_| *first == b'%');
        bytes.push(match escape {
            Some(digits) => {
                rest = &after[2..];
                u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap()
            }
            None => {
                rest = after;
                *first
            }
        });
    }
    String::from_utf8(bytes).unwrap()
}

/// Returns a record with one value.
pub fn record(name: &str, kind: &str, value: &str) -> Act {
    let value = serde_json::json!({"index": 1, "type": kind, "ttl": 86400, "timestamp": "2004-09-10T19:49:59Z",
        "data": {"format": "string", "value": value}});
    let body = serde_json::json!({"responseCode": 1, "handle": name, "values": [value]});
    Act::json(200, body.to_string())
}

/// Returns an answer without values.
pub fn code(status: u16, code: u32, name: &str) -> Act {
    let body = serde_json::json!({"responseCode": code, "handle": name});
    Act::json(status, body.to_string())
}

pub fn doi(name: &str) -> Doi {
    Doi::new(name).unwrap()
}

/// Returns options for quick attempts, with a rate so high that it only matters if a test lowers it.
pub fn options(endpoint: &str) -> ClientOptions {
    ClientOptions {
        endpoint: endpoint.to_owned(),
        rate: Rate::new(1000, Duration::from_millis(500)).unwrap(),
        concurrency: 8,
        contact: Some("mailto:ann@example.org".to_owned()),
        backoff: Backoff {
            first: Duration::from_millis(10),
            max: Duration::from_millis(40),
        },
        ..ClientOptions::default()
    }
}

pub fn client(server: &Server) -> Client {
    Client::new(&options(&server.endpoint)).unwrap()
}
