//! Scans of shards, and merges of their records.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::place::{Place, Seen, gzip, signal, zstd};

impl Place {
    /// Runs `doisift merge` with `line` split at blanks.
    pub fn merge(&self, line: &str) -> Seen {
        Seen::of(self.command(["merge"]).args(line.split_whitespace()))
    }
}

/// Returns names that repeat within and between sources, in several forms.
fn text(seed: u64, lines: u64) -> String {
    let mut text = String::new();
    for line in 0..lines {
        let number = (seed * 31 + line * 7_919) % 1_009;
        let _ = match line % 4 {
            0 => writeln!(text, "See doi:10.5555/Abc-{number}, and more."),
            1 => writeln!(text, "https://doi.org/10.5555%2Fabc-{number}"),
            2 => writeln!(text, "{{\"note\": \"10.5555/\\u00e9{number}\\\"|x,\"}}"),
            _ => writeln!(text, "\"10.1000/{number}/\""),
        };
    }
    text
}

fn fill(place: &Place) {
    place
        .file("in/a\nline, \"quoted\"", text(1, 300))
        .file("in/packed.gz", gzip(text(2, 200)))
        .file("in/empty", "");
    for number in 0..40 {
        place.file(format!("in/{}/{number}", number % 3), text(10 + number, 40));
    }
}

#[test]
fn shards_merged_are_the_whole() {
    let place = Place::new();
    fill(&place);
    for (options, counts) in [("", &[1, 3, 16][..]), ("--lines", &[3])] {
        place.scan(&format!("in {options} -o all.csv")).quiet();
        place.scan(&format!("in {options} -o all.jsonl")).quiet();
        assert!(place.read("all.csv").lines().count() > 900);
        for &count in counts {
            let mut parts = String::new();
            for index in 0..count {
                let ending = ["csv", "jsonl", "csv.gz", "jsonl.zst"][index % 4];
                let part = format!("part-{count}-{index}.{ending}");
                place
                    .scan(&format!("in {options} --shard {index}/{count} -o {part}"))
                    .quiet();
                // In reverse order.
                parts = format!("{part} {parts}");
            }
            for output in ["all.csv", "all.jsonl"] {
                place.merge(&format!("{parts} -o m.{output}")).quiet();
                assert!(
                    place.read(&format!("m.{output}")) == place.read(output),
                    "{output} of {count}"
                );
            }
        }
    }
}

#[test]
fn every_source_is_in_one_shard_wherever_its_folder_is() {
    let place = Place::new();
    fill(&place);
    std::fs::rename(place.path("in"), place.path("other")).unwrap();
    fill(&place);
    let sources = |folder: &str, shard: usize| -> Vec<String> {
        let seen = place.scan(&format!(
            "{folder} --mentions --shard {shard}/5 --report r.json"
        ));
        let found = seen.quiet().field("source");
        let names = found
            .iter()
            .map(|name| name.split_once('/').unwrap().1.to_owned());
        let mut names: Vec<_> = names.collect();
        names.dedup();
        let opened = place.json("r.json")["sources"].as_u64().unwrap();
        assert!(
            (names.len()..=names.len() + 1).contains(&(opened as usize)),
            "{opened} of {names:?}"
        );
        assert_eq!(
            place.json("r.json")["options"]["shard"],
            format!("{shard}/5")
        );
        names
    };
    let mut all: Vec<_> = (0..5)
        .flat_map(|shard| {
            let here = sources("in", shard);
            assert_eq!(here, sources("./other/", shard));
            assert!(!here.is_empty());
            here
        })
        .collect();
    all.sort();
    let distinct = all.len();
    all.dedup();
    assert_eq!((all.len(), distinct), (42, 42));
}

#[test]
fn what_is_named_is_shared_out_by_its_name() {
    let place = Place::new();
    // The xxh3-64 hash of "a/b.txt" gives 1 modulo 4.
    place
        .file("a/b.txt", "10.5555/named ")
        .file("list", "a/b.txt\n");
    for (line, shard) in [("a/b.txt", 1), ("--files-from list", 1)] {
        for index in 0..4 {
            let found = place
                .scan(&format!("{line} -f names --shard {index}/4"))
                .quiet()
                .out;
            assert_eq!(!found.is_empty(), index == shard, "{line} in {index}");
        }
    }
}

#[test]
fn what_is_found_below_two_folders_is_in_one_shard() {
    let place = Place::new();
    // "b/y" belongs to part 2 of 4 and "y" to part 1.
    place.file("a/b/y", "10.5555/found ");
    for folders in ["a a/b", "a/b a"] {
        let scan = |index| place.scan(&format!("{folders} -f names --shard {index}/4"));
        let found: Vec<_> = (0..4).map(|index| scan(index).quiet().out).collect();
        assert_eq!(found, ["", "10.5555/found\n", "", ""], "{folders}");
    }
}

