//! Cleans one cell.

use std::borrow::Cow;

use doisift_core::Change;
use doisift_documents::printable;
use doisift_tables::{Charset, shown_at};

use super::code::Code;
use super::names::{has_prefix, inner_gap, is_text, names};
use super::reason::reason;
use super::report::CellTally;
use super::status::CellStatus;
use crate::error::Error;
use crate::normalize::{Normalizer, Presentation, Refusal};

const SEVERAL: &str = "several names; --multiple reads each";
const GLUED: &str = "several names that nothing separates";
const TEXT: &str = "a text with names in it, not a list of names";

/// Cleans cells one after the other. Holds the result of the last.
pub(super) struct CellCleaner {
    normalizer: Normalizer,
    presentation: Presentation,
    multiple: bool,
    /// Encoding of the current row.
    pub(super) code: Code,
    /// The name or names of the last cell, in the wanted form. Empty if it was refused.
    pub(super) value: Vec<u8>,
    /// The names of the current cell or list so far, if it may have several.
    seen: Vec<Vec<u8>>,
    /// The reason why the last cell was refused, or the changes.
    pub(super) reason: String,
    pub(super) tally: CellTally,
}

impl CellCleaner {
    pub(super) fn new(normalizer: Normalizer, presentation: Presentation, multiple: bool) -> Self {
        CellCleaner {
            normalizer,
            presentation,
            multiple,
            code: Code::UTF_8,
            value: Vec::new(),
            seen: Vec::new(),
            reason: String::new(),
            tally: CellTally::default(),
        }
    }

