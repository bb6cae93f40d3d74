//! Runs with rows in parts that are killed and resume at the first missing part.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::containers::{tar, warc, zip};
use crate::parts::files;
use crate::place::{Place, Seen, gzip, names};

/// Returns works with references, as JSON Lines.
fn works(start: usize, count: usize) -> String {
    let work = |n: usize| {
        let references: Vec<_> = (0..4)
            .map(|r| format!(r#"{{"key":"r{r}","DOI":"10.5555/ref-{n}-{r}"}}"#))
            .collect();
        let references = references.join(",");
        format!("{{\"DOI\":\"10.5555/work-{n}\",\"reference\":[{references}]}}\n")
    };
    (start..start + count).map(work).collect()
}

/// Creates sources of all kinds that are read differently: a folder of packed files, archives, and a plain file.
fn place() -> Place {
    let place = Place::new();
    let packed: Vec<_> = (0..30).map(|n| gzip(works(n * 20, 20))).collect();
    let named: Vec<_> = (0..30).map(|n| format!("{n}.jsonl.gz")).collect();
    let members = named.iter().zip(&packed);
    let members: Vec<(&str, &[u8])> = members.map(|(name, bytes)| (&**name, &**bytes)).collect();
    for (name, bytes) in &members[..5] {
        place.file(format!("in/a/{name}"), bytes);
    }
    let mut broken = gzip(works(5000, 500));
    broken.truncate(broken.len() / 2);
    let binary = [0, 1, 2, 3].repeat(100);
    let more = [("m.gz", &*broken), ("x.bin", &*binary)];
    place.file(
        "in/b.tar",
        tar(&[&members[..15], &more, &members[15..]].concat()),
    );
    place.file("in/c.zip", zip(&members[..10]));
    let plain = works(0, 100);
    place.file(
        "in/d.warc",
        warc(&[
            ("http://a/", plain.as_bytes()),
            ("http://b/", plain.as_bytes()),
        ]),
    );
    place.file("in/e.txt", names(4000));
    place.file("in/f.txt", "See 10.5555/small.");
    place
}

/// Returns the report without the members that differ from run to run.
fn report(place: &Place, name: &str) -> Value {
    let mut report = place.json(name);
    let members = report.as_object_mut().unwrap();
    let own = ["seconds", "options", "bytes_read", "started", "resumed"];
    for name in own.iter().chain(&["runs", "spilled_bytes"]) {
        members.remove(*name);
    }
    report
}

/// Kills a run each time it has written `step` more parts, until it ends by itself. Returns the number of kills.
fn kill_until_done(place: &Place, line: &str, step: usize) -> usize {
    let count = |folder| fs::read_dir(place.path(folder)).map_or(0, |entries| entries.count());
    let parts = || count("out") + count("out-nodes");
    for killed in 0.. {
        let before = parts();
        let mut command = place.command(["scan"]);
        command.args(line.split_whitespace());
        let mut run = command.stderr(Stdio::piped()).spawn().unwrap();
        while parts() < before + step && run.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        // It may have ended.
        let _ = run.kill();
        let ended = Seen::from(run.wait_with_output().unwrap());
        match ended.code {
            // The last step of a run is to remove the checkpoint, the manifest first. Killed in it, the run had ended.
            None if place.path("out/_SUCCESS").exists()
                && !place.path("ck/doisift-manifest.jsonl").exists() =>
            {
                let _ = fs::remove_dir_all(place.path("ck"));
                return killed;
            }
            None => {}
            Some(1) => return killed,
            code => panic!("{code:?}: {}", ended.err),
        }
        assert!(killed < 200, "no progress");
    }
    unreachable!()
}

/// Kills runs repeatedly, and compares the final output with that of a run that was not killed. `rows` may write to `out-nodes/`
/// and `out-names.csv` too.
fn check_killed(place: &Place, rows: &str, part_size: &str) {
    let line = format!("in {rows} -f jsonl --part-size {part_size} -o out/ --report out.json");
    let whole = place.scan(&line.replace("out", "whole"));
    assert_eq!(whole.code, Some(1), "{}", whole.err);
    let line = format!("{line} --chunk 2000 --checkpoint ck --checkpoint-interval 0");
    let killed = kill_until_done(place, &line, 3);
    assert!(killed > 3, "{rows}: killed {killed} times");
    for (whole, out) in [("whole", "out"), ("whole-nodes", "out-nodes")] {
        if place.path(whole).exists() {
            check_parts(place, whole, out, rows);
        }
    }
    if place.path("whole-names.csv").exists() {
        let names = |name| place.read(&format!("{name}-names.csv"));
        assert!(names("whole") == names("out"), "{rows}");
    }
    assert_eq!(
        report(place, "whole.json"),
        report(place, "out.json"),
        "{rows}"
    );
    assert!(!place.path("ck").exists());
}

/// Compares two folders of parts, and removes them.
fn check_parts(place: &Place, whole: &str, out: &str, rows: &str) {
    let parts = |folder| {
        let files = files(place, folder).into_iter();
        files.filter(|(name, _)| name != "_manifest.json")
    };
    let names = |folder| parts(folder).map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(whole), names(out), "{rows}");
    for ((name, whole), (_, out)) in parts(whole).zip(parts(out)) {
        assert!(whole == out, "{rows}: {name}");
    }
    let listed = |folder| place.json(&format!("{folder}/_manifest.json"))["parts"].clone();
    assert_eq!(listed(whole), listed(out), "{rows}");
    for folder in [whole, out] {
        fs::remove_dir_all(place.path(folder)).unwrap();
    }
}

#[test]
fn a_killed_run_ends_with_the_parts_and_counts_of_one_that_was_not() {
    let place = place();
    for rows in [
        "--mentions -j2",
        "--mentions -j1",
        "--edges -j2",
        "--edges -j1",
        "--mentions --lines -j2",
        "--edges --nodes-to out-nodes/ -j2",
        "--edges --nodes-to out-nodes/ --all-references -j1",
        "--mentions --names-to out-names.csv -j2",
        "--mentions --names-to out-names.csv -j1 --memory 1M",
        "--edges --nodes-to out-nodes/ --names-to out-names.csv -j2",
    ] {
        check_killed(&place, rows, "48K");
    }
}

#[test]
fn a_killed_run_goes_on_where_parts_end_by_the_text_that_was_read() {
    let place = crate::parts::thin();
    place.file("in/m.gz", &gzip(names(1000))[..500]);
    for rows in [
        "--mentions -j2",
        "--edges -j1",
        "--edges --nodes-to out-nodes/ -j2",
    ] {
        check_killed(&place, rows, "2K");
    }
}

/// Leaves a run that failed after some parts.
fn broken_off() -> (Place, &'static str) {
    let place = Place::new();
    for n in 0..5 {
        place.file(format!("in/{n}.txt"), names(200));
    }
    place.file("in/z.gz", &gzip(names(1000))[..500]);
    let line =
        "in --mentions -j1 -f jsonl --part-size 5K -o out/ --checkpoint ck --checkpoint-interval 0";
    let seen = place.scan(&format!("{line} --on-error fail"));
    assert_eq!(
        (seen.code, place.path("out/part-00002.jsonl").exists()),
        (Some(2), true)
    );
    (place, line)
}

#[test]
fn a_changed_source_is_named_and_refuses_to_go_on() {
    let (place, line) = broken_off();
    let before = files(&place, "out");
    place.file("in/1.txt", names(201));
    let seen = place.scan(line);
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("in/1.txt has changed since it was read"),
        "{}",
        seen.err
    );
    assert_eq!(files(&place, "out"), before);
}

