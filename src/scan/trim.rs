//! What is cut from the end of a name: marks that prose added, and tails that a publisher's URL added.
//!
//! Where nothing but a registry can decide, the policy stands here and nowhere else.

use super::context::Place;
use super::extent::End;

/// What is known about the text that ends a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    /// An enclosure holds just the name.
    pub(super) whole: bool,
    /// Something encloses the name directly, though it may hold more.
    pub(super) field: bool,
    pub(super) place: Place,
}

/// Cuts from `name[..end]` what does not belong to it; nothing of `name[..suffix]`.
pub(super) fn trim(name: &[u8], suffix: usize, end: End, around: Surroundings) -> End {
    let mut end = End {
        at: cut_marks(name, suffix, end.at, around.whole),
        guessed: end.guessed,
    };
    if around.whole && name[end.at..].starts_with(b".") {
        end.guessed = true;
    }
    loop {
        let before = end;
        end = cut_slash(name, suffix, cut_tail(name, suffix, end, around));
        if end.at == before.at {
            return end;
        }
        end.at = cut_marks(name, suffix, end.at, around.whole);
    }
}

fn cut_marks(name: &[u8], suffix: usize, mut end: usize, whole: bool) -> usize {
    while end > suffix && is_stray(&name[suffix..end], whole) {
        end -= if name[suffix..end].ends_with("\u{FFFD}".as_bytes()) {
            3
        } else {
            1
        };
    }
    end
}

/// Whether the last character of a suffix is none that registered names end in.
fn is_stray(suffix: &[u8], whole: bool) -> bool {
    match *suffix.last().unwrap_or(&0) {
        b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'"' | b'&' | b'-' => true,
        // Real names end in these, but so do emphasis and variables in prose.
        b'*' | b'_' | b'~' | b'$' | b'=' => !whole,
        b'(' | b'[' | b'{' | b'<' => true,
        b')' => count(suffix, b')') > count(suffix, b'('),
        b']' => count(suffix, b']') > count(suffix, b'['),
        b'}' => count(suffix, b'}') > count(suffix, b'{'),
        b'>' => count(suffix, b'>') > count(suffix, b'<'),
        0xBD => suffix.ends_with("\u{FFFD}".as_bytes()),
        _ => false,
    }
}

fn count(bytes: &[u8], wanted: u8) -> usize {
    memchr::memchr_iter(wanted, bytes).count()
}

/// A final slash is valid but unlikely (P3).
fn cut_slash(name: &[u8], suffix: usize, end: End) -> End {
    let kept = name[suffix..end.at]
        .iter()
        .rposition(|b| *b != b'/')
        .map_or(suffix, |last| suffix + last + 1);
    End {
        at: kept,
        guessed: end.guessed || kept < end.at,
    }
}

/// Page words that end no registered name: cut wherever something encloses the name.
const FIELD_TAILS: [&str; 3] = ["/full", "/pdf", "/meta"];

/// Pages of an article on a publisher's site, and endings of files, as the last part of a path.
const PATH_TAILS: [&str; 22] = [
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
    ".pdf",
    ".html",
    ".xml",
    ".epub",
    ".md",
    ".abstract",
    ".full",
];

/// Folders of an article on a publisher's site: with all that follows.
const PATH_FOLDERS: [&str; 6] = [
    "/figures/",
    "/MediaObjects/",
    "/-/DC",
    "/suppl_file/",
    "/asset/",
    "/full/",
];

fn cut_tail(name: &[u8], suffix: usize, end: End, around: Surroundings) -> End {
    match around.place {
        Place::Path => End {
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
    cut_article_id(name, suffix, cut_one_of(&PATH_TAILS, name, suffix, end))
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
