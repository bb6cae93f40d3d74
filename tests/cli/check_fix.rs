//! Repairs of files in place, and files that must stay as they are.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::place::{Place, Seen, binary};

const DIRTY: &str = "@a{k, doi = {10.5555/a1.}}\n";
const CLEAN: &str = "@a{k, doi = {10.5555/a1}}\n";

impl Place {
    fn fix(&self, line: &str) -> Seen {
        let mut command = self.command(["check", "-f", "jsonl"]);
        Seen::of(command.args(line.split_whitespace()).arg("--fix"))
    }

    /// Writes the file `name`, runs `--fix`, and returns the file's content after it and the verdicts.
    #[track_caller]
    fn fixed(&self, name: &str, content: &str) -> (String, Vec<String>) {
        self.file(name, content);
        let seen = self.fix(name);
        assert!(matches!(seen.code, Some(0 | 1)), "{content}: {}", seen.err);
        (self.read(name), seen.field("verdict"))
    }
}

#[test]
fn only_a_value_of_one_literal_is_repaired() {
    let place = Place::new();
    for value in [
        "{10.5555/c3.} # {}",
        "\"10.5555/abc.\" # suffix",
        "{10.5555/abc.} # \"\"",
        "p # \"x1.\"",
        "{10.5555/{a}bc.}",
        "{10.5555/a1.} x",
        "10.5555/a1.",
        "{10.5555/\n  a1.}",
        "{10.5555/abc. 1234567}",
        "{see p. 3 of 10.5555/a1}",
    ] {
        let entry = format!("@string{{p = \"10.5555/\"}}\n@a{{k, doi = {value}, title = {{A}}}}\n");
        let (after, verdicts) = place.fixed("a.bib", &entry);
        assert_eq!(after, entry);
        assert_eq!(verdicts, ["written_wrongly"], "{value}");
    }
    let unclosed = "@a{k, doi = {10.5555/a1.,\n  year = 2001\n}\n\n@b{l, doi = {10.5555/b1.}}\n";
    let wanted = unclosed.replace("b1.", "b1");
    assert_eq!(place.fixed("a.bib", unclosed).0, wanted);
    let value = |inside: &str| {
        format!(
            "<xml><records><record><electronic-resource-num>{inside}</electronic-resource-num></record></records></xml>"
        )
    };
    for (inside, verdict) in [
        (
            "<style>10.5555/</style><style>a1.</style>",
            "written_wrongly",
        ),
        ("<style>10.1234/a.</style><style>1</style>", "well_formed"),
        (
            "<style>10.1234/a.</style><!-- x --><style>1</style>",
            "well_formed",
        ),
        ("<![CDATA[10.5555/a1.]]>", "written_wrongly"),
        ("10.5555/a1.<!-- x -->", "written_wrongly"),
    ] {
        let (after, verdicts) = place.fixed("a.xml", &value(inside));
        assert_eq!((after, &*verdicts[0]), (value(inside), verdict));
    }
}

#[test]
fn a_name_that_stops_within_the_text_is_cut_short_and_stays() {
    let place = Place::new();
    for value in [
        "10.1016/0092-8674(94",
        "10.5555/abc [12",
        "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4",
        "10.5555/a1 and more",
        "https:// doi. org/ 10. 1371/ journ al. pone. 01534 64 (2016). 33. Poe",
        "10.5555/a1available",
    ] {
        let entry = format!("@a{{k, doi = {{{value}}}}}\n");
        let (after, verdicts) = place.fixed("a.bib", &entry);
        assert_eq!((after, &*verdicts[0]), (entry, "cut_short"), "{value}");
    }
    let entry = "@a{k, doi = {10.1000/a.1;unavailable}}\n";
    assert_eq!(place.fixed("a.bib", entry).0, entry);
}

#[test]
fn an_index_that_knows_the_result_makes_a_cut_certain() {
    let place = Place::new();
    place.file("names.txt", "10.5555/a1\n");
    Seen::of(&mut place.command(["index", "names.txt", "-o", "known.doix"])).quiet();
    place.file("a.bib", "@a{k, doi = {10.5555/a1 (accessed}}\n");
    assert_eq!(place.fix("a.bib --known known.doix").code, Some(0));
    assert_eq!(place.read("a.bib"), CLEAN);
}

