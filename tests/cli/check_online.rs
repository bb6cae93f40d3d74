//! Checks of references with a registry, which is a server on this machine.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::place::{Place, Seen, signal};
use crate::registry_server::registry::truth;
use crate::registry_server::{Act, Server, name_of, record};

impl Place {
    /// Returns the command `doisift check --online` for a server, with `line` split at blanks and a high rate.
    fn checking_online(&self, server: &Server, line: &str) -> Command {
        let mut command = self.command(["check", "--online", "--endpoint", &server.endpoint]);
        command
            .args(["--rate", "2000"])
            .args(line.split_whitespace());
        command
    }

    fn check_online(&self, server: &Server, line: &str) -> Seen {
        Seen::of(&mut self.checking_online(server, line))
    }

    /// Writes an index of these names.
    fn with_names(&self, names: &str) -> &Place {
        self.file("names.txt", names);
        let line = "index names.txt --date 2026-03 --agency crossref -o known.doix";
        Seen::of(&mut self.command(line.split_whitespace())).quiet();
        self
    }
}

/// Starts a registry that knows names by the number at their end, and fails for names that end in 13.
fn server() -> Server {
    Server::start(|request| match request.name() {
        name if name.ends_with("13") => Act::json(503, "<html>"),
        name if name.ends_with("-0") => record(&name, "URL", "https://a.example/"),
        name => truth(&name),
    })
}

