//! Outputs: standard output, a special file, or a regular file or an object that appears complete or not at all.
//!
//! The ending of the path determines the compression.

mod destination;
mod pieces;
mod sum;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Sink, Stdout, Write};
use std::path::{Path, PathBuf};

use doisift_documents::printable;
pub(crate) use doisift_system::FileId;
use doisift_system::{FileKind, FileStatus, kind_of};
use flate2::write::GzEncoder;
use tempfile::TempPath;

use super::format::Compression;
use super::parts::{PartFolder, PartKeep, PartPlace, PartPlan, PartsDone, is_folder};
use super::rows::BUFFER_BYTES;
use crate::objects::{ObjectWriter, OutputObject, Services, is_address};
use crate::temporary;

pub(crate) use destination::Destination;
use pieces::EvenPieces;
use sum::Summed;

/// Max number of links to follow to the file to replace. More than any system allows.
const MAX_LINKS: usize = 64;

/// An error with the path it concerns.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}{}", printable::path(path), remedy(path, error))]
pub(crate) struct PathError {
    path: PathBuf,
    #[source]
    error: io::Error,
}

/// Returns the remedy for an output that cannot be written.
fn remedy(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound if !is_address(path) => {
            let folder = printable::path(folder(path));
            format!("; the folder {folder} does not exist; create it: mkdir -p {folder}")
        }
        io::ErrorKind::StorageFull => "; free some space, or write elsewhere".to_owned(),
        _ => String::new(),
    }
}

/// An output that is written to, then committed.
///
/// A regular file is written under a temporary name in the folder of its target and renamed when it is complete, so an incomplete
/// file never has the final name. Dropping it before [`WholeOutput::commit`] removes it. It is not synced to disk: after a crash
/// of the machine, the state depends on the file system. An existing file that is not regular is written directly. An object is
/// sent while it is written, and appears when it is committed. Errors name the path and have the kind of the system's error.
pub(crate) struct Output {
    encoder: Encoder,
    /// The path for errors.
    path: PathBuf,
    /// The folder whose manifest this is, and the number of its rows that will be written again.
    parts: Option<(PartFolder, u64)>,
}

/// A complete output that may still have its temporary name. Dropping it before [`commit`](Self::commit) removes it.
pub(crate) struct WholeOutput {
    target: OutputTarget,
    /// The path for errors.
    path: PathBuf,
    /// The folder whose manifest this is.
    parts: Option<PartFolder>,
}

enum Encoder {
    Plain(BufWriter<OutputTarget>),
    Gzip(EvenPieces<GzEncoder<BufWriter<OutputTarget>>>),
    Zstd(zstd::Encoder<'static, BufWriter<OutputTarget>>),
}

enum OutputTarget {
    /// No output: the caller takes the rows.
    Nowhere(Sink),
    Stdout(Stdout),
    Straight(File),
    Aside {
        file: Summed<File>,
        temporary: TempPath,
        path: PathBuf,
    },
    Object(Summed<Box<dyn ObjectWriter>>),
}

/// The kind of file that a path leads to.
enum OutputPlace {
    /// An open descriptor of a process.
    Descriptor { is_stdout: bool },
    /// An existing file that is not regular.
    Special(PathBuf),
    /// A regular file, which may not exist yet.
    Regular(PathBuf),
    /// An object of a store, which may not exist yet.
    Object(OutputObject),
}

impl Output {
    /// Opens the output at `path`, or standard output.
    ///
    /// The endings `.gz` and `.zst` compress, at level 6 and 3, with a checksum. A symbolic link is followed, and the file that
    /// it leads to is replaced. The new file has the permissions of the one it replaces, or those of the umask if there is none.
    /// Its temporary name contains `mark`, see [`temporary_of`](Self::temporary_of), or random letters.
    ///
    /// # Errors
    /// If `path` is a folder, or its folder is missing or cannot be written to, or a special file cannot be opened.
    pub(crate) fn create(
        path: Option<&Path>,
        mark: Option<&str>,
        services: &Services,
    ) -> io::Result<Output> {
        Output::open(path, mark, services).map_err(|error| at(or_stdout(path), error))
    }

    /// Creates an output that discards its bytes, for rows that the caller takes.
    pub(crate) fn nowhere() -> Output {
        Output {
            encoder: Encoder::Plain(BufWriter::new(OutputTarget::Nowhere(io::sink()))),
            path: PathBuf::new(),
            parts: None,
        }
    }

