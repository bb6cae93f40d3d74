//! Cleans members of the objects of JSON Lines or of an array. Copies all other bytes.

use std::ops::Range;

use doisift_tables::{JsonArray, JsonObject, place, string, utf8};
use serde_json::value::RawValue;

use super::batch::{NoteKind, RowBuffer};
use super::cell::CellCleaner;
use super::members::WantedMembers;
use super::status::CellStatus;
use crate::error::TableError;
use crate::normalize;

/// Cleans the objects of a batch.
pub(super) struct LineCleaner<'a> {
    pub(super) members: &'a WantedMembers,
    pub(super) cells: &'a mut CellCleaner,
}

/// A line that is an object.
struct ObjectLine<'t> {
    line: &'t [u8],
    /// The line, with bytes that are not UTF-8 replaced.
    text: &'t str,
    object: JsonObject<'t>,
}

/// Changes of a line.
#[derive(Default)]
struct Edits {
    /// New values, each with the range that it replaces.
    replaced: Vec<(Range<usize>, Vec<u8>)>,
    /// New members, each after a comma.
    added: Vec<u8>,
}

impl LineCleaner<'_> {
    /// Cleans an object, and writes it. A row that is not an object is copied.
    pub(super) fn clean(&mut self, line: &[u8], batch: &mut RowBuffer) {
        let text = utf8(line);
        match serde_json::from_str(&text) {
            Ok(object) => self.object(
                ObjectLine {
                    line,
                    text: &text,
                    object,
                },
                batch,
            ),
            Err(error) => {
                self.cells.tally.broken += 1;
                batch.note(NoteKind::Broken, || {
                    format!("not a JSON object, and not changed: {error}")
                });
                batch.out.extend_from_slice(line);
            }
        }
    }

    fn object(&mut self, line: ObjectLine<'_>, batch: &mut RowBuffer) {
        if let Some(name) = self.duplicate_member(&line.object) {
            let row = Some(batch.rows);
            batch.failure = Some(TableError::Taken { name, row });
            return;
        }
        let mut edits = Edits::default();
        for column in 0..self.members.paths.len() {
            let value = line.object.find(&self.members.paths[column]);
            self.cells.tally.present |= u64::from(value.is_some()) << column.min(63);
            let value = value.filter(|value| value.get() != "null");
            self.member(&line, value, column, &mut edits, batch);
        }
        line.write(edits, &mut batch.out);
    }

    /// Returns the name of a new member that the object already has.
    fn duplicate_member(&self, object: &JsonObject<'_>) -> Option<String> {
        let mut names = self.members.new_names();
        let has = |name: &&String| object.0.iter().any(|(member, _)| member == *name);
        names.find(has).cloned()
    }

    /// Cleans the value of a wanted member, which may be missing.
    fn member(
        &mut self,
        line: &ObjectLine<'_>,
        value: Option<&RawValue>,
        column: usize,
        edits: &mut Edits,
        batch: &mut RowBuffer,
    ) {
        let (status, new) = match value {
            None => (self.cells.missing(), None),
            Some(value) => self.value(line, value),
        };
        if let (Some(value), Some(what)) = (value, NoteKind::of(status)) {
            let name = &self.members.given_names[column];
            batch.note(what, || {
                let reason = normalize::quoted(value.get().as_bytes(), &self.cells.reason);
                format!("member {name}: {reason}")
            });
        }
        if let Some(names) = &self.members.new {
            let status = json(status.name().as_bytes());
            let reason = Some(&self.cells.reason).filter(|reason| !reason.is_empty());
            let reason = reason.map(|reason| json(reason.as_bytes()));
            for (name, value) in names[column].iter().zip([new, Some(status), reason]) {
                edits.add(name, value.as_deref(), line.is_spaced());
            }
        } else if let (Some(value), Some(new)) = (value, new)
            && matches!(status, CellStatus::Normalized | CellStatus::Cleaned)
        {
            edits.replaced.push((place(line.text, value.get()), new));
        }
    }

    /// Cleans a value: a string, or with `--multiple` a list of strings. Returns the status, and the clean value if there is one.
    fn value(&mut self, line: &ObjectLine<'_>, value: &RawValue) -> (CellStatus, Option<Vec<u8>>) {
        if value.get().starts_with('[') && self.cells.is_multiple() {
            return self.list(line, value);
        }
        let status = match string(line.bytes(value)) {
            Ok(string) => self.cells.clean(string.as_bytes()),
            Err(kind) => self.cells.refuse_kind(kind),
        };
        let has_name = !self.cells.value.is_empty();
        (status, has_name.then(|| json(&self.cells.value)))
    }

    /// Cleans the strings of a list. A refused string becomes null, and a repeated name is left out. Keeps the bytes between
    /// them.
    fn list(&mut self, line: &ObjectLine<'_>, list: &RawValue) -> (CellStatus, Option<Vec<u8>>) {
        let elements = serde_json::from_str(list.get()).unwrap_or(JsonArray(Vec::new()));
        let range = place(line.text, list.get());
        let (mut out, mut at) = (Vec::new(), range.start);
        let mut worst = CellStatus::Empty;
        self.cells.clear();
        for (element, number) in elements.0.into_iter().zip(1..) {
            let place = place(line.text, element.get());
            let before = out.len();
            out.extend_from_slice(&line.line[at..place.start]);
            at = place.end;
            let status = match string(&line.line[place.clone()]) {
                _ if element.get() == "null" => CellStatus::Empty,
                Ok(string) => self.cells.element(string.as_bytes(), number),
                Err(kind) => self.cells.refuse_element(kind, number),
            };
            let has_name = matches!(
                status,
                CellStatus::Unchanged | CellStatus::Normalized | CellStatus::Cleaned
            );
            if has_name && self.cells.repeats(number) {
                out.truncate(before);
                worst = worst.max(CellStatus::Normalized);
                continue;
            }
            match status {
                CellStatus::Refused | CellStatus::Several => out.extend_from_slice(b"null"),
                CellStatus::Empty | CellStatus::Unchanged => {
                    out.extend_from_slice(&line.line[place]);
                }
                _ => out.extend(json(&self.cells.value)),
            }
            worst = worst.max(status);
        }
        out.extend_from_slice(&line.line[at..range.end]);
        self.cells.count_list(worst);
        (worst, Some(out))
    }
}

