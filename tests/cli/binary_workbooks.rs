//! Workbooks in the binary formats xls and xlsb, and other OLE2 files.

use crate::containers::zip;
use crate::place::{Place, Seen};

/// Returns an OLE2 file with one stream.
fn ole2(name: &str, stream: &[u8]) -> Vec<u8> {
    let mut stream = stream.to_vec();
    // A shorter stream would be in small sectors.
    stream.resize(stream.len().max(4096).next_multiple_of(512), 0);
    let count = (stream.len() / 512) as u32;
    let mut header = vec![0; 512];
    header[..8].copy_from_slice(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    header[24..34].copy_from_slice(&[0x3e, 0, 3, 0, 0xfe, 0xff, 9, 0, 6, 0]);
    put(
        &mut header,
        &[(44, 1), (48, 1), (56, 4096), (60, !1), (68, !1)],
    );
    header[76..].fill(0xff);
    put(&mut header, &[(76, 0)]);
    let mut table = vec![0xff; 512];
    put(&mut table, &[(0, !2), (4, !1)]);
    for number in 0..count {
        let next = if number + 1 == count { !1 } else { number + 3 };
        put(&mut table, &[(8 + 4 * number as usize, next)]);
    }
    let root = entry("Root Entry", 5, [!0, 1], !1, 0);
    let part = entry(name, 2, [!0, !0], 2, stream.len() as u32);
    let mut directory = [root, part].concat();
    directory.resize(512, 0);
    [header, table, directory, stream].concat()
}

fn put(bytes: &mut [u8], numbers: &[(usize, u32)]) {
    for (at, number) in numbers {
        bytes[*at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
}

fn entry(name: &str, kind: u8, [side, child]: [u32; 2], start: u32, length: u32) -> Vec<u8> {
    let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let size = entry.len() as u8 + 2;
    entry.resize(128, 0);
    (entry[64], entry[66], entry[67]) = (size, kind, 1);
    put(
        &mut entry,
        &[
            (68, side),
            (72, side),
            (76, child),
            (116, start),
            (120, length),
        ],
    );
    entry
}

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let head = [kind, data.len() as u16].map(u16::to_le_bytes).concat();
    [&head, data].concat()
}

/// Returns a text of BIFF8 after its length, which has `size` bytes.
fn text(text: &str, wide: bool, size: usize) -> Vec<u8> {
    let mut out = (text.encode_utf16().count() as u16).to_le_bytes()[..size].to_vec();
    out.push(u8::from(wide));
    for unit in text.encode_utf16() {
        out.extend_from_slice(&unit.to_le_bytes()[..1 + usize::from(wide)]);
    }
    out
}

fn cell(row: u16, column: u16, style: u16, rest: &[u8]) -> Vec<u8> {
    let place = [row, column, style].map(u16::to_le_bytes).concat();
    [&place, rest].concat()
}

/// Returns a workbook of two sheets. The shared texts are split within a name.
pub fn xls() -> Vec<u8> {
    let first = text("10.5555/\u{e9}shared", false, 2);
    let (kept, moved) = first.split_at(3 + 10);
    let strings = [&2_u32.to_le_bytes(), &2_u32.to_le_bytes(), kept].concat();
    let wide: Vec<u8> = String::from_utf8_lossy(moved)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let more = [&[1], &wide[..], &text("10.5555/\u{65e5}", true, 2)].concat();
    let style = |format: u16| [0, format].map(u16::to_le_bytes).concat();
    let head = |starts: [u32; 2]| {
        let sheet =
            |start: u32, name| [&start.to_le_bytes()[..], &[0, 0], &text(name, false, 1)].concat();
        [
            record(0x809, &[0, 6, 5, 0, 0, 0, 0, 0]),
            record(0xe0, &style(0)),
            record(0xe0, &style(14)),
            record(0x85, &sheet(starts[0], "One")),
            record(0x85, &sheet(starts[1], "Two")),
            record(0xfc, &strings),
            record(0x3c, &more),
            record(0x0a, &[]),
        ]
        .concat()
    };
    let start = record(0x809, &[0, 6, 16, 0, 0, 0, 0, 0]);
    let value = |bytes: [u8; 8], formula: &[u8]| {
        [
            &bytes[..],
            &[0; 6],
            &(formula.len() as u16).to_le_bytes(),
            formula,
        ]
        .concat()
    };
    let target = [
        &[0x17][..],
        &text("https://doi.org/10.5555/target", false, 1),
    ]
    .concat();
    let link = {
        let url: Vec<u8> = "https://doi.org/10.5555/link\0"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let place = [0_u16, 0, 3, 3].map(u16::to_le_bytes).concat();
        let heads = [2_u32, 3].map(u32::to_le_bytes).concat();
        let kind = [
            &0x79ea_c9e0_u32.to_le_bytes()[..],
            &[0; 12],
            &(url.len() as u32).to_le_bytes(),
        ];
        [&place[..], &[0; 16], &heads, &kind.concat(), &url].concat()
    };
    let one = [
        start.clone(),
        record(0x204, &cell(0, 0, 0, &text("doi", false, 2))),
        record(0x204, &cell(0, 1, 0, &text("n", false, 2))),
        record(0xfd, &cell(1, 0, 0, &0_u32.to_le_bytes())),
        record(
            0xbd,
            &[
                &cell(1, 1, 0, &(2_u32 | 700 << 2).to_le_bytes())[..],
                &cell(1, 0, 0, &[])[2..],
            ]
            .concat(),
        ),
        record(0x203, &cell(1, 2, 1, &45_351_f64.to_le_bytes())),
        record(
            0x06,
            &cell(2, 0, 0, &value([0, 0, 0, 0, 0, 0, 255, 255], &target)),
        ),
        record(0x207, &text("10.5555/result", false, 2)),
        record(0x205, &cell(2, 1, 0, &[1, 0])),
        record(0x1b8, &link),
        record(0x1b6, &[&[0; 10][..], &[12, 0], &[0; 6]].concat()),
        record(0x3c, b"\x0010.5555/note"),
        record(0x0a, &[]),
    ]
    .concat();
    let two = [
        start,
        record(0xfd, &cell(6, 27, 0, &1_u32.to_le_bytes())),
        record(0x0a, &[]),
    ]
    .concat();
    let length = head([0, 0]).len() as u32;
    let head = head([length, length + one.len() as u32]);
    ole2("Workbook", &[head, one, two].concat())
}

pub fn xlsb() -> Vec<u8> {
    let record = |kind: u16, data: &[u8]| {
        let kind = match kind {
            0..0x80 => vec![kind as u8],
            _ => vec![kind as u8 | 0x80, (kind >> 7) as u8],
        };
        [
            &kind[..],
            &[data.len() as u8 & 0x7f | 0x80, (data.len() >> 7) as u8],
            data,
        ]
        .concat()
    };
    let text = |text: &str| {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [
            &(text.encode_utf16().count() as u32).to_le_bytes()[..],
            &units,
        ]
        .concat()
    };
    let cell = |column: u32, style: u32, rest: &[u8]| {
        [&[column, style].map(u32::to_le_bytes).concat()[..], rest].concat()
    };
    let book = record(0x9c, &[&[0; 8][..], &text("rId1"), &text("One")].concat());
    let strings = record(0x13, &[&[0][..], &text("10.5555/shared")].concat());
    let styles = [
        record(0x2c, &[&[164, 0][..], &text("yyyy-mm-dd")].concat()),
        record(0x269, &[]),
        record(0x2f, &[0, 0, 0, 0]),
        record(0x2f, &[0, 0, 164, 0]),
    ]
    .concat();
    let sheet = [
        record(0x00, &0_u32.to_le_bytes()),
        record(0x06, &cell(0, 0, &text("doi"))),
        record(0x06, &cell(1, 0, &text("when"))),
        record(0x00, &1_u32.to_le_bytes()),
        record(0x07, &cell(0, 0, &0_u32.to_le_bytes())),
        record(0x05, &cell(1, 1, &45_351_f64.to_le_bytes())),
        record(0x00, &2_u32.to_le_bytes()),
        record(
            0x3e,
            &cell(0, 0, &[&[1][..], &text("10.5555/rich")].concat()),
        ),
        record(0x0a, &cell(1, 0, &[1])),
        record(0x00, &3_u32.to_le_bytes()),
        record(0x08, &cell(0, 0, &text("10.5555/result"))),
        record(0x02, &cell(1, 0, &(1_u32 | 2 | 150 << 2).to_le_bytes())),
    ]
    .concat();
    let targets = b"<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/Sheet1.bin\"/></Relationships>";
    zip(&[
        ("xl/worksheets/sheet1.bin", &sheet),
        ("xl/workbook.bin", &book),
        ("xl/_rels/workbook.bin.rels", targets),
        ("xl/SharedStrings.bin", &strings),
        ("xl/styles.bin", &styles),
    ])
}

fn names_and_documents(place: &Place, line: &str) -> Vec<String> {
    let seen = place.scan(line).quiet();
    let rows = seen.field("doi").into_iter().zip(seen.field("document"));
    rows.map(|(name, document)| format!("{document} {name}"))
        .collect()
}

#[test]
fn the_cells_of_xls_are_documents_with_their_sheet_and_place() {
    let place = Place::new();
    place.file("in", xls());
    let wanted = [
        "One!A2 10.5555/\u{e9}shared",
        "One!A3 10.5555/result",
        "One!A3#formula 10.5555/target",
        "One!D1#link 10.5555/link",
        "One#text 10.5555/note",
        "Two!AB7 10.5555/\u{65e5}",
    ];
    for line in ["in --mentions -j1", "in --mentions -j8 --memory 64M"] {
        assert_eq!(names_and_documents(&place, line), wanted);
    }
    place.file("in.zip", zip(&[("a.xls", &xls())]));
    let packed = names_and_documents(&place, "in.zip --mentions");
    assert_eq!(packed[0], "a.xls!/One!A2 10.5555/\u{e9}shared");
}

#[test]
fn the_cells_of_xlsb_are_documents_with_their_sheet_and_place() {
    let place = Place::new();
    place.file("in", xlsb());
    let wanted = [
        "One!A2 10.5555/shared",
        "One!A3 10.5555/rich",
        "One!A4 10.5555/result",
    ];
    for line in ["in --mentions -j1", "in --mentions -j8 --memory 64M"] {
        assert_eq!(names_and_documents(&place, line), wanted);
    }
}

#[test]
fn binary_workbooks_are_tables_too() {
    let place = Place::new();
    place.file("xls", xls()).file("xlsb", xlsb());
    let table = |line: &str| {
        let mut command = place.command(["normalize", "--column", "doi"]);
        Seen::of(command.args(line.split_whitespace())).quiet().out
    };
    assert_eq!(
        table("xls --sheet one"),
        "doi,n,,doi_clean,doi_status,doi_reason\n\
         10.5555/\u{e9}shared,700,2024-02-29,10.5555/\u{e9}shared,unchanged,\n\
         10.5555/result,TRUE,,10.5555/result,unchanged,\n"
    );
    assert_eq!(
        table("xlsb"),
        "doi,when,doi_clean,doi_status,doi_reason\n\
         10.5555/shared,2024-02-29,10.5555/shared,unchanged,\n\
         10.5555/rich,TRUE,10.5555/rich,unchanged,\n\
         10.5555/result,1.5,10.5555/result,unchanged,\n"
    );
}

#[test]
fn other_documents_of_old_programs_are_errors_that_say_what_to_do() {
    let place = Place::new();
    for (part, remedy) in [
        ("WordDocument", "soffice --headless --convert-to docx FILE"),
        (
            "PowerPoint Document",
            "soffice --headless --convert-to pptx FILE",
        ),
        ("EncryptedPackage", "save it without one"),
    ] {
        place.file("in", ole2(part, b"10.5555/lost"));
        let seen = place.scan("in -f names");
        assert_eq!((seen.code, seen.out.as_str()), (Some(1), ""), "{part}");
        assert!(seen.err.contains(remedy), "{part}: {}", seen.err);
    }
    place
        .file("in", ole2("Setup", b"10.5555/lost"))
        .file("b", "10.5555/b\n");
    let seen = place.scan("in b -f names");
    assert_eq!((seen.code, seen.out.as_str()), (Some(0), "10.5555/b\n"));
}

#[test]
fn damaged_workbooks_are_errors_and_never_endless() {
    let place = Place::new();
    let whole = xls();
    // The first sector of the stream links to itself.
    let mut endless = whole.clone();
    put(&mut endless, &[(512 + 8, 2)]);
    // The sectors of the directory form a circle.
    let mut circle = whole.clone();
    put(&mut circle, &[(512 + 4, 1)]);
    // A record that seems longer than it is, so that the start of the second sheet is missed.
    let mut long = whole.clone();
    let second = whole
        .windows(4)
        .rposition(|bytes| bytes == [0x09, 8, 8, 0])
        .unwrap();
    long[second + 2] = 0x48;
    // The offset of a sheet in the list of sheets is wrong.
    let mut moved = whole.clone();
    let listed = whole
        .windows(4)
        .rposition(|bytes| bytes == [0x85, 0, 11, 0])
        .unwrap();
    moved[listed + 4] ^= 1;
    for (case, bytes) in [
        ("long", &long[..]),
        ("moved", &moved),
        ("cut", &whole[..whole.len() - 3500]),
        ("endless", &endless),
        ("circle", &circle),
        ("header", &whole[..600]),
    ] {
        place.file("in", bytes);
        let seen = place.scan("in -f names");
        assert_eq!(seen.code, Some(1), "{case}");
        assert!(
            seen.err.contains("the office document"),
            "{case}: {}",
            seen.err
        );
    }
}