    /// Creates a folder of parts at `path`, which are written through [`output_writer`](super::output_writer). `keep` says
    /// whether they stay if the run does not end, and `note` takes the paths of files to remove if the process exits.
    ///
    /// # Errors
    /// If the folder cannot be created, or has files that do not belong to this run.
    pub(crate) fn create_folder(
        path: &Path,
        plan: PartPlan,
        mark: Option<&str>,
        keep: PartKeep,
        note: Box<dyn Fn(&Path) + Send>,
        services: &Services,
    ) -> io::Result<Output> {
        let place = PartPlace::of(path, services).map_err(|error| at(path, error))?;
        let folder = PartFolder::create(place, plan, mark, keep, note);
        let folder = folder.map_err(|error| at(path, error))?;
        let manifest = Output::create(Some(&folder.manifest()), mark, services)?;
        Ok(Output {
            parts: Some((folder, 0)),
            ..manifest
        })
    }

    /// Creates a part of a folder, at `path`.
    pub(super) fn create_part(
        path: &Path,
        mark: Option<&str>,
        services: &Services,
    ) -> io::Result<Output> {
        let part = match OutputObject::at(path, services) {
            Ok(None) => OutputTarget::temporary_file(path.to_owned(), mark),
            Ok(Some(object)) => OutputTarget::object(object),
            Err(error) => Err(error),
        };
        let part = part.and_then(|part| Output::to(part, Some(path)));
        let mut part = part.map_err(|error| at(path, error))?;
        part.encoder.target_mut().start_sum();
        Ok(part)
    }

    /// Continues after the parts of an earlier run. The first `passed` rows to be written are already in them.
    ///
    /// # Errors
    /// If a part was changed.
    pub(crate) fn resume(&mut self, done: PartsDone, passed: u64) -> io::Result<()> {
        match &mut self.parts {
            Some((folder, again)) => {
                *again = passed;
                folder.resume(done).map_err(|error| at(&self.path, error))
            }
            None => Ok(()),
        }
    }

    /// Takes the folder of parts, if this is the output of its manifest, and the number of its rows that will be written again.
    pub(super) fn take_parts(&mut self) -> Option<(PartFolder, u64)> {
        self.parts.take()
    }

    /// Sets the folder whose manifest this is. All of its parts are complete.
    pub(super) fn set_parts(&mut self, folder: PartFolder) {
        self.parts = Some((folder, 0));
    }

    /// Returns the temporary file for an output at `path` with this `mark`, or `None` if it is written directly.
    pub(crate) fn temporary_of(
        path: &Path,
        mark: &str,
        services: &Services,
    ) -> io::Result<Option<PathBuf>> {
        let place = OutputPlace::of(path, services).map_err(|error| at(path, error))?;
        let regular = place.regular();
        Ok(regular.map(|path| folder(&path).join(temporary::output_name(&path, mark))))
    }

    /// Returns the regular file that an output at `path` replaces, after following links, or `None` if it is written directly.
    ///
    /// # Errors
    /// If `path` is a folder, or cannot be examined.
    pub(crate) fn replaced_file(path: &Path) -> io::Result<Option<PathBuf>> {
        Ok(OutputPlace::of(path, &None)?.regular())
    }

    fn open(path: Option<&Path>, mark: Option<&str>, services: &Services) -> io::Result<Output> {
        let target = match path {
            Some(path) => OutputTarget::open(path, mark, services)?,
            None => OutputTarget::Stdout(io::stdout()),
        };
        Output::to(target, path)
    }

    /// Creates an output to `target`, to which `path` leads.
    fn to(target: OutputTarget, path: Option<&Path>) -> io::Result<Output> {
        let compression = path.map_or(Compression::None, Compression::from_path);
        let encoder = Encoder::new(compression, target)?;
        let path = or_stdout(path.filter(|path| path.as_os_str() != "-")).to_owned();
        Ok(Output {
            encoder,
            path,
            parts: None,
        })
    }

    /// Returns the id of the temporary file, which must not be read as an input, or `None` if the output is written directly.
    pub(crate) fn temporary_id(&self) -> Option<FileId> {
        self.encoder.target().temporary_id()
    }

    /// Returns the path of the temporary file, if there is one.
    pub(crate) fn temporary(&self) -> Option<&Path> {
        self.encoder.target().temporary()
    }

