//! Columns that R turns into a data frame.

use extendr_api::prelude::*;

use crate::strings::Texts;

/// Type of the values of a column.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Text,
    /// Whole numbers, as doubles in R: its integers end at 2^31.
    Number,
    Flag,
}

/// A value of a row. `None` is NA.
pub(crate) enum Value<'v> {
    Text(Option<&'v str>),
    Number(Option<u64>),
    Flag(Option<bool>),
}

enum Column {
    Texts(Texts),
    Numbers(Vec<Rfloat>),
    Flags(Vec<Rbool>),
}

impl Column {
    fn new(kind: Kind) -> Column {
        match kind {
            Kind::Text => Column::Texts(Texts::default()),
            Kind::Number => Column::Numbers(Vec::new()),
            Kind::Flag => Column::Flags(Vec::new()),
        }
    }

    fn push(&mut self, value: Value<'_>) {
        match (self, value) {
            (Column::Texts(texts), Value::Text(text)) => texts.push(text),
            (Column::Numbers(all), Value::Number(one)) => {
                all.push(one.map_or(Rfloat::na(), |one| Rfloat::from(one as f64)));
            }
            (Column::Flags(all), Value::Flag(one)) => {
                all.push(one.map_or(Rbool::na(), Rbool::from));
            }
            // Callers push only values of the column's type.
            _ => unreachable!("a value of another kind"),
        }
    }

    fn into_vector(self) -> Robj {
        match self {
            Column::Texts(texts) => texts.into_vector(),
            Column::Numbers(all) => Doubles::from_values(all).into(),
            Column::Flags(all) => Logicals::from_values(all).into(),
        }
    }
}

/// Named columns of the same length. Not objects of R yet, so that the thread of a run can fill them.
pub(crate) struct Frame {
    names: Vec<String>,
    columns: Vec<Column>,
}

impl Frame {
    pub(crate) fn new<'n>(columns: impl IntoIterator<Item = (&'n str, Kind)>) -> Frame {
        let columns = columns.into_iter();
        let (names, columns) = columns
            .map(|(name, kind)| (name.to_owned(), Column::new(kind)))
            .unzip();
        Frame { names, columns }
    }

    /// Adds a row with a value for each column.
    pub(crate) fn push<'v>(&mut self, row: impl IntoIterator<Item = Value<'v>>) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }

    /// Converts it to a named list of vectors.
    pub(crate) fn into_list(self) -> Robj {
        let vectors: Vec<_> = self.columns.into_iter().map(Column::into_vector).collect();
        let mut list = List::from_values(vectors);
        // Cannot fail: there are as many names as elements.
        let _ = list.set_names(self.names);
        list.into()
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Value::Text(Some(text))
    }
}

impl<'v> From<Option<&'v str>> for Value<'v> {
    fn from(text: Option<&'v str>) -> Self {
        Value::Text(text)
    }
}

impl From<usize> for Value<'_> {
    fn from(number: usize) -> Self {
        Value::Number(Some(number as u64))
    }
}

impl From<Option<u64>> for Value<'_> {
    fn from(number: Option<u64>) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Flag(Some(flag))
    }
}

impl From<Option<bool>> for Value<'_> {
    fn from(flag: Option<bool>) -> Self {
        Value::Flag(flag)
    }
}
