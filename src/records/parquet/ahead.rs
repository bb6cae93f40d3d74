//! Encodes row groups while later ones are collected, and returns them in order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use ::parquet::errors::{ParquetError, Result};
use rayon::Yield;

use super::encode::Encoded;
use crate::records::rows::Encoders;

/// Encodes one column of a group.
pub(super) type ColumnJob = Box<dyn FnOnce() -> Result<Encoded> + Send>;
type Receipt = Receiver<thread::Result<Result<Encoded>>>;

/// Queue of groups that are being encoded, in order. Without encoders they are encoded on the calling thread or its pool.
#[derive(Default)]
pub(super) struct GroupQueue {
    encoders: Option<Encoders>,
    groups: VecDeque<Vec<Receipt>>,
}

impl GroupQueue {
    pub(super) fn set_encoders(&mut self, encoders: Encoders) {
        self.encoders = Some(encoders);
    }

    /// Starts to encode the columns of a group.
    pub(super) fn push(&mut self, columns: impl Iterator<Item = ColumnJob>) {
        let receipts = columns.map(|column| self.start(column)).collect();
        self.groups.push_back(receipts);
    }

    /// Waits for the first group and returns it. Returns `None` while no more groups wait than may, unless these are `all`.
    pub(super) fn pop(&mut self, all: bool) -> Option<Result<Vec<Encoded>>> {
        let ahead = self.encoders.as_ref().map_or(0, |by| by.ahead);
        if self.groups.len() <= ahead && !all {
            return None;
        }
        let receipts = self.groups.pop_front()?;
        Some(receipts.iter().map(encoded).collect())
    }

    fn start(&self, column: ColumnJob) -> Receipt {
        let (to, from) = mpsc::sync_channel(1);
        let job = move || {
            // After an error the receiver is dropped.
            let _ = to.send(catch_unwind(AssertUnwindSafe(column)));
        };
        let pool = self.encoders.as_ref().and_then(|by| by.pool.get());
        match (rayon::current_thread_index(), pool) {
            (Some(_), _) => rayon::spawn(job),
            (None, Some(pool)) => pool.spawn(job),
            (None, None) => job(),
        }
        from
    }
}

/// Waits for an encoded column. A thread of a pool does work of the pool meanwhile, perhaps this column.
fn encoded(from: &Receipt) -> Result<Encoded> {
    let ended = || ParquetError::General("a column was not encoded".into());
    let received = loop {
        match from.try_recv() {
            Err(TryRecvError::Empty) => match rayon::yield_now() {
                Some(Yield::Executed) => {}
                _ => break from.recv().map_err(|_| ended())?,
            },
            received => break received.map_err(|_| ended())?,
        }
    };
    received.unwrap_or_else(|panic| resume_unwind(panic))
}
