//! Outputs that are folders of parts.

use std::fs;

use crate::containers::{tar, zip};
use crate::place::{Place, Seen, gzip, names};

/// Creates three sources with names.
fn place() -> Place {
    let place = Place::new();
    for source in 0..3 {
        let lines: String = (0..200)
            .map(|n| format!("see 10.5555/{source}-{n} and 10.5555/all\n"))
            .collect();
        place.file(format!("in/{source}.txt"), lines);
    }
    place
}

/// Returns the files of a folder in order, with their contents.
pub fn files(place: &Place, folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(place.path(folder)).unwrap();
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

/// Returns the rows of all parts, without headers.
fn joined(place: &Place, folder: &str) -> String {
    let parts = files(place, folder).into_iter();
    let parts = parts.filter(|(name, _)| name.starts_with("part-"));
    parts
        .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
        .collect()
}

#[test]
fn parts_have_the_rows_of_one_output_for_all_threads_and_chunks() {
    let place = place();
    for rows in ["--mentions", "--edges", "--pairs", ""] {
        let whole = place.scan(&format!("in {rows}")).quiet().out;
        let scan = |folder: &str, options: &str| {
            let line = format!("in {rows} -f jsonl --part-size 9K -o {folder}/ {options}");
            place.scan(&line).quiet();
            files(&place, folder)
        };
        let first = scan("first", "-j1");
        assert_eq!(joined(&place, "first"), whole, "{rows}");
        assert!(first.len() > 4, "{rows}");
        for (number, options) in ["-j3", "-j2 --chunk 100", "-j1 --chunk 7"]
            .iter()
            .enumerate()
        {
            assert_eq!(
                scan(&format!("other{number}"), options),
                first,
                "{rows} {options}"
            );
            fs::remove_dir_all(place.path(format!("other{number}"))).unwrap();
        }
        fs::remove_dir_all(place.path("first")).unwrap();
    }
}

/// Creates sources with much text and few names: packed files, archives, and plain files, small and large.
pub fn thin() -> Place {
    let place = Place::new();
    let text = |n: usize, lines| "no names here\n".repeat(lines) + &format!("See 10.5555/{n}.\n");
    let packed: Vec<_> = (0..40).map(|n| gzip(text(n, 500))).collect();
    let named: Vec<_> = (0..40).map(|n| format!("{n}.gz")).collect();
    let members = named.iter().zip(&packed);
    let members: Vec<(&str, &[u8])> = members.map(|(name, bytes)| (&**name, &**bytes)).collect();
    for (name, bytes) in &members {
        place.file(format!("in/a/{name}"), bytes);
    }
    place.file("in/b.tar", tar(&members));
    for n in 0..200 {
        place.file(format!("in/c/{n:03}.txt"), text(n, 50));
    }
    place.file("in/d.txt", text(0, 90_000));
    place.file(
        "in/e.bin",
        [text(1, 100).as_bytes(), &zip(&members)].concat(),
    );
    place
}

#[test]
fn parts_end_by_the_text_that_was_read_for_all_threads_and_chunks() {
    let place = thin();
    for rows in ["--mentions", "--edges", "--edges --nodes-to nodes/"] {
        let scan = |options: &str| {
            let line = format!("in {rows} -f jsonl --part-size 4K -o out/ {options}");
            place.scan(&line).quiet();
            let joined = joined(&place, "out");
            let parts = ["out", "nodes"].map(|folder| {
                let path = place.path(folder);
                let files = path.exists().then(|| files(&place, folder));
                let _ = fs::remove_dir_all(path);
                files
            });
            (parts, joined)
        };
        let (first, joined) = scan("-j1");
        if !rows.contains("nodes") {
            assert_eq!(joined, place.scan(&format!("in {rows}")).quiet().out);
        }
        let count = first[0].as_ref().map_or(0, Vec::len);
        // The rows alone would fill a third as many parts.
        assert!(count > 20, "{rows}: {count}");
        for options in ["-j3", "-j2 --chunk 100", "-j1 --chunk 7", "-j4 --memory 1M"] {
            assert!(scan(options).0 == first, "{rows} {options}");
        }
    }
}

#[test]
fn every_format_has_parts_named_by_its_ending() {
    let place = place();
    let cases = [
        ("a/", "-f csv", "part-00000.csv"),
        ("b.tsv/", "", "part-00000.tsv"),
        ("c.jsonl.zst/", "", "part-00000.jsonl.zst"),
        ("d.gz/", "-f names", "part-00000.names.gz"),
    ];
    for (folder, options, part) in cases {
        place.scan(&format!("in -o {folder} {options}")).quiet();
        let names: Vec<_> = files(&place, folder)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["_SUCCESS", "_manifest.json", part]);
    }
    place.scan("in -o e/").quiet();
    assert!(place.path("e/part-00000.parquet").exists());
}

