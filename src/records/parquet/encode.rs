//! Encodes one column of a row group as pages.
//!
//! Rows are passed to the encoder in parts counted from the start of the group, so the pages do not depend on how the rows
//! were collected.

use std::ops::Range;

use ::parquet::column::writer::{
    ColumnCloseResult, ColumnWriter, ColumnWriterImpl, get_column_writer,
};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::properties::WriterPropertiesPtr;
use ::parquet::schema::types::ColumnDescPtr;
use bytes::Bytes;

use super::columns::{ColumnValues, Texts};
use super::seal::SealedPages;
use crate::records::Forms;

/// Rows that are passed to the encoder at once. It checks after each part whether a page is full.
const ENCODED_ROWS: usize = 1024;

/// The pages of a column, and their metadata.
pub(super) struct Encoded {
    pub(super) pages: Bytes,
    pub(super) closed: ColumnCloseResult,
}

/// Encodes a column whose values are in several parts.
pub(super) fn encode(
    column: &ColumnDescPtr,
    properties: &WriterPropertiesPtr,
    parts: Vec<ColumnValues>,
) -> Result<Encoded> {
    let mut pages = Vec::new();
    let writer = Box::new(SealedPages(&mut pages));
    let mut writer = get_column_writer(column.clone(), properties.clone(), writer);
    match &mut writer {
        ColumnWriter::ByteArrayColumnWriter(writer) => EncoderBatch::new(writer).texts(parts)?,
        ColumnWriter::Int64ColumnWriter(writer) => EncoderBatch::new(writer).numbers(parts)?,
        ColumnWriter::DoubleColumnWriter(writer) => EncoderBatch::new(writer).floats(parts)?,
        ColumnWriter::BoolColumnWriter(writer) => EncoderBatch::new(writer).flags(parts)?,
        _ => return Err(ParquetError::NYI("a column of another type".into())),
    }
    let closed = writer.close()?;
    Ok(Encoded {
        pages: pages.into(),
        closed,
    })
}

/// Rows that are passed to the encoder together.
struct EncoderBatch<'b, 'w, T: DataType> {
    writer: &'b mut ColumnWriterImpl<'w, T>,
    rows: usize,
    values: Vec<T::T>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

impl<'b, 'w, T: DataType> EncoderBatch<'b, 'w, T> {
    fn new(writer: &'b mut ColumnWriterImpl<'w, T>) -> Self {
        EncoderBatch {
            writer,
            rows: 0,
            values: Vec::new(),
            definitions: Vec::new(),
            repetitions: Vec::new(),
        }
    }

    /// Adds a row that always has one value.
    fn required(&mut self, value: T::T) -> Result<()> {
        self.values.push(value);
        self.end_row()
    }

    /// Adds a row that has one value or none.
    fn optional(&mut self, value: Option<T::T>) -> Result<()> {
        self.definitions.push(value.is_some().into());
        self.values.extend(value);
        self.end_row()
    }

    /// Adds a row that is a list, never null.
    fn list(&mut self, values: impl Iterator<Item = T::T>) -> Result<()> {
        let before = self.values.len();
        self.values.extend(values);
        let count = self.values.len() - before;
        // An empty list has levels, but no value.
        self.definitions
            .extend((0..count.max(1)).map(|_| i16::from(count > 0)));
        self.repetitions
            .extend((0..count.max(1)).map(|at| i16::from(at > 0)));
        self.end_row()
    }

    fn end_row(&mut self) -> Result<()> {
        self.rows += 1;
        match self.rows {
            ENCODED_ROWS => self.write(),
            _ => Ok(()),
        }
    }

    fn write(&mut self) -> Result<()> {
        let definitions = levels(&self.definitions);
        let repetitions = levels(&self.repetitions);
        self.writer
            .write_batch(&self.values, definitions, repetitions)?;
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        self.rows = 0;
        Ok(())
    }
}

/// Returns the levels, or `None` for a column without them.
fn levels(levels: &[i16]) -> Option<&[i16]> {
    (!levels.is_empty()).then_some(levels)
}

impl EncoderBatch<'_, '_, Int64Type> {
    fn numbers(mut self, parts: Vec<ColumnValues>) -> Result<()> {
        for part in parts {
            match part {
                ColumnValues::Numbers(all) => all.into_iter().try_for_each(|n| self.required(n))?,
                ColumnValues::NullableNumbers(all) => {
                    all.into_iter().try_for_each(|n| self.optional(n))?
                }
                _ => {}
            }
        }
        self.write()
    }
}

impl EncoderBatch<'_, '_, DoubleType> {
    fn floats(mut self, parts: Vec<ColumnValues>) -> Result<()> {
        for part in parts {
            if let ColumnValues::NullableFloats(all) = part {
                all.into_iter().try_for_each(|n| self.optional(n))?;
            }
        }
        self.write()
    }
}

impl EncoderBatch<'_, '_, BoolType> {
    fn flags(mut self, parts: Vec<ColumnValues>) -> Result<()> {
        for part in parts {
            match part {
                ColumnValues::Flags(all) => {
                    all.into_iter().try_for_each(|flag| self.required(flag))?
                }
                ColumnValues::NullableFlags(all) => {
                    all.into_iter().try_for_each(|flag| self.optional(flag))?
                }
                _ => {}
            }
        }
        self.write()
    }
}

impl EncoderBatch<'_, '_, ByteArrayType> {
    fn texts(mut self, parts: Vec<ColumnValues>) -> Result<()> {
        for part in parts {
            match part {
                ColumnValues::Texts(texts) => {
                    each(texts).try_for_each(|text| self.required(text))?
                }
                ColumnValues::Nullable(texts, there) => {
                    let texts = each(texts).zip(there);
                    let mut texts = texts.map(|(text, there)| there.then_some(text));
                    texts.try_for_each(|text| self.optional(text))?;
                }
                ColumnValues::Forms(all) => {
                    all.into_iter()
                        .try_for_each(|forms| self.list(names(forms)))?;
                }
                ColumnValues::Numbers(_)
                | ColumnValues::NullableNumbers(_)
                | ColumnValues::NullableFloats(_)
                | ColumnValues::Flags(_)
                | ColumnValues::NullableFlags(_) => {}
            }
        }
        self.write()
    }
}

/// Iterates over the texts as slices of the same bytes.
fn each(texts: Texts) -> impl Iterator<Item = ByteArray> {
    let bytes = Bytes::from(texts.bytes);
    let mut start = 0;
    texts.ends.into_iter().map(move |end| {
        let range: Range<usize> = std::mem::replace(&mut start, end)..end;
        bytes.slice(range).into()
    })
}

fn names(forms: Forms) -> impl Iterator<Item = ByteArray> {
    forms
        .iter()
        .map(|form| Bytes::from_static(form.name().as_bytes()).into())
}