/// The names that a server was asked for, sorted, each as often as it was.
fn asked(server: &Server) -> Vec<String> {
    let seen = server.seen();
    let asked = seen.asked.iter();
    let names = asked.flat_map(|(path, (times, _))| vec![name_of(path); *times]);
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_registry_has_three_answers_and_each_name_is_asked_once() {
    let (place, server) = (Place::new(), server());
    place.file("a.txt", "10.5555/5\n10.5555/11\n10.5555/13\n10.5555/5\n");
    place.file(
        "b.txt",
        "10.5555/11\nhttps://doi.org/10.5555/13\n10.5555/6\n",
    );
    let line = "a.txt b.txt --attempts 1 -f jsonl --report r.json";
    let seen = place.check_online(&server, line);
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    let (unknown, lost) = ("unknown_to_registry", "could_not_ask");
    let verdicts = ["known", unknown, lost, "known", unknown, lost, "known"];
    assert_eq!(seen.field("verdict"), verdicts);
    let details = seen.field("detail");
    assert_eq!(details[..2], ["the registry knows it", "null"]);
    assert!(details[2].contains("HTTP status 503"), "{}", details[2]);
    assert_eq!(
        asked(&server),
        ["10.5555/11", "10.5555/13", "10.5555/5", "10.5555/6"]
    );
    let counts =
        serde_json::json!({"known": 2, "unknown": 1, "could_not_ask": 1, "cached": 0, "asked": 4});
    assert_eq!(place.json("r.json")["registry"], counts);
}

#[test]
fn only_names_that_the_index_does_not_know_are_asked() {
    let (place, server) = (Place::new(), server());
    place.with_names("10.5555/7\n10.5555/100\n10.5555/medicine.25\n10.1186/s40981-020-0316-0\n");
    let values = [
        ("10.5555/7", "known,null"),
        (
            "10.5555/9.",
            "written_wrongly,tail.stop-alone: '.'; the registry knows it",
        ),
        (
            "10.5555/31.",
            "written_wrongly,tail.stop-alone: '.'; unknown to the registry",
        ),
        ("10.5555/29", "known,the registry knows it"),
        ("10.5555/51", "unknown_to_registry,null"),
        ("10.5555/10", "known,the registry knows it"),
        ("10.5555/medecine.25", "known,the registry knows it"),
        ("10.1186/s40981-020-0399-0", "known,the registry knows it"),
        (
            "no name",
            "not_a_doi,N1: no directory indicator \"10.\", at byte 0",
        ),
    ];
    let line = |(value, _): &(&str, &str)| format!("@a{{k, doi = {{{value}}}}}\n");
    place.file("a.bib", values.iter().map(line).collect::<String>());
    let seen = place.check_online(&server, "a.bib --known known.doix -f jsonl");
    let rows = seen.field("verdict").into_iter().zip(seen.field("detail"));
    for ((verdict, detail), (value, wanted)) in rows.zip(values) {
        assert_eq!(format!("{verdict},{detail}"), wanted, "{value}");
    }
    assert_eq!(asked(&server).len(), 7);
}

#[test]
fn a_suggestion_stays_unless_the_registry_knows_the_name() {
    let place = Place::new();
    let server = Server::start(|request| match request.name() {
        name if name.contains("medecine") => Act::json(503, ""),
        name => truth(&name),
    });
    place.with_names("10.5555/medicine.25\n10.5555/chemistry.31\n10.5555/110\n");
    let text = "@a{k, doi = {10.5555/medecine.25}}\n@a{l, doi = {10.5555/chemjstry.31}}\n@a{m, doi = {10.5555/11}}\n";
    place.file("a.bib", text);
    let line = "a.bib --known known.doix --attempts 1 --fix -f jsonl";
    let seen = place.check_online(&server, line);
    assert_eq!(
        seen.field("verdict"),
        ["did_you_mean", "did_you_mean", "cut_short"]
    );
    let details = seen.field("detail");
    assert!(
        details[0].contains("; could not ask the registry: "),
        "{}",
        details[0]
    );
    assert!(
        details[1].ends_with("; unknown to the registry"),
        "{}",
        details[1]
    );
    assert!(
        details[2].ends_with("; unknown to the registry"),
        "{}",
        details[2]
    );
    // What may be registered is not replaced.
    assert_eq!(seen.field("fixed"), ["false", "true", "false"]);
    assert_eq!(place.read("a.bib"), text.replace("chemjstry", "chemistry"));
}

#[test]
fn with_a_registry_only_repairs_with_a_known_result_are_written() {
    let (place, server) = (Place::new(), server());
    place.file(
        "a.bib",
        "@a{k,doi={10.5555/5.}}\n@a{l,doi={10.5555/11.}}\n@a{m,doi={10.5555/13.}}\n",
    );
    let seen = place.check_online(&server, "a.bib --fix --attempts 1 -f jsonl");
    assert_eq!(seen.field("fixed"), ["true", "false", "false"]);
    let wanted = "@a{k,doi={10.5555/5}}\n@a{l,doi={10.5555/11.}}\n@a{m,doi={10.5555/13.}}\n";
    assert_eq!(place.read("a.bib"), wanted);
}

#[test]
fn the_exit_code_tells_findings_from_questions_without_an_answer() {
    let (place, server) = (Place::new(), server());
    let code = |text: &str, line: &str| {
        place.file("a.txt", text);
        let seen = place.check_online(&server, &format!("a.txt --attempts 1 {line}"));
        (seen.code, seen.err)
    };
    assert_eq!(code("10.5555/5\n", ""), (Some(0), String::new()));
    assert_eq!(code("10.5555/11\n", "").0, Some(1));
    assert_eq!(code("10.5555/11\n", "--fail-on none").0, Some(0));
    let (lost, message) = code("10.5555/13\n10.5555/5\n", "");
    assert_eq!(lost, Some(2));
    assert!(
        message.contains("could not be asked for 1 names"),
        "{message}"
    );
    assert_eq!(code("10.5555/13\n", "--fail-on could_not_ask").0, Some(1));
    assert_eq!(code("10.5555/13\n10.5555/11\n", "").0, Some(1));
}

#[test]
fn a_later_check_asks_only_for_what_the_cache_lacks() {
    let (place, server) = (Place::new(), server());
    place.file("a.csv", "id,doi\n1,10.5555/5\n2,10.5555/11\n3,\n");
    let line = "a.csv --column doi --cache answers -f jsonl --stats";
    place.check_online(&server, line);
    assert_eq!(asked(&server).len(), 2);
    place.file("a.csv", "id,doi\n1,10.5555/5\n2,10.5555/11\n3,10.5555/6\n");
    let seen = place.check_online(&server, line);
    assert_eq!(
        seen.field("verdict"),
        ["known", "unknown_to_registry", "known"]
    );
    assert_eq!(asked(&server), ["10.5555/11", "10.5555/5", "10.5555/6"]);
    assert!(
        seen.err.contains("names from the cache 2, asked 1;"),
        "{}",
        seen.err
    );
}

#[test]
fn nothing_is_asked_if_a_file_or_an_option_is_wrong() {
    let (place, server) = (Place::new(), server());
    place
        .file("a.txt", "10.5555/5\n")
        .file("foreign", "10.5555/5\n");
    for (line, message) in [
        ("a.txt --cache foreign", "is not a cache of answers"),
        ("a.txt --contact (me)", "the contact"),
        (
            "a.txt --cache foreign -o foreign -f csv",
            "would be overwritten",
        ),
        ("missing.txt", "missing.txt"),
    ] {
        let seen = place.check_online(&server, line);
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{line}");
        assert!(seen.err.contains(message), "{line}: {}", seen.err);
    }
    let seen = Seen::of(&mut place.command(["check", "a.txt", "--max-age", "5d"]));
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("--max-age needs --online"),
        "{}",
        seen.err
    );
    assert!(asked(&server).is_empty());
}

