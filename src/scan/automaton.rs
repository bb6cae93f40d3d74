//! The automata: what must follow an anchor, and what says in which form a name was written.
//!
//! Both read text as encoders spell it, so they run on the bytes as they stand. Their states are built as texts call for
//! them, for each thread: a text visits a few dozen, and to build all took 13 ms, as long as to read 100 MB.

use std::cell::RefCell;
use std::sync::LazyLock;

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::Form;

/// `/` as JSON, entities and any number of percent encodings write it.
const SLASH: &str = r"(?:/|\\{1,3}/|%(?:25)*2[Ff]|&#47;|&#[xX]2[Ff];|&sol;|\\{1,2}u002[Ff])";
const COLON: &str = r"(?::|\\:|%(?:25)*3[Aa]|&#58;|&#[xX]3[Aa];|&colon;)";
const DOT: &str = r"(?:\.|%(?:25)*2[Ee]|&#46;|&#[xX]2[Ee];|&period;|\\u002[Ee])";
const BLANK: &str = r"[ \t\r\n]+";

/// The prefix at an anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// Bytes from the anchor to behind the separator.
    pub(super) len: usize,
    pub(super) separator: Separator,
    pub(super) registrant: Registrant,
    /// It may have to be decoded.
    pub(super) escaped: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Slash,
    /// A slash, with white space inside the prefix: a name only behind a label or proxy.
    Broken,
    /// A name only in a URN (H3).
    Colon,
}

/// What kind of registrant code a prefix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registrant {
    /// Four to nine digits in its first part: of all that are registered, no other was seen.
    Usual,
    /// An ISBN as a prefix, `10.978.` or `10.979.`.
    Isbn,
    Odd,
}

/// What stands before a name and says how it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opener {
    pub(super) form: Form,
    /// Bytes of scheme, proxy or label before the anchor.
    pub(super) len: usize,
}

static PREFIX: LazyLock<DFA> = LazyLock::new(|| build(&prefix_patterns(), false));
static SCHEME: LazyLock<DFA> = LazyLock::new(|| build(&scheme_patterns(), true));
static LABEL: LazyLock<DFA> = LazyLock::new(|| build(&label_patterns(), true));
static NAME_BEFORE: LazyLock<DFA> = LazyLock::new(|| build(&[name_before_pattern()], true));

thread_local! {
    static PREFIX_STATES: RefCell<Cache> = RefCell::new(PREFIX.create_cache());
    static SCHEME_STATES: RefCell<Cache> = RefCell::new(SCHEME.create_cache());
    static LABEL_STATES: RefCell<Cache> = RefCell::new(LABEL.create_cache());
    static NAME_BEFORE_STATES: RefCell<Cache> = RefCell::new(NAME_BEFORE.create_cache());
}

/// The prefix that starts at `bytes[0]`.
pub(super) fn prefix(bytes: &[u8]) -> Option<Prefix> {
    let code = bytes.strip_prefix(b"10.").unwrap_or_default();
    let digits = code.iter().take_while(|b| b.is_ascii_digit()).count();
    let behind = &code[digits..];
    match digits {
        // As nearly all are written.
        4..=9 if behind.first() == Some(&b'/') => Some(Prefix {
            len: b"10./".len() + digits,
            separator: Separator::Slash,
            registrant: Registrant::Usual,
            escaped: false,
        }),
        1.. if !may_be_separator(behind) => None,
        _ => any_prefix(bytes),
    }
}

/// Whether a dot, slash or colon may follow, plain or escaped, white space before it or none: decimals and dates, as most of
/// what starts like a prefix, end otherwise.
fn may_be_separator(behind: &[u8]) -> bool {
    let next = behind.trim_ascii_start().first();
    next.is_some_and(|byte| b"./:\\%&".contains(byte))
}

