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

/// Writes CSV, or TSV.
///
/// Each field is copied once, to where its row is gathered. The writer of the crate csv looks at each byte by itself and copies
/// rows twice more: mentions of a text full of names took a sixth longer (`scan --mentions -f csv -j 1`).
pub(super) struct Csv<W: Write> {
    out: LineBuffer<W>,
    delimiter: u8,
    layout: Layout,
    /// Bytes of the header.
    header: u64,
}

impl<W: Write> Csv<W> {
    pub(super) fn new(layout: &Layout, out: W) -> Self {
        let mut csv = Csv::appending(layout, out);
        for column in layout.columns() {
            csv.text(column);
        }
        csv.drop_delimiter();
        csv.out.buffer.push(b'\n');
        csv.header = csv.out.size();
        csv
    }

    /// Creates a writer without a header.
    pub(super) fn appending(layout: &Layout, out: W) -> Self {
        Csv {
            out: LineBuffer::new(out),
            delimiter: match layout.format {
                Format::Tsv => b'\t',
                _ => b',',
            },
            layout: layout.clone(),
            header: 0,
        }
    }

    fn value(&mut self, value: Value<'_>) {
        match value {
            Value::Text(text) => self.text(text),
            Value::Nullable(text) => self.text(text.unwrap_or_default()),
            Value::Number(number) => self.number(number),
            Value::NullableNumber(Some(number)) => self.number(number),
            Value::Int(Some(number)) => self.number(number),
            Value::Float(Some(number)) => self.text(&float(number)),
            Value::NullableNumber(None) | Value::Int(None) | Value::Float(None) => self.text(""),
            Value::Forms(forms) => self.joined(forms.iter()),
            Value::Flag(flag) => self.flag(Some(flag)),
            Value::NullableFlag(flag) => self.flag(flag),
        }
    }

    /// Adds a field, with the delimiter after it.
    fn text(&mut self, text: &str) {
        let buffer = &mut self.out.buffer;
        match needs_quotes(text, self.delimiter) {
            false => buffer.extend_from_slice(text.as_bytes()),
            true => {
                buffer.push(b'"');
                buffer.extend_from_slice(text.replace('"', "\"\"").as_bytes());
                buffer.push(b'"');
            }
        }
        buffer.push(self.delimiter);
    }

    fn flag(&mut self, flag: Option<bool>) {
        self.text(match flag {
            Some(true) => "true",
            Some(false) => "false",
            None => "",
        });
    }

    fn number(&mut self, number: impl itoa::Integer) {
        let mut digits = itoa::Buffer::new();
        self.out
            .buffer
            .extend_from_slice(digits.format(number).as_bytes());
        self.out.buffer.push(self.delimiter);
    }

    fn joined(&mut self, forms: impl Iterator<Item = Form>) {
        let buffer = &mut self.out.buffer;
        for (number, form) in forms.enumerate() {
            if number > 0 {
                buffer.push(b'|');
            }
            buffer.extend_from_slice(form.name().as_bytes());
        }
        buffer.push(self.delimiter);
    }

    /// Removes the delimiter after the last field of a row. An only field that is empty gets quotes, since a line without bytes
    /// would not be read as a row.
    fn drop_delimiter(&mut self) {
        let buffer = &mut self.out.buffer;
        buffer.pop();
        if matches!(buffer.last(), None | Some(b'\n')) {
            buffer.extend_from_slice(b"\"\"");
        }
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for Csv<W> {
    fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        for at in 0..self.layout.fields.len() {
            self.value(row.value(self.layout.fields[at]));
        }
        for number in 0..self.layout.record_fields.len() {
            let kind = self.layout.record_fields[number].kind;
            self.value(Value::of_record(kind, row.record_field(number)));
        }
        self.drop_delimiter();
        self.out.end()
    }

    fn size(&self) -> u64 {
        self.out.size() - self.header
    }

    fn finish(self: Box<Self>) -> io::Result<W> {
        self.out.finish()
    }
}

/// Whether a field with this text must be in quotes. Most texts have no byte as low as those that need them, which the compiler
/// finds out for many bytes at once.
fn needs_quotes(text: &str, delimiter: u8) -> bool {
    const MAX_SPECIAL: u8 = b',';
    let is_special = |byte: u8| matches!(byte, b'"' | b'\n' | b'\r') || byte == delimiter;
    let lowest = text.bytes().fold(u8::MAX, u8::min);
    lowest <= MAX_SPECIAL && text.bytes().any(is_special)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_as_by_the_crate_csv() {
        let texts = [
            "", "a", ",", "\t", "\"", "a\"b\"\"", "\n", "a\rb", "é, x", "'", "#", " a ", ";",
        ];
        for (format, delimiter) in [(Format::Csv, b','), (Format::Tsv, b'\t')] {
            let mut own = Csv::appending(&Layout::new(format, RowKind::Records), Vec::new());
            let mut wanted = ::csv::WriterBuilder::new()
                .flexible(true)
                .delimiter(delimiter)
                .from_writer(Vec::new());
            let alone = texts.chunks(1);
            for row in alone.chain(texts.chunks(2)).chain([&texts[..]]) {
                row.iter().for_each(|text| own.text(text));
                own.drop_delimiter();
                own.out.end().expect("a vector takes all");
                wanted.write_record(row).expect("a vector takes all");
            }
            let wanted = wanted.into_inner().expect("a vector takes all");
            assert_eq!(own.out.finish().expect("a vector takes all"), wanted);
        }
    }
}
