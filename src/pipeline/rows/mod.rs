//! The rows of a scan: held while their mentions wait for a decision, made by the thread that found them, and written in order.
//!
//! `held_mentions` has the mentions of a piece of work, `row_maker` makes rows of them, `backlog` bounds the rows that wait for
//! earlier ones, `sink` writes them, and `progress` ends parts and writes checkpoints between them. Uses `plan`, `checkpoint` and
//! `ledger`. The sink belongs to one thread: the writer, or the caller's in a scan with one thread.

mod backlog;
mod held_mentions;
mod pairs;
mod prefix_ranking;
mod progress;
mod row_maker;
mod sink;
mod stated;

pub(super) use backlog::Backlog;
pub(super) use held_mentions::{
    HeldEdges, HeldMentions, MentionContext, StatedRow, UnplacedAnchor,
};
pub(super) use pairs::PairKey;
pub(super) use progress::RowProgress;
pub(super) use row_maker::{ReadyRows, RowMaker};
pub(super) use sink::{Caller, Drain, Sink, WrittenRows};
pub(super) use stated::{StatedName, StatedValue, ValueReader, stated_name};
