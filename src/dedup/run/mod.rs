//! Runs: sorted files of partial records.
//!
//! A run holds, in this order:
//! - a header of 16 bytes: magic number, version, and what it keeps of each name;
//! - frames of names: keys in bytewise order, each without the bytes it shares with the one before, and the facts about each;
//! - frames of sources: number and name of every source that the records mention;
//! - a trailer of 40 bytes: the number of frames of names, the number of records, the offset of the sources, an ending magic
//!   number, and a checksum of header and trailer.
//!
//! A frame has a head of 32 bytes (its kind, lengths, checksums of the content, of the first key and of the head itself),
//! its first key uncompressed, and its content, compressed with zstd. So a checksum covers every byte of a run, a file
//! that was cut short has no trailer, and a reader can find a key by the heads without unpacking frames. Numbers
//! are little-endian.
//!
//! Sources are numbered in the source order of one scan, so numbers mean the same in all its runs.

mod cursor;
mod entry;
mod fault;
mod file;
mod frame;
mod write;

pub(super) use cursor::Cursor;
pub(super) use entry::{Entry, Fields, Span};
pub(super) use fault::RunFault;
pub use fault::SpillError;
pub(crate) use file::RunFile;
pub(super) use file::{FrameAhead, Heads, OpenRun, Run};
pub(super) use write::{NameFrame, Packer, Writer};

use super::StoredFields;

const MAGIC: &[u8; 8] = b"doisift\x02";
const ENDING: &[u8; 8] = b"run ends";
const VERSION: u32 = 3;
/// Bytes of a header.
const HEADER_BYTES: usize = 16;
/// Bytes of a trailer.
const TRAILER_BYTES: usize = 40;

/// Returns the header of a run.
fn header(stored_fields: StoredFields) -> [u8; HEADER_BYTES] {
    let stored_fields: u32 = match stored_fields {
        StoredFields::All => 0,
        StoredFields::Key => 1,
        StoredFields::Count => 2,
    };
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..].copy_from_slice(&stored_fields.to_le_bytes());
    header
}
