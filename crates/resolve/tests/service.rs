//! Runs against a server on this machine: its requests, how often and how fast they come, and the caller's answers.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use common::registry::{expected, faulty, known, name, number, truth};
use common::{Act, Server, client, code, decoded, doi, options, record};
use doisift_core::Doi;
use doisift_resolve::{
    Agency, Backoff, Cache, Client, ClientOptions, DatedAnswer, HandleAnswer, LookupCounts, MaxAge,
    Rate, ServiceFailure,
};

fn memory() -> Cache {
    Cache::in_memory(MaxAge::default())
}

/// Returns the answers of a run, with their names.
fn answers(
    client: &Client,
    names: &[Doi],
    cache: &mut Cache,
) -> (Vec<(String, HandleAnswer)>, LookupCounts) {
    let mut rows = Vec::new();
    let summary = client.resolve(names.iter().cloned(), cache, |doi, dated| {
        rows.push((doi.to_string(), dated.answer));
        ControlFlow::Continue(())
    });
    (rows, summary.unwrap())
}

#[test]
fn each_of_2000_names_is_answered_once_in_order_among_faults() {
    let server = Server::start(faulty);
    let rate = Rate::new(200, Duration::from_millis(200)).unwrap();
    let options = ClientOptions {
        rate,
        ..options(&server.endpoint)
    };
    let client = Client::new(&options).unwrap();
    let names: Vec<_> = (0..2000).map(|number| doi(&name(number))).collect();
    let mut cache = memory();
    let (rows, summary) = answers(&client, &names, &mut cache);
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row, &(name(number), expected(number)));
    }
    assert_eq!((rows.len(), summary.asked, summary.cached), (2000, 2000, 0));
    server.assert_rate(200, Duration::from_millis(200));
    assert_eq!(server.seen().asked_again, [""; 0]);

    // 2,000 names, 200 further attempts, 40 redirects and 100 targets of aliases; then all comes from the cache.
    let requests = server.seen().times.len();
    assert_eq!(requests, 2000 + 200 + 40 + 100);
    let (again, summary) = answers(&client, &names, &mut cache);
    assert_eq!((again, summary.cached), (rows, 2000));
    assert_eq!(server.seen().times.len(), requests);
}

#[test]
fn an_answer_has_its_time_and_says_whether_it_was_asked_now() {
    let server = Server::start(faulty);
    let mut cache = memory();
    let mut ask = || {
        let mut seen = Vec::new();
        let deliver = |_, dated: DatedAnswer<HandleAnswer>| {
            seen.push((dated.asked, dated.is_cached));
            ControlFlow::Continue(())
        };
        let summary = client(&server).resolve([doi(&name(5))], &mut cache, deliver);
        assert!(summary.unwrap().is_complete);
        seen
    };
    let first = ask();
    let age = first[0].0.elapsed().unwrap();
    assert!(!first[0].1 && age < Duration::from_secs(60), "{age:?}");
    assert_eq!(ask(), [(first[0].0, true)]);
}

#[test]
fn the_server_never_sees_more_than_the_rate() {
    let server = Server::start(|request| {
        let name = request.name();
        let wait = Duration::from_millis(number(&name) as u64 * 7 % 40);
        Act::Slow(wait, Box::new(truth(&name)))
    });
    let interval = Duration::from_millis(200);
    let options = ClientOptions {
        rate: Rate::new(10, interval).unwrap(),
        concurrency: 16,
        ..options(&server.endpoint)
    };
    let names: Vec<_> = (0..60).map(|number| doi(&name(number))).collect();
    answers(&Client::new(&options).unwrap(), &names, &mut memory());
    server.assert_rate(10, interval);
}

#[test]
fn the_rate_that_the_service_states_is_obeyed() {
    let server = Server::start(|request| {
        let headers = "x-rate-limit-limit: 20\r\nx-rate-limit-interval: 1s\r\n";
        match truth(&request.name()) {
            Act::Reply(status, _, body) => Act::Reply(status, headers.to_owned(), body),
            act => act,
        }
    });
    let options = ClientOptions {
        concurrency: 1,
        ..options(&server.endpoint)
    };
    let names: Vec<_> = (5..45)
        .step_by(20)
        .chain(25..50)
        .map(|number| doi(&name(number)))
        .collect();
    answers(&Client::new(&options).unwrap(), &names, &mut memory());
    server.assert_rate(20, Duration::from_secs(1));
}

