//! Checks that a resumed run gives the same output as an uninterrupted one.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

use doisift::internal::{OptionTask, OptionValue};
use doisift::{Error, ErrorKind, Folders, Limits, Monitor, PartSize, Scan, ScanReport};
use serde_json::Value;
use tempfile::TempDir;

type End = fn(&Monitor);

/// Ends a run from a log message: the warning about a damaged source.
struct Trap;

static SET: Mutex<Vec<(String, Monitor, End)>> = Mutex::new(Vec::new());

impl log::Log for Trap {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let said = record.args().to_string();
        for (source, monitor, end) in SET.lock().unwrap().iter() {
            if said.starts_with(source) {
                end(monitor);
            }
        }
    }

    fn flush(&self) {}
}

/// Makes the next run end when it reports `source`, which is damaged.
fn set_trap(source: &Path, monitor: &Monitor, end: End) {
    static LOGGER: Once = Once::new();
    LOGGER.call_once(|| log::set_logger(&Trap).unwrap());
    log::set_max_level(log::LevelFilter::Warn);
    let source = source.to_str().unwrap().to_owned();
    let mut set = SET.lock().unwrap();
    set.retain(|(other, ..)| *other != source);
    set.push((source, monitor.clone(), end));
}

fn text(seed: u64, lines: u64) -> String {
    let mut text = String::new();
    for line in 0..lines {
        let number = (seed * 31 + line * 7_919) % 9_001;
        let _ = match line % 3 {
            0 => writeln!(text, "See doi:10.5555/Abc-{number}, and more."),
            1 => writeln!(text, "https://doi.org/10.5555%2Fabc-{number} 10.0.0.0/8"),
            _ => writeln!(
                text,
                "\"10.1000/{number}\" {}",
                "x".repeat(number as usize % 40)
            ),
        };
    }
    text
}

fn gzip(text: &str) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

/// Sources, an output, a report and a checkpoint.
struct Place(TempDir);

impl Place {
    /// Creates small files, large ones, and packed ones, every other of which is damaged.
    fn new() -> Place {
        let place = Place(TempDir::new().unwrap());
        fs::create_dir(place.path("in")).unwrap();
        for number in 0..8 {
            let mut packed = gzip(&text(number, 700));
            if number % 2 == 1 {
                packed.truncate(packed.len() / 2);
            }
            place.file(&format!("in/{number}c.gz"), packed);
            place.file(&format!("in/{number}a"), text(20 + number, 60));
            place.file(&format!("in/{number}b"), text(40 + number, 900));
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    fn scan(&self, threads: usize, memory: u64) -> Scan {
        Scan::new()
            .input(self.path("in"))
            .output(self.path("out.csv"))
            .report(self.path("report.json"))
            .threads(threads)
            .memory(memory)
            .set("chunk", OptionValue::Number(5000))
            .unwrap()
    }

    fn checkpointed(&self, threads: usize, memory: u64) -> Scan {
        self.scan(threads, memory)
            .checkpoint(self.path("checkpoint"))
            .set("checkpoint_interval", OptionValue::Number(0))
            .unwrap()
    }

    /// Returns the output, and the report without the fields that may differ. Removes both files.
    fn result(&self) -> (String, Value) {
        assert_eq!(self.entries(), ["in", "out.csv", "report.json"]);
        let out = fs::read_to_string(self.path("out.csv")).unwrap();
        let report = fs::read(self.path("report.json")).unwrap();
        let mut report: Value = serde_json::from_slice(&report).unwrap();
        let members = report.as_object_mut().unwrap();
        for own in ["seconds", "runs", "spilled_bytes", "options", "started"] {
            members.remove(own).unwrap();
        }
        members.remove("resumed");
        fs::remove_file(self.path("out.csv")).unwrap();
        fs::remove_file(self.path("report.json")).unwrap();
        (out, report)
    }

    fn entries(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    /// Runs until the damaged source `source` is reported, which ends the run.
    fn end_at(&self, source: &str, scan: Scan, end: End) {
        let monitor = Monitor::new();
        set_trap(&self.path(source), &monitor, end);
        let ended = run(scan.monitor(&monitor));
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::Cancelled);
    }

    /// Returns the paths of the runs in the checkpoint.
    fn runs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("checkpoint")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|ending| ending == "run"))
            .collect()
    }
}

