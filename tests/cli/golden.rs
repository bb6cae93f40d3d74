//! Compares outputs, messages and exit codes of many commands with `tests/golden.txt`.
//!
//! A line that starts with `$` is a command. Each `|` starts the options of another run; all runs must give the same. The lines
//! below are the exit code, and the length and checksum of each output.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use xxhash_rust::xxh3::xxh3_64;

use crate::binary_workbooks::{xls, xlsb};
use crate::common::{self, root};
use crate::containers::{tar, warc, zip};
use crate::mail::mbox;
use crate::office::{docx, ods, odt, xlsx};
use crate::pdf::pages;
use crate::pdf::pdf_writer::{PdfStyle, pdf};
use crate::place::{Place, Seen, bzip2, gzip, lz4, names, xz, zstd};
use crate::seven_zip::solid_archive;
use crate::small_table::table;
use crate::table_writers::{arrow, arrow_style, parquet, parquet_style};

/// The file of the expected outcomes, below the root of the repository.
const KEPT: &str = "tests/golden.txt";
/// Folder below it for the outputs of the last run, to compare with another version.
const OUTPUTS: &str = "target/golden";
/// Folders of the inputs.
const INPUTS: [&str; 4] = ["in", "kinds", "cases", "random"];
/// Members of reports that differ between equal runs.
const OF_THE_RUN: [&str; 5] = ["seconds", "started", "options", "runs", "spilled_bytes"];

#[test]
fn outputs_are_as_written_down() {
    let place = Place::new();
    fill(&place);
    let _ = fs::remove_dir_all(root().join(OUTPUTS));
    fs::create_dir_all(root().join(OUTPUTS)).unwrap();
    let kept = fs::read_to_string(root().join(KEPT)).unwrap();
    let found: String = kept
        .lines()
        .filter(|line| line.starts_with('$') || line.starts_with('#'))
        .enumerate()
        .map(|(number, line)| entry(&place, number, line))
        .collect();
    assert!(!found.contains(" differs with "), "{found}");
    if std::env::var_os("DOISIFT_WRITE_GOLDEN").is_some() {
        fs::write(root().join(KEPT), &found).unwrap();
        return;
    }
    let wanted: Vec<_> = kept.lines().collect();
    let changed: Vec<_> = found
        .lines()
        .enumerate()
        .filter(|(at, line)| wanted.get(*at) != Some(line))
        .map(|(_, line)| line)
        .collect();
    assert!(
        changed.is_empty() && found == kept,
        "outputs changed (they are in {OUTPUTS}, numbered by the command's line); if they were meant to, \
         run again with DOISIFT_WRITE_GOLDEN=1\n{}",
        changed.join("\n")
    );
}

/// Returns a command with its outcome, or a remark unchanged.
fn entry(place: &Place, number: usize, line: &str) -> String {
    let Some(command) = line.strip_prefix("$ ") else {
        return format!("{line}\n");
    };
    let mut parts = command.split(" | ");
    let (command, before) = (parts.next().unwrap(), outputs(place));
    let first = outcome(place, command, parts.next().unwrap_or_default());
    let exit = String::from_utf8_lossy(&first["exit"]).into_owned();
    let mut text = format!("{line}\n  exit {exit}\n");
    for way in parts {
        restore(place, &before);
        let other = outcome(place, command, way);
        let names = first.keys().chain(other.keys());
        for name in names.filter(|name| first.get(*name) != other.get(*name)) {
            writeln!(text, "  {name} differs with {way}").unwrap();
        }
    }
    for (name, bytes) in joined(first) {
        let name = name.replace('/', "-");
        fs::write(root().join(format!("{OUTPUTS}/{number:03}-{name}")), &bytes).unwrap();
        writeln!(text, "  {name} {} {:016x}", bytes.len(), xxh3_64(&bytes)).unwrap();
    }
    text
}

