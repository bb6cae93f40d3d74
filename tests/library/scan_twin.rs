//! Compares the scanner with its naive twin on random documents made of the pieces that the rules depend on, whole and in pieces.
//! Names must not overlap.

use std::collections::BTreeSet;
use std::sync::Arc;

use doisift::internal::Rule;
use doisift::naive::{self, OwnedMention};
use doisift::{Scanner, Tally, TextKind};
use proptest::prelude::*;
use proptest::sample::select;

/// Pieces before a name: schemes, proxies, labels, opening marks, and lookalikes.
#[rustfmt::skip]
const LEADS: &[&str] = &[
    "doi:", "DOI:", "DOI: ", "doi ", "doi%3A", "urn:doi:", "URN%3ADOI%3A", "info:doi/", "info%3Adoi%2F", "hdl:",
    "https://doi.org/", "http://dx.doi.org/", "HTTPS://DOI.ORG/", "//doi.org/", "doi.org/", "www.doi.org/",
    "my-doi.org/", "x@dx.doi.org/", "https://doi.org:443/", "https:\\/\\/doi.org\\/", "https%3A%2F%2Fdoi.org%2F",
    "https%253A%252F%252Fdoi.org%252F", "https://doi.org/api/handles/", "https://doi.org/ ", "doi.org//",
    "http://hdl.handle.net/", "hdl.handle.net%2F", "https:&#x2F;&#x2F;doi.org&sol;", "https\\u003a//doi.org/",
    "https://a.example/doi/", "https://a.example/doi/full/", "/doi/", "%2Fdoi%2F", "?doi=", "&id=", "&amp;doi=",
    "%3Fdoi%3D", "%3fdoi%3d", "%26x%3D", "?a[b]=doi:", "\"DOI\":\"", "\"doi\": \"", "\\\"doi\\\":\\\"",
    "&quot;doi&quot;:&quot;", "%22doi%22:%22", "<doi>", "<doi> ", "<doi>\n  ", "<a href=\"", "<a href='",
    "<pub-id pub-id-type=\"doi\">", "<meta name=\"citation_doi\" content = \"", "&lt;doi&gt;", "&lt;", "doi = {",
    "\\doi{", "{{doi|", "| doi = ", "|doi=", "|x=\t", "DO  - ", "\nDO  - ", "\r\nM3  - ", "key=\"", " key=\"",
    "<citation key='", "\"key\":\"", "\"key\" : \"key-", "\\\"key\\\":\\\"", "'key':'", "onkey=\"", "dois:",
    "DOI no. ", "DOI-number: ", "doi_url=", "paperDOI:", "geodoi ", "doi\u{b}", "doi.org/ ", "do1:", "(", "[", "{",
    "\"", "'", "\\\"", "\\'", "&quot;", "&#34;", "&#39;", "&apos;", "%22", "<", ">", "&gt;", "|", ",", ";", "\t",
    "2020,", "x;", "**", "_", "`", "“", "«", "（", "/badge/DOI-", "/badge/x/y-", "\\/badge\\/DOI-", "$a", "$$u", "/art:", "/esm/art%3A", "/doi:",
    "/info%3Adoi%2F",
    "https:// doi. org/ ", "https ://doi.org/", "https : / / doi . org / ", "doi : ", "dx. doi. org/\n", "https:/\u{200b}/doi.\u{ad}org/\u{200b}", "https://doi.<wbr>org/<wbr>",
    "doi:\u{2060}", "doi.org/\\allowbreak ", "https://doi.org/&#8203;", "DOI:\u{200b} ", "hdl. handle. net/ ",
];

