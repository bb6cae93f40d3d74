//! The name of a source: a path.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

pub(super) use crate::printable::bytes_as_name as escaped;
pub(crate) use crate::printable::display_name;

/// Greatest length of a document's name in bytes.
pub(crate) const LONGEST: usize = 4096;

/// Length of the end of a long name that is kept, since it may have the ending; in bytes.
const END: usize = 64;

/// Shortens a name of more than [`LONGEST`] bytes: its middle is replaced by the xxh3-64 hash of the whole name, between
/// two `…`, so that different names stay different. None if it is short enough.
pub(super) fn cut(name: &str) -> Option<String> {
    if name.len() <= LONGEST {
        return None;
    }
    let mark = format!("…{:016x}…", xxh3_64(name.as_bytes()));
    let start = (0..=LONGEST - END - mark.len()).rev();
    let start = start.into_iter().find(|&at| name.is_char_boundary(at));
    let end = (name.len() - END..=name.len()).find(|&at| name.is_char_boundary(at));
    let (start, end) = (start.unwrap_or(0), end.unwrap_or(name.len()));
    Some(format!("{}{mark}{}", &name[..start], &name[end..]))
}

/// The path of a folder as it is in the names of its files: without leading `./` and trailing `/`. The current folder stays
/// `.`, and the root `/`.
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

    #[test]
    fn long_names_are_cut_between_characters_and_stay_apart() {
        let long = "é".repeat(LONGEST / 2);
        assert_eq!(cut(&long), None);
        let names = ["a", "b", "ab"].map(|middle| format!("{long}{middle}{long}.xml"));
        let cut: Vec<_> = names.iter().filter_map(|name| cut(name)).collect();
        assert!(cut.len() == 3 && cut[0] != cut[1] && cut[1] != cut[2] && cut[0] != cut[2]);
        for name in cut {
            let parts: Vec<_> = name.split('…').collect();
            assert!(long.starts_with(parts[0]) && parts[1].len() == 16, "{name}");
            assert!(parts[2].ends_with("é.xml"), "{name}");
            assert!(
                (LONGEST - 4..=LONGEST).contains(&name.len()),
                "{}",
                name.len()
            );
        }
    }
}
