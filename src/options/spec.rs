//! The specification of options: everything except the fields that hold their values.

use std::path::Path;

use super::size;
use super::value::{BadOption, OptionValue};

/// A task of the library. Each has its type, its command and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Task {
    /// [`Scan`](crate::Scan), `doisift scan`.
    Scan,
    /// [`Merge`](crate::Merge), `doisift merge`.
    Merge,
    /// [`CleanTable`](crate::CleanTable), `doisift normalize`.
    CleanTable,
    /// [`BuildIndex`](crate::BuildIndex), `doisift index`.
    BuildIndex,
    /// [`Check`](crate::Check), `doisift check`.
    Check,
    /// [`Diff`](crate::Diff), `doisift diff`.
    Diff,
    /// `Resolve`, `doisift resolve`: with the feature `resolve`.
    Resolve,
}

/// An option of one or several tasks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct OptionSpec {
    /// Its name: the setter of a task and Python's keyword. The command writes `-` for `_`.
    pub name: &'static str,
    /// The documentation of the setter.
    pub doc: &'static str,
    /// The default in words; empty if none is stated.
    pub default: &'static str,
    /// The group of options that it belongs to, as a heading.
    pub heading: &'static str,
    /// The kind of its value.
    pub kind: OptionKind,
    /// The tasks that have it.
    pub tasks: &'static [Task],
    /// Its letter on the command line.
    pub short: Option<char>,
    /// Whether the command line has only the letter.
    pub has_no_long: bool,
    /// The name of its value in the help; empty for a flag.
    pub value: &'static str,
    /// The help that shows it.
    pub help: OptionHelp,
    /// The minimum number.
    pub min: u64,
    /// The option that must be given too; empty if there is none.
    pub requires: &'static str,
    /// The option that must not be given too; empty if there is none.
    pub conflicts: &'static str,
    /// Python's functions over a [`Scan`](crate::Scan) that have it.
    pub(crate) python: &'static [&'static str],
    /// Whether a resumed run must have the same value.
    pub(crate) is_fixed: bool,
    /// The kind of input that it concerns.
    pub(crate) concerns: Subject,
    /// Refuses a value that the field cannot have.
    pub(crate) check: fn(&OptionValue) -> Result<(), BadOption>,
}

/// The kind of an option's value.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum OptionKind {
    /// No value: the option is given or not.
    Flag,
    /// A whole number.
    Number,
    /// A number of bytes, such as `512M`.
    Size,
    /// A text.
    Text,
    /// A text in a notation of its own.
    Parsed,
    /// One of these words, each with its meaning.
    Choice(fn() -> Vec<(&'static str, &'static str)>),
    /// A text for each time that the option is given.
    Texts,
    /// Texts with commas between them, for each time that the option is given.
    Items,
    /// Texts with commas between them.
    List,
    /// Texts by names, of which only the names are shown.
    Settings,
    /// The path of a file or folder, which may not exist yet.
    Path,
    /// The path of a folder that exists.
    Folder,
    /// A program to run; an empty text means no program.
    Command,
    /// Two numbers.
    Pair,
    /// A part of the sources: `I/N`, or the pair of these.
    Part,
}

/// The help of the command that shows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionHelp {
    /// In the short help too.
    Short,
    /// Only in the whole help.
    Long,
    /// Not shown: it is for tests, or this build does not support it.
    Hidden,
    /// The command does not have it.
    Library,
}

/// The kind of input that an option concerns. The option has no effect on a run without such input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Every run.
    All,
    Tables,
    Folders,
    /// Files for which a command is run.
    Commands,
    /// Texts whose kind is not determined by their origin.
    OpenKinds,
    /// Texts that are not tables.
    Texts,
}

/// The options of a group, with their values.
pub(crate) trait OptionGroup: Default {
    /// The options in the order of the help.
    const SPECS: &'static [OptionSpec];

    /// Sets an option. Returns false if the group has no option of this name.
    fn set(&mut self, name: &str, value: &OptionValue) -> Result<bool, BadOption>;

