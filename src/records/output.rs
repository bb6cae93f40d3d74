//! Where bytes go: standard output, a special file, or a file that appears whole or not at all.
//!
//! Knows nothing of what the bytes mean; how they are compressed it takes from the path's ending.

mod destination;
mod pieces;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use tempfile::TempPath;

use super::format::Compression;
use super::rows::BUFFER;
use crate::printable;
use crate::temporary;

pub(crate) use destination::Destination;
use pieces::Pieces;

/// Links followed to find the file that is to be replaced; more than any system allows.
const LINKS: usize = 64;

/// A failed operation and the path it concerned.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}{}", printable::path(path), remedy(path, error))]
pub(crate) struct PathError {
    path: PathBuf,
    #[source]
    error: io::Error,
}

/// What to do about an output that cannot be written.
fn remedy(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            let folder = printable::path(folder(path));
            format!("; there is no folder {folder}: make it first, mkdir -p {folder}")
        }
        io::ErrorKind::StorageFull => "; make room, or write elsewhere".to_owned(),
        _ => String::new(),
    }
}

/// Device and inode of a file.
pub(crate) type FileId = (u64, u64);

/// An output that is written to, then committed.
///
/// A regular file is written beside its target under a temporary name and renamed when it is whole, so that it is never
/// seen half written; dropped without [`commit`](Self::commit), it leaves nothing. It is not forced to the disk: against a
/// crash of the machine it is as safe as the file system makes a rename. What exists and is no regular file is written
/// straight. Errors carry the path; their kind is that of the system's error.
pub(crate) struct Output {
    encoder: Encoder,
    /// What errors name.
    path: PathBuf,
}

/// An output that is written, and may lack its name yet. Dropped without [`commit`](Self::commit), it leaves nothing.
pub(crate) struct Whole {
    target: Target,
    /// What errors name.
    path: PathBuf,
}

enum Encoder {
    Plain(BufWriter<Target>),
    Gzip(Pieces<GzEncoder<BufWriter<Target>>>),
    Zstd(zstd::Encoder<'static, BufWriter<Target>>),
}

enum Target {
    Stdout(Stdout),
    Straight(File),
    Aside {
        file: File,
        temporary: TempPath,
        path: PathBuf,
    },
}

/// What a path leads to.
enum Place {
    /// An open descriptor of this process, by number.
    Descriptor(u32),
    /// Something that is no regular file.
    Special(PathBuf),
    /// A regular file, there or not.
    Regular(PathBuf),
}

impl Output {
    /// Opens the output at `path`, or standard output.
    ///
    /// The endings `.gz` and `.zst` compress, at level 6 and 3, with a checksum. A symbolic link is followed and what it leads to is
    /// replaced; a file that is replaced passes its permissions on, a new one gets those that the umask leaves.
    ///
    /// # Errors
    /// If `path` is a folder, or its folder is missing or cannot be written to, or a special file cannot be opened.
    pub(crate) fn create(path: Option<&Path>) -> io::Result<Output> {
        Output::open(path, None).map_err(|error| at(or_stdout(path), error))
    }

    /// The same; the temporary name is made with `mark`, so that [`temporary_of`](Self::temporary_of) gives it beforehand.
    pub(crate) fn create_marked(path: Option<&Path>, mark: &str) -> io::Result<Output> {
        Output::open(path, Some(mark)).map_err(|error| at(or_stdout(path), error))
    }

    /// The temporary file that an output at `path` will be written to, given a `mark`; none if it is written straight.
    pub(crate) fn temporary_of(path: &Path, mark: &str) -> io::Result<Option<PathBuf>> {
        Ok(match Place::of(path).map_err(|error| at(path, error))? {
            Place::Regular(path) => Some(folder(&path).join(temporary::output_name(&path, mark))),
            Place::Descriptor(_) | Place::Special(_) => None,
        })
    }

    fn open(path: Option<&Path>, mark: Option<&str>) -> io::Result<Output> {
        let target = match path {
            Some(path) => Target::open(path, mark)?,
            None => Target::Stdout(io::stdout()),
        };
        let compression = path.map_or(Compression::None, Compression::from_path);
        let encoder = Encoder::new(compression, target)?;
        let path = or_stdout(path.filter(|path| path.as_os_str() != "-")).to_owned();
        Ok(Output { encoder, path })
    }

    /// Device and inode of the temporary file, which is no input. None if there is none, or on systems without inodes.
    pub(crate) fn temporary_id(&self) -> Option<FileId> {
        self.encoder.target().temporary_id()
    }

    /// The file that is written until it is whole, if it is not its own.
    pub(crate) fn temporary(&self) -> Option<&Path> {
        self.encoder.target().temporary()
    }