#[test]
fn the_manifest_says_what_each_part_is() {
    let place = place();
    place
        .scan("in --mentions -f jsonl -o out/ --part-size source")
        .quiet();
    let manifest = place.json("out/_manifest.json");
    assert_eq!(manifest["total"]["rows"], 1200);
    for (number, part) in manifest["parts"].as_array().unwrap().iter().enumerate() {
        let name = part["name"].as_str().unwrap();
        let bytes = fs::read(place.path(format!("out/{name}"))).unwrap();
        let sum = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes));
        assert_eq!(
            (part["xxh3"].as_str(), part["bytes"].as_u64()),
            (Some(&*sum), Some(bytes.len() as u64))
        );
        assert_eq!(part["sources"][0]["name"], format!("in/{number}.txt"));
        assert_eq!(part["sources"][0]["rows"], 400);
    }
}

#[test]
fn a_folder_with_other_files_is_refused_and_stays() {
    let place = place();
    place.file("out/precious.txt", "mine");
    let seen = place.scan("in -o out/");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err.contains("it contains files, such as precious.txt"),
        "{}",
        seen.err
    );
    place.scan("in -o done/ -f csv").quiet();
    let before = files(&place, "done");
    let seen = place.scan("in -o done/ -f csv");
    assert!(
        seen.err.contains("it contains a complete output"),
        "{}",
        seen.err
    );
    assert_eq!(files(&place, "done"), before);
    assert_eq!(files(&place, "out").len(), 1);
    let seen = place.scan("in -o in/0.txt/");
    assert!(seen.err.contains("not a folder"), "{}", seen.err);
}

#[test]
fn a_run_that_fails_leaves_no_parts() {
    let place = place();
    place.file("in/z.gz", crate::place::gzip(names(1000)).split_at(500).0);
    let seen = place.scan("in --mentions -o out/ -f jsonl --part-size 1K --on-error fail");
    assert_eq!(seen.code, Some(2));
    assert_eq!(place.entries(), ["in"]);
}

#[test]
fn patterns_and_folders_without_a_slash_say_what_to_do() {
    let place = place();
    place.file("out/a", "");
    for (output, remedy) in [
        ("x/%s", "write -o x/"),
        ("x/part-{}.csv", "write -o x/"),
        ("out", "a new folder with / at the end"),
        ("none/x/", "the folder none does not exist"),
    ] {
        let seen = place.scan(&format!("in -o {output}"));
        assert_eq!(seen.code, Some(2), "{output}");
        assert!(seen.err.contains(remedy), "{}", seen.err);
    }
    assert_eq!(place.entries(), ["in", "out"]);
}

#[test]
fn no_rows_are_one_empty_part() {
    let place = Place::new();
    place.file("a.txt", "nothing");
    place.scan("a.txt -o out/ -f csv --mentions").quiet();
    let rows = joined(&place, "out");
    assert!(
        rows.starts_with("doi,form") && rows.lines().count() == 1,
        "{rows}"
    );
}

/// Creates files of works with references.
fn works() -> Place {
    let place = Place::new();
    for file in 0..12 {
        let work = |n: usize| {
            format!(
                "{{\"DOI\":\"10.5555/w-{file}-{n}\",\"reference\":[{{\"DOI\":\"10.5555/r-{n}\"}},{{\"unstructured\":\"doi:10.5555/u-{n}\"}}]}}\n"
            )
        };
        let lines: String = (0..40).map(work).collect();
        place.file(format!("in/{file}.jsonl"), lines);
    }
    place
}

