//! Tests runs that read streams of the program and deliver rows to it.

use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::mem::discriminant;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use doisift::internal::{CallerRow, FieldValue, columns, for_each_row};
use doisift::{Edges, ErrorKind, Form, Merge, Monitor, OnError, Scan};

fn go_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Returns each mention as source, document and name. Asserts that it is the same for every number of threads.
fn mentions(new: impl Fn() -> Scan) -> Vec<(String, Option<String>, String)> {
    let found = |threads: usize| {
        let mut found = Vec::new();
        let scan = new().threads(threads);
        let each = |row: &doisift::MentionRow<'_>| {
            found.push((
                row.source.to_owned(),
                row.document.map(str::to_owned),
                row.doi.to_owned(),
            ));
            go_on()
        };
        scan.for_each_mention(each).unwrap();
        found
    };
    let one = found(1);
    assert_eq!(one, found(3));
    one
}

#[test]
fn streams_are_sources_in_the_order_of_their_names() {
    let found = mentions(|| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"10.5555/Packed").unwrap();
        Scan::new()
            .reader("s3://b/x.txt", Cursor::new("10.5555/x 10.5555/y"))
            .reader("a.gz", Cursor::new(packed.finish().unwrap()))
    });
    let names: Vec<_> = found
        .iter()
        .map(|(source, _, doi)| (source.as_str(), doi.as_str()))
        .collect();
    let wanted = [
        ("a.gz", "10.5555/packed"),
        ("s3://b/x.txt", "10.5555/x"),
        ("s3://b/x.txt", "10.5555/y"),
    ];
    assert_eq!(names, wanted);
}

/// Returns the rows of a scan as they go to a caller.
fn rows(scan: Scan) -> Vec<serde_json::Value> {
    let columns = columns(&scan).unwrap();
    let mut rows = Vec::new();
    let each = |row: &CallerRow<'_>| {
        let cells = columns.iter().map(|column| {
            let (value, empty) = (row.get(column), column.empty());
            assert_eq!(discriminant(&value), discriminant(&empty), "{column:?}");
            (column.name().to_owned(), json(value))
        });
        rows.push(cells.collect());
        go_on()
    };
    for_each_row(scan, each).unwrap();
    rows
}

fn json(value: FieldValue<'_>) -> serde_json::Value {
    match value {
        FieldValue::Text(text) => text.into(),
        FieldValue::Nullable(text) => text.into(),
        FieldValue::Number(number) => number.into(),
        FieldValue::NullableNumber(number) => number.into(),
        FieldValue::Int(number) => number.into(),
        FieldValue::Float(number) => number.into(),
        FieldValue::Flag(flag) => flag.into(),
        FieldValue::NullableFlag(flag) => flag.into(),
        FieldValue::Forms(forms) => forms.iter().map(Form::name).collect(),
        _ => unreachable!("{value:?}"),
    }
}

#[test]
fn rows_of_every_kind_go_to_a_caller_as_they_are_written() {
    let edges = || Edges {
        record_fields: Some(vec![
            "type".into(),
            "year:int=/issued/date-parts/0/0".into(),
        ]),
        all_references: true,
        ..Edges::default()
    };
    let kinds: [&dyn Fn(Scan) -> Scan; 6] = [
        &|scan| scan,
        &|scan| scan.mentions(true),
        &|scan| scan.edges(edges()),
        &|scan| scan.pairs(true),
        &|scan| scan.count(true),
        &|scan| scan.top_prefixes(2),
    ];
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("rows.jsonl");
    for (kind, threads) in kinds.iter().flat_map(|kind| [(kind, 1), (kind, 3)]) {
        let new = || kind(Scan::new().input("corpora").threads(threads));
        new().output(&output).run().unwrap();
        let lines = fs::read_to_string(&output).unwrap();
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let written: Vec<serde_json::Value> = lines.collect();
        assert_eq!(rows(new()), written);
        assert!(!written.is_empty());
    }
}

#[test]
fn streams_and_files_are_one_run() {
    let found = mentions(|| {
        Scan::new()
            .input("corpora/sample.txt")
            .reader("z", Cursor::new("doi:10.5555/z"))
    });
    assert!(found.len() > 1);
    assert!(
        found[..found.len() - 1]
            .iter()
            .all(|(source, _, _)| source == "corpora/sample.txt")
    );
}

