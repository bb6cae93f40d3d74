//! Cleans lines, each of which is a text.

use super::batch::{Note, NoteKind, RowBuffer};
use super::cell::CellCleaner;
use super::status::CellStatus;
use crate::normalize::Refusal;

/// Writes a line for each line of `batch`: its name, or nothing. Lines end with `line_end`. Lines longer than `max` bytes are
/// refused.
pub(super) fn clean(batch: &mut RowBuffer, line_end: u8, cells: &mut CellCleaner, max: usize) {
    if batch.too_long {
        return line(batch, cells, |_, _| Err(too_long(max)));
    }
    let bytes = std::mem::take(&mut batch.bytes);
    let mut at = batch.start;
    while at < bytes.len() {
        let end = memchr::memchr(line_end, &bytes[at..]).map_or(bytes.len(), |length| at + length);
        let text = &bytes[at..end];
        line(batch, cells, |cells, out| {
            if text.len() > max {
                Err(too_long(max))
            } else {
                cells.line(text, out)
            }
        });
        at = end + 1;
    }
    batch.bytes = bytes;
}

fn too_long(max: usize) -> (CellStatus, String) {
    (CellStatus::Refused, Refusal::TooLong(max).to_string())
}

/// Writes a line that `read` appends, and counts it. Adds a note with the reason if there is no name.
fn line(
    batch: &mut RowBuffer,
    cells: &mut CellCleaner,
    read: impl FnOnce(&mut CellCleaner, &mut Vec<u8>) -> Result<CellStatus, (CellStatus, String)>,
) {
    batch.rows += 1;
    let (status, message) = match read(cells, &mut batch.out) {
        Ok(status) => (status, String::new()),
        Err(reported) => reported,
    };
    batch.out.push(b'\n');
    cells.tally.statuses.add(status);
    if let Some(what) = NoteKind::of(status) {
        let row = batch.rows;
        batch.notes.push(Note { row, what, message });
    }
}
