//! The memory of the builder of the index, and the errors of one that failed.

use doisift_known::{BuildError, BuildOptions};

use super::options::IndexSettings;
use crate::dedup::SpillError;
use crate::error::{Cause, Error, KnownError};

/// Max memory for sorting names. More would not be faster.
const MAX_SORT_BYTES: usize = 1 << 30;

/// Returns the options of the builder, which may take 3/4 of the memory.
pub(super) fn build_options(settings: &IndexSettings) -> BuildOptions {
    BuildOptions {
        memory: (settings.memory / 4 * 3).min(MAX_SORT_BYTES),
        threads: settings.threads,
        folder: Some(settings.tmp.clone()),
    }
}

/// Returns the error of a builder that failed.
pub(super) fn failed(settings: &IndexSettings, error: BuildError) -> Error {
    match error {
        BuildError::Output(error) => Error::output(error),
        BuildError::Temporary(error) => {
            let folder = settings.checkpoint.as_ref().unwrap_or(&settings.tmp);
            SpillError::io(folder, error).into()
        }
        BuildError::Index(error) => Error::new(Cause::Known(KnownError::Unreadable(error))),
        BuildError::Name(error) => Error::new(Cause::Known(KnownError::Name(error))),
        BuildError::TooLong(length) => Error::new(Cause::Known(KnownError::Long(length))),
        other => Error::output(std::io::Error::other(other)),
    }
}
