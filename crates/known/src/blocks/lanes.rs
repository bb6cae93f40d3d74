//! Builds blocks on several threads and delivers them in order.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::batch::{BuiltBlock, KeyBatch};

/// A thread that builds blocks, one after the other.
struct BlockThread {
    batches: SyncSender<KeyBatch>,
    blocks: Receiver<Option<BuiltBlock>>,
}

impl BlockThread {
    /// Returns `None` if the system refuses a thread.
    fn start() -> Option<Self> {
        let (batches, to_build) = sync_channel::<KeyBatch>(1);
        let (built, blocks) = sync_channel(1);
        let build = move || {
            while let Ok(batch) = to_build.recv() {
                if built.send(batch.build()).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(build).ok()?;
        Some(BlockThread { batches, blocks })
    }
}

/// Threads that take turns. If there are none, the caller's thread builds.
pub(crate) struct BlockThreads {
    lanes: Vec<BlockThread>,
    /// The lanes that are building, in the order of their blocks.
    busy: VecDeque<usize>,
    next: usize,
}

/// A thread failed, or keys were not sorted.
pub(crate) struct BlockFailure;

impl BlockThreads {
    /// Starts up to `threads` threads, including the caller's own.
    pub(crate) fn new(threads: usize) -> Self {
        let others = threads.saturating_sub(1);
        BlockThreads {
            lanes: (0..others).map_while(|_| BlockThread::start()).collect(),
            busy: VecDeque::new(),
            next: 0,
        }
    }

    /// Starts to build a block. If all threads are busy, delivers the oldest one.
    pub(crate) fn push(&mut self, batch: KeyBatch) -> Result<Option<BuiltBlock>, BlockFailure> {
        if self.lanes.is_empty() {
            return batch.build().map(Some).ok_or(BlockFailure);
        }
        let oldest = if self.busy.len() == self.lanes.len() {
            self.pop()?
        } else {
            None
        };
        let lane = self.next;
        self.next = (lane + 1) % self.lanes.len();
        self.lanes[lane]
            .batches
            .send(batch)
            .map_err(|_| BlockFailure)?;
        self.busy.push_back(lane);
        Ok(oldest)
    }

    /// Waits for the oldest block that is being built; `None` if no block is being built.
    pub(crate) fn pop(&mut self) -> Result<Option<BuiltBlock>, BlockFailure> {
        let Some(lane) = self.busy.pop_front() else {
            return Ok(None);
        };
        let built = self.lanes[lane].blocks.recv().map_err(|_| BlockFailure)?;
        built.map(Some).ok_or(BlockFailure)
    }
}
