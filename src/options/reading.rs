//! Options for reading documents.

use doisift_documents::ColumnSelection;

use super::spec::{OptionKind, Subject};
use super::types::{OptionType, parsed};
use super::value::{BadOption, OptionValue};

options! {
    /// Options for reading documents.
    reading: ReadingOptions, "Reading";

    /// Treat each line as a document, named by its number
    ///
    /// Numbers start at 1. By default a plain or packed file is one document.
    flag lines [Scan] { is_fixed: true, concerns: Subject::Texts }

    /// Treat all texts as this kind; csv, ssv (semicolons), tsv and psv (pipes) are tables in which a cell bounds a name, html is
    /// a web page, printed is text whose lines a layout broke, unknown is any other text
    value input_kind: doisift_core::TextKind [Scan] default "by the start of each text" {
        value: "KIND", is_fixed: true, concerns: Subject::OpenKinds,
    }

    /// Columns of tables to read, such as title,authors.name; the default is all strings and binary values of Parquet and Arrow
    /// files. With this option, rows of delimited text and JSON Lines are documents too
    ///
    /// The name of a column selects everything within it, including lists and structures. A name within the column follows after
    /// a full stop. A table without one of these columns is counted as an error, and the others are read. Other columns are not
    /// read at all.
    ///
    /// Tables are Parquet and Arrow files; and, once columns or an [`id_column`](Self::id_column) are set, delimited text whose
    /// head shows a table or has one of these columns, and JSON Lines. In these tables too, each row is a document, and each cell
    /// or string a separate text without its quotes or escapes. Texts that are not tables are read whole, and counted in a
    /// warning. A delimited table or JSON Lines is cut into rows by one thread, and scanned by all. A row of more than 1/64 of
    /// the [memory](Self::memory), or of 16 MiB, is counted as an error.
    list columns [Scan] { value: "COLUMN,...", is_fixed: true, concerns: Subject::Tables }

    /// Column of tables whose value names the document of a row
    ///
    /// Its values are strings or integers. If the value is null or empty, the row has the default name. A table without this
    /// column is counted as an error.
    text id_column [Scan] default "#row=N, N from 1" {
        value: "COLUMN", is_fixed: true, concerns: Subject::Tables,
    }

    /// Report and skip a damaged source, or fail without an output; a source named as an argument that cannot be opened is
    /// skipped only if this option is given
    ///
    /// Without this option, such a source fails the run before an output is created. A source that a list names is skipped.
    value on_error: crate::options::OnError [Scan BuildIndex] default "skip" { value: "WHAT" }
}

/// The handling of a damaged source or document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnError {
    /// The damage is reported and counted. Names before it are kept, and the run continues.
    #[default]
    Skip,
    /// The run fails, without an output.
    Fail,
}

impl ReadingOptions {
    /// Returns the columns of tables that are read. `edges` is set if rows have places in the structure of documents: then a row of
    /// a table is a record, unless columns are chosen.
    pub(crate) fn choice(&self, edges: bool) -> ColumnSelection {
        let cells = ColumnSelection {
            columns: self.columns.clone(),
            id: self.id_column.clone(),
            objects: false,
        };
        ColumnSelection {
            objects: edges && !cells.is_given(),
            ..cells
        }
    }
}

impl OptionType for OnError {
    const KIND: OptionKind = OptionKind::Choice(|| vec![("skip", ""), ("fail", "")]);

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match parsed::<String>(value)?.as_str() {
            "skip" => Ok(OnError::Skip),
            "fail" => Ok(OnError::Fail),
            other => Err(BadOption::Value(format!("{other:?}: choose skip or fail"))),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(match self {
            OnError::Skip => "skip".into(),
            OnError::Fail => "fail".into(),
        })
    }
}
