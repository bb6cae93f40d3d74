//! Archives that are not what the first bytes promise: sparse members, zips after a prefix, split zips, damaged ends.

use crate::place::Place;

/// Pieces with data and where they start in the file, in which names would run into each other without the holes.
const PIECES: [(u64, &str); 3] = [
    (0, "see 10.5555/abc"),
    (1 << 20, "def and 10.5555/two for "),
    ((1 << 21) + 1, "10.5555/three "),
];
const SIZE: u64 = 3 << 20;

/// A pax tar with a sparse member, whose records and data are given, and a plain one.
fn sparse_tar(records: &[(&str, String)], data: &[u8]) -> Vec<u8> {
    let mut out = tar::Builder::new(Vec::new());
    let records = records.iter().map(|(key, value)| (*key, value.as_bytes()));
    out.append_pax_extensions(records).unwrap();
    for (name, bytes) in [
        ("GNUSparseFile.1/holes", data),
        ("after", b"10.5555/after "),
    ] {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        out.append_data(&mut header, name, bytes).unwrap();
    }
    out.into_inner().unwrap()
}

fn stored() -> Vec<u8> {
    PIECES.map(|(_, text)| text).concat().into_bytes()
}

/// Starts and lengths, the last one the empty piece at the end.
fn numbers() -> Vec<u64> {
    let pieces = PIECES.map(|(start, text)| [start, text.len() as u64]);
    [&pieces.concat()[..], &[SIZE, 0]].concat()
}

/// A tar by each version of the format: 0.0, 0.1 and 1.0.
fn sparse_tars() -> [Vec<u8>; 3] {
    let size = || ("GNU.sparse.size", SIZE.to_string());
    let name = || ("GNU.sparse.name", "holes".to_owned());
    let count = || ("GNU.sparse.numblocks", "4".to_owned());
    let mut first = vec![size(), count(), ("path", "holes".to_owned())];
    for pair in numbers().chunks(2) {
        first.push(("GNU.sparse.offset", pair[0].to_string()));
        first.push(("GNU.sparse.numbytes", pair[1].to_string()));
    }
    let list: Vec<String> = numbers().iter().map(u64::to_string).collect();
    let map = ("GNU.sparse.map", list.join(","));
    let second = [size(), count(), name(), map];
    let third = [
        ("GNU.sparse.major", "1".to_owned()),
        ("GNU.sparse.minor", "0".to_owned()),
        name(),
        ("GNU.sparse.realsize", SIZE.to_string()),
    ];
    let mut mapped = format!("4\n{}\n", list.join("\n")).into_bytes();
    mapped.resize(512, 0);
    mapped.extend(stored());
    [
        sparse_tar(&first, &stored()),
        sparse_tar(&second, &stored()),
        sparse_tar(&third, &mapped),
    ]
}

#[test]
fn holes_of_sparse_files_in_pax_tars_are_restored() {
    let place = Place::new();
    for (version, bytes) in sparse_tars().iter().enumerate() {
        place.file("in.tar", bytes);
        for options in ["-j1", "-j2", "-j2 --chunk 4096"] {
            let seen = place.scan(&format!("in.tar --mentions {options}")).quiet();
            let names = [
                "10.5555/abc",
                "10.5555/two",
                "10.5555/three",
                "10.5555/after",
            ];
            assert_eq!(seen.field("doi"), names, "version {version}");
            let offsets = ["4", "1048584", "2097153", "0"];
            assert_eq!(seen.field("offset"), offsets, "version {version}");
            let documents = ["holes", "holes", "holes", "after"];
            assert_eq!(seen.field("document"), documents, "version {version}");
        }
    }
}

#[test]
fn a_sparse_file_whose_map_is_damaged_is_reported_and_the_rest_read() {
    let place = Place::new();
    for (version, mut bytes) in sparse_tars().into_iter().enumerate() {
        let start = PIECES[1].0.to_string().into_bytes();
        let at = bytes.windows(7).position(|seven| seven == start).unwrap();
        for wrong in [b'9', b'x', b' '] {
            bytes[at] = wrong;
            let seen = place.file("in.tar", &bytes).scan("in.tar -f names");
            assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/after\n"));
            assert!(seen.err.starts_with("doisift: in.tar: holes: at byte "));
            let why = "the map of this sparse file cannot be used";
            assert!(seen.err.contains(why), "version {version}: {}", seen.err);
        }
    }
}

#[test]
fn a_sparse_file_of_terabytes_is_stopped_by_the_limit_on_expansion() {
    let place = Place::new();
    let records = [
        ("GNU.sparse.size", (8_u64 << 40).to_string()),
        ("GNU.sparse.map", format!("0,4,{},0", 8_u64 << 40)),
        ("GNU.sparse.name", "holes".to_owned()),
    ];
    place.file("in.tar", sparse_tar(&records, b"text"));
    let seen = place.scan("in.tar");
    assert_eq!(seen.code, Some(1));
    assert!(seen.err.contains("--max-expansion"), "{}", seen.err);
    assert!(
        seen.err
            .starts_with("doisift: in.tar: holes: at byte 67108864: ")
    );
}
