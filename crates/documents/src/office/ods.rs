//! The cells of the sheets of an OpenDocument spreadsheet.
//!
//! Each cell with text is a document: its paragraphs, with those of its notes and the targets of its links. The texts of
//! its formula are another one. Text outside of cells is passed on as text of the member.

use memchr::memmem;
use quick_xml::events::BytesStart;

use super::address::CellAddress;
use super::cell::{CellSink, MAX_CELL_BYTES};
use super::number::{decimal, truth};
use super::prose::{ParagraphWriter, ProseDialect};
use super::sheet::literals;
use crate::fault::InputError;
use crate::read::ReadBytes;
use crate::xml::{XmlPiece, XmlReader, attribute};

/// Passes on the cells of the sheets; as a table only those of the sheet `only`, from 0. Returns false if the source should
/// not be read further.
pub(super) fn read_cells(cells: CellSink<'_>, only: usize, bytes: &mut dyn ReadBytes) -> bool {
    let paragraphs = if cells.is_table() {
        ParagraphWriter::of_cells()
    } else {
        ParagraphWriter::new(ProseDialect::Odf)
    };
    let mut reader = OdsReader {
        cells,
        only,
        sheets: 0,
        next: CellAddress::default(),
        rows: 1,
        row: Vec::new(),
        held: 0,
        cell: None,
        embedded: None,
        paragraphs,
        text: Vec::new(),
    };
    let mut xml = XmlReader::new(bytes);
    while reader.cells.go_on {
        let (offset, depth) = (xml.offset(), xml.depth());
        match xml.next_piece() {
            Ok(Some(XmlPiece::Start(tag))) => reader.start(&tag, depth + 1),
            Ok(Some(XmlPiece::Text(text))) => reader.text(text.as_bytes()),
            Ok(Some(XmlPiece::End(tag))) => reader.end(tag.local_name().into_inner(), depth),
            Ok(Some(XmlPiece::Other)) => {}
            Ok(None) => {
                reader.finish();
                return reader.cells.go_on;
            }
            Err(error) => {
                reader.cells.report_loss(offset, error);
                return reader.cells.go_on;
            }
        }
        reader.check(offset);
    }
    false
}

/// A cell that is being read.
struct OdsCell {
    depth: u64,
    /// Number of columns with this cell.
    columns: u32,
    /// Its value if it is not a text.
    value: Option<Vec<u8>>,
    formula: String,
    /// Whether it was too long.
    is_cut: bool,
}

struct OdsReader<'a> {
    cells: CellSink<'a>,
    only: usize,
    /// Sheets so far.
    sheets: usize,
    next: CellAddress,
    /// Number of rows like the current one.
    rows: u32,
    /// The cells of a table's row that is repeated: column, number of columns, and text.
    row: Vec<(u32, u32, Vec<u8>)>,
    /// Bytes of the cells of the row.
    held: usize,
    cell: Option<OdsCell>,
    /// The depth of an embedded document, such as a chart. Its tables are text.
    embedded: Option<u64>,
    paragraphs: ParagraphWriter,
    /// The text of the cell, or between cells.
    text: Vec<u8>,
}

