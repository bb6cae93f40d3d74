//! JSON Lines: one object per line, with JSON's own numbers, booleans, lists and null.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};

use doisift_core::Form;
use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use wide::u8x16;

use super::columns::FoundColumn;
use super::fault::{FaultPlace, ReadError, RecordFault};
use super::field::{Field, INDEX_STATUS_FIELDS, RowKind, kind_of};
use super::forms::Forms;
use super::layout::Layout;
use super::row::{OwnedRow, RecordSlot, Row, Slot, Value, set};
use super::rows::{BUFFER_BYTES, LineBuffer, MAX_ROW_BYTES, RowReader, RowWriter, float};
use doisift_structure::{RecordType, RecordValue};

/// Writes JSON Lines.
pub(super) struct Jsonl<W> {
    lines: LineBuffer<W>,
    /// The fields, each with the bytes before its value.
    fields: Vec<(Field, String)>,
    /// The fields of records, each with the bytes before its value.
    record_fields: Vec<(RecordType, String)>,
}

impl<W: Write> Jsonl<W> {
    pub(super) fn new(layout: &Layout, out: W) -> Self {
        let starts = std::iter::once('{').chain(std::iter::repeat(','));
        let fields = layout.fields.iter().zip(starts);
        let fields = fields.map(|(&field, start)| (field, format!("{start}\"{}\":", field.name())));
        let of_records = layout.record_fields.iter().map(|column| {
            let name = serde_json::Value::from(&*column.name);
            (column.kind, format!(",{name}:"))
        });
        Jsonl {
            lines: LineBuffer::new(out),
            fields: fields.collect(),
            record_fields: of_records.collect(),
        }
    }
}

impl<W: Write + Send + 'static> RowWriter<W> for Jsonl<W> {
    fn row(&mut self, row: &dyn Row) -> io::Result<()> {
        let out = &mut self.lines.buffer;
        for (field, start) in &self.fields {
            out.extend_from_slice(start.as_bytes());
            put_value(out, row.value(*field))?;
        }
        for (number, (kind, start)) in self.record_fields.iter().enumerate() {
            out.extend_from_slice(start.as_bytes());
            put_value(out, Value::of_record(*kind, row.record_field(number)))?;
        }
        out.push(b'}');
        self.lines.end()
    }

    fn size(&self) -> u64 {
        self.lines.size()
    }

    fn finish(self: Box<Self>) -> io::Result<W> {
        self.lines.finish()
    }
}

/// Appends a value.
fn put_value(out: &mut Vec<u8>, value: Value<'_>) -> io::Result<()> {
    match value {
        Value::Text(text) => put_text(out, text)?,
        Value::Nullable(Some(text)) => put_text(out, text)?,
        Value::Number(number) => put_number(out, number),
        Value::NullableNumber(Some(number)) => put_number(out, number),
        Value::Int(Some(number)) => put_number(out, number),
        Value::Float(Some(number)) => out.extend_from_slice(float(number).as_bytes()),
        Value::Flag(flag) => put_flag(out, flag),
        Value::NullableFlag(Some(flag)) => put_flag(out, flag),
        Value::Nullable(None)
        | Value::NullableNumber(None)
        | Value::Int(None)
        | Value::Float(None)
        | Value::NullableFlag(None) => out.extend_from_slice(b"null"),
        Value::Forms(forms) => {
            let starts = std::iter::once("[\"").chain(std::iter::repeat("\",\""));
            for (form, start) in forms.iter().zip(starts) {
                out.extend_from_slice(start.as_bytes());
                out.extend_from_slice(form.name().as_bytes());
            }
            let end: &[u8] = if forms == Forms::default() {
                b"[]"
            } else {
                b"\"]"
            };
            out.extend_from_slice(end);
        }
    }
    Ok(())
}

fn put_flag(out: &mut Vec<u8>, flag: bool) {
    let word: &[u8] = if flag { b"true" } else { b"false" };
    out.extend_from_slice(word);
}

