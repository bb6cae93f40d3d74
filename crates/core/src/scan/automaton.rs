//! Reads the patterns of the rulebook with automata, forwards from an anchor and backwards before it.
//!
//! Each thread builds states when a text needs them: a text visits a few dozen, and to build all took 13 ms, as long as to read
//! 100 MB.

use std::cell::RefCell;
use std::sync::LazyLock;

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};

use super::glance;
use super::rules::pattern::{self, Breaks, FORMS, HOST_ALONE, PREFIXES};
use super::rules::raw::{may_end_break, may_start_break, starts_break};
use super::rules::start::{RegistrantKind, Separator, WrittenPrefix};
use super::window::Opener;

static PREFIX: LazyLock<DFA> = LazyLock::new(|| build(&pattern::prefixes(Breaks::None), false));
static SCHEME: LazyLock<DFA> = LazyLock::new(|| build(&pattern::schemes(Breaks::None), true));
/// Used if a search without breaks may have met one.
static BROKEN_PREFIX: LazyLock<DFA> =
    LazyLock::new(|| build(&pattern::prefixes(Breaks::Any), false));
static BROKEN_SCHEME: LazyLock<DFA> = LazyLock::new(|| build(&pattern::schemes(Breaks::Any), true));
static LABEL: LazyLock<DFA> = LazyLock::new(|| build(&pattern::labels(), true));
static NAME_BEFORE: LazyLock<DFA> = LazyLock::new(|| build(&[pattern::name_before()], true));

thread_local! {
    static PREFIX_STATES: RefCell<SearchStates> = SearchStates::of(&PREFIX);
    static SCHEME_STATES: RefCell<SearchStates> = SearchStates::of(&SCHEME);
    static BROKEN_PREFIX_STATES: RefCell<SearchStates> = SearchStates::of(&BROKEN_PREFIX);
    static BROKEN_SCHEME_STATES: RefCell<SearchStates> = SearchStates::of(&BROKEN_SCHEME);
    static LABEL_STATES: RefCell<SearchStates> = SearchStates::of(&LABEL);
    static NAME_BEFORE_STATES: RefCell<SearchStates> = SearchStates::of(&NAME_BEFORE);
}

/// The states of an automaton that were needed so far.
struct SearchStates {
    dfa: &'static DFA,
    cache: Cache,
    /// The first state of a search, and how often the cache had been cleared when it was found.
    start: Option<(LazyStateID, usize)>,
    /// Bytes that the last search read.
    read: usize,
}

impl SearchStates {
    fn of(dfa: &'static DFA) -> RefCell<SearchStates> {
        RefCell::new(SearchStates {
            dfa,
            cache: dfa.create_cache(),
            start: None,
            read: 0,
        })
    }

    /// Returns the first state of a search. It is kept, since finding it takes longer than most searches.
    fn start(&mut self) -> Option<LazyStateID> {
        let clears = self.cache.clear_count();
        if let Some((start, _)) = self.start.filter(|(_, then)| *then == clears) {
            return Some(start);
        }
        let config = start::Config::new().anchored(Anchored::Yes);
        let start = self.dfa.start_state(&mut self.cache, &config).ok()?;
        self.start = Some((start, self.cache.clear_count()));
        Some(start)
    }

    /// Returns the pattern that matches furthest, and the length of its match in bytes. Most searches end after a byte or two,
    /// and the general search spends three times as long on its start.
    fn furthest<'t>(
        &mut self,
        bytes: impl ExactSizeIterator<Item = &'t u8>,
    ) -> Option<(usize, usize)> {
        let len = bytes.len();
        self.read = len;
        let mut state = self.start()?;
        let SearchStates { dfa, cache, .. } = self;
        let mut found = None;
        for (read, byte) in bytes.enumerate() {
            state = dfa.next_state(cache, state, *byte).ok()?;
            if !state.is_tagged() {
                continue;
            }
            // A match is reported one byte late.
            if state.is_match() {
                found = Some((dfa.match_pattern(cache, state, 0).as_usize(), read));
            } else if state.is_dead() {
                self.read = read + 1;
                return found;
            }
        }
        let state = dfa.next_eoi_state(cache, state).ok()?;
        if state.is_match() {
            found = Some((dfa.match_pattern(cache, state, 0).as_usize(), len));
        }
        found
    }

    /// Returns the pattern that matches the longest end of `text`, and where that end starts.
    fn longest(&mut self, text: &[u8]) -> Option<(usize, usize)> {
        let (pattern, len) = self.furthest(text.iter().rev())?;
        Some((pattern, text.len() - len))
    }
}

