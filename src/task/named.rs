//! Sources that a caller names one by one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use doisift_documents::{
    DocumentHead, InputError, SheetChoice, Source, SourceKind, TextOrigin, display_name, printable,
};
use doisift_system::FileStatus;

use crate::error::{Cause, Error};
use crate::objects::is_address;

/// Whether a path names standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses named sources that do not exist or cannot be opened. It is called before an output is created: a mistyped name must
/// not cost the output of an earlier run.
///
/// # Errors
/// The error of the first such source.
pub(crate) fn check_named(paths: &[PathBuf]) -> Result<(), Error> {
    paths.iter().try_for_each(|path| {
        openable(path).map_err(|error| {
            let error = InputError::of_path(path, error);
            Error::new(Cause::Input(error)).in_source(display_name(path).into())
        })
    })
}

/// Whether a file or folder can be opened. A pipe or device need only exist, since opening it may wait or have an effect.
fn openable(path: &Path) -> io::Result<()> {
    // What addresses name was checked when their names were made.
    if is_stdin(path) || is_address(path) {
        return Ok(());
    }
    let at = FileStatus::at(path)?;
    if at.is_folder() {
        fs::read_dir(path).map(drop)
    } else if at.is_file() {
        File::open(path).map(drop)
    } else {
        Ok(())
    }
}

/// Returns the source at `path`, or standard input for `-`.
///
/// # Errors
/// If there is no such file, or it is a folder.
pub(crate) fn named_source(path: &Path) -> Result<Source, InputError> {
    let kind = if is_stdin(path) {
        SourceKind::Stdin
    } else if is_address(path) {
        match path.to_string_lossy().ends_with('/') {
            true => return Err(InputError::Folder),
            false => SourceKind::Remote,
        }
    } else {
        let metadata = fs::metadata(path).map_err(|error| InputError::of_path(path, error))?;
        if metadata.is_dir() {
            return Err(InputError::Folder);
        }
        if metadata.is_file() {
            SourceKind::File
        } else {
            SourceKind::Stream
        }
    };
    Ok(Source {
        path: path.to_owned(),
        kind,
        is_named: true,
        folder_bytes: 0,
    })
}

/// Warns that only the first of the sheets of a workbook is read, if the options name none.
pub(crate) fn warn_of_sheets(source: &str, head: &DocumentHead, choice: Option<&SheetChoice>) {
    let is_chosen = choice.is_some_and(|choice| choice.sheet.is_some());
    if let Some(TextOrigin::Sheet(sheets @ 2..)) = head.origin
        && !is_chosen
    {
        let name = head.name.as_deref().unwrap_or_default();
        log::warn!(
            "{source}: only the first of {sheets} sheets is read, {}; --sheet names another",
            printable::name(name)
        );
    }
}
