//! Scans your own source, anything that implements `Read`: `cargo run --example own_source`.
//!
//! This source makes its text while it is read, like the response of a server or the cursor of a database.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;

use doisift::{Error, Scan};

/// Articles as lines of JSON, one after the other.
struct Articles {
    next: u32,
    count: u32,
    line: Vec<u8>,
}

impl Read for Articles {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.line.is_empty() && self.next < self.count {
            self.next += 1;
            let line = format!("{{\"DOI\":\"10.5555\\/article.{}\"}}\n", self.next);
            self.line.extend_from_slice(line.as_bytes());
        }
        let length = into.len().min(self.line.len());
        into[..length].copy_from_slice(&self.line[..length]);
        self.line.drain(..length);
        Ok(length)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(run(io::stdout())?)
}

/// Writes the names in two sources that are read at the same time.
pub fn run(mut output: impl Write + Send) -> Result<(), Error> {
    let articles = |count| Articles {
        next: 0,
        count,
        line: Vec::new(),
    };
    let scan = Scan::new()
        .reader("store/a.jsonl", articles(2))
        .reader("store/b.jsonl", articles(3));
    let report = scan.for_each_record(|record| {
        match writeln!(
            output,
            "{} {} {}",
            record.doi, record.mentions, record.first_source
        ) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    assert_eq!((report.sources, report.mentions, report.records), (2, 5, 3));
    Ok(())
}