/// Joins the parts of each folder in the outcome of a run.
fn joined(outcome: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let mut joined = BTreeMap::<_, Vec<u8>>::new();
    for (name, bytes) in outcome {
        if name != "exit" && !bytes.is_empty() {
            let (folder, part) = name.rsplit_once('/').unwrap_or((&name, ""));
            let is_part = folder.contains('/');
            let name = if is_part { folder } else { &name };
            let to = joined.entry(name.to_owned()).or_default();
            to.extend(if is_part { part.as_bytes() } else { b"" });
            to.extend(bytes);
        }
    }
    joined
}

/// Runs a command. Returns the exit code, standard output, messages, and each file that the run wrote or changed.
fn outcome(place: &Place, command: &str, way: &str) -> BTreeMap<String, Vec<u8>> {
    let before = outputs(place);
    let Seen { code, out, err } = place.with_limit(":", &format!("{command} {way}"));
    let mut outcome = outputs(place);
    outcome.retain(|name, bytes| before.get(name) != Some(bytes));
    for (name, bytes) in &mut outcome {
        if name.ends_with("report.json") {
            *bytes = comparable(bytes);
        }
    }
    outcome.insert("exit".into(), code.unwrap().to_string().into_bytes());
    outcome.insert("out".into(), out.into_bytes());
    outcome.insert("err".into(), err.into_bytes());
    outcome
}

/// Removes the members of a report that differ between equal runs.
fn comparable(report: &[u8]) -> Vec<u8> {
    let mut report: serde_json::Value = serde_json::from_slice(report).unwrap();
    for name in OF_THE_RUN {
        report.as_object_mut().unwrap().remove(name);
    }
    report.to_string().into_bytes()
}

/// Returns all files except the inputs.
fn outputs(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let (root, mut found) = (place.path(""), BTreeMap::new());
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(&root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            match path.is_dir() {
                true if INPUTS.contains(&name.as_str()) => {}
                true => folders.push(path),
                false => drop(found.insert(name, fs::read(path).unwrap())),
            }
        }
    }
    found
}

/// Restores the outputs.
fn restore(place: &Place, before: &BTreeMap<String, Vec<u8>>) {
    for name in outputs(place).keys() {
        fs::remove_file(place.path(name)).unwrap();
    }
    for (name, bytes) in before {
        place.file(name, bytes);
    }
}

/// Writes the inputs: the corpora, each case of a rule, and each kind of source.
fn fill(place: &Place) {
    for entry in fs::read_dir(root().join("corpora")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.ends_with(".names") && name != "README.md" {
            place.file(format!("in/{name}"), fs::read(&path).unwrap());
        }
    }
    for (number, case) in common::cases().into_iter().enumerate() {
        place.file(format!("cases/{number:04}"), case.bytes);
    }
    fill_kinds(place);
    fill_random(place);
    fs::create_dir(place.path("o")).unwrap();
    for number in 0..6 {
        place.file(format!("kinds/list/{number}.txt"), names(300 * number));
    }
    place
        .file("refs.bib", BIBLIOGRAPHY)
        .file("works.jsonl", WORKS);
    place.file("table.csv", TABLE).file("list.txt", LIST);
}

fn fill_kinds(place: &Place) {
    let text = names(120);
    let members = [
        ("a.txt", text.as_bytes()),
        ("b/c.txt", b"doi:10.5555/Member.(1)2."),
    ];
    let paragraph = "<w:p><w:r><w:t>10.5555/par</w:t></w:r><w:r><w:t>agraph</w:t></w:r></w:p>";
    let cell = "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>10.5555/cell</t></is></c></row>";
    let sheet = "<table:table table:name=\"S\"><table:table-row><table:table-cell><text:p>10.5555/ods</text:p></table:table-cell></table:table-row></table:table>";
    let kinds: [(&str, Vec<u8>); 24] = [
        ("a.gz", gzip(&text)),
        ("a.zst", zstd(&text)),
        ("a.bz2", bzip2(&text)),
        ("a.xz", xz(&text)),
        ("a.lz4", lz4(&text)),
        ("cut.gz", gzip(&text)[..200].to_vec()),
        ("a.tar", tar(&members)),
        ("a.tgz", gzip(tar(&members))),
        ("a.zip", zip(&members)),
        ("a.7z", solid_archive(&members)),
        ("a.warc", warc(&members)),
        ("a.warc.gz", gzip(warc(&members))),
        ("nested.zip", zip(&[("in.tgz", &gzip(tar(&members)))])),
        ("a.docx", docx(paragraph)),
        (
            "a.odt",
            odt("<text:p>10.5555/o<text:span>dt</text:span></text:p>"),
        ),
        ("a.ods", ods(sheet)),
        ("a.xlsx", xlsx(cell, "")),
        ("a.xls", xls()),
        ("a.xlsb", xlsb()),
        ("a.pdf", pdf(&pages(), PdfStyle::default())),
        ("a.mbox", mbox(3).into_bytes()),
        ("a.rtf", b"{\\rtf1 10.5555/r\\'74f \\b x}".to_vec()),
        ("a.parquet", parquet(&table(), parquet_style(3)).bytes),
        ("a.arrow", arrow(&table(), arrow_style(2)).bytes),
    ];
    for (name, bytes) in kinds {
        place.file(format!("kinds/{name}"), bytes);
    }
}

