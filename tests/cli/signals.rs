//! Interrupted runs.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::place::{Place, fifo};

/// Interrupts a run once its temporary output is there, and waits for its end.
fn interrupt(place: &Place, mut child: Child, signal: &str) -> Option<i32> {
    while !place.entries().iter().any(|name| name.ends_with(".tmp")) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was interrupted"
        );
        thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &id])
            .status()
            .unwrap()
            .success()
    );
    // Standard input stays open until then.
    let input = child.stdin.take();
    let code = child.wait().unwrap().code();
    drop(input);
    code
}

#[test]
fn an_interrupted_run_leaves_nothing_and_exits_with_130() {
    for (line, signal) in [
        ("- -j1 -o out.csv", "-INT"),
        ("- -j2 -o out.csv", "-INT"),
        ("- -j2 -o out.jsonl --mentions --report r.json", "-INT"),
        ("- -j2 -o out.csv", "-TERM"),
        ("fifo -j1 -o out.csv", "-INT"),
        ("fifo -j2 -o out.csv", "-INT"),
    ] {
        let place = Place::new();
        fifo(&place.path("fifo"));
        let mut command = place.command(["scan"]);
        let child = command
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        assert_eq!(interrupt(&place, child, signal), Some(130), "{line}");
        assert_eq!(place.entries(), ["fifo"], "{line}");
    }
}
