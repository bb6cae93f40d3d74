//! Shows the DOI names of a text in bold: `cargo run --example highlight < notes.txt`.
//!
//! In terminals with links, each name is also a link.

use std::io::{self, Read, Write};

use doisift::{Scanner, UrlEncoding};

fn main() -> io::Result<()> {
    run(io::stdin().lock(), io::stdout().lock())
}

/// Copies `input` to `output`, with each name in bold and linked to the proxy.
pub fn run(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    let mut scanner = Scanner::new();
    let mut written = 0;
    for found in scanner.find_iter(&text) {
        let range = found.range();
        output.write_all(&text[written..range.start])?;
        let url = found.doi.to_url(UrlEncoding::Recommended);
        write!(output, "\x1b]8;;{url}\x1b\\\x1b[1m")?;
        output.write_all(found.text)?;
        write!(output, "\x1b[0m\x1b]8;;\x1b\\")?;
        written = range.end;
    }
    output.write_all(&text[written..])
}
