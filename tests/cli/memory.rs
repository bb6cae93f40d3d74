//! A memory budget changes the time and the temporary files of a run, never the output.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::place::{Place, Seen, gzip, names, signal};
#[cfg(target_os = "linux")]
use crate::process::code_and_peak;

/// Returns lines with names that repeat within and between sources, in upper and lower case, and some that do not repeat.
fn text(seed: u64, lines: u64) -> String {
    let mut text = String::new();
    for line in 0..lines {
        let number = (seed * 31 + line * 7_919) % 30_011;
        let _ = match line % 4 {
            0 => writeln!(text, "See doi:10.5555/Abc-{number}, and more."),
            1 => writeln!(text, "https://doi.org/10.5555%2Fabc-{number}"),
            2 => writeln!(
                text,
                "10.{}/{} ",
                1000 + number % 97,
                "long".repeat(number as usize % 20)
            ),
            _ => writeln!(text, "\"10.1000/{number}\""),
        };
    }
    text
}

fn fill(place: &Place) {
    place
        .file("in/large", text(1, 40_000))
        .file("in/packed.gz", gzip(text(2, 20_000)));
    for number in 0..10 {
        place.file(format!("in/small/{number}"), text(10 + number, 500));
    }
}

#[test]
fn budgets_and_threads_change_no_byte() {
    let place = Place::new();
    fill(&place);
    for options in ["-f csv", "-f jsonl --lines", "-f names"] {
        let wanted = place.scan(&format!("in {options} -j1 --memory 1G --report r.json"));
        assert_eq!(place.json("r.json")["runs"], 0);
        let wanted = wanted.quiet().out;
        assert!(wanted.lines().count() > 30_000);
        for (threads, memory) in [(1, "2M"), (2, "1M"), (8, "1M"), (8, "2M")] {
            let what = format!("in {options} -j{threads} --memory {memory}");
            let seen = place.scan(&format!("{what} --report r.json")).quiet();
            assert!(seen.out == wanted, "{what}");
            let report = place.json("r.json");
            assert!(report["runs"].as_u64() > Some(0), "{what}: {report}");
            assert!(report["spilled_bytes"].as_u64() > Some(10_000), "{what}");
        }
    }
    assert_eq!(place.entries(), ["in", "r.json"]);
}

#[test]
fn runs_are_beside_the_output_until_its_end() {
    let place = Place::new();
    place.file("a", text(1, 30_000));
    place
        .scan("a -o out.names --memory 1M --report r.json")
        .quiet();
    assert!(place.json("r.json")["runs"].as_u64() > Some(0));
    assert_eq!(place.entries(), ["a", "out.names", "r.json"]);
}

#[test]
fn more_runs_than_may_be_open_are_merged_in_rounds() {
    let place = Place::new();
    place.file("a", names(220_000));
    let wanted = place.scan("a -f csv --memory 1G").quiet().out;
    for (max, threads) in [(24, 1), (12, 4)] {
        let line = format!("scan a -f csv --memory 2M -j {threads} --report r.json");
        let seen = place.with_open_files(max, &line).quiet();
        assert!(seen.out == wanted, "{max} files, {threads} threads");
        assert!(place.json("r.json")["runs"].as_u64() > Some(24));
    }
}

#[test]
fn an_interrupted_run_removes_what_it_had_on_disk() {
    for threads in ["-j1", "-j2"] {
        let place = Place::new();
        let mut command = place.command(["scan", "-", "-o", "out.csv", "--memory", "1M", threads]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(names(100_000).as_bytes()).unwrap();
        let has_run = |name: &String| name.contains("doisift-run");
        while !place.entries().iter().any(has_run) {
            assert!(child.try_wait().unwrap().is_none());
            thread::sleep(Duration::from_millis(5));
        }
        signal(&child, "-INT");
        assert_eq!(child.wait().unwrap().code(), Some(130), "{threads}");
        drop(input);
        assert_eq!(place.entries(), Vec::<String>::new(), "{threads}");
    }
}

/// Returns the output of a run, and its peak memory in MiB.
#[cfg(target_os = "linux")]
pub(crate) fn output_and_peak(place: &Place, line: &str) -> (Vec<u8>, u64) {
    output_and_peak_after(Duration::ZERO, place, line)
}

/// Returns the output and peak memory of a run whose output is read only after `wait`.
#[cfg(target_os = "linux")]
fn output_and_peak_after(wait: Duration, place: &Place, line: &str) -> (Vec<u8>, u64) {
    let mut command = place.command(["scan"]);
    command.args(line.split_whitespace());
    let mut run = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = run.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        thread::sleep(wait);
        let mut out = Vec::new();
        std::io::Read::read_to_end(&mut pipe, &mut out).map(|_| out)
    });
    let (code, peak) = code_and_peak(&mut run);
    assert_eq!(code, Some(0), "{line}");
    (reader.join().unwrap().unwrap(), peak)
}