fn merge(place: &Place, line: &str) -> Seen {
    Seen::of(place.command(["merge"]).args(line.split_whitespace()))
}

#[test]
fn shards_in_parts_merge_to_the_parts_of_one_run() {
    let place = works();
    for rows in [
        "--edges",
        "--mentions",
        "--edges --fields doi,record,ref_index,asserted",
        "--pairs",
        "",
    ] {
        for format in ["parquet", "jsonl", "tsv"] {
            let more = format!("-f {format} --part-size 7K");
            place.scan(&format!("in {rows} {more} -o whole/")).quiet();
            for shard in 0..3 {
                place
                    .scan(&format!("in {rows} {more} -o s{shard}/ --shard {shard}/3"))
                    .quiet();
            }
            let pairs = if rows == "--pairs" { rows } else { "" };
            let ordered = rows.contains("--edges") || rows.contains("--mentions");
            merge(&place, &format!("s2 s0 s1/ {pairs} {more} -o all/")).quiet();
            let parts = |folder: &str| {
                let files = files(&place, folder).into_iter();
                files
                    .filter(|(name, _)| name.starts_with("part-"))
                    .collect::<Vec<_>>()
            };
            let whole = parts("whole");
            assert!(whole.len() > 1 && whole == parts("all"), "{rows} {format}");
            let listed =
                |folder: &str| place.json(&format!("{folder}/_manifest.json"))["parts"].clone();
            assert!(
                !ordered || listed("whole") == listed("all"),
                "{rows} {format}"
            );
            for folder in ["whole", "s0", "s1", "s2", "all"] {
                fs::remove_dir_all(place.path(folder)).unwrap();
            }
        }
    }
}

#[test]
fn a_folder_that_is_not_complete_does_not_merge() {
    let place = works();
    for rows in ["--edges", ""] {
        place.scan(&format!("in {rows} -f jsonl -o a/")).quiet();
        fs::remove_file(place.path("a/_SUCCESS")).unwrap();
        let seen = merge(&place, "a -o all.jsonl");
        assert_eq!(seen.code, Some(2));
        assert!(
            seen.err
                .starts_with("doisift: a: this folder has no _SUCCESS"),
            "{}",
            seen.err
        );
        fs::write(place.path("a/_SUCCESS"), "").unwrap();
        fs::write(place.path("a/part-00000.jsonl"), "").unwrap();
        let seen = merge(&place, "a -o all.jsonl");
        assert!(
            seen.err
                .contains("a: part-00000.jsonl is missing, or its size or checksum has changed"),
            "{}",
            seen.err
        );
        fs::remove_dir_all(place.path("a")).unwrap();
    }
    assert_eq!(place.entries(), ["in"]);
}

#[test]
fn a_part_whose_bytes_changed_at_the_same_size_is_not_read() {
    let place = works();
    for rows in ["--edges", "--mentions", "--pairs", ""] {
        for format in ["jsonl", "csv", "jsonl.zst"] {
            let line = format!("in {rows} --part-size 4K -o a.{format}/");
            place.scan(&line).quiet();
            let part = place.path(format!("a.{format}/part-00001.{format}"));
            let mut bytes = fs::read(&part).unwrap();
            let middle = bytes.len() / 2;
            // A digit of a name, or of packed bytes.
            let digit = bytes[middle..].iter().position(u8::is_ascii_digit);
            bytes[middle + digit.unwrap()] ^= 1;
            fs::write(&part, bytes).unwrap();
            let pairs = if rows == "--pairs" { rows } else { "" };
            let mut lines = vec![format!("merge a.{format} {pairs} -o all.csv")];
            if rows.is_empty() {
                lines.push(format!("diff a.{format} a.{format} -o all.csv"));
            }
            for line in lines {
                let seen = Seen::of(&mut place.command(line.split_whitespace()));
                let why = format!(
                    "doisift: a.{format}: part-00001.{format} is missing, or its size or checksum has changed"
                );
                assert_eq!(seen.code, Some(2), "{line}");
                assert!(seen.err.starts_with(&why), "{line}: {}", seen.err);
                assert!(!place.path("all.csv").exists());
            }
            fs::remove_dir_all(place.path(format!("a.{format}"))).unwrap();
        }
    }
}