#[test]
fn a_source_in_two_inputs_counts_twice() {
    let place = Place::new();
    place
        .file("b", "10.5555/A \n")
        .file("a", "10.5555/x 10.5555/a\n");
    place.scan("a -o a.csv").quiet();
    place.scan("a b -o ab.jsonl").quiet();
    assert_eq!(
        place.merge("ab.jsonl a.csv -f csv").quiet().out,
        "doi,mentions,documents,sources,forms,first_source,first_document,first_offset,first_text,guessed,check_digit\n\
         10.5555/a,3,3,3,bare,a,,10,10.5555/a,false,\n\
         10.5555/x,2,2,2,bare,a,,0,10.5555/x,false,\n"
    );
    assert_eq!(
        place.merge("a.csv a.csv -f names").quiet().out,
        "10.5555/a\n10.5555/x\n"
    );
}

#[test]
fn records_without_sources_merge_only_to_an_output_without_them() {
    let place = Place::new();
    place.file("a", "10.5555/a ").file("b", "10.5555/a ");
    let old =
        "doi,mentions,documents,forms,first_source,first_document,first_offset,first_text,guessed";
    let endings = ["csv", "jsonl", "parquet"];
    for ending in endings {
        place.scan(&format!("a -o old.{ending} --fields {old}"));
        place.scan("b -o new.csv").quiet();
        for inputs in ["old.ENDING new.csv", "new.csv old.ENDING"] {
            let inputs = inputs.replace("ENDING", ending);
            let seen = place.merge(&format!("{inputs} -f csv"));
            assert_eq!(seen.code, Some(2));
            let why = format!(
                "doisift: old.{ending}: the field sources is missing, which the output has"
            );
            assert!(seen.err.starts_with(&why), "{}", seen.err);
            let seen = place
                .merge(&format!("{inputs} -f csv --fields {old}"))
                .quiet();
            let wanted = format!("{old}\n10.5555/a,2,2,bare,a,,0,10.5555/a,false\n");
            assert_eq!(seen.out, wanted);
        }
        let old = format!("old.{ending}");
        let mut command = place.command(["diff", &old, "new.csv", "-f", "csv"]);
        let seen = Seen::of(&mut command).quiet();
        assert_eq!(seen.out, "change,doi,detail\n");
    }
}

#[test]
fn an_output_may_be_an_input_too() {
    let place = Place::new();
    place.file("a", "10.5555/a ").file("b", "10.5555/b ");
    place.scan("a -o all.csv").quiet();
    place.scan("b -o b.csv").quiet();
    place.merge("all.csv b.csv -o all.csv").quiet();
    assert_eq!(
        place.merge("all.csv -f names").quiet().out,
        "10.5555/a\n10.5555/b\n"
    );
    let out = std::fs::File::options()
        .append(true)
        .open(place.path("b.csv"))
        .unwrap();
    let output = place
        .command(["merge", "all.csv", "b.csv"])
        .stdout(out)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        error,
        "doisift: b.csv is read, and would be overwritten as standard output; write to another file\n"
    );
}

/// Reorders the rows of a scan. The header stays first.
fn shuffled(csv: &str) -> String {
    let (header, rows) = csv.split_once('\n').unwrap();
    let rows: Vec<_> = rows.lines().collect();
    let turned = (0..rows.len()).map(|at| rows[at * 7_919 % rows.len()]);
    turned.fold(format!("{header}\n"), |text, row| text + row + "\n")
}

#[test]
fn inputs_that_are_not_sorted_give_the_same_within_a_small_memory() {
    let place = Place::new();
    let names: String = (0..20_000)
        .map(|number| format!("10.5555/name-{number:07} \n"))
        .collect();
    place.file("names", names);
    place.scan("names -o sorted.csv").quiet();
    let shuffled = shuffled(&place.read("sorted.csv"));
    place
        .file("shuffled.csv", &shuffled)
        .file("packed", zstd(&shuffled));
    place
        .merge("sorted.csv sorted.csv sorted.csv -o wanted.csv --report r.json")
        .quiet();
    assert_eq!(
        (
            &place.json("r.json")["runs"],
            &place.json("r.json")["sorted"]
        ),
        (&0.into(), &0.into())
    );
    for memory in ["1M", "1G"] {
        let line =
            format!("packed sorted.csv shuffled.csv -o seen.csv --report r.json --memory {memory}");
        place.merge(&line).quiet();
        assert!(
            place.read("seen.csv") == place.read("wanted.csv"),
            "{memory}"
        );
        let report = place.json("r.json");
        assert_eq!(
            (&report["rows"], &report["records"], &report["sorted"]),
            (&60_000.into(), &20_000.into(), &2.into())
        );
        assert_eq!(
            report["runs"].as_u64() > Some(3),
            memory == "1M",
            "{report}"
        );
    }
    assert!(!place.entries().iter().any(|name| name.starts_with('.')));
}

