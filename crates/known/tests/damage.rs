//! Files that are damaged, cut or foreign.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use doisift_known::{BuildOptions, Index, IndexError, IndexErrorKind, NoticeKind};

use common::{built, notice};

const NAMES: [&str; 6] = [
    "10.1/a",
    "10.1/ab",
    "10.1/abc",
    "10.1016/j.x.2020.01.001",
    "10.1016/j.x.2020.01.002",
    "10.5281/zenodo.7",
];

fn small() -> Vec<u8> {
    built(BuildOptions::default(), |builder| {
        let source = builder.source(
            "crossref",
            Some("crossref"),
            Some("2026-03-09".parse().unwrap()),
        );
        let other = builder.source("datacite", Some("datacite"), None);
        for name in NAMES {
            builder
                .name(
                    if name.contains("zenodo") {
                        other
                    } else {
                        source
                    },
                    name,
                )
                .unwrap();
        }
        for kind in [NoticeKind::Retraction, NoticeKind::Correction] {
            builder
                .retract(
                    "10.1/ab",
                    &notice(kind, Some("10.1/abc"), Some("2020-01-02")),
                )
                .unwrap();
        }
    })
}

/// Returns every answer of an index, as text.
fn answers(bytes: Vec<u8>) -> Result<String, IndexError> {
    let index = Index::from_bytes("known.doix", bytes)?;
    let mut out = format!("{:?} {:?} {}", index.len(), index.sources(), index.noted());
    for text in NAMES.iter().copied().chain([
        "10.1/abcd",
        "10.1/b",
        "10.1016/j.x.2020.01.003",
        "",
        "10.9/x",
    ]) {
        let known = index.find(text)?;
        let (starts, longer) = (
            index.known_starts(text.as_bytes())?,
            index.extensions(text, 9)?,
        );
        out += &format!(
            "{known:?} {starts:?} {longer:?} {:?} {:?}",
            index.near(text)?,
            index.notices(text)?
        );
    }
    let joined: Result<Vec<_>, _> = index.join(NAMES).collect();
    out += &format!("{:?}", joined?);
    index.each_name(|name, agency| -> Result<(), IndexError> {
        out += &format!("{name} {agency:?}");
        Ok(())
    })?;
    Ok(out)
}

#[test]
fn every_bit_flip_is_refused_or_changes_no_answer() {
    let bytes = small();
    let expected = answers(bytes.clone()).unwrap();
    let mut refused = 0;
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match answers(flipped.clone()) {
            Ok(got) => assert_eq!(got, expected, "bit {bit}"),
            Err(_) => refused += 1,
        }
        let verified = Index::from_bytes("known.doix", flipped).and_then(|index| index.verify());
        assert!(verified.is_err(), "bit {bit} passes verification");
    }
    // Every byte is covered.
    assert_eq!(refused, bytes.len() * 8);
}

#[test]
fn every_cut_is_refused() {
    let bytes = small();
    for length in 0..bytes.len() {
        let error = Index::from_bytes("known.doix", bytes[..length].to_vec()).unwrap_err();
        let is_foreign = matches!(error.kind(), IndexErrorKind::Foreign);
        assert_eq!(is_foreign, length == 0, "{length} bytes: {error}");
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    let mut bytes = small();
    bytes.push(b'\n');
    assert!(Index::from_bytes("known.doix", bytes).is_err());
}

#[test]
fn a_foreign_file_is_refused_by_name() {
    for text in [
        &b"10.1/a\n10.1/b\n"[..],
        b"PAR1",
        b"\x89PNG\r\n\x1a\n0000000000000000000000000000000000000000",
    ] {
        let error = Index::from_bytes("names.txt", text.to_vec()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "names.txt, section start: this is not an index of DOI names"
        );
    }
}

#[test]
fn a_version_of_the_future_is_named() {
    let mut bytes = small();
    bytes[8] = 2;
    let error = Index::from_bytes("known.doix", bytes).unwrap_err();
    assert!(
        matches!(error.kind(), IndexErrorKind::Version(2)),
        "{error}"
    );
}

#[test]
fn a_damaged_block_leaves_the_others() {
    let names = common::many_names();
    let mut bytes = built(BuildOptions::default(), |builder| {
        let source = builder.source("s", None, None);
        names
            .iter()
            .for_each(|name| builder.name(source, name).unwrap());
    });
    // In the first block, which is after the start of the file.
    bytes[100] ^= 1;
    let index = Index::from_bytes("known.doix", bytes).unwrap();
    let error = index.contains("10.1007/s00000-020-0001-1").unwrap_err();
    assert_eq!((error.file(), error.section()), ("known.doix", "names"));
    assert!(index.contains("10.5000/0").unwrap());
}