fn run(scan: Scan) -> Result<ScanReport, Error> {
    scan.run()
}

/// Returns the error of a run that cannot be resumed.
fn refusal(scan: Scan) -> String {
    let error = run(scan).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Checkpoint, "{error}");
    error.to_string()
}

#[test]
fn ended_anywhere_and_run_again_gives_the_same_bytes_and_counts() {
    let place = Place::new();
    let report = run(place.scan(1, 1 << 30)).unwrap();
    assert_eq!((report.runs, report.errors.count), (0, 4));
    let wanted = place.result();
    for threads in [1, 2, 8] {
        for memory in [1 << 20, 1 << 30] {
            // A checkpoint at every source, or only at the end, while many sources are read.
            for (end, interval) in [
                (Monitor::cancel as End, 0),
                (Monitor::suspend, 0),
                (Monitor::suspend, 3_600_000),
            ] {
                let checkpointed = |threads| {
                    let scan = place.checkpointed(threads, memory);
                    scan.set("checkpoint_interval", OptionValue::Number(interval))
                        .unwrap()
                };
                place.end_at("in/1c.gz", checkpointed(threads), end);
                assert_eq!(place.entries(), ["checkpoint", "in", "report.json"]);
                if interval == 0 {
                    place.end_at("in/5c.gz", checkpointed(3), end);
                }
                assert!(!place.runs().is_empty());
                run(checkpointed(threads)).unwrap();
                assert!(
                    place.result() == wanted,
                    "{threads} threads, {memory} bytes"
                );
            }
        }
    }
}

/// Returns the mentions, the records besides them, and the report without the fields that may differ. Removes all of them.
fn mentions_and_names(place: &Place) -> (Vec<(String, String)>, String, Value) {
    assert_eq!(place.entries(), ["in", "names.csv", "report.json", "rows"]);
    fs::rename(place.path("names.csv"), place.path("out.csv")).unwrap();
    let entries = fs::read_dir(place.path("rows")).unwrap();
    let parts = entries.map(|entry| entry.unwrap().path());
    let parts = parts.filter(|path| path.to_str().unwrap().contains("part-"));
    let read = |path: PathBuf| {
        (
            path.to_str().unwrap().to_owned(),
            fs::read_to_string(&path).unwrap(),
        )
    };
    let mut parts: Vec<_> = parts.map(read).collect();
    parts.sort();
    fs::remove_dir_all(place.path("rows")).unwrap();
    let (names, mut report) = place.result();
    report
        .as_object_mut()
        .unwrap()
        .remove("bytes_read")
        .unwrap();
    (parts, names, report)
}

#[test]
fn mentions_and_their_names_resume_together() {
    let place = Place::new();
    let rows = |scan: Scan| {
        let scan = scan
            .output(place.path("rows/"))
            .names_to(place.path("names.csv"));
        scan.mentions(true)
            .format(doisift::Format::Jsonl)
            .part_size(PartSize::Bytes(6000))
    };
    run(rows(place.scan(1, 1 << 30))).unwrap();
    let wanted = mentions_and_names(&place);
    assert!(wanted.0.len() > 30, "{} parts", wanted.0.len());
    for (threads, memory) in [(1, 1 << 20), (1, 1 << 30), (2, 1 << 20), (8, 1 << 30)] {
        for (end, interval) in [
            (Monitor::cancel as End, 0),
            (Monitor::suspend, 0),
            (Monitor::suspend, 3_600_000),
        ] {
            let checkpointed = |threads, memory| {
                let interval = OptionValue::Number(interval);
                let scan = place.checkpointed(threads, memory);
                rows(scan.set("checkpoint_interval", interval).unwrap())
            };
            place.end_at("in/1c.gz", checkpointed(threads, memory), end);
            assert!(!place.runs().is_empty());
            // Each run has other threads and another budget.
            place.end_at("in/5c.gz", checkpointed(3, 1 << 30), end);
            run(checkpointed(threads, memory)).unwrap();
            assert!(
                mentions_and_names(&place) == wanted,
                "{threads} threads, {memory} bytes, {interval} ms"
            );
        }
    }
}

