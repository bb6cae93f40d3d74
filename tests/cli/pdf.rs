//! PDF files: pages and metadata as documents, names that line ends break, and files that are made to cost much.

#[path = "../../fuzz/pdf_writer.rs"]
pub mod pdf_writer;

use std::time::Instant;

use crate::containers::{tar, zip};
use crate::place::{Place, Seen, gzip};
#[cfg(target_os = "linux")]
use crate::process::code_and_peak;
use pdf_writer::{PdfObjects, PdfPage, PdfStyle, deflated, pdf, pdf_of};

fn styles() -> impl Iterator<Item = PdfStyle> {
    (0..8).map(|bits| PdfStyle {
        packed: bits & 1 > 0,
        streams: bits & 2 > 0,
        broken: bits & 4 > 0,
    })
}

pub fn pages() -> [PdfPage; 2] {
    [
        PdfPage::new(&["See doi:10.5555/one-1, and", "10.5555/two."], &[]),
        PdfPage::new(
            &["and 10.5555/\\(3\\)c"],
            &["https://doi.org/10.5555/linked"],
        ),
    ]
}

/// Returns the names in a file of one page.
fn names_of(page: PdfPage) -> Vec<String> {
    let place = Place::new();
    place.file("a.pdf", pdf(&[page], PdfStyle::default()));
    let seen = place.scan("a.pdf --mentions -f jsonl");
    seen.quiet().field("doi").into_iter().skip(1).collect()
}

fn guessed(seen: &Seen) -> Vec<bool> {
    let rows = seen
        .out
        .lines()
        .map(|line| line.contains("\"guessed\":true"));
    rows.collect()
}

#[test]
fn pages_and_metadata_are_documents_however_the_file_is_written() {
    let place = Place::new();
    for style in styles() {
        place.file("a.pdf", pdf(&pages(), style));
        let seen = place.scan("a.pdf --mentions -f jsonl");
        let mut names = ["title", "one-1", "two", "(3)c", "linked"]
            .map(|name| format!("10.5555/{name}"))
            .to_vec();
        let mut documents = ["#metadata", "#page=1", "#page=1", "#page=2", "#page=2"].to_vec();
        if style.broken && style.streams {
            // The trailer is lost with the table, and the title is not found without it.
            names.remove(0);
            documents.remove(0);
        }
        assert_eq!(seen.field("doi"), names);
        assert_eq!(seen.field("document"), documents);
    }
}

#[test]
fn files_are_found_at_any_depth_and_after_other_bytes() {
    let place = Place::new();
    let file = pdf(&pages(), PdfStyle::default());
    let late = [&b"\xff\0 some bytes\n"[..], &file].concat();
    for (name, bytes, document) in [
        ("a", file.clone(), "#page=2"),
        ("b", late, "#page=2"),
        ("c", gzip(&file), "#page=2"),
        ("d", zip(&[("x/y", &file)]), "x/y!/#page=2"),
        (
            "e",
            gzip(tar(&[
                ("t", b"10.5555/t"),
                ("u", &file),
                ("v", b"10.5555/v"),
            ])),
            "v",
        ),
    ] {
        place.file(name, bytes);
        for threads in ["-j1", "-j2"] {
            let seen = place.scan(&format!("{name} --mentions -f jsonl {threads}"));
            let documents = seen.quiet().field("document");
            assert_eq!(
                documents.last().map(String::as_str),
                Some(document),
                "{name}"
            );
            assert!(documents.len() >= 5, "{name}");
        }
    }
}

#[test]
fn a_text_about_pdf_is_a_text() {
    let place = Place::new();
    place.file(
        "a",
        "A file starts with %PDF-1.7\nand then 10.5555/a1 0 obj\n",
    );
    assert_eq!(place.scan("a -f names").quiet().out, "10.5555/a1\n");
}

