//! PDF files with streams that cannot be read or that contradict their dictionary, and streams besides those of pages.

use crate::pdf::pdf_writer::{PdfObjects, PdfPage, PdfStyle, pdf};
use crate::place::{Place, Seen};

const CONTENT: &[u8] = b"BT /F 10 Tf 50 700 Td (See doi:10.5555/content.) Tj ET";

/// Scans a file of pages whose content streams have these entries, and a last page with a plain stream.
fn seen(entries: &[&str]) -> Seen {
    let mut objects = PdfObjects::default();
    let font = objects.add("<</Type/Font/Subtype/Type1/BaseFont/Courier>>");
    let plain = objects.add_stream("", CONTENT.to_vec());
    let content = |entries: &&str| objects.add_stream(entries, CONTENT.to_vec());
    let contents: Vec<_> = entries.iter().map(content).chain([plain]).collect();
    let page = |content| format!("/Resources<</Font<</F {font} 0 R>>>>/Contents {content} 0 R");
    let pages: Vec<_> = contents.into_iter().map(page).collect();
    let place = Place::new();
    place.file("a.pdf", objects.write(&pages, "<<>>", PdfStyle::default()));
    place.scan("a.pdf --mentions -f names")
}

#[test]
fn content_with_an_unknown_filter_is_reported_with_its_page_and_object() {
    for entries in [
        "/Filter/Unknown",
        "/Filter[/JBIG2Decode]",
        "/Filter/JPXDecode",
        "/Filter[/Crypt]/DecodeParms[<</Name/Other>>]",
    ] {
        let seen = seen(&[entries]);
        assert_eq!(seen.code, Some(1), "{entries}");
        assert!(seen.err.contains("a.pdf: #page=1: "), "{}", seen.err);
        assert!(seen.err.contains("object 3"), "{}", seen.err);
        assert!(seen.err.contains("is packed by an unknown filter"));
        assert_eq!(seen.out, "10.5555/content\n");
    }
}

#[test]
fn a_filter_of_encryption_that_does_nothing_is_passed() {
    for entries in [
        "/Filter/Crypt",
        "/Filter[/Crypt]/DecodeParms[<</Name/Identity>>]",
    ] {
        assert_eq!(seen(&[entries]).quiet().out.lines().count(), 2);
    }
}

#[test]
fn errors_of_many_pages_are_few() {
    let seen = seen(&["/Filter/Unknown"; 500]);
    assert_eq!(seen.out, "10.5555/content\n");
    let lines: Vec<_> = seen.err.lines().collect();
    assert!(lines[9].contains("#page=10: "), "{}", seen.err);
    assert!(lines[10].contains("has more pages with errors than these"));
    assert_eq!((seen.code, lines.len()), (Some(1), 11), "{}", seen.err);
}

#[test]
fn an_object_stream_that_does_not_have_what_it_says_is_reported() {
    let style = PdfStyle {
        streams: true,
        ..PdfStyle::default()
    };
    let page = PdfPage::new(&["See doi:10.5555/one."], &[]);
    let whole = pdf(std::slice::from_ref(&page), style);
    let whole: String = whole.into_iter().map(char::from).collect();
    let number = |key: &str| {
        let rest = &whole[whole.find(key).unwrap() + key.len()..];
        let digits = rest.trim_start().split(|c: char| !c.is_ascii_digit());
        digits.into_iter().next().unwrap().parse::<usize>().unwrap()
    };
    let place = Place::new();
    for (key, by) in [("/N ", -1), ("/N ", 1), ("/First ", -3), ("/First ", 9)] {
        let old = format!("{key}{}", number(key));
        let new = format!("{key}{}", number(key).checked_add_signed(by).unwrap());
        assert!(whole.contains(&old));
        let bytes: Vec<u8> = whole
            .replacen(&old, &new, 1)
            .chars()
            .map(|c| c as u8)
            .collect();
        place.file("a.pdf", bytes);
        let seen = place.scan("a.pdf -f names");
        assert_eq!(seen.code, Some(1), "{new}: {}", seen.out);
    }
}

/// The length is only a hint, as long as the data has an end.
#[test]
fn a_wrong_length_of_a_stream_loses_nothing() {
    let page = PdfPage::new(&["See doi:10.5555/one."], &[]);
    let place = Place::new();
    for packed in [false, true] {
        let style = PdfStyle {
            packed,
            ..PdfStyle::default()
        };
        let whole = pdf(std::slice::from_ref(&page), style);
        let at = whole.windows(8).position(|at| at == b"/Length ").unwrap() + 8;
        for digit in b'0'..=b'9' {
            let mut bytes = whole.clone();
            bytes[at] = digit;
            place.file("a.pdf", bytes);
            let seen = place.scan("a.pdf -f names");
            assert_eq!(seen.quiet().out, "10.5555/one\n10.5555/title\n");
        }
    }
}

/// The text of a field, a note or a stamp is in a form of its annotation.
#[test]
fn appearances_of_annotations_are_read() {
    let mut objects = PdfObjects::default();
    let font = objects.add("<</Type/Font/Subtype/Type1/BaseFont/Courier>>");
    let page = objects.add_stream("", CONTENT.to_vec());
    let fonts = format!("/Resources<</Font<</F {font} 0 R>>>>");
    let mut form = |name: &str, fonts: &str| {
        let content = format!("BT /F 10 Tf (See doi:10.5555/{name}.) Tj ET");
        let entries = format!("/Subtype/Form/BBox[0 0 200 20]{fonts}");
        objects.add_stream(&entries, content.into_bytes())
    };
    let (field, state, other, hidden) = (
        form("field", &fonts),
        form("state", ""),
        form("other", &fonts),
        form("hidden", &fonts),
    );
    let at = "/Type/Annot/Rect[50 500 250 520]";
    let page = format!(
        "{fonts}/Contents {page} 0 R/Annots[<<{at}/Subtype/Widget/AP<</N {field} 0 R>>>> \
         <<{at}/AS/On/AP<</N<</On {state} 0 R/Off {other} 0 R>>>>>> <<{at}/F 2/AP<</N {hidden} 0 R>>>>]"
    );
    let place = Place::new();
    place.file("a.pdf", objects.write(&[page], "<<>>", PdfStyle::default()));
    let seen = place.scan("a.pdf -f names");
    let names = "10.5555/content\n10.5555/field\n10.5555/state\n";
    assert_eq!(seen.quiet().out, names);
}
