//! What is cut from the end of a name: marks that prose added, and tails that a publisher's URL added.
//!
//! Where nothing but a registry can decide, this is the policy.

use super::place::UrlPlace;
use super::{End, Rule};

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
/// stop of a name that is alone.
pub(super) fn cut_edge(name: &[u8], suffix: usize, end: End, whole: bool) -> End {
    let mut end = end;
    let mut brackets = None;
    while let Some((rule, len)) = stray(&name[suffix..end.at], whole, &mut brackets) {
        end.at -= len;
        end.guessed |= rule.is_guess();
    }
    end
}

/// The rule that cuts the last character of a suffix, and its length: one that no registered name ends in.
fn stray(suffix: &[u8], whole: bool, brackets: &mut Option<Brackets>) -> Option<(Rule, usize)> {
    let last = *suffix.last()?;
    let mut closes_nothing = || {
        let brackets = brackets.get_or_insert_with(|| Brackets::count(suffix));
        brackets.cut(last)
    };
    let (rule, len) = match last {
        b'/' => (Rule::FinalSlash, 1),
        b'.' if whole => (Rule::FinalStopAlone, 1),
        b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'"' | b'&' | b'-' => {
            (Rule::FinalMark, 1)
        }
        // Real names end in these, but so do emphasis and variables in prose.
        b'*' | b'_' | b'~' | b'$' | b'=' if !whole => (Rule::FinalEmphasis, 1),
        b'(' | b'[' | b'{' | b'<' | b')' | b']' | b'}' | b'>' if closes_nothing() => {
            (Rule::FinalBracket, 1)
        }
        0xBD if suffix.ends_with("\u{FFFD}".as_bytes()) => (Rule::LostCharacter, 3),
        _ => return None,
    };
    rule.holds().then_some((rule, len))
}

/// How many more brackets of each kind a suffix closes than it opens.
struct Brackets([isize; 4]);

impl Brackets {
    const KINDS: [[u8; 2]; 4] = [*b"()", *b"[]", *b"{}", *b"<>"];

    fn count(suffix: &[u8]) -> Brackets {
        let count = |wanted: u8| memchr::memchr_iter(wanted, suffix).count() as isize;
        Brackets(Self::KINDS.map(|[open, close]| count(close) - count(open)))
    }

    /// Whether `last` is cut: an opening bracket always, a closing one that nothing opened. What is cut is counted.
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
pub(crate) const FIELD_PAGES: [&str; 3] = ["/full", "/pdf", "/meta"];

/// Pages and folders of an article on a publisher's site, for a suffix without a digit before them, where the structure
/// does not show them.
#[rustfmt::skip]
pub(crate) const PAGES: [&str; 29] = [
    "-", "MediaObjects", "abstract", "asset", "citedby", "currentissue", "download", "earlyview", "enhanced", "epdf",
    "figures", "full", "fullpdf", "fulltext", "galley", "getPDF", "html", "issues", "issuetoc", "meta", "metrics", "otherversions",
    "pdf", "references", "suppinfo", "suppl_file", "tables", "transform", "xml",
];

/// Endings of files that end no registered name.
#[rustfmt::skip]
pub(crate) const FILES: [&str; 33] = [
    ".htm", ".shtml", ".xhtml", ".xml", ".epub", ".mobi", ".md", ".txt", ".tex", ".doc", ".docx", ".xls", ".xlsx",
    ".csv", ".zip", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".mp4", ".ris", ".bib", ".enw",
    ".json", ".php", ".aspx", ".page", ".full", ".short",
];

/// Endings of files that end some registered names, of 385,484 eight: cut in a path alone.
pub(crate) const PATH_FILES: [&str; 3] = [".pdf", ".html", ".abstract"];

fn cut_tail(name: &[u8], suffix: usize, end: End, around: Surroundings) -> End {
    match around.place {
        UrlPlace::Path => End {
            at: cut_path(name, suffix, end.at),
            guessed: end.guessed,
        },
        _ if around.field => {
            let kept = one_of(&FIELD_PAGES, Rule::FieldPage, &name[suffix..end.at])
                .map_or(end.at, |at| suffix + at);
            End {
                at: kept,
                guessed: end.guessed || kept < end.at && Rule::FieldPage.is_guess(),
            }
        }
        _ => end,
    }
}

fn cut_path(name: &[u8], suffix: usize, end: usize) -> usize {
    let (prefix, text) = (&name[..suffix - 1], &name[suffix..end]);
    let end = one_of(&PATH_FILES, Rule::PathFile, text).unwrap_or(text.len());
    let end = page_end(&text[..end], true);
    suffix + article_id(prefix, &text[..end]).unwrap_or(end)
}

/// Where a suffix ends before the pages, versions and files that a site's URL adds. Folders, with all that follows,
/// are recognised only `in_path` of a URL.
pub(crate) fn page_end(suffix: &[u8], in_path: bool) -> usize {
    let end = page(suffix, in_path).unwrap_or(suffix.len());
    let end = one_of(&FILES, Rule::File, &suffix[..end]).unwrap_or(end);
    version(&suffix[..end]).unwrap_or(end)
}

/// Where in a path the first segment starts, with its slash, that is a page of the site or a folder of such.
fn page(suffix: &[u8], in_path: bool) -> Option<usize> {
    let digit = suffix.iter().position(u8::is_ascii_digit);
    let mut slashes = memchr::memchr_iter(b'/', suffix).filter(|at| *at > 0);
    slashes.find(|at| {
        let mut segments = suffix[at + 1..].split(|b| *b == b'/');
        let segment = PathSegment::read(segments.next().unwrap_or_default());
        let previous = suffix[..*at].rsplit(|b| *b == b'/').next();
        let next = segments.next();
        let may_be_page = match next {
            None => true,
            // Names go on so: `plate/dr.2/envelopes/101_14934`.
            Some(next) => in_path && !is_plate_number(next),
        };
        let follows_digit = digit.is_some_and(|digit| digit < *at);
        follows_digit
            && may_be_page
            && segment.is_page(previous.unwrap_or_default(), next.is_none())
            || segment.is_listed()
    })
}

/// Whether `segment` is two numbers with `_` between.
fn is_plate_number(segment: &[u8]) -> bool {
    segment.contains(&b'_') && segment.iter().all(|b| b.is_ascii_digit() || *b == b'_')
}

/// A segment of a path: the letters that it starts with, and the rest.
struct PathSegment<'s> {
    word: &'s [u8],
    rest: &'s [u8],
}

