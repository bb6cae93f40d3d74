//! Reads delimited tables whose rows are records, such as the exports of Scopus and Web of Science.
//!
//! The first row names the columns. A record starts with a row, and a list of references is in one cell. In a table of commas a cell
//! may be in quotes; in one of tabs a quote is text, as these programs write it.

use std::sync::Arc;

use memchr::memchr3;

use super::place::{BytePlace, Event, MAX_NAME_BYTES, identify, keep_within};
use super::references::ReferenceList;
use super::stack;
use super::table::{Meaning, TABLE};
use super::wanted::{MAX_CAPTURED_BYTES, StructureRequest};

/// Max columns that are known by their names. Further ones are text.
const MAX_COLUMNS: usize = 4096;
/// Columns that a table with records has: one for names, and one for the identifiers of the program that wrote it.
const RANKS: [Meaning; 2] = [Meaning::Id(0), Meaning::Id(1)];

/// Whether a table with this head has records, by the columns in its first row.
pub(super) fn has_records(head: &[u8], delimiter: u8) -> bool {
    let end = memchr::memchr2(b'\n', b'\r', head).unwrap_or(head.len());
    let columns = head[..end].split(|byte| *byte == delimiter);
    let meanings: Vec<_> = columns.map(|name| meaning_of(unquoted(name))).collect();
    RANKS.iter().all(|rank| meanings.contains(rank))
}

/// Returns the name of a column without quotes and blanks around it.
fn unquoted(name: &[u8]) -> &[u8] {
    let name = name.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(name);
    let name = name.trim_ascii();
    let inner = name.strip_prefix(b"\"");
    inner.map_or(name, |name| name.strip_suffix(b"\"").unwrap_or(name))
}

fn meaning_of(name: &[u8]) -> Meaning {
    let listed = TABLE.iter().find(|(column, _)| column.as_bytes() == name);
    listed.map_or(Meaning::Plain, |(_, meaning)| *meaning)
}

/// The reader of a document.
pub(crate) struct Delimited {
    delimiter: u8,
    /// The columns; `None` while the first row is read.
    columns: Option<Vec<TableColumn>>,
    header: Vec<TableColumn>,
    /// The number of the column.
    column: usize,
    state: CellState,
    is_record: bool,
    list: ReferenceList,
    captured: Vec<u8>,
    request: Arc<StructureRequest>,
    /// Offset of the current cell in the document.
    cell: u64,
    offset: u64,
}

struct TableColumn {
    name: Box<[u8]>,
    meaning: Meaning,
    /// Whether its cells are wanted.
    is_field: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellState {
    /// Before the first byte.
    Start,
    Plain,
    Quoted,
    /// After a quote in a quoted cell, which ends it, is doubled, or is text: then the next quote continues the cell, as R writes them.
    AfterQuote,
}

impl Delimited {
    pub(super) fn new(delimiter: u8, request: &Arc<StructureRequest>) -> Delimited {
        Delimited {
            delimiter,
            columns: None,
            header: Vec::new(),
            column: 0,
            state: CellState::Start,
            is_record: false,
            list: ReferenceList::default(),
            captured: Vec::new(),
            request: Arc::clone(request),
            cell: 0,
            offset: 0,
        }
    }

