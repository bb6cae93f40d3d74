//! The options of all tasks. Each is declared once, in the file of its group, with `options!` of `declare.rs`: its name, type,
//! documentation, default and tasks. This row generates the field that the task reads, the setter of the task, the argument of
//! the command with its help, Python's keyword, the member of the report, and the comparison with the options of an interrupted
//! run. A task is declared with `task!`, which lists its groups.
//!
//! The first paragraph of the documentation is the help of the command; further ones are for users of the library only. The
//! options of tables are in `column/options.rs`, since only that module knows their types.

#[macro_use]
mod declare;
mod forms;
mod header;
mod limits;
mod lookup;
mod output;
mod reading;
mod registry;
mod reported;
mod resources;
mod selection;
mod size;
mod sources;
mod spec;
mod storage;
#[macro_use]
mod types;
mod age;
mod by_name;
mod value;

pub use by_name::{ChosenOptions, OptionTask};
pub use limits::Limits;
pub use reading::OnError;
pub use registry::Registry;
pub use reported::ReportedOptions;
pub use selection::Edges;
pub use sources::Folders;
pub use spec::{OptionHelp, OptionKind, OptionSpec, Task};
pub use storage::StorageOptions;
pub use value::{BadOption, OptionValue};

pub(crate) use forms::FormOptions;
pub(crate) use header::HeaderOptions;
pub(crate) use lookup::LookupOptions;
pub(crate) use output::OutputOptions;
pub(crate) use reading::ReadingOptions;
pub(crate) use registry::AskingOptions;
pub(crate) use reported::{GivenOptions, reported_paths, stated};
pub(crate) use resources::{MIN_MEMORY_BYTES, ResourceOptions};
pub(crate) use selection::{RowOptions, SelectionOptions};
pub(crate) use sources::{ListOptions, SourceOptions};
pub(crate) use spec::{OBJECTS, OptionGroup, Subject};
pub(crate) use types::{OptionField, OptionType, parsed};
