//! The addresses of cells: numbers of rows and columns, and names such as `B7`.

/// The row and column of a cell, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellAddress {
    pub(super) row: u32,
    pub(super) column: u32,
}

impl CellAddress {
    /// Returns the place that a reference such as `B7` names.
    pub(super) fn parse(reference: &[u8]) -> Option<CellAddress> {
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
        Some(CellAddress {
            row: row.checked_sub(1)?,
            column: column.checked_sub(1)?,
        })
    }
}

/// Returns the letters of a column, from 0.
pub(super) fn column(number: u32) -> String {
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
            let at = CellAddress {
                row,
                column: number,
            };
            assert_eq!(CellAddress::parse(name.as_bytes()), Some(at));
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
            assert_eq!(CellAddress::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
