//! Reads records from a file, some rows at a time.

use std::cmp::Ordering;
use std::io::{ErrorKind, Read, Seek};

use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::data_type::{BoolType, ByteArrayType, DataType, Int32Type, Int64Type};
use ::parquet::errors::{ParquetError, Result as Parsed};
use ::parquet::file::metadata::{
    ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetStatisticsPolicy,
    RowGroupMetaData,
};

use super::pages::ParquetFile;
use super::schema::{self, Column, Stored};
use crate::records::fault::{FaultPlace, RecordFault};
use crate::records::field::{Field, FieldKind, RowKind};
use crate::records::record::{FORMS, OFFSET};
use crate::records::row::{OwnedRow, Slot};
use crate::records::{Forms, ReadError, RowReader, csv};

/// Rows that are decoded at once.
const ROWS: u64 = 1024;
/// Reads records from Parquet files of this program, and of other programs with the same columns. Columns may be in any order
/// and nullable, numbers may have 32 bits or no sign, and forms may be a list or text.
///
/// Holds the metadata of all row groups, and a page and some rows of each column. The checksum of a file of this program is
/// verified before the first row, and CRCs of pages when they are read. In all files, the lengths and counts of the parts are
/// checked.
pub(crate) struct ParquetReader<R> {
    source: ParquetFile<R>,
    metadata: ParquetMetaData,
    /// The columns of the row's fields.
    columns: Vec<Column>,
    groups: std::ops::Range<usize>,
    group: Option<RowGroup>,
    /// Number of the current row, from 1.
    row: u64,
}

/// The row group that is being read.
struct RowGroup {
    /// Rows that are not decoded yet.
    left: u64,
    /// Rows that are decoded but not read yet.
    decoded: u64,
    columns: Vec<(Field, FieldColumn)>,
}

/// The column of a field, by the kind of its values.
enum FieldColumn {
    Text(Leaf<ByteArrayType>),
    /// None if all values are null.
    TextOrNull(Option<Leaf<ByteArrayType>>),
    Number(Numbers),
    Forms(Leaf<ByteArrayType>),
    Flag(Leaf<BoolType>),
}

/// A column of integers.
enum Numbers {
    Short(Leaf<Int32Type>),
    Long(Leaf<Int64Type>),
}

/// A column of a row group.
struct Leaf<T: DataType> {
    field: &'static str,
    stored: Stored,
    reader: ColumnReaderImpl<T>,
    /// The definition level of a value that is not null.
    full: i16,
    values: Vec<T::T>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    /// Index of the next row's first value in `values`, and of its first level.
    value: usize,
    level: usize,
}

