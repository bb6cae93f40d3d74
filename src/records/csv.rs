//! CSV and TSV: a header, `\n` at line ends, quotes where needed. Null is an empty field, and a list is joined with `|`.

use std::io::{self, Read, Write};

use doisift_core::Form;

use ::csv::{ErrorKind, StringRecord};

use super::fault::{FaultPlace, ReadError, RecordFault};
use super::field::{Field, RowKind, kind_of};
use super::format::Format;
use super::forms::Forms;
use super::layout::Layout;
use super::record::{COUNT, FLAG, FORMS, OFFSET};
use super::row::{OwnedRow, Row, Slot, Value, set};
use super::rows::{BUFFER_BYTES, LineBuffer, MAX_ROW_BYTES, RowReader, RowWriter, float};
use doisift_structure::RecordValue;

/// Writes CSV, or TSV.
pub(super) struct Csv<W: Write> {
    /// The writer. Passes a row on when it ends.
    out: ::csv::Writer<RowBytes<W>>,
    layout: Layout,
    /// Whether the header is not written yet.
    starts: bool,
    /// Bytes of the header.
    header: u64,
    scratch: String,
}

impl<W: Write> Csv<W> {
    pub(super) fn new(layout: &Layout, out: W) -> Self {
        Csv {
            starts: true,
            ..Csv::appending(layout, out)
        }
    }

    /// Creates a writer without a header.
    pub(super) fn appending(layout: &Layout, out: W) -> Self {
        let delimiter = match layout.format {
            Format::Tsv => b'\t',
            _ => b',',
        };
        let out = ::csv::WriterBuilder::new()
            .delimiter(delimiter)
            .buffer_capacity(BUFFER_BYTES)
            .from_writer(RowBytes(LineBuffer::new(out)));
        Csv {
            out,
            layout: layout.clone(),
            starts: false,
            header: 0,
            scratch: String::new(),
        }
    }

    fn start(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.starts) {
            written(self.out.write_record(self.layout.columns()))?;
            self.out.flush()?;
            self.header = self.out.get_ref().0.size();
        }
        Ok(())
    }

    fn value(&mut self, value: Value<'_>) -> io::Result<()> {
        match value {
            Value::Text(text) => self.text(text),
            Value::Nullable(text) => self.text(text.unwrap_or_default()),
            Value::Number(number) => self.number(number),
            Value::NullableNumber(Some(number)) => self.number(number),
            Value::NullableNumber(None) => self.text(""),
            Value::Forms(forms) => self.joined(forms.iter()),
            Value::Flag(flag) => self.flag(Some(flag)),
            Value::NullableFlag(flag) => self.flag(flag),
        }
    }

    fn record_value(&mut self, value: &RecordValue) -> io::Result<()> {
        match value {
            RecordValue::Null => self.text(""),
            RecordValue::Text(text) => self.text(text),
            RecordValue::Int(number) => {
                written(self.out.write_field(itoa::Buffer::new().format(*number)))
            }
            RecordValue::Float(number) => self.text(&float(*number)),
            RecordValue::Bool(flag) => self.flag(Some(*flag)),
        }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        written(self.out.write_field(text))
    }

    fn flag(&mut self, flag: Option<bool>) -> io::Result<()> {
        self.text(match flag {
            Some(true) => "true",
            Some(false) => "false",
            None => "",
        })
    }

    fn number(&mut self, number: u64) -> io::Result<()> {
        let mut digits = itoa::Buffer::new();
        written(self.out.write_field(digits.format(number)))
    }

    fn joined(&mut self, forms: impl Iterator<Item = Form>) -> io::Result<()> {
        self.scratch.clear();
        for form in forms {
            if !self.scratch.is_empty() {
                self.scratch.push('|');
            }
            self.scratch.push_str(form.name());
        }
        written(self.out.write_field(&self.scratch))
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for Csv<W> {
    fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        self.start()?;
        for at in 0..self.layout.fields.len() {
            self.value(row.value(self.layout.fields[at]))?;
        }
        for number in 0..self.layout.record_fields.len() {
            self.record_value(row.record_field(number))?;
        }
        written(self.out.write_record(None::<&[u8]>))?;
        self.out.flush()
    }

    fn size(&self) -> u64 {
        self.out.get_ref().0.size() - self.header
    }

    fn finish(mut self: Box<Self>) -> io::Result<W> {
        self.start()?;
        let RowBytes(lines) = self.out.into_inner().map_err(|e| e.into_error())?;
        lines.finish()
    }
}

