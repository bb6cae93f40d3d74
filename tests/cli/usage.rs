//! Wrong arguments, help, and the generated man page and completions.

use crate::place::{Place, Seen};

fn run(args: &[&str]) -> Seen {
    Seen::of(&mut Place::new().command(args))
}

#[test]
fn an_unknown_ending_without_a_format_is_a_usage_error() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    for output in [
        "out", "out.txt", "out.gz", "out.xlsx", "out.json", "out.ods",
    ] {
        let seen = place.scan(&format!("a -o {output}"));
        assert_eq!(seen.code, Some(2));
        let wanted =
            format!("doisift: the ending of {output} is not an output format; choose one of csv, ");
        assert!(seen.err.starts_with(&wanted), "{}", seen.err);
        assert!(
            seen.err.contains("jsonl, names") && seen.err.contains("-f"),
            "{}",
            seen.err
        );
    }
    for output in ["out.jsonl.bz2", "out.csv.xz -f csv"] {
        let seen = place.scan(&format!("a -o {output}"));
        assert_eq!(seen.code, Some(2));
        assert!(seen.err.contains(".gz and .zst"), "{}", seen.err);
    }
    assert_eq!(place.entries(), ["a"]);
}

#[test]
fn parquet_that_would_be_packed_once_more_is_a_usage_error() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    for args in ["a -o out.parquet.gz", "a -f parquet -o out.zst"] {
        let seen = place.scan(args);
        assert_eq!(seen.code, Some(2), "{args}");
        assert!(seen.err.contains("compressed inside"), "{}", seen.err);
    }
    assert_eq!(place.entries(), ["a"]);
}

#[test]
fn what_makes_no_sense_exits_with_2() {
    for args in [
        &["scan", "--no-such-option"][..],
        &["scan", "-f", "xlsx", "a"],
        &["scan", "-j", "0", "a"],
        &["scan", "-0", "a"],
        &["scan", "-q", "-v", "a"],
        &["scan", "--on-error", "panic", "a"],
        &["scan", "--include", "[", "a"],
        &["scan", "--max-expansion", "0", "a"],
        &["scan", "--max-window", "1GX", "a"],
        &["scan", "--files-from", "-", "-"],
        &["no-such-command"],
        &[],
    ] {
        let seen = run(args);
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(!seen.err.is_empty(), "{args:?}");
    }
}

#[test]
fn a_bad_glob_is_named() {
    assert!(run(&["scan", "--exclude", "a[", "x"]).err.contains("a["));
}

