//! The name of a source: a path.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

pub(super) use crate::printable::bytes_as_name as escaped;
pub(crate) use crate::printable::display_name;

/// Bytes that the name of a document has at most.
pub(crate) const LONGEST: usize = 4096;

/// A name of at most [`LONGEST`] bytes: a longer one is cut, and ends in `…` and the xxh3-64 hash of all of it, which keeps
/// names apart that differ only behind the cut. None if it is short enough.
pub(super) fn cut(name: &str) -> Option<String> {
    if name.len() <= LONGEST {
        return None;
    }
    let end = format!("…{:016x}", xxh3_64(name.as_bytes()));
    let kept = (0..=LONGEST - end.len()).rev();
    let kept = kept.into_iter().find(|&at| name.is_char_boundary(at));
    Some(format!("{}{end}", &name[..kept.unwrap_or(0)]))
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

    #[test]
    fn long_names_are_cut_between_characters_and_stay_apart() {
        let long = "é".repeat(LONGEST / 2);
        assert_eq!(cut(&long), None);
        let names = ["a", "b", "ab"].map(|end| cut(&format!("{long}{end}")));
        let [Some(a), Some(b), Some(ab)] = names else {
            panic!("they are not cut");
        };
        assert!(a != b && b != ab && a != ab);
        for name in [a, b, ab] {
            let (start, hash) = name.split_once('…').unwrap_or_default();
            assert!(long.starts_with(start) && hash.len() == 16, "{name}");
            assert!(
                (LONGEST - 4..=LONGEST).contains(&name.len()),
                "{}",
                name.len()
            );
        }
    }
}
