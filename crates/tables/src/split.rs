//! Finds the end of the last whole row in a piece of a table.

use memchr::{memchr, memrchr};

use super::dialect::Dialect;
use super::elements::ElementSplitter;
use super::format::TableReading;

/// Finds the ends of rows in a buffer that starts with a row and to which bytes are appended. Reads each byte once.
pub struct RowSplitter {
    dialect: Dialect,
    /// Bytes of the buffer that were read.
    at: usize,
    in_quotes: bool,
    /// Offset of the bytes outside of quotes that were not searched for the end of a row.
    outside: usize,
    /// Length of all whole rows.
    whole: usize,
}

/// Finds the ends of rows of any table.
pub enum TableSplitter {
    /// Rows that end with a line end.
    Rows(RowSplitter),
    /// Elements of an array.
    Elements(ElementSplitter),
}

impl TableSplitter {
    /// Creates it for a table that is read in this way.
    pub fn new(reading: TableReading) -> Self {
        match reading {
            TableReading::JsonArray => TableSplitter::Elements(ElementSplitter::default()),
            _ => TableSplitter::Rows(RowSplitter::new(reading.dialect())),
        }
    }

    /// Reads to the end of the buffer `bytes`; `ended` says that no more bytes follow. Returns the length of its whole rows.
    pub fn advance(&mut self, bytes: &[u8], ended: bool) -> usize {
        match self {
            TableSplitter::Rows(rows) => rows.advance(bytes, ended),
            TableSplitter::Elements(elements) => elements.advance(bytes),
        }
    }

    /// Adjusts the offsets after the whole rows were removed from the buffer.
    pub fn cut(&mut self) {
        match self {
            TableSplitter::Rows(rows) => rows.cut(),
            TableSplitter::Elements(elements) => elements.cut(),
        }
    }

    /// Whether the bytes end in a quoted cell.
    pub fn is_in_quotes(&self) -> bool {
        matches!(self, TableSplitter::Rows(rows) if rows.is_in_quotes())
    }
}

impl RowSplitter {
    /// Creates it for a table in this dialect.
    pub fn new(dialect: Dialect) -> Self {
        RowSplitter {
            dialect,
            at: 0,
            in_quotes: false,
            outside: 0,
            whole: 0,
        }
    }

    /// Reads to the end of the buffer `bytes`; `ended` says that no more bytes follow. Returns the length of its whole rows.
    pub fn advance(&mut self, bytes: &[u8], ended: bool) -> usize {
        while self.at < bytes.len() && self.step(bytes, ended) {}
        if !self.in_quotes {
            self.note_end(bytes, self.at);
        }
        self.whole
    }

    /// Adjusts the offsets after the whole rows were removed from the buffer.
    pub fn cut(&mut self) {
        self.at -= self.whole;
        self.outside = self.outside.saturating_sub(self.whole);
        self.whole = 0;
    }

    /// Whether the bytes end in a quoted cell.
    pub fn is_in_quotes(&self) -> bool {
        self.in_quotes
    }

    /// Reads to the next quote that opens or closes a cell. Returns false if the next byte is needed to decide.
    fn step(&mut self, bytes: &[u8], ended: bool) -> bool {
        let may_open = self.in_quotes || self.dialect.quotes;
        let quote = memchr(b'"', &bytes[self.at..]).filter(|_| may_open);
        let Some(quote) = quote.map(|length| self.at + length) else {
            self.at = bytes.len();
            return true;
        };
        self.at = quote + 1;
        if !self.in_quotes {
            if self.dialect.opens(bytes, quote) {
                self.note_end(bytes, quote);
                self.in_quotes = true;
            }
            return true;
        }
        match bytes.get(quote + 1) {
            None if !ended => {
                self.at = quote;
                return false;
            }
            Some(b'"') => self.at += 1,
            _ => {
                self.in_quotes = false;
                self.outside = self.at;
            }
        }
        true
    }

    /// Searches the bytes outside of quotes up to `end` for ends of rows.
    fn note_end(&mut self, bytes: &[u8], end: usize) {
        if let Some(last) = memrchr(self.dialect.row_end, &bytes[self.outside..end]) {
            self.whole = self.outside + last + 1;
        }
        self.outside = end;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the ends of the rows, cut one by one.
    fn rows(dialect: Dialect, bytes: &[u8]) -> Vec<usize> {
        let (mut ends, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            at += dialect.first_row(&bytes[at..]).1;
            ends.push(at);
        }
        ends
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_end_with_the_same_rows(
            text in r#"[a"",;\r\n]{0,40}"#, step in 1..9usize, quotes in any::<bool>(), row_end in prop_oneof![Just(b'\n'), Just(b'\r')],
        ) {
            let dialect = Dialect { delimiter: b',', quotes, row_end };
            let bytes = text.as_bytes();
            let ends = rows(dialect, bytes);
            let mut splitter = RowSplitter::new(dialect);
            let (mut start, mut end) = (0, 0);
            while end < bytes.len() {
                end = bytes.len().min(end + step);
                let ended = end == bytes.len();
                let whole = splitter.advance(&bytes[start..end], ended);
                if whole > 0 {
                    prop_assert!(ends.contains(&(start + whole)), "{ends:?} {}", start + whole);
                }
                if whole > 0 && step % 2 == 0 {
                    splitter.cut();
                    start += whole;
                }
                if ended {
                    let left = start + if step % 2 == 0 { 0 } else { whole };
                    let is_row = |at: &usize| *at > left && *at < bytes.len();
                    prop_assert_eq!(ends.iter().find(|at| is_row(at)), None, "{:?}", text);
                }
            }
        }
    }
}