/// Gathers and counts the bytes of rows.
struct RowBytes<W>(LineBuffer<W>);

impl<W: Write> Write for RowBytes<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push(bytes)?;
        Ok(bytes.len())
    }

    /// Does nothing: rows are passed on in larger pieces.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the I/O error inside an error of csv. Its kind shows whether a reader closed the pipe.
fn written(result: ::csv::Result<()>) -> io::Result<()> {
    result.map_err(|error| match error.into_kind() {
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

/// Reads rows from CSV or TSV, with the columns in any order.
pub(super) struct CsvReader<R> {
    rows: ::csv::Reader<LimitedReader<R>>,
    row: StringRecord,
    /// The kind of rows, and the field of each column.
    kind: RowKind,
    fields: Vec<Field>,
    /// The names of the columns that are not fields.
    record_fields: Vec<Box<str>>,
}

/// A reader that returns an error after `left` bytes. The limit is reset for each row, since after an unclosed quote all bytes
/// belong to one row.
struct LimitedReader<R> {
    inner: R,
    left: u64,
    /// The last byte so far.
    last: u8,
}

impl<R: Read> CsvReader<R> {
    /// # Errors
    /// If the first row is not a header for rows of type `O`.
    pub(super) fn new<O: OwnedRow>(raw: R, delimiter: u8) -> Result<Self, ReadError> {
        let mut reader = CsvReader::at_header(raw, delimiter, O::KIND)?;
        let header = columns::<O>(&reader.row).map_err(ReadError::new)?;
        (reader.fields, reader.record_fields) = header;
        Ok(reader)
    }

    /// Creates a reader whose current row is the header.
    fn at_header(raw: R, delimiter: u8, kind: RowKind) -> Result<Self, ReadError> {
        let rows = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(delimiter)
            .buffer_capacity(BUFFER_BYTES)
            .from_reader(LimitedReader {
                inner: raw,
                left: 0,
                last: b'\n',
            });
        let mut reader = CsvReader {
            rows,
            row: StringRecord::new(),
            kind,
            fields: Vec::new(),
            record_fields: Vec::new(),
        };
        reader.advance()?;
        Ok(reader)
    }

    fn advance(&mut self) -> Result<bool, ReadError> {
        self.rows.get_mut().left = MAX_ROW_BYTES;
        let read = self.rows.read_record(&mut self.row);
        read.map_err(|error| self.fault(error))
    }

    fn fault(&self, error: ::csv::Error) -> ReadError {
        let line = error.position().unwrap_or(self.rows.position()).line();
        let fault = match error.into_kind() {
            ErrorKind::Io(_) if self.rows.get_ref().left == 0 => RecordFault::Long(MAX_ROW_BYTES),
            ErrorKind::Io(error) => RecordFault::Io(error),
            ErrorKind::Utf8 { .. } => RecordFault::Utf8,
            ErrorKind::UnequalLengths { len, .. } => RecordFault::Fields {
                found: len,
                wanted: (self.fields.len() + self.record_fields.len()) as u64,
                rows: self.kind,
            },
            other => RecordFault::Io(io::Error::other(format!("{other:?}"))),
        };
        ReadError::at(FaultPlace::Line(line), fault)
    }
}

impl<R: Read + Send, O: OwnedRow> RowReader<O> for CsvReader<R> {
    fn next(&mut self, into: &mut O) -> Result<bool, ReadError> {
        if !self.advance()? {
            return self.check_end(into).map(|()| false);
        }
        self.take(into).map_err(|fault| {
            let line = self.row.position().map_or(0, ::csv::Position::line);
            ReadError::at(FaultPlace::Line(line), fault)
        })?;
        Ok(true)
    }

    fn has(&self, field: Field) -> Option<bool> {
        Some(self.fields.contains(&field))
    }
}

impl<R: Read> CsvReader<R> {
    fn take<O: OwnedRow>(&self, into: &mut O) -> Result<(), RecordFault> {
        into.reset();
        take_fields(into, &self.fields, &self.row)?;
        let texts = self.row.iter().skip(self.fields.len());
        for (name, text) in self.record_fields.iter().zip(texts) {
            let slot = into.record_slot(name);
            let slot = slot.ok_or(RecordFault::NoRows(O::KIND))?;
            slot.set(name, Some(text).filter(|text| !text.is_empty()))?;
        }
        into.check()
    }

    /// # Errors
    /// If the last row has no line end, and its last field does not show that it is whole.
    fn check_end<O: OwnedRow>(&self, row: &mut O) -> Result<(), ReadError> {
        let position = self.rows.position();
        let last = self.fields.last().and_then(|&field| row.slot(field));
        let is_whole = self.record_fields.is_empty() && matches!(last, Some(Slot::Flag(_)));
        let has_end = self.rows.get_ref().last == b'\n' || position.record() <= 1;
        match has_end || is_whole {
            true => Ok(()),
            false => Err(ReadError::at(
                FaultPlace::Line(position.line()),
                RecordFault::Cut,
            )),
        }
    }
}

/// Returns the names of the columns of CSV or TSV.
pub(super) fn header(raw: impl Read, delimiter: u8) -> Result<Vec<String>, ReadError> {
    // The kind matters only for faults of later rows.
    let reader = CsvReader::at_header(raw, delimiter, RowKind::Records)?;
    Ok(reader.row.iter().map(str::to_owned).collect())
}

/// Returns the fields of the columns in a header for rows of type `O`, and the names of the other columns, if rows may have any.
fn columns<O: OwnedRow>(header: &StringRecord) -> Result<(Vec<Field>, Vec<Box<str>>), RecordFault> {
    let (rows, names): (_, Vec<&str>) = (O::KIND, header.iter().collect());
    if let Some(found) = kind_of(&names).filter(|&found| !rows.reads(found)) {
        let wanted = rows;
        return Err(RecordFault::Kind { found, wanted });
    }
    let column = |name: &&str| rows.all_fields().find(|field| field.name() == *name);
    let fields: Vec<Field> = names.iter().map_while(column).collect();
    let others = &names[fields.len()..];
    if let Some(field) = rows.missing(|field| fields.contains(&field)) {
        return Err(RecordFault::Missing {
            wanted: rows,
            field: field.name(),
        });
    }
    let is_repeated = |(at, name)| names[..at].contains(name);
    let are_wrong = !others.is_empty() && !O::HAS_RECORD_FIELDS;
    if are_wrong || names.iter().enumerate().any(is_repeated) {
        return Err(RecordFault::NoRows(rows));
    }
    Ok((fields, others.iter().map(|&name| name.into()).collect()))
}

fn take_fields<O: OwnedRow>(
    into: &mut O,
    fields: &[Field],
    row: &StringRecord,
) -> Result<(), RecordFault> {
    for (&field, text) in fields.iter().zip(row) {
        match into.slot(field) {
            Some(Slot::Text(value) | Slot::Nullable(value)) => set(value, text),
            Some(Slot::Number(value)) => *value = number(field, text)?,
            Some(Slot::NullableNumber(value)) if text.is_empty() => *value = None,
            Some(Slot::NullableNumber(value)) => *value = Some(number(field, text)?),
            Some(Slot::Forms(value)) => *value = forms(text)?,
            Some(Slot::Flag(value)) => *value = boolean(field, text)?,
            Some(Slot::NullableFlag(value)) if text.is_empty() => *value = None,
            Some(Slot::NullableFlag(value)) => *value = Some(boolean(field, text)?),
            Some(Slot::Derived) | None => {}
        }
    }
    Ok(())
}

fn number(field: Field, text: &str) -> Result<u64, RecordFault> {
    let wanted = if field == Field::FirstOffset {
        OFFSET
    } else {
        COUNT
    };
    // Checked because `parse` also accepts a sign.
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| RecordFault::value(field.name(), text, wanted))
}

/// Parses forms joined with `|`.
pub(super) fn forms(text: &str) -> Result<Forms, RecordFault> {
    let names = text.split('|').filter(|_| !text.is_empty());
    names
        .map(|name| {
            name.parse()
                .map_err(|_| RecordFault::value("forms", text, FORMS))
        })
        .collect()
}

fn boolean(field: Field, text: &str) -> Result<bool, RecordFault> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(RecordFault::value(field.name(), text, FLAG)),
    }
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let max = usize::try_from(self.left).unwrap_or(usize::MAX);
        let max = into.len().min(max);
        loop {
            match self.inner.read(&mut into[..max]) {
                // Retried here, because the crate csv returns this as an error.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    let taken = read.as_ref().map_or(0, |&read| read);
                    self.left -= taken as u64;
                    self.last = into[..taken].last().copied().unwrap_or(self.last);
                    return read;
                }
            }
        }
    }
}
