//! Cleans lines that are a text each.

use super::batch::{Batch, Note, NoteKind};
use super::cell::CellCleaner;
use crate::normalize::Refusal;

/// Writes a line for each line of `batch`: its name, or nothing. Lines longer than `most` bytes are refused.
pub(super) fn clean(batch: &mut Batch, cells: &mut CellCleaner, most: usize) {
    if batch.too_long {
        batch.rows += 1;
        cells.tally.rows += 1;
        batch.out.push(b'\n');
        let message = cells.refuse_line(Refusal::TooLong(most).to_string());
        return refuse(batch, message);
    }
    let bytes = std::mem::take(&mut batch.bytes);
    let mut at = batch.start;
    while at < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        batch.rows += 1;
        cells.tally.rows += 1;
        if let Some(message) = cells.line(&bytes[at..end], most, &mut batch.out) {
            refuse(batch, message);
        }
        batch.out.push(b'\n');
        at = end + 1;
    }
    batch.bytes = bytes;
}

fn refuse(batch: &mut Batch, message: String) {
    batch.notes.push(Note {
        row: batch.rows,
        what: NoteKind::Refused,
        message,
    });
}
