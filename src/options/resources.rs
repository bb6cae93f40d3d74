//! Threads, memory and folders of a run. None of these options changes the output.

use std::time::Duration;

use super::spec::{OptionHelp, OptionKind};

/// Minimum memory budget, in bytes.
pub(crate) const MIN_MEMORY_BYTES: u64 = 1 << 20;

options! {
    /// Threads, memory and folders of a run.
    resources: ResourceOptions, "Resources";

    /// Threads that scan, clean or check; fewer start if --memory has no room for them, or the sources of a scan have too little work
    ///
    /// At least 1. Further threads may read and write. More than two threads scan only if the memory has 20 MiB for each, and the
    /// sources have enough work.
    value threads: usize [Scan CleanTable BuildIndex Check] default "the cores this process may use" {
        short: Some('j'), value: "N", min: 1, help: OptionHelp::Short,
    }

    /// Memory for all that grows with the input, e.g. 512M; names or rows beyond it go to temporary files
    ///
    /// A number of bytes, at least 1 MiB. It affects time and the number of threads, never the output. A merge assumes that each
    /// open input takes 2.5 MiB; zstd data of the highest levels may take more.
    value memory: u64 [Scan Merge Check Diff] default "a quarter of the memory of the machine or control group; for the names of a scan at most 384M per thread" {
        kind: OptionKind::Size, value: "SIZE", min: MIN_MEMORY_BYTES, help: OptionHelp::Short,
    }

    /// Folder for temporary files
    ///
    /// Temporary files hold names or rows that do not fit the [memory](Self::memory), and copies of zip and 7z archives that are
    /// inside other sources.
    path tmp_dir [Scan Merge BuildIndex Diff] default "that of the output, or the system's if rows go to standard output" {
        kind: OptionKind::Folder, value: "DIR",
    }

    /// Save progress in this folder, to resume after a crash, a kill or Ctrl-C; run the same command again. The folder is removed
    /// at the end. With --mentions or --edges the output must be a folder of parts (-o rows/); standard input is refused
    ///
    /// If a run is killed, [suspended](crate::Monitor::suspend) or fails, the next run with the same options resumes from there,
    /// and gives the same output and counts as an uninterrupted run. The folder is created if it does not exist. Sorted runs of
    /// names are in it rather than in the [temporary folder](Self::tmp_dir). After a successful run, its files are removed, and
    /// the folder too if a run created it. No other file in it is touched.
    ///
    /// At a checkpoint of names, no further source is started, the current ones are read to their end, and all names are written to
    /// disk. A source that was not read to its end when the run was killed is read again from its start. Threads, memory,
    /// output and report may differ between the runs. Sources must be the same files, and unchanged if they were
    /// read; otherwise the run fails and leaves the folder as it is. Streams have no checkpoint.
    ///
    /// Mentions and edges have checkpoints if they are written in parts. There is one after each part, and nothing waits for it.
    /// The next run begins with the first missing part, at a document of an archive, or an offset in a plain file, shortly before
    /// the end of the last part. Its parts are, byte for byte, those of an uninterrupted run. With `names_to` there are checkpoints
    /// of names too, and the next run begins before the end of the sources whose names were saved.
    ///
    /// An indexing reads one source after another. It resumes after the last document, such as a member of an archive, that was
    /// read to its end.
    path checkpoint [Scan BuildIndex] {
        value: "DIR", help: OptionHelp::Short, python: &["scan", "iter_records", "index"],
    }

    /// Milliseconds from one checkpoint to the next: for tests
    ///
    /// The actual time is at least 19 times the duration of the last checkpoint, in which threads wait for the last source and
    /// for the disk. If the interval is zero, there is a checkpoint before every source. A killed run
    /// loses at most the work of this time and the sources that it was reading.
    named checkpoint_interval: u64 = 60_000 [Scan BuildIndex] default "a minute" {
        value: "MS", help: OptionHelp::Hidden, requires: "checkpoint", python: &[],
    }

    /// Bytes that a thread scans or cleans at once: for tests
    ///
    /// At least 1. It affects time and memory, never the output.
    named chunk: Option<usize> [Scan CleanTable] default "1 MiB, or less if the memory is small or lines are texts" {
        value: "SIZE", min: 1, help: OptionHelp::Hidden, python: &[],
    }
}

impl ResourceOptions {
    /// Returns the min time from one checkpoint to the next.
    pub(crate) fn interval(&self) -> Duration {
        Duration::from_millis(self.checkpoint_interval)
    }
}
