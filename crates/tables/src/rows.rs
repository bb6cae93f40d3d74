//! Cuts blocks of a table into rows, and takes the cell of a column from each.

use std::borrow::Cow;
use std::ops::Range;

use doisift_documents::ReadBuffer;
use memchr::memchr;

use super::blocks::{BlockSizes, RawText, RowBlocks};
use super::column::named_column;
use super::dialect::Dialect;
use super::elements::{ElementSplitter, element};
use super::fault::{CellFault, RowLoss, TableFault};
use super::format::TableReading;
use super::header::{TableHead, table_bytes};
use super::json::{self, MemberPath};

/// Cuts whole rows, block by block, without the header and blank rows.
pub struct RowCutter {
    reading: TableReading,
    /// Whether the next row is the header.
    is_header: bool,
    /// Bytes of the block that were cut.
    at: usize,
    elements: ElementSplitter,
    /// Whether the block starts with the array.
    is_first: bool,
    /// The cells of the current row.
    cells: Vec<Range<usize>>,
}

/// A row of a table.
pub struct Row<'b> {
    reading: TableReading,
    block: &'b [u8],
    range: Range<usize>,
    cells: &'b [Range<usize>],
}

/// The place of the cell that is wanted in each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellPlace {
    /// The column with this number, from 0. A line that is a text is one cell.
    Column(usize),
    /// A member of the object.
    Member(MemberPath),
}

/// A cell, or a value of JSON.
#[derive(Clone, Copy, Debug)]
pub struct RowCell<'b> {
    /// The bytes of the cell in its block.
    pub raw: &'b [u8],
    syntax: CellSyntax,
}

#[derive(Clone, Copy, Debug)]
enum CellSyntax {
    Delimited(Dialect),
    Json,
}

/// Rows of a document, one after the other.
pub struct TableRows<'d> {
    blocks: RowBlocks<'d>,
    cutter: RowCutter,
}

/// A row with its offset in the document, or a loss at an offset.
pub enum TableItem<'b> {
    /// A row.
    Row(Row<'b>, u64),
    /// Rows were lost.
    Lost(RowLoss, u64),
}

impl RowCutter {
    /// Creates it for a table with this head. The bytes above the header are no rows.
    pub fn new(head: &TableHead) -> Self {
        RowCutter {
            reading: head.reading,
            is_header: head.has_header && matches!(head.reading, TableReading::Delimited(_)),
            at: 0,
            elements: ElementSplitter::default(),
            is_first: true,
            cells: Vec::new(),
        }
    }

    /// Creates it for one block of a table, after the header; `is_first` says that the block starts with the table.
    pub fn of_block(reading: TableReading, is_first: bool, at: usize) -> Self {
        let mut cutter = RowCutter {
            is_first,
            ..RowCutter::new(&TableHead::at_once(reading))
        };
        cutter.begin(at);
        cutter
    }

    /// Begins another block, whose rows start at `at`.
    pub fn begin(&mut self, at: usize) {
        self.at = at;
        self.elements = ElementSplitter::of(self.is_first);
    }

    /// Returns the next row of the block, or `None` at its end.
    pub fn next_row<'b>(&'b mut self, block: &'b [u8]) -> Option<Row<'b>> {
        let range = self.advance(block)?;
        Some(self.row(block, range))
    }

    fn row<'b>(&'b self, block: &'b [u8], range: Range<usize>) -> Row<'b> {
        Row {
            reading: self.reading,
            block,
            range,
            cells: &self.cells,
        }
    }

    /// Returns the range of the next row without its line end.
    fn advance(&mut self, block: &[u8]) -> Option<Range<usize>> {
        while self.at < block.len() {
            let row = self.cut(block);
            let is_blank = match self.reading {
                TableReading::Delimited(_) => row.is_empty(),
                _ => block[row.clone()].trim_ascii().is_empty(),
            };
            if !is_blank && !std::mem::take(&mut self.is_header) {
                return Some(row);
            }
        }
        None
    }

    fn cut(&mut self, block: &[u8]) -> Range<usize> {
        let start = self.at;
        match self.reading {
            TableReading::Delimited(dialect) => {
                let (end, next) = dialect.row(block, start, &mut self.cells);
                self.at = next;
                start..end
            }
            TableReading::JsonArray => {
                self.at = self.elements.next_end(block).unwrap_or(block.len());
                let is_first = std::mem::take(&mut self.is_first);
                let inside = element(&block[start..self.at], is_first);
                start + inside.start..start + inside.end
            }
            TableReading::JsonLines | TableReading::Lines(_) => {
                let row_end = self.reading.dialect().row_end;
                let length = memchr(row_end, &block[start..]);
                let end = length.map_or(block.len(), |length| start + length);
                self.at = block.len().min(end + 1);
                self.cells.clear();
                self.cells.push(start..end);
                start..end
            }
        }
    }
}

