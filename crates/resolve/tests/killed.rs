//! A run that is killed twice loses no finished answer, and does not ask again for an answer that it has.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::collections::HashSet;
use std::env;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use common::registry::{expected, faulty, name};
use common::{Act, Request, Server, doi, options};
use doisift_resolve::{Cache, Client, ClientOptions, HandleAnswer, LookupCounts, MaxAge, Rate};

/// Fewer than the server can answer.
const REQUESTS: u32 = 300;
const INTERVAL: Duration = Duration::from_millis(500);

/// Maximum number of requests in progress at a kill.
const CONCURRENCY: usize = 8;

/// Delays an answer, so that requests are in progress at a kill.
fn slow(request: &Request) -> Act {
    Act::Slow(Duration::from_millis(5), Box::new(faulty(request)))
}

/// Asks `endpoint` about `names` names with the cache `path`, and returns the rows as delivered.
fn run(endpoint: &str, names: usize, path: &Path) -> (Vec<(String, HandleAnswer)>, LookupCounts) {
    let options = ClientOptions {
        rate: Rate::new(REQUESTS, INTERVAL).unwrap(),
        concurrency: CONCURRENCY,
        ..options(endpoint)
    };
    let client = Client::new(&options).unwrap();
    let mut cache = Cache::open(path, client.endpoint(), MaxAge::default()).unwrap();
    let mut rows = Vec::new();
    let names = (0..names).map(|number| doi(&name(number)));
    let summary = client.resolve(names, &mut cache, |doi, dated| {
        rows.push((doi.to_string(), dated.answer));
        ControlFlow::Continue(())
    });
    (rows, summary.unwrap())
}

/// Not a test itself: the process that is killed.
#[test]
#[ignore = "started by the other tests"]
fn child() {
    let Ok(endpoint) = env::var("DOISIFT_RESOLVE_ENDPOINT") else {
        return;
    };
    let names = env::var("DOISIFT_RESOLVE_NAMES").unwrap();
    let path = env::var("DOISIFT_RESOLVE_CACHE").unwrap();
    run(&endpoint, names.parse().unwrap(), path.as_ref());
}

fn start_child(server: &Server, names: usize, path: &Path) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "child", "--ignored", "--quiet"]);
    command.env("DOISIFT_RESOLVE_ENDPOINT", &server.endpoint);
    command.env("DOISIFT_RESOLVE_NAMES", names.to_string());
    command.env("DOISIFT_RESOLVE_CACHE", path);
    command.spawn().unwrap()
}

/// Returns the keys whose answers the cache holds, from its text.
fn kept(path: &Path) -> HashSet<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let whole = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let keys = whole.filter_map(|line| line.split("\"key\":\"").nth(1)?.split('"').next());
    keys.map(str::to_owned).collect()
}

/// Asserts that since the last call only requests in progress at a kill were asked again.
fn assert_asked_again(server: &Server, kept: &HashSet<String>) {
    let again = std::mem::take(&mut server.seen().asked_again);
    // An alias and its target are two requests.
    assert!(again.len() <= 2 * CONCURRENCY, "{again:?}");
    let names = again.iter().map(|path| common::name_of(path));
    let lost: Vec<_> = names.filter(|name| kept.contains(name)).collect();
    assert_eq!(lost, [""; 0]);
}

fn two_kills_lose_nothing(names: usize) {
    let server = Server::start(slow);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answers");
    let mut before = HashSet::new();
    for part in [names / 4, names / 2] {
        let mut child = start_child(&server, names, &path);
        while server.seen().answered.len() < part {
            assert!(child.try_wait().unwrap().is_none(), "the child ended early");
            sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_asked_again(&server, &before);
        before = kept(&path);
        assert!(before.len() > part * 8 / 10, "{} of {part}", before.len());
    }
    let (rows, summary) = run(&server.endpoint, names, &path);
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row, &(name(number), expected(number)));
    }
    assert_eq!((rows.len(), summary.cached as usize), (names, before.len()));
    assert_asked_again(&server, &before);
    // After a restart requests start at the rate, but those that were in progress may arrive late.
    server.assert_rate(REQUESTS as usize + CONCURRENCY, INTERVAL);
}

#[test]
fn two_kills_of_600_names() {
    two_kills_lose_nothing(600);
}

#[test]
#[ignore = "takes half a minute"]
fn two_kills_of_10_000_names() {
    two_kills_lose_nothing(10_000);
}
