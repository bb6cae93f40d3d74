//! The checkpoints of a scan: places at which it can resume, and the manifest of the work before them.
//!
//! `mark` defines the places, `saved` the content of the manifest, and `scan_checkpoint` when one is due and how it is written.
//! Uses `plan`. The room `rows` writes checkpoints of rows, and `shared_scan` those of the table of names; both on the thread
//! that writes or dispatches, which may wait for the disk.

mod mark;
mod saved;
mod scan_checkpoint;

pub(super) use mark::{Mark, MarkedRows, ReadDocument, ReadPlace, mark_step};
pub(super) use saved::{FinishedRows, FinishedWork};
pub(super) use scan_checkpoint::ScanCheckpoint;
