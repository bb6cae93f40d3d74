//! Columns of tables, which `doisift normalize --column` cleans.

use std::process::Stdio;

use crate::place::{Place, Seen, gzip, zstd};

impl Place {
    /// Runs `doisift normalize` with `line` split at blanks.
    fn normalize(&self, line: &str) -> Seen {
        Seen::of(self.command(["normalize"]).args(line.split_whitespace()))
    }
}

/// Returns the output and the messages for a table and these options.
fn cleaned(table: impl AsRef<[u8]>, options: &str) -> (String, String) {
    let place = Place::new();
    place.file("t", table);
    let seen = place.normalize(&format!("t {options}"));
    (seen.out, seen.err)
}

fn quietly(table: impl AsRef<[u8]>, options: &str) -> String {
    let (out, err) = cleaned(table, options);
    assert_eq!(err, "");
    out
}

const ADDED: &str = "doi_clean,doi_status,doi_reason";

#[test]
fn no_output_is_named_as_another_format_than_that_of_the_table() {
    let (csv, json) = ("doi\n10.5555/a\n", "{\"doi\":\"10.5555/a\"}\n");
    for (table, output) in [
        (csv, "o.xlsx"),
        (csv, "o.Parquet"),
        (csv, "o.jsonl.gz"),
        (json, "o.csv"),
        (json, "o.ods"),
    ] {
        let place = Place::new();
        place.file("t", table);
        let seen = place.normalize(&format!("t --column doi -o {output}"));
        assert_eq!(seen.code, Some(2), "{output}");
        let said = format!("but {output} has the ending of another format");
        assert!(seen.err.contains(&said), "{}", seen.err);
        assert!(!place.path(output).exists());
    }
    for (table, output) in [(csv, "o.txt"), (csv, "o.tsv"), (json, "o.ndjson.zst")] {
        let place = Place::new();
        place.file("t", table);
        place
            .normalize(&format!("t --column doi -o {output}"))
            .quiet();
    }
}

#[test]
fn every_status_is_in_its_column() {
    let table = "id,doi\n1,10.5555/a\n2,doi:10.5555/B\n3,10.5555/c1 (2006)\n4,none\n5,\n6, \n";
    let (out, err) = cleaned(table, "--column doi --clean");
    let rows: Vec<_> = out.lines().collect();
    assert_eq!(
        rows[..3],
        [
            &format!("id,doi,{ADDED}")[..],
            "1,10.5555/a,10.5555/a,unchanged,",
            "2,doi:10.5555/B,10.5555/b,normalized,form; case",
        ]
    );
    assert!(
        rows[3].starts_with("3,10.5555/c1 (2006),10.5555/c1,cleaned,"),
        "{}",
        rows[3]
    );
    assert_eq!(
        rows[4..],
        [
            "4,none,,refused,\"no directory indicator \"\"10.\"\", at byte 0\"",
            "5,,,empty,",
            "6, ,,empty,",
        ]
    );
    assert_eq!(
        err,
        "doisift: t: row 4: column doi: \"none\": no directory indicator \"10.\", at byte 0\n"
    );
}

#[test]
fn a_column_is_named_by_header_or_number() {
    for column in ["doi", "DOI", "2", " doi "] {
        let place = Place::new();
        place.file("t", "id,Doi\n1,10.5555/A\n");
        let seen =
            Seen::of(&mut place.command(["normalize", "t", "--column", column, "--in-place"]))
                .quiet();
        assert_eq!(seen.out, "id,Doi\n1,10.5555/a\n", "{column:?}");
    }
    // A column named `1` takes precedence over the first column.
    assert_eq!(
        quietly("x,1\n10.5555/A,10.5555/B\n", "--column 1 --in-place"),
        "x,1\n10.5555/A,10.5555/b\n"
    );
    assert_eq!(
        quietly(
            "10.5555/A;x\n",
            "--no-header --column 1 --delimiter ; --in-place"
        ),
        "10.5555/a;x\n"
    );
    assert_eq!(
        quietly("10.5555/A\n10.5555/b", "--no-header --column 1 --in-place"),
        "10.5555/a\n10.5555/b"
    );
}