#[test]
fn other_rows_fields_or_sizes_refuse_to_go_on() {
    let (place, line) = broken_off();
    for (from, to) in [
        ("-f jsonl", "-f csv"),
        ("--part-size 5K", "--part-size 6K"),
        ("--mentions", "--mentions --fields doi"),
    ] {
        let seen = place.scan(&line.replace(from, to));
        assert_eq!(seen.code, Some(2), "{to}");
        assert!(seen.err.contains("in the interrupted run"), "{}", seen.err);
    }
    assert_eq!(place.scan(line).code, Some(1));
}

#[test]
fn other_outputs_besides_the_rows_refuse_to_go_on() {
    let (place, line) = broken_off();
    fs::remove_dir_all(place.path("ck")).unwrap();
    fs::remove_dir_all(place.path("out")).unwrap();
    let line = line.replace("--mentions", "--edges");
    let broken_off = format!("{line} --names-to n.csv --on-error fail");
    assert_eq!(place.scan(&broken_off).code, Some(2));
    for other in [
        "",
        "--names-to n.names",
        "--names-to n.csv --nodes-to nodes/",
    ] {
        let seen = place.scan(&format!("{line} {other}"));
        assert_eq!(seen.code, Some(2), "{other}");
        assert!(
            seen.err.contains("and records in the interrupted run"),
            "{}",
            seen.err
        );
    }
    // Names are written at the end, so their format may change.
    assert_eq!(
        place.scan(&format!("{line} --names-to n.jsonl")).code,
        Some(1)
    );
    let names = place.read("n.jsonl");
    place.scan("in -f jsonl -o wanted.jsonl");
    assert_eq!(names, place.read("wanted.jsonl"));
}