#[test]
fn a_field_for_the_name_gets_the_name_and_one_for_addresses_a_url() {
    let place = Place::new();
    let url = "https://doi.org/10.5555/a1";
    let cases: [(&str, &str, &str); 7] = [
        ("a.bib", "@a{k, doi = {$}}\n", "10.5555/a1"),
        (
            "a.bib",
            "@a{k, eprinttype = {doi}, eprint = \"$\"}\n",
            "10.5555/a1",
        ),
        ("a.ris", "TY  - JOUR\r\nDO  - $\r\nER  - \r\n", "10.5555/a1"),
        (
            "a.json",
            "[{\"id\": 1, \"type\": \"book\", \"DOI\": \"$\"}]",
            "10.5555/a1",
        ),
        ("a.nbib", "PMID- 1\nLID - $ [doi]\n", "10.5555/a1"),
        ("a.bib", "@a{k, url = {$.}}\n", url),
        ("a.ris", "TY  - JOUR\nUR  - $,\nER  - \n", url),
    ];
    for (name, text, wanted) in cases {
        let (after, verdicts) = place.fixed(name, &text.replace('$', url));
        let wanted = text
            .replace("$.", "$")
            .replace("$,", "$")
            .replace('$', wanted);
        assert_eq!(
            (after, &*verdicts[0]),
            (wanted, "written_wrongly"),
            "{text}"
        );
    }
    let (after, _) = place.fixed("a.bib", "@a{k, url = {10.5555/a1.}}\n");
    assert_eq!(after, "@a{k, url = {https://doi.org/10.5555/a1}}\n");
    let (after, _) = place.fixed("a.bib", "@a{k, doi = {10.5555%2Fa1}}\n");
    assert_eq!(after, CLEAN);
    // Correct parts stay as written.
    for (dirty, clean) in [
        (
            "@a{k, url = {HTTP://dx.doi.org/10.5555/a1.}}\n",
            "@a{k, url = {HTTP://dx.doi.org/10.5555/a1}}\n",
        ),
        (
            "@a{k, doi = {10.5555/a{\\_}1\\_b.}}\n",
            "@a{k, doi = {10.5555/a{\\_}1\\_b}}\n",
        ),
        (
            "@a{k, doi = {{10.5555/a1.}}}\n",
            "@a{k, doi = {{10.5555/a1}}}\n",
        ),
    ] {
        assert_eq!(place.fixed("a.bib", dirty).0, clean);
    }
}

#[test]
fn a_stream_is_refused_under_every_name() {
    let place = Place::new();
    place.file("a.bib", DIRTY);
    for path in [
        "/dev/stdin",
        "/dev/fd/0",
        "/proc/self/fd/0",
        "/proc/thread-self/fd/0",
        "-",
    ] {
        let stdin = File::options()
            .read(true)
            .append(true)
            .open(place.path("a.bib"));
        let mut command = place.command(["check", "--fix", path]);
        let seen = Seen::of(command.stdin(stdin.unwrap()));
        assert_eq!(seen.code, Some(2), "{path}");
        assert!(seen.err.contains("--fix cannot write back"), "{}", seen.err);
        assert_eq!(place.read("a.bib"), DIRTY, "{path}");
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$0\" check --fix /dev/fd/3 3<>a.bib"]);
    let seen = Seen::of(
        shell
            .arg(binary())
            .current_dir(place.path(""))
            .stdin(Stdio::null()),
    );
    assert_eq!(
        (seen.code, place.read("a.bib")),
        (Some(2), DIRTY.to_owned())
    );
    assert_eq!(place.entries(), ["a.bib"]);
}

#[test]
fn a_read_only_file_and_one_with_other_names_are_refused() {
    let place = Place::new();
    place.file("a.bib", DIRTY);
    fs::set_permissions(place.path("a.bib"), Permissions::from_mode(0o444)).unwrap();
    let seen = place.fix("a.bib");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("read-only"), "{}", seen.err);
    fs::set_permissions(place.path("a.bib"), Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(place.path("a.bib"), place.path("b.bib")).unwrap();
    let seen = place.fix("a.bib");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("2 names (hard links)"), "{}", seen.err);
    assert_eq!(
        (place.read("a.bib"), place.read("b.bib")),
        (DIRTY.into(), DIRTY.into())
    );
    assert_eq!(place.entries(), ["a.bib", "b.bib"]);
    // A file without repairs is not written, so it may be read-only.
    place.file("c.bib", "@a{k, doi = {10.1234/a1}}\n");
    fs::set_permissions(place.path("c.bib"), Permissions::from_mode(0o444)).unwrap();
    assert_eq!(place.fix("c.bib").code, Some(0));
}

#[test]
fn a_file_that_another_run_is_replacing_is_refused_and_stays() {
    let place = Place::new();
    place.file("a.bib", DIRTY).file("b.bib", DIRTY);
    let other = File::open(place.path("b.bib")).unwrap();
    other.lock().unwrap();
    let seen = place.fix("a.bib b.bib");
    assert_eq!(seen.code, Some(2), "{}", seen.err);
    let why = "doisift: b.bib: locked by another program";
    assert!(seen.err.contains(why), "{}", seen.err);
    assert_eq!([place.read("a.bib"), place.read("b.bib")], [DIRTY; 2]);
    drop(other);
    place.fix("a.bib b.bib");
    assert_eq!([place.read("a.bib"), place.read("b.bib")], [CLEAN; 2]);
}

