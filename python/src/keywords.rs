//! Messages of the library in the words of Python: keywords where the command has arguments.

use std::sync::OnceLock;

use doisift::{OptionKind, OptionSpec};

use crate::options;

/// The message with a keyword in the place of each argument of the command: `in_place=True` for `--in-place`, `context=100` for
/// `--context 100`.
pub(crate) fn keywords(message: &str) -> String {
    let (mut worded, mut rest) = (String::with_capacity(message.len()), message);
    while let Some(at) = rest.find('-') {
        let (before, argument) = rest.split_at(at);
        worded.push_str(before);
        let is_apart = !worded.ends_with(|c: char| c.is_alphanumeric() || "-/\\".contains(c));
        let found = is_apart.then(|| option(argument)).flatten();
        let length = found.map_or(1, |(spec, length)| {
            let (keyword, length) = keyword(spec, argument, length);
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

/// The option that a text begins with, and how long its argument is.
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
    let found = ALL.get_or_init(options::all).iter().find(is_named);
    found.map(|spec| (*spec, argument.len()))
}

/// The keyword for an argument of this length at the start of `text`, and the length of that with its value.
fn keyword(spec: &OptionSpec, text: &str, length: usize) -> (String, usize) {
    let name = spec.name;
    if matches!(spec.kind, OptionKind::Flag) {
        return (format!("`{name}=True`"), length);
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
            (format!("`{name}={given}`"), length + 1 + value.len())
        }
        None => (format!("`{name}`"), length),
    }
}

/// The value after an argument, if what follows is one, and not more of the sentence.
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
            assert_eq!(keywords(message), worded);
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
            assert_eq!(keywords(message), message);
        }
    }
}