    pub(super) fn read(&mut self, bytes: &[u8], report: &mut dyn FnMut(Event<'_>)) {
        let mut at = 0;
        while at < bytes.len() {
            at += self.unread_text(&bytes[at..]);
            if let Some(&byte) = bytes.get(at) {
                self.byte(byte, self.offset + at as u64, report);
            }
            at += 1;
        }
        self.offset += bytes.len() as u64;
    }

    /// Returns the number of bytes of the cell that are not looked at.
    fn unread_text(&self, bytes: &[u8]) -> usize {
        let ends = match self.state {
            _ if self.is_kept() => return 0,
            CellState::Start | CellState::AfterQuote => return 0,
            CellState::Plain => [self.delimiter, b'\n', b'\r'],
            CellState::Quoted => [b'"'; 3],
        };
        memchr3(ends[0], ends[1], ends[2], bytes).unwrap_or(bytes.len())
    }

    fn byte(&mut self, byte: u8, here: u64, report: &mut dyn FnMut(Event<'_>)) {
        match (self.state, byte) {
            (CellState::Start, b'"') if self.delimiter != b'\t' => {
                self.start_row(report);
                (self.state, self.cell) = (CellState::Quoted, here + 1);
            }
            (CellState::Quoted, b'"') => self.state = CellState::AfterQuote,
            (CellState::AfterQuote, b'"') => {
                self.state = CellState::Quoted;
                self.text(byte, here, report);
            }
            (CellState::Quoted, _) => self.text(byte, here, report),
            // The two bytes of a CRLF end a row and a line without bytes. Exports for old Macs have CR alone.
            (_, b'\n' | b'\r') => self.end_row(here, report),
            (_, byte) if byte == self.delimiter => {
                self.start_row(report);
                self.end_cell(here, report);
            }
            (state, _) => {
                self.start_row(report);
                if state == CellState::Start {
                    (self.state, self.cell) = (CellState::Plain, here);
                }
                self.text(byte, here, report);
            }
        }
    }

    fn start_row(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if self.columns.is_some() && !std::mem::replace(&mut self.is_record, true) {
            self.list = ReferenceList::default();
            report(Event::Open);
        }
    }

    fn text(&mut self, byte: u8, here: u64, report: &mut dyn FnMut(Event<'_>)) {
        if self.meaning() == Meaning::Reference {
            self.cited(byte, here, report);
        }
        if self.is_kept() {
            keep_within(&mut self.captured, MAX_CAPTURED_BYTES, &[byte]);
        }
    }

    /// Reads a byte of a list of references, which a semicolon and a blank end.
    fn cited(&mut self, byte: u8, here: u64, report: &mut dyn FnMut(Event<'_>)) {
        let is_blank = byte.is_ascii_whitespace();
        if self.list.ends_at_semicolon(byte) {
            self.list.end(here, &self.request, report);
        }
        if !is_blank && !self.list.is_open() {
            let name = self.open_column().map(|column| &*column.name);
            let path = String::from_utf8_lossy(name.unwrap_or_default()).into_owned();
            self.list.start(here, &path, &self.request, report);
        }
        self.list.take(byte, &self.request);
    }

    fn end_cell(&mut self, end: u64, report: &mut dyn FnMut(Event<'_>)) {
        self.list.end(end, &self.request, report);
        match &self.columns {
            None if self.header.len() < MAX_COLUMNS => {
                let column = self.named_column();
                self.header.push(column);
            }
            None => {}
            Some(columns) => {
                if let Some(column) = columns.get(self.column) {
                    column.report((&self.captured, self.cell), &self.request, report);
                }
            }
        }
        self.captured.clear();
        self.column += 1;
        (self.state, self.cell) = (CellState::Start, end + 1);
    }

    /// The column that the current cell of the first row names.
    fn named_column(&self) -> TableColumn {
        let name = unquoted(&self.captured);
        let name = &name[..name.len().min(MAX_NAME_BYTES)];
        let listed = meaning_of(name);
        let id = self
            .request
            .id
            .as_ref()
            .and_then(|id| id.steps().next_back());
        TableColumn {
            meaning: match id {
                Some(id) if id.as_bytes() == name => Meaning::Id(0),
                Some(_) => listed.without_id(),
                None => listed,
            },
            is_field: self.request.fields_named(name).next().is_some(),
            name: name.into(),
        }
    }

    fn end_row(&mut self, end: u64, report: &mut dyn FnMut(Event<'_>)) {
        if self.columns.is_none() {
            self.end_cell(end, report);
            self.columns = Some(std::mem::take(&mut self.header));
        } else if self.is_record {
            self.end_cell(end, report);
            report(Event::Close);
        }
        (self.column, self.is_record, self.state) = (0, false, CellState::Start);
    }

    pub(super) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        if self.state == CellState::Quoted {
            report(Event::Broken(self.cell.saturating_sub(1)));
        }
        self.end_row(self.offset, report);
    }

    fn open_column(&self) -> Option<&TableColumn> {
        self.columns.as_ref()?.get(self.column)
    }

    fn meaning(&self) -> Meaning {
        self.open_column()
            .map_or(Meaning::Plain, |column| column.meaning)
    }

    /// Whether the text of the cell is kept.
    fn is_kept(&self) -> bool {
        let is_read = |column: &TableColumn| {
            column.is_field || matches!(column.meaning, Meaning::Id(_) | Meaning::Reference)
        };
        match &self.columns {
            None => true,
            Some(columns) => columns.get(self.column).is_some_and(is_read),
        }
    }

    /// Returns the place of the next byte.
    pub(super) fn place(&self) -> BytePlace {
        let meaning = self.meaning();
        let reference = (meaning == Meaning::Reference).then(|| self.list.next_index());
        match self.columns {
            Some(_) => stack::place(meaning, reference, false),
            None => BytePlace::default(),
        }
    }

    /// Appends the path of the next byte.
    pub(super) fn path(&self, path: &mut String) {
        if let Some(column) = self.open_column() {
            stack::push(&column.name, path);
        }
    }
}

impl TableColumn {
    /// Reports a cell, and its offset in the document, if it is an identifier or a wanted field.
    fn report(
        &self,
        (text, offset): (&[u8], u64),
        request: &StructureRequest,
        report: &mut dyn FnMut(Event<'_>),
    ) {
        if let Meaning::Id(rank) = self.meaning
            && text.len() < MAX_NAME_BYTES
        {
            identify(rank, text, report);
        }
        if self.is_field {
            request.report_named(&self.name, (text, offset), report);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Role, Structure, Syntax};

    const SCOPUS: &str = "\u{FEFF}\"Authors\",\"DOI\",\"References\",\"EID\"\r\n\
        \"A \"\"B\"\"; C\",\"10.5555/a\",\"One, 10.5555/x; Two;\nmore, 10.5555/y\",\"2-s2.0-1\"\r\n\
        D,,,2-s2.0-2\r\n";
    const WEB_OF_SCIENCE: &str = "PT\tCR\tDI\tUT\r\n\
        J\t\"One, DOI [10.5555/x, 10.5555/y]; Two, DOI 10.5555/z\t10.5555/a\tWOS:1\r\n\r\n";

    /// Reads a table in pieces of `step` bytes. Returns its events, and the places of its names with their paths.
    fn read(text: &str, step: usize) -> (Vec<String>, Vec<(BytePlace, String)>) {
        let syntax = Syntax::of_table(text.as_bytes()).unwrap();
        let request = StructureRequest {
            texts: true,
            paths: true,
            ..StructureRequest::default()
        };
        let mut structure = Structure::new(syntax, &request.into());
        let (mut events, mut places) = (Vec::new(), Vec::new());
        let mut report = |event: Event<'_>| {
            events.push(match event {
                Event::Id { rank, text } => format!("{rank} {text}"),
                Event::Part { text, .. } => text.to_owned(),
                Event::Item {
                    reference, path, ..
                } => format!("{path} {reference:?}"),
                Event::Broken(offset) => format!("broken {offset}"),
                Event::Open => "open".to_owned(),
                Event::Close => "close".to_owned(),
                _ => return,
            });
        };
        let names = text.match_indices("10.").map(|(at, _)| at);
        let mut stops: Vec<usize> = (0..text.len()).step_by(step).chain(names.clone()).collect();
        stops.extend([text.len()]);
        stops.sort_unstable();
        stops.dedup();
        let mut at = 0;
        for stop in stops {
            structure.read(&text.as_bytes()[at..stop], stop - at, &mut report);
            at = stop;
            if names.clone().any(|name| name == at) {
                let mut path = String::new();
                structure.path(&mut path);
                places.push((structure.place(), path));
            }
        }
        structure.end(&mut report);
        places.dedup();
        (events, places)
    }

    #[test]
    fn rows_are_records_with_references() {
        for step in [1, 2, 7, 1000] {
            let (events, places) = read(SCOPUS, step);
            let expected = [
                "open",
                "0 10.5555/a",
                "References Some(0)",
                "One, 10.5555/x",
                "References Some(1)",
                "Two",
                "References Some(2)",
                "more, 10.5555/y",
                "1 2-s2.0-1",
                "close",
                "open",
                "1 2-s2.0-2",
                "close",
            ];
            assert_eq!(events, expected, "{step}");
            let roles: Vec<_> = places
                .iter()
                .map(|(place, path)| (place.role, place.asserted, place.reference, &**path))
                .collect();
            let cited = |index| (Role::Reference, false, Some(index), "References");
            assert_eq!(roles, [(Role::Own, true, None, "DOI"), cited(0), cited(2)]);
        }
    }

    #[test]
    fn rows_end_at_lf_crlf_or_cr() {
        let (events, _) = read(WEB_OF_SCIENCE, 1);
        for (end, step) in [("\n", 1), ("\n", 1000), ("\r", 1), ("\r", 1000)] {
            let text = WEB_OF_SCIENCE.replace("\r\n", end);
            assert_eq!(read(&text, step).0, events, "{end:?}");
        }
    }

    #[test]
    fn columns_have_the_names_of_every_export() {
        let headers = [
            "文献标题,DOI,链接,参考文献,EID",
            "文獻標題,DOI,連結,參考文獻,EID",
            "\"Название\",\"DOI\",\"Ссылка\",\"Пристатейные ссылки\",\"EID\"",
            "Article Title,DOI,DOI Link,Cited References,UT (Unique WOS ID)",
            "Article Title;DOI;DOI Link;Cited References;UT (Unique ID)",
            "TI\tDI\tDL\tCR\tUT",
        ];
        for header in headers {
            let delimiter = ["\t", ";", ","]
                .into_iter()
                .find(|one| header.contains(one));
            let cells = ["A", "10.5555/a", "10.5555/a", "One, 10.5555/x", "id"];
            let text = format!("{header}\n{}\n", cells.join(delimiter.unwrap()));
            let text = match delimiter {
                Some(",") => text.replace("One, 10.5555/x", "\"One, 10.5555/x\""),
                _ => text,
            };
            let (events, places) = read(&text, 3);
            assert!(events.contains(&"1 id".to_owned()), "{header}: {events:?}");
            let roles: Vec<_> = places.iter().map(|(place, _)| place.role).collect();
            assert_eq!(roles, [Role::Own, Role::Own, Role::Reference], "{header}");
        }
    }

    #[test]
    fn quotes_are_text_in_tables_of_tabs() {
        for step in [1, 5, 1000] {
            let (events, places) = read(WEB_OF_SCIENCE, step);
            let expected = [
                "open",
                "CR Some(0)",
                "\"One, DOI [10.5555/x, 10.5555/y]",
                "CR Some(1)",
                "Two, DOI 10.5555/z",
                "0 10.5555/a",
                "1 WOS:1",
                "close",
            ];
            assert_eq!(events, expected, "{step}");
            let indices: Vec<_> = places.iter().map(|(place, _)| place.reference).collect();
            assert_eq!(indices, [Some(0), Some(1), None]);
        }
    }

    #[test]
    fn other_tables_have_no_records() {
        for head in ["doi,title\n", "DOI,References\n", "EID,Title\n", ""] {
            assert_eq!(Syntax::of_table(head.as_bytes()), None, "{head}");
        }
    }
}