#[test]
fn many_files_in_a_container_come_in_order() {
    let place = Place::new();
    let file = |number: usize| {
        let lines = vec![format!("doi:10.5555/f{number}"); 1 + number % 40];
        pdf(
            &[PdfPage {
                lines,
                links: vec![],
            }],
            PdfStyle::default(),
        )
    };
    let mut members: Vec<_> = (0..60)
        .map(|number| (format!("{number}.pdf"), file(number)))
        .collect();
    members.insert(30, ("text".into(), b"10.5555/text".to_vec()));
    members.insert(50, ("cut.pdf".into(), b"%PDF-1.4\nnothing".to_vec()));
    let members: Vec<_> = members
        .iter()
        .map(|(name, bytes)| (&name[..], &bytes[..]))
        .collect();
    place.file("in.tar", tar(&members));
    let one = place.scan("in.tar --mentions -f jsonl -j1");
    assert_eq!(
        one.field("doi").len(),
        60 + 1 + (0..60).map(|number| 1 + number % 40).sum::<usize>()
    );
    assert!(
        one.err
            .contains("cut.pdf: at byte 0: the PDF file has no pages"),
        "{}",
        one.err
    );
    for threads in ["-j2", "-j3"] {
        let many = place.scan(&format!("in.tar --mentions -f jsonl {threads}"));
        assert!(many.out == one.out && many.err == one.err, "{threads}");
    }
}

#[test]
fn links_join_names_and_the_layout_joins_them_with_a_guess() {
    let place = Place::new();
    let full = "a line that is as wide as the column of its text is, and no more";
    let lines = [
        full,
        "and what comes at its end is this: https://doi.org/10.5555/a.b-",
        "c1.2020. Then 10.5555/d. And https://doi.org/10.5555/e.2020.",
        "12345 (2020). Next",
    ];
    for (links, expected) in [
        (
            &["https://doi.org/10.5555/a.b-c1.2020"][..],
            [("a.b-c1.2020", false), ("d", false), ("e.2020.12345", true)],
        ),
        (
            &["https://doi.org/10.5555/e.2020"],
            [("a.b-c1.2020", true), ("d", false), ("e.2020", false)],
        ),
    ] {
        place.file(
            "a.pdf",
            pdf(&[PdfPage::new(&lines, links)], PdfStyle::default()),
        );
        let seen = place.scan("a.pdf --mentions -f jsonl");
        let names: Vec<_> = seen
            .field("doi")
            .into_iter()
            .zip(guessed(&seen))
            .skip(1)
            .take(3)
            .collect();
        let expected = expected.map(|(name, guess)| (format!("10.5555/{name}"), guess));
        assert_eq!(names, expected);
    }
    // A name at the end of a line with room for more is whole.
    let lines = [full, "see doi:10.5555/a.", "12 Next"];
    assert_eq!(names_of(PdfPage::new(&lines, &[])), ["10.5555/a"]);
}

#[test]
fn fonts_without_a_map_are_read_by_their_encoding() {
    let place = Place::new();
    let content = |text: &str| format!("BT /F 10 Tf 50 700 Td {text} Tj ET");
    for (font, text) in [
        (
            "/Subtype/Type1/BaseFont/X/Encoding<</Differences[1/one/zero/period/five/slash/ffi]>>",
            "<0102030404040405063078>",
        ),
        (
            "/Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/Encoding<</Differences[1/a49/a48/a46/a53/a47/a30]>>",
            "<0102030404040405063078>",
        ),
        (
            "/Subtype/TrueType/Encoding/WinAnsiEncoding",
            "(10.5555/ffi0x)",
        ),
        (
            "/Subtype/Type0/Encoding/UniGB-UCS2-H",
            "<00310030002E0035003500350035002F00660066006900300078>",
        ),
        ("/Subtype/Type0/Encoding/90ms-RKSJ-H", "(10.5555/ffi0x)"),
        (
            "/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</CIDSystemInfo<</Ordering(Japan1)>>>>]",
            "<00120011000F0016001600160016001000470047004A00110059>",
        ),
    ] {
        place.file(
            "a.pdf",
            pdf_of(PdfObjects::default(), content(text).as_bytes(), font, ""),
        );
        assert_eq!(
            place.scan("a.pdf -f names").quiet().out,
            "10.5555/ffi0x\n",
            "{font}"
        );
    }
}

