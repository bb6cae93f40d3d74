//! Sets the options of a run, and what they are by default.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Pipeline;
use super::checkpoint::fault;
use super::options::{OnError, Options};
use crate::error::{CheckpointError, Error, ErrorKind};
use crate::input::{Limits, Search, Separator, Shard, display_name};
use crate::records::Format;
use crate::scan::TextKind;
use crate::task::{Monitor, chosen_format, chosen_memory, chosen_tmp_dir, named_output};

/// Containers within one another.
const DEPTH: usize = 3;
/// Members of a source: more than the largest archives that are known hold.
const MEMBERS: u64 = 100_000_000;
/// Unpacked bytes for each packed one.
const EXPANSION: u64 = 1000;
/// Bytes of history, as zstd itself allows unasked.
const WINDOW: u64 = 128 << 20;

/// Time from one checkpoint to the next: what a kill may cost at most, beside the sources that are being read.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(60);

/// Sets up a [`Pipeline`].
#[derive(Debug, Default)]
pub struct PipelineBuilder {
    paths: Vec<PathBuf>,
    lists: Vec<(PathBuf, Separator)>,
    include: Vec<String>,
    exclude: Vec<String>,
    follow_links: bool,
    shard: Option<Shard>,
    output: Option<PathBuf>,
    report: Option<PathBuf>,
    format: Option<Format>,
    mentions: bool,
    lines: bool,
    kind: Option<TextKind>,
    measure: bool,
    threads: Option<usize>,
    chunk: Option<usize>,
    max_expansion: Option<u64>,
    max_window: Option<u64>,
    max_depth: Option<usize>,
    max_members: Option<u64>,
    memory: Option<u64>,
    tmp: Option<PathBuf>,
    checkpoint: Option<PathBuf>,
    checkpoint_interval: Option<Duration>,
    on_error: OnError,
    monitor: Monitor,
}

impl PipelineBuilder {
    /// Adds a file to read, or a folder to walk, or `-` for standard input.
    ///
    /// Sources are read in the bytewise order of their names, each name once. Below a folder, FIFOs and devices are
    /// passed over, and symbolic links unless they are [followed](Self::follow_links); what is named here is read.
    pub fn source(mut self, path: impl AsRef<Path>) -> Self {
        self.paths.push(path.as_ref().to_owned());
        self
    }

    /// Adds the sources that the file `list` names, `-` for standard input. The list is read when the run starts.
    pub fn list(mut self, list: impl AsRef<Path>, separator: Separator) -> Self {
        self.lists.push((list.as_ref().to_owned(), separator));
        self
    }

    /// Takes files below a folder only if this glob, or another included one, matches. A glob without `/` is held against
    /// the file's name, any other against the path below the folder; `*` does not cross `/`, `**` does. The default is all.
    pub fn include(mut self, glob: impl Into<String>) -> Self {
        self.include.push(glob.into());
        self
    }

    /// Leaves out files and folders below a folder that this glob matches, also if they are included.
    pub fn exclude(mut self, glob: impl Into<String>) -> Self {
        self.exclude.push(glob.into());
        self
    }

    /// Follows symbolic links below folders; the default is not to. Each file and folder is read once: under its own path if
    /// that is below a folder that was named, or else by the link whose path is least, so that loops end. A link that leads to
    /// nothing is counted as an error.
    pub fn follow_links(mut self, follow: bool) -> Self {
        self.follow_links = follow;
        self
    }

    /// Reads only one part of the sources, so that others can be read elsewhere; the default is all. What is left out is
    /// not opened and not counted. The outputs of all shards, [merged](crate::Merge), are that of one run over all sources.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Sets where rows go; the default, and `-`, is standard output. The endings `.gz` and `.zst` compress, all but Parquet,
    /// which is packed within. A file appears whole when the run has ended well. It must not be a source: a run whose
    /// sources include a file that an output would overwrite ends with an error before anything is read.
    pub fn output(mut self, path: impl AsRef<Path>) -> Self {
        self.output = named_output(path.as_ref());
        self
    }

    /// Sets a file that the [`Report`](crate::Report) is written to as JSON, if the run ends well; the default is none. `-` is
    /// standard output, for a run whose rows go elsewhere.
    pub fn report(mut self, path: impl AsRef<Path>) -> Self {
        self.report = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the format of rows; the default follows from the output's ending, and JSON Lines on standard output.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Writes every mention in source order rather than records; the default is records.
    pub fn mentions(mut self, mentions: bool) -> Self {
        self.mentions = mentions;
        self
    }

    /// Makes each line a document, named by its number from 1; by default a plain or packed file is one document.
    pub fn lines(mut self, lines: bool) -> Self {
        self.lines = lines;
        self
    }

    /// Sets what kind of text all documents are; by default, the head of each shows it.
    pub fn text_kind(mut self, kind: TextKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Sums up the sizes of all sources beforehand, so that [`Progress::total`](crate::Progress::total) is known. That asks
    /// the system about every file, and is off by default.
    pub fn measure(mut self, measure: bool) -> Self {
        self.measure = measure;
        self
    }

    /// Sets how many threads scan at most, at least 1; the default is the cores this process may use. Past two, there are no
    /// more than have 20 MiB each of the run's [memory](Self::memory), and than the sources have work for.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Sets how many bytes of a document a thread scans at once, at least 1; the default is 1 MiB, or less where the run's
    /// [memory](Self::memory) is small. It bears on time and memory, never on the output.
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.chunk = Some(bytes.max(1));
        self
    }

    /// Sets how many bytes a source may unpack to for each of its own, once more than 64 MiB were unpacked; the default is
    /// 1,000. A source past it is stopped and counted as an error.
    pub fn max_expansion(mut self, ratio: u64) -> Self {
        self.max_expansion = Some(ratio);
        self
    }

    /// Sets how many bytes of history zstd, xz and lzma data may ask for, which is memory for each source being read; the
    /// default is 128 MiB. What asks for more is not unpacked, and counted as an error.
    pub fn max_window(mut self, bytes: u64) -> Self {
        self.max_window = Some(bytes);
        self
    }

    /// Sets how many containers may be within one another, as a gzip in a tar in a zip does; the default is 3. What is
    /// deeper is not opened, and counted as an error.
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = Some(depth);
        self
    }