impl<'b> Row<'b> {
    /// Returns the bytes of the row in its block, without its line end.
    pub fn bytes(&self) -> &'b [u8] {
        &self.block[self.range.clone()]
    }

    /// Returns the texts of the cells; of a line, its text.
    pub fn texts(&self) -> impl Iterator<Item = Cow<'b, [u8]>> {
        let (dialect, block) = (self.reading.dialect(), self.block);
        let cells = self.cells.iter();
        cells.map(move |cell| dialect.text(&block[cell.clone()]))
    }

    /// Returns the range of the row in its block, without its line end.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the range of a cell in the block, by its number from 0. `None` if the row has fewer cells.
    pub fn cell_range(&self, column: usize) -> Option<Range<usize>> {
        self.cells.get(column).cloned()
    }

    /// Returns the number of cells; of a line, one.
    pub fn width(&self) -> usize {
        self.cells.len()
    }

    /// Returns the text of a cell of delimited text, by its number from 0; empty if the row has fewer cells.
    pub fn text(&self, column: usize) -> Cow<'b, [u8]> {
        let cell = self.cells.get(column).cloned().unwrap_or_default();
        self.reading.dialect().text(&self.block[cell])
    }

    /// Returns the cell at this place. `None` if the row has fewer cells.
    ///
    /// # Errors
    /// If the row is not an object of JSON, or lacks the member.
    pub fn cell(&self, place: &CellPlace) -> Result<Option<RowCell<'b>>, CellFault> {
        let (raw, syntax) = match place {
            CellPlace::Column(column) => {
                let cell = self.cells.get(*column).cloned();
                let raw = cell.map(|cell| &self.block[cell]);
                (raw, CellSyntax::Delimited(self.reading.dialect()))
            }
            CellPlace::Member(path) => (Some(path.value(self.bytes())?), CellSyntax::Json),
        };
        Ok(raw.map(|raw| RowCell { raw, syntax }))
    }
}

impl CellPlace {
    /// Returns the place of a column in a table whose first rows are `bytes`.
    ///
    /// # Errors
    /// If the header lacks the column, or several columns have its name.
    pub fn of(head: &TableHead, bytes: &[u8], column: &str) -> Result<Self, TableFault> {
        match head.reading {
            TableReading::Lines(_) => Ok(CellPlace::Column(0)),
            TableReading::JsonLines | TableReading::JsonArray => {
                Ok(CellPlace::Member(MemberPath::new(column)))
            }
            TableReading::Delimited(_) => {
                let found = named_column(&head.header(bytes), column);
                found
                    .map(CellPlace::Column)
                    .map_err(|fault| head.explain(fault))
            }
        }
    }
}

impl<'b> RowCell<'b> {
    /// Returns the bytes between the quotes of a cell or string. `None` for another value of JSON.
    pub fn inside(&self) -> Option<&'b [u8]> {
        let quoted = self.raw.strip_prefix(b"\"");
        let inside = quoted.and_then(|cell| cell.strip_suffix(b"\""));
        match self.syntax {
            CellSyntax::Json => inside,
            _ => Some(inside.unwrap_or(self.raw)),
        }
    }

    /// Whether it is a value of JSON.
    pub fn is_json(&self) -> bool {
        matches!(self.syntax, CellSyntax::Json)
    }

    /// Returns the text: with quotes undone, and empty for null. Other values of JSON are as they are written.
    pub fn text(&self) -> Cow<'b, [u8]> {
        match self.syntax {
            CellSyntax::Delimited(dialect) => dialect.text(self.raw),
            CellSyntax::Json => json::text(self.raw),
        }
    }
}

impl<'d> TableRows<'d> {
    /// Reads the table with this head from `raw`, which has the bytes of the document from `offset` on.
    pub fn new(mut raw: RawText<'d>, offset: usize, head: &TableHead, sizes: BlockSizes) -> Self {
        let above = head.skipped(table_bytes(&mut raw, sizes.max).0);
        raw.consume(above);
        let offset = (offset + above) as u64;
        TableRows {
            blocks: RowBlocks::new(raw, offset, head.reading, sizes),
            cutter: RowCutter::new(head),
        }
    }

    /// Returns the next row or loss, or `None` at the end.
    // The row borrows from this.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<TableItem<'_>> {
        loop {
            if let Some(range) = self.cutter.advance(self.blocks.block()) {
                let at = self.blocks.offset() + range.start as u64;
                let row = self.cutter.row(self.blocks.block(), range);
                return Some(TableItem::Row(row, at));
            }
            match self.blocks.advance()? {
                Ok(()) => self.cutter.begin(0),
                Err((loss, at)) => return Some(TableItem::Lost(loss, at)),
            }
        }
    }
}