#[test]
fn a_suspended_run_loses_nothing_that_was_read() {
    for threads in [1, 2, 8] {
        let place = Place::new();
        place.end_at(
            "in/3c.gz",
            place.checkpointed(threads, 1 << 30),
            Monitor::suspend,
        );
        // Finished sources are not read again, so their content may be gone.
        let monitor = Monitor::new();
        set_trap(&place.path("in/3c.gz"), &monitor, |_| {
            panic!("it is read again")
        });
        run(place.checkpointed(threads, 1 << 30)).unwrap();
        assert_eq!(place.entries(), ["in", "out.csv", "report.json"]);
    }
}

#[test]
fn without_a_folder_before_or_anything_done_nothing_is_left() {
    let place = Place::new();
    let monitor = Monitor::new();
    monitor.cancel();
    run(place.checkpointed(2, 1 << 20).monitor(&monitor)).unwrap_err();
    assert_eq!(place.entries(), ["in", "report.json"]);
}

#[test]
fn other_sources_or_options_than_before_are_refused_until_they_are_as_they_were() {
    let place = Place::new();
    let wanted = (run(place.scan(2, 1 << 30)).unwrap(), place.result()).1;
    place.end_at("in/3c.gz", place.checkpointed(1, 1 << 20), Monitor::suspend);
    let again = || place.checkpointed(2, 1 << 20);

    assert!(
        refusal(again().lines(true))
            .contains("lines was false in the interrupted run and is true now")
    );
    assert!(
        refusal(again().limits(Limits {
            max_window: 7,
            ..Limits::default()
        }))
        .contains("max-window was 134217728 in the interrupted run and is 7 now")
    );
    assert!(
        refusal(again().format(doisift::Format::Names))
            .contains("the format was records in the interrupted run and is names now")
    );
    assert!(refusal(again().on_error(doisift::OnError::Fail)).contains("2 errors lost input"));
    for (glob, gone) in [("0a", "in/0a"), ("7*", "in/7a")] {
        let exclude = vec![glob.to_owned()];
        let refused = refusal(again().folders(Folders {
            exclude,
            ..Folders::default()
        }));
        assert!(refused.contains(&format!("{gone} was a source of the interrupted run")));
    }

    place.file("in/0aa", "");
    assert!(refusal(again()).contains("in/0aa was not a source of the interrupted run"));
    fs::rename(place.path("in/0aa"), place.path("in/9")).unwrap();
    assert!(refusal(again()).contains("in/9 was not a source of the interrupted run"));
    fs::remove_file(place.path("in/9")).unwrap();

    run(again()).unwrap();
    assert_eq!(place.result(), wanted);
}

#[test]
fn a_source_that_was_written_since_is_refused() {
    let place = Place::new();
    place.end_at("in/3c.gz", place.checkpointed(1, 1 << 20), Monitor::suspend);
    let again = || place.checkpointed(2, 1 << 20);
    let changed = place.path("in/2b");
    let modified = fs::metadata(&changed).unwrap().modified().unwrap();
    let content = fs::read(&changed).unwrap();
    for other in [content.clone(), content[1..].to_vec()] {
        fs::write(&changed, other).unwrap();
        assert!(refusal(again()).contains("in/2b has changed"));
    }
    let restore = |content: &[u8]| {
        fs::write(&changed, content).unwrap();
        let file = fs::File::options().write(true).open(&changed).unwrap();
        file.set_modified(modified).unwrap();
    };
    // Other content of the same size, and the same content: a run cannot tell them apart.
    let other = vec![b'x'; content.len()];
    for content in [other, content] {
        restore(&content);
        assert!(refusal(again()).contains("in/2b was written, copied or moved"));
        fs::remove_file(&changed).unwrap();
        restore(&content);
        assert!(refusal(again()).contains("in/2b was written, copied or moved"));
    }
}