#[test]
fn a_quoted_header_of_one_column_may_hold_the_delimiter() {
    assert_eq!(
        quietly("\"doi,url\"\n10.5555/A\n", "--column doi,url --in-place"),
        "\"doi,url\"\n10.5555/a\n"
    );
}

#[test]
fn a_line_end_inside_a_value_costs_no_character_of_its_name() {
    let place = Place::new();
    for end in ["\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}"] {
        let table = format!("id,doi\n1,10.5555/C{end}4\n2,doi: 10.5555/D5\n");
        place.file("t.csv", &table);
        let seen = place.normalize("t.csv --column doi --clean --in-place");
        assert_eq!(seen.code, Some(1), "{end:?}");
        let kept = format!("id,doi\n1,10.5555/C{end}4\n2,10.5555/d5\n");
        assert_eq!(seen.out, kept, "{end:?}");
    }
}

#[test]
fn a_missing_column_is_a_usage_error_that_lists_the_header() {
    for (table, options, why) in [
        (
            "id,doi\n1,2\n",
            "--column dio",
            "no column dio; it has 1 id, 2 doi",
        ),
        (
            "id,doi\n1,2\n",
            "--column 3",
            "no column 3; it has 1 id, 2 doi",
        ),
        (
            "doi,url\n10.5555/a,https://doi.org/10.5555/a\n",
            "--column doi,url",
            "no column doi,url; it has 1 doi, 2 url; give --column once for each",
        ),
        (
            "id;doi;url\n1;10.5555/a;x\n",
            "--column doi,3",
            "no column doi,3; it has 1 id, 2 doi, 3 url; give --column once for each",
        ),
        (
            "doi,doi\n1,2\n",
            "--column doi",
            "several columns doi, at 1 and 2; give the number",
        ),
        (
            "a,b\n1,2\n",
            "--no-header --column a",
            "a is not the number of a column, from 1 to 2",
        ),
        ("a,b\n1,2\n", "--column a --column 1", "named twice"),
        ("", "--column a", "no header"),
        ("\n\n", "--input-format csv --column a", "no header"),
        ("some text\nmore text\n", "--column doi", "--input-format"),
        (
            "{\"a\":1}\n{\"b\":2}\n",
            "--column doi",
            "no object has the member doi; the first has a",
        ),
        (
            "doi,doi_clean\n1,2\n",
            "--column doi",
            "header: a column doi_clean exists; name the new one",
        ),
        (
            "{\"doi\":1}\n{\"doi\":2,\"doi_reason\":0}",
            "--column doi",
            "row 2: a column doi_reason exists",
        ),
    ] {
        let place = Place::new();
        place.file("t", table);
        let seen = place.normalize(&format!("t {options} -o out"));
        assert_eq!(seen.code, Some(2), "{table:?} {options}: {}", seen.err);
        assert!(seen.err.contains(why), "{}", seen.err);
        assert_eq!(place.entries(), ["t"]);
    }
}

#[test]
fn all_but_the_cells_come_back_byte_for_byte() {
    let table = b"\xef\xbb\xbfid,\"title, or so\",doi,note\r\n\
        1,\"a\r\nb \"\"c\"\"\",\"DOI:10.5555/A\", x \r\n\
        \r\n\
        2,5\" pipe,10.5555/b,caf\xe9\n\
        3,'q',http://dx.doi.org/10.5555/C,\"\"";
    let wanted = b"\xef\xbb\xbfid,\"title, or so\",doi,note\r\n\
        1,\"a\r\nb \"\"c\"\"\",\"10.5555/a\", x \r\n\
        \r\n\
        2,5\" pipe,10.5555/b,caf\xe9\n\
        3,'q',10.5555/c,\"\"";
    for options in ["", "-j1 --chunk 1", "-j3 --chunk 20"] {
        let place = Place::new();
        place.file("t", table);
        place
            .normalize(&format!("t --column doi --in-place -o out {options}"))
            .quiet();
        let out = std::fs::read(place.path("out")).unwrap();
        assert_eq!(
            out.escape_ascii().to_string(),
            wanted.escape_ascii().to_string(),
            "{options}"
        );
    }
}

