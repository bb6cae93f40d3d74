//! The output of `--version`, for bug reports: the build, and the limits of this machine.

use std::env::consts::{ARCH, OS};

use doisift::Pipeline;

/// The version, and the formats of this build.
pub(crate) const BUILD: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nreads: text (UTF-8 and the like, UTF-16, UTF-32); gzip, zlib, zstd, bzip2, xz, lzma, lz4, compress (.Z); tar, zip, 7z, WARC, mail; docx, pptx, xlsx, OpenDocument; Arrow; Parquet; PDF",
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
    match Pipeline::builder().source("-").build() {
        Ok(pipeline) => {
            let options = pipeline.options();
            format!(
                "{build}\nlimits here: {} threads, {} MiB of memory (--threads, --memory); temporary files in {}",
                options.threads,
                options.memory >> 20,
                pipeline.tmp_dir().display()
            )
        }
        Err(error) => format!("{build}\nlimits here: {error}"),
    }
}
