//! Errors of sources.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::printable;

/// A packing or container, recognised by the first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Packing {
    /// gzip, of one or more members.
    Gzip,
    /// Zstandard, of one or more frames.
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
    /// OLE2: documents of old office programs, and encrypted ones.
    Ole2,
    /// Flat OpenDocument: the XML of a whole document.
    FlatOpenDocument,
    /// A RAR archive.
    Rar,
    /// A xar archive.
    Xar,
    /// A zlib stream.
    Zlib,
    /// A file of compress(1), `.Z`.
    Compress,
    /// lzip.
    Lzip,
    /// The lzma format, `.lzma`.
    Lzma,
    /// A PDF file.
    Pdf,
    /// An Apache Parquet file.
    Parquet,
    /// An Apache Arrow file, which is also called Feather, or an Arrow stream.
    Arrow,
    /// A message of e-mail, or an mbox of messages.
    Mail,
    /// A file in the text of a mail, in the form of uuencode(1).
    Uuencode,
}

impl Packing {
    /// Returns the usual name of the format.
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
            Packing::Ole2 => "OLE2",
            Packing::FlatOpenDocument => "flat OpenDocument",
            Packing::Rar => "rar",
            Packing::Xar => "xar",
            Packing::Zlib => "zlib",
            Packing::Compress => "compress (.Z)",
            Packing::Lzip => "lzip",
            Packing::Lzma => "lzma",
            Packing::Pdf => "PDF",
            Packing::Parquet => "Parquet",
            Packing::Arrow => "Arrow",
            Packing::Mail => "mail",
            Packing::Uuencode => "uuencode",
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A coding of an HTTP body that a header names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HttpCoding {
    /// A body in chunks, each after its size.
    Chunked,
    /// gzip.
    Gzip,
    /// A zlib stream, or deflated data without a header.
    Deflate,
    /// Brotli.
    Brotli,
    /// Zstandard.
    Zstd,
}

/// The name in headers.
impl fmt::Display for HttpCoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HttpCoding::Chunked => "chunked",
            HttpCoding::Gzip => "gzip",
            HttpCoding::Deflate => "deflate",
            HttpCoding::Brotli => "br",
            HttpCoding::Zstd => "zstd",
        })
    }
}