impl<R: Read + Seek + Send + 'static> ParquetReader<R> {
    /// # Errors
    /// If it is no complete Parquet file, or lacks a column of rows of type `O`.
    pub(crate) fn new<O: OwnedRow>(raw: R) -> Result<Self, ReadError> {
        ParquetReader::open(raw, O::KIND).map_err(ReadError::new)
    }

    fn open(raw: R, rows: RowKind) -> Result<Self, RecordFault> {
        let source = ParquetFile::new(raw).map_err(|error| match error.kind() {
            ErrorKind::NotSeekable => RecordFault::Stream,
            _ => RecordFault::Io(error),
        })?;
        let skip = || ParquetStatisticsPolicy::SkipAll;
        let options = ParquetMetaDataOptions::new()
            .with_column_stats_policy(skip())
            .with_encoding_stats_policy(skip())
            .with_size_stats_policy(skip());
        let metadata = ParquetMetaDataReader::new()
            .with_metadata_options(Some(options))
            .parse_and_finish(&source)?;
        if !source.is_whole(metadata.file_metadata())? {
            return Err(RecordFault::Checksum);
        }
        let mut counts = metadata.row_groups().iter().map(RowGroupMetaData::num_rows);
        let count = counts.try_fold(0, i64::checked_add);
        if count != Some(metadata.file_metadata().num_rows()) {
            let wrong = "its row groups have other rows than the file";
            return Err(ParquetError::General(wrong.into()).into());
        }
        Ok(ParquetReader {
            source,
            columns: schema::columns(metadata.file_metadata().schema_descr(), rows)?,
            groups: 0..metadata.num_row_groups(),
            metadata,
            group: None,
            row: 0,
        })
    }

    /// Moves to the next row; false at the end.
    fn advance(&mut self) -> Result<bool, RecordFault> {
        self.row += 1;
        loop {
            if let Some(group) = &mut self.group
                && group.advance()?
            {
                return Ok(true);
            }
            let Some(next) = self.groups.next() else {
                return Ok(false);
            };
            self.group = Some(self.group(self.metadata.row_group(next))?);
        }
    }

    fn group(&self, group: &RowGroupMetaData) -> Parsed<RowGroup> {
        let column = |column: &Column| Ok((column.field, self.column(group, column)?));
        Ok(RowGroup {
            left: group.num_rows().try_into()?,
            decoded: 0,
            columns: self.columns.iter().map(column).collect::<Parsed<_>>()?,
        })
    }

    fn column(&self, group: &RowGroupMetaData, column: &Column) -> Parsed<FieldColumn> {
        Ok(match column.field.kind() {
            FieldKind::Text => FieldColumn::Text(self.leaf(group, column)?),
            FieldKind::TextOrNull => FieldColumn::TextOrNull(match column.stored {
                Stored::Nulls => None,
                _ => Some(self.leaf(group, column)?),
            }),
            // No row that is read has a number that may be null.
            FieldKind::Number | FieldKind::NumberOrNull => {
                FieldColumn::Number(match column.stored {
                    Stored::Number { bits: 32, .. } => Numbers::Short(self.leaf(group, column)?),
                    _ => Numbers::Long(self.leaf(group, column)?),
                })
            }
            FieldKind::Forms => FieldColumn::Forms(self.leaf(group, column)?),
            FieldKind::Flag => FieldColumn::Flag(self.leaf(group, column)?),
        })
    }

    fn leaf<T: DataType>(&self, group: &RowGroupMetaData, column: &Column) -> Parsed<Leaf<T>> {
        let &Column { field, at, stored } = column;
        let chunk = group.columns().get(at);
        let chunk = chunk.ok_or_else(|| ParquetError::EOF("a row group lacks a column".into()))?;
        let pages = self.source.pages(chunk, group.num_rows().try_into()?)?;
        let column = chunk.column_descr_ptr();
        Ok(Leaf {
            field: field.name(),
            stored,
            full: column.max_def_level(),
            reader: ColumnReaderImpl::new(column, Box::new(pages)),
            values: Vec::new(),
            definitions: Vec::new(),
            repetitions: Vec::new(),
            value: 0,
            level: 0,
        })
    }

    fn read<O: OwnedRow>(&mut self, into: &mut O) -> Result<bool, RecordFault> {
        let more = self.advance()?;
        match &mut self.group {
            Some(group) if more => group.read(into).map(|()| true),
            _ => Ok(false),
        }
    }
}

impl<R: Read + Seek + Send + 'static, O: OwnedRow> RowReader<O> for ParquetReader<R> {
    fn next(&mut self, into: &mut O) -> Result<bool, ReadError> {
        let read = self.read(into);
        read.map_err(|fault| ReadError::at(FaultPlace::Row(self.row), fault))
    }
}

impl RowGroup {
    /// Moves to the next row; false at the end.
    fn advance(&mut self) -> Result<bool, RecordFault> {
        if self.decoded == 0 {
            self.decoded = self.left.min(ROWS);
            self.left -= self.decoded;
            self.decode(self.decoded as usize)?;
        }
        let more = self.decoded > 0;
        self.decoded -= u64::from(more);
        Ok(more)
    }

    /// Decodes the next rows of each column; 0 rows at the end, where the columns must end too.
    fn decode(&mut self, rows: usize) -> Parsed<()> {
        let mut columns = self.columns.iter_mut();
        columns.try_for_each(|(_, column)| column.decode(rows))
    }

    fn read<O: OwnedRow>(&mut self, into: &mut O) -> Result<(), RecordFault> {
        for (field, column) in &mut self.columns {
            if let Some(slot) = into.slot(*field) {
                column.read(slot)?;
            }
        }
        into.check()
    }
}

impl FieldColumn {
    fn decode(&mut self, rows: usize) -> Parsed<()> {
        match self {
            FieldColumn::Text(leaf) | FieldColumn::Forms(leaf) => leaf.decode(rows),
            FieldColumn::TextOrNull(leaf) => leaf.as_mut().map_or(Ok(()), |leaf| leaf.decode(rows)),
            FieldColumn::Number(numbers) => numbers.decode(rows),
            FieldColumn::Flag(leaf) => leaf.decode(rows),
        }
    }

