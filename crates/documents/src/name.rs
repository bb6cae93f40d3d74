//! The name of a source: a path.

use std::path::{Path, PathBuf};

pub use crate::printable::display_name;
pub(super) use crate::printable::{bytes_as_name as escaped, shortened_name};

/// Returns the path of a folder as it is in the names of its files: without leading `./` and trailing `/`. The current
/// folder stays `.`, and the root `/`.
pub(super) fn folder_root(typed: &Path) -> PathBuf {
    // `components` removes repeated and trailing slashes and inner `.`, but not a leading `.`.
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
