//! The options for reading sources: limits, counters and folders of the task.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use doisift_system::{FileId, FileStatus};

use super::column_choice::ColumnSelection;
use super::fault::InputError;
use super::gate::{MemoryGate, MemoryPermit};
use super::halt::HaltSignal;
use super::preprocess::Preprocessor;
use super::readers::NamedReaders;
use super::remote::RemoteSources;
use super::unpackers::UnpackThreads;

/// Limits against sources that are made to take too much time or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct ReadLimits {
    /// Maximum depth of containers, and packings of packings, within one another.
    pub depth: usize,
    /// Maximum number of members of one source, including members of members.
    pub members: u64,
    /// Maximum number of unpacked bytes per byte of a source that unpacks to more than 64 MiB.
    pub expansion: u64,
    /// Maximum window of a packing, in bytes.
    pub window: u64,
}

impl Default for ReadLimits {
    /// Containers may be nested three deep. More members than the largest known archives have. The window is the default of
    /// zstd.
    fn default() -> Self {
        ReadLimits {
            depth: 3,
            members: 100_000_000,
            expansion: 1000,
            window: 128 << 20,
        }
    }
}

/// The sheet of a workbook that is read as a table.
#[derive(Debug)]
pub struct SheetChoice {
    /// Its name, or its number from 1; `None` for the first sheet.
    pub sheet: Option<String>,
    /// Maximum bytes held for texts that cells share.
    pub memory: usize,
}

/// Maximum bytes of the texts that the cells of a workbook share.
const MAX_SHARED_TEXT_BYTES: usize = 256 << 20;

impl SheetChoice {
    /// Creates the choice of a sheet for a task with this many bytes of memory.
    pub fn within(memory: usize, sheet: Option<String>) -> Self {
        SheetChoice {
            sheet,
            memory: MAX_SHARED_TEXT_BYTES.min(memory / 4),
        }
    }

    /// Returns the number of the chosen sheet among `names`, from 0.
    pub(super) fn number_among(&self, names: &[&str]) -> Result<usize, InputError> {
        let Some(wanted) = &self.sheet else {
            return Ok(0);
        };
        let named = names.iter().position(|name| name == wanted);
        let folded = wanted.to_lowercase();
        let folded = || names.iter().position(|name| name.to_lowercase() == folded);
        let number = || wanted.parse::<usize>().ok()?.checked_sub(1);
        let number = || number().filter(|number| *number < names.len());
        named.or_else(folded).or_else(number).ok_or_else(|| {
            let listed = names.iter().zip(1..).take(MAX_LISTED_SHEETS);
            let listed = listed.map(|(name, number)| format!("{number} {name:?}"));
            let more = if names.len() > MAX_LISTED_SHEETS {
                ", …"
            } else {
                ""
            };
            InputError::NoSheet {
                sheet: wanted.as_str().into(),
                known: (listed.collect::<Vec<_>>().join(", ") + more).into(),
            }
        })
    }
}

/// Bytes of the largest member that is unpacked at once, packed and unpacked. A file of Crossref has some 50 MB.
const MAX_WHOLE_MEMBER_BYTES: usize = 96 << 20;
/// Maximum number of sheets that a message lists.
const MAX_LISTED_SHEETS: usize = 20;