    /// Ends compression and writes what is left: a full disk is reported here.
    ///
    /// # Errors
    /// If that fails; then nothing is left.
    pub(crate) fn finish(self) -> io::Result<Whole> {
        let Output { encoder, path, .. } = self;
        let finished = encoder.finish().and_then(|mut target| {
            target.flush()?;
            Ok(target)
        });
        match finished {
            Ok(target) => Ok(Whole { target, path }),
            Err(error) => Err(at(&path, error)),
        }
    }
}

impl Whole {
    /// Gives a regular file its name.
    ///
    /// # Errors
    /// If that fails; then a file at the final name is the one that was there before.
    pub(crate) fn commit(self) -> io::Result<()> {
        let Whole { target, path } = self;
        target.commit().map_err(|error| at(&path, error))
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
    fn new(compression: Compression, target: Target) -> io::Result<Encoder> {
        let target = BufWriter::with_capacity(BUFFER, target);
        Ok(match compression {
            Compression::None => Encoder::Plain(target),
            Compression::Gzip => {
                let level = flate2::Compression::new(6);
                Encoder::Gzip(Pieces::new(GzEncoder::new(target, level)))
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

    fn target(&self) -> &Target {
        match self {
            Encoder::Plain(out) => out.get_ref(),
            Encoder::Gzip(out) => out.get_ref().get_ref().get_ref(),
            Encoder::Zstd(out) => out.get_ref().get_ref(),
        }
    }

    fn finish(self) -> io::Result<Target> {
        let out = match self {
            Encoder::Plain(out) => out,
            Encoder::Gzip(out) => out.into_inner()?.finish()?,
            Encoder::Zstd(out) => out.finish()?,
        };
        out.into_inner().map_err(|error| error.into_error())
    }
}

impl Target {
    fn open(path: &Path, mark: Option<&str>) -> io::Result<Target> {
        match Place::of(path)? {
            Place::Descriptor(1) => Ok(Target::Stdout(io::stdout())),
            Place::Descriptor(_) => Ok(Target::Straight(
                OpenOptions::new().append(true).open(path)?,
            )),
            Place::Special(path) => {
                Ok(Target::Straight(OpenOptions::new().write(true).open(path)?))
            }
            Place::Regular(path) => Target::aside(path, mark),
        }
    }

    fn aside(path: PathBuf, mark: Option<&str>) -> io::Result<Target> {
        if path.file_name().is_none() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (file, temporary) = temporary::output(folder(&path), &path, mark)?.into_parts();
        if let Ok(metadata) = fs::metadata(&path) {
            file.set_permissions(metadata.permissions())?;
        }
        Ok(Target::Aside {
            file,
            temporary,
            path,
        })
    }

    fn commit(self) -> io::Result<()> {
        match self {
            Target::Aside {
                temporary, path, ..
            } => temporary.persist(path).map_err(|e| e.error),
            Target::Stdout(_) | Target::Straight(_) => Ok(()),
        }
    }

    fn temporary_id(&self) -> Option<FileId> {
        match self {
            Target::Aside { file, .. } => file.metadata().ok().as_ref().map(file_id),
            Target::Stdout(_) | Target::Straight(_) => None,
        }
    }

    fn temporary(&self) -> Option<&Path> {
        match self {
            Target::Aside { temporary, .. } => Some(temporary),
            Target::Stdout(_) | Target::Straight(_) => None,
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Target::Stdout(out) => out,
            Target::Straight(file) | Target::Aside { file, .. } => file,
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

impl Place {
    /// Follows symbolic links, also to files that do not exist yet, and stops at descriptors: what these lead to may have
    /// no name, or be in use by others. A dash is standard output.
    fn of(path: &Path) -> io::Result<Place> {
        if path.as_os_str() == "-" {
            return Ok(Place::Descriptor(1));
        }
        let mut path = path.to_owned();
        for _ in 0..LINKS {
            if let Some(number) = descriptor(&path) {
                return Ok(Place::Descriptor(number));
            }
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() => path = folder(&path).join(fs::read_link(&path)?),
                Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                Ok(found) if !found.is_file() => return Ok(Place::Special(path)),
                Ok(_) => return Ok(Place::Regular(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Place::Regular(path));
                }
                Err(error) => return Err(error),
            }
        }
        // The system has the right words for a loop.
        fs::metadata(&path).map(|_| Place::Regular(path))
    }
}

/// The number of an open descriptor, if `path` is one: `/dev/fd/1`, `/proc/self/fd/1`.
fn descriptor(path: &Path) -> Option<u32> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let folder = fs::canonicalize(folder(path)).ok()?;
    let own = fs::canonicalize("/proc/self/fd").is_ok_and(|own| own == folder);
    (own || folder == Path::new("/dev/fd")).then_some(number)
}

/// The folder that holds a path's last part.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// What errors name.
fn or_stdout(path: Option<&Path>) -> &Path {
    path.unwrap_or(Path::new("standard output"))
}

fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        PathError {
            path: path.to_owned(),
            error,
        },
    )
}

fn file_id(metadata: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

fn stdout_metadata() -> Option<Metadata> {
    use std::os::fd::AsFd;
    let descriptor = io::stdout().as_fd().try_clone_to_owned().ok()?;
    File::from(descriptor).metadata().ok()
}