    /// # Errors
    /// If the index of known names could not be read when it was asked.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.normalizer.check()
    }

    pub(super) fn is_multiple(&self) -> bool {
        self.multiple
    }

    /// Clears the result of the last cell.
    pub(super) fn clear(&mut self) {
        self.value.clear();
        self.reason.clear();
        self.seen.clear();
    }

    /// Cleans and counts a cell.
    pub(super) fn clean(&mut self, cell: &[u8]) -> CellStatus {
        self.clear();
        let text = self.decoded(cell);
        let status = if self.multiple {
            self.several(&text)
        } else {
            self.name(&text, 0)
        };
        let status = self.encode(status);
        self.tally.statuses.add(status);
        status
    }

    /// Decodes a cell of the current row.
    pub(super) fn decoded<'c>(&self, cell: &'c [u8]) -> Cow<'c, [u8]> {
        self.code.rows.text(cell)
    }

    /// Encodes the value as the rows are. Refuses a value that the encoding of the output lacks, and escapes such characters in
    /// the reason.
    fn encode(&mut self, status: CellStatus) -> CellStatus {
        let Code { rows, out, .. } = self.code;
        if out == Charset::UTF_8 {
            return status;
        }
        let value = String::from_utf8_lossy(&self.value).into_owned();
        let refused = match out.encode(&value) {
            Ok(bytes) if rows == out => {
                self.value = bytes.into_owned();
                false
            }
            Ok(_) => false,
            Err(at) => {
                self.value.clear();
                self.give_reason(
                    0,
                    &format!("{} has no {}", out.name(), shown_at(&value, at)),
                );
                true
            }
        };
        self.reason = out.escaped(&self.reason);
        if refused { CellStatus::Refused } else { status }
    }

    /// Returns the reason in the encoding of the rows.
    pub(super) fn encoded_reason(&self) -> Cow<'_, [u8]> {
        self.code.rows.encode(&self.reason).unwrap_or_default()
    }

    /// Refuses a JSON value of a `kind` that is not a string.
    pub(super) fn refuse_kind(&mut self, kind: &'static str) -> CellStatus {
        self.clear();
        self.reason = Refusal::NoString(kind).to_string();
        self.tally.statuses.add(CellStatus::Refused);
        CellStatus::Refused
    }

    /// Cleans an element of a list. [`count_list`](Self::count_list) counts the list as a whole.
    pub(super) fn element(&mut self, text: &[u8], number: usize) -> CellStatus {
        self.value.clear();
        self.name(text, number)
    }

    /// Whether the last element repeats a name of the list.
    pub(super) fn repeats(&mut self, number: usize) -> bool {
        self.is_double(0, number)
    }

    /// Refuses an element of a list that is not a string.
    pub(super) fn refuse_element(&mut self, kind: &'static str, number: usize) -> CellStatus {
        self.give_reason(number, &Refusal::NoString(kind).to_string());
        CellStatus::Refused
    }

    /// Counts a list whose elements were cleaned.
    pub(super) fn count_list(&mut self, status: CellStatus) {
        self.tally.statuses.add(status);
    }

    /// Counts a row without the cell.
    pub(super) fn missing(&mut self) -> CellStatus {
        self.clear();
        self.tally.statuses.add(CellStatus::Empty);
        CellStatus::Empty
    }

    /// Cleans the names of a cell and keeps the text between them. Drops refused names, and repeated names with the separators
    /// before them.
    fn several(&mut self, cell: &[u8]) -> CellStatus {
        if is_text(cell) {
            self.give_reason(0, TEXT);
            return CellStatus::Refused;
        }
        let (mut worst, mut at) = (CellStatus::Empty, 0);
        let several = names(cell).nth(1).is_some();
        for (name, number) in names(cell).zip(1..) {
            let (gap, start) = (&cell[at..name.start], self.value.len());
            self.value.extend_from_slice(inner_gap(gap, at == 0));
            let name_start = self.value.len();
            at = name.end;
            let number = if several { number } else { 0 };
            worst = worst.max(self.name(&cell[name], number));
            if self.is_double(name_start, number) {
                self.value.truncate(start);
                worst = worst.max(CellStatus::Normalized);
            }
        }
        if self.seen.is_empty() {
            self.value.clear();
        } else {
            self.value.extend_from_slice(inner_gap(&cell[at..], true));
            self.note_edges(cell, at);
        }
        match worst {
            CellStatus::Unchanged if self.value != cell => CellStatus::Normalized,
            worst => worst,
        }
    }

    /// Adds to the reason the separators that are dropped before the first name and after the last, which ends at `end`.
    fn note_edges(&mut self, cell: &[u8], end: usize) {
        let start = names(cell).next().map_or(0, |name| name.start);
        for edge in [&cell[..start], &cell[end..]] {
            if inner_gap(edge, true).len() < edge.len() {
                let edge = String::from_utf8_lossy(edge.trim_ascii());
                self.give_reason(0, &format!("separators: '{}'", printable::name(&edge)));
            }
        }
    }

    /// Whether the name in the value from `start` on repeats one of the cell or list. If so, adds that to the reason.
    fn is_double(&mut self, start: usize, number: usize) -> bool {
        let name = &self.value[start..];
        if name.is_empty() {
            return false;
        }
        if !self.seen.iter().any(|seen| seen == name) {
            self.seen.push(name.to_vec());
            return false;
        }
        self.give_reason(number, "the same name once more");
        true
    }

    /// Reads `text` as a name and appends it to the value. `number` is the name's number in its cell; 0 if there is only one.
    fn name(&mut self, text: &[u8], number: usize) -> CellStatus {
        if text.trim_ascii().is_empty() {
            return CellStatus::Empty;
        }
        match self.normalizer.read(text) {
            Ok(read) => {
                let name = self.presentation.of(&read.doi);
                self.value.extend_from_slice(name.as_bytes());
                self.count(&read.changes);
                self.give_reason(number, &reason(text, &read, &name));
                match read.changed {
                    true => CellStatus::Cleaned,
                    false if name.as_bytes() == text => CellStatus::Unchanged,
                    false => CellStatus::Normalized,
                }
            }
            Err(Refusal::Several) => {
                self.give_reason(number, if self.multiple { GLUED } else { SEVERAL });
                CellStatus::Several
            }
            Err(refusal) => {
                let remedy = self.remedy(text, &refusal);
                self.give_reason(number, &format!("{refusal}{remedy}"));
                CellStatus::Refused
            }
        }
    }

    /// Returns the advice for a refused text.
    fn remedy(&self, text: &[u8], refusal: &Refusal) -> String {
        let is_list = || {
            names(text)
                .filter(|name| has_prefix(&text[name.clone()]))
                .nth(1)
        };
        if !self.multiple && is_list().is_some() {
            "; --multiple reads several names".into()
        } else {
            self.normalizer.remedy(text, refusal)
        }
    }

    /// Reads a line and appends its name to `out`. Returns the reason as an error if it has none.
    pub(super) fn line(
        &mut self,
        text: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<CellStatus, (CellStatus, String)> {
        if text.trim_ascii().is_empty() {
            return Ok(CellStatus::Empty);
        }
        match self.normalizer.read(text) {
            Ok(read) => {
                let name = self.presentation.of(&read.doi);
                out.extend_from_slice(name.as_bytes());
                self.count(&read.changes);
                Ok(match read.changed {
                    true => CellStatus::Cleaned,
                    false if name.as_bytes() == text => CellStatus::Unchanged,
                    false => CellStatus::Normalized,
                })
            }
            Err(refusal) => {
                let status = match refusal {
                    Refusal::Several => CellStatus::Several,
                    _ => CellStatus::Refused,
                };
                Err((status, self.normalizer.explain(text, &refusal)))
            }
        }
    }

    fn give_reason(&mut self, number: usize, reason: &str) {
        if reason.is_empty() {
            return;
        }
        if !self.reason.is_empty() {
            self.reason.push_str("; ");
        }
        if number > 0 {
            self.reason.push_str(&format!("{number}: "));
        }
        self.reason.push_str(reason);
    }

    /// Counts each rule once per name.
    fn count(&mut self, changes: &[Change]) {
        for (at, change) in changes.iter().enumerate() {
            if changes[..at]
                .iter()
                .all(|before| before.rule != change.rule)
            {
                *self.tally.rules.entry(change.rule).or_default() += 1;
            }
        }
    }
}
