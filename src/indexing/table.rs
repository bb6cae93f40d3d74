//! Reads names and notices from the rows of a delimited table, and names from lines.

use std::borrow::Cow;

use doisift_core::Doi;
use doisift_known::Notice;
use doisift_known::notices::{DateOrder, NoticeError, RetractionWatch};

use super::kind::NameColumns;
use super::names::Names;
use crate::error::KnownError;
use doisift_tables::{Row, TableItem, TableRows};

/// DataCite's states of registered names.
const REGISTERED: [&[u8]; 2] = [b"findable", b"registered"];

/// Reads the rows of a table.
pub(super) fn read(mut rows: TableRows<'_>, layout: &NameColumns, names: &mut Names<'_, '_>) {
    let mut notices = NoticeRows::default();
    while !names.is_halted()
        && let Some(item) = rows.next()
    {
        match item {
            TableItem::Lost(loss, at) => names.report_loss(loss.into(), at),
            TableItem::Row(row, at) => read_row(&row, layout, &mut notices, names, at),
        }
    }
    if let NameColumns::RetractionWatch(rows) = layout {
        notices.end(rows, names);
    }
}

fn read_row(
    row: &Row<'_>,
    layout: &NameColumns,
    notices: &mut NoticeRows,
    names: &mut Names<'_, '_>,
    at: u64,
) {
    match layout {
        NameColumns::Names(place) => {
            let cell = row.cell(place).ok().flatten();
            names.text(&cell.map(|cell| cell.text()).unwrap_or_default(), at);
        }
        NameColumns::DataCite { doi, state } => {
            if !REGISTERED.contains(&row.text(*state).trim_ascii()) {
                return names.count_draft();
            }
            names.bare_name("datacite", &row.text(*doi), at);
        }
        NameColumns::RetractionWatch(rows) => {
            let text = |text: Cow<'_, [u8]>| String::from_utf8_lossy(&text).into_owned();
            notices.take(rows, row.texts().map(text).collect(), names, at);
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
