//! Cells of sheets: their names, and how they are passed on.

use super::super::container::{MemberSink, StreamLevel};
use super::super::documents::TextOrigin;
use super::super::expansion::ExpansionReader;
use super::address::{CellAddress, column};
use super::table::SheetTable;
use crate::fault::InputError;

/// Maximum bytes of a cell that are read. Programs allow 32,767 characters.
pub(super) const MAX_CELL_BYTES: usize = 1 << 20;

/// The place of a part: a member of an archive, or a file.
#[derive(Clone, Copy)]
pub(super) struct MemberPlace<'a> {
    pub(super) level: &'a StreamLevel<'a>,
    /// Its number in the archive, from 1.
    pub(super) number: u64,
    /// Empty if the part is a file.
    pub(super) member: &'a str,
}

impl MemberPlace<'_> {
    /// Reports a loss at `offset` of the part.
    pub(super) fn report_loss(self, sink: &mut dyn MemberSink, offset: u64, error: InputError) {
        let MemberPlace {
            level,
            number,
            member,
        } = self;
        if member.is_empty() {
            sink.report_loss(level, offset, error)
        } else {
            sink.report_member_loss(level, number, member, offset, error)
        }
    }
}

/// Takes the cells of a sheet: each with text as a document, or all as the rows of a table.
pub(super) struct CellSink<'a> {
    sink: &'a mut dyn MemberSink,
    place: MemberPlace<'a>,
    table: Option<&'a mut SheetTable>,
    /// The name of the sheet.
    pub(super) sheet: String,
    /// Whether the source should be read further.
    pub(super) go_on: bool,
}

impl<'a> CellSink<'a> {
    pub(super) fn new(
        sink: &'a mut dyn MemberSink,
        place: MemberPlace<'a>,
        table: Option<&'a mut SheetTable>,
        sheet: String,
    ) -> Self {
        CellSink {
            sink,
            place,
            table,
            sheet,
            go_on: true,
        }
    }

    /// Whether they are the rows of a table.
    pub(super) fn is_table(&self) -> bool {
        self.table.is_some()
    }

    /// Passes on a text of the cell at `at`. `what` is empty, or names one of its further texts, which tables leave out.
    pub(super) fn text(&mut self, at: CellAddress, what: &str, mut text: &[u8]) {
        if text.is_empty() || self.is_table() && !what.is_empty() {
            return;
        }
        if self.is_table() {
            return self.value(at, text);
        }
        let (column, row) = (column(at.column), u64::from(at.row) + 1);
        let name = format!("{}!{column}{row}{what}", self.sheet);
        // A text that many cells share is only once in the file, so its bytes count for each cell.
        let mut bytes = ExpansionReader::of_unpacked(&mut text, self.sink.expansion());
        let (level, origin) = (self.place.level, Some(TextOrigin::Office));
        self.go_on &= self.sink.text(level, Some(&name), origin, &mut bytes);
    }

    /// Passes on the value of a cell without text. Only tables take it.
    pub(super) fn value(&mut self, at: CellAddress, value: &[u8]) {
        let Some(table) = &mut self.table else {
            return;
        };
        if let Err(error) = table.add_cell(at, value, self.sink.expansion()) {
            self.go_on = false;
            error
                .into_iter()
                .for_each(|error| self.report_loss(0, error));
        }
    }

    /// Passes on text of the sheet outside of cells, which tables leave out.
    pub(super) fn text_outside_cells(&mut self, name: &str, mut text: &[u8]) {
        if text.trim_ascii().is_empty() || self.is_table() {
            return;
        }
        let (level, origin) = (self.place.level, Some(TextOrigin::Office));
        self.go_on &= self.sink.text(level, Some(name), origin, &mut text);
    }

    /// Returns the member that holds the sheet.
    pub(super) fn member(&self) -> &'a str {
        self.place.member
    }

    /// Reports a loss at `offset` of the member.
    pub(super) fn report_loss(&mut self, offset: u64, error: InputError) {
        self.place.report_loss(self.sink, offset, error);
    }
}