#[test]
fn names_that_hold_the_delimiter_are_quoted() {
    let wanted = "doi;x\n\"10.5555/a;2\";1\n";
    assert_eq!(
        quietly(
            "doi;x\nhttps://doi.org/10.5555/A%3B2;1\n",
            "--column doi --in-place"
        ),
        wanted
    );
    let all = "\"doi\",\"x\"\n\"doi:10.5555/A\",\"1\"\n";
    let wanted = "\"doi\",\"x\",\"doi_clean\",\"doi_status\",\"doi_reason\"\n\
        \"doi:10.5555/A\",\"1\",\"10.5555/a\",\"normalized\",\"form; case\"\n";
    assert_eq!(quietly(all, "--column doi"), wanted);
}

#[test]
fn tabs_without_quoting_are_read_without_it() {
    let table = "title\tdoi\n\"A\" b\t10.5555/A\n\"open\t10.5555/B\nlast\t10.5555/C\n";
    let wanted = "title\tdoi\n\"A\" b\t10.5555/a\n\"open\t10.5555/b\nlast\t10.5555/c\n";
    assert_eq!(quietly(table, "--column doi --in-place"), wanted);
}

#[test]
fn ragged_rows_are_reported_once_and_lose_nothing() {
    let table = "id,doi,x\n1\n2,10.5555/A\n3,10.5555/B,y,z\n4,10.5555/c,y\n";
    let wanted = format!(
        "id,doi,x,{ADDED}\n1,,,,empty,\n2,10.5555/A,,10.5555/a,normalized,case\n3,10.5555/B,y,z,10.5555/b,normalized,case\n4,10.5555/c,y,10.5555/c,unchanged,\n"
    );
    for options in ["", "-j1 --chunk 3"] {
        let (out, err) = cleaned(table, &format!("--column doi {options}"));
        assert_eq!(out, wanted);
        assert_eq!(
            err,
            "doisift: t: rows with more or fewer cells than the first row, which has 3: 3; the first is row 1 with 1\n"
        );
    }
    let (out, _) = cleaned(table, "--column doi --in-place");
    assert_eq!(out, table.replace('A', "a").replace('B', "b"));
}

#[test]
fn several_columns_are_cleaned_side_by_side() {
    let table = "cited,citing\ndoi:10.5555/A,doi:10.5555/B\n";
    assert_eq!(
        quietly(table, "--column citing --column cited --in-place"),
        "cited,citing\n10.5555/a,10.5555/b\n"
    );
    let out = quietly(table, "--column citing --column cited");
    let header = "cited,citing,citing_clean,citing_status,citing_reason,cited_clean,cited_status,cited_reason";
    let wanted = format!(
        "{header}\ndoi:10.5555/A,doi:10.5555/B,10.5555/b,normalized,form; case,10.5555/a,normalized,form; case\n"
    );
    assert_eq!(out, wanted);
    let out = quietly("doi\n10.5555/a\n", "--column doi --new-column DOI2");
    assert_eq!(
        out,
        "doi,DOI2,DOI2_status,DOI2_reason\n10.5555/a,10.5555/a,unchanged,\n"
    );
}

#[test]
fn several_names_in_a_cell_keep_their_separators() {
    let table = "doi,x\ndoi:10.5555/A; doi:10.5555/B ,1\n\"10.5555/A, none|10.5555/c\",2\n\"[\"\"10.5555/A\"\", '']\",3\n";
    let (out, err) = cleaned(table, "--column doi --multiple");
    let rows: Vec<_> = out.lines().skip(1).collect();
    assert_eq!(
        rows[0],
        "doi:10.5555/A; doi:10.5555/B ,1,10.5555/a; 10.5555/b ,normalized,1: form; case; 2: form; case"
    );
    assert!(
        rows[1].contains(",2,\"10.5555/a, |10.5555/c\",refused,\"1: case; 2: no directory"),
        "{}",
        rows[1]
    );
    assert!(err.contains("row 2"), "{err}");
    let (out, _) = cleaned(table, "--column doi --multiple --in-place");
    let rows: Vec<_> = out.lines().skip(1).collect();
    assert_eq!(
        rows[..2],
        ["10.5555/a; 10.5555/b ,1", "\"10.5555/A, none|10.5555/c\",2"]
    );
}

