//! The rows of a scan as a table for a terminal.
//!
//! Shows a screenful and counts the rest, unless all rows are wanted.

use std::io::{self, Write};
use std::ops::ControlFlow;

use doisift::internal::Printable;
use doisift::internal::{CallerColumn, CallerRow, FieldValue, columns, for_each_row};
use doisift::{Error, MentionRow, Record, Scan, ScanReport};
use indicatif::HumanCount;
use terminal_size::{Height, Width, terminal_size};
use unicode_width::UnicodeWidthStr;

/// Lines of a terminal that do not hold rows: the header, the remarks, the summary and the next prompt.
const OTHER_LINES: usize = 5;
/// The size of a terminal that does not report one.
const USUAL: (Width, Height) = (Width(80), Height(24));
/// Min width of a shortened place. A narrower terminal wraps the lines.
const MIN_PLACE_WIDTH: usize = 12;
const RECORD: &[Column] = &[
    Column::text("name"),
    Column::text(""),
    Column::number("mentions"),
    Column::number("documents"),
    Column::number("at byte"),
    Column::text("first found in"),
];
const COUNT: &[Column] = &[
    Column::number("names"),
    Column::number("mentions"),
    Column::number("documents"),
    Column::number("sources"),
];
const PREFIX: &[Column] = &[
    Column::text("prefix"),
    Column::number("names"),
    Column::number("mentions"),
];
const MENTION: &[Column] = &[
    Column::text("name"),
    Column::text(""),
    Column::text("form"),
    Column::number("at byte"),
    Column::text("found in"),
];

/// A column and its title.
struct Column {
    title: &'static str,
    is_number: bool,
}

impl Column {
    const fn text(title: &'static str) -> Self {
        Column {
            title,
            is_number: false,
        }
    }

    const fn number(title: &'static str) -> Self {
        Column {
            title,
            is_number: true,
        }
    }
}

/// The kind of rows in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScreenRows {
    Records,
    Mentions,
    Counts,
    Prefixes,
}

impl ScreenRows {
    fn columns(self) -> &'static [Column] {
        match self {
            ScreenRows::Records => RECORD,
            ScreenRows::Mentions => MENTION,
            ScreenRows::Counts => COUNT,
            ScreenRows::Prefixes => PREFIX,
        }
    }
}

/// A table that collects a page of rows before it sets the widths of columns and writes them.
pub(crate) struct ScreenTable<W> {
    shape: ScreenRows,
    /// Number of rows on a page. The first page determines the widths of columns.
    page: usize,
    /// Width of the terminal in cells.
    width: usize,
    /// Whether rows after the first page are written too.
    all: bool,
    rows: Vec<Vec<String>>,
    /// Set once the header is written.
    widths: Option<Vec<usize>>,
    more: u64,
    has_guess: bool,
    out: W,
}

impl ScreenTable<io::Stdout> {
    /// Creates a table for standard output.
    pub(crate) fn on_stdout(shape: ScreenRows, all: bool) -> Self {
        let (Width(width), Height(height)) = terminal_size().unwrap_or(USUAL);
        let page = usize::from(height).saturating_sub(OTHER_LINES);
        ScreenTable::new(shape, (width.into(), page), all, io::stdout())
    }
}

impl<W: Write + Send> ScreenTable<W> {
    /// Creates a table of a width in cells, with pages of `page` rows.
    fn new(shape: ScreenRows, (width, page): (usize, usize), all: bool, out: W) -> Self {
        ScreenTable {
            shape,
            page: page.max(1),
            width,
            all,
            rows: Vec::new(),
            widths: None,
            more: 0,
            has_guess: false,
            out,
        }
    }

    /// Runs a scan whose rows go into the table. An error of writing cancels the scan.
    pub(crate) fn fill(&mut self, scan: Scan) -> Result<ScanReport, Error> {
        match self.shape {
            ScreenRows::Records => {
                scan.for_each_record(|record| flow(self.row(record.guessed, || cells(record))))
            }
            ScreenRows::Mentions => scan.for_each_mention(|mention| {
                flow(self.row(mention.guessed, || mention_cells(mention)))
            }),
            ScreenRows::Counts | ScreenRows::Prefixes => {
                let columns = columns(&scan)?;
                for_each_row(scan, |row| {
                    flow(self.row(false, || count_cells(&columns, row)))
                })
            }
        }
    }

    /// Adds a row.
    fn row(&mut self, guessed: bool, cells: impl FnOnce() -> Vec<String>) -> io::Result<()> {
        if self.rows.len() == self.page && !self.all {
            self.more += 1;
            return Ok(());
        }
        self.has_guess |= guessed;
        self.rows.push(cells());
        match self.rows.len() < self.page {
            false if self.all => self.write_rows(),
            _ => Ok(()),
        }
    }

