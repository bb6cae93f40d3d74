//! Puts the keywords of a programming language into messages, in place of the command's arguments.

use std::sync::OnceLock;

use crate::options::{OptionKind, OptionSpec, OptionTask};
use crate::{BuildIndex, Check, CleanTable, Diff, Merge, Scan};

/// Language whose keywords messages use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keywords {
    /// `in_place=True`.
    Python,
    /// `in_place = TRUE`.
    R,
}

impl Keywords {
    /// Replaces each argument of the command in a message by the keyword: in Python `in_place=True` for `--in-place`, and
    /// `context=100` for `--context 100`.
    ///
    /// ```
    /// use doisift::internal::Keywords;
    ///
    /// let message = "leave out --in-place, or give --context 100";
    /// let worded = Keywords::R.word(message);
    /// assert_eq!(worded, "leave out `in_place = TRUE`, or give `context = 100`");
    /// ```
    pub fn word(self, message: &str) -> String {
        word(self, message)
    }

    /// Formats an option with its value, or with true if it has none.
    fn option(self, name: &str, value: Option<&str>) -> String {
        match self {
            Keywords::Python => format!("`{name}={}`", value.unwrap_or("True")),
            Keywords::R => format!("`{name} = {}`", value.unwrap_or("TRUE")),
        }
    }
}

fn word(words: Keywords, message: &str) -> String {
    let (mut worded, mut rest) = (String::with_capacity(message.len()), message);
    while let Some(at) = rest.find('-') {
        let (before, argument) = rest.split_at(at);
        worded.push_str(before);
        let is_apart = !worded.ends_with(|c: char| c.is_alphanumeric() || "-/\\".contains(c));
        let found = is_apart.then(|| option(argument)).flatten();
        let length = found.map_or(1, |(spec, length)| {
            let (keyword, length) = keyword(words, spec, argument, length);
            worded.push_str(&keyword);
            length
        });
        if found.is_none() {
            worded.push('-');
        }
        rest = &argument[length..];
    }
    worded + rest
}

/// Returns the option whose argument `text` starts with, and the length of the argument.
fn option(text: &str) -> Option<(&'static OptionSpec, usize)> {
    static ALL: OnceLock<Vec<&'static OptionSpec>> = OnceLock::new();
    let end = text.find(|c: char| !c.is_ascii_lowercase() && c != '-');
    let argument = &text[..end.unwrap_or(text.len())];
    let is_named = |spec: &&&OptionSpec| match argument.strip_prefix("--") {
        Some(name) => spec.long() == name,
        None => spec
            .short
            .is_some_and(|letter| argument[1..] == *letter.encode_utf8(&mut [0; 4])),
    };
    let found = ALL.get_or_init(all).iter().find(is_named);
    found.map(|spec| (*spec, argument.len()))
}

/// Returns the options of all tasks, with repetitions.
fn all() -> Vec<&'static OptionSpec> {
    let options = [
        Scan::options(),
        CleanTable::options(),
        Merge::options(),
        Diff::options(),
        BuildIndex::options(),
        Check::options(),
        #[cfg(feature = "resolve")]
        crate::Resolve::options(),
    ];
    options.concat()
}

/// Returns the keyword for the argument of this length at the start of `text`, and the length of the argument with its value.
fn keyword(words: Keywords, spec: &OptionSpec, text: &str, length: usize) -> (String, usize) {
    let name = spec.name;
    if matches!(spec.kind, OptionKind::Flag) {
        return (words.option(name, None), length);
    }
    match value(spec, &text[length..]) {
        Some(value) => {
            let given = value.trim_matches('\'');
            let is_number = given.bytes().all(|byte| byte.is_ascii_digit());
            let given = if is_number {
                given.to_owned()
            } else {
                format!("{given:?}")
            };
            (words.option(name, Some(&given)), length + 1 + value.len())
        }
        None => (format!("`{name}`"), length),
    }
}

/// Returns the value after an argument, or `None` if the sentence continues instead.
fn value<'m>(spec: &OptionSpec, rest: &'m str) -> Option<&'m str> {
    let rest = rest.strip_prefix(' ')?;
    let end = match rest.strip_prefix('\'') {
        Some(quoted) => quoted.find('\'')? + 2,
        None => rest.find([' ', ',', ';', ':', ')']).unwrap_or(rest.len()),
    };
    let word = &rest[..end];
    let is_value = match spec.kind {
        OptionKind::Choice(words) => words().iter().any(|(name, _)| *name == word),
        OptionKind::Number | OptionKind::Size => word.starts_with(|c: char| c.is_ascii_digit()),
        _ => word.contains(['.', '/', '\'']),
    };
    is_value.then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_keywords() {
        for (message, worded) in [
            ("leave out --in-place: it", "leave out `in_place=True`: it"),
            ("such as --context 100", "such as `context=100`"),
            ("allows more (--memory)", "allows more (`memory`)"),
            (
                "and --on-error fail allows none",
                "and `on_error=\"fail\"` allows none",
            ),
            ("--column names the one", "`column` names the one"),
            (
                "a folder (-o rows/), or -o",
                "a folder (`output=\"rows/\"`), or `output`",
            ),
            ("(--exclude 'a b.gz')", "(`exclude=\"a b.gz\"`)"),
            ("give --known known.doix", "give `known=\"known.doix\"`"),
        ] {
            assert_eq!(Keywords::Python.word(message), worded);
        }
    }

    #[test]
    fn other_text_is_left_as_it_is() {
        for message in [
            "",
            "soffice --headless x",
            "zip -s 0",
            "a--mentions",
            "10.5555/a-o",
            "x/--lines",
            "- -- --",
        ] {
            assert_eq!(Keywords::Python.word(message), message);
        }
    }
}