#[test]
fn blanks_without_width_are_no_part_of_the_text() {
    let place = Place::new();
    for shown in [
        "-6 Tw (see)Tj 0 Tw ( )Tj -6 Tw (10. 5555/ ab. cd)Tj",
        "[(see 10. )600(5555/ )598(ab. )600(cd)]TJ",
        "[(see 10.)600( 5555/)600( ab.)600( cd)]TJ",
        "(see 10.)Tj /F .01 Tf ( )Tj /F 10 Tf (5555/ab.)Tj 0 Tz ( )Tj 100 Tz (cd)Tj",
    ] {
        let content = format!("BT /F 10 Tf 50 700 Td {shown} 0 Tw ( and)Tj ET");
        let font = "/Subtype/Type1/BaseFont/Courier";
        let file = pdf_of(PdfObjects::default(), content.as_bytes(), font, "");
        place.file("a.pdf", file);
        let seen = place.scan("a.pdf -f names");
        assert_eq!(seen.quiet().out, "10.5555/ab.cd\n", "{shown}");
    }
}

#[test]
fn what_stands_for_shown_text_and_forms_are_read() {
    let place = Place::new();
    let mut objects = PdfObjects::default();
    let form = objects.add_stream(
        "/Subtype/Form/Matrix[1 0 0 1 0 -20]",
        b"BT /F 9 Tf 50 600 Td (10.5555/form) Tj ET".to_vec(),
    );
    let content = b"BT /F 9 Tf 50 700 Td (10.5555/) Tj /Span<</ActualText(x-y)>>BDC (?) Tj EMC ( ) Tj ET q BI /W 1 ID (10.5555/no) EI Q /X Do";
    let resources = format!("/XObject<</X {form} 0 R>>");
    let file = pdf_of(
        objects,
        content,
        "/Subtype/Type1/BaseFont/Courier",
        &resources,
    );
    place.file("a.pdf", file);
    assert_eq!(
        place.scan("a.pdf -f names").quiet().out,
        "10.5555/form\n10.5555/x-y\n"
    );
}

#[test]
fn pages_without_text_are_counted() {
    let place = Place::new();
    let pages = [
        PdfPage::default(),
        PdfPage::new(&["10.5555/a"], &[]),
        PdfPage::default(),
    ];
    place.file("a.pdf", pdf(&pages, PdfStyle::default()));
    let seen = place.scan("a.pdf --report r.json -o out.csv");
    assert_eq!(seen.code, Some(0));
    assert_eq!(
        place.json("r.json")["skipped"],
        serde_json::json!({"pdf page": 2})
    );
}

#[test]
fn damage_is_reported_and_the_rest_is_read() {
    let place = Place::new();
    let whole = pdf(
        &pages(),
        PdfStyle {
            packed: true,
            ..PdfStyle::default()
        },
    );
    let start = whole
        .windows(7)
        .position(|word| word == b"stream\n")
        .unwrap()
        + 7;
    let mut damaged = whole.clone();
    damaged[start + 12..start + 20].fill(0xff);
    place
        .file("damaged", damaged)
        .file("empty", "%PDF-1.4\n")
        .file("locked", locked());
    let seen = place.scan("damaged -f names");
    assert_one_error(&seen);
    assert!(
        seen.err.contains("#page=1: ") && seen.err.contains("damaged"),
        "{}",
        seen.err
    );
    assert!(seen.out.contains("10.5555/(3)c"));
    for (file, error) in [("empty", "has no pages"), ("locked", "is encrypted")] {
        let seen = place.scan(file);
        assert_eq!((seen.code, &seen.out[..]), (Some(1), ""));
        assert!(seen.err.contains(error), "{}", seen.err);
    }
}

/// Asserts that the run reported one error and did the rest.
fn assert_one_error(seen: &Seen) {
    let lines = seen.err.lines().count();
    assert_eq!((seen.code, lines), (Some(1), 1), "{}", seen.err);
}