/// An error of a source, or of a document in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A system call failed to open, list or read it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file does not exist. The name looks like a URL or a pattern, for which there is advice.
    #[error("{error}; {remedy}")]
    Missing {
        /// The error of the system.
        #[source]
        error: io::Error,
        /// How to solve it.
        remedy: String,
    },
    /// It is a folder, but a file of records is needed.
    #[error("Is a directory; name the files in it")]
    Folder,
    /// Packed data ends early or cannot be decoded.
    #[error("the {packing} data is damaged: {error}")]
    Damaged {
        /// The packing.
        packing: Packing,
        /// The error of the codec.
        #[source]
        error: io::Error,
    },
    /// A member of packed data ends early or cannot be decoded.
    #[error("the {packing} data is damaged: {error}, in the member packed at byte {start}")]
    DamagedMember {
        /// The packing.
        packing: Packing,
        /// The error of the codec.
        #[source]
        error: io::Error,
        /// Offset of the member in the packed bytes.
        start: u64,
        /// Whether bytes of the member were returned before.
        given: bool,
    },
    /// Bytes that are not padding follow the packed data. They were ignored, as by gzip(1).
    #[error("bytes after the {0} data were ignored")]
    Trailing(Packing),
    /// The command whose output was read instead of the file failed. Names in its output are kept.
    #[error("{command} ended with {ending}")]
    Command {
        /// The command.
        command: Box<str>,
        /// Its exit status, or the signal that killed it, and the start of its standard error.
        ending: Box<str>,
    },
    /// The system does not start the command whose output is to be read instead of files. If the reason is the command
    /// itself, this error ends the task.
    #[error("cannot run {command}: {error}")]
    NoCommand {
        /// The command.
        command: Box<str>,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// A packing that is recognised but cannot be opened.
    #[error("{0} is recognised but cannot be opened")]
    Unsupported(Packing),
    /// More containers within one another than the limit allows.
    #[error("{0} is nested deeper than the limit; --max-depth allows more")]
    Depth(Packing),
    /// More members than this limit.
    #[error("more than {0} members; --max-members allows more")]
    Members(u64),
    /// A broken symbolic link below a folder, and its target.
    #[error("the link leads to {}, which does not exist; remove the link, or leave out -L", printable::path(.0))]
    BrokenLink(PathBuf),
    /// A file ended before the size it had when it was opened.
    #[error("the file became shorter while it was read")]
    Shrunk,
    /// Packed data that needs a larger window than the limit.
    #[error("the {packing} data needs more than {limit} bytes of memory; --max-window allows more")]
    Window {
        /// The packing.
        packing: Packing,
        /// The limit in bytes.
        limit: u64,
    },
    /// A source that unpacks to more than this multiple of its size. Names found before are kept.
    #[error("it unpacks to more than {0} times its size; --max-expansion allows more")]
    Expansion(u64),
    /// A source whose documents have such long names that they might take more than this multiple of its size in the output.
    /// Names found before are kept.
    #[error(
        "the names of its documents may take more than {0} times its size in the output; --max-expansion allows more"
    )]
    Names(u64),
    /// The names of this many members had more than 4,096 bytes and were cut.
    #[error("names of members with more than 4096 bytes, shortened in the middle: {0}")]
    CutNames(u64),
    /// The header of a container's member is damaged. The member was skipped.
    #[error("the {packing} header of member {number} is damaged")]
    Header {
        /// The container.
        packing: Packing,
        /// The number of the member, from 1.
        number: u64,
    },
    /// A member that needs a password.
    #[error("the {0} data is encrypted")]
    Encrypted(Packing),
    /// A member of a zip is packed by a method that is not supported, with this number in APPNOTE 4.4.5.
    #[error("zip method {0} cannot be unpacked")]
    Method(u16),
    /// Members of a 7z archive are packed by a method that is not supported: its name, or its identifier in 7-Zip's list of
    /// methods.
    #[error("7z method {0} cannot be unpacked")]
    SevenZipMethod(Box<str>),
    /// This many members are packed together with a damaged one, after it.
    #[error("members lost with the damaged data before them, with which they are packed: {0}")]
    Solid(u64),
    /// A header of a WARC record is missing at its place.
    #[error("no WARC record starts here")]
    RecordStart,
    /// The header of a WARC record lacks its WARC-Type or a Content-Length that is a number.
    #[error("the record has no WARC-Type or no valid Content-Length")]
    RecordHeader,
    /// A WARC record does not end at this Content-Length.
    #[error("the record does not end where its Content-Length, {0}, says")]
    RecordEnd(u64),
    /// A WARC record ends this many bytes too early.
    #[error("the record breaks off {0} bytes before its end")]
    RecordCut(u64),
    /// A WARC record was cut into segments, and the next one does not follow.
    #[error(
        "the record continues in a segment that does not follow it; concatenate the files in the order of the segments"
    )]
    Continued,
    /// A `continuation` record of WARC does not follow the segment before it.
    #[error(
        "this segment of a record does not follow the segment before it and was not read; concatenate the files in the order of the segments"
    )]
    Continuation,
    /// An HTTP body in this coding ends early or cannot be decoded.
    #[error("the {0} data of the HTTP body is cut or damaged")]
    Body(HttpCoding),
    /// A file of records has changed since the first pass over it.
    #[error("the file changed while it was read")]
    Changed,
    /// An input is also an output. This error ends the task.
    #[error(
        "the input is also an output, which would overwrite it; leave it out, or write to another file"
    )]
    Output,
    /// Text in this encoding has units that are not characters, here and maybe later. Each is replaced by U+FFFD.
    #[error("this is not valid {0}; from here on, invalid characters are replaced by U+FFFD")]
    Encoding(&'static str),
    /// A text of a mail is in this charset, which is not known. Its bytes were read as they are.
    #[error(
        "the charset {} is not known; the bytes were read unchanged, so letters beyond ASCII may be wrong",
        printable::name(.0)
    )]
    Charset(Box<str>),
    /// A mail is the part with this number, from 1, of a message that was cut into several. Encoded content may be missing.
    #[error(
        "this mail is part {0} of a message that was cut into several (message/partial), so encoded content may be missing; join the parts and scan the whole"
    )]
    Fragment(u64),
    /// An archive has no end mark, so its end may be missing.
    #[error("the {0} data ends without its end mark")]
    Endless(Packing),
    /// A file is one part of a split archive. Only members that are whole in it were read.
    #[error("this is one part of a split {0} archive")]
    Part(Packing),
    /// A tar has a file with holes, of which only the pieces with data are stored.
    #[error("this is a sparse file, with holes; it was not read")]
    Sparse,
    /// The directory of a zip and the header of this member, counted from 1, contradict each other. The member was read if its
    /// data agrees with one of them.
    #[error("the zip directory and the header of member {0} do not agree")]
    Disagree(u64),
    /// A PDF file, or a page of it, is damaged or too large, as the text says.
    #[error("the PDF file {0}")]
    Pdf(&'static str),
    /// A part of an office document is damaged or too large, as the text says. The rest of it was read.
    #[error("the office document {0}")]
    Office(&'static str),
    /// The XML of an office document is not well-formed, as the text says. The part before the fault was read.
    #[error("the XML of the office document is not well-formed: {0}")]
    Xml(Box<str>),
    /// An RTF document is cut short, as the text says. The part before its end was read.
    #[error("the RTF document {0}")]
    Rtf(&'static str),
    /// A stream of a PDF file, which its pages, fonts or metadata need, cannot be read as a whole, as the text says.
    #[error(
        "the PDF file has a stream, object {object} at byte {offset} of the file, that {fault}; text may be missing or wrong"
    )]
    PdfStream {
        /// The number of the stream.
        object: u32,
        /// The offset of its data in bytes, counted from the header of the PDF file.
        offset: u64,
        /// The fault.
        fault: &'static str,
    },
    /// A table in columns is damaged or cannot be read, as the text says.
    #[error("the {packing} file {fault}")]
    Table {
        /// The format.
        packing: Packing,
        /// The fault.
        fault: Cow<'static, str>,
    },
    /// Cells of a column are lost, as the text says, in some of these rows.
    #[error("column {column}, between rows {first_row} and {last_row}: {fault}")]
    Column {
        /// The name of the column.
        column: Box<str>,
        /// The first row in which cells may be lost, from 1.
        first_row: u64,
        /// The last such row.
        last_row: u64,
        /// The fault.
        fault: Box<str>,
    },
    /// The reader of a format, which another crate has, failed on a document.
    #[error("the reader of {packing} files failed on this document: {fault}")]
    Reader {
        /// The format.
        packing: Packing,
        /// What the reader said.
        fault: Box<str>,
    },
    /// A table in columns, which this build cannot read.
    #[error("this build reads no {0} files; build doisift with its feature `columnar`")]
    NoColumnar(Packing),
    /// A batch of rows of an Arrow file cannot be read.
    #[error("rows {first_row} to {last_row}: {fault}")]
    Batch {
        /// The first row of the batch, from 1.
        first_row: u64,
        /// Its last row.
        last_row: u64,
        /// The fault.
        fault: Box<str>,
    },
    /// Rows of a table that is a text are lost or damaged, as the text says.
    #[error("the table {fault}: {count}")]
    Rows {
        /// The fault.
        fault: &'static str,
        /// The number of such rows.
        count: u64,
    },
    /// Parts of a table's columns that are unpacked at the same time need more memory than this.
    #[error(
        "column {column}: the data to unpack at the same time needs more than {limit} bytes; --memory allows more, and --columns reads fewer columns"
    )]
    LargePage {
        /// The column that did not fit.
        column: Box<str>,
        /// The limit in bytes.
        limit: u64,
    },
    /// A table has no column of this name that can be read as requested.
    #[error("column {column} is missing, or not of the required kind; the table has: {known}")]
    NoColumn {
        /// The name.
        column: Box<str>,
        /// The columns of that kind.
        known: Box<str>,
    },
    /// A workbook has no sheet of this name or number.
    #[error("sheet {sheet} is missing; the workbook has: {known}")]
    NoSheet {
        /// The name or number.
        sheet: Box<str>,
        /// The numbers and names of the sheets.
        known: Box<str>,
    },
    /// A file, or a part of it that is held in memory, has more bytes than this.
    #[error(
        "the {packing} file needs more than {limit} bytes of memory at once; --memory allows more"
    )]
    TooLarge {
        /// The format.
        packing: Packing,
        /// The limit in bytes.
        limit: u64,
    },
}

