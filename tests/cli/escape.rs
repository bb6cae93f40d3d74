//! Foreign names and texts in messages: control characters are escaped, and long names are shortened.

use std::ffi::OsStr;

use crate::place::{Place, Seen, gzip};

/// A name that would clear the screen, set the title, end the line and reverse the text.
const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;x\u{7}\n\r\u{9b}31m\u{202e}\u{2028}b";

#[track_caller]
fn is_clean(err: &str) {
    let bad = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}')
    };
    assert!(!err.contains(bad), "{err:?}");
    for line in err.lines() {
        let starts = ["doisift: ", "error: ", "  ", "Usage: ", "For more"];
        let is_ours = line.is_empty() || starts.iter().any(|start| line.starts_with(start));
        assert!(is_ours, "a line of its own: {line:?}");
        assert!(line.chars().count() < 1500, "{line}");
    }
}

/// Returns a tar archive of one member with a GNU long name.
fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = tar_member(b'L', "././@LongLink", name.as_bytes());
    archive.extend(tar_member(b'0', "x", content));
    archive.resize(archive.len() + 1024, 0);
    archive
}

fn tar_member(kind: u8, name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[148..156].copy_from_slice(b"        ");
    header[156] = kind;
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header.extend_from_slice(content);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

#[test]
fn no_escape_code_of_a_name_reaches_the_terminal() {
    let place = Place::new();
    let cut = gzip("10.5555/a ".repeat(1000));
    let cut = &cut[..cut.len() - 8];
    let uri = HOSTILE.replace(['\n', '\r'], "");
    let record = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://x/{uri}\r\nContent-Length: 9\r\n\r\nOggS\0\0\0\0\0\r\n\r\n\
        WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://x/{uri}\r\nContent-Length: 99\r\n\r\ncut"
    );
    place
        .file(format!("in/{HOSTILE}.ogg"), "OggS\0")
        .file(format!("in/{HOSTILE}.gz"), cut)
        .file("in/a.tar", tar(HOSTILE, b"OggS\0\0\0\0\0"))
        .file("in/b.tar", tar(HOSTILE, cut))
        .file("in/c.tar", tar(HOSTILE, b"7z\xbc\xaf\x27\x1c\0\x04"))
        .file("in/d.warc", record);
    for options in ["", "-v", "-vv", "--on-error fail", "--progress always"] {
        for threads in ["-j1", "-j2"] {
            let seen = place.scan(&format!("in {options} {threads}"));
            assert!(seen.err.contains(r"\u{1b}"), "{}", seen.err);
            is_clean(&seen.err);
        }
    }
}

#[test]
fn no_escape_code_of_an_argument_reaches_the_terminal() {
    let place = Place::new();
    let rows = format!("doi,{HOSTILE}\n1");
    let json = format!("{{\"{}\":1}}\n", HOSTILE.replace(['\n', '\r'], ""));
    let form = json.replacen("\":1", "\"", 1);
    let bad = format!("{{\"doi\":\"10.5555/a\",\"mentions\":1,\"documents\":1,\"forms\":[{form}\n");
    place
        .file("list", format!("{HOSTILE}\0"))
        .file("rows.csv", rows)
        .file("rows.jsonl", json.replace('\u{1b}', "\\u001b"))
        .file("bad.jsonl", bad.replace('{', "["));
    let hostile_option = format!("--{HOSTILE}");
    for args in [
        &["scan", HOSTILE][..],
        &["scan", "list", "-o", HOSTILE],
        &["scan", "list", "--include", &format!("{HOSTILE}[")],
        &["scan", "list", "-f", HOSTILE],
        &["scan", "list", "--memory", HOSTILE],
        &["scan", "list", "--shard", HOSTILE],
        &["scan", &hostile_option],
        &["scan", "list", "--tmp-dir", HOSTILE, "-o", "none/x.csv"],
        &["scan", "list", "--checkpoint", &format!("none/{HOSTILE}")],
        &["scan", "--files-from", HOSTILE],
        &["scan", "-0", "--files-from", "list"],
        &["merge", HOSTILE],
        &["merge", "rows.csv"],
        &["merge", "rows.jsonl"],
        &["merge", "bad.jsonl"],
        &["merge", "list"],
        &["normalize", HOSTILE],
        &["normalize", "--clean", HOSTILE],
        &[HOSTILE],
    ] {
        let seen = Seen::of(&mut place.command(args));
        assert_ne!(seen.code, Some(0), "{args:?}");
        assert!(!seen.err.is_empty(), "{args:?}");
        is_clean(&seen.err);
    }
}

#[test]
fn a_name_of_100_kb_is_cut_in_its_middle() {
    let place = Place::new();
    let name = format!("start{}end.7z", "x".repeat(100_000));
    place.file("a.tar", tar(&name, b"7z\xbc\xaf\x27\x1c\0\x04"));
    let seen = place.scan("a.tar");
    assert_eq!(seen.code, Some(1));
    assert!(seen.err.len() < 900, "{}", seen.err.len());
    // The document's name is shortened too, and keeps its end.
    let shown = [
        "a.tar: startxxx",
        " bytes ...]xxx",
        "xend.7z: at byte 0: ",
        "with more than 4096 bytes",
    ];
    assert!(
        shown.iter().all(|part| seen.err.contains(part)),
        "{}",
        seen.err
    );
    let argument = "y".repeat(100_000);
    let seen = Seen::of(place.command([OsStr::new(&argument)]).arg("x"));
    assert!(seen.err.len() < 1000, "{}", seen.err.len());
}
