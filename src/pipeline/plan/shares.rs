//! Divides the memory of a run: the number of threads, and the sizes of their buffers.
//!
//! These affect time and memory, never the output.

use std::fs;

use doisift_documents::{SourceKind, Sources};

use super::options::ScanOptions;

/// Max size of a chunk.
const MAX_CHUNK_BYTES: usize = 1 << 20;
/// Min size of a chunk. Some 65 KiB around a chunk are read with it, so smaller chunks save memory only if their rows have much
/// text.
const MIN_CHUNK_BYTES: usize = 64 << 10;
/// Min size of a chunk if rows have text around mentions.
const MIN_CHUNK_BYTES_WITH_CONTEXT: usize = 8 << 10;
/// Memory that a thread needs, in bytes: states of its automata, a batch, chunks that wait for it, and pages of the
/// allocator.
const THREAD_BYTES: usize = 20 << 20;
/// Memory for rows of one document that wait for the identifier of their record, in bytes: their texts and their fields.
const WAITING_ROWS_BYTES: usize = 40 << 20;
/// Memory of a thread for rows that wait until earlier ones are written, in bytes: enough for the rows of some 25 MB of text.
const BACKLOG_BYTES: usize = 4 << 20;
/// Number of threads that may be started with any memory budget, unless rows wait for identifiers.
const MIN_THREADS: usize = 2;
/// Size of a thread's share of the memory, in chunks.
const CHUNKS_PER_SHARE: usize = 32;
/// Size of a thread's share of the memory, in chunks, if mentions are written. The rows of a chunk can take several times its
/// memory.
const CHUNKS_PER_SHARE_WITH_ROWS: usize = 64;
/// Bytes of text around a mention that take as much memory as a row.
const CONTEXT_BYTES_PER_ROW: usize = 64;
/// Bytes of sources, packed or not, that make another thread worthwhile.
const THREAD_WORK_BYTES: u64 = 16 << 10;
/// The cost of opening a source, expressed in bytes of work.
const SOURCE_WORK_BYTES: u64 = 1 << 10;

/// The sizes of a run's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Number of threads that scan. As many threads read.
    pub(crate) threads: usize,
    /// Bytes of a document that a thread scans at once.
    pub(crate) chunk: usize,
    /// Memory budget of the table, in bytes.
    pub(crate) table: usize,
    /// Bytes that a thread unpacks ahead.
    pub(crate) unpacked: usize,
    /// Max bytes of a file that is held in memory, whatever the number of threads.
    pub(crate) whole: usize,
    /// Max groups of rows that are encoded at the same time while another one is collected.
    pub(crate) encoded: usize,
    /// Max bytes of rows that wait for earlier ones.
    pub(crate) backlog: usize,
}

impl Shares {
    /// Divides the memory of a run. Reads the sizes of sources until there is work for every thread.
    pub(crate) fn new(options: &ScanOptions, sources: &Sources) -> Shares {
        let room = Shares::of_memory(options);
        let threads = match room.threads {
            ..=MIN_THREADS => room.threads,
            max => parts(options, sources, max).clamp(MIN_THREADS, max),
        };
        if threads < options.threads {
            let asked = options.threads;
            log::info!(
                "{threads} of {asked} threads: there is memory for {}, and work for {threads}",
                room.threads
            );
        }
        if room.table == options.names {
            let max = room.table >> 20;
            log::info!("names: at most {max} MiB of the memory, since more saves no time");
        }
        Shares { threads, ..room }
    }

    /// Returns the shares by memory alone, without regard to the amount of work.
    fn of_memory(options: &ScanOptions) -> Shares {
        // The buffers of the output are reserved first. They are mostly filled while the table is still full.
        let [output, group] = options.selection.layout.format.buffered_bytes();
        let memory = options.memory - output.min(options.memory / 2);
        let (thread, min) = if options.selection.writes_edges() {
            (THREAD_BYTES + WAITING_ROWS_BYTES, 1)
        } else {
            (THREAD_BYTES, MIN_THREADS)
        };
        let threads = options.threads.min(min.max(memory / thread));
        let encoded = (memory / 4)
            .checked_div(group)
            .map_or(0, |groups| groups.min(threads / 2));
        let backlog = (memory / 8).min(BACKLOG_BYTES * threads);
        let share = memory / threads;
        let rows = 1 + options.selection.context / CONTEXT_BYTES_PER_ROW;
        let chunks = match options.selection.writes_mentions() {
            true => CHUNKS_PER_SHARE_WITH_ROWS * rows,
            false => CHUNKS_PER_SHARE,
        };
        let min = (MIN_CHUNK_BYTES / rows).max(MIN_CHUNK_BYTES_WITH_CONTEXT);
        Shares {
            threads,
            chunk: options
                .chunk
                .unwrap_or_else(|| (share / chunks).clamp(min, MAX_CHUNK_BYTES)),
            table: memory.min(options.names),
            unpacked: share / 4,
            whole: memory / 2,
            encoded,
            backlog,
        }
    }
}

/// Returns the number of threads for which the sources have work, at most `max`.
fn parts(options: &ScanOptions, sources: &Sources, max: usize) -> usize {
    let mut left = THREAD_WORK_BYTES.saturating_mul(max as u64);
    let whole = left;
    for source in sources.iter() {
        let by = options.preprocessor.as_ref();
        let bytes = match source.kind {
            // A command may take long, whatever the size of its file.
            _ if by.is_some_and(|by| by.takes(&source)) => THREAD_WORK_BYTES,
            SourceKind::File => fs::metadata(&source.path).map_or(0, |at| at.len()),
            SourceKind::Remote => sources.object_size(&source).unwrap_or(u64::MAX),
            SourceKind::Stream | SourceKind::Stdin | SourceKind::Reader => u64::MAX,
        };
        left = left.saturating_sub(bytes.saturating_add(SOURCE_WORK_BYTES));
        if left == 0 {
            return max;
        }
    }
    usize::try_from((whole - left).div_ceil(THREAD_WORK_BYTES)).unwrap_or(max)
}
