//! The options of all tasks. Each is declared once, in the file of its group, with `options!` of `declare.rs`: its name, type,
//! documentation, default and tasks. This row generates the field that the task reads, the setter of the builder, the argument of
//! the command with its help, Python's keyword, the member of the report, and the comparison with the options of an interrupted
//! run.
//!
//! The first paragraph of the documentation is the help of the command; further ones are for users of the library only. The
//! options of tables are in `column/options.rs`, since only that module knows their types.

#[macro_use]
mod declare;
#[macro_use]
mod forms;
#[macro_use]
mod header;
#[macro_use]
mod limits;
#[macro_use]
mod lookup;
#[macro_use]
mod output;
#[macro_use]
mod reading;
#[macro_use]
mod registry;
mod reported;
#[macro_use]
mod resources;
#[macro_use]
mod selection;
mod size;
#[macro_use]
mod sources;
mod spec;
#[macro_use]
mod types;
mod age;
mod value;

pub use age::Age;
pub use reading::OnError;
pub use spec::{OptionBuilder, OptionHelp, OptionKind, OptionSpec, Task};
pub use value::{BadOption, OptionValue};

pub(crate) use forms::FormOptions;
pub(crate) use header::HeaderOptions;
pub(crate) use limits::LimitOptions;
pub(crate) use lookup::LookupOptions;
pub(crate) use output::OutputOptions;
pub(crate) use reading::ReadingOptions;
pub(crate) use registry::RegistryOptions;
pub(crate) use reported::{OptionValues, reported, reported_paths, stated};
pub(crate) use resources::ResourceOptions;
pub(crate) use selection::SelectionOptions;
pub(crate) use sources::SourceOptions;
pub(crate) use spec::{OptionGroup, Subject};
pub(crate) use types::{OptionField, OptionType, parsed};
