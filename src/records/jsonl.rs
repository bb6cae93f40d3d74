//! JSON Lines: one object per line, with JSON's own numbers, booleans, lists and null.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};

use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::fault::{FaultPlace, ReadError, RecordFault};
use super::record::{Forms, MentionRow, OwnedRecord, Record};
use super::rows::{BUFFER, LineBuffer, ROW, RowReader, RowWriter};
use crate::scan::Form;

/// Writes JSON Lines.
pub(super) struct Jsonl<W>(LineBuffer<W>);

impl<W: Write> Jsonl<W> {
    pub(super) fn new(out: W) -> Self {
        Jsonl(LineBuffer::new(out))
    }

    fn object(&mut self, row: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.0.buffer, row)?;
        self.0.end()
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for Jsonl<W> {
    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        self.object(record)
    }

    fn mention(&mut self, mention: &MentionRow<'_>) -> io::Result<()> {
        self.object(mention)
    }

    fn finish(self: Box<Self>) -> io::Result<W> {
        self.0.finish()
    }
}

/// Reads records from JSON Lines: objects with exactly the fields of a record, in any order. An empty document is read as
/// none; blank lines are skipped.
pub(super) struct JsonlReader<R> {
    lines: BufReader<R>,
    line: Vec<u8>,
    number: u64,
}

/// The record of a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonRecord<'l> {
    #[serde(borrow)]
    doi: JsonText<'l>,
    mentions: u64,
    documents: u64,
    forms: Forms,
    #[serde(borrow)]
    first_source: JsonText<'l>,
    // With `deserialize_with`, serde requires the field.
    #[serde(borrow, deserialize_with = "Option::deserialize")]
    first_document: Option<JsonText<'l>>,
    first_offset: u64,
    #[serde(borrow)]
    first_text: JsonText<'l>,
    guessed: bool,
}

/// A string that is borrowed if it has no escapes.
#[derive(Deserialize)]
struct JsonText<'l>(#[serde(borrow)] Cow<'l, str>);

/// The fields of a mention that a record does not have.
#[derive(Deserialize)]
#[allow(dead_code, reason = "only their presence matters")]
struct MentionLike {
    form: String,
    source: String,
    offset: u64,
}

impl<R: Read> JsonlReader<R> {
    pub(super) fn new(raw: R) -> Self {
        JsonlReader {
            lines: BufReader::with_capacity(BUFFER, raw),
            line: Vec::new(),
            number: 0,
        }
    }

    /// Reads the next line; false at the end.
    fn advance(&mut self) -> Result<bool, RecordFault> {
        self.line.clear();
        self.number += 1;
        let lines = (&mut self.lines).take(ROW + 1);
        match { lines }.read_until(b'\n', &mut self.line)? as u64 {
            0 => Ok(false),
            length if length > ROW => Err(RecordFault::Long(ROW)),
            _ => Ok(true),
        }
    }

    fn read(&mut self, into: &mut OwnedRecord) -> Result<bool, RecordFault> {
        while self.advance()? {
            let line = self.line.trim_ascii_end();
            if !line.is_empty() {
                return into.take_row(line).map(|()| true);
            }
        }
        Ok(false)
    }
}

impl<R: Read + Send> RowReader for JsonlReader<R> {
    fn next(&mut self, into: &mut OwnedRecord) -> Result<bool, ReadError> {
        let read = self.read(into);
        read.map_err(|fault| ReadError::at(FaultPlace::Line(self.number), fault))
    }
}

impl OwnedRecord {
    fn take_row(&mut self, line: &[u8]) -> Result<(), RecordFault> {
        let row: JsonRecord<'_> =
            serde_json::from_slice(line).map_err(|error| no_row(line, error))?;
        row.doi.copy_to(&mut self.doi);
        self.mentions = row.mentions;
        self.documents = row.documents;
        self.forms = row.forms;
        row.first_source.copy_to(&mut self.first_source);
        self.first_document.clear();
        if let Some(document) = row.first_document {
            document.copy_to(&mut self.first_document);
        }
        self.first_offset = row.first_offset;
        row.first_text.copy_to(&mut self.first_text);
        self.guessed = row.guessed;
        self.check()
    }
}

impl JsonText<'_> {
    fn copy_to(&self, text: &mut String) {
        text.clear();
        text.push_str(&self.0);
    }
}

/// The reason why a line is no record.
fn no_row(line: &[u8], error: serde_json::Error) -> RecordFault {
    match serde_json::from_slice::<MentionLike>(line) {
        Ok(_) => RecordFault::Mentions,
        Err(_) => RecordFault::Json(error),
    }
}

impl<'de> Deserialize<'de> for Forms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Forms, D::Error> {
        struct List;

        impl<'de> Visitor<'de> for List {
            type Value = Forms;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of forms")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Forms, A::Error> {
                let mut forms = Forms::default();
                while let Some(form) = list.next_element::<Form>()? {
                    forms |= form.into();
                }
                Ok(forms)
            }
        }

        deserializer.deserialize_seq(List)
    }
}
