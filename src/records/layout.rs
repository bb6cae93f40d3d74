//! The layout of an output: kind of rows, format and fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::field::{Field, INDEX_STATUS_FIELDS, RowKind};
use super::format::Format;
use super::row::{FieldValue, Row};
use doisift_structure::{RecordColumn, RecordType, RecordValue};

/// Layout of the rows of an output.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) format: Format,
    pub(crate) rows: RowKind,
    /// The fields of a row, in order.
    pub(crate) fields: Arc<[Field]>,
    /// The columns after the fields, with fields of records in the documents.
    pub(crate) record_fields: Arc<[RecordColumn]>,
}

/// A column of rows that a caller takes.
#[derive(Clone, Debug)]
pub struct CallerColumn {
    name: Box<str>,
    place: ColumnPlace,
}

/// Where a row has the value of a column.
#[derive(Clone, Copy, Debug)]
enum ColumnPlace {
    Field(Field),
    /// The number of a field of records, and its type.
    RecordField(usize, RecordType),
}

impl CallerColumn {
    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns an empty value, which shows the kind of its values.
    pub fn empty(&self) -> FieldValue<'static> {
        match self.place {
            ColumnPlace::Field(field) => FieldValue::empty(field.kind()),
            ColumnPlace::RecordField(_, kind) => FieldValue::of_record(kind, &RecordValue::Null),
        }
    }

    /// Returns its value in a row of its layout.
    pub(crate) fn value<'r>(&self, row: &'r dyn Row) -> FieldValue<'r> {
        match self.place {
            ColumnPlace::Field(field) => row.value(field),
            ColumnPlace::RecordField(number, kind) => {
                FieldValue::of_record(kind, row.record_field(number))
            }
        }
    }
}

/// Error for chosen fields that rows do not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}; the fields of {} are {}", .rows.name(), .rows.all_listed())]
pub struct BadFields {
    fault: FieldFault,
    rows: RowKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum FieldFault {
    #[error("there is no field {0:?}")]
    Unknown(Box<str>),
    #[error("the field {0} is named twice")]
    Repeated(&'static str),
    #[error("no field is named")]
    None,
    #[error(
        "bare names are written without other fields; choose another format, or name no fields"
    )]
    Names,
}

impl Layout {
    /// Creates a layout with all usual fields.
    pub(crate) fn new(format: Format, rows: RowKind) -> Layout {
        Layout {
            format,
            rows,
            fields: rows.fields().into(),
            record_fields: Arc::default(),
        }
    }

    /// Adds columns for fields of records in the documents.
    pub(crate) fn with_record_fields(
        self,
        columns: impl IntoIterator<Item = RecordColumn>,
    ) -> Layout {
        Layout {
            record_fields: columns.into_iter().collect(),
            ..self
        }
    }

    /// Changes the layout for rows that may have no name.
    pub(crate) fn without_names(self) -> Layout {
        let field = |field: &Field| match field {
            Field::Doi => Field::DoiOrNull,
            Field::Form => Field::FormOrNull,
            field => *field,
        };
        Layout {
            fields: self.fields.iter().map(field).collect(),
            ..self
        }
    }

    /// Creates a layout with the fields of these names, in this order, or with all usual ones for `None`.
    pub(crate) fn with_fields(
        format: Format,
        rows: RowKind,
        names: Option<&[String]>,
    ) -> Result<Layout, BadFields> {
        let layout = Layout::new(format, rows);
        let Some(names) = names else {
            return Ok(layout);
        };
        let fields = match format {
            Format::Names => Err(FieldFault::Names),
            _ => chosen(rows, names),
        };
        match fields {
            Ok(fields) => Ok(Layout {
                fields: fields.into(),
                ..layout
            }),
            Err(fault) => Err(BadFields { fault, rows }),
        }
    }

    /// Whether rows may have no name.
    pub(crate) fn lacks_names(&self) -> bool {
        self.has(Field::DoiOrNull) || self.has(Field::FormOrNull)
    }

    /// Whether rows have this field.
    pub(crate) fn has(&self, field: Field) -> bool {
        self.fields.contains(&field)
    }

    /// Appends fields.
    pub(crate) fn and(self, fields: &[Field]) -> Layout {
        Layout {
            fields: self.fields.iter().chain(fields).copied().collect(),
            ..self
        }
    }

    /// Appends the answers of an index, if rows can have them.
    pub(crate) fn and_index_status(self) -> Layout {
        match self.rows {
            _ if self.format == Format::Names => self,
            RowKind::Records | RowKind::Mentions | RowKind::Edges => self.and(&INDEX_STATUS_FIELDS),
            _ => self,
        }
    }

    /// Whether rows have answers of an index.
    pub(crate) fn has_index_status(&self) -> bool {
        INDEX_STATUS_FIELDS.into_iter().any(|field| self.has(field))
    }

    /// Returns the names of the fields.
    pub(crate) fn field_names(&self) -> Vec<String> {
        let names = self.fields.iter().map(|field| field.name());
        names.map(str::to_owned).collect()
    }

    /// Returns all columns, for a caller that takes the rows.
    pub(crate) fn caller_columns(&self) -> Vec<CallerColumn> {
        let fields = self.fields.iter().map(|&field| ColumnPlace::Field(field));
        let of_records = self.record_fields.iter().enumerate();
        let of_records =
            of_records.map(|(number, column)| ColumnPlace::RecordField(number, column.kind));
        let places = fields.chain(of_records);
        let columns = self.columns().into_iter().zip(places);
        columns
            .map(|(name, place)| CallerColumn {
                name: name.into(),
                place,
            })
            .collect()
    }

    /// Returns the names of all columns.
    pub(crate) fn columns(&self) -> Vec<&str> {
        let fields = self.fields.iter().map(|field| field.name());
        let of_records = self.record_fields.iter().map(|column| &*column.name);
        fields.chain(of_records).collect()
    }

    /// Returns the words for the types of columns with fields of records, except texts.
    pub(crate) fn types(&self) -> BTreeMap<&str, &'static str> {
        let columns = self.record_fields.iter();
        let typed = columns.filter(|column| column.kind != RecordType::Text);
        let typed = typed.map(|column| (&*column.name, column.kind.name()));
        typed.collect()
    }

    /// Returns the names of all columns, with the types of those with fields of records.
    pub(crate) fn described_columns(&self) -> String {
        let fields = self.fields.iter().map(|field| field.name().to_owned());
        let of_records = self.record_fields.iter().map(RecordColumn::described);
        fields.chain(of_records).collect::<Vec<_>>().join(",")
    }
}

fn chosen(rows: RowKind, names: &[String]) -> Result<Vec<Field>, FieldFault> {
    let mut fields = Vec::with_capacity(names.len());
    for name in names {
        let known = rows.all_fields().find(|field| field.name() == name);
        let field = known.ok_or_else(|| FieldFault::Unknown(name.as_str().into()))?;
        if fields.contains(&field) {
            return Err(FieldFault::Repeated(field.name()));
        }
        fields.push(field);
    }
    if fields.is_empty() {
        Err(FieldFault::None)
    } else {
        Ok(fields)
    }
}