/// Prefixes, complete and broken, and lookalikes.
#[rustfmt::skip]
const PREFIXES: &[&str] = &[
    "10.5555/", "10.5555/", "10.5555/", "10.5555/", "10.1093/", "10.1000.10/", "10.5555\\/", "10.5555\\\\/",
    "10.5555\\\\\\/", "10.5555\\\\\\\\/", "10.5555\\\\\\u002f", "10.5555\\u002f", "10.5555\\\\u002F", "10.5555%2F", "10.5555%2f", "10.5555%252F",
    "10.5555%25252f", "10.5555&#x2F;", "10.5555&#47;", "10.5555&sol;", "10%2E5555/", "10&#46;5555/",
    "10&period;5555/", "10\\u002e5555/", "10%252e5555%252F", "10.5555:", "10.5555%3A", "10.5555&colon;", "10. 5555/",
    "10.\n5555/", "10.5555 /", "10. 5555\t/", "10.         5555/", "10.978.12345/", "10.979.1/", "10.978.88983/12",
    "10.231/", "10.0.0.0/", "10.12345678901/", "10.5555.1.2.3.4/", "10.5555.1.2.3.4.5/", "10.10.5555/",
    "10.10.10.5555/", "2.10.5555/", "110.5555/", "10.15.7/", "10.4515260,51.3 ", "10.5555", "10.", "10", "10.5555./",
    "10/abc", "10/", "g/10/abc", "DOI.ORG/10/x", "doi.org/10/gkj5fq", "https://doi.org/10/x", "dx.doi.org%2F10%2Fx",
    "10\\/abc", "10.2010/", "10.1016/", "-10.1999/", "5-10.2010/full", "5-10.1038/a", "10.5555/10.5555/", "10.5555%2F10.5555/", "10 .5555/", "10\n.5555 /", "doi:10\r\n.5555/", "-10.2365269/", "$010.5555/", "%10.5555/", "%2010.5555/", "\\u200910.5555/",
    "\\x2010.5555/", "\\x2g10.5555/", "10<b>.5555/", "1</b><i>0.5555/", "10.<i>55</i>55/", "10.55</b>55<u>/", "10.5555<sub class=\"a b\">%2F</sub>", "10</b></i>.5555\\/",
    "10. 5555/ ", "10. 5555/ ", "10 . 5555 / ", "10. \n5555/", "10.\u{200b}5555/", "10.&#8203;5555/", "10.<wbr>5555/<wbr>", "10.\\allowbreak 5555/", "10.\\penalty05555<wbr>/",
    "10.\\u00ad5555/", "10.5555.<wbr>12\u{ad}/", "10.\u{2060}5555:", "10. 12. 34/ ", "10.&amp;shy;5555/",
];

