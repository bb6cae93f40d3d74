//! The one public error: its kind, with source, document and offset.

use std::fmt;
use std::io;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use doisift_documents::printable::{self, Printable};
use doisift_documents::{BadGlob, InputError, Packing};

use crate::dedup::SpillError;
use crate::records::{BadFields, Format, ReadError, UnknownFormat, pattern_remedy};
use crate::structure::BadRecordField;

/// Kind of an [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A source, or one of its documents, could not be read to its end.
    #[error(transparent)]
    Input(InputError),
    /// An input to merge is not a file of records, or has a wrong row. The text names the row.
    #[error(transparent)]
    Records(ReadError),
    /// The sum of a count over several records of one name exceeds `i64::MAX`.
    #[error(
        "the {field} of {name} add up to more than {max}, the maximum of a record; correct the wrong count, or merge each input once",
        name = printable::name(.doi),
        max = i64::MAX
    )]
    Overflow {
        /// The field that is summed.
        field: &'static str,
        /// The name.
        doi: Box<str>,
    },
    /// A list of sources could not be read.
    #[error(
        "cannot read the list of sources: {0}; it is a file with a path on each line, or - for standard input"
    )]
    List(io::Error),
    /// A run has no source or input.
    #[error("there is nothing to read; name a file or folder, or - for standard input")]
    NoSource,
    /// Values of a field of records are not of the type of its column, in which they are null.
    #[error("{0}")]
    Mistyped(Box<MistypedValues>),
    /// The syntax of a glob is wrong.
    #[error("{0}")]
    Glob(BadGlob),
    /// The fields that were chosen for an output are not fields of its rows.
    #[error("{0}")]
    Fields(BadFields),
    /// Options that select the rows contradict each other, or have a wrong value.
    #[error("{0}")]
    Selection(SelectionError),
    /// The ending of an output does not name a format, and no format was chosen.
    #[error("the ending of {} is not an output format; {}", printable::path(.0), choices())]
    UnknownEnding(PathBuf),
    /// The ending of an output names a compression that doisift reads but does not write.
    #[error("{}: only .gz and .zst outputs can be written compressed; choose one of these endings", printable::path(.0))]
    UnknownPacking(PathBuf),
    /// An output is a folder.
    #[error(
        "{} is a folder; name a file in it, or, for the parts of a scan or merge, a new folder with / at the end",
        printable::path(.0)
    )]
    Folder(PathBuf),
    /// The name of an output is a pattern for the names of several files.
    #[error("{}: {}", printable::path(.0), pattern_remedy(.0))]
    Pattern(PathBuf),
    /// The output could not be opened, written or renamed.
    #[error("cannot write: {0}")]
    Output(io::Error),
    /// A temporary file of names could not be written or read.
    #[error("cannot write or read a temporary file: {0}")]
    Spill(SpillError),
    /// The system refused to start a thread.
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
    /// The ending of an output names a format that this build lacks.
    #[error("{0}")]
    LeftOut(UnknownFormat),
    /// The ending of an output asks to compress a Parquet file, whose pages are compressed already.
    #[error("{}: a Parquet file is compressed inside; leave out the last ending", printable::path(.0))]
    PackedTwice(PathBuf),
    /// An output is also an input, or two outputs are one file.
    #[error("{0}")]
    Clash(ClashError),
    /// A table cannot be read, or lacks a column that was named.
    #[error("{0}")]
    Table(TableError),
    /// An index of known names cannot be built or read, or a name cannot be added to it.
    #[error("{0}")]
    Known(KnownError),
    /// References cannot be checked, or a document cannot be fixed.
    #[error("{0}")]
    Check(CheckError),
    /// This build cannot ask a registry.
    #[cfg(not(feature = "resolve"))]
    #[error("this build asks no registry: build doisift with its feature `resolve`")]
    WithoutResolve,
    /// A side of a comparison is not a sorted list of names.
    #[error("{0}")]
    Diff(DiffError),
    /// A registry cannot be asked in this way, or its answers cannot be kept.
    #[cfg(feature = "resolve")]
    #[error("{0}")]
    Resolve(ResolveError),
    /// The run was cancelled.
    #[error("interrupted")]
    Cancelled,
    /// The checkpoint in a folder cannot be written, or a run cannot be resumed from it.
    #[error("the checkpoint in {folder}: {error}", folder = printable::path(.0), error = .1)]
    Checkpoint(PathBuf, Box<CheckpointError>),
}

