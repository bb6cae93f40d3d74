//! Builds record batches of rows.

use std::mem::{replace, take};
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Fields};
use doisift::internal::{Forms, forms_of};
use doisift::{CheckDigit, Error, MentionRow, Record, Scan, ScanReport};

use crate::arrow::{Flags, Integers, Lists, Overflow, Texts, Width, rows};
use crate::batch::integer;

/// A batch is full when its texts have this many bytes, for any number of rows.
const BATCH_BYTES: usize = 2 << 20;

/// A kind of rows that the library delivers.
pub(crate) trait Rows: Sized + 'static {
    type Row<'r>;

    /// Returns the column of a field, or `None` if there is no such field. Its type is as in Parquet output.
    fn column(name: &str) -> Option<Column<Self>>;

    /// Runs a scan that calls `push` with all rows.
    fn run(
        scan: Scan,
        push: impl FnMut(&Self::Row<'_>) -> ControlFlow<()> + Send,
    ) -> Result<ScanReport, Error>;
}

pub(crate) enum Mentions {}
pub(crate) enum Records {}

impl Rows for Mentions {
    type Row<'r> = MentionRow<'r>;

    fn column(name: &str) -> Option<Column<Self>> {
        Some(match name {
            "doi" => Column::text(|row| row.doi),
            "form" => Column::text(|row| row.form.name()),
            "source" => Column::text(|row| row.source),
            "document" => Column::text_or_null(|row| row.document),
            "offset" => Column::number(|row| row.offset),
            "length" => Column::number(|row| row.length),
            "text" => Column::text(|row| row.text),
            "guessed" => Column::flag(|row| row.guessed),
            "check_digit" => Column::text_or_null(|row| row.check_digit().map(CheckDigit::name)),
            "known" => Column::flag_or_null(|row| row.known),
            "agency" => Column::text_or_null(|row| row.agency),
            "retracted" => Column::flag_or_null(|row| row.retracted),
            "before" => Column::text(|row| row.before),
            "after" => Column::text(|row| row.after),
            "record_id" => Column::text_or_null(|row| row.warc_record_id),
            "date" => Column::text_or_null(|row| row.date),
            "column" => Column::text_or_null(|row| row.column),
            "document_index" => Column::number(|row| row.document_index),
            "part_index" => Column::number(|row| row.part_index),
            _ => return None,
        })
    }

    fn run(
        scan: Scan,
        push: impl FnMut(&MentionRow<'_>) -> ControlFlow<()> + Send,
    ) -> Result<ScanReport, Error> {
        scan.for_each_mention(push)
    }
}

impl Rows for Records {
    type Row<'r> = Record<'r>;

    fn column(name: &str) -> Option<Column<Self>> {
        Some(match name {
            "doi" => Column::text(|row| row.doi),
            "mentions" => Column::number(|row| row.mentions),
            "documents" => Column::number(|row| row.documents),
            "sources" => Column::number(|row| row.sources),
            "forms" => Column::forms(|row| forms_of(row)),
            "first_source" => Column::text(|row| row.first_source),
            "first_document" => Column::text_or_null(|row| row.first_document),
            "first_offset" => Column::number(|row| row.first_offset),
            "first_text" => Column::text(|row| &row.first_text),
            "guessed" => Column::flag(|row| row.guessed),
            "check_digit" => Column::text_or_null(|row| row.check_digit().map(CheckDigit::name)),
            "known" => Column::flag_or_null(|row| row.known),
            "agency" => Column::text_or_null(|row| row.agency),
            "retracted" => Column::flag_or_null(|row| row.retracted),
            _ => return None,
        })
    }