fn any_prefix(bytes: &[u8]) -> Option<Prefix> {
    let (pattern, len) = PREFIX_STATES.with_borrow_mut(|states| {
        let start = Input::new("").anchored(Anchored::Yes);
        let start = PREFIX.start_state_forward(states, &start).ok()?;
        furthest(&PREFIX, states, start, bytes.iter())
    })?;
    let (separator, registrant) = [
        (Separator::Slash, Registrant::Usual),
        (Separator::Broken, Registrant::Usual),
        (Separator::Slash, Registrant::Isbn),
        (Separator::Slash, Registrant::Odd),
        (Separator::Broken, Registrant::Odd),
        (Separator::Colon, Registrant::Odd),
    ][pattern];
    Some(Prefix {
        len,
        separator,
        registrant,
        escaped: true,
    })
}

/// The scheme or proxy that ends where `before` ends.
pub(super) fn scheme(before: &[u8]) -> Option<Opener> {
    // The last byte of a separator, or of an escape of one; a blank may follow.
    let joint = before.strip_suffix(b" ").unwrap_or(before).last();
    if !joint.is_some_and(|last| b"/:;FfAa".contains(last)) {
        return None;
    }
    let (pattern, start) =
        SCHEME_STATES.with_borrow_mut(|states| longest(&SCHEME, states, before))?;
    let form = [
        Form::Urn,
        Form::Info,
        Form::Hdl,
        Form::Doi,
        Form::Url,
        Form::Hdl,
        Form::Url,
        Form::Hdl,
    ][pattern];
    let inside_host = pattern >= 6 && start > 0 && b"-.@".contains(&before[start - 1]);
    (!inside_host).then_some(Opener {
        form,
        len: before.len() - start,
    })
}

/// Whether the end of `before` says "DOI": a field, element, parameter or word.
pub(super) fn is_labelled(before: &[u8]) -> bool {
    LABEL_STATES.with_borrow_mut(|states| longest(&LABEL, states, before).is_some())
}

/// Whether `before` ends in a whole prefix `10.N/`.
pub(super) fn ends_in_prefix(before: &[u8]) -> bool {
    let may = match before {
        [.., b'0'..=b'9' | b'\\', b'/'] => true,
        [.., last] => matches!(last, b'F' | b'f' | b';'),
        [] => false,
    };
    may && NAME_BEFORE_STATES
        .with_borrow_mut(|states| longest(&NAME_BEFORE, states, before).is_some())
}

/// The pattern that matches the longest end of `text`, and where that end starts.
fn longest(dfa: &DFA, states: &mut Cache, text: &[u8]) -> Option<(usize, usize)> {
    let at_end = Input::new("").anchored(Anchored::Yes);
    let start = dfa.start_state_reverse(states, &at_end).ok()?;
    let (pattern, len) = furthest(dfa, states, start, text.iter().rev())?;
    Some((pattern, text.len() - len))
}

/// The pattern that matches furthest from `state` on, and how many bytes that takes. Most searches end after a byte or two, and
/// the general search spends three times as long on its start.
fn furthest<'t>(
    dfa: &DFA,
    states: &mut Cache,
    mut state: LazyStateID,
    bytes: impl ExactSizeIterator<Item = &'t u8>,
) -> Option<(usize, usize)> {
    let mut found = None;
    let len = bytes.len();
    for (read, byte) in bytes.enumerate() {
        state = dfa.next_state(states, state, *byte).ok()?;
        if !state.is_tagged() {
            continue;
        }
        // A match shows one byte late.
        if state.is_match() {
            found = Some((dfa.match_pattern(states, state, 0).as_usize(), read));
        } else if state.is_dead() {
            return found;
        }
    }
    let state = dfa.next_eoi_state(states, state).ok()?;
    if state.is_match() {
        found = Some((dfa.match_pattern(states, state, 0).as_usize(), len));
    }
    found
}

