//! Files with wrong content and right checksums. Answers may be wrong, but no question may panic.

use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::file::IndexBytes;
use crate::header::{IndexHeader, IndexSection};
use crate::{AssertedBy, BuildOptions, Index, IndexBuilder, IndexError, Notice, NoticeKind};

const NAMES_SECTION: [&str; 5] = [
    "10.1/a",
    "10.1/ab",
    "10.1016/j.x.2020.01.001",
    "10.1016/j.x.2020.01.002",
    "10.5281/zenodo.7",
];

fn small() -> Vec<u8> {
    let mut builder = IndexBuilder::new(BuildOptions::default()).unwrap();
    let sources = ["a", "b"].map(|agency| builder.source("s", Some(agency), None));
    for (at, name) in NAMES_SECTION.iter().enumerate() {
        builder.name(sources[at % 2], name).unwrap();
    }
    let notice = Notice {
        kind: NoticeKind::Retraction,
        asserted_by: AssertedBy::Publisher,
        doi: Some("10.1/ab".parse().unwrap()),
        date: None,
    };
    builder.retract(NAMES_SECTION[0], &notice).unwrap();
    let mut bytes = Vec::new();
    builder.finish(&mut bytes).unwrap();
    bytes
}

/// Changes bytes of one section of the small index, and corrects all checksums.
fn forged(section: usize, changes: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    let mut bytes = small();
    let mut header = IndexHeader::read(&IndexBytes::Memory(bytes.clone()), "small").unwrap();
    let range = |section: IndexSection| {
        let start = section.offset as usize;
        start..start + section.length as usize
    };
    let changed = &mut bytes[range(header.sections[section])];
    for (at, byte) in changes {
        changed[at.index(changed.len())] = *byte;
    }
    // Each kind of section has one block, whose checksum is at the end of its directory.
    for [blocks, directory] in [[0, 1], [2, 3]] {
        let checksum = xxh3_64(&bytes[range(header.sections[blocks])]);
        let end = range(header.sections[directory]).end;
        bytes[end - 8..end].copy_from_slice(&checksum.to_le_bytes());
    }
    for section in &mut header.sections {
        section.checksum = xxh3_64(&bytes[range(*section)]);
    }
    bytes.truncate(range(header.sections[3]).end);
    bytes.extend(header.to_bytes());
    bytes
}

fn ask_everything(index: &Index) {
    for text in NAMES_SECTION
        .into_iter()
        .chain(["10.1/b", "10.1016/j.x.2020.01.003", "", "é"])
    {
        let _ = index.find(text);
        let _ = index.known_starts(text.as_bytes());
        let _ = index.extensions(text, 3);
        let _ = index.near(text);
        let _ = index.notices(text);
    }
    index.join(NAMES_SECTION).for_each(drop);
    let _ = index.each_name(|_, _| Ok::<(), IndexError>(()));
    let _ = index.each_notice(|_, _| Ok::<(), IndexError>(()));
}

#[test]
fn a_list_of_prefixes_is_read_back_and_only_then_in_the_file() {
    let written = |prefixes: &[&str]| {
        let mut builder = IndexBuilder::new(BuildOptions::default()).unwrap();
        for prefix in prefixes {
            builder.prefix(prefix).unwrap();
        }
        let mut bytes = Vec::new();
        builder.finish(&mut bytes).unwrap();
        (
            Index::from_bytes("prefixes", bytes.clone()).unwrap(),
            bytes.len(),
        )
    };
    let (none, length) = written(&[]);
    assert_eq!(none.has_registered_prefix("10.1000"), None);
    let (some, longer) = written(&["10.5281", "10.1000", "10.1000"]);
    assert_eq!(longer, length + 1 + 2 * 8);
    assert_eq!(some.prefixes(), ["10.1000", "10.5281"]);
    for (prefix, is_registered) in [
        ("10.1000", true),
        ("10.1000.10", true),
        ("10.10001", false),
        ("10.100", false),
        ("10", false),
    ] {
        assert_eq!(
            some.has_registered_prefix(prefix),
            Some(is_registered),
            "{prefix}"
        );
    }
    let mut builder = IndexBuilder::new(BuildOptions::default()).unwrap();
    assert!(builder.prefix("11.1000").is_err() && builder.prefix("").is_err());
}

#[test]
fn the_forger_changes_nothing_else() {
    let index = Index::from_bytes("forged", forged(0, &[])).unwrap();
    index.verify().unwrap();
    assert!(
        NAMES_SECTION
            .into_iter()
            .all(|name| index.contains(name).unwrap())
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_question_panics(section in 0usize..4, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        if let Ok(index) = Index::from_bytes("forged", forged(section, &changes)) {
            ask_everything(&index);
        }
    }
}
