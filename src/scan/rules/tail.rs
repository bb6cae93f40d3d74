//! What is cut from the end of a name: marks that prose added, and tails that a publisher's URL added.
//!
//! Where nothing but a registry can decide, this is the policy.

use super::End;
use super::place::UrlPlace;

/// What is known about the text that ends a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    /// An enclosure holds just the name.
    pub(crate) whole: bool,
    /// Something encloses the name directly, though it may hold more.
    pub(crate) field: bool,
    pub(crate) place: UrlPlace,
}

/// More tails than a URL has; each costs a look at the whole name.
const MOST_TAILS: usize = 4;

/// Cuts from `name[..end]` what does not belong to it; nothing of `name[..suffix]`.
pub(crate) fn trim(name: &[u8], suffix: usize, end: End, around: Surroundings) -> End {
    let mut end = cut_edge(name, suffix, end, around.whole);
    for _ in 0..MOST_TAILS {
        let cut = cut_tail(name, suffix, end, around);
        if cut.at == end.at {
            break;
        }
        end = cut_edge(name, suffix, cut, around.whole);
    }
    end
}

/// Cuts marks and slashes. A slash is valid but unlikely (P3), so that cutting it is a guess; so is cutting the full
/// stop of a name that stands alone.
fn cut_edge(name: &[u8], suffix: usize, end: End, whole: bool) -> End {
    let mut end = end;
    let mut brackets = None;
    while let Some(cut) = stray(&name[suffix..end.at], whole, &mut brackets) {
        end.at -= cut;
        end.guessed |= name[end.at] == b'/' || whole && name[end.at] == b'.';
    }
    end
}

/// How much of a suffix's end no registered name ends in, one character at a time.
fn stray(suffix: &[u8], whole: bool, brackets: &mut Option<Brackets>) -> Option<usize> {
    let last = *suffix.last()?;
    let is_stray = match last {
        b'/' | b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'"' | b'&' | b'-' => true,
        // Real names end in these, but so do emphasis and variables in prose.
        b'*' | b'_' | b'~' | b'$' | b'=' => !whole,
        b'(' | b'[' | b'{' | b'<' | b')' | b']' | b'}' | b'>' => brackets
            .get_or_insert_with(|| Brackets::count(suffix))
            .cut(last),
        0xBD if suffix.ends_with("\u{FFFD}".as_bytes()) => return Some(3),
        _ => false,
    };
    is_stray.then_some(1)
}

/// How many more brackets of each kind a suffix closes than it opens.
struct Brackets([isize; 4]);

impl Brackets {
    const KINDS: [[u8; 2]; 4] = [*b"()", *b"[]", *b"{}", *b"<>"];

    fn count(suffix: &[u8]) -> Brackets {
        let count = |wanted: u8| memchr::memchr_iter(wanted, suffix).count() as isize;
        Brackets(Self::KINDS.map(|[open, close]| count(close) - count(open)))
    }

    /// Whether `last` is to be cut, which is counted then: an opening bracket always, a closing one that nothing opened.
    fn cut(&mut self, last: u8) -> bool {
        for (more, [open, close]) in self.0.iter_mut().zip(Self::KINDS) {
            if last == open {
                *more += 1;
                return true;
            } else if last == close && *more > 0 {
                *more -= 1;
                return true;
            }
        }
        false
    }
}

/// Page words that end no registered name: cut wherever something encloses the name.
const FIELD_TAILS: [&str; 3] = ["/full", "/pdf", "/meta"];

/// Pages of an article on a publisher's site, and endings of files, as the last part of a path.
const PATH_TAILS: [&str; 36] = [
    "/full",
    "/pdf",
    "/meta",
    "/abstract",
    "/epdf",
    "/fullpdf",
    "/fulltext",
    "/fulltext.html",
    "/html",
    "/xml",
    "/full/html",
    "/full/pdf",
    "/references",
    "/summary",
    "/citedby",
    "/figures",
    "/suppinfo",
    "/metrics",
    "/enhanced",
    "/otherversions",
    "/issues",
    "/issuetoc",
    "/currentissue",
    "/earlyview",
    "/download",
    "/transform",
    "/status.svg",
    ".svg",
    ".png",
    ".pdf",
    ".html",
    ".xml",
    ".epub",
    ".md",
    ".abstract",
    ".full",
];

/// Folders of an article on a publisher's site: with all that follows.
const PATH_FOLDERS: [&str; 9] = [
    "/figures/",
    "/tables/",
    "/transform/",
    "/MediaObjects/",
    "/-/DC",
    "/suppl_file/",
    "/asset/",
    "/full/",
    "/galley/",
];

fn cut_tail(name: &[u8], suffix: usize, end: End, around: Surroundings) -> End {
    match around.place {
        UrlPlace::Path => End {
            at: cut_path(name, suffix, end.at),
            guessed: end.guessed,
        },
        _ if around.field => {
            let kept = cut_one_of(&FIELD_TAILS, name, suffix, end.at);
            End {
                at: kept,
                guessed: end.guessed || kept < end.at,
            }
        }
        _ => end,
    }
}

fn cut_path(name: &[u8], suffix: usize, end: usize) -> usize {
    let text = &name[suffix..end];
    let folder = PATH_FOLDERS
        .iter()
        .filter_map(|folder| memchr::memmem::find(text, folder.as_bytes()))
        .min();
    let end = folder.filter(|at| *at > 0).map_or(end, |at| suffix + at);
    let end = cut_version(name, suffix, cut_one_of(&PATH_TAILS, name, suffix, end));
    cut_article_id(name, suffix, end)
}

/// Preprint servers' pages and their files: `10.1101/2021.03.24.436749v2.full-text`. Registered versions come after a
/// mark, as `.v1`, `/v1` and `_v1`.
fn cut_version(name: &[u8], suffix: usize, end: usize) -> usize {
    let is_word = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'-' | b'+');
    let mut text = &name[suffix..end];
    loop {
        if let Some(len) = version_len(text) {
            return suffix + text.len() - len;
        }
        match text.iter().rposition(|b| *b == b'.') {
            Some(dot) if dot + 1 < text.len() && text[dot + 1..].iter().all(is_word) => {
                text = &text[..dot];
            }
            _ => return end,
        }
    }
}

/// How long the `v2` is that `text` ends with after a number.
fn version_len(text: &[u8]) -> Option<usize> {
    const NUMBER: usize = 4;
    let digits = |text: &[u8]| text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let count = digits(text);
    let number = text[..text.len() - count].strip_suffix(b"v")?;
    (matches!(count, 1 | 2) && digits(number) >= NUMBER).then_some(count + 1)
}

fn cut_one_of(tails: &[&str], name: &[u8], suffix: usize, end: usize) -> usize {
    let ends_with = |tail: &&&str| {
        let start = end.saturating_sub(tail.len());
        start > suffix && name[start..end].eq_ignore_ascii_case(tail.as_bytes())
    };
    tails
        .iter()
        .find(ends_with)
        .map_or(end, |tail| end - tail.len())
}

/// One platform appends its own number: `10.1093/jme/tjz032/5423051`.
fn cut_article_id(name: &[u8], suffix: usize, end: usize) -> usize {
    let text = &name[suffix..end];
    let mut segments = text.split(|b| *b == b'/');
    let (first, second, id) = (segments.next(), segments.next(), segments.next());
    match (first, second, id) {
        (Some(first), Some(second), Some(id))
            if name.starts_with(b"10.1093/")
                && !id.is_empty()
                && id.iter().all(u8::is_ascii_digit) =>
        {
            suffix + first.len() + 1 + second.len()
        }
        _ => end,
    }
}