#[test]
fn a_file_that_was_cut_is_never_read_as_a_whole_one() {
    let place = Place::new();
    for style in styles().filter(|style| !style.broken) {
        let whole = pdf(&pages(), style);
        let cuts: Vec<_> = (40..=whole.len()).rev().step_by(3).collect();
        let names: Vec<_> = cuts.iter().map(|cut| format!("{cut}.pdf")).collect();
        let prefixes = cuts.iter().map(|cut| &whole[..*cut]);
        let members: Vec<_> = names.iter().map(|name| &name[..]).zip(prefixes).collect();
        place.file("in.tar", tar(&members));
        let seen = place.scan("in.tar --mentions -f jsonl");
        assert_eq!(seen.code, Some(1));
        let documents = seen.field("document");
        for name in &names {
            let found = documents
                .iter()
                .filter(|document| document.starts_with(name));
            let is_reported = seen.err.contains(&format!(" {name}"));
            assert!(
                is_reported || found.count() == 5,
                "{name} of {}, {style:?}",
                whole.len()
            );
        }
        assert!(!seen.err.contains(&names[0]), "{}", seen.err);
    }
}

#[test]
fn a_cut_file_has_one_error_and_no_advice_on_pictures() {
    let place = Place::new();
    let whole = pdf(&[PdfPage::new(&["10.5555/a"], &[])], PdfStyle::default());
    let text = String::from_utf8_lossy(&whole).into_owned();
    // The page is found, and its content is not.
    let objects: Vec<_> = text.split_inclusive("endobj\n").collect();
    place.file(
        "a.pdf",
        [objects[2], objects[3], objects[4]]
            .concat()
            .replacen("3 0", "%PDF-1.4\n3 0", 1),
    );
    let seen = place.scan("a.pdf --report r.json");
    assert_one_error(&seen);
    assert!(
        seen.err.contains("cut short") && !seen.err.contains("ocrmypdf"),
        "{}",
        seen.err
    );
    assert_eq!(place.json("r.json")["skipped"], serde_json::json!({}));
}

#[test]
fn a_damaged_table_before_a_trailer_is_no_error() {
    let place = Place::new();
    for style in styles().filter(|style| !style.broken) {
        let whole = pdf(&pages(), style);
        let at = whole
            .windows(9)
            .rposition(|word| word == b"startxref")
            .unwrap();
        let start = |number: &[u8]| [&whole[..at + 10], number, b"\n%%EOF\n"].concat();
        let mut table = whole.clone();
        if let Some(at) = whole.windows(5).position(|word| word == b"xref\n") {
            table[at + 5] = b'?';
        }
        for (name, file) in [
            ("wrong", start(b"7")),
            ("none", whole[..at].to_vec()),
            (
                "junk",
                [&whole[..], &b"<html></html>\n".repeat(200)].concat(),
            ),
            ("table", table),
        ] {
            place.file(name, file);
            let seen = place.scan(&format!("{name} --mentions -f jsonl"));
            assert_eq!(seen.quiet().field("doi").len(), 5, "{name}, {style:?}");
        }
    }
}

#[test]
fn a_page_that_the_file_does_not_have_is_reported() {
    let place = Place::new();
    let whole = String::from_utf8_lossy(&pdf(&pages(), PdfStyle::default())).into_owned();
    // The font is number 1, then come two contents and two pages.
    for (number, error) in [
        (
            2,
            "#page=1: at byte 0: the PDF file has a page whose content is missing",
        ),
        (4, "has a damaged page tree"),
        (6, "has a damaged page tree"),
    ] {
        place.file(
            "a.pdf",
            whole.replacen(&format!("{number} 0 obj"), "9 9 abc", 1),
        );
        let seen = place.scan("a.pdf -f names");
        assert_one_error(&seen);
        assert!(seen.err.contains(error), "{}", seen.err);
        assert!(seen.out.contains("10.5555/(3)c"));
    }
}