#[test]
fn json_lines_keep_order_spacing_and_escapes() {
    let lines = "{\"a\":\"x\\/\\u00e9\",\"doi\":\"https:\\/\\/doi.org\\/10.5555\\/A\",\"z\":[1, 2]}\r\n\
        \n\
        { \"doi\" : \"10.5555/b\" , \"n\": 1e400 }\n\
        {\"doi\":null}\n{\"doi\":7}\n{\"DOI\":\"10.5555/x\"}";
    let place = Place::new();
    place.file("t", lines);
    let seen = place.normalize("t --column doi --in-place");
    let wanted = lines.replace("https:\\/\\/doi.org\\/10.5555\\/A", "10.5555/a");
    assert_eq!((seen.out, seen.code), (wanted, Some(1)));
    assert_eq!(
        seen.err,
        "doisift: t: row 4: member doi: \"7\": a number, not a string\n"
    );
    let seen = place.normalize("t --column doi -q");
    let rows: Vec<_> = seen.out.lines().collect();
    assert!(rows[0].ends_with(",\"z\":[1, 2],\"doi_clean\":\"10.5555/a\",\"doi_status\":\"normalized\",\"doi_reason\":\"form; case\"}"), "{}", rows[0]);
    assert_eq!(
        rows[2],
        "{ \"doi\" : \"10.5555/b\" , \"n\": 1e400, \"doi_clean\": \"10.5555/b\", \"doi_status\": \"unchanged\", \"doi_reason\": null }"
    );
    assert!(
        rows[3].ends_with("null,\"doi_clean\":null,\"doi_status\":\"empty\",\"doi_reason\":null}")
    );
    assert!(!seen.out.ends_with('\n'));
}

#[test]
fn a_pointer_leads_into_a_json_line() {
    let lines = "{\"a/b\":{\"ids\":[0,\"doi:10.5555/A\"]},\"x\":\"\u{e9}\"}\n{\"a/b\":{}}\n";
    let wanted = lines.replace("doi:10.5555/A", "10.5555/a");
    assert_eq!(quietly(lines, "--column /a~1b/ids/1 --in-place"), wanted);
    let lists = "{\"doi\":[\"doi:10.5555/A\" , \"10.5555/b\",null]}\n";
    let out = quietly(lists, "--column /doi --multiple");
    assert!(
        out.contains(
            "\"doi_clean\":[\"10.5555/a\" , \"10.5555/b\",null],\"doi_status\":\"normalized\""
        ),
        "{out}"
    );
}

#[test]
fn a_broken_json_line_comes_back_unchanged_and_is_reported() {
    let lines = b"{\"doi\":\"doi:10.5555/A\"}\n{\"doi\": \"10.5555/B\n[1]\n{\"t\":\"caf\xe9\",\"doi\":\"doi:10.5555/C\"}\n";
    let place = Place::new();
    place.file("t", lines);
    let seen = place.normalize("t --column doi --in-place -o out --report r.json");
    assert_eq!(seen.code, Some(1));
    let out = std::fs::read(place.path("out")).unwrap();
    let wanted = b"{\"doi\":\"10.5555/a\"}\n{\"doi\": \"10.5555/B\n[1]\n{\"t\":\"caf\xe9\",\"doi\":\"10.5555/c\"}\n";
    assert_eq!(
        out.escape_ascii().to_string(),
        wanted.escape_ascii().to_string()
    );
    assert!(
        seen.err.contains("t: row 2: ") && seen.err.contains("t: row 3: "),
        "{}",
        seen.err
    );
    let report = place.json("r.json");
    assert_eq!((&report["broken"], &report["rows"]), (&2.into(), &4.into()));
    assert_eq!(report["statuses"]["normalized"], 2);
}