fn put_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    let mut digits = itoa::Buffer::new();
    out.extend_from_slice(digits.format(number).as_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    // Most texts are short and have no escaped bytes.
    if has_escaped(text.as_bytes()) {
        return Ok(serde_json::to_writer(out, text)?);
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
    Ok(())
}

/// Whether a text has a byte that JSON escapes: a control character, a quote or a backslash.
fn has_escaped(text: &[u8]) -> bool {
    let (parts, rest) = text.as_chunks::<16>();
    let Some(last) = text.last_chunk() else {
        let mut escaped = rest
            .iter()
            .filter(|byte| matches!(byte, 0..b' ' | b'"' | b'\\'));
        return escaped.next().is_some();
    };
    let mut seen = escaped(last);
    for part in parts {
        seen |= escaped(part);
    }
    seen.any()
}

/// Returns a mask of the bytes of `part` that JSON escapes.
#[inline]
fn escaped(part: &[u8; 16]) -> u8x16 {
    let part = u8x16::new(*part);
    let is = |byte| part.cmp_eq(u8x16::splat(byte));
    let is_control = part.min(u8x16::splat(b' ' - 1)).cmp_eq(part);
    is_control | is(b'"') | is(b'\\')
}

/// Reads rows from JSON Lines: objects with exactly the fields of a row, in any order. An empty document has no rows. Blank lines
/// are skipped.
pub(super) struct JsonlReader<R> {
    lines: BufReader<R>,
    line: Vec<u8>,
    number: u64,
    /// Bits of the fields of the first row.
    first: Option<u64>,
}

/// A string that is borrowed if it has no escapes.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct JsonText<'l>(#[serde(borrow)] Cow<'l, str>);

impl<R: Read> JsonlReader<R> {
    pub(super) fn new(raw: R) -> Self {
        JsonlReader {
            lines: BufReader::with_capacity(BUFFER_BYTES, raw),
            line: Vec::new(),
            number: 0,
            first: None,
        }
    }

    /// Reads the next line. Returns false at the end.
    fn advance(&mut self) -> Result<bool, RecordFault> {
        self.line.clear();
        self.number += 1;
        let lines = (&mut self.lines).take(MAX_ROW_BYTES + 1);
        match { lines }.read_until(b'\n', &mut self.line)? as u64 {
            0 => Ok(false),
            length if length > MAX_ROW_BYTES => Err(RecordFault::Long(MAX_ROW_BYTES)),
            _ => Ok(true),
        }
    }

    fn read<O: OwnedRow>(&mut self, into: &mut O) -> Result<bool, RecordFault> {
        while self.advance()? {
            let line = self.line.trim_ascii_end();
            if !line.is_empty() {
                take_row(line, into, &mut self.first)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<R: Read + Send, O: OwnedRow> RowReader<O> for JsonlReader<R> {
    fn next(&mut self, into: &mut O) -> Result<bool, ReadError> {
        let read = self.read(into);
        read.map_err(|fault| ReadError::at(FaultPlace::Line(self.number), fault))
    }

    fn has(&self, field: Field) -> Option<bool> {
        Some(self.first? >> field as u8 & 1 == 1)
    }
}

fn take_row<O: OwnedRow>(
    line: &[u8],
    into: &mut O,
    first: &mut Option<u64>,
) -> Result<(), RecordFault> {
    let mut json = serde_json::Deserializer::from_slice(line);
    let row = RowSeed { into, first }.deserialize(&mut json);
    row.and_then(|()| json.end())
        .map_err(|error| no_row(line, O::KIND, error))?;
    into.check()
}

/// Reads an object with the fields of a row, in any order.
struct RowSeed<'o, O> {
    into: &'o mut O,
    /// Bits of the fields of the first row.
    first: &'o mut Option<u64>,
}

impl<'de, O: OwnedRow> DeserializeSeed<'de> for RowSeed<'_, O> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, O: OwnedRow> Visitor<'de> for RowSeed<'_, O> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        // Bits of the fields that were read. There are fewer than 64 fields.
        let mut seen = 0_u64;
        self.into.reset();
        while let Some(JsonText(name)) = map.next_key()? {
            let mut fields = O::KIND.all_fields();
            let field = fields.find(|field| field.name() == name);
            let slot = field.and_then(|field| Some((field, self.into.slot(field)?)));
            let Some((field, slot)) = slot else {
                if let Some(slot) = self.into.record_slot(&name) {
                    fill_record(map.next_value()?, slot, &name).map_err(de::Error::custom)?;
                    continue;
                }
                let known = format!("unknown field `{name}`, expected {}", O::KIND.listed());
                return Err(de::Error::custom(known));
            };
            if seen >> field as u8 & 1 == 1 {
                return Err(de::Error::duplicate_field(field.name()));
            }
            seen |= 1 << field as u8;
            fill(&mut map, slot)?;
        }
        let has = |field: Field| seen >> field as u8 & 1 == 1;
        if let Some(field) = O::KIND.missing(has) {
            return Err(de::Error::missing_field(field.name()));
        }
        let differs = *self.first.get_or_insert(seen) ^ seen;
        let differs = |field: &Field| differs >> *field as u8 & 1 == 1;
        let mut fields = O::KIND.all_fields();
        match fields.find(|field| differs(field) && O::KIND.may_lack(*field)) {
            None => Ok(()),
            Some(field) if INDEX_STATUS_FIELDS.contains(&field) => Err(de::Error::custom(
                "the fields known, agency and retracted must be in all rows or in none",
            )),
            Some(field) => Err(de::Error::custom(format!(
                "the field {} must be in all rows or in none",
                field.name()
            ))),
        }
    }
}

/// Reads the value of a column with a field of records into its slot.
fn fill_record(value: &RawValue, slot: RecordSlot<'_>, name: &str) -> Result<(), RecordFault> {
    match (slot, value.get()) {
        (RecordSlot::Typed(kind @ RecordType::Text, value), text) if text != "null" => {
            let read = serde_json::from_str(text).map(RecordValue::Text);
            *value = read.map_err(|_| RecordFault::value(name.to_owned(), text, kind.values()))?;
            Ok(())
        }
        (slot, text) => slot.set(name, Some(text).filter(|text| *text != "null")),
    }
}

/// Reads the value of a field into its slot.
fn fill<'de, A: MapAccess<'de>>(map: &mut A, slot: Slot<'_>) -> Result<(), A::Error> {
    match slot {
        Slot::Text(text) => map.next_value::<JsonText<'_>>()?.copy_to(text),
        Slot::Nullable(text) => match map.next_value::<Option<JsonText<'_>>>()? {
            Some(value) => value.copy_to(text),
            None => text.clear(),
        },
        Slot::Number(number) => *number = map.next_value()?,
        Slot::NullableNumber(number) => *number = map.next_value()?,
        Slot::Forms(forms) => *forms = map.next_value()?,
        Slot::Flag(flag) => *flag = map.next_value()?,
        Slot::NullableFlag(flag) => *flag = map.next_value()?,
        Slot::Derived => map.next_value::<IgnoredAny>().map(drop)?,
    }
    Ok(())
}

impl JsonText<'_> {
    fn copy_to(&self, text: &mut String) {
        set(text, &self.0);
    }
}

