//! Workflow commands of GitHub Actions: a line for each row with a level that is not accepted.

use std::io::{self, Write};

use super::{LevelledRow, RowFormat, RowLevel};
use crate::records::Output;

struct Github(Output);

pub(super) fn start(out: Output) -> Box<dyn RowFormat> {
    Box::new(Github(out))
}

impl RowFormat for Github {
    fn write(&mut self, row: &LevelledRow<'_>) -> io::Result<()> {
        match row.open_level() {
            Some((level, _)) => writeln!(self.0, "{}", command(row, level)),
            None => Ok(()),
        }
    }

    fn end(self: Box<Self>) -> io::Result<Output> {
        Ok(self.0)
    }
}

/// `::error file=refs.bib,line=3,col=9,endColumn=20,title=doisift%3A retracted::smith2000: …`
fn command(row: &LevelledRow<'_>, level: RowLevel) -> String {
    let level = match level {
        RowLevel::Error => "error",
        RowLevel::Warning => "warning",
        RowLevel::Note => "notice",
    };
    let mut properties = Vec::new();
    let mut add = |name: &str, value: &str| properties.push(format!("{name}={}", property(value)));
    if let Some(path) = row.path() {
        add("file", &path);
    }
    if let Some((line, column, end)) = row.region() {
        add("line", &line.to_string());
        add("col", &column.to_string());
        // The column of the last character.
        if let Some(end) = end.filter(|end| *end > column) {
            add("endColumn", &(end - 1).to_string());
        }
    }
    add("title", &format!("doisift: {}", row.row.verdict.name()));
    format!(
        "::{level} {}::{}",
        properties.join(","),
        data(&row.message())
    )
}

/// Escapes the text of a command, in which a line end would start another command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(value: &str) -> String {
    data(value).replace(':', "%3A").replace(',', "%2C")
}