#[test]
fn a_folder_with_a_part_that_its_manifest_does_not_list_does_not_merge() {
    let place = works();
    place.scan("in --edges -f jsonl -o a/").quiet();
    place.file("a/part-00099.jsonl", "");
    let seen = merge(&place, "a -o all.jsonl");
    assert_eq!(seen.code, Some(2));
    let why = "part-00099.jsonl has the name of a part, but its manifest does not list it";
    assert!(seen.err.contains(why), "{}", seen.err);
}

#[test]
fn folders_of_other_rows_do_not_merge() {
    let place = works();
    place.scan("in --edges -f jsonl -o a/").quiet();
    place.scan("in --edges -f jsonl -o b/ --fields doi").quiet();
    place.scan("in -f jsonl -o c/").quiet();
    for (inputs, why) in [
        ("a b", "b: column `record` is missing, which a has"),
        ("b a", "b: column `record` is missing, which a has"),
        (
            "a c",
            "c: these are records, without the column record; a has edges, and",
        ),
        (
            "c a",
            "a: these are edges, without the column mentions; c has records, and",
        ),
    ] {
        let seen = merge(&place, &format!("{inputs} -o all.jsonl"));
        assert_eq!(seen.code, Some(2), "{inputs}");
        assert!(
            seen.err.starts_with(&format!("doisift: {why}")),
            "{}",
            seen.err
        );
    }
}

#[test]
fn records_in_parts_are_compared_as_one_list() {
    let place = works();
    place.scan("in -f jsonl --part-size 5K -o old/").quiet();
    place.scan("in -o new.jsonl").quiet();
    let diff = Seen::of(&mut place.command(["diff", "old", "new.jsonl"])).quiet();
    assert_eq!(diff.out, "");
}

#[test]
fn the_records_of_all_names_can_be_written_in_the_same_pass() {
    let place = works();
    place.file(
        "in/a.tar",
        crate::containers::tar(&[("x.txt", b"see 10.5555/r-1 and 10.5555/x")]),
    );
    for rows in ["--edges", "--mentions"] {
        for threads in ["-j1", "-j3 --chunk 100"] {
            let alone = place.scan("in -f csv").quiet().out;
            let whole = place.scan(&format!("in {rows}")).quiet().out;
            let line =
                format!("in {rows} {threads} -o rows.jsonl --names-to names.csv --report r.json");
            place.scan(&line).quiet();
            assert_eq!(place.read("names.csv"), alone, "{line}");
            assert_eq!(place.read("rows.jsonl"), whole, "{line}");
            assert_eq!(place.json("r.json")["names"], alone.lines().count() - 1);
            place
                .scan(&format!(
                    "in {rows} {threads} -f jsonl -o rows/ --names-to names.names/ --part-size 2K"
                ))
                .quiet();
            assert_eq!(joined(&place, "rows"), whole);
            assert_eq!(
                joined(&place, "names.names"),
                place.scan("in -f names").quiet().out
            );
            for folder in ["rows", "names.names"] {
                fs::remove_dir_all(place.path(folder)).unwrap();
            }
        }
    }
}

#[test]
fn names_besides_rows_refuse_what_they_cannot_do() {
    let place = works();
    for (options, why) in [
        ("-o a.csv --names-to b.csv", "needs --mentions or --edges"),
        ("--edges -o a.csv --names-to a.csv", "a.csv"),
        (
            "--edges -o a/ --names-to b/ --part-size source",
            "a record may be of several sources",
        ),
        (
            "-o a/ --part-size source",
            "a record may be of several sources",
        ),
    ] {
        let seen = place.scan(&format!("in {options}"));
        assert_eq!(seen.code, Some(2), "{options}");
        assert!(seen.err.contains(why), "{}", seen.err);
        assert_eq!(place.entries(), ["in"], "{options}");
    }
}
