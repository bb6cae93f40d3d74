//! The output of `--version`, for bug reports: the build, and the limits of this machine.

use std::env::consts::{ARCH, OS};

use doisift::Scan;
use doisift::internal::{OptionTask, OptionValue};

/// The version, and the formats of this build.
pub(crate) const BUILD: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nreads: text (UTF-8 and the like, UTF-16, UTF-32); gzip, zlib, zstd, bzip2, xz, lz4; tar, zip, 7z, WARC, mail; docx, pptx, xlsx, OpenDocument; Arrow; Parquet; PDF",
    "\nwrites: csv, jsonl, names, tsv; plain, gzip, zstd; parquet",
);

/// Returns the build, its allocator, and the default limits of a run on this machine.
pub(crate) fn with_limits(allocator: &str) -> String {
    let libc = match cfg!(target_env = "musl") {
        true => "musl",
        false => "the C library of the system",
    };
    let build = format!("{BUILD}\nbuilt for: {ARCH}, {OS}, {libc}; allocator: {allocator}");
    // Any source can be used, since the options do not depend on it.
    let chosen = match Scan::new().input("-").chosen() {
        Ok(chosen) => chosen,
        Err(error) => return format!("{build}\nlimits here: {error}"),
    };
    let number = |name| match chosen.reported.get(name) {
        Some(OptionValue::Number(number)) => *number,
        _ => 0,
    };
    format!(
        "{build}\nlimits here: {} threads, {} MiB of memory (--threads, --memory); temporary files in {}",
        number("threads"),
        number("memory") >> 20,
        chosen.tmp_dir.display()
    )
}
