//! Inputs that change the bytes of an index, and inputs that do not.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use doisift_known::{BuildError, BuildOptions, Index, IndexBuilder, NoticeKind};

use common::{Numbers, built, index_of, many_names, notice};

fn with_memory(memory: usize, threads: usize) -> BuildOptions {
    BuildOptions {
        memory,
        threads,
        ..BuildOptions::default()
    }
}

fn fill(builder: &mut IndexBuilder, names: &[String]) {
    let crossref = builder.source(
        "crossref.tar",
        Some("crossref"),
        Some("2026-03".parse().unwrap()),
    );
    let list = builder.source("list.txt", None, None);
    for (at, name) in names.iter().enumerate() {
        builder.name(crossref, name).unwrap();
        if name.len() % 3 == 0 {
            builder.name(list, name).unwrap();
        }
        if name.ends_with("77") {
            let kinds = [NoticeKind::Retraction, NoticeKind::Correction];
            for kind in kinds {
                builder
                    .retract(name, &notice(kind, Some("10.5555/notice"), None))
                    .unwrap();
            }
        }
        // Some are added twice.
        if at % 10 == 0 {
            builder.name(crossref, &name.to_ascii_uppercase()).unwrap();
        }
    }
}

#[test]
fn order_memory_and_threads_change_no_byte() {
    let mut names = many_names();
    let expected = built(with_memory(64 << 20, 1), |builder| fill(builder, &names));
    for (memory, threads) in [(64 << 20, 4), (200_000, 1), (1 << 20, 3)] {
        Numbers(memory as u64).shuffle(&mut names);
        let bytes = built(with_memory(memory, threads), |builder| {
            fill(builder, &names)
        });
        assert!(
            bytes == expected,
            "{memory} bytes of memory, {threads} threads"
        );
    }
}

#[test]
fn all_of_many_names_are_known_in_several_blocks() {
    let names = many_names();
    let index = index_of(built(BuildOptions::default(), |builder| {
        fill(builder, &names)
    }));
    let set: BTreeSet<&String> = names.iter().collect();
    assert_eq!(index.len(), set.len() as u64);
    for name in &set {
        assert!(index.contains(name).unwrap(), "{name}");
        assert!(!index.contains(&format!("{name}#")).unwrap(), "{name}#");
    }
    let joined = index.join(set.iter().map(|name| name.as_str()));
    assert!(joined.into_iter().all(|row| row.unwrap().1.is_some()));
    // Some of these starts are in earlier blocks than the text.
    let text = "10.1016/j.abc.2019.11.5829,x";
    let starts = index.known_starts(text.as_bytes()).unwrap();
    let starts: Vec<&str> = starts.into_iter().map(|end| &text[..end]).collect();
    let expected = [
        "10.1016/j",
        "10.1016/j.abc",
        "10.1016/j.abc.2019.11.58",
        "10.1016/j.abc.2019.11.5829",
    ];
    assert_eq!(starts, expected);
    assert!(index.extends("10.1016/j.abc").unwrap());
    assert!(!index.extends("10.1016/j.abd").unwrap());
    // The registrant is wrong, and its neighbours are in many blocks.
    let near = index.near("10.1061/j").unwrap();
    assert_eq!(near[0].name, "10.1016/j");
}

