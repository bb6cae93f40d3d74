//! The rows of a check as a table for people.

use std::io::{self, Write};

use doisift::internal::Printable;
use doisift::internal::document_name;
use doisift::{CheckVerdict, CheckedReference};
use unicode_width::UnicodeWidthStr;

/// Max rows by which the widths of columns are determined. Fewer if they reach `MAX_PAGE_BYTES`.
const MAX_PAGE_ROWS: usize = 1000;
const MAX_PAGE_BYTES: usize = 1 << 20;
/// Max width of a column, so that one long text does not push all others away. A wider cell is not cut.
const MAX_COLUMN_WIDTH: usize = 48;

/// Place, key, verdict and name; the detail comes after them.
type Cells = [String; 4];
/// The column of the verdict, which has the colour.
const VERDICT_COLUMN: usize = 2;

/// A table that collects a page of rows before it sets the widths of columns and writes the rows.
pub(super) struct CheckTable<W> {
    out: W,
    has_colour: bool,
    rows: Vec<(Cells, String, &'static str)>,
    /// The bytes of the cells and details in `rows`.
    bytes: usize,
    /// References that are not shown.
    left_out: u64,
    widths: Option<[usize; 4]>,
}

impl<W: Write> CheckTable<W> {
    pub(super) fn new(out: W, has_colour: bool) -> Self {
        CheckTable {
            out,
            has_colour,
            rows: Vec::new(),
            bytes: 0,
            left_out: 0,
            widths: None,
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, row: &CheckedReference, is_finding: bool) -> io::Result<()> {
        let colour = colour(row.verdict, is_finding);
        let (cells, detail) = (cells(row), detail(row));
        self.bytes += detail.len() + cells.iter().map(String::len).sum::<usize>();
        self.rows.push((cells, detail, colour));
        match self.rows.len() >= MAX_PAGE_ROWS || self.bytes >= MAX_PAGE_BYTES {
            true => self.write_rows(),
            false => Ok(()),
        }
    }

    /// Counts a row that is not shown.
    pub(super) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    /// Writes the collected rows, and the number of rows that were left out.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.write_rows()?;
        if self.left_out > 0 {
            let left_out = self.left_out;
            writeln!(
                self.out,
                "{left_out} more references without findings; --all shows them"
            )?;
        }
        self.out.flush()
    }

    fn write_rows(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let widths = *self.widths.get_or_insert_with(|| widths(&rows));
        for (cells, detail, colour) in rows {
            let mut line = String::new();
            for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
                if width == 0 {
                    continue;
                }
                match at == VERDICT_COLUMN && self.has_colour {
                    true => line.extend(["\x1b[", colour, "m", cell, "\x1b[0m"]),
                    false => line += cell,
                }
                line += &" ".repeat(width.saturating_sub(cell.width()) + 2);
            }
            writeln!(self.out, "{}", (line + &detail).trim_end())?;
        }
        Ok(())
    }
}

/// Returns the width of each column.
fn widths(rows: &[(Cells, String, &'static str)]) -> [usize; 4] {
    let mut widths = [0; 4];
    for (cells, ..) in rows {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.width().min(MAX_COLUMN_WIDTH));
        }
    }
    widths
}

fn cells(row: &CheckedReference) -> Cells {
    let name = |text: &str| Printable::name(text).to_string();
    let named = row.doi.as_deref().or(row.text.as_deref());
    [
        place(row),
        name(row.key.as_deref().unwrap_or_default()),
        row.verdict.name().to_owned(),
        name(named.unwrap_or_default()),
    ]
}

/// `refs.bib:12:9`, `paper.pdf#page=3:1:5`.
fn place(row: &CheckedReference) -> String {
    let document = document_name(&row.source, row.document.as_deref());
    let mut place = Printable::name(&document).to_string();
    let numbers = [row.line.or(row.row), row.line.and(row.column)];
    for number in numbers.into_iter().flatten() {
        place += &format!(":{number}");
    }
    place
}

fn detail(row: &CheckedReference) -> String {
    let done = match row {
        row if row.accepted => "accepted: ",
        row if row.fixed => "fixed: ",
        _ => "",
    };
    let detail = row.detail.as_deref().unwrap_or_default();
    Printable(&format!("{done}{detail}")).to_string()
}

/// Red, yellow or green.
fn colour(verdict: CheckVerdict, is_finding: bool) -> &'static str {
    match verdict {
        _ if is_finding => "31",
        CheckVerdict::Known | CheckVerdict::WellFormed => "32",
        _ => "33",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::ControlFlow;

    use doisift::Check;

    use super::*;

    fn reference() -> CheckedReference {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refs.bib");
        fs::write(&path, "@misc{a, doi = {10.5555/a}}").unwrap();
        let mut found = None;
        let check = Check::new().input(path);
        check
            .for_each_reference(|row| {
                found = Some(row.clone());
                ControlFlow::Continue(())
            })
            .unwrap();
        found.unwrap()
    }

    #[test]
    fn long_rows_are_written_before_there_are_many() {
        let mut written = Vec::new();
        let mut table = CheckTable::new(&mut written, false);
        let mut row = reference();
        row.detail = Some("x".repeat(MAX_PAGE_BYTES / 2));
        table.row(&row, true).unwrap();
        assert_eq!(table.rows.len(), 1);
        table.row(&row, true).unwrap();
        assert_eq!((table.rows.len(), table.bytes), (0, 0));
        table.end().unwrap();
        assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 2);
    }
}