#[test]
fn records_come_sorted_and_whole() {
    let text = "10.5555/b, doi:10.5555/A, https://doi.org/10.5555/a";
    let scan = Scan::new().reader("t", Cursor::new(text));
    let mut found = Vec::new();
    let report = scan
        .for_each_record(|record| {
            let forms: Vec<_> = record.forms().collect();
            found.push((
                record.doi.to_owned(),
                record.mentions,
                forms,
                record.first_text.to_string(),
            ));
            go_on()
        })
        .unwrap();
    let wanted = [
        (
            "10.5555/a".to_owned(),
            2,
            vec![Form::Doi, Form::Url],
            "10.5555/A".to_owned(),
        ),
        (
            "10.5555/b".to_owned(),
            1,
            vec![Form::Bare],
            "10.5555/b".to_owned(),
        ),
    ];
    assert_eq!(found, wanted);
    assert_eq!((report.records, report.mentions, report.sources), (2, 3, 1));
}

#[test]
fn a_caller_that_breaks_ends_the_run() {
    for threads in [1, 3] {
        let text = "10.5555/a 10.5555/b 10.5555/c";
        let scan = || Scan::new().threads(threads).reader("t", Cursor::new(text));
        let mut seen = 0;
        let stop = |seen: &mut u32| {
            *seen += 1;
            match *seen {
                2 => ControlFlow::Break(()),
                _ => go_on(),
            }
        };
        let run = scan().for_each_mention(|_| stop(&mut seen));
        assert_eq!(run.unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(seen, 2);
        seen = 0;
        let run = scan().for_each_record(|_| stop(&mut seen));
        assert_eq!(run.unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(seen, 2);
    }
}

/// Fails after some text.
struct Broken(Cursor<&'static str>);

impl Read for Broken {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 => Err(io::Error::other("the connection was lost")),
            read => Ok(read),
        }
    }
}

#[test]
fn a_stream_that_fails_is_reported_and_the_others_are_read() {
    let broken = Broken(Cursor::new("10.5555/whole and more text, 10.5555/cu"));
    let scan = Scan::new()
        .reader("broken", broken)
        .reader("sound", Cursor::new("10.5555/sound"));
    let mut names = Vec::new();
    let report = scan
        .for_each_record(|record| {
            names.push(record.doi.to_owned());
            go_on()
        })
        .unwrap();
    assert_eq!(names, ["10.5555/sound", "10.5555/whole"]);
    assert_eq!(report.errors.count, 1);
    let error = report.errors.list.first().unwrap();
    assert_eq!(error.source.as_deref(), Some("broken"));
    assert!(
        error.message.contains("the connection was lost"),
        "{error:?}"
    );
}

#[test]
fn a_name_is_that_of_one_source() {
    let twice = Scan::new()
        .reader("a", io::empty())
        .reader("a", io::empty());
    assert_eq!(twice.run().unwrap_err().kind(), ErrorKind::Clash);
    let file = Scan::new()
        .input("Cargo.toml")
        .reader("Cargo.toml", io::empty());
    let run = file.for_each_mention(|_| go_on());
    assert_eq!(run.unwrap_err().kind(), ErrorKind::Clash);
}

#[test]
fn mentions_are_not_passed_on_from_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let scan = || {
        let checkpoint = folder.path().join("checkpoint");
        Scan::new()
            .input("corpora/sample.txt")
            .checkpoint(checkpoint)
    };
    let run = scan().for_each_mention(|_| go_on());
    assert_eq!(run.unwrap_err().kind(), ErrorKind::Checkpoint);
    let mut records = 0;
    let run = scan().for_each_record(|_| {
        records += 1;
        go_on()
    });
    assert!(records > 0 && run.unwrap().records == records);
}

#[test]
fn a_missing_file_is_an_error_of_its_source() {
    let scan = || Scan::new().input("no/such/file");
    let failed = scan().for_each_mention(|_| go_on());
    assert!(failed.unwrap_err().to_string().contains("no/such/file"));
    let scan = scan().on_error(OnError::Skip);
    let report = scan.for_each_mention(|_| go_on()).unwrap();
    assert_eq!(report.errors.count, 1);
}

