//! Text without names: sentences of words, years, dates and decimal numbers, some of which start with `10.`, and lines of
//! numbers, most of which do.

use super::Random;
use super::names::digits;

const WORDS: [&str; 64] = [
    "the",
    "of",
    "and",
    "in",
    "a",
    "to",
    "we",
    "with",
    "for",
    "is",
    "that",
    "was",
    "on",
    "as",
    "by",
    "from",
    "were",
    "this",
    "are",
    "which",
    "at",
    "results",
    "between",
    "study",
    "model",
    "using",
    "these",
    "data",
    "analysis",
    "observed",
    "temperature",
    "surface",
    "measured",
    "however",
    "samples",
    "significant",
    "increase",
    "distribution",
    "method",
    "cells",
    "high",
    "low",
    "effect",
    "protein",
    "field",
    "energy",
    "structure",
    "different",
    "during",
    "previous",
    "function",
    "patients",
    "treatment",
    "species",
    "response",
    "concentration",
    "parameters",
    "further",
    "evidence",
    "within",
    "small",
    "large",
    "rate",
    "water",
];

/// Texts that look like the start of a name or of a label, but are not.
const TRAPS: [&str; 8] = [
    "the network 10.0.0.0/8 was idle",
    "printed on 25.10.2015/2137303/x.htm as such",
    "the code 110.5555/abc has one digit more",
    "see https://doi.org/10/gkj5fq for a short one",
    "version 10.15.7/19H2 of the system",
    "near 10.4515260,51.3 on the map",
    "the prefix 10.5555/ alone",
    "at citeseer.example/?doi=10.1.1.492.3416 there is none",
];

/// Appends sentences until the text is at least `end` bytes long. They begin and end with white space.
pub fn prose(text: &mut Vec<u8>, random: &mut Random, end: usize, hard: f64) {
    text.push(b' ');
    phrase(text, WORDS[random.below(64) as usize]);
    while text.len() < end {
        let bits = random.next();
        match bits % 64 {
            0 if hard > 0.0 => phrase(text, TRAPS[(bits >> 8) as usize % TRAPS.len()]),
            0..=1 => decimal(text, bits >> 8),
            2 => year(text, bits >> 8),
            3 => date(text, bits >> 8),
            4..=7 => stop(text, bits >> 8),
            _ => words(text, bits >> 6),
        }
    }
}

/// Number of values of a line of numbers.
const VALUES: usize = 12;

/// Appends a line of numbers with `10.` in them. None of them is the start of a name.
pub fn numbers(text: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..VALUES {
        let bits = random.next();
        match bits % 8 {
            0..=3 => ten(text, 1 + (bits >> 4) as usize % 6, bits >> 8),
            4 => date(text, bits >> 8),
            5 => address(text, bits >> 8),
            6 => {
                digits(text, 2, 1 + (bits >> 4) as usize % 3);
                ten(text, 2, bits >> 8);
            }
            _ => {
                digits(text, bits >> 8, 3);
                text.push(b' ');
            }
        }
    }
    text.pop();
    text.push(b'\n');
}

/// Appends `10.` and `width` digits.
fn ten(text: &mut Vec<u8>, width: usize, bits: u64) {
    text.extend_from_slice(b"10.");
    digits(text, bits, width);
    text.push(b' ');
}

/// Appends an address of a private network.
fn address(text: &mut Vec<u8>, bits: u64) {
    text.extend_from_slice(b"10");
    for part in 0..3 {
        text.push(b'.');
        digits(text, bits >> (8 * part) & 0xff, 3);
    }
    text.push(b' ');
}

/// Appends nine words, chosen by one random number.
fn words(text: &mut Vec<u8>, mut bits: u64) {
    for _ in 0..9 {
        phrase(text, WORDS[bits as usize % 64]);
        bits >>= 6;
    }
}

fn phrase(text: &mut Vec<u8>, phrase: &str) {
    text.extend_from_slice(phrase.as_bytes());
    text.push(b' ');
}

fn decimal(text: &mut Vec<u8>, bits: u64) {
    let units = if bits.is_multiple_of(4) {
        10
    } else {
        11 + (bits >> 2) % 80
    };
    digits(text, units, 2);
    text.push(b'.');
    digits(text, bits >> 12, 2);
    text.extend_from_slice(if bits.is_multiple_of(2) {
        b" percent "
    } else {
        b" mm "
    });
}

fn year(text: &mut Vec<u8>, bits: u64) {
    text.push(b'(');
    digits(text, 1950 + bits % 75, 4);
    text.extend_from_slice(b") ");
}

fn date(text: &mut Vec<u8>, bits: u64) {
    digits(text, 1 + bits % 28, 2);
    text.extend_from_slice(b".10.");
    digits(text, 1990 + (bits >> 8) % 35, 4);
    text.push(b' ');
}

/// Ends a sentence; one in four ends the line too.
fn stop(text: &mut Vec<u8>, bits: u64) {
    text.pop();
    text.extend_from_slice(if bits.is_multiple_of(4) {
        b".\nThe "
    } else {
        b". The "
    });
}
