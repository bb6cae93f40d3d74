//! Collects rows as columns, before encoding.

use crate::records::Forms;
use crate::records::field::FieldKind;
use crate::records::layout::Layout;
use crate::records::row::{Row, Value};
use doisift_structure::RecordType;

/// Memory of a row without its texts, in bytes.
const FIXED_ROW_BYTES: usize = 64;

/// Max memory for each text of a column that its first text reserves, in bytes. Most names fit.
const MAX_USUAL_TEXT_BYTES: usize = 32;

/// Some rows, as a column for each field.
#[derive(Default)]
pub(crate) struct RowColumns {
    columns: Vec<ColumnValues>,
    /// For each row, the total bytes of this row and all before it.
    sizes: Vec<usize>,
}

/// Values of one column.
pub(super) enum ColumnValues {
    Texts(Texts),
    /// Texts, and whether each is present.
    Nullable(Texts, Vec<bool>),
    Numbers(Vec<i64>),
    NullableNumbers(Vec<Option<i64>>),
    NullableFloats(Vec<Option<f64>>),
    Flags(Vec<bool>),
    NullableFlags(Vec<Option<bool>>),
    Forms(Vec<Forms>),
}

/// Texts, one after the other.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) bytes: Vec<u8>,
    /// End offset of each text.
    pub(super) ends: Vec<usize>,
}

impl RowColumns {
    /// Creates the columns of a layout with memory for `rows` rows.
    pub(crate) fn new(layout: &Layout, rows: usize) -> RowColumns {
        let fields = layout.fields.iter().map(|field| field.kind());
        let of_fields = fields.map(|kind| ColumnValues::new(kind, rows));
        let of_records = layout.record_fields.iter();
        let of_records = of_records.map(|column| ColumnValues::of_records(column.kind, rows));
        RowColumns {
            columns: of_fields.chain(of_records).collect(),
            sizes: Vec::with_capacity(rows),
        }
    }

    /// Adds the values of a row of the layout.
    pub(crate) fn push(&mut self, row: &dyn Row, layout: &Layout) {
        let mut size = self.bytes() + FIXED_ROW_BYTES;
        let of_fields = layout.fields.iter().map(|&field| row.value(field));
        let of_records = layout.record_fields.iter().enumerate();
        let of_records = of_records
            .map(|(number, column)| Value::of_record(column.kind, row.record_field(number)));
        for (column, value) in self.columns.iter_mut().zip(of_fields.chain(of_records)) {
            size += text_len(value);
            column.push(value);
        }
        self.sizes.push(size);
    }

    pub(in crate::records) fn rows(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the bytes of all rows.
    pub(in crate::records) fn bytes(&self) -> usize {
        self.sizes.last().copied().unwrap_or(0)
    }

    /// Returns the min number of first rows with at least `bytes` bytes, or all rows if they have fewer.
    pub(in crate::records) fn rows_with(&self, bytes: usize) -> usize {
        let fewer = self.sizes.partition_point(|&size| size < bytes);
        self.rows().min(fewer + 1)
    }

    /// Keeps the first `rows` rows and returns the others.
    pub(in crate::records) fn split_off(&mut self, rows: usize) -> RowColumns {
        let mut sizes = self.sizes.split_off(rows);
        let kept = self.bytes();
        sizes.iter_mut().for_each(|size| *size -= kept);
        let columns = self.columns.iter_mut();
        RowColumns {
            columns: columns.map(|column| column.split_off(rows)).collect(),
            sizes,
        }
    }

    pub(super) fn into_values(self) -> Vec<ColumnValues> {
        self.columns
    }
}

/// Returns the bytes of a value's text.
fn text_len(value: Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Nullable(text) => text.map_or(0, str::len),
        Value::Number(_)
        | Value::NullableNumber(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Flag(_)
        | Value::NullableFlag(_)
        | Value::Forms(_) => 0,
    }
}

impl ColumnValues {
    /// Creates an empty column for values of this kind, with memory for `rows` rows.
    fn new(kind: FieldKind, rows: usize) -> ColumnValues {
        match kind {
            FieldKind::Text => ColumnValues::Texts(Texts::new(rows)),
            FieldKind::TextOrNull => {
                ColumnValues::Nullable(Texts::new(rows), Vec::with_capacity(rows))
            }
            FieldKind::Number => ColumnValues::Numbers(Vec::with_capacity(rows)),
            FieldKind::NumberOrNull => ColumnValues::NullableNumbers(Vec::with_capacity(rows)),
            FieldKind::Flag => ColumnValues::Flags(Vec::with_capacity(rows)),
            FieldKind::FlagOrNull => ColumnValues::NullableFlags(Vec::with_capacity(rows)),
            FieldKind::Forms => ColumnValues::Forms(Vec::with_capacity(rows)),
        }
    }

