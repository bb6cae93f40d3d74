//! Reads the references in a column of a table.

use doisift_tables::{
    CellPlace, HeaderChoice, Row, RowCutter, TableFault, TableFormat, TableHead, TableSplitter,
    member_names,
};

use super::reference::{Escape, Reference, TakenReferences};
use crate::error::TableError;

/// Bytes that decide the layout of a table.
const LAYOUT_HEAD_BYTES: usize = 64 << 10;

/// Reads the cells of a column of a table that is held in part. A row without a name gives an empty reference.
pub(super) struct TableReader {
    column: String,
    place: CellPlace,
    /// Bytes above the header that are still to pass.
    above: usize,
    splitter: TableSplitter,
    cutter: RowCutter,
    /// Whether a row had the member.
    is_there: bool,
    /// The members of the first object, for a message.
    members: Option<String>,
}

impl TableReader {
    /// Creates a reader of the table that starts with `head`; `is_whole` says that the table ends with it.
    ///
    /// # Errors
    /// If it is not a table, or its header lacks the column.
    pub(super) fn new(
        head: &[u8],
        is_whole: bool,
        (column, header): (&str, HeaderChoice),
        format: Option<TableFormat>,
    ) -> Result<Self, TableFault> {
        // The header may be longer than `LAYOUT_HEAD_BYTES`.
        let line = memchr::memchr2(b'\n', b'\r', head).unwrap_or(head.len());
        let start = &head[..head.len().min(LAYOUT_HEAD_BYTES.max(line + 1))];
        let is_whole = is_whole && start.len() == head.len();
        let columns = [column.to_owned()];
        let table = TableHead::of((start, is_whole), format, &columns, header)?;
        Ok(TableReader {
            column: column.to_owned(),
            place: CellPlace::of(&table, head, column)?,
            above: table.skipped(head),
            splitter: TableSplitter::new(table.reading),
            cutter: RowCutter::new(&table),
            is_there: false,
            members: member_names(head),
        })
    }

    /// Returns the references of the rows in `held`, which starts at the first byte that was not passed.
    ///
    /// # Errors
    /// If no object has the member.
    pub(super) fn take(
        &mut self,
        held: &[u8],
        is_last: bool,
    ) -> Result<TakenReferences, TableError> {
        let whole = self.splitter.advance(held, is_last);
        self.splitter.cut();
        let passed = if is_last { held.len() } else { whole };
        let above = self.above.min(passed);
        self.above -= above;
        self.cutter.begin(above);
        let mut references = Vec::new();
        while let Some(row) = self.cutter.next_row(&held[..passed]) {
            let (reference, is_there) = reference(held, &row, &self.place);
            self.is_there |= is_there;
            references.push(reference);
        }
        if is_last && !self.is_there && matches!(self.place, CellPlace::Member(_)) {
            return Err(TableError::NoMember {
                column: self.column.clone(),
                members: self.members.take().unwrap_or_default(),
            });
        }
        Ok(TakenReferences { references, passed })
    }
}

/// Returns the reference of a row of `held`, and whether the row has the column.
fn reference(held: &[u8], row: &Row<'_>, place: &CellPlace) -> (Reference, bool) {
    let cell = row.cell(place);
    let is_there = cell.is_ok();
    let cell = cell.ok().flatten();
    let escape = match cell.is_some_and(|cell| cell.is_json()) {
        true => Escape::Json,
        false => Escape::Cell,
    };
    let text = cell.and_then(|cell| cell.inside());
    let text = text.unwrap_or(&row.bytes()[..0]);
    let start = text.as_ptr() as usize - held.as_ptr() as usize;
    let reference = Reference::of_cell(start..start + text.len(), escape);
    (reference, is_there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_reference() {
        let new = |head: &[u8]| TableReader::new(head, true, ("doi", HeaderChoice::Shown), None);
        let rows = |text: &str| -> Vec<String> {
            let mut table = new(text.as_bytes()).unwrap();
            let rows = table.take(text.as_bytes(), true).unwrap();
            rows.references
                .into_iter()
                .map(|one| text[one.place].to_owned())
                .collect()
        };
        let csv = "id,DOI\n1,10.5555/a\n\n2,\"10.5555/b\"\n3\n";
        assert_eq!(rows(csv), ["10.5555/a", "10.5555/b", ""]);
        let objects = "{\"doi\":\"10.5555/a\"}\n{\"doi\":null}\n";
        assert_eq!(rows(objects), ["10.5555/a", ""]);
        let array = "[{\"doi\":\"10.5555/a\"},\n {\"doi\":7}]";
        assert_eq!(rows(array), ["10.5555/a", ""]);
        let mixed = "\u{feff}sep=;\nA title\nid;doi\n1;10.5555/a\n";
        assert_eq!(rows(mixed), ["10.5555/a"]);
        assert!(new(b"id,name\n1,2\n").is_err());
    }
}
