//! Recognises names that are reserved for tests or fill the templates of publishers.

use doisift_core::{Doi, DoiErrorKind};

/// Prefixes that agencies reserve, each with the reason.
const TEST_PREFIXES: [(&str, &str); 2] = [
    ("10.5072", "a prefix that DataCite reserves for tests"),
    (
        "10.5555",
        "a prefix that Crossref reserves for tests; ACM writes it for works without a DOI name",
    ),
];

/// Names in the templates of publishers, which authors are to replace.
const TEMPLATES: [&str; 4] = [
    "10.1145/1122445.1122456",
    "10.1145/0000001.0000001",
    "10.1145/12345.67890",
    "10.475/123_4",
];

/// Reason for the name of a template.
pub(super) const TEMPLATE: &str = "it fills the place of a name in a template";

/// Returns the reason why a reserved name names no work, or `None` if it is not reserved.
pub(super) fn reserved(doi: &Doi) -> Option<&'static str> {
    let prefix = doi.prefix();
    let mut prefixes = TEST_PREFIXES.iter();
    if let Some((_, reason)) = prefixes.find(|(reserved, _)| *reserved == prefix) {
        return Some(reason);
    }
    // The rules for dirty data recognise names with letters in the place of digits.
    let has_wildcards = || {
        let cleaned = doisift_core::clean(doi.as_str());
        cleaned.is_err_and(|error| error.kind() == DoiErrorKind::Placeholder)
    };
    let is_template = TEMPLATES.contains(&&*doi.key()) || has_wildcards();
    is_template.then_some(TEMPLATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_name_no_work_are_reserved() {
        for (name, is_reserved) in [
            ("10.5072/abc", true),
            ("10.5555/3295222.3295349", true),
            ("10.1145/1122445.1122456", true),
            ("10.1145/nnnnnnn.nnnnnnn", true),
            ("10.1145/XXXXXXX.XXXXXXX", true),
            ("10.1145/3xxxxxx.3xxxxxx", true),
            ("10.1109/TPAMI.2020.xxxxxxx", true),
            ("10.1145/3366423.3380000", false),
            ("10.50721/abc", false),
            ("10.1000/xxxviii", false),
            ("10.1000/annnn", false),
        ] {
            let doi = Doi::new(name).unwrap();
            assert_eq!(reserved(&doi).is_some(), is_reserved, "{name}");
        }
    }
}
