//! Questions to a registry, which is a server on this machine.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::place::{Place, Seen, gzip, signal};
use crate::registry_server::registry::{faulty, name, truth, url};
use crate::registry_server::{Act, Request, Server, code, decoded};

impl Place {
    /// Returns the command `doisift resolve` for a server, with `line` split at blanks and by default a high rate.
    fn resolving(&self, server: &Server, line: &str) -> Command {
        let mut command = self.command(["resolve", "--endpoint", &server.endpoint]);
        if !line.contains("--rate") {
            command.args(["--rate", "2000"]);
        }
        command.args(line.split_whitespace());
        command
    }

    pub fn resolve(&self, server: &Server, line: &str) -> Seen {
        Seen::of(&mut self.resolving(server, line))
    }
}

/// Returns the number of requests so far.
fn requests(server: &Server) -> usize {
    server.seen().times.len()
}

/// Returns the names of these numbers, each in a line.
fn lines(numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| name(number) + "\n").collect()
}

#[test]
fn each_name_has_a_row_in_the_order_of_the_inputs_and_is_asked_once() {
    let (place, server) = (
        Place::new(),
        Server::start(|request| truth(&request.name())),
    );
    place.file(
        "list.txt",
        format!("{}\nno name\n\nhttps://doi.org/10.5555/5\n", name(2)),
    );
    place.file("nothing", "nothing\n");
    let seen = place.resolve(
        &server,
        "10.5555/X.1 doi:10.5555/5 list.txt 10.5555/4 nothing 10.5555/x.1",
    );
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    let null = || "null".to_owned();
    let target = "10.5555/target.4";
    let doi = [
        "10.5555/x.1",
        "10.5555/5",
        &name(2),
        &null(),
        "10.5555/5",
        "10.5555/4",
        &null(),
        "10.5555/x.1",
    ];
    assert_eq!(seen.field("doi"), doi);
    let (refused, unknown) = ("not_a_doi", "unknown_to_registry");
    let status = [
        unknown, "known", "known", refused, "known", "known", refused, unknown,
    ];
    assert_eq!(seen.field("status"), status);
    let urls = [
        null(),
        url("10.5555/5"),
        null(),
        null(),
        url("10.5555/5"),
        url(target),
        null(),
        null(),
    ];
    assert_eq!(seen.field("url"), urls);
    assert_eq!(seen.field("alias")[5], target);
    let reasons = seen.field("reason");
    assert!(reasons[3].starts_with("\"no name\": "), "{}", reasons[3]);
    assert_eq!(
        seen.field("answered_by")[..4],
        ["registry", "registry", "registry", "null"]
    );
    let asked = seen.field("asked");
    assert!(asked[0].len() == 20 && asked[0].ends_with('Z') && asked[3] == "null");
    // Four names, and the target of an alias.
    assert_eq!(requests(&server), 5);
    for path in server.seen().asked.keys() {
        assert!(path.ends_with("?type=URL&type=HS_ALIAS"), "{path}");
    }
}

#[test]
fn names_come_from_lines_columns_members_and_outputs_of_a_scan() {
    let (place, server) = (
        Place::new(),
        Server::start(|request| truth(&request.name())),
    );
    place.file("text.txt", "10.5555/5 and 10.5555/6");
    place.file("table.csv", "id,Name\n1,\"10.5555/5\"\n2,\n3,10.5555/6\n");
    place.file("own.tsv.gz", gzip("id\tDOI\n1\t10.5555/5\n2\t10.5555/6\n"));
    place.file(
        "works.jsonl",
        "{\"x\":1,\"name\":\"10.5555/5\"}\n{\"name\":null}\n{\"name\":\"10.5555/6\"}\n",
    );
    place.file("list.txt", "\u{feff}10.5555/5\r\ndoi:10.5555/6");
    let mut inputs = vec![
        "table.csv -c name",
        "table.csv -c 2",
        "own.tsv.gz",
        "works.jsonl -c name",
        "list.txt",
    ];
    for (output, more) in [
        ("r.jsonl", ""),
        ("r.csv.zst", ""),
        ("m.tsv", "--mentions"),
        ("p.jsonl", "--pairs"),
        ("n.names", ""),
        ("r.parquet", ""),
    ] {
        place.scan(&format!("text.txt {more} -o {output}")).quiet();
        inputs.push(output);
    }
    for input in inputs {
        let seen = place.resolve(&server, input).quiet();
        assert_eq!(seen.field("doi"), ["10.5555/5", "10.5555/6"], "{input}");
    }
    let mut child = place
        .resolving(&server, "-f csv --fields doi,status")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"10.5555/5\n10.5555/11\n")
        .unwrap();
    let seen = Seen::from(child.wait_with_output().unwrap()).quiet();
    assert_eq!(
        seen.out,
        "doi,status\n10.5555/5,known\n10.5555/11,unknown_to_registry\n"
    );
}

