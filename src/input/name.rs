//! The name of a source: a path, printable whatever its bytes.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The path as a name: bytes that are not UTF-8 are written `\xNN`.
pub(crate) fn display_name(path: &Path) -> Cow<'_, str> {
    match path.to_str() {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Owned(escaped(path.as_os_str().as_encoded_bytes())),
    }
}

/// The bytes as a name: those that are not UTF-8 are written `\xNN`.
pub(super) fn escaped(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len() + 16);
    for part in bytes.utf8_chunks() {
        name.push_str(part.valid());
        for byte in part.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(name, "\\x{byte:02X}");
        }
    }
    name
}

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

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_not_utf8_are_written_in_hexadecimal() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"caf\xe9/\xc3\xa9"));
        assert_eq!(display_name(path), "caf\\xE9/é");
    }
}