/// Returns a file that needs a password.
fn locked() -> Vec<u8> {
    let text = String::from_utf8_lossy(&pdf(&pages(), PdfStyle::default())).into_owned();
    let filler = "00".repeat(32);
    let encrypt = format!(
        "trailer\n<</Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O<{filler}>/U<{filler}>>>"
    );
    text.replace("trailer\n<<", &encrypt).into_bytes()
}

/// Returns small files that would cost much without limits.
fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    let font = "/Subtype/Type1/BaseFont/Courier";
    let line = b"(10.5555/aaaaaaaaaaaaaaaaaaaaaaaaa) Tj T*\n";
    let page = PdfPage::new(&["10.5555/a"], &[]);
    let content = pdf_of(PdfObjects::default(), &line.repeat(1_700_000), font, "");
    let mut forms = PdfObjects::default();
    let mut last = forms.add_stream("/Subtype/Form", b"BT /F 9 Tf (10.5555/x) Tj ET".to_vec());
    for _ in 0..6 {
        let head = format!("/Subtype/Form/Resources<</XObject<</X {last} 0 R>>>>");
        last = forms.add_stream(&head, b"/X Do ".repeat(1000));
    }
    let forms = pdf_of(forms, b"/X Do", font, &format!("/XObject<</X {last} 0 R>>"));
    let mut maps = PdfObjects::default();
    let ranges = b"beginbfrange <0000> <ffff> <0041> endbfrange\n".repeat(600_000);
    let map = maps.add_content(&ranges, true);
    let maps = pdf_of(
        maps,
        b"BT /F 9 Tf (10.5555/x) Tj ET",
        &format!("{font}/ToUnicode {map} 0 R"),
        "",
    );
    let mut objects = pdf(
        std::slice::from_ref(&page),
        PdfStyle {
            streams: true,
            ..PdfStyle::default()
        },
    );
    let packed = deflated(&vec![b' '; 70 << 20]);
    let number = 90;
    objects.extend(
        format!(
            "{number} 0 obj\n<</Type/ObjStm/N 9/First 9/Filter/FlateDecode/Length {}>>\nstream\n",
            packed.len()
        )
        .bytes(),
    );
    objects.extend(packed);
    objects.extend(b"\nendstream\nendobj\nstartxref\n0\n%%EOF");
    let nested = [b"%PDF-1.4\n1 0 obj\n".to_vec(), b"<</A[".repeat(200_000)].concat();
    let loops = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[2 0 R 2 0 R 3 0 R]>>endobj 3 0 obj 3 0 R endobj".to_vec();
    let repeated = |text: &[u8]| [&b"%PDF-1.4\n"[..], &text.repeat(200_000)].concat();
    vec![
        ("content", content),
        ("forms", forms),
        ("maps", maps),
        ("objects", objects),
        ("nested", nested),
        ("loops", loops),
        ("open", repeated(b"1 0 obj (")),
        ("catalogs", repeated(b"1 0 obj<</Catalog(")),
        ("trailers", repeated(b"trailer<<(")),
    ]
}

#[cfg(target_os = "linux")]
#[test]
fn bombs_end_within_their_limits() {
    let place = Place::new();
    for (name, bomb) in bombs() {
        assert!(bomb.len() < 4 << 20, "{name}: {}", bomb.len());
        place.file(name, bomb);
        let since = Instant::now();
        let mut run = place.command([
            "scan", name, "-j1", "--memory", "256M", "-f", "names", "-o", "out.txt",
        ]);
        let (code, peak) = code_and_peak(&mut run.spawn().unwrap());
        let spent = since.elapsed().as_secs();
        // Hours without limits.
        assert!(spent < 300, "{name}: {spent} s");
        assert!(matches!(code, Some(0 | 1)), "{name}: {code:?}");
        assert!(peak < 500, "{name}: {peak} MiB");
    }
}