#[test]
fn retry_after_is_waited_for() {
    let server = Server::start(|request| match request.attempt {
        0 => Act::Reply(429, "Retry-After: 1\r\n".to_owned(), String::new()),
        _ => truth(&request.name()),
    });
    let answer = client(&server).ask(&doi("10.5555/5"));
    assert!(
        matches!(answer, Some(HandleAnswer::Known { .. })),
        "{answer:?}"
    );
    server.assert_rate(1, Duration::from_secs(1));
}

/// Returns why names were not answered, and the time of the run.
fn reasons(client: &Client, count: usize) -> (Vec<ServiceFailure>, Duration) {
    let started = Instant::now();
    let names: Vec<_> = (0..count).map(|number| doi(&name(number))).collect();
    let (rows, summary) = answers(client, &names, &mut memory());
    assert!(summary.is_complete);
    let reason = |(_, answer)| match answer {
        HandleAnswer::CouldNotAsk(failure) => failure,
        other => panic!("{other:?}"),
    };
    (rows.into_iter().map(reason).collect(), started.elapsed())
}

#[test]
fn a_service_that_is_not_found_is_not_looked_for_with_every_name() {
    let options = ClientOptions {
        backoff: Backoff::default(),
        concurrency: 1,
        // An address of this machine by its form, so that no proxy is used.
        ..options("http://127.nowhere.invalid/")
    };
    let client = Client::new(&options).unwrap();
    let (reasons, took) = reasons(&client, 20);
    // Three look-ups, with delays of at most one and two seconds between them.
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(
        matches!(reasons[0], ServiceFailure::Lookup(_)),
        "{:?}",
        reasons[0]
    );
    for reason in &reasons[1..] {
        let ServiceFailure::NotAsked(why) = reason else {
            panic!("{reason:?}")
        };
        assert!(matches!(**why, ServiceFailure::Lookup(_)), "{why:?}");
        assert!(
            reason
                .to_string()
                .starts_with("not asked, since the service's name was not found")
        );
    }
}

#[test]
fn a_wait_of_hours_ends_the_questions() {
    let server = Server::start(|request| match number(&request.name()) {
        0..5 => truth(&request.name()),
        _ => Act::Reply(429, "Retry-After: 86400\r\n".to_owned(), String::new()),
    });
    let options = ClientOptions {
        concurrency: 1,
        ..options(&server.endpoint)
    };
    let client = Client::new(&options).unwrap();
    let names: Vec<_> = (0..50).map(|number| doi(&name(number))).collect();
    let started = Instant::now();
    let (rows, _) = answers(&client, &names, &mut memory());
    assert!(started.elapsed() < Duration::from_secs(30));
    assert!(
        rows[..5]
            .iter()
            .all(|(_, answer)| answer.exists().is_some())
    );
    let day = ServiceFailure::Wait(Duration::from_secs(86_400));
    assert_eq!(rows[5].1, HandleAnswer::CouldNotAsk(day.clone()));
    let text = day.to_string();
    assert!(
        text.starts_with(
            "the service asks to send no request for 24 hours, and this program waits at most 10 minutes"
        ),
        "{text}"
    );
    let not_asked = HandleAnswer::CouldNotAsk(ServiceFailure::NotAsked(Box::new(day)));
    assert!(rows[6..].iter().all(|(_, answer)| *answer == not_asked));
    let asked = server.seen().asked.len();
    assert!(asked < 10, "{asked}");
}

#[test]
fn a_service_that_refuses_programs_is_not_asked_for_every_name() {
    let server = Server::start(|_| Act::json(403, ""));
    let options = ClientOptions {
        concurrency: 1,
        ..options(&server.endpoint)
    };
    let (reasons, _) = reasons(&Client::new(&options).unwrap(), 20);
    assert_eq!(reasons[..3], vec![ServiceFailure::Http(403); 3]);
    let text = reasons[0].to_string();
    assert!(
        text.contains("HTTP status 403: it refuses this program") && text.contains("--contact"),
        "{text}"
    );
    assert!(
        reasons[3..]
            .iter()
            .all(|reason| matches!(reason, ServiceFailure::NotAsked(_)))
    );
    assert_eq!(server.seen().times.len(), 3);
}

