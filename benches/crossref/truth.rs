//! The truth: everything that a reader of the files must find, as packed tables with columns separated by tabs.
//!
//! A cell with a quotation mark, a tab or a line end is quoted. An empty cell means that there is no value.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::write::GzEncoder;

use super::{packed, path};

const REFERENCES: &[&str] = &[
    "file",
    "record",
    "ref_index",
    "ref_key",
    "value",
    "doi",
    "dirt",
    "asserted_by",
    "mined",
    "text",
];
const RECORDS: &[&str] = &[
    "file",
    "line",
    "value",
    "record",
    "type",
    "year",
    "member",
    "publisher",
    "references",
    "stated",
    "mined",
    "unnamed",
];
const LINKS: &[&str] = &[
    "file",
    "record",
    "field",
    "type",
    "value",
    "doi",
    "asserted_by",
];

/// The tables of one file.
pub struct Truth {
    file: String,
    pub references: Table,
    pub records: Table,
    pub links: Table,
}

impl Truth {
    /// Creates the tables below a folder. If its name is empty, writes nothing.
    pub fn create(folder: &Path, number: u64) -> io::Result<Truth> {
        let table = |name, columns| Table::create(folder, name, columns, number);
        Ok(Truth {
            file: format!("{number:05}.jsonl.gz"),
            references: table("references", REFERENCES)?,
            records: table("records", RECORDS)?,
            links: table("links", LINKS)?,
        })
    }

    /// Adds a row to the table that `table` chooses, starting with the name of the file.
    pub fn row(&mut self, table: impl FnOnce(&mut Truth) -> &mut Table, cells: &[&str]) {
        let file = std::mem::take(&mut self.file);
        table(self).row(&file, cells);
        self.file = file;
    }

    pub fn write(&mut self) -> io::Result<()> {
        self.references.write()?;
        self.records.write()?;
        self.links.write()
    }

    pub fn finish(self) -> io::Result<()> {
        self.references.finish()?;
        self.records.finish()?;
        self.links.finish()
    }
}

/// One table.
pub struct Table {
    text: String,
    out: Option<GzEncoder<BufWriter<File>>>,
}

impl Table {
    fn create(folder: &Path, name: &str, columns: &[&str], number: u64) -> io::Result<Table> {
        let (mut text, mut out) = (String::new(), None);
        if !folder.as_os_str().is_empty() {
            let folder = folder.join(name);
            fs::create_dir_all(&folder)?;
            out = Some(packed(&path(&folder, number, "tsv.gz"), 1)?);
            text = columns.join("\t") + "\n";
        }
        Ok(Table { text, out })
    }

    fn row(&mut self, file: &str, cells: &[&str]) {
        if self.out.is_none() {
            return;
        }
        self.text.push_str(file);
        for cell in cells {
            self.text.push('\t');
            self.cell(cell);
        }
        self.text.push('\n');
    }

    fn cell(&mut self, cell: &str) {
        if cell.contains(['"', '\t', '\n', '\r']) {
            let _ = write!(self.text, "\"{}\"", cell.replace('"', "\"\""));
        } else {
            self.text.push_str(cell);
        }
    }

    fn write(&mut self) -> io::Result<()> {
        if let Some(out) = &mut self.out {
            out.write_all(self.text.as_bytes())?;
        }
        self.text.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.write()?;
        match self.out {
            Some(out) => out.finish()?.flush(),
            None => Ok(()),
        }
    }
}