#[test]
fn rows_are_serialized_as_json_lines_write_them() {
    let scan = || Scan::new().reader("t", Cursor::new("DOI: 10.5555/A"));
    let mut rows = Vec::new();
    let run = scan().for_each_record(|record| {
        rows.push(serde_json::to_string(record).unwrap());
        go_on()
    });
    run.unwrap();
    let run = scan().for_each_mention(|mention| {
        rows.push(serde_json::to_string(mention).unwrap());
        go_on()
    });
    run.unwrap();
    let wanted = [
        r#"{"doi":"10.5555/a","mentions":1,"documents":1,"sources":1,"forms":["label"],"first_source":"t","first_document":null,"first_offset":5,"first_text":"10.5555/A","guessed":false,"check_digit":null}"#,
        r#"{"doi":"10.5555/a","form":"label","source":"t","document":null,"offset":5,"length":9,"text":"10.5555/A","guessed":false,"check_digit":null}"#,
    ];
    assert_eq!(rows, wanted);
}

#[test]
fn without_output_every_kind_of_rows_is_counted_and_none_written() {
    type Choose = fn(Scan) -> Scan;
    let kinds: [(Choose, u64); 6] = [
        (|scan| scan, 2),
        (|scan| scan.mentions(true), 3),
        (|scan| scan.pairs(true), 2),
        (|scan| scan.edges(Edges::default()), 3),
        (|scan| scan.count(true), 2),
        (|scan| scan.top_prefixes(1), 2),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (choose, records) in kinds {
        let text = Cursor::new("10.5555/b, doi:10.5555/A, https://doi.org/10.5555/a");
        let scan = choose(Scan::new().reader("t", text));
        let unwritten = folder.path().join("rows.csv");
        let scan = scan.output(&unwritten);
        let report = scan.run_without_output().unwrap();
        assert_eq!((report.mentions, report.records), (3, records));
        assert!(!unwritten.exists());
    }
}

/// Returns the offsets and document indices of a folder's mentions, scanned in ranges of `width` bytes if given.
fn places(folder: &std::path::Path, width: Option<u64>) -> Vec<(String, u64, u64)> {
    let mut found = Vec::new();
    let width_or_all = width.unwrap_or(1 << 20);
    for start in (0..1 << 20).step_by(usize::try_from(width_or_all).unwrap()) {
        let mut scan = Scan::new().input(folder).threads(1);
        if width.is_some() {
            scan = scan.range(start..start + width_or_all);
        }
        let each = |row: &doisift::MentionRow<'_>| {
            found.push((row.source.to_owned(), row.document_index, row.offset));
            go_on()
        };
        scan.for_each_mention(each).unwrap();
    }
    found.sort();
    found
}

/// Includes packed files, which belong to the first range as a whole.
#[test]
fn ranges_of_files_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let text = "doi:10.5555/Name, and <10.5555/b%2Fc> ".repeat(10_000);
    std::fs::write(folder.path().join("plain"), &text).unwrap();
    let packed = std::fs::File::create(folder.path().join("packed")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap();
    let whole = places(folder.path(), None);
    assert_eq!(whole.len(), 40_000);
    for width in [10_007, 100_000, 1 << 20] {
        assert_eq!(places(folder.path(), Some(width)), whole);
    }
}

#[test]
fn only_mentions_have_ranges() {
    let scan = Scan::new().input("corpora/sample.txt").range(0..10);
    let failed = scan.for_each_record(|_| go_on());
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Options);
}

#[test]
fn standard_input_is_given_once() {
    let twice = Scan::new().input("-").files_from("-");
    let merge = Merge::new().input("-").input("-");
    for error in [twice.run().unwrap_err(), merge.run().unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Clash, "{error}");
        assert!(
            error
                .to_string()
                .starts_with("standard input can be read only once"),
            "{error}"
        );
    }
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
        let scan = Scan::new().input(path(name)).monitor(monitor);
        scan.output(path("out.csv")).run()
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
    assert!(stopped.is_err_and(|error| error.kind() == ErrorKind::Cancelled));
    assert!(began.elapsed() < wait, "it does not wait on after that");
    assert!(!path("out.csv").exists());
}