#[test]
fn sources_are_listed_with_their_distinct_names() {
    let names = ["10.1/a", "10.1/A", "10.1/b"].map(str::to_owned);
    let index = index_of(built(BuildOptions::default(), |builder| {
        let b = builder.source("b", Some("datacite"), Some("2026-01-02".parse().unwrap()));
        let a = builder.source("a", None, None);
        for name in &names {
            builder.name(b, name).unwrap();
        }
        builder.name(a, "10.1/c").unwrap();
    }));
    let sources = index.sources().iter();
    let listed: Vec<_> = sources
        .map(|s| {
            (
                s.name.as_str(),
                s.agency.as_deref(),
                s.date.map(|d| d.to_string()),
                s.names,
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("a", None, None, 1),
            ("b", Some("datacite"), Some("2026-01-02".to_owned()), 2)
        ]
    );
    assert_eq!(
        index.find("10.1/a").unwrap().unwrap().agency,
        Some("datacite")
    );
    assert_eq!(index.find("10.1/c").unwrap().unwrap().agency, None);
}

#[test]
fn a_known_agency_wins_over_none_and_the_first_of_two() {
    let index = index_of(built(BuildOptions::default(), |builder| {
        for agency in [Some("medra"), None, Some("crossref")] {
            let source = builder.source("s", agency, None);
            builder.name(source, "10.1/x").unwrap();
        }
    }));
    assert_eq!(
        index.find("10.1/x").unwrap().unwrap().agency,
        Some("crossref")
    );
}

#[test]
fn names_of_any_characters_are_known() {
    let names = [
        "10.1/a,b",
        "10.1/\"q\"",
        "10.1/é",
        "10.1/e\u{301}",
        "10.1/ ",
        "10.1/<a>",
        "10.1/\u{10ffff}a".trim_end_matches("\u{10ffff}a"),
    ];
    let names = names.iter().filter(|name| name.len() > 5);
    let index = index_of(built(BuildOptions::default(), |builder| {
        let source = builder.source("s", None, None);
        names
            .clone()
            .for_each(|name| builder.name(source, name).unwrap());
    }));
    for name in names {
        assert!(index.contains(name).unwrap(), "{name}");
    }
    assert!(!index.contains("10.1/É").unwrap(), "only ASCII is folded");
}

#[test]
fn what_is_not_a_name_is_refused_and_the_builder_goes_on() {
    let bytes = built(BuildOptions::default(), |builder| {
        let source = builder.source("s", None, None);
        for text in ["", "10.1", "10.1/", "11.1/a", "10.1/a\n"] {
            assert!(
                matches!(builder.name(source, text), Err(BuildError::Name(_))),
                "{text:?}"
            );
        }
        builder.name(source, "10.1/a").unwrap();
    });
    assert_eq!(index_of(bytes).len(), 1);
}

#[test]
fn an_index_without_names_answers() {
    let index = index_of(built(BuildOptions::default(), |_| ()));
    assert!(index.is_empty());
    assert!(!index.contains("10.1/a").unwrap());
    assert_eq!(index.longest_known_start(b"10.1/a").unwrap(), None);
    assert!(!index.extends("10.").unwrap());
    assert_eq!(index.near("10.1/a").unwrap(), []);
    assert_eq!(index.notices("10.1/a").unwrap(), []);
    index.verify().unwrap();
}

#[test]
fn notices_are_kept_once_with_the_earliest_date() {
    let retraction = |date| notice(NoticeKind::Retraction, Some("10.5555/N"), date);
    let concern = notice(NoticeKind::ExpressionOfConcern, None, Some("2019"));
    let index = index_of(built(BuildOptions::default(), |builder| {
        for date in [None, Some("2021-05-01"), Some("2021-04-30"), Some("2021")] {
            builder
                .retract("10.5555/Work,1", &retraction(date))
                .unwrap();
        }
        builder.retract("10.5555/work,1", &concern).unwrap();
        builder.retract("10.5555/work,1", &concern).unwrap();
        for at in 0..3000 {
            builder
                .retract(&format!("10.5555/many.{at}"), &concern)
                .unwrap();
        }
    }));
    assert_eq!(index.noted(), 3001);
    assert_eq!(index.len(), 0, "a notice does not make a name known");
    assert_eq!(
        index.notices("10.5555/work,1").unwrap(),
        [retraction(Some("2021-04-30")), concern.clone()]
    );
    assert_eq!(index.notices("10.5555/many.2999").unwrap(), [concern]);
    assert_eq!(index.notices("10.5555/none").unwrap(), []);
}

/// Adds the odd or the even names, with a source and a notice of their own.
fn fill_part(builder: &mut IndexBuilder, names: &[String], part: usize) {
    let agency = ["crossref", "datacite"][part];
    let source = builder.source(agency, Some(agency), None);
    // Every fifth name is in both parts.
    for (at, name) in names.iter().enumerate() {
        if at % 2 == part || at % 5 == 0 {
            builder.name(source, name).unwrap();
        }
    }
    let kind = [NoticeKind::Retraction, NoticeKind::Removal][part];
    builder
        .retract("10.5555/both", &notice(kind, None, None))
        .unwrap();
}

#[test]
fn uniting_indexes_is_building_from_both() {
    let names = many_names();
    let parts = [0, 1].map(|part| {
        index_of(built(BuildOptions::default(), |builder| {
            fill_part(builder, &names, part)
        }))
    });
    let both = built(BuildOptions::default(), |builder| {
        fill_part(builder, &names, 0);
        fill_part(builder, &names, 1);
    });
    let unite = |indexes: &[&Index]| {
        built(BuildOptions::default(), |builder| {
            indexes.iter().for_each(|index| builder.add(index).unwrap());
        })
    };
    assert!(unite(&[&parts[0], &parts[1]]) == both);
    assert!(unite(&[&parts[1], &parts[0], &parts[1]]) == both);
    let added = built(BuildOptions::default(), |builder| {
        builder.add(&parts[0]).unwrap();
        fill_part(builder, &names, 1);
    });
    assert!(added == both);
}

#[test]
fn a_file_gives_the_answers_of_its_bytes() {
    let names = many_names();
    let bytes = built(BuildOptions::default(), |builder| fill(builder, &names));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known.doix");
    std::fs::write(&path, &bytes).unwrap();
    let index = Index::open(&path).unwrap();
    assert!(
        names
            .iter()
            .step_by(100)
            .all(|name| index.contains(name).unwrap())
    );
    index.verify().unwrap();
    let named: Vec<_> = index.sections().map(|(name, _)| name).collect();
    assert_eq!(named, ["names", "name blocks", "notices", "notice blocks"]);
    assert!(index.sections().map(|(_, length)| length).sum::<u64>() < bytes.len() as u64);
    assert!(Index::open(folder.path()).is_err(), "a folder");
    let missing = Index::open(folder.path().join("missing.doix")).unwrap_err();
    assert!(missing.to_string().contains("missing.doix"), "{missing}");
}

/// Opens the files of a builder in a folder, as a process that continues it does.
fn files(folder: &std::path::Path) -> [std::fs::File; 2] {
    ["names", "notices"].map(|name| {
        let mut options = std::fs::OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        options.open(folder.join(name)).unwrap()
    })
}

#[test]
fn a_build_that_is_resumed_gives_the_same_bytes() {
    let names = many_names();
    let expected = built(with_memory(1 << 20, 1), |builder| fill(builder, &names));
    let folder = tempfile::tempdir().unwrap();
    let mut saved = IndexBuilder::in_files(with_memory(1 << 16, 1), files(folder.path()))
        .unwrap()
        .save()
        .unwrap();
    for part in names.chunks(700) {
        let mut builder =
            IndexBuilder::resume(with_memory(1 << 16, 1), files(folder.path()), &saved)
                .unwrap()
                .unwrap();
        fill(&mut builder, part);
        saved = builder.save().unwrap();
        // Later bytes of a killed process are dropped.
        fill(&mut builder, &["10.5555/never".repeat(1000)]);
        let _ = builder.save().unwrap();
    }
    let builder = IndexBuilder::resume(with_memory(1 << 16, 1), files(folder.path()), &saved)
        .unwrap()
        .unwrap();
    let mut bytes = Vec::new();
    builder.finish(&mut bytes).unwrap();
    assert!(bytes == expected);
}

#[test]
fn damaged_runs_of_a_saved_build_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder =
        IndexBuilder::in_files(with_memory(1 << 20, 1), files(folder.path())).unwrap();
    fill(&mut builder, &many_names());
    let saved = builder.save().unwrap();
    let path = folder.path().join("names");
    let right = std::fs::read(&path).unwrap();
    let resumed = || IndexBuilder::resume(with_memory(1 << 20, 1), files(folder.path()), &saved);
    for at in [0, right.len() / 2, right.len() - 1] {
        let mut wrong = right.clone();
        wrong[at] ^= 4;
        std::fs::write(&path, wrong).unwrap();
        let finished = resumed().unwrap().unwrap().finish(Vec::new());
        assert!(
            matches!(finished, Err(BuildError::Temporary(_))),
            "byte {at}"
        );
    }
    std::fs::write(&path, &right[..right.len() - 1]).unwrap();
    assert!(matches!(resumed(), Err(BuildError::Temporary(_))), "cut");
    let cut = IndexBuilder::resume(
        with_memory(1 << 20, 1),
        files(folder.path()),
        &saved[..saved.len() - 1],
    );
    assert!(cut.unwrap().is_none());
}