    /// Ends compression and writes all buffers. A full disk, or a part of an object that did not arrive, is reported here at the latest.
    ///
    /// # Errors
    /// If writing fails. Then the temporary file is removed.
    pub(crate) fn finish(self) -> io::Result<WholeOutput> {
        let Output {
            encoder,
            path,
            parts,
        } = self;
        let parts = parts.map(|(folder, _)| folder);
        let finished = encoder.finish().and_then(|mut target| {
            target.end()?;
            Ok(target)
        });
        match finished {
            Ok(target) => Ok(WholeOutput {
                target,
                path,
                parts,
            }),
            Err(error) => Err(at(&path, error)),
        }
    }
}

impl WholeOutput {
    /// Renames a regular file to its final name, or lets an object appear.
    ///
    /// # Errors
    /// If that fails. Then an existing file or object with the final name is unchanged.
    pub(crate) fn commit(self) -> io::Result<()> {
        let WholeOutput {
            target,
            path,
            parts,
        } = self;
        target.commit().map_err(|error| at(&path, error))?;
        let complete = parts.map_or(Ok(()), PartFolder::complete);
        complete.map_err(|error| at(&path, error))
    }

    /// Renames a file to its final name, which no file may have yet. An object replaces one of its name.
    ///
    /// # Errors
    /// If there is such a file, or that fails.
    pub(super) fn commit_new(self) -> io::Result<()> {
        let WholeOutput { target, path, .. } = self;
        target.commit_new().map_err(|error| at(&path, error))
    }

    /// Returns the number of bytes of a part, and their checksum.
    pub(super) fn sum(&self) -> (u64, u64) {
        self.target.sum()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encoder
            .writer()
            .write(bytes)
            .map_err(|error| at(&self.path, error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder
            .writer()
            .flush()
            .map_err(|error| at(&self.path, error))
    }
}

impl Encoder {
    fn new(compression: Compression, target: OutputTarget) -> io::Result<Encoder> {
        let target = BufWriter::with_capacity(BUFFER_BYTES, target);
        Ok(match compression {
            Compression::None => Encoder::Plain(target),
            Compression::Gzip => {
                let level = flate2::Compression::new(6);
                Encoder::Gzip(EvenPieces::new(GzEncoder::new(target, level)))
            }
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(target, 3)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
        })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Encoder::Plain(out) => out,
            Encoder::Gzip(out) => out,
            Encoder::Zstd(out) => out,
        }
    }

    fn target(&self) -> &OutputTarget {
        match self {
            Encoder::Plain(out) => out.get_ref(),
            Encoder::Gzip(out) => out.get_ref().get_ref().get_ref(),
            Encoder::Zstd(out) => out.get_ref().get_ref(),
        }
    }

    fn target_mut(&mut self) -> &mut OutputTarget {
        match self {
            Encoder::Plain(out) => out.get_mut(),
            Encoder::Gzip(out) => out.get_mut().get_mut().get_mut(),
            Encoder::Zstd(out) => out.get_mut().get_mut(),
        }
    }

    fn finish(self) -> io::Result<OutputTarget> {
        let out = match self {
            Encoder::Plain(out) => out,
            Encoder::Gzip(out) => out.into_inner()?.finish()?,
            Encoder::Zstd(out) => out.finish()?,
        };
        out.into_inner().map_err(|error| error.into_error())
    }
}

impl OutputTarget {
    fn open(path: &Path, mark: Option<&str>, services: &Services) -> io::Result<OutputTarget> {
        match OutputPlace::of(path, services)? {
            OutputPlace::Object(object) => OutputTarget::object(object),
            OutputPlace::Descriptor { is_stdout: true } => Ok(OutputTarget::Stdout(io::stdout())),
            OutputPlace::Descriptor { is_stdout: false } => Ok(OutputTarget::Straight(
                OpenOptions::new().append(true).open(path)?,
            )),
            OutputPlace::Special(path) => Ok(OutputTarget::Straight(
                OpenOptions::new().write(true).open(path)?,
            )),
            OutputPlace::Regular(path) => {
                temporary::sweep(folder(&path));
                OutputTarget::temporary_file(path, mark)
            }
        }
    }

    fn object(object: OutputObject) -> io::Result<OutputTarget> {
        let written = object.services.create(&object.name)?;
        Ok(OutputTarget::Object(Summed::new(written)))
    }

    /// Creates a file with a temporary name until it is complete.
    fn temporary_file(path: PathBuf, mark: Option<&str>) -> io::Result<OutputTarget> {
        if path.file_name().is_none() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (file, temporary) = temporary::output(folder(&path), &path, mark)?.into_parts();
        if let Ok(metadata) = fs::metadata(&path) {
            file.set_permissions(metadata.permissions())?;
        }
        Ok(OutputTarget::Aside {
            file: Summed::new(file),
            temporary,
            path,
        })
    }

