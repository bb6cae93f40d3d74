//! Sets of prefixes, by which names are selected.

use doisift_core::Doi;

/// A set of prefixes. A subdivided prefix is another prefix: `10.1000` does not include `10.1000.5`.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrefixSet(
    /// Sorted.
    Vec<Box<str>>,
);

impl PrefixSet {
    /// Creates the set of these prefixes.
    ///
    /// # Errors
    /// The first text that is not a prefix.
    pub(crate) fn new(prefixes: &[String]) -> Result<Self, &str> {
        let wrong = prefixes.iter().find(|prefix| !is_prefix(prefix));
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        let mut set: Vec<Box<str>> = prefixes
            .iter()
            .map(|prefix| prefix.as_str().into())
            .collect();
        set.sort_unstable();
        set.dedup();
        Ok(PrefixSet(set))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the set has the prefix of a name.
    pub(crate) fn has_prefix_of(&self, name: &str) -> bool {
        let prefix = prefix(name);
        self.0
            .binary_search_by(|known| (**known).cmp(prefix))
            .is_ok()
    }
}

/// Returns the prefix of a name.
pub(crate) fn prefix(name: &str) -> &str {
    let slash = memchr::memchr(b'/', name.as_bytes());
    &name[..slash.unwrap_or(name.len())]
}

/// Whether `text` is a prefix, such as `10.1000`.
fn is_prefix(text: &str) -> bool {
    Doi::new(&format!("{text}/x")).is_ok_and(|doi| doi.prefix() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(prefixes: &[&str]) -> Result<PrefixSet, String> {
        let prefixes: Vec<String> = prefixes.iter().map(|&prefix| prefix.into()).collect();
        PrefixSet::new(&prefixes).map_err(str::to_owned)
    }

    #[test]
    fn a_name_is_in_the_set_by_its_whole_prefix() {
        let set = set(&["10.1038", "10.1000.5", "10.1016", "10.1016"]).unwrap();
        for name in [
            "10.1038/a",
            "10.1038/a/b",
            "10.1000.5/x",
            "10.1016/10.5555/a",
        ] {
            assert!(set.has_prefix_of(name), "{name}");
        }
        for name in ["10.1038.5/a", "10.103/8", "10.1000/5", "10.5555/10.1038/a"] {
            assert!(!set.has_prefix_of(name), "{name}");
        }
        assert!(!set.is_empty() && PrefixSet::default().is_empty());
    }

    #[test]
    fn anything_else_is_no_prefix() {
        for wrong in [
            "",
            "10.",
            "10",
            "10.1000/",
            "10.1000/5",
            "10.1000.",
            "1038",
            "10.x",
            "doi:10.1000",
        ] {
            assert_eq!(set(&["10.1000", wrong]).err().as_deref(), Some(wrong));
        }
    }
}