#[test]
fn packed_tables_and_other_encodings_are_read_and_written() {
    let place = Place::new();
    let table = "id;doi\n\u{e9};doi:10.5555/A\n";
    let utf16 = format!("\u{feff}{table}")
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect::<Vec<_>>();
    place
        .file("a", &utf16)
        .file("b.gz", gzip(table))
        .file("c", zstd(gzip(table)));
    for input in ["b.gz", "c"] {
        let seen = place
            .normalize(&format!("{input} --column doi --in-place"))
            .quiet();
        assert_eq!(seen.out, "id;doi\n\u{e9};10.5555/a\n", "{input}");
    }
    let seen = place
        .normalize("a --column doi --in-place --output-encoding utf-8")
        .quiet();
    assert_eq!(seen.out, "\u{feff}id;doi\n\u{e9};10.5555/a\n");
    place
        .normalize("b.gz --column doi --in-place -o out.csv.gz")
        .quiet();
    let seen = place
        .normalize("out.csv.gz --column doi --in-place")
        .quiet();
    assert_eq!(seen.out, "id;doi\n\u{e9};10.5555/a\n");
}

#[test]
fn tables_with_one_header_are_written_as_one() {
    let place = Place::new();
    place
        .file("a", "id,doi\n1,10.5555/A")
        .file("b", "id,doi\n2,10.5555/B\n")
        .file("c", "id,DOI\n");
    let seen = place.normalize("b a b --column doi --in-place").quiet();
    assert_eq!(seen.out, "id,doi\n2,10.5555/b\n1,10.5555/a\n2,10.5555/b\n");
    let seen = place.normalize("a c --column doi --in-place");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err
            .contains("c: its header, delimiter or format differs from that of the first"),
        "{}",
        seen.err
    );
}

#[test]
fn an_input_is_never_overwritten_and_no_part_of_an_output_appears() {
    let place = Place::new();
    let table = "id,doi\n1,10.5555/A\n";
    place.file("t", table);
    std::os::unix::fs::symlink("t", place.path("link")).unwrap();
    for line in [
        "t --column doi -o t",
        "t --column doi -o link",
        "link --column doi -o o --report t",
    ] {
        let seen = place.normalize(line);
        assert_eq!(seen.code, Some(2));
        assert!(seen.err.contains("would be overwritten"), "{}", seen.err);
    }
    let mut packed = gzip(table.repeat(1000));
    packed.truncate(packed.len() / 2);
    place.file("cut.gz", packed).file("pdf", "%PDF-1.7\n\n");
    for (line, why) in [
        ("cut.gz --column doi -o out", "damaged"),
        ("t missing --column doi -o out", "missing: No such file"),
        ("pdf --column doi -o out", "this is pdf, not text"),
    ] {
        let seen = place.normalize(line);
        assert_eq!(seen.code, Some(2), "{line}");
        assert!(seen.err.contains(why), "{}", seen.err);
    }
    assert_eq!(place.read("t"), table);
    assert_eq!(place.entries(), ["cut.gz", "link", "pdf", "t"]);
}

#[test]
fn cells_of_megabytes_pass_and_longer_rows_end_the_run() {
    let place = Place::new();
    let long = format!("\"{}\"", "a,\n".repeat((10 << 20) / 3));
    place.file(
        "t",
        format!("x,doi\n{long},doi:10.5555/A\n{long},10.5555/b\n"),
    );
    place.normalize("t --column doi --in-place -o out").quiet();
    assert_eq!(
        place.read("out"),
        place.read("t").replace("doi:10.5555/A", "10.5555/a")
    );
    place.file(
        "t",
        format!("x,doi\n1,10.5555/a\n{}", long.trim_end_matches('"')),
    );
    let seen = place.normalize("t --column doi -q --max-row 4M");
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.err
            .contains("t: row 2 is longer than 4194304 bytes; a quote"),
        "{}",
        seen.err
    );
}