/// Values of a field of records that are not of the type of its column, in which they are null.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "column {column}: {count}, the first is {first}; the rows have null instead; {remedy}",
    column = printable::name(.column),
    count = self.counted(),
    first = self.first.as_ref().map_or("an object or a list".to_owned(), |first| format!("{first:?}")),
    remedy = self.remedy()
)]
#[non_exhaustive]
pub struct MistypedValues {
    /// The name of the column.
    pub column: Box<str>,
    /// The word for its type.
    pub kind: &'static str,
    /// Description of valid values.
    pub values: &'static str,
    /// The number of the values.
    pub count: u64,
    /// The first of them; `None` for an object or a list of JSON.
    pub first: Option<Box<str>>,
}

impl MistypedValues {
    fn counted(&self) -> String {
        let are = match self.count {
            1 => "1 value is".to_owned(),
            count => format!("{count} values are"),
        };
        format!("{are} not of the type {} ({})", self.kind, self.values)
    }

    fn remedy(&self) -> String {
        match self.first {
            Some(_) => format!("leave out :{} to write such values as they are", self.kind),
            None => "end the path with the name or number of a value in it, such as /0".to_owned(),
        }
    }
}

/// Formats the name of a source that can be read only once.
fn stream(name: &str) -> String {
    match name {
        "-" => "standard input".to_owned(),
        name => printable::name(name),
    }
}

/// Returns the part of a message that says how to choose a format.
fn choices() -> String {
    let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
    format!(
        "choose one of {} with -f, or as the ending",
        names.join(", ")
    )
}

/// Reason why a checkpoint cannot be written, or a run cannot be resumed from it.
///
/// Sources are named as in [`Report`](crate::Report)s. All kinds except [`Io`](Self::Io) are found before anything is read or
/// written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The run writes mentions or edges into a single file, not into parts.
    #[error(
        "a run with --mentions or --edges can be resumed only if its rows are in parts; write them to a folder, such as -o rows/, or leave out --checkpoint"
    )]
    Mentions,
    /// The run writes records besides its rows.
    #[error(
        "a run with --names-to cannot be resumed: its names are found in another order than its rows; scan for the names alone, or leave out --checkpoint"
    )]
    NamesTo,
    /// The run writes the records of documents besides its rows, into a single file, not into parts.
    #[error(
        "a run with --nodes-to can be resumed only if the records are in parts too; write them to a folder, such as --nodes-to nodes/, or leave out --checkpoint"
    )]
    NodesTo,
    /// A source is a stream, which cannot be read again.
    #[error(
        "{name} can be read only once, but a resumed run may read a source again; put it into a file",
        name = stream(.0)
    )]
    Stream(Arc<str>),
    /// Another run holds the lock of the folder.
    #[error("another run is using it; wait until that has ended, or choose another folder")]
    InUse,
    /// A file in the folder cannot be read or written.
    #[error("{path}: {error}", path = printable::path(.0), error = .1)]
    Io(PathBuf, #[source] io::Error),
    /// A file in the folder has the name of a file of the checkpoint, but was not made by doisift, such as a link or a FIFO. It
    /// was not followed, changed or removed.
    #[error("{} was not made by doisift; remove it, or choose another folder", printable::path(.0))]
    Foreign(PathBuf),
    /// The manifest, or a run that it lists, is not as doisift wrote it.
    #[error("{} is damaged; remove the folder to start again from the beginning", printable::path(.0))]
    Damaged(PathBuf),
    /// Another version of doisift wrote the checkpoint.
    #[error("doisift {0} wrote it, and this is {now}; finish with that version, or remove the folder to start again from the beginning", now = env!("CARGO_PKG_VERSION"))]
    Version(String),
    /// An option that affects the result has another value than in the interrupted run.
    #[error(
        "{option} was {then} in the interrupted run and is {now} now; give the same value, or remove the folder to start again from the beginning"
    )]
    Option {
        /// The name of the option.
        option: String,
        /// Its value in the interrupted run.
        then: String,
        /// Its value now.
        now: String,
    },
    /// There is a source that the interrupted run did not have.
    #[error("{name} was not a source of the interrupted run; leave it out, or remove the folder to start again from the beginning", name = printable::name(.0))]
    Added(Arc<str>),
    /// A source of the interrupted run is missing.
    #[error(
        "{name} was a source of the interrupted run and is missing now; put it back, or remove the folder to start again from the beginning",
        name = printable::name(.0)
    )]
    Removed(Arc<str>),
    /// A source that was read has another size or modification time.
    #[error("{name} has changed since it was read; remove the folder to start again from the beginning", name = printable::name(.0))]
    Changed(Arc<str>),
    /// A source that was read has the same size and modification time, but another inode or change time.
    #[error(
        "{name} was written, copied or moved, or its permissions were changed, since it was read; its size and modification time are unchanged, but its content may differ; remove the folder to start again from the beginning",
        name = printable::name(.0)
    )]
    Replaced(Arc<str>),
    /// This many errors already lost input in the interrupted run, and this run must fail at the first.
    #[error(
        "{0} errors lost input in the interrupted run, and --on-error fail allows none; give --on-error skip, or remove the folder to start again from the beginning"
    )]
    Lost(u64),
}