#[test]
fn mutated_files_are_read_or_reported() {
    let place = Place::new();
    let files: Vec<_> = styles().map(|style| pdf(&pages(), style)).collect();
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut members = Vec::new();
    for number in 0..2000 {
        let mut file = files[number % files.len()].clone();
        for _ in 0..=next(6) {
            let at = next(file.len());
            match next(4) {
                0 => file[at] = next(256) as u8,
                1 => file[at] = b"0123456789<>[]()/ R"[next(19)],
                2 => file.truncate(at.max(20)),
                _ => {
                    let end = (at + next(40)).min(file.len());
                    file.drain(at..end);
                }
            }
        }
        members.push((format!("{number}.pdf"), file));
    }
    let members: Vec<_> = members
        .iter()
        .map(|(name, bytes)| (&name[..], &bytes[..]))
        .collect();
    place.file("in.tar", tar(&members));
    let seen = place.scan("in.tar -f names -j2");
    assert!(matches!(seen.code, Some(0 | 1)), "{:?}", seen.code);
    assert!(!seen.err.contains("panicked"), "{}", seen.err);
}

#[test]
fn a_flipped_bit_of_a_packed_page_is_reported() {
    let place = Place::new();
    let style = PdfStyle {
        packed: true,
        ..PdfStyle::default()
    };
    let whole = pdf(&pages(), style);
    let at = |word: &[u8], from: usize| {
        let found = whole[from..].windows(word.len()).position(|at| at == word);
        found.unwrap() + from
    };
    let start = at(b"stream\n", 0) + 7;
    let end = at(b"\nendstream", start);
    let mut members = Vec::new();
    for byte in start..end {
        let mut file = whole.clone();
        file[byte] ^= 1 << (byte % 8);
        members.push((format!("{byte}.pdf"), file));
    }
    let members: Vec<_> = members.iter().map(|(a, b)| (&a[..], &b[..])).collect();
    place.file("in.tar", tar(&members));
    let seen = place.scan("in.tar --mentions -f jsonl");
    assert_eq!(seen.code, Some(1));
    let found: Vec<_> = seen
        .field("document")
        .into_iter()
        .zip(seen.field("doi"))
        .collect();
    let of = |document: String| {
        let names = found.iter().filter(|(own, _)| *own == document);
        names.map(|(_, name)| &name[..]).collect::<Vec<_>>()
    };
    for (name, _) in members {
        // A bit after the end of the packed data means nothing.
        let is_same = of(format!("{name}!/#page=1")) == ["10.5555/one-1", "10.5555/two"];
        let is_reported = seen.err.contains(&format!("{name}!/#page=1: "));
        assert!(is_reported || is_same, "{name}: {}", seen.err);
        assert_eq!(of(format!("{name}!/#page=2")).len(), 2, "{name}");
    }
    assert!(seen.err.contains("is damaged; get the file again"));
}

/// Returns the error for a file of one page that exceeds a limit.
fn limit_of(file: Vec<u8>) -> String {
    let place = Place::new();
    place.file("a.pdf", file);
    let seen = place.scan("a.pdf -f names");
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    assert!(seen.out.contains("10.5555/a"), "{}", seen.out);
    seen.err
}

#[test]
fn what_is_cut_by_a_limit_is_reported_with_its_reason() {
    let font = "/Subtype/Type1/BaseFont/Courier";
    let page = |content: &[u8]| pdf_of(PdfObjects::default(), content, font, "");
    let many = [
        &b"BT /F 9 Tf (10.5555/a ) Tj ["[..],
        &b"1 ".repeat(70_000),
        b"] TJ ET",
    ]
    .concat();
    assert!(limit_of(page(&many)).contains("65,536 operands"));
    let long = [&b"BT /F 9 Tf 12 TL "[..], &long_line().repeat(60_000)].concat();
    assert!(limit_of(page(&long)).contains("more text than is kept"));
    let links: Vec<_> = (0..100_001).map(|n| format!("https://x.org/{n}")).collect();
    let links: Vec<_> = links.iter().map(|link| &link[..]).collect();
    let linked = PdfPage::new(&["10.5555/a"], &links);
    assert!(limit_of(pdf(&[linked], PdfStyle::default())).contains("more links"));
    let shown = b"BT /F 9 Tf (10.5555/a) Tj ET /X Do";
    let mut forms = PdfObjects::default();
    let mut last = forms.add_stream("/Subtype/Form", Vec::new());
    for _ in 0..33 {
        let head = format!("/Subtype/Form/Resources<</XObject<</X {last} 0 R>>>>");
        last = forms.add_stream(&head, b"/X Do".to_vec());
    }
    let nested = pdf_of(forms, shown, font, &format!("/XObject<</X {last} 0 R>>"));
    assert!(limit_of(nested).contains("nested more than 32 deep"));
    let mut form = PdfObjects::default();
    let filters = "/AHx".repeat(9);
    let last = form.add_stream(&format!("/Subtype/Form/Filter[{filters}]"), b"41>".to_vec());
    let chained = pdf_of(form, shown, font, &format!("/XObject<</X {last} 0 R>>"));
    assert!(limit_of(chained).contains("more than 8 filters"));
}

