//! The cells of a sheet in Office Open XML.
//!
//! Each cell with text is a document. The texts of its formula, which may be the target of a link, are another one, and so
//! are the attributes of a link on it. Numbers, dates and truth values are only passed on in tables.

use std::borrow::Cow;

use memchr::memchr;
use quick_xml::events::BytesStart;

use super::address::CellAddress;
use super::cell::{CellSink, MAX_CELL_BYTES};
use super::number::truth;
use super::page_header;
use super::strings::unescaped;
use super::workbook::Workbook;
use crate::fault::InputError;
use crate::read::ReadBytes;
use crate::xml::{XmlPiece, XmlReader, attribute, attributes};

/// Passes on the cells of a sheet. Returns false if the source should not be read further.
pub(super) fn read_cells(
    cells: CellSink<'_>,
    workbook: &Workbook,
    bytes: &mut dyn ReadBytes,
) -> bool {
    let mut sheet = SheetReader {
        cells,
        workbook,
        next: CellAddress::default(),
        cell: SheetCell::default(),
        reads: None,
        aside: Vec::new(),
        lacks_strings: false,
    };
    let mut xml = XmlReader::new(bytes);
    while sheet.cells.go_on {
        let offset = xml.offset();
        match xml.next_piece() {
            Ok(Some(XmlPiece::Start(tag))) => sheet.start(&tag),
            Ok(Some(XmlPiece::Text(text))) => sheet.text(offset, text.as_bytes()),
            Ok(Some(XmlPiece::End(tag))) => sheet.end(offset, tag.local_name().into_inner()),
            Ok(Some(XmlPiece::Other)) => {}
            Ok(None) => return true,
            Err(error) => {
                sheet.cells.report_loss(offset, error);
                return true;
            }
        }
    }
    false
}

/// The type of a cell's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SheetValue {
    #[default]
    Number,
    Boolean,
    /// An error, or a date as in ISO 8601.
    Other,
    /// The number of a shared text.
    Shared,
    /// A text, in the cell or the result of a formula.
    Text,
}

/// The element whose text is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextElement {
    Value,
    Inline,
    Formula,
    Phonetic,
    /// Text of the sheet outside of cells.
    Aside,
}

/// A cell that is being read.
#[derive(Default)]
struct SheetCell {
    value: SheetValue,
    /// The number of its format.
    style: u64,
    text: Vec<u8>,
    formula: Vec<u8>,
}

struct SheetReader<'c, 'a> {
    cells: CellSink<'c>,
    workbook: &'a Workbook,
    /// The place of the current cell, or of the next one if no cell is being read.
    next: CellAddress,
    cell: SheetCell,
    reads: Option<TextElement>,
    aside: Vec<u8>,
    /// Whether a missing shared text was reported.
    lacks_strings: bool,
}

