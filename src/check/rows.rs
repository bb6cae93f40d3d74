//! Makes the rows of references: judges them in batches, so that a registry is asked about their names at once.

use doisift_documents::CellBatch;

use super::fix::FileRepairs;
use super::judge::{HeldReference, Judge, Judgement};
use super::reference::{Escape, Reference};
use super::row::{CheckedReference, RowPlace};
use crate::error::Error;
use crate::task::Monitor;

/// References that are judged together.
const BATCH_REFERENCES: usize = 1024;

/// Rows, each with the number of the record that cites it.
type RecordRows = Vec<(CheckedReference, u64)>;

/// Judges references in the `held` bytes of a document, and gives their rows to `take`, batch by batch. Adds certain repairs to
/// `repairs`.
pub(super) fn each_batch(
    (judge, monitor): (&mut Judge, &Monitor),
    (held, references): (&[u8], &[Reference]),
    place: &mut RowPlace<'_>,
    mut repairs: Option<&mut FileRepairs>,
    mut take: impl FnMut(RecordRows),
) -> Result<(), Error> {
    for references in references.chunks(BATCH_REFERENCES) {
        let cited = references.iter().map(|reference| (held, reference));
        let judged = judge.references(&cited.collect::<Vec<_>>(), monitor)?;
        let row = |(judged, reference): (Judgement, &Reference)| {
            let repairs = repairs.as_mut();
            let fixed = repairs.is_some_and(|repairs| repairs.add(held, reference, &judged));
            let row = CheckedReference {
                fixed,
                ..place.row(held, reference, judged)
            };
            (row, reference.record)
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
) -> Result<RecordRows, Error> {
    let reference = |bytes: &[u8]| Reference::of_cell(0..bytes.len(), Escape::None);
    let texts = row_texts(batch);
    let references: Vec<Reference> = texts.iter().map(|(_, text)| reference(text)).collect();
    let cited = texts.iter().map(|(_, text)| *text).zip(&references);
    let cited: Vec<HeldReference<'_>> = cited.collect();
    let judged = judge.references(&cited, monitor)?;
    let mut rows = Vec::with_capacity(texts.len());
    for (((number, _), (bytes, reference)), judged) in texts.iter().zip(cited).zip(judged) {
        place.row = Some(batch.first_row + u64::from(*number));
        rows.push((place.row(bytes, reference, judged), reference.record));
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
