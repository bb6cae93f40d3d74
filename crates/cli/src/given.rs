//! Converts the options that the library declares for a task to arguments of clap.

use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use doisift::internal::{OptionHelp, OptionKind, OptionSpec, OptionTask, OptionValue};

/// The options of the task `T` that were given, for flattening into the arguments of its command.
#[derive(Debug)]
pub(crate) struct Given<T> {
    values: Vec<(&'static str, OptionValue)>,
    task: PhantomData<fn() -> T>,
}

impl<T: OptionTask> Given<T> {
    /// Returns the task with these options.
    pub(crate) fn apply(&self, task: T) -> anyhow::Result<T> {
        let set =
            |task: T, (name, value): &(&'static str, OptionValue)| task.set(name, value.clone());
        Ok(self.values.iter().try_fold(task, set)?)
    }

    /// Whether an option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns the path that an option was given.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        match self.value(name)? {
            OptionValue::Text(path) => Some(Path::new(path)),
            _ => None,
        }
    }

    fn value(&self, name: &str) -> Option<&OptionValue> {
        let named = self.values.iter().find(|(given, _)| *given == name);
        named.map(|(_, value)| value)
    }
}

impl<T: OptionTask> Args for Given<T> {
    fn augment_args(command: Command) -> Command {
        command.args(arguments::<T>().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: OptionTask> FromArgMatches for Given<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given =
            |spec: &&OptionSpec| matches.value_source(spec.name) == Some(ValueSource::CommandLine);
        let given = arguments::<T>().filter(is_given);
        Ok(Given {
            values: given
                .map(|spec| (spec.name, value(spec, matches)))
                .collect(),
            task: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the options that the command has, without those of the library alone.
fn arguments<T: OptionTask>() -> impl Iterator<Item = &'static OptionSpec> {
    let specs = T::options().into_iter();
    specs.filter(|spec| spec.help != OptionHelp::Library)
}

fn value(spec: &OptionSpec, matches: &ArgMatches) -> OptionValue {
    let mut typed = matches.get_raw(spec.name).into_iter().flatten();
    match spec.kind {
        OptionKind::Flag => OptionValue::Flag(true),
        OptionKind::Texts | OptionKind::Items | OptionKind::List => {
            OptionValue::List(typed.map(OsStr::to_owned).collect())
        }
        _ => OptionValue::Text(typed.next().unwrap_or_default().to_owned()),
    }
}

/// Converts an option to an argument of clap.
fn argument(spec: &'static OptionSpec) -> Arg {
    let mut arg = Arg::new(spec.name)
        .help(short_help(spec))
        .long_help(help(spec))
        .hide_possible_values(long_choice(spec).is_some())
        .help_heading(spec.heading)
        .hide(spec.help == OptionHelp::Hidden)
        .hide_short_help(spec.help != OptionHelp::Short);
    if let Some(short) = spec.short {
        arg = arg.short(short);
    }
    if !spec.has_no_long {
        arg = arg.long(spec.long());
    }
    if !spec.requires.is_empty() {
        arg = arg.requires(spec.requires);
    }
    if !spec.conflicts.is_empty() {
        arg = arg.conflicts_with(spec.conflicts);
    }
    if matches!(spec.kind, OptionKind::Flag) {
        return arg.action(ArgAction::SetTrue);
    }
    let arg = arg.value_name(spec.value).value_parser(parser(spec));
    match spec.kind {
        OptionKind::Texts => arg.action(ArgAction::Append),
        OptionKind::Folder => arg.value_hint(ValueHint::DirPath),
        OptionKind::Command => arg.value_hint(ValueHint::CommandName),
        OptionKind::Items | OptionKind::List => arg.action(ArgAction::Append).value_delimiter(','),
        _ => arg,
    }
}

/// Returns the first clause of the help: a line. Conditions and the default come after it.
fn short_help(spec: &OptionSpec) -> String {
    let mut help = spec.summary();
    help.truncate(help.find(';').unwrap_or(help.len()));
    help
}

fn help(spec: &OptionSpec) -> String {
    let mut help = spec.summary();
    if let Some(words) = long_choice(spec) {
        help += &format!(": {words}");
    }
    match spec.default {
        "" => help,
        default => format!("{help} [default: {default}]"),
    }
}

/// Returns the words of a choice, if they are too many for the line of the option in the short help.
fn long_choice(spec: &OptionSpec) -> Option<String> {
    const MAX_BYTES: usize = 50;
    let OptionKind::Choice(words) = spec.kind else {
        return None;
    };
    let words: Vec<&str> = words().into_iter().map(|(word, _)| word).collect();
    Some(words.join(", ")).filter(|words| words.len() > MAX_BYTES)
}

/// Creates a parser that refuses invalid values of the option, and keeps valid ones as text.
fn parser(spec: &'static OptionSpec) -> ValueParser {
    match spec.kind {
        OptionKind::Path => ValueParser::path_buf(),
        OptionKind::Command => ValueParser::os_string(),
        OptionKind::Choice(words) => {
            let words = words().into_iter().map(|(name, meaning)| {
                let word = PossibleValue::new(name);
                if meaning.is_empty() {
                    word
                } else {
                    word.help(meaning)
                }
            });
            PossibleValuesParser::new(words).into()
        }
        _ => ValueParser::new(move |text: &str| {
            let value = OptionValue::Text(OsString::from(text));
            spec.read(value).map(|_| text.to_owned())
        }),
    }
}
