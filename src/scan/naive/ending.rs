//! Where a name ends in its decoded text: first what can belong to it, then what is cut from its end.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

use super::around::{Around, Place};
use super::layers::{Escape, Text, first_char};
use super::{Candidate, Form, Rejection};

/// Where a name ends in its decoded text, and whether that is a guess.
#[derive(Clone, Copy)]
pub(super) struct Ending {
    pub(super) at: usize,
    pub(super) guessed: bool,
}

/// The end of the name of `read` whose suffix starts at `suffix` of its decoded `text`.
pub(super) fn find(text: &Text, suffix: usize, read: &Candidate<'_>) -> Result<Ending, Rejection> {
    let (around, raw) = (&read.around, read.behind);
    let mut reader = Reader {
        text,
        suffix,
        around,
        whole: true,
    };
    let mut taken = reader.take();
    let enclosure = around
        .enclosure
        .as_ref()
        .filter(|_| around.place == Place::Text);
    if !enclosure.is_some_and(|e| e.is_closed_by(&raw[text.start(taken.at)..])) {
        reader.whole = false;
        taken = reader.take();
    }
    let ending = reader.trim(taken);
    if ending.at <= suffix {
        Err(Rejection::EmptySuffix)
    } else if is_cut_short(text, ending.at, taken.at, read) {
        Err(Rejection::Ellipsis)
    } else {
        Ok(ending)
    }
}

/// Whether an ellipsis ends what was taken for a name, or follows it, and then an element, quote or bracket ends.
fn is_cut_short(text: &Text, end: usize, taken: usize, read: &Candidate<'_>) -> bool {
    let dots = text.values()[end..taken].rsplit(|b| *b != b'.').next();
    let behind = if dots.is_some_and(|dots| dots.len() == 3) {
        taken
    } else if text.values()[taken..].starts_with("…".as_bytes()) {
        taken + "…".len()
    } else {
        return false;
    };
    let rest = &read.behind[text.start(behind)..];
    let enclosure = read.around.enclosure.as_ref();
    let follows = |mark: &str| rest.starts_with(mark.as_bytes());
    if follows("<") || follows("&lt;") || enclosure.is_some_and(|e| e.is_closed_by(rest)) {
        return true;
    }
    let pairs = [
        ("\"", "\""),
        ("'", "'"),
        ("\\\"", "\\\""),
        ("&quot;", "&quot;"),
        ("{", "}"),
        ("[", "]"),
        ("|", "|"),
    ];
    pairs.iter().any(|(open, close)| {
        let opened = read
            .before
            .windows(open.len())
            .any(|w| w == open.as_bytes());
        opened && follows(close)
    })
}

/// Page words that end no registered name.
const WORDS: [&str; 3] = ["/full", "/pdf", "/meta"];

/// Folders of an article on a publisher's site, with all that follows.
#[rustfmt::skip]
const FOLDERS: [&str; 9] = [
    "/figures/", "/tables/", "/transform/", "/MediaObjects/", "/-/DC", "/suppl_file/", "/asset/", "/full/",
    "/galley/",
];

/// Pages and files of an article on a publisher's site.
#[rustfmt::skip]
const PAGES: [&str; 36] = [
    "/full", "/pdf", "/meta", "/abstract", "/epdf", "/fullpdf", "/fulltext", "/fulltext.html", "/html",
    "/xml", "/full/html", "/full/pdf", "/references", "/summary", "/citedby", "/figures", "/suppinfo",
    "/metrics", "/enhanced", "/otherversions", "/issues", "/issuetoc", "/currentissue", "/earlyview",
    "/download", "/transform", "/status.svg", ".pdf", ".html", ".xml", ".epub", ".md", ".svg", ".png",
    ".abstract", ".full",
];

struct Reader<'t> {
    text: &'t Text,
    suffix: usize,
    around: &'t Around,
    /// An enclosure holds just the name, or so it is tried.
    whole: bool,
}

/// What a byte is to the name it stands in.
enum Verdict {
    Belongs,
    /// So many bytes belong to it.
    Many(usize),
    Ends,
    /// Ends it, as far as can be told without a registry.
    MayEnd,
}

use Verdict::{Belongs, Ends, Many, MayEnd};

fn belongs_if(belongs: bool) -> Verdict {
    if belongs { Belongs } else { Ends }
}

