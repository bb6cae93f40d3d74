//! Works as JSON Lines, as in Crossref's files: a work a line, with its own name and the names in its references.

use super::Generator;
use super::names::digits;
use super::styles::{Escape, Style, styled};
use super::words;

/// Maximum number of references of a work.
const REFERENCES: u64 = 40;

/// The field of the name, written without escapes.
const FIELD: Style = Style("\",\"DOI\":\"", Escape::None, "\"}");

/// The field as some encoders write it, and names in the text of a reference.
const HARD: [Style; 5] = [
    Style("\",\"DOI\":\"", Escape::Json, "\"}"),
    Style(" doi:", Escape::Json, ".\"}"),
    Style(" https://doi.org/", Escape::None, "\"}"),
    Style(" (http://dx.doi.org/", Escape::Percent, ").\"}"),
    Style(" [DOI: ", Escape::Json, "].\"}"),
];

/// Appends a work, which ends its line.
pub fn work(generator: &mut Generator<'_>) {
    let own = Style("{\"DOI\":\"", Escape::None, "\",\"title\":[\"");
    styled(generator, &own);
    title(generator);
    let text = "\"],\"type\":\"journal-article\",\"issued\":{\"date-parts\":[[";
    generator.text.extend_from_slice(text.as_bytes());
    let year = 1950 + generator.random.below(75);
    digits(&mut generator.text, year, 4);
    generator.text.extend_from_slice(b"]]},\"reference\":[");
    for number in 0..1 + generator.random.below(REFERENCES) {
        if number > 0 {
            generator.text.push(b',');
        }
        reference(generator, number);
    }
    generator.text.extend_from_slice(b"]}\n");
}

/// Appends a reference with a name. Its length is the distance between names.
fn reference(generator: &mut Generator<'_>, number: u64) {
    let before = generator.text.len();
    let every = generator.options.every;
    let distance = (every / 2 + generator.random.below(every)) as usize;
    generator.text.extend_from_slice(b"{\"key\":\"ref");
    digits(&mut generator.text, number + 1, 3);
    let text = "\",\"doi-asserted-by\":\"crossref\",\"unstructured\":\"";
    generator.text.extend_from_slice(text.as_bytes());
    prose(generator, before + distance);
    if generator.random.chance(generator.options.hard) {
        let choice = generator.random.below(HARD.len() as u64) as usize;
        styled(generator, &HARD[choice]);
    } else {
        styled(generator, &FIELD);
    }
}

fn title(generator: &mut Generator<'_>) {
    let end = generator.text.len() + 40;
    prose(generator, end);
}

/// Appends prose without line ends, which a JSON string cannot hold unescaped.
fn prose(generator: &mut Generator<'_>, end: usize) {
    let Generator {
        text,
        random,
        options,
        ..
    } = generator;
    let start = text.len();
    words::prose(text, random, end, options.hard);
    for byte in text[start..].iter_mut().filter(|byte| **byte == b'\n') {
        *byte = b' ';
    }
}