#[test]
fn after_an_overload_the_next_name_waits_too() {
    let server = Server::start(|_| Act::json(429, ""));
    let delay = Duration::from_millis(400);
    let options = ClientOptions {
        attempts: 1,
        backoff: Backoff {
            first: delay,
            max: delay,
        },
        ..options(&server.endpoint)
    };
    let client = Client::new(&options).unwrap();
    for _ in 0..3 {
        let answer = client.ask(&doi("10.5555/5"));
        assert_eq!(
            answer,
            Some(HandleAnswer::CouldNotAsk(ServiceFailure::Http(429)))
        );
    }
    server.assert_rate(1, delay / 2);
}

#[test]
fn an_answer_that_comes_too_late_is_none() {
    let late = Duration::from_secs(20);
    let server = Server::start(move |request| Act::Slow(late, Box::new(truth(&request.name()))));
    let options = ClientOptions {
        timeout: Duration::from_millis(50),
        attempts: 2,
        ..options(&server.endpoint)
    };
    let answer = Client::new(&options).unwrap().ask(&doi("10.5555/5"));
    assert!(matches!(
        failure(&answer.unwrap()),
        ServiceFailure::Network(_)
    ));
    assert_eq!(server.seen().times.len(), 2);
}

#[test]
fn a_request_says_who_asks_and_wants_no_more_than_it_needs() {
    let server = Server::start(|request| {
        let headers = request.headers.to_ascii_lowercase();
        assert!(
            headers.contains("user-agent: doisift-resolve/"),
            "{headers}"
        );
        assert!(
            headers.contains("(mailto:ann@example.org)\r\n"),
            "{headers}"
        );
        assert!(!request.path.contains("auth"), "{}", request.path);
        truth(&request.name())
    });
    let name = "10.5555/./a/../é?x=1&y#.5";
    let answer = client(&server).ask(&doi(name));
    assert_eq!(answer, Some(known(name)));
}

#[test]
fn equal_names_are_asked_once() {
    let server = Server::start(|request| record(&request.name(), "URL", "https://a.example"));
    let names = ["10.5555/a", "10.5555/b", "10.5555/A", "10.5555/a"].map(doi);
    let (rows, summary) = answers(&client(&server), &names, &mut memory());
    let shown: Vec<_> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(shown, ["10.5555/a", "10.5555/b", "10.5555/A", "10.5555/a"]);
    assert!(rows.iter().all(|(_, answer)| answer.exists() == Some(true)));
    assert_eq!((summary.asked, server.seen().times.len()), (2, 2));
}

#[test]
fn p6_one_alias_is_followed() {
    let server = Server::start(|request| match request.name().as_str() {
        "10.5555/1" => record("10.5555/1", "HS_ALIAS", "10.5555/2"),
        "10.5555/2" => record("10.5555/2", "HS_ALIAS", "10.5555/3"),
        "10.5555/4" => record("10.5555/4", "HS_ALIAS", "10.5555/5"),
        "10.5555/6" => record("10.5555/6", "HS_ALIAS", "4263537/4000"),
        name => code(404, 100, name),
    });
    let alias = |target: &str, answer: Option<HandleAnswer>| HandleAnswer::Alias {
        target: target.to_owned(),
        answer: answer.map(Box::new),
    };
    let client = client(&server);
    let cases = [
        (
            "10.5555/1",
            alias("10.5555/2", Some(alias("10.5555/3", None))),
        ),
        ("10.5555/4", alias("10.5555/5", Some(HandleAnswer::Unknown))),
        ("10.5555/6", alias("4263537/4000", None)),
    ];
    for (name, expected) in cases {
        assert_eq!(client.ask(&doi(name)), Some(expected));
    }
}

