//! Ways to write a mention. White space is before and after each.

use super::Generator;

/// How bytes of a name that have a meaning in the surrounding text are escaped.
#[derive(Clone, Copy)]
pub enum Escape {
    None,
    /// Percent escapes of the bytes that a URL must not have.
    Url,
    Percent,
    PercentTwice,
    Entity,
    Json,
    Latex,
}

/// A way to write a mention: the text before the name, how the name is escaped, and the text after it.
pub struct Style(pub &'static str, pub Escape, pub &'static str);

const EASY: [Style; 6] = [
    Style("", Escape::None, ""),
    Style("doi:", Escape::None, ""),
    Style("https://doi.org/", Escape::None, ""),
    Style("http://dx.doi.org/", Escape::None, ""),
    Style("DOI ", Escape::None, ""),
    Style("doi: ", Escape::None, ""),
];

const HARD: [Style; 18] = [
    Style("(see ", Escape::None, ")."),
    Style("[doi:", Escape::None, "],"),
    Style("\u{201c}", Escape::None, "\u{201d}"),
    Style("doi:", Escape::None, "."),
    Style("https://doi.org/", Escape::Percent, ""),
    Style(
        "\n<a href=\"https://doi.org/",
        Escape::Entity,
        "\">link</a>\n",
    ),
    Style("\n<p><doi>", Escape::Entity, "</doi></p>\n"),
    Style("\n{\"DOI\":\"", Escape::Json, "\",\"page\":\"12-19\"}\n"),
    Style(
        "https://login.example.org/login?url=https%3A%2F%2Fdoi.org%2F",
        Escape::PercentTwice,
        "",
    ),
    Style(
        "https://www.example.org/show?doi=",
        Escape::Percent,
        "&page=2",
    ),
    Style("https://www.example.org/doi/", Escape::Url, "/full"),
    Style(
        "https://www.example.org/doi/abs/",
        Escape::Url,
        "?journalCode=abc",
    ),
    Style("https://doi.org/", Escape::Percent, "?utm_source=feed#s2"),
    Style("\n  doi = {", Escape::Latex, "},\n"),
    Style("\n{{cite journal|doi=", Escape::Entity, "|year=2001}}\n"),
    Style("[link](https://doi.org/", Escape::Url, ")"),
    Style("**", Escape::Url, "**"),
    Style("\nDO  - ", Escape::None, "\n"),
];

/// Appends a mention in one of the common styles.
pub fn easy(generator: &mut Generator<'_>) {
    let style = &EASY[generator.random.below(EASY.len() as u64) as usize];
    styled(generator, style);
}

/// Appends a mention in a style that many extractors get wrong. One in eight is a list of two.
pub fn hard(generator: &mut Generator<'_>) {
    let choice = generator.random.below(8 * HARD.len() as u64) as usize;
    if choice.is_multiple_of(8) {
        list(
            generator,
            if choice.is_multiple_of(16) {
                b','
            } else {
                b';'
            },
        );
    } else {
        styled(generator, &HARD[choice / 8]);
    }
}

/// Appends the next name in this style.
pub fn styled(generator: &mut Generator<'_>, &Style(before, escape, after): &Style) {
    generator.choose_name();
    let (text, name) = (&mut generator.text, &generator.name);
    text.extend_from_slice(before.as_bytes());
    name.iter().for_each(|&byte| put(text, escape, byte));
    text.extend_from_slice(after.as_bytes());
}

/// Appends two names with only a punctuation mark between them.
fn list(generator: &mut Generator<'_>, mark: u8) {
    styled(generator, &EASY[0]);
    generator.text.push(mark);
    styled(generator, &EASY[0]);
}

fn put(text: &mut Vec<u8>, escape: Escape, byte: u8) {
    let escaped: &[u8] = match (escape, byte) {
        (Escape::Percent, b'/') => b"%2F",
        (Escape::Percent | Escape::Url, b'<') => b"%3C",
        (Escape::Percent | Escape::Url, b'>') => b"%3E",
        (Escape::PercentTwice, b'/') => b"%252F",
        (Escape::PercentTwice, b'<') => b"%253C",
        (Escape::PercentTwice, b'>') => b"%253E",
        (Escape::PercentTwice, b';') => b"%253B",
        (Escape::Entity, b'<') => b"&lt;",
        (Escape::Entity, b'>') => b"&gt;",
        (Escape::Json, b'/') => b"\\/",
        (Escape::Json, b'<') => b"\\u003c",
        (Escape::Latex, b'_') => b"\\_",
        _ => &[byte],
    };
    text.extend_from_slice(escaped);
}
