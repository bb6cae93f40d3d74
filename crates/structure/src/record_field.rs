//! The fields of records that a run adds to its rows: the column, its type, and the path in the record.

use std::str::FromStr;

/// A field of records, parsed from an option: `/issued/date-parts/0/0`, `year=/issued/date-parts/0/0`,
/// `year:int=/issued/date-parts/0/0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// The column that the caller gives to the values.
    pub column: RecordColumn,
    /// The path of the values in records.
    pub path: RecordPath,
}

/// A column of rows that holds a field of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordColumn {
    /// The name of the column.
    pub name: Box<str>,
    /// The type of its values.
    pub kind: RecordType,
}

/// The path of a field in records: `/issued/date-parts/0/0`, `member`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPath {
    steps: Vec<Box<str>>,
}

/// Sound because a float is never NaN.
impl Eq for RecordValue {}

/// The values of the fields of a record, in the order in which they are wanted. `None` if the record has no value, null if the
/// value is not of the column's type.
pub type RecordFields = [Option<RecordValue>];

/// The type of a column that holds a field of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordType {
    /// Text.
    #[default]
    Text,
    /// A signed integer of 64 bits.
    Int,
    /// A finite floating-point number of 64 bits.
    Float,
    /// `true` or `false`.
    Bool,
}

/// A value of a field of records, converted to the type of its column.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RecordValue {
    /// The record has no value, or one of another type.
    #[default]
    Null,
    /// A text.
    Text(Box<str>),
    /// An integer.
    Int(i64),
    /// A finite number.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
}

/// The reason why a field of records cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadRecordField {
    /// A name on the path is empty.
    #[error("{0:?} is not the path of a field of records, such as type or /issued/date-parts/0/0")]
    Path(Box<str>),
    /// There is no such type.
    #[error(
        "{kind:?} in {field:?} is not a type of a column; write one of {types}, such as year:int=/issued/date-parts/0/0, or start a path that contains : or = with /",
        types = RecordType::listed()
    )]
    Type {
        /// The word given as a type.
        kind: Box<str>,
        /// The whole text of the field.
        field: Box<str>,
    },
}

impl FromStr for RecordField {
    type Err = BadRecordField;

    /// Reads `PATH`, `NAME=PATH` or `NAME:TYPE=PATH`. A text that starts with a slash is a path only.
    fn from_str(field: &str) -> Result<RecordField, BadRecordField> {
        let (column, path) = match named(field) {
            Some((name, kind, path)) => {
                let kind = kind.map_or(Ok(RecordType::Text), |kind| {
                    RecordType::named(kind).ok_or_else(|| BadRecordField::Type {
                        kind: kind.into(),
                        field: field.into(),
                    })
                });
                (RecordColumn::new(name, kind?), path)
            }
            None => (RecordColumn::new(field, RecordType::Text), field),
        };
        let path = path.parse().map_err(|_| BadRecordField::Path(field.into()));
        path.map(|path| RecordField { column, path })
    }
}

/// Splits a field into the name of its column, the word for its type, and its path. Returns `None` if it has no name: names have
/// letters, digits, `_` and `-`, unlike the text before the `=` of a condition in XML, which has a bracket.
fn named(field: &str) -> Option<(&str, Option<&str>, &str)> {
    let (column, path) = field.split_once('=')?;
    let (name, kind) = match column.split_once(':') {
        Some((name, kind)) => (name, Some(kind)),
        None => (column, None),
    };
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_of_name);
    (is_word(name) && kind.is_none_or(is_word)).then_some((name, kind, path))
}

impl RecordColumn {
    /// Creates a column with a name and a type.
    pub fn new(name: &str, kind: RecordType) -> Self {
        RecordColumn {
            name: name.into(),
            kind,
        }
    }

    /// Returns the name, with the type if that is not text.
    pub fn described(&self) -> String {
        match self.kind {
            RecordType::Text => self.name.to_string(),
            kind => format!("{}:{}", self.name, kind.name()),
        }
    }
}

/// Returns the value of the field with this number; null if the record has no value.
pub fn record_value(fields: Option<&RecordFields>, number: usize) -> &RecordValue {
    let value = fields.and_then(|fields| fields.get(number)?.as_ref());
    value.unwrap_or(&RecordValue::Null)
}

impl RecordType {
    const ALL: [RecordType; 4] = [
        RecordType::Text,
        RecordType::Int,
        RecordType::Float,
        RecordType::Bool,
    ];

    /// Returns the type with this word, or `None` if there is none.
    pub fn named(word: &str) -> Option<RecordType> {
        let mut all = RecordType::ALL.into_iter();
        all.find(|kind| kind.name() == word)
    }