#[test]
fn what_cannot_be_asked_is_never_unknown() {
    let server = Server::start(|request| match request.name().as_str() {
        "10.5555/1" => code(500, 2, "10.5555/1"),
        "10.5555/2" => Act::json(403, "<html>"),
        "10.5555/3" => Act::Close,
        "10.5555/4" => Act::Cut("{}".repeat(20)),
        "10.5555/5" => Act::redirect("/api/handles/10.5555/5?type=URL&type=HS_ALIAS"),
        "10.5555/6" => Act::redirect("file:///etc/passwd"),
        "10.5555/7" => code(404, 100, "10.5555/8"),
        _ => Act::json(404, "<html>"),
    });
    let names: Vec<_> = (1..9).map(|n| doi(&format!("10.5555/{n}"))).collect();
    let mut cache = memory();
    let (rows, summary) = answers(&client(&server), &names, &mut cache);
    let failures: Vec<_> = rows.iter().map(|(_, answer)| failure(answer)).collect();
    assert!(matches!(
        failures[0],
        ServiceFailure::Service { code: 2, .. }
    ));
    assert_eq!(failures[1], &ServiceFailure::Http(403));
    assert!(matches!(failures[2], ServiceFailure::Network(_)));
    assert!(matches!(failures[3], ServiceFailure::Network(_)));
    assert!(matches!(failures[4], ServiceFailure::Redirect(_)));
    assert!(matches!(failures[5], ServiceFailure::Redirect(_)));
    assert!(matches!(failures[6], ServiceFailure::Body(_)));
    assert_eq!(failures[7], &ServiceFailure::Http(404));
    assert!(summary.is_complete && cache.is_empty());
    // Failures that may pass have six attempts, a circle of redirects six requests, and others one.
    let seen = server.seen();
    let asked = |n| seen.asked[&format!("/api/handles/10.5555/{n}?type=URL&type=HS_ALIAS")].0;
    assert_eq!(
        [1, 2, 3, 4, 5, 6, 7, 8].map(asked),
        [6, 1, 6, 6, 6, 1, 6, 1]
    );
}

fn failure(answer: &HandleAnswer) -> &ServiceFailure {
    match answer {
        HandleAnswer::CouldNotAsk(failure) => failure,
        other => panic!("{other:?}"),
    }
}

/// Answers as the service "Which RA" does.
fn agency_of(name: &str) -> serde_json::Value {
    match number(name) % 5 {
        0 => serde_json::json!({"DOI": name, "status": "DOI does not exist"}),
        1 => serde_json::json!({"DOI": name, "status": "Unknown"}),
        2 => serde_json::json!({"DOI": name, "status": "Invalid DOI"}),
        _ => serde_json::json!({"DOI": name, "RA": "Crossref"}),
    }
}

#[test]
fn p5_agencies_are_asked_in_batches() {
    let server = Server::start(|request| {
        let names = request.path.strip_prefix("/doiRA/").unwrap().split(',');
        let rows: Vec<_> = names.map(|name| agency_of(&decoded(name))).collect();
        Act::json(200, serde_json::Value::from(rows).to_string())
    });
    let client = client(&server);
    let names: Vec<_> = (0..60).map(|number| doi(&name(number))).collect();
    let mut cache = memory();
    for requests in [3, 3] {
        let mut rows = HashMap::new();
        let summary = client.agencies(names.iter().cloned(), &mut cache, |doi, dated| {
            rows.insert(number(doi.as_str()), dated.answer);
            ControlFlow::Continue(())
        });
        assert!(summary.unwrap().is_complete);
        assert_eq!(rows.len(), 60);
        assert_eq!(rows[&10], Agency::NotRegistered);
        assert_eq!(rows[&11], Agency::Undetermined);
        assert_eq!(rows[&12], Agency::Invalid);
        assert_eq!(rows[&13], Agency::Known("Crossref".to_owned()));
        assert_eq!(server.seen().times.len(), requests);
    }
}

#[test]
fn a_run_that_breaks_or_is_cancelled_goes_on_with_what_is_left() {
    let server = Server::start(|request| truth(&request.name()));
    // An alias whose target is not asked any more has no answer yet.
    let whole = (0..100).filter(|number| number % 20 != 4);
    let names: Vec<_> = whole.map(|number| doi(&name(number))).collect();
    let mut cache = memory();
    let mut left = 10;
    let summary = client(&server).resolve(names.iter().cloned(), &mut cache, |_, _| {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let summary = summary.unwrap();
    assert_eq!((summary.delivered, summary.is_complete), (10, false));
    let (rows, _) = answers(&client(&server), &names, &mut cache);
    assert_eq!(rows.len(), 95);
    assert_eq!(server.seen().asked_again, [""; 0]);
}

#[test]
fn a_client_that_waits_can_be_cancelled() {
    let minutes = "Retry-After: 500\r\n";
    let server = Server::start(move |_| Act::Reply(429, minutes.to_owned(), String::new()));
    let client = client(&server);
    let cancel = client.cancel_handle();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while server.seen().times.is_empty() {
                std::thread::sleep(Duration::from_millis(5));
            }
            cancel.cancel();
        });
        let (rows, summary) = answers(&client, &[doi("10.5555/5")], &mut memory());
        assert_eq!((rows.len(), summary.is_complete), (0, false));
    });
    assert!(client.cancel_handle().is_cancelled());
    assert_eq!(client.ask(&doi("10.5555/5")), None);
}