/// Middles and ends of names, and pieces that may follow a name.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "a", "abc", "1", "12", "x1", "É", "é", "日本", "e\u{301}", "\u{2010}", "\u{2014}", "\u{ad}", "\u{200b}", "\u{feff}",
    "\u{e0041}", "\u{e000}", "\u{378}", "\u{a0}", "\u{202f}", "\u{3000}", "\u{2028}", "\u{85}", "…", "...", "....",
    "。", "，", "”", "»", "·", "§", "¿", "\u{fffd}", "“", "）", "€", "²", "‿", ".", ",", ";", ":", "!", "?", "'", "\"",
    "&", "-", "/", "//", "(", ")", "[", "]", "{", "}", "<", ">", "*", "_", "~", "$", "=", "+", "#", "@", "^", "%",
    "|", "\\", "`", "\t", " ", "  ", "\n", "\r\n", "\n\n", "\u{b}", "\u{c}", "\0", "\u{7}", "\u{7f}", "(X)", "a(b)c",
    "[1]", "[ 32:T]2.0.CO;2", " [32:", "T ] 2.0.CO;2", "10 .", "[1]2", "[0774:T]2.0.CO;2", "<693::AID-X>3.0.CO;2-O", "(SICI)1097(199912)49:8", ">3.0.CO;2-O", ";2-#",
    "3.0.CO;2", "2.0.CO;2-X", ";2", "&lt;1::A&gt;3.0.CO;2-X", "&amp;lt;", "%3C1%3E3.0.CO;2-7", "\\u003c1\\u003e",
    "{\\textless}", "\\textgreater{}", "\\textsubscript{E}", "\\textit{", "{\\_}", "{[}", "{]}", "{é}", "{&amp;}",
    "\\_", "\\&", "\\%2F", "\\%", "\\\\_", "\\n", "\\t", "\\\\n", "\\\"", "\\'", "\\u0000", "\\u00fc",
    "\\ud83d\\ude00", "\\ud83d", "\\ud83d\\u0041", "\\u00a0", "\\x41", "\\xe9", "\\u00", "\\x", "&lt;", "&gt;",
    "&amp;", "&amp;amp;", "&quot;", "&apos;", "&#39;", "&#150;", "&#38;", "&#x26;", "&nbsp;", "&shy;", "&eacute;",
    "&nGt;", "&fjlig;", "&lt", "&ltx;", "&copy=1", "&copy=1;", "&b&lt;", "&;", "&#;", "&#x;", "&#xD800;",
    "&notanentity;", "&CounterClockwiseContourIntegral;", "&semi;", "%20", "%22", "%22.1", "%23", "%25", "%2525",
    "%252F", "%2F", "%2f", "%26", "%26page%3D2", "%28", "%29", "%3F", "%3f", "%C3%89", "%C3", "%E2%80%8B", "%0A",
    "%00", "%5C", "%7B", "%7Cx", "%zz", "%4", "&page=2", "&x", "&amp;x=1", ";jsessionid=A", ";x:y", "?x=1", "#x",
    "#sthash.x", "&utm.x=", "/full", "/pdf", "/meta", "/abstract", "/full/html", "/fulltext.html", "/FULL",
    "/figures/3", "/MediaObjects/x", "/-/DC1", "/full/", "/jme/tjz032/5423051", ".pdf", ".html", ".full", "/pdf/pdf",
    ".URL", ".http", ",PMID:1", "[PubMed", ".PMC1", ".pmcx", ".doi", ",arXiv:1", ".Epub", ".issn", "http://",
    "https:/", "HTTP:/x", ".pmid", ".arxivx", "[doi", "- 12", "-\n1a", "/ es03", ": 7(1)", ". 1091", "j. x", "j.",
    "ldr", "-\n\n1", "-                 1", " (1)", "\r\n  journal", "- x1\"", "\" ", "\",", "',", "</doi>", "<br/>",
    "</a>", "<!--", "<?", "<i>", "<b>", "</b>", "</span><b>", "<span class=\"a b\">", "<em>.", "</u>&lt;", "<sup>", ">x</a>", "}}", "},", "|year=1", "\n| year", ", ", ",x", ";x", "\tx", "; ",
    "&quot;,", "\\\"}", "&lt;/p&gt;", "and", "A.", "...</a>", "…<", "...\"", ".\"", "*\"", "_<", "/\"", "*", "key",
    "doi", "10.", "\u{200b}\"", "*\u{200b}\"", "4321v2", "436749v12.full-text", ".full-text", "v1", "[pii]", "%5Bpii%5D", "DOI：",
    "DOI\u{a0}", "--", "__", "-blue", "-1f6feb.svg", "/status.svg", "/tables/1", "/transform/x", "$2doi", "$<$", "$_$", "$>",
    "<wbr>", "<wbr/>", "<wbr />", "&lt;wbr&gt;", "<wbr", "에서", "的DOI", "а", "и", "👈", "™", "،", "——", "１", "{recid}", "{i}", "${id}", ".$1", "{{ id }}",
    "' + x", "\" + x", "' . $id", ".%s", "#{id}", "1qRadiative Association", "1aKinetics: A", "\\\\\"", "\\\\\\\"", "\nurl: x\n", "...}", "...|", "...'", "…\\\"",
    "journ al. pone. 01534 64", "s10706- 018- 0706-5", "m9 . figsh are . 24680 853", "tb022 76. x", "S0022- 1694(00) 00364-4", " (2016). 33. Poe", ". 12. Next", ". 2019 Jan", " 3 pages",
    "\\allowbreak ", "\\penalty0 ", "\\hspace{0pt}", "\\linebreak[0]\n", "\n512  kacsn", "\r\n 7\t1", "978-3-642-22726-4_\n46", "j.cell.2010.03.\n002", "CVPR.2016.\n90", "3292500.\n3330701", "\u{ad}\nb",
    "%\n3A1", "%3\nA1", "journal. pone.01", "sj. bjc. 66", "image .2017", "abcde", "abcde fg", "12345 67",
];

/// Pieces of identifiers of arXiv, and lookalikes.
#[rustfmt::skip]
const ARXIV: &[&str] = &[
    "arXiv:2101.00001", "arxiv: 0710.5555v2", "ARXIV:hep-th/9901001", "(arXiv:math.GT/0309136v1)", "arXiv:1010.5555/",
    "https://arxiv.org/abs/2101.00001v1", "http:\\/\\/arxiv.org\\/pdf\\/1412.9999", "arxiv.org/pdf/", "10.48550/arXiv.2101.00001",
    "10.48550/arXiv:2101.00001", "https://doi.org/10.5555/arxiv.org/abs/2101.00001", "arXiv:", "2101.00001", "arXiv:2113.00001",
    "xarXiv:2101.00001", "x", "X", "arxiv.org/abs/", "v2", ".pdf",
];

