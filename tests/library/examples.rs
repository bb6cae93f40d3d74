//! Checks the output of the programs in `examples`.

#[path = "../../examples/clean_column.rs"]
mod clean_column;
#[path = "../../examples/first_mentions.rs"]
mod first_mentions;
#[path = "../../examples/highlight.rs"]
mod highlight;
#[path = "../../examples/own_source.rs"]
mod own_source;

use std::io::Write;
use std::sync::{Arc, Mutex};

#[test]
fn names_are_highlighted() {
    let mut output = Vec::new();
    highlight::run(&b"See doi:10.5555/a(b), \xff"[..], &mut output).unwrap();
    let bold = b"See doi:\x1b]8;;https://doi.org/10.5555/a(b)\x1b\\\x1b[1m10.5555/a(b)\x1b[0m\x1b]8;;\x1b\\, \xff";
    assert_eq!(output, bold);
}

#[test]
fn a_column_is_cleaned() {
    let table = "title,doi\n\"A, b\",https://doi.org/10.5555/a\nB,10.5555/B1.pmid:12\nC,none\n";
    let mut output = Vec::new();
    clean_column::run(table.as_bytes(), &mut output).unwrap();
    let wanted = "title,doi,doi_clean,doi_note\n\
        \"A, b\",https://doi.org/10.5555/a,10.5555/a,\n\
        B,10.5555/B1.pmid:12,10.5555/b1,\"suffix.glued-word: \"\".pmid:12\"\"\"\n\
        C,none,,\"no directory indicator \"\"10.\"\", at byte 0\"\n";
    assert_eq!(String::from_utf8(output).unwrap(), wanted);
}

/// An output that another thread writes and the test reads.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn own_sources_are_scanned() {
    let output = Shared::default();
    own_source::run(output.clone()).unwrap();
    let wanted = "10.5555/article.1 2 store/a.jsonl\n10.5555/article.2 2 store/a.jsonl\n10.5555/article.3 1 store/b.jsonl\n";
    assert_eq!(output.0.lock().unwrap().as_slice(), wanted.as_bytes());
}

#[test]
fn a_run_stops_when_enough_was_found() {
    let mut output = Vec::new();
    first_mentions::run(&["corpora/prose.txt".into()], &mut output).unwrap();
    let lines = String::from_utf8(output).unwrap();
    assert_eq!(lines.lines().count(), 3);
    assert!(lines.contains("[10.5555/abc.def.1]"), "{lines}");
}
