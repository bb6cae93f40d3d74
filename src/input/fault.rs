//! What can be wrong with a source.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::printable;

/// How bytes are packed, as far as their first bytes show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Packing {
    /// gzip, one member or many.
    Gzip,
    /// Zstandard, one frame or many.
    Zstd,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
    /// LZ4 frames.
    Lz4,
    /// A tar archive.
    Tar,
    /// A WARC file.
    Warc,
    /// A ZIP archive.
    Zip,
    /// A 7z archive.
    SevenZip,
    /// A RAR archive.
    Rar,
    /// A zlib stream.
    Zlib,
    /// A file of compress(1), `.Z`.
    Compress,
    /// lzip.
    Lzip,
    /// LZMA alone, `.lzma`.
    Lzma,
}

impl Packing {
    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Bzip2 => "bzip2",
            Packing::Xz => "xz",
            Packing::Lz4 => "lz4",
            Packing::Tar => "tar",
            Packing::Warc => "WARC",
            Packing::Zip => "zip",
            Packing::SevenZip => "7z",
            Packing::Rar => "rar",
            Packing::Zlib => "zlib",
            Packing::Compress => "compress (.Z)",
            Packing::Lzip => "lzip",
            Packing::Lzma => "lzma",
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is wrong with a source, or with one document of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The system refused to open, list or read it.
    #[error("{0}")]
    Io(io::Error),
    /// There is no such file; what its name may mean can be read otherwise.
    #[error("{error}; {remedy}")]
    Missing {
        /// What the system says.
        error: io::Error,
        /// What to do.
        remedy: String,
    },
    /// It is a folder, where files of records are wanted.
    #[error("Is a directory; name the files in it")]
    Folder,
    /// Packed bytes end early or do not unpack.
    #[error("the {packing} data is damaged: {error}")]
    Damaged {
        /// How they are packed.
        packing: Packing,
        /// What the codec says.
        error: io::Error,
    },
    /// Other bytes than padding follow the packed data; they were ignored, as gzip(1) does.
    #[error("bytes after the {0} data were ignored")]
    Trailing(Packing),
    /// A packing that is recognised but cannot be opened.
    #[error("{0} is recognised but cannot be opened")]
    Unsupported(Packing),
    /// More containers within one another than the limit allows.
    #[error("{0} is nested deeper than the limit allows")]
    Depth(Packing),
    /// More members than the limit, which is given.
    #[error("more than {0} members")]
    Members(u64),
    /// A symbolic link below a folder that leads to nothing, and what it names.
    #[error("the link leads to {}, which is not there; remove it, or leave out -L", printable::path(.0))]
    BrokenLink(PathBuf),
    /// A file ended before the size it had when it was opened.
    #[error("the file became shorter while it was read")]
    Shrunk,
    /// Packed bytes that want more history at hand than the limit allows.
    #[error("the {packing} data wants more than {limit} bytes of memory; --max-window allows more")]
    Window {
        /// How they are packed.
        packing: Packing,
        /// The limit in bytes.
        limit: u64,
    },
    /// A source that unpacks to more bytes for each of its own than the limit, which is given. What came before is kept.
    #[error("it unpacks to more than {0} times its size; --max-expansion allows more")]
    Expansion(u64),
    /// A source whose documents have names so long that they might take more bytes in the output, for each of its own, than the
    /// limit, which is given. What came before is kept.
    #[error(
        "the names of its documents may take more than {0} times its size in the output; --max-expansion allows more"
    )]
    Names(u64),
    /// So many members have names of more than 4,096 bytes, which were cut.
    #[error("names of members that are longer than 4096 bytes and were cut in their middle: {0}")]
    CutNames(u64),
    /// The header of a container's member is damaged: that member was passed over.
    #[error("the {packing} header of member {number} is damaged")]
    Header {
        /// The container.
        packing: Packing,
        /// Which member, from 1.
        number: u64,
    },
    /// A member that needs a password.
    #[error("the {0} data is encrypted")]
    Encrypted(Packing),
    /// A member of a zip that is packed by a method that is not undone; its number in APPNOTE 4.4.5.
    #[error("zip method {0} cannot be unpacked")]
    Method(u16),
    /// No header of a WARC record where one must be.
    #[error("no WARC record starts here")]
    RecordStart,
    /// The header of a WARC record lacks its WARC-Type or a Content-Length that is a number.
    #[error("the record has no WARC-Type or no valid Content-Length")]
    RecordHeader,
    /// A WARC record does not end where its Content-Length, which is given, says.
    #[error("the record does not end where its Content-Length, {0}, says")]
    RecordEnd(u64),
    /// A WARC record breaks off that many bytes before its end.
    #[error("the record breaks off {0} bytes before its end")]
    RecordCut(u64),
    /// A WARC record was cut into segments, and the next one does not follow.
    #[error(
        "the record goes on in a segment that does not follow it; concatenate the files with its segments in their order"
    )]
    Continued,
    /// A `continuation` record of WARC does not follow the segment before it.
    #[error(
        "this segment of a record does not follow the one before it and was not read; concatenate the files with its segments in their order"
    )]
    Continuation,
    /// The coding of an HTTP body, which is named, breaks off or does not decode.
    #[error("the {0} coding of the HTTP body breaks off or does not decode")]
    Body(&'static str),
    /// A file of records is not what it was when its order was looked at.
    #[error("the file changed while it was read")]
    Changed,
    /// An input is also what is written to. It stops the run.
    #[error(
        "this is an output too, which would overwrite it; leave it out, or write to another file"
    )]
    Output,
    /// Text in the encoding that is named holds units that are no character, here and maybe further on; each is replaced by U+FFFD.
    #[error("this is no {0}; from here on, what is none is replaced")]
    Encoding(&'static str),
    /// An archive lacks the mark at its end: it may have been cut off there.
    #[error("the {0} data ends without its end mark")]
    Endless(Packing),
    /// A file that is one of the parts of an archive, which is read no further than its whole members go.
    #[error("this is one part of a split {0} archive")]
    Part(Packing),
    /// The map of a sparse file in a tar is damaged, of an unknown version, or has too many pieces.
    #[error("the map of this sparse file cannot be used, so the file was not read")]
    Sparse,
    /// The directory of a zip and the header of a member, whose number from 1 is given, contradict each other. It was
    /// read as far as it agrees with one of them.
    #[error("the zip directory and the header of member {0} do not agree")]
    Disagree(u64),
}