    /// Returns the values of the options in their order.
    fn values(&self) -> Vec<OptionValue>;
}

/// Python's functions that read sources.
const READERS: &[&str] = &["scan", "iter_mentions", "iter_edges", "iter_records"];
/// Those that read objects of stores.
pub(crate) const OBJECTS: &[&str] = &[
    "scan",
    "iter_mentions",
    "iter_edges",
    "iter_records",
    "clean_table",
    "merge",
    "diff",
    "index",
    "check",
];
/// Those that give edges.
pub(super) const EDGES: &[&str] = &["scan", "iter_edges"];

impl OptionSpec {
    /// The values that most options have.
    pub(crate) const BASE: OptionSpec = OptionSpec {
        name: "",
        doc: "",
        default: "",
        heading: "",
        kind: OptionKind::Flag,
        tasks: &[],
        short: None,
        has_no_long: false,
        value: "",
        help: OptionHelp::Long,
        min: 0,
        requires: "",
        conflicts: "",
        python: READERS,
        is_fixed: false,
        concerns: Subject::All,
        check: |_| Ok(()),
    };

    /// Returns the name on the command line, without the leading `--`.
    pub fn long(&self) -> String {
        self.name.replace('_', "-")
    }

    /// Returns the first paragraph of the documentation, which is the help of the command.
    pub fn summary(&self) -> String {
        let lines = self.doc.lines().map(str::trim);
        let first: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
        first.join(" ")
    }

    /// Whether Python's `function` has the option. Functions of tasks other than scan have all options of their command.
    pub fn is_of(&self, function: &str) -> bool {
        let is_of_command = matches!(self.help, OptionHelp::Short | OptionHelp::Long);
        let has = |task: Task| is_of_command && self.tasks.contains(&task);
        match function {
            _ if self.python.contains(&function) => true,
            "index" => has(Task::BuildIndex),
            // Their rows are returned.
            "check" => has(Task::Check) && !matches!(self.name, "output" | "format"),
            "resolve" => has(Task::Resolve) && !matches!(self.name, "output" | "format" | "column"),
            "merge" => has(Task::Merge),
            "diff" => has(Task::Diff),
            "clean_table" => has(Task::CleanTable),
            _ => false,
        }
    }

    /// Converts a value to the kind of the option: numbers and sizes are read from texts.
    ///
    /// # Errors
    /// If the option cannot have this value.
    pub fn read(&self, value: OptionValue) -> Result<OptionValue, BadOption> {
        let value = match (self.kind, value) {
            (OptionKind::Number, OptionValue::Text(text)) => number(&text.to_string_lossy())?,
            (OptionKind::Size, OptionValue::Text(text)) => {
                let bytes = size::parse(&text.to_string_lossy(), self.min);
                OptionValue::Number(bytes.map_err(|bad| BadOption::Value(bad.to_string()))?)
            }
            (OptionKind::Texts | OptionKind::Items | OptionKind::List, OptionValue::Text(text)) => {
                OptionValue::List(vec![text])
            }
            (_, value) => value,
        };
        self.check_range(&value)?;
        (self.check)(&value).map(|()| value)
    }

    fn check_range(&self, value: &OptionValue) -> Result<(), BadOption> {
        match (self.kind, value) {
            (OptionKind::Number, &OptionValue::Number(number)) if number < self.min => {
                Err(BadOption::Value(format!("the minimum is {}", self.min)))
            }
            (OptionKind::Folder, OptionValue::Text(folder)) if !Path::new(folder).is_dir() => {
                Err(BadOption::Value(format!(
                    "the folder {value} does not exist; create it first"
                )))
            }
            _ => Ok(()),
        }
    }
}

fn number(text: &str) -> Result<OptionValue, BadOption> {
    // `parse` also accepts a sign.
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok()).flatten();
    number
        .map(OptionValue::Number)
        .ok_or_else(|| BadOption::Value("not a whole number".to_owned()))
}