/// Reason why rows cannot be selected with these options.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// Two kinds of rows were asked for.
    #[error("the rows can be {0} or {1}, not both; choose one")]
    TwoKinds(&'static str, &'static str),
    /// The format is bare names, but the rows are neither records nor mentions.
    #[error("bare names are written of records and mentions, not of {0}; choose another format")]
    Names(&'static str),
    /// A text by which names are selected is not a DOI prefix.
    #[error(
        "{0:?} is not a DOI prefix, such as 10.1038; write the part of the names before the first /"
    )]
    Prefix(Box<str>),
    /// The text around mentions was asked for, but the rows are not mentions, or the format is bare names.
    #[error(
        "only mentions have text around them; add --mentions, and write another format than names"
    )]
    NoMentions,
    /// The text around mentions was asked for, but none of its fields was chosen.
    #[error(
        "the text around mentions is in the fields before and after; name one of them in --fields, or leave out --context"
    )]
    NoFields,
    /// The fields of the text around mentions were chosen, but not its length.
    #[error("the fields before and after need a number of bytes, such as --context 100")]
    NoContext,
    /// Fields that need an index of known names were chosen, but no index.
    #[error("the fields known, agency and retracted need an index, such as --known known.doix")]
    NoKnown,
    /// Options for the records, references or roles of edges were given, but the rows are not edges.
    #[error("only edges have records, references and roles; add --edges, or leave out {0}")]
    NoEdges(&'static str),
    /// A word by which edges are selected is not a role.
    #[error("{0:?} is not a role of an edge; write self, reference or other")]
    Role(String),
    /// Edges were asked for, but each line is a document.
    #[error(
        "a line has no structure to read; leave out --lines, since JSON Lines are recognised without it"
    )]
    EdgesOfLines,
    /// Records were asked for besides the rows, but the rows are records or derived from them.
    #[error(
        "--names-to needs --mentions or --edges; add one of them, or write the records with -o"
    )]
    NamesTo,
    /// Records of documents were asked for besides the rows, but the rows are not edges.
    #[error("--nodes-to needs --edges; add it")]
    NodesTo,
    /// The format for records of documents is bare names.
    #[error(
        "--nodes-to writes several fields, which bare names cannot have; choose another ending than .names"
    )]
    NodesAsNames,
    /// A field of records has no path, or its column no type.
    #[error(transparent)]
    RecordField(#[from] BadRecordField),
    /// A field of records has the name of another column.
    #[error("two columns would be named {0}; give one another name, as in NAME={0}")]
    RepeatedColumn(String),
    /// A part for each source was asked for, but the rows are records, which have no source of their own.
    #[error("a record may be of several sources; give --part-size as a size, such as 256M")]
    NoSources,
    /// A range of a file was chosen, but the rows are not mentions.
    #[error("only mentions can be scanned by ranges of a file; leave out the range")]
    Range,
    /// More text around mentions was asked for than this limit in bytes.
    #[error("rows have at most {0} bytes of text on each side of a mention")]
    Context(usize),
}

