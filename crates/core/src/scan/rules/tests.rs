//! Each rule of the book earns its place: a case fails without it.

use std::collections::BTreeMap;

use super::book::{Applies, Rule, without};
use crate::{Delimiter, Scanner, TextKind, clean};

/// How a text is read, the text, and the names in it.
type Case = (String, String, Vec<String>);

fn cases() -> BTreeMap<String, Case> {
    let text = include_str!("../../../../../tests/cases/rules.toml");
    let tables: BTreeMap<String, BTreeMap<String, Case>> = toml::from_str(text).unwrap();
    let rules = tables.into_iter().flat_map(|(table, cases)| {
        let id = move |rule: String| format!("{table}.{rule}");
        cases.into_iter().map(move |(rule, case)| (id(rule), case))
    });
    rules.collect()
}

fn names(how: &str, text: &str) -> Vec<String> {
    let kind = match how {
        "scan" | "guess" | "guess-windows-1252" => TextKind::Unknown,
        "page" | "guess-page" => TextKind::Html,
        "table" => TextKind::Table(Delimiter::Semicolon),
        "clean" => {
            let cleaned = clean(text).into_iter();
            return cleaned
                .map(|cleaned| cleaned.doi.as_str().to_owned())
                .collect();
        }
        other => panic!("{other}"),
    };
    let bytes: Vec<u8> = match how {
        "guess-windows-1252" => text.chars().map(|c| c as u8).collect(),
        _ => text.bytes().collect(),
    };
    let mut found = Vec::new();
    Scanner::new().kind(kind).scan(bytes, |mention| {
        assert!(!how.starts_with("guess") || mention.guessed, "{text}");
        found.push(mention.name.to_owned());
    });
    found
}

/// What is wrong with the case of `rule`, of which `item` is a word.
fn wrong(rule: Rule, item: Option<&str>, (how, text, expected): &Case) -> Option<String> {
    let text = text.replace("{}", item.unwrap_or_default());
    let off = item.map_or(rule.id().to_owned(), |item| format!("{}={item}", rule.id()));
    let with = names(how, &text);
    if with != *expected {
        return Some(format!("{off}: {text:?} gives {with:?}"));
    }
    let same = without(&off, || std::panic::catch_unwind(|| names(how, &text)));
    (same.ok().as_ref() == Some(expected)).then(|| format!("{off}: {text:?} does not want it"))
}

#[test]
fn each_rule_has_a_case_that_fails_without_it() {
    let cases = cases();
    let mut faults = Vec::new();
    for rule in Rule::ALL {
        let listed = matches!(rule, Rule::Enclosure | Rule::Remark);
        let Some(case) = cases.get(rule.id()) else {
            faults.extend((!listed).then(|| format!("{}: no case", rule.id())));
            continue;
        };
        match rule.items() {
            items if items.is_empty() => faults.extend(wrong(rule, None, case)),
            items => faults.extend(
                items
                    .iter()
                    .filter_map(|item| wrong(rule, Some(item), case)),
            ),
        }
    }
    let known = |id: &&String| !Rule::ALL.iter().any(|rule| rule.id() == **id);
    faults.extend(
        cases
            .keys()
            .filter(known)
            .map(|id| format!("{id}: no such rule")),
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// An enclosed name keeps marks that would end it in running text, or ends at the mark that parts fields.
#[test]
fn each_enclosure_keeps_a_name_whole() {
    let mut useless = Vec::new();
    for opener in Rule::Enclosure.items() {
        let closer = match opener {
            "" => "\n",
            "{" => "}",
            "<" => ">",
            ">" => "<",
            "&lt;" => "&gt;",
            "&gt;" => "&lt;",
            "$a" | "$u" | "$0" => "$",
            "  - " => "\n",
            same => same,
        };
        let lead = match opener {
            "" => "x\n",
            "  - " => "x\nDO",
            _ => "x",
        };
        let off = format!("enclosure={opener}");
        let differs = |suffix: &&str| {
            let text = format!("{lead}{opener}10.5555/{suffix}{closer}");
            names("scan", &text) != without(&off, || names("scan", &text))
        };
        let suffixes = ["a,b", "a'(b", "a,", "a)b", "a_"];
        if !suffixes.iter().any(differs) {
            useless.push(opener);
        }
    }
    assert!(useless.is_empty(), "{useless:?}");
}

/// A remark after the marks that its row wants.
#[test]
fn each_remark_ends_a_name() {
    let mut useless = Vec::new();
    for word in Rule::Remark.items() {
        let off = format!("dirt.remark={word}");
        let texts = [".", "1", "1.", "x/", "x", " "].map(|lead| format!("10.5555/ab{lead}{word}"));
        let texts = texts
            .iter()
            .flat_map(|text| ["", "1", "ab", "1234567"].map(|tail| format!("{text}{tail}")));
        let differs =
            |text: &String| names("clean", text) != without(&off, || names("clean", text));
        if !texts.clone().any(|text| differs(&text)) {
            useless.push(word);
        }
    }
    assert!(useless.is_empty(), "{useless:?}");
}

#[test]
fn ids_differ_and_name_their_module() {
    let mut ids = Rule::ALL.map(Rule::id).to_vec();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Rule::ALL.len());
    let dirty = |rule: &Rule| rule.applies() == Applies::Dirt;
    assert!(
        Rule::ALL
            .iter()
            .filter(|rule| dirty(rule))
            .all(|rule| rule.id().starts_with("dirt."))
    );
}
