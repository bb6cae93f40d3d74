//! Compares the scanner with its naive twin on files: `cargo run --release --example twin -- FILE...`
//!
//! Prints the number of mentions in each file. If the two differ, prints each mention that only one of them found and both
//! tallies, and exits 1.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;

use doisift::naive::{self, OwnedMention};
use doisift::{Scanner, Tally};

/// The default limit of the scanner.
const MAX_NAME: usize = 64 << 10;

fn main() -> std::io::Result<ExitCode> {
    let mut equal = true;
    for path in std::env::args_os().skip(1) {
        println!("{}", path.display());
        equal &= agree(&std::fs::read(path)?);
    }
    Ok(ExitCode::from(u8::from(!equal)))
}

fn agree(document: &[u8]) -> bool {
    let (fast, slow) = (scan(document), naive::scan(document, MAX_NAME));
    println!("  {} mentions", fast.1.mentions);
    if fast == slow {
        return true;
    }
    for mention in fast.0.iter().filter(|mention| !slow.0.contains(mention)) {
        show("scanner", document, mention);
    }
    for mention in slow.0.iter().filter(|mention| !fast.0.contains(mention)) {
        show("twin", document, mention);
    }
    println!("  scanner {:?}\n  twin    {:?}", fast.1, slow.1);
    false
}

fn scan(document: &[u8]) -> (Vec<OwnedMention>, Tally) {
    let mut mentions = Vec::new();
    let tally = Scanner::new()
        .max_name(MAX_NAME)
        .scan(document, |mention| mentions.push(mention.into()));
    (mentions, tally)
}

fn show(who: &str, document: &[u8], mention: &OwnedMention) {
    let at = usize::try_from(mention.offset).unwrap_or(0);
    let around = &document[at.saturating_sub(60)..document.len().min(at + mention.text.len() + 60)];
    println!(
        "  {who} alone: {} {:?} guessed {}",
        mention.name, mention.form, mention.guessed
    );
    println!("    in {:?}", String::from_utf8_lossy(around));
}
