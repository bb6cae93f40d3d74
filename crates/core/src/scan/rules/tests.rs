//! Tests that each rule has an effect: without it, other names are found in its example, or their end is not a guess.

use super::book::{Rule, RuleScope, without};
use super::examples::{ExampleReading, ITEM};
use crate::{Scanner, TextKind, clean};

/// Returns the names in `text`, and whether the end of any is guessed.
fn names(reading: ExampleReading, text: &[u8]) -> (Vec<String>, bool) {
    let (mut found, mut guessed) = (Vec::new(), false);
    match reading {
        ExampleReading::Clean => {
            let cleaned = clean(std::str::from_utf8(text).unwrap()).into_iter();
            found.extend(cleaned.map(|cleaned| cleaned.doi.as_str().to_owned()));
        }
        ExampleReading::Scan(kind) => {
            Scanner::new().kind(kind).scan(text, |mention| {
                guessed |= mention.guessed;
                found.push(mention.name.to_owned());
            });
        }
    }
    (found, guessed)
}

fn scanned(text: &str) -> Vec<String> {
    names(ExampleReading::Scan(TextKind::Unknown), text.as_bytes()).0
}

fn cleaned(text: &str) -> Vec<String> {
    names(ExampleReading::Clean, text.as_bytes()).0
}

/// Returns the fault of the example of `rule`, or of its example with `item` of its list.
fn wrong(rule: Rule, item: Option<&str>) -> Option<String> {
    let example = rule.case().with_item(item.unwrap_or_default());
    let shown = String::from_utf8_lossy(&example.text);
    let off = item.map_or(rule.id().to_owned(), |item| format!("{}={item}", rule.id()));
    let read = || names(example.reading, &example.text);
    let (found, guessed) = read();
    if found != example.names || rule.is_guess() && !guessed {
        return Some(format!(
            "{off}: {shown:?} gives {found:?}, guessed: {guessed}"
        ));
    }
    let same = without(&off, read) == (found, guessed);
    same.then(|| format!("{off}: {shown:?} does not want it"))
}

#[test]
fn each_rule_has_an_example_that_fails_without_it() {
    let mut faults = Vec::new();
    for rule in Rule::ALL {
        let text = rule.case().text;
        match String::from_utf8_lossy(&text).contains(ITEM) {
            true => faults.extend(
                rule.items()
                    .iter()
                    .filter_map(|item| wrong(rule, Some(item))),
            ),
            false => faults.extend(wrong(rule, None)),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Tests that an enclosed name keeps marks that would end it in running text, or ends at the mark between fields.
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
            "$a" => "$",
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
            scanned(&text) != without(&off, || scanned(&text))
        };
        let suffixes = ["a,b", "a'(b", "a,", "a)b", "a_"];
        if !suffixes.iter().any(differs) {
            useless.push(opener);
        }
    }
    assert!(useless.is_empty(), "{useless:?}");
}

/// Tests each remark after several marks and words, since a remark may need one before it.
#[test]
fn each_remark_ends_a_name() {
    let mut useless = Vec::new();
    for word in Rule::Remark.items() {
        let off = format!("dirt.remark={word}");
        let texts = [".", "1", "1.", "x/", "x", " "].map(|lead| format!("10.5555/ab{lead}{word}"));
        let texts = texts
            .iter()
            .flat_map(|text| ["", "1", "ab", "1234567"].map(|tail| format!("{text}{tail}")));
        let differs = |text: &String| cleaned(text) != without(&off, || cleaned(text));
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
    let dirty = |rule: &Rule| rule.scope() == RuleScope::Dirt;
    assert!(
        Rule::ALL
            .iter()
            .filter(|rule| dirty(rule))
            .all(|rule| rule.id().starts_with("dirt."))
    );
}
