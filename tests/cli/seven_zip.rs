//! 7z archives: members, solid archives, damage, and archives that are made to cost much.

#[path = "../../fuzz/seven_zip_writer.rs"]
mod seven_zip_writer;

use seven_zip_writer::{Packed, SevenZipFolder, seven_zip};

use crate::place::{Place, bzip2, gzip, names, zstd};

fn solid<'p>(members: &[(&'p str, &'p [u8])]) -> SevenZipFolder<'p> {
    SevenZipFolder {
        members: members.to_vec(),
        packed: Packed::Lzma2,
    }
}

fn packed<'p>(
    member: (&'p str, &'p [u8]),
    methods: &'p [(&'p [u8], &'p [u8])],
    bytes: Vec<u8>,
) -> SevenZipFolder<'p> {
    SevenZipFolder {
        members: vec![member],
        packed: Packed::As(methods, bytes),
    }
}

/// Returns an archive whose members are packed together.
pub fn solid_archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    seven_zip(&[solid(members)], &[])
}

#[test]
fn members_of_all_methods_are_documents_wherever_the_archive_is() {
    let place = Place::new();
    let long = names(3000);
    let deflated = {
        let mut out =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut out, b"10.5555/deflated\n").unwrap();
        out.finish().unwrap()
    };
    let archive = seven_zip(
        &[
            solid(&[
                ("a.txt", b"10.5555/a\n"),
                ("d/long", long.as_bytes()),
                ("é.gz", &gzip("10.5555/gz\n")),
            ]),
            packed(
                ("bz", b"10.5555/bz\n"),
                &[(&[4, 2, 2], &[])],
                bzip2("10.5555/bz\n"),
            ),
            packed(
                ("zst", b"10.5555/zst\n"),
                &[(&[4, 0xf7, 0x11, 1], &[])],
                zstd("10.5555/zst\n"),
            ),
            packed(
                ("deflate", b"10.5555/deflated\n"),
                &[(&[4, 1, 8], &[])],
                deflated,
            ),
            SevenZipFolder {
                members: vec![("stored", b"10.5555/stored\n")],
                packed: Packed::Stored,
            },
            // A filter for programs leaves these bytes as they are.
            packed(
                ("x86", b"10.5555/x86\n"),
                &[(&[3, 3, 1, 3], &[]), (&[0], &[])],
                b"10.5555/x86\n".to_vec(),
            ),
        ],
        &["empty", "d/none"],
    );
    place.file("a.7z", &archive).file("b.gz", gzip(&archive));
    let wanted = place
        .scan("a.7z --mentions -f csv --fields document,offset,doi --report r.json")
        .quiet()
        .out;
    assert_eq!(wanted.lines().count(), 1 + 3000 + 7);
    assert_eq!(wanted.lines().nth(1), Some("a.txt,0,10.5555/a"));
    assert!(wanted.contains("\né.gz,0,10.5555/gz\n") && wanted.ends_with("\nx86,0,10.5555/x86\n"));
    assert_eq!(place.json("r.json")["documents"], 10);
    assert_eq!(place.json("r.json")["bytes_read"], archive.len());
    for options in ["-j1", "-j2 --chunk 100", "-j3 --memory 1M"] {
        for source in ["a.7z", "b.gz"] {
            let line = format!("{source} --mentions -f csv --fields document,offset,doi {options}");
            assert!(place.scan(&line).quiet().out == wanted, "{line}");
        }
        let line = format!("--mentions -f csv --fields document,offset,doi {options}");
        assert!(
            place.scan_stdin(&line, &archive).quiet().out == wanted,
            "{line}"
        );
    }
    assert_eq!(place.scan("a.7z --max-members 3").code, Some(1));
    let nested = seven_zip(&[solid(&[("in.7z", &archive)])], &[]);
    let seen = place.file("c.7z", nested).scan("c.7z --mentions").quiet();
    assert_eq!(seen.field("document")[0], "in.7z!/a.txt");
}