impl<'s> PathSegment<'s> {
    fn read(segment: &'s [u8]) -> Self {
        let is_letter = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | 0x80..);
        let len = segment.iter().take_while(|b| is_letter(b)).count();
        let (word, rest) = segment.split_at(len);
        PathSegment { word, rest }
    }

    fn is_listed(&self) -> bool {
        let is_word = |page: &&str| {
            page.as_bytes().eq_ignore_ascii_case(self.word) && Rule::PageWord.holds_for(page)
        };
        matches!(self.rest, [] | [b'.', ..]) && PAGES.iter().any(is_word)
    }

    /// Whether it is a page after a digit: a word with any ending, and what follows it. Of 385,484 registered names 14 hold
    /// one.
    ///
    /// A short word before the last segment may be the name's (`cgp/v13i01/45000`), and so may six letters that are
    /// hexadecimal digits, and the start of the segment before it (`pdb1dbq/pdb`).
    fn is_page(&self, previous: &[u8], is_last: bool) -> bool {
        const LONGEST_ENDING: usize = 12;
        const SHORT_FOLDERS: [&[u8]; 3] = [b"-", b"abs", b"pdf"];
        let is_ending = match self.rest {
            [] => true,
            [b'.', ending @ ..] => {
                (1..=LONGEST_ENDING).contains(&ending.len())
                    && ending
                        .iter()
                        .all(|b| b.is_ascii_alphanumeric() || b".+".contains(b))
            }
            _ => false,
        };
        let least = if is_last { 2 } else { 4 };
        let is_hexadecimal =
            self.word.len() == 6 && self.word.iter().all(|b| matches!(b, b'a'..=b'f'));
        Rule::PageSegment.holds()
            && is_ending
            && (self.word.len() >= least || SHORT_FOLDERS.contains(&self.word))
            && !is_hexadecimal
            && !previous.starts_with(self.word)
    }
}

/// Preprint servers' pages and their files: `10.1101/2021.03.24.436749v2.full-text`. Registered versions come after a
/// mark, as `.v1`, `/v1` and `_v1`.
fn version(suffix: &[u8]) -> Option<usize> {
    let is_word = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'-' | b'+');
    let mut text = suffix;
    loop {
        if let Some(len) = version_len(text).filter(|_| Rule::Version.holds()) {
            return Some(text.len() - len);
        }
        let dot = text.iter().rposition(|b| *b == b'.')?;
        if dot + 1 == text.len() || !text[dot + 1..].iter().all(is_word) {
            return None;
        }
        text = &text[..dot];
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

/// Where the first of `tails` starts that `suffix` ends in.
fn one_of(tails: &[&str], rule: Rule, suffix: &[u8]) -> Option<usize> {
    let starts = tails.iter().filter_map(|tail| {
        let start = suffix.len().checked_sub(tail.len()).filter(|at| *at > 0)?;
        let found = suffix[start..].eq_ignore_ascii_case(tail.as_bytes());
        (found && rule.holds_for(tail)).then_some(start)
    });
    starts.into_iter().next()
}

/// Where the number starts, with its slash, that the URLs of one platform add to its names: `10.1093/jme/tjz032/5423051`.
pub(crate) fn article_id(prefix: &[u8], suffix: &[u8]) -> Option<usize> {
    if prefix != b"10.1093" || !Rule::ArticleId.holds() {
        return None;
    }
    let mut slashes = memchr::memchr_iter(b'/', suffix);
    let at = slashes.nth(1)?;
    let id = suffix[at + 1..].split(|b| *b == b'/').next()?;
    (!id.is_empty() && id.iter().all(u8::is_ascii_digit)).then_some(at)
}
