//! Distributes sources among threads, or scans all of them on one.
//!
//! With one thread (`inline`) the caller's does everything in turn. With more (`threads`), the caller's thread takes the sources in
//! order (`dispatcher`); feeders read sources that are packed or may block (`feeder`); scanners (`source_scanner`) read groups of
//! small files and ranges of large ones (`ranged_file`), scan all chunks, and make rows; one thread writes rows in order. A piece
//! of work needs a ticket (`piece`), which bounds the work that is started.
//!
//! Uses all other rooms; only `lifecycle` uses it.

mod crew;
mod dispatcher;
mod feeder;
mod inline;
mod piece;
mod ranged_file;
mod source_scanner;
mod threads;

pub(super) use inline::scan_inline;
pub(super) use threads::scan_on_threads;
