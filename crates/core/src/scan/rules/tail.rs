//! Cuts the end of a name: marks that prose added, and tails that a publisher's URL added.
//!
//! If only a registry could decide, the rules here decide.

mod slug;

use super::place::UrlPlace;
use super::{NameContext, Rule, arxiv};
use slug::title_slug;

/// A rule, and a function of a prefix and a suffix that returns where the tail starts that the rule cuts from the suffix.
pub(crate) type TailRule = (Rule, fn(&[u8], &[u8]) -> Option<usize>);

/// Tails that the path of a URL adds to a name.
const PATH_TAILS: [TailRule; 9] = [
    (Rule::PathFile, |_, suffix| {
        one_of(
            &PATH_FILES,
            const { last_bytes(&PATH_FILES) },
            Rule::PathFile,
            suffix,
        )
    }),
    (Rule::TitleSlug, title_slug),
    (Rule::PageWord, page_word),
    (Rule::PageSegment, |_, suffix| page_segment(suffix, true)),
    (Rule::File, file),
    (Rule::ArticleView, article_view),
    ARXIV_VERSION,
    (Rule::Version, version),
    (Rule::ArticleId, article_id),
];

/// Tails that a field adds to the name in it.
const FIELD_TAILS: [TailRule; 2] = [
    (Rule::FieldPage, |_, suffix| {
        one_of(
            &FIELD_PAGES,
            const { last_bytes(&FIELD_PAGES) },
            Rule::FieldPage,
            suffix,
        )
    }),
    ARXIV_VERSION,
];

/// Tails that any text adds to a name.
const TEXT_TAILS: [TailRule; 1] = [ARXIV_VERSION];

pub(crate) const ARXIV_VERSION: TailRule = (Rule::ArxivVersion, |prefix, suffix| {
    arxiv::version_start(prefix, suffix)
});

/// Max tails to cut from a name. Each costs a look at the whole name.
const MAX_TAILS: usize = 8;

/// Iterator over the cuts from the end of a suffix: each with its rule and the length that it leaves, the longest first.
pub(crate) struct SuffixCuts<'n> {
    prefix: &'n [u8],
    suffix: &'n [u8],
    /// Whether an enclosure holds just the name.
    whole: bool,
    /// Marks of emphasis that are kept.
    kept: &'static [u8],
    tails: &'static [TailRule],
    /// How many more tails may be cut.
    left: usize,
    brackets: Option<BracketBalance>,
}

impl<'n> SuffixCuts<'n> {
    pub(crate) fn new(
        prefix: &'n [u8],
        suffix: &'n [u8],
        whole: bool,
        tails: &'static [TailRule],
    ) -> Self {
        SuffixCuts {
            prefix,
            suffix,
            whole,
            kept: if whole { EMPHASIS } else { b"+" },
            tails,
            left: MAX_TAILS,
            brackets: None,
        }
    }

    /// Keeps these marks of emphasis, instead of `+` only, if an enclosure does not hold just the name.
    pub(crate) fn keeping(mut self, kept: &'static [u8]) -> Self {
        if !self.whole {
            self.kept = kept;
        }
        self
    }

    fn tail(&mut self) -> Option<(Rule, usize)> {
        if self.tails.is_empty() {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        self.brackets = None;
        let cut = |(rule, find): &TailRule| Some((*rule, find(self.prefix, self.suffix)?));
        let holding = self.tails.iter().filter(|(rule, _)| rule.holds());
        holding.filter_map(cut).next()
    }
}

impl Iterator for SuffixCuts<'_> {
    type Item = (Rule, usize);

    #[inline]
    fn next(&mut self) -> Option<(Rule, usize)> {
        let mark = stray(self.suffix, self.whole, self.kept, &mut self.brackets);
        let (rule, len) = match mark {
            Some((rule, len)) => (rule, self.suffix.len() - len),
            None => self.tail()?,
        };
        self.suffix = &self.suffix[..len];
        Some((rule, len))
    }
}

/// Returns the tails to cut from a name with `prefix` that `context` describes.
pub(super) fn tails(prefix: &[u8], context: &NameContext) -> &'static [TailRule] {
    match context.place {
        UrlPlace::Path => &PATH_TAILS,
        _ if context.enclosure.is_some() => &FIELD_TAILS,
        _ if arxiv::may_have_version(prefix) => &TEXT_TAILS,
        _ => &[],
    }
}

/// Returns the lengths of a suffix after each cut of a tail of paths, as if it were in a path.
pub(super) fn path_cuts<'n>(
    prefix: &'n [u8],
    suffix: &'n [u8],
) -> impl Iterator<Item = usize> + 'n {
    let cuts = SuffixCuts::new(prefix, suffix, true, &PATH_TAILS);
    cuts.map(|(_, len)| len)
}