impl Reader<'_> {
    /// Takes bytes from the start of the suffix for as long as they can belong to the name.
    fn take(&self) -> Ending {
        let mut open = (0, 0);
        let mut at = self.suffix;
        while at < self.text.len() {
            let verdict = self.verdict(at, &mut open);
            match verdict {
                Belongs => at += 1,
                Many(len) => at += len,
                Ends => return self.without_colour(Ending { at, guessed: false }),
                MayEnd => return self.without_colour(Ending { at, guessed: true }),
            }
        }
        self.without_colour(Ending { at, guessed: false })
    }

    /// In a badge, the end of the message: at the last hyphen that is written as one byte.
    fn without_colour(&self, ending: Ending) -> Ending {
        if self.around.place != Place::Badge {
            return ending;
        }
        let is_single = |at: &usize| self.text.end(at + 1) - self.text.start(*at) == 1;
        let is_hyphen = |at: &usize| self.text.values()[*at] == b'-' && is_single(at);
        match (self.suffix..ending.at).rfind(is_hyphen) {
            Some(at) => Ending { at, guessed: false },
            None => ending,
        }
    }

    /// What the byte at `at` is to the name; `open` counts its round and square brackets.
    fn verdict(&self, at: usize, open: &mut (usize, usize)) -> Verdict {
        let byte = self.text.values()[at];
        if self.starts_glued_text(at) {
            return MayEnd;
        }
        if byte == b'/' && self.is_of_path(at) {
            return Ends;
        }
        if byte.is_ascii_alphanumeric() {
            return Belongs;
        }
        let is_mark = self
            .around
            .enclosure
            .as_ref()
            .is_some_and(|e| e.marks.contains(&byte));
        if is_mark && !self.is_end_of_sici(at) {
            return Ends;
        }
        match byte {
            b'(' | b')' | b'[' | b']' => self.bracket(at, open),
            b'<' => self
                .middle_of_sici(at)
                .or_else(|| self.encoded_angles(at))
                .map_or(Ends, Many),
            0x80.. => self.beyond_ascii(at),
            _ => belongs_if(self.is_of_name(at)),
        }
    }

    /// Whether the slash at `at` is the URL's, since that of the prefix is encoded and this one is not.
    fn is_of_path(&self, at: usize) -> bool {
        let encoded = |at| self.text.escape(at) == Escape::Percent;
        self.around.place == Place::Path && encoded(self.suffix - 1) && !encoded(at)
    }

    fn rest(&self, at: usize) -> &[u8] {
        self.text.values().get(at..).unwrap_or_default()
    }

    /// Whether a mark stays.
    fn is_of_name(&self, at: usize) -> bool {
        let percent = self.text.escape(at) == Escape::Percent;
        match self.text.values()[at] {
            b',' => self.whole || self.is_between(at, |b| b.is_ascii_digit()),
            b'\'' => self.whole || self.is_between(at, |b| b.is_ascii_alphanumeric()),
            b';' => self.is_end_of_sici(at) || self.goes_on(at + 1) && !self.is_parameter(at + 1),
            b'&' => {
                self.around.place != Place::Query
                    && self.goes_on(at + 1)
                    && !self.is_parameter(at + 1)
            }
            b'"' => self.text.escape(at) != Escape::None && self.goes_on(at + 1),
            b'?' => percent,
            b'#' => percent || self.ends_sici(at) || self.whole && !self.is_in_url(),
            b'{' => self.whole,
            other => b"-._/:+*~$=!@^%".contains(&other),
        }
    }

    /// The suffix up to `at`.
    fn before(&self, at: usize) -> &[u8] {
        &self.text.values()[self.suffix..at]
    }

    /// Whether the `#` at `at` is the last of `;2-#`.
    fn ends_sici(&self, at: usize) -> bool {
        self.before(at).ends_with(b";2-") && !self.goes_on(at + 1)
    }

    fn is_in_url(&self) -> bool {
        self.around.form == Form::Url || self.around.place != Place::Text
    }

    fn is_between(&self, at: usize, class: fn(u8) -> bool) -> bool {
        let front = self.before(at).last().copied();
        let behind = self.rest(at + 1).first().copied();
        front.is_some_and(class) && behind.is_some_and(class)
    }

    /// Whether a letter or digit follows, directly or behind one joint.
    fn goes_on(&self, at: usize) -> bool {
        let rest = self.rest(at);
        let joint = rest.first().is_some_and(|b| b".-_".contains(b));
        rest.get(usize::from(joint))
            .is_some_and(u8::is_ascii_alphanumeric)
    }

    /// Whether `name=` or `name:` follows.
    fn is_parameter(&self, at: usize) -> bool {
        let rest = self.rest(at);
        let name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
        let len = rest.iter().take(64).take_while(name).count();
        len > 0 && !rest[0].is_ascii_digit() && rest.get(len).is_some_and(|b| b"=:".contains(b))
    }

    fn bracket(&self, at: usize, open: &mut (usize, usize)) -> Verdict {
        let byte = self.text.values()[at];
        let count = if byte == b'(' || byte == b')' {
            &mut open.0
        } else {
            &mut open.1
        };
        let opens = byte == b'(' || byte == b'[';
        if opens {
            let was_encoded = self.whole && self.text.escape(at) == Escape::Percent;
            if byte == b'[' && !was_encoded && !self.goes_on_behind_bracket(at) {
                return Ends;
            }
            *count += 1;
        } else if *count > 0 {
            *count -= 1;
        } else if !self.whole {
            return Ends;
        }
        Belongs
    }

    /// Whether a letter or digit stands behind the `]` that follows.
    fn goes_on_behind_bracket(&self, at: usize) -> bool {
        let len = self.bracketed(at, b']');
        len.is_some_and(|len| {
            self.rest(at + len)
                .first()
                .is_some_and(u8::is_ascii_alphanumeric)
        })
    }

    /// `<693::AID-X>` before `3.0.CO;`: its length.
    fn middle_of_sici(&self, at: usize) -> Option<usize> {
        let len = self.bracketed(at, b'>')?;
        let rest = self.rest(at + len);
        (rest.get(6) == Some(&b';') && is_sici_version(&rest[..6])).then_some(len)
    }

    /// `%3Cb%3E` before more of the name: the length of both brackets and what stands between them, unless that is `/b` or
    /// `b/`.
    fn encoded_angles(&self, at: usize) -> Option<usize> {
        let len = self.bracketed(at, b'>')?;
        let last = at + len - 1;
        let encoded = [at, last].map(|at| self.text.escape(at) == Escape::Percent);
        let slashes = [at + 1, last - 1].map(|at| self.text.values()[at] == b'/');
        (encoded == [true, true] && slashes == [false, false] && self.goes_on(at + len))
            .then_some(len)
    }

    /// The length from the bracket at `at` to its closer, both included, if no blank stands between and they are near.
    fn bracketed(&self, at: usize, closer: u8) -> Option<usize> {
        let rest = self.rest(at);
        let len = (0..rest.len().min(128))
            .find(|i| rest[*i] == closer || rest[*i].is_ascii_whitespace())?;
        (rest[len] == closer).then_some(len + 1)
    }

    /// `;2-O` behind anything, `;2` behind `3.0.CO`.
    fn is_end_of_sici(&self, at: usize) -> bool {
        let rest = self.rest(at);
        let before = self.before(at);
        let version = &before[before.len().saturating_sub(6)..];
        rest.starts_with(b";2-")
            || rest.starts_with(b";")
                && rest.get(1).is_some_and(u8::is_ascii_digit)
                && is_sici_version(version)
    }

    /// Whether a URL starts at `at`, or a word behind this mark that printed references put there.
    fn starts_glued_text(&self, at: usize) -> bool {
        let rest = self.rest(at);
        starts_with(rest, "http:/")
            || starts_with(rest, "https:/")
            || b".,[".contains(&rest[0]) && is_glued_word(&rest[1..])
    }

    /// Letters, digits, symbols and dashes stay; white space, quotes, brackets and other marks end the name.
    fn beyond_ascii(&self, at: usize) -> Verdict {
        use Category::*;
        let Some(c) = first_char(self.rest(at)) else {
            return Ends;
        };
        match get_general_category(c) {
            UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter => {
                Many(c.len_utf8())
            }
            NonspacingMark | SpacingMark | EnclosingMark => Many(c.len_utf8()),
            DecimalNumber | LetterNumber | OtherNumber => Many(c.len_utf8()),
            MathSymbol | CurrencySymbol | ModifierSymbol | OtherSymbol => Many(c.len_utf8()),
            ConnectorPunctuation | DashPunctuation => Many(c.len_utf8()),
            OtherPunctuation if c < '\u{2010}' => Many(c.len_utf8()),
            _ => Ends,
        }
    }

    /// Cuts marks, slashes and as many tails of URLs as are seen from the end.
    fn trim(&self, taken: Ending) -> Ending {
        let mut ending = self.without_marks(taken);
        for _ in 0..4 {
            let shorter = self.without_tail(ending);
            if shorter.at == ending.at {
                break;
            }
            ending = self.without_marks(shorter);
        }
        ending
    }

    /// Cuts what no registered name ends in. A final slash is valid, but unlikely (P3), and a full stop may be meant where
    /// nothing else is enclosed.
    fn without_marks(&self, ending: Ending) -> Ending {
        let mut ending = ending;
        while let Some(len) = self.stray_mark(self.before(ending.at)) {
            ending.at -= len;
            let mark = self.text.values()[ending.at];
            ending.guessed |= mark == b'/' || mark == b'.' && self.whole;
        }
        ending
    }

    /// The length of the last character of `suffix`, if no registered name ends in it.
    fn stray_mark(&self, suffix: &[u8]) -> Option<usize> {
        if suffix.ends_with("\u{FFFD}".as_bytes()) {
            return Some("\u{FFFD}".len());
        }
        let count = |wanted: u8| suffix.iter().filter(|b| **b == wanted).count();
        let stray = match suffix.last()? {
            b'*' | b'_' | b'~' | b'$' | b'=' => !self.whole,
            b')' => count(b')') > count(b'('),
            b']' => count(b']') > count(b'['),
            b'}' => count(b'}') > count(b'{'),
            b'>' => count(b'>') > count(b'<'),
            last => b"/.,;:!?'\"&-([{<".contains(last),
        };
        stray.then_some(1)
    }

    /// What a page's URL adds to a name.
    fn without_tail(&self, ending: Ending) -> Ending {
        if self.around.place == Place::Path {
            return Ending {
                at: self.without_page(ending.at),
                ..ending
            };
        }
        if self.around.enclosure.is_none() {
            return ending;
        }
        let at = self.without_one_of(&WORDS, ending.at);
        Ending {
            at,
            guessed: ending.guessed || at < ending.at,
        }
    }

    /// `end`, or where the first of `tails` starts that the suffix has, behind something else, at its end.
    fn without_one_of(&self, tails: &[&str], end: usize) -> usize {
        let suffix = self.before(end);
        let is_tail = |tail: &&&str| {
            suffix.len() > tail.len() && starts_with(&suffix[suffix.len() - tail.len()..], tail)
        };
        end - tails.iter().find(is_tail).map_or(0, |tail| tail.len())
    }

    /// The end of a name in the path of a publisher's URL.
    fn without_page(&self, end: usize) -> usize {
        let suffix = self.before(end);
        let is_folder = |at: usize| {
            FOLDERS
                .iter()
                .any(|folder| suffix[at..].starts_with(folder.as_bytes()))
        };
        let end = match (0..suffix.len()).find(|at| is_folder(*at)) {
            Some(at) if at > 0 => self.suffix + at,
            _ => end,
        };
        self.without_article_id(self.without_version(self.without_one_of(&PAGES, end)))
    }

    /// `436749v2` and `436749v2.full-text`, as preprint servers have it in their URLs.
    fn without_version(&self, end: usize) -> usize {
        let mut kept = end;
        loop {
            let text = self.before(kept);
            let number = front(text, u8::is_ascii_digit);
            let before_v = number.strip_suffix(b"v").unwrap_or_default();
            let code = before_v.len() - front(before_v, u8::is_ascii_digit).len();
            let version = text.len() - number.len();
            if code > 3 && (version == 1 || version == 2) {
                return kept - version - 1;
            }
            let word = front(text, |b| {
                b.is_ascii_alphabetic() || *b == b'-' || *b == b'+'
            });
            if word.len() == text.len() || !word.ends_with(b".") {
                return end;
            }
            kept -= text.len() - word.len() + 1;
        }
    }

    /// `10.1093/jme/tjz032/5423051`: one platform appends its own number.
    fn without_article_id(&self, end: usize) -> usize {
        if !self.text.values().starts_with(b"10.1093/") {
            return end;
        }
        let segments: Vec<&[u8]> = self.before(end).split(|b| *b == b'/').collect();
        match segments[..] {
            [journal, article, id, ..] if !id.is_empty() && id.iter().all(u8::is_ascii_digit) => {
                self.suffix + journal.len() + 1 + article.len()
            }
            _ => end,
        }
    }
}

