//! Reads records from a file, row by row.

use std::sync::Arc;

use doisift_documents::{ParquetTable, ReadAt};

use super::schema::{self, FieldColumn, StoredRecordColumn};
use super::seal;
use crate::records::columns::FoundColumn;
use crate::records::fault::{FaultPlace, RecordFault};
use crate::records::field::Field;
use crate::records::record::OFFSET;
use crate::records::row::{OwnedRow, RecordSlot, Slot, set};
use crate::records::{Forms, ReadError, RowReader, csv};
use doisift_structure::{RecordType, RecordValue};

/// Reads records from Parquet files of this program, and of other programs with the same columns. Columns may be in any order
/// and nullable, numbers may have 32 bits or no sign, and forms may be a list or text.
///
/// The checksum of a file of this program is verified before the first row, and CRCs of pages when they are read. In all
/// files, the lengths and counts of the parts are checked.
pub(crate) struct ParquetReader {
    table: ParquetTable,
    columns: Vec<FieldColumn>,
    record_columns: Vec<StoredRecordColumn>,
    /// Number of the current row, from 1.
    row: u64,
}

/// Returns the columns of a file.
///
/// # Errors
/// If it is not a complete Parquet file.
pub(in crate::records) fn columns(
    file: Arc<dyn ReadAt>,
    length: u64,
) -> Result<Vec<FoundColumn>, ReadError> {
    let table = ParquetTable::open(file, length).map_err(ReadError::new)?;
    let columns = table.columns().map(|column| FoundColumn {
        name: column.name().to_owned(),
        kind: schema::record_type(column.kind()),
    });
    Ok(columns.collect())
}

impl ParquetReader {
    /// # Errors
    /// If it is not a complete Parquet file, or lacks a column of rows of type `O`.
    pub(crate) fn new<O: OwnedRow>(file: Arc<dyn ReadAt>, length: u64) -> Result<Self, ReadError> {
        ParquetReader::open::<O>(file, length).map_err(ReadError::new)
    }

    fn open<O: OwnedRow>(file: Arc<dyn ReadAt>, length: u64) -> Result<Self, RecordFault> {
        let mut table = ParquetTable::open(Arc::clone(&file), length)?;
        if !seal::is_whole(&*file, length, &table)? {
            return Err(RecordFault::Checksum);
        }
        let mut row = O::default();
        let is_read = |field| !matches!(row.slot(field), None | Some(Slot::Derived));
        let (columns, mut numbers) = schema::columns(&table, O::KIND, is_read)?;
        let record_columns = match O::HAS_RECORD_FIELDS {
            true => schema::record_columns(&table, O::KIND, &mut numbers)?,
            false => Vec::new(),
        };
        table.choose(&numbers)?;
        Ok(ParquetReader {
            table,
            columns,
            record_columns,
            row: 0,
        })
    }

    fn read<O: OwnedRow>(&mut self, into: &mut O) -> Result<bool, RecordFault> {
        self.row += 1;
        if !self.table.advance()? {
            return Ok(false);
        }
        into.reset();
        for column in &self.columns {
            if let Some(slot) = into.slot(column.field) {
                column.read(&self.table, slot)?;
            }
        }
        for column in &self.record_columns {
            let read = column.read(&self.table)?;
            match into.record_slot(&column.column.name) {
                Some(RecordSlot::Unused) => {}
                Some(RecordSlot::Typed(kind, value)) if column.takes(kind) => *value = read,
                _ => return Err(RecordFault::NoRows(O::KIND)),
            }
        }
        into.check()?;
        Ok(true)
    }
}

impl<O: OwnedRow> RowReader<O> for ParquetReader {
    fn next(&mut self, into: &mut O) -> Result<bool, ReadError> {
        self.read(into).map_err(|fault| match fault {
            // It names the rows itself.
            RecordFault::Parquet { .. } => ReadError::new(fault),
            fault => ReadError::at(FaultPlace::Row(self.row), fault),
        })
    }