#[test]
fn the_long_version_names_what_is_built_in() {
    let long = run(&["--version"]).quiet().out;
    assert!(
        long.starts_with(concat!("doisift ", env!("CARGO_PKG_VERSION"), "\n")),
        "{long}"
    );
    for word in [
        "gzip", "zlib", "zstd", "bzip2", "xz", "lz4", "UTF-16", "csv", "jsonl", "names",
    ] {
        assert!(long.contains(word), "{word}");
    }
    // For bug reports, with and without the word that other programs need.
    for word in [
        std::env::consts::ARCH,
        "mimalloc",
        " threads, ",
        " MiB of memory",
    ] {
        assert!(long.contains(word), "{word}");
    }
    assert_eq!(run(&["--version", "--verbose"]).quiet().out, long);
    assert_eq!(
        run(&["-V"]).quiet().out,
        concat!("doisift ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn help_lists_every_option_but_the_hidden_one() {
    let help = run(&["scan", "--help"]).quiet().out;
    for option in [
        "--output",
        "--format",
        "--mentions",
        "--lines",
        "--include",
        "--exclude",
        "--threads",
        "--files-from",
    ] {
        assert!(help.contains(option), "{option}");
    }
    for option in [
        "-0",
        "--on-error",
        "--report",
        "--max-expansion",
        "--max-window",
        "--tmp-dir",
        "--shard",
        "--progress",
        "--quiet",
        "--verbose",
    ] {
        assert!(help.contains(option), "{option}");
    }
    assert!(!help.contains("--chunk"));
}

#[test]
fn the_short_help_has_the_common_options_by_groups_and_the_long_one_has_all() {
    let options = |help: &str| {
        let words = help
            .lines()
            .filter_map(|line| line.trim_start().split(' ').next());
        let is_option =
            |word: &&str| word.starts_with("--") || word.ends_with(',') || *word == "-0";
        words
            .filter(is_option)
            .filter(|word| word.starts_with('-'))
            .count()
    };
    let counts = [
        ("scan", 15),
        ("merge", 10),
        ("diff", 10),
        ("normalize", 15),
        ("index", 15),
        ("check", 17),
        ("resolve", 15),
    ];
    for (command, max) in counts {
        let (short, long) = (run(&[command, "-h"]), run(&[command, "--help"]));
        let (short, long) = (short.quiet().out, long.quiet().out);
        assert!(options(&short) <= max, "{short}");
        assert!(options(&long) > options(&short), "{long}");
        for heading in ["Output:", "Messages:"] {
            assert!(short.contains(heading), "{command} {heading}");
        }
    }
    for (command, _) in [("explain", 0)].iter().chain(&counts) {
        let short = run(&[command, "-h"]).quiet().out;
        let is_wrapped = |line: &str| line.starts_with(&" ".repeat(10));
        assert!(!short.lines().any(is_wrapped), "{short}");
    }
    let normalize = run(&["normalize", "--help"]).quiet().out;
    assert!(normalize.contains("--max-members") && !normalize.contains("As for doisift scan"));
}

#[test]
fn man_page_and_completions_know_the_options() {
    let man = run(&["--generate", "man"]).quiet().out;
    assert!(man.contains(".TH doisift 1"), "{man}");
    assert!(
        man.contains("files\\-from") && man.contains("DOISIFT NORMALIZE"),
        "{man}"
    );
    for heading in [
        "RECORD FIELDS",
        "FORMS",
        "REJECTIONS",
        "EXIT STATUS",
        "EXAMPLES",
    ] {
        let lines = [format!(".SH {heading}"), format!(".SH \"{heading}\"")];
        assert!(
            man.lines().any(|line| lines.iter().any(|own| own == line)),
            "{heading}"
        );
    }
    let version = man.split_once(".SH VERSION\n").expect("a version").1;
    assert_eq!(
        version.trim(),
        concat!("doisift ", env!("CARGO_PKG_VERSION"))
    );
    for shell in ["bash", "zsh", "fish"] {
        let completions = run(&["--generate", shell]).quiet().out;
        assert!(completions.contains("files-from"), "{shell}");
    }
}

#[test]
fn help_and_man_page_explain_every_field_form_and_rejection() {
    let place = Place::new();
    place.file("a", "10.5555/a\n");
    place.scan("a -o a.csv --report r.json").quiet();
    let header = place.read("a.csv").lines().next().unwrap().to_owned();
    let report = place.json("r.json");
    let reasons = report["rejections"].as_object().unwrap().keys();
    let forms = ["urn", "info", "hdl", "doi", "url", "label", "bare"];
    let words = header
        .split(',')
        .chain(reasons.map(String::as_str))
        .chain(forms);
    let help = run(&["scan", "--help"]).quiet().out;
    let man = run(&["--generate", "man"]).quiet().out;
    for word in words {
        let line = help
            .lines()
            .find(|line| line.starts_with(&format!("  {word} ")));
        assert!(line.is_some_and(|line| line.len() > 30), "{word}");
        assert!(man.contains(&format!("\\fB{word}\\fR")), "{word}");
    }
}

#[test]
fn normalize_is_at_hand() {
    let seen = run(&["normalize", "https://doi.org/10.5555/ABC"]).quiet();
    assert_eq!(seen.out, "10.5555/abc\n");
    let seen = run(&["normalize", "nothing"]);
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), "\n"));
}