/// Reason why a column of a table cannot be read or cleaned.
///
/// Rows count from 1, without the header, the rows above it, and blank rows. The numbers of rows that may be the header count all
/// rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The head of a document shows neither a delimited table nor JSON Lines.
    #[error("neither a table nor JSON Lines was recognised{}; give --input-format or --delimiter", header_row(*.proposed))]
    Unknown {
        /// The row, from 1, that may be the header.
        proposed: Option<NonZeroU32>,
    },
    /// It is not text, but of this kind.
    #[error("this is {0}, not text; save the table as CSV")]
    NotText(&'static str),
    /// It looks like text in this encoding without a byte order mark.
    #[error(
        "it looks like {0} without a byte order mark; give --input-encoding, or convert it: iconv -f {0} -t UTF-8"
    )]
    Unmarked(&'static str),
    /// A member of an office document, which is an archive of XML.
    #[error("this is an office document without sheets; save its table as CSV")]
    Office,
    /// A table in columns, such as Parquet, is not written back.
    #[error(
        "this is a {0} file, which is not written back; save it as CSV first: duckdb -c \"COPY 'table.{ending}' TO 'table.csv'\"; or clean a \
         data frame in Python: doisift.clean_table",
        ending = .0.to_string().to_lowercase()
    )]
    Columnar(Packing),
    /// A workbook cannot be changed in place.
    #[error(
        "this is a workbook, which cannot be changed in place; leave out --in-place: the sheet comes back as CSV with new columns"
    )]
    InPlace,
    /// The ending of the output names another format than the table's, in which it is written.
    #[error("the table is written as {format}, but {output} has the ending of another format; choose another ending",
        output = printable::path(.output))]
    Ending {
        /// The output.
        output: PathBuf,
        /// The format of the table.
        format: &'static str,
    },
    /// It has no row to take the header from.
    #[error("the table has no rows, so it has no header")]
    NoHeader,
    /// The header lacks a column.
    #[error("the header has no column {column}; it has {header}{each}{row}", column = printable::name(.column), header = .header,
        each = if *.is_list { "; give --column once for each" } else { "" }, row = header_row(*.proposed))]
    NoColumn {
        /// The column as asked for.
        column: String,
        /// The columns of the header with their numbers.
        header: String,
        /// Whether `column` is several columns of the header, with a delimiter between them.
        is_list: bool,
        /// Another row, from 1, that may be the header.
        proposed: Option<NonZeroU32>,
    },
    /// The head of the table has no row with the number that was given for the header.
    #[error("the first 16 KiB have no row {row}; give --header-row a smaller number", row = .row)]
    NoRow {
        /// The number of the row, from 1.
        row: u64,
    },
    /// Several columns of the header have this name.
    #[error("the header has several columns {column}, at {numbers}; give the number", column = printable::name(.column), numbers = .numbers)]
    SameName {
        /// The column as asked for.
        column: String,
        /// The numbers of the columns, from 1.
        numbers: String,
    },
    /// A table has no header, and the column is not a number from 1 to the number of cells of the first row.
    #[error("{column} is not the number of a column, from 1 to {width}", column = printable::name(.column), width = .width)]
    NoNumber {
        /// The column as asked for.
        column: String,
        /// Cells of the first row.
        width: usize,
    },
    /// No object of JSON Lines has the member.
    #[error("no object has the member {column}; the first has {members}", column = printable::name(.column), members = .members)]
    NoMember {
        /// The member as asked for.
        column: String,
        /// The members of the first object.
        members: String,
    },
    /// The table already has a column or member with the name of an added one.
    #[error("{row}: a column {name} exists; name the new one with --new-column, or use --in-place", row = row_name(*.row), name = printable::name(.name))]
    Taken {
        /// The name.
        name: String,
        /// The row that has it. `None` if it is in the header.
        row: Option<u64>,
    },
    /// A table differs from the first one in its header, delimiter or format, so that they cannot be written as one table.
    #[error(
        "its header, delimiter or format differs from that of the first table; clean each table by itself"
    )]
    Different,
    /// A row has a character that the encoding of the output lacks.
    #[error("{row}: {encoding} has no {character}; choose another --output-encoding", row = row_name(*.row))]
    CannotHold {
        /// The number of the row. `None` for the header and rows above it.
        row: Option<u64>,
        /// The character, as `U+2010`.
        character: String,
        /// The encoding of the output.
        encoding: &'static str,
    },
    /// A row is longer than the limit.
    #[error(
        "row {row} is longer than {max} bytes; a quote may be missing in it (or --max-row allows more)"
    )]
    LongRow {
        /// The number of the row.
        row: u64,
        /// The limit.
        max: usize,
    },
    /// Options of the builder contradict each other.
    #[error("{0}")]
    Options(&'static str),
}