#[test]
fn every_number_of_threads_and_chunk_gives_the_same_bytes() {
    let place = Place::new();
    let row = |at: usize| match at % 5 {
        0 => format!("{at},\"a \"\"{at}\"\",\nb\",doi:10.5555/A{at}\n"),
        1 => format!("{at},b\n"),
        2 => format!("{at},\"\",none\r\n"),
        3 => format!("{at},c,10.5555/x{at}. (2006)\n"),
        _ => format!("{at},\"x\"y,\"10.5555/z{at}\"\n"),
    };
    place.file(
        "t",
        format!("id,t,doi\n{}", (0..20_000).map(row).collect::<String>()),
    );
    let run = |options: &str| {
        let seen = place.normalize(&format!("t --column doi --clean {options}"));
        (seen.out, seen.err, seen.code)
    };
    let wanted = run("-j 1");
    assert!(
        wanted.1.lines().count() == 12 && wanted.1.contains("3990 more cells"),
        "{}",
        wanted.1
    );
    for options in [
        "-j 2",
        "-j 4 --chunk 1000",
        "-j 3 --chunk 100000",
        "-j 1 --chunk 33",
    ] {
        assert!(run(options) == wanted, "{options}");
    }
}

#[test]
fn a_table_comes_by_standard_input() {
    let place = Place::new();
    for args in [&["--column", "doi"][..], &["-", "--column", "doi"]] {
        let mut command = place.command(["normalize", "--in-place"]);
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        use std::io::Write;
        child
            .stdin
            .take()
            .unwrap()
            .write_all(b"a\tdoi\n1\tdoi:10.5555/A\n")
            .unwrap();
        let seen = Seen::from(child.wait_with_output().unwrap()).quiet();
        assert_eq!(seen.out, "a\tdoi\n1\t10.5555/a\n");
    }
}

#[test]
fn a_line_for_spreadsheets_and_an_old_line_end_are_kept() {
    let table = "sep=;\r\nid;doi\r\n1;doi:10.5555/A\r\n";
    assert_eq!(
        quietly(table, "--column doi --in-place"),
        table.replace("doi:10.5555/A", "10.5555/a")
    );
    let table = "id,doi\r1,doi:10.5555/A\r2,x\r";
    let (out, err) = cleaned(table, "--column doi --in-place");
    assert_eq!(out, table.replace("doi:10.5555/A", "10.5555/a"));
    assert!(err.contains("row 2"), "{err}");
}

#[test]
fn a_row_that_is_longer_than_the_limit_is_refused_wherever_it_is() {
    let place = Place::new();
    for length in [66_000, 2_000_000] {
        let long = "x".repeat(length);
        place
            .file("plain.csv", format!("id,doi\n1,10.5555/a\n2,{long}\n3,10.5555/b\n"))
            .file("quoted.csv", format!("id,doi\n1,10.5555/a\n2,\"{long}\"\n3,10.5555/b\n"))
            .file("last.csv", format!("id,doi\n1,10.5555/a\n2,{long}"))
            .file(
                "lines.jsonl",
                format!("{{\"doi\":\"10.5555/a\"}}\n\n{{\"doi\":\"{long}\"}}\n{{\"doi\":\"10.5555/b\"}}\n"),
            );
        for (name, column) in [
            ("plain.csv", "doi"),
            ("quoted.csv", "doi"),
            ("last.csv", "doi"),
            ("lines.jsonl", "/doi"),
        ] {
            for threads in [1, 2] {
                let line = format!("{name} --column {column} -q -o out.{name} -j{threads}");
                let seen = place.normalize(&format!("{line} --max-row 64K"));
                assert_eq!(seen.code, Some(2), "{name}");
                let reported = format!("{name}: row 2 is longer than 65536 bytes");
                assert!(seen.err.contains(&reported), "{}", seen.err);
                assert_eq!(
                    place.normalize(&format!("{line} --max-row 4M")).code,
                    Some(1)
                );
            }
        }
    }
}