/// Marks of emphasis and of variables.
const EMPHASIS: &[u8] = b"*_~$=+";

/// Returns the marks of emphasis that a name may end in. `suffix` is its suffix as read. In a URL of a host that is not a proxy,
/// or if the name `is_alone`, such a mark is neither emphasis nor part of a variable. A plus is kept unless it `has_pair` before
/// the name.
#[inline]
pub(super) fn kept_marks(
    suffix: &[u8],
    place: UrlPlace,
    has_pair: impl Fn() -> bool,
    is_alone: impl Fn() -> bool,
) -> &'static [u8] {
    match place {
        _ if matches!(suffix, [.., b'+']) && has_pair() => b"",
        UrlPlace::Path | UrlPlace::Query => b"=+",
        _ if matches!(suffix, [.., b'*' | b'_' | b'~' | b'$' | b'=']) && is_alone() => EMPHASIS,
        _ => b"+",
    }
}

/// Returns the rule that cuts the last character of a suffix, and the character's length; `None` if a name may end in it.
fn stray(
    suffix: &[u8],
    whole: bool,
    kept: &[u8],
    brackets: &mut Option<BracketBalance>,
) -> Option<(Rule, usize)> {
    let last = *suffix.last()?;
    let mut closes_nothing = || {
        let brackets = brackets.get_or_insert_with(|| BracketBalance::count(suffix));
        brackets.cut(last)
    };
    let (rule, len) = match last {
        b'/' => (Rule::FinalSlash, 1),
        b'.' if whole => (Rule::FinalStopAlone, 1),
        b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'"' | b'&' | b'-' | b'^' => {
            (Rule::FinalMark, 1)
        }
        // Real names end in these, but so do emphasis and variables in prose.
        b'*' | b'_' | b'~' | b'$' | b'=' | b'+' if !kept.contains(&last) => {
            (Rule::FinalEmphasis, 1)
        }
        b'(' | b'[' | b'{' | b'<' | b')' | b']' | b'}' | b'>' if closes_nothing() => {
            (Rule::FinalBracket, 1)
        }
        0xBD if suffix.ends_with("\u{FFFD}".as_bytes()) => (Rule::LostCharacter, 3),
        0x80.. => (Rule::FinalMark, final_sign_len(suffix)?),
        _ => return None,
    };
    rule.holds().then_some((rule, len))
}

/// Returns the length of a typeset dash or a middle dot that `suffix` ends in. The dot separates clauses in Greek.
fn final_sign_len(suffix: &[u8]) -> Option<usize> {
    match suffix {
        [.., 0xE2, 0x80, 0x90..=0x95] | [.., 0xE2, 0x88, 0x92] => Some("—".len()),
        [.., 0xC2, 0xB7] => Some("·".len()),
        _ => None,
    }
}

/// How many more brackets of each kind a suffix closes than it opens.
struct BracketBalance([isize; 4]);

impl BracketBalance {
    const KINDS: [[u8; 2]; 4] = [*b"()", *b"[]", *b"{}", *b"<>"];

    fn count(suffix: &[u8]) -> BracketBalance {
        let count = |wanted: u8| memchr::memchr_iter(wanted, suffix).count() as isize;
        BracketBalance(Self::KINDS.map(|[open, close]| count(close) - count(open)))
    }