/// Bytes that are not UTF-8, or only part of a character.
const BYTES: &[&[u8]] = &[
    b"\xE9",
    b"\xFF",
    b"\xC3",
    b"\xE2\x80",
    b"\x80",
    b"\xF0\x9F",
    b"\xBD",
    b"\xEF\xBF",
    b"\xED\xA0\x80",
];

/// Generates a word of a rule, or a part of its example.
fn of_rules() -> impl Strategy<Value = String> {
    let rules = select(&Rule::ALL[..]);
    (
        rules,
        any::<proptest::sample::Index>(),
        any::<bool>(),
        0..40_usize,
        1..60_usize,
    )
        .prop_map(|(rule, word, is_word, start, len)| {
            let words = rule.items();
            if is_word && !words.is_empty() {
                return words[word.index(words.len())].to_owned();
            }
            let text = String::from_utf8_lossy(&rule.example().text).into_owned();
            text.chars().skip(start).take(len).collect()
        })
}

fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let of =
        |all: &'static [&'static str]| select(all).prop_map(|text: &str| text.as_bytes().to_vec());
    prop_oneof![
        6 => of(LEADS),
        8 => of(PREFIXES),
        12 => of(PIECES),
        3 => of_rules().prop_map(String::into_bytes),
        1 => select(BYTES).prop_map(<[u8]>::to_vec),
        1 => "[ -~]{1,4}".prop_map(String::into_bytes),
        1 => any::<Vec<u8>>().prop_map(|mut bytes| { bytes.truncate(3); bytes }),
        1 => (select(&["a", "[", ")", "/pdf", "&", "1", " ", "\u{ad}", "x10.5555/"][..]), 1..90_usize)
            .prop_map(|(text, times)| text.repeat(times).into_bytes()),
    ]
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    let of = |all: &'static [&'static str]| select(all).prop_map(str::to_owned);
    let pieces = proptest::collection::vec(of(PIECES), 0..6).prop_map(|pieces| pieces.concat());
    (proptest::option::of(of(LEADS)), of(PREFIXES), pieces).prop_map(|(lead, prefix, pieces)| {
        [lead.unwrap_or_default(), prefix, pieces]
            .concat()
            .into_bytes()
    })
}

/// Prints its text as a Rust literal, for a new test.
#[derive(Clone)]
struct Document(Vec<u8>);

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

fn document() -> impl Strategy<Value = Document> {
    let part = prop_oneof![2 => name(), 3 => fragment()];
    proptest::collection::vec(part, 1..10).prop_map(|parts| Document(parts.concat()))
}

/// Generates identifiers of arXiv among names, far enough apart for a stream to be cut between them.
fn arxiv_document() -> impl Strategy<Value = Document> {
    let identifier = select(ARXIV).prop_map(|text: &str| text.as_bytes().to_vec());
    let far = (1..1500_usize).prop_map(|times| "ab ".repeat(times / 3).into_bytes());
    let part = prop_oneof![6 => identifier, 2 => name(), 3 => fragment(), 1 => far];
    proptest::collection::vec(part, 1..12).prop_map(|parts| Document(parts.concat()))
}

/// Generates names of plain characters, as most names are, with pieces before and after them.
fn plain_names() -> impl Strategy<Value = Document> {
    let lead = prop_oneof![
        2 => select(&["see ", "", "(", " (", "doi:", "DOI: ", "\"DOI\":\"", "https://doi.org/", "\"http:\\/\\/doi.org\\/", "x\n", ", ", "a;"][..]).prop_map(str::to_owned),
        1 => select(LEADS).prop_map(str::to_owned),
    ];
    let prefix = prop_oneof![
        8 => "10\\.[0-9]{3,10}/",
        4 => "10\\.[0-9]{3,10}\\\\/",
        1 => select(PREFIXES).prop_map(str::to_owned),
    ];
    let marks = select(
        &[
            "-", "_", "/", "\\/", ".", "(", ")", "..", "10.", ".a", ".doi", "(.", "h", "http",
        ][..],
    );
    let piece = prop_oneof![4 => "[a-zA-Z0-9]{1,9}", 1 => "[a-z0-9]{20,40}", 3 => marks.prop_map(str::to_owned)];
    let suffix = proptest::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat());
    let end = prop_oneof![
        3 => "[.,;)\\]]{0,3}",
        1 => select(PIECES).prop_map(str::to_owned),
        1 => select(&["\"", "</a>", "<b>", "/full", "/pdf", ".pdf"][..]).prop_map(str::to_owned),
    ];
    let next = select(
        &[
            "", " ", "\n", " \n", "\n  ", "\r\n", " a", " . .", "\nb1c-2", " 1", "\nNext",
            "\n12 A", "x",
        ][..],
    );
    let name = (lead, prefix, suffix, end, next);
    let name = name.prop_map(|(lead, prefix, suffix, end, next)| {
        [&lead, &prefix, &suffix, &end, next].concat()
    });
    proptest::collection::vec(name, 1..4).prop_map(|names| Document(names.concat().into_bytes()))
}

