//! Makes the rows of references: judges them in batches, so that a registry is asked about their names at once.

use doisift_documents::CellBatch;

use super::fix::FileRepairs;
use super::ignore::IgnoreComments;
use super::judge::{HeldReference, Judge, Judgement};
use super::piece::JudgedRow;
use super::reference::{Escape, Reference};
use super::row::{CheckedReference, RowPlace};
use crate::error::Error;
use crate::task::Monitor;

/// References that are judged together.
const BATCH_REFERENCES: usize = 1024;

/// References in a part of a document.
pub(super) struct HeldReferences<'h> {
    /// The held bytes of the document, and their offset.
    pub(super) held: &'h [u8],
    pub(super) offset: u64,
    pub(super) references: &'h [Reference],
    pub(super) comments: &'h IgnoreComments,
}

/// Judges references, and gives their rows to `take`, batch by batch. Adds certain repairs to `repairs`, except those of verdicts
/// that a comment accepts.
pub(super) fn each_batch(
    (judge, monitor): (&mut Judge, &Monitor),
    part: &HeldReferences<'_>,
    place: &mut RowPlace<'_>,
    mut repairs: Option<&mut FileRepairs>,
    mut take: impl FnMut(Vec<JudgedRow>),
) -> Result<(), Error> {
    let held = part.held;
    for references in part.references.chunks(BATCH_REFERENCES) {
        let cited = references.iter().map(|reference| (held, reference));
        let judged = judge.references(&cited.collect::<Vec<_>>(), monitor)?;
        let row = |(judged, reference): (Judgement, &Reference)| {
            let comment = part.comments.about(held, part.offset, reference);
            let is_open = !comment.is_some_and(|comment| comment.accepts(judged.verdict));
            let repairs = repairs.as_mut().filter(|_| is_open);
            let fixed = repairs.is_some_and(|repairs| repairs.add(held, reference, &judged));
            let row = CheckedReference {
                fixed,
                ..place.row(held, reference, judged)
            };
            JudgedRow {
                row,
                record: reference.record,
                comment: comment.cloned(),
            }
        };
        take(judged.into_iter().zip(references).map(row).collect());
    }
    Ok(())
}

/// Judges the cells of a batch, and returns their rows.
pub(super) fn of_cells(
    (judge, monitor): (&mut Judge, &Monitor),
    batch: &CellBatch,
    place: &mut RowPlace<'_>,
) -> Result<Vec<JudgedRow>, Error> {
    let reference = |bytes: &[u8]| Reference::of_cell(0..bytes.len(), Escape::None);
    let texts = row_texts(batch);
    let references: Vec<Reference> = texts.iter().map(|(_, text)| reference(text)).collect();
    let cited = texts.iter().map(|(_, text)| *text).zip(&references);
    let cited: Vec<HeldReference<'_>> = cited.collect();
    let judged = judge.references(&cited, monitor)?;
    let mut rows = Vec::with_capacity(texts.len());
    for (((number, _), (bytes, reference)), judged) in texts.iter().zip(cited).zip(judged) {
        place.row = Some(batch.first_row + u64::from(*number));
        rows.push(JudgedRow {
            row: place.row(bytes, reference, judged),
            record: reference.record,
            comment: None,
        });
    }
    Ok(rows)
}

/// Returns the texts of the cells, each with the number of its row in the batch. A row without cells has an empty text.
fn row_texts(batch: &CellBatch) -> Vec<(u32, &[u8])> {
    let mut cells = batch.cells().iter().peekable();
    let mut texts: Vec<(u32, &[u8])> = Vec::new();
    for row in 0..batch.rows {
        let before = texts.len();
        while let Some(cell) = cells.next_if(|cell| cell.row == row) {
            texts.push((row, batch.text(cell)));
        }
        if texts.len() == before {
            texts.push((row, b""));
        }
    }
    texts
}