/// Returns the fault of a line that is not a row of the `wanted` kind.
fn no_row(line: &[u8], wanted: RowKind, error: serde_json::Error) -> RecordFault {
    let row = serde_json::from_slice::<BTreeMap<JsonText<'_>, IgnoredAny>>(line);
    let row = row.unwrap_or_default();
    let names: Vec<&str> = row.keys().map(|name| &*name.0).collect();
    match kind_of(&names).filter(|&found| !wanted.reads(found)) {
        Some(found) => RecordFault::Kind { found, wanted },
        None => RecordFault::Json(wanted, error),
    }
}

/// Returns the members of the first object, in order, with the types of their first values that are not null. Empty if there is
/// no object.
///
/// Reads up to the first value of each column with a field of records.
///
/// # Errors
/// If a line cannot be read, or is too long.
pub(super) fn columns(raw: impl Read) -> Result<Vec<FoundColumn>, ReadError> {
    let mut lines = JsonlReader::new(raw);
    let mut columns = Vec::<FoundColumn>::new();
    let is_open =
        |column: &FoundColumn| column.kind.is_none() && Field::named(&column.name).is_none();
    while lines.advance().map_err(ReadError::new)? {
        let line = lines.line.trim_ascii_end();
        if line.is_empty() {
            continue;
        }
        let mut json = serde_json::Deserializer::from_slice(line);
        // A line that is not an object is reported when rows are read.
        let found = json.deserialize_map(Columns).unwrap_or_default();
        if columns.is_empty() {
            columns = found;
        } else {
            for (column, found) in columns.iter_mut().zip(found) {
                let is_same = column.name == found.name;
                column.kind = column.kind.or(found.kind.filter(|_| is_same));
            }
        }
        if !columns.iter().any(is_open) {
            break;
        }
    }
    Ok(columns)
}

/// Reads the members of an object as columns.
struct Columns;

impl<'de> Visitor<'de> for Columns {
    type Value = Vec<FoundColumn>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut columns = Vec::new();
        while let Some((JsonText(name), value)) = map.next_entry::<_, &RawValue>()? {
            columns.push(FoundColumn {
                name: name.into_owned(),
                kind: written_type(value.get()),
            });
        }
        Ok(columns)
    }
}

/// Returns the type of a JSON value, or `None` for null, an object or a list.
fn written_type(value: &str) -> Option<RecordType> {
    match value.as_bytes().first()? {
        b'"' => Some(RecordType::Text),
        b't' | b'f' => Some(RecordType::Bool),
        b'-' | b'0'..=b'9' if value.contains(['.', 'e', 'E']) => Some(RecordType::Float),
        b'-' | b'0'..=b'9' => Some(RecordType::Int),
        _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_escaped_byte_is_seen_wherever_it_is() {
        for length in 1..40 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut text = vec![0xC3; length];
                    text[at] = byte;
                    let expected = byte < b' ' || byte == b'"' || byte == b'\\';
                    assert_eq!(has_escaped(&text), expected, "{byte} at {at} of {length}");
                }
            }
        }
        assert!(!has_escaped(b""));
    }
}
