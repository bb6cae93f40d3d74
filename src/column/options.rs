//! The options of names, and of tables with columns of them.

use doisift_core::UrlEncoding;
use doisift_tables::{Charset, TableFormat};

use crate::normalize::Presentation;
use crate::options::{BadOption, OptionHelp, OptionKind, OptionType, OptionValue, parsed};

options! {
    /// The columns of names.
    columns: ColumnOptions, "Tables";

    /// Clean this column of the tables FILE; its name in the header or its number from 1, or in JSON Lines and in an array of
    /// JSON objects the name of a member, or a JSON pointer such as /ids/doi. Repeat the option for more columns
    ///
    /// A header has it if it is equal but for case and white space around it. Without any column, each line of the inputs is a
    /// text, for which a line with the name, or an empty one, is written.
    texts column [CleanTable] {
        kind: OptionKind::Texts, short: Some('c'), value: "COLUMN", help: OptionHelp::Short,
    }

    /// Replace the names in the columns, and add no columns; a refused cell, or one with several names, stays as it is
    ///
    /// So does a cell with a refused name among several. By default, columns for the clean name, the status and the reason are
    /// added after the others.
    flag in_place [CleanTable] { requires: "column", help: OptionHelp::Short }

    /// Name of the column for clean names, one for each --column; the columns for status and reason have it too, with _status and
    /// _reason
    texts new_column [CleanTable] default "doi_clean, doi_status, doi_reason; with several --column, each one's own name instead of doi" {
        kind: OptionKind::Texts, value: "NAME", requires: "column", conflicts: "in_place",
    }

    /// Accept several names in a cell; between them are ; , | white space, `and` or `&`, or they are a list of quoted texts. The
    /// separators are kept, a repeated name is written once, and text that is not a list of names is refused
    ///
    /// The words `and`, `or`, `&`, `+` and `/` separate two names, and the quotes of a list `["…", "…"]` do; in JSON Lines, a list of
    /// strings holds several.
    flag multiple [CleanTable] { requires: "column", help: OptionHelp::Short }
}

options! {
    /// How tables are read and written.
    ///
    /// ```
    /// use doisift::{CleanTable, TableOptions};
    ///
    /// let table = TableOptions { no_header: true, ..TableOptions::default() };
    /// let clean = CleanTable::new().input("list.csv").table(table).column("2").output("clean.csv");
    /// ```
    value TableOptions, "Tables", [CleanTable];

    /// Format of the tables; csv, ssv (semicolons), tsv, psv (pipes) or jsonl
    input_format: Option<TableFormat>, default "by the start of each table", {
        value: "FORMAT", requires: "column",
    }

    /// Character between cells, or tab
    delimiter: Option<char>, default "by the start of the table", {
        value: "CHARACTER", requires: "column", conflicts: "input_format",
    }

    /// The tables have no header; each --column is a number
    no_header: bool, { requires: "column" }

    /// Encoding of tables without a byte order mark; utf-8, windows-1252, macintosh, shift_jis, utf-16le or any other label of
    /// the Encoding Standard
    input_encoding: Option<Charset>, default "utf-8, or windows-1252 where the head of a table is not UTF-8", {
        value: "NAME", requires: "column",
    }

    /// Encoding to write
    ///
    /// A new name or reason that it cannot hold is refused or escaped; any other character that it lacks ends the run.
    output_encoding: Option<Charset>, default "that of the first table", {
        value: "NAME", requires: "column",
    }

    /// Write a byte order mark, even if the first table has none
    ///
    /// It only has an effect on UTF-8, UTF-16 and UTF-32.
    bom: bool, { requires: "column" }

    /// Max size of a row of a table, e.g. 1G
    ///
    /// A number of bytes, since a row is held in memory. For lines that are a text each the default is 16 MiB. A longer line is
    /// refused; a longer row of a table ends the run.
    max_row: Option<usize>, default "256M", { kind: OptionKind::Size, value: "SIZE", requires: "column" }
}