    fn run(
        scan: Scan,
        push: impl FnMut(&Record<'_>) -> ControlFlow<()> + Send,
    ) -> Result<ScanReport, Error> {
        scan.for_each_record(push)
    }
}

/// Gets a value from a row.
type Getter<R, V> = for<'r, 'm> fn(&'r <R as Rows>::Row<'m>) -> V;
type TextGetter<R> = for<'r, 'm> fn(&'r <R as Rows>::Row<'m>) -> &'r str;
type TextOrNullGetter<R> = for<'r, 'm> fn(&'r <R as Rows>::Row<'m>) -> Option<&'r str>;

/// Builds the values of a column.
pub(crate) enum Column<R: Rows> {
    Text(TextGetter<R>, Texts),
    TextOrNull(TextOrNullGetter<R>, Texts),
    Number(Getter<R, u64>, Integers),
    Flag(Getter<R, bool>, Flags),
    FlagOrNull(Getter<R, Option<bool>>, Flags),
    Forms(Getter<R, Forms>, FormLists),
}

impl<R: Rows> Column<R> {
    fn text(of: TextGetter<R>) -> Self {
        Column::Text(of, texts())
    }

    fn text_or_null(of: TextOrNullGetter<R>) -> Self {
        Column::TextOrNull(of, texts())
    }

    fn number(of: Getter<R, u64>) -> Self {
        Column::Number(of, Integers::new())
    }

    fn flag(of: Getter<R, bool>) -> Self {
        Column::Flag(of, Flags::new())
    }

    fn flag_or_null(of: Getter<R, Option<bool>>) -> Self {
        Column::FlagOrNull(of, Flags::new())
    }

    fn forms(of: Getter<R, Forms>) -> Self {
        Column::Forms(of, FormLists::default())
    }

    /// Returns the type of the values.
    fn field(&self, name: &'static str) -> Field {
        let text = Width::Small.text();
        match self {
            Column::Text(..) => Field::new(name, text, false),
            Column::TextOrNull(..) => Field::new(name, text, true),
            Column::Number(..) => Field::new(name, DataType::Int64, false),
            Column::Flag(..) => Field::new(name, DataType::Boolean, false),
            Column::FlagOrNull(..) => Field::new(name, DataType::Boolean, true),
            Column::Forms(..) => Field::new(name, Width::Small.list(text), false),
        }
    }

    /// Adds the value of a row. Returns the number of bytes of its text.
    fn push(&mut self, row: &R::Row<'_>) -> Result<usize, Overflow> {
        match self {
            Column::Text(of, texts) => return push_text(texts, Some(of(row))),
            Column::TextOrNull(of, texts) => return push_text(texts, of(row)),
            Column::Number(of, numbers) => numbers.append_value(integer(of(row))),
            Column::Flag(of, flags) => flags.append_value(of(row)),
            Column::FlagOrNull(of, flags) => flags.append_option(of(row)),
            Column::Forms(of, lists) => lists.push(of(row))?,
        }
        Ok(0)
    }

    /// Takes the values so far.
    fn take(&mut self) -> Result<ArrayRef, Overflow> {
        Ok(match self {
            Column::Text(_, all) | Column::TextOrNull(_, all) => replace(all, texts()).finish(),
            Column::Number(_, numbers) => Arc::new(numbers.finish()),
            Column::Flag(_, flags) | Column::FlagOrNull(_, flags) => Arc::new(flags.finish()),
            Column::Forms(_, lists) => take(lists).finish()?,
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
pub(crate) struct FormLists {
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
pub(crate) struct Table<R: Rows> {
    columns: Vec<Column<R>>,
    fields: Fields,
    rows: usize,
    max_rows: usize,
    bytes: usize,
}

impl<R: Rows> Table<R> {
    /// Creates a builder of batches with these fields, in this order, of at most `max_rows` rows.
    pub(crate) fn new(names: &[&'static str], max_rows: usize) -> Self {
        let named = names.iter().filter_map(|&name| {
            let column = R::column(name)?;
            Some((column.field(name), column))
        });
        let (fields, columns): (Vec<_>, _) = named.unzip();
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
    pub(crate) fn push(&mut self, row: &R::Row<'_>) -> Result<Option<ArrayRef>, Overflow> {
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
