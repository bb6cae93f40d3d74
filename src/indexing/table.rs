//! Reads names and notices from the rows of a delimited table, and names from lines.

use doisift_core::Doi;
use doisift_known::Notice;
use doisift_known::notices::{DateOrder, NoticeError, RetractionWatch};

use super::kind::NameColumns;
use super::names::Names;
use crate::error::KnownError;
use doisift_tables::{Dialect, RowBlocks, RowPiece};

/// DataCite's states of registered names.
const REGISTERED: [&[u8]; 2] = [b"findable", b"registered"];

/// Reads a name from each line.
pub(super) fn read_lines(mut blocks: RowBlocks<'_>, names: &mut Names<'_, '_>) {
    while let Some(piece) = blocks.next() {
        match piece {
            RowPiece::Lost(error, at) => names.report_loss(error.into(), at),
            RowPiece::Rows(bytes, offset) => {
                let mut at = offset;
                for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                    names.text(line, at);
                    at += line.len() as u64;
                }
            }
        }
        if names.is_halted() {
            return;
        }
    }
}

/// Reads the rows of a table after its header.
pub(super) fn read(
    mut blocks: RowBlocks<'_>,
    dialect: Dialect,
    layout: &NameColumns,
    names: &mut Names<'_, '_>,
) {
    let mut has_header = false;
    let mut notices = NoticeRows::default();
    while let Some(piece) = blocks.next() {
        match piece {
            RowPiece::Lost(error, at) => names.report_loss(error.into(), at),
            RowPiece::Rows(bytes, offset) => {
                let mut at = 0;
                while at < bytes.len() {
                    let (cells, length) = dialect.first_row(&bytes[at..]);
                    let is_blank = matches!(cells[..], [cell] if cell.is_empty());
                    if has_header && !is_blank {
                        row(
                            &cells,
                            dialect,
                            layout,
                            (&mut notices, names, offset + at as u64),
                        );
                    }
                    has_header |= !is_blank;
                    at += length;
                }
            }
        }
        if names.is_halted() {
            return;
        }
    }
    if let NameColumns::RetractionWatch(rows) = layout {
        notices.end(rows, names);
    }
}

fn row(
    cells: &[&[u8]],
    dialect: Dialect,
    layout: &NameColumns,
    (notices, names, at): (&mut NoticeRows, &mut Names<'_, '_>, u64),
) {
    let cell = |at: usize| {
        cells
            .get(at)
            .map(|cell| dialect.text(cell))
            .unwrap_or_default()
    };
    match layout {
        NameColumns::Names(column) => {
            names.text(&cell(*column), at);
        }
        NameColumns::DataCite { doi, state } => {
            if !REGISTERED.contains(&cell(*state).trim_ascii()) {
                return names.count_draft();
            }
            names.bare_name("datacite", &cell(*doi), at);
        }
        NameColumns::RetractionWatch(rows) => {
            let texts = cells.iter().map(|cell| dialect.text(cell));
            let texts: Vec<String> = texts
                .map(|text| String::from_utf8_lossy(&text).into_owned())
                .collect();
            notices.take(rows, texts, names, at);
        }
    }
}

/// Max bytes of rows that wait for the order of their dates.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// Rows of a table of notices. Rows with ambiguous dates wait for a date that shows the order of day and month.
#[derive(Default)]
struct NoticeRows {
    order: Option<DateOrder>,
    waiting: Vec<(Vec<String>, u64)>,
    bytes: usize,
}

impl NoticeRows {
    fn take(
        &mut self,
        rows: &RetractionWatch,
        texts: Vec<String>,
        names: &mut Names<'_, '_>,
        at: u64,
    ) {
        let fields = fields(&texts);
        if self.order.is_none() {
            self.order = rows.order(&fields);
            if self.order.is_some() {
                self.end(rows, names);
            }
        }
        match rows.notice(&fields, self.order) {
            Err(NoticeError::Ambiguous(_)) if self.bytes < MAX_WAITING_BYTES => {
                self.bytes += texts
                    .iter()
                    .map(|text| text.len() + size_of::<String>())
                    .sum::<usize>();
                self.waiting.push((texts, at));
            }
            read => notice(read, names, at),
        }
    }

    /// Reads the waiting rows, with the order if it is known.
    fn end(&mut self, rows: &RetractionWatch, names: &mut Names<'_, '_>) {
        // Retraction Watch writes a time after its own dates, whose month is first.
        let own = |texts: &[&str]| rows.has_time(texts).then_some(DateOrder::MonthFirst);
        for (texts, at) in self.waiting.drain(..) {
            let fields = fields(&texts);
            notice(
                rows.notice(&fields, self.order.or_else(|| own(&fields))),
                names,
                at,
            );
        }
    }
}

fn fields(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn notice(read: Result<Option<(Doi, Notice)>, NoticeError>, names: &mut Names<'_, '_>, at: u64) {
    match read {
        Ok(None) => {}
        Ok(Some((name, notice))) => {
            // The index lists the source of its notices.
            names.source(None);
            names.notice(&name, &notice, at);
        }
        Err(NoticeError::Name(error)) => names.refuse(KnownError::Name(error), at),
        Err(error) => names.refuse_object(KnownError::Notice(error), at),
    }
}