    /// Returns the word for the type.
    pub fn name(self) -> &'static str {
        match self {
            RecordType::Text => "text",
            RecordType::Int => "int",
            RecordType::Float => "float",
            RecordType::Bool => "bool",
        }
    }

    /// Describes the values of the type, for messages.
    pub fn values(self) -> &'static str {
        match self {
            RecordType::Text => "texts",
            RecordType::Int => "whole numbers of 64 bits",
            RecordType::Float => "numbers",
            RecordType::Bool => "true or false",
        }
    }

    fn listed() -> String {
        RecordType::ALL.map(RecordType::name).join(", ")
    }

    /// Converts a text to a value of the type. Returns `None` if that is not possible. An integer may have a point and zeros
    /// after it, since some programs write all numbers as floating-point numbers.
    pub fn read(self, text: &str) -> Option<RecordValue> {
        let word = text.trim();
        match self {
            RecordType::Text => Some(RecordValue::Text(text.into())),
            RecordType::Int => whole(word).parse().ok().map(RecordValue::Int),
            RecordType::Float => {
                // Rust also parses words such as `NaN` and `inf`.
                let is_number = word.bytes().any(|byte| byte.is_ascii_digit());
                let number = word.parse().ok().filter(|_| is_number);
                let number = number.filter(|number: &f64| number.is_finite());
                number.map(RecordValue::Float)
            }
            RecordType::Bool if word.eq_ignore_ascii_case("true") => Some(RecordValue::Bool(true)),
            RecordType::Bool if word.eq_ignore_ascii_case("false") => {
                Some(RecordValue::Bool(false))
            }
            RecordType::Bool => None,
        }
    }
}

/// Returns a number without its fraction, if that has only zeros.
fn whole(number: &str) -> &str {
    match number.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => {
            whole
        }
        _ => number,
    }
}

/// A path with an empty name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecordPath;

impl FromStr for RecordPath {
    type Err = BadRecordPath;

    /// Reads a JSON pointer, with or without the slash at its start.
    fn from_str(path: &str) -> Result<RecordPath, BadRecordPath> {
        let steps = path.strip_prefix('/').unwrap_or(path).split('/');
        let steps = steps.map(|step| step.replace("~1", "/").replace("~0", "~").into());
        let steps: Vec<Box<str>> = steps.collect();
        match steps.iter().any(|step| step.is_empty()) {
            true => Err(BadRecordPath),
            false => Ok(RecordPath { steps }),
        }
    }
}

impl RecordPath {
    /// Returns the names on the path.
    pub(super) fn steps(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.steps.iter().map(|step| &**step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_a_path_that_may_have_a_name_and_a_type() {
        let cases = [
            ("type", "type", "type"),
            ("/a:int=b", "/a:int=b", "/a:int=b"),
            ("dc:date", "dc:date", "dc:date"),
            ("@id", "@id", "@id"),
            (
                "id[pub-id-type=pmid]",
                "id[pub-id-type=pmid]",
                "id[pub-id-type=pmid]",
            ),
            ("dc:date[a=b]", "dc:date[a=b]", "dc:date[a=b]"),
            ("year=/a/0", "year", "/a/0"),
            ("year:text=/a", "year", "/a"),
            ("year:int=/a=b", "year:int", "/a=b"),
            ("n_1-x:float=dc:n", "n_1-x:float", "dc:n"),
            ("open:bool=a", "open:bool", "a"),
        ];
        for (field, column, path) in cases {
            let read: RecordField = field.parse().unwrap();
            assert_eq!(read.column.described(), column, "{field}");
            assert_eq!(read.path, path.parse().unwrap(), "{field}");
        }
        for (field, wanted) in [
            ("year:year=/a", "\"year\" in \"year:year=/a\""),
            ("year:int=", "not the path"),
            ("a//b", "not the path"),
            ("", "not the path"),
        ] {
            let error = field.parse::<RecordField>().unwrap_err().to_string();
            assert!(error.contains(wanted), "{field}: {error}");
        }
    }

    #[test]
    fn a_text_is_a_value_of_a_type_or_none() {
        use RecordType::{Bool, Float, Int};

        let int = |number| Some(RecordValue::Int(number));
        let float = |number| Some(RecordValue::Float(number));
        let flag = |flag| Some(RecordValue::Bool(flag));
        let cases = [
            (Int, "2020", int(2020)),
            (Int, " -7 ", int(-7)),
            (Int, "007", int(7)),
            (Int, "2020.0", int(2020)),
            (Int, "9223372036854775807", int(i64::MAX)),
            (Int, "9223372036854775808", None),
            (Int, "2020.", None),
            (Int, "2020.5", None),
            (Int, "1e3", None),
            (Int, "c. 2020", None),
            (Int, "2019-2020", None),
            (Float, "0.5", float(0.5)),
            (Float, "-1e-3", float(-0.001)),
            (Float, "7", float(7.0)),
            (Float, "1e999", None),
            (Float, "NaN", None),
            (Float, "inf", None),
            (Float, "1,5", None),
            (Bool, "true", flag(true)),
            (Bool, "False", flag(false)),
            (Bool, "1", None),
            (Bool, "yes", None),
        ];
        for (kind, text, value) in cases {
            assert_eq!(kind.read(text), value, "{} {text}", kind.name());
        }
    }
}
