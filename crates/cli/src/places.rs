//! The places where a check finds an index and notices that no option names.

use std::env;
use std::path::PathBuf;

use doisift::internal::{OptionTask, OptionValue};

use crate::given::Given;

/// The variable that names an index. If it is empty, no index is looked for.
const KNOWN: &str = "DOISIFT_KNOWN";

/// Gives a task the index and the notices of the default places, unless options name others.
pub(crate) fn with_data<T: OptionTask>(task: T, given: &Given<T>) -> anyhow::Result<T> {
    let found = [
        ("known", known()),
        ("retractions", data_file("retractions.csv")),
    ];
    let mut task = task;
    for (name, path) in found.into_iter().filter(|(name, _)| !given.has(name)) {
        if let Some(path) = path {
            log::info!("{name}: {}, of the default place", path.display());
            task = task.set(name, OptionValue::Text(path.into()))?;
        }
    }
    Ok(task)
}

fn known() -> Option<PathBuf> {
    match env::var_os(KNOWN) {
        Some(path) => Some(path.into()).filter(|path: &PathBuf| !path.as_os_str().is_empty()),
        None => data_file("known.doix"),
    }
}

/// Returns the file of this name in the program's folder of data, if it is there.
fn data_file(name: &str) -> Option<PathBuf> {
    let file = data_folder()?.join("doisift").join(name);
    file.is_file().then_some(file)
}

/// Returns the user's folder of data: that of the XDG base directories, or else what is usual on the system.
fn data_folder() -> Option<PathBuf> {
    let folder = |name| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let usual = || match env::consts::OS {
        "windows" => folder("LOCALAPPDATA"),
        "macos" => Some(folder("HOME")?.join("Library/Application Support")),
        _ => Some(folder("HOME")?.join(".local/share")),
    };
    folder("XDG_DATA_HOME").or_else(usual)
}
