//! The defaults of options of scan and merge.

use std::path::{Path, PathBuf};
use std::thread;

use super::memory::available_memory;
use crate::error::{Cause, Error};
use crate::objects::is_address;
use crate::options::{GivenOptions, MIN_MEMORY_BYTES, reported_paths, stated};
use crate::records::{Format, PartAbout, PartPlan, PartSize, folder_of_pattern, is_folder};

/// Default size of a part, in bytes.
const DEFAULT_PART_BYTES: u64 = 256 << 20;

/// Returns the path of an output; `None` for `-`, standard output.
pub(crate) fn named_output(path: &Path) -> Option<PathBuf> {
    (path.as_os_str() != "-").then(|| path.to_owned())
}

/// Returns the folder for temporary files: the chosen one, the folder of the output, or the system's if that is in a store.
pub(crate) fn chosen_tmp_dir(chosen: Option<PathBuf>, output: Option<&Path>) -> PathBuf {
    if let Some(folder) = chosen {
        return folder;
    }
    match output
        .filter(|path| !is_address(path))
        .and_then(Path::parent)
    {
        Some(folder) if folder.as_os_str().is_empty() => PathBuf::from("."),
        Some(folder) => folder.to_owned(),
        None => std::env::temp_dir(),
    }
}

/// Returns the memory budget in bytes: as chosen, or a quarter of the available memory, but at least [`MIN_MEMORY_BYTES`].
pub(crate) fn chosen_memory(chosen: Option<u64>) -> usize {
    let bytes = chosen.unwrap_or_else(|| available_memory() / 4);
    usize::try_from(bytes.max(MIN_MEMORY_BYTES)).unwrap_or(usize::MAX)
}

/// Returns the number of threads: as chosen, or the cores that this process may use.
pub(crate) fn chosen_threads(chosen: Option<usize>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    chosen.unwrap_or_else(cores)
}

/// Returns the format of rows, and how the output is divided if it is a folder of parts.
pub(crate) fn chosen_rows(
    chosen: Option<Format>,
    output: Option<&Path>,
    size: Option<PartSize>,
) -> Result<(Format, Option<PartPlan>), Error> {
    let Some(path) = output.filter(|path| is_folder(path)) else {
        return Ok((chosen_format(chosen, output)?, None));
    };
    let by_ending = || Format::from_path(path).unwrap_or(Format::OF_PARTS);
    let format = chosen.unwrap_or_else(by_ending);
    if format.is_packed_twice(path) {
        return Err(Error::new(Cause::PackedTwice(path.to_owned())));
    }
    let size = size.unwrap_or(PartSize::Bytes(DEFAULT_PART_BYTES));
    Ok((format, Some(PartPlan::new(path, format, size))))
}

/// Returns the arguments and options of a run, for the manifest of its parts.
pub(crate) fn part_about<'p>(
    given: &GivenOptions,
    paths: impl IntoIterator<Item = &'p PathBuf>,
) -> PartAbout {
    PartAbout {
        paths: reported_paths(paths),
        options: serde_json::to_value(stated(given)).unwrap_or_default(),
    }
}

/// Returns the format of rows: as chosen, or by the ending of the output, which must not be a folder. On standard output the
/// default is JSON Lines.
pub(crate) fn chosen_format(
    chosen: Option<Format>,
    output: Option<&Path>,
) -> Result<Format, Error> {
    let Some(path) = output else {
        return Ok(chosen.unwrap_or(Format::Jsonl));
    };
    if is_folder(path) || path.is_dir() {
        return Err(Error::new(Cause::Folder(path.to_owned())));
    }
    if folder_of_pattern(path).is_some() {
        return Err(Error::new(Cause::Pattern(path.to_owned())));
    }
    if Format::is_packed_otherwise(path) {
        return Err(Error::new(Cause::UnknownPacking(path.to_owned())));
    }
    let by_ending = || Format::from_path(path).ok_or_else(|| no_format(path));
    let format = chosen.map_or_else(by_ending, Ok)?;
    if format.is_packed_twice(path) {
        Err(Error::new(Cause::PackedTwice(path.to_owned())))
    } else {
        Ok(format)
    }
}

fn no_format(path: &Path) -> Error {
    Error::new(match Format::left_out(path) {
        true => Cause::LeftOut,
        false => Cause::UnknownEnding(path.to_owned()),
    })
}