/// Writes random texts, plain and packed, whole and cut, in one piece and many.
fn fill_random(place: &Place) {
    let mut cut = gzip(random_text(7, 900));
    cut.truncate(cut.len() - 50);
    let members = [gzip(random_text(3, 20)), gzip(random_text(4, 20))].concat();
    let frames = [zstd(random_text(5, 20)), zstd(random_text(6, 20))].concat();
    let archive = tar(&[
        ("first.gz", &gzip(random_text(1, 900))[..]),
        ("plain", random_text(2, 60).as_bytes()),
        ("cut.gz", &cut),
        ("last.gz", &gzip(random_text(8, 900))),
    ]);
    place
        .file("random/plain", random_text(1, 60))
        .file("random/packed.gz", gzip(random_text(2, 60)))
        .file("random/members", members)
        .file("random/frames.zst", frames)
        .file("random/members.tar", archive)
        .file("random/empty", "")
        .file("random/end", "10.5555/at-the-end")
        .file("random/tiny", "1");
    for number in 0..20 {
        place.file(
            format!("random/small/{number}"),
            random_text(100 + number, 3),
        );
    }
}

/// Returns references with names across lines, long lines, and lines without names, from a fixed random sequence.
fn random_text(seed: u64, lines: usize) -> String {
    let mut state = seed;
    let mut next = |max: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % max
    };
    let mut text = String::new();
    for _ in 0..lines {
        let pad = "x ".repeat(next(40) as usize);
        let number = next(60);
        let _ = match next(5) {
            0 => writeln!(text, "{pad}doi:10.5555/Abc-{number}, and more."),
            1 => writeln!(text, "{pad}https://doi.org/10.5555/abc-{number}"),
            2 => write!(text, "{pad}\"10.1000/{number}\" "),
            3 => writeln!(text, "10.5555/ {pad}10.x"),
            _ => writeln!(text),
        };
    }
    text
}

const BIBLIOGRAPHY: &str = "@article{a, title = {A}, doi = {10.5555/Old.},}\n@article{b, doi = {https://doi.org/10.5555/work.2}}\n\
    @book{c, title = {No name}}\n@misc{d, note = {doi:10.5555/work.2}, url = {https://doi.org/10.1016/0092-8674(94}}\n";
const WORKS: &str = "{\"DOI\":\"10.5555/old\",\"updated-by\":[{\"DOI\":\"10.5555/notice\",\"type\":\"retraction\",\"updated\":{\"date-parts\":[[2021,5,1]]}}]}\n\
    {\"DOI\":\"10.5555/Work.2\",\"title\":[\"T\"],\"reference\":[{\"key\":\"r1\",\"DOI\":\"10.5555/old\"},{\"unstructured\":\"B, doi:10.5555/cited.\"},{\"key\":\"r3\"}]}\n";
const TABLE: &str = "id;DOI;title\n1;https://doi.org/10.5555/ABC%2F1;a\n2;10.5555/x. ;b\n3;none;c\n4;10.5555/a,10.5555/b;d\n5;10.5555/old;e\n";
const LIST: &str = "10.5555/ABC\nhttps://doi.org/10.5555/a%2Fb\nnot a name\ndoi:10.5555/x.\n";