/// The options for reading sources, and counters of bytes.
#[derive(Clone, Copy)]
pub struct ReadOptions<'r> {
    /// Counts the bytes that are read, before unpacking.
    pub bytes_read: &'r AtomicU64,
    /// Counts the bytes of sources that are skipped without reading.
    pub bytes_skipped: &'r AtomicU64,
    /// Files that this task created. They are not sources.
    pub own_files: &'r [FileId],
    /// Files that an output would overwrite.
    pub output_files: &'r [FileId],
    /// Streams that the caller gave.
    pub readers: Option<&'r NamedReaders>,
    /// The services of sources that are not files of this machine.
    pub remote: Option<&'r dyn RemoteSources>,
    /// The command that is run for files.
    pub preprocessor: Option<&'r Preprocessor>,
    /// Says when the task must end.
    pub halt: Option<&'r dyn HaltSignal>,
    /// Limits on the work that one source can make.
    pub limits: ReadLimits,
    /// Whether mails are split into their texts and attachments. If not, a mail is read as one text.
    pub splits_mails: bool,
    /// Whether the pages of PDF files are read. If not, these files are skipped.
    pub reads_pdfs: bool,
    /// Maximum bytes of a PDF file that are held in memory; half as many may be unpacked of it at the same time. Depends on
    /// the memory of the task alone, not on its threads.
    pub max_file_bytes: usize,
    /// Bytes that every thread may hold at the same time, whatever the format.
    pub thread_bytes: usize,
    /// Passed by a thread before it takes more than its share. `None` if there are no other threads.
    pub gate: Option<&'r dyn MemoryGate>,
    /// The columns of tables that are read.
    pub columns: &'r ColumnSelection,
    /// The sheet of each workbook that is read as a table; if `None`, cells are documents.
    pub sheet: Option<&'r SheetChoice>,
    /// Folder for copies of containers that are streams.
    pub temp_folder: &'r Path,
    /// Whether the WARC records that hold documents are reported.
    pub reports_records: bool,
    /// Threads for unpacking. If `None`, the thread that reads also unpacks.
    pub unpackers: Option<&'r UnpackThreads>,
}

/// All columns.
static ALL_COLUMNS: ColumnSelection = ColumnSelection {
    columns: None,
    id: None,
    objects: false,
};

impl<'r> ReadOptions<'r> {
    /// Makes the default options: 64 MiB for held bytes, all columns, no additional threads, and copies in `/tmp`.
    /// `bytes_read` counts bytes that are read and bytes that are passed over.
    pub fn new(bytes_read: &'r AtomicU64) -> Self {
        ReadOptions {
            bytes_read,
            bytes_skipped: bytes_read,
            own_files: &[],
            output_files: &[],
            readers: None,
            remote: None,
            preprocessor: None,
            halt: None,
            limits: ReadLimits::default(),
            splits_mails: true,
            reads_pdfs: true,
            max_file_bytes: 64 << 20,
            thread_bytes: 64 << 20,
            gate: None,
            columns: &ALL_COLUMNS,
            sheet: None,
            temp_folder: Path::new("/tmp"),
            reports_records: false,
            unpackers: None,
        }
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn for_tests(bytes_read: &'r AtomicU64) -> Self {
        let limits = ReadLimits {
            members: 1000,
            ..ReadLimits::default()
        };
        ReadOptions {
            limits,
            ..ReadOptions::new(bytes_read)
        }
    }

    /// Returns the bytes that may be held of a document while it is passed on: by a thread, and by a thread that is
    /// [admitted](Self::admit) to more. The second number depends on the memory of the task alone.
    pub(super) fn held_bytes(&self) -> [usize; 2] {
        [self.thread_bytes / 2, self.max_file_bytes / 2]
    }

    /// Returns the bytes that a thread may hold to unpack a member at once, packed and unpacked.
    pub(super) fn whole_member_bytes(&self) -> usize {
        self.thread_bytes.min(MAX_WHOLE_MEMBER_BYTES)
    }

    /// Waits until this thread may take more than its share. The admission ends when the result is dropped.
    pub(super) fn admit(&self) -> MemoryPermit<'r> {
        MemoryPermit::wait(self.gate)
    }

    /// Whether `status` is the status of a file which this task created.
    ///
    /// # Errors
    /// If an output would overwrite the file.
    pub fn is_own(&self, status: &FileStatus) -> Result<bool, InputError> {
        let Some(id) = status.id().filter(|_| status.is_file()) else {
            return Ok(false);
        };
        if self.output_files.contains(&id) {
            Err(InputError::Output)
        } else {
            Ok(self.own_files.contains(&id))
        }
    }
}