/// An error, after its offset in the file.
pub type LocatedError = (u64, InputError);

/// The system's error for a file that is not a program: ENOEXEC.
const NOT_EXECUTABLE_ERROR: i32 = 8;

fn unpack_first(packing: Packing) -> &'static str {
    match packing {
        Packing::Rar => "unpack it first: unrar x FILE",
        Packing::Xar => "unpack it first: bsdtar -xf FILE",
        Packing::Lzip => "unpack it first: lzip -dc FILE | doisift scan",
        Packing::Lzma => "unpack it first: xz --format=lzma -dc FILE | doisift scan",
        Packing::Compress => "unpack it first: gzip -dc FILE | doisift scan",
        Packing::Uuencode => "unpack it first: uudecode FILE",
        _ => "unpack it first",
    }
}

impl InputError {
    /// Whether it ends the task, since every other source would fail too, or be overwritten.
    pub fn is_fatal(&self) -> bool {
        match self {
            InputError::Output => true,
            InputError::NoCommand { error, .. } => {
                let kinds = [io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied];
                kinds.contains(&error.kind()) || error.raw_os_error() == Some(NOT_EXECUTABLE_ERROR)
            }
            _ => false,
        }
    }

    /// Returns advice on the error, if its text has none.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            InputError::Unsupported(packing) => Some(unpack_first(*packing)),
            InputError::Encrypted(_) => Some("unpack it with its password first"),
            InputError::Method(_) | InputError::SevenZipMethod(_) => {
                Some("unpack it first: 7z x FILE")
            }
            InputError::Part(Packing::SevenZip) => {
                Some("join the parts and scan the whole: cat NAME.7z.* > whole.7z")
            }
            InputError::Part(_) => Some(
                "join the parts and scan the whole: zip -s 0 NAME.zip --out whole.zip, or cat NAME.zip.* > whole.zip",
            ),
            InputError::Sparse => Some("extract it with tar and scan the file"),
            _ => None,
        }
    }

    /// Returns the error for a path that cannot be opened. If there is no such file, advice may be guessed from the path.
    pub fn of_path(path: &Path, error: io::Error) -> InputError {
        let remedy = (error.kind() == io::ErrorKind::NotFound).then(|| remedy(path));
        match remedy.flatten() {
            Some(remedy) => InputError::Missing { error, remedy },
            None => InputError::Io(error),
        }
    }
}

/// Returns advice on a path that does not exist.
fn remedy(path: &Path) -> Option<String> {
    let path = path.to_str()?;
    if let Some((scheme, rest)) = path.split_once("://") {
        let is_plain = path.len() <= 300 && !path.contains(|c: char| c == '\'' || c.is_control());
        return Some(pipe(scheme, rest, if is_plain { path } else { "URL" }));
    }
    if path.ends_with(['\r', '\n']) {
        return Some(
            "its name ends with a line end, which a list or script may have added; remove it"
                .into(),
        );
    }
    if path.starts_with('~') {
        return Some(
            "only a shell replaces ~ by a home folder, and only outside quotes; give the full path"
                .into(),
        );
    }
    path.contains(['*', '?']).then(|| {
        "patterns are expanded by the shell, outside quotes; or name the folder and choose with --include".into()
    })
}

/// Returns a command that reads the target of a URL.
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
    let is_object = matches!(scheme, "http" | "https" | "s3" | "gs");
    let why = match is_object {
        true => "this build has no feature remote, which reads URLs",
        false => "URLs are not read",
    };
    format!("{why}; pipe it: {read} | doisift scan")
}
