//! The interface between the input stage and its caller: documents, losses and notes.

use std::sync::Arc;

use super::claim::{ActualContent, ClaimedFormat};
use super::columnar::CellBatch;
use super::fault::InputError;
use super::name::shortened_name;
use super::read::ReadBytes;

/// The WARC record that holds a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarcRecord {
    /// The WARC-Record-ID without its angle brackets; `None` if the record has none, or a very long one.
    pub id: Option<String>,
    /// The WARC-Date; `None` if the record has none.
    pub date: Option<String>,
}

/// Facts about a document, or about all rows of a table, apart from the bytes.
#[derive(Clone, Debug, Default)]
pub struct DocumentHead {
    /// The name; `None` for the source itself.
    pub name: Option<Arc<str>>,
    /// How the text came about, if its bytes do not show it.
    pub origin: Option<TextOrigin>,
    /// The encoding from which the text is converted to UTF-8, as its byte order mark says; `None` if it is not converted.
    pub encoding: Option<&'static str>,
    /// The WARC record that holds the document, if there is one and
    /// [`ReadOptions::reports_records`](super::ReadOptions) is set.
    pub record: Option<Arc<WarcRecord>>,
}

/// Consumes the documents of a source, in their order.
pub trait DocumentSink {
    /// Reads a document to its end. An error of a read reports damage. The next read continues after it, or returns the end.
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes);

    /// Begins a document in several parts: each of the next texts is a part of it.
    fn begin_parts(&mut self) {}

    /// Ends a document in several parts.
    fn end_parts(&mut self) {}

    /// Reads the cells of some rows of a table, which come in order; each row is a document. `table` is the head of the
    /// table.
    fn cells(&mut self, table: &DocumentHead, batch: CellBatch) {
        let mut cells = batch.cells().to_vec();
        cells.sort_by_key(|cell| (cell.row, cell.column));
        for cell in cells {
            let mut name = String::new();
            write_row_name(table.name.as_ref(), &batch, cell.row, &mut name);
            let head = DocumentHead {
                name: Some(name.into()),
                ..table.clone()
            };
            self.document(head, &mut batch.text(&cell));
        }
    }

    /// Reports the end of a table of this many rows.
    fn end_table(&mut self, _rows: u64) {}

    /// Reports a loss at `offset` of the document or container `name`; `None` is the source itself.
    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError);

    /// Reports, at the end of the source, that the names of this many documents were cut.
    fn report_cut_names(&mut self, _count: u64) {}

    /// Reports a document that is not text.
    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str);

    /// Reports an observation about the start of a stream. Ignored by default.
    fn note(&mut self, _name: Option<Arc<str>>, _note: SourceNote) {}

    /// Whether the task must end, so that further reading is useless.
    fn is_halted(&self) -> bool {
        false
    }
}

/// Writes the document name of a row of a table.
pub fn write_row_name(table: Option<&Arc<str>>, batch: &CellBatch, row: u32, into: &mut String) {
    if let Some(table) = table {
        into.push_str(table);
        into.push_str("!/");
    }
    batch.write_row_name(row, into);
    if let Some(cut) = shortened_name(into) {
        *into = cut;
    }
}

/// How the text of a document came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOrigin {
    /// It is a printed page. Its layout made the line ends: a paragraph continues after a line end, and ends with an empty
    /// line.
    Page,
    /// It is the metadata of a file: fields, and XML.
    Metadata,
    /// It is a web page, maybe after other fields.
    Web,
    /// It is a cell, or paragraphs with an empty line after each, as in RTF.
    Office,
    /// It is a sheet of a workbook of this many sheets, as comma-separated text in UTF-8.
    Sheet(usize),
}

/// An observation about the start of a stream.
#[derive(Clone, Copy, Debug)]
pub enum SourceNote {
    /// The recognised kind of the source.
    Source(&'static str),
    /// The stream is not what its name claims.
    Misnamed(&'static ClaimedFormat, ActualContent),
    /// The stream looks like text in this encoding without a byte order mark, and is read as single bytes.
    Unmarked(&'static str),
    /// The source has no bytes, or unpacks to no bytes.
    Empty,
}