/// Reads the prefix that starts at `bytes[0]`.
#[inline]
pub(super) fn prefix(bytes: &[u8]) -> Option<WrittenPrefix> {
    let Some(code) = bytes.strip_prefix(b"10.") else {
        return any_prefix(bytes);
    };
    let digits = leading_digits(code);
    // Nearly all are written in these ways, plain or as in JSON.
    match (digits, &code[digits..]) {
        (4..=9, [b'/', ..]) => Some(slash_prefix(digits, b"/")),
        (4..=9, [b'\\', b'/', ..]) => Some(slash_prefix(digits, br"\/")),
        (0, [b' ' | b'\t' | b'\r' | b'\n', ..]) => any_prefix(bytes),
        (0, rest) if may_start_break(rest) => any_prefix(bytes),
        (1.., rest) if may_be_separator(rest) => any_prefix(bytes),
        _ => None,
    }
}

/// Returns how many digits `bytes` starts with. The first eight bytes are compared together.
#[inline]
fn leading_digits(bytes: &[u8]) -> usize {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    const TO_HIGHEST: u64 = u64::from_le_bytes([0x80 - 10; 8]);
    const HIGHEST: u64 = u64::from_le_bytes([0x80; 8]);
    let one_by_one = || bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let Some(first) = bytes.first_chunk() else {
        return one_by_one();
    };
    // A digit becomes less than 10. The highest bit of another byte is set, or gets set by the sum.
    let values = u64::from_le_bytes(*first) ^ ZEROS;
    let others = (values.wrapping_add(TO_HIGHEST) | values) & HIGHEST;
    match others {
        0 => one_by_one(),
        _ => others.trailing_zeros() as usize / 8,
    }
}

fn slash_prefix(digits: usize, slash: &[u8]) -> WrittenPrefix {
    WrittenPrefix {
        len: b"10.".len() + digits + slash.len(),
        separator: Separator::Slash,
        registrant: RegistrantKind::FourToNineDigits,
        is_escaped: slash.len() > 1,
    }
}

/// Whether `rest`, the bytes after a number, may be the end of a registrant code and a slash or colon, plain or escaped. Decimals
/// and dates, which are most texts that start like a prefix, end otherwise.
fn may_be_separator(rest: &[u8]) -> bool {
    /// Max bytes to look at. Without it, a text of only numbers or blanks would be read again from each number.
    const MAX_SEPARATOR_BYTES: usize = 64;
    let near = &rest[..rest.len().min(MAX_SEPARATOR_BYTES)];
    let is_number = |b: &&u8| b.is_ascii_digit() || **b == b'.';
    let number = near.iter().take_while(is_number).count();
    match near[number..].trim_ascii_start() {
        [b'/' | b':' | b'\\' | b'%' | b'&' | b'_', ..] => true,
        [] => near.len() == MAX_SEPARATOR_BYTES,
        rest => may_start_break(rest) || near.len() == MAX_SEPARATOR_BYTES && rest.len() < 3,
    }
}

/// Bytes at the start of an optional break that may mean something else, and the next byte: `&#x2` starts a slash too.
const MAX_BREAK_START_BYTES: usize = 5;
/// Bytes at the end of an optional break that may mean something else: `f;` ends a slash too.
const MAX_BREAK_END_BYTES: usize = 3;