/// Generates documents longer than the window before an anchor and than the pieces that a stream holds.
fn long_document() -> impl Strategy<Value = Document> {
    let filling = select(&[" ", "x", "<doi ", "5", "<a title='doi' "][..]);
    (
        proptest::collection::vec(document(), 1..12),
        filling,
        0..600_usize,
    )
        .prop_map(|(parts, filling, times)| {
            let filling = filling.repeat(times / parts.len());
            let parts: Vec<_> = parts.into_iter().map(|part| part.0).collect();
            Document(parts.join(filling.as_bytes()))
        })
}

fn max_name() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(64 << 10), 2 => 5..80_usize]
}

fn scan(document: &[u8], max_name: usize) -> (Vec<OwnedMention>, Tally) {
    let mut mentions = Vec::new();
    let mut scanner = Scanner::new().max_name(max_name);
    let tally = scanner.scan(document, |mention| mentions.push(mention.into()));
    (mentions, tally)
}

fn scan_as(kind: TextKind, document: &[u8], max_name: usize) -> (Vec<OwnedMention>, Tally) {
    let mut mentions = Vec::new();
    let mut scanner = Scanner::new().max_name(max_name).kind(kind);
    let tally = scanner.scan(document, |mention| mentions.push(mention.into()));
    (mentions, tally)
}

/// Difference of a known name from a name in a document.
#[derive(Clone, Copy, Debug)]
enum Other {
    /// It is shorter by this many characters.
    Less(usize),
    /// It continues with this many of the characters after the name, without white space.
    More(usize),
    /// It has hyphens for dashes.
    Hyphens,
}

fn other() -> impl Strategy<Value = Other> {
    prop_oneof![
        2 => (0..8_usize).prop_map(Other::Less),
        4 => (1..9_usize).prop_map(Other::More),
        1 => Just(Other::Hyphens),
    ]
}

/// Returns a known name for each name that the scanner finds in a document, with one of these differences.
fn known(document: &[u8], kind: TextKind, others: &[Other]) -> BTreeSet<String> {
    let mentions = scan_as(kind, document, 64 << 10).0;
    let pairs = mentions.iter().zip(others.iter().cycle());
    let known = pairs.map(|(mention, other)| match *other {
        Other::Less(less) => {
            let len = mention.key.chars().count().saturating_sub(less).max(9);
            mention.key.chars().take(len).collect()
        }
        Other::More(more) => {
            let end = mention.offset as usize + mention.text.len();
            let rest = String::from_utf8_lossy(&document[end..]);
            let rest = rest.chars().filter(|c| !c.is_whitespace()).take(more);
            mention.key.clone() + &rest.collect::<String>().to_ascii_lowercase()
        }
        Other::Hyphens => mention.key.replace(['\u{2010}', '\u{2014}'], "-"),
    });
    known.collect()
}

fn scan_knowing(
    known: &BTreeSet<String>,
    kind: TextKind,
    document: &[u8],
    max_name: usize,
) -> (Vec<OwnedMention>, Tally) {
    let mut mentions = Vec::new();
    let scanner = Scanner::new().max_name(max_name).kind(kind);
    let mut scanner = scanner.known(Arc::new(known.clone()));
    let tally = scanner.scan(document, |mention| mentions.push(mention.into()));
    (mentions, tally)
}