#[test]
fn what_cannot_be_unpacked_is_reported_and_the_rest_is_read() {
    let place = Place::new();
    let member = |name| (name, &b"10.5555/x\n"[..]);
    let aes: &[(&[u8], &[u8])] = &[(&[6, 0xf1, 7, 1], &[0])];
    let large: &[(&[u8], &[u8])] = &[(&[3, 1, 1], &[0x5d, 0, 0, 0, 0x20])];
    let ppmd: &[(&[u8], &[u8])] = &[(&[3, 4, 1], &[6, 0, 0, 0, 0x20])];
    // Two dictionaries of 96 MiB.
    let chain: &[(&[u8], &[u8])] = &[(&[0x21], &[29]), (&[3, 1, 1], &[0x5d, 0, 0, 0, 6])];
    let archive = seven_zip(
        &[
            packed(member("secret"), aes, vec![0; 16]),
            packed(member("brotli"), &[(&[4, 0xf7, 0x11, 2], &[])], vec![0; 16]),
            packed(member("ppmd"), ppmd, vec![0; 16]),
            packed(member("lzma"), large, vec![0; 16]),
            packed(member("chain"), chain, vec![0; 16]),
            solid(&[("last", b"10.5555/last\n")]),
        ],
        &[],
    );
    let seen = place.file("a.7z", archive).scan("a.7z -f names");
    assert_eq!((seen.code, seen.out.as_str()), (Some(1), "10.5555/last\n"));
    let lines: Vec<_> = seen.err.lines().collect();
    assert_eq!(lines.len(), 5, "{}", seen.err);
    assert!(lines[0].starts_with("doisift: a.7z: secret: at byte 0: the 7z data is encrypted;"));
    assert!(
        lines[1]
            .starts_with("doisift: a.7z: brotli: at byte 0: 7z method BROTLI cannot be unpacked;")
    );
    let wanted = "at byte 0: the 7z data needs more than 134217728 bytes of memory";
    for (line, name) in lines[2..].iter().zip(["ppmd", "lzma", "chain"]) {
        assert!(line.contains(&format!("{name}: {wanted}")), "{line}");
    }
}

#[test]
fn damage_is_named_and_costs_only_what_is_packed_with_it() {
    let place = Place::new();
    let texts: Vec<String> = (0..9)
        .map(|at| names(2000).replace("name-", &format!("n{at}-")))
        .collect();
    let members: Vec<_> = texts.iter().map(|text| text.as_bytes()).collect();
    let folder = |from: usize, names: [&'static str; 3]| {
        let all = (0..3).map(|at| (names[at], members[from + at]));
        SevenZipFolder {
            members: all.collect(),
            packed: Packed::Lzma2,
        }
    };
    let whole = seven_zip(
        &[
            folder(0, ["a", "b", "c"]),
            folder(3, ["d", "e", "f"]),
            folder(6, ["g", "h", "i"]),
        ],
        &[],
    );
    let all = place
        .file("a.7z", &whole)
        .scan("a.7z -f names")
        .quiet()
        .out
        .lines()
        .count();
    assert_eq!(all, 18_000);
    let mut hit = whole.clone();
    let at = whole.len() / 2;
    hit[at..at + 50].fill(0xff);
    place.file("a.7z", &hit);
    let wanted = place.scan("a.7z -f names -j1");
    assert!((12_000..18_000).contains(&wanted.out.lines().count()));
    let lines: Vec<_> = wanted.err.lines().collect();
    assert!(lines[0].starts_with("doisift: a.7z: ") && lines[0].contains("the 7z data is damaged"));
    assert!(
        lines.len() == 2 && lines[1].contains("lost with the damaged data"),
        "{}",
        wanted.err
    );
    for options in ["-j2", "-j1 --chunk 77"] {
        let seen = place.scan(&format!("a.7z -f names {options}"));
        assert!(
            seen.out == wanted.out && seen.err == wanted.err,
            "{}",
            seen.err
        );
    }
    for cut in [8, 20, 32, whole.len() / 2, whole.len() - 1] {
        let seen = place.file("a.7z", &whole[..cut]).scan("a.7z");
        assert_eq!(seen.code, Some(1), "{cut}");
        assert!(
            seen.err.starts_with("doisift: a.7z: at byte ") && seen.err.lines().count() == 1,
            "{}",
            seen.err
        );
        let seen = place.file("x.7z.001", &whole[..cut]).scan("x.7z.001");
        assert!(
            seen.err
                .contains("one part of a split 7z archive; join the parts"),
            "{}",
            seen.err
        );
    }
    for at in 8..32 {
        let mut hit = whole.clone();
        hit[at] ^= 0x10;
        let seen = place.file("a.7z", &hit).scan("a.7z");
        assert!(
            seen.code == Some(1) && seen.err.contains("7z data is damaged"),
            "{at}: {}",
            seen.err
        );
    }
}

