//! A sheet as a table of comma-separated text.
//!
//! The cells wait in a temporary file until the width of all rows is known.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use memchr::memchr3;

use super::address::CellAddress;
use crate::container::{MemberSink, StreamLevel};
use crate::documents::TextOrigin;
use crate::expansion::{Expansion, ExpansionReader};
use crate::fault::InputError;
use crate::read::ReadBytes;

/// Maximum numbers of rows and columns of a sheet.
const MAX_ROWS: u32 = 1 << 20;
const MAX_COLUMNS: u32 = 1 << 14;
/// Bytes of a cell that are written beside its text.
const CELL_HEADER_BYTES: usize = 12;
/// Bytes that are prepared for a read.
const READY_BYTES: usize = 64 << 10;

/// Takes the cells of a sheet, by rows and columns.
pub(super) struct SheetTable {
    file: BufWriter<File>,
    /// The first place after the last cell.
    next: CellAddress,
    width: u32,
}

impl SheetTable {
    pub(super) fn new(tmp: &Path) -> io::Result<Self> {
        Ok(SheetTable {
            file: BufWriter::new(tempfile::tempfile_in(tmp)?),
            next: CellAddress::default(),
            width: 0,
        })
    }

    /// Adds a cell. Its bytes count as unpacked, since a few bytes of a file may mean many cells.
    pub(super) fn add_cell(
        &mut self,
        at: CellAddress,
        text: &[u8],
        expansion: &Expansion,
    ) -> Result<(), Option<InputError>> {
        if text.is_empty() {
            return Ok(());
        }
        if at.row >= MAX_ROWS || at.column >= MAX_COLUMNS {
            let fault = "has a cell after row 1,048,576 or column XFD; save the sheet as CSV";
            return Err(Some(InputError::Office(fault)));
        }
        if (at.row, at.column) < (self.next.row, self.next.column) {
            let fault = "has cells that are not in their order; save the sheet as CSV";
            return Err(Some(InputError::Office(fault)));
        }
        expansion.add_rows((CELL_HEADER_BYTES + text.len()) as u64, 0)?;
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let header = [at.row, at.column, length].map(u32::to_le_bytes).concat();
        let written = self.file.write_all(&header);
        let written = written.and_then(|()| self.file.write_all(text));
        written.map_err(|error| Some(error.into()))?;
        self.width = self.width.max(at.column + 1);
        self.next = CellAddress {
            row: at.row,
            column: at.column + 1,
        };
        Ok(())
    }

    /// Returns the rows as text. A row without cells is an empty line.
    pub(super) fn into_rows(self) -> io::Result<SheetRows> {
        let mut file = self.file.into_inner().map_err(|error| error.into_error())?;
        file.rewind()?;
        Ok(SheetRows {
            cells: BufReader::new(file),
            width: self.width,
            next: CellAddress::default(),
            has_cells: false,
            ready: Vec::new(),
            at: 0,
            ended: false,
        })
    }
}

/// Reads the rows of a [`SheetTable`].
pub(super) struct SheetRows {
    cells: BufReader<File>,
    width: u32,
    /// The row that is being written, and the number of its delimiters so far.
    next: CellAddress,
    has_cells: bool,
    ready: Vec<u8>,
    at: usize,
    ended: bool,
}

impl SheetRows {
    fn prepare(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.at = 0;
        while self.ready.len() < READY_BYTES && !self.ended {
            match self.cell()? {
                Some((at, text)) => self.write(at, &text),
                None => {
                    self.ended = true;
                    if self.has_cells {
                        self.end_row();
                    }
                }
            }
        }
        Ok(())
    }

    fn cell(&mut self) -> io::Result<Option<(CellAddress, Vec<u8>)>> {
        let mut header = [[0; 4]; 3];
        if self.cells.by_ref().take(1).read(&mut header[0])? == 0 {
            return Ok(None);
        }
        self.cells.read_exact(&mut header.as_flattened_mut()[1..])?;
        let [row, column, length] = header.map(u32::from_le_bytes);
        let mut text = vec![0; length as usize];
        self.cells.read_exact(&mut text)?;
        Ok(Some((CellAddress { row, column }, text)))
    }

    fn write(&mut self, at: CellAddress, text: &[u8]) {
        while self.next.row < at.row {
            self.end_row();
        }
        self.delimit(at.column);
        self.has_cells = true;
        let is_quoted = memchr3(b'"', b',', b'\n', text).or_else(|| memchr::memchr(b'\r', text));
        if is_quoted.is_none() {
            return self.ready.extend_from_slice(text);
        }
        self.ready.push(b'"');
        for piece in text.split_inclusive(|byte| *byte == b'"') {
            self.ready.extend_from_slice(piece);
            if piece.ends_with(b"\"") {
                self.ready.push(b'"');
            }
        }
        self.ready.push(b'"');
    }

    fn delimit(&mut self, column: u32) {
        let missing = column.saturating_sub(self.next.column) as usize;
        self.ready.resize(self.ready.len() + missing, b',');
        self.next.column = column;
    }

    fn end_row(&mut self) {
        if std::mem::take(&mut self.has_cells) {
            self.delimit(self.width - 1);
        }
        self.ready.push(b'\n');
        self.next = CellAddress {
            row: self.next.row + 1,
            column: 0,
        };
    }
}

impl ReadBytes for SheetRows {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while self.at == self.ready.len() && !self.ended {
            self.prepare()?;
        }
        let read = ReadBytes::read(&mut &self.ready[self.at..], into)?;
        self.at += read;
        Ok(read)
    }
}

/// Passes on the rows of the sheet `name`, one of this many sheets.
pub(super) fn pass_table(
    sink: &mut dyn MemberSink,
    level: &StreamLevel<'_>,
    name: &str,
    sheets: usize,
    table: SheetTable,
) {
    let expansion = sink.expansion().clone();
    match table.into_rows() {
        Ok(rows) => {
            let mut rows = ExpansionReader::of_unpacked(rows, &expansion);
            sink.text(
                level,
                Some(name),
                Some(TextOrigin::Sheet(sheets)),
                &mut rows,
            );
        }
        Err(error) => sink.report_loss(level, 0, error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_wide_as_the_widest() {
        let mut table = SheetTable::new(&std::env::temp_dir()).unwrap();
        let expansion = Expansion::new(1000, 0);
        for (row, column, text) in [
            (1, 1, "a,b"),
            (1, 3, "c\"d"),
            (4, 0, "e"),
            (4, 2, ""),
            (5, 4, "f\ng"),
        ] {
            let at = CellAddress { row, column };
            table.add_cell(at, text.as_bytes(), &expansion).unwrap();
        }
        assert!(
            table
                .add_cell(CellAddress::default(), b"x", &expansion)
                .is_err()
        );
        let mut text = Vec::new();
        let mut rows = table.into_rows().unwrap();
        rows.read_to_end(&mut text).unwrap();
        assert_eq!(text, b"\n,\"a,b\",,\"c\"\"d\",\n\n\ne,,,,\n,,,,\"f\ng\"\n");
    }
}