#[test]
fn a_source_that_was_not_read_yet_may_change() {
    let place = Place::new();
    place.end_at("in/3c.gz", place.checkpointed(1, 1 << 20), Monitor::suspend);
    place.file("in/6b", "10.5555/came-later");
    run(place.checkpointed(1, 1 << 20)).unwrap();
    let resumed = place.result();
    run(place.scan(1, 1 << 20)).unwrap();
    assert_eq!(place.result(), resumed);
}

#[test]
fn what_a_killed_run_left_is_removed_and_the_files_of_others_are_not() {
    let place = Place::new();
    fs::create_dir(place.path("checkpoint")).unwrap();
    place.file("checkpoint/notes.txt", "mine");
    place.file("checkpoint/doisift-of.run", "mine too");
    let stray = "checkpoint/doisift-0123456789abcdef.run";
    for start in ["anew", "resumed"] {
        place.file(stray, "half a run");
        place.file("checkpoint/doisift-new.tmp", "half a manifest");
        if start == "anew" {
            place.end_at("in/3c.gz", place.checkpointed(2, 1 << 20), Monitor::suspend);
        } else {
            run(place.checkpointed(2, 1 << 20)).unwrap();
        }
        assert!(!place.path(stray).exists(), "{start}");
        assert!(
            !place.path("checkpoint/doisift-new.tmp").exists(),
            "{start}"
        );
    }
    let left = fs::read_dir(place.path("checkpoint")).unwrap();
    assert_eq!(left.count(), 2);
}

#[test]
fn a_checkpoint_and_an_output_among_the_sources_are_none() {
    let place = Place::new();
    let among = || {
        place
            .checkpointed(2, 1 << 20)
            .output(place.path("in/out.csv"))
            .checkpoint(place.path("in/checkpoint"))
    };
    run(place.scan(1, 1 << 30)).unwrap();
    let (wanted, _) = place.result();
    place.end_at("in/3c.gz", among(), Monitor::suspend);
    run(among()).unwrap();
    assert!(fs::read_to_string(place.path("in/out.csv")).unwrap() == wanted);
    assert!(!place.path("in/checkpoint").exists());
}

#[test]
fn a_flipped_byte_anywhere_in_a_manifest_is_refused_with_its_name() {
    let place = Place(TempDir::new().unwrap());
    fs::create_dir(place.path("in")).unwrap();
    place.file("in/a", "10.5555/a");
    let mut cut = gzip(&text(1, 9));
    cut.truncate(60);
    place.file("in/b.gz", cut);
    place.end_at("in/b.gz", place.checkpointed(1, 1 << 20), Monitor::suspend);
    let manifest = place.path("checkpoint/doisift-manifest.jsonl");
    let content = fs::read(&manifest).unwrap();
    for position in 0..content.len() {
        let mut changed = content.clone();
        changed[position] ^= 1 << (position % 8);
        fs::write(&manifest, changed).unwrap();
        assert!(
            refusal(place.checkpointed(1, 1 << 20)).contains("doisift-manifest.jsonl is damaged")
        );
    }
    fs::write(&manifest, &content[..content.len() - 1]).unwrap();
    assert!(refusal(place.checkpointed(1, 1 << 20)).contains("doisift-manifest.jsonl is damaged"));
}

#[test]
fn a_run_that_is_gone_or_cut_short_is_named_before_anything_is_read() {
    let place = Place::new();
    place.end_at("in/3c.gz", place.checkpointed(2, 1 << 20), Monitor::suspend);
    let path = place.runs().remove(0);
    let name = path.file_name().unwrap().to_str().unwrap();
    let content = fs::read(&path).unwrap();
    fs::write(&path, &content[1..]).unwrap();
    assert!(refusal(place.checkpointed(2, 1 << 20)).contains(&format!("{name} is damaged")));
    fs::remove_file(&path).unwrap();
    let error = run(place.checkpointed(2, 1 << 20)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::System, "{error}");
    let said = error.to_string();
    assert!(
        said.contains(name) && said.contains("No such file"),
        "{said}"
    );
    fs::write(&path, content).unwrap();
    run(place.checkpointed(2, 1 << 20)).unwrap();
}