#[test]
fn a_member_with_a_wrong_checksum_is_named_and_those_after_it_are_read() {
    let place = Place::new();
    let stored = SevenZipFolder {
        members: vec![
            ("a", b"10.5555/a\n"),
            ("b", b"10.5555/b\n"),
            ("c", b"10.5555/c\n"),
        ],
        packed: Packed::Stored,
    };
    let mut archive = seven_zip(&[stored], &[]);
    archive[32 + 10 + 9] = b' ';
    let seen = place.file("a.7z", archive).scan("a.7z -f names");
    assert_eq!(seen.out, "10.5555/a\n10.5555/b\n10.5555/c\n");
    let wanted = "doisift: a.7z: b: at byte 10: the 7z data is damaged: its checksum";
    assert!(
        seen.err.starts_with(wanted) && seen.err.lines().count() == 1,
        "{}",
        seen.err
    );
}

#[test]
fn an_archive_that_promises_much_takes_little() {
    let place = Place::new();
    let zeros = vec![0; 100 << 20];
    let bomb = seven_zip(&[solid(&[("a", &zeros), ("b", b"10.5555/b\n")])], &[]);
    let seen = place.file("a.7z", bomb).scan("a.7z");
    assert_eq!(seen.code, Some(1));
    assert!(
        seen.err
            .contains("a.7z: a: at byte 67108864: it unpacks to more"),
        "{}",
        seen.err
    );
    assert_eq!(seen.err.lines().count(), 1);
    // Headers with larger counts than their bytes allow.
    for header in [
        &b"\x01\x05\xff\xff\xff\xff\xff\xff\xff\xff\x7f"[..],
        b"\x01\x04\x06\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x09",
        b"\x01\x04\x07\x0b\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00",
        b"\x01\x04\x07\x0b\x01\x00\x01\x30\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x17\x06\x00\x01\x09\x00\x00\x07\x0b\x01\x00\x01\x01\x00\x0c\xff\xff\xff\xff\xff\xff\xff\xff\x0f\x00\x00",
    ] {
        let mut crc = flate2::Crc::new();
        crc.update(header);
        let start = [&[0; 8][..], &(header.len() as u64).to_le_bytes(), &crc.sum().to_le_bytes()].concat();
        let mut crc = flate2::Crc::new();
        crc.update(&start);
        let file = [b"7z\xbc\xaf\x27\x1c\0\x04", &crc.sum().to_le_bytes()[..], &start, header].concat();
        let seen = place.file("h.7z", file).scan("h.7z");
        assert_eq!(seen.code, Some(1));
        assert!(seen.err.starts_with("doisift: h.7z: at byte 32: the 7z "), "{}", seen.err);
    }
}

#[test]
fn an_archive_of_xar_is_an_error() {
    let place = Place::new();
    let head = b"xar!\0\x1c\0\x01\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\x01";
    place.file("a.pkg", [&head[..], b" 10.5555/a "].concat());
    let seen = place.scan("a.pkg --mentions");
    assert_eq!((seen.code, &*seen.out), (Some(1), ""));
    let said = "xar is recognised but cannot be opened; unpack it first";
    assert!(seen.err.contains(said), "{}", seen.err);
}
