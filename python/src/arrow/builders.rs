//! Builds arrays, a value at a time, with offsets of 32 or 64 bits.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, LargeStringBuilder, StringBuilder,
};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};

/// Builds an array of integers.
pub(crate) type Integers = Int64Builder;
/// Builds an array of floating-point numbers.
pub(crate) type Floats = Float64Builder;
/// Builds an array of booleans.
pub(crate) type Flags = BooleanBuilder;

/// Size of offsets, which limits the bytes or values of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// 32 bits: at most 2 GiB.
    Small,
    /// 64 bits.
    Large,
}

impl Width {
    /// Returns the type of texts.
    pub(crate) fn text(self) -> DataType {
        match self {
            Width::Small => DataType::Utf8,
            Width::Large => DataType::LargeUtf8,
        }
    }

    /// Returns the type of lists of values that are never null.
    pub(crate) fn list(self, of: DataType) -> DataType {
        match self {
            Width::Small => DataType::List(item(of)),
            Width::Large => DataType::LargeList(item(of)),
        }
    }
}

fn item(of: DataType) -> FieldRef {
    Arc::new(Field::new("item", of, false))
}

/// The array is full: it has more bytes or values than its offsets can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

impl std::fmt::Display for Overflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "more than 2 GiB for one array; pass large_string or large_binary, or smaller arrays",
        )
    }
}

/// Builds an array of texts, which may be null.
#[derive(Debug)]
pub(crate) enum Texts {
    Small(StringBuilder),
    Large(LargeStringBuilder),
}

impl Texts {
    pub(crate) fn new(width: Width) -> Texts {
        match width {
            Width::Small => Texts::Small(StringBuilder::new()),
            Width::Large => Texts::Large(LargeStringBuilder::new()),
        }
    }

    /// # Errors
    /// If the array is full.
    #[inline]
    pub(crate) fn push(&mut self, text: Option<&str>) -> Result<(), Overflow> {
        match self {
            Texts::Small(texts) => {
                // The builder panics if the array is full.
                let end = texts.values_slice().len() + text.map_or(0, str::len);
                i32::try_from(end).map_err(|_| Overflow)?;
                texts.append_option(text);
            }
            Texts::Large(texts) => texts.append_option(text),
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> ArrayRef {
        match self {
            Texts::Small(mut texts) => Arc::new(texts.finish()),
            Texts::Large(mut texts) => Arc::new(texts.finish()),
        }
    }
}

/// Builds an array of lists. The elements are built separately.
#[derive(Debug)]
pub(crate) struct Lists {
    width: Width,
    lengths: Vec<usize>,
    end: usize,
    nulls: NullBufferBuilder,
}

impl Lists {
    pub(crate) fn new(width: Width) -> Lists {
        Lists {
            width,
            lengths: Vec::new(),
            end: 0,
            nulls: NullBufferBuilder::new(0),
        }
    }

    /// Appends a list, which ends before the element `end`.
    #[inline]
    pub(crate) fn push(&mut self, end: usize, valid: bool) {
        self.lengths.push(end - self.end);
        self.end = end;
        self.nulls.append(valid);
    }

    /// # Errors
    /// If the array is full.
    pub(crate) fn finish(self, elements: ArrayRef) -> Result<ArrayRef, Overflow> {
        match self.width {
            Width::Small => self.finish_as::<i32>(elements),
            Width::Large => self.finish_as::<i64>(elements),
        }
    }

    fn finish_as<O: OffsetSizeTrait>(mut self, elements: ArrayRef) -> Result<ArrayRef, Overflow> {
        let offsets = OffsetBuffer::<O>::try_from_lengths(self.lengths).map_err(|_| Overflow)?;
        let (item, nulls) = (item(elements.data_type().clone()), self.nulls.finish());
        let lists = GenericListArray::try_new(item, offsets, elements, nulls);
        Ok(Arc::new(lists.map_err(|_| Overflow)?))
    }
}

/// Makes an array of rows from columns of this length.
///
/// # Errors
/// If a column has another length or type than its field.
pub(crate) fn rows(
    fields: Fields,
    length: usize,
    columns: Vec<ArrayRef>,
) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(StructArray::try_new_with_length(
        fields, columns, None, length,
    )?))
}