    /// Reads the value of the next row into its place.
    fn read(&mut self, slot: Slot<'_>) -> Result<(), RecordFault> {
        match (self, slot) {
            (FieldColumn::Text(leaf), Slot::Text(text)) => leaf.text(text)?,
            (FieldColumn::TextOrNull(Some(leaf)), Slot::Nullable(text)) => {
                leaf.text_or_null(text)?
            }
            (FieldColumn::TextOrNull(None), Slot::Nullable(text)) => text.clear(),
            (FieldColumn::Number(numbers), Slot::Number(number)) => *number = numbers.number()?,
            (FieldColumn::Forms(leaf), Slot::Forms(forms)) => *forms = leaf.forms()?,
            (FieldColumn::Flag(leaf), Slot::Flag(flag)) => *flag = *leaf.one()?,
            _ => debug_assert!(false, "a field of two kinds"),
        }
        Ok(())
    }
}

impl<T: DataType> Leaf<T> {
    /// Replaces the decoded rows by the next ones. With 0 rows, checks that the column has ended.
    fn decode(&mut self, rows: usize) -> Parsed<()> {
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        self.value = 0;
        self.level = 0;
        let levels = (Some(&mut self.definitions), Some(&mut self.repetitions));
        let (read, ..) =
            self.reader
                .read_records(rows.max(1), levels.0, levels.1, &mut self.values)?;
        match read.cmp(&rows) {
            Ordering::Equal => Ok(()),
            Ordering::Less => Err(ParquetError::EOF(format!("{} ends too early", self.field))),
            Ordering::Greater => {
                let field = self.field;
                Err(ParquetError::General(format!("{field} ends too late")))
            }
        }
    }

    /// The values of the next row: at most one, unless the column is a list.
    fn row(&mut self) -> &[T::T] {
        let start = self.value;
        if self.full == 0 {
            self.value += 1;
        } else {
            loop {
                self.value += usize::from(self.definitions.get(self.level) == Some(&self.full));
                self.level += 1;
                // A repetition level of 0 starts the next row.
                if self
                    .repetitions
                    .get(self.level)
                    .is_none_or(|&level| level == 0)
                {
                    break;
                }
            }
        }
        self.values.get(start..self.value).unwrap_or_default()
    }

    fn one(&mut self) -> Result<&T::T, RecordFault> {
        let field = self.field;
        let value = self.row().first();
        value.ok_or_else(|| RecordFault::Null(field))
    }
}

impl Numbers {
    fn decode(&mut self, rows: usize) -> Parsed<()> {
        match self {
            Numbers::Short(leaf) => leaf.decode(rows),
            Numbers::Long(leaf) => leaf.decode(rows),
        }
    }

    fn number(&mut self) -> Result<u64, RecordFault> {
        let (field, stored, number) = match self {
            Numbers::Short(leaf) => (leaf.field, leaf.stored, i64::from(*leaf.one()?)),
            Numbers::Long(leaf) => (leaf.field, leaf.stored, *leaf.one()?),
        };
        match stored {
            Stored::Number {
                bits: 32,
                signed: false,
            } => Ok(u64::from(number as u32)),
            Stored::Number { signed: false, .. } => Ok(number as u64),
            _ => {
                let wrong = |_| RecordFault::value(field, &number.to_string(), OFFSET);
                number.try_into().map_err(wrong)
            }
        }
    }
}

impl Leaf<ByteArrayType> {
    fn text(&mut self, into: &mut String) -> Result<(), RecordFault> {
        set(into, self.one()?.data())
    }

    fn text_or_null(&mut self, into: &mut String) -> Result<(), RecordFault> {
        let text = self.row().first();
        set(into, text.map_or(b"", |text| text.data()))
    }

    fn forms(&mut self) -> Result<Forms, RecordFault> {
        if self.stored == Stored::Text {
            let names = str::from_utf8(self.one()?.data()).map_err(|_| RecordFault::Utf8)?;
            return csv::forms(names);
        }
        let form = |name: &[u8]| {
            let name = str::from_utf8(name).map_err(|_| RecordFault::Utf8)?;
            name.parse()
                .map_err(|_| RecordFault::value("forms", name, FORMS))
        };
        self.row().iter().map(|name| form(name.data())).collect()
    }
}

fn set(into: &mut String, text: &[u8]) -> Result<(), RecordFault> {
    into.clear();
    into.push_str(str::from_utf8(text).map_err(|_| RecordFault::Utf8)?);
    Ok(())
}
