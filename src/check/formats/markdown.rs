//! Markdown for people, such as the summary of a job: counts, and a table of the findings and repairs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{LevelledRow, RowFormat};
use crate::check::row::document_name;
use crate::check::verdict::CheckVerdict;
use crate::records::Output;

/// Max bytes of the table. The summary of a job of GitHub Actions may have 1 MiB.
const MAX_TABLE_BYTES: usize = 512 << 10;

struct Markdown {
    out: Output,
    table: String,
    /// Rows that are in the table, and rows that it had no room for.
    shown: u64,
    left_out: u64,
    findings: u64,
    accepted: u64,
    verdicts: BTreeMap<CheckVerdict, u64>,
}

pub(super) fn start(out: Output) -> Box<dyn RowFormat> {
    Box::new(Markdown {
        out,
        table: String::new(),
        shown: 0,
        left_out: 0,
        findings: 0,
        accepted: 0,
        verdicts: BTreeMap::new(),
    })
}

impl RowFormat for Markdown {
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()> {
        *self.verdicts.entry(row.row.verdict).or_default() += 1;
        self.findings += u64::from(row.is_finding());
        self.accepted += u64::from(row.row.accepted);
        if row.is_finding() || row.row.fixed {
            let line = table_line(row);
            match self.left_out == 0 && self.table.len() + line.len() <= MAX_TABLE_BYTES {
                true => {
                    self.table += &line;
                    self.shown += 1;
                }
                false => self.left_out += 1,
            }
        }
        Ok(())
    }

    fn end(mut self: Box<Self>) -> io::Result<Output> {
        let references: u64 = self.verdicts.values().sum();
        let out = &mut self.out;
        let findings = counted(self.findings, "finding");
        let accepted = match self.accepted {
            0 => String::new(),
            accepted => format!(", {accepted} accepted"),
        };
        let references_read = counted(references, "reference");
        writeln!(out, "**{findings}** in {references_read}{accepted}.")?;
        if self.shown > 0 {
            writeln!(
                out,
                "\n| place | key | verdict | name or text | detail |\n|---|---|---|---|---|"
            )?;
            out.write_all(self.table.as_bytes())?;
        }
        if self.left_out > 0 {
            writeln!(out, "\n{} more are not shown.", self.left_out)?;
        }
        if references > 0 {
            writeln!(out, "\n| verdict | references |\n|---|--:|")?;
        }
        for (verdict, count) in &self.verdicts {
            writeln!(out, "| {} | {count} |", code(verdict.name()))?;
        }
        Ok(self.out)
    }
}

fn table_line(row: &LevelledRow<'_>) -> String {
    let row = row.row;
    let mut place = document_name(&row.source, row.document.as_deref());
    for number in [row.line.or(row.row), row.line.and(row.column)] {
        place.extend(number.map(|number| format!(":{number}")));
    }
    let name = row.doi.as_deref().or(row.text.as_deref());
    let cell = |text: Option<&str>| text.map(code).unwrap_or_default();
    let verdict = match row.fixed {
        true => format!("{} (fixed)", code(row.verdict.name())),
        false => code(row.verdict.name()),
    };
    let (place, key) = (code(&place), cell(row.key.as_deref()));
    let (name, detail) = (cell(name), cell(row.detail.as_deref()));
    format!("| {place} | {key} | {verdict} | {name} | {detail} |\n")
}

/// Returns a text as code that cannot end, start markup, be a link, or mention a person.
fn code(text: &str) -> String {
    let mut code = "<code>".to_owned();
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '@' | '#' | ':'
            | '$' | '!' => {
                code += &format!("&#{};", u32::from(c));
            }
            c if c.is_control() => code.push(' '),
            c => code.push(c),
        }
    }
    code.replace("www.", "www&#46;") + "</code>"
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