    /// Writes the collected rows, and the remarks below the table.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.write_rows()?;
        if self.has_guess {
            writeln!(self.out, "? the end of this name is a guess")?;
        }
        if self.more > 0 {
            let more = HumanCount(self.more);
            writeln!(
                self.out,
                "{more} more rows; --all shows them, and -o FILE writes all to a file"
            )?;
        }
        self.out.flush()
    }

    fn write_rows(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let widths = match self.widths.take() {
            Some(widths) => widths,
            None => {
                let widths = self.fitting(&rows);
                let titles = self
                    .shape
                    .columns()
                    .iter()
                    .map(|column| column.title.to_owned());
                self.write_line(&widths, titles.collect())?;
                widths
            }
        };
        for row in rows {
            self.write_line(&widths, row)?;
        }
        self.widths = Some(widths);
        Ok(())
    }

    /// Returns the width of each column, except a last column of texts, which has the rest of the line. A column takes at most
    /// half of a line; a longer cell shifts the next ones.
    fn fitting(&self, rows: &[Vec<String>]) -> Vec<usize> {
        let columns = self.shape.columns();
        let is_last_text = columns.last().is_some_and(|last| !last.is_number);
        let columns = columns[..columns.len() - usize::from(is_last_text)]
            .iter()
            .enumerate();
        let width = |(at, column): (usize, &Column)| {
            let cells = rows.iter().map(|row| row[at].width());
            let widest = cells.max().unwrap_or(0).max(column.title.len());
            widest.min(self.width / 2)
        };
        columns.map(width).collect()
    }

    fn write_line(&mut self, widths: &[usize], row: Vec<String>) -> io::Result<()> {
        let mut line = String::new();
        let cells = row.iter().zip(widths).zip(self.shape.columns());
        for ((cell, width), column) in cells.filter(|((_, width), _)| **width > 0) {
            let blanks = " ".repeat(width.saturating_sub(cell.width()));
            let (before, after) = if column.is_number {
                (blanks.as_str(), "")
            } else {
                ("", blanks.as_str())
            };
            line.extend([before, cell, after, "  "]);
        }
        let room = self.width.saturating_sub(line.width()).max(MIN_PLACE_WIDTH);
        let last = row.get(widths.len());
        line.extend(last.map(|last| shortened(last, room)));
        writeln!(self.out, "{}", line.trim_end())
    }
}

fn flow(written: io::Result<()>) -> ControlFlow<()> {
    match written {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

fn cells(record: &Record<'_>) -> Vec<String> {
    vec![
        name(record.doi),
        mark(record.guessed),
        HumanCount(record.mentions).to_string(),
        HumanCount(record.documents).to_string(),
        record.first_offset.to_string(),
        place(record.first_source, record.first_document),
    ]
}

fn mention_cells(mention: &MentionRow<'_>) -> Vec<String> {
    vec![
        name(mention.doi),
        mark(mention.guessed),
        mention.form.name().to_owned(),
        mention.offset.to_string(),
        place(mention.source, mention.document),
    ]
}

/// Returns the cells of a row of counts.
fn count_cells(columns: &[CallerColumn], row: &CallerRow<'_>) -> Vec<String> {
    let values = columns.iter().map(|column| row.get(column));
    let cells = values.map(|value| match value {
        FieldValue::Number(count) => HumanCount(count).to_string(),
        FieldValue::Text(text) => name(text),
        _ => String::new(),
    });
    cells.collect()
}

fn name(doi: &str) -> String {
    Printable::name(doi).to_string()
}

fn mark(guessed: bool) -> String {
    if guessed { "?" } else { "" }.to_owned()
}

fn place(source: &str, document: Option<&str>) -> String {
    let source = match source {
        "-" => "standard input",
        source => source,
    };
    match document {
        Some(document) => name(&format!("{source}: {document}")),
        None => name(source),
    }
}

/// Returns `text` if it fits, otherwise an ellipsis and as much of its end as fits.
fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut starts = text.char_indices().map(|(at, _)| at);
    let start = starts.find(|at| text[*at..].width() < width);
    let start = start.unwrap_or(text.len());
    format!("…{}", &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [[&str; 5]; 3] = [
        ["10.5555/abc", "", "bare", "7", "a.txt"],
        ["10.5555/de", "?", "url", "1200", "dump.tar: member.xml"],
        ["10.5555/名", "", "doi", "0", "b"],
    ];

    /// Returns the output of a table of a width and a page of rows.
    fn shown(size: (usize, usize), all: bool) -> String {
        let mut table = ScreenTable::new(ScreenRows::Mentions, size, all, Vec::new());
        for row in ROWS {
            let cells = || row.map(str::to_owned).into();
            table.row(row[1] == "?", cells).expect("memory");
        }
        table.end().expect("memory");
        String::from_utf8(table.out).expect("text")
    }

    #[test]
    fn cells_are_aligned_and_guesses_marked() {
        let wanted = "\
            name            form  at byte  found in\n\
            10.5555/abc     bare        7  a.txt\n\
            10.5555/de   ?  url      1200  dump.tar: member.xml\n\
            10.5555/名      doi         0  b\n\
            ? the end of this name is a guess\n";
        assert_eq!(shown((80, 20), false), wanted);
        assert_eq!(shown((80, 20), true), wanted);
    }

    #[test]
    fn a_page_is_shown_and_the_rest_counted_unless_all_are_wanted() {
        let page = shown((80, 1), false);
        assert_eq!(page.lines().count(), 3, "{page}");
        let rest = "2 more rows; --all shows them, and -o FILE writes all to a file\n";
        assert!(page.ends_with(rest), "{page}");
        assert!(!page.contains('?'), "{page}");
        let all = shown((80, 1), true);
        assert_eq!(all.lines().count(), 5, "{all}");
    }

    #[test]
    fn a_place_that_does_not_fit_is_shortened_at_its_start() {
        assert_eq!(shortened("dump.tar: member.xml", 11), "…member.xml");
        assert_eq!(shortened("名名", 3), "…名");
        assert_eq!(shortened("ab", 2), "ab");
        let narrow = shown((48, 20), false);
        assert!(narrow.contains("  ….tar: member.xml\n"), "{narrow}");
    }
}
