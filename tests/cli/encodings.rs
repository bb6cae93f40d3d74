//! Tables in other encodings, which are written back in the same encoding.

use std::process::Command;

use encoding_rs::Encoding;

use crate::place::{Place, Seen};

impl Place {
    /// Runs `doisift normalize t --column doi` with these options. Returns the output and the messages.
    fn encoded(&self, table: impl AsRef<[u8]>, options: &str) -> (Vec<u8>, Seen) {
        self.file("t", table);
        let mut command = self.command(["normalize", "t", "--column", "doi", "-o", "out"]);
        let seen = Seen::of(command.args(options.split_whitespace()));
        (std::fs::read(self.path("out")).unwrap_or_default(), seen)
    }
}

/// Encodes `text` in an encoding of encoding_rs; UTF-16 with a byte order mark.
fn encode(name: &str, text: &str) -> Vec<u8> {
    match name {
        "utf-16le" => format!("\u{feff}{text}")
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect(),
        "utf-16be" => format!("\u{feff}{text}")
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect(),
        _ => Encoding::for_label(name.as_bytes())
            .unwrap()
            .encode(text)
            .0
            .into_owned(),
    }
}

/// Encodings, each with a text that it can encode and the option that it needs.
const ENCODINGS: [(&str, &str, &str); 8] = [
    ("utf-8", "\u{e9}\u{2013}", ""),
    ("windows-1252", "\u{e9}\u{2013}", ""),
    ("utf-16le", "\u{e9}\u{65e5}", ""),
    ("utf-16be", "\u{e9}\u{65e5}", ""),
    ("macintosh", "\u{e9}\u{2013}", "--input-encoding MacRoman"),
    (
        "shift_jis",
        "\u{8868}\u{65e5}",
        "--input-encoding Shift_JIS",
    ),
    ("gb18030", "\u{65e5}\u{672c}", "--input-encoding gb18030"),
    ("koi8-r", "\u{43f}\u{440}", "--input-encoding koi8-r"),
];

#[test]
fn a_table_comes_back_in_its_encoding() {
    for (encoding, text, option) in ENCODINGS {
        for delimiter in [";", "\t", "|"] {
            let table = format!(
                "{text}|doi|x\r\n{text}|doi:10.5555/A|\"{text} \"\r\n{text}|none {text}|\r\n"
            );
            let table = table.replace('|', delimiter);
            let place = Place::new();
            let (out, seen) = place.encoded(
                encode(encoding, &table),
                &format!("{option} --in-place -j1 --chunk 7"),
            );
            let wanted = encode(encoding, &table.replace("doi:10.5555/A", "10.5555/a"));
            assert_eq!(
                out.escape_ascii().to_string(),
                wanted.escape_ascii().to_string(),
                "{encoding}: {}",
                seen.err
            );
            assert_eq!(seen.code, Some(1), "{encoding}");
            assert!(
                seen.err.contains(&format!("none {text}")),
                "{encoding}: {}",
                seen.err
            );
            let (out, _) = place.encoded(encode(encoding, &table), option);
            let wanted = encode(
                encoding,
                &format!("{text}|doi|x|doi_clean").replace('|', delimiter),
            );
            assert!(
                out.starts_with(&wanted),
                "{encoding}: {}",
                out.escape_ascii()
            );
        }
    }
}

#[test]
fn json_lines_come_back_in_their_encoding() {
    for (encoding, text, option) in ENCODINGS {
        let lines = format!("{{\"t\":\"{text}\",\"doi\":\"doi:10.5555/A\"}}\n");
        let place = Place::new();
        let (out, _) = place.encoded(encode(encoding, &lines), &format!("{option} --in-place"));
        let wanted = encode(encoding, &lines.replace("doi:10.5555/A", "10.5555/a"));
        assert_eq!(
            out.escape_ascii().to_string(),
            wanted.escape_ascii().to_string(),
            "{encoding}"
        );
    }
}

#[test]
fn the_assumed_encoding_is_reported_and_a_name_is_written_in_it() {
    let place = Place::new();
    let table = b"caf\xe9,doi\n\x96,doi:10.5555/caf\xe9\n";
    let (out, seen) = place.encoded(table, "--in-place");
    assert_eq!(
        out.escape_ascii().to_string(),
        b"caf\xe9,doi\n\x96,10.5555/caf\xe9\n"
            .escape_ascii()
            .to_string()
    );
    assert_eq!(seen.code, Some(0), "{}", seen.err);
    assert!(
        seen.err
            .contains("t: this is not UTF-8, and is read and written as windows-1252"),
        "{}",
        seen.err
    );
    let (_, seen) = place.encoded(table, "--in-place --input-encoding cp1252");
    assert_eq!(seen.err, "");
}

#[test]
fn columns_are_named_in_any_encoding() {
    let place = Place::new();
    place.file("t", b"\xe9tat,x\ndoi:10.5555/A,\xe9\n");
    let seen = Seen::of(&mut place.command([
        "normalize",
        "t",
        "-c",
        "\u{e9}tat",
        "--new-column",
        "\u{e8}",
        "-o",
        "out",
    ]));
    assert_eq!(seen.code, Some(0), "{}", seen.err);
    let out = std::fs::read(place.path("out")).unwrap();
    let wanted =
        b"\xe9tat,x,\xe8,\xe8_status,\xe8_reason\ndoi:10.5555/A,\xe9,10.5555/a,normalized,form; case\n";
    assert_eq!(
        out.escape_ascii().to_string(),
        wanted.escape_ascii().to_string()
    );
}

