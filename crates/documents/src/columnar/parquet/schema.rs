//! The columns of a file, and their Arrow types.

use std::sync::Arc;

use arrow_schema::{DataType, Fields};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_schema, parquet_to_arrow_schema_by_columns};
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::errors::Result;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type, TypePtr};

use crate::columnar::leaf::{self, TableLeaf};

/// The schema in which texts are bytes, since texts may be in any encoding.
pub(super) struct TableSchema {
    pub(super) descriptor: SchemaDescriptor,
    /// The outermost columns, in which texts are views of pages.
    pub(super) fields: Fields,
    pub(super) leaves: Vec<TableLeaf>,
}

impl TableSchema {
    /// The columns of a file. Returns `None` if their names are too long, or a type lacks its length.
    pub(super) fn new(stored: &SchemaDescriptor) -> Result<Option<Self>> {
        let descriptor = SchemaDescriptor::new(as_bytes(&stored.root_schema_ptr())?);
        let schema = parquet_to_arrow_schema(&descriptor, None)?;
        let view = |kind: &DataType| (*kind == DataType::Binary).then_some(DataType::BinaryView);
        let fields = schema.fields().iter();
        let fields: Fields = fields.map(|field| leaf::with_texts(field, &view)).collect();
        let Some(mut leaves) = leaf::leaves(&fields) else {
            return Ok(None);
        };
        if leaves.len() != stored.num_columns() {
            return Ok(None);
        }
        for (leaf, column) in leaves.iter_mut().zip(stored.columns()) {
            if !has_length(column) {
                return Ok(None);
            }
            leaf.is_text &= is_text(column);
            leaf.name.set_schema_name(column.path().string());
        }
        Ok(Some(TableSchema {
            descriptor,
            fields,
            leaves,
        }))
    }

    /// The columns with these numbers, in ascending order.
    pub(super) fn projected(&self, numbers: &[usize]) -> Result<Fields> {
        let mask = ProjectionMask::leaves(&self.descriptor, numbers.iter().copied());
        let schema = parquet_to_arrow_schema_by_columns(&self.descriptor, mask, None)?;
        Ok(schema.fields)
    }

    /// The numbers of the columns that can only be read together with this one, and of itself.
    pub(super) fn read_with(&self, number: usize) -> impl Iterator<Item = usize> {
        let root = self.leaves[number].steps[0];
        let has_map = has_map(self.fields[root].data_type());
        let leaves = self.leaves.iter().filter(move |leaf| match has_map {
            true => leaf.steps[0] == root,
            false => leaf.number == number,
        });
        leaves.map(|leaf| leaf.number)
    }
}

/// Whether the length of values is stated if they all have the same.
fn has_length(column: &ColumnDescriptor) -> bool {
    column.physical_type() != PhysicalType::FIXED_LEN_BYTE_ARRAY || column.type_length() > 0
}

/// Whether the values of a column are texts, or may be: bytes that are not said to be something else.
fn is_text(column: &ColumnDescriptor) -> bool {
    let logical = column.logical_type_ref();
    match column.physical_type() {
        PhysicalType::FIXED_LEN_BYTE_ARRAY => {
            logical.is_none() && column.converted_type() == ConvertedType::NONE
        }
        _ => !matches!(
            logical,
            Some(LogicalType::Geometry(_) | LogicalType::Geography(_))
        ),
    }
}

/// Returns a type in which texts are bytes.
fn as_bytes(stored: &TypePtr) -> Result<TypePtr> {
    let info = stored.get_basic_info();
    if stored.is_group() {
        let fields = stored.get_fields().iter().map(as_bytes);
        let mut group = Type::group_type_builder(stored.name())
            .with_converted_type(info.converted_type())
            .with_logical_type(info.logical_type_ref().cloned())
            .with_fields(fields.collect::<Result<_>>()?);
        if info.has_repetition() {
            group = group.with_repetition(info.repetition());
        }
        return group.build().map(Arc::new);
    }
    let is_number = matches!(info.logical_type_ref(), Some(LogicalType::Decimal(_)))
        || info.converted_type() == ConvertedType::DECIMAL;
    if stored.get_physical_type() != PhysicalType::BYTE_ARRAY || is_number {
        return Ok(Arc::clone(stored));
    }
    let text = Type::primitive_type_builder(stored.name(), PhysicalType::BYTE_ARRAY)
        .with_repetition(info.repetition());
    text.build().map(Arc::new)
}

fn has_map(kind: &DataType) -> bool {
    match kind {
        DataType::Map(_, _) => true,
        DataType::Struct(fields) => fields.iter().any(|field| has_map(field.data_type())),
        DataType::List(item) => has_map(item.data_type()),
        _ => false,
    }
}
