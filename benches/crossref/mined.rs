//! Ways in which names are written in the text of references.

use super::random::Random;

/// How bytes of a name that have a meaning in the text are written.
#[derive(Clone, Copy)]
enum Escape {
    None,
    Percent,
    Entity,
}

/// The text before the name, how the name is escaped, and the text after it.
#[derive(Clone, Copy)]
struct Style(&'static str, Escape, &'static str);

/// Weighted by their frequency beside names in the text of real references.
const EASY: [(u64, Style); 18] = [
    (420, Style("https://doi.org/", Escape::None, "")),
    (170, Style("https://doi.org/", Escape::None, ".")),
    (90, Style("doi: ", Escape::None, "")),
    (60, Style("doi:", Escape::None, "")),
    (45, Style("DOI:", Escape::None, ".")),
    (30, Style("doi: ", Escape::None, ".")),
    (30, Style("(doi:", Escape::None, ")")),
    (50, Style("http://dx.doi.org/", Escape::None, "")),
    (25, Style("http://dx.doi.org/", Escape::None, ".")),
    (
        20,
        Style(
            "https://doi.org/",
            Escape::None,
            ". http://arxiv.org/abs/https://www.example.org/content/20/355.full.pdf.",
        ),
    ),
    (
        20,
        Style("\n                    https://doi.org/", Escape::None, ""),
    ),
    (15, Style("https://doi.org/", Escape::None, ", 2004.")),
    (8, Style("doi: https://doi.org/", Escape::None, " .")),
    (6, Style("[DOI: ", Escape::None, "]")),
    (5, Style("", Escape::None, "")),
    (
        4,
        Style("http://dx.doi.org/", Escape::None, ". PMid:32908662."),
    ),
    (2, Style("DOI ", Escape::None, ", Accessed 12 May 2020")),
    (
        2,
        Style(
            "Available from: https://doi.org/",
            Escape::None,
            " [Accessed 1 Oct. 2019].",
        ),
    ),
];

/// Styles for which the short regular expressions take too much or too little.
const HARD: [Style; 10] = [
    Style("https://doi.org/", Escape::Percent, ""),
    Style("https://doi.org/", Escape::Entity, "."),
    Style(
        "<ext-link xlink:href=\"https://doi.org/",
        Escape::Entity,
        "\">link</ext-link>",
    ),
    Style(
        "<a href=\"https://doi.org/",
        Escape::Entity,
        "\">Article</a>",
    ),
    Style(
        "https://www.example.org/show?doi=",
        Escape::Percent,
        "&page=2",
    ),
    Style(
        "https://www.example.org/doi/abs/",
        Escape::Percent,
        "?journalCode=abc",
    ),
    Style(
        "https://login.example.org/login?url=https://doi.org/",
        Escape::Percent,
        ".",
    ),
    Style("“https://doi.org/", Escape::None, "”"),
    Style("（doi:", Escape::None, "）。"),
    Style("https://doi.org/", Escape::None, "\u{200b}"),
];

/// Appends a mention of a name.
pub fn mention(out: &mut String, random: &mut Random, hard: f64, name: &str) {
    let style = if random.chance(hard) {
        random.choose(&HARD)
    } else {
        random.weighted(&EASY)
    };
    let Style(before, escape, after) = style;
    out.push_str(before);
    name.chars()
        .for_each(|character| put(out, escape, character));
    out.push_str(after);
}

fn put(out: &mut String, escape: Escape, character: char) {
    match (escape, character) {
        (Escape::Percent, '/') => out.push_str("%2F"),
        (Escape::Percent, '<') => out.push_str("%3C"),
        (Escape::Percent, '>') => out.push_str("%3E"),
        (Escape::Percent, '(') => out.push_str("%28"),
        (Escape::Percent, ')') => out.push_str("%29"),
        (Escape::Entity, '<') => out.push_str("&lt;"),
        (Escape::Entity, '>') => out.push_str("&gt;"),
        _ => out.push(character),
    }
}