fn any_prefix(bytes: &[u8]) -> Option<WrittenPrefix> {
    let furthest = |states: &mut SearchStates| states.furthest(bytes.iter());
    let (found, read) = PREFIX_STATES.with_borrow_mut(|states| (furthest(states), states.read));
    // A search without breaks ends a few bytes after the start of one.
    let mut near = read.saturating_sub(MAX_BREAK_START_BYTES)..read;
    let has_break =
        glance::may_start_break(&bytes[near.clone()]) && near.any(|at| starts_break(&bytes[at..]));
    let (pattern, len) = match has_break {
        true => BROKEN_PREFIX_STATES.with_borrow_mut(furthest)?,
        false => found?,
    };
    let (separator, registrant) = PREFIXES[pattern];
    Some(WrittenPrefix {
        len,
        separator,
        registrant,
        is_escaped: true,
    })
}

/// Reads the scheme or proxy that ends where `before` ends.
pub(super) fn scheme(before: &[u8]) -> Option<Opener> {
    if let Some(usual) = glance::scheme(before) {
        return Some(usual);
    }
    if !glance::may_end_scheme(before) {
        return None;
    }
    let (pattern, start) = longest_scheme(before)?;
    let form = FORMS[pattern];
    let inside_host = HOST_ALONE.contains(&pattern) && pattern::is_inside_host(&before[..start]);
    (!inside_host).then(|| Opener {
        form,
        len: before.len() - start,
        is_spaced: before[start..].iter().any(u8::is_ascii_whitespace),
    })
}

fn longest_scheme(before: &[u8]) -> Option<(usize, usize)> {
    let longest = |states: &mut SearchStates| states.longest(before);
    let (found, read) = SCHEME_STATES.with_borrow_mut(|states| (longest(states), states.read));
    let mut near = before.len() - read..before.len() - read.saturating_sub(MAX_BREAK_END_BYTES);
    // A command of LaTeX includes the blanks after it.
    let ends_break = |at: usize| may_end_break(before[..=at].trim_ascii_end());
    // A search without breaks ends a few bytes after it meets one.
    match glance::may_end_break(&before[near.clone()]) && near.any(ends_break) {
        true => BROKEN_SCHEME_STATES.with_borrow_mut(longest),
        false => found,
    }
}

/// Whether `before` ends in a field, element, parameter or word that says "DOI".
#[inline]
pub(super) fn is_labelled(before: &[u8]) -> bool {
    glance::is_labelled(before)
        .unwrap_or_else(|| LABEL_STATES.with_borrow_mut(|states| states.longest(before).is_some()))
}

/// Whether `before` ends in a whole prefix `10.N/`.
pub(super) fn ends_in_prefix(before: &[u8]) -> bool {
    glance::may_end_prefix(before)
        && NAME_BEFORE_STATES.with_borrow_mut(|states| states.longest(before).is_some())
}