    /// Whether `last`, the last byte, is cut: an opening bracket always, a closing one if nothing opened it. Counts a bracket
    /// that is cut as gone.
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

/// Page words that no registered name ends in. They are cut from any enclosed name.
pub(crate) const FIELD_PAGES: [&str; 3] = ["/full", "/pdf", "/meta"];

/// Whether one of [`FIELD_PAGES`] ends in the letter `last`.
pub(crate) const fn ends_field_page(last: u8) -> bool {
    let mut at = 0;
    while at < FIELD_PAGES.len() {
        if let [.., letter] = FIELD_PAGES[at].as_bytes() {
            if letter.eq_ignore_ascii_case(&last) {
                return true;
            }
        }
        at += 1;
    }
    false
}

/// Listed pages and folders of an article on a publisher's site. [`page_segment`] does not recognise them, or not in a suffix
/// without a digit before them.
#[rustfmt::skip]
pub(crate) const PAGES: [&str; 29] = [
    "-", "MediaObjects", "abstract", "asset", "citedby", "currentissue", "download", "earlyview", "enhanced", "epdf",
    "figures", "full", "fullpdf", "fulltext", "galley", "getPDF", "html", "issues", "issuetoc", "meta", "metrics", "otherversions",
    "pdf", "references", "suppinfo", "suppl_file", "tables", "transform", "xml",
];

/// Endings of files that no registered name ends in.
#[rustfmt::skip]
pub(crate) const FILES: [&str; 33] = [
    ".htm", ".shtml", ".xhtml", ".xml", ".epub", ".mobi", ".md", ".txt", ".tex", ".doc", ".docx", ".xls", ".xlsx",
    ".csv", ".zip", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".webp", ".mp4", ".ris", ".bib", ".enw",
    ".json", ".php", ".aspx", ".page", ".full", ".short",
];

/// Endings of files that some registered names end in, 8 of 385,484. They are cut only in a path.
pub(crate) const PATH_FILES: [&str; 3] = [".pdf", ".html", ".abstract"];

/// Short views of an article on the sites of one platform, whose URLs are a name and a view. No registered name ends in one.
#[rustfmt::skip]
pub(crate) const ARTICLE_VIEWS: [&str; 23] = [
    ".full.pdf", ".full-text.pdf", ".full.html", ".full.print", ".full-text.print", ".full+html", ".pdf+html", ".long", ".extract",
    ".figures", ".tables", ".info", ".alerts", ".ppt", ".reprint", ".summary", ".citation", ".comments", ".share", ".explore",
    ".related", ".metrics", ".data",
];

/// Returns where the view of an article starts, if a digit is before it: few names have no digit.
pub(crate) fn article_view(_: &[u8], suffix: &[u8]) -> Option<usize> {
    const LAST_BYTES: u64 = last_bytes(&ARTICLE_VIEWS);
    let start = one_of(&ARTICLE_VIEWS, LAST_BYTES, Rule::ArticleView, suffix);
    let start = start.or_else(|| long_view(suffix))?;
    let is_whole = suffix[..start].iter().any(u8::is_ascii_digit);
    is_whole.then_some(start)
}

/// Returns where a view starts that follows a digit and has nine or more letters, or words with a hyphen: `.supplemental`,
/// `.cited-by`. One of 385,484 registered names ends so.
fn long_view(suffix: &[u8]) -> Option<usize> {
    const MIN_LETTERS: usize = 9;
    let is_part = |b: &&u8| b.is_ascii_alphabetic() || **b == b'-';
    let len = suffix.iter().rev().take_while(is_part).count();
    let (front, view) = suffix.split_at(suffix.len() - len);
    let is_view = match view {
        [b'-', ..] | [.., b'-'] => false,
        _ => {
            len >= MIN_LETTERS
                || view
                    .split(|b| *b == b'-')
                    .any(|word| word.len() > 3 && word.len() < len)
        }
    };
    let is_after_digit = matches!(front, [.., b'0'..=b'9', b'.']);
    (is_view && is_after_digit).then(|| front.len() - 1)
}

/// Returns where the ending of a file starts.
pub(crate) fn file(_: &[u8], suffix: &[u8]) -> Option<usize> {
    one_of(&FILES, const { last_bytes(&FILES) }, Rule::File, suffix)
}

/// Returns where the first segment starts, with its slash, that is a listed page or folder.
pub(crate) fn page_word(_: &[u8], suffix: &[u8]) -> Option<usize> {
    slashes(suffix).find(|at| {
        let segment = suffix[at + 1..].split(|b| *b == b'/').next();
        PathSegment::read(segment.unwrap_or_default()).is_listed()
    })
}

/// Returns where the first segment starts, with its slash, that is a page by its structure. Folders, with all text after them,
/// are recognised only `in_path` of a URL.
pub(crate) fn page_segment(suffix: &[u8], in_path: bool) -> Option<usize> {
    let digit = suffix.iter().position(u8::is_ascii_digit)?;
    slashes(suffix).filter(|at| *at > digit).find(|at| {
        let mut segments = suffix[at + 1..].split(|b| *b == b'/');
        let segment = PathSegment::read(segments.next().unwrap_or_default());
        let previous = suffix[..*at].rsplit(|b| *b == b'/').next();
        let next = segments.next();
        let may_be_page = match next {
            None => true,
            // Names may go on so: `plate/dr.2/envelopes/101_14934`.
            Some(next) => in_path && !is_plate_number(next),
        };
        may_be_page && segment.is_page(previous.unwrap_or_default(), next.is_none())
    })
}

fn slashes(suffix: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b'/', suffix).filter(|at| *at > 0)
}

