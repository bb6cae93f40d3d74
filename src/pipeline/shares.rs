//! How a run's memory is shared out: how many threads there are, and how much each has under way.
//!
//! Nothing here bears on the output.

use std::fs;

use super::options::Options;
use crate::input::{Kind, Sources};

/// Bytes of a document that a thread scans at once, at most and at least. A chunk that is smaller than what is read before and
/// after it, some 65 KiB, gains no memory.
const CHUNK: (usize, usize) = (1 << 20, 64 << 10);
/// Bytes of memory that a thread needs: states of its automata, a batch, chunks on their way to it, and pages that the
/// allocator keeps for it.
const THREAD: usize = 20 << 20;
/// Threads that there may be however little memory there is.
const LEAST: usize = 2;
/// Chunks for which a thread's share of the memory has room.
const CHUNKS: usize = 32;
/// The same where mentions are wanted: rows of a chunk can take several times as much as the chunk.
const CHUNKS_WITH_ROWS: usize = 64;
/// Bytes of sources that another thread is worth starting for; they may be packed.
const WORK: u64 = 16 << 10;
/// What a source costs beside its bytes, as bytes.
const SOURCE: u64 = 1 << 10;

/// What each part of a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Threads that scan, and as many that read.
    pub(super) threads: usize,
    /// Bytes of a document that a thread scans at once.
    pub(super) chunk: usize,
    /// Bytes of the table.
    pub(super) table: usize,
    /// Bytes that a thread unpacks ahead.
    pub(super) unpacked: usize,
}

impl Shares {
    /// Shares the memory of a run out. Looks at as many of the sources as it takes to see that every thread has work.
    pub(super) fn new(options: &Options, sources: &Sources) -> Shares {
        let room = Shares::of_memory(options);
        let threads = match room.threads {
            ..=LEAST => room.threads,
            most => parts(sources, most).clamp(LEAST, most),
        };
        if threads < options.threads {
            let asked = options.threads;
            log::info!(
                "{threads} of {asked} threads: there is memory for {}, and work for {threads}",
                room.threads
            );
        }
        Shares { threads, ..room }
    }

    /// However much work there is.
    fn of_memory(options: &Options) -> Shares {
        // What gathers rows for the output has its part; most of it, it has while the table is still full.
        let output = options.format.held().min(options.memory / 2);
        let memory = options.memory - output;
        let threads = options.threads.min(LEAST.max(memory / THREAD));
        let share = memory / threads;
        let chunks = match options.mentions {
            true => CHUNKS_WITH_ROWS,
            false => CHUNKS,
        };
        Shares {
            threads,
            chunk: options
                .chunk
                .unwrap_or_else(|| (share / chunks).clamp(CHUNK.1, CHUNK.0)),
            table: memory,
            unpacked: share / 4,
        }
    }
}

/// How many threads the sources have work for, as far as `most`.
fn parts(sources: &Sources, most: usize) -> usize {
    let mut left = WORK.saturating_mul(most as u64);
    let whole = left;
    for source in sources.iter() {
        let bytes = match source.kind {
            Kind::File => fs::metadata(&source.path).map_or(0, |at| at.len()),
            Kind::Stream | Kind::Stdin => u64::MAX,
        };
        left = left.saturating_sub(bytes.saturating_add(SOURCE));
        if left == 0 {
            return most;
        }
    }
    usize::try_from((whole - left).div_ceil(WORK)).unwrap_or(most)
}