#[test]
fn a_row_after_the_head_is_written_as_it_is() {
    let rows = "1,10.5555/a\n".repeat(20_000);
    let table = [b"id,doi\n", rows.as_bytes(), b"\xe9,doi:10.5555/\xe9\n"].concat();
    let place = Place::new();
    let (out, _) = place.encoded(table, "--in-place --clean");
    assert!(
        out.ends_with(b"\n\xe9,10.5555/\xe9\n"),
        "{}",
        out[out.len() - 40..].escape_ascii()
    );
}

#[test]
fn another_encoding_is_written_with_or_without_a_mark() {
    let place = Place::new();
    let table = "\u{e9},doi\n1,doi:10.5555/A\n";
    let wanted = table.replace("doi:10.5555/A", "10.5555/a");
    let (out, _) = place.encoded(table, "--in-place --output-encoding cp1252");
    assert_eq!(out, encode("windows-1252", &wanted));
    let (out, _) = place.encoded(
        encode("windows-1252", table),
        "--in-place --output-encoding utf-8 --bom",
    );
    assert_eq!(out, format!("\u{feff}{wanted}").into_bytes());
    let (out, _) = place.encoded(table, "--in-place --bom --output-encoding utf-16le");
    assert_eq!(out, encode("utf-16le", &wanted));
    let (out, seen) = place.encoded(table, "--in-place --bom --output-encoding cp1252");
    assert_eq!(out, encode("windows-1252", &wanted));
    assert!(seen.err.contains("--bom has no effect"), "{}", seen.err);
    let (out, _) = place.encoded(
        &encode("utf-16le", table)[2..],
        "--in-place --input-encoding utf-16le",
    );
    assert_eq!(out, encode("utf-16le", &wanted)[2..]);
}

#[test]
fn what_the_encoding_lacks_is_an_error_by_row() {
    let place = Place::new();
    let (out, seen) = place.encoded(
        "id,doi\n1,2\n\u{3b1},10.5555/a\n",
        "--output-encoding cp1252",
    );
    assert_eq!((out.len(), seen.code), (0, Some(2)));
    assert!(
        seen.err
            .contains("row 2: windows-1252 has no U+03B1; choose another --output-encoding"),
        "{}",
        seen.err
    );
    let array = "[{\"doi\":\n\"10.5555/a\"},\n{\"doi\":1,\"x\":\n\"\u{3b1}\"},\n\n{}]";
    for (table, place) in [(array, "row 2"), ("\u{3b1},doi\n1,10.5555/a\n", "header")] {
        let (_, seen) = Place::new().encoded(table, "--output-encoding cp1252");
        let wanted = format!("{place}: windows-1252 has no U+03B1");
        assert!(seen.err.contains(&wanted), "{}", seen.err);
    }
    let table = b"\xe9,doi\n1,https://doi.org/10.5555/%CE%B1\n";
    let (out, seen) = place.encoded(table, "--in-place");
    assert_eq!((&out[..], seen.code), (&table[..], Some(1)));
    assert!(
        seen.err.contains("row 1: column doi: ") && seen.err.contains("windows-1252 has no U+03B1"),
        "{}",
        seen.err
    );
}

#[test]
fn python_reads_what_was_written() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let script = "import csv,sys\nrows=list(csv.reader(open('out',encoding=sys.argv[1],newline=''),delimiter=';'))\n\
        print(all(len(row)==6 for row in rows), rows[1][0]==sys.argv[2], rows[1][3:5], rows[2][4])";
    for (encoding, text, option) in ENCODINGS {
        let place = Place::new();
        let table = format!("id;doi;x\n{text};doi:10.5555/A;1\n{text};n/a {text};2\n");
        place.encoded(encode(encoding, &table), option);
        let python = match encoding {
            "utf-16le" | "utf-16be" => "utf-16",
            "macintosh" => "mac-roman",
            other => other,
        };
        let run = Command::new("python3")
            .args(["-c", script, python, text])
            .current_dir(place.path(""))
            .output()
            .unwrap();
        let out = String::from_utf8_lossy(&run.stdout).into_owned();
        assert_eq!(
            out.trim(),
            "True True ['10.5555/a', 'normalized'] refused",
            "{encoding}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}

#[test]
fn a_row_of_a_later_table_has_its_own_number() {
    let place = Place::new();
    place.file("a", "id,doi\n1,10.5555/a\n2,10.5555/b");
    place.file("b", "id,doi\n1,2\n\u{3b1},10.5555/a\n4,10.5555/c\n");
    let arguments = ["-c", "doi", "--output-encoding", "cp1252", "-o", "out"];
    let mut command = place.command(["normalize", "a", "b"]);
    let seen = Seen::of(command.args(arguments));
    let wanted = "b: row 2: windows-1252 has no U+03B1";
    assert!(seen.err.contains(wanted), "{}", seen.err);
}

#[test]
fn the_report_has_the_encodings() {
    let place = Place::new();
    place.encoded(
        "id,doi\n1,10.5555/a\n",
        "--input-encoding cp1252 --output-encoding utf-8 --bom --report r",
    );
    let report = std::fs::read_to_string(place.path("r")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let options = &report["options"];
    let wanted = serde_json::json!(["windows-1252", "UTF-8", true]);
    let found = ["input_encoding", "output_encoding", "bom"].map(|name| options[name].clone());
    assert_eq!(serde_json::json!(found), wanted);
}
