//! Rows as columns, before encoding.

use crate::records::{Forms, MentionRow, Record};

/// Memory of a row without its texts, in bytes.
const ROW: usize = 64;

/// Some rows, as a column for each field.
#[derive(Default)]
pub(crate) struct RowColumns {
    columns: Vec<Values>,
    /// For each row, the total size of this row and all before it, in bytes.
    sizes: Vec<usize>,
}

/// Values of one column.
pub(super) enum Values {
    Texts(Texts),
    /// Texts, and whether each is present.
    Nullable(Texts, Vec<bool>),
    Numbers(Vec<i64>),
    Flags(Vec<bool>),
    Forms(Vec<Forms>),
}

/// Texts, one after the other.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) bytes: Vec<u8>,
    /// End offset of each text.
    pub(super) ends: Vec<usize>,
}

/// One value of a row.
enum Field<'a> {
    Text(&'a str),
    Nullable(Option<&'a str>),
    Number(u64),
    Flag(bool),
    Forms(Forms),
}

impl RowColumns {
    pub(super) fn record(&mut self, row: &Record<'_>) {
        self.push([
            Field::Text(row.doi),
            Field::Number(row.mentions),
            Field::Number(row.documents),
            Field::Forms(row.forms),
            Field::Text(row.first_source),
            Field::Nullable(row.first_document),
            Field::Number(row.first_offset),
            Field::Text(&row.first_text),
            Field::Flag(row.guessed),
        ]);
    }

    pub(super) fn mention(&mut self, row: &MentionRow<'_>) {
        self.push([
            Field::Text(row.doi),
            Field::Text(row.form.name()),
            Field::Text(row.source),
            Field::Nullable(row.document),
            Field::Number(row.offset),
            Field::Number(row.length),
            Field::Text(row.text),
            Field::Flag(row.guessed),
        ]);
    }

    fn push<const N: usize>(&mut self, row: [Field<'_>; N]) {
        if self.columns.is_empty() {
            self.columns = row.iter().map(Field::column).collect();
        }
        let size = self.bytes() + ROW + row.iter().map(Field::len).sum::<usize>();
        self.sizes.push(size);
        for (column, field) in self.columns.iter_mut().zip(row) {
            column.push(field);
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.sizes.len()
    }

    /// Bytes of all rows.
    pub(super) fn bytes(&self) -> usize {
        self.sizes.last().copied().unwrap_or(0)
    }

    /// The least number of rows whose total size is at least `bytes`; all rows if it is less.
    pub(super) fn rows_with(&self, bytes: usize) -> usize {
        let fewer = self.sizes.partition_point(|&size| size < bytes);
        self.rows().min(fewer + 1)
    }

    /// Keeps the first `rows` rows and returns the others.
    pub(super) fn split_off(&mut self, rows: usize) -> RowColumns {
        let mut sizes = self.sizes.split_off(rows);
        let kept = self.bytes();
        sizes.iter_mut().for_each(|size| *size -= kept);
        let columns = self.columns.iter_mut();
        RowColumns {
            columns: columns.map(|column| column.split_off(rows)).collect(),
            sizes,
        }
    }

    pub(super) fn into_values(self) -> Vec<Values> {
        self.columns
    }
}

impl<'r> FromIterator<Record<'r>> for RowColumns {
    fn from_iter<I: IntoIterator<Item = Record<'r>>>(records: I) -> RowColumns {
        let mut columns = RowColumns::default();
        records
            .into_iter()
            .for_each(|record| columns.record(&record));
        columns
    }
}

impl Field<'_> {
    /// An empty column for values of this kind.
    fn column(&self) -> Values {
        match self {
            Field::Text(_) => Values::Texts(Texts::default()),
            Field::Nullable(_) => Values::Nullable(Texts::default(), Vec::new()),
            Field::Number(_) => Values::Numbers(Vec::new()),
            Field::Flag(_) => Values::Flags(Vec::new()),
            Field::Forms(_) => Values::Forms(Vec::new()),
        }
    }

    /// Bytes of its text.
    fn len(&self) -> usize {
        match self {
            Field::Text(text) => text.len(),
            Field::Nullable(text) => text.map_or(0, str::len),
            Field::Number(_) | Field::Flag(_) | Field::Forms(_) => 0,
        }
    }
}

impl Values {
    /// Adds a field of this column's kind. Fields of a row are in the order of the columns.
    fn push(&mut self, field: Field<'_>) {
        match (self, field) {
            (Values::Texts(texts), Field::Text(text)) => texts.push(text),
            (Values::Nullable(texts, there), Field::Nullable(text)) => {
                texts.push(text.unwrap_or_default());
                there.push(text.is_some());
            }
            // Readers refuse greater numbers, and no scan counts so many.
            (Values::Numbers(all), Field::Number(n)) => all.push(n.try_into().unwrap_or(i64::MAX)),
            (Values::Flags(all), Field::Flag(flag)) => all.push(flag),
            (Values::Forms(all), Field::Forms(forms)) => all.push(forms),
            _ => debug_assert!(false, "rows of two schemas"),
        }
    }

    fn split_off(&mut self, rows: usize) -> Values {
        match self {
            Values::Texts(texts) => Values::Texts(texts.split_off(rows)),
            Values::Nullable(texts, there) => {
                Values::Nullable(texts.split_off(rows), there.split_off(rows))
            }
            Values::Numbers(all) => Values::Numbers(all.split_off(rows)),
            Values::Flags(all) => Values::Flags(all.split_off(rows)),
            Values::Forms(all) => Values::Forms(all.split_off(rows)),
        }
    }
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len());
    }

    fn split_off(&mut self, rows: usize) -> Texts {
        let mut ends = self.ends.split_off(rows);
        let kept = self.ends.last().copied().unwrap_or(0);
        ends.iter_mut().for_each(|end| *end -= kept);
        Texts {
            bytes: self.bytes.split_off(kept),
            ends,
        }
    }
}
