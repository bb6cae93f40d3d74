//! Conflicts between inputs and outputs.

use std::fmt;
use std::sync::Arc;

use doisift_documents::printable;

/// Conflict between inputs and outputs of a run.
///
/// Inputs are named as in [`ScanReport`](crate::ScanReport)s. Conflicts are found before anything is read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClashError {
    /// An output would overwrite a file that was named to be read: a source, or a list of sources.
    #[error("{input} is read, and would be overwritten{output}; write to another file",
        input = printable::name(input), output = OtherName(input, output))]
    Input {
        /// The name of the input.
        input: Arc<str>,
        /// The output as typed.
        output: Arc<str>,
    },
    /// An output would overwrite a file below a folder that is read. That file may be the output of an earlier run.
    #[error("{input} is in a folder that is read, and would be overwritten{output}; leave it out (--exclude '{glob}'), \
        or write to another file",
        input = printable::name(input), output = OtherName(input, output), glob = printable::name(&glob_of(input)))]
    Found {
        /// The name of the input.
        input: Arc<str>,
        /// The output as typed.
        output: Arc<str>,
    },
    /// The rows and the report would go to one file.
    #[error("the rows and the report would both go to {output}; write one of them to another file", output = printable::name(.0))]
    Outputs(Arc<str>),
    /// An output has the name of a file that the checkpoint keeps in its folder.
    #[error("{output} is the name of a file of the checkpoint; write to another file", output = printable::name(.0))]
    Checkpoint(Arc<str>),
    /// Standard input, or a stream of the caller, was given the name of another source.
    #[error("{name} is also the name of another source; give standard input another name", name = printable::name(.0))]
    SourceName(Arc<str>),
    /// Standard input was given a name, but is not a source.
    #[error(
        "{name} names standard input, which is not a source; add - as a source, or leave out the name",
        name = printable::name(.0)
    )]
    NoStdin(Arc<str>),
    /// Two arguments name standard input: as a source, as an input to merge, or as the list of sources.
    #[error(
        "standard input can be read only once; name a file for the other use (./- for a file called -)"
    )]
    Stdin,
}

/// Displays " as OUTPUT" if an input and an output have different names.
struct OtherName<'n>(&'n str, &'n str);

impl fmt::Display for OtherName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == self.1 {
            Ok(())
        } else {
            write!(f, " as {}", printable::name(self.1))
        }
    }
}

/// Returns a glob that matches the last part of a name.
fn glob_of(name: &str) -> String {
    globset::escape(name.rsplit('/').next().unwrap_or(name))
}