#[test]
fn a_part_that_is_gone_or_a_file_that_is_not_ours_refuses_to_go_on() {
    let (place, line) = broken_off();
    fs::remove_file(place.path("out/part-00001.jsonl")).unwrap();
    let seen = place.scan(line);
    assert!(
        seen.err.contains("part-00001.jsonl is missing"),
        "{}",
        seen.err
    );
    let (place, line) = broken_off();
    place.file("out/precious.txt", "mine");
    let seen = place.scan(line);
    assert!(seen.err.contains("such as precious.txt"), "{}", seen.err);
    assert!(place.path("out/precious.txt").exists() && place.path("out/part-00001.jsonl").exists());
}

#[test]
fn another_type_of_a_record_field_refuses_to_go_on() {
    let place = Place::new();
    let work = |n: usize| format!("{{\"DOI\":\"10.5555/{n}\",\"year\":{n}}}\n");
    for n in 0..5 {
        place.file(
            format!("in/{n}.jsonl"),
            (0..200).map(work).collect::<String>(),
        );
    }
    let last = gzip(work(1).as_bytes());
    place.file("in/z.gz", &last[..last.len() - 9]);
    let line = |kind: &str| {
        let rows = format!("in -j1 --edges --record-fields year{kind}=/year -f jsonl");
        format!(
            "{rows} --part-size 5K -o out/ --checkpoint ck --checkpoint-interval 0 --on-error fail"
        )
    };
    assert_eq!(place.scan(&line(":int")).code, Some(2));
    assert!(place.path("ck/doisift-manifest.jsonl").exists());
    for kind in [":float", ":text", ""] {
        let seen = place.scan(&line(kind));
        assert_eq!(seen.code, Some(2), "{kind}");
        assert!(
            seen.err.contains("record-fields was"),
            "{kind}: {}",
            seen.err
        );
    }
    place.file("in/z.gz", last);
    place.scan(&line(":int")).quiet();
}

#[test]
fn a_part_whose_bytes_changed_at_the_same_size_refuses_to_go_on() {
    let (place, line) = broken_off();
    let whole = place.read("out/part-00001.jsonl");
    place.file(
        "out/part-00001.jsonl",
        whole.replacen("10.5555", "10.6666", 1),
    );
    let before = files(&place, "out");
    let seen = place.scan(line);
    assert_eq!(seen.code, Some(2));
    let why = "part-00001.jsonl is missing, or its size or checksum has changed";
    assert!(seen.err.contains(why), "{}", seen.err);
    assert_eq!(files(&place, "out"), before);
    place.file("out/part-00001.jsonl", whole);
    assert_eq!(place.scan(line).code, Some(1));
}

#[test]
fn a_part_of_another_run_is_named_and_stays() {
    for name in ["part-00099.jsonl", "part-1.parquet", "part-next"] {
        let (place, line) = broken_off();
        place.file(format!("out/{name}"), "mine");
        let before = files(&place, "out");
        let seen = place.scan(line);
        assert_eq!(seen.code, Some(2), "{name}");
        let why = format!("{name} is not a part of this run");
        assert!(seen.err.contains(&why), "{}", seen.err);
        assert_eq!(files(&place, "out"), before);
        fs::remove_file(place.path(format!("out/{name}"))).unwrap();
        assert_eq!(place.scan(line).code, Some(1));
    }
}

#[test]
fn a_file_with_the_name_of_the_next_part_is_not_replaced() {
    let (place, line) = broken_off();
    let next = (0..).map(|number| format!("out/part-{number:05}.jsonl"));
    let next = next.into_iter().find(|next| !place.path(next).exists());
    let next = next.unwrap();
    place.file(&next, "mine");
    assert_eq!(place.scan(line).code, Some(2));
    assert_eq!(place.read(&next), "mine");
}

#[test]
fn the_output_of_a_run_that_was_killed_in_its_last_step_stays() {
    let (place, line) = broken_off();
    fs::create_dir(place.path("ck2")).unwrap();
    for name in ["doisift-lock", "doisift-remains.json"] {
        fs::copy(
            place.path(format!("ck/{name}")),
            place.path(format!("ck2/{name}")),
        )
        .unwrap();
    }
    assert_eq!(place.scan(line).code, Some(1));
    fs::rename(place.path("ck2"), place.path("ck")).unwrap();
    let before = files(&place, "out");
    let seen = place.scan(&line.replace("--part-size 5K", "--part-size 9K"));
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("it contains a complete output"),
        "{}",
        seen.err
    );
    assert_eq!(files(&place, "out"), before);
}

