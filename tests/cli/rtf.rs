//! RTF: names that formats and escapes divide.

use crate::place::{Place, gzip};

const TEXT: &str = r#"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}}{\*\generator 10.5555/generator;}
{\pard caf\'e9 doi:10.1000/jour{\b nal.2}{\i0 019}\_12\par
see {\field{\*\fldinst HYPERLINK "https://doi.org/10.1000/link\'281\'29"}{\fldrslt {\ul the paper}}}, \u233?\par}
{\trowd 10.1000/cell1\cell 10.1000/cell2\cell\row}
{\pict\pngblip 31302e313030302f706963}{\footnote 10.1000/no\-te.3}{\info{\title 10.1000/title}}}"#;

const NAMES: [&str; 6] = [
    "10.1000/cell1",
    "10.1000/cell2",
    "10.1000/journal.2019-12",
    "10.1000/link(1)",
    "10.1000/note.3",
    "10.1000/title",
];

#[test]
fn names_are_those_that_rtf_shows() {
    let place = Place::new();
    place.file("a.rtf", TEXT).file("a.doc.gz", gzip(TEXT));
    for source in ["a.rtf", "a.doc.gz"] {
        for more in ["-j1", "-j2 --chunk 10", "-j2 --memory 8M"] {
            let seen = place.scan(&format!("{source} {more}")).quiet();
            assert_eq!(seen.field("doi"), NAMES, "{source} {more}");
            assert_eq!(seen.field("documents"), ["1"; 6]);
        }
    }
    let seen = place
        .scan("a.rtf --mentions --fields doi,offset,text")
        .quiet();
    let journal = &seen.rows()[0];
    // Offsets count the bytes of the text in UTF-8.
    assert_eq!(journal["text"], "10.1000/journal.2019-12");
    let before = seen.rows()[0]["offset"].as_u64().unwrap();
    assert!((10..20).contains(&before), "{before}");
}

#[test]
fn a_large_file_gives_the_same_on_many_threads_in_little_memory() {
    let place = Place::new();
    let line = |number: u32| format!("{{\\b 10.1000}}/a.{number}\\_x\\par\r\n");
    let lines: String = (0..100_000).map(line).collect();
    place.file("big.rtf", format!("{{\\rtf1 {lines}}}"));
    let one = place.scan("big.rtf -j1 -f names").quiet().out;
    assert_eq!(one.lines().count(), 100_000);
    assert!(one.lines().all(|name| name.ends_with("-x")));
    assert_eq!(
        place.scan("big.rtf -j3 --memory 16M -f names").quiet().out,
        one
    );
}

#[test]
fn a_file_that_is_cut_is_an_error_and_its_names_are_kept() {
    let place = Place::new();
    place.file("cut.rtf", &TEXT[..TEXT.find("see").unwrap()]);
    let seen = place.scan("cut.rtf -f names");
    assert_eq!(
        (seen.code, seen.out.as_str()),
        (Some(1), "10.1000/journal.2019-12\n")
    );
    assert!(
        seen.err.contains("the RTF document ends within a group"),
        "{}",
        seen.err
    );
}
