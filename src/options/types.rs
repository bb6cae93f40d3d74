//! The types of options: how values of each are read and shown.

use std::ffi::OsString;
use std::fmt::Display;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use doisift_core::TextKind;
use doisift_documents::Shard;

use super::size;
use super::spec::OptionKind;
use super::storage::StorageOptions;
use super::value::{BadOption, OptionValue};
use crate::error::SelectionError;
use crate::records::{Format, PartSize};
use doisift_structure::Role;

/// A type of one value of an option.
pub(crate) trait OptionType: Sized {
    const KIND: OptionKind;

    fn read(value: &OptionValue) -> Result<Self, BadOption>;

    fn shown(&self) -> OptionValue;
}

/// The field of a group that holds an option.
pub(crate) trait OptionField: Sized {
    const KIND: OptionKind;

    fn read(value: &OptionValue) -> Result<Self, BadOption>;

    fn shown(&self) -> OptionValue;
}

/// Parses a value from a text.
pub(crate) fn parsed<T: FromStr<Err: Display>>(value: &OptionValue) -> Result<T, BadOption> {
    let text = <String as OptionType>::read(value)?;
    text.parse()
        .map_err(|error: T::Err| BadOption::Value(error.to_string()))
}

impl<T: OptionType> OptionField for Option<T> {
    const KIND: OptionKind = T::KIND;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match value {
            OptionValue::Unset => Ok(None),
            _ => T::read(value).map(Some),
        }
    }

    fn shown(&self) -> OptionValue {
        self.as_ref().map_or(OptionValue::Unset, T::shown)
    }
}

/// A field that has a value even if it was not set.
impl<T: OptionType> OptionField for T {
    const KIND: OptionKind = T::KIND;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        <T as OptionType>::read(value)
    }

    fn shown(&self) -> OptionValue {
        OptionType::shown(self)
    }
}

impl OptionType for bool {
    const KIND: OptionKind = OptionKind::Flag;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match value {
            OptionValue::Flag(flag) => Ok(*flag),
            _ => Err(BadOption::Type("True or False")),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Flag(*self)
    }
}

impl OptionType for u64 {
    const KIND: OptionKind = OptionKind::Number;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match value {
            OptionValue::Number(number) => Ok(*number),
            _ => Err(BadOption::Type("a number")),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Number(*self)
    }
}

impl OptionType for usize {
    const KIND: OptionKind = OptionKind::Number;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        <u64 as OptionType>::read(value).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Number(*self as u64)
    }
}

impl OptionType for String {
    const KIND: OptionKind = OptionKind::Text;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match value {
            OptionValue::Text(text) => utf8(text),
            _ => Err(BadOption::Type("a text")),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(self.into())
    }
}

impl OptionType for Vec<String> {
    const KIND: OptionKind = OptionKind::List;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match value {
            OptionValue::List(list) => list.iter().map(utf8).collect(),
            _ => Err(BadOption::Type("a list of texts")),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::List(self.iter().map(OsString::from).collect())
    }
}

impl OptionType for StorageOptions {
    const KIND: OptionKind = OptionKind::Settings;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        let OptionValue::Settings(settings) = value else {
            return Err(BadOption::Type("texts by names"));
        };
        #[cfg(feature = "remote")]
        if let Some(name) = doisift_remote::unknown_setting(settings.settings()) {
            let message =
                format!("no store has a setting {name:?}; S3 has aws_region, for example");
            return Err(BadOption::Value(message));
        }
        Ok(settings.clone())
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Settings(self.clone())
    }
}

impl OptionType for Vec<Role> {
    const KIND: OptionKind = OptionKind::Items;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        let words = <Vec<String> as OptionType>::read(value)?;
        let role = |word: &String| {
            Role::named(word)
                .ok_or_else(|| BadOption::Value(SelectionError::Role(word.clone()).to_string()))
        };
        words.iter().map(role).collect()
    }

    fn shown(&self) -> OptionValue {
        OptionValue::List(self.iter().map(|role| role.name().into()).collect())
    }
}