fn stream(mut scanner: Scanner, document: &[u8], sizes: &[usize]) -> (Vec<OwnedMention>, Tally) {
    let mut mentions = Vec::new();
    let mut stream = scanner.stream();
    let mut rest = document;
    for size in sizes.iter().cycle() {
        let (piece, after) = rest.split_at(rest.len().min(*size));
        stream.push(piece, |mention| mentions.push(mention.into()));
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    let tally = stream.finish(|mention| mentions.push(mention.into()));
    (mentions, tally)
}

fn overlap(mentions: &[OwnedMention]) -> Option<&[OwnedMention]> {
    mentions
        .windows(2)
        .find(|pair| pair[0].offset + pair[0].text.len() as u64 > pair[1].offset)
}

/// Returns a configuration with few cases, for long documents, on which the twin is slow. Fuzzing tries more.
fn few() -> ProptestConfig {
    let usual = config();
    ProptestConfig {
        cases: usual.cases / 4,
        ..usual
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_twin_says_the_same(document in document(), max_name in max_name()) {
        prop_assert_eq!(scan(&document.0, max_name), naive::scan(&document.0, max_name));
    }

    #[test]
    fn the_twin_says_the_same_of_every_kind(
        document in document(),
        max_name in max_name(),
        kind in select(TextKind::ALL),
    ) {
        let slow = naive::scan_as(kind, &document.0, max_name);
        prop_assert_eq!(scan_as(kind, &document.0, max_name), slow);
    }

    #[test]
    fn the_twin_says_the_same_of_plain_names(
        document in plain_names(),
        kind in select(TextKind::ALL),
        max_name in max_name(),
    ) {
        let slow = naive::scan_as(kind, &document.0, max_name);
        prop_assert_eq!(scan_as(kind, &document.0, max_name), slow);
    }

    #[test]
    fn the_twin_says_the_same_with_known_names(
        document in prop_oneof![document(), plain_names()],
        kind in select(TextKind::ALL),
        max_name in max_name(),
        others in proptest::collection::vec(other(), 1..4),
    ) {
        let known = known(&document.0, kind, &others);
        let slow = naive::scan_knowing(&known, kind, &document.0, max_name);
        let fast = scan_knowing(&known, kind, &document.0, max_name);
        prop_assert_eq!(overlap(&fast.0), None);
        prop_assert_eq!(fast, slow, "{:?}", known);
    }

    #[test]
    fn the_head_of_any_document_shows_a_kind_or_none(document in document(), whole in any::<bool>()) {
        let _ = TextKind::of(&document.0, whole);
    }

    #[test]
    fn names_do_not_overlap(document in document(), max_name in max_name()) {
        let (mentions, _) = scan(&document.0, max_name);
        prop_assert_eq!(overlap(&mentions), None);
    }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn the_twin_says_the_same_of_a_stream(
        document in long_document(),
        max_name in 5..80_usize,
        sizes in proptest::collection::vec(prop_oneof![1..9_usize, 1..700_usize], 1..6),
    ) {
        let slow = naive::scan(&document.0, max_name);
        prop_assert_eq!(&scan(&document.0, max_name), &slow);
        let scanner = Scanner::new().max_name(max_name);
        prop_assert_eq!(&stream(scanner.clone(), &document.0, &sizes), &slow);
        let known = known(&document.0, TextKind::Unknown, &[Other::More(3), Other::Less(2)]);
        let whole = scan_knowing(&known, TextKind::Unknown, &document.0, max_name);
        let scanner = scanner.known(Arc::new(known));
        prop_assert_eq!(stream(scanner, &document.0, &sizes), whole);
    }
    #[test]
    fn the_twin_finds_the_same_identifiers_of_arxiv(
        document in arxiv_document(),
        max_name in prop_oneof![Just(1000), 5..80_usize],
        kind in select(TextKind::ALL),
        sizes in proptest::collection::vec(prop_oneof![1..9_usize, 1..700_usize], 1..6),
    ) {
        let scanner = Scanner::new().max_name(max_name).kind(kind).arxiv(true);
        let mut mentions: Vec<OwnedMention> = Vec::new();
        let tally = scanner.clone().scan(&document.0, |mention| mentions.push(mention.into()));
        let slow = naive::scan_with_arxiv(kind, &document.0, max_name);
        prop_assert_eq!((&mentions, &tally), (&slow.0, &slow.1));
        prop_assert_eq!(&stream(scanner.clone(), &document.0, &sizes), &slow);
        prop_assert_eq!(overlap(&mentions), None);
        let starts = scanner.starts(&document.0).collect::<Vec<_>>().into_iter();
        if kind != TextKind::Html {
            let mut found: Vec<OwnedMention> = Vec::new();
            let _ = scanner.clone().scan_at(&document.0, starts, |mention| found.push(mention.into()));
            prop_assert_eq!(&found, &mentions);
        }
        mentions.retain(|mention| mention.form != doisift::Form::Arxiv);
        prop_assert_eq!(mentions, scan_as(kind, &document.0, max_name).0);
    }
}
