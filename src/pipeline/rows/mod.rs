//! The rows of a scan: held until they are decided, formatted by the thread that found them, and written in order.
//!
//! `held_rows` has the rows of a piece of work, with texts in `held_texts`, paths in `paths` and values of fields in `stated`, `row_maker` formats them, `sink` writes them, and `progress` ends parts and writes checkpoints between them. Uses `plan`, `checkpoint` and
//! `ledger`. The sink belongs to one thread: the writer, or the caller's in a scan with one thread.

mod held_rows;
mod held_texts;
mod pairs;
mod paths;
mod prefix_ranking;
mod progress;
mod row_maker;
mod sink;
mod stated;

pub(super) use held_rows::{
    AnchorKind, EdgePlace, FoundAnchor, HeldName, HeldRecord, HeldRow, HeldRows, RowOrigin,
};
pub(super) use held_texts::MentionContext;
pub(super) use pairs::PairKey;
pub(super) use progress::RowProgress;
pub(super) use row_maker::{ReadyRows, RowMaker};
pub(super) use sink::{Caller, Drain, Sink, WrittenRows};
pub(super) use stated::{CleanedValue, StatedName, ValueReader, stated_name};
