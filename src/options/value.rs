//! Values of options, of any type, as they come from a command line or from Python, and as they are reported.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use doisift_documents::display_name;
use serde::ser::{Serialize, Serializer};

use super::spec::OptionSpec;

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
}

/// Options by their names.
pub(crate) type OptionValues = BTreeMap<&'static str, OptionValue>;

/// Returns the values of options for a report, without those that have a member of their own there.
pub(crate) fn reported(options: &[(&'static OptionSpec, OptionValue)]) -> OptionValues {
    const OWN: [&str; 5] = ["output", "format", "fields", "threads", "memory"];
    let others = options.iter().filter(|(spec, _)| !OWN.contains(&spec.name));
    others
        .map(|(spec, value)| (spec.name, value.clone()))
        .collect()
}

/// Returns the values of options that were given and affect the rows, for the manifest of parts.
pub(crate) fn stated(options: &[(&'static OptionSpec, OptionValue)]) -> OptionValues {
    let is_stated = |spec: &OptionSpec, value: &OptionValue| {
        !matches!(spec.heading, "Resources" | "Output") && value.is_given()
    };
    let stated = options
        .iter()
        .filter(|(spec, value)| is_stated(spec, value));
    stated
        .map(|(spec, value)| (spec.name, value.clone()))
        .collect()
}

/// Returns the names of paths for a report.
pub(crate) fn reported_paths<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<String> {
    let names = paths.into_iter().map(|path| display_name(path));
    names.map(Cow::into_owned).collect()
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
        }
    }
}
