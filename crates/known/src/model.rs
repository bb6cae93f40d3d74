//! Compares an index of random names with a map in memory, for every question.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::blocks::BlockKeys;
use crate::{BuildOptions, Index, IndexBuilder, IndexError, Typo};

/// Makes names so alike that they are starts and neighbours of each other.
fn names() -> impl Strategy<Value = Vec<String>> {
    let suffix = prop_oneof![
        8 => "[ab1]{1,4}",
        2 => "[a-c]\\.[0-9]{1,3}",
        1 => "[aé,\"]{1,3}",
    ];
    let name = ("1[01]", suffix).prop_map(|(code, suffix)| format!("10.{code}/{suffix}"));
    proptest::collection::vec(name, 0..60)
}

/// Returns all texts that one slip makes of `text`.
fn slips(text: &str) -> Vec<Vec<u8>> {
    let text = text.as_bytes();
    let mut all = Vec::new();
    for at in 0..=text.len() {
        let (start, rest) = text.split_at(at);
        for byte in 0..=u8::MAX {
            all.push([start, &[byte], rest].concat());
            if let [_, after @ ..] = rest {
                all.push([start, &[byte], after].concat());
            }
        }
        if let [_, after @ ..] = rest {
            all.push([start, after].concat());
        }
        if let [a, b, after @ ..] = rest {
            all.push([start, &[*b, *a], after].concat());
        }
    }
    all
}

fn apply(text: &str, slip: Typo) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    match slip {
        Typo::Replace(at, byte) => bytes[at] = byte,
        Typo::Insert(at, byte) => bytes.insert(at, byte),
        Typo::Remove(at) => drop(bytes.remove(at)),
        Typo::Swap(at) => bytes.swap(at, at + 1),
    }
    bytes
}

type Model = BTreeMap<String, &'static str>;

fn agency(at: usize) -> &'static str {
    if at % 3 == 2 { "b" } else { "a" }
}

/// Builds an index of names in blocks of at most `max`. Each third name has the agency `b`.
fn index_of(names: &[String], max: usize) -> Index {
    let options = BuildOptions {
        memory: 1 << 20,
        ..BuildOptions::default()
    };
    let cut = BlockKeys {
        min: max / 2 + 1,
        max,
    };
    let mut builder = IndexBuilder::with_cut(options, cut).unwrap();
    let ids = ["a", "b"].map(|agency| builder.source(agency, Some(agency), None));
    for (at, name) in names.iter().enumerate() {
        let id = ids[usize::from(agency(at) == "b")];
        builder.name(id, name).unwrap();
    }
    let mut bytes = Vec::new();
    builder.finish(&mut bytes).unwrap();
    Index::from_bytes("known.doix", bytes).unwrap()
}

/// Returns the expected content of the index.
fn model_of(names: &[String]) -> Model {
    let mut model = Model::new();
    for (at, name) in names.iter().enumerate() {
        let first = model.entry(name.clone()).or_insert(agency(at));
        *first = (*first).min(agency(at));
    }
    model
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_question_has_the_answer_of_the_model(names in names(), asked in names(), max in 1usize..20) {
        let (index, model) = (index_of(&names, max), model_of(&names));
        prop_assert_eq!(index.len(), model.len() as u64);
        for text in asked.iter().chain(&names) {
            let known = index.find(text).unwrap();
            prop_assert_eq!(known.map(|known| known.agency), model.get(text).map(|&agency| Some(agency)));
            let starts: Vec<usize> = (0..=text.len())
                .filter(|&end| text.get(..end).is_some_and(|start| model.contains_key(start)))
                .collect();
            prop_assert_eq!(index.longest_known_start(text.as_bytes()).unwrap(), starts.last().copied());
            prop_assert_eq!(index.known_starts(text.as_bytes()).unwrap(), starts);
            let longer: Vec<String> = model.keys().filter(|name| name.starts_with(text) && *name != text).cloned().collect();
            prop_assert_eq!(index.extends(text).unwrap(), !longer.is_empty());
            prop_assert_eq!(&index.extensions(text, 3).unwrap(), &longer[..longer.len().min(3)]);
        }
    }

    #[test]
    fn names_nearby_are_those_that_one_slip_reaches(names in names(), asked in names(), max in 1usize..20) {
        let (index, model) = (index_of(&names, max), model_of(&names));
        for text in asked.iter().chain(&names).take(20) {
            let near = index.near(text).unwrap();
            for near in &near {
                prop_assert_eq!(&apply(text, near.slip), near.name.as_bytes());
            }
            let mut found: Vec<String> = near.into_iter().map(|near| near.name).collect();
            found.sort();
            let mut expected: Vec<String> = slips(text)
                .into_iter()
                .filter_map(|bytes| String::from_utf8(bytes).ok())
                .filter(|name| name != text && model.contains_key(name))
                .collect();
            expected.sort();
            expected.dedup();
            prop_assert_eq!(found, expected, "{}", text);
        }
    }

    #[test]
    fn a_join_gives_every_name_in_its_order(names in names(), mut asked in names(), max in 1usize..20) {
        let (index, model) = (index_of(&names, max), model_of(&names));
        asked.sort();
        let joined: Vec<_> = index.join(&asked).map(|row| row.unwrap()).collect();
        prop_assert_eq!(joined.len(), asked.len());
        for (name, (asked, known)) in asked.iter().zip(joined) {
            prop_assert_eq!(name, asked);
            prop_assert_eq!(known.map(|known| known.agency), model.get(name).map(|&agency| Some(agency)));
        }
    }

    #[test]
    fn a_walk_says_of_names_and_prefixes_what_the_index_says(names in names(), mut asked in names(), max in 1usize..20) {
        let (index, model) = (index_of(&names, max), model_of(&names));
        asked.sort();
        let mut walk = index.sorted_lookup();
        for name in asked.iter().chain(&names) {
            prop_assert_eq!(walk.find(name).unwrap(), index.find(name).unwrap());
            prop_assert!(!walk.is_retracted(name).unwrap());
            for prefix in ["10.10", "10.11", "10.1", "10.12", "10.09"] {
                let start = format!("{prefix}/");
                let is_held = model.keys().any(|name| name.starts_with(&start));
                prop_assert_eq!(walk.holds_prefix(prefix).unwrap(), is_held, "{}", prefix);
                prop_assert_eq!(index.holds_prefix(prefix).unwrap(), is_held, "{}", prefix);
            }
        }
    }

    #[test]
    fn each_name_passes_every_name_once(names in names(), max in 1usize..20) {
        let (index, model) = (index_of(&names, max), model_of(&names));
        let mut walked = Vec::new();
        index.each_name(|name, agency| -> Result<(), IndexError> {
            walked.push((name.to_owned(), agency.map(str::to_owned)));
            Ok(())
        }).unwrap();
        let expected: Vec<_> = model.into_iter().map(|(name, agency)| (name, Some(agency.to_owned()))).collect();
        prop_assert_eq!(walked, expected);
    }
}