options! {
    /// How texts are read as names, and how names are written.
    names: NameOptions, "Names";

    /// Form of the written names
    plain to: crate::normalize::Presentation [CleanTable] default "key" { value: "FORM", help: OptionHelp::Short }

    /// Characters that `--to url` encodes; those that must be encoded, or also those for which it is recommended
    named encode: Option<UrlEncoding> [CleanTable] default "mandatory" { value: "RULES" }

    /// Refuse names that ANSI/NISO Z39.84 reserves; their suffix starts with a single character and "/"
    flag strict [CleanTable] {}

    /// Clean dirty data, such as /full or (2006) after a name; a text from which another name would be cut gives an empty line, a
    /// reason, and exit code 1
    ///
    /// This is [`clean()`](crate::clean()). A cell in which it would cut another name is
    /// counted as `several`.
    ///
    /// With --known, a change counts only if the name that is left is known and no other one that could be meant is.
    flag clean [CleanTable] { help: OptionHelp::Short }
}

impl NameOptions {
    /// Returns the form in which names are written.
    pub(super) fn presentation(&self) -> Presentation {
        match (self.to, self.encode) {
            (Presentation::Url(_), Some(encoding)) => Presentation::Url(encoding),
            (form, _) => form,
        }
    }
}

/// Reads one ASCII character, or `tab`.
impl OptionType for char {
    const KIND: OptionKind = OptionKind::Parsed;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match parsed::<String>(value)?.as_bytes() {
            b"tab" | b"\\t" => Ok('\t'),
            [byte] => Ok(char::from(*byte)),
            _ => Err(BadOption::Value(
                "not a delimiter; write one ASCII character, or tab".to_owned(),
            )),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(self.to_string().into())
    }
}

/// Forms with their names and descriptions.
const FORMS: [(&str, &str, Presentation); 6] = [
    (
        "name",
        "The decoded name, its case kept",
        Presentation::Name,
    ),
    (
        "key",
        "The decoded name in ASCII lower case, the same for all equivalent names",
        Presentation::Key,
    ),
    (
        "doi-uri",
        "The doi URI, as doi:10.1000/a%2Fb",
        Presentation::DoiUri,
    ),
    (
        "url",
        "The URL of the proxy doi.org",
        Presentation::Url(UrlEncoding::Mandatory),
    ),
    (
        "urn",
        "The URN, as urn:doi:10.1000:a%2Fb",
        Presentation::Urn,
    ),
    ("api", "The URL of the proxy's REST API", Presentation::Api),
];

impl OptionType for Presentation {
    const KIND: OptionKind =
        OptionKind::Choice(|| FORMS.map(|(name, meaning, _)| (name, meaning)).into());

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        let name = parsed::<String>(value)?;
        let named = FORMS.iter().find(|(known, ..)| *known == name);
        let form = named.map(|(.., form)| *form);
        form.ok_or_else(|| BadOption::Value(format!("{name:?} is not a form of names")))
    }

    fn shown(&self) -> OptionValue {
        let is_same =
            |form: &Presentation| std::mem::discriminant(form) == std::mem::discriminant(self);
        let named = FORMS.iter().find(|(.., form)| is_same(form));
        named.map_or(OptionValue::Unset, |(name, ..)| {
            OptionValue::Text(name.into())
        })
    }
}

// The DOI Handbook has a table of mandatory and one of recommended encodings.
impl OptionType for UrlEncoding {
    const KIND: OptionKind = OptionKind::Choice(|| vec![("mandatory", ""), ("recommended", "")]);

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match parsed::<String>(value)?.as_str() {
            "mandatory" => Ok(UrlEncoding::Mandatory),
            "recommended" => Ok(UrlEncoding::Recommended),
            other => Err(BadOption::Value(format!(
                "{other:?}: choose mandatory or recommended"
            ))),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(match self {
            UrlEncoding::Recommended => "recommended".into(),
            _ => "mandatory".into(),
        })
    }
}

parsed_types! {
    TableFormat, OptionKind::Parsed, |format| format.name();
    Charset, OptionKind::Parsed, |charset| charset.name().to_owned();
}
