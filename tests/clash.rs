//! The library refuses the same as the command: an input that is also an output.
#![cfg(feature = "pipeline")]
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::time::{Duration, Instant};

use doisift::{ClashError, Error, ErrorKind, Format, Merge, Monitor, Pipeline, Separator};

fn clash<R>(result: Result<R, Error>) -> String {
    match result {
        Err(error) if matches!(error.kind(), ErrorKind::Clash(_)) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("it was not refused"),
    }
}

#[test]
fn a_source_that_is_an_output_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("n.csv"), "10.5555/keep\n").unwrap();
    fs::write(path("list"), path("n.csv").to_str().unwrap()).unwrap();
    let scan = || Pipeline::builder().format(Format::Csv).threads(2);
    for pipeline in [
        scan().source(path("n.csv")).output(path("n.csv")),
        scan().source(path("n.csv")).report(path("n.csv")),
        scan().source(folder.path()).output(path("n.csv")),
        scan()
            .source(path("list"))
            .output(path("o"))
            .report(path("o")),
        scan()
            .list(path("list"), Separator::Line)
            .output(path("n.csv")),
        scan()
            .list(path("list"), Separator::Line)
            .output(path("list")),
    ] {
        let reported = clash(pipeline.build().unwrap().run());
        assert!(reported.contains("another file"), "{reported}");
        assert_eq!(fs::read_to_string(path("n.csv")).unwrap(), "10.5555/keep\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
    let merge = Merge::builder().input(path("n.csv")).report(path("n.csv"));
    clash(merge.build().unwrap().run());
    assert_eq!(fs::read_to_string(path("n.csv")).unwrap(), "10.5555/keep\n");
}

#[test]
fn standard_input_is_given_once() {
    let list = Pipeline::builder().list("-", Separator::Nul);
    let twice = list.list("-", Separator::Nul).build().unwrap().run();
    assert_eq!(clash(twice), ClashError::Stdin.to_string());
    let merged = Merge::builder()
        .input("-")
        .input("-")
        .build()
        .unwrap()
        .run();
    assert_eq!(clash(merged), ClashError::Stdin.to_string());
}

#[test]
fn outputs_wait_for_a_cancellation_that_ended_a_pipe_and_for_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let made = std::process::Command::new("mkfifo")
        .arg(path("fifo"))
        .status();
    assert!(made.unwrap().success());
    fs::write(path("file"), "10.5555/a\n").unwrap();
    let run = |name: &str, monitor: &Monitor| {
        let pipeline = Pipeline::builder().source(path(name)).monitor(monitor);
        pipeline.output(path("out.csv")).build().unwrap().run()
    };
    let wait = Duration::from_secs(20);
    let monitor = Monitor::new();
    monitor.set_stream_wait(wait);
    let began = Instant::now();
    run("file", &monitor).unwrap();
    assert!(began.elapsed() < wait);
    fs::remove_file(path("out.csv")).unwrap();
    let (fifo, flag) = (path("fifo"), monitor.suspend_flag());
    let writer = std::thread::spawn(move || {
        fs::write(fifo, "10.5555/a\n").unwrap();
        std::thread::sleep(Duration::from_millis(100));
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    let stopped = run("fifo", &monitor);
    writer.join().unwrap();
    assert!(stopped.is_err_and(|error| matches!(error.kind(), ErrorKind::Cancelled)));
    assert!(began.elapsed() < wait, "it does not wait on after that");
    assert!(!path("out.csv").exists());
}
