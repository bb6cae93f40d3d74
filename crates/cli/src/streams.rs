//! Standard streams in the place of files.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::bail;
use doisift::Format;

/// Whether an argument stands for standard input or output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// # Errors
/// If a binary format would be written to a terminal.
pub(crate) fn check_terminal(format: Format, output: Option<&Path>) -> anyhow::Result<()> {
    if format.name() == "parquet" && output.is_none() && io::stdout().is_terminal() {
        bail!(
            "Parquet is binary, and standard output is a terminal; name a file: -o records.parquet"
        );
    }
    Ok(())
}