#[test]
fn rows_that_are_not_in_parts_have_no_checkpoint() {
    let place = Place::new();
    place.file("a.txt", names(3));
    for (outputs, remedy) in [
        ("--mentions -o out.csv", "a folder, such as -o rows/"),
        (
            "--edges -o out/ --nodes-to nodes.csv",
            "a folder, such as --nodes-to nodes/",
        ),
    ] {
        let seen = place.scan(&format!("a.txt {outputs} --checkpoint ck"));
        assert_eq!(seen.code, Some(2));
        assert!(seen.err.contains(remedy), "{}", seen.err);
    }
}

#[test]
fn records_in_parts_resume_too() {
    let place = place();
    let line = "in -j2 -f jsonl --part-size 20K";
    place.scan(&format!("{line} -o whole/"));
    let line = format!("{line} -o out/ --checkpoint ck --checkpoint-interval 0");
    kill_until_done(&place, &line, 4);
    let parts = |folder: &str| {
        let files = files(&place, folder).into_iter();
        files
            .filter(|(name, _)| name.starts_with("part-"))
            .collect::<Vec<_>>()
    };
    assert!(parts("whole").len() > 10 && parts("whole") == parts("out"));
}

#[test]
fn parts_in_a_folder_of_sources_are_no_sources() {
    let (place, line) = broken_off();
    let wanted = files(&place, "out").len();
    fs::rename(place.path("out"), place.path("kept")).unwrap();
    fs::remove_dir_all(place.path("ck")).unwrap();
    let line = line.replace("-o out/", "-o in/out/");
    assert_eq!(place.scan(&format!("{line} --on-error fail")).code, Some(2));
    assert_eq!(files(&place, "in/out").len(), wanted);
    assert_eq!(place.scan(&line).code, Some(1));
    let rows = files(&place, "in/out")
        .into_iter()
        .filter(|(name, _)| name.starts_with("part-"));
    let rows = rows
        .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
        .collect::<String>();
    assert!(!rows.contains("in/out"), "a part was read");
}

/// Kills a run of mentions when it has written some parts, and resumes it with `threads` threads.
fn resumed(place: &Place, threads: &str) -> Seen {
    let line = "in --mentions -f jsonl --part-size 64K -o out/ --checkpoint ck --checkpoint-interval 0 --report r.json";
    let mut command = place.command(["scan"]);
    command.args(line.split_whitespace()).arg("-j2");
    let mut run = command.stderr(Stdio::piped()).spawn().unwrap();
    let parts = || fs::read_dir(place.path("out")).map_or(0, |entries| entries.count());
    let manifest = place.path("ck/doisift-manifest.jsonl");
    while parts() < 60 || !manifest.exists() {
        assert!(
            run.try_wait().unwrap().is_none(),
            "ended before it was killed"
        );
        thread::sleep(Duration::from_millis(1));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    place.scan(&format!("{line} --stats --progress always {threads}"))
}

#[test]
fn a_run_that_goes_on_says_what_was_done_and_its_rate_is_that_of_the_new_work() {
    for threads in ["-j1", "-j2"] {
        let place = Place::new();
        for source in 10..40 {
            place.file(format!("in/{source}.txt"), names(8000));
        }
        let seen = resumed(&place, threads);
        assert_eq!(seen.code, Some(0), "{}", seen.err);
        let report = place.json("r.json");
        let number = |value: &Value| value.as_u64().unwrap();
        let (parts, before) = (
            number(&report["resumed"]["parts"]),
            number(&report["resumed"]["bytes_read"]),
        );
        assert!(parts > 0, "{report}");
        let said = format!("doisift: resumed: {parts} parts done; 30 documents of 30 sources, ");
        assert!(seen.err.contains(&said), "{}", seen.err);
        let all = number(&report["bytes_read"]);
        assert!((1..all).contains(&before), "{report}");
        // The last line of progress has the rate of the whole run.
        let rate = seen
            .err
            .lines()
            .rev()
            .find_map(|line| line.split_once("/s"));
        let rate = rate.unwrap().0.rsplit(", ").next().unwrap().to_owned();
        let (rate, unit) = rate.split_once(' ').unwrap();
        let unit = match unit {
            "MiB" => f64::from(1 << 20),
            "KiB" => 1024.0,
            unit => panic!("{unit}"),
        };
        let rate = rate.parse::<f64>().unwrap() * unit;
        // Starting and ending take time too.
        let seconds = report["seconds"].as_f64().unwrap();
        assert!(rate * seconds < 1.5 * (all - before) as f64, "{}", seen.err);
    }
}