/// The patterns are constant, so that a failure to build them is a bug that every test would show.
#[allow(clippy::expect_used)]
fn build(patterns: &[String], reverse: bool) -> DFA {
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let kind = if reverse {
        MatchKind::All
    } else {
        MatchKind::LeftmostFirst
    };
    DFA::builder()
        .configure(DFA::config().match_kind(kind))
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(
            thompson::Config::new()
                .utf8(false)
                .reverse(reverse)
                .shrink(reverse),
        )
        .build_many(&patterns)
        .expect("constant patterns")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::mention::Form;

    #[test]
    fn prefixes_in_every_spelling() {
        let found = |s: &str| prefix(s.as_bytes()).map(|p| (p.len, p.separator, p.registrant));
        assert_eq!(
            found("10.5555/abc"),
            Some((8, Separator::Slash, RegistrantKind::FourToNineDigits))
        );
        assert_eq!(
            found(r"10.5555\/abc"),
            Some((9, Separator::Slash, RegistrantKind::FourToNineDigits))
        );
        assert_eq!(
            found("10%2E5555%252Fabc"),
            Some((14, Separator::Slash, RegistrantKind::FourToNineDigits))
        );
        assert_eq!(
            found("10.1000.10:x"),
            Some((11, Separator::Colon, RegistrantKind::Other))
        );
        assert_eq!(
            found("10. 5555 /x"),
            Some((10, Separator::SpacedSlash, RegistrantKind::FourToNineDigits))
        );
        assert_eq!(
            found("10.978.8898392/315"),
            Some((15, Separator::Slash, RegistrantKind::Isbn))
        );
        assert_eq!(
            found("10.0.0.0/8"),
            Some((9, Separator::Slash, RegistrantKind::Other))
        );
        assert_eq!(found("10.5555 abc"), None);
        assert_eq!(found("10.5555"), None);
    }

    #[test]
    fn forms_in_every_spelling() {
        let form = |s: &str| scheme(s.as_bytes()).map(|o| (o.form, o.len));
        assert_eq!(form("see https://doi.org/"), Some((Form::Url, 16)));
        assert_eq!(form("u=https%3A%2F%2Fdx.doi.org%2F"), Some((Form::Url, 27)));
        assert_eq!(form("x dx.doi.org/"), Some((Form::Url, 11)));
        assert_eq!(form("https://my-doi.org/"), None);
        assert_eq!(form("https://doi.org.proxy.org/"), None);
        assert_eq!(form("https://doi.org/urn:doi:"), Some((Form::Urn, 8)));
        assert_eq!(form("info:doi/"), Some((Form::Info, 9)));
        assert_eq!(form("http://hdl.handle.net/"), Some((Form::Hdl, 22)));
        assert_eq!(form("DOI:"), Some((Form::Doi, 4)));
        assert_eq!(form("DOI: "), None);
    }

    #[test]
    fn labels() {
        let yes = [
            "DOI ",
            "\"DOI\":\"",
            "doi = {",
            "<doi>",
            "<pub-id pub-id-type=\"doi\">",
            "{{doi|",
            "DO  - ",
            "?doi=",
            "<meta name=\"citation_doi\" content=\"",
            "paperDOI\":\"",
            "doi%3D",
        ];
        for text in yes {
            assert!(is_labelled(text.as_bytes()), "{text}");
        }
        for text in ["doing ", "/doi/", "<a href=\"", "", "geodoi "] {
            assert!(!is_labelled(text.as_bytes()), "{text}");
        }
    }

    /// Optional breaks, in every kind of spelling.
    const BREAKS: [&str; 31] = [
        "\u{ad}",
        "\u{200b}",
        "\u{200d}",
        "\u{2060}",
        "\u{feff}",
        "<wbr>",
        "<wbr />",
        "<WBR>",
        "%E2%80%8B",
        "%c2%ad",
        "&lt;wbr&gt;",
        "&amp;lt;wbr/&amp;gt;",
        "&shy;",
        "&ZeroWidthSpace;",
        "&NoBreak;",
        "&zwj;",
        "&#173;",
        "&#8203;",
        "&#8288;",
        "&#xAD;",
        "&#x200b;",
        "&#x2060;",
        "&#xFEFF;",
        r"\u00ad",
        r"\\u200B",
        r"\u2060",
        r"\ufeff",
        r"\allowbreak ",
        r"\linebreak[0]",
        r"\penalty0{}",
        r"\hskip0pt  ",
    ];

    /// Calls `see` with each of `texts`, and with each text that has one of [`BREAKS`] at any place, alone or with white space
    /// beside it.
    fn broken(texts: &[&str], mut see: impl FnMut(&[u8])) {
        for text in texts {
            see(text.as_bytes());
            for (at, broken) in (0..=text.len())
                .filter(|at| text.is_char_boundary(*at))
                .flat_map(|at| BREAKS.map(|broken| (at, broken)))
            {
                let (front, back) = text.split_at(at);
                for blank in ["", " ", "\n"] {
                    see(format!("{front}{broken}{blank}{back}").as_bytes());
                    see(format!("{front}{blank}{broken}{back}").as_bytes());
                }
            }
        }
    }

    #[test]
    fn a_search_without_breaks_tells_where_it_meets_one() {
        let prefixes = [
            "10.5555/a",
            "10. 5555.12 /a",
            "10%2E5555%252Fa",
            "10.1.12:a",
            "10&#46;5555&#x2F;a",
        ];
        broken(&prefixes, |text| {
            let whole = BROKEN_PREFIX_STATES.with_borrow_mut(|states| states.furthest(text.iter()));
            let found = any_prefix(text).map(|prefix| prefix.len);
            assert_eq!(
                found,
                whole.map(|(_, len)| len),
                "{:?}",
                String::from_utf8_lossy(text)
            );
        });
        let schemes = [
            "see https://dx.doi.org/",
            r"see https:\/\/dx.doi.org\/",
            r"http:\//doi.org/",
            "https : // doi. org:80/ api/handles/",
            "u=https%3A%2F%2Fhdl.handle.net%252f",
            "urn&#58;doi&#x3A;",
            r"info:doi\u002F",
            r"x doi\:",
        ];
        broken(&schemes, |text| {
            let whole = BROKEN_SCHEME_STATES.with_borrow_mut(|states| states.longest(text));
            let found = longest_scheme(text);
            assert_eq!(found, whole, "{:?}", String::from_utf8_lossy(text));
            let seen = glance::scheme(text).map(|seen| (Some(seen.form), text.len() - seen.len));
            let form = whole.map(|(pattern, start)| (Some(FORMS[pattern]), start));
            assert!(
                seen.is_none() || seen == form,
                "{:?}",
                String::from_utf8_lossy(text)
            );
            let may_end = glance::may_end_scheme(text);
            assert!(
                (may_end && !glance::is_after_number(text)) || whole.is_none(),
                "{:?}",
                String::from_utf8_lossy(text)
            );
        });
    }

    #[test]
    fn a_glance_sees_what_the_automaton_reads() {
        let labels = [
            "\nDO  - ",
            "DO  - ",
            "x DO  - ",
            "see doi = {",
            "\"dois\":[\"",
            "paperDOI: \"",
            "doi%3D",
            "doi%22: ",
            "doi&quot;:",
            "doi\u{a0}",
            "DOI\u{ff1a}\u{3000}",
            "http://doi.org/ ",
            "doi-url: ",
            "DOI no. ",
            "doi_name (",
            "doing ",
            "geodoi ",
            "<a href=\"https://doi.org/1\">",
            "<doi> <b>",
            r#""\u0044OI":""#,
            r#""d\u006F\u0069": [""#,
            r#""\u0064\u006fis":""#,
            r#""DO\u0049s":""#,
            r#"\"\\u0064oi_url\":\""#,
            r#""a\u0064oi":""#,
            r#""1969":""#,
            "<id type = 'doi' value = \"",
            "\"version\":\"",
            "a = ",
            "number ",
            "",
        ];
        broken(&labels, |text| {
            let read = LABEL_STATES.with_borrow_mut(|states| states.longest(text).is_some());
            let seen = glance::is_labelled(text);
            assert!(
                seen.is_none_or(|seen| seen == read) && !(read && glance::is_after_number(text)),
                "{:?}",
                String::from_utf8_lossy(text)
            );
        });
        let names = [
            r"a10.5555/",
            r"10.5555.1\/",
            "10%2E5555%2F",
            "10.5555&#47;",
            "10&period;5555/",
            "2010.5/",
        ];
        for text in names {
            let read = NAME_BEFORE_STATES.with_borrow_mut(|states| states.longest(text.as_bytes()));
            assert!(
                read.is_none() || glance::may_end_prefix(text.as_bytes()),
                "{text}"
            );
        }
    }
}