/// Formats the number of a row.
fn row_name(row: Option<u64>) -> String {
    row.map_or("header".to_owned(), |row| format!("row {row}"))
}

/// Returns the advice for a message if a later row may be the header.
fn header_row(proposed: Option<NonZeroU32>) -> String {
    proposed.map_or(String::new(), |row| {
        format!("; row {row} has as many cells as the rows below it, and --header-row {row} takes it as the header")
    })
}

/// Reason why an index of known names cannot be built or read, or a name cannot be added to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnownError {
    /// No file was named for the index.
    #[error("no output is named; name the file of the index with -o, such as -o known.doix")]
    NoOutput,
    /// The ending of the output names a compression.
    #[error("{}: an index is not compressed, since it is read piece by piece; leave out the last ending", printable::path(.0))]
    Packed(PathBuf),
    /// A source is a list of mentions or records, whose names were found in texts.
    #[error(
        "this is a list of mentions, of which about a fifth are cut or misspelt names, and an index would take each for registered; \
        name a list of registered names, or give --trust if these are known to exist"
    )]
    Mentions,
    /// A source is an index, which must be added instead.
    #[error("this is an index already; give it with --add")]
    Index,
    /// A source is a table in columns, but no column was chosen.
    #[error("this is a table; name the column that holds the names with --column")]
    NoColumn,
    /// An index cannot be read, to add or to ask it.
    #[error("{0}")]
    Unreadable(doisift_known::IndexError),
    /// A text is not a DOI name.
    #[error("not a DOI name: {0}")]
    Name(doisift_core::DoiError),
    /// The date of a notice cannot be read.
    #[error("{0}")]
    Notice(doisift_known::notices::NoticeError),
    /// A text is not UTF-8.
    #[error("this text is not UTF-8; convert the source first: iconv -t UTF-8")]
    Encoding,
    /// A name of this many bytes is too long for an index.
    #[error("a name of {0} bytes is too long for an index")]
    Long(usize),
    /// A row or an object of JSON is longer than this limit in bytes.
    #[error("a row or an object of more than {0} bytes, which was not read; give more --memory")]
    LongRow(usize),
    /// A quote of a table is not closed.
    #[error(
        "the quote that opens here is never closed, so the rest of the table is one cell; close it"
    )]
    OpenQuote,
    /// An object of JSON lacks this member for its name.
    #[error("the object has no member {0}; --column names the one that holds the name")]
    NoMember(Box<str>),
    /// A page without an array of works follows another page.
    #[error(
        "a page without an array of works starts here, and was not read; put each answer into its own file"
    )]
    More,
    /// An object is not valid JSON of a work.
    #[error("this is not the JSON of a work: {0}")]
    Json(Box<str>),
}

/// Reason why references cannot be checked, or a document cannot be fixed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A word does not name a verdict.
    #[error("{0}")]
    Verdict(Box<str>),
    /// The ending of the output does not name a format of rows.
    #[error("{}: choose jsonl, csv or sarif with -f, or as the ending; text is for standard output", printable::path(.0))]
    UnknownEnding(PathBuf),
    /// The library does not write the format text.
    #[error("the format text is written by the command alone; choose jsonl, csv or sarif")]
    NoText,
    /// A document that must be held as a whole is longer than this limit in bytes.
    #[error(
        "this document has more than {0} bytes, and must be held as a whole; give more --memory, or take its names with doisift scan, \
         and check the list"
    )]
    TooLong(usize),
    /// An entry, a row or a line is longer than this limit in bytes.
    #[error(
        "from here on, an entry, a row or a line has more than {0} bytes; give more --memory, or take its names with doisift scan, \
         and check the list"
    )]
    LongEntry(usize),
    /// An option is about a registry, but the check is offline.
    #[error("--{0} needs --online; add --online, or leave it out")]
    Offline(Box<str>),
    /// `--fix` cannot write back a source of this kind.
    #[error("--fix cannot write back {0}")]
    Fix(&'static str),
    /// A file has this many hard links, of which only one would lead to the fixed file.
    #[error(
        "--fix cannot write back a file with {0} names (hard links), since only one of them would lead to the new file; fix a copy, or use --diff"
    )]
    Names(u64),
    /// Another program changed a file after it was read.
    #[error(
        "changed by another program after it was read; it stays as it is, so run the same command again"
    )]
    Changed,
    /// Another program has a lock on a file that is to be replaced.
    #[error(
        "locked by another program, such as another run with --fix; it stays as it is, so run the same command again"
    )]
    Locked,
    /// A format of rows was given for a diff.
    #[error("--diff writes a diff and no rows; leave out --format")]
    DiffFormat,
    /// A fixed file could not be written.
    #[error("cannot write the fixed file: {0}")]
    Write(io::Error),
}

