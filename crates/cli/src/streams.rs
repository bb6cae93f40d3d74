//! Standard streams in the place of files.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::bail;
use doisift::internal::{ChosenOptions, OptionTask, OptionValue};

use crate::given::Given;

/// Whether an argument stands for standard input or output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns the file of the rows. `None` if they go to standard output.
pub(crate) fn named_output<T: OptionTask>(options: &Given<T>) -> Option<&Path> {
    options.path("output").filter(|path| !is_dash(path))
}

/// # Errors
/// If a binary format would be written to a terminal.
pub(crate) fn check_terminal(chosen: &ChosenOptions) -> anyhow::Result<()> {
    let value = |name| chosen.reported.get(name);
    let is_binary = value("format") == Some(&OptionValue::Text("parquet".into()));
    let has_file = value("output").is_some_and(OptionValue::is_given);
    if is_binary && !has_file && io::stdout().is_terminal() {
        bail!(
            "Parquet is binary, and standard output is a terminal; name a file: -o records.parquet"
        );
    }
    Ok(())
}
