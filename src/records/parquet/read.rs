//! Records back out of a file, some rows at a time.

use std::io::{ErrorKind, Read, Seek};

use ::parquet::basic::Type;
use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::data_type::{BoolType, ByteArrayType, DataType, Int64Type};
use ::parquet::errors::{ParquetError, Result as Parsed};
use ::parquet::file::metadata::{
    ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetStatisticsPolicy,
    RowGroupMetaData,
};
use ::parquet::schema::types::SchemaDescriptor;

use super::pages::Source;
use crate::records::fault::{Fault, Place};
use crate::records::record::{FORMS, OFFSET};
use crate::records::{Forms, MentionRow, OwnedRecord, ReadError, Record, RowReader};
use crate::scan::Form;

/// Rows that are decoded at once.
const ROWS: u64 = 1024;
/// Fields of a record.
const FIELDS: usize = Record::FIELDS.len();

/// The type of a record's field in a file, and whether it is a list.
const TYPES: [(Type, bool); FIELDS] = [
    (Type::BYTE_ARRAY, false),
    (Type::INT64, false),
    (Type::INT64, false),
    (Type::BYTE_ARRAY, true),
    (Type::BYTE_ARRAY, false),
    (Type::BYTE_ARRAY, false),
    (Type::INT64, false),
    (Type::BYTE_ARRAY, false),
    (Type::BOOLEAN, false),
];

/// Reads records from Parquet, of this program or of another that has the same columns, in any order and nullable or not.
///
/// Holds what the file says of its row groups, and of each column a page and some rows. The checksum of a file of this program
/// is checked before the first row, the CRCs of pages as they are read, and a file without either as far as its parts must fit
/// together.
pub(crate) struct ParquetReader<R> {
    source: Source<R>,
    metadata: ParquetMetaData,
    /// The column of each field.
    columns: [usize; FIELDS],
    groups: std::ops::Range<usize>,
    group: Option<Group>,
    /// Rows read so far, the one being read included.
    row: u64,
}

/// A row group that is being read.
struct Group {
    /// Rows that were not decoded yet.
    left: u64,
    /// Rows that were decoded and not read yet.
    decoded: u64,
    doi: Leaf<ByteArrayType>,
    mentions: Leaf<Int64Type>,
    documents: Leaf<Int64Type>,
    forms: Leaf<ByteArrayType>,
    first_source: Leaf<ByteArrayType>,
    first_document: Leaf<ByteArrayType>,
    first_offset: Leaf<Int64Type>,
    first_text: Leaf<ByteArrayType>,
    guessed: Leaf<BoolType>,
}

/// A column of a row group.
struct Leaf<T: DataType> {
    field: &'static str,
    reader: ColumnReaderImpl<T>,
    /// The level at which there is a value.
    full: i16,
    values: Vec<T::T>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    /// What the next row starts with, in `values` and in the levels.
    value: usize,
    level: usize,
}

impl<R: Read + Seek + Send + 'static> ParquetReader<R> {
    /// # Errors
    /// If it is no whole Parquet file, or has other columns.
    pub(crate) fn new(raw: R) -> Result<Self, ReadError> {
        ParquetReader::open(raw).map_err(ReadError::new)
    }

    fn open(raw: R) -> Result<Self, Fault> {
        let source = Source::new(raw).map_err(|error| match error.kind() {
            ErrorKind::NotSeekable => Fault::Stream,
            _ => Fault::Io(error),
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
            return Err(Fault::Checksum);
        }
        Ok(ParquetReader {
            source,
            columns: columns(metadata.file_metadata().schema_descr())?,
            groups: 0..metadata.num_row_groups(),
            metadata,
            group: None,
            row: 0,
        })
    }

    /// Goes on to the next row; false at the end.
    fn advance(&mut self) -> Result<bool, Fault> {
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

    fn group(&self, group: &RowGroupMetaData) -> Parsed<Group> {
        Ok(Group {
            left: group.num_rows().try_into()?,
            decoded: 0,
            doi: self.leaf(group, 0)?,
            mentions: self.leaf(group, 1)?,
            documents: self.leaf(group, 2)?,
            forms: self.leaf(group, 3)?,
            first_source: self.leaf(group, 4)?,
            first_document: self.leaf(group, 5)?,
            first_offset: self.leaf(group, 6)?,
            first_text: self.leaf(group, 7)?,
            guessed: self.leaf(group, 8)?,
        })
    }

    fn leaf<T: DataType>(&self, group: &RowGroupMetaData, field: usize) -> Parsed<Leaf<T>> {
        let chunk = group.columns().get(self.columns[field]);
        let chunk = chunk.ok_or_else(|| ParquetError::EOF("a row group lacks a column".into()))?;
        let pages = self.source.pages(chunk, group.num_rows().try_into()?)?;
        let column = chunk.column_descr_ptr();
        Ok(Leaf {
            field: Record::FIELDS[field],
            full: column.max_def_level(),
            reader: ColumnReaderImpl::new(column, Box::new(pages)),
            values: Vec::new(),
            definitions: Vec::new(),
            repetitions: Vec::new(),
            value: 0,
            level: 0,
        })
    }

    fn read(&mut self, into: &mut OwnedRecord) -> Result<bool, Fault> {
        let more = self.advance()?;
        match &mut self.group {
            Some(group) if more => group.read(into).map(|()| true),
            _ => Ok(false),
        }
    }
}

impl<R: Read + Seek + Send + 'static> RowReader for ParquetReader<R> {
    fn next(&mut self, into: &mut OwnedRecord) -> Result<bool, ReadError> {
        let read = self.read(into);
        read.map_err(|fault| ReadError::at(Place::Row(self.row), fault))
    }
}

