//! The cells of the sheets of an OpenDocument spreadsheet.
//!
//! Each cell with text is a document: its paragraphs, with those of its notes and the targets of its links. The texts of its
//! formula are another one. What is in no cell is passed on as text of the member.

use std::io::Read;

use memchr::memmem;

use super::cell::{CELL, CellPlace, SheetPlace};
use super::prose::{Dialect, ParagraphWriter};
use super::sheet::literals;
use super::xml::{Piece, Tag, XmlReader};
use crate::input::container::Members;
use crate::input::documents::Origin;
use crate::input::fault::InputError;

/// Passes on the cells of the member at `place`. Returns false if the source should not be read further.
pub(super) fn read(walk: &mut dyn Members, place: SheetPlace<'_>, bytes: &mut dyn Read) -> bool {
    let mut reader = OdsReader {
        place,
        sheet: String::new(),
        next: CellPlace::default(),
        rows: 1,
        cell: None,
        paragraphs: ParagraphWriter::new(Dialect::Odf),
        text: Vec::new(),
        go_on: true,
    };
    let mut xml = XmlReader::new(bytes);
    while reader.go_on {
        let (offset, depth) = (xml.offset(), xml.depth());
        match xml.next() {
            Ok(Some(Piece::Start(tag))) => reader.start(walk, tag, depth + 1),
            Ok(Some(Piece::Text(text))) => reader.text(text),
            Ok(Some(Piece::End(name))) => reader.end(walk, name, depth),
            Ok(None) => {
                reader.finish(walk);
                return reader.go_on;
            }
            Err(error) => place.lose(walk, offset, error.into()),
        }
        reader.check(walk, offset);
    }
    false
}

/// A cell that is being read.
struct OdsCell {
    depth: u64,
    /// How many columns it stands for.
    columns: u32,
    /// Whether its value is a number or the like.
    is_number: bool,
    formula: Vec<u8>,
    /// Whether it was too long.
    is_cut: bool,
}

struct OdsReader<'a> {
    place: SheetPlace<'a>,
    sheet: String,
    next: CellPlace,
    /// How many rows the current one stands for.
    rows: u32,
    cell: Option<OdsCell>,
    paragraphs: ParagraphWriter,
    /// The text of the cell, or between cells.
    text: Vec<u8>,
    go_on: bool,
}

impl OdsReader<'_> {
    fn start(&mut self, walk: &mut dyn Members, tag: Tag<'_>, depth: u64) {
        // A table may be in a cell, which has its text.
        match tag.name {
            b"table" if self.cell.is_none() => self.start_sheet(tag),
            b"table-row" if self.cell.is_none() => {
                self.next.column = 0;
                self.rows = count(tag, "number-rows-repeated");
            }
            b"table-cell" | b"covered-table-cell" if self.cell.is_none() => {
                self.finish(walk);
                self.cell = Some(OdsCell::new(tag, depth));
            }
            _ => self.paragraphs.start(tag, depth),
        }
    }

    fn start_sheet(&mut self, tag: Tag<'_>) {
        let name = tag.attribute("name").unwrap_or_default();
        self.sheet = String::from_utf8_lossy(&name).into_owned();
        self.next = CellPlace::default();
    }

    fn text(&mut self, text: &[u8]) {
        let is_cut = self.cell.as_ref().is_some_and(|cell| cell.is_cut);
        if !is_cut {
            self.paragraphs.text(text, &mut self.text);
        }
    }

    fn end(&mut self, walk: &mut dyn Members, name: &[u8], depth: u64) {
        match name {
            b"table-cell" | b"covered-table-cell" => {
                if let Some(cell) = self.cell.take_if(|cell| depth <= cell.depth) {
                    return self.end_cell(walk, &cell);
                }
            }
            b"table-row" if self.cell.is_none() => {
                self.next.row = self.next.row.saturating_add(self.rows);
            }
            _ => {}
        }
        self.paragraphs.end(name, depth, &mut self.text);
    }

    fn end_cell(&mut self, walk: &mut dyn Members, cell: &OdsCell) {
        self.paragraphs.finish(&mut self.text);
        let text = std::mem::take(&mut self.text);
        let text = text.trim_ascii_end();
        let is_number = cell.is_number && memmem::find(text, b"\n\n").is_none();
        if !is_number {
            self.pass(walk, "", text);
        }
        self.pass(walk, "#formula", &literals(&cell.formula));
        self.next.column = self.next.column.saturating_add(cell.columns);
    }

    fn pass(&mut self, walk: &mut dyn Members, what: &str, text: &[u8]) {
        if !text.is_empty() {
            self.go_on &= self.place.cell(walk, &self.sheet, self.next, what, text);
        }
    }

    /// Passes on the text that is in no cell.
    fn finish(&mut self, walk: &mut dyn Members) {
        self.paragraphs.finish(&mut self.text);
        let text = std::mem::take(&mut self.text);
        if !text.trim_ascii().is_empty() {
            let name = Some(self.place.member);
            let origin = Some(Origin::Office);
            self.go_on &= walk.text(self.place.level, name, origin, &mut &text[..]);
        }
    }

    /// Reports what is too long to be held.
    fn check(&mut self, walk: &mut dyn Members, offset: u64) {
        if let Some(fault) = self.paragraphs.take_fault() {
            self.place.lose(walk, offset, fault);
        }
        if self.text.len() <= CELL {
            return;
        }
        match &mut self.cell {
            None => self.finish(walk),
            Some(cell) if !cell.is_cut => {
                cell.is_cut = true;
                let fault = "has a cell of more than 1 MiB; the rest of it was not read";
                self.place.lose(walk, offset, InputError::Office(fault));
            }
            Some(_) => {}
        }
    }
}

impl OdsCell {
    fn new(tag: Tag<'_>, depth: u64) -> Self {
        let kind = tag.attribute("value-type");
        OdsCell {
            depth,
            columns: count(tag, "number-columns-repeated"),
            is_number: kind.is_some_and(|kind| kind != b"string"),
            formula: tag.attribute("formula").unwrap_or_default(),
            is_cut: false,
        }
    }
}

/// How many rows or columns an element stands for.
fn count(tag: Tag<'_>, name: &str) -> u32 {
    let digits = tag.attribute(name).unwrap_or_default();
    let count = std::str::from_utf8(&digits).ok();
    count.and_then(|digits| digits.parse().ok()).unwrap_or(1)
}
