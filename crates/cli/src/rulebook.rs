//! The rules on names as a page of Markdown: `doisift explain --rules`, which is `docs/src/rules.md` too.

use std::io::{self, Write};

use doisift::internal::{Example, ExampleReading, Rule};
use doisift::{Scanner, TextKind};

/// The first part of the ids of some rules, their heading, and a description of the group.
type Group = (&'static str, &'static str, &'static str);

const GROUPS: [Group; 10] = [
    (
        "start",
        "Where a name starts",
        "A name starts with a prefix: `10.`, a registrant code and a slash.",
    ),
    (
        "page",
        "Parts of web pages that are not names",
        "Pages and their addresses hold texts that only have the form of a name.",
    ),
    (
        "enclosure",
        "Marks around a name",
        "Marks around a name show where it ends, whatever characters it holds.",
    ),
    (
        "raw",
        "Markup",
        "Tags are read before anything in them is decoded.",
    ),
    (
        "joint",
        "Line breaks in a name",
        "A printed name may be broken over two lines. These rules join its parts where the text shows that it goes on.",
    ),
    (
        "escape",
        "Escapes",
        "The text around a name may require that its characters are escaped. A name is decoded as far as its own text shows this.",
    ),
    (
        "suffix",
        "Where a name ends",
        "The suffix of a name may hold almost any character, so the characters around a mark decide.",
    ),
    (
        "tail",
        "Text that is cut from the end",
        "Sentences and the addresses of web pages add characters to the end of a name.",
    ),
    (
        "end",
        "Names that are refused for their end",
        "A name that is not complete is not reported.",
    ),
    (
        "dirt",
        "Dirty data",
        "`doisift normalize --clean` takes each text to hold one name that was damaged. It applies the rules above, and these.",
    ),
];

const HEAD: &str = "\
# The rules

Each rule has an id, by which `doisift explain` and the reasons of `doisift normalize --column` name it. Without the rule, other
names would be found in its example, or their ends would be no guess; the tests check that. If the end of a name is a guess, the
field `guessed` is true: only a registry could say whether the name ends there.

Some rules damage a few registered names. The number is of 385,484 names, each written once where the rule applies
(`scripts/bench ablate --names LIST`).

This page is the output of `doisift explain --rules`.
";

/// Writes the page.
pub(crate) fn write(out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for (name, heading, meaning) in GROUPS {
        writeln!(out, "\n## {heading}\n\n{meaning}")?;
        let is_in = |rule: &Rule| group(*rule) == name;
        for rule in Rule::ALL.into_iter().filter(is_in) {
            write_rule(rule, out)?;
        }
    }
    out.flush()
}

/// Returns the part of a rule's id before the full stop.
fn group(rule: Rule) -> &'static str {
    rule.id().split('.').next().unwrap_or_default()
}

fn write_rule(rule: Rule, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n### {}\n", rule.id())?;
    write!(
        out,
        "{}. Applies {}.",
        capitalised(rule.catches()),
        rule.scope().description()
    )?;
    if rule.is_guess() {
        write!(out, " The end is a guess.")?;
    }
    if rule.damages() > 0 {
        write!(
            out,
            " Registered names that it damages: {}.",
            rule.damages()
        )?;
    }
    let items: Vec<String> = rule.items().into_iter().filter_map(item).collect();
    if !items.is_empty() {
        write!(out, "\n\nIts list: {}", items.join(" "))?;
    }
    writeln!(out, "\n")?;
    write_example(&rule.example(), out)
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

/// Returns an item of a list as code. `None` for an empty item, which some lists have.
fn item(text: &str) -> Option<String> {
    let fence = if text.contains('`') { "`` " } else { "`" };
    let close: String = fence.chars().rev().collect();
    (!text.is_empty()).then(|| format!("{fence}{}{close}", shown(text.as_bytes())))
}

/// Writes an example as an indented block, since a fence could be in its text.
fn write_example(example: &Example, out: &mut impl Write) -> io::Result<()> {
    for line in shown(&example.text).lines() {
        writeln!(out, "    {line}")?;
    }
    let guess = if is_guessed(example) {
        ", its end a guess"
    } else {
        ""
    };
    let reading = match example.reading {
        ExampleReading::Scan(TextKind::Html) => " (in a web page)",
        ExampleReading::Scan(TextKind::Ssv) => " (in a table with semicolons)",
        _ => "",
    };
    match example.names {
        [] => writeln!(out, "    → no name{reading}"),
        names => writeln!(out, "    → {}{guess}{reading}", names.join(", ")),
    }
}

fn is_guessed(example: &Example) -> bool {
    let mut is_guessed = false;
    if let ExampleReading::Scan(kind) = example.reading {
        let mut scanner = Scanner::new().kind(kind);
        scanner.scan(&example.text, |mention| is_guessed |= mention.guessed);
    }
    is_guessed
}

/// Returns a text with its invisible characters, and bytes that are not UTF-8, escaped.
fn shown(text: &[u8]) -> String {
    let is_hidden = |c: char| {
        !matches!(c, ' ' | '\n') && (c.is_control() || c.is_whitespace() || c == '\u{AD}')
    };
    let mut shown = String::new();
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match is_hidden(c) {
                true => shown.extend(c.escape_default()),
                false => shown.push(c),
            }
        }
        shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_in_a_group() {
        for rule in Rule::ALL {
            let is_its = |row: &&Group| row.0 == group(rule);
            assert_eq!(GROUPS.iter().filter(is_its).count(), 1, "{}", rule.id());
        }
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        assert_eq!(
            shown(b"a\x96\xc2\xa0\xc2\xadb \n"),
            "a\\x96\\u{a0}\\u{ad}b \n"
        );
    }
}
