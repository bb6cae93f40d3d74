//! Builds record batches of rows.

use std::sync::Arc;

use doisift::{Forms, MentionRow, Record};

use crate::arrow::{Data, Field, Flags, Integers, Kind, Lists, Overflow, Texts, Width};

/// A batch is full with texts of so many bytes, whatever the number of rows.
const BATCH_BYTES: usize = 2 << 20;

/// A field of a row. The types are those of Parquet output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowField {
    Doi,
    Mentions,
    Documents,
    Forms,
    FirstSource,
    FirstDocument,
    FirstOffset,
    FirstText,
    Guessed,
    Form,
    Source,
    Document,
    Offset,
    Length,
    Text,
    Before,
    After,
    RecordId,
    Date,
    Column,
    DocumentIndex,
}

impl RowField {
    const ALL: [(RowField, &str); 21] = [
        (RowField::Doi, "doi"),
        (RowField::Mentions, "mentions"),
        (RowField::Documents, "documents"),
        (RowField::Forms, "forms"),
        (RowField::FirstSource, "first_source"),
        (RowField::FirstDocument, "first_document"),
        (RowField::FirstOffset, "first_offset"),
        (RowField::FirstText, "first_text"),
        (RowField::Guessed, "guessed"),
        (RowField::Form, "form"),
        (RowField::Source, "source"),
        (RowField::Document, "document"),
        (RowField::Offset, "offset"),
        (RowField::Length, "length"),
        (RowField::Text, "text"),
        (RowField::Before, "before"),
        (RowField::After, "after"),
        (RowField::RecordId, "record_id"),
        (RowField::Date, "date"),
        (RowField::Column, "column"),
        (RowField::DocumentIndex, "document_index"),
    ];

    fn named(name: &str) -> Option<RowField> {
        let mut all = RowField::ALL.iter();
        all.find(|(_, of)| *of == name).map(|(column, _)| *column)
    }

    fn field(self, name: &'static str) -> Field {
        match self {
            RowField::FirstDocument
            | RowField::Document
            | RowField::RecordId
            | RowField::Date
            | RowField::Column => Field::nullable(name, Kind::Text(Width::Small)),
            RowField::Mentions
            | RowField::Documents
            | RowField::FirstOffset
            | RowField::Offset
            | RowField::Length
            | RowField::DocumentIndex => Field::new(name, Kind::Int64),
            RowField::Guessed => Field::new(name, Kind::Bool),
            RowField::Forms => {
                let forms = Kind::list(Width::Small, Kind::Text(Width::Small));
                Field::new(name, forms)
            }
            _ => Field::new(name, Kind::Text(Width::Small)),
        }
    }
}

/// The value of a field.
pub(crate) enum Value<'r> {
    Text(Option<&'r str>),
    Number(u64),
    Flag(bool),
    Forms(Forms),
}

/// A row that the library passes on.
pub(crate) trait Row {
    /// The value of a field; a null for one that the row does not have.
    fn value(&self, column: RowField) -> Value<'_>;
}

impl Row for MentionRow<'_> {
    fn value(&self, column: RowField) -> Value<'_> {
        match column {
            RowField::Doi => Value::Text(Some(self.doi)),
            RowField::Form => Value::Text(Some(self.form.name())),
            RowField::Source => Value::Text(Some(self.source)),
            RowField::Document => Value::Text(self.document),
            RowField::Offset => Value::Number(self.offset),
            RowField::Length => Value::Number(self.length),
            RowField::Text => Value::Text(Some(self.text)),
            RowField::Guessed => Value::Flag(self.guessed),
            RowField::Before => Value::Text(Some(self.before())),
            RowField::After => Value::Text(Some(self.after())),
            RowField::RecordId => Value::Text(self.record_id()),
            RowField::Date => Value::Text(self.date()),
            RowField::Column => Value::Text(self.column()),
            RowField::DocumentIndex => Value::Number(self.document_index()),
            _ => Value::Text(None),
        }
    }
}

