//! Patterns of prefixes, schemes, proxies and labels, as regular expressions over bytes.
//!
//! They match text as encoders spell it, before any escape is undone.

use super::Form;
use super::start::{RegistrantKind, Separator};

/// The separator and registrant code of each of [`prefixes`].
pub(crate) const PREFIXES: [(Separator, RegistrantKind); 7] = [
    (Separator::Slash, RegistrantKind::FourToNineDigits),
    (Separator::SpacedSlash, RegistrantKind::FourToNineDigits),
    (Separator::Slash, RegistrantKind::Isbn),
    (Separator::Slash, RegistrantKind::Other),
    (Separator::SpacedSlash, RegistrantKind::Other),
    (Separator::Colon, RegistrantKind::Other),
    (Separator::Underscore, RegistrantKind::FourToNineDigits),
];

/// The form that each of [`schemes`] gives.
pub(crate) const FORMS: [Form; 9] = [
    Form::Urn,
    Form::Info,
    Form::Hdl,
    Form::Doi,
    Form::Url,
    Form::Hdl,
    Form::Url,
    Form::Hdl,
    Form::Url,
];

/// Indexes of the [`schemes`] that are a host without its scheme.
pub(crate) const HOST_ALONE: [usize; 2] = [6, 7];

/// Whether a host that comes after `before` without a scheme is the end of another host's name.
pub(crate) fn is_inside_host(before: &[u8]) -> bool {
    before.last().is_some_and(|last| b"-.@".contains(last))
}

/// `/` in any number of layers of JSON, entities and percent encodings. LaTeX writes a backslash before a percent sign.
const SLASH: &str = r"(?:/|\\+/|\\*%(?:25)*2[Ff]|&#47;|&#[xX]2[Ff];|&sol;|\\+u002[Ff])";
const COLON: &str = r"(?::|\\:|\\*%(?:25)*3[Aa]|&#58;|&#[xX]3[Aa];|&colon;)";
const DOT: &str = r"(?:\.|%(?:25)*2[Ee]|&#46;|&#[xX]2[Ee];|&period;|\\+u002[Ee])";
/// An optional break: it allows a line to break and is not shown. It is a character, an entity, an escape of JSON, a tag, or a
/// command of LaTeX with the blanks that end it. Encoders and typesetters put optional breaks after each mark of a name.
const BREAK: &str = concat!(
    r"(?:\xC2\xAD|\xE2\x80[\x8B-\x8D]|\xE2\x81\xA0|\xEF\xBB\xBF",
    r"|<(?i:wbr) ?/?>|&(?:amp;)*lt;wbr ?/?&(?:amp;)*gt;",
    r"|%[eE]2%80%8[b-dB-D]|%[cC]2%[aA][dD]",
    r"|&(?:amp;)*(?:shy|ZeroWidthSpace|NoBreak|zwnj|zwj);",
    r"|&(?:amp;)*#0*(?:173|820[345]|8288|65279|[xX]0*(?:[aA][dD]|200[b-dB-D]|2060|[fF][eE][fF][fF]));",
    r"|\\+u(?:00[aA][dD]|200[b-dB-D]|2060|[fF][eE][fF][fF])",
    r"|\\+(?:allowbreak|linebreak\[[0-4]\]|penalty0|hspace\*?\{0(?:pt|em)\}|hskip0pt|discretionary\{\}\{\}\{\})(?:\{\}|[ \t\r\n]+)?)",
);

/// Whether patterns match optional breaks. Few texts have these, and patterns with them are four times as large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breaks {
    Any,
    None,
}

impl Breaks {
    /// Returns the pattern of any number of optional breaks.
    fn pattern(self) -> String {
        match self {
            Breaks::Any => format!("{BREAK}*"),
            Breaks::None => String::new(),
        }
    }

    /// Returns the pattern of white space with any number of optional breaks in it.
    fn blanks(self) -> String {
        match self {
            Breaks::Any => format!(r"(?:[ \t\r\n]|{BREAK})*"),
            Breaks::None => r"[ \t\r\n]*".to_owned(),
        }
    }
}

