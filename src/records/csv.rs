//! Comma-separated values: a header, `\n` at line ends, quotes where needed; null is empty, a list is joined with `|`.

use std::io::{self, Write};

use super::{BUFFER, MentionRow, Record, RowWriter};
use crate::scan::Form;

/// Writes CSV.
pub(super) struct Csv<W: Write> {
    out: ::csv::Writer<W>,
    /// What is still to be written before the first row.
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
            Some(fields) => Ok(self.out.write_record(fields)?),
            None => Ok(()),
        }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        Ok(self.out.write_field(text)?)
    }

    fn number(&mut self, number: u64) -> io::Result<()> {
        // 20 digits are the most that a u64 has.
        let (mut digits, mut rest, mut at) = ([0; 20], number, 20);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                return Ok(self.out.write_field(&digits[at..])?);
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
        Ok(self.out.write_field(&self.scratch)?)
    }

    fn boolean(&mut self, boolean: bool) -> io::Result<()> {
        self.text(if boolean { "true" } else { "false" })
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(self.out.write_record(None::<&[u8]>)?)
    }
}

impl<W: Write + Send> RowWriter<W> for Csv<W> {
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