fn unpack_first(packing: Packing) -> &'static str {
    match packing {
        Packing::SevenZip => "unpack it first: 7z x FILE",
        Packing::Rar => "unpack it first: unrar x FILE",
        Packing::Compress => "unpack it first: zcat FILE | doisift scan",
        Packing::Lzip => "unpack it first: lzip -dc FILE | doisift scan",
        _ => "unpack it first",
    }
}

impl InputError {
    /// What to do about it, where its text does not say so.
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        match self {
            InputError::Unsupported(packing) => Some(unpack_first(*packing)),
            InputError::Encrypted(_) => Some("unpack it with its password first"),
            InputError::Method(_) => Some("unpack it first: 7z x FILE"),
            InputError::Part(_) => Some(
                "join the parts and scan the whole: zip -s 0 NAME.zip --out whole.zip, or cat NAME.zip.* > whole.zip",
            ),
            InputError::Sparse => Some("extract it with tar and scan the file"),
            _ => None,
        }
    }

    /// The error of a path that cannot be opened. Where there is no such file, what the path looks like is taken into account.
    pub(crate) fn of_path(path: &Path, error: io::Error) -> InputError {
        let remedy = (error.kind() == io::ErrorKind::NotFound).then(|| remedy(path));
        match remedy.flatten() {
            Some(remedy) => InputError::Missing { error, remedy },
            None => InputError::Io(error),
        }
    }
}

/// What to do about a path that is none.
fn remedy(path: &Path) -> Option<String> {
    let path = path.to_str()?;
    if let Some((scheme, rest)) = path.split_once("://") {
        let is_plain = path.len() <= 300 && !path.contains(|c: char| c == '\'' || c.is_control());
        return Some(pipe(scheme, rest, if is_plain { path } else { "URL" }));
    }
    if path.ends_with(['\r', '\n']) {
        return Some(
            "its name ends with a line end, which a list or a script may have left there".into(),
        );
    }
    if path.starts_with('~') {
        return Some("~ is a home folder only to a shell, and outside quotes".into());
    }
    path.contains(['*', '?']).then(|| {
        "patterns are expanded by the shell, outside quotes; or name the folder and choose with --include".into()
    })
}

/// How the target of a URL is read.
fn pipe(scheme: &str, rest: &str, url: &str) -> String {
    let read = match scheme {
        "http" | "https" | "ftp" => format!("curl -sL '{url}'"),
        "s3" => format!("aws s3 cp '{url}' -"),
        "gs" => format!("gcloud storage cat '{url}'"),
        "hdfs" => format!("hdfs dfs -cat '{url}'"),
        "file" => {
            let path = printable::name(rest.trim_start_matches("localhost"));
            return format!("URLs are not read; name the path alone: {path}");
        }
        _ => return "URLs are not read; save it as a file, or pipe it into doisift scan".into(),
    };
    format!("URLs are not read; pipe it: {read} | doisift scan")
}

/// Takes out what [`Read`](io::Read) could only pass on wrapped.
impl From<io::Error> for InputError {
    fn from(error: io::Error) -> Self {
        error
            .downcast::<InputError>()
            .unwrap_or_else(InputError::Io)
    }
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}