/// The column of each field.
fn columns(schema: &SchemaDescriptor) -> Result<[usize; FIELDS], Fault> {
    let mut columns = [0; FIELDS];
    for ((column, field), (kind, list)) in columns.iter_mut().zip(Record::FIELDS).zip(TYPES) {
        let mut all = schema.columns().iter();
        let found =
            all.position(|column| column.path().parts().first().is_some_and(|n| n == field));
        let right = found.filter(|&at| {
            let column = schema.column(at);
            column.physical_type() == kind && column.max_rep_level() == i16::from(list)
        });
        *column = right.ok_or_else(|| missing(schema, field))?;
    }
    Ok(columns)
}

/// What a file is that lacks a field of records.
fn missing(schema: &SchemaDescriptor, field: &'static str) -> Fault {
    let has = |field: &&str| {
        schema
            .columns()
            .iter()
            .any(|column| column.name() == *field)
    };
    match MentionRow::FIELDS.iter().all(has) {
        true => Fault::Mentions,
        false => Fault::Column(field),
    }
}

impl Group {
    /// Goes on to the next row; false at the end.
    fn advance(&mut self) -> Result<bool, Fault> {
        if self.decoded == 0 {
            self.decoded = self.left.min(ROWS);
            self.left -= self.decoded;
            self.decode(self.decoded as usize)?;
        }
        let more = self.decoded > 0;
        self.decoded -= u64::from(more);
        Ok(more)
    }

    fn decode(&mut self, rows: usize) -> Parsed<()> {
        self.doi.decode(rows)?;
        self.mentions.decode(rows)?;
        self.documents.decode(rows)?;
        self.forms.decode(rows)?;
        self.first_source.decode(rows)?;
        self.first_document.decode(rows)?;
        self.first_offset.decode(rows)?;
        self.first_text.decode(rows)?;
        self.guessed.decode(rows)
    }

    fn read(&mut self, into: &mut OwnedRecord) -> Result<(), Fault> {
        self.doi.text(&mut into.doi)?;
        into.mentions = self.mentions.number()?;
        into.documents = self.documents.number()?;
        into.forms = self.forms.forms()?;
        self.first_source.text(&mut into.first_source)?;
        self.first_document.text_or_null(&mut into.first_document)?;
        into.first_offset = self.first_offset.number()?;
        self.first_text.text(&mut into.first_text)?;
        into.guessed = *self.guessed.one()?;
        into.check()
    }
}

impl<T: DataType> Leaf<T> {
    /// Decodes the next rows, instead of those before.
    fn decode(&mut self, rows: usize) -> Parsed<()> {
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        self.value = 0;
        self.level = 0;
        let levels = (Some(&mut self.definitions), Some(&mut self.repetitions));
        let read = self
            .reader
            .read_records(rows, levels.0, levels.1, &mut self.values)?;
        match read.0 == rows {
            true => Ok(()),
            false => Err(ParquetError::EOF(format!("{} ends too early", self.field))),
        }
    }

    /// The values of the next row: one or none, but of a list.
    fn row(&mut self) -> &[T::T] {
        let start = self.value;
        if self.full == 0 {
            self.value += 1;
        } else {
            loop {
                self.value += usize::from(self.definitions.get(self.level) == Some(&self.full));
                self.level += 1;
                // A list goes on where a level is no start.
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

    fn one(&mut self) -> Result<&T::T, Fault> {
        let field = self.field;
        let value = self.row().first();
        value.ok_or_else(|| Fault::value(field, "null", "there"))
    }
}

impl Leaf<Int64Type> {
    fn number(&mut self) -> Result<u64, Fault> {
        let field = self.field;
        let number = *self.one()?;
        number
            .try_into()
            .map_err(|_| Fault::value(field, &number.to_string(), OFFSET))
    }
}

impl Leaf<ByteArrayType> {
    fn text(&mut self, into: &mut String) -> Result<(), Fault> {
        set(into, self.one()?.data())
    }

    fn text_or_null(&mut self, into: &mut String) -> Result<(), Fault> {
        let text = self.row().first();
        set(into, text.map_or(b"", |text| text.data()))
    }

    fn forms(&mut self) -> Result<Forms, Fault> {
        let form = |name: &[u8]| {
            let name = str::from_utf8(name).map_err(|_| Fault::Utf8)?;
            Form::named(name).ok_or_else(|| Fault::value("forms", name, FORMS))
        };
        self.row().iter().map(|name| form(name.data())).collect()
    }
}

fn set(into: &mut String, text: &[u8]) -> Result<(), Fault> {
    into.clear();
    into.push_str(str::from_utf8(text).map_err(|_| Fault::Utf8)?);
    Ok(())
}