    /// Sets how many members the containers of one source may have, all together; the default is 100 million. A source past
    /// it is stopped and counted as an error.
    pub fn max_members(mut self, members: u64) -> Self {
        self.max_members = Some(members);
        self
    }

    /// Sets how many bytes of memory the run may use for all that grows with its input: names, what is known of them, and the
    /// buffers that they go through; what is less than 1 MiB counts as that. The default is a quarter of what the machine, or
    /// this process's control group, has. Past it, names are kept in [temporary files](Self::tmp_dir) and merged at the end:
    /// it bears on time, never on the output. It bounds the [threads](Self::threads) as well.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Sets the folder for temporary files: names past the [memory](Self::memory) of the run, and copies of zip archives that
    /// are within other sources. The default is the output's folder, or the system's where there is none.
    pub fn tmp_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.tmp = Some(folder.as_ref().to_owned());
        self
    }

    /// Keeps what is done in a folder, so that a run that was killed, [suspended](Monitor::suspend) or ended by an error goes on
    /// from there when the same is run again, and ends with the same output and counts as one run to the end. The folder is
    /// made if it is not there. Runs of names are in it rather than in the [temporary folder](Self::tmp_dir). After a run
    /// that ended well, its files are removed, and the folder too if it was made for this. Nothing else in it is touched.
    ///
    /// At a checkpoint, no further source is started, those being read are read to their end, and all names are written to
    /// disk: a source that was not read to its end when the run was killed is read again from its start. Threads, memory,
    /// output and report may differ from one run to the next. Sources must be the same files, and unchanged if they were
    /// read; else the run ends with an error and leaves the folder as it is. Mentions have no checkpoint, and neither have
    /// streams.
    pub fn checkpoint(mut self, folder: impl AsRef<Path>) -> Self {
        self.checkpoint = Some(folder.as_ref().to_owned());
        self
    }

    /// Sets the time from one [checkpoint](Self::checkpoint) to the next; the default is a minute. It may become longer: a
    /// checkpoint costs the time that threads wait for the last source, and some for the disk, and 19 times that passes
    /// before the next. With no time at all there is one before every source, whatever it costs.
    pub fn checkpoint_interval(mut self, interval: Duration) -> Self {
        self.checkpoint_interval = Some(interval);
        self
    }

    /// Sets what a broken source or document does; the default is [`OnError::Skip`].
    pub fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }

    /// Lets `monitor` watch and end the run.
    pub fn monitor(mut self, monitor: &Monitor) -> Self {
        self.monitor = monitor.clone();
        self
    }

    /// The pipeline, ready to run.
    ///
    /// # Errors
    /// If a glob has no meaning, the output's ending names no format of this build and none was set, it packs a format that is
    /// packed within, or what is asked for has no [checkpoint](Self::checkpoint).
    pub fn build(self) -> Result<Pipeline, Error> {
        self.check_checkpoint()?;
        let search = Search::new(&self.include, &self.exclude);
        let options = Options {
            search: search
                .map_err(|error| Error::new(ErrorKind::Glob(error)))?
                .follow_links(self.follow_links)
                .shard(self.shard),
            format: chosen_format(self.format, self.output.as_deref())?,
            threads: self.threads.unwrap_or_else(available_threads),
            chunk: self.chunk,
            limits: Limits {
                depth: self.max_depth.unwrap_or(DEPTH),
                members: self.max_members.unwrap_or(MEMBERS),
                expansion: self.max_expansion.unwrap_or(EXPANSION),
                window: self.max_window.unwrap_or(WINDOW),
            },
            memory: chosen_memory(self.memory),
            tmp: chosen_tmp_dir(self.tmp, self.output.as_deref()),
            checkpoint: self.checkpoint,
            checkpoint_interval: self.checkpoint_interval.unwrap_or(CHECKPOINT_INTERVAL),
            paths: self.paths,
            lists: self.lists,
            output: self.output,
            report: self.report,
            mentions: self.mentions,
            lines: self.lines,
            kind: self.kind,
            measure: self.measure,
            on_error: self.on_error,
            monitor: self.monitor,
            include: self.include,
            exclude: self.exclude,
            follow_links: self.follow_links,
            shard: self.shard,
        };
        Ok(Pipeline { options })
    }

    fn check_checkpoint(&self) -> Result<(), Error> {
        let Some(folder) = &self.checkpoint else {
            return Ok(());
        };
        let fault = |error| Err(fault(folder, error));
        match self.paths.iter().find(|path| path.as_os_str() == "-") {
            _ if self.mentions => fault(CheckpointError::Mentions),
            Some(stdin) => fault(CheckpointError::Stream(display_name(stdin).into())),
            None => Ok(()),
        }
    }
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