#[test]
fn standard_input_and_pipes_are_read() {
    let place = Place::new();
    place
        .file("a", "10.5555/a 10.5555/b ")
        .file("b", "10.5555/b ");
    let csv = place.scan("a -f csv").quiet().out;
    place.scan("b -o b.jsonl").quiet();
    let mut command = place.command(["merge", "-", "b.jsonl", "-f", "csv"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&gzip(csv)).unwrap();
    let seen = Seen::from(child.wait_with_output().unwrap()).quiet();
    assert_eq!(seen.out, place.scan("a b -f csv").quiet().out);
    assert_eq!(place.merge("- -").code, Some(2));
}

#[test]
fn a_broken_input_stops_the_run_and_is_named_with_its_row() {
    let place = Place::new();
    place.file("a", "10.5555/a 10.5555/b 10.5555/c ");
    for output in ["a.csv", "a.jsonl", "a.names", "a.csv.gz", "a.jsonl.zst"] {
        place.scan(&format!("a -o {output}")).quiet();
    }
    for packed in ["a.csv.gz", "a.jsonl.zst"] {
        let bytes = std::fs::read(place.path(packed)).unwrap();
        place.file(format!("cut-{packed}"), &bytes[..bytes.len() - 9]);
    }
    place
        .file("row.csv", place.read("a.csv").replace("b,1,", "b,one,"))
        .file(
            "row.jsonl",
            place
                .read("a.jsonl")
                .replace("\"documents\":1", "\"documents\":null"),
        )
        .file("out.csv", "as it was");
    for (input, why) in [
        ("row.csv", "line 3: mentions is \"one\", but must be "),
        (
            "row.jsonl",
            "line 1: invalid record: invalid type: null, expected u64, at byte ",
        ),
        ("cut-a.csv.gz", "line "),
        ("cut-a.jsonl.zst", "incomplete frame"),
        ("a.names", "these are bare names"),
        ("a", "these are bare names"),
        (".", "this folder has no _manifest.json of doisift"),
        ("nothing", "No such file"),
        ("doisift", "not a records file"),
    ] {
        place.file("doisift", [0x7f, b'E', b'L', b'F']);
        for line in [
            format!("a.csv {input} -o out.csv"),
            format!("{input} a.jsonl"),
        ] {
            let seen = place.merge(&line);
            assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{line}");
            assert!(
                seen.err.starts_with(&format!("doisift: {input}: {why}")),
                "{}",
                seen.err
            );
        }
    }
    assert_eq!(place.read("out.csv"), "as it was");
    assert!(!place.entries().iter().any(|name| name.starts_with('.')));
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    let place = Place::new();
    place.file("a.csv", "");
    for line in [
        "",
        "a.csv -o out",
        "a.csv -f xlsx",
        "a.csv -q -v",
        "a.csv --memory much",
    ] {
        let seen = place.merge(line);
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{line}");
    }
    for shard in ["0/0", "3/3", "-1/3", "1", "a/b"] {
        assert_eq!(
            place.scan(&format!("a.csv --shard={shard}")).code,
            Some(2),
            "{shard}"
        );
    }
}

#[test]
fn help_says_what_merging_adds_up() {
    let help = Seen::of(&mut Place::new().command(["merge", "--help"]))
        .quiet()
        .out;
    let words: Vec<_> = help.split_whitespace().collect();
    let help = words.join(" ");
    for part in [
        "counts twice",
        "first source in bytewise order",
        "smallest offset",
        "--tmp-dir",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

#[test]
fn an_interrupted_merge_leaves_nothing_and_exits_with_130() {
    let place = Place::new();
    let mut command = place.command(["merge", "-", "-o", "out.csv", "--memory", "1M"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let row = |number: u32| {
        format!(
            "{{\"doi\":\"10.5555/{number}\",\"mentions\":1,\"documents\":1,\"sources\":1,\"forms\":[\"bare\"],\"first_source\":\"a\",\"first_document\":null,\"first_offset\":0,\"first_text\":\"x\",\"guessed\":false}}\n"
        )
    };
    input
        .write_all((0..20_000).map(row).collect::<String>().as_bytes())
        .unwrap();
    // The rows do not fit into the pipe, so most of them were read, and exceed the memory.
    while place.entries().is_empty() {
        assert!(child.try_wait().unwrap().is_none());
        thread::sleep(Duration::from_millis(5));
    }
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(input);
    assert_eq!(place.entries(), Vec::<String>::new());
}

#[test]
fn a_full_disk_stops_the_merge() {
    let place = Place::new();
    place.file("a", "10.5555/a ");
    place.scan("a -o a.csv").quiet();
    let seen = place.merge("a.csv -f csv -o /dev/full");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.starts_with("doisift: cannot write: /dev/full: "),
        "{}",
        seen.err
    );
    let seen = place.merge("- -f csv --tmp-dir no/such");
    assert_eq!(seen.code, Some(2), "also if nothing is to be sorted");
    assert!(
        seen.err.contains("the folder no/such does not exist"),
        "{}",
        seen.err
    );
}

/// The header with the fields that a record needs.
const HEADER: &str =
    "doi,mentions,documents,sources,forms,first_source,first_document,first_offset,first_text,guessed
";

#[test]
fn inputs_beyond_those_that_may_be_open_are_sorted() {
    let place = Place::new();
    let row = |name: u32, source: u32| {
        format!("10.5555/{name:05},1,1,1,bare,s{source},,0,10.5555/{name:05},false\n")
    };
    for input in 0..3000 {
        let rows = row(input % 50, input) + &row(100 + input, input);
        place.file(format!("in/{input}.csv"), format!("{HEADER}{rows}"));
    }
    let mut wanted = HEADER.replace("guessed", "guessed,check_digit");
    for name in 0..50 {
        // The bytewise smallest source.
        let first = (0..60)
            .map(|nth| format!("s{}", nth * 50 + name))
            .min()
            .unwrap();
        wanted += &format!("10.5555/{name:05},60,60,60,bare,{first},,0,10.5555/{name:05},false,\n");
    }
    wanted.extend((0..3000).map(|input| row(100 + input, input).replace("false", "false,")));
    for max in [64, 24, 12] {
        place
            .with_open_files(max, "merge in/*.csv -o all.csv --report r.json")
            .quiet();
        assert!(place.read("all.csv") == wanted, "{max}");
        let report = place.json("r.json");
        assert_eq!(
            (&report["sorted"], &report["rows"]),
            (&0.into(), &6000.into())
        );
        assert!(report["runs"].as_u64() > Some(0));
        assert_eq!(place.entries(), ["all.csv", "in", "r.json"]);
    }
}

#[test]
fn equivalent_names_are_one_record() {
    let place = Place::new();
    let csv = |names: &[&str]| {
        let rows = names
            .iter()
            .map(|name| format!("{name},1,1,1,bare,s,,0,{name},false\n"));
        HEADER.to_owned() + &rows.collect::<String>()
    };
    // Rows sorted as written but not by key, or by key but not as written.
    place
        .file(
            "a.csv",
            csv(&["10.5555/A", "10.5555/B", "10.5555/a", "10.5555/c"]),
        )
        .file(
            "b.csv",
            csv(&[
                "10.5555/a",
                "10.5555/B",
                "10.5555/C\u{c9}",
                "10.5555/c\u{e9}",
            ]),
        );
    let seen = place.merge("a.csv b.csv -f csv").quiet().out;
    let rows: Vec<_> = seen
        .lines()
        .skip(1)
        .map(|row| row.split(",bare").next().unwrap())
        .collect();
    assert_eq!(
        rows,
        [
            "10.5555/a,3,3,3",
            "10.5555/b,2,2,2",
            "10.5555/c,1,1,1",
            "10.5555/c\u{c9},1,1,1",
            "10.5555/c\u{e9},1,1,1"
        ]
    );
}

#[test]
fn rows_that_no_scan_writes_are_refused_by_file_and_row() {
    let place = Place::new();
    let good = "10.5555/a,2,1,1,bare,s,,0,10.5555/A,false\n";
    for (row, why) in [
        (
            "hello,1,1,1,bare,s,,0,x,true",
            "doi is \"hello\", but must be a DOI name, such as 10.1000/182",
        ),
        (
            "10.5555/b,0,0,1,bare,s,,0,x,true",
            "mentions is \"0\", but must be a whole number from 1 to 9223372036854775807",
        ),
        (
            "10.5555/b,1,2,1,bare,s,,0,x,true",
            "documents is \"2\", but must be a whole number from 1 to that of mentions",
        ),
        (
            "10.5555/b,1,0,1,bare,s,,0,x,true",
            "documents is \"0\", but must be a whole number from 1 to that of mentions",
        ),
        (
            "10.5555/b,1,1,2,bare,s,,0,x,true",
            "sources is \"2\", but must be a whole number from 1 to that of documents",
        ),
        (
            "10.5555/b,1,1,1,,s,,0,x,true",
            "forms is \"\", but must be one or more of arxiv, bare, doi, hdl, ",
        ),
        (
            "10.5555/b,9223372036854775808,1,1,bare,s,,0,x,true",
            "mentions is \"9223372036854775808\", but must be",
        ),
    ] {
        place.file("wrong.csv", format!("{HEADER}{good}{row}\n"));
        let seen = place.merge("wrong.csv -o out.csv");
        assert_eq!(seen.code, Some(2), "{row}");
        let start = format!("doisift: wrong.csv: line 3: {why}");
        assert!(seen.err.starts_with(&start), "{}", seen.err);
        let end = "; correct or remove the row, or write the file again\n";
        assert!(seen.err.ends_with(end), "{}", seen.err);
    }
    assert_eq!(place.entries(), ["wrong.csv"]);
}

#[test]
fn counts_that_no_record_holds_are_an_error() {
    let place = Place::new();
    let row = "10.5555/a,9223372036854775807,1,1,bare,s,,0,10.5555/A,false\n";
    place.file("a.csv", format!("{HEADER}{row}"));
    let seen = place.merge("a.csv a.csv -o out.csv");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.starts_with(
            "doisift: the mentions of 10.5555/a add up to more than 9223372036854775807, "
        ),
        "{}",
        seen.err
    );
    assert_eq!(place.entries(), ["a.csv"]);
}

#[test]
fn an_output_that_was_cut_to_nothing_is_refused() {
    let place = Place::new();
    place.file("a", "10.5555/a ").file("none.jsonl", "");
    place.scan("a -o a.csv").quiet();
    for name in ["a.csv.gz", "b.csv", "c.jsonl.zst", "d.parquet"] {
        let seen = place.file(name, "").merge(&format!("a.csv {name} -f csv"));
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{name}");
        let start = format!(
            "doisift: {name}: it is empty, but a complete output with this ending is not; "
        );
        assert!(seen.err.starts_with(&start), "{}", seen.err);
    }
    let merged = place.merge("a.csv none.jsonl -f csv").quiet().out;
    assert_eq!(merged, place.read("a.csv"));
}

#[test]
fn flipped_bits_of_packed_outputs_change_no_record_in_silence() {
    let place = Place::new();
    place.file("a", text(3, 8));
    for output in ["a.jsonl.zst", "a.csv.gz", "a.parquet"] {
        place.scan(&format!("a -o {output}")).quiet();
        let good = std::fs::read(place.path(output)).unwrap();
        let wanted = place.merge(&format!("{output} -f csv")).quiet().out;
        // `tests/library/flips.rs` flips every bit, within one process.
        for at in 0..60 {
            let mut bytes = good.clone();
            bytes[at * 7_919 % good.len()] ^= 1 << (at % 8);
            let seen = place.file("flipped", &bytes).merge("flipped -f csv");
            let same = (seen.code, &seen.out) == (Some(0), &wanted);
            assert!(same || seen.code == Some(2), "{output}, {at}: {}", seen.out);
        }
    }
}

#[test]
fn check_digits_follow_from_the_names_and_need_not_be_in_an_input() {
    let place = Place::new();
    let text = "10.1007/s10514-018-9783-9 10.1007/s10514-018-9783-8 10.5555/a 10.1007/978-3-476-05197-4_1 ";
    place.file("a", text);
    let wanted = place.scan("a -f csv").quiet().out;
    let digits: Vec<_> = wanted
        .lines()
        .map(|line| line.rsplit(',').next().unwrap())
        .collect();
    assert_eq!(digits, ["check_digit", "good", "bad", "good", ""]);
    let without = "--fields doi,mentions,documents,sources,forms,first_source,first_document,first_offset,first_text,guessed";
    let endings = ["csv", "jsonl", "parquet"];
    for ending in endings {
        place.scan(&format!("a -o w.{ending} {without}")).quiet();
        assert_eq!(
            place.merge(&format!("w.{ending} -f csv")).quiet().out,
            wanted,
            "{ending}"
        );
        place.scan(&format!("a -o w.{ending}")).quiet();
        assert_eq!(
            place.merge(&format!("w.{ending} -f csv")).quiet().out,
            wanted,
            "{ending}"
        );
    }
    place.file("wrong.csv", wanted.replace("good", "odd"));
    assert_eq!(place.merge("wrong.csv -f csv").quiet().out, wanted);
}