/// Reason why two files cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// A name is not greater than the one before.
    #[error("the names are not sorted: {} comes too late or twice; sort records with doisift merge FILE -o SORTED, and bare names with LC_ALL=C sort -u", printable::name(.0))]
    Order(Box<str>),
    /// A line of a list of bare names is not a bare name.
    #[error("{} is not a bare name; doisift scan -f names writes such lists", printable::name(.0))]
    NoName(Box<str>),
}

/// Reason why a registry cannot be asked.
#[cfg(feature = "resolve")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// An option cannot be used.
    #[error("{0}")]
    Setup(doisift_resolve::SetupError),
    /// The file of the cache cannot be used.
    #[error("{0}")]
    Cache(doisift_resolve::CacheError),
}

/// Conflict between inputs and outputs of a run.
///
/// Inputs are named as in [`Report`](crate::Report)s. Conflicts are found before anything is read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClashError {
    /// An output would overwrite a file that was named to be read: a source, or a list of sources.
    #[error("{input} is read, and would be overwritten{output}; write to another file",
        input = printable::name(input), output = OtherName(input, output))]
    Input {
        /// The name of the input.
        input: Arc<str>,
        /// The output as typed.
        output: Arc<str>,
    },
    /// An output would overwrite a file below a folder that is read. That file may be the output of an earlier run.
    #[error("{input} is in a folder that is read, and would be overwritten{output}; leave it out (--exclude '{glob}'), \
        or write to another file",
        input = printable::name(input), output = OtherName(input, output), glob = printable::name(&glob_of(input)))]
    Found {
        /// The name of the input.
        input: Arc<str>,
        /// The output as typed.
        output: Arc<str>,
    },
    /// The rows and the report would go to one file.
    #[error("the rows and the report would both go to {output}; write one of them to another file", output = printable::name(.0))]
    Outputs(Arc<str>),
    /// An output has the name of a file that the checkpoint keeps in its folder.
    #[error("{output} is the name of a file of the checkpoint; write to another file", output = printable::name(.0))]
    Checkpoint(Arc<str>),
    /// Standard input, or a stream of the caller, was given the name of another source.
    #[error("{name} is also the name of another source; give standard input another name", name = printable::name(.0))]
    SourceName(Arc<str>),
    /// Standard input was given a name, but is not a source.
    #[error(
        "{name} names standard input, which is not a source; add - as a source, or leave out the name",
        name = printable::name(.0)
    )]
    NoStdin(Arc<str>),
    /// Two arguments name standard input: as a source, as an input to merge, or as the list of sources.
    #[error(
        "standard input can be read only once; name a file for the other use (./- for a file called -)"
    )]
    Stdin,
}

/// Displays " as OUTPUT" if an input and an output have different names.
struct OtherName<'n>(&'n str, &'n str);

impl fmt::Display for OtherName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == self.1 {
            Ok(())
        } else {
            write!(f, " as {}", printable::name(self.1))
        }
    }
}

/// Returns a glob that matches the last part of a name.
fn glob_of(name: &str) -> String {
    globset::escape(name.rsplit('/').next().unwrap_or(name))
}