#[test]
fn an_array_of_objects_comes_back_with_all_other_bytes() {
    let place = Place::new();
    let array = |one: &str, two: &str| {
        format!(
            " [\n  {{\"id\": [1, \"],{{\"], \"doi\": {one}}},\n\t{{\"doi\":{two}}} , 4,\n {{\"a\\\"b\":{{}}}}\n]\n"
        )
    };
    place.file(
        "t.json",
        array("\"https://doi.org/10.5555/A\"", "\"10.5555/b.\""),
    );
    for options in ["-j1", "-j3", "-j2 --chunk 1", "-j1 --chunk 7"] {
        let line = format!("t.json --column doi --clean --in-place {options}");
        let seen = place.normalize(&line);
        assert_eq!(
            seen.out,
            array("\"10.5555/a\"", "\"10.5555/b\""),
            "{options}"
        );
        assert!(
            seen.err.contains("row 3: not a JSON object"),
            "{}",
            seen.err
        );
        let seen = place.normalize(&format!("t.json --column doi --clean {options}"));
        let rows: serde_json::Value = serde_json::from_str(&seen.out).unwrap();
        assert_eq!(rows[0]["doi_clean"], "10.5555/a", "{options}");
        assert_eq!(rows[1]["doi_reason"], "tail.stop-alone: '.'", "{options}");
        assert_eq!(rows[3]["doi_status"], "empty", "{options}");
    }
    let seen = place.normalize("t.json --column doi -o out.csv");
    assert_eq!(seen.code, Some(2));
    assert!(seen.err.contains("a JSON array"), "{}", seen.err);
    let seen = place.normalize("t.json t.json --column doi");
    assert_eq!(seen.code, Some(2));
}

#[test]
fn a_large_array_is_the_same_for_all_threads_and_chunks() {
    let place = Place::new();
    let rows: Vec<String> = (0..3000)
        .map(|number| format!("{{\"n\":{number},\"doi\":\"10.5555/N{number}\"}}"))
        .collect();
    place.file("t.json", format!("[{}]", rows.join(",\n")));
    let first = place
        .normalize("t.json --column doi --in-place -j1")
        .quiet()
        .out;
    assert_eq!(first, format!("[{}]", rows.join(",\n").replace("/N", "/n")));
    for options in ["-j2", "-j4 --chunk 100", "-j1 --chunk 999"] {
        let seen = place.normalize(&format!("t.json --column doi --in-place {options}"));
        assert_eq!(seen.quiet().out, first, "{options}");
    }
}

#[test]
fn a_changed_cell_has_a_reason() {
    for blank in ["\u{a0}", "\u{2003}", "\u{3000}", "\u{202f}", "\u{2028}"] {
        for text in [format!("{blank}10.5555/A1"), format!("10.5555/A1{blank}")] {
            let place = Place::new();
            place.file("t.csv", format!("doi,x\n{text},1\n"));
            let seen = place.normalize("t.csv --column doi --clean").quiet();
            assert!(seen.out.contains(",cleaned,dirt.break: "), "{}", seen.out);
        }
    }
}

#[test]
fn a_parquet_file_says_what_it_needs() {
    let place = Place::new();
    place.file("a", "10.5555/a");
    place.scan("a -o t.parquet").quiet();
    let seen = place.normalize("t.parquet --column doi");
    assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""));
    for part in ["this is a Parquet file", "save it as CSV", "clean_table"] {
        assert!(seen.err.contains(part), "{}", seen.err);
    }
}

#[test]
fn rows_count_alike_in_messages_in_documents_and_in_checks() {
    let place = Place::new();
    place
        .file("plain.csv", "id,doi\n\n1,10.5555/a\n\n2,see 10.5555/b\n")
        .file(
            "titled.csv",
            "About these data,\n\nid,doi\n1,10.5555/a\n2,see 10.5555/b\n",
        )
        .file("sep.csv", "sep=;\nid;doi\n1;10.5555/a\n2;see 10.5555/b\n")
        .file(
            "lines.jsonl",
            "{\"doi\":\"10.5555/a\"}\n \n{\"doi\":\"see 10.5555/b\"}\n",
        );
    for name in ["plain.csv", "titled.csv", "sep.csv", "lines.jsonl"] {
        for options in ["-j1 --chunk 1", "-j2"] {
            let seen = place.normalize(&format!("{name} --column doi {options}"));
            assert!(
                seen.err.contains(&format!("{name}: row 2: ")),
                "{}",
                seen.err
            );
        }
        let run = |line: String| {
            let mut command = place.command(line.split_whitespace());
            Seen::of(&mut command).rows()
        };
        let mentions = run(format!("scan {name} --columns doi --mentions -f jsonl"));
        assert_eq!(mentions[1]["document"], "#row=2", "{name}");
        let checked = run(format!("check {name} --column doi -f jsonl"));
        let rows: Vec<_> = checked.iter().map(|row| row["row"].as_u64()).collect();
        assert_eq!(rows, [Some(1), Some(2)], "{name}");
    }
}