    /// Creates an empty column for fields of records of this type, with memory for `rows` rows.
    fn of_records(kind: RecordType, rows: usize) -> ColumnValues {
        match kind {
            RecordType::Text => ColumnValues::new(FieldKind::TextOrNull, rows),
            RecordType::Int => ColumnValues::new(FieldKind::NumberOrNull, rows),
            RecordType::Float => ColumnValues::NullableFloats(Vec::with_capacity(rows)),
            RecordType::Bool => ColumnValues::new(FieldKind::FlagOrNull, rows),
        }
    }

    /// Adds a value of this column's kind. Values of a row are in the order of the columns.
    fn push(&mut self, value: Value<'_>) {
        match (self, value) {
            (ColumnValues::Texts(texts), Value::Text(text)) => texts.push(text),
            (ColumnValues::Nullable(texts, there), Value::Nullable(text)) => {
                texts.push(text.unwrap_or_default());
                there.push(text.is_some());
            }
            (ColumnValues::Numbers(all), Value::Number(n)) => all.push(signed(n)),
            (ColumnValues::NullableNumbers(all), Value::NullableNumber(n)) => {
                all.push(n.map(signed))
            }
            (ColumnValues::NullableNumbers(all), Value::Int(n)) => all.push(n),
            (ColumnValues::NullableFloats(all), Value::Float(n)) => all.push(n),
            (ColumnValues::Flags(all), Value::Flag(flag)) => all.push(flag),
            (ColumnValues::NullableFlags(all), Value::NullableFlag(flag)) => all.push(flag),
            (ColumnValues::Forms(all), Value::Forms(forms)) => all.push(forms),
            _ => debug_assert!(false, "rows of two schemas"),
        }
    }

    fn split_off(&mut self, rows: usize) -> ColumnValues {
        match self {
            ColumnValues::Texts(texts) => ColumnValues::Texts(texts.split_off(rows)),
            ColumnValues::Nullable(texts, there) => {
                ColumnValues::Nullable(texts.split_off(rows), there.split_off(rows))
            }
            ColumnValues::Numbers(all) => ColumnValues::Numbers(all.split_off(rows)),
            ColumnValues::NullableNumbers(all) => {
                ColumnValues::NullableNumbers(all.split_off(rows))
            }
            ColumnValues::NullableFloats(all) => ColumnValues::NullableFloats(all.split_off(rows)),
            ColumnValues::Flags(all) => ColumnValues::Flags(all.split_off(rows)),
            ColumnValues::NullableFlags(all) => ColumnValues::NullableFlags(all.split_off(rows)),
            ColumnValues::Forms(all) => ColumnValues::Forms(all.split_off(rows)),
        }
    }
}

/// Converts a number for Parquet, whose integers are signed. Saturates, since no scan counts that many.
fn signed(number: u64) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

impl Texts {
    fn new(rows: usize) -> Texts {
        Texts {
            bytes: Vec::new(),
            ends: Vec::with_capacity(rows),
        }
    }

    fn push(&mut self, text: &str) {
        if self.bytes.capacity() == 0 {
            let usual = text.len().min(MAX_USUAL_TEXT_BYTES);
            self.bytes.reserve(self.ends.capacity() * usual);
        }
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
