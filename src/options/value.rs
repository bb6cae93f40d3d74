//! Values of options, of any type, as they come from a command line or from Python, and as they are reported.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;

use doisift_documents::display_name;
use serde::ser::{Serialize, Serializer};

use super::storage::StorageOptions;

/// The value of an option. Its `Display` is the form in messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionValue {
    /// The option is not set.
    #[default]
    Unset,
    /// Whether something is done.
    Flag(bool),
    /// A number, or a size in bytes.
    Number(u64),
    /// Two numbers: the part and the number of parts, or the start and the end.
    Pair(u64, u64),
    /// A text, a path, or any other value as it is typed.
    Text(OsString),
    /// Several texts.
    List(Vec<OsString>),
    /// Texts by names. Only the names are shown.
    Settings(StorageOptions),
}

/// The reason why an option cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadOption {
    /// The task has no option of this name.
    #[error("there is no such option")]
    Unknown,
    /// The value has the wrong type.
    #[error("the value is not {0}")]
    Type(&'static str),
    /// No option can have this value.
    #[error("{0}")]
    Value(String),
}

impl OptionValue {
    /// Whether the option has a chosen value: it is not a false flag, and not empty.
    pub fn is_given(&self) -> bool {
        match self {
            OptionValue::Unset | OptionValue::Flag(false) => false,
            OptionValue::List(list) => !list.is_empty(),
            OptionValue::Text(text) => !text.is_empty(),
            OptionValue::Settings(settings) => settings.names().next().is_some(),
            _ => true,
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Unset => f.write_str("none"),
            OptionValue::Flag(flag) => flag.fmt(f),
            OptionValue::Number(number) => number.fmt(f),
            OptionValue::Pair(first, second) => write!(f, "{first}/{second}"),
            OptionValue::Text(text) => f.write_str(&display_name(Path::new(text))),
            OptionValue::List(list) if list.is_empty() => f.write_str("none"),
            OptionValue::List(list) => {
                let shown = list.iter().map(|text| display_name(Path::new(text)));
                f.write_str(&shown.collect::<Vec<_>>().join(","))
            }
            OptionValue::Settings(settings) => {
                f.write_str(&settings.names().collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl Serialize for OptionValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OptionValue::Unset => serializer.serialize_none(),
            OptionValue::Flag(flag) => serializer.serialize_bool(*flag),
            OptionValue::Number(number) => serializer.serialize_u64(*number),
            OptionValue::Pair(..) | OptionValue::Text(_) => serializer.collect_str(self),
            OptionValue::List(list) => {
                serializer.collect_seq(list.iter().map(|text| display_name(Path::new(text))))
            }
            OptionValue::Settings(settings) => serializer.collect_seq(settings.names()),
        }
    }
}