/// In the order of [`prefix`]'s answers.
fn prefix_patterns() -> [String; 6] {
    let more = format!(r"(?:{DOT}[0-9]+){{0,4}}");
    let usual = format!(r"[0-9]{{4,9}}{more}");
    let any = format!(r"[0-9]+{more}");
    let broken =
        |code: &str| format!(r"10{DOT}(?:{BLANK}{code}|{code}{BLANK}|{BLANK}{code}{BLANK}){SLASH}");
    [
        format!(r"10{DOT}{usual}{SLASH}"),
        broken(&usual),
        format!(r"10{DOT}97[89]{DOT}[0-9]{{2,8}}{SLASH}"),
        format!(r"10{DOT}{any}{SLASH}"),
        broken(&any),
        format!(r"10{DOT}{any}{COLON}"),
    ]
}

/// In the order of [`scheme`]'s forms; the last two are hosts without a scheme.
fn scheme_patterns() -> [String; 8] {
    let web = format!(r"(?:(?i:https?){COLON})?{SLASH}{SLASH}");
    let doi_host = format!(
        r"(?i:(?:dx\.|www\.)?doi\.org)(?::[0-9]+)?{SLASH}{{1,2}}(?:api{SLASH}handles{SLASH})? ?"
    );
    let handle_host =
        format!(r"(?i:hdl\.handle\.net){SLASH}{{1,2}}(?:api{SLASH}handles{SLASH})? ?");
    [
        format!(r"(?i:urn){COLON}(?i:doi){COLON}"),
        format!(r"(?i:info){COLON}(?i:doi){SLASH}"),
        format!(r"(?i:hdl){COLON}"),
        format!(r"(?i:doi){COLON}"),
        format!("{web}{doi_host}"),
        format!("{web}{handle_host}"),
        format!(r"\b{doi_host}"),
        format!(r"\b{handle_host}"),
    ]
}

/// A whole prefix.
fn name_before_pattern() -> String {
    format!(r"10{DOT}[0-9]{{4,9}}(?:{DOT}[0-9]+){{0,4}}{SLASH}")
}

/// A word, field or parameter called DOI; an element or attribute whose tag speaks of DOI; a RIS tag.
fn label_patterns() -> [String; 4] {
    // A no-break space, an ideographic one and a fullwidth colon too.
    let joint = concat!(
        r#"(?:[\s:="'(\[{<>|\\-]|%3[ADad]|%22|&quot;|\.org/ "#,
        r"|\xC2\xA0|\xE3\x80\x80|\xEF\xBC\x9A)",
    );
    [
        format!(r"(?:\A|[^A-Za-z])(?i:doi)s?(?i:[ _-]?(?:url|link|no\.?|number|name))?{joint}+"),
        format!(r"[a-z](?:Doi|DOI)s?{joint}+"),
        r#"<[^<>]*(?i:doi)[^<>]*(?:>|=\s*["'])\s*"#.to_owned(),
        r"(?:\A|[\r\n])DO  - ".to_owned(),
    ]
}

/// The patterns are ours and constant, so that a failure to build them is a bug that every test would show.
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

    #[test]
    fn prefixes_in_every_spelling() {
        let found = |s: &str| prefix(s.as_bytes()).map(|p| (p.len, p.separator, p.registrant));
        assert_eq!(
            found("10.5555/abc"),
            Some((8, Separator::Slash, Registrant::Usual))
        );
        assert_eq!(
            found(r"10.5555\/abc"),
            Some((9, Separator::Slash, Registrant::Usual))
        );
        assert_eq!(
            found("10%2E5555%252Fabc"),
            Some((14, Separator::Slash, Registrant::Usual))
        );
        assert_eq!(
            found("10.1000.10:x"),
            Some((11, Separator::Colon, Registrant::Odd))
        );
        assert_eq!(
            found("10. 5555 /x"),
            Some((10, Separator::Broken, Registrant::Usual))
        );
        assert_eq!(
            found("10.978.8898392/315"),
            Some((15, Separator::Slash, Registrant::Isbn))
        );
        assert_eq!(
            found("10.0.0.0/8"),
            Some((9, Separator::Slash, Registrant::Odd))
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
}
