//! The name of a source: a path.

use std::path::{Path, PathBuf};

pub(super) use crate::printable::bytes_as_name as escaped;
pub(crate) use crate::printable::display_name;

/// The path below which a folder's files are named: without leading `./` and trailing `/`; the current folder stays `.`,
/// the root `/`.
pub(super) fn folder_root(typed: &Path) -> PathBuf {
    // Components drop repeated and trailing slashes and inner `.`, which no name needs; a leading `.` they keep.
    let tidy: PathBuf = typed.components().collect();
    match tidy.strip_prefix(".") {
        Ok(below) if !below.as_os_str().is_empty() => below.to_owned(),
        _ => tidy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_loses_leading_dot_and_trailing_slash() {
        for (typed, root) in [
            ("./a", "a"),
            ("a/", "a"),
            ("./a//", "a"),
            (".", "."),
            ("./", "."),
            ("/", "/"),
            ("../a/", "../a"),
        ] {
            assert_eq!(folder_root(Path::new(typed)), Path::new(root), "{typed}");
        }
    }
}