/// Whether `segment` is digits and `_` only, such as two numbers with `_` between them.
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

    /// Whether the segment is a page after a digit: a word, perhaps with an ending. 14 of 385,484 registered names hold one.
    ///
    /// A short word before the last segment may belong to the name (`cgp/v13i01/45000`). So may six letters that are hexadecimal
    /// digits, and a word that the segment before it starts with (`pdb1dbq/pdb`).
    fn is_page(&self, previous: &[u8], is_last: bool) -> bool {
        const MAX_ENDING_BYTES: usize = 12;
        const SHORT_FOLDERS: [&[u8]; 3] = [b"-", b"abs", b"pdf"];
        let is_ending = match self.rest {
            [] => true,
            [b'.', ending @ ..] => {
                (1..=MAX_ENDING_BYTES).contains(&ending.len())
                    && ending
                        .iter()
                        .all(|b| b.is_ascii_alphanumeric() || b".+".contains(b))
            }
            _ => false,
        };
        let min = if is_last { 2 } else { 4 };
        let is_hexadecimal =
            self.word.len() == 6 && self.word.iter().all(|b| matches!(b, b'a'..=b'f'));
        is_ending
            && (self.word.len() >= min || SHORT_FOLDERS.contains(&self.word))
            && !is_hexadecimal
            && !previous.starts_with(self.word)
    }
}

/// Returns where the version starts in the URL of a preprint server's page or file, `10.1101/2021.03.24.436749v2.full-text`. The
/// rest of the suffix must be a number. Registered versions come after a mark, as `.v1`, `/v1` and `_v1`, or the suffix has
/// words, as `peerj.preprints.27295v1`.
pub(crate) fn version(_: &[u8], suffix: &[u8]) -> Option<usize> {
    let is_word = |b: &u8| b.is_ascii_alphabetic() || matches!(b, b'-' | b'+');
    let mut text = suffix;
    loop {
        if let Some(len) = version_len(text) {
            return Some(text.len() - len);
        }
        let dot = text.iter().rposition(|b| *b == b'.')?;
        if dot + 1 == text.len() || !text[dot + 1..].iter().all(is_word) {
            return None;
        }
        text = &text[..dot];
    }
}

/// Returns the length of the `v2` that `text` ends in, if the rest of `text` is a number.
fn version_len(text: &[u8]) -> Option<usize> {
    const MIN_NUMBER_DIGITS: usize = 4;
    let digits = |text: &[u8]| text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let count = digits(text);
    let number = text[..text.len() - count].strip_suffix(b"v")?;
    let is_number = number.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    (matches!(count, 1 | 2) && is_number && digits(number) >= MIN_NUMBER_DIGITS)
        .then_some(count + 1)
}

/// Returns the letters and digits that `tails` end in, as bits.
const fn last_bytes(tails: &[&str]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < tails.len() {
        if let [.., last] = tails[at].as_bytes() {
            bits |= bit(*last);
        }
        at += 1;
    }
    bits
}

/// Returns the bit of a digit or of a letter in any case; 0 for other bytes.
const fn bit(byte: u8) -> u64 {
    match byte {
        b'0'..=b'9' => 1 << (byte - b'0'),
        b'A'..=b'Z' | b'a'..=b'z' => 1 << (10 + (byte & 0x1F)),
        _ => 0,
    }
}

/// Returns where the first of `tails` starts that `suffix` ends in. `last` has the bits of the last bytes of `tails`.
#[inline]
fn one_of(tails: &[&str], last: u64, rule: Rule, suffix: &[u8]) -> Option<usize> {
    match last & bit(*suffix.last()?) {
        0 => None,
        _ => first_of(tails, rule, suffix),
    }
}

fn first_of(tails: &[&str], rule: Rule, suffix: &[u8]) -> Option<usize> {
    let starts = tails.iter().filter_map(|tail| {
        let start = suffix.len().checked_sub(tail.len()).filter(|at| *at > 0)?;
        let found = suffix[start..].eq_ignore_ascii_case(tail.as_bytes());
        (found && rule.holds_for(tail)).then_some(start)
    });
    starts.into_iter().next()
}

/// Returns where the number starts, with its slash, that the URLs of one platform add to its names: `10.1093/jme/tjz032/5423051`.
pub(crate) fn article_id(prefix: &[u8], suffix: &[u8]) -> Option<usize> {
    if prefix != b"10.1093" {
        return None;
    }
    let mut slashes = memchr::memchr_iter(b'/', suffix);
    let at = slashes.nth(1)?;
    let id = suffix[at + 1..].split(|b| *b == b'/').next()?;
    (!id.is_empty() && id.iter().all(u8::is_ascii_digit)).then_some(at)
}