impl<'a> SheetReader<'_, 'a> {
    fn start(&mut self, tag: &BytesStart<'_>) {
        match (tag.local_name().into_inner(), self.reads) {
            ("row", _) => self.row(tag),
            ("c", _) => self.start_cell(tag),
            ("v", _) => self.reads = Some(TextElement::Value),
            ("f", _) => self.reads = Some(TextElement::Formula),
            ("rPh", _) => self.reads = Some(TextElement::Phonetic),
            ("t", None) => self.reads = Some(TextElement::Inline),
            ("hyperlink", _) => self.link(tag),
            ("dataValidation", _) => self.messages(tag),
            (name, _) if is_aside(name) => self.reads = Some(TextElement::Aside),
            _ => {}
        }
    }

    /// Reads the messages of a rule for the values of a cell.
    fn messages(&mut self, tag: &BytesStart<'_>) {
        let names = ["promptTitle", "prompt", "errorTitle", "error"];
        for (name, text) in attributes(tag) {
            if names.contains(&name) {
                self.aside(&unescaped(text.as_bytes()));
            }
        }
    }

    fn aside(&mut self, text: &[u8]) {
        let name = format!("{}#text", self.cells.sheet);
        self.cells.text_outside_cells(&name, text);
    }

    fn row(&mut self, tag: &BytesStart<'_>) {
        let number = attribute(tag, "r").and_then(|value| number(value.as_bytes()));
        // A row without a number follows the last one. The place was already moved to it.
        let row = number.and_then(|number| u32::try_from(number.checked_sub(1)?).ok());
        self.next = CellAddress {
            row: row.unwrap_or(self.next.row),
            column: 0,
        };
    }

    fn start_cell(&mut self, tag: &BytesStart<'_>) {
        let (mut own, mut value, mut style) = (None, SheetValue::Number, 0);
        for (name, text) in attributes(tag) {
            match name {
                "r" => own = CellAddress::parse(text.as_bytes()),
                "s" => style = number(text.as_bytes()).unwrap_or(0),
                "t" => {
                    value = match &*text {
                        "s" => SheetValue::Shared,
                        "str" | "inlineStr" => SheetValue::Text,
                        "b" => SheetValue::Boolean,
                        "e" | "d" => SheetValue::Other,
                        _ => SheetValue::Number,
                    }
                }
                _ => {}
            }
        }
        self.next = own.unwrap_or(self.next);
        self.cell.value = value;
        self.cell.style = style;
        self.cell.text.clear();
        self.cell.formula.clear();
        self.reads = None;
    }

    fn text(&mut self, offset: u64, text: &[u8]) {
        let into = match self.reads {
            Some(TextElement::Value | TextElement::Inline) => &mut self.cell.text,
            Some(TextElement::Formula) => &mut self.cell.formula,
            Some(TextElement::Aside) => &mut self.aside,
            Some(TextElement::Phonetic) | None => return,
        };
        if into.len() + text.len() > MAX_CELL_BYTES {
            self.reads = None;
            let fault = "has a cell of more than 1 MiB; the rest of it was not read";
            return self.cells.report_loss(offset, InputError::Office(fault));
        }
        into.extend_from_slice(text);
    }

    fn end(&mut self, offset: u64, name: &str) {
        match (name, self.reads) {
            ("t", Some(TextElement::Phonetic)) => {}
            ("v" | "f" | "t" | "rPh", _) => self.reads = None,
            ("c", _) => self.end_cell(offset),
            (name, _) if is_aside(name) => {
                self.reads = None;
                let text = std::mem::take(&mut self.aside);
                if name.starts_with("formula") {
                    self.aside(&literals(&text))
                } else {
                    self.aside(&page_header::text(&text))
                }
            }
            ("row", _) => self.next.row = self.next.row.saturating_add(1),
            _ => {}
        }
    }

    fn end_cell(&mut self, offset: u64) {
        self.reads = None;
        let at = self.next;
        let cell = std::mem::take(&mut self.cell);
        let text = match cell.value {
            SheetValue::Number | SheetValue::Boolean | SheetValue::Other => {
                self.value(at, &cell);
                Cow::default()
            }
            SheetValue::Text => unescaped(&cell.text),
            SheetValue::Shared => self.shared(offset, &cell.text),
        };
        self.cells.text(at, "", &text);
        if memchr(b'"', &cell.formula).is_some() {
            self.cells.text(at, "#formula", &literals(&cell.formula));
        }
        self.next.column = at.column.saturating_add(1);
        self.cell = cell;
    }

    /// Passes on the value of a cell without text.
    fn value(&mut self, at: CellAddress, cell: &SheetCell) {
        if !self.cells.is_table() {
            return;
        }
        let text = cell.text.trim_ascii();
        let number = std::str::from_utf8(text).ok();
        let number = number.and_then(|digits| digits.parse::<f64>().ok());
        match (cell.value, number) {
            (SheetValue::Boolean, Some(value)) => self.cells.value(at, truth(value != 0.0)),
            (SheetValue::Number, Some(value)) => {
                let text = self.workbook.shown(cell.style, value);
                self.cells.value(at, text.as_bytes());
            }
            _ => self.cells.value(at, text),
        }
    }

    fn shared(&mut self, offset: u64, index: &[u8]) -> Cow<'a, [u8]> {
        let index = number(index).and_then(|index| usize::try_from(index).ok());
        if !self.workbook.holds_strings() {
            return Cow::default();
        }
        let workbook = self.workbook;
        match index.and_then(|index| workbook.string(index)) {
            Some(text) => Cow::Borrowed(text),
            None => {
                if !std::mem::replace(&mut self.lacks_strings, true) {
                    let fault = "has a cell whose shared text is missing";
                    self.cells.report_loss(offset, InputError::Office(fault));
                }
                Cow::default()
            }
        }
    }

    /// Reads the place in the target of a link and its shown text. The target itself is among the relationships.
    fn link(&mut self, tag: &BytesStart<'_>) {
        let (mut at, mut text) = (CellAddress::default(), Vec::new());
        for (name, value) in attributes(tag) {
            match name {
                "ref" => {
                    let first = value.split(':').next().unwrap_or_default();
                    at = CellAddress::parse(first.as_bytes()).unwrap_or_default();
                }
                "id" => {
                    if let Some(target) = self.workbook.link(self.cells.member(), &value) {
                        text.extend_from_slice(target.as_bytes());
                        text.extend_from_slice(b"\n\n");
                    }
                }
                "location" | "tooltip" | "display" => {
                    text.extend_from_slice(value.as_bytes());
                    text.extend_from_slice(b"\n\n");
                }
                _ => {}
            }
        }
        self.cells.text(at, "#link", &text);
    }
}

/// Whether an element has text of a sheet outside of cells: headers and footers, and the formulas of rules for cells.
fn is_aside(name: &str) -> bool {
    matches!(
        name,
        "oddHeader"
            | "evenHeader"
            | "firstHeader"
            | "oddFooter"
            | "evenFooter"
            | "firstFooter"
            | "formula"
            | "formula1"
            | "formula2"
    )
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits.trim_ascii()).ok()?.parse().ok()
}

/// Returns the texts in a formula, in which quotes are doubled. Joined texts are one, and an empty line follows each.
pub(super) fn literals(formula: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = formula;
    while let Some(start) = memchr(b'"', rest) {
        rest = &rest[start + 1..];
        let end = memchr(b'"', rest).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
        let after = rest.trim_ascii_start();
        match after.strip_prefix(b"&").map(<[u8]>::trim_ascii_start) {
            _ if rest.starts_with(b"\"") => out.push(b'"'),
            Some([b'"', ..]) => {}
            _ => out.extend_from_slice(b"\n\n"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_formulas_are_found_and_joined() {
        for (formula, texts) in [
            (r#"HYPERLINK("a""b","c")"#, "a\"b\n\nc\n\n"),
            (r#"HYPERLINK("a" & "b"&A1)"#, "ab\n\n"),
            (r#"A1&"open"#, "open\n\n"),
            ("A1", ""),
        ] {
            assert_eq!(literals(formula.as_bytes()), texts.as_bytes(), "{formula}");
        }
    }
}
