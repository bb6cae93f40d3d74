//! Properties that must hold for every input, one function per fuzz target. `tests/library/regressions.rs` runs them on inputs that
//! once failed.

use doisift::{Doi, Form, Mention, Scanner, Tally, UrlEncoding};

/// A limit on names that inputs of a few hundred bytes exceed.
const MAX_NAME: usize = 100;

/// The fields of a mention.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    name: String,
    key: String,
    form: Form,
    offset: u64,
    text: Vec<u8>,
    guessed: bool,
}

impl From<Mention<'_>> for Said {
    fn from(mention: Mention<'_>) -> Said {
        Said {
            name: mention.name.to_owned(),
            key: mention.key.to_owned(),
            form: mention.form,
            offset: mention.offset,
            text: mention.text.to_owned(),
            guessed: mention.guessed,
        }
    }
}

type Answer = (Vec<Said>, Tally);

/// A text gives the same mentions and counts as a whole, in pieces, and in ranges. The first two bytes say where it is cut.
pub fn scan_chunks(input: &[u8]) {
    let [first, second, text @ ..] = input else {
        return;
    };
    let scanner = &mut Scanner::new().max_name(MAX_NAME);
    let whole = at_once(scanner, text);
    assert_eq!(
        whole.1.candidates,
        whole.1.mentions + whole.1.rejections(),
        "counts do not add up"
    );
    check_places(text, &whole.0);
    let sizes = [usize::from(*first) + 1, usize::from(*second) + 1];
    assert_eq!(
        in_pieces(scanner, text, sizes),
        whole,
        "in pieces of {sizes:?}"
    );
    assert_eq!(
        in_ranges(scanner, text, sizes[0] * 8),
        whole,
        "in ranges of {}",
        sizes[0] * 8
    );
}

fn at_once(scanner: &mut Scanner, text: &[u8]) -> Answer {
    let mut said = Vec::new();
    let tally = scanner.scan(text, |mention| said.push(mention.into()));
    (said, tally)
}

/// Asserts that mentions are in order, do not overlap, and have the bytes at their offsets.
fn check_places(text: &[u8], said: &[Said]) {
    let mut end = 0;
    for one in said {
        let start = one.offset as usize;
        assert!(start >= end, "{one:?} overlaps the name before");
        end = start + one.text.len();
        assert_eq!(
            text.get(start..end),
            Some(&one.text[..]),
            "{one:?} has other bytes at its offset"
        );
        assert_eq!(one.key, one.name.to_ascii_lowercase());
        assert!(Doi::new(&one.name).is_ok(), "{one:?} is no name");
    }
}

fn in_pieces(scanner: &mut Scanner, text: &[u8], sizes: [usize; 2]) -> Answer {
    let mut said = Vec::new();
    let mut stream = scanner.stream();
    let (mut rest, mut turn) = (text, 0);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(sizes[turn % 2].min(rest.len()));
        stream.push(piece, |mention| said.push(mention.into()));
        (rest, turn) = (after, turn + 1);
    }
    let tally = stream.finish(|mention| said.push(mention.into()));
    (said, tally)
}

fn in_ranges(scanner: &mut Scanner, text: &[u8], size: usize) -> Answer {
    let (before, after) = scanner.window();
    let (mut said, mut tally) = (Vec::new(), Tally::default());
    for start in (0..text.len()).step_by(size) {
        let end = (start + size).min(text.len());
        let from = start.saturating_sub(before);
        let bytes = &text[from..(end + after).min(text.len())];
        tally += scanner.scan_range(bytes, start - from..end - from, from as u64, |mention| {
            said.push(mention.into())
        });
    }
    (said, tally)
}

/// If the input is a name, each presentation form of it parses as the same name.
pub fn doi_roundtrip(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else {
        return;
    };
    if let Ok(parsed) = Doi::parse(text) {
        assert_eq!(
            Doi::new(parsed.as_str()).as_ref(),
            Ok(&parsed),
            "what parse gives is no name"
        );
        roundtrip(&parsed);
    }
    if let Ok(doi) = Doi::new(text) {
        assert_eq!(doi.as_str(), text);
        roundtrip(&doi);
    }
}

fn roundtrip(doi: &Doi) {
    let written = [
        doi.to_doi_uri(),
        doi.to_url(UrlEncoding::Mandatory),
        doi.to_url(UrlEncoding::Recommended),
        doi.to_urn(),
        doi.to_api_url(),
    ];
    for text in written {
        let read = Doi::parse(&text).map(|read| read.as_str().to_owned());
        assert_eq!(read.as_deref(), Ok(doi.as_str()), "from {text}");
    }
}