/// `text` up to its last byte that is not `tail`.
fn front(text: &[u8], tail: impl Fn(&u8) -> bool) -> &[u8] {
    let last = text.iter().rposition(|b| !tail(b));
    &text[..last.map_or(0, |at| at + 1)]
}

/// `3.0.CO`
fn is_sici_version(text: &[u8]) -> bool {
    text.len() == 6
        && text[0].is_ascii_digit()
        && text[1] == b'.'
        && text[2].is_ascii_digit()
        && text[3] == b'.'
        && text[4..].iter().all(u8::is_ascii_alphabetic)
}

fn starts_with(text: &[u8], word: &str) -> bool {
    super::spelling::word(word, text).is_some()
}

/// Words that follow a name in printed references.
fn is_glued_word(text: &[u8]) -> bool {
    if text.starts_with(b"URL") || text.starts_with(b"Epub") || starts_with(text, "http") {
        return true;
    }
    let behind = |word: &str| text[word.len()..].first();
    let ends =
        |word: &str| starts_with(text, word) && !behind(word).is_some_and(u8::is_ascii_lowercase);
    let numbered =
        |word: &str| starts_with(text, word) && behind(word).is_some_and(u8::is_ascii_digit);
    ends("pmid") || ends("arxiv") || ends("doi") || numbered("pmc")
}
