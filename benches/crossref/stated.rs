//! Stated values: names as a field for names has them, and the ways in which such fields are dirty.

use super::random::Random;

/// A value that a work states.
pub struct Stated {
    /// The value as it is written.
    pub value: String,
    /// The key of its name, without the blanks and the proxy around it. Empty if the value has no name.
    pub doi: String,
    /// The kind of dirt; empty if the value is just the name.
    pub dirt: &'static str,
}

/// Blanks and proxies around a name. They do not belong to the name.
const AROUND: [(&str, &str, &str); 10] = [
    ("blank", " ", ""),
    ("blank", "", " "),
    ("blank", "", "\n"),
    ("blank", "\u{a0}", ""),
    ("proxy", "https://doi.org/", ""),
    ("proxy", "http://dx.doi.org/", ""),
    ("proxy", "https://www.doi.org/", ""),
    ("proxy", "doi:", ""),
    ("proxy", "DOI: ", ""),
    ("proxy", "doi:https://doi.org/", ""),
];

/// Text after a name. The value is still one name.
const AFTER: [(&str, &str); 8] = [
    ("mark", "."),
    ("mark", ","),
    ("mark", ")."),
    ("tail", "/abstract"),
    ("tail", "/pdf"),
    ("tail", "#pone-0012345-g001"),
    ("words", " (accessed 3 May 2019)"),
    ("words", " [in Russian]"),
];

const NONE: [&str; 6] = [
    "10.1016",
    "n/a",
    "-",
    "http://www.jstor.org/stable/2346101",
    "10.1016/",
    "PMID: 12345678",
];

/// Returns a value that is just the name, as publishers and Crossref write it.
pub fn clean(random: &mut Random, name: &str) -> Stated {
    let doi = name.to_ascii_lowercase();
    let value = if random.chance(0.75) {
        doi.clone()
    } else {
        name.to_owned()
    };
    Stated {
        value,
        doi,
        dirt: "",
    }
}

/// Returns a value that is not just the name.
pub fn dirty(random: &mut Random, name: &str) -> Stated {
    match random.below(10) {
        0..=4 => around(random, name),
        5..=6 => after(random, name),
        7..=8 => inside(random, name),
        _ => none(random),
    }
}

fn around(random: &mut Random, name: &str) -> Stated {
    let (dirt, before, after) = random.choose(&AROUND);
    let value = format!("{before}{name}{after}");
    let doi = name.to_ascii_lowercase();
    Stated { value, doi, dirt }
}

fn after(random: &mut Random, name: &str) -> Stated {
    let (dirt, after) = random.choose(&AFTER);
    whole(dirt, format!("{name}{after}"))
}

fn inside(random: &mut Random, name: &str) -> Stated {
    let (prefix, suffix) = name.split_once('/').unwrap_or((name, ""));
    match random.below(5) {
        0 => whole("blank inside", format!("{prefix}/ {suffix}")),
        1 => whole(
            "blank inside",
            name.replacen('.', ". ", 2).replacen(". ", ".", 1),
        ),
        2 => whole("dash", name.replace('-', "\u{2010}")),
        3 => whole("entity", name.replace('<', "&lt;").replace('>', "&gt;")),
        _ => whole("twice", format!("{name}; {name}")),
    }
}

/// Returns a value without a name, as some fields for names have.
fn none(random: &mut Random) -> Stated {
    let value = (random.choose(&NONE)).to_owned();
    let doi = String::new();
    Stated {
        value,
        doi,
        dirt: "no name",
    }
}

/// Returns a value that is read as one name, with all its text.
fn whole(dirt: &'static str, value: String) -> Stated {
    let doi = value.to_ascii_lowercase();
    Stated { value, doi, dirt }
}
