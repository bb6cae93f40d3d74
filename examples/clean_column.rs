//! Cleans the column `doi` of a CSV file: `cargo run --example clean_column < table.csv`.
//!
//! The command `doisift normalize --column doi --clean` does more: it keeps quotes and line ends as they were, and uses all
//! cores. This example shows how your own program can clean values.

use std::error::Error;
use std::io::{self, Read, Write};

fn main() -> Result<(), Box<dyn Error>> {
    run(io::stdin().lock(), io::stdout().lock())
}

/// Copies the table with two more columns: the clean name, and the changes or the error.
pub fn run(input: impl Read, output: impl Write) -> Result<(), Box<dyn Error>> {
    let mut reader = csv::Reader::from_reader(input);
    let mut writer = csv::Writer::from_writer(output);
    let mut header = reader.headers()?.clone();
    let column = header.iter().position(|name| name == "doi");
    let column = column.ok_or("the table has no column doi")?;
    header.push_field("doi_clean");
    header.push_field("doi_note");
    writer.write_record(&header)?;
    for row in reader.records() {
        let mut row = row?;
        let (name, note) = cleaned(&row[column]);
        row.push_field(&name);
        row.push_field(&note);
        writer.write_record(&row)?;
    }
    Ok(writer.flush()?)
}

fn cleaned(text: &str) -> (String, String) {
    match doisift::clean(text) {
        Ok(cleaned) => {
            let note = |change: &doisift::Change| format!("{}: {:?}", change.rule, change.text);
            let notes: Vec<_> = cleaned.changes.iter().map(note).collect();
            (cleaned.doi.key().into_owned(), notes.join("; "))
        }
        Err(error) => (String::new(), error.to_string()),
    }
}