impl Edits {
    fn add(&mut self, name: &str, value: Option<&[u8]>, is_spaced: bool) {
        let blank = if is_spaced { &b" "[..] } else { b"" };
        let name = json(name.as_bytes());
        for part in [b",", blank, &name, b":", blank, value.unwrap_or(b"null")] {
            self.added.extend_from_slice(part);
        }
    }
}

impl ObjectLine<'_> {
    fn bytes(&self, value: &RawValue) -> &[u8] {
        &self.line[place(self.text, value.get())]
    }

    /// Whether there is a blank before the first value.
    fn is_spaced(&self) -> bool {
        let first = self.object.0.first();
        let start = first.map(|(_, value)| place(self.text, value.get()).start);
        start.is_some_and(|start| self.line[start - 1] == b' ')
    }

    /// Appends the line with its edits.
    fn write(&self, mut edits: Edits, out: &mut Vec<u8>) {
        edits.replaced.sort_by_key(|(range, _)| range.start);
        let mut at = 0;
        for (range, new) in edits.replaced {
            // A pointer may lead into the value of another.
            if range.start >= at {
                out.extend_from_slice(&self.line[at..range.start]);
                out.extend_from_slice(&new);
                at = range.end;
            }
        }
        if !edits.added.is_empty() {
            let last = self.object.0.last();
            let brace = || memchr::memchr(b'{', self.line).map_or(0, |at| at + 1);
            let end = last.map_or_else(brace, |(_, value)| place(self.text, value.get()).end);
            out.extend_from_slice(&self.line[at..end]);
            let comma = usize::from(last.is_none());
            out.extend_from_slice(edits.added[comma..].trim_ascii_start());
            at = end;
        }
        out.extend_from_slice(&self.line[at..]);
    }
}

/// Encodes `text` as a JSON string.
fn json(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    // Writing a string to memory cannot fail.
    serde_json::to_vec(&text).unwrap_or_default()
}