fn utf8(text: &OsString) -> Result<String, BadOption> {
    let text = text.to_str().map(str::to_owned);
    text.ok_or_else(|| BadOption::Value("the text is not UTF-8".to_owned()))
}

impl OptionType for PathBuf {
    const KIND: OptionKind = OptionKind::Path;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match value {
            OptionValue::Text(path) => Ok(path.into()),
            _ => Err(BadOption::Type("a path")),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(self.into())
    }
}

impl OptionType for Range<u64> {
    const KIND: OptionKind = OptionKind::Pair;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match value {
            OptionValue::Pair(start, end) => Ok(*start..*end),
            _ => Err(BadOption::Type("a pair of numbers")),
        }
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Pair(self.start, self.end)
    }
}

/// `I/N`, or the pair of these.
impl OptionType for Shard {
    const KIND: OptionKind = OptionKind::Part;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        let shard = match value {
            OptionValue::Pair(..) => shard(&value.to_string()),
            _ => shard(&<String as OptionType>::read(value)?),
        };
        let expected = "not a shard; write I/N, with I from 0 and less than N, such as 0/4";
        shard.ok_or_else(|| BadOption::Value(expected.to_owned()))
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(self.to_string().into())
    }
}

/// Parses `I/N`.
fn shard(text: &str) -> Option<Shard> {
    // Checked because `parse` also accepts a sign.
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let number = |text: &str| is_number(text).then(|| text.parse().ok()).flatten();
    let (index, count) = text.split_once('/')?;
    Shard::new(number(index)?, number(count)?)
}

/// A size in bytes, or `source`.
impl OptionType for PartSize {
    const KIND: OptionKind = OptionKind::Parsed;

    fn read(value: &OptionValue) -> Result<Self, BadOption> {
        match value {
            OptionValue::Number(bytes) => Ok(PartSize::Bytes(*bytes)),
            OptionValue::Text(text) if text == "source" => Ok(PartSize::Source),
            _ => {
                let text = <String as OptionType>::read(value)?;
                let bytes = size::parse(&text, 1);
                bytes
                    .map(PartSize::Bytes)
                    .map_err(|bad| BadOption::Value(format!("{bad}; or it is `source`")))
            }
        }
    }

    fn shown(&self) -> OptionValue {
        match self {
            PartSize::Bytes(bytes) => OptionValue::Number(*bytes),
            PartSize::Source => OptionValue::Text("source".into()),
        }
    }
}

/// Implements `OptionType` for types that are parsed from a text. A line has the type, its kind, and the function that writes it
/// as text.
macro_rules! parsed_types {
    ($($type:ty, $kind:expr, $text:expr;)+) => {
        const _: () = {
            use crate::options::{BadOption, OptionKind, OptionType, OptionValue, parsed};

            $(impl OptionType for $type {
                const KIND: OptionKind = $kind;

                fn read(value: &OptionValue) -> Result<Self, BadOption> {
                    parsed(value)
                }

                fn shown(&self) -> OptionValue {
                    let text: fn(&$type) -> String = $text;
                    OptionValue::Text(text(self).into())
                }
            })+
        };
    };
}

parsed_types! {
    Format, OptionKind::Choice(|| names(Format::ALL, Format::name)), |format| format.name().to_owned();
    TextKind, OptionKind::Choice(|| names(TextKind::ALL, TextKind::name)), |kind| kind.name().to_owned();
}

/// Returns the words of a choice, without explanations.
fn names<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> Vec<(&'static str, &'static str)> {
    all.iter().map(|&one| (name(one), "")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_as_many_as_there_are() {
        let read = |text: &str| <Shard as OptionType>::read(&OptionValue::Text(text.into()));
        for text in ["0/1", "0/4", "3/4", "0/4294967295"] {
            let shard = read(text).map(|shard| shard.to_string());
            assert_eq!(shard.ok().as_deref(), Some(text));
        }
        for text in [
            "",
            "1",
            "/",
            "0/0",
            "4/4",
            "-1/4",
            "+1/4",
            "1/-4",
            "1/+4",
            "0/4294967296",
            "1/4/2",
            " 1/4",
            "a/b",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