/// Returns a page that shows often a code for which its font has a text of `units` characters.
fn swollen(units: usize) -> Vec<u8> {
    let mut objects = PdfObjects::default();
    let text = "0041".repeat(units);
    let map = objects.add_content(
        format!("beginbfrange <00> <ff> <{text}> endbfrange").as_bytes(),
        true,
    );
    let shown = [&b"BT /F 9 Tf ("[..], &b"x".repeat(500_000), b") Tj ET"].concat();
    let font = format!("/Subtype/Type1/BaseFont/Courier/ToUnicode {map} 0 R");
    pdf_of(objects, &shown, &font, "")
}

#[cfg(target_os = "linux")]
#[test]
fn a_font_with_long_texts_takes_no_more_than_the_budget() {
    let place = Place::new();
    for units in [200, 5000] {
        place.file("a.pdf", swollen(units));
        for threads in ["-j1", "-j2"] {
            let mut run =
                place.command(["scan", "a.pdf", threads, "--memory", "64M", "-o", "out.csv"]);
            let (code, peak) = code_and_peak(&mut run.spawn().unwrap());
            assert_eq!(code, Some(1));
            assert!(peak < 160, "{units}: {peak} MiB");
        }
    }
}

/// Returns a line with a name and 400 bytes of text.
fn long_line() -> Vec<u8> {
    format!("(10.5555/a {}) Tj T*\n", "lorem ".repeat(65)).into_bytes()
}

#[cfg(target_os = "linux")]
#[test]
fn the_number_of_threads_does_not_decide_what_is_read() {
    let place = Place::new();
    let mut large = pdf(&pages(), PdfStyle::default());
    // A comment after the end.
    large.extend([&b"%"[..], &vec![b'-'; 24 << 20], b"\n"].concat());
    let content = [&b"BT /F 9 Tf 12 TL "[..], &long_line().repeat(8_000)].concat();
    let font = "/Subtype/Type1/BaseFont/Courier";
    let long = pdf_of(PdfObjects::default(), &content, font, "");
    let names = ["a.pdf", "b.pdf", "c.pdf"];
    let members = [("m", &large[..]), ("n", &long), ("o", &large)];
    place.file("in.tar", tar(&members)).file("l.pdf", &long);
    for name in names {
        place.file(name, &large);
    }
    let mut first = None;
    for threads in ["-j1", "-j2", "-j8"] {
        let mut run = place.command([
            "scan",
            "a.pdf",
            "b.pdf",
            "c.pdf",
            "in.tar",
            "l.pdf",
            threads,
            "--memory",
            "64M",
            "--mentions",
            "-o",
            "out.csv",
        ]);
        let (code, peak) = code_and_peak(&mut run.spawn().unwrap());
        assert_eq!(code, Some(0), "{threads}");
        assert!(peak < 160, "{threads}: {peak} MiB");
        let out = std::fs::read(place.path("out.csv")).unwrap();
        assert!(
            *first.get_or_insert_with(|| out.clone()) == out,
            "{threads}"
        );
    }
}
