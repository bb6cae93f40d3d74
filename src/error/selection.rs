//! Reasons why rows cannot be selected.

use doisift_core::ParseError;
use doisift_documents::printable;

use doisift_structure::BadRecordField;

/// Reason why rows cannot be selected with these options.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SelectionError {
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
    /// A list that came from a service has a path.
    #[error(
        "it names {}, which is no address; a list at an address chooses no files of this machine, so complete its names with --base, or download the list",
        printable::name(.0)
    )]
    ListedPath(Box<str>),
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
    /// The path of the identifier in records is not valid.
    #[error(transparent)]
    RecordId(#[from] ParseError),
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
