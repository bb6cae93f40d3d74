//! Scans each line of a file as a separate text: `cargo run --release --example lines -- FILE`
//!
//! Prints the time in seconds, without reading the file: for `scripts/bench python`.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use doisift::Scanner;

fn main() -> std::io::Result<()> {
    let path = std::env::args_os().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<_> = text.lines().collect();
    let mut scanner = Scanner::new();
    let started = Instant::now();
    let mut bytes = 0;
    for line in lines {
        scanner.scan(line, |mention| bytes += mention.key.len());
    }
    println!("{}", started.elapsed().as_secs_f64());
    assert!(bytes > 0, "the text has no names");
    Ok(())
}