    fn has(&self, field: Field) -> Option<bool> {
        let mut columns = self.columns.iter();
        Some(columns.any(|column| column.field == field))
    }
}

impl StoredRecordColumn {
    /// Whether all its values are of this type or null.
    fn takes(&self, kind: RecordType) -> bool {
        self.at.is_none() || self.column.kind == kind
    }

    /// Reads the value of the current row.
    fn read(&self, table: &ParquetTable) -> Result<RecordValue, RecordFault> {
        let Some(at) = self.at else {
            return Ok(RecordValue::Null);
        };
        let value = match self.column.kind {
            RecordType::Text => {
                let text = table.text(at).map(utf8).transpose()?;
                text.map(|text| RecordValue::Text(text.into()))
            }
            RecordType::Int => {
                let wrong = |found: i128| {
                    let name = self.column.name.to_string();
                    RecordFault::value(name, &found.to_string(), RecordType::Int.values())
                };
                let found = table.integer(at);
                let found = found.map(|found| found.try_into().map_err(|_| wrong(found)));
                found.transpose()?.map(RecordValue::Int)
            }
            RecordType::Float => table.float(at).map(RecordValue::Float),
            RecordType::Bool => table.flag(at).map(RecordValue::Bool),
        };
        Ok(value.unwrap_or_default())
    }
}

impl FieldColumn {
    /// Reads the value of the current row into its slot.
    fn read(&self, table: &ParquetTable, slot: Slot<'_>) -> Result<(), RecordFault> {
        let name = self.field.name();
        let null = || RecordFault::Null(name);
        match (self.at, slot) {
            (Some(at), Slot::Text(text)) => put(text, table.text(at).ok_or_else(null)?)?,
            (Some(at), Slot::Nullable(text)) => put(text, table.text(at).unwrap_or_default())?,
            (Some(at), Slot::Number(number)) => {
                let found = table.integer(at).ok_or_else(null)?;
                let wrong = |_| RecordFault::value(name, &found.to_string(), OFFSET);
                *number = found.try_into().map_err(wrong)?;
            }
            (Some(at), Slot::NullableNumber(number)) => {
                let wrong = |found: i128| RecordFault::value(name, &found.to_string(), OFFSET);
                let found = table.integer(at);
                let found = found.map(|found| found.try_into().map_err(|_| wrong(found)));
                *number = found.transpose()?;
            }
            (Some(at), Slot::Forms(forms)) if self.is_list => *forms = listed(table, at)?,
            (Some(at), Slot::Forms(forms)) => *forms = named(table.text(at).ok_or_else(null)?)?,
            (Some(at), Slot::Flag(flag)) => *flag = table.flag(at).ok_or_else(null)?,
            (Some(at), Slot::NullableFlag(flag)) => *flag = table.flag(at),
            (_, Slot::Derived) => {}
            (None, Slot::Nullable(text)) => text.clear(),
            (None, Slot::NullableNumber(number)) => *number = None,
            (None, Slot::NullableFlag(flag)) => *flag = None,
            (None, _) => return Err(null()),
        }
        Ok(())
    }
}

/// Reads the forms of the current row from a list.
fn listed(table: &ParquetTable, at: usize) -> Result<Forms, RecordFault> {
    let names = table.texts(at).into_iter();
    names
        .map(named)
        .try_fold(Forms::default(), |all, more| Ok(all | more?))
}

fn named(names: &[u8]) -> Result<Forms, RecordFault> {
    csv::forms(utf8(names)?)
}

fn put(into: &mut String, text: &[u8]) -> Result<(), RecordFault> {
    set(into, utf8(text)?);
    Ok(())
}

fn utf8(text: &[u8]) -> Result<&str, RecordFault> {
    str::from_utf8(text).map_err(|_| RecordFault::Utf8)
}