#[test]
#[cfg(target_os = "linux")]
fn rows_with_text_around_them_keep_to_the_memory_if_nobody_reads_them() {
    let place = Place::new();
    place.file("plain", names(50_000));
    place.file("packed.gz", gzip(names(50_000)));
    for source in ["plain", "packed.gz"] {
        let line = format!("{source} --mentions --context 1024 -f jsonl --memory");
        let (wanted, _) = output_and_peak(&place, &format!("{line} 1G -j1"));
        for (memory, max) in [("32M", 64), ("64M", 100)] {
            let line = format!("{line} {memory} -j2");
            let (seen, peak) = output_and_peak_after(Duration::from_secs(2), &place, &line);
            assert!(seen == wanted, "{line}");
            assert!(peak <= max, "{line}: {peak} MiB");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn many_threads_keep_to_the_memory_and_write_the_same() {
    let place = Place::new();
    place.file("plain", names(150_000));
    for number in 0..4 {
        place.file(format!("packed/{number}.gz"), gzip(names(10_000)));
    }
    for options in ["-f csv", "--mentions -f csv"] {
        let line = format!("plain packed {options} --memory 64M");
        let (wanted, _) = output_and_peak(&place, &format!("{line} -j1"));
        let line = format!("{line} -j64");
        let (seen, peak) = output_and_peak(&place, &line);
        assert!(seen == wanted, "{line}");
        assert!(peak <= 160, "{line}: {peak} MiB");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn threads_without_work_are_not_started() {
    let place = Place::new();
    place.file("two", "10");
    let (_, peak) = output_and_peak(&place, "two -j1000");
    assert!(peak <= 64, "{peak} MiB");
}

#[test]
#[cfg(target_os = "linux")]
fn a_limit_of_the_address_space_bounds_the_default() {
    let place = Place::new();
    place.file("many", names(300_000));
    let wanted = place.scan("many -f csv --memory 64M").quiet().out;
    for threads in [1, 8] {
        let script = format!("ulimit -v 300000 && \"$0\" scan many -f csv -j{threads}");
        let mut command = std::process::Command::new("sh");
        let program = place.command([""; 0]).get_program().to_owned();
        command.current_dir(place.path("."));
        let seen = Seen::of(command.args(["-c", &script]).arg(program));
        assert_eq!(seen.code, Some(0), "{threads} threads: {}", seen.err);
        assert!(seen.out == wanted, "{threads} threads");
    }
}

/// Each file has a piece larger than a thread's share of this budget, and smaller than one thread alone may take.
#[test]
fn what_is_larger_than_a_threads_share_is_read_on_any_number_of_threads() {
    let place = Place::new();
    let fill = "lorem ipsum dolor ".repeat(170);
    let texts: Vec<_> = (0..4_000)
        .map(|row| format!("{fill}10.5555/n{row}"))
        .collect();
    let strings: String = texts
        .iter()
        .map(|text| format!("<si><t>{text}</t></si>"))
        .collect();
    let cells: String = (0..4_000)
        .map(|row| format!("<c t=\"s\"><v>{row}</v></c>"))
        .collect();
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let sheet = format!("<worksheet {main}><sheetData><row>{cells}</row></sheetData></worksheet>");
    let strings = format!("<sst {main}>{strings}</sst>");
    let workbook = crate::containers::zip(&[
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", strings.as_bytes()),
    ]);
    place.file("in/a.xlsx", workbook);
    for number in 0..3 {
        let column = crate::small_table::TableColumn {
            name: "x",
            rows: texts[..2_400]
                .iter()
                .map(|text| Some(vec![&**text]))
                .collect(),
            is_list: false,
        };
        let style = crate::table_writers::ParquetStyle {
            dictionary: number == 1,
            second: false,
            packed: false,
            group: 4_000,
        };
        let bytes = crate::table_writers::parquet(&[column], style).bytes;
        place.file(format!("in/{number}.parquet"), &bytes);
    }
    for (options, rows) in [("-f names", 4_000), ("--mentions -f csv", 11_201)] {
        for threads in [1, 8] {
            let line = format!("in {options} --memory 64M -j{threads}");
            let seen = place.scan(&line).quiet();
            assert_eq!(seen.out.lines().count(), rows, "{line}");
        }
    }
}

/// Runs a check within 64 MiB, and returns its exit code, peak and messages.
#[cfg(target_os = "linux")]
fn bounded_check(place: &Place, line: &str) -> (Option<i32>, String) {
    let mut command = place.command(["check", "--memory", "64M"]);
    let command = command.args(line.split_whitespace());
    let mut run = command.stderr(Stdio::piped()).spawn().unwrap();
    let (code, peak) = code_and_peak(&mut run);
    let mut said = String::new();
    let mut err = run.stderr.take().unwrap();
    std::io::Read::read_to_string(&mut err, &mut said).unwrap();
    assert!(peak <= 160, "{line}: {peak} MiB");
    (code, said)
}

#[test]
#[cfg(target_os = "linux")]
fn a_check_of_any_size_and_shape_is_bounded() {
    let place = Place::new();
    let list: String = (0..150_000).map(|n| format!("10.1000/abc{n}\n")).collect();
    let entries: String = (0..30_000)
        .map(|n| format!("@misc{{k{n}, doi = {{10.1000/abc{n}.}}}}\n"))
        .collect();
    let items: Vec<String> = (0..30_000)
        .map(|n| format!(r#"{{"id":"k{n}","type":"book","DOI":"10.1000/abc{n}"}}"#))
        .collect();
    place
        .file("list.txt", list)
        .file("entries.bib", &entries)
        .file("items.json", format!("[{}]", items.join(",")));
    for (name, code, format) in [
        ("list.txt", 0, "jsonl"),
        ("entries.bib", 1, "sarif"),
        ("items.json", 0, "csv"),
    ] {
        let line = format!("{name} -o rows.{format} --report r.json");
        assert_eq!(bounded_check(&place, &line).0, Some(code), "{line}");
        let rows = if name == "list.txt" { 150_000 } else { 30_000 };
        assert_eq!(place.json("r.json")["references"], rows, "{line}");
    }
    let sarif = std::fs::read(place.path("rows.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_slice(&sarif).unwrap();
    assert_eq!(
        sarif["runs"][0]["results"].as_array().unwrap().len(),
        30_000
    );
    let entry = b"@misc{a, doi = {10.1000/a}}\n@misc{k, title = {";
    let bomb = [&entry[..], &vec![b'x'; 170 << 20]].concat();
    place
        .file("bomb.bib.gz", gzip(bomb))
        .file(
            "line.txt.gz",
            gzip([&b"10.1000/a\n"[..], &vec![b'x'; 40 << 20]].concat()),
        )
        .file(
            "deep.json.gz",
            gzip(
                [
                    &b"[{\"id\":1,\"type\":\"book\",\"a\":"[..],
                    &vec![b'['; 10 << 20],
                ]
                .concat(),
            ),
        )
        .file("deep.xml.gz", gzip("<a>".repeat(1 << 20)));
    for (name, code) in [
        ("bomb.bib.gz", 2),
        ("line.txt.gz", 2),
        ("deep.json.gz", 0),
        ("deep.xml.gz", 0),
    ] {
        let (ended, said) = bounded_check(
            &place,
            &format!("{name} --max-expansion 1000000 -o rows.jsonl"),
        );
        assert_eq!(ended, Some(code), "{name}: {said}");
        assert!(
            code == 0 || said.contains(name) && said.contains("--memory"),
            "{said}"
        );
    }
}
