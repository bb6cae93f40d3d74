//! Builds record batches of rows.

use std::mem::{replace, take};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Fields};
use doisift::internal::{CallerColumn, CallerRow, FieldValue, Forms};

use crate::arrow::{Flags, Floats, Integers, Lists, Overflow, Texts, Width, rows};
use crate::batch::integer;

/// A batch is full when its texts have this many bytes, for any number of rows.
const BATCH_BYTES: usize = 2 << 20;

/// Builds the values of a column.
struct Column {
    of: CallerColumn,
    values: Values,
}

enum Values {
    Texts(Texts),
    Numbers(Integers),
    Floats(Floats),
    Flags(Flags),
    Forms(FormLists),
}

impl Column {
    /// Creates an empty column. Also returns its type, which is as in Parquet output.
    fn new(of: CallerColumn) -> (Field, Column) {
        let text = Width::Small.text();
        let (values, kind, nullable) = match of.empty() {
            FieldValue::Text(_) => (Values::Texts(texts()), text, false),
            FieldValue::Number(_) => (Values::Numbers(Integers::new()), DataType::Int64, false),
            FieldValue::NullableNumber(_) | FieldValue::Int(_) => {
                (Values::Numbers(Integers::new()), DataType::Int64, true)
            }
            FieldValue::Float(_) => (Values::Floats(Floats::new()), DataType::Float64, true),
            FieldValue::Flag(_) => (Values::Flags(Flags::new()), DataType::Boolean, false),
            FieldValue::NullableFlag(_) => (Values::Flags(Flags::new()), DataType::Boolean, true),
            FieldValue::Forms(_) => {
                let lists = Values::Forms(FormLists::default());
                (lists, Width::Small.list(text), false)
            }
            _ => (Values::Texts(texts()), text, true),
        };
        (Field::new(of.name(), kind, nullable), Column { of, values })
    }

    /// Adds the value of a row. Returns the number of bytes of its text.
    fn push(&mut self, row: &CallerRow<'_>) -> Result<usize, Overflow> {
        match (&mut self.values, row.get(&self.of)) {
            (Values::Texts(all), FieldValue::Text(text)) => return push_text(all, Some(text)),
            (Values::Texts(all), FieldValue::Nullable(text)) => return push_text(all, text),
            (Values::Numbers(all), FieldValue::Number(number)) => all.append_value(integer(number)),
            (Values::Numbers(all), FieldValue::NullableNumber(number)) => {
                all.append_option(number.map(integer));
            }
            (Values::Numbers(all), FieldValue::Int(number)) => all.append_option(number),
            (Values::Floats(all), FieldValue::Float(number)) => all.append_option(number),
            (Values::Flags(all), FieldValue::Flag(flag)) => all.append_value(flag),
            (Values::Flags(all), FieldValue::NullableFlag(flag)) => all.append_option(flag),
            (Values::Forms(all), FieldValue::Forms(forms)) => all.push(forms)?,
            _ => debug_assert!(false, "values of two kinds"),
        }
        Ok(0)
    }

    /// Takes the values so far.
    fn take(&mut self) -> Result<ArrayRef, Overflow> {
        Ok(match &mut self.values {
            Values::Texts(all) => replace(all, texts()).finish(),
            Values::Numbers(all) => Arc::new(all.finish()),
            Values::Floats(all) => Arc::new(all.finish()),
            Values::Flags(all) => Arc::new(all.finish()),
            Values::Forms(all) => take(all).finish()?,
        })
    }
}

fn texts() -> Texts {
    Texts::new(Width::Small)
}

fn push_text(texts: &mut Texts, text: Option<&str>) -> Result<usize, Overflow> {
    texts.push(text)?;
    Ok(text.map_or(0, str::len))
}

/// Builds lists of forms.
struct FormLists {
    lists: Lists,
    names: Texts,
    /// Number of names.
    end: usize,
}

impl Default for FormLists {
    fn default() -> Self {
        FormLists {
            lists: Lists::new(Width::Small),
            names: texts(),
            end: 0,
        }
    }
}

impl FormLists {
    fn push(&mut self, forms: Forms) -> Result<(), Overflow> {
        for form in forms.iter() {
            self.names.push(Some(form.name()))?;
            self.end += 1;
        }
        self.lists.push(self.end, true);
        Ok(())
    }

    fn finish(self) -> Result<ArrayRef, Overflow> {
        self.lists.finish(self.names.finish())
    }
}

/// Builds record batches.
pub(crate) struct Table {
    columns: Vec<Column>,
    fields: Fields,
    rows: usize,
    max_rows: usize,
    bytes: usize,
}

impl Table {
    /// Creates a builder of batches with these columns, of at most `max_rows` rows.
    pub(crate) fn new(columns: Vec<CallerColumn>, max_rows: usize) -> Self {
        let (fields, columns): (Vec<_>, _) = columns.into_iter().map(Column::new).unzip();
        Table {
            columns,
            fields: fields.into(),
            rows: 0,
            max_rows,
            bytes: 0,
        }
    }

    /// Returns the type of a batch.
    pub(crate) fn field(&self) -> Field {
        Field::new("", DataType::Struct(self.fields.clone()), false)
    }

    /// Adds a row. Returns the batch if the row fills it.
    ///
    /// # Errors
    /// If a text of the row is longer than 2 GiB.
    pub(crate) fn push(&mut self, row: &CallerRow<'_>) -> Result<Option<ArrayRef>, Overflow> {
        for column in &mut self.columns {
            self.bytes += column.push(row)?;
        }
        self.rows += 1;
        let is_full = self.rows >= self.max_rows || self.bytes >= BATCH_BYTES;
        is_full.then(|| self.take()).transpose()
    }

    /// Returns the remaining rows, if there are any.
    ///
    /// # Errors
    /// If the texts of a column are longer than 2 GiB.
    pub(crate) fn finish(&mut self) -> Option<Result<ArrayRef, Overflow>> {
        (self.rows > 0).then(|| self.take())
    }

    fn take(&mut self) -> Result<ArrayRef, Overflow> {
        self.bytes = 0;
        let columns = self.columns.iter_mut().map(Column::take);
        let columns = columns.collect::<Result<_, _>>()?;
        rows(self.fields.clone(), take(&mut self.rows), columns).map_err(|_| Overflow)
    }
}
