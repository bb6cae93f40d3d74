//! Cells of sheets: their names, and how they are passed on.

use super::super::container::{Level, Members};
use super::super::documents::Origin;
use super::super::expansion::Watched;
use crate::input::fault::InputError;

/// Bytes of a cell that are read. Programs allow 32,767 characters.
pub(super) const CELL: usize = 1 << 20;

/// The member of an archive that holds a sheet.
#[derive(Clone, Copy)]
pub(super) struct SheetPlace<'a> {
    pub(super) level: &'a Level<'a>,
    /// Its number in the archive, from 1.
    pub(super) number: u64,
    pub(super) member: &'a str,
}

impl SheetPlace<'_> {
    /// Passes on a text of the cell in this row and column, from 0. Returns false if the source should not be read further.
    pub(super) fn cell(
        &self,
        walk: &mut dyn Members,
        sheet: &str,
        at: CellPlace,
        what: &str,
        mut text: &[u8],
    ) -> bool {
        let name = format!(
            "{sheet}!{}{}{what}",
            column(at.column),
            u64::from(at.row) + 1
        );
        // A text that many cells share is written once in the file.
        let expansion = walk.expansion().clone();
        let mut bytes = Watched::new(&mut text, &expansion);
        walk.text(self.level, Some(&name), Some(Origin::Office), &mut bytes)
    }

    /// Reports a loss at `offset` of the member.
    pub(super) fn lose(&self, walk: &mut dyn Members, offset: u64, error: InputError) {
        walk.lose_member(self.level, self.number, self.member, offset, error);
    }
}

/// The place of a cell, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellPlace {
    pub(super) row: u32,
    pub(super) column: u32,
}

impl CellPlace {
    /// The place that a reference such as `B7` means.
    pub(super) fn of(reference: &[u8]) -> Option<CellPlace> {
        let letters = reference
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic());
        let letters = letters.count();
        let (letters, digits) = reference.split_at(letters);
        let column = letters.iter().try_fold(0u32, |sum, letter| {
            let value = u32::from(letter.to_ascii_uppercase() - b'A') + 1;
            sum.checked_mul(26)?.checked_add(value)
        })?;
        let row: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
        Some(CellPlace {
            row: row.checked_sub(1)?,
            column: column.checked_sub(1)?,
        })
    }
}

/// The letters of a column, from 0.
fn column(number: u32) -> String {
    let mut rest = u64::from(number) + 1;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.insert(0, char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_their_names_agree() {
        for (name, row, number) in [
            ("A1", 0, 0),
            ("Z9", 8, 25),
            ("AA10", 9, 26),
            ("XFD1048576", 1_048_575, 16_383),
        ] {
            let at = CellPlace {
                row,
                column: number,
            };
            assert_eq!(CellPlace::of(name.as_bytes()), Some(at));
            assert_eq!(format!("{}{}", column(number), row + 1), name);
        }
        for wrong in [
            "",
            "A",
            "1",
            "A0",
            "1A",
            "A-1",
            "ZZZZZZZZZ1",
            "A99999999999",
        ] {
            assert_eq!(CellPlace::of(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
