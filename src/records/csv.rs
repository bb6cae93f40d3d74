//! CSV: a header, `\n` at line ends, quotes where needed. Null is an empty field, and a list is joined with `|`.

use std::io::{self, Read, Write};

use ::csv::{ErrorKind, StringRecord};

use super::fault::{FaultPlace, ReadError, RecordFault};
use super::record::{COUNT, FLAG, FORMS, Forms, MentionRow, OFFSET, OwnedRecord, Record};
use super::rows::{BUFFER, ROW, RowReader, RowWriter};
use crate::scan::Form;

/// Writes CSV.
pub(super) struct Csv<W: Write> {
    out: ::csv::Writer<W>,
    /// The header, if it is not written yet.
    header: Option<&'static [&'static str]>,
    scratch: String,
}

impl<W: Write> Csv<W> {
    pub(super) fn new(mentions: bool, out: W) -> Self {
        let header = if mentions {
            &MentionRow::FIELDS[..]
        } else {
            &Record::FIELDS[..]
        };
        Csv {
            header: Some(header),
            ..Csv::appending(out)
        }
    }

    /// Writes no header.
    pub(super) fn appending(out: W) -> Self {
        let out = ::csv::WriterBuilder::new()
            .buffer_capacity(BUFFER)
            .from_writer(out);
        Csv {
            out,
            header: None,
            scratch: String::new(),
        }
    }

    fn start(&mut self) -> io::Result<()> {
        match self.header.take() {
            Some(fields) => written(self.out.write_record(fields)),
            None => Ok(()),
        }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        written(self.out.write_field(text))
    }

    fn number(&mut self, number: u64) -> io::Result<()> {
        // A u64 has at most 20 digits.
        let (mut digits, mut rest, mut at) = ([0; 20], number, 20);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                return written(self.out.write_field(&digits[at..]));
            }
        }
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

    fn boolean(&mut self, boolean: bool) -> io::Result<()> {
        self.text(if boolean { "true" } else { "false" })
    }

    fn end(&mut self) -> io::Result<()> {
        written(self.out.write_record(None::<&[u8]>))
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for Csv<W> {
    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.start()?;
        self.text(record.doi)?;
        self.number(record.mentions)?;
        self.number(record.documents)?;
        self.joined(record.forms.iter())?;
        self.text(record.first_source)?;
        self.text(record.first_document.unwrap_or_default())?;
        self.number(record.first_offset)?;
        self.text(&record.first_text)?;
        self.boolean(record.guessed)?;
        self.end()
    }

    fn mention(&mut self, mention: &MentionRow<'_>) -> io::Result<()> {
        self.start()?;
        self.text(mention.doi)?;
        self.text(mention.form.name())?;
        self.text(mention.source)?;
        self.text(mention.document.unwrap_or_default())?;
        self.number(mention.offset)?;
        self.number(mention.length)?;
        self.text(mention.text)?;
        self.boolean(mention.guessed)?;
        self.end()
    }

    fn finish(mut self: Box<Self>) -> io::Result<W> {
        self.start()?;
        self.out.into_inner().map_err(|e| e.into_error())
    }
}

/// The I/O error inside an error of csv. Its kind shows whether a reader closed the pipe.
fn written(result: ::csv::Result<()>) -> io::Result<()> {
    result.map_err(|error| match error.into_kind() {
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

/// Reads records from CSV. An empty document is read as none.
pub(super) struct CsvReader<R> {
    rows: ::csv::Reader<Rationed<R>>,
    row: StringRecord,
}

/// A reader that returns an error after `left` bytes. The limit is reset for each row, since a quote that is never closed makes
/// a row of all following bytes.
struct Rationed<R> {
    inner: R,
    left: u64,
}

impl<R: Read> CsvReader<R> {
    /// # Errors
    /// If the first row is not the header of records.
    pub(super) fn new(raw: R) -> Result<Self, ReadError> {
        let rows = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .buffer_capacity(BUFFER)
            .from_reader(Rationed {
                inner: raw,
                left: 0,
            });
        let mut reader = CsvReader {
            rows,
            row: StringRecord::new(),
        };
        reader.advance()?;
        if reader.row == Record::FIELDS[..] {
            Ok(reader)
        } else if reader.row == MentionRow::FIELDS[..] {
            Err(ReadError::new(RecordFault::Mentions))
        } else {
            Err(ReadError::new(RecordFault::NoRecords))
        }
    }

    fn advance(&mut self) -> Result<bool, ReadError> {
        self.rows.get_mut().left = ROW;
        let read = self.rows.read_record(&mut self.row);
        read.map_err(|error| self.fault(error))
    }

    fn fault(&self, error: ::csv::Error) -> ReadError {
        let line = error.position().unwrap_or(self.rows.position()).line();
        let fault = match error.into_kind() {
            ErrorKind::Io(_) if self.rows.get_ref().left == 0 => RecordFault::Long(ROW),
            ErrorKind::Io(error) => RecordFault::Io(error),
            ErrorKind::Utf8 { .. } => RecordFault::Utf8,
            ErrorKind::UnequalLengths { len, .. } => RecordFault::Fields { found: len },
            other => RecordFault::Io(io::Error::other(format!("{other:?}"))),
        };
        ReadError::at(FaultPlace::Line(line), fault)
    }
}

impl<R: Read + Send> RowReader for CsvReader<R> {
    fn next(&mut self, into: &mut OwnedRecord) -> Result<bool, ReadError> {
        if !self.advance()? {
            return Ok(false);
        }
        into.take_fields(&self.row).map_err(|fault| {
            let line = self.row.position().map_or(0, ::csv::Position::line);
            ReadError::at(FaultPlace::Line(line), fault)
        })?;
        Ok(true)
    }
}

impl OwnedRecord {
    fn take_fields(&mut self, row: &StringRecord) -> Result<(), RecordFault> {
        let field = |at: usize| row.get(at).unwrap_or_default();
        let number = |at: usize, wanted| number(Record::FIELDS[at], field(at), wanted);
        set(&mut self.doi, field(0));
        self.mentions = number(1, COUNT)?;
        self.documents = number(2, COUNT)?;
        self.forms = forms(field(3))?;
        set(&mut self.first_source, field(4));
        set(&mut self.first_document, field(5));
        self.first_offset = number(6, OFFSET)?;
        set(&mut self.first_text, field(7));
        self.guessed = boolean(field(8))?;
        self.check()
    }
}

fn set(text: &mut String, field: &str) {
    text.clear();
    text.push_str(field);
}

fn number(field: &'static str, text: &str, wanted: &'static str) -> Result<u64, RecordFault> {
    // Checked because `parse` also accepts a sign.
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| RecordFault::value(field, text, wanted))
}

/// Forms joined with `|`.
pub(super) fn forms(text: &str) -> Result<Forms, RecordFault> {
    let names = text.split('|').filter(|_| !text.is_empty());
    names
        .map(|name| {
            name.parse()
                .map_err(|_| RecordFault::value("forms", text, FORMS))
        })
        .collect()
}

fn boolean(text: &str) -> Result<bool, RecordFault> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(RecordFault::value("guessed", text, FLAG)),
    }
}

impl<R: Read> Read for Rationed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let most = into.len().min(most);
        loop {
            match self.inner.read(&mut into[..most]) {
                // Retried here, because the crate csv returns this as an error.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    self.left -= read.as_ref().map_or(0, |&read| read as u64);
                    return read;
                }
            }
        }
    }
}