    fn commit(self) -> io::Result<()> {
        match self {
            OutputTarget::Aside {
                temporary, path, ..
            } => temporary.persist(path).map_err(|e| e.error),
            OutputTarget::Object(object) => object.into_inner().commit(),
            OutputTarget::Nowhere(_) | OutputTarget::Stdout(_) | OutputTarget::Straight(_) => {
                Ok(())
            }
        }
    }

    fn commit_new(self) -> io::Result<()> {
        match self {
            OutputTarget::Aside {
                temporary, path, ..
            } => temporary.persist_noclobber(path).map_err(|e| e.error),
            other => other.commit(),
        }
    }

    fn start_sum(&mut self) {
        match self {
            OutputTarget::Aside { file, .. } => file.start(),
            OutputTarget::Object(object) => object.start(),
            _ => {}
        }
    }

    fn sum(&self) -> (u64, u64) {
        match self {
            OutputTarget::Aside { file, .. } => file.sum(),
            OutputTarget::Object(object) => object.sum(),
            _ => (0, 0),
        }
    }

    /// Writes all buffers. All parts of an object have arrived then.
    fn end(&mut self) -> io::Result<()> {
        match self {
            OutputTarget::Object(object) => object.get_mut().finish(),
            _ => self.flush(),
        }
    }

    fn temporary_id(&self) -> Option<FileId> {
        match self {
            OutputTarget::Aside { file, .. } => FileStatus::of(file.get_ref()).ok()?.id(),
            _ => None,
        }
    }

    fn temporary(&self) -> Option<&Path> {
        match self {
            OutputTarget::Aside { temporary, .. } => Some(temporary),
            _ => None,
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            OutputTarget::Nowhere(out) => out,
            OutputTarget::Stdout(out) => out,
            OutputTarget::Straight(file) => file,
            OutputTarget::Aside { file, .. } => file,
            OutputTarget::Object(object) => object,
        }
    }
}

impl Write for OutputTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

impl OutputPlace {
    /// Follows symbolic links, also to files that do not exist yet, but not descriptors, whose file may have no name or be in use
    /// by other processes. A dash is standard output.
    fn of(path: &Path, services: &Services) -> io::Result<OutputPlace> {
        if path.as_os_str() == "-" {
            return Ok(OutputPlace::Descriptor { is_stdout: true });
        }
        if is_folder(path) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if let Some(object) = OutputObject::at(path, services)? {
            return Ok(OutputPlace::Object(object));
        }
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            if let Some(is_stdout) = descriptor(&path) {
                return Ok(OutputPlace::Descriptor { is_stdout });
            }
            match FileStatus::unfollowed(&path).map(|found| found.kind()) {
                Ok(FileKind::Link) => path = folder(&path).join(fs::read_link(&path)?),
                Ok(FileKind::Folder) => return Err(io::ErrorKind::IsADirectory.into()),
                Ok(FileKind::Pipe | FileKind::Device) => return Ok(OutputPlace::Special(path)),
                Ok(FileKind::Regular) => return Ok(OutputPlace::Regular(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(OutputPlace::Regular(path));
                }
                Err(error) => return Err(error),
            }
        }
        // Returns the system's error for a loop.
        fs::metadata(&path).map(|_| OutputPlace::Regular(path))
    }

    /// Returns the path of a regular file.
    fn regular(self) -> Option<PathBuf> {
        match self {
            OutputPlace::Regular(path) => Some(path),
            _ => None,
        }
    }
}

/// Whether a descriptor path, such as `/dev/fd/1` or `/proc/self/fd/1`, is standard output of this process. `None` if `path` is
/// not a descriptor.
fn descriptor(path: &Path) -> Option<bool> {
    let number: u32 = path.file_name()?.to_str()?.parse().ok()?;
    let folder = fs::canonicalize(folder(path)).ok()?;
    let is_at = |own: &&str| fs::canonicalize(own).is_ok_and(|own| own == folder);
    let is_own = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"]
        .iter()
        .any(is_at);
    let is_any = is_own || folder.starts_with("/proc") && folder.ends_with("fd");
    is_any.then_some(is_own && number == 1)
}

/// Returns the folder of a path, or `.` if the path has only one part.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Returns the path for errors.
fn or_stdout(path: Option<&Path>) -> &Path {
    path.unwrap_or(Path::new("standard output"))
}

fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(
        kind_of(&error),
        PathError {
            path: path.to_owned(),
            error,
        },
    )
}