/// An error with its source, document and offset, as far as they are known.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    source: Option<Arc<str>>,
    document: Option<Arc<str>>,
    offset: Option<u64>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Error {
            kind,
            source: None,
            document: None,
            offset: None,
        }
    }

    pub(crate) fn output(error: io::Error) -> Self {
        Error::new(ErrorKind::Output(error))
    }

    /// Adds the source.
    pub(crate) fn in_source(self, source: Arc<str>) -> Self {
        Error {
            source: Some(source),
            ..self
        }
    }

    /// Adds the document, if it has a name.
    pub(crate) fn in_document(self, document: impl Into<Option<Arc<str>>>) -> Self {
        Error {
            document: document.into(),
            ..self
        }
    }

    /// Adds the document, if it has a name, and the offset in its decoded bytes.
    pub(crate) fn at(self, document: Option<Arc<str>>, offset: u64) -> Self {
        Error {
            document,
            offset: Some(offset),
            ..self
        }
    }

    /// Returns the kind of error.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the name of the source that was being read.
    pub fn source_name(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Returns the name of the document that was being read, if it has one.
    pub fn document_name(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// Returns the offset in the decoded bytes of the document, if known.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Whether the only failure is that the reader of the output closed the pipe.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(&self.kind, ErrorKind::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<SpillError> for Error {
    fn from(error: SpillError) -> Self {
        Error::new(ErrorKind::Spill(error))
    }
}

/// Names are written as [`Printable`]. Long names are shortened in the middle.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in [&self.source, &self.document].into_iter().flatten() {
            write!(f, "{}: ", printable::name(name))?;
        }
        if let Some(offset) = self.offset {
            write!(f, "at byte {offset}: ")?;
        }
        write!(f, "{}", Printable(&self.kind))?;
        match &self.kind {
            ErrorKind::Input(error) => error.remedy().map_or(Ok(()), |what| write!(f, "; {what}")),
            _ => Ok(()),
        }
    }
}

/// The message of an error includes the messages of its sources, so print the error or its last source, not the whole chain.
impl std::error::Error for Error {
    /// Returns the error of the system, a codec or a format that caused this one, or `None`.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Input(error) => Some(error),
            ErrorKind::Records(error) => Some(error),
            ErrorKind::List(error) | ErrorKind::Output(error) | ErrorKind::Threads(error) => {
                Some(error)
            }
            ErrorKind::Glob(error) => Some(error),
            ErrorKind::Spill(error) => Some(error),
            ErrorKind::LeftOut(error) => Some(error),
            ErrorKind::Clash(error) => Some(error),
            ErrorKind::Table(error) => Some(error),
            ErrorKind::Fields(error) => Some(error),
            ErrorKind::Selection(error) => Some(error),
            ErrorKind::Checkpoint(_, error) => Some(error),
            ErrorKind::Known(error) => Some(error),
            ErrorKind::Check(error) => Some(error),
            ErrorKind::Diff(error) => Some(error),
            #[cfg(feature = "resolve")]
            ErrorKind::Resolve(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_a_cause_of_any_length_make_one_short_line() {
        let error = Error::output(io::Error::other("x\u{1b}[31m\ny"));
        let error = error.in_source("n".repeat(100_000).into()).to_string();
        assert!(
            error.ends_with(r": cannot write: x\u{1b}[31m\ny"),
            "{error}"
        );
        assert!(error.len() < 400, "{error}");
    }

    #[test]
    fn the_error_of_the_system_is_a_source() {
        let io = || io::Error::from_raw_os_error(28);
        let packed = InputError::Damaged {
            packing: doisift_documents::Packing::Gzip,
            error: io(),
        };
        let kinds = [
            ErrorKind::Output(io()),
            ErrorKind::Input(InputError::Io(io())),
            ErrorKind::Input(packed),
            ErrorKind::Spill(SpillError::io("run".as_ref(), io())),
            ErrorKind::Checkpoint("c".into(), CheckpointError::Io("f".into(), io()).into()),
        ];
        for kind in kinds {
            let error = Error::new(kind);
            let chain =
                std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
            let system = chain
                .last()
                .and_then(|cause| cause.downcast_ref::<io::Error>());
            let code = system.and_then(io::Error::raw_os_error);
            assert_eq!(code, Some(28), "{error:?}");
        }
        assert!(std::error::Error::source(&Error::new(ErrorKind::Cancelled)).is_none());
    }

    #[test]
    fn a_name_with_control_characters_stays_in_its_line() {
        let error = Error::output(io::ErrorKind::Other.into()).in_source("a\nb".into());
        let error = error.at(Some("c\u{1b}d\0".into()), 3).to_string();
        assert!(
            error.starts_with(r"a\nb: c\u{1b}d\u{0}: at byte 3: "),
            "{error}"
        );
    }
}