#[test]
fn nothing_is_asked_if_an_input_or_an_option_is_wrong() {
    let (place, server) = (
        Place::new(),
        Server::start(|request| truth(&request.name())),
    );
    place.file("table.csv", "id,name\n1,10.5555/5\n");
    place.file("foreign", "10.5555/5\n");
    for (line, message) in [
        ("missing -c doi", "missing: "),
        (
            "table.csv -c doi",
            "the header has no column doi; it has 1 id, 2 name",
        ),
        ("10.5555/5 --cache foreign", "is not a cache of answers"),
        ("10.5555/5 --contact (me)", "the contact"),
        ("10.5555/5 --rate 0", "the minimum is 1"),
        (
            "10.5555/5 --max-age 5",
            "is not an age; expected a number of days",
        ),
        (
            "10.5555/5 -f names",
            "bare names are written of records and mentions, not of answers",
        ),
        ("table.csv -o table.csv", "would be overwritten"),
    ] {
        let seen = place.resolve(&server, line);
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{line}");
        assert!(seen.err.contains(message), "{line}: {}", seen.err);
    }
    assert_eq!(requests(&server), 0);
}

#[test]
fn what_could_not_be_asked_is_not_unknown() {
    let place = Place::new();
    let server = Server::start(|request| match request.name().as_str() {
        "10.5555/3" => Act::json(503, "<html>"),
        "10.5555/7" => Act::json(200, "{\"responseCode\":"),
        "10.5555/9" => code(500, 2, "10.5555/9"),
        other => truth(other),
    });
    let seen = place.resolve(
        &server,
        "10.5555/3 10.5555/7 10.5555/9 10.5555/11 --attempts 1 --cache answers --report r.json",
    );
    assert_eq!(seen.code, Some(1));
    let lost = "could_not_ask";
    assert_eq!(
        seen.field("status"),
        [lost, lost, lost, "unknown_to_registry"]
    );
    let reasons = seen.field("reason");
    for (reason, part) in reasons
        .iter()
        .zip(["HTTP status 503", "EOF", "response code 2", "null"])
    {
        assert!(reason.contains(part), "{reason}");
    }
    let report = place.json("r.json");
    assert_eq!(
        (&report["could_not_ask"], &report["unknown"]),
        (&3.into(), &1.into())
    );
    // A failed name is asked for again, an answered one is not.
    let before = requests(&server);
    place.resolve(&server, "10.5555/3 10.5555/11 --attempts 1 --cache answers");
    assert_eq!(requests(&server), before + 1);
}

#[test]
fn a_later_run_asks_only_for_what_is_new_or_old() {
    let (place, server) = (
        Place::new(),
        Server::start(|request| truth(&request.name())),
    );
    let first = place
        .resolve(&server, "10.5555/5 10.5555/11 --cache answers")
        .quiet();
    let again = place
        .resolve(&server, "10.5555/5 10.5555/11 10.5555/6 --cache answers")
        .quiet();
    assert_eq!(requests(&server), 3);
    assert_eq!(again.field("asked")[..2], first.field("asked"));
    assert_eq!(again.field("answered_by"), ["cache", "cache", "registry"]);
    place
        .resolve(&server, "10.5555/5 --cache answers --max-age 0s")
        .quiet();
    assert_eq!(requests(&server), 4);
}

#[test]
fn agencies_are_asked_in_batches() {
    let place = Place::new();
    let server = Server::start(|request| match request.path.strip_prefix("/doiRA/") {
        None => truth(&request.name()),
        Some(names) => agencies(names),
    });
    let seen = place
        .resolve(&server, "--agency 10.5555/a,b.5 10.5555/11 10.5555/6")
        .quiet();
    assert_eq!(seen.field("agency"), ["Crossref", "null", "Crossref"]);
    assert_eq!(
        seen.field("status"),
        ["known", "unknown_to_registry", "known"]
    );
    assert_eq!(requests(&server), 4);
}

/// Answers as the service "Which RA" does, for names joined by commas.
fn agencies(names: &str) -> Act {
    let row = |name: &str| match decoded(name) {
        name if name.ends_with("11") => {
            serde_json::json!({"DOI": name, "status": "DOI does not exist"})
        }
        name => serde_json::json!({"DOI": name, "RA": "Crossref"}),
    };
    let rows: Vec<_> = names.split(',').map(row).collect();
    Act::json(200, serde_json::to_string(&rows).unwrap())
}

