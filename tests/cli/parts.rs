//! Outputs that are folders of parts.

use std::fs;

use crate::place::{Place, names};

/// Three sources with names.
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

/// The files of a folder in order, with their contents.
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

/// The rows of all parts, without headers.
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
    if cfg!(feature = "parquet") {
        place.scan("in -o e/").quiet();
        assert!(place.path("e/part-00000.parquet").exists());
    }
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
        seen.err
            .contains("it holds files already, such as precious.txt"),
        "{}",
        seen.err
    );
    place.scan("in -o done/ -f csv").quiet();
    let before = files(&place, "done");
    let seen = place.scan("in -o done/ -f csv");
    assert!(
        seen.err.contains("it holds a complete output already"),
        "{}",
        seen.err
    );
    assert_eq!(files(&place, "done"), before);
    assert_eq!(files(&place, "out").len(), 1);
    let seen = place.scan("in -o in/0.txt/");
    assert!(seen.err.contains("it is no folder"), "{}", seen.err);
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
        ("none/x/", "there is no folder none"),
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