/// Returns the patterns of prefixes, in the order of [`PREFIXES`].
pub(crate) fn prefixes(breaks: Breaks) -> [String; 7] {
    let hidden = breaks.pattern();
    let more = format!("(?:{DOT}[0-9]+){{0,4}}");
    let whole = |code: &str| format!("10{DOT}{hidden}{code}{more}{hidden}");
    let broken = |code: &str| {
        // Matches what `anchor::is_broken_off` accepts.
        let before_stop = r"(?:[ \t\n]|\r\n)?";
        let blank = breaks.blanks();
        format!(r"10{before_stop}{DOT}{blank}{code}{more}[ \t\r\n]*")
    };
    let (usual, any) = ("[0-9]{4,9}", "[0-9]+");
    let isbn = format!(r"10{DOT}97[89]{DOT}[0-9]{{2,8}}");
    [
        whole(usual) + SLASH,
        broken(usual) + SLASH,
        isbn + SLASH,
        whole(any) + SLASH,
        broken(any) + SLASH,
        whole(any) + COLON,
        r"10\.[0-9]{4,9}(?:\.[0-9]+){0,4}_".to_owned(),
    ]
}

/// Returns the patterns of schemes and proxies directly before a name, in the order of [`FORMS`]. Text extractors add the blanks
/// after the marks of a proxy.
pub(crate) fn schemes(breaks: Breaks) -> [String; 9] {
    let (before, after, hidden) = (r"[ \t\r\n]*", breaks.blanks(), breaks.pattern());
    let api = format!("(?:api{SLASH}handles{SLASH})?");
    let stop = format!(r"{before}\.{after}");
    let host = |words: &[&str]| {
        let words: Vec<_> = words.iter().map(|word| format!("(?i:{word})")).collect();
        let words = words.join(&stop);
        format!("{words}(?::[0-9]+)?{before}{SLASH}{{1,2}}{api}{after}")
    };
    let doi_host = format!("(?:(?i:dx|www){stop})?") + &host(&["doi", "org"]);
    let handle_host = host(&["hdl", "handle", "net"]);
    let web = format!("(?:(?i:https?){before}{COLON}{after})?{SLASH}{before}{SLASH}{after}");
    let scheme = |scheme: &str, joint: &str| format!("(?i:{scheme}){joint}{hidden}");
    [
        format!("(?i:urn){COLON}") + &scheme("doi", COLON),
        format!("(?i:info){COLON}") + &scheme("doi", SLASH),
        scheme("hdl", COLON),
        scheme("doi", COLON),
        format!("{web}{doi_host}"),
        format!("{web}{handle_host}"),
        format!(r"\b{doi_host}"),
        format!(r"\b{handle_host}"),
        r"(?i:https?)-3A__(?i:(?:dx\.|www\.)?doi\.org)_".to_owned(),
    ]
}

/// Returns the pattern of a whole prefix. A `10.` directly after it is not an anchor.
pub(crate) fn name_before() -> String {
    format!(r"10{DOT}[0-9]{{4,9}}(?:{DOT}[0-9]+){{0,4}}{SLASH}")
}

/// Returns the patterns of labels: a word, field or parameter called DOI; an element or attribute whose tag contains it; a RIS
/// tag.
pub(crate) fn labels() -> [String; 3] {
    // Includes a no-break space, an ideographic one and a fullwidth colon.
    let joint = concat!(
        r#"(?:[\s:.="'(\[{<>|\\-]|%3[ADad]|%22|&quot;|\.org/ "#,
        r"|\xC2\xA0|\xE3\x80\x80|\xEF\xBC\x9A",
    );
    let joint = format!("{joint}|{BREAK})");
    // JSON may escape any letter of the name of a member.
    let doi = r"(?:[dD]|\\+u00[46]4)(?:[oO]|\\+u00[46][fF])(?:[iI]|\\+u00[46]9)";
    let more = r"(?i:[ _-]?(?:url|link|no\.?|number|name))?";
    let word = format!(r"(?:\A|[^A-Za-z]){doi}s?{more}");
    [
        format!("(?:{word}|[a-z](?:Doi|DOI)s?){joint}+"),
        r#"<[^<>]*(?i:doi)[^<>]*(?:>|=\s*["'])\s*"#.to_owned(),
        r"(?:\A|[\r\n])DO  - ".to_owned(),
    ]
}