/// Answers slowly, so that a signal arrives during requests.
fn slow(request: &Request) -> Act {
    Act::Slow(Duration::from_millis(5), Box::new(faulty(request)))
}

/// Waits until the server has answered `answered` names.
fn wait_for(server: &Server, answered: usize, child: &mut Child) {
    while server.seen().answered.len() < answered {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was interrupted"
        );
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let (place, server) = (Place::new(), Server::start(slow));
    place.file(
        "list.txt",
        lines((0..400).filter(|number| number % 20 != 4 && number % 10 != 3)),
    );
    let line = "list.txt --cache answers -o rows.jsonl --concurrency 4 --rate 500";
    let mut child = place
        .resolving(&server, line)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&server, 100, &mut child);
    signal(&child, "-INT");
    let seen = Seen::from(child.wait_with_output().unwrap());
    assert_eq!(seen.code, Some(130), "{}", seen.err);
    assert!(
        seen.err
            .contains("rows.jsonl was not written; the same command continues from the cache"),
        "{}",
        seen.err
    );
    assert_eq!(place.entries(), ["answers", "list.txt"]);

    place.resolve(&server, line).quiet();
    let rows = place.read("rows.jsonl");
    assert_eq!(rows.lines().count(), 340);
    // Answers to requests under way may be lost.
    let again = std::mem::take(&mut server.seen().asked_again);
    assert!(again.len() <= 4, "{again:?}");
    let by_cache = rows
        .lines()
        .filter(|row| row.contains("\"answered_by\":\"cache\""))
        .count();
    assert!(by_cache >= 95, "{by_cache}");
}

#[test]
fn the_rate_is_kept_and_one_process_has_the_cache() {
    let (place, server) = (
        Place::new(),
        Server::start(|request| truth(&request.name())),
    );
    place.file("list.txt", lines(5..45));
    let mut child = place
        .resolving(&server, "list.txt --cache answers --rate 20 -o a.csv")
        .spawn()
        .unwrap();
    wait_for(&server, 1, &mut child);
    let seen = place.resolve(&server, "10.5555/5 --cache answers");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("another process uses the cache"),
        "{}",
        seen.err
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
    server.assert_rate(20, Duration::from_secs(1));
}

#[test]
fn progress_counts_answers() {
    let (place, server) = (
        Place::new(),
        Server::start(|request| truth(&request.name())),
    );
    let seen = place.resolve(&server, "10.5555/5 10.5555/11 --progress always --stats");
    assert_eq!(seen.code, Some(0));
    assert!(
        seen.err.contains("2 of 2 answers (100 %), "),
        "{}",
        seen.err
    );
    assert!(
        seen.err
            .contains("rows: 2 (known 1, unknown_to_registry 1); from the cache 0, asked 2;"),
        "{}",
        seen.err
    );
}

#[test]
fn a_wait_of_a_day_is_said_and_not_waited_for_and_the_cache_keeps_what_was_learnt() {
    let place = Place::new();
    let server = Server::start(|request| match request.name() == name(2) {
        true => Act::Reply(429, "Retry-After: 86400\r\n".to_owned(), String::new()),
        false => truth(&request.name()),
    });
    place.file("list.txt", lines([1, 2, 5, 7].into_iter()));
    let options = "--concurrency 1 --cache answers list.txt";
    let seen = place.resolve(&server, options);
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    let told = "doisift: the service asks to send no request for 24 hours, and this program waits at most 10 minutes; run it again";
    assert_eq!(seen.err.matches(told).count(), 1, "{}", seen.err);
    let reasons = seen.field("reason");
    assert!(
        reasons[3].starts_with("not asked, since the service asks"),
        "{reasons:?}"
    );
    let before = requests(&server);
    let again = place.resolve(&server, options);
    assert_eq!(again.field("answered_by")[0], "cache");
    assert_eq!(requests(&server), before + 1);
}

#[test]
fn a_refusal_says_what_to_do() {
    let place = Place::new();
    let server = Server::start(|_| Act::json(403, ""));
    let seen = place.resolve(&server, "10.5555/1 10.5555/2");
    assert_eq!(seen.code, Some(1));
    for reason in seen.field("reason") {
        assert!(
            reason.contains(
                "HTTP status 403: it refuses this program or network; say who asks with --contact"
            ),
            "{reason}"
        );
    }
}