impl OdsReader<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, depth: u64) {
        // A table may be in a cell, and is part of its text.
        let is_outer = self.cell.is_none() && self.embedded.is_none();
        let name = tag.local_name().into_inner();
        if name == "object" {
            self.embedded.get_or_insert(depth);
        }
        match name {
            "table" if is_outer => self.start_sheet(tag),
            "table-row" if is_outer => {
                self.next.column = 0;
                self.rows = count(tag, "number-rows-repeated");
                self.held = 0;
            }
            "table-cell" | "covered-table-cell" if is_outer => {
                self.finish();
                self.cell = Some(OdsCell::new(tag, depth));
            }
            _ => self.paragraphs.start(tag, depth),
        }
    }

    fn start_sheet(&mut self, tag: &BytesStart<'_>) {
        self.cells.sheet = attribute(tag, "name").unwrap_or_default().into_owned();
        self.sheets += 1;
        self.next = CellAddress::default();
    }

    fn text(&mut self, text: &[u8]) {
        let is_cut = self.cell.as_ref().is_some_and(|cell| cell.is_cut);
        if !is_cut {
            self.paragraphs.text(text, &mut self.text);
        }
    }

    fn end(&mut self, name: &str, depth: u64) {
        match name {
            "table-cell" | "covered-table-cell" => {
                if let Some(cell) = self.cell.take_if(|cell| depth <= cell.depth) {
                    return self.end_cell(cell);
                }
            }
            "table-row" if self.cell.is_none() && self.embedded.is_none() => self.end_row(),
            _ => {}
        }
        self.embedded = self.embedded.filter(|object| depth > *object);
        self.paragraphs.end(name, depth, &mut self.text);
    }

    fn end_cell(&mut self, cell: OdsCell) {
        self.paragraphs.finish(&mut self.text);
        let text = std::mem::take(&mut self.text);
        let text = text.trim_ascii_end();
        let column = self.next.column;
        self.next.column = column.saturating_add(cell.columns);
        if self.cells.is_table() {
            if self.sheets == self.only + 1 {
                self.put(column, cell, text);
            }
            return;
        }
        let at = CellAddress {
            column,
            ..self.next
        };
        let is_number = cell.value.is_some() && memmem::find(text, b"\n\n").is_none();
        if !is_number {
            self.cells.text(at, "", text);
        }
        self.cells
            .text(at, "#formula", &literals(cell.formula.as_bytes()));
    }

    /// Adds a cell to the row of a table.
    fn put(&mut self, column: u32, cell: OdsCell, text: &[u8]) {
        let text = cell.value.unwrap_or_else(|| text.to_vec());
        if text.is_empty() {
            return;
        }
        self.held += text.len();
        if self.rows > 1 && self.held > MAX_CELL_BYTES {
            let fault =
                "has a row of more than 1 MiB that stands for several; save the sheet as CSV";
            self.cells.go_on = false;
            return self.cells.report_loss(0, InputError::Office(fault));
        }
        if self.rows > 1 {
            return self.row.push((column, cell.columns, text));
        }
        self.put_columns(self.next.row, column, cell.columns, &text);
    }

    fn put_columns(&mut self, row: u32, column: u32, count: u32, text: &[u8]) {
        for column in (column..).take(count as usize) {
            if !self.cells.go_on {
                return;
            }
            self.cells.value(CellAddress { row, column }, text);
        }
    }

    fn end_row(&mut self) {
        let (cells, start) = (std::mem::take(&mut self.row), self.next.row);
        self.next.row = start.saturating_add(self.rows);
        if !cells.is_empty() {
            for row in start..self.next.row {
                for (column, count, text) in &cells {
                    self.put_columns(row, *column, *count, text);
                }
                if !self.cells.go_on {
                    return;
                }
            }
        }
    }

    /// Passes on the text outside of cells.
    fn finish(&mut self) {
        self.paragraphs.finish(&mut self.text);
        let text = std::mem::take(&mut self.text);
        self.cells.text_outside_cells(self.cells.member(), &text);
    }

    /// Reports a limit that the text exceeded.
    fn check(&mut self, offset: u64) {
        if let Some(fault) = self.paragraphs.take_fault() {
            self.cells.report_loss(offset, fault);
        }
        if self.text.len() <= MAX_CELL_BYTES {
            return;
        }
        match &mut self.cell {
            None => self.finish(),
            Some(cell) if !cell.is_cut => {
                cell.is_cut = true;
                let fault = "has a cell of more than 1 MiB; the rest of it was not read";
                self.cells.report_loss(offset, InputError::Office(fault));
            }
            Some(_) => {}
        }
    }
}

impl OdsCell {
    fn new(tag: &BytesStart<'_>, depth: u64) -> Self {
        OdsCell {
            depth,
            columns: count(tag, "number-columns-repeated"),
            value: value(tag),
            formula: attribute(tag, "formula").unwrap_or_default().into_owned(),
            is_cut: false,
        }
    }
}

/// Returns the value of a cell without text.
fn value(tag: &BytesStart<'_>) -> Option<Vec<u8>> {
    let kind = attribute(tag, "value-type")?;
    let attribute = |name| attribute(tag, name).unwrap_or_default();
    let value = match &*kind {
        "string" => return None,
        "date" => attribute("date-value").replacen('T', " ", 1),
        "time" => attribute("time-value").into_owned(),
        "boolean" => return Some(truth(attribute("boolean-value") == "true").to_vec()),
        _ => {
            let value = attribute("value");
            value.parse().map_or(value.into_owned(), decimal)
        }
    };
    Some(value.into_bytes())
}

/// Returns the number of rows or columns that an element repeats.
fn count(tag: &BytesStart<'_>, name: &str) -> u32 {
    let digits = attribute(tag, name).unwrap_or_default();
    digits.parse().unwrap_or(1)
}
