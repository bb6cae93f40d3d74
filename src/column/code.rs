//! The encodings of a table, when read and when written.

use doisift_tables::Charset;

/// Encodings of the bytes of a table, when read and when written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code {
    /// The encoding of the bytes of rows. UTF-8 if [`converts`](Self::converts).
    pub(super) rows: Charset,
    /// The encoding of the output.
    pub(super) out: Charset,
    /// Whether a row that is not UTF-8 is read as windows-1252.
    pub(super) mixed: bool,
}

impl Code {
    pub(super) const UTF_8: Code = Code {
        rows: Charset::UTF_8,
        out: Charset::UTF_8,
        mixed: false,
    };

    /// Whether whole rows are converted when they are written. Otherwise all bytes except the wanted cells are copied.
    pub(super) fn converts(self) -> bool {
        self.rows != self.out
    }

    /// Returns the encodings of a single row.
    pub(super) fn of_row(self, row: &[u8]) -> Code {
        let other = self.mixed && !self.converts() && str::from_utf8(row).is_err();
        let rows = if other {
            Charset::windows_1252()
        } else {
            self.rows
        };
        Code {
            rows,
            out: if other { rows } else { self.out },
            mixed: false,
        }
    }
}