#[test]
fn owner_and_permissions_stay_and_a_file_named_twice_is_fixed_once() {
    let place = Place::new();
    place.file("a.bib", DIRTY);
    symlink("a.bib", place.path("link.bib")).unwrap();
    fs::set_permissions(place.path("a.bib"), Permissions::from_mode(0o664)).unwrap();
    let is_root = fs::metadata(place.path("")).unwrap().uid() == 0;
    if is_root {
        std::os::unix::fs::chown(place.path("a.bib"), Some(1234), Some(2345)).unwrap();
    }
    let before = fs::metadata(place.path("a.bib")).unwrap();
    assert_eq!(place.fix("a.bib link.bib ./a.bib").code, Some(0));
    let after = fs::metadata(place.path("a.bib")).unwrap();
    let kept = |at: &fs::Metadata| (at.uid(), at.gid(), at.mode());
    assert_eq!(kept(&after), kept(&before));
    assert_eq!(place.read("a.bib"), CLEAN);
    assert_eq!(place.entries(), ["a.bib", "link.bib"]);
}

#[test]
fn a_diff_is_what_patch_applies_and_no_file_changes() {
    let place = Place::new();
    let dirty = "\u{feff}@a{k,\r\n title = {A},\r\n\r\n\r\n\r\n\r\n\r\n\r\n doi = {10.5555/a1.} }\r\n@b{l, doi = {https://doi.org/10.5555/b1}}";
    let clean = dirty.replace("a1.", "a1").replace("https://doi.org/", "");
    place.file("a b.bib", dirty).file("c.bib", CLEAN);
    let run = |args: &[&str]| {
        Seen::of(
            place
                .command(["check", "--diff", "a b.bib", "c.bib"])
                .args(args),
        )
    };
    let seen = run(&[]);
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    assert!(
        seen.out.starts_with("--- a b.bib\t\n+++ a b.bib\t\n@@ -6,"),
        "{}",
        seen.out
    );
    assert!(
        seen.out.ends_with("\\ No newline at end of file\n"),
        "{}",
        seen.out
    );
    assert_eq!(place.read("a b.bib"), dirty);
    place.file("x.diff", &seen.out);
    let applied = Command::new("git")
        .args(["apply", "-p0", "x.diff"])
        .current_dir(place.path(""))
        .output();
    assert!(applied.unwrap().status.success(), "{}", seen.out);
    assert_eq!(place.read("a b.bib"), clean);
    place.file("a b.bib", dirty);
    assert_eq!(run(&["-o", "y.diff"]).code, Some(1));
    assert_eq!(place.read("y.diff"), seen.out);
    assert_eq!(run(&["-f", "jsonl"]).code, Some(2));
    assert_eq!(run(&["--fix"]).code, Some(2));
    assert_eq!(
        Seen::of(&mut place.command(["check", "--diff", "c.bib"])).out,
        ""
    );
}

#[test]
fn a_name_is_read_in_every_field_that_may_hold_one() {
    let place = Place::new();
    let entry = |fields: &str| {
        format!("@string{{p = \"10.5555/\"}}\n@a{{k, title = {{A}} # {{B}}, {fields}}}\n")
    };
    for fields in [
        "doi = p # \"x1\"",
        "note = {DOI: 10.5555/x1}",
        "note = {Reprint, DOI 10.5555/x1}",
        "howpublished = {Online: https://doi.org/10.5555/x1}",
        "eprint = {10.5555/x1}, eprinttype = {doi}",
        "addendum = {doi:10.5555/x1}",
        "url = {https://x.example/doi/10.5555/x1/full}",
    ] {
        place.file("a.bib", entry(fields));
        let rows = Seen::of(&mut place.command(["check", "a.bib", "-f", "jsonl"]));
        assert_eq!(rows.field("doi"), ["10.5555/x1"], "{fields}");
    }
    for (name, text) in [
        (
            "a.json",
            "[{\"id\": 1, \"type\": \"book\", \"note\": \"PMID: 3\\nDOI: 10.5555/x1\"}]",
        ),
        ("a.ris", "TY  - JOUR\nN1  - see doi:10.5555/x1\nER  - \n"),
        ("a.ris", "TY  - JOUR\nAN  - 10.5555/x1\nER  - \n"),
        (
            "a.ris",
            "TY  - JOUR\nL3  - https://doi.org/10.5555/x1\nER  - \n",
        ),
        (
            "a.nbib",
            "PMID- 1\nSO  - J Ex. 2020;1(2):3. doi: 10.5555/x1. Epub 2020 Jan 1.\n",
        ),
        ("a.nbib", "PMID- 1\nLID - 10.5555/x1\n      [doi]\n"),
    ] {
        place.file(name, text);
        let rows = Seen::of(&mut place.command(["check", name, "-f", "jsonl"]));
        assert_eq!(rows.field("doi"), ["10.5555/x1"], "{text}");
    }
}