#[test]
fn a_reason_says_what_was_left_out_of_a_normalized_cell() {
    for (cell, options, wanted) in [
        (
            "https://doi.org/10.5555/a?x=1",
            "",
            "10.5555/a,normalized,suffix.query: '?x=1'",
        ),
        (
            "https://doi.org/10.5555/a#s",
            "--clean",
            "10.5555/a,normalized,suffix.fragment: '#s'",
        ),
        (
            "https://a.example/doi/10.1002/abc/full",
            "",
            "10.1002/abc,normalized,dirt.lead: 'https://a.example/doi/'; tail.page-word: '/full'",
        ),
        (
            "10.5555/a1;10.5555/b1;",
            "--multiple",
            "10.5555/a1;10.5555/b1,normalized,separators: ';'",
        ),
        (
            "10.5555/a1;https://doi.org/10.5555/b1?",
            "--multiple",
            "10.5555/a1;10.5555/b1,normalized,2: suffix.query: '?'",
        ),
        ("10.5555/a?x=1", "", "10.5555/a?x=1,unchanged,"),
        (
            "https://doi.org/10.5555/a%3Fb",
            "",
            "10.5555/a?b,normalized,form; escapes",
        ),
        ("doi:10.5555/A", "", "10.5555/a,normalized,form; case"),
        (" 10.5555/a ", "", "10.5555/a,normalized,blanks"),
        (
            "https://doi.org/10.5555/a%3c",
            "--to url",
            "https://doi.org/10.5555/a<,normalized,escapes",
        ),
        (
            "HTTPS://doi.org/10.5555/A",
            "--to url",
            "https://doi.org/10.5555/A,normalized,case",
        ),
        ("10.5555/a", "--to urn", "urn:doi:10.5555:a,normalized,form"),
    ] {
        let out = quietly(format!("doi\n{cell}\n"), &format!("--column doi {options}"));
        assert_eq!(
            out,
            format!("doi,{ADDED}\n{cell},{wanted}\n"),
            "{cell} {options}"
        );
    }
}

#[test]
fn every_changed_cell_has_a_reason() {
    let leads = [
        "",
        "doi:",
        "DOI: ",
        "HTTPS://DOI.ORG/",
        "http://dx.doi.org/",
        "info:doi/",
        "urn:doi:",
        "https://a.example/x/",
        "https://doi.org/api/handles/",
        "arXiv:",
        "see ",
    ];
    let names = [
        "10.5555/a1",
        "10.5555/A1",
        "10.5555/a%3Cb",
        "10.5555/a%41%2f1",
        "10%2E5555/a1",
        "10.5555:a1",
        "10.5555/\u{c4}1",
        "10.5555/%C3%84%2525",
        "10.5555/a1?b=1",
        "10.5555/a1#b",
        "2110.12345v2",
        "10.5555/a1; 10.5555/A1;",
        "10.5555/a1&amp;2",
    ];
    let edges = ["", " ", "\t", "\u{a0}", "\u{feff}", ".", "\n"];
    let cells = leads
        .iter()
        .flat_map(|lead| names.map(|name| format!("{lead}{name}")));
    let cells =
        cells.flat_map(|cell| edges.map(|edge| [format!("{edge}{cell}"), format!("{cell}{edge}")]));
    let row = |cell: String| format!("{}\n", serde_json::json!({ "doi": cell }));
    let table: String = cells.flatten().map(row).collect();
    let place = Place::new();
    place.file("t.jsonl", table);
    for to in ["name", "key", "doi-uri", "url", "urn", "api"] {
        for options in ["", "--clean", "--multiple", "--clean --multiple --arxiv"] {
            let line = format!("t.jsonl --column doi -q --to {to} {options}");
            for row in place.normalize(&line).rows() {
                let [cell, clean, reason] =
                    ["doi", "doi_clean", "doi_reason"].map(|name| &row[name]);
                assert!(cell == clean || !reason.is_null(), "{line}: {row}");
            }
        }
    }
}