impl Row for Record<'_> {
    fn value(&self, column: RowField) -> Value<'_> {
        match column {
            RowField::Doi => Value::Text(Some(self.doi)),
            RowField::Mentions => Value::Number(self.mentions),
            RowField::Documents => Value::Number(self.documents),
            RowField::Forms => Value::Forms(self.forms),
            RowField::FirstSource => Value::Text(Some(self.first_source)),
            RowField::FirstDocument => Value::Text(self.first_document),
            RowField::FirstOffset => Value::Number(self.first_offset),
            RowField::FirstText => Value::Text(Some(&self.first_text)),
            RowField::Guessed => Value::Flag(self.guessed),
            _ => Value::Text(None),
        }
    }
}

/// Builds the values of a column.
enum Builder {
    Text(Texts),
    Number(Integers),
    Flag(Flags),
    Forms(Lists, Texts, usize),
}

impl Builder {
    fn new(kind: &Kind) -> Builder {
        match kind {
            Kind::Int64 => Builder::Number(Integers::default()),
            Kind::Bool => Builder::Flag(Flags::default()),
            Kind::List(width, _) => Builder::Forms(Lists::new(*width), Texts::new(*width), 0),
            Kind::Text(width) => Builder::Text(Texts::new(*width)),
            Kind::Struct(_) => Builder::Text(Texts::new(Width::Small)),
        }
    }

    /// Adds a value, which is of the kind of the column. Returns the bytes of its text.
    fn push(&mut self, value: Value<'_>) -> Result<usize, Overflow> {
        match (self, value) {
            (Builder::Text(texts), Value::Text(text)) => {
                texts.push(text)?;
                return Ok(text.map_or(0, str::len));
            }
            (Builder::Number(numbers), Value::Number(number)) => numbers.push(number),
            (Builder::Flag(flags), Value::Flag(flag)) => flags.push(flag),
            (Builder::Forms(lists, texts, end), Value::Forms(forms)) => {
                for form in forms.iter() {
                    texts.push(Some(form.name()))?;
                    *end += 1;
                }
                lists.push(*end, true)?;
            }
            _ => debug_assert!(false, "a value is of the kind of its column"),
        }
        Ok(0)
    }

    fn finish(self) -> Data {
        match self {
            Builder::Text(texts) => texts.finish(),
            Builder::Number(numbers) => numbers.finish(),
            Builder::Flag(flags) => flags.finish(),
            Builder::Forms(lists, texts, _) => lists.finish(texts.finish()),
        }
    }
}

/// Builds record batches.
pub(crate) struct Table {
    columns: Vec<RowField>,
    fields: Vec<Field>,
    builders: Vec<Builder>,
    rows: usize,
    most_rows: usize,
    bytes: usize,
}

impl Table {
    /// Batches of these fields, in this order, of at most so many rows.
    pub(crate) fn new(names: &[&'static str], most_rows: usize) -> Table {
        let named = names
            .iter()
            .filter_map(|name| Some((RowField::named(name)?, *name)));
        let (columns, fields): (Vec<_>, Vec<_>) = named
            .map(|(column, name)| (column, column.field(name)))
            .unzip();
        Table {
            builders: builders(&fields),
            columns,
            fields,
            rows: 0,
            most_rows,
            bytes: 0,
        }
    }

    /// The type of a batch.
    pub(crate) fn field(&self) -> Field {
        Field::new("", Kind::Struct(self.fields.clone()))
    }

    /// Adds a row. Returns the batch, if it is full with that.
    ///
    /// # Errors
    /// If a text of the row is longer than 2 GiB.
    pub(crate) fn push(&mut self, row: &dyn Row) -> Result<Option<Data>, Overflow> {
        for (builder, &column) in self.builders.iter_mut().zip(&self.columns) {
            self.bytes += builder.push(row.value(column))?;
        }
        self.rows += 1;
        let is_full = self.rows >= self.most_rows || self.bytes >= BATCH_BYTES;
        Ok(is_full.then(|| self.take()))
    }

    /// The rest of the rows, if there are any.
    pub(crate) fn finish(&mut self) -> Option<Data> {
        (self.rows > 0).then(|| self.take())
    }

    fn take(&mut self) -> Data {
        self.bytes = 0;
        let full = std::mem::replace(&mut self.builders, builders(&self.fields));
        let columns = full.into_iter().map(|builder| Arc::new(builder.finish()));
        Data::of_columns(std::mem::take(&mut self.rows), columns.collect())
    }
}

fn builders(fields: &[Field]) -> Vec<Builder> {
    fields
        .iter()
        .map(|field| Builder::new(&field.kind))
        .collect()
}
