//! Sets the options of a task from arguments of R. The library has their names and types.

use std::ffi::OsString;
use std::fmt::Display;

use doisift::internal::{BadOption, Keywords, OptionKind, OptionSpec, OptionTask, OptionValue};
use extendr_api::prelude::*;

use crate::Answer;

/// Formats a message of the library with R's keywords.
pub(crate) fn worded(message: impl Display) -> String {
    Keywords::R.word(&message.to_string())
}

/// Sets all options that are not `NULL`. `function` is the function of the Python package that has the same options.
///
/// # Errors
/// If there is no such option, or a value has the wrong type or is not allowed. Options that contradict each
/// other are found when the task runs.
pub(crate) fn apply<T: OptionTask>(mut task: T, function: &str, given: &List) -> Answer<T> {
    let specs = T::options();
    for (name, given) in given.iter() {
        if given.is_null() {
            continue;
        }
        let named = |error: BadOption| format!("{name}: {}", worded(error));
        let own = |spec: &&&OptionSpec| spec.name == name && spec.is_of(function);
        let spec = specs.iter().find(own);
        let spec = spec.ok_or_else(|| named(BadOption::Unknown))?;
        let value = value(spec, &given).ok_or_else(|| format!("{name}: {}", wanted(spec)))?;
        task = task.set(name, value).map_err(named)?;
    }
    Ok(task)
}

/// Converts a value of R to a value of the option. Returns `None` if it has the wrong type.
fn value(spec: &OptionSpec, given: &Robj) -> Option<OptionValue> {
    let one = |text: Option<OsString>| text.map(OptionValue::Text);
    match spec.kind {
        OptionKind::Flag => given.as_bool().map(OptionValue::Flag),
        OptionKind::Number => number(given),
        OptionKind::Size => number(given).or_else(|| one(text(given))),
        OptionKind::Pair => pair(given),
        OptionKind::Part => pair(given).or_else(|| one(text(given))),
        OptionKind::Texts | OptionKind::Items | OptionKind::List => {
            let texts = given.as_str_iter()?;
            let texts = texts.map(|text| (!text.is_na()).then(|| text.into()));
            texts
                .collect::<Option<Vec<OsString>>>()
                .map(OptionValue::List)
        }
        _ => one(text(given)),
    }
}

fn text(given: &Robj) -> Option<OsString> {
    given
        .as_str()
        .filter(|text| !text.is_na())
        .map(OsString::from)
}

fn number(given: &Robj) -> Option<OptionValue> {
    whole(given.as_real()?).map(OptionValue::Number)
}

/// Converts a double to an integer. R has large whole numbers as doubles.
fn whole(number: f64) -> Option<u64> {
    let is_whole = number.fract() == 0.0 && (0.0..1.0e15).contains(&number);
    is_whole.then_some(number as u64)
}

fn pair(given: &Robj) -> Option<OptionValue> {
    let numbers = given.as_real_vector()?;
    match numbers[..] {
        [first, second] => Some(OptionValue::Pair(whole(first)?, whole(second)?)),
        _ => None,
    }
}

/// Returns the part of a message that says which values an option takes.
fn wanted(spec: &OptionSpec) -> &'static str {
    match spec.kind {
        OptionKind::Flag => "TRUE or FALSE is wanted",
        OptionKind::Number => "a whole number is wanted",
        OptionKind::Size => "a number of bytes is wanted, or a text such as \"512M\"",
        OptionKind::Texts | OptionKind::Items | OptionKind::List => "a character vector is wanted",
        OptionKind::Pair => "two whole numbers are wanted",
        OptionKind::Part => "two whole numbers are wanted, or a text such as \"0/4\"",
        _ => "a text is wanted",
    }
}