#[test]
fn an_interrupted_check_fixes_nothing_and_goes_on_where_it_was() {
    let place = Place::new();
    let server = Server::start(|request| {
        Act::Slow(Duration::from_millis(5), Box::new(truth(&request.name())))
    });
    let entry = |number: usize| format!("@a{{k{number}, doi = {{10.5555/{number}0.}}}}\n");
    let text: String = (1..=200).map(entry).collect();
    place.file("a.bib", &text);
    let line = "a.bib --fix --cache answers -f jsonl -o rows.jsonl";
    let mut command = place.checking_online(&server, line);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    while server.seen().answered.len() < 40 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was interrupted"
        );
        thread::sleep(Duration::from_millis(2));
    }
    signal(&child, "-INT");
    let seen = Seen::from(child.wait_with_output().unwrap());
    assert_eq!(seen.code, Some(130), "{}", seen.err);
    assert!(
        seen.err
            .contains("no file was fixed; the same command continues"),
        "{}",
        seen.err
    );
    assert_eq!(place.read("a.bib"), text);
    assert_eq!(place.entries(), ["a.bib", "answers"]);

    assert_eq!(place.check_online(&server, line).code, Some(0));
    assert_eq!(place.read("a.bib"), text.replace(".}", "}"));
    // What was under way may have been answered to nobody.
    let again = server.seen().asked_again.len();
    assert!(again <= 4, "{again}");
}

#[test]
fn an_entry_that_is_added_while_the_registry_is_asked_stays() {
    let place = Place::new();
    let server = Server::start(|request| {
        Act::Slow(Duration::from_millis(200), Box::new(truth(&request.name())))
    });
    let text = "@a{k, doi = {10.5555/10.}}\n@a{l, doi = {10.5555/20.}}\n";
    place.file("a.bib", text);
    let mut command = place.checking_online(&server, "a.bib --fix");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    while server.seen().asked.is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "ended before it asked");
        thread::sleep(Duration::from_millis(2));
    }
    let added = format!("{text}@a{{new, title = {{Added}}}}\n");
    place.file("a.bib", &added);
    let seen = Seen::from(child.wait_with_output().unwrap());
    assert_eq!(seen.code, Some(2), "{}", seen.err);
    assert!(
        seen.err.contains("a.bib: changed by another program"),
        "{}",
        seen.err
    );
    assert_eq!(place.read("a.bib"), added);
    assert_eq!(place.entries(), ["a.bib"]);
}

#[test]
fn the_cells_of_a_table_in_columns_are_asked_too() {
    let (place, server) = (Place::new(), server());
    place.file("text.txt", "10.5555/5 10.5555/11 10.5555/6");
    place.scan("text.txt -o table.parquet").quiet();
    let seen = place.check_online(&server, "table.parquet --column doi -f jsonl");
    let rows: Vec<_> = seen
        .field("row")
        .into_iter()
        .zip(seen.field("doi"))
        .collect();
    let names = ["10.5555/11", "10.5555/5", "10.5555/6"];
    let numbered: Vec<_> = (1..)
        .map(|row: usize| row.to_string())
        .zip(names.map(str::to_owned))
        .collect();
    assert_eq!(rows, numbered);
    assert_eq!(
        seen.field("verdict"),
        ["unknown_to_registry", "known", "known"]
    );
    assert_eq!(asked(&server), names);
}

#[test]
fn the_end_of_an_unknown_name_in_a_text_may_be_a_guess() {
    let (place, server) = (Place::new(), server());
    place.file("a.md", "# Text\n\nIt is in 10.5555/x/11/ and 10.5555/5.\n");
    let seen = place.check_online(&server, "a.md -f jsonl");
    assert_eq!(seen.field("verdict"), ["unknown_to_registry", "known"]);
    assert_eq!(seen.field("detail")[0], "the end of the name is a guess");
}
